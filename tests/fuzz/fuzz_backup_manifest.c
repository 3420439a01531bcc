/* Any bytes as the manifest of a backup image; and what a chain of images makes of it, without any image on disk. */
#include "formats/hbase/backup_images.h"
#include "fuzz.h"

static bool is_path_part(const char *name) {
    return name && name[0] && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static void check_image(const struct backup_image *b) {
    require(is_path_part(b->id) && b->start_ms >= 0 && b->complete_ms >= 0);
    for (size_t i = 0; i < b->n_tables; i++) {
        require(is_path_part(b->tables[i].ns) && is_path_part(b->tables[i].name));
        require(backup_image_has(b, b->tables[i].ns, b->tables[i].name));
    }
}

/* Asks for the chain of an image in a root that does not exist: all images are missing. */
static void check_chain(struct backup_image *b, const struct backup_table *t) {
    char root[] = "/nowhere";
    const struct backup_images all = {.root = root, .images = b, .n = 1};
    struct backup_chain c;
    struct err err = {0};
    require(backup_chain_make(&all, b, t->ns, t->name, &c, &err) == -1);
    require((err.code == ERR_INPUT || err.code == ERR_USAGE) && err.text[0] && c.n <= b->n_ancestors + 1);
    backup_chain_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct backup_image b;
    struct err err = {0};
    if (backup_image_parse(bytes_of(data, size), &b, &err)) {
        require(err.code == ERR_INPUT && err.text[0] && !b.id && !b.tables && !b.ancestors);
        return 0;
    }
    check_image(&b);
    for (size_t i = 0; i < b.n_ancestors; i++) {
        check_image(&b.ancestors[i]);
        require(!b.ancestors[i].n_ancestors);
    }
    for (size_t i = 0; i < b.n_tables && i < 4; i++) check_chain(&b, &b.tables[i]);
    backup_image_free(&b);
    return 0;
}
