/* test_encode.c - which responses become entries, for how long, and which of the format's freedoms the encoder takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "encode.h"

enum { QR = 0x8000, RD = 0x0100, AD = 0x0020, CD = 0x0010, TC = 0x0200 };
enum { CLASS_CH = 3, TYPE_TXT = 16, TYPE_MINFO = 14, TYPE_AXFR = 252 };

#define OWNER "@" /* a pointer to the query name */
#define UNTOUCHED 0xa5

/* ---- messages ---- */

struct message {
    uint8_t octets[80000];
    size_t len;
};

static struct message message, other;

static void put8(struct message *m, unsigned value)
{
    assert_true(m->len < sizeof m->octets);
    m->octets[m->len++] = (uint8_t)value;
}

static void put16(struct message *m, unsigned value)
{
    put8(m, value / 256);
    put8(m, value % 256);
}

static void put32(struct message *m, uint32_t value)
{
    put16(m, value / 65536);
    put16(m, value % 65536);
}

static void put(struct message *m, const void *octets, size_t len)
{
    for (size_t i = 0; i < len; i++)
        put8(m, ((const uint8_t *)octets)[i]);
}

/* "www.example." uncompressed, "www.@" with a pointer to the query name. */
static void put_name(struct message *m, const char *text)
{
    while (*text != '\0' && *text != '@' && *text != '.') {
        size_t len = strcspn(text, ".");

        put8(m, (unsigned)len);
        put(m, text, len);
        text += len + (text[len] == '.');
    }
    if (*text == '@')
        put16(m, 0xc00c);
    else
        put8(m, 0);
}

static void start(struct message *m, unsigned flags, const char *qname, unsigned qtype, unsigned qclass)
{
    m->len = 0;
    put16(m, 0x1234);
    put16(m, flags);
    put16(m, 1);
    put16(m, 0);
    put32(m, 0);
    put_name(m, qname);
    put16(m, qtype);
    put16(m, qclass);
}

static void count_up(struct message *m, unsigned section)
{
    unsigned count = m->octets[6 + 2 * section] * 256u + m->octets[7 + 2 * section] + 1;

    m->octets[6 + 2 * section] = (uint8_t)(count / 256);
    m->octets[7 + 2 * section] = (uint8_t)(count % 256);
}

static void record_head(struct message *m, unsigned section, const char *owner, unsigned type, unsigned rclass, uint32_t ttl_s)
{
    count_up(m, section);
    put_name(m, owner);
    put16(m, type);
    put16(m, rclass);
    put32(m, ttl_s);
}

static void record(struct message *m, unsigned section, const char *owner, unsigned type, uint32_t ttl_s, const void *rdata,
                   size_t rdata_len)
{
    record_head(m, section, owner, type, CLASS_IN, ttl_s);
    put16(m, (unsigned)rdata_len);
    put(m, rdata, rdata_len);
}

static void a(struct message *m, unsigned section, const char *owner, uint32_t ttl_s, unsigned last)
{
    record(m, section, owner, TYPE_A, ttl_s, (const uint8_t[]){192, 0, 2, (uint8_t)last}, 4);
}

static void txt(struct message *m, unsigned section, const char *owner, uint32_t ttl_s)
{
    record(m, section, owner, TYPE_TXT, ttl_s, "\3abc", 4);
}

/* NS, CNAME, PTR. */
static void target(struct message *m, unsigned section, const char *owner, unsigned type, uint32_t ttl_s, const char *name)
{
    size_t len_at, rdata_len;

    record_head(m, section, owner, type, CLASS_IN, ttl_s);
    len_at = m->len;
    put16(m, 0);
    put_name(m, name);
    rdata_len = m->len - len_at - 2;
    m->octets[len_at] = (uint8_t)(rdata_len / 256);
    m->octets[len_at + 1] = (uint8_t)(rdata_len % 256);
}

static void soa(struct message *m, const char *owner, uint32_t ttl_s, uint32_t minimum_s)
{
    record_head(m, DNSPACK_AUTHORITY, owner, TYPE_SOA, CLASS_IN, ttl_s);
    put16(m, 22);
    put16(m, 0); /* two roots */
    put32(m, 1);
    put32(m, 2);
    put32(m, 3);
    put32(m, 4);
    put32(m, minimum_s);
}

static void rrsig(struct message *m, unsigned covered, uint32_t ttl_s, uint32_t original_s)
{
    record_head(m, DNSPACK_ANSWER, OWNER, TYPE_RRSIG, CLASS_IN, ttl_s);
    put16(m, 21);
    put16(m, covered);
    put16(m, 0x0d02);
    put32(m, original_s);
    put32(m, 2);
    put32(m, 1);
    put16(m, 7);
    put8(m, 0); /* the root signs */
    put16(m, 0xabcd);
}

static void opt(struct message *m, const void *options, size_t options_len)
{
    count_up(m, DNSPACK_ADDITIONAL);
    put8(m, 0);
    put16(m, TYPE_OPT);
    put16(m, 1232);
    put32(m, 0);
    put16(m, (unsigned)options_len);
    put(m, options, options_len);
}

/* The response most tests start from: www.example. A, no record yet. */
static struct message *response(unsigned flags)
{
    start(&message, QR | RD | flags, "www.example.", TYPE_A, CLASS_IN);
    return &message;
}

/* ---- encoding ---- */

static struct dnspack_workspace workspace;
static struct dnspack_policy policy;
static struct dnspack_encode_options options;
static uint8_t entry[DNSPACK_ENTRY_MAX + 1], twin[DNSPACK_ENTRY_MAX + 1];
static size_t entry_len, twin_len;

static int defaults(void **state)
{
    (void)state;
    policy = dnspack_policy_default();
    options = (struct dnspack_encode_options){.policy = &policy, .now_s = 1000};
    memset(&workspace, 0xee, sizeof workspace);
    return 0;
}

static void assert_untouched(const uint8_t *octets, size_t len)
{
    for (size_t i = 0; i < len; i++)
        assert_int_equal(octets[i], UNTOUCHED);
}

/* What holds of every call of either entry point. */
static void assert_outcome(enum dnspack_status status, const uint8_t *dst, size_t dst_len, size_t bound)
{
    if (status == DNSPACK_OK) {
        assert_in_range(dst_len, DNSPACK_ENTRY_MIN, bound);
        assert_int_equal(dst[0] * 256 + dst[1], dst_len);
        assert_int_equal(dnspack_entry_check(dst, dst_len), DNSPACK_OK);
        assert_untouched(dst + dst_len, DNSPACK_ENTRY_MAX + 1 - dst_len);
    } else {
        assert_untouched(dst, DNSPACK_ENTRY_MAX + 1);
        assert_int_equal(dst_len, 77);
    }
}

static enum dnspack_status encode_into(const struct message *m, uint8_t *dst, size_t *dst_len)
{
    enum dnspack_status status;

    memset(dst, UNTOUCHED, DNSPACK_ENTRY_MAX + 1);
    *dst_len = 77;
    status = dnspack_entry_encode(m->octets, m->len, &options, &workspace, dst, DNSPACK_ENTRY_MAX, dst_len);
    assert_outcome(status, dst, *dst_len, dnspack_entry_bound(m->len));
    return status;
}

static enum dnspack_status encode(const struct message *m)
{
    return encode_into(m, entry, &entry_len);
}

static struct dnspack_entry head(void)
{
    return dnspack_entry_decode(entry, entry_len);
}

static size_t item_count(void)
{
    struct dnspack_entry of = head();
    struct dnspack_cursor cursor = {0};
    struct dnspack_item item;
    size_t count = 0;

    while (dnspack_entry_next(entry, &of, &cursor, &item))
        count++;
    return count;
}

