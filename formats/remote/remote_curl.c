/* Opens libcurl at run time. The version with GnuTLS has the same functions under another name of the library, so it serves as
 * well. */
#include "formats/remote/remote_curl.h"

#include "base/bytes.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    size_t at;
} functions[] = {
    {"curl_global_init", offsetof(struct remote_curl, global_init)},
    {"curl_global_cleanup", offsetof(struct remote_curl, global_cleanup)},
    {"curl_easy_init", offsetof(struct remote_curl, init)},
    {"curl_easy_cleanup", offsetof(struct remote_curl, cleanup)},
    {"curl_easy_reset", offsetof(struct remote_curl, reset)},
    {"curl_easy_setopt", offsetof(struct remote_curl, setopt)},
    {"curl_easy_getinfo", offsetof(struct remote_curl, getinfo)},
    {"curl_easy_perform", offsetof(struct remote_curl, perform)},
    {"curl_easy_strerror", offsetof(struct remote_curl, text)},
    {"curl_slist_append", offsetof(struct remote_curl, append)},
    {"curl_slist_free_all", offsetof(struct remote_curl, free_list)},
};

static bool has_all(struct remote_curl *c) {
    for (size_t i = 0; i < countof(functions); i++) {
        void *f = dlsym(c->library, functions[i].name);
        if (!f) return false;
        memcpy((char *)c + functions[i].at, &f, sizeof f);
    }
    return true;
}

/* Signatures of S3 are right since 7.86. */
static bool is_new(const struct remote_curl *c) {
    enum { OLDEST = 0x075600 };
    curl_version_info_data *(*info)(CURLversion) = NULL;
    void *f = dlsym(c->library, "curl_version_info");
    memcpy(&info, &f, sizeof f);
    return f && info(CURLVERSION_NOW)->version_num >= OLDEST;
}

static bool is_missing(const char *why) {
    return strstr(why, "No such file or directory");
}

/* Texts of the loader, which end without a reason where it had no memory for one. */
static bool is_for_memory(const char *why) {
    return !*why || strstr(why, "memory") || strstr(why, "cannot create") || strstr(why, "cannot map");
}

int remote_curl_open(struct remote_curl *c, struct err *err) {
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
    *c = (struct remote_curl){0};
    char why[200] = "";
    for (size_t i = 0; !c->library && i < countof(names); i++) {
        c->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        const char *text = c->library ? NULL : dlerror();
        if (text && (!i || !is_missing(text))) snprintf(why, sizeof why, "%s", text);
    }
    if (!c->library && is_missing(why))
        return err_set(err, ERR_UNSUPPORTED,
                       "URLs are read with libcurl, which is not installed: install libcurl4 (Fedora: libcurl)");
    if (!c->library)
        return err_set(err, is_for_memory(why) ? ERR_LIMIT : ERR_UNSUPPORTED,
                       "URLs are read with libcurl, which cannot be loaded: %s", *why ? why : "out of memory");
    bool fits = has_all(c) && is_new(c);
    if (fits && !c->global_init(CURL_GLOBAL_DEFAULT)) return 0;
    dlclose(c->library);
    c->library = NULL;
    if (fits) return err_set(err, ERR_LIMIT, "libcurl cannot begin: out of memory, or its TLS library has failed");
    return err_set(err, ERR_UNSUPPORTED, "libcurl is too old to read URLs: 7.86 or later is needed");
}

/* Closes the library. It stays loaded: TLS libraries do not like to go before the process does. */
void remote_curl_close(struct remote_curl *c) {
    if (c->library) c->global_cleanup();
    *c = (struct remote_curl){0};
}
