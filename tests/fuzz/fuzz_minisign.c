/* libFuzzer target: any bytes as a signature file of minisign. What is parsed fits its struct, and nothing that the fuzzer makes
 * up verifies. */
#include "fuzz.h"

#include "cmd/common/minisign.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct minisign s;
    struct minisign_public key = {.key = {1, 2, 3}};
    char *text = malloc(size + 1);
    require(text != NULL);
    memcpy(text, data, size);
    text[size] = 0;
    if (minisign_parse(text, &s)) {
        require(memchr(s.comment, 0, sizeof s.comment) && !strchr(s.comment, '\n'));
        memcpy(key.id, s.id, sizeof key.id);
        require(!minisign_verify(&s, &key, bytes_of(data, size)));
    }
    free(text);
    return 0;
}