/* Record number `index` of the entry. */
static struct dnspack_item item_at(size_t index)
{
    struct dnspack_entry of = head();
    struct dnspack_cursor cursor = {0};
    struct dnspack_item item;

    do
        assert_true(dnspack_entry_next(entry, &of, &cursor, &item));
    while (index-- > 0);
    return item;
}

static uint32_t ttl_at(size_t index)
{
    return item_at(index).ttl_s;
}

static void assert_owner(size_t index, const char *text)
{
    struct message name = {.len = 0};
    uint8_t owner[DNSPACK_NAME_MAX];
    size_t len = dnspack_entry_name(entry, entry_len, item_at(index).owner_off, owner);

    put_name(&name, text);
    assert_int_equal(len, name.len);
    assert_memory_equal(owner, name.octets, len);
}

/* The groups of the entry: Q, S, R, E for the four forms of an owner. */
static const char *forms(void)
{
    static char text[6000];
    struct dnspack_entry of = head();
    size_t off = of.section_off[0], count = 0;

    while (off < entry_len) {
        struct group group = dnspack_group_read(entry, of.qname_off, off, entry_len, of.qtype, of.ttl_s);

        text[count++] = "QSRE"[group.form];
        for (off = group.rdata_off; group.count > 0; group.count--)
            off = dnspack_rdata_field_end(entry, off, entry_len, group.type);
    }
    text[count] = '\0';
    return text;
}

/* ---- what is stored ---- */

static void test_encode_stores_an_answer(void **state)
{
    static const uint8_t expected[] = "\0\x1c\0\0\3\xe8\0\1\x2c\1\3www\7example\0\0\xc0\0\2\1";

    (void)state;
    a(response(0), DNSPACK_ANSWER, OWNER, 300, 1);
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_int_equal(entry_len, sizeof expected - 1);
    assert_memory_equal(entry, expected, entry_len);
}

static void test_encode_refuses_what_ends_too_early(void **state)
{
    (void)state;
    a(response(0), DNSPACK_ANSWER, OWNER, 300, 1);
    for (message.len--; message.len > 30; message.len--)
        assert_int_equal(encode(&message), DNSPACK_E_SHORT);
    assert_int_equal(encode(&message), DNSPACK_E_NAME); /* half a pointer */
    message.len = 11;
    assert_int_equal(encode(&message), DNSPACK_E_SHORT);
    message.len = 0;
    assert_int_equal(encode(&message), DNSPACK_E_SHORT);
}

static void test_encode_ignores_trailing_octets(void **state)
{
    (void)state;
    a(response(0), DNSPACK_ANSWER, OWNER, 300, 1);
    put32(&message, 0xffffffff);
    assert_int_equal(encode(&message), DNSPACK_OK);
}

static void test_encode_refuses_more_octets_than_a_message_has(void **state)
{
    (void)state;
    a(response(0), DNSPACK_ANSWER, OWNER, 300, 1);
    message.len = DNSPACK_MESSAGE_MAX;
    assert_int_equal(encode(&message), DNSPACK_OK);
    message.len = DNSPACK_MESSAGE_MAX + 1;
    assert_int_equal(encode(&message), DNSPACK_E_TOO_BIG);
}

static void test_encode_refuses_a_pointer_to_itself(void **state)
{
    size_t at;

    (void)state;
    a(response(0), DNSPACK_ANSWER, OWNER, 300, 1);
    at = message.len;
    a(&message, DNSPACK_ANSWER, OWNER, 300, 2);
    assert_int_equal(encode(&message), DNSPACK_OK);
    message.octets[at + 1] = (uint8_t)at;
    assert_int_equal(encode(&message), DNSPACK_E_NAME);
}

static void test_encode_refuses_an_address_of_three_octets(void **state)
{
    (void)state;
    record(response(0), DNSPACK_ANSWER, OWNER, TYPE_A, 300, "\300\0\2\1", 4);
    assert_int_equal(encode(&message), DNSPACK_OK);
    record(response(0), DNSPACK_ANSWER, OWNER, TYPE_A, 300, "\300\0\2", 3);
    assert_int_equal(encode(&message), DNSPACK_E_RDATA);
}

static void test_encode_refuses_a_second_opt(void **state)
{
    (void)state;
    a(response(0), DNSPACK_ANSWER, OWNER, 300, 1);
    opt(&message, "", 0);
    assert_int_equal(encode(&message), DNSPACK_OK);
    opt(&message, "", 0);
    assert_int_equal(encode(&message), DNSPACK_E_EDNS);
}

static void test_encode_refuses_records_after_tsig(void **state)
{
    (void)state;
    a(response(0), DNSPACK_ANSWER, OWNER, 300, 1);
    record(&message, DNSPACK_ADDITIONAL, "key.", TYPE_TSIG, 0, "\4hmac\0\0\0\0\0\0\1\1\54\0\0\x12\x34\0\0\0\0", 22);
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_int_equal(item_count(), 1);
    txt(&message, DNSPACK_ADDITIONAL, OWNER, 300);
    assert_int_equal(encode(&message), DNSPACK_E_META);
}

static void test_encode_takes_one_question(void **state)
{
    (void)state;
    a(response(0), DNSPACK_ANSWER, OWNER, 300, 1);
    assert_int_equal(encode(&message), DNSPACK_OK);
    message.len = 0;
    put(&message, "\x12\x34\x81\0\0\0\0\0\0\0\0\0", 12);
    assert_int_equal(encode(&message), DNSPACK_E_QUESTION);
    response(0);
    message.octets[5] = 2;
    put_name(&message, "www.example.");
    put16(&message, TYPE_A);
    put16(&message, CLASS_IN);
    a(&message, DNSPACK_ANSWER, OWNER, 300, 1);
    assert_int_equal(encode(&message), DNSPACK_E_QUESTION);
}

static void test_encode_takes_opcode_query(void **state)
{
    (void)state;
    for (unsigned opcode = 0; opcode < 16; opcode++) {
        a(response(opcode * 2048), DNSPACK_ANSWER, OWNER, 300, 1);
        assert_int_equal(encode(&message), opcode == 0 ? DNSPACK_OK : DNSPACK_E_OPCODE);
    }
}

static void test_encode_refuses_a_query(void **state)
{
    (void)state;
    a(response(0), DNSPACK_ANSWER, OWNER, 300, 1);
    message.octets[2] = 1;
    assert_int_equal(encode(&message), DNSPACK_E_DIRECTION);
}

static void test_encode_refuses_what_is_truncated(void **state)
{
    (void)state;
    a(response(TC), DNSPACK_ANSWER, OWNER, 300, 1);
    assert_int_equal(encode(&message), DNSPACK_E_TRUNCATED);
}

static void test_encode_stores_three_rcodes(void **state)
{
    (void)state;
    for (unsigned rcode = 0; rcode < 16; rcode++) {
        a(response(rcode), DNSPACK_ANSWER, OWNER, 300, 1);
        soa(&message, "example.", 300, 300);
        assert_int_equal(encode(&message), rcode == 0 || rcode == 2 || rcode == 3 ? DNSPACK_OK : DNSPACK_E_RCODE);
        if (rcode == 0 || rcode == 2 || rcode == 3)
            assert_int_equal(head().rcode, rcode);
    }
}

static void test_encode_refuses_an_extended_rcode(void **state)
{
    (void)state;
    a(response(0), DNSPACK_ANSWER, OWNER, 300, 1);
    opt(&message, "", 0);
    message.octets[message.len - 6] = 1; /* BADVERS */
    assert_int_equal(encode(&message), DNSPACK_E_RCODE);
    message.octets[message.len - 6] = 255;
    assert_int_equal(encode(&message), DNSPACK_E_RCODE);
}

