/* Compressed streams, mutated, unpacked by the format's own program and by 1, 2, 3 and 16 threads of ours: both give the same
 * content, or both refuse the stream. What follows a whole stream and is none counts as refused, also where the program passes it
 * by with a warning. 1,000 streams of each format; OBKV_STRESS=1: 10,000. OBKV_SEED chooses them. */
#include "given_bytes.h"
#include "made_bgzip.h"
#include "sampled.h"

#include "base/instream.h"
#include "base/unpack.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CONTENT_MOST = 64 << 20, BASES_MOST = 24, STREAMS = 1000, SHOWN = 3, PIPE_BYTES = 1 << 20 };
extern char **environ;

/* ---- the format's program ---- */

/* Programs may seek in a file, past its end too. */
static int pipe_of(struct bytes content) {
    int fd[2];
    assert_int_equal(pipe(fd), 0);
    assert_true(fcntl(fd[1], F_SETPIPE_SZ, PIPE_BYTES) >= (int)content.n);
    fcntl(fd[0], F_SETFD, FD_CLOEXEC);
    assert_int_equal(write(fd[1], content.p, content.n), content.n);
    close(fd[1]);
    return fd[0];
}

static void take_file(int fd, struct buf *out) {
    struct err err = {0};
    off_t n = lseek(fd, 0, SEEK_END);
    buf_clear(out);
    assert_int_equal(buf_reserve(out, (size_t)n + 1, &err), 0);
    assert_int_equal(pread(fd, out->p, (size_t)n, 0), n);
    out->n = (size_t)n;
    close(fd);
}

