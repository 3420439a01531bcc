/* libFuzzer target: any bytes as a file of --config, for a program without commands and for one command of another. What is kept
 * must be names and lines that stand there; sections of others must not show. */
#include "fuzz.h"

#include "cmd/common/opt_config.h"

#include <string.h>

static size_t run(struct bytes text, const char *program, const char *command) {
    struct opt_config c = {0};
    struct err err = {0};
    int rc = opt_config_parse(&c, "fuzz", text, program, command, &err);
    unsigned lines = 1;
    for (size_t i = 0; i < text.n; i++) lines += text.p[i] == '\n';
    require(rc ? err.code == ERR_USAGE && !strncmp(err.text, "fuzz:", 5) : !err.code);
    for (size_t i = 0; i < c.n; i++) {
        const struct opt_setting *s = &c.items[i];
        require(s->line >= 1 && s->line <= lines && (!i || c.items[i - 1].line < s->line));
        require(s->name[0] && strspn(s->name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(s->name) && s->name[0] != '-');
        require(memmem(text.p, text.n, s->name, strlen(s->name)) != NULL);
        require(!s->value || !s->value[0] || memmem(text.p, text.n, s->value, strlen(s->value)) != NULL);
    }
    size_t n = rc ? 0 : c.n;
    opt_config_free(&c);
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct bytes text = {data, size};
    size_t none = run(text, "obkv-nothing", NULL);
    require(run(text, "obkv-import", NULL) >= none);
    size_t tool = run(text, "obkv-verify", NULL), command = run(text, "obkv-verify", "diff");
    require(tool >= none && command >= tool);
    return 0;
}