static void test_encode_stores_data_types_and_any(void **state)
{
    static const struct {
        unsigned qtype;
        enum dnspack_status status;
    } cases[] = {
        {TYPE_A, DNSPACK_OK},        {TYPE_ANY, DNSPACK_OK}, {127, DNSPACK_OK},     {256, DNSPACK_OK},          {65535, DNSPACK_OK},
        {TYPE_AXFR, DNSPACK_E_TYPE}, {251, DNSPACK_E_TYPE},  {249, DNSPACK_E_TYPE}, {TYPE_OPT, DNSPACK_E_TYPE}, {0, DNSPACK_E_TYPE},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        start(&message, QR, "example.", cases[i].qtype, CLASS_IN);
        if (cases[i].qtype == TYPE_A || cases[i].qtype == TYPE_ANY)
            a(&message, DNSPACK_ANSWER, OWNER, 300, 1);
        else
            soa(&message, OWNER, 300, 300);
        assert_int_equal(encode(&message), cases[i].status);
        if (cases[i].status == DNSPACK_OK)
            assert_int_equal(head().qtype, cases[i].qtype);
    }
}

static void test_encode_stores_data_classes(void **state)
{
    static const unsigned refused[] = {0, CLASS_NONE, CLASS_ANY};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        start(&message, QR, "example.", TYPE_TXT, refused[i]);
        assert_int_equal(encode(&message), DNSPACK_E_CLASS);
    }
    start(&message, QR, "version.bind.", TYPE_TXT, CLASS_CH);
    record_head(&message, DNSPACK_ANSWER, OWNER, TYPE_TXT, CLASS_CH, 300);
    put16(&message, 4);
    put(&message, "\3abc", 4);
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_int_equal(head().qclass, CLASS_CH);
}

static void test_encode_refuses_an_address_of_another_class(void **state)
{
    (void)state;
    start(&message, QR, "example.", TYPE_A, CLASS_CH);
    record_head(&message, DNSPACK_ANSWER, OWNER, TYPE_A, CLASS_CH, 300);
    put16(&message, 4);
    put32(&message, 0);
    assert_int_equal(encode(&message), DNSPACK_E_CLASS);
}

static void test_encode_refuses_records_of_another_class_than_the_question(void **state)
{
    (void)state;
    a(response(0), DNSPACK_ANSWER, OWNER, 300, 1);
    record_head(&message, DNSPACK_ANSWER, OWNER, TYPE_TXT, CLASS_CH, 300);
    put16(&message, 4);
    put(&message, "\3abc", 4);
    assert_int_equal(encode(&message), DNSPACK_E_CLASS);
}

static void test_encode_refuses_a_negative_answer_without_soa(void **state)
{
    (void)state;
    response(3);
    assert_int_equal(encode(&message), DNSPACK_E_NO_SOA);
    response(0);
    assert_int_equal(encode(&message), DNSPACK_E_NO_SOA);
    target(response(0), DNSPACK_ANSWER, OWNER, TYPE_CNAME, 300, "else.example.");
    assert_int_equal(encode(&message), DNSPACK_E_NO_SOA);
    soa(&message, "example.", 300, 300);
    assert_int_equal(encode(&message), DNSPACK_OK);
}

static void test_encode_refuses_a_referral(void **state)
{
    (void)state;
    target(response(0), DNSPACK_AUTHORITY, "example.", TYPE_NS, 300, "ns.example.");
    a(&message, DNSPACK_ADDITIONAL, "ns.example.", 300, 1);
    assert_int_equal(encode(&message), DNSPACK_E_REFERRAL);
    target(response(3), DNSPACK_AUTHORITY, "example.", TYPE_NS, 300, "ns.example.");
    assert_int_equal(encode(&message), DNSPACK_E_NO_SOA);
    target(response(0), DNSPACK_AUTHORITY, "example.", TYPE_NS, 300, "ns.example.");
    soa(&message, "example.", 300, 300);
    assert_int_equal(encode(&message), DNSPACK_OK);
    a(response(0), DNSPACK_ANSWER, OWNER, 300, 1);
    target(&message, DNSPACK_AUTHORITY, "example.", TYPE_NS, 300, "ns.example.");
    assert_int_equal(encode(&message), DNSPACK_OK);
}

/* ---- for how long ---- */

static void test_ttl_zero_is_not_stored(void **state)
{
    (void)state;
    a(response(0), DNSPACK_ANSWER, OWNER, 1, 1);
    assert_int_equal(encode(&message), DNSPACK_OK);
    a(response(0), DNSPACK_ANSWER, OWNER, 0, 1);
    assert_int_equal(encode(&message), DNSPACK_E_TTL_ZERO);
    policy.ttl_min_s = 60;
    assert_int_equal(encode(&message), DNSPACK_E_TTL_ZERO);
    a(&message, DNSPACK_ANSWER, "else.example.", 300, 1);
    assert_int_equal(encode(&message), DNSPACK_E_TTL_ZERO);
    soa(response(3), "example.", 300, 0);
    assert_int_equal(encode(&message), DNSPACK_E_TTL_ZERO);
}

static void test_ttl_with_the_top_bit_is_large(void **state)
{
    (void)state;
    a(response(0), DNSPACK_ANSWER, OWNER, 0x80000000, 1);
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_int_equal(ttl_at(0), 604800);
    policy.ttl_max_s = UINT32_MAX;
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_int_equal(ttl_at(0), DNSPACK_TTL_MAX);
    assert_int_equal(head().ttl_s, DNSPACK_TTL_MAX);
}

static void test_ttl_is_capped(void **state)
{
    (void)state;
    policy.ttl_max_s = 100;
    a(response(0), DNSPACK_ANSWER, OWNER, 100, 1);
    a(&message, DNSPACK_ANSWER, "b.example.", 101, 1);
    a(&message, DNSPACK_ANSWER, "c.example.", 99, 1);
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_int_equal(ttl_at(0), 100);
    assert_int_equal(ttl_at(1), 100);
    assert_int_equal(ttl_at(2), 99);
    assert_int_equal(head().ttl_s, 99);
}

static void test_ttl_is_raised_to_the_minimum(void **state)
{
    (void)state;
    policy.ttl_min_s = 60;
    a(response(0), DNSPACK_ANSWER, OWNER, 59, 1);
    a(&message, DNSPACK_ADDITIONAL, "b.example.", 61, 1);
    a(&message, DNSPACK_ADDITIONAL, "c.example.", 0, 1);
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_int_equal(ttl_at(0), 60);
    assert_int_equal(ttl_at(1), 61);
    assert_int_equal(ttl_at(2), 0);
    policy.ttl_min_s = UINT32_MAX;
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_int_equal(ttl_at(0), DNSPACK_TTL_MAX);
}

static void test_rrset_has_its_least_ttl(void **state)
{
    (void)state;
    a(response(0), DNSPACK_ANSWER, OWNER, 300, 1);
    a(&message, DNSPACK_ANSWER, OWNER, 200, 2);
    a(&message, DNSPACK_ANSWER, "www.example.", 250, 3);
    assert_int_equal(encode(&message), DNSPACK_OK);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(ttl_at(i), 200);
    assert_string_equal(forms(), "Q");
}

