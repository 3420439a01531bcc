/* The tables of the options that programs share. A row is written once, here or in the program that has it: what it is called,
 * what it takes, where its value goes and what --help says of it. */
#include "cmd/common/options.h"

#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AT(f) offsetof(struct input_options, f)
static const struct opt_row input_rows[] = {
    {"format", 'f', OPT_TEXT, AT(format), 0, "NAME",
     "input format (archive, cells, csv, hfile, jsonl, seqfile, tsv, wal); default: by content", SETTING},
    {"snapshot", 's', OPT_TEXT, AT(snapshot), 0, "NAME", "read this snapshot of an HBase root directory", SETTING_THROUGH},
};
static const struct opt_row backup_rows[] = {
    {"backup", 0, OPT_TEXT, AT(backup), 0, "ID",
     "read this image of a directory of HBase backups, after its ancestors (default: the newest)", SETTING_THROUGH},
};
static const struct opt_row text_rows[] = {
    {"columns", 'c', OPT_TEXT, AT(columns), 0, "LIST",
     "csv, tsv: what each column holds: HBASE_ROW_KEY, family:qualifier, HBASE_TS_KEY, HBASE_CELL_TTL or - (skip)", SETTING},
    {"map", 0, OPT_TEXT, AT(map), 0, "FILE",
     "csv, tsv, jsonl: JSON file that defines keys, qualifiers and values by expressions, instead of --columns", SETTING_THROUGH},
    {"header", 0, OPT_FLAG, AT(header), 0, NULL,
     "the first record is a header; --columns can then select by name=family:qualifier", SETTING_THROUGH},
    {"dialect", 0, OPT_TEXT, AT(dialect), 0, "NAME",
     "how text is cut: csv, excel, tsv, mysql, postgres, hive or tpch; ,KEY=VALUE changes it: delimiter, quote, escape, null, "
     "skip, header, comment, trim, trailing, lines",
     SETTING_IF},
    {"delimiter", 'd', OPT_TEXT, AT(delimiter), 0, "BYTES",
     "field separator: 1 to 8 bytes, such as ';', '@@@', \\t or 0x1f (default , or TAB)", SETTING_THROUGH},
    {"quote", 0, OPT_TEXT, AT(quote), 0, "BYTE", "quote character, or 'none' (default \")", SETTING_THROUGH},
    {"null", 0, OPT_LIST, AT(nulls), 16, "TEXT", "make no cell of an unquoted field equal to TEXT (may be repeated)",
     SETTING_THROUGH},
    {"skip-empty", 0, OPT_FLAG, AT(skip_empty), 0, NULL, "make no cell of an empty field", SETTING},
    {"timestamp", 0, OPT_TIME, AT(timestamp_ms), AT(timestamp_given), "TIME", "timestamp of cells without one (default: now)",
     SETTING},
    {"timestamp-unit", 0, OPT_TEXT, AT(timestamp_unit), 0, "UNIT",
     "csv, tsv, jsonl: unit of the timestamps: s | ms (default) | us | ns, rounded down to ms", SETTING_THROUGH},
};
static const struct opt_row name_rows[] = {
    {"files", 0, OPT_LIST, AT(files), 0, "PATTERN",
     "read only matching files of directories and archives ('*.csv'); '!PATTERN': skip them (may be repeated)", SETTING_IF},
};
static const struct opt_row archive_rows[] = {
    {"archive-members", 0, OPT_COUNT, AT(archive.members), 0, "N", "most entries of any kind in an archive (default 10M)",
     SAME_BYTES},
    {"archive-bytes", 0, OPT_SIZE, AT(archive.bytes), 0, "SIZE", "most bytes of an archive when unpacked (default 16T)",
     SAME_BYTES},
    {"archive-ratio", 0, OPT_COUNT, AT(archive.ratio), 0, "N", "most unpacked to packed bytes, above 1G (default 1000)",
     SAME_BYTES},
};
#undef AT
const struct opt_group opt_input = OPT_GROUP("input", input_rows, offsetof(struct options, in));
const struct opt_group opt_text = OPT_GROUP("input", text_rows, offsetof(struct options, in));
const struct opt_group opt_names = OPT_GROUP("input", name_rows, offsetof(struct options, in));
const struct opt_group opt_archive_limits = OPT_GROUP_UNDER("", archive_rows, offsetof(struct options, in));
static const struct opt_row staged_rows[] = {
    {"staged", 0, OPT_LIST, offsetof(struct input_options, staged), 0, "DIR=URL",
     "the files below DIR are copies of those below URL: name them so in the manifest (may be repeated)", SETTING_THROUGH},
};
const struct opt_group opt_staged = OPT_GROUP_UNDER("", staged_rows, offsetof(struct options, in));
static const struct opt_row key_rows[] = {
    {"key", 0, OPT_TEXT, offsetof(struct input_options, key), 0, "EXPR",
     "csv, tsv: the row key as an expression over columns, with --columns: \"salt(md5(id), 16) + '_' + id\"", SETTING_IF},
};
const struct opt_group opt_key = OPT_GROUP("input", key_rows, offsetof(struct options, in));
const struct opt_group opt_snapshot = {"input", input_rows + 1, 1, offsetof(struct options, in), NULL};
const struct opt_group opt_backup = OPT_GROUP_UNDER("", backup_rows, offsetof(struct options, in));

