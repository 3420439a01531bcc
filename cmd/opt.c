#include "cmd/opt.h"

#include "cmd/opt_value.h"

#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char obkv_version[] = "1.0.0";

enum kind { FLAG, TEXT, TRY, SETTING, SIZE, COUNT, TIME, BYTE, QUOTE, SIDE_A, SIDE_B, HELP, VERSION };

struct row {
    const char *name;
    char letter; /* 0 = none */
    enum kind kind;
    unsigned tools;
    size_t at;    /* field of struct options */
    size_t given; /* bool field that says so; 0 = none */
    const char *arg, *help;
};

#define AT(f) offsetof(struct options, f)

static const struct row rows[] = {
    {"output", 'o', TEXT, TOOL_MAKERS, AT(output), 0, "DIR", "dataset to write (a new or empty folder)"},
    {"output", 'o', TEXT, SPLIT_LOOKS, AT(output), 0, "DIR", "folder for what was found (new or empty)"},
    {"output", 'o', TEXT, TOOL_EXPORT, AT(output), 0, "DIR", "folder to write (new or empty), or - for standard output"},
    {"format", 'f', TEXT, TOOL_EXPORT, AT(format), 0, "NAME",
     "kqvt (default): files for LOAD DATA with their statements | csv | jsonl | cells"},
    {"target", 0, TEXT, TOOL_TARGETS, AT(target), 0, "ADDRESS", "the database: HOST:PORT/DATABASE"},
    {"user", 'u', TEXT, TOOL_TARGETS, AT(user), 0, "NAME", "user, for OceanBase USER@TENANT (default root)"},
    {"password-file", 0, TEXT, TOOL_TARGETS, AT(password_file), 0, "FILE",
     "its first line is the password (default: obkv-password in $CREDENTIALS_DIRECTORY, else none)"},
    {"tls", 0, TEXT, TOOL_TARGETS, AT(tls), 0, "MODE",
     "off (default) | require: encrypted | verify: encrypted, certificate and host name checked"},
    {"tls-ca", 0, TEXT, TOOL_TARGETS, AT(tls_ca), 0, "FILE", "certificates that verify trusts (PEM)"},
    {"tls-cert", 0, TEXT, TOOL_TARGETS, AT(tls_cert), 0, "FILE", "our certificate (PEM), where the server wants one"},
    {"tls-key", 0, TEXT, TOOL_TARGETS, AT(tls_key), 0, "FILE", "its key (PEM)"},
    {"jobs", 0, COUNT, TOOL_TARGETS, AT(jobs), 0, "N", "statements at a time, and threads of each in the server (default 4)"},
    {"on-duplicate", 0, TEXT, TOOL_LOAD, AT(duplicates), 0, "ACTION",
     "a row that is there already: error (default: as exported) | ignore: it stays | replace"},
    {"create", 0, FLAG, TOOL_LOAD, AT(create), 0, NULL, "make table group and tables that are not there"},
    {"from-target", 0, TEXT, TOOL_LOAD, AT(from_target), 0, "TABLE",
     "write the definition of an HBase table's tables, with exact bounds, for --ddl; load nothing"},
    {"output", 'o', TEXT, TOOL_LOAD, AT(output), 0, "FILE", "where --from-target writes (default: standard output)"},
    {"via", 0, TEXT, TOOL_LOAD, AT(via), 0, "WAY",
     "server: it reads the files itself | local: we send them (default: what works)"},
    {"server-dir", 0, TEXT, TOOL_LOAD, AT(server_dir), 0, "DIR", "where the server finds DIR (default: the same path)"},
    {"retries", 0, COUNT, TOOL_LOAD, AT(retries), 0, "N", "attempts after a failure that may pass (default 5)"},
    {"journal", 0, TEXT, TOOL_LOAD, AT(journal), 0, "FILE", "what is loaded so far (default: in DIR/_load)"},
    {"restart", 0, FLAG, TOOL_LOAD, AT(restart), 0, NULL, "forget the journal: load all files"},
    {"metrics", 0, TEXT, TOOL_LOAD, AT(metrics), 0, "FILE", "write figures for Prometheus' textfile collector"},
    {"format", 'f', TEXT, TOOL_LOOKERS, AT(format), 0, "NAME",
     "input format (csv, tsv, cells, hfile, seqfile, archive); default: by content"},
    {"snapshot", 's', TEXT, TOOL_LOOKERS | VERIFY_CHECK, AT(snapshot), 0, "NAME",
     "of an HBase root directory: read this snapshot"},
    {"tables", 0, TEXT, TOOL_IMPORT, AT(tables), 0, "PATTERN",
     "of an HBase root directory: every table whose name fits ('ns:prefix*'), each into OUT/<namespace>.<table>"},
    {"list", 0, FLAG, TOOL_IMPORT, AT(list), 0, NULL,
     "print what the inputs hold: tables, families, regions, files; write nothing"},
    {"like", 0, TEXT, TOOL_MAKERS, AT(like), 0, "PATH",
     "codec, encoding, bloom and block size of each family as in a snapshot, table directory or HFile"},
    {"columns", 'c', TEXT, TOOL_LOOKERS, AT(columns), 0, "LIST",
     "csv, tsv: HBASE_ROW_KEY, family:qualifier, HBASE_TS_KEY, HBASE_CELL_TTL or - (skip) per column"},
    {"map", 0, TEXT, TOOL_LOOKERS, AT(map), 0, "FILE",
     "csv, tsv: a mapping in JSON instead of --columns: keys, qualifiers and values as expressions over columns"},
    {"preview", 0, COUNT, TOOL_IMPORT, AT(preview), 0, "N",
     "print the keys and cells that the first N records become; write nothing"},
    {"header", 0, FLAG, TOOL_LOOKERS, AT(header), 0, NULL,
     "the first record is a header; --columns may then pick by name=family:qualifier"},
    {"delimiter", 'd', BYTE, TOOL_LOOKERS, AT(delimiter), 0, "BYTE",
     "field separator: a character, \\t or 0x1f (default , or TAB)"},
    {"quote", 0, QUOTE, TOOL_LOOKERS, AT(quote), 0, "BYTE", "quote character, or 'none' (default \")"},
    {"null", 0, TEXT, TOOL_LOOKERS, AT(null_text), 0, "TEXT", "an unquoted field equal to TEXT makes no cell"},
    {"skip-empty", 0, FLAG, TOOL_LOOKERS, AT(skip_empty), 0, NULL, "an empty field makes no cell"},
    {"timestamp", 0, TIME, TOOL_LOOKERS, AT(timestamp_ms), AT(timestamp_given), "TIME",
     "timestamp of cells without one (default: now)"},
    {"archive-max-members", 0, COUNT, TOOL_LOOKERS, AT(archive.members), 0, "N", "most members of an archive (default 10M)"},
    {"archive-max-bytes", 0, SIZE, TOOL_LOOKERS, AT(archive.bytes), 0, "SIZE", "most bytes an archive unpacks to (default 16T)"},
    {"archive-max-ratio", 0, COUNT, TOOL_LOOKERS, AT(archive.ratio), 0, "N",
     "most bytes an archive unpacks to for each of its own, above 1G (default 1000)"},
    {"ddl", 0, TEXT, TOOL_LOOKERS | SPLIT_APPLY | TOOL_EXPORT | VERIFY_TARGET, AT(ddl), 0, "FILE",
     "OceanBase CREATE TABLE: families, lengths, partitions, attributes"},
    {"partition", 'p', TEXT, TOOL_MAKERS | SPLIT_SIMULATE | VERIFY_SKEW, AT(partition), 0, "SPEC",
     "none | key:N | key:N:substring(POS,LEN) | key:N:K,Q | range:FILE | ddl:FILE | sql:TEXT"},
    {"table", 0, TEXT, TOOL_EXPORT, AT(table_name), 0, "NAME",
     "name of the HBase table, where the dataset was made without --ddl: families go to NAME$family"},
    {"create", 0, FLAG, TOOL_EXPORT, AT(create), 0, NULL, "write create.sql too: table group and tables"},
    {"compress", 0, TEXT, TOOL_EXPORT, AT(compress), 0, "KIND", "none (default) | gzip | zstd, the latter two with :LEVEL"},
    {"on-duplicate", 0, TEXT, TOOL_EXPORT, AT(on_duplicate), 0, "ACTION",
     "of load.sql, for rows that are there already: error (default) | ignore | replace"},
    {"target-version", 0, TEXT, TOOL_EXPORT, AT(target_version), 0, "V",
     "OceanBase version that load.sql is for (default 4.3.5.3)"},
    {"server-dir", 0, TEXT, TOOL_EXPORT, AT(server_dir), 0, "DIR",
     "where the database server sees the output folder (default: its path here)"},
    {"strong", 0, FLAG, TOOL_EXPORT | VERIFY_TARGET, AT(strong), 0, NULL,
     "MD5 sums too: in the manifest and check.sql, and compared with the target's"},
    {"hex", 0, FLAG, TOOL_EXPORT, AT(hex), 0, NULL, "csv, jsonl: row, family, qualifier and value in hex"},
    {"compact", 0, FLAG, TOOL_IMPORT, AT(compact), 0, NULL, "apply the version rules in the same pass"},
    {"versions", 0, TEXT, TOOL_RULES | SPLIT_PLAN | SPLIT_APPLY, AT(versions), 0, "N",
     "versions kept per column, or 'unlimited'"},
    {"min-versions", 0, TEXT, TOOL_RULES | SPLIT_PLAN | SPLIT_APPLY, AT(min_versions), 0, "N", "versions kept although expired"},
    {"ttl", 0, TEXT, TOOL_RULES | SPLIT_PLAN | SPLIT_APPLY, AT(ttl), 0, "SECONDS", "time to live, or 'forever'"},
    {"keep-deleted", 0, TEXT, TOOL_RULES, AT(keep_deleted), 0, "MODE", "FALSE | TRUE | TTL"},
    {"purge-deletes-after", 0, TEXT, TOOL_RULES, AT(purge_deletes_after), 0, "MS", "keep delete markers that long"},
    {"new-version-behavior", 0, FLAG, TOOL_RULES, AT(new_version_behavior), 0, NULL,
     "HBase's NEW_VERSION_BEHAVIOR: deletes hide only what was written before them"},
    {"keep-seq-period", 0, TEXT, TOOL_IMPORT | TOOL_COMPACT, AT(keep_seq_period), 0, "DAYS",
     "sequence ids up to the largest in a file older than that become 0 (default and least 5), or 'forever'"},
    {"minor", 0, FLAG, TOOL_COMPACT, AT(minor), 0, NULL,
     "HBase's minor compaction: older files exist that are not among the inputs, so delete markers stay"},
    {"minor-rules", 0, TEXT, TOOL_COMPACT, AT(minor_rules), 0, "RULES",
     "since (default) | before: HBase releases since or before HBASE-30036, which drops markers that others cover"},
    {"rules", 0, TEXT, TOOL_IMPORT | TOOL_COMPACT, AT(rules), 0, "SET",
     "hbase (default): what HBase's compaction leaves | oceanbase: what OBKV-HBase reads show, no delete marker stays"},
    {"rank", 0, TEXT, TOOL_COMPACT, AT(rank), 0, "RULE",
     "which of equal cells is newer: position (a later input, default) | sequence (sequence id first)"},
    {"base", 0, TEXT, TOOL_COMPACT, AT(base), 0, "DATASET",
     "oldest input, compacted before: its files without new cells and with nothing to drop are taken over (link, reflink or "
     "copy)"},
    {"policy", 0, TEXT, TOOL_COMPACT, AT(policy), 0, "NAME",
     "with --base: all (default), or ratio: merge only partitions where HBase's exploring selection would, leave others for "
     "later"},
    {"verify-base", 0, FLAG, TOOL_COMPACT, AT(verify_base), 0, NULL,
     "read the files that are taken over: checksum, cells, digest"},
    {"explain", 0, FLAG, TOOL_COMPACT, AT(explain), 0, NULL,
     "say for each partition why files of the base are rewritten, or not"},
    {"codec", 0, TEXT, TOOL_MAKERS, AT(codec), 0, "NAME",
     "none | gz | snappy | lz4 | zstd | brotli, optionally :LEVEL (default snappy)"},
    {"encoding", 0, TEXT, TOOL_MAKERS, AT(encoding), 0, "NAME",
     "data block encoding: none | prefix | diff | fast_diff | row_index_v1 (default none)"},
    {"compress-tags", 0, FLAG, TOOL_MAKERS, AT(compress_tags), 0, NULL, "with an encoding: tags through a dictionary"},
    {"keep-seq", 0, TEXT, TOOL_MAKERS, AT(keep_seq), 0, "YES|NO", "write the cells' sequence ids (default yes), or 0 for each"},
    {"bloom", 0, TEXT, TOOL_MAKERS, AT(bloom), 0, "KIND", "none | row | rowcol | prefix:LENGTH (default row)"},
    {"block-size", 0, SIZE, TOOL_MAKERS, AT(block_size), 0, "SIZE", "data block size (default 64K)"},
    {"target-file-size", 0, SIZE, TOOL_MAKERS, AT(target_file_size), 0, "SIZE",
     "KeyValue bytes after which a new file begins (default 4G)"},
    {"target-file-size", 0, SIZE, TOOL_EXPORT, AT(target_file_size), 0, "SIZE",
     "bytes of text after which a new file begins (default 4G)"},
    {"max-cell-size", 0, SIZE, TOOL_WRITERS, AT(max_cell_size), 0, "SIZE",
     "larger values are rejects (default: only the length of V counts)"},
    {"max-rejects", 0, TEXT, TOOL_MAKERS | TOOL_EXPORT, AT(max_rejects), 0, "N|P%", "bad records tolerated (default 0)"},
    {"on-damage", 0, TEXT, TOOL_WRITERS, AT(on_damage), 0, "ACTION",
     "fail (default) | skip-block | skip-file: leave out what is damaged in HFiles, and list it"},
    {"quick", 0, FLAG, VERIFY_CHECK | VERIFY_SKEW, AT(quick), 0, NULL, "manifest, trailers and indexes only"},
    {"ignore-timestamps", 0, FLAG, VERIFY_DIFF | VERIFY_HASHTABLE, AT(ignore_timestamps), 0, NULL, "compare without timestamps"},
    {"ignore-deleted", 0, FLAG, VERIFY_DIFF, AT(ignore_deleted), 0, NULL, "leave out delete markers and what they mask"},
    {"compacted", 0, FLAG, VERIFY_DIFF, AT(compacted), 0, NULL,
     "compare with what a major compaction leaves of A (--versions, --ttl …; default: A's own rules, or B's)"},
    {"trust-manifest", 0, FLAG, VERIFY_DIFF, AT(trust_manifest), 0, NULL,
     "datasets with equal digests in their manifests are equal, unread"},
    {"sample", 0, TEXT, VERIFY_DIFF, AT(sample), 0, "SHARE", "only this share of the rows (5% or 0.05), by their hash"},
    {"a", 0, SIDE_A, VERIFY_DIFF, 0, 0, "OPTION",
     "NAME=VALUE or NAME for side A alone: format, snapshot, columns, map, header, delimiter, quote, null, "
     "skip-empty, timestamp"},
    {"b", 0, SIDE_B, VERIFY_DIFF, 0, 0, "OPTION", "the same for side B"},
    {"limit", 0, COUNT, VERIFY_CHECK | VERIFY_DIFF | VERIFY_HASHTABLE | VERIFY_DUMP | VERIFY_TARGET, AT(limit), 0, "N",
     "most lines printed (default 100); dump: most cells (default all)"},
    {"start-row", 0, TEXT, VERIFY_DUMP, AT(start_row), 0, "ROW", "first row (text, or hex:…)"},
    {"stop-row", 0, TEXT, VERIFY_DUMP, AT(stop_row), 0, "ROW", "row to stop before"},
    {"raw", 0, FLAG, VERIFY_DUMP, AT(raw), 0, NULL, "name the file and block of the cells that follow"},
    {"counts", 0, TEXT, SPLIT_PLAN, AT(counts), 0, "LIST", "numbers of partitions to try (default 23,59,97,193,389,997)"},
    {"sample", 0, SIZE, SPLIT_PLAN, AT(plan_sample), 0, "SIZE",
     "look at about so many bytes of input; 0 = all (default: all of up to 1G)"},
    {"sample-by", 0, TEXT, SPLIT_PLAN, AT(sample_by), 0, "WAY",
     "blocks: read blocks of the files only | rows: read all, take rows by hash | auto (default): blocks where possible"},
    {"expect", 0, SIZE, SPLIT_PLAN, AT(expect), 0, "SIZE", "bytes that the table is to hold (default: as the input)"},
    {"growth", 0, TEXT, SPLIT_PLAN, AT(growth), 0, "PERCENT", "by how much --expect grows in a year"},
    {"years", 0, COUNT, SPLIT_PLAN, AT(years), 0, "N", "how many years ahead --growth is reckoned (default 3)"},
    {"try", 0, TRY, SPLIT_PLAN, 0, 0, "EXPR", "another row key, made of key, ts and columns; may be given several times"},
    {"generate", 0, COUNT, SPLIT_LOOKS, AT(generate), 0, "N", "no input, but N rows with keys made by --key"},
    {"key", 0, TEXT, SPLIT_LOOKS, AT(key), 0, "EXPR",
     "the row key: with --generate of counter, now and random; simulate of inputs: of key, ts and qualifiers"},
    {"seed", 0, COUNT, SPLIT_LOOKS, AT(seed), 0, "N", "with --generate: of the random numbers (default 1)"},
    {"interval", 0, COUNT, SPLIT_LOOKS, AT(interval), 0, "US",
     "with --generate, and simulate by rate: microseconds from row to row (default 1000)"},
    {"cell-bytes", 0, SIZE, SPLIT_LOOKS, AT(cell_bytes), 0, "SIZE", "with --generate: value bytes of a row (default 100)"},
    {"splits", 0, TEXT, SPLIT_SIMULATE, AT(splits), 0, "SPEC",
     "first regions: hex:N, decimal:N, uniform:N, prefixes:N, longs:N, keys:A,B, file:PATH, sampled:N, none"},
    {"sample-rows", 0, COUNT, SPLIT_SIMULATE, AT(sample_rows), 0, "N",
     "keys that sampled:N looks at (default 1000000, but at most half)"},
    {"order", 0, TEXT, SPLIT_SIMULATE, AT(order), 0, "ORDER",
     "how inputs arrive: time (by timestamp, default) | input (as they stand) | key"},
    {"clock", 0, TEXT, SPLIT_SIMULATE, AT(clock), 0, "CLOCK",
     "timestamps (default where they order the inputs) | rate (by --interval or --rate)"},
    {"mode", 0, TEXT, SPLIT_SIMULATE, AT(mode), 0, "MODE",
     "simple (regions stay as they are) | emulate (they flush, compact, split, move; default with the following)"},
    {"site", 0, TEXT, SPLIT_SIMULATE, AT(site), 0, "FILE", "the cluster's hbase-site.xml"},
    {"set", 0, SETTING, SPLIT_SIMULATE, 0, 0, "SETTING",
     "[FAMILY:]NAME=VALUE, an attribute of table or family, or any setting of HBase; may be repeated"},
    {"compression-ratio", 0, TEXT, SPLIT_SIMULATE, AT(file_ratio), 0, "RATIO",
     "bytes in files for each byte of KeyValues, as 0.3 or 30% (default 1)"},
    {"servers", 0, COUNT, SPLIT_SIMULATE, AT(servers), 0, "N", "region servers of HBase (default as --nodes)"},
    {"rate", 0, COUNT, SPLIT_SIMULATE, AT(rate), 0, "N", "writes a second, instead of --interval"},
    {"take", 0, COUNT, SPLIT_PLAN, AT(take), 0, "N", "with -o: the choice that stands at this place of the ranking (default 1)"},
    {"table", 0, TEXT, SPLIT_PLAN, AT(table_name), 0, "NAME", "with -o: name of the table (default htable1)"},
    {"nodes", 0, COUNT, VERIFY_SKEW | SPLIT_LOOKS, AT(nodes), 0, "N", "servers that the partitions are spread over (default 3)"},
    {"max-partition", 0, SIZE, VERIFY_SKEW | SPLIT_PLAN, AT(max_partition), 0, "SIZE",
     "partitions with more KeyValue bytes are named (default 100G)"},
    {"top", 0, COUNT, VERIFY_SKEW, AT(top), 0, "N", "heaviest rows and key prefixes listed (default 10, at most 1000)"},
    {"html", 0, TEXT, VERIFY_SKEW | SPLIT_LOOKS, AT(html), 0, "FILE", "write the report as a page, too"},
    {"blocks", 0, FLAG, VERIFY_INFO, AT(blocks), 0, NULL, "what blocks of each type take; codecs and encodings found"},
    {"stats", 0, FLAG, VERIFY_INFO, AT(stats), 0, NULL, "lengths of keys and values, sizes of rows (reads all cells); --blocks"},
    {"index", 0, FLAG, VERIFY_INFO, AT(index), 0, NULL, "the entries of the data block index"},
    {"headers", 0, FLAG, VERIFY_INFO, AT(headers), 0, NULL, "the headers of all blocks"},
    {"threads", 't', COUNT, TOOL_CELLS, AT(threads), 0, "N", "worker threads (default: processors)"},
    {"memory", 'm', SIZE, TOOL_CELLS, AT(memory), 0, "SIZE", "total memory of the process (default 1G, at least 64M)"},
    {"temp-dir", 0, TEXT, TOOL_SPILLS, AT(temp_dir), 0, "DIR",
     "where to spill (default: the output folder; obkv-verify: $TMPDIR or /tmp)"},
    {"disk-limit", 0, SIZE, TOOL_SPILLS, AT(disk_limit), 0, "SIZE", "most disk for temporary files and output together"},
    {"now", 0, TIME, TOOL_SPILLS, AT(now_ms), AT(now_given), "TIME",
     "the clock for this run: ms since 1970, or RFC 3339 (default: the system's)"},
    {"dry-run", 'n', FLAG, TOOL_WRITERS | TOOL_EXPORT | TOOL_LOAD, AT(dry_run), 0, NULL, "say what would be done; touch nothing"},
    {"overwrite", 0, FLAG, TOOL_MAKERS, AT(overwrite), 0, NULL, "replace a finished dataset"},
    {"overwrite", 0, FLAG, SPLIT_LOOKS, AT(overwrite), 0, NULL, "replace what stands in the folder"},
    {"overwrite", 0, FLAG, TOOL_EXPORT, AT(overwrite), 0, NULL, "replace a finished export"},
    {"progress", 0, TEXT, TOOL_ALL, AT(progress), 0, "WHEN", "auto | never | json (default auto: on a terminal)"},
    {"json", 'j', FLAG, TOOL_ALL & ~VERIFY_DUMP, AT(json), 0, NULL, "print the result as one JSON document"},
    {"quiet", 'q', FLAG, TOOL_ALL, AT(quiet), 0, NULL, "errors only"},
    {"verbose", 'v', FLAG, TOOL_ALL, AT(verbose), 0, NULL, "say more"},
    {"help", 'h', HELP, TOOL_ALL, 0, 0, NULL, "this text"},
    {"version", 'V', VERSION, TOOL_ALL, 0, 0, NULL, "version"},
};

