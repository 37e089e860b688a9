/* round_trip: a response that is stored has a structured layout, and entry and answer have the same. */
#include "dnspack.h"
#include "expanded.h"
#include "structured.h"
#include "target.h"

enum { RECORDS_MAX = 64, NOW_S = 1000 }; /* the encoder looks back as far; the comparison takes quadratic time */

static struct dnspack_workspace workspace;
static uint8_t entry[DNSPACK_ENTRY_MAX];
static uint8_t answer[DNSPACK_MESSAGE_MAX];
static struct expanded decoded, query;

static void must_equal(const struct structured *a, const uint8_t *msg, size_t msg_len, uint32_t age_s)
{
    const struct structured_rules rules = {.ttl_max_s = DNSPACK_TTL_MAX, .age_s = age_s, .compare_errors = true};
    char why[200] = "it has no structured layout";
    struct structured *b = structured_parse(msg, msg_len);
    must(b != NULL && structured_equal(a, b, &rules, why, sizeof why), why);
    structured_free(b);
}

static void answer_is_equal(const struct structured *a, size_t entry_len, uint32_t age_s)
{
    const struct dnspack_answer_options options = {.now_s = NOW_S + age_s, .stream = true};
    struct dnspack_message message;
    struct dnspack_answer what;
    expand_query(entry, entry_len, true, &query);
    must(dnspack_query_parse(query.octets, query.len, &message) == DNSPACK_OK, "an entry's question can be asked");
    must(dnspack_entry_matches(entry, entry_len, query.octets, &message, NULL, 0), "an entry matches its question");
    must(dnspack_answer_build(entry, entry_len, query.octets, &message, &options, answer, sizeof answer, &what) == DNSPACK_OK,
         "an entry that has not expired has an answer");
    must(!what.truncated && !what.stale, "an answer is whole and fresh");
    must_equal(a, answer, what.len, age_s);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t input_len)
{
    const struct dnspack_policy policy = {.ttl_max_s = DNSPACK_TTL_MAX, .negative_max_s = DNSPACK_TTL_MAX, .servfail_s = 5};
    const struct dnspack_encode_options options = {.policy = &policy, .now_s = NOW_S};
    struct dnspack_message message;
    size_t entry_len = 0;
    if (input_len > DNSPACK_MESSAGE_MAX || dnspack_message_parse(input, input_len, decoded.records, RECORDS_MAX, &message) != DNSPACK_OK ||
        dnspack_entry_encode(input, input_len, &options, &workspace, entry, sizeof entry, &entry_len) != DNSPACK_OK) {
        return 0;
    }
    struct structured *a = structured_parse(input, input_len);
    must(a != NULL, "what is stored has a structured layout");
    if (expand_entry(entry, entry_len, &decoded) && decoded.len + 2 * (size_t)RECORDS_MAX <= sizeof answer) {
        must_equal(a, decoded.octets, decoded.len, 0);
        answer_is_equal(a, entry_len, 0);
        answer_is_equal(a, entry_len, parameter(input, input_len, 0, 3) % dnspack_entry_decode(entry, entry_len).ttl_s);
    }
    structured_free(a);
    return 0;
}
