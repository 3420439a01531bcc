/* Shared by all headers of libsst: byte strings, errors, the version.
 *
 * libsst reads and writes HFiles, the sorted files of Apache HBase, and datasets made of them. It needs no JVM. The headers are
 * C99 and C++; link with `pkg-config --libs libsst`. docs/library.md is the guide, sst(3) the summary.
 *
 * Rules that hold for every function:
 * - A function that can fail returns -1, or NULL for a new object, and describes the failure in *error. `error` is never NULL.
 * - What a function hands out is borrowed: the library owns it. Each function says until when it is valid. Only the types with a
 *   close function belong to the caller, who closes them once; closing NULL does nothing.
 * - Option structs begin with `size`, which the caller sets to sizeof. A NULL pointer for options means all defaults, and a field
 *   that is 0 or NULL means its default. Later versions only add fields at the end.
 * - The library keeps no state between objects: calls on different objects may run side by side in any threads. For calls on one
 *   object, its header says which may.
 * - Nothing is printed, no signal is handled, the process is never ended, the environment is not read. */
#ifndef SST_BASE_H
#define SST_BASE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
#define SST_BEGIN extern "C" {
#define SST_END }
#else
#define SST_BEGIN
#define SST_END
#endif

#if defined(__GNUC__)
#define SST_API __attribute__((visibility("default")))
#else
#define SST_API
#endif

#define SST_VERSION_MAJOR 1
#define SST_VERSION_MINOR 0
#define SST_VERSION_PATCH 0
#define SST_VERSION "1.0.0"

SST_BEGIN

/* The version of the library that runs, as SST_VERSION spells that of the header: never freed, any thread. */
SST_API const char *sst_version(void);

/* Borrowed bytes. They may hold zero bytes, and no zero follows them. data may be NULL when size is 0. */
typedef struct sst_bytes {
    const uint8_t *data;
    size_t size;
} sst_bytes;

/* Makes one of n bytes, and of a text without its final zero; both borrow. */
static inline sst_bytes sst_bytes_of(const void *data, size_t size) {
    sst_bytes b;
    b.data = (const uint8_t *)data;
    b.size = size;
    return b;
}
static inline sst_bytes sst_bytes_text(const char *text) {
    return sst_bytes_of(text, strlen(text));
}

/* Kinds of failures. Values never change; new ones may be added. */
enum sst_code {
    SST_OK = 0,
    SST_USAGE = 1,       /* the caller's arguments, a partitioning word or DDL */
    SST_INPUT = 2,       /* a file cannot be read, or is damaged: the text says where */
    SST_UNSUPPORTED = 3, /* the file is sound, but of a kind that is not read: encrypted, HFile v1, an unknown codec … */
    SST_LIMIT = 4,       /* memory, descriptors, disk space, or a limit set in options */
    SST_OUTPUT = 5,      /* a file cannot be written, for another reason than space */
    SST_STOPPED = 8,     /* a run was asked to stop; no function of version 1.0 returns it */
    SST_INTERNAL = 9     /* a mistake of the library */
};

/* Filled by a function that fails; its size is fixed for good. Zero-initialise it or not: every function that takes one resets
 * it first, except sst_scan_next, which touches it only to report a failure. */
typedef struct sst_error {
    int code;        /* enum sst_code */
    int system;      /* errno of the failed call, 0 = none */
    char text[1000]; /* one line without a line end: file, offset, what was found and what was expected */
} sst_error;

SST_END

#endif
