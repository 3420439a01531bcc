/* Output files and the disk: how much it may still have to write, and what becomes of an error that the kernel reports while a
 * run waits for it. sync_file_range is this program's own. */
#include "base/bytes.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/outfile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MB = 1 << 20 };

static struct {
    off_t sent, waited; /* where the last request of each kind ended */
    int fails_with;     /* requests to wait; 0 = they succeed */
} disk;

int sync_file_range(int fd, off_t from, off_t n, unsigned flags) {
    (void)fd;
    if (flags == SYNC_FILE_RANGE_WRITE) {
        assert_int_equal(from, disk.sent);
        disk.sent = from + n;
        return 0;
    }
    assert_int_equal(flags, SYNC_FILE_RANGE_WAIT_BEFORE);
    assert_int_equal(from, disk.waited);
    disk.waited = from + n;
    errno = disk.fails_with;
    return disk.fails_with ? -1 : 0;
}

/* Writes so many megabytes, and 100 bytes more; where that fails, how many bytes were written before is the result. */
static off_t write_file(int megabytes, struct err *err) {
    static uint8_t block[MB];
    char dir[] = "/tmp/t_outfile.XXXXXX", path[64], sum[17];
    struct err ignored = {0};
    struct stat st = {0};
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/file", dir);
    struct outfile *f = outfile_create(path, NULL, err);
    assert_non_null(f);
    int i = 0;
    while (i < megabytes && !outfile_write(f, block, sizeof block, err)) i++;
    if (i == megabytes && !outfile_write(f, block, 100, err) && !outfile_finish(f, sum, err))
        assert_int_equal(stat(path, &st), 0);
    outfile_close(f);
    assert_int_equal(access(path, F_OK), err->code ? -1 : 0); /* half a file is none */
    assert_int_equal(fs_remove_tree(dir, &ignored), 0);
    return err->code ? (off_t)i * MB : st.st_size;
}

static int fresh_disk(void **state) {
    (void)state;
    memset(&disk, 0, sizeof disk);
    return 0;
}

static void all_is_sent_and_little_is_unwritten(void **state) {
    (void)state;
    struct err err = {0};
    assert_int_equal(write_file(100, &err), 100 * (off_t)MB + 100);
    assert_int_equal(disk.sent, 100 * (off_t)MB + 100);
    assert_in_range(disk.waited, 64 * MB, 99 * MB);
}

static void small_files_wait_for_nothing(void **state) {
    (void)state;
    struct err err = {0};
    disk.fails_with = EIO;
    assert_int_equal(write_file(20, &err), 20 * (off_t)MB + 100);
    assert_int_equal(disk.waited, 0);
}

/* The kernel tells such an error once: a later fsync would find none. */
static void errors_of_the_disk_end_the_file(void **state) {
    (void)state;
    static const int errors[] = {EIO, ENOSPC, EDQUOT};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        struct err err = {0};
        fresh_disk(NULL);
        disk.fails_with = errors[i];
        assert_in_range(write_file(100, &err), 16 * MB, 40 * MB);
        assert_int_equal(err.code, errors[i] == EIO ? ERR_OUTPUT : ERR_LIMIT);
        assert_int_equal(err.sys, errors[i]);
        assert_non_null(strstr(err.text, "/file: cannot write"));
    }
}

static void systems_without_it_are_no_error(void **state) {
    (void)state;
    static const int errors[] = {ENOSYS, EINVAL, ESPIPE};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        struct err err = {0};
        fresh_disk(NULL);
        disk.fails_with = errors[i];
        assert_int_equal(write_file(40, &err), 40 * (off_t)MB + 100);
    }
}

/* Tests that a write that did not fit takes nothing. */
static void a_failed_file_gives_back_what_it_took(void **state) {
    (void)state;
    static uint8_t block[MB];
    static const size_t pieces[] = {1000, 100000, MB};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        char path[] = "/tmp/t_outfile.XXXXXX";
        struct err err = {0};
        struct disk_quota q = {.limit_bytes = 3 * MB / 2, .used_bytes = 7};
        fresh_disk(NULL);
        int fd = mkstemp(path);
        assert_true(fd >= 0);
        close(fd);
        unlink(path);
        struct outfile *f = outfile_create(path, &q, &err);
        assert_non_null(f);
        while (!outfile_write(f, block, pieces[i], &err)) assert_in_range(outfile_size(f), 1, 2 * MB);
        assert_int_equal(err.code, ERR_LIMIT);
        outfile_close(f);
        assert_int_equal(q.used_bytes, 7);
    }
}