#define AT(f) offsetof(struct wal_options, f)
static const struct opt_row wal_rows[] = {
    {"table", 0, OPT_TEXT, AT(table), 0, "NAME",
     "of an HBase root directory: read this table (ns:name) into OUT, or all that match a pattern ('ns:*') into "
     "OUT/<namespace>.<table>; of logs: read its edits, NAME/REGION,...: of these regions",
     SETTING_IF_AS("wal_table")},
    {"after", 0, OPT_TEXT, AT(after), 0, "PATH", "wal: skip edits that this snapshot, table or region directory already holds",
     SETTING_IF_AS("wal_after")},
};
#undef AT
const struct opt_group opt_wal = OPT_GROUP("input", wal_rows, offsetof(struct options, wal));

#define AT(f) offsetof(struct selection_options, f)
static const struct opt_row selection_rows[] = {
    {"families", 0, OPT_LIST, AT(families), 0, "LIST",
     "take only these families; OLD=NEW: and write OLD as NEW; '*': take the others, too", SETTING_THROUGH},
    {"rows", 0, OPT_LIST, AT(rows), 0, "CHOICE",
     "START:STOP: rows from START up to but not including STOP (text or hex:…; either may be empty) | prefix=TEXT: rows whose "
     "keys begin so | sample=P%: this share of the rows, by a hash of the key",
     SETTING_THROUGH},
    {"time-range", 0, OPT_TEXT, AT(time_range), 0, "FROM:TO",
     "take cells with timestamps from FROM up to but not including TO (either may be empty)", SETTING_THROUGH},
    {"qualifiers", 0, OPT_LIST, AT(qualifiers), 0, "LIST", "take matching columns: [family:]qualifier, with * and ?",
     SETTING_THROUGH},
    {"mask", 0, OPT_LIST, AT(masks), 0, "COLUMN=HOW",
     "change values of family:qualifier (with * and ?): hash | null (no cell) | an expression over value, row, qualifier …",
     SETTING_THROUGH},
};
#undef AT
const struct opt_group opt_selection = OPT_GROUP("selection", selection_rows, offsetof(struct options, selection));
#define AT(f) offsetof(struct table_options, f)
static const struct opt_row table_rows[] = {
    {"ddl", 0, OPT_TEXT, AT(ddl), 0, "FILE", "OceanBase CREATE TABLE: families, lengths, partitions, attributes",
     SETTING_THROUGH},
    {"partition", 'p', OPT_TEXT, AT(partition), 0, "SPEC",
     "none | key:N | key:N:substring(POS,LEN) | key:N:K,Q | range:FILE | ddl:FILE | sql:TEXT", SETTING_THROUGH},
};
#undef AT
const struct opt_group opt_ddl = {"table", table_rows, 1, offsetof(struct options, table), NULL};
const struct opt_group opt_partition = {"table", table_rows + 1, 1, offsetof(struct options, table), NULL};

