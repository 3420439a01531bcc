# Formula for Homebrew on Linux: of a tap, such as OWNER/homebrew-tap/Formula/obkv-bulkload.rb.
class ObkvBulkload < Formula
  desc "Load HBase files or CSV into OceanBase's OBKV-HBase"
  homepage "https://obkv-bulkload.invalid"
  url "https://obkv-bulkload.invalid/download/obkv-bulkload-1.0.0.tar.xz"
  # Of the archive that `make dist` makes; it stands in SHA256SUMS of the release.
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "Apache-2.0"

  depends_on "pkgconf" => :test
  depends_on "brotli"
  depends_on "expat"
  depends_on "gcc"
  depends_on "isa-l"
  depends_on "jansson"
  depends_on "libarchive"
  depends_on "libdeflate"
  depends_on "libmd"
  depends_on "libsodium"
  depends_on :linux
  depends_on "lz4"
  depends_on "mariadb-connector-c"
  depends_on "snappy"
  depends_on "xxhash"
  depends_on "xz"
  depends_on "zstd"

  uses_from_macos "bzip2"
  uses_from_macos "curl"
  uses_from_macos "zlib"

  def install
    # The linker's shims of Homebrew find the libraries; the compiler must know OpenMP.
    system "make", "all", "lib", "man"
    system "make", "install", "PREFIX=#{prefix}"
  end

  test do
    (testpath/"users.csv").write "id,name\nuser1,Anna\nuser2,Ben\n"
    system bin/"obkv-import", "--quiet", "--partition", "key:7", "--header",
           "--columns", "id=HBASE_ROW_KEY,name=info:name", "-o", "out", "users.csv"
    system bin/"obkv-verify", "check", "--quiet", "out"
    assert_match "Anna", shell_output("#{bin}/obkv-verify dump --plain out")
    system "pkgconf", "--exists", "libsst"
  end
end
