/* structured: the naive form of a DNS message. Top-down: arrays, cursor, RDATA, message, size, comparison. */
#include "structured.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEADER_LEN = 12,    /* RFC 1035 4.1.1 */
    NAME_MAX_LEN = 255, /* RFC 1035 2.3.4 */
    HOPS_MAX = 8192,    /* a chain of pointers that go backward within 2^14 octets is shorter */
    TYPE_A = 1,
    TYPE_SOA = 6,
    TYPE_SIG = 24,
    TYPE_AAAA = 28,
    TYPE_OPT = 41,
    TYPE_RRSIG = 46,
    TYPE_ANY = 255,
    OPTION_EDE = 15,        /* RFC 8914 2 */
    ERRORS_MAX = 8,         /* extended errors that an entry keeps */
    RCODE_NXDOMAIN = 3,     /* RFC 1035 4.1.1 */
    TTL_MAX_S = 0x7fffffff, /* RFC 2181 8 */
};

/* ---- arrays ---- */

/* Room for need items: the array, perhaps moved, or NULL and nothing changed. */
static void *grow(void *items, size_t *cap, size_t need, size_t item_size)
{
    if (need <= *cap) {
        return items;
    }
    size_t grown = *cap * 2 > need ? *cap * 2 : need;
    size_t least = item_size == 1 ? 8 : 4;
    grown = grown > least ? grown : least;
    void *moved = realloc(items, grown * item_size);
    if (moved != NULL) {
        *cap = grown;
    }
    return moved;
}

static void strings_free(struct structured_strings *strings)
{
    for (size_t i = 0; i < strings->len; i++) {
        free(strings->items[i].items);
    }
    free(strings->items);
}

static void record_free(struct structured_record *record)
{
    free(record->owner.items);
    if (record->form == STRUCTURED_STRINGS) {
        strings_free(&record->rdata.strings);
    }
    for (size_t i = 0; record->form == STRUCTURED_FIELDS && i < record->rdata.fields.len; i++) {
        free(record->rdata.fields.items[i].items);
    }
}

static void records_free(struct structured_records *records)
{
    for (size_t i = 0; i < records->len; i++) {
        record_free(&records->items[i]);
    }
    free(records->items);
}

static void options_free(struct structured_options *options)
{
    for (size_t i = 0; i < options->len; i++) {
        free(options->items[i].data.items);
    }
    free(options->items);
}

/* ---- cursor: once failed it stays failed, and reads give 0 ---- */

struct cursor {
    const uint8_t *msg;
    size_t pos;
    size_t end;
    bool failed;
};

static size_t left(const struct cursor *c)
{
    return c->failed ? 0 : c->end - c->pos;
}

static uint8_t read_u8(struct cursor *c)
{
    if (left(c) < 1) {
        c->failed = true;
        return 0;
    }
    return c->msg[c->pos++];
}

static uint16_t read_u16(struct cursor *c)
{
    unsigned high = read_u8(c);
    return (uint16_t)(high << 8 | read_u8(c));
}

static uint32_t read_u32(struct cursor *c)
{
    uint32_t high = read_u16(c);
    return high << 16 | read_u16(c);
}

/* Append the next count octets to dst. */
static void read_octets(struct cursor *c, size_t count, struct structured_octets *dst)
{
    if (count > left(c)) {
        c->failed = true;
    }
    if (c->failed || count == 0) {
        return;
    }
    uint8_t *items = grow(dst->items, &dst->cap, dst->len + count, 1);
    if (items == NULL) {
        c->failed = true;
        return;
    }
    memcpy(items + dst->len, c->msg + c->pos, count);
    dst->items = items;
    dst->len += count;
    c->pos += count;
}

/* A <character-string> with its length octet (RFC 1035 3.3). */
static void read_string(struct cursor *c, struct structured_octets *dst)
{
    size_t len = left(c) > 0 ? c->msg[c->pos] : 0;
    read_octets(c, 1 + len, dst);
}