static void test_interleaved_rrsets_have_their_least_ttls(void **state)
{
    static const uint32_t ttls_s[] = {300, 60, 100, 70, 200, 50};

    (void)state;
    response(0);
    for (size_t i = 0; i < 6; i++)
        a(&message, DNSPACK_ANSWER, i % 2 == 0 ? OWNER : "b.example.", ttls_s[i], (unsigned)i);
    assert_int_equal(encode(&message), DNSPACK_OK);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(ttl_at(i), i % 2 == 0 ? 100 : 50);
}

static void test_sections_are_rrsets_of_their_own(void **state)
{
    (void)state;
    a(response(0), DNSPACK_ANSWER, OWNER, 300, 1);
    a(&message, DNSPACK_ADDITIONAL, OWNER, 60, 1);
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_int_equal(ttl_at(0), 300);
    assert_int_equal(ttl_at(1), 60);
    assert_int_equal(head().ttl_s, 300);
}

/* A run looks back RUNS_LOOK_BACK runs for its RRset: `between` runs of other types lie between its two. */
static void rrset_far_apart(unsigned between)
{
    a(response(0), DNSPACK_ANSWER, OWNER, 300, 1);
    for (unsigned i = 0; i < between; i++)
        record(&message, DNSPACK_ANSWER, OWNER, 1000 + i, 500, "x", 1);
    a(&message, DNSPACK_ANSWER, OWNER, 100, 2);
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_int_equal(ttl_at(between + 1), 100);
    assert_int_equal(head().ttl_s, 100);
}

static void test_rrset_is_joined_across_63_runs(void **state)
{
    (void)state;
    rrset_far_apart(RUNS_LOOK_BACK - 1);
    assert_int_equal(ttl_at(0), 100);
}

static void test_rrset_is_two_across_64_runs(void **state)
{
    (void)state;
    rrset_far_apart(RUNS_LOOK_BACK);
    assert_int_equal(ttl_at(0), 300);
}

static void test_rrsig_has_at_most_its_original_ttl(void **state)
{
    (void)state;
    a(response(0), DNSPACK_ANSWER, OWNER, 300, 1);
    rrsig(&message, TYPE_A, 300, 120);
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_int_equal(ttl_at(0), 300);
    assert_int_equal(ttl_at(1), 120);
}

static void test_rrsigs_keep_their_own_ttls(void **state)
{
    (void)state;
    a(response(0), DNSPACK_ANSWER, OWNER, 300, 1);
    rrsig(&message, TYPE_A, 300, 3600);
    rrsig(&message, TYPE_TXT, 200, 3600);
    rrsig(&message, TYPE_NS, 200, 3600);
    rrsig(&message, TYPE_MX, 300, 3600);
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_int_equal(ttl_at(1), 300);
    assert_int_equal(ttl_at(2), 200);
    assert_int_equal(ttl_at(3), 200);
    assert_int_equal(ttl_at(4), 300);
    assert_string_equal(forms(), "QQQQ");
}

static void test_negative_answer_lives_as_its_soa_says(void **state)
{
    (void)state;
    for (unsigned rcode = 0; rcode <= 3; rcode += 3) {
        soa(response(rcode), "example.", 3600, 60);
        assert_int_equal(encode(&message), DNSPACK_OK);
        assert_int_equal(head().ttl_s, 60);
        assert_int_equal(ttl_at(0), 60);
        soa(response(rcode), "example.", 60, 3600);
        assert_int_equal(encode(&message), DNSPACK_OK);
        assert_int_equal(head().ttl_s, 60);
        assert_int_equal(ttl_at(0), 60);
    }
}

static void test_negative_answer_is_capped(void **state)
{
    (void)state;
    soa(response(3), "example.", 20000, 20000);
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_int_equal(head().ttl_s, 10800);
    policy.negative_max_s = 30;
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_int_equal(head().ttl_s, 30);
    assert_int_equal(ttl_at(0), 30);
    policy.negative_max_s = 0;
    assert_int_equal(encode(&message), DNSPACK_E_TTL_ZERO);
}

static void test_nxdomain_behind_cname_lives_as_the_shorter(void **state)
{
    (void)state;
    target(response(3), DNSPACK_ANSWER, OWNER, TYPE_CNAME, 20, "gone.example.");
    soa(&message, "example.", 100, 100);
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_int_equal(head().ttl_s, 20);
    target(response(3), DNSPACK_ANSWER, OWNER, TYPE_CNAME, 200, "gone.example.");
    soa(&message, "example.", 100, 100);
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_int_equal(head().ttl_s, 100);
}

static void test_servfail_lives_1_to_300_seconds(void **state)
{
    static const uint32_t given_s[] = {1, 5, 300, 301, UINT32_MAX}, kept_s[] = {1, 5, 300, 300, 300};

    (void)state;
    response(2);
    for (size_t i = 0; i < 5; i++) {
        policy.servfail_s = given_s[i];
        assert_int_equal(encode(&message), DNSPACK_OK);
        assert_int_equal(head().ttl_s, kept_s[i]);
    }
    policy.servfail_s = 0;
    assert_int_equal(encode(&message), DNSPACK_E_RCODE);
}

/* ---- what goes with it ---- */

static void test_ad_and_cd_say_what_was_validated(void **state)
{
    static const unsigned flags[] = {0, AD, CD, AD | CD};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        a(response(flags[i]), DNSPACK_ANSWER, OWNER, 300, 1);
        assert_int_equal(encode(&message), DNSPACK_OK);
        assert_int_equal(head().authenticated, (flags[i] & AD) != 0);
        assert_int_equal(head().unchecked, flags[i] == CD);
    }
}

static void test_tag_has_at_most_255_octets(void **state)
{
    static const size_t lens[] = {0, 1, 254, 255};
    uint8_t tag[256];

    (void)state;
    for (size_t i = 0; i < 256; i++)
        tag[i] = (uint8_t)(255 - i);
    a(response(0), DNSPACK_ANSWER, OWNER, 300, 1);
    options.tag = tag;
    for (size_t i = 0; i < 4; i++) {
        options.tag_len = lens[i];
        assert_int_equal(encode(&message), DNSPACK_OK);
        assert_int_equal(head().tag_len, lens[i]);
        assert_memory_equal(entry + head().tag_off, tag, lens[i]);
    }
    options.tag_len = 256;
    assert_int_equal(encode(&message), DNSPACK_E_TOO_BIG);
}

#define ERROR_18 "\0\xf\0\6\0\x12nope"

static void test_extended_errors_are_kept_with_their_text(void **state)
{
    (void)state;
    a(response(0), DNSPACK_ANSWER, OWNER, 300, 1);
    opt(&message, "\0\3\0\1x" ERROR_18 "\0\xf\0\2\0\3", 21);
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_int_equal(head().error_count, 2);
    assert_memory_equal(entry + head().errors_off, "\6\0\x12nope\2\0\3", 10);
}

static void test_extended_error_of_one_octet_is_left_out(void **state)
{
    (void)state;
    a(response(0), DNSPACK_ANSWER, OWNER, 300, 1);
    opt(&message, "\0\xf\0\1\0", 5);
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_int_equal(head().error_count, 0);
    a(response(0), DNSPACK_ANSWER, OWNER, 300, 1);
    opt(&message, "\0\xf\0\1\0" ERROR_18, 15);
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_int_equal(head().error_count, 1);
    assert_memory_equal(entry + head().errors_off, "\6\0\x12nope", 7);
}

static void test_eight_extended_errors_are_kept(void **state)
{
    uint8_t errors[9 * 6];

    (void)state;
    for (unsigned i = 0; i < 9; i++)
        memcpy(errors + i * 6, (const uint8_t[]){0, 15, 0, 2, 0, (uint8_t)i}, 6);
    for (unsigned count = 7; count <= 9; count++) {
        a(response(0), DNSPACK_ANSWER, OWNER, 300, 1);
        opt(&message, errors, count * 6);
        assert_int_equal(encode(&message), DNSPACK_OK);
        assert_int_equal(head().error_count, count < 8 ? count : 8);
        assert_memory_equal(entry + head().errors_off, "\2\0\0\2\0\1\2\0\2", 9);
    }
}

