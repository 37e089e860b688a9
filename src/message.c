/* message.c - the strict wire parser: header, questions, records, OPT and its options. */
#include "message.h"

const char *dnspack_status_name(enum dnspack_status status)
{
    static const char names[DNSPACK_STATUS_COUNT][sizeof "truncated"] = {
        "ok",        "no-space", "short", "name",  "rdata",  "edns",     "meta",     "question", "opcode", "direction", "mismatch",
        "truncated", "rcode",    "type",  "class", "no-soa", "referral", "ttl-zero", "too-big",  "entry",  "expired",   "version",
    };

    return (unsigned)status < DNSPACK_STATUS_COUNT ? names[status] : "unknown";
}

bool dnspack_type_is_meta(uint16_t type)
{
    return type == TYPE_OPT || (type >= 128 && type <= 255);
}

/* One more than what the bits behind a prefix can say in its last octet. */
/*@ terminates \true;
    exits   \false;
    assigns \nothing;
    ensures meaning: \result == octet_rest(prefix_len);
    ensures range: 1 <= \result <= 128; */
static size_t prefix_rest(size_t prefix_len)
{
    static const uint8_t units[8] = {1, 128, 64, 32, 16, 8, 4, 2};

    return units[prefix_len % 8];
}

/* Is this a well-formed EDNS Client Subnet, with no bit set after its prefix (RFC 7871 6)? Of other families nothing is known. */
/*@ requires in_bounds: off + len <= DNSPACK_MESSAGE_MAX && \valid_read(msg + (off .. off + len - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures decides: \result == 1 <==> ecs_is_valid(msg, off, len); */
static bool ecs_check(const uint8_t *msg, size_t off, size_t len)
{
    size_t family, source_len, bits;

    if (len < ECS_FIXED_LEN)
        return false;
    family = dnspack_load16(msg, off);
    if (family != 1 && family != 2)
        return true;
    bits = family == 1 ? 32 : 128;
    source_len = msg[off + 2];
    if (source_len > bits || msg[off + 3] > bits || len - ECS_FIXED_LEN != (source_len + 7) / 8)
        return false;
    return source_len % 8 == 0 || msg[off + len - 1] % prefix_rest(source_len) == 0;
}

/* A well-formed EDNS Client Subnet. A family other than IPv4 and IPv6 says nothing to us: the option is left aside. */
/*@ requires in_bounds: off + len <= DNSPACK_MESSAGE_MAX && \valid_read(msg + (off .. off + len - 1));
    requires valid: ecs_is_valid(msg, off, len);
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures valid: ecs_valid(\result, off - 4, off + len);
    ensures known: ecs_family_known(be16(msg, off)) ==> ecs_is(msg, off, \result);
    ensures other: !ecs_family_known(be16(msg, off)) ==> \result.family == 0; */
static struct dnspack_ecs ecs_read(const uint8_t *msg, size_t off, size_t len)
{
    struct dnspack_ecs ecs = {0, 0, 0, 0, 0};
    uint16_t family = dnspack_load16(msg, off);

    if (family != 1 && family != 2)
        return ecs;
    ecs.family = (uint8_t)family;
    ecs.source_len = msg[off + 2];
    ecs.scope_len = msg[off + 3];
    ecs.address_len = (uint8_t)(len - ECS_FIXED_LEN);
    ecs.address_off = (uint16_t)(off + ECS_FIXED_LEN);
    return ecs;
}

/* What the options of OPT say; the first of a kind counts. */
struct edns {
    enum dnspack_status status;
    struct dnspack_ecs ecs;
    uint16_t cookie_off;
    uint8_t cookie_len;
    bool padding;
    bool nsid;
    uint8_t error_count;
};

/*@ predicate option_ok{L}(uint8_t *msg, struct dnspack_option o, struct edns e) =
      (o.code == OPTION_COOKIE ==> o.data_len == 8 || 16 <= o.data_len <= 40) &&
      (o.code == OPTION_ECS && e.ecs.family == 0 ==> ecs_is_valid(msg, o.data_off, o.data_len));
    predicate edns_kept(integer lo, integer hi, struct edns e) =
      (e.status == DNSPACK_OK || e.status == DNSPACK_E_EDNS) && ecs_valid(e.ecs, lo, hi) && cookie_valid(e.cookie_off, e.cookie_len, lo, hi) &&
      e.error_count <= DNSPACK_ERRORS_MAX;
*/

