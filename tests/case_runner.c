/*
 * case_runner.c - runs every case file of a folder (tests/cases/FORMAT.txt) through the public interface of dnspack and
 * prints a line a step. Answers are read by libldns and, where single octets count, by the small reader in this file.
 */
#include <ctype.h>
#include <dirent.h>
#include <ldns/ldns.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dnspack.h"

enum { STEPS_MAX = 64, PROPERTIES_MAX = 16, UDP_SIZE_MAX = 4096, WHY_CAP = 400 };
enum { EXIT_FAILED = 1, EXIT_TROUBLE = 2 };
enum step_kind { MESSAGE = 1, INSERT = 2, QUERY = 4, TIME = 8 };
enum value_kind { NONE, NUMBER, NUMBER_OR_CAP, LIST, HEX, ECS, PREFIX, TRANSPORT, AS_ASKED };

/*
 * The words of an expectation: where each may stand, and what follows it. Those before LIFETIME are verdicts: the first word
 * of an expectation is one, and no other. A word that is not here is a format error.
 */
/* clang-format off */
#define WORDS(X) \
    X(ACCEPT, "accept", MESSAGE, NONE) X(REJECT, "reject", MESSAGE, NONE) X(REJECT_OR_OPAQUE, "reject-or-opaque", MESSAGE, NONE) \
    X(REJECT_OR_IGNORE_OPTION, "reject-or-ignore-option", MESSAGE, NONE) X(REJECT_OR_IN_BOUNDS, "reject-or-in-bounds", MESSAGE, NONE) \
    X(REJECT_OR_IGNORE_TAIL, "reject-or-ignore-tail", MESSAGE, NONE) X(FORMERR, "formerr", MESSAGE, NONE) \
    X(NOT_CACHED, "not-cached", MESSAGE, NONE) X(ACCEPT_NOT_CACHED, "accept-not-cached", MESSAGE, NONE) X(STORE, "store", INSERT, NONE) \
    X(NOT_STORED, "not-stored", INSERT, NONE) X(NOT_STORED_OR_CAPPED, "not-stored-or-capped", INSERT, NONE) \
    X(NOT_STORED_OR_TTL0, "not-stored-or-ttl0", INSERT, NONE) X(STORE_OR_REJECT, "store-or-reject", INSERT, NONE) \
    X(STORE_OR_TOO_BIG, "store-or-too-big", INSERT, NONE) X(STORE_OR_SKIP, "store-or-skip", INSERT, NONE) X(ANY, "any", INSERT, NONE) \
    X(HIT, "hit", QUERY, NONE) X(MISS, "miss", QUERY, NONE) X(MISS_OR, "miss-or", QUERY, NONE) X(IF_STORED, "if-stored:", QUERY, NONE) \
    X(FORMERR_OR_IGNORED, "formerr-or-ignored", QUERY, NONE) X(QUERY_OK, "ok", QUERY, NONE) X(PARSE_OK, "parse-ok", QUERY, NONE) \
    X(LIFETIME, "lifetime<=", INSERT, NUMBER) X(TAG, "tag=", INSERT, PREFIX) X(APART, "apart", INSERT, NONE) \
    X(FOR_ALL, "scope 0 = for all", INSERT, NONE) X(RCODE, "rcode=", QUERY, NUMBER) X(ANCOUNT, "ancount=", QUERY, NUMBER) \
    X(NSCOUNT, "nscount=", QUERY, NUMBER) X(ARCOUNT, "arcount=", QUERY, NUMBER) X(TC, "tc=", QUERY, NUMBER) X(AD, "ad=", QUERY, NUMBER) \
    X(CD, "cd=", QUERY, NUMBER) X(DO, "do=", QUERY, NUMBER) X(OPT, "opt=", QUERY, NUMBER) X(EDE, "ede=", QUERY, NUMBER) \
    X(TYPES, "types=", QUERY, LIST) X(NO_TYPE, "no-type=", QUERY, LIST) X(TTL_LIST, "ttl=", QUERY, LIST) \
    X(TTL_MAX, "ttl<=", QUERY, NUMBER_OR_CAP) X(ANSWER_RDATA, "answer-rdata=", QUERY, HEX) \
    X(EXPANDED_RDATA, "expanded-rdata=", QUERY, HEX) X(RDLENGTHS, "rdlengths=", QUERY, LIST) \
    X(QUESTION_CASE, "question-case=", QUERY, AS_ASKED) X(CLIENT_SUBNET, "ecs=", QUERY, ECS) \
    X(NO_ECS_OPTION, "no-ecs-option", QUERY, NONE) X(TRANSPORT_IS, "transport=", QUERY, TRANSPORT) \
    X(SIZE_MAX_IS, "size<=", QUERY, NUMBER) X(MAX_POINTER, "max-pointer<=", QUERY, NUMBER) \
    X(NAMES_EQUAL, "names-equal-to-inserted", QUERY, NONE) X(SET_EQUAL, "set-equal", QUERY, NONE) \
    X(NO_ROOM_FOR_OPT, "OPT does not fit any more: never more than 65535 octets, tc=1 or SERVFAIL", QUERY, NONE)
/* clang-format on */

#define WORD_NAME(name, text, steps, value) name,
#define WORD_ROW(name, text, steps, value) {text, steps, value},
enum word { WORDS(WORD_NAME) WORD_COUNT };
static const struct {
    const char *text;
    uint8_t steps;
    uint8_t value;
} words[WORD_COUNT] = {WORDS(WORD_ROW)};

struct property {
    enum word word;
    const char *value;
};

struct step {
    unsigned number;
    enum step_kind kind;
    char *expect; /* as it stands in the file */
    enum word verdict;
    struct property properties[PROPERTIES_MAX];
    size_t property_count;
    bool stream;
    const char *now;
    const char *length;
    uint8_t *msg; /* of exactly msg_len octets, for the sanitizers */
    size_t msg_len;
};

