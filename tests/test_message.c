/* test_message.c - what the parser takes, what it refuses and why, and what it tells of a message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "message.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define ROOT "00"
#define QNAME "c00c" /* a pointer to the query name */
#define QNAME_LEN 9u /* of "example." */
#define TSIG_RDATA "0000000000000000000000000000000000"
#define SIG0_RDATA \
    "00000500000000000000000000000000000000" \
    "00" \
    "aa"
#define SIG_RDATA \
    "00010500000000000000000000000000000000" \
    "00" \
    "aa"

/* ---- messages, octet by octet ---- */

struct wire {
    uint8_t octets[DNSPACK_MESSAGE_MAX + 1u];
    size_t len;
};

static void put_hex(struct wire *wire, const char *hex)
{
    for (; *hex != 0; hex += 2) {
        char pair[3] = {hex[0], hex[1], 0};

        assert_true(wire->len < sizeof wire->octets);
        wire->octets[wire->len++] = (uint8_t)strtoul(pair, NULL, 16);
    }
}

static void put16(struct wire *wire, unsigned value)
{
    assert_true(wire->len + 2 <= sizeof wire->octets);
    dnspack_store16(wire->octets, wire->len, (uint16_t)value);
    wire->len += 2;
}

static void count_up(struct wire *wire, size_t off)
{
    dnspack_store16(wire->octets, off, (uint16_t)(dnspack_load16(wire->octets, off) + 1));
}

/* A header without anything behind it. */
static struct wire *start(unsigned flags)
{
    static struct wire wire;

    memset(&wire, 0, sizeof wire);
    put16(&wire, 0x1234);
    put16(&wire, flags);
    put_hex(&wire, "0000000000000000");
    return &wire;
}

/* A header and the question "example. A IN". */
static struct wire *start_asked(unsigned flags)
{
    struct wire *wire = start(flags);

    put_hex(wire, "076578616d706c650000010001");
    count_up(wire, 4);
    return wire;
}

static void put_record(struct wire *wire, unsigned section, const char *owner, unsigned type, unsigned rclass, uint32_t ttl_s,
                       const char *rdata)
{
    count_up(wire, 6 + 2 * (size_t)section);
    put_hex(wire, owner);
    put16(wire, type);
    put16(wire, rclass);
    put16(wire, ttl_s / 65536u);
    put16(wire, ttl_s % 65536u);
    put16(wire, (unsigned)strlen(rdata) / 2);
    put_hex(wire, rdata);
}

static void put_a(struct wire *wire, unsigned section)
{
    put_record(wire, section, QNAME, TYPE_A, CLASS_IN, 300, "c0000201");
}

static void put_opt(struct wire *wire, unsigned section, const char *options)
{
    put_record(wire, section, ROOT, TYPE_OPT, 1232, 0x00008000u, options);
}

/* ---- the calls, on octets that end where the message ends ---- */

typedef enum dnspack_status take(const uint8_t *msg, size_t msg_len, struct dnspack_message *message);

static enum dnspack_status take_message(const uint8_t *msg, size_t msg_len, struct dnspack_message *message)
{
    return dnspack_message_parse(msg, msg_len, NULL, 0, message);
}

static void refuse_by(take *call, const struct wire *wire, enum dnspack_status status)
{
    struct dnspack_message message, before;
    uint8_t *msg = malloc(wire->len + 1);

    assert_non_null(msg);
    memcpy(msg + 1, wire->octets, wire->len);
    memset(&message, 0xA5, sizeof message);
    before = message;
    assert_string_equal(dnspack_status_name(call(msg + 1, wire->len, &message)), dnspack_status_name(status));
    assert_memory_equal(&message, &before, sizeof message);
    free(msg);
}

static void refuse(const struct wire *wire, enum dnspack_status status)
{
    refuse_by(take_message, wire, status);
}

static struct dnspack_message accept_by(take *call, const struct wire *wire)
{
    struct dnspack_message message;
    uint8_t *msg = malloc(wire->len);

    assert_non_null(msg);
    memcpy(msg, wire->octets, wire->len);
    memset(&message, 0xA5, sizeof message);
    assert_string_equal(dnspack_status_name(call(msg, wire->len, &message)), "ok");
    free(msg);
    return message;
}

static struct dnspack_message accept(const struct wire *wire)
{
    return accept_by(take_message, wire);
}

static struct dnspack_record records[DNSPACK_RECORDS_MAX + 1u];

static enum dnspack_status parse(const struct wire *wire, size_t record_cap, struct dnspack_message *message)
{
    struct dnspack_record guard;
    uint8_t *msg = malloc(wire->len);
    enum dnspack_status status;

    assert_non_null(msg);
    memcpy(msg, wire->octets, wire->len);
    memset(records, 0xA5, sizeof records);
    guard = records[record_cap];
    status = dnspack_message_parse(msg, wire->len, records, record_cap, message);
    assert_memory_equal(&records[record_cap], &guard, sizeof guard);
    free(msg);
    return status;
}

/* ---- header and questions ---- */