/*@ requires in_bounds: 4 <= option.data_off && option.data_off + option.data_len <= DNSPACK_MESSAGE_MAX &&
      \valid_read(msg + (option.data_off .. option.data_off + option.data_len - 1));
    requires so_far: edns.status == DNSPACK_OK && edns.error_count <= DNSPACK_ERRORS_MAX;
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures status: \result.status == DNSPACK_OK || \result.status == DNSPACK_E_EDNS;
    ensures decides: \result.status == DNSPACK_OK <==> option_ok(msg, option, edns);
    ensures flags: (\result.nsid == 1 <==> edns.nsid == 1 || option.code == OPTION_NSID) &&
      (\result.padding == 1 <==> edns.padding == 1 || option.code == OPTION_PADDING);
    ensures errors: \result.error_count == ((option.code == OPTION_ERROR && 2 <= option.data_len) ? min2(DNSPACK_ERRORS_MAX, edns.error_count + 1) :
      edns.error_count);
    ensures cookie: (edns.cookie_off == 0 && option.code == OPTION_COOKIE && \result.status == DNSPACK_OK) ?
      (\result.cookie_off == option.data_off && \result.cookie_len == option.data_len) :
      (\result.cookie_off == edns.cookie_off && \result.cookie_len == edns.cookie_len);
    ensures ecs: (edns.ecs.family == 0 && option.code == OPTION_ECS && \result.status == DNSPACK_OK) ?
      ecs_valid(\result.ecs, option.data_off - 4, option.data_off + option.data_len) : \result.ecs == edns.ecs; */
static struct edns option_take(const uint8_t *msg, struct dnspack_option option, struct edns edns)
{
    switch (option.code) {
    case OPTION_NSID:
        edns.nsid = true;
        break;
    case OPTION_PADDING:
        edns.padding = true;
        break;
    case OPTION_ERROR: /* a code of one octet is not one: the option is left aside, never the message (RFC 8914 2) */
        if (option.data_len >= 2 && edns.error_count < DNSPACK_ERRORS_MAX)
            edns.error_count++;
        break;
    case OPTION_COOKIE: /* RFC 7873 5.2.2 */
        if (option.data_len != 8 && (option.data_len < 16 || option.data_len > 40)) {
            edns.status = DNSPACK_E_EDNS;
        } else if (edns.cookie_off == 0) {
            edns.cookie_off = option.data_off;
            edns.cookie_len = (uint8_t)option.data_len;
        }
        break;
    case OPTION_ECS:
        if (edns.ecs.family != 0)
            break;
        if (ecs_check(msg, option.data_off, option.data_len))
            edns.ecs = ecs_read(msg, option.data_off, option.data_len);
        else
            edns.status = DNSPACK_E_EDNS;
        break;
    default:
        break;
    }
    return edns;
}

/* The option at off in an OPT RDATA that ends at end; data_off 0: it does not fit. */
/*@ requires in_bounds: 1 <= off <= end <= DNSPACK_MESSAGE_MAX && \valid_read(msg + (off .. end - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures found: option_fits(msg, off, end) ==> option_is(msg, off, \result) && \result.data_off + \result.data_len <= end;
    ensures refused: !option_fits(msg, off, end) ==> \result.data_off == 0; */
static struct dnspack_option option_read(const uint8_t *msg, size_t off, size_t end)
{
    struct dnspack_option option = {0, 0, 0};

    if (end - off < OPTION_FIXED_LEN || dnspack_load16(msg, off + 2) > end - off - OPTION_FIXED_LEN)
        return option;
    option.code = dnspack_load16(msg, off);
    option.data_off = (uint16_t)(off + OPTION_FIXED_LEN);
    option.data_len = dnspack_load16(msg, off + 2);
    return option;
}

/* The options from start to end. */
/*@ requires in_bounds: 1 <= start <= end <= DNSPACK_MESSAGE_MAX && \valid_read(msg + (start .. end - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures kept: edns_kept(start, end, \result); */
static struct edns options_parse(const uint8_t *msg, size_t start, size_t end)
{
    struct edns edns = {DNSPACK_OK, {0, 0, 0, 0, 0}, 0, 0, false, false, 0};
    size_t off = start;

