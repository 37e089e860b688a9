/*
 * dnspack.h - the public interface of dnspack: a compact entry for DNS answer caches.
 *
 *     wire response --dnspack_entry_encode--> entry (octets that you keep)
 *     client query  --dnspack_query_parse---> view --dnspack_answer_build(entry)--> wire response
 *
 * Conventions
 *   - No function allocates, keeps global state, reads a clock or does I/O: memory and time are arguments.
 *   - Input buffers are (pointer, length) and at most 65,535 octets; offsets count from their first octet.
 *   - A status is returned, results go through pointers. Results are written only on DNSPACK_OK; the one
 *     exception is a "needed" size, written with DNSPACK_E_NO_SPACE.
 *   - Times are seconds of one clock of the caller's choice (32 bits); a clock that steps back ages nothing.
 */
#ifndef DNSPACK_H
#define DNSPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef DNSPACK_API
#if defined(__GNUC__) && !defined(__FRAMAC__)
#define DNSPACK_API __attribute__((visibility("default")))
#else
#define DNSPACK_API
#endif
#endif

#if defined(__GNUC__) && !defined(__FRAMAC__)
#define DNSPACK_MUST_CHECK __attribute__((warn_unused_result))
#else
#define DNSPACK_MUST_CHECK
#endif

#define DNSPACK_VERSION "0.1.0"

#define DNSPACK_MESSAGE_MAX 65535u /* RFC 1035 4.2.2: a two-octet length */
#define DNSPACK_NAME_MAX 255u      /* RFC 1035 2.3.4, root octet included */
#define DNSPACK_HEADER_LEN 12u     /* RFC 1035 4.1.1 */
#define DNSPACK_ENTRY_MAX 65535u   /* spec/entry-format.md: a two-octet length */
#define DNSPACK_ENTRY_MIN 11u      /* ten fixed octets and the root as query name */
#define DNSPACK_TTL_MAX 16777215u  /* spec/entry-format.md: TTLs are stored in 24 bits */
#define DNSPACK_RECORDS_MAX 5956u  /* a record has at least 11 octets: (65535 - 12) / 11 */
#define DNSPACK_RUNS_MAX 5956u
#define DNSPACK_TAG_MAX 255u
#define DNSPACK_ERRORS_MAX 8u /* extended errors that one entry keeps */

/* Why a call did not do what its name says. Each line says what the caller can do about it. */
enum dnspack_status {
    DNSPACK_OK = 0,
    DNSPACK_E_NO_SPACE = 1, /* the caller's buffer is too small: come back with the size that was reported */

    /* The message is malformed. Drop a response and ask another server; answer a query with FORMERR. */
    DNSPACK_E_SHORT = 2,    /* it ends inside a header, a question or a record (RFC 1035 4.1) */
    DNSPACK_E_NAME = 3,     /* a label type, a pointer or a length that no name has (RFC 1035 2.3.4, 4.1.4; RFC 9267) */
    DNSPACK_E_RDATA = 4,    /* RDATA contradicts its type */
    DNSPACK_E_EDNS = 5,     /* OPT is repeated, misplaced or overrun, or one of its options is malformed (RFC 6891) */
    DNSPACK_E_META = 6,     /* TSIG is not the last record (RFC 8945 5.1) */
    DNSPACK_E_QUESTION = 7, /* not exactly one question (RFC 9619) */

    /* The message is well formed and of another kind than the call takes. */
    DNSPACK_E_OPCODE = 8,    /* not QUERY: answer NOTIMP, or handle it elsewhere (RFC 1035 4.1.1) */
    DNSPACK_E_DIRECTION = 9, /* a response where a query is due, or the other way round: drop it */