static void test_parse_takes_a_header_of_12_octets_and_not_of_11(void **state)
{
    struct wire *wire = start(0x8583);
    struct dnspack_message message = accept(wire);

    (void)state;
    assert_int_equal(message.id, 0x1234);
    assert_int_equal(message.flags, 0x8583);
    assert_int_equal(message.rcode, 3);
    assert_int_equal(message.question_count, 0);
    assert_int_equal(message.qname_len, 0);
    assert_int_equal(message.end_off, 12);
    assert_int_equal(message.options_off, 0);
    for (wire->len = 11; wire->len > 0; wire->len--)
        refuse(wire, DNSPACK_E_SHORT);
    refuse(wire, DNSPACK_E_SHORT);
}

static void test_parse_refuses_more_than_65535_octets(void **state)
{
    struct wire *wire = start(0);

    (void)state;
    wire->len = 65535;
    assert_int_equal(accept(wire).end_off, 12);
    wire->len = 65536;
    refuse(wire, DNSPACK_E_TOO_BIG);
}

static void test_parse_refuses_every_opcode_but_query(void **state)
{
    (void)state;
    for (unsigned opcode = 1; opcode < 16; opcode++) {
        refuse(start(opcode * 2048), DNSPACK_E_OPCODE);
        refuse(start(opcode * 2048 + 0x87ff), DNSPACK_E_OPCODE);
    }
    assert_int_equal(accept(start(0x87ff)).flags, 0x87ff);
}

static void test_parse_reads_the_question(void **state)
{
    struct dnspack_message message = accept(start_asked(0x0100));

    (void)state;
    assert_int_equal(message.question_count, 1);
    assert_int_equal(message.qname_len, QNAME_LEN);
    assert_int_equal(message.qtype, TYPE_A);
    assert_int_equal(message.qclass, CLASS_IN);
    assert_int_equal(message.end_off, 12 + QNAME_LEN + 4);
}

static void test_parse_keeps_the_first_of_two_questions(void **state)
{
    struct wire *wire = start_asked(0);
    struct dnspack_message message;

    (void)state;
    count_up(wire, 4);
    put_hex(wire, "0161" QNAME "001c0003");
    message = accept(wire);
    assert_int_equal(message.question_count, 2);
    assert_int_equal(message.qname_len, QNAME_LEN);
    assert_int_equal(message.qtype, TYPE_A);
    assert_int_equal(message.qclass, CLASS_IN);
    assert_int_equal(message.end_off, wire->len);
}

static void test_parse_refuses_a_question_that_is_cut_off(void **state)
{
    struct wire *wire = start_asked(0);

    (void)state;
    for (wire->len--; wire->len >= 12 + QNAME_LEN; wire->len--)
        refuse(wire, DNSPACK_E_SHORT);
    for (; wire->len >= 12; wire->len--)
        refuse(wire, DNSPACK_E_NAME);
}

static void test_parse_takes_a_query_name_of_255_octets_and_not_of_256(void **state)
{
    struct wire *wire;

    (void)state;
    for (unsigned last = 61; last <= 62; last++) {
        wire = start(0);
        count_up(wire, 4);
        for (unsigned label = 0; label < 4; label++) {
            unsigned len = label < 3 ? 63 : last;

            wire->octets[wire->len] = (uint8_t)len;
            memset(wire->octets + wire->len + 1, 'a', len);
            wire->len += len + 1;
        }
        put_hex(wire, "0000010001");
        if (last == 61)
            assert_int_equal(accept(wire).qname_len, 255);
        else
            refuse(wire, DNSPACK_E_NAME);
    }
}

static void test_parse_rejects_forward_pointer(void **state)
{
    static const char *const names[] = {"c00c", "c00e", "c000", "0161c00c", "0161c010", "40", "80"};

    (void)state;
    for (size_t k = 0; k < COUNT(names); k++) {
        struct wire *wire = start(0);

        count_up(wire, 4);
        put_hex(wire, names[k]);
        put_hex(wire, "0001000100");
        refuse(wire, DNSPACK_E_NAME);
    }
}

/* ---- records ---- */

static void test_parse_tells_where_each_record_is(void **state)
{
    struct wire *wire = start_asked(0x8180);
    struct dnspack_message message;
    size_t at[3];

    (void)state;
    at[0] = wire->len;
    put_record(wire, DNSPACK_ANSWER, QNAME, TYPE_CNAME, CLASS_IN, 0x80000001u, "0161" QNAME);
    at[1] = wire->len;
    put_record(wire, DNSPACK_AUTHORITY, "0162" QNAME, TYPE_NS, 3, 7, QNAME);
    at[2] = wire->len;
    put_record(wire, DNSPACK_ADDITIONAL, "c015", 65280, CLASS_IN, 0, "");
    dnspack_store16(wire->octets, at[2], (uint16_t)(0xc000u + at[0] + 12)); /* the name in the CNAME */
    assert_int_equal(parse(wire, 3, &message), DNSPACK_OK);
    assert_int_equal(message.end_off, wire->len);
    for (unsigned k = 0; k < 3; k++) {
        assert_int_equal(message.record_count[k], 1);
        assert_int_equal(records[k].section, k);
    }
    assert_int_equal(records[0].owner_off, 12); /* a bare pointer: what it points to */
    assert_int_equal(records[0].type, TYPE_CNAME);
    assert_int_equal(records[0].rclass, CLASS_IN);
    assert_int_equal(records[0].ttl_s, 0x80000001u);
    assert_int_equal(records[0].rdata_off, at[0] + 12);
    assert_int_equal(records[0].rdata_len, 4);
    assert_int_equal(records[1].owner_off, at[1]); /* labels first: where it stands */
    assert_int_equal(records[1].type, TYPE_NS);
    assert_int_equal(records[1].rclass, 3);
    assert_int_equal(records[1].ttl_s, 7);
    assert_int_equal(records[1].rdata_off, at[1] + 14);
    assert_int_equal(records[1].rdata_len, 2);
    assert_int_equal(records[2].owner_off, at[0] + 12);
    assert_int_equal(records[2].type, 65280);
    assert_int_equal(records[2].rdata_off, wire->len);
    assert_int_equal(records[2].rdata_len, 0);
}

