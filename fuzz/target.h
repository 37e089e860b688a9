/* target: what the fuzz targets share. A target is one property of any octets; it returns 0, or ends the program. */
#ifndef DNSPACK_FUZZ_TARGET_H
#define DNSPACK_FUZZ_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* libFuzzer's name for it. */
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t input_len); /* NOLINT(readability-identifier-naming) */

static inline void must(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "property broken: %s\n", what);
        abort();
    }
}

/* Parameters stand at the end of the input, so that a plain message or entry is a seed: the number in its last octets but `after`. */
static inline uint32_t parameter(const uint8_t *input, size_t input_len, size_t after, size_t octets)
{
    uint32_t value = 0;
    for (size_t i = 0; i < octets && after + octets <= input_len; i++) {
        value = value << 8 | input[input_len - after - octets + i];
    }
    return value;
}

#endif