#define AT(f) offsetof(struct rule_options, f)
static const struct opt_row rule_rows[] = {
    {"versions", 0, OPT_TEXT, AT(versions), 0, "N", "versions kept per column, or 'unlimited'", SETTING},
    {"ttl", 0, OPT_TEXT, AT(ttl), 0, "TIME", "time to live: seconds, 90d, 12h …, or 'forever'", SETTING},
};
static const struct opt_row set_rule_rows[] = {
    {"MIN_VERSIONS", 0, OPT_TEXT, AT(min_versions), 0, "N", "versions kept even if expired", SETTING_AS("min_versions")},
};
static const struct opt_row set_delete_rows[] = {
    {"KEEP_DELETED_CELLS", 0, OPT_TEXT, AT(keep_deleted), 0, "MODE", "FALSE | TRUE | TTL", SETTING_AS("keep_deleted")},
    {"NEW_VERSION_BEHAVIOR", 0, OPT_FLAG, AT(new_version_behavior), 0, "true", "deletes hide only what was written before them",
     SETTING_IF_AS("new_version_behavior")},
    {"hbase.hstore.time.to.purge.deletes", 0, OPT_TEXT, AT(purge_deletes_after), 0, "TIME",
     "keep delete markers for this long: ms, 1d, 12h …", SETTING_AS("purge_deletes_after")},
};
static const struct opt_row compact_rows[] = {
    {"compact", 0, OPT_FLAG, AT(compact), 0, NULL, "apply the version rules in the same pass", SETTING},
};
static const struct opt_row set_compaction_rows[] = {
    {"hbase.hstore.compaction.keep.seqId.period", 0, OPT_TEXT, AT(keep_seq_period), 0, "TIME",
     "set sequence ids of files older than this to 0: days, 30d, 4w …, or 'forever' (default and minimum 5d)",
     SETTING_IF_AS("keep_seq_period")},
};
static const struct opt_row compaction_rows[] = {
    {"rules", 0, OPT_TEXT, AT(rules), 0, "SET",
     "hbase (default): keep what HBase's compaction keeps | oceanbase: keep what OBKV-HBase reads return, drop delete markers "
     "| obkv-compact alone: minor: keep what HBase's minor compaction keeps, because the inputs are not the whole store "
     "(minor:before: as HBase before HBASE-30036) | none: keep every cell | changes: write what turns the first input into the "
     "second, with delete markers",
     SETTING_THROUGH},
};
static const struct opt_row rank_rows[] = {
    {"rank", 0, OPT_TEXT, AT(rank), 0, "RULE",
     "which of equal cells is newer: position (the later input, default) | sequence (higher sequence id)", SETTING},
};
static const struct opt_row delta_rows[] = {
    {"delta", 0, OPT_FLAG, AT(delta), 0, NULL,
     "the inputs are part of the table, such as a day's changes: keep delete markers, which may hide cells elsewhere",
     SETTING_IF},
    {"purge-deletes", 0, OPT_FLAG, AT(purge_deletes), 0, NULL,
     "drop delete markers, even of a delta: cells that they hide elsewhere stay visible", SETTING_IF},
};
#undef AT
const struct opt_group opt_delta = OPT_GROUP("version rule", delta_rows, offsetof(struct options, rules));
const struct opt_group opt_delta_alone = {"version rule", delta_rows, 1, offsetof(struct options, rules), NULL};
const struct opt_group opt_purge_line = {NULL, delta_rows + 1, 1, offsetof(struct options, rules), ""};
const struct opt_group opt_rules = OPT_GROUP("version rule", rule_rows, offsetof(struct options, rules));
const struct opt_group opt_set_rules = OPT_GROUP_UNDER("set", set_rule_rows, offsetof(struct options, rules));
const struct opt_group opt_set_deletes = OPT_GROUP_UNDER("set", set_delete_rows, offsetof(struct options, rules));
const struct opt_group opt_set_compaction = OPT_GROUP_UNDER("set", set_compaction_rows, offsetof(struct options, rules));
const struct opt_group opt_compact = OPT_GROUP("version rule", compact_rows, offsetof(struct options, rules));
const struct opt_group opt_compaction = OPT_GROUP("version rule", compaction_rows, offsetof(struct options, rules));
const struct opt_group opt_rank = OPT_GROUP("version rule", rank_rows, offsetof(struct options, rules));