/* A pointer must go to before the labels that it ends, and not into the header (RFC 1035 4.1.4, RFC 9267 2). */
/* NOLINTNEXTLINE(misc-no-recursion): hops ends it */
static void read_labels(struct cursor *c, bool may_point, unsigned hops, size_t len_max, struct structured_octets *dst)
{
    size_t start = c->pos;
    while (left(c) > 0 && c->msg[c->pos] != 0 && c->msg[c->pos] < 64) {
        read_string(c, dst);
        c->failed = c->failed || dst->len >= len_max;
    }
    if (left(c) > 0 && c->msg[c->pos] == 0) {
        read_octets(c, 1, dst);
        return;
    }
    unsigned pointer = read_u16(c);
    size_t target = pointer & 0x3fff;
    if (c->failed || pointer < 0xc000 || !may_point || hops == 0 || target < HEADER_LEN || target >= start) {
        c->failed = true;
        return;
    }
    struct cursor there = {c->msg, target, c->end, false};
    read_labels(&there, true, hops - 1, len_max, dst);
    c->failed = there.failed;
}

/* Append a name, expanded. */
static void read_name(struct cursor *c, bool may_point, struct structured_octets *dst)
{
    read_labels(c, may_point, HOPS_MAX, dst->len + NAME_MAX_LEN, dst);
}

/* ---- RDATA ---- */

/*
 * The shape of a type's RDATA, a letter a field:
 *   number  so many octets             s  a string, o one or none, S strings to the end, at least one
 *   N       a name of RFC 3597 4       n  a name that must not be compressed, r such names to the end
 *   B       a type bitmap              P  SvcParams              L  address prefixes
 *   G       the gateway of IPSECKEY    R  the relay of AMTRELAY  H  the fixed part of HIP
 *   *       octets to the end
 */
static const struct shape {
    const char *fields;
    uint16_t types[11];
} shapes[] = {
    {"4", {1}},                                          /* A */
    {"16", {28}},                                        /* AAAA */
    {"N", {2, 3, 4, 5, 7, 8, 9, 12, 39}},                /* NS MD MF CNAME MB MG MR PTR DNAME */
    {"NN", {14, 17}},                                    /* MINFO RP */
    {"NN20", {6}},                                       /* SOA */
    {"N*", {30}},                                        /* NXT */
    {"2N", {15, 18, 21, 36}},                            /* MX AFSDB RT KX */
    {"2NN", {26}},                                       /* PX */
    {"6N", {33}},                                        /* SRV */
    {"4sssN", {35}},                                     /* NAPTR */
    {"18N*", {24}},                                      /* SIG */
    {"18n*", {46}},                                      /* RRSIG */
    {"n", {23}},                                         /* NSAP-PTR */
    {"nn", {58}},                                        /* TALINK */
    {"2n", {107}},                                       /* LP */
    {"5n", {66}},                                        /* DSYNC */
    {"nB", {47}},                                        /* NSEC */
    {"4ssB", {50}},                                      /* NSEC3 */
    {"6B", {62}},                                        /* CSYNC */
    {"2nP", {64, 65}},                                   /* SVCB HTTPS */
    {"3G*", {45}},                                       /* IPSECKEY */
    {"2R", {260}},                                       /* AMTRELAY */
    {"Hr", {55}},                                        /* HIP */
    {"L", {42}},                                         /* APL */
    {"S", {16, 56, 99, 258, 261, 262, 263}},             /* TXT NINFO SPF AVC RESINFO WALLET CLA */
    {"s", {19}},                                         /* X25 */
    {"so", {20}},                                        /* ISDN */
    {"ss", {13}},                                        /* HINFO */
    {"sss", {27}},                                       /* GPOS */
    {"4s", {51}},                                        /* NSEC3PARAM */
    {"1s*", {257}},                                      /* CAA */
    {"9s*", {259}},                                      /* DOA */
    {"6", {105, 108}},                                   /* L32 EUI48 */
    {"8", {109, 264}},                                   /* EUI64 IPN */
    {"10", {104, 106}},                                  /* NID L64 */
    {"1*", {29}},                                        /* LOC: octets after the version by version (RFC 1876 2) */
    {"2*", {44}},                                        /* SSHFP */
    {"3*", {52, 53}},                                    /* TLSA SMIMEA */
    {"4*", {25, 43, 48, 57, 59, 60, 256, 32768, 32769}}, /* KEY DS DNSKEY RKEY CDS CDNSKEY URI TA DLV */
    {"5*", {11, 37}},                                    /* WKS CERT */
    {"6*", {63}},                                        /* ZONEMD */
};

