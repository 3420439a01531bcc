/* Signed outputs: MANIFEST.b2sums lists the BLAKE2b-512 of the manifest and of every file in it, as `b2sum` writes it, and
 * MANIFEST.b2sums.minisig signs that list. So `minisign -V` and `b2sum -c` prove the same without us. */
#ifndef CMD_COMMON_SIGNATURE_H
#define CMD_COMMON_SIGNATURE_H

#include "cmd/common/minisign.h"
#include "cmd/common/options.h"
#include "engine/job.h"

enum { TRUST_KEYS_MAX = 16 };

/* The files that a manifest lists, in its order; paths are relative to its directory. */
struct signed_list {
    size_t n;
    const char *(*path)(const void *arg, size_t i);
    const void *arg;
};

/* Writes both files into dir, where the files of the list are. more: names that the manifest does not list (of scripts).
 * manifest: the text that is about to be published. */
int signature_write(const struct minisign_secret *key, const char *dir, const struct signed_list *files, const char *const *more,
                    size_t n_more, const char *manifest, const char *tool, const struct job *job, struct err *err);

struct signature_finding {
    void (*add)(void *arg, const char *path, const char *text);
    void *arg;
};
/* Checks that dir is what a holder of one of the keys has signed: the signature, the manifest and, unless quick, the bytes of
 * every file. What does not hold is a finding; -1: something could not be read. */
int signature_check(const struct trust_options *trust, const char *dir, const struct signed_list *files, bool quick,
                    const struct job *job, const struct signature_finding *found, struct err *err);
/* As signature_check, for programs that go no further with what is not signed: ERR_INPUT. Without --verify-key there is nothing
 * to do. */
int signature_demand(const struct trust_options *trust, const char *dir, const struct signed_list *files, const struct job *job,
                     struct err *err);
/* Finds out whether this very key has signed dir's manifest: 1, 0, -1. */
int signature_is_by(const struct minisign_secret *key, const char *dir, const struct signed_list *files, const struct job *job,
                    struct err *err);

struct manifest;
/* The files of a dataset. */
struct signed_list signature_list(const struct manifest *m);

#endif
