/* One setting after the other, looked up from the narrowest list to the widest (family, table, site) and read as Hadoop's
 * Configuration and HBase's descriptors read numbers. Tables of struct setting say which field takes which. */

#include "base/buf.h"
#include "cmd/split/simulate/setting_lookup.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum { VALUE_MAX_BYTES = 100 };

const struct property *setting_find(const struct setting_lookup *l, const char *name) {
    for (size_t i = 0; i < countof(l->lists); i++) {
        const struct property *p = property_list_find(l->lists[i], name);
        if (p) return p;
    }
    return NULL;
}

/* The value without blanks around it. false: it is too long to be one of ours. */
static bool trimmed(const struct property *p, char out[VALUE_MAX_BYTES + 1]) {
    const char *v = p->value;
    while (isspace((unsigned char)*v)) v++;
    size_t n = strlen(v);
    while (n && isspace((unsigned char)v[n - 1])) n--;
    if (n > VALUE_MAX_BYTES) return false;
    memcpy(out, v, n);
    out[n] = 0;
    return true;
}

static bool read_long(const char *v, long long *out, char **end) {
    const char *digits = v + (*v == '-' || *v == '+');
    bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    errno = 0;
    *out = strtoll(v, end, hex ? 16 : 10);
    return isxdigit((unsigned char)*digits) && *end != v && !errno;
}

/* Bytes, or as the shell shows and takes them: 10GB, 10 GB. */
static bool read_bytes(const char *v, long long *out) {
    static const char units[] = "BKMGT";
    char *end;
    if (!read_long(v, out, &end)) return false;
    while (*end == ' ') end++;
    if (!*end) return true;
    const char *unit = strchr(units, toupper((unsigned char)*end));
    if (!unit || (end[1] && (strcasecmp(end + 1, "B") != 0 || unit == units))) return false;
    for (; unit > units; unit--)
        if (__builtin_mul_overflow(*out, 1024LL, out)) return false;
    return true;
}

static bool read_real(const char *v, bool is_float, double *out) {
    char *end;
    *out = strtod(v, &end);
    if (end == v || isspace((unsigned char)*v)) return false;
    if (*end == 'f' || *end == 'F' || *end == 'd' || *end == 'D') end++; /* as Java writes its literals */
    if (is_float) *out = (float)*out;
    return !*end && isfinite(*out);
}

static int unusable(const struct setting_lookup *l, const struct setting *s, const struct property *p) {
    const char *kind = s->type == SETTING_LONG    ? "a whole number without a unit"
                       : s->type == SETTING_BYTES ? "a number of bytes"
                                                  : "a number";
    char range[80];
    if (s->most < (double)INT64_MAX)
        snprintf(range, sizeof range, "from %.15g to %.15g", s->least, s->most);
    else
        snprintf(range, sizeof range, "from %.15g on", s->least);
    return err_set(l->err, ERR_USAGE, "%s: %s is '%.60s', not %s %s", p->place, p->name, p->value, kind, range);
}

static void store_whole(const struct setting *s, void *field, long long v) {
    if (s->size == 4) *(int32_t *)field = (int32_t)v;
    if (s->size == 8) *(int64_t *)field = v;
}

static int read_number(const struct setting_lookup *l, const struct setting *s, const struct property *p, void *field) {
    char v[VALUE_MAX_BYTES + 1], *end;
    long long whole = 0;
    double real = 0;
    bool good = trimmed(p, v);
    if (s->type == SETTING_LONG) good = good && read_long(v, &whole, &end) && !*end;
    if (s->type == SETTING_BYTES) good = good && read_bytes(v, &whole);
    bool is_whole = s->type == SETTING_LONG || s->type == SETTING_BYTES;
    if (!is_whole) good = good && read_real(v, s->type == SETTING_FLOAT, &real);
    if (is_whole) real = (double)whole;
    if (!good || real < s->least || real > s->most) return unusable(l, s, p);
    if (is_whole)
        store_whole(s, field, whole);
    else
        *(double *)field = real;
    return 0;
}

static void read_bool(const struct property *p, bool *field) {
    char v[VALUE_MAX_BYTES + 1];
    if (!trimmed(p, v)) return;
    if (!strcasecmp(v, "true")) *field = true;
    if (!strcasecmp(v, "false")) *field = false;
}

int setting_read_all(const struct setting_lookup *l, const struct setting *settings, size_t n, void *base) {
    for (size_t i = 0; i < n; i++) {
        const struct property *p = setting_find(l, settings[i].name);
        void *field = (char *)base + settings[i].field;
        if (!p) continue;
        if (settings[i].type == SETTING_BOOL)
            read_bool(p, field);
        else if (read_number(l, &settings[i], p, field))
            return -1;
    }
    return 0;
}

bool setting_known(const struct setting *settings, size_t n, const char *name) {
    for (size_t i = 0; i < n; i++)
        if (!strcmp(settings[i].name, name)) return true;
    return false;
}

int setting_class(const struct setting_lookup *l, const char *name, const char *package, const char *const *words, size_t n) {
    const struct property *p = setting_find(l, name);
    char v[VALUE_MAX_BYTES + 1], list[400] = "";
    if (!p) return -1;
    size_t at = strlen(package), used = 0;
    bool short_enough = trimmed(p, v);
    const char *word = short_enough && !strncmp(v, package, at) ? v + at : v;
    for (size_t i = 0; short_enough && i < n; i++)
        if (!strcmp(word, words[i])) return (int)i;
    for (size_t i = 0; i < n && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", words[i]);
    err_set(l->err, ERR_UNSUPPORTED, "%s: %s is '%.100s', which is not emulated; these are: %s", p->place, name, p->value, list);
    return -2;
}