    /*@ loop invariant bounds: start <= off <= end;
        loop invariant kept: edns_kept(start, end, edns);
        loop assigns off, edns;
        loop variant end - off; */
    while (off < end && edns.status == DNSPACK_OK) {
        struct dnspack_option option = option_read(msg, off, end);

        if (option.data_off == 0) {
            edns.status = DNSPACK_E_EDNS;
            return edns;
        }
        edns = option_take(msg, option, edns);
        off = (size_t)option.data_off + option.data_len;
    }
    return edns;
}

/* Where the parser is, and what it has found. */
struct scan {
    enum dnspack_status status;
    size_t off;
    size_t count; /* records of all sections so far, meta records left out */
    uint16_t qname_len;
    uint16_t qtype;
    uint16_t qclass;
    size_t opt_off;  /* RDATA of OPT; 0: none so far */
    bool signed_end; /* TSIG was read: nothing may follow (RFC 8945 5.1) */
};

/*@ predicate scan_valid{L}(uint8_t *msg, integer msg_len, struct scan s) =
      DNSPACK_HEADER_LEN <= s.off <= msg_len && 11 * s.count <= s.off - DNSPACK_HEADER_LEN &&
      (s.qname_len == 0 || question_valid(msg, s.off, s.qname_len, s.qtype, s.qclass)) &&
      (s.opt_off == 0 || opt_valid(msg, s.off, s.opt_off));
    predicate message_in{L}(uint8_t *msg, integer msg_len) =
      DNSPACK_HEADER_LEN <= msg_len <= DNSPACK_MESSAGE_MAX && \valid_read(msg + (0 .. msg_len - 1));
*/
/* The questions; the first one is kept. A name at offset 12 has nothing to point to, so it is uncompressed. */
/*@ requires message: message_in(msg, msg_len);
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures status: \result.status == DNSPACK_OK || \result.status == DNSPACK_E_NAME || \result.status == DNSPACK_E_SHORT;
    ensures valid: \result.status == DNSPACK_OK ==> scan_valid(msg, msg_len, \result) && (be16(msg, 4) == 0 <==> \result.qname_len == 0);
    ensures empty: \result.count == 0 && \result.opt_off == 0; */
static struct scan questions_parse(const uint8_t *msg, size_t msg_len)
{
    struct scan scan = {DNSPACK_OK, DNSPACK_HEADER_LEN, 0, 0, 0, 0, 0, false};
    unsigned left;

    /*@ loop invariant bounds: 0 <= left <= be16(msg, 4);
        loop invariant valid: scan_valid(msg, msg_len, scan);
        loop invariant first: scan.qname_len == 0 <==> left == be16(msg, 4);
        loop invariant start: scan.qname_len == 0 ==> scan.off == DNSPACK_HEADER_LEN;
        loop invariant empty: scan.status == DNSPACK_OK && scan.count == 0 && scan.opt_off == 0;
        loop assigns left, scan;
        loop variant left; */
    for (left = dnspack_load16(msg, 4); left > 0; left--) {
        size_t next, len = dnspack_name_measure(msg, msg_len, scan.off, &next);

        if (len == 0) {
            scan.status = DNSPACK_E_NAME;
            return scan;
        }
        if (msg_len - next < QUESTION_FIXED_LEN) {
            scan.status = DNSPACK_E_SHORT;
            return scan;
        }
        if (scan.qname_len == 0) {
            scan.qname_len = (uint16_t)len;
            scan.qtype = dnspack_load16(msg, next);
            scan.qclass = dnspack_load16(msg, next + 2);
        }
        scan.off = next + QUESTION_FIXED_LEN;
    }
    return scan;
}

/* The owner of a record: where its name is, a pointer that it starts with followed; how long it is, 0: malformed; where the record goes on. */
struct owner {
    size_t off;
    size_t len;
    size_t next;
};

/*@ requires message: message_in(msg, msg_len);
    requires in_bounds: DNSPACK_HEADER_LEN <= at <= msg_len;
    requires qname: qname_len == 0 || (qname_len <= DNSPACK_NAME_MAX && DNSPACK_HEADER_LEN + qname_len <= at &&
      is_name(msg, DNSPACK_HEADER_LEN, DNSPACK_HEADER_LEN + qname_len));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures length: \result.len == name_len(msg, msg_len, at);
    ensures goes_on: \result.len > 0 ==> at < \result.next <= msg_len;
    ensures found: \result.len > 0 ==> \result.off <= at < msg_len && name_len(msg, msg_len, \result.off) == \result.len; */
static struct owner owner_parse(const uint8_t *msg, size_t msg_len, size_t at, size_t qname_len)
{
    struct owner owner = {at, qname_len, 0};
    size_t next;

