/*
 * judge: whether two DNS messages say the same, in the opinion of libldns.
 *
 * Records are read one by one. ldns_wire2pkt (1.8) goes on where the fields that it knows of a type
 * end, not where the RDATA ends: NSAP-PTR, SINK and TXT of more than 255 strings throw it off for the
 * rest of the message. It also loses the memory of all but one TSIG.
 */
#include "judge.h"

#include <inttypes.h>
#include <ldns/ldns.h>
#include <stdarg.h>
#include <stdio.h>

enum {
    RECORD_FIXED_LEN = 10,  /* type, class, TTL, RDLENGTH: RFC 1035 3.2.1 */
    TTL_MAX_S = 0x7fffffff, /* RFC 2181 8 */
};

static const char *const section_names[] = {"answer", "authority", "additional"};

/* ---- messages ---- */

/* About the message, not about the owner: OPT, types 128..255 (RFC 6895 3.1), SIG(0) (RFC 2931). */
static bool is_meta(const ldns_rr *rr)
{
    unsigned type = ldns_rr_get_type(rr);
    return type == LDNS_RR_TYPE_OPT || (type >= 128 && type <= 255) ||
           (type == LDNS_RR_TYPE_SIG && ldns_rr_rd_count(rr) > 0 && ldns_rdf2native_int16(ldns_rr_rdf(rr, 0)) == 0);
}

static ldns_rr_list *find_section(const ldns_pkt *packet, size_t i)
{
    return i == 0 ? ldns_pkt_answer(packet) : i == 1 ? ldns_pkt_authority(packet) : ldns_pkt_additional(packet);
}

/* The record at *pos, canonical (RFC 4034 6.2), with the RDATA that ldns leaves unread as a field of its own; *pos moves to its end. */
static ldns_status read_record(const uint8_t *msg, size_t msg_len, size_t *pos, ldns_rr **record)
{
    size_t at = *pos;
    ldns_rdf *owner = NULL;
    ldns_status status = ldns_wire2dname(&owner, msg, msg_len, &at);
    ldns_rdf_deep_free(owner);
    if (status != LDNS_STATUS_OK) {
        return status;
    }
    if (at > msg_len || msg_len - at < RECORD_FIXED_LEN) {
        return LDNS_STATUS_PACKET_OVERFLOW;
    }
    at += RECORD_FIXED_LEN;
    size_t rdata_len = ldns_read_uint16(msg + at - 2);
    if (rdata_len > msg_len - at) {
        return LDNS_STATUS_PACKET_OVERFLOW;
    }
    size_t end = at + rdata_len;
    status = ldns_wire2rr(record, msg, end, pos, LDNS_SECTION_ANSWER); /* no name runs on into the next record */
    if (status != LDNS_STATUS_OK) {
        return status;
    }
    ldns_rr2canonical(*record);
    if (*pos < end) {
        ldns_rdf *rest = ldns_rdf_new_frm_data(LDNS_RDF_TYPE_UNKNOWN, end - *pos, msg + *pos);
        if (rest == NULL || !ldns_rr_push_rdf(*record, rest)) {
            ldns_rdf_deep_free(rest);
            ldns_rr_free(*record);
            return LDNS_STATUS_MEM_ERR;
        }
    }
    *pos = end;
    return LDNS_STATUS_OK;
}

static ldns_status read_section(const uint8_t *msg, size_t msg_len, size_t *pos, size_t count, ldns_pkt *packet, ldns_pkt_section section)
{
    for (size_t i = 0; i < count; i++) {
        ldns_rr *rr = NULL;
        bool is_question = section == LDNS_SECTION_QUESTION;
        ldns_status status = is_question ? ldns_wire2rr(&rr, msg, msg_len, pos, section) : read_record(msg, msg_len, pos, &rr);
        if (status != LDNS_STATUS_OK) {
            return status;
        }
        if (!is_question && ldns_rr_get_type(rr) == LDNS_RR_TYPE_OPT) {
            ldns_pkt_set_edns_extended_rcode(packet, (uint8_t)(ldns_rr_ttl(rr) >> 24)); /* RFC 6891 6.1.3 */
        }
        if (!ldns_pkt_push_rr(packet, section, rr)) {
            ldns_rr_free(rr);
            return LDNS_STATUS_MEM_ERR;
        }
    }
    return LDNS_STATUS_OK;
}

