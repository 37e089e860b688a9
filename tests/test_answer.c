/* test_answer.c - what clients get from an entry: header, times, records, compression, sizes, OPT, and errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "answer.h"

enum { TYPE_HTTPS = 65, TYPE_TXT = 16, TYPE_OPAQUE = 65280, ENTRIES = 50000 };
enum { NOW_S = 1000, TTL_S = 300 };

/* Octets of a string constant, without its end. */
#define OCTETS(text) (const uint8_t *)(text), sizeof(text) - 1

/* ---- messages by hand ---- */

struct message {
    size_t len;
    uint8_t octets[DNSPACK_MESSAGE_MAX];
};

static void put(struct message *m, const uint8_t *octets, size_t len)
{
    assert_true(len <= sizeof m->octets - m->len);
    if (len > 0)
        memcpy(m->octets + m->len, octets, len);
    m->len += len;
}

static void put16(struct message *m, unsigned value)
{
    put(m, (const uint8_t[]){(uint8_t)(value / 256), (uint8_t)(value % 256)}, 2);
}

static void put32(struct message *m, uint32_t value)
{
    put16(m, value / 65536);
    put16(m, value % 65536);
}

/* "www.example." as a wire name, not compressed. */
static void put_name(struct message *m, const char *text)
{
    while (*text != '\0' && strcmp(text, ".") != 0) {
        size_t len = strcspn(text, ".");
        put(m, (const uint8_t[]){(uint8_t)len}, 1);
        put(m, (const uint8_t *)text, len);
        text += len + 1;
    }
    put(m, OCTETS("\0"));
}

static void start(struct message *m, unsigned flags, const char *qname, unsigned qtype)
{
    m->len = 0;
    put(m, OCTETS("\x12\x34"));
    put16(m, flags);
    put(m, OCTETS("\0\1\0\0\0\0\0\0"));
    put_name(m, qname);
    put16(m, qtype);
    put16(m, CLASS_IN);
}

static void count_up(struct message *m, size_t off)
{
    dnspack_store16(m->octets, off, (uint16_t)(dnspack_load16(m->octets, off) + 1));
}

static void add(struct message *m, enum dnspack_section section, const char *owner, unsigned type, uint32_t ttl_s, const uint8_t *rdata,
                size_t rdata_len)
{
    count_up(m, 6 + 2 * (size_t)section);
    put_name(m, owner);
    put16(m, type);
    put16(m, CLASS_IN);
    put32(m, ttl_s);
    put16(m, (unsigned)rdata_len);
    put(m, rdata, rdata_len);
}

static void add_a(struct message *m, enum dnspack_section section, const char *owner, unsigned number)
{
    add(m, section, owner, TYPE_A, TTL_S, (const uint8_t[]){192, 0, (uint8_t)(number / 256), (uint8_t)(number % 256)}, 4);
}

/* RDATA that is octets and one name. */
static void add_name(struct message *m, enum dnspack_section section, const char *owner, unsigned type, const uint8_t *head,
                     size_t head_len, const char *name)
{
    static struct message rdata;

    rdata.len = 0;
    put(&rdata, head, head_len);
    put_name(&rdata, name);
    add(m, section, owner, type, TTL_S, rdata.octets, rdata.len);
}

static void add_rrsig(struct message *m, enum dnspack_section section, const char *owner, unsigned covered)
{
    static struct message rdata;

    rdata.len = 0;
    put16(&rdata, covered);
    put(&rdata, OCTETS("\x0d\x02\0\0\x01\x2c\x60\0\0\0\x50\0\0\0\x12\x34"));
    put_name(&rdata, "example.");
    put(&rdata, OCTETS("signature"));
    add(m, section, owner, TYPE_RRSIG, TTL_S, rdata.octets, rdata.len);
}

static void add_soa(struct message *m, const char *zone)
{
    static struct message rdata;

    rdata.len = 0;
    put_name(&rdata, "ns.example.");
    put_name(&rdata, "mail.ns.example.");
    put(&rdata, OCTETS("\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\1\x2c"));
    add(m, DNSPACK_AUTHORITY, zone, TYPE_SOA, TTL_S, rdata.octets, rdata.len);
}

/* OPT; options as they are. */
static void add_opt(struct message *m, unsigned udp_size, bool dnssec_ok, const uint8_t *options, size_t options_len)
{
    count_up(m, 10);
    put(m, OCTETS("\0\0\x29"));
    put16(m, udp_size);
    put32(m, dnssec_ok ? 0x8000 : 0);
    put16(m, (unsigned)options_len);
    put(m, options, options_len);
}

/* ---- a stored response, a query and what comes of them ---- */

static struct message response, query;
static struct dnspack_workspace workspace;
static uint8_t entry[DNSPACK_ENTRY_MAX];
static size_t entry_len;
static struct dnspack_answer_options options;
static struct dnspack_answer answer;
static uint8_t out[DNSPACK_MESSAGE_MAX];
static size_t out_cap;
static struct dnspack_message parsed;
static struct dnspack_record records[DNSPACK_RECORDS_MAX];

/* Start with a response to www.example. A and options of no effect. */
static int fresh(void **state)
{
    (void)state;
    memset(&options, 0, sizeof options);
    options.now_s = NOW_S;
    out_cap = sizeof out;
    start(&response, 0x8180, "www.example.", TYPE_A);
    start(&query, 0x0100, "www.example.", TYPE_A);
    return 0;
}

static void store_tagged(const uint8_t *tag, size_t tag_len)
{
    struct dnspack_policy policy = dnspack_policy_default();
    struct dnspack_encode_options how = {&policy, NOW_S, tag, tag_len, NULL, 0};

    assert_int_equal(dnspack_entry_encode(response.octets, response.len, &how, &workspace, entry, sizeof entry, &entry_len), DNSPACK_OK);
    assert_int_equal(dnspack_entry_check(entry, entry_len), DNSPACK_OK);
}

static void store(void)
{
    store_tagged(NULL, 0);
}

/* Build in memory of exactly out_cap octets, so that a sanitizer sees each octet too many. */
static enum dnspack_status ask_status(void)
{
    struct dnspack_message view;
    enum dnspack_status status;
    uint8_t *exact = malloc(out_cap + 1);

    assert_non_null(exact);
    assert_int_equal(dnspack_query_parse(query.octets, query.len, &view), DNSPACK_OK);
    memset(exact, 0xa5, out_cap + 1);
    status = dnspack_answer_build(entry, entry_len, query.octets, &view, &options, exact, out_cap, &answer);
    assert_int_equal(exact[out_cap], 0xa5);
    if (status != DNSPACK_OK) {
        for (size_t i = 0; i < out_cap; i++)
            assert_int_equal(exact[i], 0xa5);
    } else {
        memcpy(out, exact, answer.len);
        for (size_t i = options.stream || out_cap < 512 ? out_cap
                        : answer.len > 512              ? out_cap
                                                        : 512;
             i < out_cap && view.udp_size <= 512; i++)
            assert_int_equal(exact[i], 0xa5);
    }
    free(exact);
    return status;
}

/* The octets of the name at `at`: pointers lead backward only, and not into the header. Returns where the message goes on. */
static size_t name_walk(size_t at, bool may_point)
{
    size_t next = 0, start_off = at;

    for (;;) {
        assert_true(at < answer.len);
        if (out[at] >= 0xc0) {
            size_t target = dnspack_load16(out, at) - POINTER_TO;

            assert_true(may_point);
            assert_true(target >= DNSPACK_HEADER_LEN && target < start_off && target < POINTER_LIMIT);
            next = next != 0 ? next : at + 2;
            start_off = at = target;
            continue;
        }
        assert_true(out[at] < 64);
        if (out[at] == 0)
            return next != 0 ? next : at + 1;
        at += out[at] + 1u;
    }
}

