/* Finds the end of a JSON value without scanning it: counts brackets and passes strings. So a value can be cut out of a document
 * that does not fit into memory, and any thread can scan it later, which finds every fault. */
#include "formats/text/jline.h"
#include "formats/text/jline_scan.h"

static bool ends_word(uint8_t c) {
    return jline_is_blank(c) || c == ',' || c == ']' || c == '}' || c == '[' || c == '{' || c == ':' || c == '"';
}

/* Returns the place after the string whose quote is at p; NULL: it does not end. */
static const uint8_t *pass_string(const uint8_t *p, const uint8_t *end) {
    for (p++; p < end && *p != '"'; p++)
        if (*p == '\\') p++;
    return p < end ? p + 1 : NULL;
}

size_t jline_extent(const uint8_t *begin, const uint8_t *end, bool at_end) {
    const uint8_t *p = begin;
    size_t depth = 0;
    if (p == end) return 0;
    if (*p != '"' && *p != '{' && *p != '[') {
        do p++;
        while (p < end && !ends_word(*p));
        return p < end || at_end ? (size_t)(p - begin) : 0;
    }
    do {
        if (*p == '"') {
            if (!(p = pass_string(p, end))) return 0;
            continue;
        }
        depth += *p == '{' || *p == '[';
        depth -= *p == '}' || *p == ']';
        p++;
    } while (depth && p < end);
    return depth ? 0 : (size_t)(p - begin);
}