#define AT(f) offsetof(struct write_options, f)
static const struct opt_row cell_file_rows[] = {
    {"like", 0, OPT_TEXT, AT(like), 0, "PATH",
     "take codec, encoding, bloom and block size of each family from a snapshot, table directory or HFile", SETTING_THROUGH},
    {"codec", 0, OPT_TEXT, AT(codec), 0, "NAME", "none | gz | snappy | lz4 | zstd | brotli, optionally :LEVEL (default snappy)",
     SETTING},
    {"encoding", 0, OPT_TEXT, AT(encoding), 0, "NAME",
     "data block encoding: none | prefix | diff | fast_diff | row_index_v1 (default fast_diff)", SETTING},
    {"target-file-size", 0, OPT_SIZE, AT(target_file_size), 0, "SIZE",
     "start a new file after this many KeyValue bytes (default 4G)", SETTING},
};
static const struct opt_row keep_seq_rows[] = {
    {"keep-seq", 0, OPT_TEXT, AT(keep_seq), 0, "YES|NO", "write the cells' sequence ids (default yes), or 0 for each",
     SETTING_THROUGH},
};
static const struct opt_row set_file_rows[] = {
    {"BLOOMFILTER", 0, OPT_TEXT, AT(bloom), 0, "KIND", "NONE | ROW | ROWCOL | PREFIX:LENGTH (default ROW)", SETTING_AS("bloom")},
    {"BLOCKSIZE", 0, OPT_SIZE, AT(block_size), 0, "SIZE", "data block size (default 64K)", SETTING_AS("block_size")},
    {"COMPRESS_TAGS", 0, OPT_FLAG, AT(compress_tags), 0, "true", "with an encoding: compress tags with a dictionary",
     SETTING_IF_AS("compress_tags")},
};
static const struct opt_row set_size_rows[] = {
    {"hbase.client.keyvalue.maxsize", 0, OPT_SIZE, AT(max_cell_size), 0, "SIZE",
     "reject larger values (default: only the length of V limits them)", SETTING_AS("max_cell_size")},
};
#undef AT
const struct opt_group opt_cell_files = OPT_GROUP("cell file", cell_file_rows, offsetof(struct options, write));
const struct opt_group opt_keep_seq = OPT_GROUP_UNDER("", keep_seq_rows, offsetof(struct options, write));
const struct opt_group opt_set_files = OPT_GROUP_UNDER("set", set_file_rows, offsetof(struct options, write));
const struct opt_group opt_set_size = OPT_GROUP_UNDER("set", set_size_rows, offsetof(struct options, write));

static const struct opt_row set_rows[] = {
    {"set", 0, OPT_PARTS, 0, 0, "NAME=VALUE",
     "a setting of all families, by the name that HBase gives it (may be repeated):", SAME_BYTES},
};
const struct opt_group opt_setting = OPT_GROUP("table", set_rows, 0);

#define AT(f) offsetof(struct output_options, f)
static const struct opt_row output_rows[] = {
    {"output", 'o', OPT_TEXT, AT(dir), 0, "DIR", "directory for the dataset (new or empty)", SAME_BYTES},
    {"overwrite", 0, OPT_FLAG, AT(overwrite), 0, NULL, "replace a finished dataset", SAME_BYTES},
};
static const struct opt_row dry_run_rows[] = {
    {"dry-run", 'n', OPT_FLAG, AT(dry_run), 0, NULL, "report what the run would do; write nothing", SAME_BYTES},
};
static const struct opt_row rejects_rows[] = {
    {"max-rejects", 0, OPT_TEXT, AT(max_rejects), 0, "N|P%", "maximum number of rejected records (default 0)", SETTING},
};
static const struct opt_row damage_rows[] = {
    {"on-damage", 0, OPT_TEXT, AT(on_damage), 0, "ACTION",
     "fail (default) | skip-block | skip-file: skip damaged parts of HFiles and list them", SETTING},
};
#undef AT
const struct opt_group opt_output = OPT_GROUP("output", output_rows, offsetof(struct options, out));
const struct opt_group opt_dry_run = OPT_GROUP("output", dry_run_rows, offsetof(struct options, out));
const struct opt_group opt_rejects = OPT_GROUP("error", rejects_rows, offsetof(struct options, out));
const struct opt_group opt_damage = OPT_GROUP("error", damage_rows, offsetof(struct options, out));