/* Every record has its RDLENGTH right, and names are compressed where that is allowed only. Independent of the parser. */
static void walk(void)
{
    size_t off = DNSPACK_HEADER_LEN, left;

    off = name_walk(off, false) + QUESTION_FIXED_LEN;
    for (left = (size_t)dnspack_load16(out, 6) + dnspack_load16(out, 8) + dnspack_load16(out, 10); left > 0; left--) {
        size_t owner_off = off, end, at;
        unsigned type;

        off = name_walk(owner_off, true);
        type = dnspack_load16(out, off);
        at = off + RECORD_FIXED_LEN;
        end = at + dnspack_load16(out, at - 2);
        assert_true(end <= answer.len);
        if (type == TYPE_NS || type == TYPE_CNAME || type == TYPE_PTR)
            at = name_walk(at, true);
        else if (type == TYPE_MX)
            at = name_walk(at + 2, true);
        else if (type == TYPE_SOA)
            at = name_walk(name_walk(at, true), true) + 20;
        else if (type == TYPE_DNAME)
            at = name_walk(at, false);
        else if (type == TYPE_SRV)
            at = name_walk(at + 6, false);
        else
            at = end;
        assert_int_equal(at, end);
        off = end;
    }
    assert_int_equal(off, answer.len);
}

static void ask(void)
{
    assert_int_equal(ask_status(), DNSPACK_OK);
    walk();
    assert_int_equal(dnspack_message_parse(out, answer.len, records, DNSPACK_RECORDS_MAX, &parsed), DNSPACK_OK);
    assert_int_equal(parsed.end_off, answer.len);
    assert_int_equal(answer.truncated, parsed.flags / DNSPACK_FLAG_TC % 2);
    assert_true(answer.len <= out_cap);
}

static size_t record_count(void)
{
    return (size_t)parsed.record_count[0] + parsed.record_count[1] + parsed.record_count[2];
}

static bool is_wanted_type(unsigned type)
{
    struct dnspack_message view;

    assert_int_equal(dnspack_query_parse(query.octets, query.len, &view), DNSPACK_OK);
    return (type != TYPE_RRSIG && type != TYPE_NSEC && type != TYPE_NSEC3) || view.dnssec_ok || view.qtype == type ||
           view.qtype == TYPE_ANY;
}

/* Octets are equal but for the case of letters: a shared tail may come in another. */
static bool same_octets(const uint8_t *a, const uint8_t *b, size_t len, bool fold)
{
    if (!fold)
        return memcmp(a, b, len) == 0;
    return dnspack_name_equal(a, 0, b, 0, len);
}

/* The answer's record is the entry's, with the TTL that it has now. */
static void same_record(const struct dnspack_record *record, const struct dnspack_item *item)
{
    static uint8_t rdata[DNSPACK_MESSAGE_MAX + DNSPACK_RDATA_GROWTH_MAX + 1];
    uint8_t in_entry[DNSPACK_NAME_MAX], in_answer[DNSPACK_NAME_MAX];
    size_t len = dnspack_entry_name(entry, entry_len, item->owner_off, in_entry), next, end;
    struct dnspack_entry head = dnspack_entry_decode(entry, entry_len);
    uint32_t age_s = options.now_s > head.stored_s ? options.now_s - head.stored_s : 0, ttl_s = item->ttl_s;

    if (age_s >= head.ttl_s)
        ttl_s = ttl_s < 30 ? ttl_s : 30;
    else
        ttl_s = ttl_s > age_s ? ttl_s - age_s : 0;
    assert_int_equal(record->type, item->type);
    assert_int_equal(record->section, item->section);
    assert_int_equal(record->ttl_s, ttl_s);
    assert_int_equal(dnspack_name_read(out, answer.len, record->owner_off, in_answer, 0, &next), len);
    assert_true(dnspack_name_equal(in_entry, 0, in_answer, 0, len));
    end = dnspack_rdata_expand(out, answer.len, record->type, record->rclass, record->rdata_off, record->rdata_len, rdata, 1, sizeof rdata);
    assert_int_equal(end, 1 + (size_t)item->rdata_len);
    assert_true(same_octets(rdata + 1, entry + item->rdata_off, item->rdata_len, dnspack_rdata_has_names(record->type, record->rclass)));
}

static bool same_name(size_t a_off, size_t b_off)
{
    uint8_t a[DNSPACK_NAME_MAX], b[DNSPACK_NAME_MAX];
    size_t a_len = dnspack_entry_name(entry, entry_len, a_off, a), b_len = dnspack_entry_name(entry, entry_len, b_off, b);

    return a_len == b_len && dnspack_name_equal(a, 0, b, 0, a_len);
}

/* The records of the answer are those of the entry that the client wants, in their order, each section up to the end of an RRset. */
static void same_as_entry(void)
{
    struct dnspack_entry head = dnspack_entry_decode(entry, entry_len);
    struct dnspack_cursor cursor = {0};
    struct dnspack_item item, last = {0};
    size_t taken[3] = {0, 0, 0}, index = 0;

    while (dnspack_entry_next(entry, &head, &cursor, &item)) {
        if (!is_wanted_type(item.type))
            continue;
        if (taken[item.section] == parsed.record_count[item.section]) {
            if (taken[item.section] > 0 && last.section == item.section) /* cut, and only between RRsets */
                assert_false(last.type == item.type && last.owner_off == item.owner_off && same_name(last.owner_off, item.owner_off));
            last.section = 3;
            continue;
        }
        same_record(&records[index++], &item);
        taken[item.section]++;
        last = item;
    }
    assert_int_equal(index, record_count());
}

/* The extended errors of the answer, as INFO-CODEs, ended by -1. */
static void assert_errors(int first, int second)
{
    struct dnspack_option option;
    size_t cursor = 0;
    int found[3] = {-1, -1, -1}, count = 0;

    while (dnspack_option_next(out, &parsed, &cursor, &option))
        if (option.code == OPTION_ERROR && count < 3)
            found[count++] = dnspack_load16(out, option.data_off);
    assert_int_equal(found[0], first);
    assert_int_equal(found[1], second);
    assert_int_equal(found[2], -1);
}

/* ---- header and question ---- */

static void test_id_rd_and_cd_are_the_querys(void **state)
{
    (void)state;
    add_a(&response, DNSPACK_ANSWER, "www.example.", 1);
    store();
    for (unsigned flags = 0; flags < 0x200; flags += 0x10) {
        query.octets[0] = (uint8_t)flags;
        query.octets[2] = (uint8_t)(flags / 256);
        query.octets[3] = (uint8_t)(flags % 256 / 64 % 2 == 1 ? 0 : flags % 256 / 16 * 16);
        ask();
        assert_int_equal(parsed.id, dnspack_load16(query.octets, 0));
        assert_int_equal(parsed.flags & (DNSPACK_FLAG_RD | DNSPACK_FLAG_CD),
                         dnspack_load16(query.octets, 2) & (DNSPACK_FLAG_RD | DNSPACK_FLAG_CD));
        assert_int_equal(parsed.flags & ~(DNSPACK_FLAG_RD | DNSPACK_FLAG_CD), DNSPACK_FLAG_QR);
    }
}