struct case_file {
    char stem[256];
    char *text; /* the file, lines ended by 0 */
    struct step steps[STEPS_MAX];
    size_t step_count;
};

struct stored {
    uint8_t *entry;
    size_t len;
    const struct step *from;
};

/* A record of a wire message, by offset; the reader below shares no code with the library. */
struct wire_record {
    size_t owner_off;
    size_t rdata_off;
    size_t rdata_len;
    unsigned type;
};

struct wire {
    const uint8_t *octets;
    size_t len;
    size_t question_end;
    size_t count;
    size_t answer_count;
    struct wire_record records[DNSPACK_RECORDS_MAX];
};

struct runner {
    uint32_t now_s;
    bool last_stored;
    struct stored store[STEPS_MAX];
    size_t stored_count;
    char why[WHY_CAP];
    struct wire wire;   /* of the answer */
    struct wire source; /* of the message that it came from */
    ldns_pkt *pkt;
    struct dnspack_workspace workspace;
    uint8_t buffer[DNSPACK_MESSAGE_MAX];
};

static __attribute__((format(printf, 2, 3))) bool fail(struct runner *run, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(run->why, sizeof run->why, format, arguments);
    va_end(arguments);
    return false;
}

static bool equal_or_fail(struct runner *run, const char *what, unsigned long want, unsigned long got)
{
    return want == got || fail(run, "expected %s%lu, got %lu", what, want, got);
}

/* ---- octets ---- */

static int hex_digit(char character)
{
    const char *digits = "0123456789abcdef";
    const char *found = character != 0 ? strchr(digits, tolower((unsigned char)character)) : NULL;
    return found != NULL ? (int)(found - digits) : -1;
}

static void *allocate(size_t size)
{
    void *memory = calloc(1, size > 0 ? size : 1);
    if (memory == NULL)
        abort();
    return memory;
}

/* Octets of a hex string, or -1. dst NULL: count only. */
static long hex_read(const char *text, uint8_t *dst)
{
    size_t len = strlen(text);
    for (size_t at = 0; at < len; at++) {
        int digit = hex_digit(text[at]);
        if (digit < 0)
            return -1;
        if (dst != NULL)
            dst[at / 2] = (uint8_t)(at % 2 == 0 ? digit << 4 : dst[at / 2] | digit);
    }
    return len % 2 == 0 ? (long)(len / 2) : -1;
}

static unsigned load16(const uint8_t *src)
{
    return (unsigned)src[0] << 8 | src[1];
}

/* ---- reading answers octet by octet ---- */

static size_t name_end(const uint8_t *octets, size_t len, size_t off)
{
    while (off < len && octets[off] != 0 && octets[off] < 64)
        off += octets[off] + 1u;
    if (off < len && octets[off] == 0)
        return off + 1;
    return off + 2 <= len && octets[off] >= 0xc0 ? off + 2 : len + 1;
}

static bool wire_read(const uint8_t *octets, size_t len, struct wire *wire)
{
    *wire = (struct wire){.octets = octets, .len = len};
    if (len < DNSPACK_HEADER_LEN || load16(octets + 4) != 1)
        return false;
    size_t off = name_end(octets, len, DNSPACK_HEADER_LEN) + 4;
    wire->question_end = off;
    wire->answer_count = load16(octets + 6);
    wire->count = wire->answer_count + load16(octets + 8) + load16(octets + 10);
    if (off > len || wire->count > DNSPACK_RECORDS_MAX)
        return false;
    for (size_t at = 0; at < wire->count; at++) {
        struct wire_record *record = &wire->records[at];
        record->owner_off = off;
        off = name_end(octets, len, off);
        if (off > len || len - off < 10)
            return false;
        record->type = load16(octets + off);
        record->rdata_len = load16(octets + off + 8);
        record->rdata_off = off + 10;
        if (len - record->rdata_off < record->rdata_len)
            return false;
        off = record->rdata_off + record->rdata_len;
    }
    return off == len;
}

/* The option's data in the answer's OPT, or NULL. */
static const uint8_t *option_find(const struct wire *wire, unsigned code, size_t *data_len)
{
    for (size_t at = 0; at < wire->count; at++) {
        const struct wire_record *record = &wire->records[at];
        const uint8_t *data = wire->octets + record->rdata_off;
        size_t left = record->type == LDNS_RR_TYPE_OPT ? record->rdata_len : 0;
        while (left >= 4 && left - 4 >= load16(data + 2)) {
            *data_len = load16(data + 2);
            if (load16(data) == code)
                return data + 4;
            left -= 4 + *data_len;
            data += 4 + *data_len;
        }
    }
    return NULL;
}

static bool pointer_allowed(const struct wire *wire, size_t off, size_t target_max)
{
    size_t pointer_off = name_end(wire->octets, wire->len, off) - 2;
    if (pointer_off < off || wire->octets[pointer_off] < 0xc0)
        return true;
    size_t target = load16(wire->octets + pointer_off) & 0x3fff;
    return target <= target_max && target < pointer_off && target >= DNSPACK_HEADER_LEN;
}

