/* --version: after the name and version, what a report of a fault should say: the commit, the compiler, and which codecs and
 * libraries are at work. Libraries are asked at run time: a program may meet another version than it was compiled with. */
#include "cmd/common/opt_value.h"
#include "cmd/common/opt_views.h"

#include "codec/codec.h"
#include "codec/snappy_guard.h"
#include "sst/base.h"

#include <archive.h>
#include <brotli/decode.h>
#include <bzlib.h>
#include <expat.h>
#include <isa-l.h>
#include <jansson.h>
#include <libdeflate.h>
#include <lz4.h>
#include <lzma.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

const char obkv_version[] = SST_VERSION;

#ifdef __clang__
static const char compiler[] = "clang";
#else
static const char compiler[] = "gcc";
#endif

static void print_codecs(void) {
    printf("codecs: NONE");
    for (size_t i = 0; codec_number(i); i++)
        if (codec_number(i)->level_max || !codec_number(i)->decode_only) printf(" %s", codec_number(i)->name);
    printf("; read only:");
    for (size_t i = 0; codec_number(i); i++)
        if (codec_number(i)->decode_only) printf(" %s", codec_number(i)->name);
    putchar('\n');
}

static void print_libraries(const struct tool_about *about) {
    unsigned brotli = BrotliDecoderVersion(), xxhash = XXH_versionNumber(), snappy = snappy_guard_version();
    printf("libraries: %s, zlib %s, libdeflate %s,\n  ISA-L %d.%d.%d, bzip2 %.*s, liblzma %s, lz4 %s, zstd %s,\n  ",
           archive_version_string(), zlibVersion(), LIBDEFLATE_VERSION_STRING, ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION,
           ISAL_PATCH_VERSION, (int)strcspn(BZ2_bzlibVersion(), ","), BZ2_bzlibVersion(), lzma_version_string(),
           LZ4_versionString(), ZSTD_versionString());
    printf("brotli %u.%u.%u, snappy %u.%u.%u, xxHash %u.%u.%u, jansson %s, expat %s,\n  libsodium %s", brotli >> 24,
           brotli >> 12 & 0xfff, brotli & 0xfff, snappy >> 16, snappy >> 8 & 0xff, snappy & 0xff, xxhash / 10000,
           xxhash / 100 % 100, xxhash % 100, jansson_version_str(),
           XML_ExpatVersion() + strcspn(XML_ExpatVersion(), "0123456789"), sodium_version_string());
    if (about->client) printf(", %s", about->client());
    putchar('\n');
}

void opt_print_version(const struct tool_about *about) {
    printf("%s %s\n", about->name, obkv_version);
    printf("commit: %s\n", about->commit ? about->commit : "unknown");
    printf("compiler: %s %s, OpenMP %d\n", compiler, __VERSION__, _OPENMP);
    print_codecs();
    print_libraries(about);
}