static void test_ra_and_aa_are_the_callers(void **state)
{
    (void)state;
    add_a(&response, DNSPACK_ANSWER, "www.example.", 1);
    store();
    for (unsigned bits = 0; bits < 4; bits++) {
        options.recursion_available = bits % 2 == 1;
        options.authoritative = bits / 2 == 1;
        ask();
        assert_int_equal(parsed.flags & DNSPACK_FLAG_RA, bits % 2 == 1 ? DNSPACK_FLAG_RA : 0);
        assert_int_equal(parsed.flags & DNSPACK_FLAG_AA, bits / 2 == 1 ? DNSPACK_FLAG_AA : 0);
    }
}

static void test_ad_needs_validation_and_a_client_that_asks(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 16; bits++) {
        bool stored = bits % 2 == 1, asks = bits / 2 % 2 == 1, dnssec = bits / 4 % 2 == 1, stale = bits / 8 == 1;

        (void)fresh(NULL);
        start(&response, stored ? 0x81a0 : 0x8180, "www.example.", TYPE_A);
        add_a(&response, DNSPACK_ANSWER, "www.example.", 1);
        store();
        start(&query, asks ? 0x0120 : 0x0100, "www.example.", TYPE_A);
        add_opt(&query, 1232, dnssec, NULL, 0);
        options.now_s = stale ? NOW_S + TTL_S : NOW_S;
        options.stale_max_s = 1;
        ask();
        assert_int_equal(parsed.flags / DNSPACK_FLAG_AD % 2, stored && (asks || dnssec) && !stale);
        assert_int_equal(answer.stale, stale);
        assert_int_equal(parsed.dnssec_ok, dnssec);
    }
}

static void test_question_comes_back_octet_for_octet(void **state)
{
    (void)state;
    add_a(&response, DNSPACK_ANSWER, "www.example.", 1);
    store();
    start(&query, 0x0100, "wWw.ExAmPlE.", TYPE_A);
    ask();
    assert_memory_equal(out + 12, query.octets + 12, query.len - 12);
    assert_int_equal(records[0].owner_off, 12);
    same_as_entry();
}

static void test_rcode_is_the_entrys(void **state)
{
    (void)state;
    start(&response, 0x8183, "www.example.", TYPE_A);
    add_soa(&response, "example.");
    store();
    ask();
    assert_int_equal(parsed.rcode, RCODE_NXDOMAIN);
    start(&response, 0x8182, "www.example.", TYPE_A);
    store();
    ask();
    assert_int_equal(parsed.rcode, RCODE_SERVFAIL);
}

/* ---- time ---- */

static void test_ttl_counts_down_to_the_end(void **state)
{
    (void)state;
    add_a(&response, DNSPACK_ANSWER, "www.example.", 1);
    store();
    for (uint32_t age_s = 0; age_s < TTL_S; age_s++) {
        options.now_s = NOW_S + age_s;
        ask();
        assert_int_equal(records[0].ttl_s, TTL_S - age_s);
        assert_int_equal(answer.remaining_s, TTL_S - age_s);
        assert_false(answer.stale);
    }
}

static void test_clock_that_steps_back_ages_nothing(void **state)
{
    static const uint32_t clocks_s[] = {0, 1, NOW_S - 1};

    (void)state;
    add_a(&response, DNSPACK_ANSWER, "www.example.", 1);
    store();
    for (size_t i = 0; i < sizeof clocks_s / sizeof clocks_s[0]; i++) {
        options.now_s = clocks_s[i];
        ask();
        assert_int_equal(records[0].ttl_s, TTL_S);
        assert_int_equal(answer.remaining_s, TTL_S);
    }
    options.now_s = UINT32_MAX;
    assert_int_equal(ask_status(), DNSPACK_E_EXPIRED);
}

/* The entry lives as long as its shortest RRset of the answer; others count down on their own. */
static void test_each_rrset_counts_down_on_its_own(void **state)
{
    (void)state;
    add_a(&response, DNSPACK_ANSWER, "www.example.", 1);
    add(&response, DNSPACK_ADDITIONAL, "ns.example.", TYPE_A, 20, OCTETS("\xc0\0\2\1"));
    add(&response, DNSPACK_ADDITIONAL, "ns.example.", TYPE_AAAA, 86400, OCTETS("0123456789abcdef"));
    store();
    for (uint32_t age_s = 0; age_s < 40; age_s++) {
        options.now_s = NOW_S + age_s;
        if (ask_status() == DNSPACK_E_EXPIRED)
            break;
        ask();
        same_as_entry();
    }
}

static void test_stale_answers_have_ttl_30_or_less(void **state)
{
    (void)state;
    add_a(&response, DNSPACK_ANSWER, "www.example.", 1);
    add(&response, DNSPACK_ADDITIONAL, "x.example.", TYPE_A, 600, OCTETS("\xc0\0\2\1"));
    store();
    add_opt(&query, 1232, false, NULL, 0);
    options.now_s = NOW_S + TTL_S + 5;
    options.stale_max_s = 10;
    ask();
    assert_true(answer.stale);
    assert_int_equal(answer.remaining_s, 0);
    for (size_t i = 0; i < record_count(); i++)
        assert_int_equal(records[i].ttl_s, 30);
    assert_errors(ERROR_STALE, -1);

    start(&response, 0x8180, "www.example.", TYPE_A);
    add(&response, DNSPACK_ANSWER, "www.example.", TYPE_A, 7, OCTETS("\xc0\0\2\1"));
    store();
    options.now_s = NOW_S + 7;
    ask();
    assert_int_equal(records[0].ttl_s, 7);
}

static void test_stale_nxdomain_says_error_19(void **state)
{
    (void)state;
    start(&response, 0x8183, "www.example.", TYPE_A);
    add_soa(&response, "example.");
    store();
    add_opt(&query, 1232, false, NULL, 0);
    options.now_s = NOW_S + TTL_S;
    options.stale_max_s = 1;
    assert_int_equal(ask_status(), DNSPACK_E_EXPIRED);
    options.stale_negative = true;
    ask();
    assert_errors(ERROR_STALE_NXDOMAIN, -1);
}

static void test_lifetime_ends_exactly_at_its_ttl(void **state)
{
    (void)state;
    add_a(&response, DNSPACK_ANSWER, "www.example.", 1);
    store();
    options.now_s = NOW_S + TTL_S - 1;
    ask();
    options.now_s = NOW_S + TTL_S;
    assert_int_equal(ask_status(), DNSPACK_E_EXPIRED);
    options.stale_max_s = 1;
    ask();
    options.now_s = NOW_S + TTL_S + 1;
    assert_int_equal(ask_status(), DNSPACK_E_EXPIRED);
    options.stale_max_s = 86400;
    options.now_s = NOW_S + TTL_S + 86399;
    ask();
    options.now_s++;
    assert_int_equal(ask_status(), DNSPACK_E_EXPIRED);
    options.stale_max_s = UINT32_MAX;
    options.now_s = UINT32_MAX;
    ask();
}

static void test_stale_nodata_needs_leave_and_servfail_has_none(void **state)
{
    (void)state;
    add_soa(&response, "example.");
    store();
    options.now_s = NOW_S + TTL_S;
    options.stale_max_s = 100;
    assert_int_equal(ask_status(), DNSPACK_E_EXPIRED);
    options.stale_negative = true;
    ask();
    start(&response, 0x8182, "www.example.", TYPE_A);
    store();
    options.now_s = NOW_S + 5;
    assert_int_equal(ask_status(), DNSPACK_E_EXPIRED);
    options.now_s = NOW_S + 4;
    ask();
}

