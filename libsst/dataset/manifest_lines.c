#include "dataset/manifest_lines.h"

#include <string.h>

/* Text never holds a raw end of line within a string, and only the outermost object is indented by one. */
static const char inputs_head[] = ",\n \"inputs\": [", files_head[] = "],\n \"files\": [", files_tail[] = "]";

static const uint8_t *find(struct bytes in, const char *what) {
    return memmem(in.p, in.n, what, strlen(what));
}

static struct bytes between(const uint8_t *from, const uint8_t *to) {
    return bytes_of(from, (size_t)(to - from));
}

bool manifest_lines_cut(struct bytes text, size_t seal_bytes, struct manifest_lines *out) {
    if (text.n < seal_bytes + sizeof files_tail - 1) return false;
    const uint8_t *end = text.p + text.n - seal_bytes - (sizeof files_tail - 1);
    const uint8_t *inputs = find(text, inputs_head), *files = find(text, files_head);
    if (!inputs || !files || files < inputs || files + sizeof files_head - 1 > end) return false;
    if (memcmp(end, files_tail, sizeof files_tail - 1)) return false;
    out->head = between(text.p, inputs);
    out->inputs = between(inputs + sizeof inputs_head - 1, files);
    out->files = between(files + sizeof files_head - 1, end);
    return true;
}

size_t manifest_lines_count(struct bytes list) {
    struct bytes entry;
    size_t n = 0;
    while (manifest_lines_next(&list, &entry)) n++;
    return n;
}

bool manifest_lines_next(struct bytes *list, struct bytes *entry) {
    while (list->n && (*list->p == '\n' || *list->p == ' ' || *list->p == ',')) *list = bytes_of(list->p + 1, list->n - 1);
    if (!list->n) return false;
    const uint8_t *end = memchr(list->p, '\n', list->n);
    size_t n = end ? (size_t)(end - list->p) : list->n;
    *entry = bytes_of(list->p, n && list->p[n - 1] == ',' ? n - 1 : n);
    *list = bytes_of(list->p + n, list->n - n);
    return true;
}