static void test_long_error_text_needs_a_long_length(void **state)
{
    uint8_t options_rdata[4 + 300] = {0, 15, 1, 44, 0, 22};

    (void)state;
    a(response(0), DNSPACK_ANSWER, OWNER, 300, 1);
    opt(&message, options_rdata, sizeof options_rdata);
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_int_equal(head().error_count, 1);
    assert_memory_equal(entry + head().errors_off, "\xff\1\x2c\0\x16", 5);
}

/* Answer, authority and additional section, one record each. */
static void three_sections(unsigned rcode)
{
    response(rcode);
    if (rcode == 0)
        a(&message, DNSPACK_ANSWER, OWNER, 300, 1);
    soa(&message, "example.", 300, 300);
    a(&message, DNSPACK_ADDITIONAL, "ns.example.", 300, 1);
}

static void test_policy_drops_sections_of_a_positive_answer(void **state)
{
    (void)state;
    for (unsigned dropped = 0; dropped < 4; dropped++) {
        policy.drop_authority = dropped % 2 == 1;
        policy.drop_additional = dropped / 2 == 1;
        three_sections(0);
        assert_int_equal(encode(&message), DNSPACK_OK);
        assert_int_equal(item_count(), 3 - dropped % 2 - dropped / 2);
        assert_int_equal(item_at(0).section, DNSPACK_ANSWER);
        if (dropped == 1)
            assert_int_equal(item_at(1).section, DNSPACK_ADDITIONAL);
        if (dropped == 2)
            assert_int_equal(item_at(1).section, DNSPACK_AUTHORITY);
    }
}

static void test_policy_keeps_what_proves_a_negative_answer(void **state)
{
    (void)state;
    policy.drop_authority = true;
    policy.drop_additional = true;
    three_sections(3);
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_int_equal(item_count(), 1);
    assert_int_equal(item_at(0).type, TYPE_SOA);
}

/* ---- which form ---- */

static void test_groups_hold_16_records(void **state)
{
    static const unsigned counts[] = {1, 16, 17, 32, 33};
    static const char *const of_qname[] = {"Q", "Q", "QQ", "QQ", "QQQ"}, *const of_other[] = {"E", "E", "ES", "ES", "ESS"};

    (void)state;
    for (size_t i = 0; i < 5; i++) {
        for (unsigned qname = 0; qname < 2; qname++) {
            response(0);
            for (unsigned count = 0; count < counts[i]; count++)
                a(&message, DNSPACK_ANSWER, qname ? OWNER : "b.test.", 300, count);
            assert_int_equal(encode(&message), DNSPACK_OK);
            assert_int_equal(item_count(), counts[i]);
            assert_string_equal(forms(), qname ? of_qname[i] : of_other[i]);
            for (unsigned count = 0; count < counts[i]; count++)
                assert_int_equal(entry[item_at(count).rdata_off + 3], count);
        }
    }
}

static void test_owner_is_the_query_name_in_any_case_and_compression(void **state)
{
    (void)state;
    a(response(0), DNSPACK_ANSWER, OWNER, 300, 1);
    txt(&message, DNSPACK_ANSWER, "WWW.example.", 300);
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_string_equal(forms(), "QQ");
}

static void test_owner_of_the_group_before_is_form_1(void **state)
{
    (void)state;
    a(response(0), DNSPACK_ANSWER, "b.test.", 300, 1);
    txt(&message, DNSPACK_ANSWER, "B.test.", 300);
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_string_equal(forms(), "ES");
    assert_owner(1, "b.test.");
}

static void test_section_starts_with_no_group_before(void **state)
{
    (void)state;
    a(response(0), DNSPACK_ANSWER, "b.test.", 300, 1);
    txt(&message, DNSPACK_AUTHORITY, "b.test.", 300);
    txt(&message, DNSPACK_ADDITIONAL, OWNER, 300);
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_string_equal(forms(), "ERQ");
    assert_owner(1, "b.test.");
}

static void test_owner_may_be_a_suffix_of_the_query_name(void **state)
{
    (void)state;
    a(response(0), DNSPACK_ANSWER, OWNER, 300, 1);
    txt(&message, DNSPACK_AUTHORITY, "EXAMPLE.", 300);
    txt(&message, DNSPACK_ADDITIONAL, ".", 300);
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_string_equal(forms(), "QRE"); /* nothing is shorter than a root */
    assert_owner(1, "example.");
    assert_owner(2, ".");
}

static void test_owner_may_be_the_target_of_a_cname(void **state)
{
    (void)state;
    target(response(0), DNSPACK_ANSWER, OWNER, TYPE_CNAME, 300, "host.test.");
    a(&message, DNSPACK_ANSWER, "host.test.", 300, 1);
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_string_equal(forms(), "QR");
    assert_owner(1, "host.test.");
}

static void test_owner_may_be_one_that_stands_already(void **state)
{
    (void)state;
    a(response(0), DNSPACK_ANSWER, "b.test.", 300, 1);
    a(&message, DNSPACK_ANSWER, "c.test.", 300, 1);
    txt(&message, DNSPACK_ANSWER, "b.test.", 300);
    txt(&message, DNSPACK_ANSWER, "test.", 300); /* not a name of its own before */
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_string_equal(forms(), "EERE");
    assert_owner(2, "b.test.");
}

static void test_64_names_may_be_referred_to(void **state)
{
    char owner[] = "n00.test.";

    (void)state;
    response(0);
    for (unsigned i = 0; i < 70; i++) {
        owner[1] = (char)('0' + i / 10);
        owner[2] = (char)('0' + i % 10);
        a(&message, DNSPACK_ANSWER, owner, 300, i);
    }
    txt(&message, DNSPACK_ANSWER, "n63.test.", 300);
    txt(&message, DNSPACK_ANSWER, "n64.test.", 300);
    txt(&message, DNSPACK_ANSWER, "n00.test.", 300);
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_string_equal(forms() + 69, "ERER");
    assert_owner(70, "n63.test.");
    assert_owner(71, "n64.test.");
    assert_owner(72, "n00.test.");
}

static void test_names_in_rdata_are_expanded(void **state)
{
    (void)state;
    start(&message, QR, "example.", TYPE_MINFO, CLASS_IN);
    record(&message, DNSPACK_ANSWER, OWNER, TYPE_MINFO, 300, "\1a\300\14\300\14", 6);
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_int_equal(item_at(0).rdata_len, 20);
    assert_memory_equal(entry + item_at(0).rdata_off, "\1a\7example\0\7example", 20);
}

static void test_srv_and_mx_keep_their_octets(void **state)
{
    (void)state;
    record(response(0), DNSPACK_ANSWER, "x.", TYPE_SRV, 300, "\0\1\0\2\0\3\2ab", 10);
    record(&message, DNSPACK_ANSWER, "x.", TYPE_MX, 300, "\0\7\300\14", 4);
    a(&message, DNSPACK_ANSWER, OWNER, 300, 1);
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_memory_equal(entry + item_at(0).rdata_off, "\0\1\0\2\0\3\2ab", 10);
    assert_memory_equal(entry + item_at(1).rdata_off, "\0\7\3www\7example", 15);
}

/* ---- equal input, equal octets ---- */