/* ---- who gets which records ---- */

static void dnssec_response(unsigned qtype)
{
    start(&response, 0x8180, "www.example.", qtype);
    if (qtype == TYPE_RRSIG)
        add_rrsig(&response, DNSPACK_ANSWER, "www.example.", TYPE_A);
    else if (qtype == TYPE_NSEC)
        add(&response, DNSPACK_ANSWER, "www.example.", TYPE_NSEC, TTL_S, OCTETS("\1x\7example\0\0\1\x40"));
    else
        add_a(&response, DNSPACK_ANSWER, "www.example.", 1);
    add_rrsig(&response, DNSPACK_ANSWER, "www.example.", qtype);
    add_name(&response, DNSPACK_AUTHORITY, "example.", TYPE_NS, NULL, 0, "ns.example.");
    add_rrsig(&response, DNSPACK_AUTHORITY, "example.", TYPE_NS);
    add(&response, DNSPACK_AUTHORITY, "x.example.", TYPE_NSEC, TTL_S, OCTETS("\1y\7example\0\0\1\x40"));
    add(&response, DNSPACK_AUTHORITY, "0123456789abcdefghijklmnopqrstuv.example.", TYPE_NSEC3, TTL_S,
        OCTETS("\1\0\0\1\0\x14"
               "01234567890123456789\0\1\x40"));
    add_a(&response, DNSPACK_ADDITIONAL, "ns.example.", 2);
    store();
}

static size_t count_of(unsigned type)
{
    size_t count = 0;

    for (size_t i = 0; i < record_count(); i++)
        count += records[i].type == type;
    return count;
}

static void test_dnssec_records_are_for_clients_that_ask(void **state)
{
    (void)state;
    dnssec_response(TYPE_A);
    ask();
    same_as_entry();
    assert_int_equal(count_of(TYPE_RRSIG) + count_of(TYPE_NSEC) + count_of(TYPE_NSEC3), 0);
    assert_int_equal(record_count(), 3);
    add_opt(&query, 4096, true, NULL, 0);
    ask();
    same_as_entry();
    assert_int_equal(record_count(), 7);
    assert_true(parsed.dnssec_ok);
}

static void test_dnssec_records_are_given_to_who_asks_for_their_type(void **state)
{
    static const unsigned types[] = {TYPE_RRSIG, TYPE_NSEC};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        dnssec_response(types[i]);
        start(&query, 0x0100, "www.example.", types[i]);
        ask();
        same_as_entry();
        assert_true(count_of(types[i]) >= 1);
        assert_int_equal(count_of(TYPE_NSEC3), 0);
        assert_int_equal(count_of(types[1 - i]), 0);
    }
    dnssec_response(TYPE_ANY);
    start(&query, 0x0100, "www.example.", TYPE_ANY);
    ask();
    same_as_entry();
    assert_int_equal(record_count(), 7);
}

/* ---- rotation ---- */

/* Which address stands at a place of the answer. */
static unsigned address_at(size_t index)
{
    return dnspack_load16(out, records[index].rdata_off + 2u);
}

static void test_each_rotation_is_a_rotation_of_the_rrset(void **state)
{
    static const unsigned sizes[] = {1, 2, 16, 17, 40};

    (void)state;
    options.stream = true;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        start(&response, 0x8180, "www.example.", TYPE_A);
        for (unsigned number = 0; number < sizes[i]; number++)
            add_a(&response, DNSPACK_ANSWER, "www.example.", number);
        store();
        for (uint32_t rotation = 0; rotation < 3 * sizes[i]; rotation++) {
            options.rotation = rotation;
            ask();
            assert_int_equal(record_count(), sizes[i]);
            for (unsigned index = 0; index < sizes[i]; index++)
                assert_int_equal(address_at(index), (index + rotation) % sizes[i]);
        }
        options.rotation = UINT32_MAX;
        ask();
        assert_int_equal(address_at(0), UINT32_MAX % sizes[i]);
    }
}

static void test_rotation_keeps_the_chain_in_front(void **state)
{
    (void)state;
    add_name(&response, DNSPACK_ANSWER, "www.example.", TYPE_CNAME, NULL, 0, "a.host.test.");
    for (unsigned number = 0; number < 20; number++)
        add_a(&response, DNSPACK_ANSWER, "a.host.test.", number);
    store();
    options.stream = true;
    for (options.rotation = 0; options.rotation < 60; options.rotation++) {
        ask();
        assert_int_equal(record_count(), 21);
        assert_int_equal(records[0].type, TYPE_CNAME);
        for (unsigned index = 0; index < 20; index++)
            assert_int_equal(address_at(index + 1), (index + options.rotation) % 20);
    }
}

static void test_rotation_turns_each_rrset_by_itself_and_nothing_else(void **state)
{
    (void)state;
    add_a(&response, DNSPACK_ANSWER, "www.example.", 0);
    add_a(&response, DNSPACK_ANSWER, "www.example.", 1);
    add_name(&response, DNSPACK_AUTHORITY, "example.", TYPE_NS, NULL, 0, "ns1.example.");
    add_name(&response, DNSPACK_AUTHORITY, "example.", TYPE_NS, NULL, 0, "ns2.example.");
    for (unsigned number = 0; number < 6; number++)
        add_a(&response, DNSPACK_ADDITIONAL, number < 3 ? "ns1.example." : "ns2.example.", number);
    store();
    options.rotation = 1;
    ask();
    assert_int_equal(record_count(), 10);
    assert_int_equal(address_at(0), 1);
    assert_int_equal(address_at(1), 0);
    for (unsigned index = 0; index < 6; index++)
        assert_int_equal(address_at(4 + index), (index + 1) % 3 + index / 3 * 3);
}

/* ---- size ---- */

static void many_records(unsigned answers, unsigned authorities, unsigned additionals)
{
    char name[32];

    start(&response, 0x8180, "www.example.", TYPE_A);
    for (unsigned i = 0; i < answers; i++)
        add_a(&response, DNSPACK_ANSWER, "www.example.", i);
    for (unsigned i = 0; i < authorities; i++) {
        (void)snprintf(name, sizeof name, "n%u.example.", i);
        add_name(&response, DNSPACK_AUTHORITY, "example.", TYPE_NS, NULL, 0, name);
    }
    for (unsigned i = 0; i < additionals; i++) {
        (void)snprintf(name, sizeof name, "n%u.example.", i);
        add_a(&response, DNSPACK_ADDITIONAL, name, i);
        add(&response, DNSPACK_ADDITIONAL, name, TYPE_AAAA, TTL_S, OCTETS("0123456789abcdef"));
    }
    store();
}

static void test_every_size_cuts_between_rrsets(void **state)
{
    size_t whole, seen_truncated = 0;

    (void)state;
    many_records(3, 4, 4);
    add_opt(&query, 65535, false, NULL, 0);
    ask();
    whole = answer.len;
    assert_false(answer.truncated);
    for (out_cap = query.len; out_cap <= whole; out_cap++) {
        ask();
        same_as_entry();
        assert_int_equal(parsed.record_count[0], out_cap >= query.len + 48 ? 3 : 0);
        assert_int_equal(answer.truncated, parsed.record_count[0] != 3 || parsed.record_count[1] != 4);
        if (answer.truncated)
            assert_int_equal(parsed.record_count[2], 0);
        seen_truncated += answer.truncated;
    }
    assert_int_equal(record_count(), 15);
    assert_true(seen_truncated > 60);
}