static ldns_status read_sections(const uint8_t *msg, size_t msg_len, ldns_pkt *packet)
{
    const size_t counts[] = {LDNS_QDCOUNT(msg), LDNS_ANCOUNT(msg), LDNS_NSCOUNT(msg), LDNS_ARCOUNT(msg)};
    const ldns_pkt_section sections[] = {LDNS_SECTION_QUESTION, LDNS_SECTION_ANSWER, LDNS_SECTION_AUTHORITY, LDNS_SECTION_ADDITIONAL};
    ldns_status status = LDNS_STATUS_OK;
    size_t pos = LDNS_HEADER_SIZE;
    ldns_pkt_set_rcode(packet, LDNS_RCODE_WIRE(msg));
    for (size_t i = 0; i < 4 && status == LDNS_STATUS_OK; i++) {
        status = read_section(msg, msg_len, &pos, counts[i], packet, sections[i]);
    }
    return status;
}

/* The RCODE and the records; *packet stays NULL on failure. */
static ldns_status read_message(const uint8_t *msg, size_t msg_len, ldns_pkt **packet)
{
    if (msg_len < LDNS_HEADER_SIZE) {
        return LDNS_STATUS_WIRE_INCOMPLETE_HEADER;
    }
    ldns_pkt *read = ldns_pkt_new();
    if (read == NULL) {
        return LDNS_STATUS_MEM_ERR;
    }
    ldns_status status = read_sections(msg, msg_len, read);
    if (status != LDNS_STATUS_OK) {
        ldns_pkt_free(read);
        return status;
    }
    *packet = read;
    return LDNS_STATUS_OK;
}

/* ---- TTL ---- */

/* A section of the original. */
struct section {
    const ldns_rr_list *records;
    const char *name;
    bool is_dropped;
    bool is_proof; /* the authority section of a negative answer */
};

static bool same_owner(const ldns_rr *a, const ldns_rr *b)
{
    return ldns_rr_get_class(a) == ldns_rr_get_class(b) && ldns_rdf_compare(ldns_rr_owner(a), ldns_rr_owner(b)) == 0;
}

/* RFC 2181 5; RRSIGs form none (RFC 4035 2.2). */
static bool same_set(const ldns_rr *a, const ldns_rr *b)
{
    ldns_rr_type type = ldns_rr_get_type(a);
    return a == b || (type != LDNS_RR_TYPE_RRSIG && type == ldns_rr_get_type(b) && same_owner(a, b));
}

/* What this record alone allows: RFC 4034 3.1.4, RFC 2308 5. */
static uint32_t own_ttl(const struct section *section, const ldns_rr *rr)
{
    uint32_t ttl_s = ldns_rr_ttl(rr);
    uint32_t most_s = UINT32_MAX;
    if (ldns_rr_get_type(rr) == LDNS_RR_TYPE_RRSIG && ldns_rr_rd_count(rr) > 3) {
        most_s = ldns_rdf2native_int32(ldns_rr_rrsig_origttl(rr));
    } else if (ldns_rr_get_type(rr) == LDNS_RR_TYPE_SOA && section->is_proof && ldns_rr_rd_count(rr) > 6) {
        most_s = ldns_rdf2native_int32(ldns_rr_rdf(rr, 6));
    }
    return ttl_s < most_s ? ttl_s : most_s;
}

/* The least of rr's set, never above the maximum, without the age. A top bit set is just large. */
static uint32_t set_ttl(const struct section *section, const ldns_rr *rr, const struct judge_rules *rules)
{
    uint32_t least_s = rules->ttl_max_s == 0 ? TTL_MAX_S : rules->ttl_max_s;
    for (size_t i = 0; i < ldns_rr_list_rr_count(section->records); i++) {
        const ldns_rr *other = ldns_rr_list_rr(section->records, i);
        if (own_ttl(section, other) < least_s && same_set(other, rr)) {
            least_s = own_ttl(section, other);
        }
    }
    return least_s > rules->age_s ? least_s - rules->age_s : 0;
}

/* ---- comparison ---- */

struct why {
    char *text;
    size_t cap;
};

__attribute__((format(printf, 3, 4))) static int verdict(const struct why *why, int verdict, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why->text, why->cap, format, arguments);
    va_end(arguments);
    return verdict;
}