static void test_parse_refuses_a_record_that_is_cut_off(void **state)
{
    struct wire *wire = start_asked(0x8180);
    size_t at = wire->len;

    (void)state;
    put_a(wire, DNSPACK_ANSWER);
    accept(wire);
    for (wire->len--; wire->len >= at + 2; wire->len--)
        refuse(wire, DNSPACK_E_SHORT);
    for (; wire->len >= at; wire->len--)
        refuse(wire, DNSPACK_E_NAME);
}

static void test_parse_counts_every_record_of_every_section(void **state)
{
    (void)state;
    for (unsigned section = 0; section < 3; section++) {
        struct wire *wire = start_asked(0x8180);

        put_a(wire, section);
        count_up(wire, 6 + 2 * (size_t)section);
        refuse(wire, DNSPACK_E_NAME); /* one more is announced than is there */
    }
}

static void test_parse_refuses_an_owner_that_is_no_name(void **state)
{
    static const char *const owners[] = {"c00b", "c0ff", "c019", "0161c019", "40", "ffff"};

    (void)state;
    for (size_t k = 0; k < COUNT(owners); k++) {
        struct wire *wire = start_asked(0x8180);

        put_record(wire, DNSPACK_ANSWER, owners[k], TYPE_A, CLASS_IN, 1, "c0000201");
        refuse(wire, DNSPACK_E_NAME);
    }
}

static void test_parse_follows_no_pointer_to_a_query_name_that_is_not_there(void **state)
{
    struct wire *wire = start(0x8180);

    (void)state;
    put_record(wire, DNSPACK_ANSWER, QNAME, TYPE_A, CLASS_IN, 1, "c0000201");
    refuse(wire, DNSPACK_E_NAME); /* it points to itself */
    wire = start(0x8180);
    put_record(wire, DNSPACK_ANSWER, ROOT, TYPE_A, CLASS_IN, 1, "c0000201");
    put_record(wire, DNSPACK_ANSWER, QNAME, TYPE_A, CLASS_IN, 1, "c0000201");
    assert_int_equal(accept(wire).record_count[0], 2); /* to the first record's owner */
}

static void test_parse_refuses_rdata_that_contradicts_its_type(void **state)
{
    struct wire *wire = start_asked(0x8180);

    (void)state;
    put_record(wire, DNSPACK_ANSWER, QNAME, TYPE_A, CLASS_IN, 1, "c00002");
    refuse(wire, DNSPACK_E_RDATA);
    wire = start_asked(0x8180);
    put_record(wire, DNSPACK_ANSWER, QNAME, TYPE_NS, CLASS_IN, 1, "c0ff");
    refuse(wire, DNSPACK_E_NAME);
}

static void test_parse_leaves_trailing_octets_alone(void **state)
{
    struct wire *wire = start_asked(0x8180);
    size_t end;

    (void)state;
    put_a(wire, DNSPACK_ANSWER);
    end = wire->len;
    put_hex(wire, "ffffffff");
    assert_int_equal(accept(wire).end_off, end);
}

static void test_parse_asks_for_room_for_every_record(void **state)
{
    struct wire *wire = start_asked(0x8180);
    struct dnspack_message message, before;

    (void)state;
    put_a(wire, DNSPACK_ANSWER);
    put_a(wire, DNSPACK_AUTHORITY);
    put_a(wire, DNSPACK_ADDITIONAL);
    put_opt(wire, DNSPACK_ADDITIONAL, ""); /* takes no room */
    assert_int_equal(parse(wire, 3, &message), DNSPACK_OK);
    before = message;
    for (size_t cap = 0; cap < 3; cap++) {
        assert_int_equal(parse(wire, cap, &message), DNSPACK_E_NO_SPACE);
        assert_memory_equal(&message, &before, sizeof message);
    }
    accept(wire); /* no records wanted: no room needed */
}

