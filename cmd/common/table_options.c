/* Makes a table from options. Families that text columns name are known before anything is read, so memory can be shared out for
 * them; version rules given as options replace those of a table definition one by one. */
#include "cmd/common/opt_value.h"
#include "cmd/common/table_options.h"

#include "base/bytes.h"
#include "cmd/common/options.h"
#include "engine/memory_plan.h"
#include "formats/formats.h"
#include "formats/mapping/colmap.h"
#include "formats/mapping/colmap_header.h"
#include "formats/mapping/mapping_parse.h"
#include "select/selection_make.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* ---- --columns and --map ---- */

struct mapping *column_options_mapping(const struct options *o, struct err *err) {
    struct dialect dialect;
    const struct mapping_defaults d = {.dialect = &dialect, .skip_empty = o->in.skip_empty, .memory_bytes = o->resources.memory};
    if (column_options_dialect(o, &dialect, err)) return NULL;
    if (!o->in.columns && !o->in.key) return mapping_load(o->in.map, &d, err);
    err_set(err, ERR_USAGE,
            o->in.columns ? "--map and --columns both define what columns become; give only one of them"
                          : "--map and --key both say what the row key is: write \"row\" in the mapping");
    return NULL;
}

/* A short form. What --dialect says too is refused by the name of the option. */
static int set_short(struct dialect *d, const char *key, const char *value, struct err *err) {
    struct err bad = {0};
    if (!value || !dialect_set(d, key, bytes_str(value), &bad)) return 0;
    return err_set(err, bad.code, "--%s", bad.text);
}

int column_options_dialect(const struct options *o, struct dialect *d, struct err *err) {
    *d = (struct dialect){0};
    if (set_short(d, "delimiter", o->in.delimiter, err) || set_short(d, "quote", o->in.quote, err)) return -1;
    for (unsigned i = 0; i < o->in.nulls.n; i++)
        if (set_short(d, "null", o->in.nulls.item[i], err)) return -1;
    if (o->in.header && set_short(d, "header", "each", err)) return -1;
    if (o->in.dialect && dialect_parse(d, o->in.dialect, err)) return err_prefix(err, "--dialect %s", o->in.dialect);
    const bool is_auto = colmap_is_auto(o->in.columns);
    if (!is_auto && !colmap_names_columns(o->in.columns)) return 0;
    if (is_auto && dialect_says(d, DIALECT_HEADER) && d->header == DIALECT_HEADER_NONE)
        return err_set(err, ERR_USAGE, "--columns auto takes the names of columns from a header, but --dialect says header=none");
    return dialect_says(d, DIALECT_HEADER) ? 0 : set_short(d, "header", "each", err);
}

int column_options_check(const struct options *o, struct err *err) {
    if (!o->in.key || o->in.columns || o->in.map) return 0;
    return err_set(err, ERR_USAGE,
                   "--key is the row key of records whose columns --columns names: give it too, or --columns"
                   " auto:FAMILY for all columns of a header");
}

/* Families known beforehand are the table's, and memory is shared out for as many. */
static int families_of_columns(const struct options *from, const struct selection *selection, struct table *t, struct err *err) {
    struct shape_set shapes = {0};
    struct colmap map;
    const struct bytes no_names = {0};
    struct dialect d;
    if (column_options_dialect(from, &d, err)) return -1;
    const bool has_header = d.header != DIALECT_HEADER_NONE;
    struct colmap_opts o = {.columns = from->in.columns,
                            .key = from->in.key,
                            .header = has_header ? &no_names : NULL,
                            .empty_input = true,
                            .table = t,
                            .open_families = true,
                            .selection = selection,
                            .shapes = &shapes};
    int rc = colmap_parse(&map, &o, err);
    if (!rc) colmap_free(&map);
    shape_set_free(&shapes);
    return rc;
}

/* Adds the families that a mapping names. 1 = some come from the data. */
static int families_of_mapping(const struct mapping *m, const struct selection *selection, struct table *t, struct err *err) {
    bool from_data = false;
    for (uint32_t i = 0; i < m->n_sources; i++) {
        const struct mapping_source *source = &m->sources[i];
        for (uint32_t r = 0; r < source->n_rows; r++) {
            for (uint32_t k = 0; k < source->rows[r].n_cells; k++) {
                const struct mapping_cell *c = &source->rows[r].cells[k];
                struct bytes now;
                from_data |= !c->fixed_family;
                if (!c->fixed_family || !selection_family(selection, c->family_name, &now) || table_family(t, now) >= 0) continue;
                if (table_add_family(t, now, err)) return -1;
            }
        }
    }
    return from_data;
}

