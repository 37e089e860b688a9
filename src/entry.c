/* entry.c - reading entries: check, decode, next, names, match. */
#include "entry.h"

/* Last labels of names as big-endian numbers, in ascending order: two letters, three, four. Their place is their code. */
static const uint32_t suffix_labels[SUFFIX_END - SUFFIX_FIRST] = {
    /* ai au be br ca ch cn co */ 0x6169,
    0x6175,
    0x6265,
    0x6272,
    0x6361,
    0x6368,
    0x636e,
    0x636f,
    /* cz de dk es eu fi fr in */ 0x637a,
    0x6465,
    0x646b,
    0x6573,
    0x6575,
    0x6669,
    0x6672,
    0x696e,
    /* io ir it jp kr me mx nl */ 0x696f,
    0x6972,
    0x6974,
    0x6a70,
    0x6b72,
    0x6d65,
    0x6d78,
    0x6e6c,
    /* pl ru se tv tw ua uk us */ 0x706c,
    0x7275,
    0x7365,
    0x7476,
    0x7477,
    0x7561,
    0x756b,
    0x7573,
    /* app biz com dev edu gov */ 0x617070,
    0x62697a,
    0x636f6d,
    0x646576,
    0x656475,
    0x676f76,
    /* net org top xyz         */ 0x6e6574,
    0x6f7267,
    0x746f70,
    0x78797a,
    /* arpa club info live     */ 0x61727061,
    0x636c7562,
    0x696e666f,
    0x6c697665,
    /* shop site               */ 0x73686f70,
    0x73697465,
};

size_t dnspack_suffix_len(uint8_t code)
{
    return code < SUFFIX_LEN3_FIRST ? 4 : code < SUFFIX_LEN4_FIRST ? 5 : 6;
}

uint32_t dnspack_suffix_label(uint8_t code)
{
    return suffix_labels[code - SUFFIX_FIRST];
}

