/* What asking for the partition of a row or cell comes to. */
#ifndef TABLE_PLACE_RESULT_H
#define TABLE_PLACE_RESULT_H

enum place_result {
    PLACE_OK = 0,
    PLACE_HASH_MIN,     /* hash is INT64_MIN: the server refuses the row */
    PLACE_NO_PARTITION, /* at or above the last RANGE bound */
    PLACE_NOT_LISTED,   /* in no LIST partition */
    PLACE_BY_CELL       /* asked for a row, where the partition depends on qualifier or timestamp */
};

#endif