static const char *find_shape(uint16_t type)
{
    for (size_t i = 0; type != 0 && i < sizeof shapes / sizeof shapes[0]; i++) {
        for (size_t j = 0; j < sizeof shapes[i].types / sizeof shapes[i].types[0]; j++) {
            if (shapes[i].types[j] == type) {
                return shapes[i].fields;
            }
        }
    }
    return "*"; /* opaque (RFC 3597) */
}

/* RFC 4025 2.3 and RFC 8777 4.2.3: kinds that nobody has defined take what is left. */
static void read_gateway(struct cursor *c, unsigned kind, struct structured_octets *dst)
{
    if (kind == 3) {
        read_name(c, false, dst);
        return;
    }
    size_t len = kind == 0 ? 0 : kind == 1 ? 4 : kind == 2 ? 16 : left(c);
    read_octets(c, len, dst);
}

/* RFC 4034 4.1.2: windows ascend, each has 1 to 32 octets. */
static void read_bitmap(struct cursor *c, struct structured_octets *dst)
{
    int window = -1;
    while (left(c) > 1) {
        unsigned len = c->msg[c->pos + 1];
        c->failed = c->msg[c->pos] <= window || len < 1 || len > 32;
        window = c->failed ? window : c->msg[c->pos];
        read_octets(c, 2 + len, dst);
    }
    c->failed = c->failed || left(c) > 0;
}

/* RFC 9460 2.2: keys ascend. */
static void read_params(struct cursor *c, struct structured_octets *dst)
{
    long last_key = -1;
    while (left(c) > 0) {
        struct cursor head = *c;
        long key = read_u16(&head);
        size_t len = read_u16(&head);
        c->failed = head.failed || key <= last_key;
        last_key = key;
        read_octets(c, 4 + len, dst);
    }
}

/* RFC 3123 4 */
static void read_prefixes(struct cursor *c, struct structured_octets *dst)
{
    while (left(c) > 0) {
        size_t len = left(c) < 4 ? 0 : c->msg[c->pos + 3] & 0x7f;
        read_octets(c, 4 + len, dst);
    }
}

/* RFC 8005 5: lengths of HIT and key, algorithm, then both. */
static void read_hip(struct cursor *c, struct structured_octets *dst)
{
    struct cursor head = *c;
    size_t hit_len = read_u16(&head) >> 8;
    size_t key_len = read_u16(&head);
    read_octets(c, 4 + hit_len + key_len, dst);
}

static void read_field(struct cursor *c, char letter, struct structured_octets *dst)
{
    switch (letter) {
    case 'N':
        read_name(c, true, dst);
        break;
    case 'n':
        read_name(c, false, dst);
        break;
    case 's':
        read_string(c, dst);
        break;
    case 'B':
        read_bitmap(c, dst);
        break;
    case 'P':
        read_params(c, dst);
        break;
    case 'L':
        read_prefixes(c, dst);
        break;
    case 'H':
        read_hip(c, dst);
        break;
    case 'G':
        read_gateway(c, c->failed ? 0 : dst->items[1], dst);
        break;
    case 'R':
        read_gateway(c, c->failed ? 0 : dst->items[1] & 0x7f, dst);
        break;
    case 'o':
        if (left(c) > 0) {
            read_string(c, dst);
        }
        break;
    case 'r':
        while (left(c) > 0) {
            read_name(c, false, dst);
        }
        break;
    default:
        read_octets(c, left(c), dst);
        break;
    }
}