#define AT(f) offsetof(struct trust_options, f)
static const struct opt_row sign_rows[] = {
    {"sign-key", 0, OPT_TEXT, AT(sign_key), 0, "FILE",
     "sign the output with this minisign secret key, made without a password (minisign -G -W)", SAME_BYTES},
};
static const struct opt_row verify_key_rows[] = {
    {"verify-key", 0, OPT_LIST, AT(verify_keys), 16, "FILE",
     "require datasets and exports to be signed with this minisign public key (if repeated, with one of the keys)", SAME_BYTES},
    {"signed-after", 0, OPT_TIME, AT(signed_after_ms), AT(signed_after_given), "TIME",
     "with --verify-key: refuse signatures made before this time", SAME_BYTES},
};
#undef AT
const struct opt_group opt_sign = OPT_GROUP_UNDER("", sign_rows, offsetof(struct options, trust));
const struct opt_group opt_verify_key = OPT_GROUP("signature", verify_key_rows, offsetof(struct options, trust));

#define AT(f) offsetof(struct resource_options, f)
static const struct opt_row resource_rows[] = {
    {"threads", 't', OPT_COUNT, AT(threads), 0, "N", "worker threads (default: number of processors)", SAME_BYTES},
    {"memory", 'm', OPT_SIZE, AT(memory), 0, "SIZE", "total memory of the process (default 1G, minimum 64M)", SAME_BYTES},
};
static const struct opt_row spill_rows[] = {
    {"temp-dir", 0, OPT_TEXT, AT(temp_dir), 0, "DIR",
     "directory for spill files (default: the output directory; obkv-load, obkv-verify: $TMPDIR or /var/tmp)", SAME_BYTES},
    {"disk-limit", 0, OPT_SIZE, AT(disk_limit), 0, "SIZE", "maximum disk space for temporary files and output together",
     SAME_BYTES},
    {"now", 0, OPT_TIME, AT(now_ms), AT(now_given), "TIME",
     "use this as the current time: ms since 1970, a date, or 2026-11-21T12:00:00Z (default: the system clock)", SETTING},
};
#undef AT
const struct opt_group opt_resources = OPT_GROUP("resource", resource_rows, offsetof(struct options, resources));
const struct opt_group opt_spill = OPT_GROUP("resource", spill_rows, offsetof(struct options, resources));

#define AT(f) offsetof(struct message_options, f)
static const struct opt_row json_rows[] = {
    {"json", 'j', OPT_FLAG, AT(json), 0, NULL, "print the result as one JSON document", SAME_BYTES},
    {"html", 0, OPT_LATER, AT(html), 0, "FILE", "also write the result as an HTML page", SAME_BYTES},
};
static const struct opt_row html_rows[] = {
    {"html", 0, OPT_LATER, AT(html), 0, "FILE", "write the result as an HTML page", SAME_BYTES},
};
static const struct opt_row log_rows[] = {
    {"log-format", 0, OPT_TEXT, AT(log_format), 0, "FORMAT",
     "format of messages: text (default) | timed: text with the time | json: one object per line", SAME_BYTES},
};
static const struct opt_row message_rows[] = {
    {"progress", 0, OPT_TEXT, AT(progress), 0, "WHEN",
     "progress: auto (default, on a terminal) | never | lines: one a minute | json: one a second", SAME_BYTES},
    {"metrics", 0, OPT_LATER, AT(metrics), 0, "FILE", "write metrics of the run for the textfile collector of Prometheus",
     SAME_BYTES},
    {"strict", 0, OPT_FLAG, AT(strict), 0, NULL, "treat warnings as errors: publish nothing and exit with 4", SAME_BYTES},
    {"allow", 0, OPT_LIST, AT(allow), 0, "CODE", "accept warnings of this code (may be repeated)", SAME_BYTES},
    {"quiet", 'q', OPT_FLAG, AT(quiet), 0, NULL, "print errors only", SAME_BYTES},
    {"verbose", 'v', OPT_FLAG, AT(verbose), 0, NULL, "print more", SAME_BYTES},
    {"config", 0, OPT_CONFIG, 0, 0, "FILE",
     "read options from FILE, lines of NAME = VALUE; those given here take precedence | NAME=VALUE: such a line", SAME_BYTES},
    {"help", 'h', OPT_HELP, 0, 0, NULL,
     "print the common options; --help all: all options; --help OPTION: one; --help completion:SHELL: a script for bash, zsh or "
     "fish",
     SAME_BYTES},
    {"version", 'V', OPT_VERSION, 0, 0, NULL, "print the version, commit, compiler, codecs and libraries", SAME_BYTES},
};
#undef AT
const struct opt_group opt_json = OPT_GROUP("message", json_rows, offsetof(struct options, messages));
const struct opt_group opt_html = OPT_GROUP("message", html_rows, offsetof(struct options, messages));
const struct opt_group opt_log = OPT_GROUP_UNDER("", log_rows, offsetof(struct options, messages));
const struct opt_group opt_messages = OPT_GROUP("message", message_rows, offsetof(struct options, messages));

