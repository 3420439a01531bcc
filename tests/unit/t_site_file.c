/* hbase-site.xml, and the settings of a cluster that follow from it, from the table and from its families. */
#include "cmd/common/site_file.h"
#include "cmd/split/simulate/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const char *value_of(const struct property_list *l, const char *name) {
    const struct property *p = property_list_find(l, name);
    return p ? p->value : NULL;
}

#define PROPERTY(name, value) "<property><name>" name "</name><value>" value "</value></property>"
#define SITE(text) "<configuration>" text "</configuration>"

static void refused(const char *text, enum err_code code, const char *why) {
    struct property_list l = {0};
    struct err err = {0};
    assert_int_equal(site_file_parse(bytes_str(text), "s.xml", &l, &err), -1);
    assert_int_equal(err.code, code);
    if (!strstr(err.text, why)) fail_msg("'%s' does not say '%s'", err.text, why);
    property_list_free(&l);
}

static void as_hadoop_reads_it(void **state) {
    (void)state;
    static const char text[] =
        "<?xml version=\"1.0\"?>\n<?xml-stylesheet type=\"text/xsl\" href=\"configuration.xsl\"?>\n"
        "<!DOCTYPE configuration>\n<!-- <property><name>no</name><value>1</value></property> -->\n"
        "<configuration>\n" PROPERTY(" a\n", " 1 ")
            PROPERTY("b", "x&amp;<!-- c -->y<![CDATA[<z>]]>") "<property><name>c</name></property>" PROPERTY(
                "a", "2") "<property name=\"d\" value=\"4\"/>"
                          "<property><value>5</value><description>d &lt; "
                          "e</description><name>e</name><final>true</final></property>\n" PROPERTY("e", "6")
                              SITE(PROPERTY("f", "7")) PROPERTY("g", "") "</configuration>";
    struct property_list l = {0};
    struct err err = {0};
    if (site_file_parse(bytes_str(text), "s.xml", &l, &err)) fail_msg("%s", err.text);
    assert_string_equal(value_of(&l, "a"), "2");
    assert_string_equal(value_of(&l, "b"), "x&y<z>");
    assert_null(value_of(&l, "c"));
    assert_string_equal(value_of(&l, "d"), "4");
    assert_string_equal(value_of(&l, "e"), "5");
    assert_string_equal(value_of(&l, "f"), "7");
    assert_null(value_of(&l, "g"));
    assert_null(value_of(&l, "no"));
    assert_string_equal(property_list_find(&l, "f")->place, "s.xml:8"); /* the name of the first has a line end */
    property_list_free(&l);
}

static const char *env_of_test(const char *name) {
    return !strcmp(name, "SET") ? "12" : !strcmp(name, "EMPTY") ? "" : NULL;
}

static void final_properties(void **state) {
    (void)state;
    static const char text[] =
        SITE("<property><name>a</name><value>1</value><final>true</final></property>" PROPERTY(
            "a", "2") "<property><name>b</name><final>true</final></property>" PROPERTY("b", "2")
                 PROPERTY("c", "1") "<property><name>c</name><final>true</final></property>" PROPERTY(
                     "c", "2") "<property><name>d</name><value>1</value><final>yes</final></property>" PROPERTY("d", "2"));
    static const char *const want[][2] = {{"a", "1"}, {"b", ""}, {"c", "1"}, {"d", "2"}};
    struct property_list l = {0};
    struct err err = {0};
    if (site_file_parse(bytes_str(text), "s.xml", &l, &err)) fail_msg("%s", err.text);
    for (size_t i = 0; i < countof(want); i++) assert_string_equal(value_of(&l, want[i][0]), want[i][1]);
    property_list_free(&l);
}

static void variables(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"${one}", "1"},
        {"a${one}b${two}c", "a1b1/2c"}, /* two: ${one}/2 */
        {"${one}${one}", "11"},
        {"${missing}${one}", "${missing}${one}"}, /* all behind it stays */
        {"${one}${missing}", "1${missing}"},
        {"x${self}", "x${self}"}, /* self: a${self} */
        {"${env.SET}", "12"},
        {"${env.EMPTY}|", "|"},
        {"${env.NONE}", "${env.NONE}"},
        {"${env.NONE-7}${env.SET-7}${env.EMPTY-7}", "712"},
        {"${env.NONE:-7}${env.SET:-7}${env.EMPTY:-7}", "7127"},
        {"${env.NONE-}|", "|"},
        {"${env.}", "e"},
        {"$one {one} ${} ${ one} ${on e} $${one} ${one", "$one {one} ${} ${ one} ${on e} $1 ${one"},
        {"${$one}", "${$one}"},
        {"${a${one}", "${a1"},
        {"${in${one}}", "${in1}"}, /* in1 is not known */
        {"${final}", "f"},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct property_list l = {0};
        struct err err = {0};
        static const char *const others[][2] = {
            {"one", "1"}, {"two", "${one}/2"}, {"self", "a${self}"}, {"env.", "e"}, {"final", "f"}};
        for (size_t k = 0; k < countof(others); k++)
            assert_int_equal(property_list_put(&l, others[k][0], others[k][1], "s.xml:1", &err), 0);
        assert_int_equal(property_list_put(&l, "value", cases[i][0], "s.xml:2", &err), 0);
        if (property_vars_substitute(&l, env_of_test, &err)) fail_msg("%s: %s", cases[i][0], err.text);
        assert_string_equal(value_of(&l, "value"), cases[i][1]);
        assert_string_equal(value_of(&l, "two"), "1/2");
        property_list_free(&l);
    }
}