_Static_assert(countof(rows) <= OPT_ROWS_MAX, "struct options has room for them");

static int add_side(unsigned side, const char *arg, struct options *o, struct err *err) {
    if (o->n_side[side] == OPT_SIDE_MAX) return err_set(err, ERR_USAGE, "--%c is given too often", side ? 'b' : 'a');
    o->side[side][o->n_side[side]++] = arg;
    return 0;
}

static int add_try(const char *arg, struct options *o, struct err *err) {
    if (o->n_tries == TRIES_MAX) return err_set(err, ERR_USAGE, "--try is given too often");
    o->tries[o->n_tries++] = arg;
    return 0;
}

static int add_setting(const char *arg, struct options *o, struct err *err) {
    if (o->n_settings == SETTINGS_MAX) return err_set(err, ERR_USAGE, "--set is given too often");
    o->settings[o->n_settings++] = arg;
    return 0;
}

bool opt_given(const struct options *o, const char *name) {
    for (size_t i = 0; i < countof(rows); i++)
        if (o->seen[i] && !strcmp(rows[i].name, name)) return true;
    return false;
}

static int set_option(const struct row *r, const char *arg, struct options *o, struct err *err) {
    uint8_t *field = (uint8_t *)o + r->at;
    int rc = 0;
    o->seen[r - rows] = true;
    switch (r->kind) {
    case FLAG: *(bool *)(void *)field = true; break;
    case TEXT: *(const char **)(void *)field = arg; break;
    case TRY: return add_try(arg, o, err);
    case SETTING: return add_setting(arg, o, err);
    case SIZE: rc = opt_size(arg, (uint64_t *)(void *)field); break;
    case COUNT: rc = opt_size(arg, (uint64_t *)(void *)field); break;
    case TIME: rc = opt_time(arg, (int64_t *)(void *)field); break;
    case BYTE: rc = opt_byte(arg, (int *)(void *)field); break;
    case SIDE_A:
    case SIDE_B: return add_side(r->kind == SIDE_B, arg, o, err);
    case QUOTE: rc = strcmp(arg, "none") ? opt_byte(arg, (int *)(void *)field) : (*(int *)(void *)field = -2, 0); break;
    case HELP:
    case VERSION: break;
    }
    if (r->given) *(bool *)(void *)((uint8_t *)o + r->given) = true;
    return rc ? err_set(err, ERR_USAGE, "--%s '%s': %s is expected", r->name, arg,
                        r->kind == SIZE    ? "a size like 512M"
                        : r->kind == COUNT ? "a number"
                        : r->kind == TIME  ? "ms since 1970 or an RFC 3339 time"
                                           : "one byte")
              : 0;
}