#define AT(f) offsetof(struct remote_options, f)
static const struct opt_row remote_rows[] = {
    {"s3-endpoint", 0, OPT_TEXT, AT(s3_endpoint), 0, "URL",
     "server of s3:// inputs: https://HOST:PORT (default: $AWS_ENDPOINT_URL_S3, else AWS)", SAME_BYTES},
    {"s3-region", 0, OPT_TEXT, AT(s3_region), 0, "NAME", "region of s3:// inputs (default: $AWS_REGION, else us-east-1)",
     SAME_BYTES},
    {"s3-virtual-host", 0, OPT_FLAG, AT(s3_in_host), 0, NULL,
     "with s3-endpoint: the bucket is in the host name (https://BUCKET.HOST), not in the path", SAME_BYTES},
    {"s3-part-size", 0, OPT_SIZE, AT(s3_part_size), 0, "SIZE", "larger files go to S3 in parts (default 64M)", SAME_BYTES},
    {"hdfs-namenodes", 0, OPT_TEXT, AT(namenodes), 0, "LIST",
     "namenodes of hdfs:// inputs, HOST:PORT of WebHDFS; of a pair, both (default: the host of the URL, port 9870)", SAME_BYTES},
    {"hdfs-user", 0, OPT_TEXT, AT(hdfs_user), 0, "NAME",
     "user name for HDFS without Kerberos (default: $HADOOP_USER_NAME, $USER)", SAME_BYTES},
    {"hdfs-token-file", 0, OPT_TEXT, AT(hdfs_token_file), 0, "FILE", "delegation token for HDFS, in the first line", SAME_BYTES},
    {"negotiate", 0, OPT_FLAG, AT(negotiate), 0, NULL, "read HDFS with the Kerberos ticket of kinit (SPNEGO)", SAME_BYTES},
    {"ca-file", 0, OPT_TEXT, AT(ca_file), 0, "FILE",
     "trust these certificates (PEM) of https servers (default: $AWS_CA_BUNDLE, $SSL_CERT_FILE, else the system's)", SAME_BYTES},
    {"remote-retries", 0, OPT_COUNT, AT(retries), 0, "N", "retries of a request to a server (default 8)", SAME_BYTES},
    {"remote-timeout", 0, OPT_SECONDS, AT(timeout_s), 0, "TIME", "give up an answer of which nothing comes (default 60s)",
     SAME_BYTES},
};
#undef AT
const struct opt_group opt_remote = OPT_GROUP_UNDER("", remote_rows, offsetof(struct options, remote));

#define AT(f) offsetof(struct target_options, f)
static const struct opt_row target_rows[] = {
    {"target", 0, OPT_TEXT, AT(address), 0, "ADDRESS", "the database: HOST:PORT/DATABASE", SAME_BYTES},
    {"user", 'u', OPT_TEXT, AT(user), 0, "NAME", "user name; for OceanBase, USER@TENANT (default root)", SAME_BYTES},
    {"password-file", 0, OPT_TEXT, AT(password_file), 0, "FILE",
     "read the password from the first line (default: obkv-password in $CREDENTIALS_DIRECTORY, else none)", SAME_BYTES},
    {"tls", 0, OPT_TEXT, AT(tls), 0, "MODE",
     "off (default) | require: encrypt | verify: encrypt, and check certificate and host name", SAME_BYTES},
    {"tls-ca", 0, OPT_TEXT, AT(tls_ca), 0, "FILE", "certificates that --tls verify trusts (PEM)", SAME_BYTES},
    {"tls-cert", 0, OPT_TEXT, AT(tls_cert), 0, "FILE", "client certificate (PEM), if the server requires one", SAME_BYTES},
    {"tls-key", 0, OPT_TEXT, AT(tls_key), 0, "FILE", "key of the client certificate (PEM)", SAME_BYTES},
    {"jobs", 0, OPT_COUNT, AT(jobs), 0, "N",
     "number of concurrent statements, and of server threads for each (default 4; more threads on larger servers)", SAME_BYTES},
    {"retries", 0, OPT_COUNT, AT(retries), 0, "N", "retries after a temporary failure (default 5)", SAME_BYTES},
};
#undef AT
const struct opt_group opt_target = OPT_GROUP("database", target_rows, offsetof(struct options, target));
static const struct opt_row from_rows[] = {
    {"from", 0, OPT_TEXT, offsetof(struct target_options, address), 0, "ADDRESS",
     "read the tables of --table from this database of OceanBase: HOST:PORT/DATABASE", SETTING_IF},
};
const struct opt_group opt_from = OPT_GROUP("database", from_rows, offsetof(struct options, target));
enum { LOGIN_FIRST = 1, LOGIN_TLS = 3, LOGIN_JOBS = 7, LOGIN_END = 9 };
const struct opt_group opt_login = {"database", target_rows + LOGIN_FIRST, LOGIN_TLS - LOGIN_FIRST,
                                    offsetof(struct options, target), NULL};
