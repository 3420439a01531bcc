#include "hfile/comparator.h"

static const char package[] = "org.apache.hadoop.hbase.";

static const struct {
    const char *name; /* behind the package */
    enum comparator_kind kind;
} names[] = {
    {"KeyValue$KVComparator", COMPARATOR_CELLS},
    {"KeyValue$KeyComparator", COMPARATOR_CELLS},
    {"CellComparator", COMPARATOR_CELLS},
    {"CellComparatorImpl", COMPARATOR_CELLS},
    {"InnerStoreCellComparator", COMPARATOR_CELLS},
    {"KeyValue$MetaComparator", COMPARATOR_META},
    {"KeyValue$MetaKeyComparator", COMPARATOR_META},
    {"CellComparator$MetaCellComparator", COMPARATOR_META},
    {"CellComparatorImpl$MetaCellComparator", COMPARATOR_META},
    {"MetaCellComparator", COMPARATOR_META},
    {"KeyValue$RootComparator", COMPARATOR_META},
    {"KeyValue$RootKeyComparator", COMPARATOR_META},
    {"KeyValue$RawBytesComparator", COMPARATOR_RAW},
    {"util.Bytes$ByteArrayComparator", COMPARATOR_RAW},
};

enum comparator_kind comparator_by_name(struct bytes name) {
    size_t n = sizeof package - 1;
    if (name.n < n || memcmp(name.p, package, n) != 0) return COMPARATOR_UNKNOWN;
    struct bytes rest = bytes_of(name.p + n, name.n - n);
    for (size_t i = 0; i < countof(names); i++)
        if (bytes_eq(bytes_str(names[i].name), rest)) return names[i].kind;
    return COMPARATOR_UNKNOWN;
}