/* What a side may have for itself. */
static const struct row *side_row(const char *name, size_t n) {
    static const char *const names[] = {"format",    "snapshot", "columns", "map",        "header",
                                        "delimiter", "quote",    "null",    "skip-empty", "timestamp"};
    for (size_t i = 0; i < countof(names); i++) {
        if (strlen(names[i]) != n || strncmp(names[i], name, n)) continue;
        for (size_t k = 0; k < countof(rows); k++)
            if (!strcmp(rows[k].name, names[i])) return &rows[k];
    }
    return NULL;
}

int opt_side(const struct tool_about *about, const struct options *o, unsigned side, struct options *out, struct err *err) {
    char letter = side ? 'b' : 'a';
    *out = *o;
    for (unsigned i = 0; i < o->n_side[side]; i++) {
        const char *given = o->side[side][i], *eq = strchr(given, '=');
        const struct row *r = side_row(given, eq ? (size_t)(eq - given) : strlen(given));
        if (!r)
            return err_set(err, ERR_USAGE, "--%c '%s': not an option that one side can have (see %s --help)", letter, given,
                           about->name);
        if (!r->arg != !eq)
            return err_set(err, ERR_USAGE, "--%c %s %s", letter, r->name, eq ? "takes no value" : "needs a value: NAME=VALUE");
        if (set_option(r, eq ? eq + 1 : NULL, out, err)) return err_prefix(err, "--%c", letter);
    }
    return 0;
}