int column_options_families(const struct options *o, const struct mapping *m, const struct selection *selection, struct table *t,
                            bool *open, struct err *err) {
    int rc = o->in.columns ? families_of_columns(o, selection, t, err) : m ? families_of_mapping(m, selection, t, err) : 1;
    *open = rc == 1 || !t->n_families;
    return rc < 0 ? -1 : 0;
}

const char *column_options_given(const struct options *o) {
    const struct {
        bool given;
        const char *option;
    } all[] = {
        {o->in.columns != NULL, "--columns"}, {o->in.map != NULL, "--map"},
        {o->in.key != NULL, "--key"},         {o->in.header, "--header"},
        {o->in.dialect != NULL, "--dialect"}, {o->in.delimiter != NULL, "--delimiter"},
        {o->in.quote != NULL, "--quote"},     {o->in.nulls.n > 0, "--null"},
        {o->in.skip_empty, "--skip-empty"},   {o->in.timestamp_unit != NULL, "--timestamp-unit"},
    };
    for (size_t i = 0; i < countof(all); i++)
        if (all[i].given) return all[i].option;
    return NULL;
}

/* Returns whether an input may be text. By its first bytes a file on disk is an HFile or a SequenceFile for sure; the format of
 * all others shows when they are read. A named pipe is not opened: that would wake its writer. */
static int may_be_text(const struct input *in, size_t unpack_bytes, bool with_columns, struct err *err) {
    static const char *const others[] = {"hfile", "seqfile", "cells", "jsonl"};
    struct content c = {0};
    struct err why = {0};
    struct stat st;
    for (size_t i = 0; in->format_name && i < countof(others) - !with_columns; i++)
        if (!strcmp(in->format_name, others[i])) return 0;
    if (in->format_name || !strcmp(in->path, "-")) return 1;
    if (stat(in->path, &st)) return errno == ENOENT ? 1 : err_sys(err, ERR_INPUT, errno, "%s", in->path);
    if (S_ISREG(st.st_mode) && format_content(in->path, unpack_bytes, &c, &why) && (why.sys || why.code != ERR_INPUT)) {
        err_keep(err, &why);
        return -1;
    }
    return !c.format ||
           (c.format->is_text && !(with_columns && !strcmp(c.format->name, "jsonl"))); /* of damage its reader says more */
}

/* The option that says how text is cut into columns. */
static const char *cuts_columns(const struct options *o) {
    return o->in.dialect     ? "--dialect"
           : o->in.delimiter ? "--delimiter"
           : o->in.quote     ? "--quote"
           : o->in.header    ? "--header"
                             : NULL;
}

int column_options_wanted(const struct options *o, const struct input_list *in, struct err *err) {
    const struct job limits = {.memory_bytes = o->resources.memory};
    const size_t unpack_bytes = memory_share(&limits, MEMORY_UNPACK);
    const char *cuts = cuts_columns(o), *option = cuts ? cuts : column_options_given(o);
    if (!option) return 0;
    for (uint32_t i = 0; i < in->n; i++) {
        int may = may_be_text(&in->inputs[i], unpack_bytes, cuts != NULL, err);
        if (may) return may < 0 ? -1 : 0;
    }
    return err_set(err, ERR_USAGE, "%s applies to CSV and TSV, but no input is CSV or TSV", option);
}

/* ---- --versions, --ttl and the other version rules ---- */

/* name: of an option, or of a setting: "set MIN_VERSIONS=". */
static int refuse_rule(const char *name, const char *text, const char *what, struct err *err) {
    const char *quote = strchr(name, '=') ? "" : "'";
    return err_set(err, ERR_USAGE, "--%s%s%s%s%s: expected %s", name, *quote ? " " : "", quote, text, quote, what);
}

static int parse_u32(const char *name, const char *text, uint32_t min, const char *what, uint32_t *out, struct err *err) {
    uint64_t v;
    if (strspn(text, "0123456789") != strlen(text) || opt_size(text, &v) || v < min || v >= UINT32_MAX)
        return refuse_rule(name, text, what, err);
    *out = (uint32_t)v;
    return 0;
}

/* A number in the unit of the option, or with units as --ttl takes them. */
static int parse_period(const char *name, const char *text, int64_t unit_ms, const char *what, int64_t *ms, struct err *err) {
    uint32_t v = 0;
    if (ttl_parse(bytes_str(text), &v) && v && text[strspn(text, "0123456789")]) {
        *ms = (int64_t)v * 1000;
        return 0;
    }
    if (parse_u32(name, text, 0, what, &v, err)) return -1;
    *ms = (int64_t)v * unit_ms;
    return 0;
}