/* The exit code of `command`, words between blanks; -1: ended by a signal, -2: there is no such program. */
static int call(const char *command, struct bytes in, struct buf *out, struct buf *said) {
    char words[200], *argv[16], *rest = words;
    size_t n = 0;
    int files[3] = {pipe_of(in), memfd_create("out", MFD_CLOEXEC), memfd_create("said", MFD_CLOEXEC)}, status;
    pid_t child;
    posix_spawn_file_actions_t actions;
    snprintf(words, sizeof words, "%s", command);
    while (n < 15 && (argv[n] = strsep(&rest, " "))) n++;
    argv[n] = NULL;
    posix_spawn_file_actions_init(&actions);
    for (int i = 0; i < 3; i++) posix_spawn_file_actions_adddup2(&actions, files[i], i);
    int failed = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (!failed) assert_int_equal(waitpid(child, &status, 0), child);
    close(files[0]);
    take_file(files[1], out);
    take_file(files[2], said);
    return failed ? -2 : WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- streams ----
 *
 * lz4 1.9.4 reads four bytes too many behind a frame with checksums of blocks and none of the content, and then drops the frames
 * that follow: there are no such streams here. */

struct tool {
    const char *name, *kind, *unpack;
    const char *pack[6];   /* commands; NULL: bgzip's members, made here */
    const char *passes_by; /* what it says of other bytes behind a stream, which it ignores; NULL: that is an error of it */
};

static const struct tool tools[] = {
    {"gzip", "gzip", "gzip -dc", {"gzip -1c", "gzip -9c", "gzip -6cn"}, NULL},
    {"bgzip", "gzip", "gzip -dc", {NULL}, NULL},
    {"bzip2", "bzip2", "bzip2 -dc", {"bzip2 -1c", "bzip2 -9c"}, "trailing garbage"},
    {"xz", "xz", "xz -dc", {"xz -0c", "xz -6c -T1 --check=none", "xz -1c --check=sha256", "xz -0c -T1 --block-size=20000"}, NULL},
    {"zstd",
     "zstd",
     "zstd -dc",
     {"zstd -1c", "zstd -19c --no-check", "zstd -3c --zstd=wlog=10", "zstd -3c --no-check --zstd=wlog=12", "pzstd -q -1c -p1",
      "zstd -1c --no-content-size"},
     NULL},
    {"lz4",
     "lz4",
     "lz4 -dc",
     {"lz4 -1c", "lz4 -9c -BD -B4", "lz4 -1c -B4 -BX", "lz4 -1c -B4 --no-frame-crc", "lz4 -1c --content-size"},
     "undecodable data"},
};

struct streams {
    struct buf of[BASES_MOST];
    size_t n;
    uint64_t random;
};

static uint64_t next_random(struct streams *s) {
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    return s->random ^= s->random << 17;
}

static size_t below(struct streams *s, size_t n) {
    return n ? (size_t)(next_random(s) % n) : 0;
}

static void fill(struct streams *s, struct buf *content, size_t n, unsigned variety) {
    struct err err = {0};
    buf_clear(content);
    while (content->n < n)
        assert_int_equal(buf_printf(content, &err, "row%llu,%zu\n", (unsigned long long)below(s, variety), below(s, variety)), 0);
}

static void add_packed(struct streams *s, const struct tool *t, const char *command, const struct buf *content) {
    struct buf said = {0};
    struct buf *out = &s->of[s->n++];
    if (command) {
        if (call(command, buf_bytes(content), out, &said)) s->n--;
    } else {
        for (size_t at = 0; at <= content->n; at += MEMBER)
            pack_member(bytes_of(content->p + at, content->n - at < MEMBER ? content->n - at : MEMBER), out);
    }
    buf_free(&said);
    (void)t;
}

/* Short and long ones, one that repeats itself often, and none. */
static void make_streams(struct streams *s, const struct tool *t) {
    static const struct {
        size_t bytes;
        unsigned variety;
    } contents[] = {{300, 1000}, {12000, 100000}, {250000, 7}, {0, 1}};
    struct buf content = {0};
    for (size_t k = 0; k < sizeof t->pack / sizeof t->pack[0]; k++)
        for (size_t i = 0; i < 4 && s->n < BASES_MOST && (t->pack[k] || !k); i++) {
            fill(s, &content, contents[i].bytes, contents[i].variety);
            add_packed(s, t, t->pack[k], &content);
        }
    buf_free(&content);
}

static void put(struct buf *b, const void *p, size_t n) {
    struct err err = {0};
    assert_int_equal(n ? buf_put(b, p, n, &err) : 0, 0);
}

/* Bytes from..to of b are replaced. */
static void replace(struct buf *b, size_t from, size_t to, struct bytes by) {
    struct buf made = {0};
    put(&made, b->p, from);
    put(&made, by.p, by.n);
    put(&made, b->p + to, b->n - to);
    buf_free(b);
    *b = made;
}

static void repeat(struct buf *b, size_t from, size_t to) {
    struct buf twice = {0};
    put(&twice, b->p + from, to - from);
    replace(b, from, from, buf_bytes(&twice));
    buf_free(&twice);
}

static void mutate(struct streams *s, struct buf *b) {
    static const uint8_t zeros[16] = {0}, ones[4] = {255, 255, 255, 255};
    static const uint8_t skippable[] = {0x52, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3};
    const struct buf *other = &s->of[below(s, s->n)];
    uint8_t noise[8];
    for (size_t i = 0; i < sizeof noise; i++) noise[i] = (uint8_t)next_random(s);
    size_t at = below(s, b->n), to = at + below(s, b->n - at < 40 ? b->n - at : 40);
    const unsigned how = (unsigned)below(s, 12);
    if (how >= 10) at = how == 10 ? b->n - 1 - below(s, b->n < 24 ? b->n : 24) : below(s, b->n < 24 ? b->n : 24);
    switch (how) {
    case 0: replace(b, at, b->n, bytes_of("", 0)); break;
    case 1: replace(b, at, to, bytes_of("", 0)); break;
    case 2: replace(b, at, at, bytes_of(noise, 1 + below(s, 8))); break;
    case 3: replace(b, b->n, b->n, bytes_of(zeros, 1 + below(s, 16))); break;
    case 4: replace(b, b->n, b->n, bytes_of(noise, 1 + below(s, 8))); break;
    case 5: replace(b, b->n, b->n, buf_bytes(other)); break;
    case 6:
        at = below(s, 2) * b->n;
        replace(b, at, at, bytes_of(skippable, sizeof skippable));
        break;
    case 7: replace(b, at, to, bytes_of(below(s, 2) ? zeros : ones, 4)); break;
    case 8: repeat(b, at, to); break;
    default: b->p[at] ^= (uint8_t)(1 << below(s, 8));
    }
}

/* ---- ours ---- */

static bool unpack_by(unsigned threads, struct bytes stream, struct buf *out, struct err *err) {
    struct given_bytes source = {.left = stream};
    struct unpack_from from = {.read = given_bytes_read, .arg = &source, .path = "stream"};
    struct instream *in = instream_over(&from, err);
    ssize_t r = in ? 1 : -1;
    buf_clear(out);
    if (in) instream_use_threads(in, threads);
    while (r > 0 && out->n < CONTENT_MOST) {
        assert_int_equal(buf_reserve(out, 65536, err), 0);
        if ((r = instream_read(in, out->p + out->n, threads % 2 ? 65536 : 4096, err)) > 0) out->n += (size_t)r;
    }
    instream_close(in);
    return r >= 0;
}

struct figures {
    unsigned good, refused, other, wrong;
};

static void compare(const struct tool *t, const struct buf *stream, unsigned number, struct figures *f) {
    static const unsigned threads[] = {1, 2, 3, 16};
    struct buf want = {0}, said = {0}, have = {0};
    struct bytes head = bytes_of(stream->p, stream->n < UNPACK_MAGIC_BYTES ? stream->n : UNPACK_MAGIC_BYTES);
    const char *kind = stream->n ? unpack_kind(head) : NULL;
    bool is_ours = kind && (!strcmp(kind, t->kind) || unpack_skippable_bytes(head));
    int code = is_ours ? call(t->unpack, buf_bytes(stream), &want, &said) : -1;
    bool passed_by = t->passes_by && said.n && memmem(said.p, said.n, t->passes_by, strlen(t->passes_by));
    bool good = code == 0 && !passed_by;
    f->good += good;
    f->refused += code > 0 || passed_by;
    f->other += code < 0;
    for (size_t i = 0; code >= 0 && i < 4; i++) {
        struct err err = {0};
        bool mine = unpack_by(threads[i], buf_bytes(stream), &have, &err);
        bool same = mine == good && (!good || bytes_eq(buf_bytes(&have), buf_bytes(&want)));
        if (same) continue;
        if (f->wrong++ >= SHOWN) continue;
        char name[80];
        snprintf(name, sizeof name, "/tmp/unpack-%s-%u.bin", t->name, number);
        print_error("# %s %u, %u threads: ours %s %zu bytes (%s), its own program exits with %d after %zu bytes: %.*s\n", t->name,
                    number, threads[i], mine ? "gives" : "refuses after", have.n, err.text, code, want.n, (int)said.n,
                    (const char *)said.p);
        FILE *file = getenv("OBKV_KEEP") ? fopen(name, "w") : NULL;
        if (file) fwrite(stream->p, 1, stream->n, file);
        if (file) fclose(file);
    }
    buf_free(&want);
    buf_free(&said);
    buf_free(&have);
}

static void run_tool(const struct tool *t) {
    const char *seed = getenv("OBKV_SEED");
    struct streams s = {.random = 88172645463325252 + (seed ? strtoull(seed, NULL, 10) : 1) * 1000003};
    struct figures f = {0};
    struct buf stream = {0};
    struct rlimit old, less;
    unsigned n = getenv("OBKV_STRESS") ? 10 * STREAMS : (unsigned)sampled_rounds(STREAMS);
    make_streams(&s, t);
    if (!s.n) skip();
    getrlimit(RLIMIT_FSIZE, &old);
    less = (struct rlimit){CONTENT_MOST, old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &less);
    for (unsigned i = 0; i < n; i++) {
        const struct buf *base = &s.of[below(&s, s.n)];
        buf_clear(&stream);
        put(&stream, base->p, base->n);
        for (size_t k = below(&s, 4); k && stream.n; k--) mutate(&s, &stream);
        compare(t, &stream, i, &f);
    }
    setrlimit(RLIMIT_FSIZE, &old);
    print_message("# %s: %u streams, %u good, %u refused, %u of another kind or too long; %u of %u differ\n", t->name, n, f.good,
                  f.refused, f.other, f.wrong, 4 * n);
    buf_free(&stream);
    while (s.n) buf_free(&s.of[--s.n]);
    assert_int_equal(f.wrong, 0);
    assert_true(f.good > n / 20 && f.refused > n / 4);
}

static void test_tool(void **state) {
    run_tool(*state);
}

int main(void) {
    struct CMUnitTest tests[sizeof tools / sizeof tools[0]];
    size_t n = sizeof tools / sizeof tools[0];
    for (size_t i = 0; i < n; i++)
        tests[i] = (struct CMUnitTest){tools[i].name, test_tool, NULL, NULL, (void *)(uintptr_t)&tools[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
