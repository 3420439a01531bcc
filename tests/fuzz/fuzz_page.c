/* libFuzzer target: any bytes as results of --json for `obkv-verify page`: what is put into the page cannot end its element, and
 * is a list of JSON objects. */
#include "cmd/common/page.h"
#include "fuzz.h"

#include <jansson.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct page page = {0};
    struct err err = {0};
    int rc = page_add_results(&page, "<fuzz>", bytes_of(data, size), &err);
    require(rc ? err.code == ERR_INPUT && !strncmp(err.text, "<fuzz>:", 7) : !err.code && page.results.n);
    for (size_t i = 0; i < page.results.n; i++) require(!strchr("<>&", page.results.p[i]));
    struct buf list = {0};
    require(!buf_printf(&list, &err, "[") && !buf_put(&list, page.results.p, page.results.n, &err) &&
            !buf_printf(&list, &err, "]"));
    json_t *all = json_loadb((const char *)list.p, list.n, 0, NULL), *one;
    size_t i;
    require(json_is_array(all));
    json_array_foreach(all, i, one) require(json_is_object(one));
    json_decref(all);
    buf_free(&list);
    page_free(&page);
    return 0;
}