    if (msg_len - at >= 2 && msg[at] >= 0xc0)
        owner.off = (msg[at] - 0xc0u) * 256u + msg[at + 1];
    if (owner.off == DNSPACK_HEADER_LEN && qname_len != 0) { /* by far the commonest owner: the query name, which has been read already */
        owner.next = at + 2;
        return owner;
    }
    owner.len = dnspack_name_measure(msg, msg_len, at, &next);
    if (owner.len != 0)
        owner.next = next;
    return owner;
}

/* A record, and what the parser needs beside it. */
struct found {
    enum dnspack_status status;
    size_t next; /* where it ends */
    size_t owner_len;
    struct dnspack_record record;
};

/*@ predicate found_valid{L}(uint8_t *msg, integer msg_len, integer at, struct found f) =
      at + 11 <= f.record.rdata_off && f.record.rdata_off + f.record.rdata_len == f.next && f.next <= msg_len &&
      record_is(msg, f.record) && f.record.owner_off < msg_len && f.owner_len == name_len(msg, msg_len, f.record.owner_off) && 0 < f.owner_len;
*/

/*@ requires message: message_in(msg, msg_len);
    requires in_bounds: DNSPACK_HEADER_LEN <= at <= msg_len;
    requires section: section <= DNSPACK_ADDITIONAL;
    requires qname: qname_len == 0 || (qname_len <= DNSPACK_NAME_MAX && DNSPACK_HEADER_LEN + qname_len <= at &&
      is_name(msg, DNSPACK_HEADER_LEN, DNSPACK_HEADER_LEN + qname_len));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures status: \result.status == DNSPACK_OK || \result.status == DNSPACK_E_NAME || \result.status == DNSPACK_E_SHORT ||
      \result.status == DNSPACK_E_RDATA;
    ensures name: name_len(msg, msg_len, at) == 0 ==> \result.status == DNSPACK_E_NAME;
    ensures found: \result.status == DNSPACK_OK ==> found_valid(msg, msg_len, at, \result);
    ensures section: \result.record.section == section; */
static struct found record_parse(const uint8_t *msg, size_t msg_len, size_t at, unsigned section, size_t qname_len)
{
    struct owner owner = owner_parse(msg, msg_len, at, qname_len);
    struct found found = {DNSPACK_E_NAME, 0, owner.len, {0, 0, 0, 0, 0, 0, (uint16_t)section}};
    size_t off = owner.next, rdata_len, expanded_len;

    if (owner.len == 0)
        return found;
    found.status = DNSPACK_E_SHORT;
    if (msg_len - off < RECORD_FIXED_LEN)
        return found;
    rdata_len = dnspack_load16(msg, off + 8);
    if (rdata_len > msg_len - off - RECORD_FIXED_LEN)
        return found;
    found.record.type = dnspack_load16(msg, off);
    found.record.rclass = dnspack_load16(msg, off + 2);
    found.record.ttl_s = dnspack_load32(msg, off + 4);
    found.record.owner_off = (uint16_t)owner.off;
    found.record.rdata_off = (uint16_t)(off + RECORD_FIXED_LEN);
    found.record.rdata_len = (uint16_t)rdata_len;
    found.next = off + RECORD_FIXED_LEN + rdata_len;
    found.status =
        dnspack_rdata_check(msg, msg_len, found.record.type, found.record.rclass, off + RECORD_FIXED_LEN, rdata_len, &expanded_len);
    return found;
}

/* Meta records say something about the message and are no data. SIG(0) is a SIG that covers no type (RFC 2931 3). */
/*@ requires in_bounds: rdata_off + rdata_len <= DNSPACK_MESSAGE_MAX && \valid_read(msg + (rdata_off .. rdata_off + rdata_len - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures meaning: \result == 1 <==> rdata_is_meta(msg, type, rdata_off, rdata_len); */
static bool record_is_meta(const uint8_t *msg, uint16_t type, size_t rdata_off, size_t rdata_len)
{
    return dnspack_type_is_meta(type) || (type == TYPE_SIG && rdata_len >= 2 && dnspack_load16(msg, rdata_off) == 0);
}