    /* The response is not fit to be stored. Answer the client from the response itself. */
    DNSPACK_E_MISMATCH = 10,  /* it answers another question than the one asked (RFC 5452 9.1) */
    DNSPACK_E_TRUNCATED = 11, /* TC is set (RFC 2181 9): ask again over TCP */
    DNSPACK_E_RCODE = 12,     /* RCODE is not NOERROR, NXDOMAIN or SERVFAIL */
    DNSPACK_E_TYPE = 13,      /* the query type is a meta type (AXFR, TKEY, ...) */
    DNSPACK_E_CLASS = 14,     /* a record's class is not the question's, or the question's class is not a data class */
    DNSPACK_E_NO_SOA = 15,    /* a negative answer without SOA, or with more than one (RFC 2308 2, 5) */
    DNSPACK_E_REFERRAL = 16,  /* a referral: it answers nothing (RFC 2308 2.1) */
    DNSPACK_E_TTL_ZERO = 17,  /* a TTL of 0: for this one transaction only (RFC 1035 3.2.1) */
    DNSPACK_E_TOO_BIG = 18,   /* the entry would exceed DNSPACK_ENTRY_MAX */

    /* Answering. */
    DNSPACK_E_ENTRY = 19,   /* the octets are not a valid entry: discard them */
    DNSPACK_E_EXPIRED = 20, /* the entry's lifetime, and the stale time allowed, are over: resolve again */
    DNSPACK_E_VERSION = 21, /* the query's EDNS version is not 0: answer BADVERS (RFC 6891 6.1.3) */

    DNSPACK_STATUS_COUNT = 22
};

/* A short lower-case word for a status, for logs and statistics: "ok", "short", "ttl-zero", ... */
DNSPACK_API const char *dnspack_status_name(enum dnspack_status status);

/* ---- messages ---- */

enum dnspack_section { DNSPACK_ANSWER = 0, DNSPACK_AUTHORITY = 1, DNSPACK_ADDITIONAL = 2 };

/* A record of a message: where it is, not what it says. 16 octets. */
struct dnspack_record {
    uint32_t ttl_s; /* as received, top bit and all */
    uint16_t type;
    uint16_t rclass;
    uint16_t owner_off; /* the owner; where it is a bare pointer, the name that it points to */
    uint16_t rdata_off;
    uint16_t rdata_len; /* as in the message: names in it may be compressed */
    uint16_t section;   /* enum dnspack_section */
};

/* EDNS Client Subnet (RFC 7871 6). */
struct dnspack_ecs {
    uint8_t family;      /* 1 IPv4, 2 IPv6; 0: the message has no such option */
    uint8_t source_len;  /* SOURCE PREFIX-LENGTH, bits */
    uint8_t scope_len;   /* SCOPE PREFIX-LENGTH, bits */
    uint8_t address_len; /* octets of ADDRESS */
    uint16_t address_off;
};

/* What dnspack_message_parse finds. Offsets are into the message. */
struct dnspack_message {
    uint16_t id;
    uint16_t flags; /* the second 16 bits of the header as they are: QR .. RCODE */
    uint16_t rcode; /* 12 bits: with the upper 8 of OPT, if there is one (RFC 6891 6.1.3) */
    uint16_t question_count;
    uint16_t record_count[3]; /* by section, meta records (OPT, TSIG, SIG(0), ...) left out */
    uint16_t qname_len;       /* octets of the first question's name, which starts at offset 12; 0: no question */
    uint16_t qtype;
    uint16_t qclass;
    uint16_t end_off; /* where the last record ends; octets beyond it are not part of the message */
    /* EDNS (RFC 6891); all 0 without OPT */
    uint16_t options_off; /* OPT RDATA; 0: no OPT */
    uint16_t options_len;
    uint16_t udp_size;
    uint8_t version;
    bool dnssec_ok; /* DO (RFC 3225) */
    struct dnspack_ecs ecs;
    uint16_t cookie_off; /* RFC 7873; 0: none */
    uint8_t cookie_len;
    bool padding;        /* the message has a Padding option (RFC 7830) */
    bool nsid;           /* the message has an NSID option (RFC 5001) */
    uint8_t error_count; /* Extended DNS Errors (RFC 8914), at most DNSPACK_ERRORS_MAX */
};

/* Bits of dnspack_message.flags (RFC 1035 4.1.1, RFC 4035 3.1.6 and 3.2). */
#define DNSPACK_FLAG_QR 0x8000u
#define DNSPACK_FLAG_AA 0x0400u
#define DNSPACK_FLAG_TC 0x0200u
#define DNSPACK_FLAG_RD 0x0100u
#define DNSPACK_FLAG_RA 0x0080u
#define DNSPACK_FLAG_AD 0x0020u
#define DNSPACK_FLAG_CD 0x0010u

