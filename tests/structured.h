/*
 * structured: a DNS message in the naive form, arrays of parsed records with pointers.
 *
 * It shares no code with src/: its parser is the oracle of the round-trip tests, its layout
 * the first of the benchmark. Slow and plain on purpose; total on any octets.
 */
#ifndef DNSPACK_TESTS_STRUCTURED_H
#define DNSPACK_TESTS_STRUCTURED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Growable arrays, as Rust's Vec: nothing allocated while empty, doubled when full, from 8 octets or 4 larger items. */
struct structured_octets {
    uint8_t *items;
    size_t len;
    size_t cap;
};

struct structured_strings {
    struct structured_octets *items;
    size_t len;
    size_t cap;
};

/* RDATA cut where names begin and end: every name, expanded, is one field, all octets between two names are another. */
struct structured_fields {
    struct structured_octets items[3]; /* SOA: name, name, 20 octets; nothing has more */
    bool is_folded[3];                 /* a name that is compared without case: RFC 3597 4 */
    uint8_t len;
};

enum structured_form {
    STRUCTURED_ADDRESS, /* A: 4 octets, AAAA: 16 */
    STRUCTURED_STRINGS, /* TXT and its kin, without the length octets */
    STRUCTURED_FIELDS,  /* everything else */
};

struct structured_record {
    struct structured_octets owner; /* wire form, expanded, case kept */
    uint16_t type;
    uint16_t class;
    uint32_t ttl_s; /* as received: the top bit may be set */
    enum structured_form form;
    union {
        uint8_t address[16];
        struct structured_strings strings;
        struct structured_fields fields;
    } rdata;
};

struct structured_records {
    struct structured_record *items;
    size_t len;
    size_t cap;
};

struct structured_option {
    uint16_t code; /* of an extended error: its INFO-CODE */
    struct structured_octets data;
};

struct structured_options {
    struct structured_option *items;
    size_t len;
    size_t cap;
};

struct structured_question {
    struct structured_octets qname;
    uint16_t qtype;
    uint16_t qclass;
};

struct structured {
    struct structured_question question; /* if has_question */
    struct structured_records answer;
    struct structured_records authority;
    struct structured_records additional; /* without the OPT */
    struct structured_options options;    /* without the extended errors */
    struct structured_options errors;     /* RFC 8914 */
    uint16_t id;
    uint16_t rcode;    /* with the upper 8 bits of the OPT */
    uint16_t udp_size; /* this and the next from the OPT */
    uint8_t edns_version;
    uint8_t opcode;
    bool has_question;
    bool has_edns;
    bool dnssec_ok;
    bool qr;
    bool aa;
    bool tc;
    bool rd;
    bool ra;
    bool z;
    bool ad;
    bool cd;
};

/* What a message that was stored and read back may differ in. All zero: a fresh entry with every section kept. */
struct structured_rules {
    uint32_t ttl_max_s;  /* larger TTLs come out as this; 0 = 2^31 - 1, the largest there is (RFC 2181 8) */
    uint32_t age_s;      /* taken off each TTL, down to 0 */
    bool ttl_as_is;      /* TTLs are compared as they stand: no other TTL rule holds */
    bool drop_authority; /* b holds none of a's records of this section, unless a is negative */
    bool drop_additional;
    bool compare_errors; /* b has a's first eight extended errors, in order and octet for octet, and no more */
};

/*
 * Parse msg, all sections; NULL if it is malformed or memory ran out. Malformed is also what no response
 * to a query holds: two questions (RFC 9619), the empty RDATA of dynamic updates (RFC 2136 2.4). RDATA
 * of meta types is opaque; octets after the last record are ignored.
 */
struct structured *structured_parse(const uint8_t *msg, size_t msg_len);

void structured_free(struct structured *s);

/* The octets requested for s: itself and all that hangs below, counted as allocated, not as used. */
size_t structured_bytes(const struct structured *s);

/*
 * Whether b says the same as a, its original: RCODE, question, and section by section the same
 * records in the same order, except OPT, TSIG, SIG(0) and types 128..255. Owners and the names of
 * RFC 3597 4 are compared without ASCII case, all other RDATA octet for octet. A record's TTL is the
 * least of its RRset in a's section, where no RRSIG shares an RRset (RFC 4035 2.2) and each record
 * counts with its own: large, if the top bit is set (RFC 8767 4); an RRSIG's at most its Original TTL
 * field (RFC 4034 3.1.4); that of an SOA in the authority section of a negative answer at most its
 * MINIMUM (RFC 2308 5). So b never has a TTL above a's. Negative is NXDOMAIN, or NOERROR without an
 * answer record of the type asked for.
 * If not, the reason goes to why, cut to fit.
 */
bool structured_equal(const struct structured *a, const struct structured *b, const struct structured_rules *rules, char *why,
                      size_t why_cap);

#endif
