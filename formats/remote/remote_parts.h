/* Puts a large file on S3 in parts. */
#ifndef FORMATS_REMOTE_REMOTE_PARTS_H
#define FORMATS_REMOTE_REMOTE_PARTS_H

#include "formats/remote/remote_put.h"

/* Sums up the parts of a file as S3 does: the tag that it has there. parts: how many, at least 1; one is sent alone. */
struct remote_parts {
    uint64_t part_bytes;
    size_t n;
    struct remote_body *bodies;
    char tag[64]; /* MD5, or that of the parts' MD5s and their number, without quotes */
};
int remote_parts_sum(struct remote_parts *parts, const struct remote_put *p, uint64_t part_bytes, struct err *err);
void remote_parts_free(struct remote_parts *parts);
/* Sends them. An upload that fails is given up. */
int remote_parts_send(struct remote_client *c, const struct remote_put *p, const struct remote_parts *parts,
                      struct remote_facts *facts, struct err *err);
/* One request for the object; query: NULL, or with its parts in order. body: gets the answer. */
int remote_parts_call(struct remote_client *c, const struct remote_source *s, const char *path, struct remote_call *call,
                      struct err *err);

#endif