static void assert_twins(void)
{
    assert_int_equal(entry_len, twin_len);
    assert_memory_equal(entry, twin, entry_len);
}

static void test_equal_input_gives_equal_octets(void **state)
{
    (void)state;
    three_sections(0);
    memset(&workspace, 0, sizeof workspace);
    assert_int_equal(encode(&message), DNSPACK_OK);
    memset(&workspace, 0xff, sizeof workspace);
    assert_int_equal(encode_into(&message, twin, &twin_len), DNSPACK_OK);
    assert_twins();
}

static void test_case_of_the_question_changes_nothing(void **state)
{
    (void)state;
    a(response(0), DNSPACK_ANSWER, OWNER, 300, 1);
    assert_int_equal(encode(&message), DNSPACK_OK);
    start(&other, QR | RD, "wWW.eXaMple.", TYPE_A, CLASS_IN);
    a(&other, DNSPACK_ANSWER, OWNER, 300, 1);
    assert_int_equal(encode_into(&other, twin, &twin_len), DNSPACK_OK);
    assert_twins();
}

static void test_compression_changes_nothing(void **state)
{
    struct message *both[2] = {&message, &other};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        start(both[i], QR, "www.example.", TYPE_A, CLASS_IN);
        target(both[i], DNSPACK_ANSWER, i ? OWNER : "www.example.", TYPE_CNAME, 300, i ? "b.@" : "b.www.example.");
        a(both[i], DNSPACK_ANSWER, i ? "b.@" : "b.www.example.", 300, 1);
        a(both[i], DNSPACK_ANSWER, "b.www.example.", 300, 2);
        target(both[i], DNSPACK_AUTHORITY, "example.", TYPE_NS, 300, i ? "ns.@" : "ns.www.example.");
    }
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_int_equal(encode_into(&other, twin, &twin_len), DNSPACK_OK);
    assert_twins();
    assert_string_equal(forms(), "QRR");
}

/* ---- room ---- */

static void test_too_small_a_buffer_is_left_alone(void **state)
{
    size_t needed = 0;

    (void)state;
    three_sections(0);
    assert_int_equal(encode(&message), DNSPACK_OK);
    memcpy(twin, entry, entry_len);
    twin_len = entry_len;
    for (size_t cap = 0; cap < twin_len; cap++) {
        needed = 0;
        memset(entry, UNTOUCHED, sizeof entry);
        assert_int_equal(dnspack_entry_encode(message.octets, message.len, &options, &workspace, entry, cap, &needed), DNSPACK_E_NO_SPACE);
        assert_int_equal(needed, twin_len);
        assert_untouched(entry, sizeof entry);
    }
    assert_int_equal(dnspack_entry_encode(message.octets, message.len, &options, &workspace, entry, needed, &entry_len), DNSPACK_OK);
    assert_untouched(entry + entry_len, sizeof entry - entry_len);
    assert_twins();
}

/* 255 octets, to which two octets of RDATA point. */
#define LABEL61 "abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghija."
#define LONG_NAME LABEL61 LABEL61 LABEL61 LABEL61 "abcde."

static void test_entry_of_more_than_65535_octets_is_too_big(void **state)
{
    unsigned stored = 0;

    (void)state;
    start(&message, QR, LONG_NAME, TYPE_NS, CLASS_IN);
    assert_int_equal(message.len, 12 + 255 + 4);
    for (unsigned count = 0; count < 300; count++) {
        target(&message, DNSPACK_ANSWER, OWNER, TYPE_NS, 300, OWNER);
        if (encode(&message) != DNSPACK_OK)
            break;
        stored++;
    }
    assert_int_equal(encode(&message), DNSPACK_E_TOO_BIG);
    assert_int_equal(stored, 255); /* 255 * 255 octets, 16 groups, the head and the query name */
}

static void test_entry_may_have_65535_octets(void **state)
{
    static const uint8_t rdata[DNSPACK_MESSAGE_MAX], tag[DNSPACK_TAG_MAX];
    size_t rdata_len = DNSPACK_MESSAGE_MAX - 12 - 5 - 11;

    (void)state;
    start(&message, QR, ".", 1000, CLASS_IN);
    record(&message, DNSPACK_ANSWER, ".", 1000, 300, rdata, rdata_len);
    assert_int_equal(message.len, DNSPACK_MESSAGE_MAX);
    options.tag = tag;
    options.tag_len = DNSPACK_ENTRY_MAX - (10 + 1 + 2 + 1 + 1 + 1 + 3) - rdata_len; /* head, ext, type, root, tag length, ctl, length */
    assert_int_equal(encode(&message), DNSPACK_OK);
    assert_int_equal(entry_len, DNSPACK_ENTRY_MAX);
    options.tag_len++;
    assert_int_equal(encode(&message), DNSPACK_E_TOO_BIG);
}

static void test_bound_is_not_below_what_expands_most(void **state)
{
    (void)state;
    start(&message, QR, LONG_NAME, TYPE_MINFO, CLASS_IN);
    for (unsigned count = 0; count < 100; count++) {
        record(&message, DNSPACK_ANSWER, OWNER, TYPE_MINFO, 300, "\300\14\300\14", 4);
        assert_int_equal(encode(&message), DNSPACK_OK); /* which looks at the bound */
    }
    assert_int_equal(dnspack_entry_bound(0), 535);
    assert_int_equal(dnspack_entry_bound(999), 999 * 65 + 535);
    assert_int_equal(dnspack_entry_bound(1000), DNSPACK_ENTRY_MAX);
    assert_int_equal(dnspack_entry_bound(SIZE_MAX), DNSPACK_ENTRY_MAX);
}

/* ---- the question asked ---- */

static void ask(const char *qname, unsigned qtype, unsigned qclass)
{
    start(&other, RD, qname, qtype, qclass);
    options.asked = other.octets;
    options.asked_len = other.len;
}

static void test_response_answers_the_question_asked(void **state)
{
    (void)state;
    a(response(0), DNSPACK_ANSWER, OWNER, 300, 1);
    ask("www.example.", TYPE_A, CLASS_IN);
    assert_int_equal(encode(&message), DNSPACK_OK);
    ask("WWW.eXample.", TYPE_A, CLASS_IN);
    assert_int_equal(encode(&message), DNSPACK_OK);
    ask("wwx.example.", TYPE_A, CLASS_IN);
    assert_int_equal(encode(&message), DNSPACK_E_MISMATCH);
    ask("example.", TYPE_A, CLASS_IN);
    assert_int_equal(encode(&message), DNSPACK_E_MISMATCH);
    ask("www.example.", TYPE_AAAA, CLASS_IN);
    assert_int_equal(encode(&message), DNSPACK_E_MISMATCH);
    ask("www.example.", TYPE_A, CLASS_CH);
    assert_int_equal(encode(&message), DNSPACK_E_MISMATCH);
    ask("www.example.", TYPE_A, CLASS_IN);
    other.octets[1] ^= 1; /* the ID */
    assert_int_equal(encode(&message), DNSPACK_E_MISMATCH);
}

static void test_what_was_asked_is_a_query(void **state)
{
    (void)state;
    a(response(0), DNSPACK_ANSWER, OWNER, 300, 1);
    ask("www.example.", TYPE_A, CLASS_IN);
    other.octets[2] |= 0x80;
    assert_int_equal(encode(&message), DNSPACK_E_MISMATCH);
    options.asked_len = 5;
    assert_int_equal(encode(&message), DNSPACK_E_MISMATCH);
    options.asked_len = 0;
    assert_int_equal(encode(&message), DNSPACK_E_MISMATCH);
}

/* ---- parsed records ---- */

