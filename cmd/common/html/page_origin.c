#include "cmd/common/html/page_origin.h"

#include "cmd/common/html/command_line.h"
#include "cmd/common/output_text.h"
#include "cmd/common/options.h"

#include <stdio.h>

/* "" where there is an error; it is the page's. */
static const char *read_command(struct buf *command, struct page *p) {
    return p->err.code || command_line_read(command, &p->err) ? "" : (const char *)command->p;
}

void page_origin_command(struct page *p) {
    struct buf command = {0};
    page_text(p, read_command(&command, p));
    buf_free(&command);
}

void page_origin_tool(const struct page_origin *o, char out[64]) {
    snprintf(out, 64, "%s %s", o->tool, obkv_version);
}

void page_origin_begin(const struct page_origin *o, struct page *p) {
    struct buf command = {0};
    char tool[64];
    page_origin_tool(o, tool);
    page_settings(p, read_command(&command, p));
    page_setting(p, "program", tool);
    buf_free(&command);
}

void page_origin_end(const struct page_origin *o, struct page *p) {
    char made[48];
    moment_text(o->now_ms, true, made);
    page_setting(p, "made at", made);
    page_settings_end(p);
}