static void test_additional_records_are_left_out_without_tc(void **state)
{
    (void)state;
    many_records(20, 3, 10);
    ask();
    same_as_entry();
    assert_false(answer.truncated);
    assert_true(answer.len <= 512);
    assert_int_equal(parsed.record_count[0], 20);
    assert_int_equal(parsed.record_count[1], 3);
    assert_true(parsed.record_count[2] > 0 && parsed.record_count[2] < 20);
}

/* Names of an RRset that was taken back are not pointed to by what stands there instead. */
static void test_what_is_taken_back_is_not_pointed_to(void **state)
{
    static const uint8_t text[] = "0123456789012345678901234567890123456789012345678901234567890";
    uint8_t long_text[255];

    (void)state;
    add_name(&response, DNSPACK_ANSWER, "www.example.", TYPE_CNAME, NULL, 0, "a.long.host.test.");
    add_a(&response, DNSPACK_ANSWER, "a.long.host.test.", 1);
    add_name(&response, DNSPACK_ADDITIONAL, "b.other.net.", TYPE_NS, NULL, 0, "c.third.org.");
    add_name(&response, DNSPACK_ADDITIONAL, "b.other.net.", TYPE_NS, NULL, 0, "d.third.org.");
    long_text[0] = 60;
    memcpy(long_text + 1, text, 60);
    add(&response, DNSPACK_ADDITIONAL, "e.third.org.", TYPE_TXT, TTL_S, long_text, 61);
    add_a(&response, DNSPACK_ADDITIONAL, "f.third.org.", 2);
    store();
    add_opt(&query, 65535, false, NULL, 0);
    for (out_cap = query.len; out_cap < 400; out_cap++) {
        ask();
        same_as_entry();
    }
    assert_int_equal(record_count(), 6);
}

static void test_size_is_the_least_of_all_limits(void **state)
{
    (void)state;
    many_records(2000, 0, 0);
    ask();
    assert_true(answer.truncated && answer.len <= 512);
    assert_int_equal(parsed.record_count[0], 0);
    options.stream = true;
    ask();
    assert_int_equal(parsed.record_count[0], 2000);
    options.size_max = 4096;
    ask();
    assert_true(answer.truncated && answer.len <= 4096);
    options.size_max = 0;
    out_cap = 29 + 2000 * 16;
    ask();
    assert_int_equal(answer.len, out_cap);
    out_cap--;
    ask();
    assert_true(answer.truncated);
}

static void test_udp_size_counts_from_512(void **state)
{
    static const unsigned sizes[] = {0, 1, 511, 512};

    (void)state;
    many_records(29, 0, 0); /* 29 + 29 * 16 + 11 = 504 octets */
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        start(&query, 0x0100, "www.example.", TYPE_A);
        add_opt(&query, sizes[i], false, NULL, 0);
        ask();
        assert_int_equal(answer.len, 504);
    }
    many_records(30, 0, 0); /* 520 octets */
    ask();
    assert_true(answer.truncated);
    start(&query, 0x0100, "www.example.", TYPE_A);
    add_opt(&query, 520, false, NULL, 0);
    ask();
    assert_int_equal(answer.len, 520);
    options.size_max = 519;
    ask();
    assert_true(answer.truncated);
}

static void test_no_space_leaves_memory_alone(void **state)
{
    (void)state;
    many_records(3, 0, 0);
    add_opt(&query, 1232, false, NULL, 0);
    for (out_cap = 0; out_cap < query.len; out_cap++)
        assert_int_equal(ask_status(), DNSPACK_E_NO_SPACE); /* which looks at each octet */
    ask();
    assert_int_equal(answer.len, out_cap);
    out_cap = 512;
    options.edns_options = query.octets;
    options.edns_options_len = DNSPACK_EDNS_OPTIONS_MAX + 1;
    assert_int_equal(ask_status(), DNSPACK_E_NO_SPACE);
    options.edns_options_len = SIZE_MAX;
    assert_int_equal(ask_status(), DNSPACK_E_NO_SPACE);
}

static void test_longest_name_fits_into_512_octets(void **state)
{
    static const char label[] = "012345678901234567890123456789012345678901234567890123456789012.";
    char name[256];

    (void)state;
    (void)snprintf(name, sizeof name, "%s%s%s%s", label, label, label, label + 2);
    start(&response, 0x8180, name, TYPE_A);
    add_a(&response, DNSPACK_ANSWER, name, 1);
    store();
    start(&query, 0x0100, name, TYPE_A);
    ask();
    assert_int_equal(answer.len, 12 + 255 + 4 + 16);
    same_as_entry();
}

/* ---- compression ---- */

static void test_names_share_tails(void **state)
{
    (void)state;
    add_name(&response, DNSPACK_ANSWER, "www.example.", TYPE_CNAME, NULL, 0, "Web.EXAMPLE.");
    add_name(&response, DNSPACK_ANSWER, "web.example.", TYPE_CNAME, NULL, 0, "a.cdn.net.");
    add_a(&response, DNSPACK_ANSWER, "a.cdn.net.", 1);
    add_name(&response, DNSPACK_AUTHORITY, "cdn.net.", TYPE_NS, NULL, 0, "ns.cdn.net.");
    add_a(&response, DNSPACK_ADDITIONAL, "ns.cdn.net.", 1);
    store();
    ask();
    same_as_entry();
    /* question 29; c00c and "web" with a pointer; a pointer and "a.cdn.net."; ...; all owners are pointers */
    assert_int_equal(answer.len, 29 + (12 + 6) + (12 + 11) + (12 + 4) + (12 + 5) + (12 + 4));
}

static void test_soa_names_share_with_each_other(void **state)
{
    (void)state;
    start(&response, 0x8183, "x.test.", TYPE_A);
    add_soa(&response, "test.");
    store();
    start(&query, 0x0100, "x.test.", TYPE_A);
    ask();
    same_as_entry();
    assert_int_equal(records[0].rdata_len, 12 + 7 + 20); /* ns.example. spelled, mail. and a pointer to it */
    assert_int_equal(records[0].owner_off, 14);
}

static void test_names_of_later_types_are_never_compressed(void **state)
{
    (void)state;
    add_name(&response, DNSPACK_ANSWER, "www.example.", TYPE_DNAME, NULL, 0, "www.example.");
    add_name(&response, DNSPACK_ANSWER, "www.example.", TYPE_SRV, OCTETS("\0\1\0\2\0\3"), "www.example.");
    add_a(&response, DNSPACK_ANSWER, "www.example.", 1);
    add_rrsig(&response, DNSPACK_ANSWER, "www.example.", TYPE_A);
    add_name(&response, DNSPACK_ANSWER, "www.example.", TYPE_MX, OCTETS("\0\1"), "www.example.");
    store();
    add_opt(&query, 4096, true, NULL, 0);
    ask();
    same_as_entry();
    for (size_t i = 0; i < record_count(); i++) {
        if (records[i].type == TYPE_DNAME)
            assert_int_equal(records[i].rdata_len, 13);
        if (records[i].type == TYPE_SRV)
            assert_int_equal(records[i].rdata_len, 6 + 13);
        if (records[i].type == TYPE_RRSIG)
            assert_int_equal(records[i].rdata_len, 18 + 9 + 9);
        if (records[i].type == TYPE_MX)
            assert_int_equal(records[i].rdata_len, 4);
    }
}

