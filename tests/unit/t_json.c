/* Members of JSON objects by their types in C, and places in a text. */
#include "base/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void members(void **state) {
    struct err err = {0};
    const char *text = "t";
    const bool yes = true;
    json_t *list = json_pack("[i]", 7);
    (void)state;
    json_t *j = json_new(JSON("most", UINT64_MAX >> 1), JSON("small", (uint8_t)200), JSON("less", -1), JSON("share", 0.5),
                         JSON("yes", yes), JSON("text", text), JSON("literal", "l"), JSON("list", list));
    assert_ptr_equal(json_put(j, JSON("small", (uint16_t)300), JSON("none", json_null())), j);
    char *made = json_memory_dump(j, JSON_COMPACT, "a test", &err);
    assert_string_equal(made, "{\"most\":9223372036854775807,\"small\":300,\"less\":-1,\"share\":0.5,\"yes\":true,\"text\":\"t\","
                              "\"literal\":\"l\",\"list\":[7],\"none\":null}");
    free(made);
}

static void places(void **state) {
    struct err err = {0};
    struct buf out = {0};
    const struct json_place root = {0}, cells = json_place_key(&root, "cells"), second = json_place_item(&cells, 1),
                            odd = json_place_key(&second, "a b");
    (void)state;
    assert_int_equal(json_place_print(&odd, &out, &err), 0);
    assert_true(bytes_eq(buf_bytes(&out), bytes_str("$.cells[1][\"a b\"]")));
    assert_int_equal(json_place_line(bytes_str("{\"cells\":\n [1,\n {\"a b\": 2}]}"), &odd), 3);
    buf_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(members), cmocka_unit_test(places)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
