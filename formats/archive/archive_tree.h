/* Unpacks what HBase left on disk from an archive: a snapshot tree, a table directory, a whole root. Two passes unpack no more of
 * it than is read: first the small files, from which formats/hbase determines which store files are needed, then those.
 *
 * archive_tree_open -> (store_files_read of archive_tree_dir) -> archive_tree_fetch -> (reading)
 * -> archive_tree_close */
#ifndef FORMATS_ARCHIVE_ARCHIVE_TREE_H
#define FORMATS_ARCHIVE_ARCHIVE_TREE_H

#include <stddef.h>

struct archive_limits;
struct disk_quota;
struct path_names;
struct stop;

struct archive_tree_opts {
    const char *temp_dir; /* holds a new directory for the small files and placeholders */
    struct disk_quota *quota;
    const struct archive_limits *limits; /* NULL: defaults */
    size_t unpack_bytes;
    const struct stop *stop;
    struct path_names
        *names; /* what is unpacked is called ARCHIVE!member in messages and reports from now on; NULL: not needed */
};

#endif
