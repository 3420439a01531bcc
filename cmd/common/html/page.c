/* One self-contained page of HTML: text and bytes escaped, sections, tables, tiles, and figures that carry the path under which
 * the JSON document has them. No script and nothing fetched; the style is in page_style.c. The first error sticks. */
#include "cmd/common/html/page.h"

#include "base/fs.h"
#include "base/json.h"

#include <stdarg.h>
#include <stdio.h>

enum { SHOWN_BYTES = 64 };

/* ---- text ---- */

static void put_bytes(struct page *p, const char *text, size_t n) {
    if (!p->err.code) (void)buf_put(&p->out, text, n, &p->err);
}

void page_raw(struct page *p, const char *fmt, ...) {
    va_list ap, again;
    if (p->err.code) return;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n >= 0 && !buf_reserve(&p->out, (size_t)n + 1, &p->err)) {
        vsnprintf((char *)p->out.p + p->out.n, (size_t)n + 1, fmt, again);
        p->out.n += (size_t)n;
    }
    va_end(again);
}

static void put_byte(struct page *p, uint8_t b) {
    switch (b) {
    case '&': put_bytes(p, "&amp;", 5); return;
    case '<': put_bytes(p, "&lt;", 4); return;
    case '>': put_bytes(p, "&gt;", 4); return;
    case '"': put_bytes(p, "&quot;", 6); return;
    case '\'': put_bytes(p, "&#39;", 5); return;
    default: break;
    }
    if (b < 0x20 || b >= 0x7f)
        page_raw(p, "\\x%02X", b);
    else
        put_bytes(p, (const char *)&b, 1);
}

/* Length of the UTF-8 sequence at s; 0: none, or one that controls how text is shown. */
static size_t sequence(const uint8_t *s) {
    size_t n = s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if (n == 2) return s[0] == 0xc2 && s[1] < 0xa0 ? 0 : 2;
    unsigned code = n ? (s[0] & (n == 3 ? 15u : 7u)) : 0;
    for (size_t i = 1; i < n; i++) code = code << 6 | (s[i] & 0x3f);
    bool bad = n == 3 ? code < 0x800 || (code >= 0xd800 && code < 0xe000) : code < 0x10000 || code > 0x10ffff;
    bool directs = (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f);
    return n && !bad && !directs && code != 0xfeff ? n : 0;
}

void page_text(struct page *p, const char *text) {
    for (const uint8_t *s = (const uint8_t *)text; *s;) {
        size_t n = *s < 0x80 ? 0 : sequence(s);
        if (n)
            put_bytes(p, (const char *)s, n);
        else
            put_byte(p, *s);
        s += n ? n : 1;
    }
}

void page_bytes(struct page *p, struct bytes b) {
    for (size_t i = 0; i < b.n && i < SHOWN_BYTES; i++) {
        if (b.p[i] == '\\')
            put_bytes(p, "\\x5C", 4);
        else
            put_byte(p, b.p[i]);
    }
    if (b.n > SHOWN_BYTES) page_raw(p, "… (%zu bytes)", b.n);
}

uint32_t page_id(struct page *p) {
    return ++p->n_ids;
}

/* ---- structure ---- */