/* OPT: once, in the additional section, owned by the root (RFC 6891 6.1.1). TSIG: last in the additional section (RFC 8945 5.1). */
/*@ terminates \true;
    exits   \false;
    assigns \nothing;
    ensures opt: found.record.type == TYPE_OPT ==> \result.signed_end == scan.signed_end &&
      ((found.record.section == DNSPACK_ADDITIONAL && found.owner_len == 1 && scan.opt_off == 0) ?
        (\result.status == scan.status && \result.opt_off == found.record.rdata_off) :
        (\result.status == DNSPACK_E_EDNS && \result.opt_off == scan.opt_off));
    ensures tsig: found.record.type == TYPE_TSIG ==> \result.signed_end == 1 &&
      \result.status == (found.record.section == DNSPACK_ADDITIONAL ? scan.status : DNSPACK_E_META);
    ensures other: found.record.type != TYPE_OPT && found.record.type != TYPE_TSIG ==> \result == scan;
    ensures opt_kept: found.record.type != TYPE_OPT ==> \result.opt_off == scan.opt_off;
    ensures kept: \result.off == scan.off && \result.count == scan.count && \result.qname_len == scan.qname_len &&
      \result.qtype == scan.qtype && \result.qclass == scan.qclass; */
static struct scan meta_take(struct found found, struct scan scan)
{
    if (found.record.type == TYPE_OPT) {
        if (found.record.section != DNSPACK_ADDITIONAL || found.owner_len != 1 || scan.opt_off != 0)
            scan.status = DNSPACK_E_EDNS;
        else
            scan.opt_off = found.record.rdata_off;
    } else if (found.record.type == TYPE_TSIG) {
        if (found.record.section != DNSPACK_ADDITIONAL)
            scan.status = DNSPACK_E_META;
        scan.signed_end = true;
    }
    return scan;
}

/*@ requires room: \valid(records + (0 .. index));
    terminates \true;
    exits   \false;
    assigns records[index];
    ensures stored: records[index] == record;
    ensures kept: same_records{Old,Here}(records, index); */
static void record_store(struct dnspack_record *records, size_t index, struct dnspack_record record)
{
    records[index] = record;
}

/*@ // The records so far; section: the last one that they can be of.
    predicate stored{L}(uint8_t *msg, integer msg_len, struct dnspack_record *records, integer cap, integer n, integer section) =
      records == \null || (n <= cap && records_valid(msg, msg_len, records, n) && records_are(msg, records, n) && records_until(records, n, section));
    predicate room{L}(struct dnspack_record *records, integer cap) = records == \null ? cap == 0 : \valid(records + (0 .. cap - 1));
*/
/* The record at scan.off. */
/*@ requires message: message_in(msg, msg_len);
    requires room: room(records, record_cap) && \separated(msg + (0 .. msg_len - 1), records + (0 .. record_cap - 1));
    requires scan: scan_valid(msg, msg_len, scan);
    requires section: section <= DNSPACK_ADDITIONAL;
    requires stored: stored(msg, msg_len, records, record_cap, scan.count, section);
    terminates \true;
    exits   \false;
    assigns records[0 .. record_cap - 1];
    ensures status: malformed_or_ok(\result.status) || (\result.status == DNSPACK_E_NO_SPACE && records != \null && scan.count == record_cap);
    ensures signed_end: scan.signed_end == 1 ==> \result.status != DNSPACK_OK;
    ensures valid: \result.status == DNSPACK_OK ==> scan_valid(msg, msg_len, \result) && scan.count <= \result.count <= scan.count + 1;
    ensures stored: \result.status == DNSPACK_OK ==> stored(msg, msg_len, records, record_cap, \result.count, section);
    ensures question: \result.qname_len == scan.qname_len; */
static struct scan record_take(const uint8_t *msg, size_t msg_len, unsigned section, struct dnspack_record *records, size_t record_cap,
                               struct scan scan)
{
    struct found found = record_parse(msg, msg_len, scan.off, section, scan.qname_len);

    scan.status = scan.signed_end && found.status == DNSPACK_OK ? DNSPACK_E_META : found.status;
    if (scan.status != DNSPACK_OK)
        return scan;
    scan.off = found.next;
    if (record_is_meta(msg, found.record.type, found.record.rdata_off, found.record.rdata_len))
        return meta_take(found, scan);
    if (records != NULL) {
        if (scan.count >= record_cap) {
            scan.status = DNSPACK_E_NO_SPACE;
            return scan;
        }
        record_store(records, scan.count, found.record);
        //@ assert kept: same{Pre,Here}(msg, 0, msg_len) && same_records{Pre,Here}(records, scan.count);
        //@ assert before: records_valid(msg, msg_len, records, scan.count) && records_are(msg, records, scan.count);
        //@ assert added: record_valid(msg, msg_len, records[scan.count]) && record_is(msg, records[scan.count]);
        //@ assert all: records_valid(msg, msg_len, records, scan.count + 1) && records_are(msg, records, scan.count + 1);
        //@ assert stored: stored(msg, msg_len, records, record_cap, scan.count + 1, section);
    }
    scan.count++;
    return scan;
}