static void print_options(unsigned of, bool of_all, FILE *out) {
    for (size_t i = 0; i < countof(rows); i++) {
        const struct row *r = &rows[i];
        if (of_all ? (r->tools & of) != of : !(r->tools & of)) continue;
        char left[64];
        int n = r->letter ? snprintf(left, sizeof left, "-%c, --%s", r->letter, r->name)
                          : snprintf(left, sizeof left, "    --%s", r->name);
        if (r->arg) snprintf(left + n, sizeof left - (size_t)n, " %s", r->arg);
        fprintf(out, "  %-28s %s\n", left, r->help);
    }
}

static void print_commands(const struct tool_about *about, FILE *out) {
    fprintf(out, "\ncommands:\n");
    for (const struct tool_command *c = about->commands; c->name; c++) {
        char left[64];
        snprintf(left, sizeof left, "%s %s", c->name, c->inputs);
        fprintf(out, "  %-24s %s\n", left, c->summary);
    }
    fprintf(out, "\n%s COMMAND --help tells the options of a command; all have these:\n", about->name);
}

static void print_usage(const struct tool_about *about, const struct tool_command *command, FILE *out) {
    if (command) {
        fprintf(out, "usage: %s %s [options] %s\n%s\n\noptions:\n", about->name, command->name, command->inputs,
                command->summary);
    } else {
        fprintf(out, "usage: %s %s\n%s\n", about->name, about->usage, about->summary);
        if (about->commands)
            print_commands(about, out);
        else
            fprintf(out, "\noptions:\n");
    }
    print_options(command ? command->bit : about->tool, !command, out);
    fprintf(
        out,
        "\nsizes take K, M, G, T. Exit codes: 0 done, 1 differences or damage found, 2 usage, 3 done with rejects or losses,\n"
        "4 too many rejects, 5 input unreadable, 6 resource limit, 7 output not writable, 70 internal, 75 try again.\n");
}