static void read_fields(struct cursor *c, const char *shape, struct structured_fields *fields)
{
    struct structured_octets *field = NULL;
    while (*shape != '\0') {
        bool is_name = *shape == 'N' || *shape == 'n';
        if (is_name || field == NULL) {
            fields->is_folded[fields->len] = *shape == 'N';
            field = &fields->items[fields->len++];
        }
        if (isdigit((unsigned char)*shape)) {
            char *next;
            read_octets(c, strtoul(shape, &next, 10), field);
            shape = next;
        } else {
            read_field(c, *shape++, field);
        }
        field = is_name ? NULL : field;
    }
}

static void read_strings(struct cursor *c, struct structured_strings *strings)
{
    do {
        struct structured_octets *items = grow(strings->items, &strings->cap, strings->len + 1, sizeof *items);
        if (items == NULL) {
            c->failed = true;
            return;
        }
        strings->items = items;
        items[strings->len] = (struct structured_octets){0};
        read_octets(c, read_u8(c), &items[strings->len++]);
    } while (left(c) > 0);
}

static void read_rdata(struct cursor *c, struct structured_record *record)
{
    const char *shape = find_shape(record->type);
    size_t address_len = record->type == TYPE_A ? 4 : record->type == TYPE_AAAA ? 16 : 0;
    if (address_len > 0) {
        record->form = STRUCTURED_ADDRESS;
        c->failed = c->failed || left(c) != address_len;
        memcpy(record->rdata.address, c->msg + c->pos, c->failed ? 0 : address_len);
        c->pos += c->failed ? 0 : address_len;
    } else if (shape[0] == 'S') {
        record->form = STRUCTURED_STRINGS;
        record->rdata.strings = (struct structured_strings){0};
        read_strings(c, &record->rdata.strings);
    } else {
        record->form = STRUCTURED_FIELDS;
        record->rdata.fields = (struct structured_fields){0};
        read_fields(c, shape, &record->rdata.fields);
    }
    c->failed = c->failed || left(c) > 0;
}

/* ---- message ---- */

static void push_option(struct cursor *c, struct structured_options *options, uint16_t code, size_t len)
{
    struct structured_option *items = grow(options->items, &options->cap, options->len + 1, sizeof *items);
    if (items == NULL) {
        c->failed = true;
        return;
    }
    options->items = items;
    items[options->len] = (struct structured_option){.code = code};
    read_octets(c, len, &items[options->len++].data);
}

/* RFC 6891 6.1: one OPT, of the root, in the additional section. */
static void read_opt(struct cursor *c, const struct structured_record *record, bool is_allowed, struct structured *s)
{
    c->failed = c->failed || !is_allowed || s->has_edns || record->owner.len != 1;
    s->has_edns = true;
    s->udp_size = record->class;
    s->rcode = (uint16_t)(s->rcode | record->ttl_s >> 24 << 4);
    s->edns_version = (uint8_t)(record->ttl_s >> 16);
    s->dnssec_ok = (record->ttl_s & 0x8000) != 0;
    while (s->edns_version == 0 && left(c) > 0) { /* what another version's options look like is unknown */
        uint16_t code = read_u16(c);
        size_t len = read_u16(c);
        if (code != OPTION_EDE || len < 2) { /* without a whole code it says nothing */
            push_option(c, &s->options, code, len);
        } else {
            uint16_t info_code = read_u16(c);
            push_option(c, &s->errors, info_code, len - 2);
        }
    }
}

static void push_record(struct cursor *c, struct structured_records *section, struct structured_record *record)
{
    struct structured_record *items = grow(section->items, &section->cap, section->len + 1, sizeof *items);
    if (items == NULL) {
        c->failed = true;
        record_free(record);
        return;
    }
    section->items = items;
    items[section->len++] = *record;
}