/*@ requires message: message_in(msg, msg_len);
    requires room: room(records, record_cap) && \separated(msg + (0 .. msg_len - 1), records + (0 .. record_cap - 1));
    requires scan: scan_valid(msg, msg_len, scan) && scan.status == DNSPACK_OK;
    requires section: section <= DNSPACK_ADDITIONAL;
    requires stored: stored(msg, msg_len, records, record_cap, scan.count, section);
    terminates \true;
    exits   \false;
    assigns records[0 .. record_cap - 1];
    ensures status: malformed_or_ok(\result.status) || (\result.status == DNSPACK_E_NO_SPACE && records != \null);
    ensures valid: \result.status == DNSPACK_OK ==> scan_valid(msg, msg_len, \result) && scan.count <= \result.count;
    ensures stored: \result.status == DNSPACK_OK ==> stored(msg, msg_len, records, record_cap, \result.count, section);
    ensures question: \result.qname_len == scan.qname_len; */
static struct scan section_parse(const uint8_t *msg, size_t msg_len, unsigned section, struct dnspack_record *records, size_t record_cap,
                                 struct scan scan)
{
    unsigned left;

    /*@ loop invariant bounds: 0 <= left <= 65535;
        loop invariant valid: scan_valid(msg, msg_len, scan) && scan.status == DNSPACK_OK && \at(scan.count,Pre) <= scan.count;
        loop invariant stored: stored(msg, msg_len, records, record_cap, scan.count, section);
        loop invariant question: scan.qname_len == \at(scan.qname_len,Pre);
        loop assigns left, scan, records[0 .. record_cap - 1];
        loop variant left; */
    for (left = dnspack_load16(msg, 6 + (size_t)section * 2); left > 0; left--) {
        scan = record_take(msg, msg_len, section, records, record_cap, scan);
        if (scan.status != DNSPACK_OK)
            return scan;
    }
    return scan;
}

/* The same; most sections of most messages are empty. */
/*@ requires message: message_in(msg, msg_len);
    requires room: room(records, record_cap) && \separated(msg + (0 .. msg_len - 1), records + (0 .. record_cap - 1));
    requires scan: scan_valid(msg, msg_len, scan) && scan.status == DNSPACK_OK;
    requires section: section <= DNSPACK_ADDITIONAL;
    requires stored: stored(msg, msg_len, records, record_cap, scan.count, section);
    terminates \true;
    exits   \false;
    assigns records[0 .. record_cap - 1];
    ensures status: malformed_or_ok(\result.status) || (\result.status == DNSPACK_E_NO_SPACE && records != \null);
    ensures valid: \result.status == DNSPACK_OK ==> scan_valid(msg, msg_len, \result) && scan.count <= \result.count;
    ensures stored: \result.status == DNSPACK_OK ==> stored(msg, msg_len, records, record_cap, \result.count, section);
    ensures question: \result.qname_len == scan.qname_len; */
static inline struct scan section_pass(const uint8_t *msg, size_t msg_len, unsigned section, struct dnspack_record *records,
                                       size_t record_cap, struct scan scan)
{
    return dnspack_load16(msg, 6 + (size_t)section * 2) == 0 ? scan : section_parse(msg, msg_len, section, records, record_cap, scan);
}

/* The options of the OPT with its RDATA at opt_off; those of an unknown version are not read (RFC 6891 6.1.3). */
/*@ requires opt: opt_valid(msg, DNSPACK_MESSAGE_MAX, opt_off) && \valid_read(msg + (0 .. opt_off + be16(msg, opt_off - 2) - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures kept: edns_kept(opt_off, opt_off + be16(msg, opt_off - 2), \result); */
static struct edns opt_parse(const uint8_t *msg, size_t opt_off)
{
    bool known = msg[opt_off - 5] == 0;

    return options_parse(msg, opt_off, known ? opt_off + dnspack_load16(msg, opt_off - 2) : opt_off);
}