void page_open(struct page *p, const struct page_head *h) {
    *p = (struct page){0};
    page_raw(p, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    page_raw(p, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src "
                "data:\">\n");
    page_raw(p, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
                "<link rel=\"icon\" href=\"data:,\">\n<title>");
    page_text(p, h->title);
    page_raw(p, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<header>\n<h1>", page_style);
    page_text(p, h->title);
    page_raw(p, "</h1>\n<p class=\"sub\">");
    page_text(p, h->subtitle);
    page_raw(p, "</p>\n</header>\n<main>\n");
}

/* Returns the length of the unit at s, after a number and a blank, that belongs to the number: 0 = there is none. */
static size_t unit_length(const char *s, size_t n) {
    static const char *const units[] = {"%", "B", "KiB", "MiB", "GiB", "TiB", "PiB", "ms", "s", "min", "h", "d", "×"};
    for (size_t i = 0; i < countof(units); i++) {
        size_t k = strlen(units[i]);
        if (k > n || memcmp(s, units[i], k) != 0) continue;
        if (k == n || !((s[k] >= 'a' && s[k] <= 'z') || (s[k] >= 'A' && s[k] <= 'Z'))) return k;
    }
    return 0;
}

/* The state in the middle of the document. */
struct passing {
    bool tag, exact; /* exact: text to be copied, where blanks stay as they are */
    bool apart;      /* text that is no content of the page, and may have no elements in it */
};

static void pass_tag(struct passing *in, const char *s) {
    static const char *const exact[] = {"<code", "</code"}, *const apart[] = {"<style",  "</style", "<title",
                                                                              "</title", "<desc",   "</desc"};
    in->tag = true;
    for (size_t i = 0; i < countof(exact); i++)
        if (!strncmp(s, exact[i], strlen(exact[i]))) in->exact = i % 2 == 0;
    for (size_t i = 0; i < countof(apart); i++)
        if (!strncmp(s, apart[i], strlen(apart[i]))) in->apart = i % 2 == 0;
}

/* An option, such as --codec or -o, that begins at s; 0: none does. before: what is there in front of it. */
static size_t option_length(char before, const char *s, size_t n) {
    enum { LONGEST = 32 };
    size_t dashes = 0, k;
    while (dashes < n && s[dashes] == '-') dashes++;
    for (k = dashes; k < n && ((s[k] >= 'a' && s[k] <= 'z') || (s[k] >= '0' && s[k] <= '9') || (dashes == 2 && s[k] == '-'));)
        k++;
    bool begins = before == ' ' || before == '(' || before == '>';
    return begins && k > dashes && k <= LONGEST && (dashes == 2 || (dashes == 1 && k == 2)) ? k : 0;
}

/* A line never ends between a number and its unit, unless that is text to be copied, nor after the dashes of an option. */
static void keep_together(struct page *p) {
    static const char gap[] = "\xc2\xa0";
    struct buf out = {0};
    const char *s = (const char *)p->out.p;
    const size_t n = p->out.n;
    struct passing in = {0};
    for (size_t i = 0; i < n && !p->err.code; i++) {
        if (s[i] == '<') pass_tag(&in, s + i);
        bool text = !in.tag && !in.apart && i;
        size_t option = text && s[i] == '-' ? option_length(s[i - 1], s + i, n - i) : 0;
        bool inside = text && !in.exact && s[i] == ' ' && s[i - 1] >= '0' && s[i - 1] <= '9';
        if (s[i] == '>') in.tag = false;
        if (option) {
            (void)buf_printf(&out, &p->err, "<span class=\"o\">%.*s</span>", (int)option, s + i);
            i += option - 1;
        } else if (inside && unit_length(s + i + 1, n - i - 1)) {
            (void)buf_put(&out, gap, 2, &p->err);
        } else {
            (void)buf_put_byte(&out, (uint8_t)s[i], &p->err);
        }
    }
    buf_free(&p->out);
    p->out = out;
}

int page_close(struct page *p, struct err *err) {
    page_raw(p, "</main>\n</body>\n</html>\n");
    if (!p->err.code) keep_together(p);
    err_keep(err, &p->err);
    return p->err.code ? -1 : 0;
}

void page_free(struct page *p) {
    buf_free(&p->out);
}

void page_section(struct page *p, const char *id, const char *title, const char *lead) {
    page_raw(p, "<section aria-labelledby=\"%s\">\n<h2 id=\"%s\">", id, id);
    page_text(p, title);
    page_raw(p, "</h2>\n");
    if (!lead) return;
    page_raw(p, "<p>");
    page_text(p, lead);
    page_raw(p, "</p>\n");
}

void page_section_end(struct page *p) {
    page_raw(p, "</section>\n");
}

void page_details(struct page *p, const char *summary) {
    page_raw(p, "<details>\n<summary>");
    page_text(p, summary);
    page_raw(p, "</summary>\n");
    p->folded = true;
}

void page_details_end(struct page *p) {
    page_raw(p, "</details>\n");
    p->folded = false;
}

void page_figure(struct page *p, const struct page_figure *f) {
    if (f->is_whole)
        page_raw(p, "<data value=\"%llu\"", (unsigned long long)f->whole);
    else
        page_raw(p, "<data value=\"%.17g\"", f->value);
    if (f->figure) page_raw(p, " data-figure=\"%s\"", f->figure);
    page_raw(p, ">");
    page_text(p, f->shown);
    page_raw(p, "</data>");
}

/* ---- saving ---- */

int page_save(const struct page *p, const char *path, struct err *err) {
    return json_memory_check(err) ? -1 : fs_replace_file(path, buf_bytes(&p->out), err);
}

int page_finish(struct page *p, const char *path, struct err *err) {
    int rc = page_close(p, err);
    if (!rc) rc = page_save(p, path, err);
    page_free(p);
    return rc;
}

void page_table(struct page *p, const char *caption, const char *const *heads, unsigned n) {
    uint32_t id = page_id(p);
    p->n_rows = 0;
    page_raw(p, "<div class=\"t\"><p class=\"cap\" id=\"c%u\">", id);
    page_text(p, caption);
    page_raw(
        p, "</p>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-labelledby=\"c%u\"><table aria-labelledby=\"c%u\">\n",
        id, id);
    page_raw(p, "<thead><tr>");
    for (unsigned i = 0; i < n; i++) {
        bool number = heads[i][0] == '#';
        page_raw(p, "<th scope=\"col\"%s>", number ? " class=\"n\"" : "");
        page_text(p, heads[i] + number);
        page_raw(p, "</th>");
    }
    page_raw(p, "</tr></thead>\n<tbody>");
}

/* End tags of rows and cells may be left out in HTML. */
void page_row(struct page *p) {
    page_raw(p, "\n<tr>");
    p->n_rows++;
}

void page_cell(struct page *p, bool number) {
    page_raw(p, number ? "<td class=\"n\">" : "<td>");
}

void page_key_cell(struct page *p, struct bytes key) {
    page_raw(p, "<td class=\"w\"><code>");
    page_bytes(p, key);
    page_raw(p, "</code>");
}

void page_table_end(struct page *p) {
    page_raw(p, "\n</tbody></table></div>");
    if (!p->folded && p->n_rows > PAGE_ROWS_SHOWN)
        page_raw(p, "<label class=\"all\"><input type=\"checkbox\"> all %u rows</label>", p->n_rows);
    page_raw(p, "</div>\n");
}

void page_copy(struct page *p, const char *text) {
    page_raw(p, "<pre class=\"copy\"><code>");
    for (const char *end; *text; text = end + (*end == '\n')) { /* page_text would escape the ends of lines */
        char line[1024];
        end = text + strcspn(text, "\n");
        for (const char *at = text; at < end; at += strlen(line)) {
            size_t n = (size_t)(end - at) < sizeof line - 1 ? (size_t)(end - at) : sizeof line - 1;
            memcpy(line, at, n);
            line[n] = 0;
            page_text(p, line);
        }
        page_raw(p, "\n");
    }
    page_raw(p, "</code></pre>\n");
}

void page_settings(struct page *p, const char *command) {
    static const char *const heads[] = {"setting", "value"};
    page_section(p, "settings", "How this page was made", NULL);
    page_raw(p, "<pre><code>");
    page_text(p, command);
    page_raw(p, "</code></pre>\n");
    page_table(p, "Settings", heads, 2);
}

void page_setting(struct page *p, const char *name, const char *value) {
    page_row(p);
    page_raw(p, "<th scope=\"row\">%s</th>", name);
    page_cell(p, false);
    page_raw(p, "<code>");
    page_text(p, value);
    page_raw(p, "</code>");
}

void page_settings_end(struct page *p) {
    page_table_end(p);
    page_section_end(p);
}

enum { PATH_BYTES = 96 };

void figure_whole(struct page *p, uint64_t n, page_number_text *number, const char *fmt, ...) {
    char path[PATH_BYTES], text[32];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(path, sizeof path, fmt, ap);
    va_end(ap);
    page_figure(p, &(struct page_figure){.figure = path, .shown = number(n, text), .whole = n, .is_whole = true});
}

void figure_real(struct page *p, double value, int digits, const char *fmt, ...) {
    char path[PATH_BYTES], text[48];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(path, sizeof path, fmt, ap);
    va_end(ap);
    snprintf(text, sizeof text, "%.*f", digits, value);
    page_figure(p, &(struct page_figure){.figure = path, .shown = text, .value = value});
}

void figure_share(struct page *p, double share, const char *fmt, ...) {
    char path[PATH_BYTES], text[48];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(path, sizeof path, fmt, ap);
    va_end(ap);
    snprintf(text, sizeof text, "%.1f %%", 100 * share);
    page_figure(p, &(struct page_figure){.figure = path, .shown = text, .value = share});
}

void tile_open(struct page *p, const char *name) {
    page_raw(p, "<div class=\"tile\"><dt>%s</dt><dd>", name);
}

void tile_close(struct page *p) {
    page_raw(p, "</dd></div>\n");
}

void tile_whole(struct page *p, const char *name, uint64_t n, page_number_text *number, const char *path) {
    tile_open(p, name);
    figure_whole(p, n, number, "%s", path);
    tile_close(p);
}