static void defaults(struct options *o) {
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    *o = (struct options){.delimiter = -1,
                          .quote = -1,
                          .keep_seq = "yes",
                          .target_file_size = UINT64_C(4) << 30,
                          .max_rejects = "0",
                          .on_damage = "fail",
                          .memory = UINT64_C(1) << 30,
                          .threads = cpus > 0 ? (uint64_t)cpus : 1,
                          .progress = "auto",
                          .rank = "position",
                          .nodes = 3,
                          .max_partition = UINT64_C(100) << 30,
                          .top = 10,
                          .counts = "23,59,97,193,389,997",
                          .plan_sample = UINT64_MAX,
                          .years = 3,
                          .take = 1,
                          .seed = 1,
                          .interval = 1000,
                          .cell_bytes = 100,
                          .compress = "none",
                          .on_duplicate = "error",
                          .target_version = "4.3.5.3",
                          .user = "root",
                          .tls = "off",
                          .via = "auto",
                          .jobs = 4,
                          .retries = 5};
}

/* What getopt is to know: the options of a tool, or of one of its commands. */
struct grammar {
    const struct tool_about *about;
    const struct tool_command *command; /* NULL: all of the tool's */
    unsigned bits;
    struct option longs[countof(rows) + 1];
    char letters[3 * countof(rows) + 2];
};

