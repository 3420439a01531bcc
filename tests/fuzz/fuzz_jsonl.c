/* libFuzzer target: any bytes as JSON, in lines or documents, by a mapping or as the cells that obkv-export writes. Chunks of any
 * size must lead to the same records. The first byte chooses the mapping, the second the chunk size, the rest is the input. */
#include "formats/mapping/mapping_parse.h"
#include "fuzz.h"

#include "formats/mapping/mapping.h"
#include "text_emit.h"

static const char *const mappings[] = {
    "{\"row\": \"id\", \"timestamp\": \"$.t\", \"cells\": {\"f:{$.q}\": \"$.user.address[0].city\", \"g:n\": \"$.n[1]\"}}",
    "{\"row\": \"id\", \"cells\": {\"f:all\": \"$\"}}",
    "{\"row\": \"$['a b'] + $.x[0][1]\", \"ttl\": \"$.ttl\", \"cells\": {\"f:o\": {\"value\": \"$.o\", \"type\": \"$.op\"}}}",
    "{\"format\": \"jsonl\", \"row\": \"$[0]\", \"cells\": {\"f:a\": \"upper($[1])\", \"f:b\": \"number($[2])\"}}",
    "{\"rows\": \"$.data\", \"row\": \"id\", \"cells\": {\"f:n\": \"n\"}}",
    "{\"row\": \"id\", \"cells\": [{\"each\": \"$.l\", \"column\": \"f:{item}\", \"value\": \"item.s\"}]}",
    "{\"row\": \"id\", \"cells\": [{\"each\": \"m\", \"column\": \"g:{item.k}\", \"value\": \"item\"}]}"};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    const struct mapping_defaults d = {0};
    struct err err = {0};
    struct shape_set shapes = {0};
    struct text_emit whole;
    unsigned which = data[0] % (countof(mappings) + 1);
    struct mapping *m = which ? mapping_parse("m", bytes_str(mappings[which - 1]), &d, &err) : NULL;
    require(!err.code);
    struct read_opts o = text_emit_mapped(m, &shapes);
    struct bytes content = {data + 2, size - 2};
    text_emit_by_chunks(&whole, "jsonl", content, &o, 1 + data[1] % 80);
    buf_free(&whole.text);
    shape_set_free(&shapes);
    mapping_free(m);
    return 0;
}
