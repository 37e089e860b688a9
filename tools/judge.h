/*
 * judge: whether two DNS messages say the same, in the opinion of libldns, and their text in its words.
 *
 * The second judge of a built answer, after the structured layout of the tests; it shares no code with either.
 */
#ifndef DNSPACK_TOOLS_JUDGE_H
#define DNSPACK_TOOLS_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an answer may differ in from its original. All zero: a fresh entry with every section kept. */
struct judge_rules {
    uint32_t ttl_max_s;  /* larger TTLs come out as this; 0 = 2^31 - 1, the largest there is (RFC 2181 8) */
    uint32_t age_s;      /* taken off each TTL, down to 0 */
    bool ttl_as_is;      /* TTLs are compared as they stand: no other TTL rule holds */
    bool drop_authority; /* the answer holds none of the original's records of this section, unless the original is negative */
    bool drop_additional;
};

enum judge_verdict {
    JUDGE_EQUAL,
    JUDGE_DIFFERENT,
    JUDGE_BAD_ORIGINAL, /* libldns cannot read it */
    JUDGE_BAD_ANSWER,
    JUDGE_NO_MEMORY,
};

/*
 * Equal: same RCODE (with the OPT's part), and section by section the same records in the same order,
 * except OPT, TSIG, SIG(0) and types 128..255. Names are compared without case where libldns makes
 * them canonical (RFC 4034 6.2, with RRSIG), all other RDATA octet for octet. A record's TTL is the
 * least of its RRset in the original's section, where no RRSIG shares an RRset (RFC 4035 2.2) and each
 * record counts with its own: large, if the top bit is set (RFC 8767 4); an RRSIG's at most its Original
 * TTL field (RFC 4034 3.1.4); that of an SOA in the authority section of a negative answer at most its
 * MINIMUM (RFC 2308 5). So no TTL is above the original's. Negative is NXDOMAIN, or NOERROR without an
 * answer record of the type asked for.
 * If the verdict is not JUDGE_EQUAL, the reason goes to why, cut to fit.
 */
int judge_equal(const uint8_t *original, size_t original_len, const uint8_t *answer, size_t answer_len, const struct judge_rules *rules,
                char *why, size_t why_cap);

/* The verdict of ldns_wire2pkt on a message; its status text, static, goes to *status. */
bool judge_accepts(const uint8_t *msg, size_t msg_len, const char **status);

/* A message as lines of text, from malloc; NULL if libldns cannot read it. */
char *judge_text(const uint8_t *msg, size_t msg_len);

/* The record at record_off of a message as one line of text, from malloc; NULL likewise. */
char *judge_text_record(const uint8_t *msg, size_t msg_len, size_t record_off);

#endif