/* Add to the message what its OPT says. */
/*@ requires in_bounds: \valid_read(msg + (0 .. opt_off - 1));
    requires message: message_valid(msg, message.end_off, message) && message.options_off == 0;
    requires opt: opt_valid(msg, message.end_off, opt_off);
    requires edns: edns_kept(opt_off, opt_off + be16(msg, opt_off - 2), edns);
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures valid: message_valid(msg, message.end_off, \result) && \result.end_off == message.end_off;
    ensures options: \result.options_off == opt_off;
    ensures kept: records_total(\result) == records_total(message); */
static struct dnspack_message opt_apply(const uint8_t *msg, size_t opt_off, struct edns edns, struct dnspack_message message)
{
    message.rcode = (uint16_t)(message.rcode + msg[opt_off - 6] * 16u);
    message.options_off = (uint16_t)opt_off;
    message.options_len = dnspack_load16(msg, opt_off - 2);
    message.udp_size = dnspack_load16(msg, opt_off - 8);
    message.version = msg[opt_off - 5];
    message.dnssec_ok = msg[opt_off - 4] >= 128;
    message.ecs = edns.ecs;
    message.cookie_off = edns.cookie_off;
    message.cookie_len = edns.cookie_len;
    message.padding = edns.padding;
    message.nsid = edns.nsid;
    message.error_count = edns.error_count;
    //@ assert header: header_is(msg, message);
    //@ assert edns: edns_valid(msg, message);
    return message;
}

/* Add to the counts what else is known of a message without OPT. */
/*@ requires header: \valid_read(msg + (0 .. DNSPACK_HEADER_LEN - 1));
    requires scan: scan_valid(msg, DNSPACK_MESSAGE_MAX, scan) && (be16(msg, 4) == 0 <==> scan.qname_len == 0);
    requires counted: records_total(message) == scan.count;
    requires empty: message.options_off == 0 && message.rcode == 0 && edns_none(message);
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures valid: message_valid(msg, scan.off, \result) && \result.end_off == scan.off;
    ensures options: \result.options_off == 0;
    ensures kept: records_total(\result) == scan.count; */
static struct dnspack_message head_put(const uint8_t *msg, struct scan scan, struct dnspack_message message)
{
    message.id = dnspack_load16(msg, 0);
    message.flags = dnspack_load16(msg, 2);
    message.rcode = message.flags % 16u;
    message.question_count = dnspack_load16(msg, 4);
    message.qname_len = scan.qname_len;
    message.qtype = scan.qtype;
    message.qclass = scan.qclass;
    message.end_off = (uint16_t)scan.off;
    return message;
}

/*@ requires output: \valid(message);
    terminates \true;
    exits   \false;
    assigns *message;
    ensures stored: *message == value;
    ensures octets_kept: \forall uint8_t *b, integer n; \separated(message, b + (0 .. n - 1)) ==> same{Old,Here}(b, 0, n);
    ensures records_kept: \forall struct dnspack_record *r, integer n; \separated(message, r + (0 .. n - 1)) ==> same_records{Old,Here}(r, n); */
static void message_store(struct dnspack_message *message, struct dnspack_message value)
{
    *message = value;
}

enum dnspack_status dnspack_message_parse(const uint8_t *msg, size_t msg_len, struct dnspack_record *records, size_t record_cap,
                                          struct dnspack_message *message)
{
    struct dnspack_message parsed = {0};
    struct scan scan;
    unsigned section;