const struct opt_group opt_login_tls = {NULL, target_rows + LOGIN_TLS, LOGIN_JOBS - LOGIN_TLS, offsetof(struct options, target),
                                        ""};
const struct opt_group opt_login_retries = {NULL, target_rows + LOGIN_END - 1, 1, offsetof(struct options, target), ""};

#define AT(f) offsetof(struct spread_options, f)
static const struct opt_row nodes_rows[] = {
    {"nodes", 0, OPT_COUNT, AT(nodes), 0, "N", "servers that share the partitions (default 3)", SAME_BYTES},
};
static const struct opt_row max_partition_rows[] = {
    {"max-partition", 0, OPT_SIZE, AT(max_partition), 0, "SIZE",
     "report partitions with more KeyValue bytes than this "
     "(default 100G)",
     SAME_BYTES},
};
#undef AT
const struct opt_group opt_nodes = OPT_GROUP("report", nodes_rows, offsetof(struct options, spread));
const struct opt_group opt_max_partition = OPT_GROUP("report", max_partition_rows, offsetof(struct options, spread));

const struct opt_group *const opt_shared[] = {
    &opt_input,      &opt_text,      &opt_names,         &opt_archive_limits, &opt_key,
    &opt_wal,        &opt_selection, &opt_ddl,           &opt_partition,      &opt_compact,
    &opt_rules,      &opt_setting,   &opt_set_rules,     &opt_set_deletes,    &opt_set_compaction,
    &opt_set_files,  &opt_set_size,  &opt_compaction,    &opt_rank,           &opt_delta,
    &opt_cell_files, &opt_keep_seq,  &opt_output,        &opt_dry_run,        &opt_sign,
    &opt_verify_key, &opt_rejects,   &opt_damage,        &opt_remote,         &opt_resources,
    &opt_spill,      &opt_json,      &opt_log,           &opt_messages,       &opt_target,
    &opt_from,       &opt_nodes,     &opt_max_partition, &opt_staged,         NULL};

struct options options_default(void) {
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    return (struct options){
        .rules = {.rank = "position"},
        .write = {.keep_seq = "yes", .target_file_size = UINT64_C(4) << 30},
        .remote = {.retries = 8, .timeout_s = 60, .s3_part_size = 64 << 20},
        .out = {.max_rejects = "0", .on_damage = "fail"},
        .resources = {.memory = UINT64_C(1) << 30, .threads = cpus > 0 ? (uint64_t)cpus : 1},
        .messages = {.progress = "auto", .log_format = "text"},
        .target = {.user = "root", .tls = "off", .jobs = 4, .retries = 5},
        .spread = {.nodes = 3, .max_partition = UINT64_C(100) << 30},
    };
}

const char *temp_dir_of(const char *given) {
    const char *dir = given ? given : getenv("TMPDIR");
    if (given || (dir && *dir)) return dir;
    return access("/var/tmp", W_OK | X_OK) ? "/tmp" : "/var/tmp";
}

const struct opt_row *opt_row_named(const struct opt_group *const *groups, const char *name) {
    for (; *groups; groups++)
        for (size_t i = 0; !(*groups)->under && i < (*groups)->n; i++)
            if (!strcmp((*groups)->rows[i].name, name)) return &(*groups)->rows[i];
    return NULL;
}

bool opt_has_group(const struct options *o, const struct opt_group *g) {
    const struct opt_group *const *have = o->groups;
    while (have && *have && *have != g) have++;
    return have && *have;
}
