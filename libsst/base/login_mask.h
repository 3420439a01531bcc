/* User and password of URLs and addresses in texts that others read. */
#ifndef BASE_LOGIN_MASK_H
#define BASE_LOGIN_MASK_H

#include <stdbool.h>
#include <stddef.h>

/* Replaces user and password of each URL in a text by ***. */
void login_mask(char *text);
/* Masks an address or URL as a whole, also one without a scheme: user:password@host, and parameters after ?. Returns out. */
char *login_mask_address(const char *address, char *out, size_t room);
/* Whether the name of a user is followed by a password: root:password. */
bool login_has_password(const char *user);
/* Masks this password. Returns out. */
char *login_mask_user(const char *user, char *out, size_t room);

#endif