static void read_record(struct cursor *c, struct structured *s, struct structured_records *section)
{
    struct structured_record record = {.form = STRUCTURED_ADDRESS};
    read_name(c, true, &record.owner);
    record.type = read_u16(c);
    record.class = read_u16(c);
    record.ttl_s = read_u32(c);
    size_t len = read_u16(c);
    c->failed = c->failed || len > left(c);
    struct cursor rdata = {c->msg, c->pos, c->pos + len, c->failed};
    if (record.type == TYPE_OPT) {
        read_opt(&rdata, &record, section == &s->additional, s);
        record_free(&record);
    } else {
        read_rdata(&rdata, &record);
        push_record(&rdata, section, &record);
    }
    c->failed = rdata.failed;
    c->pos = rdata.end;
}

static void read_section(struct cursor *c, struct structured *s, struct structured_records *section, size_t count)
{
    for (size_t i = 0; i < count && !c->failed; i++) {
        read_record(c, s, section);
    }
}

static void read_question(struct cursor *c, struct structured_question *question)
{
    read_name(c, true, &question->qname);
    question->qtype = read_u16(c);
    question->qclass = read_u16(c);
}

static void read_flags(struct structured *s, unsigned flags)
{
    s->qr = (flags & 0x8000) != 0;
    s->opcode = (flags >> 11) & 0xf;
    s->aa = (flags & 0x0400) != 0;
    s->tc = (flags & 0x0200) != 0;
    s->rd = (flags & 0x0100) != 0;
    s->ra = (flags & 0x0080) != 0;
    s->z = (flags & 0x0040) != 0;
    s->ad = (flags & 0x0020) != 0;
    s->cd = (flags & 0x0010) != 0;
    s->rcode = flags & 0xf;
}

struct structured *structured_parse(const uint8_t *msg, size_t msg_len)
{
    struct structured *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    struct cursor c = {msg, 0, msg_len, false};
    s->id = read_u16(&c);
    read_flags(s, read_u16(&c));
    size_t question_count = read_u16(&c);
    size_t answer_count = read_u16(&c);
    size_t authority_count = read_u16(&c);
    size_t additional_count = read_u16(&c);
    s->has_question = question_count > 0;
    if (s->has_question) {
        read_question(&c, &s->question);
    }
    c.failed = c.failed || question_count > 1; /* RFC 9619 */
    read_section(&c, s, &s->answer, answer_count);
    read_section(&c, s, &s->authority, authority_count);
    read_section(&c, s, &s->additional, additional_count);
    if (c.failed) {
        structured_free(s);
        return NULL;
    }
    return s;
}

void structured_free(struct structured *s)
{
    if (s == NULL) {
        return;
    }
    free(s->question.qname.items);
    records_free(&s->answer);
    records_free(&s->authority);
    records_free(&s->additional);
    options_free(&s->options);
    options_free(&s->errors);
    free(s);
}

/* ---- size ---- */

static size_t record_bytes(const struct structured_record *record)
{
    size_t bytes = record->owner.cap;
    if (record->form == STRUCTURED_STRINGS) {
        const struct structured_strings *strings = &record->rdata.strings;
        bytes += strings->cap * sizeof *strings->items;
        for (size_t i = 0; i < strings->len; i++) {
            bytes += strings->items[i].cap;
        }
    }
    for (size_t i = 0; record->form == STRUCTURED_FIELDS && i < record->rdata.fields.len; i++) {
        bytes += record->rdata.fields.items[i].cap;
    }
    return bytes;
}

static size_t records_bytes(const struct structured_records *records)
{
    size_t bytes = records->cap * sizeof *records->items;
    for (size_t i = 0; i < records->len; i++) {
        bytes += record_bytes(&records->items[i]);
    }
    return bytes;
}

static size_t options_bytes(const struct structured_options *options)
{
    size_t bytes = options->cap * sizeof *options->items;
    for (size_t i = 0; i < options->len; i++) {
        bytes += options->items[i].data.cap;
    }
    return bytes;
}

