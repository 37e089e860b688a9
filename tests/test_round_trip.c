/*
 * Tests of the way there and back: what a response says is what its entry and the answer from it say. Every response of
 * corpus/captures and spec/vectors that is stored goes through every test; paths are from the root of the repository.
 */
#include <ctype.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture.h"
#include "dnspack.h"
#include "expanded.h"
#include "judge.h"
#include "structured.h"

enum {
    NOW_S = 1000,
    STORED_MIN = 1000,       /* responses; with fewer the tests say too little */
    STORED_VECTORS_MIN = 12, /* of them from spec/vectors */
    SAME_CASE_MIN = 200,     /* responses whose only names are in the question and pointers to it */
};

/* Lifetimes as received, so that the rules of the judges are all that happens to a TTL. */
static const struct dnspack_policy policy = {.ttl_max_s = DNSPACK_TTL_MAX, .negative_max_s = DNSPACK_TTL_MAX, .servfail_s = 5};
static const struct dnspack_encode_options options = {.policy = &policy, .now_s = NOW_S};

/* A response and its entry. */
struct stored {
    const char *path;
    size_t number; /* of the message in its file */
    const uint8_t *msg;
    size_t msg_len;
    const uint8_t *entry;
    size_t entry_len;
};

static struct {
    glob_t paths;
    struct stored *items;
    size_t count;
    size_t vector_count;
    struct dnspack_workspace workspace;
    struct expanded expanded, query;
    uint8_t entry[DNSPACK_ENTRY_MAX];
    uint8_t answer[DNSPACK_MESSAGE_MAX];
} all;

static void require(bool holds, const struct stored *stored, const char *what)
{
    if (!holds) {
        fail_msg("%s: message %zu: %s", stored->path, stored->number, what);
    }
}

/* ---- responses ---- */

static uint8_t *copy(const uint8_t *src, size_t src_len)
{
    uint8_t *octets = malloc(src_len > 0 ? src_len : 1);
    assert_non_null(octets);
    memcpy(octets, src, src_len);
    return octets;
}

/* Keep a message, if it is a response that is stored. */
static bool keep(const char *path, size_t number, const uint8_t *msg, size_t msg_len)
{
    struct stored stored = {path, number, NULL, msg_len, NULL, 0};
    if (dnspack_entry_encode(msg, msg_len, &options, &all.workspace, all.entry, sizeof all.entry, &stored.entry_len) != DNSPACK_OK) {
        return false;
    }
    struct stored *items = realloc(all.items, (all.count + 1) * sizeof *items);
    assert_non_null(items);
    stored.msg = copy(msg, msg_len);
    stored.entry = copy(all.entry, stored.entry_len);
    items[all.count++] = stored;
    all.items = items;
    return true;
}

static void keep_capture(const char *path)
{
    char error[200];
    struct capture_message message;
    struct capture *capture = capture_open(path, NULL, 0, error, sizeof error);
    if (capture == NULL) {
        fail_msg("%s: %s", path, error);
    }
    for (size_t number = 1; capture_next(capture, &message) == 1; number++) {
        keep(path, number, message.octets, message.len);
    }
    capture_close(capture);
}