uint8_t dnspack_suffix_code(uint32_t label)
{
    size_t low = 0, high = SUFFIX_END - SUFFIX_FIRST;

    /*@ loop invariant bounds: low <= high <= SUFFIX_END - SUFFIX_FIRST;
        loop assigns low, high;
        loop variant high - low; */
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (suffix_labels[middle] == label)
            return (uint8_t)(SUFFIX_FIRST + middle);
        if (suffix_labels[middle] < label)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

struct var dnspack_var_read(const uint8_t *src, size_t off, size_t end)
{
    struct var var = {0, 0};

    if (off >= end)
        return var;
    if (src[off] != 255) {
        var.end = off + 1;
        var.value = src[off];
        return var;
    }
    if (end - off < 3 || dnspack_load16(src, off + 1) < 255)
        return var;
    var.end = off + 3;
    var.value = dnspack_load16(src, off + 1);
    return var;
}

size_t dnspack_entry_name_end(const uint8_t *src, size_t off, size_t end, bool coded)
{
    size_t limit = end - off < DNSPACK_NAME_MAX ? end : off + DNSPACK_NAME_MAX;
    size_t at = off;

    //@ ghost int k = 128;
    /*@ loop invariant bounds: 0 <= k <= 128 && off <= at <= limit + 63 && 2 * (128 - k) <= at - off;
        loop invariant rest: walk_end(src, off, coded ? 1 : 0, 128) == walk_end(src, at, coded ? 1 : 0, k);
        loop assigns at, k;
        loop variant limit + 64 - at; */
    while (at < limit) {
        uint8_t len = src[at];

        //@ assert fuel: k > 0;
        if (len == 0)
            return at + 1;
        if (len > 63) {
            if (!coded || len < SUFFIX_FIRST || len >= SUFFIX_END || at - off + dnspack_suffix_len(len) > DNSPACK_NAME_MAX)
                return 0;
            return at + 1;
        }
        at += len + 1u;
        //@ ghost k = k - 1;
    }
    //@ assert beyond: walk_end(src, at, coded ? 1 : 0, k) == -1 || walk_end(src, at, coded ? 1 : 0, k) > at;
    return 0;
}

enum { LAYOUT_TYPES = 40 };

/* The types with a shape; all others have none. */
static const struct layout layouts[LAYOUT_TYPES] = {
    [TYPE_A] = {true, 4, 0, 0},     [TYPE_NS] = {true, 0, 1, 0},  [TYPE_CNAME] = {true, 0, 1, 0},
    [TYPE_SOA] = {true, 0, 2, 20},  [TYPE_PTR] = {true, 0, 1, 0}, [TYPE_MX] = {true, 2, 1, 0},
    [TYPE_AAAA] = {true, 16, 0, 0}, [TYPE_SRV] = {true, 6, 1, 0}, [TYPE_DNAME] = {true, 0, 1, 0},
};

struct layout dnspack_layout(uint16_t type)
{
    return layouts[type < LAYOUT_TYPES ? type : 0];
}

size_t dnspack_rdata_field_end(const uint8_t *src, size_t off, size_t end, uint16_t type)
{
    struct layout layout = dnspack_layout(type);
    size_t at;

    if (!layout.shaped) {
        struct var len = dnspack_var_read(src, off, end);

        return len.end == 0 || len.value > end - len.end ? 0 : len.end + len.value;
    }
    if (layout.head > end - off)
        return 0;
    at = off + layout.head;
    if (layout.names == 0)
        return at;
    at = dnspack_entry_name_end(src, at, end, false);
    if (at == 0 || layout.names == 1)
        return at;
    at = dnspack_entry_name_end(src, at, end, false);
    return at == 0 || layout.tail > end - at ? 0 : at + layout.tail;
}

uint16_t dnspack_qtype_of(uint8_t code)
{
    static const uint16_t types[16] = {0, 1, 28, 65, 16, 12, 15, 2, 6, 5, 33, 43, 48, 64, 257, 35};

    return types[code];
}

uint8_t dnspack_qtype_code(uint16_t type)
{
    switch (type) {
    case 1:
        return 1;
    case 28:
        return 2;
    case 65:
        return 3;
    case 16:
        return 4;
    case 12:
        return 5;
    case 15:
        return 6;
    case 2:
        return 7;
    case 6:
        return 8;
    case 5:
        return 9;
    case 33:
        return 10;
    case 43:
        return 11;
    case 48:
        return 12;
    case 64:
        return 13;
    case 257:
        return 14;
    case 35:
        return 15;
    default:
        return 0;
    }
}

/* ctl, type and TTL of the group at off; rdata_off is where they end. */
/*@ requires in_bounds: 0 <= off < end <= DNSPACK_ENTRY_MAX && \valid_read(entry + (0 .. end - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures read: \result.rdata_off > 0 ==> \result.rdata_off == ttl_end(entry, off) && off < \result.rdata_off <= end &&
      \result.type == group_type(entry, off, qtype) && \result.ttl_s == group_ttl(entry, off, ttl_s) &&
      \result.form == ctl_owner(entry[off]) && \result.count == ctl_count(entry[off]);
    ensures refused: \result.rdata_off == 0 ==> ttl_end(entry, off) < 0 || ttl_end(entry, off) > end; */
static struct group group_start_read(const uint8_t *entry, size_t off, size_t end, uint16_t qtype, uint32_t ttl_s)
{
    struct group none = {0, 0, 0, 0, 0, 0}, group = {0, 0, 0, 0, 0, 0};
    size_t at = off + 1;

    group.form = entry[off] / 64u;
    group.count = (uint8_t)(entry[off] % 16u + 1u);
    group.type = qtype;
    group.ttl_s = ttl_s;
    if (entry[off] / 32u % 2u == 1) {
        struct var type = dnspack_var_read(entry, at, end);

        if (type.end == 0)
            return none;
        group.type = type.value;
        at = type.end;
    }
    //@ assert type: at == type_end(entry, off) && group.type == group_type(entry, off, qtype) && off < at <= end;
    if (entry[off] / 16u % 2u == 1) {
        if (end - at < 3)
            return none;
        group.ttl_s = dnspack_load24(entry, at);
        at += 3;
    }
    //@ assert ttl: at == ttl_end(entry, off) && group.ttl_s == group_ttl(entry, off, ttl_s) && off < at <= end;
    //@ assert ctl: group.form == ctl_owner(entry[off]) && group.count == ctl_count(entry[off]);
    group.rdata_off = at;
    return group;
}

struct group dnspack_group_read(const uint8_t *entry, size_t names_off, size_t off, size_t end, uint16_t qtype, uint32_t ttl_s)
{
    struct group none = {0, 0, 0, 0, 0, 0}, group = group_start_read(entry, off, end, qtype, ttl_s);
    size_t at = group.rdata_off;
    struct var var;

    if (at == 0) {
        //@ assert no_start: head_end(entry, names_off, off) < 0 || head_end(entry, names_off, off) > end;
        return none;
    }
    if (group.form == OWNER_REFERENCE) {
        var = dnspack_var_read(entry, at, end);
        if (var.end == 0) {
            //@ assert no_reference: head_end(entry, names_off, off) < 0 || head_end(entry, names_off, off) > end;
            return none;
        }
        if (var.value < names_off || var.value >= off || dnspack_entry_name_end(entry, var.value, off, true) == 0) {
            //@ assert no_target: head_end(entry, names_off, off) < 0 || head_end(entry, names_off, off) > end;
            return none;
        }
        group.owner_off = var.value;
        group.rdata_off = var.end;
    } else if (group.form == OWNER_EXPLICIT) {
        group.owner_off = at;
        group.rdata_off = dnspack_entry_name_end(entry, at, end, false);
        if (group.rdata_off == 0) {
            //@ assert no_owner: head_end(entry, names_off, off) < 0 || head_end(entry, names_off, off) > end;
            return none;
        }
    }
    //@ assert owner: group.rdata_off == head_end(entry, names_off, off) && off < group.rdata_off <= end;
    return group;
}

/* Where count RDATA fields of a type end; 0: one is malformed or beyond end. */
/*@ requires in_bounds: 0 <= off <= end <= DNSPACK_ENTRY_MAX && \valid_read(src + (0 .. end - 1));
    requires some: 1 <= count <= 16;
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures found: \result > 0 ==> \result == fields_end(src, off, type, count) && off < \result <= end;
    ensures refused: \result == 0 ==> !(0 <= fields_end(src, off, type, count) <= end); */
static size_t fields_skip(const uint8_t *src, size_t off, size_t end, uint16_t type, unsigned count)
{
    size_t at = off;
    unsigned left = count;

    /*@ loop invariant bounds: 0 <= left <= count && off <= at <= end && (left < count ==> off < at);
        loop invariant rest: fields_end(src, off, type, count) == fields_end(src, at, type, left);
        loop assigns at, left;
        loop variant left; */
    while (left > 0) {
        size_t next = dnspack_rdata_field_end(src, at, end, type);

        if (next == 0) {
            //@ assert field: field_end(src, at, type) == -1 || field_end(src, at, type) > end;
            /*@ assert later: field_end(src, at, type) > end ==>
                  fields_end(src, field_end(src, at, type), type, left - 1) == -1 || fields_end(src, field_end(src, at, type), type, left - 1) > end; */
            return 0;
        }
        at = next;
        left--;
    }
    return at;
}

/* Where the group at off ends; 0: it is malformed or runs beyond end. */
/*@ requires in_bounds: 0 <= off < end <= DNSPACK_ENTRY_MAX && \valid_read(entry + (0 .. end - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures found: \result > 0 ==> \result == group_stop(entry, names_off, off, qtype) && off < \result <= end;
    ensures refused: \result == 0 ==> !(0 <= group_stop(entry, names_off, off, qtype) <= end); */
static size_t group_skip(const uint8_t *entry, size_t names_off, size_t off, size_t end, uint16_t qtype)
{
    struct group group = dnspack_group_read(entry, names_off, off, end, qtype, 0);

    if (group.rdata_off == 0) {
        //@ assert no_head: group_stop(entry, names_off, off, qtype) < 0 || group_stop(entry, names_off, off, qtype) > end;
        return 0;
    }
    return fields_skip(entry, group.rdata_off, end, group.type, group.count);
}

/*@ requires in_bounds: 0 <= off <= end <= DNSPACK_ENTRY_MAX && \valid_read(entry + (0 .. end - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures decides: \result == 1 <==> tiled(entry, names_off, off, end, qtype); */
static bool groups_check(const uint8_t *entry, size_t names_off, size_t off, size_t end, uint16_t qtype)
{
    size_t at = off;

    //@ ghost int k = 65535;
    /*@ loop invariant bounds: off <= at <= end && 0 <= k <= 65535 && 65535 - k <= at - off;
        loop invariant rest: tiled_by(entry, names_off, off, end, qtype, 65535) <==> tiled_by(entry, names_off, at, end, qtype, k);
        loop assigns at, k;
        loop variant end - at; */
    while (at < end) {
        size_t next = group_skip(entry, names_off, at, end, qtype);

        if (next == 0)
            return false;
        at = next;
        //@ ghost k = k - 1;
    }
    return true;
}

/* Where count errors end: each a var length of at least 2, and a code and text. */
/*@ requires in_bounds: 0 < off <= end <= DNSPACK_ENTRY_MAX && \valid_read(entry + (0 .. end - 1));
    requires some: count <= 255;
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures found: \result > 0 ==> \result == errors_stop(entry, off, count) && off <= \result <= end;
    ensures refused: \result == 0 ==> !(0 <= errors_stop(entry, off, count) <= end); */
static size_t errors_skip(const uint8_t *entry, size_t off, size_t end, unsigned count)
{
    size_t at = off;
    unsigned left = count;

    /*@ loop invariant bounds: 0 <= left <= count && off <= at <= end;
        loop invariant rest: errors_stop(entry, off, count) == errors_stop(entry, at, left);
        loop assigns at, left;
        loop variant left; */
    while (left > 0) {
        struct var len = dnspack_var_read(entry, at, end);

        if (len.end == 0 || len.value < 2 || len.value > end - len.end) {
            /*@ assert later: counted_end(entry, at) > end ==>
                  errors_stop(entry, counted_end(entry, at), left - 1) == -1 || errors_stop(entry, counted_end(entry, at), left - 1) > end; */
            //@ assert none: errors_stop(entry, at, left) == -1 || errors_stop(entry, at, left) > end;
            return 0;
        }
        at = len.end + len.value;
        left--;
    }
    return at;
}

/* The octet that says which fields there are. */
/*@ requires in_bounds: \valid_read(entry + (0 .. 10));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures meaning: \result == head_ext(entry); */
static inline uint8_t ext_read(const uint8_t *entry)
{
    return entry[ENTRY_FLAGS_OFF] / 16u % 2u == 1 ? entry[ENTRY_FIXED_LEN] : 0;
}

/* Where the query name is, if what comes before it does not contradict the format; else 0. */
/*@ requires in_bounds: entry_len <= DNSPACK_ENTRY_MAX && \valid_read(entry + (0 .. entry_len - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures found: \result > 0 ==> fixed_valid(entry, entry_len) && \result == qname_at(entry) && 10 <= \result <= entry_len;
    ensures refused: \result == 0 ==> !(fixed_valid(entry, entry_len) && qname_at(entry) <= entry_len); */
static size_t fixed_check(const uint8_t *entry, size_t entry_len)
{
    size_t at = ENTRY_FIXED_LEN;
    uint8_t flags, ext;

    if (entry_len < DNSPACK_ENTRY_MIN || dnspack_load16(entry, ENTRY_LEN_OFF) != entry_len)
        return 0;
    flags = entry[ENTRY_FLAGS_OFF];
    ext = ext_read(entry);
    if (flags / 64u == 3 || ext > EXT_MAX || (flags / 32u % 2u == 1 && ext / EXT_UNCHECKED == 1))
        return 0;
    if (flags / 16u % 2u == 1) {
        if (ext == 0)
            return 0;
        at++;
    }
    //@ assert ext: at == qtype_at(entry) && ext == head_ext(entry);
    if (flags % 16u == 0) {
        if (entry_len - at < 2 || dnspack_qtype_code(dnspack_load16(entry, at)) != 0)
            return 0;
        at += 2;
    }
    //@ assert qtype: at == qclass_at(entry);
    if (ext % 2u == 1) {
        if (entry_len - at < 2 || dnspack_load16(entry, at) == CLASS_IN)
            return 0;
        at += 2;
    }
    //@ assert qclass: at == lengths_at(entry) && fixed_valid(entry, entry_len);
    if (ext / EXT_SECTIONS % 2u == 1)
        at += 4;
    //@ assert qname: at == qname_at(entry);
    return at <= entry_len ? at : 0;
}

/* Where the groups start, if query name, tag and errors are well formed; else 0. */
/*@ requires in_bounds: 11 <= entry_len <= DNSPACK_ENTRY_MAX && \valid_read(entry + (0 .. entry_len - 1));
    requires fixed: 10 <= qname_off == qname_at(entry) <= entry_len;
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures found: \result > 0 ==> \result == groups_at(entry) && qname_off < \result <= entry_len;
    ensures refused: \result == 0 ==> !(0 <= groups_at(entry) <= entry_len); */
static size_t keys_check(const uint8_t *entry, size_t entry_len, size_t qname_off)
{
    uint8_t ext = ext_read(entry);
    size_t at = dnspack_entry_name_end(entry, qname_off, entry_len, true);

    if (at == 0) {
        //@ assert no_name: groups_at(entry) < 0 || groups_at(entry) > entry_len;
        return 0;
    }
    if (ext / EXT_TAG % 2u == 1) {
        if (at >= entry_len || entry[at] > entry_len - at - 1) {
            //@ assert no_tag: groups_at(entry) < 0 || groups_at(entry) > entry_len;
            return 0;
        }
        at += 1u + entry[at];
    }
    //@ assert tag: qname_off < at == errors_at(entry);
    if (ext / EXT_ERRORS % 2u == 1) {
        if (at >= entry_len || entry[at] == 0 || entry[at] > DNSPACK_ERRORS_MAX) {
            //@ assert no_count: groups_at(entry) < 0 || groups_at(entry) > entry_len;
            return 0;
        }
        at = errors_skip(entry, at + 1, entry_len, entry[at]);
        //@ assert errors: at > 0 ==> at == groups_at(entry) && qname_off < at <= entry_len;
        return at;
    }
    return at;
}

/*@ requires in_bounds: entry_len <= DNSPACK_ENTRY_MAX && \valid_read(entry + (0 .. entry_len - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures decides: \result == 1 <==> head_valid(entry, entry_len); */
static bool head_check(const uint8_t *entry, size_t entry_len)
{
    size_t qname_off = fixed_check(entry, entry_len), at;

    if (qname_off == 0) {
        //@ assert no_fixed: !head_valid(entry, entry_len);
        return false;
    }
    at = keys_check(entry, entry_len, qname_off);
    if (at == 0)
        return false;
    if (ext_read(entry) / EXT_SECTIONS % 2u == 0)
        return true;
    //@ assert lengths: qname_off - 4 == lengths_at(entry) && qname_off >= 14;
    return (size_t)dnspack_load16(entry, qname_off - 4) + dnspack_load16(entry, qname_off - 2) <= entry_len - at;
}

enum dnspack_status dnspack_entry_check(const uint8_t *entry, size_t entry_len)
{
    struct dnspack_entry head;

    if (entry_len > DNSPACK_ENTRY_MAX || !head_check(entry, entry_len))
        return DNSPACK_E_ENTRY;
    head = dnspack_entry_decode(entry, entry_len);
    if (!groups_check(entry, head.qname_off, head.section_off[0], head.section_off[1], head.qtype) ||
        !groups_check(entry, head.qname_off, head.section_off[1], head.section_off[2], head.qtype) ||
        !groups_check(entry, head.qname_off, head.section_off[2], head.section_off[3], head.qtype))
        return DNSPACK_E_ENTRY;
    return DNSPACK_OK;
}

/* ---- reading what was checked ---- */

/* The RCODE that two bits stand for; the fourth value is none. */
/*@ requires two_bits: bits <= 3;
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures meaning: \result == (bits == 0 ? 0 : bits == 1 ? 3 : bits == 2 ? 2 : 255); */
static inline uint8_t rcode_of(uint8_t bits)
{
    static const uint8_t rcodes[4] = {RCODE_NOERROR, RCODE_NXDOMAIN, RCODE_SERVFAIL, 255};

    return rcodes[bits];
}

/* Where the name at off ends. */
/*@ requires in_bounds: 0 <= off < name_stop(src, off, 1) <= DNSPACK_ENTRY_MAX && \valid_read(src + (0 .. name_stop(src, off, 1) - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures end: \result == name_stop(src, off, 1); */
static inline size_t name_skip(const uint8_t *src, size_t off)
{
    size_t at = off;

    //@ ghost int k = 128;
    /*@ loop invariant bounds: 0 <= k <= 128 && off <= at < walk_end(src, off, 1, 128);
        loop invariant rest: walk_end(src, off, 1, 128) == walk_end(src, at, 1, k);
        loop assigns at, k;
        loop variant k; */
    while (src[at] >= 1 && src[at] <= 63) {
        at += src[at] + 1u;
        //@ ghost k = k - 1;
    }
    return at + 1;
}

/*@ predicate start_is{L}(uint8_t *b, struct dnspack_entry h) =
      h.stored_s == be32(b, 2) && h.ttl_s == be24(b, 6) && h.rcode == (b[9] / 64 == 0 ? 0 : b[9] / 64 == 1 ? 3 : 2) &&
      (h.authenticated == 1 <==> (b[9] / 32) % 2 == 1) && h.qtype == head_qtype(b);
    predicate keys_are{L}(uint8_t *b, struct dnspack_entry h) =
      (h.unchecked == 1 <==> ext_bit(head_ext(b), 16) == 1) && h.qclass == head_qclass(b) && h.qname_off == qname_at(b) &&
      h.qname_end == tag_at(b) && h.tag_off + h.tag_len == errors_at(b) && (ext_bit(head_ext(b), 4) == 0 ==> h.tag_len == 0) &&
      h.qname_end <= h.tag_off && h.error_count <= DNSPACK_ERRORS_MAX && (ext_bit(head_ext(b), 8) == 0 ==> h.error_count == 0) &&
      (h.error_count > 0 ==> groups_at(b) == errors_stop(b, h.errors_off, h.error_count)) && errors_at(b) <= h.errors_off &&
      h.section_off[0] == groups_at(b) && 10 <= h.qname_off < h.qname_end && h.errors_off <= h.section_off[0];
    predicate rest_is_plain(struct dnspack_entry h, integer n) =
      h.unchecked == 0 && h.qclass == 1 && h.tag_len == 0 && h.error_count == 0 && h.section_off[1] == n && h.section_off[2] == n &&
      h.section_off[3] == n; */

/* The rest of the head where there is an ext octet. head: what comes before it, and the rest as without one; at: where the class would be. */
/*@ requires in_bounds: \valid_read(entry + (0 .. entry_len - 1));
    requires valid: head_valid(entry, entry_len) && has_ext(entry[9]) == 1;
    requires so_far: start_is(entry, head) && rest_is_plain(head, entry_len) && at == qclass_at(entry);
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures meaning: head_is(entry, entry_len, \result); */
static struct dnspack_entry ext_decode(const uint8_t *entry, size_t entry_len, struct dnspack_entry head, size_t at)
{
    uint8_t ext = entry[ENTRY_FIXED_LEN];

    //@ assert ext: ext == head_ext(entry) && 1 <= ext <= EXT_MAX;
    //@ assert count: ext_bit(head_ext(entry), 8) == 1 ==> 1 <= entry[errors_at(entry)] <= DNSPACK_ERRORS_MAX;
    /*@ assert errors: ext_bit(head_ext(entry), 8) == 1 ==>
          groups_at(entry) == errors_stop(entry, errors_at(entry) + 1, entry[errors_at(entry)]) >= errors_at(entry) + 1; */
    //@ assert lengths_at: ext_bit(head_ext(entry), 2) == 1 ==> lengths_at(entry) == qname_at(entry) - 4;
    /*@ assert answers: ext_bit(head_ext(entry), 2) == 1 ==>
          answer_end(entry, entry_len) == groups_at(entry) + be16(entry, qname_at(entry) - 4); */
    /*@ assert authorities: ext_bit(head_ext(entry), 2) == 1 ==>
          authority_end(entry, entry_len) == answer_end(entry, entry_len) + be16(entry, qname_at(entry) - 2) <= entry_len; */
    /*@ assert no_lengths: ext_bit(head_ext(entry), 2) == 0 ==>
          answer_end(entry, entry_len) == authority_end(entry, entry_len) == entry_len; */
    head.unchecked = ext / EXT_UNCHECKED == 1;
    if (ext / EXT_CLASS % 2u == 1) {
        head.qclass = dnspack_load16(entry, at);
        at += 2;
    }
    //@ assert qclass: at == lengths_at(entry) && head.qclass == head_qclass(entry);
    if (ext / EXT_SECTIONS % 2u == 1) {
        at += 4;
    }
    //@ assert qname: at == qname_at(entry) && 10 <= at <= 19;
    //@ assert order: at < tag_at(entry) <= errors_at(entry) <= groups_at(entry) <= entry_len;
    head.qname_off = (uint16_t)at;
    at = name_skip(entry, at);
    head.qname_end = (uint16_t)at;
    head.tag_off = (uint16_t)at;
    if (ext / EXT_TAG % 2u == 1) {
        head.tag_off = (uint16_t)(at + 1);
        head.tag_len = entry[at];
        at += 1u + entry[at];
    }
    //@ assert tag: at == errors_at(entry) && head.tag_off + head.tag_len == at && head.qname_end == tag_at(entry) <= head.tag_off;
    head.errors_off = (uint16_t)at;
    if (ext / EXT_ERRORS % 2u == 1) {
        head.errors_off = (uint16_t)(at + 1);
        head.error_count = entry[at];
        //@ assert inside: 1 <= entry[at] <= DNSPACK_ERRORS_MAX && groups_at(entry) == errors_stop(entry, at + 1, entry[at]) >= at + 1;
        at = errors_skip(entry, at + 1, entry_len, head.error_count);
    }
    //@ assert groups: at == groups_at(entry) && errors_at(entry) <= head.errors_off <= at;
    head.section_off[0] = (uint16_t)at;
    //@ assert unchecked: head.unchecked == 1 <==> ext_bit(head_ext(entry), 16) == 1;
    //@ assert tag_kept: head.qname_off == qname_at(entry) && head.tag_off + head.tag_len == errors_at(entry);
    //@ assert no_tag: ext_bit(head_ext(entry), 4) == 0 ==> head.tag_len == 0;
    //@ assert no_errors: ext_bit(head_ext(entry), 8) == 0 ==> head.error_count == 0;
    //@ assert some_errors: head.error_count > 0 ==> groups_at(entry) == errors_stop(entry, head.errors_off, head.error_count);
    //@ assert keys: keys_are(entry, head) && start_is(entry, head) && head.section_off[3] == entry_len;
    if (ext / EXT_SECTIONS % 2u == 1) {
        //@ assert lengths: head.qname_off == qname_at(entry) && head.qname_off >= 14;
        head.section_off[1] = (uint16_t)(at + dnspack_load16(entry, head.qname_off - 4u));
        //@ assert answer: head.section_off[1] == answer_end(entry, entry_len);
        //@ assert authority: head.section_off[1] + be16(entry, head.qname_off - 2) == authority_end(entry, entry_len) <= 65535;
        head.section_off[2] = (uint16_t)(head.section_off[1] + dnspack_load16(entry, head.qname_off - 2u));
    }
    //@ assert sections: head.section_off[1] == answer_end(entry, entry_len) && head.section_off[2] == authority_end(entry, entry_len);
    //@ assert whole: keys_are(entry, head) && start_is(entry, head) && head.section_off[3] == entry_len;
    return head;
}

struct dnspack_entry dnspack_entry_decode(const uint8_t *entry, size_t entry_len)
{
    struct dnspack_entry head;
    uint8_t flags = entry[ENTRY_FLAGS_OFF];
    size_t at = ENTRY_FIXED_LEN + flags / 16u % 2u;

    head.stored_s = dnspack_load32(entry, ENTRY_STORED_OFF);
    head.ttl_s = dnspack_load24(entry, ENTRY_TTL_OFF);
    head.rcode = rcode_of(flags / 64u);
    head.authenticated = flags / 32u % 2u == 1;
    head.unchecked = false;
    head.qtype = dnspack_qtype_of(flags % 16u);
    if (flags % 16u == 0) {
        head.qtype = dnspack_load16(entry, at);
        at += 2;
    }
    head.qclass = CLASS_IN;
    head.tag_len = 0;
    head.error_count = 0;
    head.section_off[1] = (uint16_t)entry_len;
    head.section_off[2] = (uint16_t)entry_len;
    head.section_off[3] = (uint16_t)entry_len;
    //@ assert type: head.qtype == head_qtype(entry) && at == qclass_at(entry);
    //@ assert rcode: head.rcode == (entry[9] / 64 == 0 ? 0 : entry[9] / 64 == 1 ? 3 : 2);
    //@ assert start: start_is(entry, head);
    //@ assert rest: rest_is_plain(head, entry_len);
    if (flags / 16u % 2u == 1)
        return ext_decode(entry, entry_len, head, at); /* cppcheck-suppress uninitvar ; it sets the offsets */
    //@ assert no_ext: head_ext(entry) == 0 && ext_bit(0, 1) == ext_bit(0, 2) == ext_bit(0, 4) == ext_bit(0, 8) == ext_bit(0, 16) == 0;
    //@ assert ends: tag_at(entry) == errors_at(entry) == groups_at(entry) && head.qclass == head_qclass(entry);
    //@ assert qname: at == qname_at(entry) && at < tag_at(entry) == groups_at(entry) <= entry_len;
    head.qname_off = (uint16_t)at;
    at = name_skip(entry, at);
    head.qname_end = (uint16_t)at;
    head.tag_off = (uint16_t)at;
    head.errors_off = (uint16_t)at;
    head.section_off[0] = (uint16_t)at;
    //@ assert start_kept: start_is(entry, head);
    //@ assert tag: head.qname_end == tag_at(entry) && head.tag_off + head.tag_len == errors_at(entry);
    //@ assert errors: head.error_count == 0 && head.errors_off == errors_at(entry) && head.section_off[0] == groups_at(entry);
    //@ assert keys: keys_are(entry, head);
    //@ assert sections: answer_end(entry, entry_len) == authority_end(entry, entry_len) == entry_len;
    return head;
}

/* The section of the group at off: this one or, where it ends at off, a later one; 3: there is no group. */
/*@ requires order: section <= 2 && off <= section_end(head, section) && head.section_off[1] <= head.section_off[2] <= head.section_off[3];
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures meaning: \result == section_from(head, section, off); */
static uint8_t section_at(struct dnspack_entry head, uint8_t section, size_t off)
{
    uint8_t at = section;

    /*@ loop invariant bounds: section <= at <= 3 && (at < 3 ==> off <= section_end(head, at)) && (at == 3 ==> off == head.section_off[3]);
        loop invariant rest: section_from(head, section, off) == section_from(head, at, off);
        loop assigns at;
        loop variant 3 - at; */
    while (at < 3 && off == head.section_off[at + 1])
        at++;
    return at;
}

/* Move on to the first record of the next group. */
/*@ requires in_bounds: \valid_read(entry + (0 .. head.section_off[3] - 1));
    requires valid: valid_entry(entry, head.section_off[3]) && head_is(entry, head.section_off[3], head);
    requires between: cursor.left == 0 && between(entry, head, cursor.section, cursor.rdata_off, cursor.owner_off);
    requires more: group_off_of(head, cursor) != head.section_off[3];
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures inside: in_group(entry, head, \result);
    ensures meaning: group_opened(entry, head, cursor, \result); */
static struct dnspack_cursor group_open(const uint8_t *entry, struct dnspack_entry head, struct dnspack_cursor cursor)
{
    size_t off = cursor.rdata_off == 0 ? head.section_off[0] : cursor.rdata_off;
    uint8_t section = section_at(head, cursor.section, off);
    struct dnspack_cursor opened = {0};
    struct group group;

    /*@ assert tiled: section <= 2 && off < section_end(head, section) &&
          tiled(entry, head.qname_off, off, section_end(head, section), head.qtype); */
    //@ assert stop: off < group_stop(entry, head.qname_off, off, head.qtype) <= section_end(head, section);
    /*@ assert after: tiled(entry, head.qname_off, group_stop(entry, head.qname_off, off, head.qtype), section_end(head, section),
          head.qtype); */
    //@ assert start: off < head_end(entry, head.qname_off, off) < group_stop(entry, head.qname_off, off, head.qtype);
    //@ assert order: head.section_off[1] <= head.section_off[2] <= head.section_off[3] <= DNSPACK_ENTRY_MAX;
    //@ assert index: head.section_off[section + 1] == section_end(head, section);
    //@ assert end: off < head.section_off[section + 1] <= head.section_off[3];
    group = dnspack_group_read(entry, head.qname_off, off, head.section_off[section + 1], head.qtype, head.ttl_s);
    //@ assert read: group_is(entry, head.qname_off, off, section_end(head, section), head.qtype, head.ttl_s, group);
    //@ assert fields: fields_end(entry, group.rdata_off, group.type, group.count) == group_stop(entry, head.qname_off, off, head.qtype);
    //@ assert qname: owner_known(entry, head, head.qname_off);
    //@ assert other: group.form >= 2 ==> owner_known(entry, head, group.owner_off) && group.owner_off < group.rdata_off <= 65535;
    if (group.form == OWNER_QNAME)
        opened.owner_off = head.qname_off;
    else if (group.form == OWNER_SAME)
        opened.owner_off = cursor.rdata_off == 0 || section != cursor.section ? head.qname_off : cursor.owner_off;
    else
        opened.owner_off = (uint16_t)group.owner_off;
    //@ assert owner: opened.owner_off == group_owner(entry, head, cursor) && owner_known(entry, head, opened.owner_off);
    opened.rdata_off = (uint16_t)group.rdata_off;
    opened.type = group.type;
    opened.ttl_s = group.ttl_s;
    opened.left = group.count;
    opened.section = section;
    //@ assert rest: tiled_from(entry, head, section, group_stop(entry, head.qname_off, off, head.qtype));
    return opened;
}

/* The record at a cursor in a group. */
/*@ requires in_bounds: head.section_off[3] <= DNSPACK_ENTRY_MAX && \valid_read(entry + (0 .. head.section_off[3] - 1));
    requires order: head.section_off[0] <= head.section_off[1] <= head.section_off[2] <= head.section_off[3];
    requires inside: in_group(entry, head, cursor);
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures meaning: record_is(entry, cursor, \result);
    ensures inside: item_inside(entry, head, \result);
    ensures next: goes_on(entry, head, \result.section, \result.rdata_off + \result.rdata_len, \result.owner_off, \result.type, cursor.left - 1); */
static struct dnspack_item item_read(const uint8_t *entry, struct dnspack_entry head, struct dnspack_cursor cursor)
{
    struct dnspack_item item = {0};
    size_t off = cursor.rdata_off, end;

    /*@ assert rest: fields_end(entry, off, cursor.type, cursor.left) ==
          fields_end(entry, field_end(entry, off, cursor.type), cursor.type, cursor.left - 1); */
    //@ assert inside: off < field_end(entry, off, cursor.type) <= section_end(head, cursor.section);
    end = dnspack_rdata_field_end(entry, off, head.section_off[cursor.section + 1], cursor.type);
    //@ assert field: end == field_end(entry, off, cursor.type);
    if (!dnspack_layout(cursor.type).shaped)
        off += entry[off] == 255 ? 3 : 1;
    //@ assert start: off == (layout_names(cursor.type) == 3 ? var_end(entry, cursor.rdata_off) : cursor.rdata_off) && off <= end;
    item.ttl_s = cursor.ttl_s;
    item.type = cursor.type;
    item.owner_off = cursor.owner_off;
    item.rdata_off = (uint16_t)off;
    item.rdata_len = (uint16_t)(end - off);
    item.section = cursor.section;
    //@ assert more: tiled_from(entry, head, cursor.section, fields_end(entry, end, cursor.type, cursor.left - 1));
    //@ assert last: cursor.left == 1 ==> between(entry, head, cursor.section, end, cursor.owner_off);
    //@ assert not_last: cursor.left > 1 ==> within_group(entry, head, cursor.section, end, cursor.owner_off, cursor.type, cursor.left - 1);
    //@ assert next: goes_on(entry, head, cursor.section, end, cursor.owner_off, cursor.type, cursor.left - 1);
    return item;
}

bool dnspack_entry_next(const uint8_t *entry, const struct dnspack_entry *head, struct dnspack_cursor *cursor, struct dnspack_item *item)
{
    struct dnspack_cursor at = *cursor;
    struct dnspack_item found;

    if (at.left == 0) {
        if ((at.rdata_off == 0 ? head->section_off[0] : at.rdata_off) == head->section_off[3])
            return false;
        at = group_open(entry, *head, at);
    }
    //@ assert opened: in_group(entry, *head, at);
    found = item_read(entry, *head, at);
    at.rdata_off = (uint16_t)(found.rdata_off + found.rdata_len);
    at.left--;
    //@ assert same: behind(found, at.left, at);
    //@ assert goes_on: goes_on(entry, *head, at.section, at.rdata_off, at.owner_off, at.type, at.left);
    //@ assert next: \at(cursor->left,Pre) > 0 ==> record_is(entry, \at(*cursor,Pre), found);
    //@ assert first: \at(cursor->left,Pre) == 0 ==> first_is(entry, *head, \at(*cursor,Pre), found);
    //@ assert behind: behind(found, records_left(entry, *head, \at(*cursor,Pre)) - 1, at);
    *cursor = at;
    *item = found;
    //@ assert stored_item: *item == found;
    //@ assert stored_offsets: cursor->rdata_off == at.rdata_off && cursor->owner_off == at.owner_off;
    //@ assert stored_type: cursor->type == at.type && cursor->left == at.left && cursor->section == at.section;
    return true;
}

size_t dnspack_entry_name(const uint8_t *entry, size_t entry_len, size_t name_off, uint8_t name[DNSPACK_NAME_MAX])
{
    size_t len = dnspack_entry_name_end(entry, name_off, entry_len, true) - name_off, label_len, left;
    uint8_t last = entry[name_off + len - 1];
    uint32_t label;

    //@ assert stop: name_off + len == name_stop(entry, name_off, 1) && last == entry[name_stop(entry, name_off, 1) - 1];
    if (last == 0) {
        dnspack_copy(name, 0, entry, name_off, len);
        //@ assert like: like{Pre,Here}(entry, name, name_off, name_off + len - 1, -name_off) && name[len - 1] == 0;
        //@ assert leads: leads{Pre,Here}(entry, name, name_off + len - 1, len, name_off, 1, 128, -name_off);
        //@ assert walk: labels_end(name, len, 0) == labels_end(name, len, len - 1) == len - 1;
        //@ assert name: is_name(name, 0, len);
        return len;
    }
    //@ assert coded: 128 <= last <= 175;
    dnspack_copy(name, 0, entry, name_off, len - 1);
    label = dnspack_suffix_label(last);
    label_len = dnspack_suffix_len(last) - 2;
    //@ assert extra: label_len + 1 == last_extra(last);
    name[len - 1] = (uint8_t)label_len;
    /*@ loop invariant bounds: 0 <= left <= label_len;
        loop invariant labels: \forall integer k; 0 <= k < len - 1 ==> name[k] == \at(entry[k + name_off],Pre);
        loop invariant length: name[len - 1] == label_len;
        loop assigns left, label, name[len .. len + label_len - 1];
        loop variant left; */
    for (left = label_len; left > 0; left--) {
        name[len + left - 1] = (uint8_t)(label % 256u);
        label /= 256u;
    }
    name[len + label_len] = 0;
    //@ assert like: like{Pre,Here}(entry, name, name_off, name_off + len - 1, -name_off) && name[len - 1] == label_len;
    //@ assert leads: leads{Pre,Here}(entry, name, name_off + len - 1, len + label_len + 1, name_off, 1, 128, -name_off);
    //@ assert root: labels_end(name, len + label_len + 1, len + label_len) == len + label_len;
    //@ assert label: labels_end(name, len + label_len + 1, len - 1) == len + label_len;
    //@ assert walk: labels_end(name, len + label_len + 1, 0) == labels_end(name, len + label_len + 1, len - 1);
    //@ assert name: is_name(name, 0, len + label_len + 1);
    return len + label_len + 1;
}

bool dnspack_entry_matches(const uint8_t *entry, size_t entry_len, const uint8_t *msg, const struct dnspack_message *query,
                           const uint8_t *tag, size_t tag_len)
{
    struct dnspack_entry head = dnspack_entry_decode(entry, entry_len);
    uint8_t key[DNSPACK_NAME_MAX];
    size_t key_len;

    if (head.qtype != query->qtype || head.qclass != query->qclass || head.tag_len != tag_len)
        return false;
    if (head.unchecked && query->flags / DNSPACK_FLAG_CD % 2u == 0)
        return false;
    key_len = dnspack_qname_store(key, 0, msg, DNSPACK_HEADER_LEN, query->qname_len);
    return key_len == (size_t)head.qname_end - head.qname_off && dnspack_equal(entry, head.qname_off, key, 0, key_len) &&
           (tag_len == 0 || dnspack_equal(entry, head.tag_off, tag, 0, tag_len));
}

/* Where the last label but the root starts in the uncompressed name of len octets at off; its own start for the root. */
/*@ requires in_bounds: off + len <= DNSPACK_MESSAGE_MAX && \valid_read(src + (0 .. off + len - 1));
    requires name: is_name(src, off, off + len);
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures bound: off <= \result < off + len;
    ensures last: src[\result] == 0 ? \result == off && len == 1 : 1 <= src[\result] <= 63 && \result + 1 + src[\result] == off + len - 1;
    ensures labels: \exists integer k; 0 <= k <= 126 && run(src, off, \result, k); */
static size_t last_label(const uint8_t *src, size_t off, size_t len)
{
    size_t at = off, last = off;

    //@ ghost int k = 0;
    //@ assert root: labels_end(src, off + len, off) == off + len - 1 && src[off + len - 1] == 0;
    /*@ loop invariant bounds: off <= last <= at < off + len && 0 <= k <= 126;
        loop invariant rest: labels_end(src, off + len, at) == off + len - 1;
        loop invariant first: at == off ==> last == off && k == 0;
        loop invariant last: at > off ==> 1 <= src[last] <= 63 && at == last + 1 + src[last];
        loop invariant labels: run(src, off, last, k);
        loop assigns at, last, k;
        loop variant off + len - at; */
    while (at + 1 < off + len) {
        //@ assert label: 1 <= src[at] <= 63 && at + 1 + src[at] < off + len;
        //@ ghost k = at > off ? k + 1 : k;
        //@ assert run: run(src, off, at, k);
        last = at;
        at += src[at] + 1u;
    }
    return last;
}

size_t dnspack_qname_store(uint8_t *dst, size_t dst_off, const uint8_t *src, size_t src_off, size_t len)
{
    size_t last = last_label(src, src_off, len) - src_off, label_len = len - last, at;
    uint64_t label = 0;
    uint8_t code;

    //@ assert root: src[src_off + len - 1] == 0;
    //@ ghost Source: ;
    dnspack_name_lower(dst, dst_off, src, src_off, len);
    //@ ghost Lower: ;
    //@ assert labels: \exists integer k; 0 <= k <= 126 && run(dst, dst_off, dst_off + last, k);
    //@ assert root_stays: dst[dst_off + len - 1] == lower(\at(src[src_off + len - 1],Source)) == 0;
    //@ assert last_stays: dst[dst_off + last] == lower(\at(src[src_off + last],Source)) == \at(src[src_off + last],Source);
    //@ assert tail: \forall integer k; 1 <= k ==> walk_end(dst, dst_off + len - 1, 1, k) == dst_off + len;
    /*@ assert next: dst[dst_off + last] == 0 ? len == 1 && last == 0 : 1 <= dst[dst_off + last] <= 63 &&
          last + 1 + dst[dst_off + last] == len - 1; */
    //@ assert end: \forall integer k; 2 <= k ==> walk_end(dst, dst_off + last, 1, k) == dst_off + len;
    //@ assert walk: walk_end(dst, dst_off, 1, 128) == dst_off + len;
    //@ assert plain: name_stop(dst, dst_off, 1) == dst_off + len && last_extra(dst[dst_off + len - 1]) == 0;
    if (label_len < 4 || label_len > 6)
        return len;
    /*@ loop invariant bounds: last + 1 <= at <= len - 1;
        loop invariant value: at == last + 1 && label == 0 || at == last + 2 && label < 256 || at == last + 3 && label < 65536 ||
          at == last + 4 && label < 16777216 || at == last + 5 && label < 4294967296;
        loop assigns at, label;
        loop variant len - at; */
    for (at = last + 1; at + 1 < len; at++)
        label = label * 256u + dst[dst_off + at];
    code = dnspack_suffix_code((uint32_t)label);
    if (code == 0 || dnspack_suffix_len(code) != label_len) /* a label that starts with a zero octet has the number of a shorter one */
        return len;
    dst[dst_off + last] = code;
    //@ assert same: same{Lower,Here}(dst, dst_off, dst_off + last);
    //@ assert kept: \exists integer k; 0 <= k <= 126 && run(dst, dst_off, dst_off + last, k);
    //@ assert coded: walk_end(dst, dst_off, 1, 128) == dst_off + last + 1;
    //@ assert extra: last_extra(dst[dst_off + last]) == label_len - 1;
    //@ assert name: name_stop(dst, dst_off, 1) == dst_off + last + 1;
    return last + 1;
}