static void test_names_beyond_16383_are_spelled(void **state)
{
    char name[32];
    uint8_t text[256];

    (void)state;
    options.stream = true;
    memset(text, 'x', sizeof text);
    text[0] = 255;
    start(&response, 0x8180, "www.example.", TYPE_TXT);
    start(&query, 0x0100, "www.example.", TYPE_TXT);
    for (unsigned i = 0; i < 60; i++) {
        text[1] = (uint8_t)i;
        add(&response, DNSPACK_ANSWER, "www.example.", TYPE_TXT, TTL_S, text, sizeof text);
    }
    for (unsigned i = 0; i < 60; i++) { /* across the border: 29 + 60 * 268 = 16109 */
        (void)snprintf(name, sizeof name, "n%u.other%u.net.", i, i / 2);
        add_a(&response, DNSPACK_ADDITIONAL, name, i);
        add_a(&response, DNSPACK_ADDITIONAL, name, i + 1);
    }
    store();
    ask();
    same_as_entry();
    assert_int_equal(record_count(), 180);
    assert_true(answer.len > POINTER_LIMIT + 1000);
}

static void test_at_most_16_names_are_kept(void **state)
{
    char name[40];

    (void)state;
    options.stream = true;
    start(&response, 0x8180, "www.example.", TYPE_NS);
    start(&query, 0x0100, "www.example.", TYPE_NS);
    for (unsigned i = 0; i < 40; i++) {
        (void)snprintf(name, sizeof name, "a.host%02u.", i % 20);
        name[0] = i < 20 ? 'a' : 'b';
        add_name(&response, DNSPACK_ANSWER, "www.example.", TYPE_NS, NULL, 0, name);
    }
    store();
    ask();
    same_as_entry();
    for (size_t i = 0; i < 40; i++)
        assert_int_equal(records[i].rdata_len, i >= 20 && i - 20 < SPELLED_MAX ? 4 : 10);
}

/* ---- entries that no encoder makes ---- */

static void craft(const uint8_t *octets, size_t len)
{
    memcpy(entry, octets, len);
    entry_len = len;
    dnspack_store16(entry, 0, (uint16_t)len);
    dnspack_store32(entry, 2, NOW_S);
    dnspack_store24(entry, 6, TTL_S);
    assert_int_equal(dnspack_entry_check(entry, entry_len), DNSPACK_OK);
}

/* The TXT record's octets hold the coded name "ab.com.", which no other name has a pointer to. */
static void test_suffix_code_outside_of_the_query_name_is_spelled(void **state)
{
    (void)state;
    craft(
        OCTETS(".........\x01"
               "\x03www\x07"
               "example\0"
               "\x20\x10\x05\x04\x02"
               "ab\xa2"
               "\x80\x1b\xc0\0\2\1"
               "\x40\xc0\0\2\2"
               "\xa0\x0f\x1b\0\1\2ab\3com\0"));
    ask();
    same_as_entry();
    assert_int_equal(record_count(), 4);
    assert_memory_equal(out + records[1].owner_off, "\2ab\3com", 8);
    assert_int_equal(records[2].owner_off, records[1].owner_off);
}

static void test_reference_into_a_label_gets_a_name(void **state)
{
    (void)state;
    start(&query, 0x0100, "a\001b.example.", TYPE_A);
    craft(
        OCTETS(".........\x01"
               "\x03"
               "a\x01"
               "b\x07"
               "example\0"
               "\x80\x0c\xc0\0\2\1"
               "\x00\xc0\0\2\2"));
    ask();
    same_as_entry();
    assert_int_equal(record_count(), 2);
}

/* The octet in the question is no label there: a pointer to it would make the answer malformed. */
static void test_suffix_code_inside_a_label_of_the_query_name_is_spelled(void **state)
{
    (void)state;
    start(&query, 0x0100, "a\242b.example.", TYPE_A);
    craft(
        OCTETS(".........\x01"
               "\x03"
               "a\xa2"
               "b\x07"
               "example\0"
               "\x80\x0c\xc0\0\2\1"
               "\x00\xc0\0\2\2"));
    ask();
    same_as_entry();
    assert_int_equal(record_count(), 2);
}

static void test_coded_query_name_is_pointed_to(void **state)
{
    (void)state;
    start(&response, 0x8180, "www.example.com.", TYPE_A);
    start(&query, 0x0100, "www.EXAMPLE.com.", TYPE_A);
    add_a(&response, DNSPACK_ANSWER, "www.example.com.", 1);
    add_name(&response, DNSPACK_AUTHORITY, "com.", TYPE_NS, NULL, 0, "ns.example.com.");
    store();
    ask();
    same_as_entry();
    assert_int_equal(records[0].owner_off, 12);
    assert_int_equal(records[1].owner_off, 12 + 12);
    assert_int_equal(records[1].rdata_len, 5);
}

/* Type 0 is data like any other, and the first that is compared with what stood before. */
static void test_type_0_is_answered(void **state)
{
    (void)state;
    start(&query, 0x0100, "www.example.", 0);
    craft(
        OCTETS(".........\x01"
               "\x03www\x07"
               "example\0"
               "\x20\x00\x03"
               "abc"));
    ask();
    same_as_entry();
    assert_int_equal(record_count(), 1);
    assert_int_equal(records[0].owner_off, 12);
}

/* ---- OPT ---- */

static void stored_with_error(const uint8_t *text, size_t text_len)
{
    static struct message option;

    start(&response, 0x8180, "www.example.", TYPE_A);
    add_a(&response, DNSPACK_ANSWER, "www.example.", 1);
    option.len = 0;
    put16(&option, OPTION_ERROR);
    put16(&option, (unsigned)(2 + text_len));
    put16(&option, 22);
    put(&option, text, text_len);
    add_opt(&response, 1232, false, option.octets, option.len);
    store();
}

static void test_opt_is_for_who_sent_one(void **state)
{
    (void)state;
    stored_with_error(OCTETS("text"));
    options.padding_block = 468;
    options.edns_options = (const uint8_t *)"\0\3\0\1x";
    options.edns_options_len = 5;
    ask();
    assert_int_equal(parsed.options_off, 0);
    assert_int_equal(answer.len, 29 + 16);
    add_opt(&query, 1232, false, NULL, 0);
    ask();
    assert_int_not_equal(parsed.options_off, 0);
    assert_int_equal(parsed.version, 0);
    assert_int_equal(parsed.udp_size, 1232);
    assert_true(parsed.nsid);
    assert_errors(22, -1);
    assert_int_equal(answer.len, 468);
    options.udp_size = 4000;
    ask();
    assert_int_equal(parsed.udp_size, 4000);
}

static void test_error_text_is_kept_while_there_is_room(void **state)
{
    (void)state;
    stored_with_error(OCTETS("a text of 22 octets..."));
    add_opt(&query, 1232, false, NULL, 0);
    for (out_cap = query.len + 6; out_cap < query.len + 6 + 60; out_cap++) {
        ask();
        assert_errors(22, -1);
        /* 29 + 11 + 6; then the record takes 16 and the text 22 */
        assert_int_equal(answer.len, out_cap < 46 + 16 ? (out_cap < 46 + 22 ? 46 : 68) : out_cap < 46 + 16 + 22 ? 62 : 84);
    }
}