/* All pointers: those of owners, and of names in the RDATA of the types of RFC 1035. */
static bool pointers_check(struct runner *run, size_t target_max)
{
    const struct wire *wire = &run->wire;
    for (size_t at = 0; at < wire->count; at++) {
        const struct wire_record *record = &wire->records[at];
        size_t off = record->rdata_off + (record->type == LDNS_RR_TYPE_MX ? 2 : 0);
        bool one = record->type == LDNS_RR_TYPE_NS || record->type == LDNS_RR_TYPE_CNAME || record->type == LDNS_RR_TYPE_PTR ||
                   record->type == LDNS_RR_TYPE_MX;
        bool two = record->type == LDNS_RR_TYPE_SOA;
        bool allowed = pointer_allowed(wire, record->owner_off, target_max);
        if (one || two)
            allowed = allowed && pointer_allowed(wire, off, target_max);
        if (two)
            allowed = allowed && pointer_allowed(wire, name_end(wire->octets, wire->len, off), target_max);
        if (!allowed)
            return fail(run, "expected pointers backward and not above %zu, got another in record %zu", target_max, at);
    }
    return true;
}

/* ---- properties of an answer ---- */

/* RDATA of one record, names expanded; the caller frees the buffer. */
static ldns_buffer *rdata_expand(const ldns_rr *rr)
{
    ldns_buffer *buffer = ldns_buffer_new(LDNS_MIN_BUFLEN);
    if (buffer == NULL || ldns_rr_rdata2buffer_wire(buffer, rr) != LDNS_STATUS_OK)
        abort();
    return buffer;
}

/* The answer section against the inserted message's: record by record, or as a set. libldns compares names expanded, without case. */
static bool inserted_equal(struct runner *run, const struct step *from, bool as_set)
{
    ldns_pkt *inserted = NULL;
    if (ldns_wire2pkt(&inserted, from->msg, from->msg_len) != LDNS_STATUS_OK)
        return fail(run, "expected an inserted message that libldns reads, got another");
    if (as_set) {
        ldns_rr_list_sort(ldns_pkt_answer(inserted));
        ldns_rr_list_sort(ldns_pkt_answer(run->pkt));
    }
    bool equal = ldns_rr_list_compare(ldns_pkt_answer(inserted), ldns_pkt_answer(run->pkt)) == 0;
    ldns_pkt_free(inserted);
    return equal || fail(run, "expected the records as inserted, got others");
}

static bool rdata_check(struct runner *run, const struct property *property)
{
    uint8_t *want = allocate(strlen(property->value) / 2);
    size_t want_len = (size_t)hex_read(property->value, want);
    bool good = run->wire.answer_count == 1;
    if (good && property->word == ANSWER_RDATA) {
        const struct wire_record *record = &run->wire.records[0];
        good = record->rdata_len == want_len && memcmp(run->wire.octets + record->rdata_off, want, want_len) == 0;
    } else if (good) {
        ldns_buffer *buffer = rdata_expand(ldns_rr_list_rr(ldns_pkt_answer(run->pkt), 0));
        good = ldns_buffer_position(buffer) == want_len && memcmp(ldns_buffer_begin(buffer), want, want_len) == 0;
        ldns_buffer_free(buffer);
    }
    free(want);
    return good ||
           fail(run, "expected one answer record with RDATA %s, got other RDATA or %zu records", property->value, run->wire.answer_count);
}

static bool question_case_check(struct runner *run, const struct step *step)
{
    size_t end = run->wire.question_end;
    if (end > step->msg_len || memcmp(run->wire.octets + 12, step->msg + 12, end - 12) != 0)
        return fail(run, "expected the question octet for octet, got another");
    const ldns_rdf *qname = ldns_rr_owner(ldns_rr_list_rr(ldns_pkt_question(run->pkt), 0));
    const ldns_rr_list *records = ldns_pkt_answer(run->pkt);
    for (size_t at = 0; at < ldns_rr_list_rr_count(records); at++) {
        const ldns_rdf *owner = ldns_rr_owner(ldns_rr_list_rr(records, at));
        if (ldns_dname_compare(owner, qname) == 0 && memcmp(ldns_rdf_data(owner), ldns_rdf_data(qname), ldns_rdf_size(qname)) != 0)
            return fail(run, "expected owners in the case of the question, got record %zu in another", at);
    }
    return true;
}

/* value: a list of numbers; got: as many values. */
static bool list_check(struct runner *run, const struct property *property)
{
    const ldns_rr_list *records = ldns_pkt_answer(run->pkt);
    if (property->word == TTL_LIST && ldns_rr_list_rr_count(records) == 0)
        records = ldns_pkt_authority(run->pkt);
    const char *text = property->value;
    size_t count = 0;
    for (; *text != 0; count++) {
        char *end = NULL;
        unsigned long want = strtoul(text, &end, 10);
        text = *end == ',' ? end + 1 : end;
        if (count >= ldns_rr_list_rr_count(records))
            return fail(run, "expected %s%s, got %zu records", words[property->word].text, property->value, count);
        const ldns_rr *rr = ldns_rr_list_rr(records, count);
        unsigned long got = property->word == TYPES      ? (unsigned long)ldns_rr_get_type(rr)
                            : property->word == TTL_LIST ? ldns_rr_ttl(rr)
                                                         : run->wire.records[count].rdata_len;
        if (want != got)
            return fail(run, "expected %s%s, got %lu in record %zu", words[property->word].text, property->value, got, count);
    }
    return equal_or_fail(run, "records: ", count, ldns_rr_list_rr_count(records));
}

static bool no_type_check(struct runner *run, const char *text)
{
    while (*text != 0) {
        char *end = NULL;
        unsigned long type = strtoul(text, &end, 10);
        text = *end == ',' ? end + 1 : end;
        for (size_t at = 0; at < run->wire.count; at++)
            if (run->wire.records[at].type == type)
                return fail(run, "expected no record of type %lu, got record %zu", type, at);
    }
    return true;
}

