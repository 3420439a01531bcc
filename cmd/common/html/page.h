/* Writes one self-contained page of HTML: no script, nothing that is fetched, light and dark, for paper and phones.
 *
 *   page_open -> { page_section … page_section_end } … -> page_close -> page_save
 *
 * A page notes its first error and then does nothing: only page_close returns it. Whatever comes from data goes through
 * page_text or page_bytes, which escape; page_raw is for our own markup. */
#ifndef HTML_PAGE_H
#define HTML_PAGE_H

#include "base/buf.h"

#include <jansson.h>

struct page {
    struct buf out;
    struct err err;
    uint32_t n_ids;  /* for labels that other elements name */
    uint32_t n_rows; /* of the table that is open */
    bool folded;     /* within page_details */
};

struct page_head {
    const char *title, *subtitle;
};

void page_open(struct page *p, const struct page_head *h);
/* Ends the page. 0, or -1 with the first error of all that was done. */
int page_close(struct page *p, struct err *err);
void page_free(struct page *p);
/* Writes the page under a temporary name first; what has that name is replaced. */
int page_save(const struct page *p, const char *path, struct err *err);
/* page_close, page_save and page_free. */
int page_finish(struct page *p, const char *path, struct err *err);

void page_raw(struct page *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Text; bytes that are no UTF-8 or control something become \xNN. */
void page_text(struct page *p, const char *text);
/* Bytes of any kind: printable ASCII as it is, the rest as \xNN; at most 64 of them, then "…". */
void page_bytes(struct page *p, struct bytes b);
uint32_t page_id(struct page *p); /* a fresh number */

/* ---- figures ---- */
/* A number as people read it; figure names it as the JSON document does ("spread.rows.gini", "partitions.7.rows"),
 * and value is the one there. */
struct page_figure {
    const char *figure; /* NULL: none of them */
    const char *shown;
    double value;
    uint64_t whole; /* where value is a whole number: all its digits */
    bool is_whole;
};
void page_figure(struct page *p, const struct page_figure *f);

/* Prints a whole number as it is shown: "1,234" or "1.2 MiB". */
typedef const char *page_number_text(uint64_t n, char out[32]);

/* ---- structure ---- */
/* lead may be NULL. id is its anchor. */
void page_section(struct page *p, const char *id, const char *title, const char *lead);
void page_section_end(struct page *p);
/* Begins a part that is folded away on screen. */
void page_details(struct page *p, const char *summary);
void page_details_end(struct page *p);

/* ---- tables ---- */
/* Heads that begin with '#' are those of numbers, which are aligned right. Cells: page_cell, then what is in it. A table that is
 * not folded away shows its first PAGE_ROWS_SHOWN rows, and a box to tick shows all. */
enum { PAGE_ROWS_SHOWN = 10 };
void page_table(struct page *p, const char *caption, const char *const *heads, unsigned n);
void page_row(struct page *p);
void page_cell(struct page *p, bool number);
void page_key_cell(struct page *p, struct bytes key); /* a row key, in a cell that may wrap */
void page_table_end(struct page *p);

/* Text to be copied, selected by one click: a command, a statement. */
void page_copy(struct page *p, const char *text);

/* ---- what to do next: the table as SQL, and commands, in a section between begin and end ---- */

/* ---- how the page was made ---- */
/* The last section: the command, then a table of settings, one page_setting each. */
void page_settings(struct page *p, const char *command);
void page_setting(struct page *p, const char *name, const char *value);
void page_settings_end(struct page *p);

extern const char page_style[];

/* Figures of pages that a JSON document contains as well: fmt gives the path in it. */

void figure_whole(struct page *p, uint64_t n, page_number_text *number, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void figure_real(struct page *p, double value, int digits, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Shown in percent. */
void figure_share(struct page *p, double share, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* ---- tiles: the few figures at the top of a page ---- */
void tile_open(struct page *p, const char *name);
void tile_close(struct page *p);
/* A tile with one figure. */
void tile_whole(struct page *p, const char *name, uint64_t n, page_number_text *number, const char *path);

#endif