static void too_many_variables(void **state) {
    (void)state;
    struct property_list l = {0};
    struct err err = {0};
    char text[21 * 4 + 1] = "";
    for (int i = 0; i < 20; i++) strcat(text, "${x}");
    assert_int_equal(property_list_put(&l, "x", "y", "s.xml:1", &err), 0);
    assert_int_equal(property_list_put(&l, "many", text, "s.xml:2", &err), 0);
    assert_int_equal(property_vars_substitute(&l, env_of_test, &err), -1);
    assert_int_equal(err.code, ERR_USAGE);
    assert_string_equal(err.text, "s.xml:2: many: more than 20 variables in one value");
    err = (struct err){0};
    text[19 * 4] = '\0';
    assert_int_equal(property_list_put(&l, "many", text, "s.xml:2", &err), 0);
    assert_int_equal(property_vars_substitute(&l, env_of_test, &err), 0);
    assert_string_equal(value_of(&l, "many"), "yyyyyyyyyyyyyyyyyyy");
    property_list_free(&l);
    assert_int_equal(property_list_put(&l, "a", "${b}", "s.xml:1", &err), 0);
    assert_int_equal(property_list_put(&l, "b", "${a}", "s.xml:2", &err), 0);
    assert_int_equal(property_vars_substitute(&l, env_of_test, &err), -1); /* a circle of two goes on until then */
    assert_int_equal(err.code, ERR_USAGE);
    property_list_free(&l);
}

static void what_is_no_configuration(void **state) {
    (void)state;
    refused("", ERR_INPUT, "s.xml:1: no element found");
    refused("<configuration>\n<property>\n</configuration>", ERR_INPUT, "s.xml:3: mismatched tag");
    refused("<beans/>", ERR_INPUT, "s.xml:1: begins with <beans>");
    refused("<!DOCTYPE c [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>" SITE(PROPERTY("a", "&a;")), ERR_UNSUPPORTED, "entities");
    refused("<!DOCTYPE c [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>" SITE(PROPERTY("a", "&b;")), ERR_UNSUPPORTED, "entities");
    refused("<configuration xmlns:xi=\"http://www.w3.org/2001/XInclude\">\n<xi:include href=\"x.xml\"/></configuration>",
            ERR_UNSUPPORTED, "s.xml:2: includes");
}

/* settings of one family "f"; code: what is expected */
static struct sim_settings settings(const char *site, const struct property_list *table, const struct property_list *family,
                                    enum err_code code, struct err *err) {
    static const char *const names[] = {"f"};
    struct property_list l = {0};
    struct sim_settings s;
    if (site_file_parse(bytes_str(site), "s.xml", &l, err)) fail_msg("%s", err->text);
    struct sim_given g = {.site = &l, .table = table, .family_names = names, .families = family, .n_families = 1};
    int rc = sim_settings_make(&g, &s, err);
    property_list_free(&l);
    if (err->code != code) fail_msg("%d: %s", (int)err->code, err->text);
    assert_int_equal(rc, code ? -1 : 0);
    return s;
}

static void defaults_are_those_of_hbase(void **state) {
    (void)state;
    struct err err = {0};
    struct sim_settings s = settings("<configuration/>", NULL, NULL, ERR_NONE, &err);
    const struct sim_compaction *c = &s.families[0].compaction;
    assert_true(c->ratio == 1.2f && c->ratio_offpeak == 5 && c->min_files == 3 && c->max_files == 10);
    assert_true(c->min_bytes == 128 << 20 && c->max_bytes == INT64_MAX && c->throttle_bytes == UINT64_C(2684354560));
    assert_true(c->blocking_files == 16 && c->major_period_ms == 604800000 && c->check_multiplier == 1000);
    assert_true(s.region.flush_bytes == 128 << 20 && s.region.initial_split_bytes == 256 << 20);
    assert_true(s.region.max_file_bytes == UINT64_C(10737418240) && s.region.split_policy == SIM_SPLIT_STEPPING);
    assert_true(s.server.check_ms == 10000 && s.server.flush_check_ms == 10000);
    sim_settings_free(&s);
}