static bool ttl_max_check(struct runner *run, const char *value)
{
    unsigned long max = strcmp(value, "cap") == 0 ? dnspack_policy_default().ttl_max_s : strtoul(value, NULL, 10);
    const ldns_rr_list *records = ldns_pkt_answer(run->pkt);
    if (ldns_rr_list_rr_count(records) == 0)
        records = ldns_pkt_authority(run->pkt);
    for (size_t at = 0; at < ldns_rr_list_rr_count(records); at++)
        if (ldns_rr_ttl(ldns_rr_list_rr(records, at)) > max)
            return fail(run, "expected ttl<=%lu, got %u", max, (unsigned)ldns_rr_ttl(ldns_rr_list_rr(records, at)));
    return ldns_rr_list_rr_count(records) > 0 || fail(run, "expected ttl<=%lu, got no record", max);
}

static bool ecs_check(struct runner *run, const char *value)
{
    size_t data_len = 0;
    const uint8_t *data = option_find(&run->wire, 8, &data_len);
    if (data == NULL || data_len < 4)
        return fail(run, "expected ecs=%s, got no such option", value);
    char text[64];
    int used = snprintf(text, sizeof text, "%u/%u/%u/", load16(data), data[2], data[3]);
    for (size_t at = 4; at < data_len && at < 20; at++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%02x", data[at]);
    return strcmp(text, value) == 0 || fail(run, "expected ecs=%s, got %s", value, text);
}

static bool ede_check(struct runner *run, unsigned long code)
{
    size_t data_len = 0;
    const uint8_t *data = option_find(&run->wire, 15, &data_len);
    if (data == NULL || data_len < 2)
        return fail(run, "expected ede=%lu, got no such option", code);
    return equal_or_fail(run, "ede=", code, load16(data));
}

/* Properties of one number in the answer. */
static bool number_check(struct runner *run, const struct property *property)
{
    const ldns_pkt *pkt = run->pkt;
    unsigned long want = strtoul(property->value, NULL, 10);
    unsigned long got = 0;
    /* clang-format off */
    switch (property->word) {
    case RCODE: got = (unsigned long)ldns_pkt_get_rcode(pkt) | (unsigned long)ldns_pkt_edns_extended_rcode(pkt) << 4; break;
    case ANCOUNT: got = ldns_rr_list_rr_count(ldns_pkt_answer(pkt)); break;
    case NSCOUNT: got = ldns_rr_list_rr_count(ldns_pkt_authority(pkt)); break;
    case ARCOUNT: /* 0 means no OPT, too */
        got = want == 0 ? load16(run->wire.octets + 10) : ldns_rr_list_rr_count(ldns_pkt_additional(pkt));
        break;
    case TC: got = ldns_pkt_tc(pkt) ? 1 : 0; break;
    case AD: got = ldns_pkt_ad(pkt) ? 1 : 0; break;
    case CD: got = ldns_pkt_cd(pkt) ? 1 : 0; break;
    case DO: got = ldns_pkt_edns_do(pkt) ? 1 : 0; break;
    default: got = ldns_pkt_edns(pkt) ? 1 : 0; break; /* OPT */
    }
    /* clang-format on */
    return equal_or_fail(run, words[property->word].text, want, got);
}

static bool property_check(struct runner *run, const struct step *step, const struct stored *stored, const struct property *property)
{
    unsigned long number = words[property->word].value == NUMBER ? strtoul(property->value, NULL, 10) : 0;
    size_t ignored = 0;
    switch (property->word) {
    case EDE:
        return ede_check(run, number);
    case TYPES:
    case TTL_LIST:
    case RDLENGTHS:
        return list_check(run, property);
    case NO_TYPE:
        return no_type_check(run, property->value);
    case TTL_MAX:
        return ttl_max_check(run, property->value);
    case ANSWER_RDATA:
    case EXPANDED_RDATA:
        return rdata_check(run, property);
    case QUESTION_CASE:
        return question_case_check(run, step);
    case CLIENT_SUBNET:
        return ecs_check(run, property->value);
    case NO_ECS_OPTION:
        return option_find(&run->wire, 8, &ignored) == NULL || fail(run, "expected no ECS option, got one");
    case TRANSPORT_IS:
        return true; /* was heeded when the answer was built */
    case SIZE_MAX_IS:
        return run->wire.len <= number || fail(run, "expected size<=%lu, got %zu", number, run->wire.len);
    case MAX_POINTER:
        return pointers_check(run, number);
    case NAMES_EQUAL:
        return inserted_equal(run, stored->from, false);
    case SET_EQUAL:
        return inserted_equal(run, stored->from, true);
    case NO_ROOM_FOR_OPT:
        return ldns_pkt_tc(run->pkt) || ldns_pkt_get_rcode(run->pkt) == LDNS_RCODE_SERVFAIL ||
               fail(run, "expected tc=1 or SERVFAIL, got neither");
    default:
        return number_check(run, property);
    }
}

/* What must hold of every answer, then the properties of this one. */
static bool answer_check(struct runner *run, const struct step *step, const struct stored *stored, size_t answer_len)
{
    const uint8_t *octets = run->buffer;
    if (!wire_read(octets, answer_len, &run->wire))
        return fail(run, "expected a whole message with one question, got another");
    if (memcmp(octets, step->msg, 2) != 0 || (octets[2] & 0xf8) != 0x80)
        return fail(run, "expected the query's ID, QR and opcode QUERY, got others");
    ldns_status status = ldns_wire2pkt(&run->pkt, octets, answer_len);
    if (status != LDNS_STATUS_OK)
        return fail(run, "expected an answer that libldns reads, got: %s", ldns_get_errorstr_by_id(status));
    bool good = true;
    for (size_t at = 0; good && at < step->property_count; at++)
        good = property_check(run, step, stored, &step->properties[at]);
    ldns_pkt_free(run->pkt);
    return good;
}

/* ---- the store: exact match, the newest first, so that an entry hides the older ones under its key ---- */

static void store_clear(struct runner *run)
{
    for (size_t at = 0; at < run->stored_count; at++)
        free(run->store[at].entry);
    run->stored_count = 0;
    run->last_stored = false;
}

/* The entry with this tag, or NULL. */
static const struct stored *store_find(const struct runner *run, const uint8_t *msg, const struct dnspack_message *query,
                                       const uint8_t *tag, size_t tag_len)
{
    for (size_t at = run->stored_count; at > 0; at--) {
        const struct stored *stored = &run->store[at - 1];
        if (dnspack_entry_matches(stored->entry, stored->len, msg, query, tag, tag_len))
            return stored;
    }
    return NULL;
}

/* The longest stored scope that holds the client's subnet (RFC 7871 7.3.1), else the entry for everybody. */
static const struct stored *store_lookup(const struct runner *run, const uint8_t *msg, const struct dnspack_message *query)
{
    uint8_t tag[DNSPACK_ECS_TAG_MAX];
    size_t tag_len = 0;
    for (unsigned prefix_len = query->ecs.family != 0 ? query->ecs.source_len : 0; prefix_len > 0; prefix_len--) {
        if (!dnspack_ecs_tag(msg, &query->ecs, prefix_len, tag, &tag_len))
            continue;
        const struct stored *stored = store_find(run, msg, query, tag, tag_len);
        if (stored != NULL)
            return stored;
    }
    return store_find(run, msg, query, NULL, 0);
}

/* Encode a response and keep it: OK, or why not. *stored is set on OK, except where the entry is not sound. */
static enum dnspack_status response_store(struct runner *run, const struct step *step, const struct stored **stored)
{
    struct dnspack_message message;
    uint8_t tag[DNSPACK_ECS_TAG_MAX];
    size_t tag_len = 0;
    *stored = NULL;
    enum dnspack_status status = dnspack_message_parse(step->msg, step->msg_len, NULL, 0, &message);
    if (status != DNSPACK_OK)
        message.ecs.family = 0;
    if (message.ecs.family != 0) { /* a scope longer than the source counts as the source (RFC 7871 7.3.1) */
        unsigned prefix_len = message.ecs.scope_len < message.ecs.source_len ? message.ecs.scope_len : message.ecs.source_len;
        if (!dnspack_ecs_tag(step->msg, &message.ecs, prefix_len, tag, &tag_len))
            tag_len = 0;
    }
    struct dnspack_policy policy = dnspack_policy_default();
    struct dnspack_encode_options options = {.policy = &policy, .now_s = run->now_s, .tag = tag_len > 0 ? tag : NULL, .tag_len = tag_len};
    size_t len = 0;
    enum dnspack_status encoded =
        dnspack_entry_encode(step->msg, step->msg_len, &options, &run->workspace, run->buffer, sizeof run->buffer, &len);
    if (encoded != DNSPACK_OK)
        return encoded;
    struct stored item = {.entry = allocate(len), .len = len, .from = step};
    memcpy(item.entry, run->buffer, len);
    run->store[run->stored_count++] = item; /* STEPS_MAX of them fit */
    if (status == DNSPACK_OK && len <= dnspack_entry_bound(step->msg_len) && dnspack_entry_check(item.entry, len) == DNSPACK_OK)
        *stored = &run->store[run->stored_count - 1];
    return DNSPACK_OK;
}

/* ---- steps ---- */

static bool malformed(enum dnspack_status status)
{
    return status >= DNSPACK_E_SHORT && status <= DNSPACK_E_QUESTION;
}

static bool formerr_check(struct runner *run, const struct step *step)
{
    struct dnspack_message query;
    enum dnspack_status status = dnspack_query_parse(step->msg, step->msg_len, &query);
    if (!malformed(status))
        return fail(run, "expected a malformed query, got %s", dnspack_status_name(status));
    size_t len = dnspack_answer_error(step->msg, step->msg_len, status, run->buffer, sizeof run->buffer);
    const uint8_t none[8] = {0};
    if (len != DNSPACK_HEADER_LEN || memcmp(run->buffer, step->msg, 2) != 0 || (run->buffer[2] & 0xf8) != 0x80 ||
        (run->buffer[3] & 0x0f) != LDNS_RCODE_FORMERR || memcmp(run->buffer + 4, none, sizeof none) != 0)
        return fail(run, "expected a bare FORMERR header with the query's ID, got another of %zu octets", len);
    return true;
}

/* Store the accepted message, ask for its own question, and compare the answer's RDATA octet for octet. */
static bool opaque_check(struct runner *run, const struct step *step, const struct dnspack_message *message)
{
    const struct stored *stored = NULL;
    if (response_store(run, step, &stored) != DNSPACK_OK)
        return true;
    uint8_t query_msg[DNSPACK_HEADER_LEN + DNSPACK_NAME_MAX + 4] = {0x20, 0x02, 0x01, 0x10, 0, 1};
    size_t query_len = DNSPACK_HEADER_LEN + message->qname_len + 4u;
    memcpy(query_msg + DNSPACK_HEADER_LEN, step->msg + DNSPACK_HEADER_LEN, query_len - DNSPACK_HEADER_LEN);
    struct dnspack_message query;
    struct dnspack_answer answer;
    struct dnspack_answer_options options = {.now_s = run->now_s, .stream = true};
    if (stored == NULL || dnspack_query_parse(query_msg, query_len, &query) != DNSPACK_OK ||
        store_lookup(run, query_msg, &query) != stored ||
        dnspack_answer_build(stored->entry, stored->len, query_msg, &query, &options, run->buffer, sizeof run->buffer, &answer) !=
            DNSPACK_OK)
        return fail(run, "expected an answer for the accepted message, got none");
    if (!wire_read(run->buffer, answer.len, &run->wire) || !wire_read(step->msg, step->msg_len, &run->source) ||
        run->wire.answer_count != run->source.answer_count)
        return fail(run, "expected as many records as accepted, got %zu", run->wire.answer_count);
    for (size_t at = 0; at < run->wire.answer_count; at++) {
        const struct wire_record *new = &run->wire.records[at];
        const struct wire_record *old = &run->source.records[at];
        if (new->rdata_len != old->rdata_len ||
            memcmp(run->wire.octets + new->rdata_off, run->source.octets + old->rdata_off, old->rdata_len) != 0)
            return fail(run, "expected RDATA unchanged, got other octets in record %zu", at);
    }
    return true;
}

static bool message_run(struct runner *run, const struct step *step)
{
    struct dnspack_message message;
    const struct stored *stored = NULL;
    store_clear(run); /* nothing is kept between messages */
    if (step->verdict == FORMERR)
        return formerr_check(run, step);
    enum dnspack_status status = dnspack_message_parse(step->msg, step->msg_len, run->workspace.records, DNSPACK_RECORDS_MAX, &message);
    enum dnspack_status kept = response_store(run, step, &stored);
    if (status != DNSPACK_OK && kept == DNSPACK_OK)
        return fail(run, "expected nothing kept of a refused message, got an entry");
    if (status == DNSPACK_OK && message.end_off > step->msg_len)
        return fail(run, "expected an end inside the message, got %u", message.end_off);
    bool accepts = step->verdict == ACCEPT || step->verdict == ACCEPT_NOT_CACHED;
    bool may_accept = step->verdict != REJECT;
    if (step->verdict == NOT_CACHED || step->verdict == ACCEPT_NOT_CACHED) {
        if (kept == DNSPACK_OK)
            return fail(run, "expected no entry, got one");
        if (step->verdict == NOT_CACHED)
            return true;
    }
    if (status != DNSPACK_OK)
        return (!accepts && malformed(status)) || fail(run, "expected %s, got %s", step->expect, dnspack_status_name(status));
    if (!may_accept)
        return fail(run, "expected %s, got ok", step->expect);
    if (step->verdict == REJECT_OR_OPAQUE)
        return opaque_check(run, step, &message);
    if (step->verdict == REJECT_OR_IGNORE_OPTION && (message.error_count != 0 || message.ecs.family != 0 || message.cookie_len != 0))
        return fail(run, "expected the option ignored, got it reported");
    if (step->verdict == REJECT_OR_IGNORE_TAIL && message.end_off >= step->msg_len)
        return fail(run, "expected an end before the tail, got %u", message.end_off);
    return true;
}

/* value: a dotted IPv4 prefix such as 192.0.2.0/24, against the entry's tag. */
static bool prefix_equal(const char *value, const uint8_t *tag, size_t tag_len)
{
    unsigned octet[4];
    unsigned prefix_len;
    if (sscanf(value, "%3u.%3u.%3u.%3u/%2u", &octet[0], &octet[1], &octet[2], &octet[3], &prefix_len) != 5)
        return false;
    size_t octets = (prefix_len + 7u) / 8u;
    bool equal = tag_len == 2 + octets && tag[0] == 1 && tag[1] == prefix_len;
    for (size_t at = 0; equal && at < octets; at++)
        equal = tag[2 + at] == octet[at];
    return equal;
}

static bool stored_check(struct runner *run, const struct step *step, const struct stored *stored)
{
    struct dnspack_entry head;
    head = dnspack_entry_decode(stored->entry, stored->len);
    uint32_t cap_s = dnspack_policy_default().ttl_max_s;
    if (head.ttl_s > cap_s || (step->verdict == NOT_STORED_OR_TTL0 && head.ttl_s != 0))
        return fail(run, "expected %s, got a lifetime of %u", step->expect, (unsigned)head.ttl_s);
    for (size_t at = 0; at < step->property_count; at++) {
        const struct property *property = &step->properties[at];
        bool good = property->word == LIFETIME  ? head.ttl_s <= strtoul(property->value, NULL, 10)
                    : property->word == TAG     ? prefix_equal(property->value, stored->entry + head.tag_off, head.tag_len)
                    : property->word == FOR_ALL ? head.tag_len == 0
                                                : head.unchecked; /* APART */
        if (!good)
            return fail(run, "expected %s, got lifetime %u, tag of %u octets, unchecked %d", step->expect, (unsigned)head.ttl_s,
                        head.tag_len, head.unchecked);
    }
    return true;
}

static bool insert_run(struct runner *run, const struct step *step)
{
    const struct stored *stored = NULL;
    enum dnspack_status status = response_store(run, step, &stored);
    run->last_stored = status == DNSPACK_OK;
    if (status == DNSPACK_OK && stored == NULL)
        return fail(run, "expected a valid entry within the bound of a message that the parser accepts, got another");
    bool may_store = step->verdict != NOT_STORED;
    if (status == DNSPACK_OK)
        return may_store ? stored_check(run, step, stored) : fail(run, "expected %s, got an entry", step->expect);
    bool may_refuse = step->verdict == STORE              ? false
                      : step->verdict == STORE_OR_REJECT  ? malformed(status)
                      : step->verdict == STORE_OR_TOO_BIG ? status == DNSPACK_E_TOO_BIG
                                                          : status != DNSPACK_E_NO_SPACE;
    return may_refuse || fail(run, "expected %s, got %s", step->expect, dnspack_status_name(status));
}

static bool query_run(struct runner *run, const struct step *step)
{
    struct dnspack_message query;
    enum dnspack_status status = dnspack_query_parse(step->msg, step->msg_len, &query);
    if (step->verdict == FORMERR_OR_IGNORED && status != DNSPACK_OK)
        return formerr_check(run, step);
    if (status != DNSPACK_OK)
        return fail(run, "expected a query that parses, got %s", dnspack_status_name(status));
    if (step->verdict == FORMERR_OR_IGNORED && query.ecs.family != 0)
        return fail(run, "expected FORMERR or the option ignored, got family %u", query.ecs.family);
    if (step->verdict == PARSE_OK)
        return true;
    struct dnspack_answer answer;
    struct dnspack_answer_options options = {.now_s = run->now_s, .recursion_available = true, .ecs = true, .stream = step->stream};
    options.size_max = step->stream ? 0 : UDP_SIZE_MAX;
    const struct stored *stored = store_lookup(run, step->msg, &query);
    if (stored != NULL)
        status = dnspack_answer_build(stored->entry, stored->len, step->msg, &query, &options, run->buffer, sizeof run->buffer, &answer);
    if (status != DNSPACK_OK && status != DNSPACK_E_EXPIRED)
        return fail(run, "expected an answer from the entry, got %s", dnspack_status_name(status));
    bool hit = stored != NULL && status == DNSPACK_OK;
    bool wants_hit = step->verdict == HIT || (step->verdict == IF_STORED && run->last_stored);
    bool wants_miss = step->verdict == MISS || (step->verdict == IF_STORED && !run->last_stored);
    if (hit ? wants_miss : wants_hit)
        return fail(run, "expected a %s, got a %s", wants_hit ? "hit" : "miss", hit ? "hit" : "miss");
    return !hit || answer_check(run, step, stored, answer.len);
}

static bool step_run(struct runner *run, const struct step *step)
{
    if (step->kind == MESSAGE)
        return message_run(run, step);
    if (step->kind == INSERT)
        return insert_run(run, step);
    if (step->kind == QUERY)
        return query_run(run, step);
    run->now_s = (uint32_t)strtoul(step->now, NULL, 10);
    return true;
}

/* ---- case files ---- */

static bool value_valid(uint8_t kind, const char *text)
{
    unsigned number[5];
    int used = 0;
    switch (kind) {
    case NUMBER_OR_CAP:
        if (strcmp(text, "cap") == 0)
            return true;
        /* fallthrough */
    case NUMBER:
        return *text != 0 && text[strspn(text, "0123456789")] == 0;
    case LIST:
        return isdigit((unsigned char)*text) && text[strspn(text, "0123456789,")] == 0;
    case HEX:
        return hex_read(text, NULL) >= 0;
    case ECS:
        return sscanf(text, "%u/%u/%u/%n", &number[0], &number[1], &number[2], &used) == 3 && used > 0 && hex_read(text + used, NULL) >= 0;
    case PREFIX:
        return sscanf(text, "%u.%u.%u.%u/%u%n", &number[0], &number[1], &number[2], &number[3], &number[4], &used) == 5 && text[used] == 0;
    case TRANSPORT:
        return strcmp(text, "udp") == 0 || strcmp(text, "tcp") == 0;
    case AS_ASKED:
        return strcmp(text, "as-asked") == 0;
    default:
        return *text == 0;
    }
}

static enum word word_find(enum step_kind kind, const char *text)
{
    for (enum word word = 0; word < WORD_COUNT; word++) {
        size_t len = strlen(words[word].text);
        bool whole = words[word].value != NONE || text[len] == ' ' || text[len] == 0;
        if ((words[word].steps & kind) != 0 && strncmp(text, words[word].text, len) == 0 && whole)
            return word;
    }
    return WORD_COUNT;
}

/* Split an expectation into its words; text is cut up. A remark in round brackets is no word. */
static bool expectation_read(struct step *step, char *text)
{
    step->verdict = WORD_COUNT;
    for (text += strspn(text, " "); *text != 0; text += strspn(text, " ")) {
        enum word word = word_find(step->kind, text);
        bool remark = *text == '(' && strchr(text, ')') != NULL;
        bool or_hit = word == HIT && step->verdict == MISS_OR && step->property_count == 0;
        bool verdict = word < LIFETIME && step->verdict == WORD_COUNT;
        bool property = word >= LIFETIME && word < WORD_COUNT && step->verdict < WORD_COUNT && step->property_count < PROPERTIES_MAX;
        if (!remark && !or_hit && !verdict && !property)
            return false;
        char *value = remark ? strchr(text, ')') + 1 : text + strlen(words[word].text);
        text = remark || words[word].value == NONE ? value : value + strcspn(value, " ");
        if (*text != 0)
            *text++ = 0;
        if (property && !remark) {
            step->properties[step->property_count++] = (struct property){word, value};
            step->stream = step->stream || (word == TRANSPORT_IS && strcmp(value, "tcp") == 0);
            if (!value_valid(words[word].value, value))
                return false;
        }
        if (verdict)
            step->verdict = word;
    }
    return step->verdict < WORD_COUNT;
}

/* A step is complete: does it say all that its kind needs, and no more? */
static bool step_finish(const struct case_file *file)
{
    if (file->step_count == 0)
        return true;
    const struct step *step = &file->steps[file->step_count - 1];
    if (step->kind == TIME)
        return step->now != NULL && value_valid(NUMBER, step->now) && step->expect == NULL && step->msg == NULL;
    return step->now == NULL && step->expect != NULL && step->msg != NULL && step->length != NULL && value_valid(NUMBER, step->length) &&
           strtoul(step->length, NULL, 10) == step->msg_len;
}

static bool step_start(struct case_file *file, const char *value)
{
    static const struct {
        const char *name;
        enum step_kind kind;
    } kinds[] = {{"message", MESSAGE}, {"insert", INSERT}, {"query", QUERY}, {"time", TIME}};
    char name[16];
    unsigned number = 0;
    if (!step_finish(file) || file->step_count == STEPS_MAX || sscanf(value, "%u %15s", &number, name) != 2)
        return false;
    for (size_t at = 0; at < sizeof kinds / sizeof kinds[0]; at++) {
        if (strcmp(name, kinds[at].name) == 0 && number == file->step_count + 1) {
            file->steps[file->step_count++] = (struct step){.number = number, .kind = kinds[at].kind};
            return true;
        }
    }
    return false;
}

static bool key_read(struct case_file *file, const char *key, char *value)
{
    static const char *const head_keys[] = {"id", "name", "kind", "reference", "rfc", "strength", "right"};
    if (strcmp(key, "step") == 0)
        return step_start(file, value);
    struct step *step = &file->steps[file->step_count > 0 ? file->step_count - 1 : 0];
    for (size_t at = 0; file->step_count == 0 && at < sizeof head_keys / sizeof head_keys[0]; at++)
        if (strcmp(key, head_keys[at]) == 0)
            return true;
    if (file->step_count == 0)
        return false;
    if (strcmp(key, "note") == 0)
        return true;
    if (strcmp(key, "now") == 0)
        return (step->now = value) != NULL;
    if (strcmp(key, "length") == 0)
        return (step->length = value) != NULL;
    if (strcmp(key, "expect") == 0 && step->expect == NULL)
        return (step->expect = strdup(value)) != NULL && expectation_read(step, value);
    long len = strcmp(key, "hex") == 0 && step->msg == NULL ? hex_read(value, NULL) : -1;
    if (len < (long)DNSPACK_HEADER_LEN || len > (long)DNSPACK_MESSAGE_MAX)
        return false;
    step->msg_len = (size_t)len;
    step->msg = allocate(step->msg_len);
    return hex_read(value, step->msg) == len;
}

static char *text_read(const char *path)
{
    FILE *stream = fopen(path, "rb");
    char *text = NULL;
    size_t cap = 0;
    if (stream == NULL || getdelim(&text, &cap, 0, stream) < 0) {
        free(text);
        text = NULL;
    }
    if (stream != NULL)
        (void)fclose(stream);
    return text;
}

static bool case_load(struct case_file *file, const char *path)
{
    size_t line_number = 1;
    file->text = text_read(path);
    if (file->text == NULL) {
        (void)fprintf(stderr, "case_runner: %s: cannot be read\n", path);
        return false;
    }
    for (char *line = file->text, *next; *line != 0; line = next, line_number++) {
        size_t len = strcspn(line, "\n");
        next = line + len + (line[len] != 0);
        line[len] = 0;
        char *value = strchr(line, ':');
        if (*line == '#' || *line == 0)
            continue;
        if (value != NULL)
            *value++ = 0;
        if (value == NULL || !key_read(file, line, value + strspn(value, " "))) {
            (void)fprintf(stderr, "case_runner: %s:%zu: not as FORMAT.txt says\n", path, line_number);
            return false;
        }
    }
    if (file->step_count > 0 && step_finish(file))
        return true;
    (void)fprintf(stderr, "case_runner: %s: the last step is incomplete\n", path);
    return false;
}

static void case_free(struct case_file *file)
{
    for (size_t at = 0; at < file->step_count; at++) {
        free(file->steps[at].msg);
        free(file->steps[at].expect);
    }
    free(file->text);
    free(file);
}

static bool case_run(struct runner *run, const char *dir, const char *name, size_t counts[2])
{
    static const char *const kind_names[] = {[MESSAGE] = "message", [INSERT] = "insert", [QUERY] = "query", [TIME] = "time"};
    char path[4096];
    struct case_file *file = allocate(sizeof *file);
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    (void)snprintf(file->stem, sizeof file->stem, "%.*s", (int)(strlen(name) - strlen(".txt")), name);
    bool loaded = case_load(file, path);
    run->now_s = 0;
    for (size_t at = 0; loaded && at < file->step_count; at++) {
        const struct step *step = &file->steps[at];
        bool good = step_run(run, step);
        counts[good ? 0 : 1]++;
        (void)printf("%s step %u %s: %s%s\n", file->stem, step->number, kind_names[step->kind],
                     good ? "ok" : "FAILED: ", good ? "" : run->why);
    }
    store_clear(run);
    case_free(file);
    return loaded;
}

static int is_case(const struct dirent *item)
{
    size_t len = strlen(item->d_name);
    return len > 4 && strcmp(item->d_name + len - 4, ".txt") == 0 && strcmp(item->d_name, "FORMAT.txt") != 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        (void)puts(
            "usage: case_runner DIR\n\nRuns every case file (*.txt but FORMAT.txt, which describes them) of DIR in the order of their "
            "names\n"
            "and prints a line a step, then \"N passed, M failed\".\nExit: 0 all passed, 1 a step failed, 2 usage, unreadable file or "
            "format error.");
        return EXIT_SUCCESS;
    }
    if (argc != 2 || argv[1][0] == '-') {
        (void)fputs("usage: case_runner DIR (--help says more)\n", stderr);
        return EXIT_TROUBLE;
    }
    struct dirent **items = NULL;
    int count = scandir(argv[1], &items, is_case, alphasort);
    bool loaded = count > 0;
    if (!loaded)
        (void)fprintf(stderr, "case_runner: %s: no case files\n", argv[1]);
    struct runner *run = allocate(sizeof *run);
    size_t counts[2] = {0, 0};
    for (int at = 0; at < count; at++) {
        loaded = case_run(run, argv[1], items[at]->d_name, counts) && loaded;
        free(items[at]);
    }
    free(items);
    free(run);
    (void)printf("%zu passed, %zu failed\n", counts[0], counts[1]);
    if (!loaded)
        return EXIT_TROUBLE;
    return counts[1] > 0 ? EXIT_FAILED : EXIT_SUCCESS;
}