size_t structured_bytes(const struct structured *s)
{
    return sizeof *s + s->question.qname.cap + records_bytes(&s->answer) + records_bytes(&s->authority) + records_bytes(&s->additional) +
           options_bytes(&s->options) + options_bytes(&s->errors);
}

/* ---- comparison ---- */

struct why {
    char *text;
    size_t cap;
};

/* Always false, so that a comparison can end with it. */
__attribute__((format(printf, 2, 3))) static bool differ(const struct why *why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why->text, why->cap, format, arguments);
    va_end(arguments);
    return false;
}

static uint8_t lower(uint8_t octet)
{
    return octet >= 'A' && octet <= 'Z' ? (uint8_t)(octet + 32) : octet;
}

static bool octets_equal(const struct structured_octets *a, const struct structured_octets *b, bool is_folded)
{
    bool equal = a->len == b->len;
    for (size_t i = 0; equal && i < a->len; i++) {
        equal = a->items[i] == b->items[i] || (is_folded && lower(a->items[i]) == lower(b->items[i]));
    }
    return equal;
}

static bool rdata_equal(const struct structured_record *a, const struct structured_record *b)
{
    if (a->form == STRUCTURED_ADDRESS) {
        return memcmp(a->rdata.address, b->rdata.address, sizeof a->rdata.address) == 0;
    }
    if (a->form == STRUCTURED_STRINGS) {
        bool equal = a->rdata.strings.len == b->rdata.strings.len;
        for (size_t i = 0; equal && i < a->rdata.strings.len; i++) {
            equal = octets_equal(&a->rdata.strings.items[i], &b->rdata.strings.items[i], false);
        }
        return equal;
    }
    bool equal = true; /* one type, so one number of fields */
    for (size_t i = 0; equal && i < a->rdata.fields.len; i++) {
        equal = octets_equal(&a->rdata.fields.items[i], &b->rdata.fields.items[i], a->rdata.fields.is_folded[i]);
    }
    return equal;
}