/* The octets that hexadecimal digits say, up to the first that is none; test_vectors says whether the file is well formed. */
static size_t read_hex(const char *text, uint8_t *dst, size_t dst_cap)
{
    size_t len = 0;
    for (; len < dst_cap && isxdigit((unsigned char)text[0]) && isxdigit((unsigned char)text[1]); text += 2) {
        const char pair[] = {text[0], text[1], '\0'};
        dst[len++] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return len;
}

static void keep_vector(const char *path)
{
    static const char word[] = "message: ";
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t line_cap = 0;
    assert_non_null(file);
    while (getline(&line, &line_cap, file) >= 0) {
        if (strncmp(line, word, strlen(word)) == 0) {
            size_t len = read_hex(line + strlen(word), all.answer, sizeof all.answer);
            all.vector_count += keep(path, 1, all.answer, len);
        }
    }
    free(line);
    fclose(file);
}

static int load(void **state)
{
    (void)state;
    glob("corpus/captures/*.pcap*", 0, NULL, &all.paths);
    glob("spec/vectors/*.txt", GLOB_APPEND, NULL, &all.paths);
    for (size_t i = 0; i < all.paths.gl_pathc; i++) {
        const char *path = all.paths.gl_pathv[i];
        if (strncmp(path, "spec/", 5) == 0) {
            keep_vector(path);
        } else {
            keep_capture(path);
        }
    }
    return 0;
}

static int unload(void **state)
{
    (void)state;
    for (size_t i = 0; i < all.count; i++) {
        free((void *)all.items[i].msg);
        free((void *)all.items[i].entry);
    }
    free(all.items);
    globfree(&all.paths);
    return 0;
}

/* ---- properties of one response; true: there was something to compare ---- */

static void require_equal(const struct stored *stored, const uint8_t *msg, size_t msg_len, uint32_t age_s)
{
    const struct structured_rules rules = {.ttl_max_s = DNSPACK_TTL_MAX, .age_s = age_s, .compare_errors = true};
    struct structured *a = structured_parse(stored->msg, stored->msg_len);
    struct structured *b = structured_parse(msg, msg_len);
    char why[200] = "one of them has no structured layout";
    bool equal = a != NULL && b != NULL && structured_equal(a, b, &rules, why, sizeof why);
    structured_free(a);
    structured_free(b);
    require(equal, stored, why);
}

static bool decoded_is_equal(const struct stored *stored)
{
    require(dnspack_entry_check(stored->entry, stored->entry_len) == DNSPACK_OK, stored, "check refuses the entry");
    require(stored->entry_len <= dnspack_entry_bound(stored->msg_len), stored, "the entry exceeds its bound");
    if (!expand_entry(stored->entry, stored->entry_len, &all.expanded)) {
        return false;
    }
    require_equal(stored, all.expanded.octets, all.expanded.len, 0);
    return true;
}

/* The answer to a client that wants everything, age_s after the response came: both judges find it equal. */
static void require_answer(const struct stored *stored, uint32_t age_s)
{
    const struct dnspack_answer_options how = {.now_s = NOW_S + age_s, .stream = true};
    const struct judge_rules rules = {.ttl_max_s = DNSPACK_TTL_MAX, .age_s = age_s};
    struct dnspack_message query;
    struct dnspack_answer answer;
    char why[200] = "";
    expand_query(stored->entry, stored->entry_len, true, &all.query);
    const uint8_t *msg = all.query.octets;
    require(dnspack_query_parse(msg, all.query.len, &query) == DNSPACK_OK, stored, "its question cannot be asked");
    require(dnspack_entry_matches(stored->entry, stored->entry_len, msg, &query, NULL, 0), stored, "it does not match its question");
    require(dnspack_answer_build(stored->entry, stored->entry_len, msg, &query, &how, all.answer, sizeof all.answer, &answer) == DNSPACK_OK,
            stored, "there is no answer");
    require(!answer.truncated && !answer.stale, stored, "the answer is truncated or stale");
    require_equal(stored, all.answer, answer.len, age_s);
    require(dnspack_message_parse(all.answer, answer.len, NULL, 0, &query) == DNSPACK_OK && query.end_off == answer.len &&
                query.options_off != 0 && query.dnssec_ok,
            stored, "the answer is malformed, or has no OPT with DO");
    int verdict = judge_equal(stored->msg, stored->msg_len, all.answer, answer.len, &rules, why, sizeof why);
    require(verdict == JUDGE_EQUAL, stored, why);
}

static bool answer_is_equal(const struct stored *stored)
{
    const uint32_t ttl_s = dnspack_entry_decode(stored->entry, stored->entry_len).ttl_s;
    if (!expand_entry(stored->entry, stored->entry_len, &all.expanded)) {
        return false;
    }
    require_answer(stored, 0);
    require_answer(stored, ttl_s / 2);
    require_answer(stored, ttl_s - 1);
    return true;
}

static bool octets_are_reproducible(const struct stored *stored)
{
    for (int fill = 0; fill <= 255; fill += 255) {
        size_t len = 0;
        memset(&all.workspace, fill, sizeof all.workspace);
        memset(all.entry, 255 - fill, sizeof all.entry);
        enum dnspack_status status =
            dnspack_entry_encode(stored->msg, stored->msg_len, &options, &all.workspace, all.entry, stored->entry_len, &len);
        require(status == DNSPACK_OK && len == stored->entry_len, stored, "stored once, not twice");
        require(memcmp(all.entry, stored->entry, len) == 0, stored, "other octets than before");
    }
    return true;
}

static bool build_gives_same_octets(const struct stored *stored)
{
    const struct dnspack_entry head = dnspack_entry_decode(stored->entry, stored->entry_len);
    uint8_t name[DNSPACK_NAME_MAX];
    size_t len = 0;
    if (!expand_entry(stored->entry, stored->entry_len, &all.expanded)) {
        return false;
    }
    const struct dnspack_source source = {
        .octets = all.expanded.octets,
        .octets_len = all.expanded.len,
        .qname_len = (uint16_t)dnspack_entry_name(stored->entry, stored->entry_len, head.qname_off, name),
        .qtype = head.qtype,
        .qclass = head.qclass,
        .rcode = head.rcode,
        .authenticated = head.authenticated,
        .unchecked = head.unchecked,
        .options_off = all.expanded.options_off,
        .options_len = all.expanded.options_len,
        .records = all.expanded.records,
        .record_count = all.expanded.record_count,
    };
    enum dnspack_status status = dnspack_entry_build(&source, &options, &all.workspace, all.entry, sizeof all.entry, &len);
    require(status == DNSPACK_OK, stored, dnspack_status_name(status));
    require(len == stored->entry_len && memcmp(all.entry, stored->entry, len) == 0, stored, "build and encode differ");
    return true;
}

static uint8_t lower(uint8_t octet)
{
    return octet >= 'A' && octet <= 'Z' ? (uint8_t)(octet + 32) : octet;
}

/* Whether no name but the question's depends on how that is spelled: owners are pointers to it, and no RDATA has a compressed name. */
static bool names_are_pointers(const struct stored *stored, size_t qname_len)
{
    static struct dnspack_record records[DNSPACK_RECORDS_MAX];
    static const uint16_t types[] = {1, 16, 28, 43, 46, 47, 48, 50, 52, 64, 65, 257}; /* A TXT AAAA .. HTTPS CAA */
    struct dnspack_message message;
    require(dnspack_message_parse(stored->msg, stored->msg_len, records, DNSPACK_RECORDS_MAX, &message) == DNSPACK_OK, stored, "malformed");
    size_t count = (size_t)message.record_count[0] + message.record_count[1] + message.record_count[2];
    bool all_are = count > 0;
    for (size_t i = 0; i < count && all_are; i++) {
        size_t known = 0;
        while (known < sizeof types / sizeof types[0] && types[known] != records[i].type) {
            known++;
        }
        all_are = known < sizeof types / sizeof types[0] && records[i].owner_off < DNSPACK_HEADER_LEN + qname_len;
    }
    return all_are;
}

/* The same response to the question in other case (0x20) gives the same octets; the same but for case, where names end in the question's labels. */
static bool case_does_not_show(const struct stored *stored)
{
    uint8_t name[DNSPACK_NAME_MAX];
    const struct dnspack_entry head = dnspack_entry_decode(stored->entry, stored->entry_len);
    size_t qname_len = dnspack_entry_name(stored->entry, stored->entry_len, head.qname_off, name);
    uint8_t *flipped = copy(stored->msg, stored->msg_len);
    for (size_t label = DNSPACK_HEADER_LEN; flipped[label] != 0; label += flipped[label] + 1u) {
        for (size_t i = label + 1; i <= label + flipped[label]; i++) {
            uint8_t letter = lower(flipped[i]);
            flipped[i] ^= letter >= 'a' && letter <= 'z' ? 0x20 : 0;
        }
    }
    size_t len = 0;
    enum dnspack_status status =
        dnspack_entry_encode(flipped, stored->msg_len, &options, &all.workspace, all.entry, sizeof all.entry, &len);
    free(flipped);
    require(status == DNSPACK_OK && len == stored->entry_len, stored, "the entry has another length");
    size_t same = 0;
    while (same < len && lower(all.entry[same]) == lower(stored->entry[same])) {
        same++;
    }
    require(same == len, stored, "the entry differs in more than case");
    if (!names_are_pointers(stored, qname_len)) {
        return false;
    }
    require(memcmp(all.entry, stored->entry, len) == 0, stored, "the entry differs in case");
    return true;
}

/* ---- tests ---- */

static void for_all(bool (*property)(const struct stored *stored), size_t compared_min)
{
    size_t compared = 0;
    for (size_t i = 0; i < all.count; i++) {
        compared += property(&all.items[i]);
    }
    print_message("%zu of %zu responses compared\n", compared, all.count);
    assert_true(compared >= compared_min);
}

static void test_there_are_enough_responses(void **state)
{
    (void)state;
    assert_true(all.count >= STORED_MIN);
    assert_true(all.vector_count >= STORED_VECTORS_MIN);
}

static void test_decoded_entry_says_what_the_response_says(void **state)
{
    (void)state;
    for_all(decoded_is_equal, STORED_MIN);
}

static void test_answer_says_what_the_response_says_at_any_age(void **state)
{
    (void)state;
    for_all(answer_is_equal, STORED_MIN);
}

static void test_encode_gives_equal_octets_for_equal_input(void **state)
{
    (void)state;
    for_all(octets_are_reproducible, STORED_MIN);
}

static void test_build_of_decoded_records_gives_the_entry(void **state)
{
    (void)state;
    for_all(build_gives_same_octets, STORED_MIN);
}

static void test_case_of_the_question_does_not_show_in_the_entry(void **state)
{
    (void)state;
    for_all(case_does_not_show, SAME_CASE_MIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_are_enough_responses),
        cmocka_unit_test(test_decoded_entry_says_what_the_response_says),
        cmocka_unit_test(test_answer_says_what_the_response_says_at_any_age),
        cmocka_unit_test(test_encode_gives_equal_octets_for_equal_input),
        cmocka_unit_test(test_build_of_decoded_records_gives_the_entry),
        cmocka_unit_test(test_case_of_the_question_does_not_show_in_the_entry),
    };
    return cmocka_run_group_tests_name("round trip", tests, load, unload);
}