static void test_parse_takes_the_most_records_that_a_message_can_have(void **state)
{
    struct wire *wire = start(0x8180);
    struct dnspack_message message;

    (void)state;
    for (unsigned k = 0; k < DNSPACK_RECORDS_MAX; k++)
        put_record(wire, k < 5000 ? DNSPACK_ANSWER : DNSPACK_ADDITIONAL, ROOT, 10, CLASS_IN, k, "");
    assert_int_equal(parse(wire, DNSPACK_RECORDS_MAX, &message), DNSPACK_OK);
    assert_int_equal(message.record_count[0], 5000);
    assert_int_equal(message.record_count[1], 0);
    assert_int_equal(message.record_count[2], 956);
    assert_int_equal(message.end_off, 12 + 11 * 5956);
    for (unsigned k = 0; k < DNSPACK_RECORDS_MAX; k++)
        assert_true(records[k].ttl_s == k && records[k].section == (k < 5000 ? 0 : 2) && records[k].rdata_off == 12 + 11 * (k + 1));
    assert_int_equal(parse(wire, DNSPACK_RECORDS_MAX - 1, &message), DNSPACK_E_NO_SPACE);
    wire->len = 65535;
    count_up(wire, 10);
    refuse(wire, DNSPACK_E_SHORT); /* seven octets are no record */
}

/* ---- meta records ---- */

static void test_type_is_meta_is_opt_and_128_to_255(void **state)
{
    (void)state;
    for (unsigned type = 0; type <= 65535; type++)
        assert_int_equal(dnspack_type_is_meta((uint16_t)type), type == 41 || (type > 127 && type < 256));
}

static void test_parse_drops_meta_records(void **state)
{
    (void)state;
    for (unsigned type = 128; type < 256; type++) {
        struct wire *wire = start_asked(0x8180);
        struct dnspack_message message;

        if (type == 249 || type == TYPE_TSIG)
            continue; /* theirs is RDATA of a shape */
        put_a(wire, DNSPACK_ANSWER);
        put_record(wire, DNSPACK_ANSWER, QNAME, type, CLASS_IN, 1, "0102");
        put_a(wire, DNSPACK_ANSWER);
        assert_int_equal(parse(wire, 2, &message), DNSPACK_OK);
        assert_int_equal(message.record_count[0], 2);
        assert_int_equal(records[1].type, TYPE_A);
        assert_int_equal(message.end_off, wire->len);
    }
}

static void test_parse_drops_sig0_and_keeps_sig(void **state)
{
    struct wire *wire = start_asked(0x8180);
    struct dnspack_message message;

    (void)state;
    put_record(wire, DNSPACK_ADDITIONAL, ROOT, TYPE_SIG, CLASS_ANY, 0, SIG0_RDATA);
    assert_int_equal(parse(wire, 0, &message), DNSPACK_OK);
    assert_int_equal(message.record_count[2], 0);
    put_record(wire, DNSPACK_ADDITIONAL, ROOT, TYPE_SIG, CLASS_IN, 0, SIG_RDATA);
    assert_int_equal(parse(wire, 1, &message), DNSPACK_OK);
    assert_int_equal(message.record_count[2], 1);
    assert_int_equal(records[0].type, TYPE_SIG);
}

static void test_parse_wants_tsig_last(void **state)
{
    struct wire *wire = start_asked(0x8180);

    (void)state;
    put_a(wire, DNSPACK_ADDITIONAL);
    put_record(wire, DNSPACK_ADDITIONAL, QNAME, TYPE_TSIG, CLASS_ANY, 0, TSIG_RDATA);
    assert_int_equal(accept(wire).record_count[2], 1);
    assert_int_equal(accept(wire).end_off, wire->len);
    put_a(wire, DNSPACK_ADDITIONAL);
    refuse(wire, DNSPACK_E_META);

    wire = start_asked(0x8180);
    put_record(wire, DNSPACK_ADDITIONAL, QNAME, TYPE_TSIG, CLASS_ANY, 0, TSIG_RDATA);
    put_record(wire, DNSPACK_ADDITIONAL, QNAME, TYPE_TSIG, CLASS_ANY, 0, TSIG_RDATA);
    refuse(wire, DNSPACK_E_META);

    wire = start_asked(0x8180);
    put_record(wire, DNSPACK_ADDITIONAL, QNAME, TYPE_TSIG, CLASS_ANY, 0, TSIG_RDATA);
    put_opt(wire, DNSPACK_ADDITIONAL, "");
    refuse(wire, DNSPACK_E_META);
}

static void test_parse_wants_tsig_in_the_additional_section(void **state)
{
    (void)state;
    for (unsigned section = DNSPACK_ANSWER; section <= DNSPACK_AUTHORITY; section++) {
        struct wire *wire = start_asked(0x8180);

        put_record(wire, section, QNAME, TYPE_TSIG, CLASS_ANY, 0, TSIG_RDATA);
        refuse(wire, DNSPACK_E_META);
    }
}

/* ---- OPT ---- */

