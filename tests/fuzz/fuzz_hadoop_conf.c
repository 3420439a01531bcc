/* libFuzzer target: any bytes as core-site.xml and hdfs-site.xml in one, and the servers that follow from it: each name service
 * can be reached by hdfs://NAME/path. */
#include "cmd/common/hadoop_conf.h"
#include "cmd/common/site_file.h"
#include "formats/remote/remote_address.h"
#include "formats/remote/remote_source.h"
#include "fuzz.h"

#include <stdio.h>
#include <string.h>

static const char *no_environment(const char *name) {
    return *name == 'X' ? name : NULL;
}

static void open_service(const struct remote_opts *o, const char *name) {
    char url[300];
    struct remote_address a;
    struct err err = {0};
    if (snprintf(url, sizeof url, "hdfs://%s/path", name) >= (int)sizeof url) return;
    int rc = remote_address_parse(url, o, &a, &err);
    require(rc ? err.code != ERR_NONE : a.source->n_bases && a.source->n_bases <= REMOTE_BASES_MAX);
    for (unsigned i = 0; !rc && i < a.source->n_bases; i++)
        require(!strncmp(a.source->bases[i], "http://", 7) || !strncmp(a.source->bases[i], "https://", 8));
    remote_address_free(&a);
    remote_source_free(a.source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct hadoop_conf c = {0};
    struct remote_opts o = {.hdfs = {.user = "u"}};
    struct err err = {0};
    int rc = site_file_parse(bytes_of(data, size), "fuzz", &c.list, &err);
    require(rc ? err.code && !strncmp(err.text, "fuzz:", 5) : !err.code);
    if (!rc && !hadoop_conf_take(&c, no_environment, &err)) {
        hadoop_conf_apply(&c, &o);
        require(!err.code && o.hdfs.n_services == c.n && (!o.s3.endpoint || strstr(o.s3.endpoint, "://")));
        for (size_t i = 0; i < c.n; i++) {
            require(c.services[i].name && c.services[i].namenodes && *c.services[i].namenodes);
            open_service(&o, c.services[i].name);
        }
    } else if (!rc) {
        require(err.code != ERR_NONE);
    }
    hadoop_conf_free(&c);
    return 0;
}
