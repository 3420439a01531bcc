/* Recognises archives by their first bytes, and interprets the names of members. A name may be hostile: it becomes a path only
 * after member_name_clean has taken it apart and rebuilt it. */
#include "base/bytes.h"
#include "base/fs.h"
#include "base/text.h"
#include "formats/archive/archive_kind.h"
#include "formats/archive/archive_source.h"

#include <fnmatch.h>

/* ---- names of members ---- */

bool member_name_step(const char **name, struct bytes *step) {
    while (**name == '/') ++*name;
    *step = bytes_of(*name, strcspn(*name, "/"));
    *name += step->n;
    return step->n > 0;
}

int member_name_clean(const char *name, struct buf *out, struct err *err) {
    struct bytes step;
    unsigned steps = 0;
    buf_clear(out);
    while (member_name_step(&name, &step)) {
        if (bytes_eq(step, bytes_str("."))) continue;
        if (bytes_eq(step, bytes_str("..")) || step.n > MEMBER_STEP_BYTES || ++steps > MEMBER_STEPS_MAX) return 0;
        if ((out->n && buf_put_byte(out, '/', err)) || buf_put(out, step.p, step.n, err)) return -1;
        if (out->n > MEMBER_NAME_BYTES) return 0;
    }
    return buf_put_byte(out, 0, err) ? -1 : 1;
}

/* ---- kinds ---- */

enum { TAR_BLOCK_BYTES = 512, TAR_SUM_AT = 148, TAR_SUM_BYTES = 8 };

/* An octal number with blanks before it and a blank or NUL after it; -1: something else. */
static long octal(const uint8_t *p, size_t n) {
    long v = 0;
    size_t i = 0;
    while (i < n && p[i] == ' ') i++;
    if (i == n || p[i] < '0' || p[i] > '7') return -1;
    for (; i < n && p[i] >= '0' && p[i] <= '7'; i++) v = v * 8 + (p[i] - '0');
    return i == n || p[i] == ' ' || p[i] == 0 ? v : -1;
}

/* The checksum of the first header fits (some old writers took bytes as signed). That also finds tars without magic. */
static bool is_tar(struct bytes head) {
    if (head.n < TAR_BLOCK_BYTES || !head.p[0]) return false;
    long want = octal(head.p + TAR_SUM_AT, TAR_SUM_BYTES), sum = 0, signed_sum = 0;
    for (size_t i = 0; i < TAR_BLOCK_BYTES; i++) {
        bool in_sum = i >= TAR_SUM_AT && i < TAR_SUM_AT + TAR_SUM_BYTES;
        sum += in_sum ? ' ' : head.p[i];
        signed_sum += in_sum ? ' ' : (int8_t)head.p[i];
    }
    return want >= 0 && (want == sum || want == signed_sum);
}

/* n digits of base 8 or 16; false: other bytes. */
static bool parse_digits(const uint8_t *p, size_t n, unsigned base, uint64_t *v) {
    *v = 0;
    for (size_t i = 0; i < n; i++) {
        int d = hex_digit(p[i]);
        if (d < 0 || (unsigned)d >= base) return false;
        *v = *v * base + (unsigned)d;
    }
    return true;
}

static bool is_name(struct bytes head, size_t at, uint64_t n) {
    return n >= 2 && n <= 4096 && head.n > at && (head.n - at < n || (!head.p[at + n - 1] && head.p[at]));
}

/* The headers of the ASCII forms hold digits only, as a text may: the NUL after the name must be where they say. */
static bool is_cpio(struct bytes head) {
    enum { ODC_BYTES = 76, ODC_NAME_AT = 59, NEWC_BYTES = 110, NEWC_NAME_AT = 94, BIN_BYTES = 26, BIN_NAME_AT = 20 };
    uint64_t n, all;
    if (head.n < BIN_BYTES) return false;
    if (le32(head.p) % 65536 == 070707) return is_name(head, BIN_BYTES, head.p[BIN_NAME_AT] + 256u * head.p[BIN_NAME_AT + 1]);
    if (head.n > ODC_BYTES && !memcmp(head.p, "070707", 6))
        return parse_digits(head.p, ODC_BYTES, 8, &all) && parse_digits(head.p + ODC_NAME_AT, 6, 8, &n) &&
               is_name(head, ODC_BYTES, n);
    if (head.n > NEWC_BYTES && (!memcmp(head.p, "070701", 6) || !memcmp(head.p, "070702", 6)))
        return parse_digits(head.p, NEWC_BYTES, 16, &all) && parse_digits(head.p + NEWC_NAME_AT, 8, 16, &n) &&
               is_name(head, NEWC_BYTES, n);
    return false;
}

