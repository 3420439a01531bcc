/* Runs a fuzz target over the files and directories given, with any compiler. A crash is a crash; otherwise prints one
 * line with the number of inputs. No input at all is a failure: an empty corpus proves nothing. */
#include "tests/fuzz/fuzz.h"

#include "base/err.h"
#include "base/fs.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { INPUT_MAX_BYTES = 64 << 20 };

static int replay_file(const char *path) {
    struct err err = {0};
    size_t n = 0;
    char *text = fs_read_text(path, INPUT_MAX_BYTES, &n, &err);
    if (!text) {
        fprintf(stderr, "%s\n", err.text);
        return -1;
    }
    /* A block of exactly n bytes, so that a sanitizer sees a read past the end. */
    uint8_t *exact = malloc(n ? n : 1);
    if (exact) {
        memcpy(exact, text, n);
        LLVMFuzzerTestOneInput(exact, n);
    }
    free(text);
    free(exact);
    return exact ? 1 : -1;
}

static int replay(const char *path);

static int replay_directory(const char *path) {
    DIR *d = opendir(path);
    if (!d) {
        perror(path);
        return -1;
    }
    int count = 0;
    for (struct dirent *e; count >= 0 && (e = readdir(d));) {
        struct err err = {0};
        if (e->d_name[0] == '.') continue;
        char *child = fs_join(path, e->d_name, &err);
        int n = child ? replay(child) : -1;
        count = n < 0 ? -1 : count + n;
        free(child);
    }
    closedir(d);
    return count;
}

static int replay(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? replay_directory(path) : replay_file(path);
}

int main(int argc, char **argv) {
    int count = 0;
    for (int i = 1; i < argc; i++) {
        int n = replay(argv[i]);
        if (n < 0) return 1;
        count += n;
    }
    printf("%d inputs\n", count);
    return count ? 0 : 1;
}