/*
 * Parse a whole message with opcode QUERY, strictly: every name, every record, every RDATA of a known type,
 * OPT and its options. Trailing octets are left alone (end_off).
 *   records     gets the records, in message order, meta records left out; NULL with record_cap 0: they are
 *               checked and not written. It is scratch on failure.
 *   DNSPACK_OK; SHORT, NAME, RDATA, EDNS, META: malformed; OPCODE; NO_SPACE: more than record_cap records
 *   (DNSPACK_RECORDS_MAX is always enough).
 * Cost: linear in msg_len; each name at most 255 octets and 127 pointers.
 */
DNSPACK_API enum dnspack_status dnspack_message_parse(const uint8_t *msg, size_t msg_len, struct dnspack_record *records, size_t record_cap,
                                                      struct dnspack_message *message) DNSPACK_MUST_CHECK;

/*
 * Parse a client's query: dnspack_message_parse, then QR = 0, one question and EDNS version 0.
 *   As above, and DIRECTION, QUESTION, VERSION. dnspack_answer_error() makes the response that each calls for.
 */
DNSPACK_API enum dnspack_status dnspack_query_parse(const uint8_t *msg, size_t msg_len, struct dnspack_message *query) DNSPACK_MUST_CHECK;

/* One EDNS option (RFC 6891 6.1.2). */
struct dnspack_option {
    uint16_t code;
    uint16_t data_off;
    uint16_t data_len;
};

/* Step through the options of a parsed message: *cursor starts at 0. True: *option is the next one; false: no more. */
DNSPACK_API bool dnspack_option_next(const uint8_t *msg, const struct dnspack_message *message, size_t *cursor,
                                     struct dnspack_option *option);

/* The tag under which an answer for a client subnet is stored: family, prefix length in bits, the prefix's octets. */
#define DNSPACK_ECS_TAG_MAX 18u

/*
 * Write the tag for the first prefix_len bits of ecs' address to tag and its length to *tag_len (2 + octets of the prefix).
 * For a response prefix_len is ecs.scope_len; a scope of 0 is for everybody and has the empty tag (*tag_len 0).
 * False: the address is shorter than prefix_len bits, or there is no ECS option; nothing is written.
 */
DNSPACK_API bool dnspack_ecs_tag(const uint8_t *msg, const struct dnspack_ecs *ecs, unsigned prefix_len, uint8_t tag[DNSPACK_ECS_TAG_MAX],
                                 size_t *tag_len);

/* ---- entries ---- */

/* What is stored, and for how long. */
struct dnspack_policy {
    uint32_t ttl_max_s;      /* cap on every TTL (RFC 8767 4), at most DNSPACK_TTL_MAX */
    uint32_t ttl_min_s;      /* raise shorter TTLs, but 0, to this; 0 keeps them as they are */
    uint32_t negative_max_s; /* cap on the lifetime of NXDOMAIN and NODATA (RFC 2308 5) */
    uint32_t servfail_s;     /* lifetime of SERVFAIL, 1..300 (RFC 9520 3.2); 0: not stored */
    bool drop_authority;     /* of positive answers; a negative answer keeps what proves it */
    bool drop_additional;
};

/* 7 days, 0, 3 hours, 5 seconds, all sections. */
DNSPACK_API struct dnspack_policy dnspack_policy_default(void);

/* A run of records with one owner, type and TTL, on the way into an entry. */
struct dnspack_run {
    uint32_t ttl_s;
    uint32_t owner_hash;
    uint16_t type;
    uint16_t owner_off; /* equal owners have the same; DNSPACK_HEADER_LEN: the query name */
    uint16_t owner_len;
    uint16_t first; /* index of its first record */
    uint16_t count;
    uint16_t leader; /* index of the first run of the same RRset */
    uint16_t section;
};

#define DNSPACK_CANDIDATES_MAX 64u

