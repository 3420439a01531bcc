/* Names of comparators, exactly as HBase has spelled them. */
#include "hfile/hfile_metadata.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void names(void **state) {
    (void)state;
#define HBASE "org.apache.hadoop.hbase."
    static const struct {
        const char *name;
        enum comparator_kind kind;
    } all[] = {
        {HBASE "KeyValue$KVComparator", COMPARATOR_CELLS},
        {HBASE "KeyValue$KeyComparator", COMPARATOR_CELLS},
        {COMPARATOR_CELLS_NAME, COMPARATOR_CELLS},
        {HBASE "InnerStoreCellComparator", COMPARATOR_CELLS},
        {HBASE "CellComparatorImpl$MetaCellComparator", COMPARATOR_META},
        {HBASE "KeyValue$RootKeyComparator", COMPARATOR_META},
        {HBASE "KeyValue$RawBytesComparator", COMPARATOR_RAW},
        {HBASE "util.Bytes$ByteArrayComparator", COMPARATOR_RAW},
        {HBASE "KeyValue$KVComparator2", COMPARATOR_UNKNOWN},
        {HBASE "KeyValue$KVComparato", COMPARATOR_UNKNOWN},
        {"KeyValue$KVComparator", COMPARATOR_UNKNOWN},
        {HBASE, COMPARATOR_UNKNOWN},
        {"", COMPARATOR_UNKNOWN},
    };
    for (size_t i = 0; i < countof(all); i++) assert_int_equal(comparator_by_name(bytes_str(all[i].name)), all[i].kind);
    assert_int_equal(comparator_by_name(bytes_of(COMPARATOR_CELLS_NAME, sizeof COMPARATOR_CELLS_NAME)), COMPARATOR_UNKNOWN);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