static bool rdata_equal(const ldns_rr *a, const ldns_rr *b)
{
    bool equal = ldns_rr_rd_count(a) == ldns_rr_rd_count(b);
    for (size_t i = 0; equal && i < ldns_rr_rd_count(a); i++) {
        equal = ldns_rdf_compare(ldns_rr_rdf(a, i), ldns_rr_rdf(b, i)) == 0;
    }
    return equal;
}

static size_t skip_meta(const ldns_rr_list *section, size_t i)
{
    while (i < ldns_rr_list_rr_count(section) && is_meta(ldns_rr_list_rr(section, i))) {
        i++;
    }
    return i;
}

/* Record i of the original and j of the answer. */
static int record_equal(const struct section *original, size_t i, const ldns_rr_list *answer, size_t j, const struct judge_rules *rules,
                        const struct why *why)
{
    const ldns_rr *a = ldns_rr_list_rr(original->records, i);
    const ldns_rr *b = ldns_rr_list_rr(answer, j);
    unsigned type = ldns_rr_get_type(a);
    if (type != ldns_rr_get_type(b) || !same_owner(a, b)) {
        return verdict(why, JUDGE_DIFFERENT, "%s %zu: owner, type %u or class differs", original->name, i, type);
    }
    if (!rdata_equal(a, b)) {
        return verdict(why, JUDGE_DIFFERENT, "%s %zu: RDATA of type %u differs", original->name, i, type);
    }
    uint32_t ttl_s = rules->ttl_as_is ? ldns_rr_ttl(a) : set_ttl(original, a, rules);
    if (ldns_rr_ttl(b) != ttl_s) {
        return verdict(why, JUDGE_DIFFERENT, "%s %zu: TTL %" PRIu32 " instead of %" PRIu32, original->name, i, ldns_rr_ttl(b), ttl_s);
    }
    return JUDGE_EQUAL;
}

static int section_equal(const struct section *original, const ldns_rr_list *answer, const struct judge_rules *rules, const struct why *why)
{
    size_t original_count = original->is_dropped ? 0 : ldns_rr_list_rr_count(original->records);
    size_t answer_count = ldns_rr_list_rr_count(answer);
    size_t i = original->is_dropped ? 0 : skip_meta(original->records, 0);
    size_t j = skip_meta(answer, 0);
    int result = JUDGE_EQUAL;
    while (i < original_count && j < answer_count && result == JUDGE_EQUAL) {
        result = record_equal(original, i, answer, j, rules, why);
        i = skip_meta(original->records, i + 1);
        j = skip_meta(answer, j + 1);
    }
    if (result == JUDGE_EQUAL && (i < original_count || j < answer_count)) {
        return verdict(why, JUDGE_DIFFERENT, "%s: number of records differs", original->name);
    }
    return result;
}

/* RFC 6891 6.1.3 */
static unsigned full_rcode(const ldns_pkt *packet)
{
    return (unsigned)ldns_pkt_edns_extended_rcode(packet) << 4 | (unsigned)ldns_pkt_get_rcode(packet);
}

/* RFC 2308 1: NXDOMAIN and NODATA */
static bool is_negative(const ldns_pkt *packet)
{
    const ldns_rr_list *question = ldns_pkt_question(packet);
    const ldns_rr_list *answer = ldns_pkt_answer(packet);
    unsigned type = ldns_rr_list_rr_count(question) == 0 ? 0 : ldns_rr_get_type(ldns_rr_list_rr(question, 0));
    bool is_answered = false;
    for (size_t i = 0; i < ldns_rr_list_rr_count(answer); i++) {
        is_answered = is_answered || type == LDNS_RR_TYPE_ANY || ldns_rr_get_type(ldns_rr_list_rr(answer, i)) == type;
    }
    return full_rcode(packet) == LDNS_RCODE_NXDOMAIN || (full_rcode(packet) == LDNS_RCODE_NOERROR && !is_answered);
}

static int message_equal(const ldns_pkt *original, const ldns_pkt *answer, const struct judge_rules *rules, const struct why *why)
{
    bool is_proof = is_negative(original);
    const struct section sections[] = {
        {ldns_pkt_answer(original), "answer", false, false},
        {ldns_pkt_authority(original), "authority", rules->drop_authority && !is_proof, is_proof},
        {ldns_pkt_additional(original), "additional", rules->drop_additional, false},
    };
    if (full_rcode(original) != full_rcode(answer)) {
        return verdict(why, JUDGE_DIFFERENT, "RCODE %u instead of %u", full_rcode(answer), full_rcode(original));
    }
    int result = JUDGE_EQUAL;
    for (size_t i = 0; i < 3 && result == JUDGE_EQUAL; i++) {
        result = section_equal(&sections[i], find_section(answer, i), rules, why);
    }
    return result;
}