/* Scratch memory of the encoder, about 310 KB; one for each thread is enough, its content means nothing between calls. */
struct dnspack_workspace {
    struct dnspack_record records[DNSPACK_RECORDS_MAX];
    struct dnspack_run runs[DNSPACK_RUNS_MAX];
    uint16_t candidate_off[DNSPACK_CANDIDATES_MAX]; /* names in the entry that an owner may refer to */
    uint8_t candidate_len[DNSPACK_CANDIDATES_MAX];
    uint8_t entry[DNSPACK_ENTRY_MAX + DNSPACK_NAME_MAX + 2u]; /* a name more than an entry may have */
};

/* What goes into an entry beside the response itself. */
struct dnspack_encode_options {
    const struct dnspack_policy *policy;
    uint32_t now_s;       /* when the response arrived */
    const uint8_t *tag;   /* part of the key (ECS version, view, ...); NULL with tag_len 0: none */
    size_t tag_len;       /* at most DNSPACK_TAG_MAX */
    const uint8_t *asked; /* the query that was sent, NULL: the response's own question is trusted */
    size_t asked_len;
};

/*
 * Encode a wire response as an entry: dst gets the entry, *entry_len its octets.
 *   All statuses of dnspack_message_parse; QUESTION, DIRECTION, MISMATCH, TRUNCATED, RCODE, TYPE, CLASS, NO_SOA, REFERRAL, TTL_ZERO,
 *   TOO_BIG: not stored; NO_SPACE: *entry_len is the size needed. dst is written only on DNSPACK_OK.
 * Equal input gives equal octets.
 */
DNSPACK_API enum dnspack_status dnspack_entry_encode(const uint8_t *msg, size_t msg_len, const struct dnspack_encode_options *options,
                                                     struct dnspack_workspace *workspace, uint8_t *dst, size_t dst_cap,
                                                     size_t *entry_len) DNSPACK_MUST_CHECK;

/* For callers that have parsed the response themselves. All names and RDATA are in one buffer, by offset; compression is allowed. */
struct dnspack_source {
    const uint8_t *octets; /* the message or the caller's own buffer; the query name at offset 12, uncompressed */
    size_t octets_len;
    uint16_t qname_len;
    uint16_t qtype;
    uint16_t qclass;
    uint8_t rcode;        /* 0, 2 or 3 */
    bool authenticated;   /* validated: AD may be set (RFC 4035 3.2.3) */
    bool unchecked;       /* fetched with CD = 1 and not validated: only for queries with CD = 1 (RFC 4035 4.7) */
    uint16_t options_off; /* EDNS options, for their Extended DNS Errors; 0: none */
    uint16_t options_len;
    const struct dnspack_record *records; /* in section order, no meta records */
    size_t record_count;
};

/* Encode records that the caller has parsed already. Statuses as dnspack_entry_encode; bad names and RDATA: NAME, RDATA, SHORT. */
DNSPACK_API enum dnspack_status dnspack_entry_build(const struct dnspack_source *source, const struct dnspack_encode_options *options,
                                                    struct dnspack_workspace *workspace, uint8_t *dst, size_t dst_cap,
                                                    size_t *entry_len) DNSPACK_MUST_CHECK;

/* The most octets that the entry of a message of msg_len octets can take. */
DNSPACK_API size_t dnspack_entry_bound(size_t msg_len);

/* Are these octets an entry? OK or ENTRY; total: any octets. All other functions on entries take only what this accepts. */
DNSPACK_API enum dnspack_status dnspack_entry_check(const uint8_t *entry, size_t entry_len) DNSPACK_MUST_CHECK;

/* The fixed part of an entry, and where the rest is. */
struct dnspack_entry {
    uint32_t stored_s;
    uint32_t ttl_s;
    uint16_t qtype;
    uint16_t qclass;
    uint8_t rcode; /* 0, 2, 3 */
    bool authenticated;
    bool unchecked;
    uint8_t error_count;
    uint16_t qname_off;
    uint16_t qname_end; /* = where the tag field starts, if there is one */
    uint16_t tag_off;
    uint16_t tag_len;
    uint16_t errors_off;
    uint16_t section_off[4]; /* answer, authority, additional, end */
};

/* Read the head of a valid entry. */
DNSPACK_API struct dnspack_entry dnspack_entry_decode(const uint8_t *entry, size_t entry_len);