static int parse_keep(const char *text, enum keep_deleted *out, struct err *err) {
    static const char *const names[] = {"FALSE", "TRUE", "TTL"};
    for (unsigned i = 0; i < countof(names); i++)
        if (!strcasecmp(text, names[i])) {
            *out = (enum keep_deleted)i;
            return 0;
        }
    return refuse_rule("set KEEP_DELETED_CELLS=", text, "FALSE, TRUE or TTL", err);
}

int rule_options_apply(const struct options *o, struct family_rules *r, struct err *err) {
    uint32_t v = 0;
    if (o->rules.versions) {
        r->versions_given = true;
        r->versions = UINT32_MAX;
        if (strcasecmp(o->rules.versions, "unlimited") &&
            parse_u32("versions", o->rules.versions, 1, "a number from 1, or 'unlimited'", &r->versions, err))
            return -1;
    }
    if (o->rules.min_versions && parse_u32("set MIN_VERSIONS=", o->rules.min_versions, 0, "a number", &r->min_versions, err))
        return -1;
    if (o->rules.ttl) {
        if (!ttl_parse(bytes_str(o->rules.ttl), &v))
            return err_set(err, ERR_USAGE, "--ttl '%s': expected seconds from 1, a time such as 90d or 12h, or 'forever'",
                           o->rules.ttl);
        r->ttl_s = v;
    }
    if (o->rules.purge_deletes_after && parse_period("set hbase.hstore.time.to.purge.deletes=", o->rules.purge_deletes_after, 1,
                                                     "ms, or a time such as 1d or 12h", &r->purge_deletes_after_ms, err))
        return -1;
    if (o->rules.new_version_behavior) r->new_version_behavior = true;
    return o->rules.keep_deleted ? parse_keep(o->rules.keep_deleted, &r->keep_deleted, err) : 0;
}

int rule_options_keep_seq(const struct options *o, int64_t *ms, struct err *err) {
    const int64_t day_ms = 86400000, least_ms = 5 * day_ms; /* HConstants.MIN_KEEP_SEQID_PERIOD: less counts as that */
    int64_t given_ms = least_ms;
    *ms = 0;
    if (o->rules.keep_seq_period && !strcasecmp(o->rules.keep_seq_period, "forever")) return 0;
    if (o->rules.keep_seq_period && parse_period("set hbase.hstore.compaction.keep.seqId.period=", o->rules.keep_seq_period,
                                                 day_ms, "days, a time such as 30d or 4w, or 'forever'", &given_ms, err))
        return -1;
    *ms = given_ms < least_ms ? least_ms : given_ms;
    return 0;
}

const char *rule_options_minor(const struct options *o) {
    const char *rules = o->rules.rules ? o->rules.rules : "";
    return !strcasecmp(rules, "minor") ? "since" : !strcasecmp(rules, "minor:before") ? "before" : NULL;
}

/* Refuses options that OceanBase does not know. Values that change nothing are no conflict. */
static int check_oceanbase(const struct options *o, struct err *err) {
    struct family_rules r = {0};
    if (rule_options_apply(o, &r, err)) return -1;
    const struct {
        bool given;
        const char *option, *why;
    } conflicts[] = {
        {r.keep_deleted != KEEP_DELETED_FALSE, "KEEP_DELETED_CELLS", "OceanBase stores no delete markers"},
        {r.min_versions > 0, "MIN_VERSIONS", "OceanBase has no such attribute"},
        {r.purge_deletes_after_ms > 0, "hbase.hstore.time.to.purge.deletes", "OceanBase stores no delete markers"},
    };
    for (unsigned i = 0; i < countof(conflicts); i++)
        if (conflicts[i].given)
            return err_set(err, ERR_USAGE, "--rules oceanbase cannot be combined with --set %s: %s", conflicts[i].option,
                           conflicts[i].why);
    return 0;
}

int rule_options_kind(const struct options *o, enum compaction_kind *kind, struct err *err) {
    const char *rules = o->rules.rules ? o->rules.rules : "hbase", *minor = rule_options_minor(o);
    *kind = !minor ? COMPACTION_MAJOR : !strcmp(minor, "before") ? COMPACTION_MINOR_BEFORE : COMPACTION_MINOR;
    if (minor || !strcasecmp(rules, "hbase")) return 0;
    *kind = COMPACTION_OCEANBASE;
    if (!strcasecmp(rules, "oceanbase")) return check_oceanbase(o, err);
    return err_set(err, ERR_USAGE,
                   "--rules '%s': expected hbase, oceanbase, or of obkv-compact minor, minor:before, none or changes", rules);
}