enum archive_kind_code archive_kind(struct bytes head) {
    if (head.n >= 6 && !memcmp(head.p, "7z\xbc\xaf\x27\x1c", 6)) return ARCHIVE_KIND_7Z;
    if (head.n >= 4 && (!memcmp(head.p, "PK\3\4", 4) || !memcmp(head.p, "PK\5\6", 4))) return ARCHIVE_KIND_ZIP;
    return is_tar(head) ? ARCHIVE_KIND_TAR : is_cpio(head) ? ARCHIVE_KIND_CPIO : ARCHIVE_KIND_NONE;
}

const char *archive_kind_name(enum archive_kind_code kind) {
    static const char *const names[] = {"unknown", "tar", "zip", "7z", "cpio"};
    return names[kind];
}

static bool step_is(struct bytes step, const char *text) {
    return bytes_eq(step, bytes_str(text));
}

static bool is_hidden(struct bytes step) {
    return step.n && (step.p[0] == '.' || step.p[0] == '_') && !step_is(step, ".") && !step_is(step, "..");
}

bool archive_name_hidden(const char *name) {
    struct bytes step;
    while (member_name_step(&name, &step))
        if (is_hidden(step)) return true;
    return false;
}

bool archive_name_doubtful(const char *name) {
    static const char *const markers[] = {
        "_SUCCESS",   "_metadata",       "_common_metadata", "_temporary", "_logs",        "_committed_*",  "_started_*",
        "_delta_log", "_spark_metadata", "_impala_insert_*", "_index",     "_masterindex", "_partition.lst"};
    struct bytes step;
    bool doubtful = false;
    while (member_name_step(&name, &step)) {
        char text[MEMBER_STEP_BYTES + 1];
        if (!step.n || step.n > MEMBER_STEP_BYTES) return false;
        memcpy(text, step.p, step.n);
        text[step.n] = 0;
        for (size_t i = 0; i < countof(markers); i++)
            if (!fnmatch(markers[i], text, 0)) return false;
        if (is_hidden(step) && text[0] == '.') return false;
        doubtful |= text[0] == '_';
    }
    return doubtful;
}

int passed_over_add(struct passed_over *p, const char *path, struct err *err) {
    if (p->n++) return 0;
    p->first = fs_printf(err, "%s", path);
    return p->first ? 0 : -1;
}

bool archive_name_of_tree(const char *name) {
    static const char *const known[] = {".hbase-snapshot", ".tabledesc",    ".regioninfo", "data.manifest",
                                        ".snapshotinfo",   "hbase.version", ".filelist"};
    struct bytes step;
    while (member_name_step(&name, &step))
        for (size_t i = 0; i < countof(known); i++)
            if (step_is(step, known[i])) return true;
    return false;
}

/* ---- names that were asked for ---- */

/* Some pattern names what is wanted, rather than what is not. */
static bool says_which(const struct archive_limits *l) {
    unsigned i = 0;
    while (l && i < l->n_names && l->names[i][0] == '!') i++;
    return l && i < l->n_names;
}

static bool fits_one(const char *const *patterns, size_t n, const char *name) {
    const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
    for (size_t i = 0; i < n; i++) {
        const bool from_top = patterns[i][0] == '/';
        if (!fnmatch(patterns[i] + from_top, name, 0) || (!from_top && !fnmatch(patterns[i], last, 0))) return true;
    }
    return false;
}

bool archive_name_wanted(const struct archive_limits *l, const char *name) {
    if (!l) return true;
    bool wanted = !says_which(l);
    for (unsigned i = 0; i < l->n_names; i++) {
        const bool is_not = l->names[i][0] == '!';
        const char *pattern = l->names[i] + is_not;
        if (!fits_one(&pattern, 1, name)) continue;
        if (is_not) return false;
        wanted = true;
    }
    return wanted;
}

bool archive_name_by_file(const struct archive_limits *l, const char *name) {
    static const char *const known[] = {"README", "README.*", "LICENSE", "PKG-INFO", "MD5SUMS", "SHA256SUMS",
                                        "*.crc",  "*.md5",    "*.sha1",  "*.sha256", "*.sha512"};
    return !says_which(l) && fits_one(known, countof(known), name);
}

/* Returns whether a step of the path before the last one is hidden. "__MACOSX", as a copy by macOS has it, does not count. */
static bool is_below_hidden(const char *name) {
    struct bytes step, last = {0};
    while (member_name_step(&name, &step)) {
        if (is_hidden(last) && !step_is(last, "__MACOSX")) return true;
        last = step;
    }
    return false;
}

bool archive_name_leftover(const struct archive_limits *l, const char *name) {
    static const char *const known[] = {"*~",    "*.bak",      "*.part",       "*.partial", "*.tmp", "*.filepart",
                                        "*.swp", "*.download", "*.crdownload", "*.aria2",   "._*",   "*._COPYING_"};
    const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
    return !says_which(l) && fits_one(known, countof(known), last) && !is_below_hidden(name);
}