/* A record of an entry. Names in RDATA are uncompressed. */
struct dnspack_item {
    uint32_t ttl_s;
    uint16_t type;
    uint16_t owner_off; /* in the entry; dnspack_entry_name() reads it */
    uint16_t rdata_off;
    uint16_t rdata_len;
    uint8_t section;
};

/* The iterator's state; start with {0}. */
struct dnspack_cursor {
    uint16_t rdata_off; /* the next record's RDATA field, or the next group; 0: before the first */
    uint16_t owner_off;
    uint16_t type;
    uint16_t left; /* records left in this group */
    uint32_t ttl_s;
    uint8_t section;
};

/* Step through the records of a valid entry in order. True: *item is the next one; false: no more. */
DNSPACK_API bool dnspack_entry_next(const uint8_t *entry, const struct dnspack_entry *head, struct dnspack_cursor *cursor,
                                    struct dnspack_item *item);

/* Write the name at name_off of a valid entry, uncompressed, to name; returns its octets (1..255). */
DNSPACK_API size_t dnspack_entry_name(const uint8_t *entry, size_t entry_len, size_t name_off, uint8_t name[DNSPACK_NAME_MAX]);

/*
 * Does a valid entry answer this query? Name without case, type, class, tag and the CD rule (RFC 4035 4.7) decide;
 * a hash or a tag alone never does.
 */
DNSPACK_API bool dnspack_entry_matches(const uint8_t *entry, size_t entry_len, const uint8_t *msg, const struct dnspack_message *query,
                                       const uint8_t *tag, size_t tag_len);

/* ---- answers ---- */

struct dnspack_answer_options {
    uint32_t now_s;
    uint32_t stale_max_s;        /* how long after its end an entry may still be used (RFC 8767); 0: never */
    bool stale_negative;         /* NXDOMAIN and NODATA, too */
    bool recursion_available;    /* RA */
    bool authoritative;          /* AA */
    bool stream;                 /* TCP, TLS, ...: the client's UDP size does not matter */
    bool ecs;                    /* answer the client's ECS option (RFC 7871 7.2.1) */
    uint16_t size_max;           /* the caller's limit in octets; 0: 65535 */
    uint16_t udp_size;           /* what OPT says that this server takes; 0: 1232 */
    uint16_t padding_block;      /* pad to a multiple of it (RFC 8467: 468); 0: no padding */
    uint32_t rotation;           /* A and AAAA RRsets start at the record with this number, modulo their size */
    const uint8_t *edns_options; /* octets to send in OPT, e.g. a cookie or NSID; NULL with length 0: none */
    size_t edns_options_len;     /* at most DNSPACK_EDNS_OPTIONS_MAX */
};

#define DNSPACK_EDNS_OPTIONS_MAX 128u

/* What became of the answer. */
struct dnspack_answer {
    uint16_t len;
    bool truncated;       /* TC is set: whole RRsets were left out */
    bool stale;           /* the entry's lifetime is over; TTLs are 30 s (RFC 8767 4) */
    uint32_t remaining_s; /* of the entry's lifetime */
};

/*
 * Build the response to a parsed query from a valid entry that matches it, into dst.
 *   OK; EXPIRED; NO_SPACE: dst_cap does not hold header, question and OPT (dst is untouched). 512 octets always do, edns_options apart.
 */
DNSPACK_API enum dnspack_status dnspack_answer_build(const uint8_t *entry, size_t entry_len, const uint8_t *msg,
                                                     const struct dnspack_message *query, const struct dnspack_answer_options *options,
                                                     uint8_t *dst, size_t dst_cap, struct dnspack_answer *answer) DNSPACK_MUST_CHECK;

/*
 * Build the response to a query that dnspack_query_parse refused with `why` (FORMERR, NOTIMP, BADVERS), or SERVFAIL for DNSPACK_OK.
 * Returns its octets; 0: the message deserves no response (it is one itself, or has no header) or dst_cap < 23.
 */
DNSPACK_API size_t dnspack_answer_error(const uint8_t *msg, size_t msg_len, enum dnspack_status why, uint8_t *dst, size_t dst_cap);

#ifdef __cplusplus
}
#endif

#endif