static void test_parse_reads_opt(void **state)
{
    struct wire *wire = start_asked(0x8183);
    struct dnspack_message message;

    (void)state;
    put_record(wire, DNSPACK_ADDITIONAL, ROOT, TYPE_OPT, 4096, 0xff008000u, "fde80001aa");
    message = accept(wire);
    assert_int_equal(message.rcode, 0xff3);
    assert_int_equal(message.udp_size, 4096);
    assert_int_equal(message.version, 0);
    assert_true(message.dnssec_ok);
    assert_int_equal(message.options_off, wire->len - 5);
    assert_int_equal(message.options_len, 5);
    assert_int_equal(message.record_count[2], 0);
    assert_false(message.padding || message.nsid);
    assert_int_equal(message.ecs.family, 0);
    assert_int_equal(message.cookie_off, 0);
    wire = start_asked(0x8180);
    put_record(wire, DNSPACK_ADDITIONAL, ROOT, TYPE_OPT, 0, 0x00007fffu, "");
    message = accept(wire);
    assert_false(message.dnssec_ok);
    assert_int_equal(message.udp_size, 0);
    assert_int_equal(message.options_off, wire->len);
    assert_int_equal(message.options_len, 0);
}

static void test_parse_wants_one_opt_of_the_root_in_the_additional_section(void **state)
{
    struct wire *wire;

    (void)state;
    for (unsigned section = DNSPACK_ANSWER; section <= DNSPACK_AUTHORITY; section++) {
        wire = start_asked(0x8180);
        put_opt(wire, section, "");
        refuse(wire, DNSPACK_E_EDNS);
    }
    wire = start_asked(0);
    put_record(wire, DNSPACK_ADDITIONAL, QNAME, TYPE_OPT, 1232, 0, "");
    refuse(wire, DNSPACK_E_EDNS);
    wire = start_asked(0);
    put_record(wire, DNSPACK_ADDITIONAL, "016100", TYPE_OPT, 1232, 0, "");
    refuse(wire, DNSPACK_E_EDNS);
    wire = start_asked(0);
    put_record(wire, DNSPACK_ADDITIONAL, "c014", TYPE_OPT, 1232, 0, ""); /* a pointer to the root octet of "example." */
    accept(wire);
    wire = start_asked(0);
    put_opt(wire, DNSPACK_ADDITIONAL, "");
    put_a(wire, DNSPACK_ADDITIONAL);
    accept(wire);
    put_opt(wire, DNSPACK_ADDITIONAL, "");
    refuse(wire, DNSPACK_E_EDNS);
}

#define X8 "0102030405060708"
#define X40 X8 X8 X8 X8 X8

/* Options, and whether a message with them is taken. */
struct options_case {
    const char *what;
    const char *hex;
    enum dnspack_status status;
};

static const struct options_case options_cases[] = {
    {"an empty option", "fde80000", DNSPACK_OK},
    {"a code alone", "fde8", DNSPACK_E_EDNS},
    {"three octets", "fde800", DNSPACK_E_EDNS},
    {"one octet behind an option", "fde8000000", DNSPACK_E_EDNS},
    {"data overrun by one", "fde8000201", DNSPACK_E_EDNS},
    {"data that ends where OPT does", "fde800020102", DNSPACK_OK},
    {"the second one overruns", "fde80000fde80001", DNSPACK_E_EDNS},
    {"NSID", "00030000", DNSPACK_OK},
    {"Padding", "000c0003000000", DNSPACK_OK},

    {"cookie of 0", "000a0000", DNSPACK_E_EDNS},
    {"cookie of 7", "000a000701020304050607", DNSPACK_E_EDNS},
    {"cookie of 8", "000a0008" X8, DNSPACK_OK},
    {"cookie of 9", "000a0009" X8 "09", DNSPACK_E_EDNS},
    {"cookie of 15", "000a000f" X8 "01020304050607", DNSPACK_E_EDNS},
    {"cookie of 16", "000a0010" X8 X8, DNSPACK_OK},
    {"cookie of 40", "000a0028" X40, DNSPACK_OK},
    {"cookie of 41", "000a0029" X40 "01", DNSPACK_E_EDNS},
    {"a bad second cookie", "000a0008" X8 "000a0000", DNSPACK_E_EDNS},

    {"ECS of 3 octets", "00080003000100", DNSPACK_E_EDNS},
    {"ECS /0", "0008000400010000", DNSPACK_OK},
    {"ECS /0 with an octet", "000800050001000000", DNSPACK_E_EDNS},
    {"ECS /1", "000800050001010080", DNSPACK_OK},
    {"ECS /1 with a second bit", "0008000500010100c0", DNSPACK_E_EDNS},
    {"ECS /7", "0008000500010700fe", DNSPACK_OK},
    {"ECS /7 with an eighth bit", "0008000500010700ff", DNSPACK_E_EDNS},
    {"ECS /8", "0008000500010800ff", DNSPACK_OK},
    {"ECS /8 without its octet", "0008000400010800", DNSPACK_E_EDNS},
    {"ECS /9 with one octet", "0008000500010900ff", DNSPACK_E_EDNS},
    {"ECS /24", "0008000700011800c00002", DNSPACK_OK},
    {"ECS /24 with four octets", "0008000800011800c0000200", DNSPACK_E_EDNS},
    {"ECS /25", "0008000800011900c0000280", DNSPACK_OK},
    {"ECS /25 with a 26th bit", "0008000800011900c00002c0", DNSPACK_E_EDNS},
    {"ECS /32", "0008000800012020c0000201", DNSPACK_OK},
    {"ECS /33", "0008000900012100c000020180", DNSPACK_E_EDNS},
    {"ECS scope /33", "0008000800012021c0000201", DNSPACK_E_EDNS},
    {"ECS IPv6 /128", "0008001400028080" X8 X8, DNSPACK_OK},
    {"ECS IPv6 /129", "0008001500028100" X8 X8 "80", DNSPACK_E_EDNS},
    {"ECS IPv6 scope /129", "0008001400028081" X8 X8, DNSPACK_E_EDNS},
    {"ECS of family 0", "00080005000021ff01", DNSPACK_OK},
    {"ECS of family 3", "00080005000321ff01", DNSPACK_OK},
    {"ECS of family 257", "00080005010121ff01", DNSPACK_OK},
};