/* ---- in the background ---- */

/* The other thread takes no task: a buffer is pending when the file is given up. */
static void a_failed_file_is_not_written_on(void **state) {
    (void)state;
    static uint8_t block[200000];
    char path[] = "/tmp/t_outfile.XXXXXX";
    struct err err = {0};
    struct disk_quota q = {0};
    bool done = false;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    unlink(path);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num()) {
        while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) usleep(100);
    } else {
        struct outfile *f = outfile_create(path, &q, &err);
        if (f && !outfile_in_background(f, true, &err))
            for (size_t i = 0; i < 2; i++) (void)outfile_write(f, block + i, sizeof block / 2, &err);
        outfile_close(f);
        __atomic_store_n(&done, true, __ATOMIC_RELEASE);
    }
    assert_int_equal(err.code, ERR_NONE);
    assert_int_equal(q.output_bytes, 0);
    assert_int_equal(q.used_bytes, 0);
    assert_int_equal(access(path, F_OK), -1);
}

enum { MADE_BYTES = 40 * MB };

static uint8_t made[MADE_BYTES];

/* Pieces of all sizes, from a byte to several buffers. */
static int write_pieces(struct outfile *f, struct err *err) {
    uint64_t seed = 7;
    for (size_t at = 0, n; at < sizeof made; at += n) {
        n = 1 + (splitmix_next(&seed) >> 8) % (splitmix_next(&seed) % 50 ? 40000 : 600000);
        if (n > sizeof made - at) n = sizeof made - at;
        if (outfile_write(f, made + at, n, err)) return -1;
    }
    return 0;
}

/* switched: off and on again, as between two sets of slices. */
static int write_in_background(const char *path, bool on, bool switched, char sum[17], struct err *err) {
    struct outfile *f = outfile_create(path, NULL, err);
    int rc = f ? 0 : -1;
    assert_non_null(f);
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        rc = outfile_in_background(f, on, err);
        if (!rc) rc = write_pieces(f, err);
        if (!rc && switched) rc = outfile_in_background(f, false, err) || outfile_in_background(f, on, err) ? -1 : 0;
        if (!rc) rc = outfile_write(f, made, 1000, err);
        if (!rc) rc = outfile_finish(f, sum, err);
        outfile_close(f);
    }
    return rc;
}

static void the_background_writes_the_same_bytes(void **state) {
    (void)state;
    char dir[] = "/tmp/t_outfile.XXXXXX", path[64], sum[2][17], whole[17];
    struct err err = {0};
    uint64_t seed = 1;
    for (size_t i = 0; i + 8 <= sizeof made; i += 8) put_be64(made + i, splitmix_next(&seed));
    assert_non_null(mkdtemp(dir));
    for (unsigned i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/file%u", dir, i);
        fresh_disk(NULL);
        assert_int_equal(write_in_background(path, i > 0, i > 1, sum[i > 0], &err), 0);
        assert_int_equal(file_sum_of(path, whole, &err), 0);
        assert_string_equal(whole, sum[0]);
        assert_string_equal(sum[i > 0], sum[0]);
        assert_int_equal(disk.sent, MADE_BYTES + 1000);
    }
    assert_int_equal(fs_remove_tree(dir, &err), 0);
}

static void errors_of_tasks_end_the_file(void **state) {
    (void)state;
    char dir[] = "/tmp/t_outfile.XXXXXX", path[64], sum[17];
    struct err err = {0}, ignored = {0};
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/file", dir);
    disk.fails_with = EIO;
    assert_int_equal(write_in_background(path, true, false, sum, &err), -1);
    assert_int_equal(err.code, ERR_OUTPUT);
    assert_non_null(strstr(err.text, path));
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(fs_remove_tree(dir, &ignored), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(all_is_sent_and_little_is_unwritten, fresh_disk),
        cmocka_unit_test_setup(small_files_wait_for_nothing, fresh_disk),
        cmocka_unit_test_setup(errors_of_the_disk_end_the_file, fresh_disk),
        cmocka_unit_test_setup(systems_without_it_are_no_error, fresh_disk),
        cmocka_unit_test(a_failed_file_gives_back_what_it_took),
        cmocka_unit_test_setup(a_failed_file_is_not_written_on, fresh_disk),
        cmocka_unit_test_setup(the_background_writes_the_same_bytes, fresh_disk),
        cmocka_unit_test_setup(errors_of_tasks_end_the_file, fresh_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
