/* minimal: a response goes in and becomes an entry; a query comes; the entry answers it. */
#include <stdio.h>

#include "dnspack.h"

/* www.example A: 192.0.2.1 and 192.0.2.2, for 300 seconds. */
static const uint8_t response[] =
    "\x12\x34\x81\x80\0\1\0\2\0\0\0\0\3www\7example\0\0\1\0\1"
    "\xc0\x0c\0\1\0\1\0\0\1\x2c\0\4\xc0\0\2\1"
    "\xc0\x0c\0\1\0\1\0\0\1\x2c\0\4\xc0\0\2\2";

/* Another client asks for wWw.eXample A. */
static const uint8_t query[] = "\xbe\xef\1\0\0\1\0\0\0\0\0\0\3wWw\7eXample\0\0\1\0\1";

static struct dnspack_workspace workspace; /* one a thread */

int main(void)
{
    /* Keep it: it arrived at second 1000. */
    const struct dnspack_policy policy = dnspack_policy_default();
    const struct dnspack_encode_options encode_options = {.policy = &policy, .now_s = 1000};
    uint8_t entry[512];
    size_t entry_len;
    enum dnspack_status status =
        dnspack_entry_encode(response, sizeof response - 1, &encode_options, &workspace, entry, sizeof entry, &entry_len);
    if (status != DNSPACK_OK) {
        printf("not stored: %s\n", dnspack_status_name(status));
        return 1;
    }

    /* Answer from it, 100 seconds later. */
    struct dnspack_message view;
    status = dnspack_query_parse(query, sizeof query - 1, &view);
    if (status != DNSPACK_OK || !dnspack_entry_matches(entry, entry_len, query, &view, NULL, 0)) {
        printf("not for this entry: %s\n", dnspack_status_name(status));
        return 1;
    }
    const struct dnspack_answer_options answer_options = {.now_s = 1100, .recursion_available = true};
    uint8_t wire[512];
    struct dnspack_answer answer;
    status = dnspack_answer_build(entry, entry_len, query, &view, &answer_options, wire, sizeof wire, &answer);
    if (status != DNSPACK_OK) {
        printf("not answered: %s\n", dnspack_status_name(status));
        return 1;
    }
    printf("a response of %zu octets, an entry of %zu, an answer of %u that lives %u s\n", sizeof response - 1, entry_len, answer.len,
           (unsigned)answer.remaining_s);
    return 0;
}