static void test_parse_judges_options(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(options_cases); k++) {
        struct wire *wire = start_asked(0);
        struct dnspack_message message;

        put_opt(wire, DNSPACK_ADDITIONAL, options_cases[k].hex);
        if (parse(wire, 0, &message) != options_cases[k].status)
            fail_msg("%s: not %s", options_cases[k].what, dnspack_status_name(options_cases[k].status));
        if (options_cases[k].status != DNSPACK_OK)
            refuse(wire, options_cases[k].status);
    }
}

static void test_parse_notes_options(void **state)
{
    struct wire *wire = start_asked(0);
    struct dnspack_message message;
    size_t off;

    (void)state;
    put_opt(wire, DNSPACK_ADDITIONAL, "00030000000c0000000a0008" X8 "000a0010" X8 X8 "0008000700011810c000020008000400020000");
    message = accept(wire);
    off = message.options_off;
    assert_true(message.nsid);
    assert_true(message.padding);
    assert_int_equal(message.cookie_off, off + 12); /* the first of a kind counts */
    assert_int_equal(message.cookie_len, 8);
    assert_int_equal(message.ecs.family, 1);
    assert_int_equal(message.ecs.source_len, 24);
    assert_int_equal(message.ecs.scope_len, 16);
    assert_int_equal(message.ecs.address_len, 3);
    assert_int_equal(message.ecs.address_off, off + 48);
    assert_memory_equal(wire->octets + message.ecs.address_off, "\xc0\0\2", 3);
    assert_int_equal(message.error_count, 0);
}

static void test_parse_takes_the_first_ecs_of_a_family_that_it_knows(void **state)
{
    struct wire *wire = start_asked(0);
    struct dnspack_message message;

    (void)state;
    put_opt(wire, DNSPACK_ADDITIONAL, "0008000500030000010008001400028000" X8 X8);
    message = accept(wire);
    assert_int_equal(message.ecs.family, 2);
    assert_int_equal(message.ecs.source_len, 128);
    assert_int_equal(message.ecs.address_len, 16);
    assert_int_equal(message.ecs.address_off + 16, wire->len);
}

static void test_parse_counts_extended_errors_up_to_8(void **state)
{
    (void)state;
    for (unsigned count = 0; count <= 10; count++) {
        char options[10 + 10 * 12 + 1] = "000f000100"; /* one octet is no code: it does not count, and does no harm */

        for (unsigned k = 0; k < count; k++)
            memcpy(options + 10 + 12 * (size_t)k, "000f00020016", 13);
        struct wire *wire = start_asked(0x8182);
        put_opt(wire, DNSPACK_ADDITIONAL, options);
        assert_int_equal(accept(wire).error_count, count < 8 ? count : 8);
    }
}

static void test_parse_reads_no_options_of_another_version(void **state)
{
    struct wire *wire = start_asked(0);
    struct dnspack_message message;

    (void)state;
    put_record(wire, DNSPACK_ADDITIONAL, ROOT, TYPE_OPT, 1232, 0x00010000u, "000a0001fffde8ffff");
    message = accept(wire);
    assert_int_equal(message.version, 1);
    assert_int_equal(message.options_len, 9);
    assert_int_equal(message.cookie_off, 0);
    refuse_by(dnspack_query_parse, wire, DNSPACK_E_VERSION);
}

/* ---- queries ---- */

static void test_query_parse_takes_a_query(void **state)
{
    struct wire *wire = start_asked(0x0110);
    struct dnspack_message query;

    (void)state;
    put_opt(wire, DNSPACK_ADDITIONAL, "");
    query = accept_by(dnspack_query_parse, wire);
    assert_int_equal(query.id, 0x1234);
    assert_int_equal(query.flags, 0x0110);
    assert_int_equal(query.qname_len, QNAME_LEN);
    assert_true(query.dnssec_ok);
}

static void test_query_parse_refuses_what_is_no_query(void **state)
{
    struct wire *wire;

    (void)state;
    refuse_by(dnspack_query_parse, start_asked(0x8000), DNSPACK_E_DIRECTION);
    accept_by(dnspack_query_parse, start_asked(0x07ff));
    refuse_by(dnspack_query_parse, start(0), DNSPACK_E_QUESTION);
    wire = start_asked(0);
    put_hex(wire, QNAME "00010001");
    count_up(wire, 4);
    refuse_by(dnspack_query_parse, wire, DNSPACK_E_QUESTION);
    wire->len--;
    refuse_by(dnspack_query_parse, wire, DNSPACK_E_SHORT);
    refuse_by(dnspack_query_parse, start_asked(0x2800), DNSPACK_E_OPCODE);
}

