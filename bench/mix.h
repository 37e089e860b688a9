/*
 * mix.h - the paper's mix of cached answers as wire messages, made by a generator of its own from a seed.
 */
#ifndef DNSPACK_BENCH_MIX_H
#define DNSPACK_BENCH_MIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MIX_NAME_MIN = 12, /* octets of a name on the wire, root included */
    MIX_NAME_MAX = 40,
    MIX_RECORDS_MAX = 4,
    MIX_TXT_MIN = 64, /* octets of TXT RDATA */
    MIX_TXT_MAX = 224,
    MIX_QUERY_MAX = 12 + MIX_NAME_MAX + 4 + 11,
    MIX_RESPONSE_MAX = 12 + MIX_NAME_MAX + 4 + MIX_RECORDS_MAX * (12 + MIX_TXT_MAX)
};

struct mix {
    uint64_t state;
    bool txt_per_entry; /* MIX_TXT_MIN..MIX_TXT_MAX is the sum over an entry's records, not the size of each */
    bool edns;          /* queries carry an OPT of 1232 octets, DO clear */
};

struct mix_message {
    size_t response_len;
    size_t query_len;
    size_t name_len;
    size_t floor_octets; /* name + 2 of type + 4 of TTL + all RDATA */
    uint8_t response[MIX_RESPONSE_MAX];
    uint8_t query[MIX_QUERY_MAX];
};

void mix_init(struct mix *mix, uint64_t seed, bool txt_per_entry, bool edns);

/* The next response and the client's query for it. */
void mix_next(struct mix *mix, struct mix_message *message);

/* The query for the first question of a response: its ID and question, RD, and an OPT if edns. Returns its octets. */
size_t mix_query(const uint8_t *response, size_t question_len, bool edns, uint8_t *query);

#endif