static struct dnspack_record records[DNSPACK_RECORDS_MAX + 1];
static struct dnspack_source source;

/* The message as a source. */
static void take_apart(const struct message *m)
{
    struct dnspack_message parsed;

    assert_int_equal(dnspack_message_parse(m->octets, m->len, records, DNSPACK_RECORDS_MAX, &parsed), DNSPACK_OK);
    source = (struct dnspack_source){
        .octets = m->octets,
        .octets_len = m->len,
        .qname_len = parsed.qname_len,
        .qtype = parsed.qtype,
        .qclass = parsed.qclass,
        .rcode = (uint8_t)parsed.rcode,
        .options_off = parsed.options_off,
        .options_len = parsed.options_len,
        .records = records,
        .record_count = (size_t)parsed.record_count[0] + parsed.record_count[1] + parsed.record_count[2],
    };
}

static enum dnspack_status build(void)
{
    enum dnspack_status status;

    memset(twin, UNTOUCHED, sizeof twin);
    twin_len = 77;
    status = dnspack_entry_build(&source, &options, &workspace, twin, DNSPACK_ENTRY_MAX, &twin_len);
    assert_outcome(status, twin, twin_len, DNSPACK_ENTRY_MAX);
    return status;
}

static void test_build_gives_the_octets_of_encode(void **state)
{
    (void)state;
    three_sections(0);
    opt(&message, ERROR_18, 10);
    assert_int_equal(encode(&message), DNSPACK_OK);
    take_apart(&message);
    assert_int_equal(build(), DNSPACK_OK);
    assert_twins();
    soa(response(3), "example.", 300, 60);
    assert_int_equal(encode(&message), DNSPACK_OK);
    take_apart(&message);
    assert_int_equal(build(), DNSPACK_OK);
    assert_twins();
}

static void test_build_takes_a_buffer_that_is_no_message(void **state)
{
    (void)state;
    target(response(AD), DNSPACK_ANSWER, OWNER, TYPE_CNAME, 300, "b.test.");
    a(&message, DNSPACK_ANSWER, "b.test.", 300, 1);
    assert_int_equal(encode(&message), DNSPACK_OK);

    other.len = 0;
    put(&other, "------------", 12);
    put_name(&other, "www.example.");
    records[0] = (struct dnspack_record){300, TYPE_CNAME, CLASS_IN, 12, (uint16_t)other.len, 8, DNSPACK_ANSWER};
    records[1] = (struct dnspack_record){300, TYPE_A, CLASS_IN, (uint16_t)other.len, (uint16_t)(other.len + 8), 4, DNSPACK_ANSWER};
    put_name(&other, "b.test.");
    put(&other, "\300\0\2\1", 4);
    source = (struct dnspack_source){.octets = other.octets,
                                     .octets_len = other.len,
                                     .qname_len = 13,
                                     .qtype = TYPE_A,
                                     .qclass = CLASS_IN,
                                     .authenticated = true,
                                     .records = records,
                                     .record_count = 2};
    assert_int_equal(build(), DNSPACK_OK);
    assert_twins();
}

static void test_build_may_find_the_records_in_the_workspace(void **state)
{
    (void)state;
    three_sections(0);
    assert_int_equal(encode(&message), DNSPACK_OK);
    take_apart(&message);
    memcpy(workspace.records, records, source.record_count * sizeof records[0]);
    source.records = workspace.records;
    assert_int_equal(build(), DNSPACK_OK);
    assert_twins();
}

static void good_source(void)
{
    a(response(0), DNSPACK_ANSWER, OWNER, 300, 1);
    target(&message, DNSPACK_AUTHORITY, "example.", TYPE_NS, 300, "ns.@");
    take_apart(&message);
    assert_int_equal(build(), DNSPACK_OK);
}

static void test_build_refuses_what_is_too_big(void **state)
{
    uint8_t tag[256] = {0};

    (void)state;
    good_source();
    source.octets_len = DNSPACK_MESSAGE_MAX;
    assert_int_equal(build(), DNSPACK_OK);
    source.octets_len = DNSPACK_MESSAGE_MAX + 1;
    assert_int_equal(build(), DNSPACK_E_TOO_BIG);
    good_source();
    options.tag = tag;
    options.tag_len = 255;
    assert_int_equal(build(), DNSPACK_OK);
    options.tag_len = 256;
    assert_int_equal(build(), DNSPACK_E_TOO_BIG);
}

static void test_build_takes_5956_records(void **state)
{
    (void)state;
    good_source();
    for (size_t i = 1; i <= DNSPACK_RECORDS_MAX; i++)
        records[i] = records[0];
    source.record_count = DNSPACK_RECORDS_MAX;
    assert_int_equal(build(), DNSPACK_OK);
    assert_int_equal(twin_len, 10 + 13 + 4 * DNSPACK_RECORDS_MAX + (DNSPACK_RECORDS_MAX + 15) / 16);
    source.record_count = DNSPACK_RECORDS_MAX + 1;
    assert_int_equal(build(), DNSPACK_E_TOO_BIG);
}

static void test_build_checks_the_query_name(void **state)
{
    (void)state;
    good_source();
    source.qname_len = 12;
    assert_int_equal(build(), DNSPACK_E_NAME);
    source.qname_len = 0;
    assert_int_equal(build(), DNSPACK_E_NAME);
    good_source();
    source.octets_len = 20;
    assert_int_equal(build(), DNSPACK_E_NAME);
    source.octets_len = 0;
    assert_int_equal(build(), DNSPACK_E_NAME);
}

static void test_build_checks_the_question(void **state)
{
    (void)state;
    good_source();
    source.rcode = 1;
    assert_int_equal(build(), DNSPACK_E_RCODE);
    good_source();
    source.qtype = TYPE_AXFR;
    assert_int_equal(build(), DNSPACK_E_TYPE);
    good_source();
    source.qclass = CLASS_ANY;
    assert_int_equal(build(), DNSPACK_E_CLASS);
    good_source();
    source.qclass = CLASS_CH;
    assert_int_equal(build(), DNSPACK_E_CLASS);
}

static void test_build_checks_where_records_and_options_are(void **state)
{
    (void)state;
    good_source();
    records[1].rdata_off++;
    assert_int_equal(build(), DNSPACK_E_SHORT);
    good_source();
    records[1].owner_off = 65535;
    assert_int_equal(build(), DNSPACK_E_NAME);
    good_source();
    source.options_off = (uint16_t)source.octets_len;
    assert_int_equal(build(), DNSPACK_OK);
    source.options_len = 1;
    assert_int_equal(build(), DNSPACK_E_SHORT);
}

static void test_build_checks_rdata(void **state)
{
    (void)state;
    good_source();
    records[0].rdata_len--;
    assert_int_equal(build(), DNSPACK_E_RDATA);
    good_source();
    records[1].rdata_len--; /* half a pointer */
    assert_int_equal(build(), DNSPACK_E_NAME);
}

static void test_build_takes_data_in_section_order(void **state)
{
    (void)state;
    good_source();
    records[0].section = DNSPACK_ADDITIONAL;
    assert_int_equal(build(), DNSPACK_E_META);
    good_source();
    records[1].section = 3;
    assert_int_equal(build(), DNSPACK_E_META);
    good_source();
    records[1].type = TYPE_OPT;
    assert_int_equal(build(), DNSPACK_E_META);
    good_source();
    records[1].type = 128;
    assert_int_equal(build(), DNSPACK_E_META);
}