    if (msg_len > DNSPACK_MESSAGE_MAX)
        return DNSPACK_E_TOO_BIG;
    if (msg_len < DNSPACK_HEADER_LEN)
        return DNSPACK_E_SHORT;
    if (msg[2] / 8u % 16u != 0)
        return DNSPACK_E_OPCODE;
    scan = questions_parse(msg, msg_len);
    if (scan.status != DNSPACK_OK)
        return scan.status;
    /*@ loop invariant bounds: 0 <= section <= 3 && scan.status == DNSPACK_OK;
        loop invariant valid: scan_valid(msg, msg_len, scan) && (be16(msg, 4) == 0 <==> scan.qname_len == 0);
        loop invariant stored: stored(msg, msg_len, records, record_cap, scan.count, section);
        loop invariant counted: records_total(parsed) == scan.count;
        loop invariant to_come: (section == 0 ==> parsed.record_count[0] == 0) && (section <= 1 ==> parsed.record_count[1] == 0) &&
          (section <= 2 ==> parsed.record_count[2] == 0);
        loop invariant empty: parsed.options_off == 0 && parsed.rcode == 0 && edns_none(parsed);
        loop assigns section, scan, parsed, records[0 .. record_cap - 1];
        loop variant 3 - section; */
    for (section = DNSPACK_ANSWER; section <= DNSPACK_ADDITIONAL; section++) {
        size_t before = scan.count;

        scan = section_pass(msg, msg_len, section, records, record_cap, scan);
        if (scan.status != DNSPACK_OK)
            return scan.status;
        parsed.record_count[section] = (uint16_t)(scan.count - before);
    }
    parsed = head_put(msg, scan, parsed);
    if (scan.opt_off != 0) {
        struct edns edns = opt_parse(msg, scan.opt_off);

        if (edns.status != DNSPACK_OK)
            return edns.status;
        parsed = opt_apply(msg, scan.opt_off, edns, parsed);
    }
    //@ assert valid: message_valid(msg, msg_len, parsed);
    //@ assert found: records != \null ==> records_valid(msg, msg_len, records, records_total(parsed));
    //@ ghost L: ;
    message_store(message, parsed);
    //@ assert message_kept: same{L,Here}(msg, 0, msg_len);
    //@ assert valid_kept: message_valid(msg, msg_len, parsed);
    //@ assert stored: *message == parsed;
    //@ assert room_kept: records != \null ==> same_records{L,Here}(records, record_cap);
    //@ assert records_kept: records != \null ==> same_records{L,Here}(records, records_total(parsed));
    return DNSPACK_OK;
}

enum dnspack_status dnspack_query_parse(const uint8_t *msg, size_t msg_len, struct dnspack_message *query)
{
    struct dnspack_message parsed;
    enum dnspack_status status = dnspack_message_parse(msg, msg_len, NULL, 0, &parsed);

    if (status != DNSPACK_OK)
        return status;
    if (parsed.flags >= DNSPACK_FLAG_QR)
        return DNSPACK_E_DIRECTION;
    if (parsed.question_count != 1)
        return DNSPACK_E_QUESTION;
    if (parsed.version != 0)
        return DNSPACK_E_VERSION;
    //@ assert valid: query_valid(msg, msg_len, parsed);
    //@ ghost L: ;
    message_store(query, parsed);
    //@ assert message_kept: same{L,Here}(msg, 0, msg_len);
    //@ assert stored: *query == \at(parsed,L);
    return DNSPACK_OK;
}

bool dnspack_option_next(const uint8_t *msg, const struct dnspack_message *message, size_t *cursor, struct dnspack_option *option)
{
    size_t off = message->options_off + *cursor;
    size_t end = (size_t)message->options_off + message->options_len;
    struct dnspack_option next;

    if (message->options_off == 0 || off >= end)
        return false;
    next = option_read(msg, off, end);
    if (next.data_off == 0)
        return false;
    *cursor += OPTION_FIXED_LEN + (size_t)next.data_len;
    *option = next;
    return true;
}

bool dnspack_ecs_tag(const uint8_t *msg, const struct dnspack_ecs *ecs, unsigned prefix_len, uint8_t tag[DNSPACK_ECS_TAG_MAX],
                     size_t *tag_len)
{
    size_t len;

    if (ecs->family == 0 || prefix_len > ecs->address_len * 8u)
        return false;
    if (prefix_len == 0) {
        *tag_len = 0;
        return true;
    }
    len = (prefix_len + 7u) / 8u;
    //@ ghost L: ;
    tag[0] = ecs->family;
    tag[1] = (uint8_t)prefix_len;
    dnspack_copy(tag, 2, msg, ecs->address_off, len);
    //@ assert last: tag[1 + len] == \at(msg[ecs->address_off + len - 1],L);
    /* the bits after the prefix are 0, so that equal prefixes are equal tags */
    tag[1 + len] = (uint8_t)(tag[1 + len] - tag[1 + len] % prefix_rest(prefix_len));
    //@ assert cut: tag[1 + len] == \at(msg[ecs->address_off + len - 1],L) - \at(msg[ecs->address_off + len - 1],L) % octet_rest(prefix_len);
    //@ assert kept: msg[ecs->address_off + len - 1] == \at(msg[ecs->address_off + len - 1],L);
    //@ assert place: prefix_len % 8 != 0 ==> len - 1 == prefix_len / 8;
    *tag_len = 2 + len;
    return true;
}
