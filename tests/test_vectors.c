/* Tests of the format against its worked examples: every file of spec/vectors, read from the root of the repository. */
#include <glob.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dnspack.h"

enum { VECTORS_MIN = 12 };

struct octets {
    size_t len;
    uint8_t items[DNSPACK_MESSAGE_MAX];
};

struct vector {
    uint32_t now_s;
    struct octets message;
    struct octets entry;
    unsigned seen; /* the lines that were there: 1 now, 2 message, 4 entry */
};

/* ---- files: lines "now:", "message:" and "entry:", each once, in any order; "#" comments ---- */

/* Lower-case hexadecimal digits up to the end of the line. */
static bool read_hex(const char *text, struct octets *octets)
{
    static const char digits[] = "0123456789abcdef";
    size_t len = strspn(text, digits);
    if (len == 0 || len % 2 != 0 || text[len] != '\0' || len / 2 > sizeof octets->items) {
        return false;
    }
    for (octets->len = 0; octets->len < len / 2; octets->len++) {
        const char *at = text + 2 * octets->len;
        octets->items[octets->len] = (uint8_t)((strchr(digits, at[0]) - digits) * 16 + (strchr(digits, at[1]) - digits));
    }
    return true;
}

static bool read_number(const char *text, uint32_t *number)
{
    size_t len = strspn(text, "0123456789");
    unsigned long value = len > 0 && len <= 10 && text[len] == '\0' ? strtoul(text, NULL, 10) : ULONG_MAX;
    *number = (uint32_t)value;
    return value <= UINT32_MAX;
}

/* A line without its end. */
static bool read_line(const char *line, struct vector *vector)
{
    static const char *const words[] = {"now: ", "message: ", "entry: "};
    if (*line == '#' || *line == '\0') {
        return true;
    }
    unsigned i = 0;
    while (i < 3 && strncmp(line, words[i], strlen(words[i])) != 0) {
        i++;
    }
    if (i == 3 || (vector->seen & 1u << i) != 0) {
        return false;
    }
    vector->seen |= 1u << i;
    const char *value = line + strlen(words[i]);
    return i == 0 ? read_number(value, &vector->now_s) : read_hex(value, i == 1 ? &vector->message : &vector->entry);
}

/* 0, or the number of the line that is wrong; a line that is missing counts as one after the last. */
static size_t read_vector(FILE *file, struct vector *vector)
{
    char *line = NULL;
    size_t line_cap = 0;
    size_t number = 0;
    bool is_good = true;
    vector->seen = 0;
    while (is_good && getline(&line, &line_cap, file) >= 0) {
        number++;
        line[strcspn(line, "\n")] = '\0';
        is_good = read_line(line, vector);
    }
    free(line);
    if (is_good && vector->seen != 7) {
        number++;
        is_good = false;
    }
    return is_good ? 0 : number;
}

/* ---- what each of them states ---- */

static struct dnspack_workspace workspace;

static void assert_encodes(const char *path, const struct vector *vector)
{
    static uint8_t entry[DNSPACK_ENTRY_MAX];
    const struct dnspack_policy policy = dnspack_policy_default();
    const struct dnspack_encode_options options = {.policy = &policy, .now_s = vector->now_s};
    size_t len = 0;
    enum dnspack_status status =
        dnspack_entry_encode(vector->message.items, vector->message.len, &options, &workspace, entry, sizeof entry, &len);
    if (status != DNSPACK_OK) {
        fail_msg("%s: not stored: %s", path, dnspack_status_name(status));
    }
    size_t same = 0;
    while (same < len && same < vector->entry.len && entry[same] == vector->entry.items[same]) {
        same++;
    }
    if (same < len || same < vector->entry.len) {
        fail_msg("%s: octet %zu of the entry differs; it has %zu octets, the file %zu", path, same, len, vector->entry.len);
    }
}

/* Only the whole entry is one: the octets are in a block of their own, so that a sanitizer sees a read past the end. */
static void assert_checks(const char *path, const struct vector *vector)
{
    for (size_t len = 0; len <= vector->entry.len + 1; len++) {
        uint8_t *octets = calloc(1, len + (len == 0));
        assert_non_null(octets);
        memcpy(octets, vector->entry.items, len <= vector->entry.len ? len : vector->entry.len);
        enum dnspack_status status = dnspack_entry_check(octets, len);
        free(octets);
        if (status != (len == vector->entry.len ? DNSPACK_OK : DNSPACK_E_ENTRY)) {
            fail_msg("%s: check of %zu octets of %zu says %s", path, len, vector->entry.len, dnspack_status_name(status));
        }
    }
}

static void for_each_vector(void (*assert_it)(const char *path, const struct vector *vector))
{
    static struct vector vector;
    glob_t paths = {0};
    assert_int_equal(glob("spec/vectors/*.txt", 0, NULL, &paths), 0);
    assert_true(paths.gl_pathc >= VECTORS_MIN);
    for (size_t i = 0; i < paths.gl_pathc; i++) {
        FILE *file = fopen(paths.gl_pathv[i], "r");
        assert_non_null(file);
        size_t wrong = read_vector(file, &vector);
        fclose(file);
        if (wrong != 0) {
            fail_msg("%s:%zu: not 'now: NUMBER', 'message: HEX' or 'entry: HEX', each once", paths.gl_pathv[i], wrong);
        }
        assert_it(paths.gl_pathv[i], &vector);
    }
    globfree(&paths);
}

static void test_encode_gives_the_entry_of_every_vector(void **state)
{
    (void)state;
    for_each_vector(assert_encodes);
}

static void test_check_accepts_the_entry_and_no_other_length(void **state)
{
    (void)state;
    for_each_vector(assert_checks);
}

static void test_malformed_vector_is_named_by_line(void **state)
{
    (void)state;
    static struct vector vector;
    static const struct {
        const char *text;
        size_t wrong;
    } files[] = {
        {"# x\nnow: 10\nmessage: 12ab\n\nentry: 00", 0},
        {"now: 4294967295\nentry: 00\nmessage: 12\n", 0},
        {"now: 4294967296\nmessage: 12\nentry: 00\n", 1},
        {"now: -1\nmessage: 12\nentry: 00\n", 1},
        {"now: 1 \nmessage: 12\nentry: 00\n", 1},
        {"now: 1\nmessage: 123\nentry: 00\n", 2},
        {"now: 1\nmessage: 12\nentry: 0x\n", 3},
        {"now: 1\nmessage: 12\nentry: \n", 3},
        {"now: 1\nmessage: 12\nnow: 1\nentry: 00\n", 3},
        {"now: 1\nmessage: 12\nentri: 00\n", 3},
        {"now: 1\nmessage: 12\n", 3},
        {"\n", 2},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char text[64];
        size_t len = strlen(files[i].text);
        memcpy(text, files[i].text, len);
        FILE *file = fmemopen(text, len, "r");
        assert_non_null(file);
        assert_int_equal(read_vector(file, &vector), files[i].wrong);
        fclose(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_encode_gives_the_entry_of_every_vector),
        cmocka_unit_test(test_check_accepts_the_entry_and_no_other_length),
        cmocka_unit_test(test_malformed_vector_is_named_by_line),
    };
    return cmocka_run_group_tests_name("vectors", tests, NULL, NULL);
}