static void test_build_applies_the_rules_of_encode(void **state)
{
    (void)state;
    good_source();
    records[0].ttl_s = 0;
    assert_int_equal(build(), DNSPACK_E_TTL_ZERO);
    good_source();
    source.qtype = TYPE_AAAA;
    assert_int_equal(build(), DNSPACK_E_NO_SOA);
    good_source();
    source.records++;
    source.record_count--;
    assert_int_equal(build(), DNSPACK_E_REFERRAL);
    good_source();
    source.rcode = 2;
    policy.servfail_s = 0;
    assert_int_equal(build(), DNSPACK_E_RCODE);
}

static void test_build_reports_the_size_needed(void **state)
{
    size_t needed = 0, size;

    (void)state;
    good_source();
    size = twin_len;
    memset(twin, UNTOUCHED, sizeof twin);
    assert_int_equal(dnspack_entry_build(&source, &options, &workspace, twin, size - 1, &needed), DNSPACK_E_NO_SPACE);
    assert_int_equal(needed, size);
    assert_untouched(twin, sizeof twin);
    assert_int_equal(dnspack_entry_build(&source, &options, &workspace, twin, size, &needed), DNSPACK_OK);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_encode_stores_an_answer, defaults),
        cmocka_unit_test_setup(test_encode_refuses_what_ends_too_early, defaults),
        cmocka_unit_test_setup(test_encode_ignores_trailing_octets, defaults),
        cmocka_unit_test_setup(test_encode_refuses_more_octets_than_a_message_has, defaults),
        cmocka_unit_test_setup(test_encode_refuses_a_pointer_to_itself, defaults),
        cmocka_unit_test_setup(test_encode_refuses_an_address_of_three_octets, defaults),
        cmocka_unit_test_setup(test_encode_refuses_a_second_opt, defaults),
        cmocka_unit_test_setup(test_encode_refuses_records_after_tsig, defaults),
        cmocka_unit_test_setup(test_encode_takes_one_question, defaults),
        cmocka_unit_test_setup(test_encode_takes_opcode_query, defaults),
        cmocka_unit_test_setup(test_encode_refuses_a_query, defaults),
        cmocka_unit_test_setup(test_encode_refuses_what_is_truncated, defaults),
        cmocka_unit_test_setup(test_encode_stores_three_rcodes, defaults),
        cmocka_unit_test_setup(test_encode_refuses_an_extended_rcode, defaults),
        cmocka_unit_test_setup(test_encode_stores_data_types_and_any, defaults),
        cmocka_unit_test_setup(test_encode_stores_data_classes, defaults),
        cmocka_unit_test_setup(test_encode_refuses_an_address_of_another_class, defaults),
        cmocka_unit_test_setup(test_encode_refuses_records_of_another_class_than_the_question, defaults),
        cmocka_unit_test_setup(test_encode_refuses_a_negative_answer_without_soa, defaults),
        cmocka_unit_test_setup(test_encode_refuses_a_referral, defaults),
        cmocka_unit_test_setup(test_ttl_zero_is_not_stored, defaults),
        cmocka_unit_test_setup(test_ttl_with_the_top_bit_is_large, defaults),
        cmocka_unit_test_setup(test_ttl_is_capped, defaults),
        cmocka_unit_test_setup(test_ttl_is_raised_to_the_minimum, defaults),
        cmocka_unit_test_setup(test_rrset_has_its_least_ttl, defaults),
        cmocka_unit_test_setup(test_interleaved_rrsets_have_their_least_ttls, defaults),
        cmocka_unit_test_setup(test_sections_are_rrsets_of_their_own, defaults),
        cmocka_unit_test_setup(test_rrset_is_joined_across_63_runs, defaults),
        cmocka_unit_test_setup(test_rrset_is_two_across_64_runs, defaults),
        cmocka_unit_test_setup(test_rrsig_has_at_most_its_original_ttl, defaults),
        cmocka_unit_test_setup(test_rrsigs_keep_their_own_ttls, defaults),
        cmocka_unit_test_setup(test_negative_answer_lives_as_its_soa_says, defaults),
        cmocka_unit_test_setup(test_negative_answer_is_capped, defaults),
        cmocka_unit_test_setup(test_nxdomain_behind_cname_lives_as_the_shorter, defaults),
        cmocka_unit_test_setup(test_servfail_lives_1_to_300_seconds, defaults),
        cmocka_unit_test_setup(test_ad_and_cd_say_what_was_validated, defaults),
        cmocka_unit_test_setup(test_tag_has_at_most_255_octets, defaults),
        cmocka_unit_test_setup(test_extended_errors_are_kept_with_their_text, defaults),
        cmocka_unit_test_setup(test_extended_error_of_one_octet_is_left_out, defaults),
        cmocka_unit_test_setup(test_eight_extended_errors_are_kept, defaults),
        cmocka_unit_test_setup(test_long_error_text_needs_a_long_length, defaults),
        cmocka_unit_test_setup(test_policy_drops_sections_of_a_positive_answer, defaults),
        cmocka_unit_test_setup(test_policy_keeps_what_proves_a_negative_answer, defaults),
        cmocka_unit_test_setup(test_groups_hold_16_records, defaults),
        cmocka_unit_test_setup(test_owner_is_the_query_name_in_any_case_and_compression, defaults),
        cmocka_unit_test_setup(test_owner_of_the_group_before_is_form_1, defaults),
        cmocka_unit_test_setup(test_section_starts_with_no_group_before, defaults),
        cmocka_unit_test_setup(test_owner_may_be_a_suffix_of_the_query_name, defaults),
        cmocka_unit_test_setup(test_owner_may_be_the_target_of_a_cname, defaults),
        cmocka_unit_test_setup(test_owner_may_be_one_that_stands_already, defaults),
        cmocka_unit_test_setup(test_64_names_may_be_referred_to, defaults),
        cmocka_unit_test_setup(test_names_in_rdata_are_expanded, defaults),
        cmocka_unit_test_setup(test_srv_and_mx_keep_their_octets, defaults),
        cmocka_unit_test_setup(test_equal_input_gives_equal_octets, defaults),
        cmocka_unit_test_setup(test_case_of_the_question_changes_nothing, defaults),
        cmocka_unit_test_setup(test_compression_changes_nothing, defaults),
        cmocka_unit_test_setup(test_too_small_a_buffer_is_left_alone, defaults),
        cmocka_unit_test_setup(test_entry_of_more_than_65535_octets_is_too_big, defaults),
        cmocka_unit_test_setup(test_entry_may_have_65535_octets, defaults),
        cmocka_unit_test_setup(test_bound_is_not_below_what_expands_most, defaults),
        cmocka_unit_test_setup(test_response_answers_the_question_asked, defaults),
        cmocka_unit_test_setup(test_what_was_asked_is_a_query, defaults),
        cmocka_unit_test_setup(test_build_gives_the_octets_of_encode, defaults),
        cmocka_unit_test_setup(test_build_takes_a_buffer_that_is_no_message, defaults),
        cmocka_unit_test_setup(test_build_may_find_the_records_in_the_workspace, defaults),
        cmocka_unit_test_setup(test_build_refuses_what_is_too_big, defaults),
        cmocka_unit_test_setup(test_build_takes_5956_records, defaults),
        cmocka_unit_test_setup(test_build_checks_the_query_name, defaults),
        cmocka_unit_test_setup(test_build_checks_the_question, defaults),
        cmocka_unit_test_setup(test_build_checks_where_records_and_options_are, defaults),
        cmocka_unit_test_setup(test_build_checks_rdata, defaults),
        cmocka_unit_test_setup(test_build_takes_data_in_section_order, defaults),
        cmocka_unit_test_setup(test_build_applies_the_rules_of_encode, defaults),
        cmocka_unit_test_setup(test_build_reports_the_size_needed, defaults),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
