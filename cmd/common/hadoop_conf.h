/* Servers by core-site.xml and hdfs-site.xml of $HADOOP_CONF_DIR, as Hadoop's own programs know them. */
#ifndef CMD_COMMON_HADOOP_CONF_H
#define CMD_COMMON_HADOOP_CONF_H

#include "base/err.h"
#include "cmd/common/property_list.h"
#include "formats/remote/remote_servers.h"

/* Zero-initialise. */
struct hadoop_conf {
    struct property_list list;
    struct remote_service *services; /* own their strings */
    size_t n;
    char *default_host; /* of fs.defaultFS, where that is HDFS; NULL: none */
    char *s3_endpoint;  /* with its scheme; NULL: none */
};

/* Reads the directory that HADOOP_CONF_DIR names, if it does: ERR_USAGE where that is none. */
int hadoop_conf_read(struct hadoop_conf *c, struct err *err);
/* Takes the servers from c->list, whose variables may be those of the environment. */
int hadoop_conf_take(struct hadoop_conf *c, const char *(*env)(const char *name), struct err *err);
/* Fills in what is not yet given. Strings are borrowed from c. */
void hadoop_conf_apply(const struct hadoop_conf *c, struct remote_opts *to);
void hadoop_conf_free(struct hadoop_conf *c);

#endif