static void the_narrower_one_wins(void **state) {
    (void)state;
    struct property_list table = {0}, family = {0};
    struct err err = {0};
    property_list_put(&table, "MEMSTORE_FLUSHSIZE", "64MB", "--set", &err);
    property_list_put(&table, "MAX_FILESIZE", "1073741824", "--set", &err);
    property_list_put(&table, "SPLIT_POLICY", "org.apache.hadoop.hbase.regionserver.ConstantSizeRegionSplitPolicy", "--set",
                      &err);
    property_list_put(&table, "hbase.hstore.compaction.min", "4", "--set", &err);
    property_list_put(&table, "hbase.hstore.compaction.max", "8", "--set", &err);
    property_list_put(&table, "hbase.hstore.flusher.count", "7", "--set", &err);
    property_list_put(&family, "hbase.hstore.compaction.min", "5", "--set", &err);
    property_list_put(&family, "TTL", "86400", "--set", &err);
    struct sim_settings s =
        settings(SITE(PROPERTY("hbase.hstore.compaction.min", "6") PROPERTY("hbase.hregion.memstore.flush.size", "0x1000000")
                          PROPERTY("hbase.hregion.majorcompaction", "0") PROPERTY("hbase.server.thread.wakefrequency", "5000")
                              PROPERTY("hbase.regionserver.region.split.policy", "DisabledRegionSplitPolicy")),
                 &table, &family, ERR_NONE, &err);
    const struct sim_compaction *c = &s.families[0].compaction;
    assert_int_equal(c->min_files, 5);
    assert_int_equal(c->max_files, 8);
    assert_int_equal(c->min_bytes, 128 << 20); /* hbase-default.xml, whatever the memstore is */
    assert_int_equal(c->throttle_bytes, UINT64_C(2684354560));
    assert_int_equal(c->major_period_ms, 0);
    assert_int_equal(s.region.flush_bytes, 64 << 20);
    assert_int_equal(s.region.initial_split_bytes, 128 << 20);
    assert_int_equal(s.region.max_file_bytes, 1 << 30);
    assert_int_equal(s.region.split_policy, SIM_SPLIT_CONSTANT_SIZE);
    assert_int_equal(s.server.check_ms, 5000);
    assert_int_equal(s.server.flush_threads, 7);
    assert_int_equal(s.families[0].ttl_ms, 86400000);
    sim_settings_free(&s);
    property_list_free(&table);
    property_list_free(&family);
}

static void what_hbase_could_not_use(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum err_code code;
        const char *why;
    } cases[] = {
        {SITE(PROPERTY("hbase.hregion.memstore.flush.size", "128m")), ERR_USAGE,
         "s.xml:1: hbase.hregion.memstore.flush.size is '128m'"},
        {SITE(PROPERTY("hbase.hstore.compaction.ratio", "big")), ERR_USAGE, "not a number"},
        {SITE(PROPERTY("hbase.hstore.compaction.max", "1")), ERR_USAGE, "from 2 to"},
        {SITE(PROPERTY("hbase.hstore.engine.class", "org.apache.hadoop.hbase.regionserver.StripeStoreEngine")), ERR_UNSUPPORTED,
         "DefaultStoreEngine"},
        {SITE(PROPERTY("hbase.regionserver.region.split.policy", "org.apache.hadoop.hbase.regionserver.BusyRegionSplitPolicy")),
         ERR_UNSUPPORTED, "BusyRegionSplitPolicy"},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct err err = {0};
        struct sim_settings s = settings(cases[i].text, NULL, NULL, cases[i].code, &err);
        if (!strstr(err.text, cases[i].why)) fail_msg("'%s' does not say '%s'", err.text, cases[i].why);
        sim_settings_free(&s);
    }
}

static void what_is_not_emulated_is_told(void **state) {
    (void)state;
    struct err err = {0};
    struct sim_settings s = settings(SITE(PROPERTY("hbase.rootdir", "x") PROPERTY("hbase.busy.policy.minAge", "1")
                                              PROPERTY("hbase.hstore.compaction.min", "3")),
                                     NULL, NULL, ERR_NONE, &err);
    assert_int_equal(s.n_ignored, 1);
    assert_string_equal(s.ignored[0], "hbase.busy.policy.minAge (s.xml:1)");
    sim_settings_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_hadoop_reads_it),
        cmocka_unit_test(final_properties),
        cmocka_unit_test(variables),
        cmocka_unit_test(too_many_variables),
        cmocka_unit_test(what_is_no_configuration),
        cmocka_unit_test(defaults_are_those_of_hbase),
        cmocka_unit_test(the_narrower_one_wins),
        cmocka_unit_test(what_hbase_could_not_use),
        cmocka_unit_test(what_is_not_emulated_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
