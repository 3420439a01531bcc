#include "formats/archive/archive_limits.h"

void archive_use_begin(struct archive_use *u, const struct archive_limits *limits, const char *path) {
    *u = (struct archive_use){.path = path};
    if (limits) u->limits = *limits;
    if (!u->limits.members) u->limits.members = ARCHIVE_MEMBERS_DEFAULT;
    if (!u->limits.bytes) u->limits.bytes = ARCHIVE_BYTES_DEFAULT;
    if (!u->limits.ratio) u->limits.ratio = ARCHIVE_RATIO_DEFAULT;
}

int archive_use_member(struct archive_use *u, struct err *err) {
    if (u->members++ < u->limits.members) return 0;
    return err_set(err, ERR_LIMIT, "%s: has more than %llu members: raise --archive-max-members if that is right", u->path,
                   (unsigned long long)u->limits.members);
}

int archive_use_bytes(struct archive_use *u, uint64_t unpacked, struct err *err) {
    u->unpacked_bytes += unpacked;
    if (u->unpacked_bytes > u->limits.bytes)
        return err_set(err, ERR_LIMIT, "%s: unpacks to more than %llu bytes: raise --archive-max-bytes if that is right", u->path,
                       (unsigned long long)u->limits.bytes);
    if (u->unpacked_bytes <= ARCHIVE_RATIO_FLOOR_BYTES || u->unpacked_bytes / u->limits.ratio <= u->packed_bytes) return 0;
    return err_set(
        err, ERR_LIMIT,
        "%s: %llu bytes of it unpacked to %llu, more than %llu times as many: a bomb? raise --archive-max-ratio if that "
        "is right",
        u->path, (unsigned long long)u->packed_bytes, (unsigned long long)u->unpacked_bytes, (unsigned long long)u->limits.ratio);
}