static void test_stale_and_stored_errors_go_out_together(void **state)
{
    (void)state;
    stored_with_error(OCTETS("text"));
    add_opt(&query, 1232, false, NULL, 0);
    options.now_s = NOW_S + TTL_S;
    options.stale_max_s = 1;
    ask();
    assert_errors(ERROR_STALE, 22);
}

static void test_client_subnet_is_echoed_with_the_scope_of_the_tag(void **state)
{
    static const uint8_t subnet[] = "\0\x08\0\x07\0\x01\x18\0\xc0\0\2";

    (void)state;
    add_a(&response, DNSPACK_ANSWER, "www.example.", 1);
    store_tagged(OCTETS("\x01\x10\xc0\0"));
    add_opt(&query, 1232, false, subnet, 11);
    ask();
    assert_int_equal(parsed.ecs.family, 0);
    options.ecs = true;
    ask();
    assert_int_equal(parsed.ecs.family, 1);
    assert_int_equal(parsed.ecs.source_len, 24);
    assert_int_equal(parsed.ecs.scope_len, 16);
    assert_memory_equal(out + parsed.ecs.address_off, "\xc0\0\2", 3);
    store();
    ask();
    assert_int_equal(parsed.ecs.scope_len, 0);
    store_tagged(OCTETS("\x02\x10\xc0\0")); /* of the other family */
    ask();
    assert_int_equal(parsed.ecs.scope_len, 0);
    start(&query, 0x0100, "www.example.", TYPE_A);
    add_opt(&query, 1232, false, NULL, 0);
    ask();
    assert_int_equal(parsed.ecs.family, 0);
}

static void test_empty_prefix_is_echoed(void **state)
{
    (void)state;
    add_a(&response, DNSPACK_ANSWER, "www.example.", 1);
    store();
    add_opt(&query, 1232, false, OCTETS("\0\x08\0\x04\0\x02\0\0"));
    options.ecs = true;
    ask();
    assert_int_equal(parsed.ecs.family, 2);
    assert_int_equal(parsed.ecs.address_len, 0);
    assert_int_equal(parsed.ecs.scope_len, 0);
}

static void test_padding_fills_a_block_or_what_there_is(void **state)
{
    (void)state;
    add_a(&response, DNSPACK_ANSWER, "www.example.", 1);
    store();
    add_opt(&query, 1232, false, NULL, 0);
    for (unsigned block = 1; block < 700; block += 3) {
        options.padding_block = (uint16_t)block;
        ask();
        assert_true(parsed.padding);
        assert_int_equal(answer.len % block, 0);
        assert_true(answer.len < 60 + block);
    }
    options.padding_block = 468;
    for (out_cap = 56; out_cap < 480; out_cap++) {
        ask();
        assert_int_equal(parsed.padding, out_cap >= 60);
        assert_int_equal(answer.len, out_cap < 60 ? 56 : out_cap < 468 ? out_cap : 468);
        if (parsed.padding)
            for (size_t i = 60; i < answer.len; i++)
                assert_int_equal(out[i], 0);
    }
}

/* ---- errors ---- */

static void test_each_refusal_has_its_rcode(void **state)
{
    (void)state;
    query.octets[2] |= 0x28; /* opcode 5 */
    query.octets[3] = 0x10;
    for (int why = 0; why < DNSPACK_STATUS_COUNT; why++) {
        size_t len = dnspack_answer_error(query.octets, query.len, (enum dnspack_status)why, out, sizeof out);
        unsigned rcode = why == DNSPACK_OK ? RCODE_SERVFAIL : why == DNSPACK_E_OPCODE ? RCODE_NOTIMP : RCODE_FORMERR;

        assert_int_equal(dnspack_load16(out, 0), 0x1234);
        if (why == DNSPACK_E_VERSION) {
            assert_int_equal(dnspack_load16(out, 2), 0xa910);
            assert_int_equal(len, query.len + 11);
            assert_memory_equal(out + 12, query.octets + 12, query.len - 12);
            assert_memory_equal(out + query.len, "\0\0\x29\4\xd0\1\0\0\0\0\0", 11);
            assert_memory_equal(out + 4, "\0\1\0\0\0\0\0\1", 8);
            continue;
        }
        assert_int_equal(dnspack_load16(out, 2), 0xa910 + rcode);
        assert_int_equal(len, why == DNSPACK_OK ? query.len : DNSPACK_HEADER_LEN);
        assert_int_equal(dnspack_load16(out, 4), why == DNSPACK_OK);
    }
}

static void test_responses_and_stumps_get_no_error(void **state)
{
    (void)state;
    for (size_t len = 0; len < DNSPACK_HEADER_LEN; len++)
        assert_int_equal(dnspack_answer_error(query.octets, len, DNSPACK_E_SHORT, out, sizeof out), 0);
    assert_int_equal(dnspack_answer_error(query.octets, 12, DNSPACK_E_SHORT, out, sizeof out), 12);
    assert_int_equal(dnspack_answer_error(query.octets, query.len, DNSPACK_E_SHORT, out, 22), 0);
    assert_int_equal(dnspack_answer_error(query.octets, query.len, DNSPACK_E_SHORT, out, 23), 12);
    query.octets[2] |= 0x80;
    assert_int_equal(dnspack_answer_error(query.octets, query.len, DNSPACK_E_DIRECTION, out, sizeof out), 0);
}

static void test_error_without_room_for_the_question_has_none(void **state)
{
    (void)state;
    for (size_t cap = 23; cap <= query.len + 11; cap++) {
        uint8_t *exact = malloc(cap);
        size_t len;

        assert_non_null(exact);
        len = dnspack_answer_error(query.octets, query.len, DNSPACK_E_VERSION, exact, cap);
        assert_int_equal(len, cap < query.len + 11 ? 23 : cap);
        free(exact);
    }
    for (size_t len = 12; len < query.len; len++)
        assert_int_equal(dnspack_answer_error(query.octets, len, DNSPACK_OK, out, sizeof out), 12);
}

/* ---- any valid entry ---- */

static uint64_t random_state = 1;

static uint32_t random_below(uint32_t most)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % most;
}

/* Real entries of all shapes, to start from. */
static void seed_store(unsigned which)
{
    (void)fresh(NULL);
    switch (which) {
    case 0:
        many_records(17, 2, 3);
        return;
    case 1:
        dnssec_response(TYPE_A);
        return;
    case 2:
        stored_with_error(OCTETS("text"));
        return;
    case 3:
        start(&response, 0x8183, "x.test.", TYPE_A);
        add_soa(&response, "test.");
        break;
    case 4:
        start(&response, 0x8180, "www.example.", TYPE_ANY);
        add_name(&response, DNSPACK_ANSWER, "www.example.", TYPE_CNAME, NULL, 0, "a.cdn.net.");
        add_name(&response, DNSPACK_ANSWER, "a.cdn.net.", TYPE_SRV, OCTETS("\0\1\0\2\0\3"), "b.cdn.net.");
        add_name(&response, DNSPACK_ANSWER, "b.cdn.net.", TYPE_MX, OCTETS("\0\1"), "c.cdn.net.");
        add_a(&response, DNSPACK_ADDITIONAL, "c.cdn.net.", 1);
        add_name(&response, DNSPACK_ADDITIONAL, "d.cdn.net.", TYPE_DNAME, NULL, 0, "e.cdn.net.");
        break;
    default:
        start(&response, 0x8180, "www.example.com.", TYPE_OPAQUE);
        add(&response, DNSPACK_ANSWER, "www.example.com.", TYPE_OPAQUE, TTL_S, OCTETS("\3net\0"));
        add(&response, DNSPACK_ANSWER, "\3net.com.", TYPE_HTTPS, TTL_S, OCTETS("\0\1\0"));
        break;
    }
    store();
}