/* ---- options one by one ---- */

static void test_option_next_gives_each_option_once(void **state)
{
    struct wire *wire = start_asked(0);
    struct dnspack_message message;
    struct dnspack_option option;
    size_t cursor = 0;

    (void)state;
    put_opt(wire, DNSPACK_ADDITIONAL, "00030000fde80003010203ffff0000");
    message = accept(wire);
    assert_true(dnspack_option_next(wire->octets, &message, &cursor, &option));
    assert_int_equal(option.code, OPTION_NSID);
    assert_int_equal(option.data_len, 0);
    assert_int_equal(option.data_off, message.options_off + 4);
    assert_int_equal(cursor, 4);
    assert_true(dnspack_option_next(wire->octets, &message, &cursor, &option));
    assert_int_equal(option.code, 0xfde8);
    assert_int_equal(option.data_len, 3);
    assert_memory_equal(wire->octets + option.data_off, "\1\2\3", 3);
    assert_int_equal(cursor, 11);
    assert_true(dnspack_option_next(wire->octets, &message, &cursor, &option));
    assert_int_equal(option.code, 0xffff);
    assert_int_equal(cursor, 15);
    memset(&option, 0xA5, sizeof option);
    assert_false(dnspack_option_next(wire->octets, &message, &cursor, &option));
    assert_int_equal(cursor, 15);
    assert_int_equal(option.code, 0xA5A5);
}

static void test_option_next_gives_nothing_without_options(void **state)
{
    struct wire *wire = start_asked(0);
    struct dnspack_message message = accept(wire);
    struct dnspack_option option;
    size_t cursor = 0;

    (void)state;
    assert_false(dnspack_option_next(wire->octets, &message, &cursor, &option));
    put_opt(wire, DNSPACK_ADDITIONAL, "");
    message = accept(wire);
    assert_false(dnspack_option_next(wire->octets, &message, &cursor, &option));
    assert_int_equal(cursor, 0);
}

static void test_option_next_stops_where_options_cannot_be_read(void **state)
{
    struct wire *wire = start_asked(0);
    struct dnspack_message message;
    struct dnspack_option option;
    size_t cursor = 0;

    (void)state;
    put_record(wire, DNSPACK_ADDITIONAL, ROOT, TYPE_OPT, 1232, 0x00010000u, "fde80000fde80001fd");
    message = accept(wire);
    assert_true(dnspack_option_next(wire->octets, &message, &cursor, &option));
    assert_true(dnspack_option_next(wire->octets, &message, &cursor, &option));
    assert_false(dnspack_option_next(wire->octets, &message, &cursor, &option));
    message.options_len--;
    cursor = 4;
    assert_false(dnspack_option_next(wire->octets, &message, &cursor, &option));
    assert_int_equal(cursor, 4);
}

/* ---- tags ---- */