static bool has_name(const struct option *longs, size_t n, const char *name) {
    for (size_t i = 0; i < n; i++)
        if (!strcmp(longs[i].name, name)) return true;
    return false;
}

static void grammar_make(struct grammar *g, const struct tool_about *about, const struct tool_command *command) {
    size_t n = 0, k = 0;
    *g = (struct grammar){.about = about, .command = command, .bits = command ? command->bit : about->tool};
    g->letters[k++] = ':';
    for (size_t i = 0; i < countof(rows); i++) {
        if (!(rows[i].tools & g->bits) || has_name(g->longs, n, rows[i].name)) continue;
        g->longs[n++] = (struct option){rows[i].name, rows[i].arg ? required_argument : no_argument, NULL, (int)(1000 + i)};
        if (!rows[i].letter) continue;
        g->letters[k++] = rows[i].letter;
        if (rows[i].arg) g->letters[k++] = ':';
    }
}

static const struct row *row_of(const struct grammar *g, int c) {
    if (c >= 1000) return &rows[c - 1000];
    for (size_t i = 0; i < countof(rows); i++)
        if (rows[i].letter == c && (rows[i].tools & g->bits)) return &rows[i];
    return NULL;
}

/* How many options `arg` (as typed) abbreviates. */
static unsigned abbreviated(const struct grammar *g, const char *arg) {
    unsigned n = 0;
    size_t len = strncmp(arg, "--", 2) ? 0 : strcspn(arg + 2, "=");
    for (const struct option *o = g->longs; len && o->name; o++) n += !strncmp(o->name, arg + 2, len);
    return n;
}

