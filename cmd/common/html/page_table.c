#include "cmd/common/html/page.h"

void page_table(struct page *p, const char *caption, const char *const *heads, unsigned n) {
    uint32_t id = page_id(p);
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
}

void page_cell(struct page *p, bool number) {
    page_raw(p, number ? "<td class=\"n\">" : "<td>");
}

void page_table_end(struct page *p) {
    page_raw(p, "\n</tbody></table></div></div>\n");
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