static const uint8_t address[] = {0x20, 0x01, 0x0d, 0xb8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

static void test_ecs_tag_clears_the_bits_after_the_prefix(void **state)
{
    struct dnspack_ecs ecs = {2, 128, 0, 16, 0};

    (void)state;
    for (unsigned prefix_len = 1; prefix_len <= 128; prefix_len++) {
        uint8_t tag[DNSPACK_ECS_TAG_MAX + 1];
        size_t tag_len = 0, octets = (prefix_len + 7) / 8;

        memset(tag, 0x5A, sizeof tag);
        assert_true(dnspack_ecs_tag(address, &ecs, prefix_len, tag, &tag_len));
        assert_int_equal(tag_len, 2 + octets);
        assert_int_equal(tag[0], 2);
        assert_int_equal(tag[1], prefix_len);
        for (unsigned bit = 0; bit < 8 * octets; bit++) {
            bool got = tag[2 + bit / 8] >> (7 - bit % 8) & 1, had = address[bit / 8] >> (7 - bit % 8) & 1;

            assert_int_equal(got, bit < prefix_len && had);
        }
        for (size_t k = tag_len; k < sizeof tag; k++)
            assert_int_equal(tag[k], 0x5A);
    }
}

static void test_ecs_tag_of_no_bits_is_empty(void **state)
{
    struct dnspack_ecs ecs = {1, 24, 0, 3, 0};
    uint8_t tag[DNSPACK_ECS_TAG_MAX] = {9};
    size_t tag_len = 77;

    (void)state;
    assert_true(dnspack_ecs_tag(address, &ecs, ecs.scope_len, tag, &tag_len));
    assert_int_equal(tag_len, 0);
    assert_int_equal(tag[0], 9);
}

static void test_ecs_tag_needs_an_address_of_the_prefix_s_length(void **state)
{
    static const unsigned too_long[] = {25, 32, 33, 128, 256, 1000, 0xfffffff8u, 0xffffffffu};
    struct dnspack_ecs ecs = {1, 24, 0, 3, 0};
    uint8_t tag[DNSPACK_ECS_TAG_MAX] = {9};
    size_t tag_len = 77;

    (void)state;
    for (size_t k = 0; k < COUNT(too_long); k++)
        assert_false(dnspack_ecs_tag(address, &ecs, too_long[k], tag, &tag_len));
    assert_int_equal(tag_len, 77);
    assert_int_equal(tag[0], 9);
    assert_true(dnspack_ecs_tag(address, &ecs, 24, tag, &tag_len));
    assert_int_equal(tag_len, 5);
}

static void test_ecs_tag_needs_an_ecs_option(void **state)
{
    struct dnspack_ecs ecs = {0, 0, 0, 0, 0};
    uint8_t tag[DNSPACK_ECS_TAG_MAX] = {9};
    size_t tag_len = 77;

    (void)state;
    assert_false(dnspack_ecs_tag(address, &ecs, 0, tag, &tag_len));
    assert_int_equal(tag_len, 77);
    assert_int_equal(tag[0], 9);
}

/* ---- names of statuses ---- */

static void test_status_names_are_distinct_words(void **state)
{
    (void)state;
    assert_string_equal(dnspack_status_name(DNSPACK_OK), "ok");
    assert_string_equal(dnspack_status_name(DNSPACK_E_EDNS), "edns");
    assert_string_equal(dnspack_status_name(DNSPACK_E_TTL_ZERO), "ttl-zero");
    assert_string_equal(dnspack_status_name(DNSPACK_E_VERSION), "version");
    assert_string_equal(dnspack_status_name(DNSPACK_STATUS_COUNT), "unknown");
    for (unsigned k = 0; k < DNSPACK_STATUS_COUNT; k++) {
        const char *name = dnspack_status_name((enum dnspack_status)k);

        assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz-"), strlen(name));
        assert_true(strlen(name) >= 2);
        for (unsigned j = 0; j <= DNSPACK_STATUS_COUNT; j++)
            assert_true(j == k || strcmp(name, dnspack_status_name((enum dnspack_status)j)) != 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse_takes_a_header_of_12_octets_and_not_of_11),
        cmocka_unit_test(test_parse_refuses_more_than_65535_octets),
        cmocka_unit_test(test_parse_refuses_every_opcode_but_query),
        cmocka_unit_test(test_parse_reads_the_question),
        cmocka_unit_test(test_parse_keeps_the_first_of_two_questions),
        cmocka_unit_test(test_parse_refuses_a_question_that_is_cut_off),
        cmocka_unit_test(test_parse_takes_a_query_name_of_255_octets_and_not_of_256),
        cmocka_unit_test(test_parse_rejects_forward_pointer),
        cmocka_unit_test(test_parse_tells_where_each_record_is),
        cmocka_unit_test(test_parse_refuses_a_record_that_is_cut_off),
        cmocka_unit_test(test_parse_counts_every_record_of_every_section),
        cmocka_unit_test(test_parse_refuses_an_owner_that_is_no_name),
        cmocka_unit_test(test_parse_follows_no_pointer_to_a_query_name_that_is_not_there),
        cmocka_unit_test(test_parse_refuses_rdata_that_contradicts_its_type),
        cmocka_unit_test(test_parse_leaves_trailing_octets_alone),
        cmocka_unit_test(test_parse_asks_for_room_for_every_record),
        cmocka_unit_test(test_parse_takes_the_most_records_that_a_message_can_have),
        cmocka_unit_test(test_type_is_meta_is_opt_and_128_to_255),
        cmocka_unit_test(test_parse_drops_meta_records),
        cmocka_unit_test(test_parse_drops_sig0_and_keeps_sig),
        cmocka_unit_test(test_parse_wants_tsig_last),
        cmocka_unit_test(test_parse_wants_tsig_in_the_additional_section),
        cmocka_unit_test(test_parse_reads_opt),
        cmocka_unit_test(test_parse_wants_one_opt_of_the_root_in_the_additional_section),
        cmocka_unit_test(test_parse_judges_options),
        cmocka_unit_test(test_parse_notes_options),
        cmocka_unit_test(test_parse_takes_the_first_ecs_of_a_family_that_it_knows),
        cmocka_unit_test(test_parse_counts_extended_errors_up_to_8),
        cmocka_unit_test(test_parse_reads_no_options_of_another_version),
        cmocka_unit_test(test_query_parse_takes_a_query),
        cmocka_unit_test(test_query_parse_refuses_what_is_no_query),
        cmocka_unit_test(test_option_next_gives_each_option_once),
        cmocka_unit_test(test_option_next_gives_nothing_without_options),
        cmocka_unit_test(test_option_next_stops_where_options_cannot_be_read),
        cmocka_unit_test(test_ecs_tag_clears_the_bits_after_the_prefix),
        cmocka_unit_test(test_ecs_tag_of_no_bits_is_empty),
        cmocka_unit_test(test_ecs_tag_needs_an_address_of_the_prefix_s_length),
        cmocka_unit_test(test_ecs_tag_needs_an_ecs_option),
        cmocka_unit_test(test_status_names_are_distinct_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