/* getopt says little: optopt is a letter, a row's number, or 0 for a long option it does not know. */
static int refuse(const struct grammar *g, int c, const char *arg, struct err *err) {
    const struct row *r = optopt ? row_of(g, optopt) : NULL;
    const char *tool = g->about->name, *of = g->command ? " of " : "", *command = g->command ? g->command->name : "";
    const char *what = c == ':' ? "needs an argument"
                       : r      ? "takes no argument"
                                : "is not an option",
               *space = *command ? " " : "";
    if (!optopt && abbreviated(g, arg) > 1) what = "is ambiguous", of = "";
    if (r) return err_set(err, ERR_USAGE, "--%s %s (see %s%s%s --help)", r->name, what, tool, space, command);
    const char letter[] = {'-', (char)optopt, 0};
    return err_set(err, ERR_USAGE, "%s %s%s%s (see %s%s%s --help)", optopt ? letter : arg, what, of, *of ? command : "", tool,
                   space, command);
}

/* The names of all commands, for messages. */
static int refuse_command(const struct tool_about *about, const char *given, struct err *err) {
    char names[160];
    size_t n = 0;
    for (const struct tool_command *c = about->commands; c->name; c++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s",
                              c == about->commands ? ""
                              : c[1].name          ? ", "
                                                   : " or ",
                              c->name);
    if (!given) return err_set(err, ERR_USAGE, "no command given: %s (see %s --help)", names, about->name);
    return err_set(err, ERR_USAGE, "'%s' is not a command: %s (see %s --help)", given, names, about->name);
}