/* Octets of a type to which the entry gives no shape are not looked at before they go out, and the parser has its own view of meta types. */
static bool all_shaped(bool *some_meta)
{
    struct dnspack_entry head = dnspack_entry_decode(entry, entry_len);
    struct dnspack_cursor cursor = {0};
    struct dnspack_item item;
    bool shaped = head.qclass == CLASS_IN;

    *some_meta = false;
    while (dnspack_entry_next(entry, &head, &cursor, &item)) {
        shaped = shaped && dnspack_layout(item.type).shaped;
        *some_meta = *some_meta || dnspack_type_is_meta(item.type) || item.type == TYPE_SIG;
    }
    return shaped;
}

static void query_for_entry(void)
{
    struct dnspack_entry head = dnspack_entry_decode(entry, entry_len);
    uint8_t name[DNSPACK_NAME_MAX];
    size_t len = dnspack_entry_name(entry, entry_len, head.qname_off, name);

    query.len = 0;
    put(&query, OCTETS("\x12\x34\1\0\0\1\0\0\0\0\0\0"));
    put(&query, name, len);
    put16(&query, head.qtype);
    put16(&query, head.qclass);
    if (random_below(4) != 0)
        add_opt(&query, random_below(2000), random_below(2) != 0, OCTETS("\0\x08\0\x07\0\x01\x18\0\xc0\0\2"));
}

static void random_options(void)
{
    struct dnspack_entry head = dnspack_entry_decode(entry, entry_len);

    memset(&options, 0, sizeof options);
    options.now_s = head.stored_s + random_below(head.ttl_s + 2);
    options.stale_max_s = 3;
    options.stale_negative = true;
    options.ecs = random_below(2) != 0;
    options.stream = random_below(2) != 0;
    options.rotation = random_below(3) == 0 ? random_below(100) : 0;
    options.padding_block = (uint16_t)(random_below(3) == 0 ? random_below(500) : 0);
    out_cap = random_below(700);
}

static void test_every_valid_entry_is_answered_in_bounds_and_well_formed(void **state)
{
    unsigned valid = 0, answered = 0, parsed_count = 0;

    (void)state;
    while (valid < ENTRIES) {
        static uint8_t kept[DNSPACK_ENTRY_MAX];
        static size_t kept_len;
        enum dnspack_status status;
        bool some_meta;

        if (valid % 500 == 0) {
            seed_store(valid / 500 % 6);
        } else if (random_below(20) == 0) {
            memcpy(entry, kept, kept_len);
            entry_len = kept_len;
        }
        if (valid % 500 == 0) {
            memcpy(kept, entry, entry_len);
            kept_len = entry_len;
        }
        for (unsigned left = random_below(3) + 1; left > 0; left--) { /* octets beyond the head change more */
            size_t at = random_below(8) == 0 ? 2 + random_below((uint32_t)entry_len - 2) : 9 + random_below((uint32_t)entry_len - 9);
            uint8_t before = entry[at];

            entry[at] = (uint8_t)(random_below(2) != 0 ? random_below(256) : entry[at] ^ 1u << random_below(8));
            if (dnspack_entry_check(entry, entry_len) != DNSPACK_OK)
                entry[at] = before;
        }
        valid++;
        query_for_entry();
        if (dnspack_message_parse(query.octets, query.len, NULL, 0, &parsed) != DNSPACK_OK)
            continue; /* nobody can ask for it */
        random_options();
        status = ask_status();
        if (status != DNSPACK_OK)
            continue;
        answered++;
        assert_true(answer.len <= out_cap);
        walk();
        status = dnspack_message_parse(out, answer.len, records, DNSPACK_RECORDS_MAX, &parsed);
        if (all_shaped(&some_meta))
            assert_int_equal(status, DNSPACK_OK);
        if (status != DNSPACK_OK)
            continue;
        parsed_count++;
        assert_int_equal(parsed.end_off, answer.len);
        if (options.rotation == 0 && !some_meta)
            same_as_entry();
    }
    print_message("%u valid entries, %u answers, %u of them parsed\n", valid, answered, parsed_count);
    assert_true(answered > ENTRIES / 2 && parsed_count > ENTRIES / 4);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, fresh)
    static const struct CMUnitTest tests[] = {
        TEST(test_id_rd_and_cd_are_the_querys),
        TEST(test_ra_and_aa_are_the_callers),
        TEST(test_ad_needs_validation_and_a_client_that_asks),
        TEST(test_question_comes_back_octet_for_octet),
        TEST(test_rcode_is_the_entrys),
        TEST(test_ttl_counts_down_to_the_end),
        TEST(test_clock_that_steps_back_ages_nothing),
        TEST(test_each_rrset_counts_down_on_its_own),
        TEST(test_stale_answers_have_ttl_30_or_less),
        TEST(test_stale_nxdomain_says_error_19),
        TEST(test_lifetime_ends_exactly_at_its_ttl),
        TEST(test_stale_nodata_needs_leave_and_servfail_has_none),
        TEST(test_dnssec_records_are_for_clients_that_ask),
        TEST(test_dnssec_records_are_given_to_who_asks_for_their_type),
        TEST(test_each_rotation_is_a_rotation_of_the_rrset),
        TEST(test_rotation_keeps_the_chain_in_front),
        TEST(test_rotation_turns_each_rrset_by_itself_and_nothing_else),
        TEST(test_every_size_cuts_between_rrsets),
        TEST(test_additional_records_are_left_out_without_tc),
        TEST(test_what_is_taken_back_is_not_pointed_to),
        TEST(test_size_is_the_least_of_all_limits),
        TEST(test_udp_size_counts_from_512),
        TEST(test_no_space_leaves_memory_alone),
        TEST(test_longest_name_fits_into_512_octets),
        TEST(test_names_share_tails),
        TEST(test_soa_names_share_with_each_other),
        TEST(test_names_of_later_types_are_never_compressed),
        TEST(test_names_beyond_16383_are_spelled),
        TEST(test_at_most_16_names_are_kept),
        TEST(test_suffix_code_outside_of_the_query_name_is_spelled),
        TEST(test_reference_into_a_label_gets_a_name),
        TEST(test_suffix_code_inside_a_label_of_the_query_name_is_spelled),
        TEST(test_coded_query_name_is_pointed_to),
        TEST(test_type_0_is_answered),
        TEST(test_opt_is_for_who_sent_one),
        TEST(test_error_text_is_kept_while_there_is_room),
        TEST(test_stale_and_stored_errors_go_out_together),
        TEST(test_client_subnet_is_echoed_with_the_scope_of_the_tag),
        TEST(test_empty_prefix_is_echoed),
        TEST(test_padding_fills_a_block_or_what_there_is),
        TEST(test_each_refusal_has_its_rcode),
        TEST(test_responses_and_stumps_get_no_error),
        TEST(test_error_without_room_for_the_question_has_none),
        TEST(test_every_valid_entry_is_answered_in_bounds_and_well_formed),
    };

    return cmocka_run_group_tests_name("answer", tests, NULL, NULL);
}