int judge_equal(const uint8_t *original, size_t original_len, const uint8_t *answer, size_t answer_len, const struct judge_rules *rules,
                char *why_text, size_t why_cap)
{
    struct why why = {why_text, why_cap};
    ldns_pkt *a = NULL;
    ldns_pkt *b = NULL;
    ldns_status a_status = read_message(original, original_len, &a);
    ldns_status b_status = read_message(answer, answer_len, &b);
    int result;
    if (a_status == LDNS_STATUS_MEM_ERR || b_status == LDNS_STATUS_MEM_ERR) {
        result = verdict(&why, JUDGE_NO_MEMORY, "out of memory");
    } else if (a_status != LDNS_STATUS_OK) {
        result = verdict(&why, JUDGE_BAD_ORIGINAL, "original: %s", ldns_get_errorstr_by_id(a_status));
    } else if (b_status != LDNS_STATUS_OK) {
        result = verdict(&why, JUDGE_BAD_ANSWER, "answer: %s", ldns_get_errorstr_by_id(b_status));
    } else {
        result = message_equal(a, b, rules, &why);
    }
    ldns_pkt_free(a);
    ldns_pkt_free(b);
    return result;
}

/* ---- verdict and text ---- */

bool judge_accepts(const uint8_t *msg, size_t msg_len, const char **status_text)
{
    ldns_pkt *packet = NULL;
    ldns_status status = ldns_wire2pkt(&packet, msg, msg_len);
    *status_text = ldns_get_errorstr_by_id(status);
    if (status == LDNS_STATUS_OK) {
        ldns_pkt_free(packet);
    }
    return status == LDNS_STATUS_OK;
}

/* ldns_pkt2str writes through a null pointer when a message has a CHAIN option (RFC 7901): options are given in hex. */
static void write_message(ldns_buffer *text, const ldns_pkt *packet)
{
    ldns_pktheader2buffer_str(text, packet);
    ldns_buffer_printf(text, "\n;; question\n");
    ldns_rr_list2buffer_str(text, ldns_pkt_question(packet));
    for (size_t i = 0; i < 3; i++) {
        ldns_buffer_printf(text, ";; %s\n", section_names[i]);
        ldns_rr_list2buffer_str(text, find_section(packet, i));
    }
    if (ldns_pkt_edns(packet)) {
        ldns_buffer_printf(text, ";; EDNS version %u, size %u, extended RCODE %u%s\n", ldns_pkt_edns_version(packet),
                           ldns_pkt_edns_udp_size(packet), ldns_pkt_edns_extended_rcode(packet), ldns_pkt_edns_do(packet) ? ", DO" : "");
    }
    if (ldns_pkt_edns(packet) && ldns_pkt_edns_data(packet) != NULL) {
        ldns_buffer_printf(text, ";; options ");
        ldns_rdf2buffer_str(text, ldns_pkt_edns_data(packet));
        ldns_buffer_printf(text, "\n");
    }
}

char *judge_text(const uint8_t *msg, size_t msg_len)
{
    ldns_pkt *packet = NULL;
    ldns_buffer *buffer = ldns_buffer_new(LDNS_MIN_BUFLEN);
    char *text = NULL;
    if (buffer != NULL && ldns_wire2pkt(&packet, msg, msg_len) == LDNS_STATUS_OK) {
        write_message(buffer, packet);
        ldns_pkt_free(packet);
        text = ldns_buffer_export2str(buffer);
    }
    ldns_buffer_free(buffer);
    return text;
}

char *judge_text_record(const uint8_t *msg, size_t msg_len, size_t record_off)
{
    ldns_rr *rr = NULL;
    if (ldns_wire2rr(&rr, msg, msg_len, &record_off, LDNS_SECTION_ANSWER) != LDNS_STATUS_OK) {
        return NULL;
    }
    char *text = ldns_rr2str(rr);
    ldns_rr_free(rr);
    return text;
}