static const struct tool_command *command_named(const struct tool_about *about, const char *name) {
    for (const struct tool_command *c = about->commands; c && name && c->name; c++)
        if (!strcmp(c->name, name)) return c;
    return NULL;
}

/* A first walk: sorts the arguments (options before others, as getopt does) and finds --help, --version and the command. */
static int find_command(const struct tool_about *about, int argc, char **argv, const struct tool_command **out,
                        enum opt_result *result, struct err *err) {
    struct grammar g;
    enum kind asked = FLAG;
    grammar_make(&g, about, NULL);
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, g.letters, g.longs, NULL)) != -1;) {
        if (c == '?' || c == ':') return refuse(&g, c, argv[optind - 1], err);
        enum kind kind = row_of(&g, c)->kind;
        if (asked == FLAG && (kind == HELP || kind == VERSION)) asked = kind;
    }
    *out = command_named(about, argv[optind]);
    *result = asked == FLAG ? OPT_RUN : OPT_DONE;
    if (asked == HELP) print_usage(about, *out, stdout);
    if (asked == VERSION) printf("%s %s\n", about->name, obkv_version);
    if (*result == OPT_DONE || !about->commands || *out) return 0;
    return refuse_command(about, argv[optind], err);
}

int opt_parse(const struct tool_about *about, int argc, char **argv, struct options *o, enum opt_result *result,
              struct err *err) {
    struct grammar g;
    defaults(o);
    if (find_command(about, argc, argv, &o->command, result, err)) return -1;
    if (*result == OPT_DONE) return 0;
    grammar_make(&g, about, o->command);
    optind = 0; /* from the beginning */
    for (int c; (c = getopt_long(argc, argv, g.letters, g.longs, NULL)) != -1;) {
        if (c == '?' || c == ':') return refuse(&g, c, argv[optind - 1], err);
        if (set_option(row_of(&g, c), optarg, o, err)) return -1;
    }
    o->inputs = argv + optind + (o->command != NULL);
    o->n_inputs = argc - optind - (o->command != NULL);
    if (o->command && !o->n_inputs && !o->command->may_have_no_input)
        return err_set(err, ERR_USAGE, "%s: no input given (see %s %s --help)", o->command->name, about->name, o->command->name);
    if (!o->threads || o->threads > 256) return err_set(err, ERR_USAGE, "--threads must lie between 1 and 256");
    return 0;
}