static uint32_t load_u32(const struct structured_octets *octets, size_t off)
{
    const uint8_t *at = octets->items + off;
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* About the message, not about the owner: types 128..255 (RFC 6895 3.1), SIG(0) (RFC 2931); OPT stands apart. */
static bool is_meta(const struct structured_record *record)
{
    return (record->type >= 128 && record->type <= 255) ||
           (record->type == TYPE_SIG && load_u32(&record->rdata.fields.items[0], 0) >> 16 == 0);
}

static bool owner_equal(const struct structured_record *a, const struct structured_record *b)
{
    return a->class == b->class && octets_equal(&a->owner, &b->owner, true);
}

/* A section of the original, and what it is called. */
struct section {
    const struct structured_records *records;
    const char *name;
    bool is_proof; /* the authority section of a negative answer */
};

/* RFC 2181 5; RRSIGs form none (RFC 4035 2.2). */
static bool same_set(const struct structured_record *a, const struct structured_record *b)
{
    return a == b || (a->type != TYPE_RRSIG && a->type == b->type && owner_equal(a, b));
}

/* What this record alone allows: RFC 4034 3.1.4, RFC 2308 5. */
static uint32_t own_ttl(const struct section *section, const struct structured_record *record)
{
    uint32_t most_s = UINT32_MAX;
    if (record->type == TYPE_RRSIG) {
        most_s = load_u32(&record->rdata.fields.items[0], 4);
    } else if (record->type == TYPE_SOA && section->is_proof) {
        most_s = load_u32(&record->rdata.fields.items[2], 16);
    }
    return record->ttl_s < most_s ? record->ttl_s : most_s;
}

/* The least of record's set, never above the maximum, without the age. A top bit set is just large. */
static uint32_t set_ttl(const struct section *section, const struct structured_record *record, const struct structured_rules *rules)
{
    uint32_t least_s = rules->ttl_max_s == 0 ? TTL_MAX_S : rules->ttl_max_s;
    for (size_t i = 0; i < section->records->len; i++) {
        const struct structured_record *other = &section->records->items[i];
        if (own_ttl(section, other) < least_s && same_set(other, record)) {
            least_s = own_ttl(section, other);
        }
    }
    return least_s > rules->age_s ? least_s - rules->age_s : 0;
}

static size_t skip_meta(const struct structured_records *section, size_t i)
{
    while (i < section->len && is_meta(&section->items[i])) {
        i++;
    }
    return i;
}

static bool section_equal(const struct section *section, const struct structured_records *b, const struct structured_rules *rules,
                          const struct why *why)
{
    const struct structured_records *a = section->records;
    const char *name = section->name;
    size_t i = skip_meta(a, 0);
    size_t j = skip_meta(b, 0);
    while (i < a->len && j < b->len) {
        const struct structured_record *x = &a->items[i];
        const struct structured_record *y = &b->items[j];
        if (x->type != y->type || !owner_equal(x, y)) {
            return differ(why, "%s %zu: owner, type %u or class differs", name, i, (unsigned)x->type);
        }
        if (!rdata_equal(x, y)) {
            return differ(why, "%s %zu: RDATA of type %u differs", name, i, (unsigned)x->type);
        }
        uint32_t ttl_s = rules->ttl_as_is ? x->ttl_s : set_ttl(section, x, rules);
        if (y->ttl_s != ttl_s) {
            return differ(why, "%s %zu: TTL %" PRIu32 " instead of %" PRIu32, name, i, y->ttl_s, ttl_s);
        }
        i = skip_meta(a, i + 1);
        j = skip_meta(b, j + 1);
    }
    return (i == a->len && j == b->len) || differ(why, "%s: number of records differs", name);
}

static bool question_equal(const struct structured *a, const struct structured *b)
{
    return a->has_question == b->has_question && a->question.qtype == b->question.qtype && a->question.qclass == b->question.qclass &&
           octets_equal(&a->question.qname, &b->question.qname, true);
}

static bool errors_equal(const struct structured_options *a, const struct structured_options *b)
{
    size_t kept = a->len < ERRORS_MAX ? a->len : ERRORS_MAX;
    bool equal = b->len == kept;
    for (size_t i = 0; equal && i < kept; i++) {
        equal = a->items[i].code == b->items[i].code && octets_equal(&a->items[i].data, &b->items[i].data, false);
    }
    return equal;
}

/* RFC 2308 1: NXDOMAIN and NODATA */
static bool is_negative(const struct structured *s)
{
    bool is_answered = false;
    for (size_t i = 0; i < s->answer.len; i++) {
        is_answered = is_answered || s->question.qtype == TYPE_ANY || s->answer.items[i].type == s->question.qtype;
    }
    return s->rcode == RCODE_NXDOMAIN || (s->rcode == 0 && !is_answered);
}

bool structured_equal(const struct structured *a, const struct structured *b, const struct structured_rules *rules, char *why_text,
                      size_t why_cap)
{
    static const struct structured_records none = {0};
    struct why why = {why_text, why_cap};
    bool is_proof = is_negative(a);
    const struct section answer = {&a->answer, "answer", false};
    const struct section authority = {rules->drop_authority && !is_proof ? &none : &a->authority, "authority", is_proof};
    const struct section additional = {rules->drop_additional ? &none : &a->additional, "additional", false};
    if (a->rcode != b->rcode) {
        return differ(&why, "RCODE %u instead of %u", (unsigned)b->rcode, (unsigned)a->rcode);
    }
    if (!question_equal(a, b)) {
        return differ(&why, "question differs");
    }
    if (rules->compare_errors && !errors_equal(&a->errors, &b->errors)) {
        return differ(&why, "extended errors differ");
    }
    return section_equal(&answer, &b->answer, rules, &why) && section_equal(&authority, &b->authority, rules, &why) &&
           section_equal(&additional, &b->additional, rules, &why);
}
