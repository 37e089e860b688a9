/* test_entry.c - what dnspack_entry_check accepts is what spec/entry.acsl says, and what is accepted reads as it was written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "entry.h"

/* clang-format off */
#define TIMES "00000001 00003c "  /* stored at 1, for 60 seconds */
#define PLAIN TIMES "01 00 "      /* type A, the root: the smallest head */
#define ROOT_AT 10u               /* its query name */
#define SAMPLE TIMES "01 03777777 076578616d706c65 82 00 c0000201" /* www.example.be A 192.0.2.1 */
/* clang-format on */

/* ---- entries by hand ---- */

struct draft {
    uint8_t octets[DNSPACK_ENTRY_MAX + 1u];
    size_t len;
};

static struct draft made;

static void put(uint8_t octet)
{
    assert_true(made.len < sizeof made.octets);
    made.octets[made.len++] = octet;
}

static void put_times(uint8_t octet, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put(octet);
}

/* Pairs of digits, with a space between fields. */
static void put_hex(const char *hex)
{
    for (; hex[0] != 0; hex += hex[0] == ' ' ? 1 : 2) {
        const char pair[3] = {hex[0], hex[1], 0};

        if (hex[0] != ' ')
            put((uint8_t)strtoul(pair, NULL, 16));
    }
}

static void put16(size_t value)
{
    put((uint8_t)(value / 256u));
    put((uint8_t)(value % 256u));
}

/* A var in its long form. */
static void put_long(size_t value)
{
    put(255);
    put16(value);
}

/* Labels that take len octets; not 1. */
static void put_labels(size_t len)
{
    while (len > 0) {
        size_t label_len = len > 64 ? 63 : len - 1;

        if (len - label_len - 1 == 1)
            label_len--;
        put((uint8_t)label_len);
        put_times('a', label_len);
        len -= label_len + 1;
    }
}

static void len_set(size_t len)
{
    made.octets[0] = (uint8_t)(len / 256u);
    made.octets[1] = (uint8_t)(len % 256u);
}

/* Start an entry: its octets after the length. */
static void begin(const char *hex)
{
    made.len = 2;
    put_hex(hex);
}

/* A copy that ends where its memory ends, so that a sanitizer sees every octet read beyond. */
static uint8_t *exact(const uint8_t *octets, size_t len)
{
    uint8_t *copy = malloc(len);

    assert_true(copy != NULL || len == 0);
    if (len > 0)
        memcpy(copy, octets, len);
    return copy;
}

static bool is_accepted_as(size_t len)
{
    uint8_t *copy = exact(made.octets, len);
    enum dnspack_status status = dnspack_entry_check(copy, len);

    free(copy);
    assert_true(status == DNSPACK_OK || status == DNSPACK_E_ENTRY);
    return status == DNSPACK_OK;
}

static bool is_accepted(void)
{
    len_set(made.len);
    return is_accepted_as(made.len);
}

static bool accepts(const char *hex)
{
    begin(hex);
    return is_accepted();
}

/* An entry that was made, in memory of its own. */
static uint8_t *finish(const char *hex, size_t *len)
{
    assert_true(accepts(hex));
    *len = made.len;
    return exact(made.octets, made.len);
}

/* ---- the head ---- */

static void test_check_accepts_the_smallest_entry_and_no_shorter_one(void **state)
{
    (void)state;
    assert_true(accepts(PLAIN));
    assert_int_equal(made.len, DNSPACK_ENTRY_MIN);
    for (size_t len = 0; len < DNSPACK_ENTRY_MIN; len++) {
        len_set(len);
        assert_false(is_accepted_as(len));
    }
    assert_false(accepts(TIMES "01"));
}

static void test_check_wants_the_length_that_is_stored(void **state)
{
    (void)state;
    assert_true(accepts(SAMPLE));
    len_set(made.len + 1);
    assert_false(is_accepted_as(made.len));
    len_set(made.len - 1);
    assert_false(is_accepted_as(made.len));
    len_set(made.len + 256);
    assert_false(is_accepted_as(made.len));
}

static void test_check_accepts_the_longest_entry_and_no_longer_one(void **state)
{
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        begin(TIMES "04 00"); /* TXT */
        put_hex("00 ff7fff");
        put_times(1, 0x7fff);
        put_hex("00 ff");
        put_hex(more == 0 ? "7fed" : "7fee");
        put_times(2, 0x7fed + more);
        assert_int_equal(made.len, DNSPACK_ENTRY_MAX + more);
        assert_true(is_accepted() == (more == 0));
    }
}

static void test_check_refuses_the_fourth_rcode(void **state)
{
    (void)state;
    assert_true(accepts(TIMES "01 00"));
    assert_true(accepts(TIMES "41 00"));
    assert_true(accepts(TIMES "81 00"));
    assert_false(accepts(TIMES "c1 00"));
}

static void test_check_refuses_an_ext_octet_without_a_bit_or_with_unknown_ones(void **state)
{
    (void)state;
    assert_false(accepts(TIMES "11 00 00"));
    assert_true(accepts(TIMES "11 10 00"));
    assert_true(accepts(TIMES "11 1f 0003 00000000 00 00 01 020000"));
    assert_false(accepts(TIMES "11 20 00"));
    assert_false(accepts(TIMES "11 30 00"));
    assert_false(accepts(TIMES "11 80 00"));
}

static void test_check_refuses_unchecked_with_authenticated(void **state)
{
    (void)state;
    assert_true(accepts(TIMES "21 00"));
    assert_true(accepts(TIMES "31 04 00 00"));
    assert_true(accepts(TIMES "11 10 00"));
    assert_false(accepts(TIMES "31 10 00"));
    assert_false(accepts(TIMES "31 14 00 00"));
}

static void test_check_refuses_an_explicit_type_that_has_a_code(void **state)
{
    size_t coded = 0;

    (void)state;
    for (unsigned type = 0; type <= 65535; type++) {
        begin(TIMES "00");
        put16(type);
        put(0);
        if (is_accepted()) {
            assert_int_equal(dnspack_qtype_code((uint16_t)type), 0);
        } else {
            assert_int_equal(dnspack_qtype_of(dnspack_qtype_code((uint16_t)type)), type);
            coded++;
        }
    }
    assert_int_equal(coded, 15);
    assert_false(accepts(TIMES "00 0063"));
    assert_false(accepts(TIMES "00 00"));
}

static void test_check_refuses_an_explicit_class_in(void **state)
{
    (void)state;
    assert_true(accepts(TIMES "11 01 0003 00"));
    assert_true(accepts(TIMES "11 01 0101 00"));
    assert_false(accepts(TIMES "11 01 0001 00"));
    assert_false(accepts(TIMES "11 01 0003"));
    assert_false(accepts(TIMES "11 01 00"));
}

static void test_check_refuses_sections_that_do_not_end_with_groups_in_the_entry(void **state)
{
    (void)state;
    assert_true(accepts(TIMES "11 02 0000 0000 00"));
    assert_true(accepts(TIMES "11 02 0005 0000 00 00c0000201"));
    assert_true(accepts(TIMES "11 02 0000 0005 00 00c0000201"));
    assert_true(accepts(TIMES "11 02 0000 0000 00 00c0000201"));
    assert_true(accepts(TIMES "11 02 0005 0005 00 00c0000201 00c0000202 00c0000203"));
    assert_false(accepts(TIMES "11 02 0001 0000 00"));
    assert_false(accepts(TIMES "11 02 0000 0001 00"));
    assert_false(accepts(TIMES "11 02 0006 0000 00 00c0000201"));
    assert_false(accepts(TIMES "11 02 0005 0001 00 00c0000201"));
    assert_false(accepts(TIMES "11 02 0004 0000 00 00c0000201"));
    assert_false(accepts(TIMES "11 02 0004 0001 00 00c0000201"));
    assert_false(accepts(TIMES "11 02 0003 0002 00 00c0000201"));
    assert_false(accepts(TIMES "11 02 ffff ffff 00 00c0000201"));
    assert_false(accepts(TIMES "11 02 0000 00"));
}

/* ---- query names ---- */

static void test_check_accepts_255_octets_of_a_name_and_not_256(void **state)
{
    static const struct {
        uint8_t last;
        size_t stands_for;
    } ends[] = {{0, 1}, {0x80, 4}, {0x9f, 4}, {0xa0, 5}, {0xa9, 5}, {0xaa, 6}, {0xaf, 6}};

    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        for (size_t len = 253; len <= 258; len++) {
            begin(TIMES "01");
            put_labels(len - ends[i].stands_for);
            put(ends[i].last);
            assert_true(is_accepted() == (len <= DNSPACK_NAME_MAX));
        }
    }
}

static void test_check_accepts_127_labels_and_not_128(void **state)
{
    (void)state;
    for (size_t labels = 126; labels <= 129; labels++) {
        begin(TIMES "01");
        for (size_t i = 0; i < labels; i++)
            put_hex("0161");
        put(0);
        assert_true(is_accepted() == (labels <= 127));
    }
}

static void test_check_accepts_labels_of_63_octets_and_not_64(void **state)
{
    (void)state;
    for (size_t len = 63; len <= 64; len++) {
        begin(TIMES "01");
        put((uint8_t)len);
        put_times('a', len);
        put(0);
        assert_true(is_accepted() == (len == 63));
    }
}

static void test_check_accepts_the_48_suffix_codes_and_no_other_octet(void **state)
{
    (void)state;
    for (unsigned last = 64; last <= 255; last++) {
        begin(TIMES "01 03777777");
        put((uint8_t)last);
        assert_true(is_accepted() == (last >= 0x80 && last <= 0xaf));
        put(0); /* what looks like a pointer to the header is none */
        assert_false(is_accepted());
    }
}

static void test_check_refuses_a_query_name_that_does_not_end(void **state)
{
    (void)state;
    assert_false(accepts(TIMES "01 0161"));
    assert_false(accepts(TIMES "01 0261"));
    assert_false(accepts(TIMES "01 3f"));
    for (size_t len = 2; len <= 258; len++) {
        begin(TIMES "01");
        put_labels(len);
        assert_false(is_accepted());
    }
    assert_false(accepts(TIMES "11 10"));
}

/* ---- tag and errors ---- */

static void test_check_refuses_a_tag_that_runs_over_the_end(void **state)
{
    (void)state;
    assert_true(accepts(TIMES "11 04 00 00"));
    assert_true(accepts(TIMES "11 04 00 0201 02"));
    assert_false(accepts(TIMES "11 04 00"));
    assert_false(accepts(TIMES "11 04 00 01"));
    assert_false(accepts(TIMES "11 04 00 0301 02"));
    for (size_t len = 254; len <= 255; len++) {
        begin(TIMES "11 04 00 ff");
        put_times(7, len);
        assert_true(is_accepted() == (len == 255));
    }
}

static void test_check_accepts_1_to_8_errors(void **state)
{
    (void)state;
    for (size_t count = 0; count <= 9; count++) {
        begin(TIMES "11 08 00");
        put((uint8_t)count);
        for (size_t i = 0; i < count; i++)
            put_hex("020016");
        assert_true(is_accepted() == (count >= 1 && count <= 8));
    }
    assert_false(accepts(TIMES "11 08 00"));
    assert_false(accepts(TIMES "11 08 00 02 020016"));
}

static void test_check_refuses_an_error_without_its_code(void **state)
{
    (void)state;
    assert_false(accepts(TIMES "11 08 00 01 00"));
    assert_false(accepts(TIMES "11 08 00 01 0116"));
    assert_true(accepts(TIMES "11 08 00 01 020016"));
    assert_true(accepts(TIMES "11 08 00 01 03001661"));
    assert_false(accepts(TIMES "11 08 00 01 030016"));
    assert_false(accepts(TIMES "11 08 00 02 0116 020016"));
}

static void test_check_refuses_the_long_form_of_a_short_error(void **state)
{
    (void)state;
    for (size_t len = 253; len <= 257; len++) {
        begin(TIMES "11 08 00 01 ff");
        put16(len);
        put_times('e', len);
        assert_true(is_accepted() == (len >= 255));
    }
    begin(TIMES "11 08 00 01 fe");
    put_times('e', 254);
    assert_true(is_accepted());
}

/* ---- groups ---- */

static void test_check_refuses_an_octet_behind_the_last_group(void **state)
{
    (void)state;
    assert_true(accepts(PLAIN "00 c0000201"));
    for (unsigned octet = 0; octet <= 255; octet++) {
        begin(PLAIN "00 c0000201");
        put((uint8_t)octet);
        assert_false(is_accepted());
    }
    assert_false(accepts(PLAIN "00"));
}

static void test_check_wants_as_many_fields_as_the_count_says(void **state)
{
    (void)state;
    for (unsigned count = 1; count <= 16; count++) {
        for (unsigned there = 0; there <= 17; there++) {
            begin(PLAIN);
            put((uint8_t)(count - 1));
            for (unsigned i = 0; i < there; i++)
                put_hex("c1c2c3c4"); /* no group starts like that: it has no end */
            assert_true(is_accepted() == (there == count));
        }
    }
}

static void test_check_refuses_the_long_form_of_a_short_type(void **state)
{
    (void)state;
    assert_true(accepts(PLAIN "20 10 020161"));
    assert_true(accepts(PLAIN "20 fe 020161"));
    assert_false(accepts(PLAIN "20 ff00fe 020161"));
    assert_false(accepts(PLAIN "20 ff0010 020161"));
    assert_true(accepts(PLAIN "20 ff00ff 020161"));
    assert_true(accepts(PLAIN "20 ffffff 020161"));
    assert_false(accepts(PLAIN "20"));
    assert_false(accepts(PLAIN "20 ff01"));
}

static void test_check_refuses_the_long_form_of_a_short_rdata_length(void **state)
{
    (void)state;
    for (size_t len = 253; len <= 257; len++) {
        begin(PLAIN "20 10 ff");
        put16(len);
        put_times('e', len);
        assert_true(is_accepted() == (len >= 255));
    }
}

static void test_check_reads_three_octets_of_an_explicit_ttl(void **state)
{
    (void)state;
    assert_true(accepts(PLAIN "10 ffffff c0000201"));
    assert_true(accepts(PLAIN "30 10 ffffff 020161"));
    assert_false(accepts(PLAIN "10 ffff"));
    assert_false(accepts(PLAIN "10"));
}

static void test_check_refuses_owner_references_that_do_not_lead_back_to_a_name(void **state)
{
    (void)state;
    /* 10: 1 "a", 12: 1 "b", 14: root, 15: the group */
    assert_true(accepts(TIMES "01 01610162 00 80 0a c0000201"));
    assert_true(accepts(TIMES "01 01610162 00 80 0c c0000201"));
    assert_true(accepts(TIMES "01 01610162 00 80 0e c0000201"));
    assert_false(accepts(TIMES "01 01610162 00 80 0b c0000201")); /* octet 'a' is no label length */
    assert_false(accepts(TIMES "01 01610162 00 80 0f c0000201")); /* the group itself */
    assert_false(accepts(TIMES "01 01610162 00 80 10 c0000201"));
    assert_false(accepts(TIMES "01 01610162 00 80 09 c0000201")); /* the header */
    assert_false(accepts(TIMES "01 01610162 00 80 00 c0000201"));
    assert_false(accepts(TIMES "01 01610162 00 80"));
    assert_false(accepts(TIMES "01 01610162 00 80 ff000c c0000201")); /* the long form of a short value */
}

static void test_check_refuses_a_reference_to_a_name_that_ends_behind_the_group(void **state)
{
    (void)state;
    /* The first record's last octet, at 15, is a label length that takes in the group at 16. */
    assert_true(accepts(PLAIN "00 c0000200 80 0f c0000201"));
    assert_false(accepts(PLAIN "00 c0000202 80 0f 00000201"));
    assert_false(accepts(PLAIN "00 c0000201 80 0f 00000201"));
}

static void test_check_accepts_a_reference_into_a_coded_name_and_rdata(void **state)
{
    (void)state;
    assert_true(accepts(TIMES "01 0161 82 80 0a c0000201"));
    assert_true(accepts(TIMES "01 0161 82 80 0c c0000201"));
    assert_true(accepts(TIMES "01 0161 82 20 05 0162 00 80 0f c0000201")); /* the target of the CNAME */
}

static void test_check_accepts_a_far_reference(void **state)
{
    (void)state;
    for (unsigned target = 11 + 2 + 3 + 300; target <= 11 + 2 + 3 + 302; target++) {
        begin(PLAIN "20 10 ff012e"); /* TXT with 302 octets, the last one a root */
        put_times('e', 301);
        put_hex("00 80 ff");
        put16(target);
        put_hex("c0000201");
        assert_true(is_accepted() == (target == 11 + 2 + 3 + 301));
    }
}

static void test_check_wants_explicit_owners_without_a_suffix_code(void **state)
{
    (void)state;
    assert_true(accepts(PLAIN "c0 00 c0000201"));
    assert_true(accepts(PLAIN "c0 0161 00 c0000201"));
    assert_false(accepts(PLAIN "c0 0161 82 c0000201"));
    assert_false(accepts(PLAIN "c0 0161"));
    assert_false(accepts(PLAIN "c0"));
    for (size_t len = 255; len <= 256; len++) {
        begin(PLAIN "c0");
        put_labels(len - 1);
        put_hex("00 c0000201");
        assert_true(is_accepted() == (len == 255));
    }
}

static void test_check_accepts_the_owner_before_even_where_there_is_none(void **state)
{
    (void)state;
    assert_true(accepts(PLAIN "40 c0000201"));
    assert_true(accepts(PLAIN "c0 0161 00 c0000201 40 c0000202"));
}

/* One field for each layout: a type and its RDATA. */
static const struct {
    const char *group;
    bool ends_itself; /* its end can be seen: no other octets can be the same field and more */
} fields[] = {
    {"2001 c0000201", true},
    {"201c 20010db8000000000000000000000001", true},
    {"2002 0161016200", true},
    {"2005 0161016200", true},
    {"200c 0161016200", true},
    {"2027 0161016200", true},
    {"200f 000a 0161016200", true},
    {"2021 000100020003 0161016200", true},
    {"2006 016e00 016d0161016200 0000000100000002000000030000000400000005", true},
    {"2010 03026162", true},
    {"202b 06000102030405", true},
    {"2041 0a 0001 00 000100 02 6832 65", true},
    {"20ff0101 03 000561", true},
    {"20fe 00", true},
};

static void test_check_refuses_every_field_that_is_short_of_an_octet(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        size_t whole;

        assert_true(accepts(PLAIN "00 c0000201"));
        begin(PLAIN);
        put_hex(fields[i].group);
        assert_true(is_accepted());
        whole = made.len;
        for (made.len = DNSPACK_ENTRY_MIN + 1; made.len < whole; made.len++)
            assert_false(is_accepted());
    }
}

static void test_check_wants_names_in_rdata_without_a_suffix_code(void **state)
{
    (void)state;
    assert_true(accepts(PLAIN "2005 016100"));
    assert_false(accepts(PLAIN "2005 016182"));
    assert_false(accepts(PLAIN "200f 000a 016182"));
    assert_false(accepts(PLAIN "2006 016182 00 0000000100000002000000030000000400000005"));
    assert_false(accepts(PLAIN "2006 00 016182 0000000100000002000000030000000400000005"));
    assert_false(accepts(PLAIN "2005 c00a"));
}

/* ---- a second reading, straight from spec/entry.acsl ---- */

/* Octets beyond the end read as 0: whatever they say, what they are part of ends beyond the end. */
struct reading {
    const uint8_t *octets;
    long len;
};

static long oct(const struct reading *r, long i)
{
    return i < r->len ? r->octets[i] : 0;
}

static long be16_at(const struct reading *r, long i)
{
    return oct(r, i) * 256 + oct(r, i + 1);
}

static long be24_at(const struct reading *r, long i)
{
    return be16_at(r, i) * 256 + oct(r, i + 2);
}

static long var_end(const struct reading *r, long o)
{
    return oct(r, o) != 255 ? o + 1 : be16_at(r, o + 1) >= 255 ? o + 3 : -1;
}

static long var_value(const struct reading *r, long o)
{
    return oct(r, o) != 255 ? oct(r, o) : be16_at(r, o + 1);
}

static long counted_end(const struct reading *r, long o)
{
    return var_end(r, o) < 0 ? -1 : var_end(r, o) + var_value(r, o);
}

static long walk_end(const struct reading *r, long i, bool coded, int labels)
{
    long c = oct(r, i);

    if (labels == 0)
        return -1;
    if (c == 0 || (coded && c >= 128 && c <= 175))
        return i + 1;
    return c <= 63 ? walk_end(r, i + 1 + c, coded, labels - 1) : -1;
}

static long name_stop(const struct reading *r, long i, bool coded)
{
    long end = i < 0 ? -1 : walk_end(r, i, coded, 128);
    long last = end < 0 ? 0 : oct(r, end - 1);
    long more = last == 0 ? 0 : last < 160 ? 3 : last < 170 ? 4 : 5;

    return end >= 0 && end - i + more <= 255 ? end : -1;
}

static long field_end(const struct reading *r, long o, long type)
{
    long end;

    switch (type) {
    case 1:
        return o + 4;
    case 28:
        return o + 16;
    case 2:
    case 5:
    case 12:
    case 39:
        return name_stop(r, o, false);
    case 15:
        return name_stop(r, o + 2, false);
    case 33:
        return name_stop(r, o + 6, false);
    case 6:
        end = name_stop(r, name_stop(r, o, false), false);
        return end < 0 ? -1 : end + 20;
    default:
        return counted_end(r, o);
    }
}

static bool is_shaped(long type)
{
    return type == 1 || type == 28 || type == 2 || type == 5 || type == 12 || type == 39 || type == 15 || type == 33 || type == 6;
}

/* What the second reading finds. */
struct found {
    bool valid;
    long qname, tag, errors, groups, section_end[3], qtype, qclass, ext;
    size_t count;
    struct dnspack_item items[4096];
};

static struct found found;

static void found_add(const struct reading *r, long section, long type, long ttl, long owner, long o)
{
    struct dnspack_item *item = &found.items[found.count++];

    assert_true(found.count < sizeof found.items / sizeof found.items[0]);
    item->section = (uint8_t)section;
    item->type = (uint16_t)type;
    item->ttl_s = (uint32_t)ttl;
    item->owner_off = (uint16_t)owner;
    item->rdata_off = (uint16_t)(is_shaped(type) ? o : var_end(r, o));
    item->rdata_len = (uint16_t)(field_end(r, o, type) - item->rdata_off);
}

static bool fields_read(const struct reading *r, long *o, long end, long section, long type, long ttl, long owner, long count)
{
    for (; count > 0; count--) {
        long next = field_end(r, *o, type);

        if (next < 0 || next > end)
            return false;
        found_add(r, section, type, ttl, owner, *o);
        *o = next;
    }
    return true;
}

/* The groups from o to end; before: the owner of the group before. */
static bool tiled(const struct reading *r, long o, long end, long section, long before)
{
    long ctl = oct(r, o), at = o + 1, type = found.qtype, ttl = be24_at(r, 6), owner = found.qname;

    if (o >= end)
        return o == end;
    if (ctl / 32 % 2 == 1) {
        type = var_value(r, at);
        at = var_end(r, at);
        if (at < 0)
            return false;
    }
    if (ctl / 16 % 2 == 1) {
        ttl = be24_at(r, at);
        at += 3;
    }
    if (ctl / 64 == 1) {
        owner = before;
    } else if (ctl / 64 == 2) {
        owner = var_value(r, at);
        if (var_end(r, at) < 0 || owner < found.qname || owner >= o || name_stop(r, owner, true) < 0 || name_stop(r, owner, true) > o)
            return false;
        at = var_end(r, at);
    } else if (ctl / 64 == 3) {
        owner = at;
        at = name_stop(r, at, false);
        if (at < 0)
            return false;
    }
    return at <= end && fields_read(r, &at, end, section, type, ttl, owner, ctl % 16 + 1) && tiled(r, at, end, section, owner);
}

static long qtype_for(long code)
{
    static const long types[16] = {0, 1, 28, 65, 16, 12, 15, 2, 6, 5, 33, 43, 48, 64, 257, 35};

    return types[code];
}

static bool fixed_valid(const struct reading *r)
{
    long flags = oct(r, 9), at = 10;

    if (r->len < 11 || r->len > 65535 || be16_at(r, 0) != r->len || flags / 64 == 3)
        return false;
    found.ext = 0;
    if (flags / 16 % 2 == 1) {
        found.ext = oct(r, at++);
        if (found.ext == 0 || found.ext > 31)
            return false;
    }
    if (found.ext / 16 == 1 && flags / 32 % 2 == 1)
        return false;
    found.qtype = qtype_for(flags % 16);
    if (flags % 16 == 0) {
        found.qtype = be16_at(r, at);
        at += 2;
        for (long code = 1; code <= 15; code++)
            if (qtype_for(code) == found.qtype)
                return false;
    }
    found.qclass = 1;
    if (found.ext % 2 == 1) {
        found.qclass = be16_at(r, at);
        at += 2;
        if (found.qclass == 1)
            return false;
    }
    found.qname = at + (found.ext / 2 % 2 == 1 ? 4 : 0);
    return true;
}

static bool keys_valid(const struct reading *r)
{
    long at;

    found.tag = name_stop(r, found.qname, true);
    if (found.tag < 0)
        return false;
    found.errors = found.tag + (found.ext / 4 % 2 == 1 ? 1 + oct(r, found.tag) : 0);
    found.groups = found.errors;
    if (found.ext / 8 % 2 == 0)
        return true;
    at = found.errors + 1;
    if (oct(r, found.errors) < 1 || oct(r, found.errors) > 8)
        return false;
    for (long left = oct(r, found.errors); left > 0; left--) {
        if (var_value(r, at) < 2 || counted_end(r, at) < 0)
            return false;
        at = counted_end(r, at);
    }
    found.groups = at;
    return true;
}

static bool is_valid_entry(const uint8_t *octets, size_t len)
{
    const struct reading r = {octets, (long)len};

    found.count = 0;
    if (!fixed_valid(&r) || !keys_valid(&r))
        return false;
    found.section_end[0] = found.section_end[1] = found.section_end[2] = r.len;
    if (found.ext / 2 % 2 == 1) {
        found.section_end[0] = found.groups + be16_at(&r, found.qname - 4);
        found.section_end[1] = found.section_end[0] + be16_at(&r, found.qname - 2);
    }
    return found.groups <= r.len && found.section_end[1] <= r.len && tiled(&r, found.groups, found.section_end[0], 0, found.qname) &&
           tiled(&r, found.section_end[0], found.section_end[1], 1, found.qname) && tiled(&r, found.section_end[1], r.len, 2, found.qname);
}

/* ---- random entries, and what is left of them when octets change ---- */

static uint64_t seed = 20240229;

static unsigned random_below(unsigned bound)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % bound;
}

static void put_random(size_t count)
{
    for (size_t i = 0; i < count; i++)
        put((uint8_t)random_below(256));
}

static void put_random_name(bool coded)
{
    for (unsigned labels = random_below(4); labels > 0; labels--) {
        unsigned len = random_below(20) == 0 ? 63 : 1 + random_below(4);

        put((uint8_t)len);
        put_times((uint8_t)('a' + random_below(26)), len);
    }
    put(coded && random_below(2) == 0 ? (uint8_t)(128 + random_below(48)) : 0);
}

static void put_random_field(unsigned type)
{
    unsigned len = random_below(30) == 0 ? 255 + random_below(20) : random_below(8);

    switch (type) {
    case 1:
        put_random(4);
        return;
    case 28:
        put_random(16);
        return;
    case 6:
        put_random_name(false);
        put_random_name(false);
        put_random(20);
        return;
    case 15:
        put_random(2);
        put_random_name(false);
        return;
    case 2:
    case 5:
        put_random_name(false);
        return;
    default:
        if (len >= 255)
            put_long(len);
        else
            put((uint8_t)len);
        put_random(len);
    }
}

static void put_random_group(void)
{
    static const uint8_t types[] = {1, 28, 6, 15, 2, 5, 16, 250};
    unsigned type = types[random_below(8)], form = random_below(4), count = 1 + (random_below(8) == 0 ? random_below(16) : random_below(2));
    unsigned timed = random_below(2);

    put((uint8_t)(form * 64 + 32 + timed * 16 + count - 1));
    put((uint8_t)type);
    if (timed == 1)
        put_random(3);
    if (form == OWNER_REFERENCE)
        put((uint8_t)(10 + random_below(30)));
    if (form == OWNER_EXPLICIT)
        put_random_name(false);
    for (; count > 0; count--)
        put_random_field(type);
}

static void begin_random(void)
{
    unsigned ext = random_below(2) == 0 ? 0 : 1 + random_below(31), flags = random_below(3) * 64, code = random_below(16);
    size_t lengths, groups, authority, additional;

    if (ext / 16 == 0)
        flags += random_below(2) * 32;
    begin(TIMES);
    put((uint8_t)(flags + (ext > 0 ? 16 : 0) + code));
    if (ext > 0)
        put((uint8_t)ext);
    if (code == 0)
        put_hex("0063");
    if (ext % 2 == 1)
        put_hex("0003");
    lengths = made.len;
    if (ext / 2 % 2 == 1)
        put_times(0, 4);
    put_random_name(true);
    if (ext / 4 % 2 == 1) {
        unsigned len = random_below(6);

        put((uint8_t)len);
        put_random(len);
    }
    if (ext / 8 % 2 == 1) {
        unsigned count = 1 + random_below(8);

        put((uint8_t)count);
        for (; count > 0; count--) {
            unsigned len = 2 + random_below(4);

            put((uint8_t)len);
            put_random(len);
        }
    }
    groups = made.len;
    for (unsigned left = random_below(3); left > 0; left--)
        put_random_group();
    authority = made.len;
    for (unsigned left = random_below(2); left > 0; left--)
        put_random_group();
    additional = made.len;
    for (unsigned left = random_below(2); left > 0; left--)
        put_random_group();
    if (ext / 2 % 2 == 1) {
        made.octets[lengths] = (uint8_t)((authority - groups) / 256u);
        made.octets[lengths + 1] = (uint8_t)((authority - groups) % 256u);
        made.octets[lengths + 2] = (uint8_t)((additional - authority) / 256u);
        made.octets[lengths + 3] = (uint8_t)((additional - authority) % 256u);
    }
}

static void mutate(void)
{
    static const uint8_t edges[] = {0, 1, 2, 10, 11, 16, 63, 64, 127, 128, 175, 176, 192, 254, 255};
    size_t at = 2 + random_below((unsigned)made.len - 2);

    switch (random_below(5)) {
    case 0:
        made.octets[at] = (uint8_t)random_below(256);
        break;
    case 1:
        made.octets[at] = edges[random_below(sizeof edges)];
        break;
    case 2:
        made.octets[at] = (uint8_t)(made.octets[at] ^ (1u << random_below(8)));
        break;
    case 3: /* one octet less */
        memmove(made.octets + at, made.octets + at + 1, made.len - at - 1);
        made.len--;
        break;
    default: /* one octet more */
        memmove(made.octets + at + 1, made.octets + at, made.len - at);
        made.len++;
    }
}

/* Head and records of an accepted entry are those of the second reading. */
static void agree(const uint8_t *entry, size_t len)
{
    struct dnspack_entry head = dnspack_entry_decode(entry, len);
    struct dnspack_cursor cursor = {0};
    struct dnspack_item item;
    uint8_t name[DNSPACK_NAME_MAX];

    assert_int_equal(head.qname_off, found.qname);
    assert_int_equal(head.qname_end, found.tag);
    assert_int_equal(head.tag_off + head.tag_len, found.errors);
    assert_int_equal(head.qtype, found.qtype);
    assert_int_equal(head.qclass, found.qclass);
    assert_int_equal(head.section_off[0], found.groups);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(head.section_off[i + 1], found.section_end[i]);
    for (size_t i = 0; i < found.count; i++) {
        size_t name_len;

        assert_true(dnspack_entry_next(entry, &head, &cursor, &item));
        assert_int_equal(item.section, found.items[i].section);
        assert_int_equal(item.type, found.items[i].type);
        assert_int_equal(item.ttl_s, found.items[i].ttl_s);
        assert_int_equal(item.owner_off, found.items[i].owner_off);
        assert_int_equal(item.rdata_off, found.items[i].rdata_off);
        assert_int_equal(item.rdata_len, found.items[i].rdata_len);
        name_len = dnspack_entry_name(entry, len, item.owner_off, name);
        assert_int_equal(dnspack_name_check(name, sizeof name, 0), name_len);
    }
    assert_false(dnspack_entry_next(entry, &head, &cursor, &item));
    assert_false(dnspack_entry_next(entry, &head, &cursor, &item));
}

/* Does the check say of the entry that was made what the second reading says? Returns that. */
static bool compared(void)
{
    uint8_t *copy = exact(made.octets, made.len);
    bool valid = is_valid_entry(copy, made.len);

    assert_int_equal(dnspack_entry_check(copy, made.len), valid ? DNSPACK_OK : DNSPACK_E_ENTRY);
    if (valid)
        agree(copy, made.len);
    free(copy);
    return valid;
}

static void test_check_and_the_second_reading_agree_on_mutated_entries(void **state)
{
    size_t accepted = 0, records = 0;

    (void)state;
    for (size_t round = 0; round < 200000; round++) {
        begin_random();
        for (unsigned left = random_below(4); left > 0; left--)
            mutate();
        len_set(made.len - (random_below(50) == 0 ? 1 : 0));
        if (compared()) {
            accepted++;
            records += found.count;
        }
    }
    assert_in_range(accepted, 40000, 160000);
    assert_true(records > 30000);
}

static void test_check_and_the_second_reading_agree_on_random_octets(void **state)
{
    size_t accepted = 0;

    (void)state;
    for (size_t round = 0; round < 200000; round++) {
        begin(TIMES);
        put((uint8_t)(random_below(256) % 192));
        for (unsigned left = random_below(16); left > 0; left--)
            put((uint8_t)(random_below(3) == 0 ? random_below(256) : random_below(20)));
        len_set(made.len);
        accepted += compared();
    }
    assert_true(accepted > 500);
}

/* ---- decode ---- */

static void test_decode_reads_the_smallest_head(void **state)
{
    size_t len;
    uint8_t *entry = finish("12345678 abcdef 62 00", &len);
    struct dnspack_entry head = dnspack_entry_decode(entry, len);

    (void)state;
    assert_int_equal(head.stored_s, 0x12345678);
    assert_int_equal(head.ttl_s, 0xabcdef);
    assert_int_equal(head.rcode, RCODE_NXDOMAIN);
    assert_true(head.authenticated);
    assert_false(head.unchecked);
    assert_int_equal(head.qtype, TYPE_AAAA);
    assert_int_equal(head.qclass, CLASS_IN);
    assert_int_equal(head.qname_off, ROOT_AT);
    assert_int_equal(head.qname_end, 11);
    assert_int_equal(head.tag_len, 0);
    assert_int_equal(head.error_count, 0);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(head.section_off[i], 11);
    free(entry);
}

static void test_decode_reads_a_head_with_every_field(void **state)
{
    size_t len;
    uint8_t *entry = finish("fffffffe 000001 90 1f 0063 0003 0002 0002 0161 82 03aabbcc 02 020016 03001561 0000 0000 0000", &len);
    struct dnspack_entry head = dnspack_entry_decode(entry, len);

    (void)state;
    assert_int_equal(head.stored_s, 0xfffffffe);
    assert_int_equal(head.ttl_s, 1);
    assert_int_equal(head.rcode, RCODE_SERVFAIL);
    assert_false(head.authenticated);
    assert_true(head.unchecked);
    assert_int_equal(head.qtype, 99);
    assert_int_equal(head.qclass, 3);
    assert_int_equal(head.qname_off, 19);
    assert_int_equal(head.qname_end, 22);
    assert_int_equal(head.tag_off, 23);
    assert_int_equal(head.tag_len, 3);
    assert_int_equal(head.error_count, 2);
    assert_int_equal(head.errors_off, 27);
    assert_int_equal(head.section_off[0], 34);
    assert_int_equal(head.section_off[1], 36);
    assert_int_equal(head.section_off[2], 38);
    assert_int_equal(head.section_off[3], 40);
    free(entry);
}

static void test_decode_tells_the_rcodes_apart(void **state)
{
    static const uint8_t rcodes[] = {RCODE_NOERROR, RCODE_NXDOMAIN, RCODE_SERVFAIL};

    (void)state;
    for (size_t i = 0; i < sizeof rcodes; i++) {
        begin(TIMES);
        put((uint8_t)(i * 64 + 1));
        put(0);
        assert_true(is_accepted());
        assert_int_equal(dnspack_entry_decode(made.octets, made.len).rcode, rcodes[i]);
    }
}

/* ---- next ---- */

static void expect_next(const uint8_t *entry, const struct dnspack_entry *head, struct dnspack_cursor *cursor, struct dnspack_item expected)
{
    struct dnspack_item item;

    assert_true(dnspack_entry_next(entry, head, cursor, &item));
    assert_int_equal(item.section, expected.section);
    assert_int_equal(item.type, expected.type);
    assert_int_equal(item.ttl_s, expected.ttl_s);
    assert_int_equal(item.owner_off, expected.owner_off);
    assert_int_equal(item.rdata_off, expected.rdata_off);
    assert_int_equal(item.rdata_len, expected.rdata_len);
}

static void test_next_finds_nothing_in_an_entry_without_records(void **state)
{
    static const char *const entries[] = {PLAIN, TIMES "11 02 0000 0000 00"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        size_t len;
        uint8_t *entry = finish(entries[i], &len);
        struct dnspack_entry head = dnspack_entry_decode(entry, len);
        struct dnspack_cursor cursor = {0};
        struct dnspack_item item = {.type = 7};

        assert_false(dnspack_entry_next(entry, &head, &cursor, &item));
        assert_int_equal(item.type, 7);
        assert_int_equal(cursor.rdata_off, 0);
        free(entry);
    }
}

static void test_next_steps_through_the_records_of_a_group(void **state)
{
    size_t len;
    uint8_t *entry = finish(PLAIN "02 c0000201 c0000202 c0000203", &len);
    struct dnspack_entry head = dnspack_entry_decode(entry, len);
    struct dnspack_cursor cursor = {0};
    struct dnspack_item item;

    (void)state;
    for (unsigned i = 0; i < 3; i++)
        expect_next(entry, &head, &cursor,
                    (struct dnspack_item){.ttl_s = 60, .type = 1, .owner_off = 10, .rdata_off = (uint16_t)(12 + 4 * i), .rdata_len = 4});
    assert_false(dnspack_entry_next(entry, &head, &cursor, &item));
    free(entry);
}

static void test_next_tells_whose_each_group_is(void **state)
{
    size_t len;
    /* 10: name, 14: CNAME to 16, 19: A of it, 25: explicit owner at 26, 33: the same, 38: of the query name, 43: the same */
    uint8_t *entry =
        finish(TIMES "01 01610162 00 20 05 016300 80 11 c0000201 c0 016400 c0000202 40 c0000203 00 c0000204 40 c0000205", &len);
    struct dnspack_entry head = dnspack_entry_decode(entry, len);
    struct dnspack_cursor cursor = {0};
    struct dnspack_item item;

    (void)state;
    expect_next(entry, &head, &cursor, (struct dnspack_item){.ttl_s = 60, .type = 5, .owner_off = 10, .rdata_off = 17, .rdata_len = 3});
    expect_next(entry, &head, &cursor, (struct dnspack_item){.ttl_s = 60, .type = 1, .owner_off = 17, .rdata_off = 22, .rdata_len = 4});
    expect_next(entry, &head, &cursor, (struct dnspack_item){.ttl_s = 60, .type = 1, .owner_off = 27, .rdata_off = 30, .rdata_len = 4});
    expect_next(entry, &head, &cursor, (struct dnspack_item){.ttl_s = 60, .type = 1, .owner_off = 27, .rdata_off = 35, .rdata_len = 4});
    expect_next(entry, &head, &cursor, (struct dnspack_item){.ttl_s = 60, .type = 1, .owner_off = 10, .rdata_off = 40, .rdata_len = 4});
    expect_next(entry, &head, &cursor, (struct dnspack_item){.ttl_s = 60, .type = 1, .owner_off = 10, .rdata_off = 45, .rdata_len = 4});
    assert_false(dnspack_entry_next(entry, &head, &cursor, &item));
    free(entry);
}

static void test_next_starts_each_section_with_the_query_name(void **state)
{
    size_t len;
    uint8_t *entry = finish(TIMES "11 02 0008 0005 00 c0 016100 c0000201 40 c0000202 40 c0000203", &len);
    struct dnspack_entry head = dnspack_entry_decode(entry, len);
    struct dnspack_cursor cursor = {0};
    struct dnspack_item item;

    (void)state;
    expect_next(entry, &head, &cursor, (struct dnspack_item){.ttl_s = 60, .type = 1, .owner_off = 17, .rdata_off = 20, .rdata_len = 4});
    expect_next(entry, &head, &cursor,
                (struct dnspack_item){.ttl_s = 60, .type = 1, .owner_off = 15, .rdata_off = 25, .rdata_len = 4, .section = 1});
    expect_next(entry, &head, &cursor,
                (struct dnspack_item){.ttl_s = 60, .type = 1, .owner_off = 15, .rdata_off = 30, .rdata_len = 4, .section = 2});
    assert_false(dnspack_entry_next(entry, &head, &cursor, &item));
    free(entry);
}

static void test_next_steps_over_empty_sections(void **state)
{
    size_t len;
    uint8_t *entry = finish(TIMES "11 02 0000 0000 00 00 c0000201", &len);
    struct dnspack_entry head = dnspack_entry_decode(entry, len);
    struct dnspack_cursor cursor = {0};
    struct dnspack_item item;

    (void)state;
    expect_next(entry, &head, &cursor,
                (struct dnspack_item){.ttl_s = 60, .type = 1, .owner_off = 15, .rdata_off = 17, .rdata_len = 4, .section = 2});
    assert_false(dnspack_entry_next(entry, &head, &cursor, &item));
    free(entry);
}

static void test_next_reads_types_ttls_and_lengths(void **state)
{
    size_t len;
    uint8_t *entry = finish(PLAIN "30 10 000e10 020161 20 ff0101 03000561 10 010203 c0000201 00 c0000202", &len);
    struct dnspack_entry head = dnspack_entry_decode(entry, len);
    struct dnspack_cursor cursor = {0};
    struct dnspack_item item;

    (void)state;
    expect_next(entry, &head, &cursor, (struct dnspack_item){.ttl_s = 3600, .type = 16, .owner_off = 10, .rdata_off = 17, .rdata_len = 2});
    expect_next(entry, &head, &cursor, (struct dnspack_item){.ttl_s = 60, .type = 257, .owner_off = 10, .rdata_off = 24, .rdata_len = 3});
    expect_next(entry, &head, &cursor,
                (struct dnspack_item){.ttl_s = 0x10203, .type = 1, .owner_off = 10, .rdata_off = 31, .rdata_len = 4});
    expect_next(entry, &head, &cursor, (struct dnspack_item){.ttl_s = 60, .type = 1, .owner_off = 10, .rdata_off = 36, .rdata_len = 4});
    assert_false(dnspack_entry_next(entry, &head, &cursor, &item));
    free(entry);
}

static void test_next_steps_over_a_length_of_three_octets(void **state)
{
    struct dnspack_entry head;
    struct dnspack_cursor cursor = {0};

    (void)state;
    begin(PLAIN "20 10 ff0100");
    put_times('t', 256);
    assert_true(is_accepted());
    head = dnspack_entry_decode(made.octets, made.len);
    expect_next(made.octets, &head, &cursor,
                (struct dnspack_item){.ttl_s = 60, .type = 16, .owner_off = 10, .rdata_off = 16, .rdata_len = 256});
}

/* ---- names ---- */

static void test_name_copies_a_name_without_a_code(void **state)
{
    size_t len;
    uint8_t *entry = finish(TIMES "01 0161026263 00", &len);
    uint8_t name[DNSPACK_NAME_MAX];

    (void)state;
    assert_int_equal(dnspack_entry_name(entry, len, 10, name), 6);
    assert_memory_equal(name, "\1a\2bc", 6);
    assert_int_equal(dnspack_entry_name(entry, len, 12, name), 4);
    assert_memory_equal(name, "\2bc", 4);
    assert_int_equal(dnspack_entry_name(entry, len, 15, name), 1);
    assert_memory_equal(name, "", 1);
    free(entry);
}

static void test_name_expands_a_suffix_code(void **state)
{
    size_t len;
    uint8_t *entry = finish(SAMPLE, &len);
    uint8_t name[DNSPACK_NAME_MAX];

    (void)state;
    assert_int_equal(dnspack_entry_name(entry, len, 10, name), 16);
    assert_memory_equal(name, "\3www\7example\2be", 16);
    assert_int_equal(dnspack_entry_name(entry, len, 14, name), 12);
    assert_memory_equal(name, "\7example\2be", 12);
    assert_int_equal(dnspack_entry_name(entry, len, 22, name), 4);
    assert_memory_equal(name, "\2be", 4);
    free(entry);
}

static void test_name_expands_to_255_octets(void **state)
{
    uint8_t *name = malloc(DNSPACK_NAME_MAX);

    (void)state;
    begin(TIMES "01");
    put_labels(249);
    put(0xaa);
    assert_true(is_accepted());
    assert_non_null(name);
    assert_int_equal(dnspack_entry_name(made.octets, made.len, 10, name), DNSPACK_NAME_MAX);
    assert_memory_equal(name + 249, "\4arpa", 6);
    assert_int_equal(dnspack_name_check(name, DNSPACK_NAME_MAX, 0), DNSPACK_NAME_MAX);
    free(name);
}

/* Labels in the order of their codes (spec/entry-format.md). */
static const char *const suffixes[] = {"ai",  "au",  "be",  "br",  "ca",  "ch",  "cn",   "co",   "cz",   "de",   "dk",   "es",
                                       "eu",  "fi",  "fr",  "in",  "io",  "ir",  "it",   "jp",   "kr",   "me",   "mx",   "nl",
                                       "pl",  "ru",  "se",  "tv",  "tw",  "ua",  "uk",   "us",   "app",  "biz",  "com",  "dev",
                                       "edu", "gov", "net", "org", "top", "xyz", "arpa", "club", "info", "live", "shop", "site"};

/* Store a name of len octets as a key; both are as long as they have to be. */
static size_t store(const char *name, size_t len, uint8_t *key)
{
    uint8_t *src = exact((const uint8_t *)name, len), *dst = malloc(len);
    size_t key_len;

    assert_non_null(dst);
    key_len = dnspack_qname_store(dst, 0, src, 0, len);
    assert_in_range(key_len, 1, len);
    memcpy(key, dst, key_len);
    free(src);
    free(dst);
    return key_len;
}

/* The key as the query name of an entry. */
static size_t key_expand(const uint8_t *key, size_t key_len, uint8_t name[DNSPACK_NAME_MAX])
{
    begin(TIMES "01");
    for (size_t i = 0; i < key_len; i++)
        put(key[i]);
    assert_true(is_accepted());
    return dnspack_entry_name(made.octets, made.len, 10, name);
}

static void expect_kept(const char *name, size_t len)
{
    uint8_t key[DNSPACK_NAME_MAX], back[DNSPACK_NAME_MAX];

    assert_int_equal(store(name, len, key), len);
    assert_memory_equal(key, name, len);
    assert_int_equal(key_expand(key, len, back), len);
    assert_memory_equal(back, name, len);
}

static void test_qname_store_codes_each_suffix_and_name_gives_it_back(void **state)
{
    static const char *const before[] = {"", "\3www", "\1a\3com"};

    (void)state;
    assert_int_equal(sizeof suffixes / sizeof suffixes[0], SUFFIX_END - SUFFIX_FIRST);
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        for (size_t j = 0; j < 3; j++) {
            uint8_t key[DNSPACK_NAME_MAX], back[DNSPACK_NAME_MAX];
            char name[32];
            size_t at = strlen(before[j]), len = at + strlen(suffixes[i]) + 2;

            memcpy(name, before[j], at);
            name[at] = (char)strlen(suffixes[i]);
            memcpy(name + at + 1, suffixes[i], strlen(suffixes[i]) + 1);
            assert_int_equal(store(name, len, key), at + 1);
            assert_memory_equal(key, name, at);
            assert_int_equal(key[at], SUFFIX_FIRST + i);
            assert_int_equal(key_expand(key, at + 1, back), len);
            assert_memory_equal(back, name, len);
        }
    }
}

static void test_qname_store_keeps_labels_without_a_code(void **state)
{
    (void)state;
    expect_kept("", 1);
    expect_kept("\1a", 3);
    expect_kept("\2zz", 4);
    expect_kept("\3zzz", 5);
    expect_kept("\4zzzz", 6);
    expect_kept("\5shops", 7);
    expect_kept("\3com\1x", 7);
    expect_kept("\3com\12comcomcomc", 16);
}

static void test_qname_store_does_not_code_a_label_that_begins_with_a_zero_octet(void **state)
{
    (void)state;
    expect_kept("\3\0de", 5);
    expect_kept("\4\0\0de", 6);
    expect_kept("\4\0com", 6);
    expect_kept("\1a\3\0de", 7);
    expect_kept("\2\0e", 4);
    expect_kept("\4\0\0\0\0", 6);
}

static void test_qname_store_writes_lower_case(void **state)
{
    uint8_t key[DNSPACK_NAME_MAX];

    (void)state;
    assert_int_equal(store("\3WwW\7EXAMPLE\3CoM", 17, key), 13);
    assert_memory_equal(key, "\3www\7example\xa2", 13);
    assert_int_equal(store("\4@[`{", 6, key), 6);
    assert_memory_equal(key, "\4@[`{", 6);
}

static void test_qname_store_takes_names_of_255_octets(void **state)
{
    uint8_t key[DNSPACK_NAME_MAX];
    char name[DNSPACK_NAME_MAX];

    (void)state;
    begin("");
    put_labels(250);
    memcpy(name, made.octets + 2, 250);
    memcpy(name + 250, "\3org", 5);
    assert_int_equal(store(name, DNSPACK_NAME_MAX, key), 251);
    assert_memory_equal(key, name, 250);
    assert_int_equal(key[250], 0xa7);
}

/* ---- matches ---- */

/* A query for www.example.be A IN, with its name at offset 12, and the flags CD and RD. */
struct query {
    uint8_t msg[DNSPACK_HEADER_LEN + 16];
    struct dnspack_message message;
};

static struct query query_for(const char *name)
{
    struct query query = {.message = {.qname_len = 16, .qtype = TYPE_A, .qclass = CLASS_IN, .flags = DNSPACK_FLAG_RD}};

    memcpy(query.msg + DNSPACK_HEADER_LEN, name, 16);
    return query;
}

static bool is_match(const char *hex, const struct query *query, const char *tag)
{
    size_t len, tag_len = strlen(tag);
    uint8_t *entry = finish(hex, &len), *tag_octets = exact((const uint8_t *)tag, tag_len);
    bool match = dnspack_entry_matches(entry, len, query->msg, &query->message, tag_len == 0 ? NULL : tag_octets, tag_len);

    free(entry);
    free(tag_octets);
    return match;
}

static void test_matches_compares_names_without_case(void **state)
{
    struct query same = query_for("\3www\7example\2be"), upper = query_for("\3WWW\7eXaMpLe\2BE");
    struct query other = query_for("\3wwx\7example\2be"), coded = query_for("\3www\7example\2br"), parted = query_for("\7example\3www\2be");

    (void)state;
    assert_true(is_match(SAMPLE, &same, ""));
    assert_true(is_match(SAMPLE, &upper, ""));
    assert_false(is_match(SAMPLE, &other, ""));
    assert_false(is_match(SAMPLE, &coded, ""));
    assert_false(is_match(SAMPLE, &parted, ""));
    same.message.qname_len = 1; /* the root */
    same.msg[DNSPACK_HEADER_LEN] = 0;
    assert_false(is_match(SAMPLE, &same, ""));
    assert_true(is_match(PLAIN, &same, ""));
}

static void test_matches_compares_type_and_class(void **state)
{
    struct query query = query_for("\3www\7example\2be");

    (void)state;
    query.message.qtype = TYPE_AAAA;
    assert_false(is_match(SAMPLE, &query, ""));
    query.message.qtype = TYPE_A;
    query.message.qclass = 3;
    assert_false(is_match(SAMPLE, &query, ""));
    assert_true(is_match(TIMES "11 01 0003 03777777 076578616d706c65 82", &query, ""));
}

static void test_matches_compares_tags(void **state)
{
    static const char tagged[] = TIMES "11 04 03777777 076578616d706c65 82 026162";
    struct query query = query_for("\3www\7example\2be");

    (void)state;
    assert_true(is_match(tagged, &query, "ab"));
    assert_false(is_match(tagged, &query, "ac"));
    assert_false(is_match(tagged, &query, "a"));
    assert_false(is_match(tagged, &query, "abc"));
    assert_false(is_match(tagged, &query, ""));
    assert_false(is_match(SAMPLE, &query, "ab"));
    assert_true(is_match(TIMES "11 04 03777777 076578616d706c65 82 00", &query, "")); /* an empty tag is none */
}

static void test_matches_gives_unchecked_data_to_queries_with_cd_only(void **state)
{
    static const char unchecked[] = TIMES "11 10 03777777 076578616d706c65 82";
    struct query query = query_for("\3www\7example\2be");

    (void)state;
    assert_false(is_match(unchecked, &query, ""));
    query.message.flags = 0xffff & ~DNSPACK_FLAG_CD;
    assert_false(is_match(unchecked, &query, ""));
    query.message.flags = DNSPACK_FLAG_CD;
    assert_true(is_match(unchecked, &query, ""));
    assert_true(is_match(SAMPLE, &query, ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check_accepts_the_smallest_entry_and_no_shorter_one),
        cmocka_unit_test(test_check_wants_the_length_that_is_stored),
        cmocka_unit_test(test_check_accepts_the_longest_entry_and_no_longer_one),
        cmocka_unit_test(test_check_refuses_the_fourth_rcode),
        cmocka_unit_test(test_check_refuses_an_ext_octet_without_a_bit_or_with_unknown_ones),
        cmocka_unit_test(test_check_refuses_unchecked_with_authenticated),
        cmocka_unit_test(test_check_refuses_an_explicit_type_that_has_a_code),
        cmocka_unit_test(test_check_refuses_an_explicit_class_in),
        cmocka_unit_test(test_check_refuses_sections_that_do_not_end_with_groups_in_the_entry),
        cmocka_unit_test(test_check_accepts_255_octets_of_a_name_and_not_256),
        cmocka_unit_test(test_check_accepts_127_labels_and_not_128),
        cmocka_unit_test(test_check_accepts_labels_of_63_octets_and_not_64),
        cmocka_unit_test(test_check_accepts_the_48_suffix_codes_and_no_other_octet),
        cmocka_unit_test(test_check_refuses_a_query_name_that_does_not_end),
        cmocka_unit_test(test_check_refuses_a_tag_that_runs_over_the_end),
        cmocka_unit_test(test_check_accepts_1_to_8_errors),
        cmocka_unit_test(test_check_refuses_an_error_without_its_code),
        cmocka_unit_test(test_check_refuses_the_long_form_of_a_short_error),
        cmocka_unit_test(test_check_refuses_an_octet_behind_the_last_group),
        cmocka_unit_test(test_check_wants_as_many_fields_as_the_count_says),
        cmocka_unit_test(test_check_refuses_the_long_form_of_a_short_type),
        cmocka_unit_test(test_check_refuses_the_long_form_of_a_short_rdata_length),
        cmocka_unit_test(test_check_reads_three_octets_of_an_explicit_ttl),
        cmocka_unit_test(test_check_refuses_owner_references_that_do_not_lead_back_to_a_name),
        cmocka_unit_test(test_check_refuses_a_reference_to_a_name_that_ends_behind_the_group),
        cmocka_unit_test(test_check_accepts_a_reference_into_a_coded_name_and_rdata),
        cmocka_unit_test(test_check_accepts_a_far_reference),
        cmocka_unit_test(test_check_wants_explicit_owners_without_a_suffix_code),
        cmocka_unit_test(test_check_accepts_the_owner_before_even_where_there_is_none),
        cmocka_unit_test(test_check_refuses_every_field_that_is_short_of_an_octet),
        cmocka_unit_test(test_check_wants_names_in_rdata_without_a_suffix_code),
        cmocka_unit_test(test_check_and_the_second_reading_agree_on_mutated_entries),
        cmocka_unit_test(test_check_and_the_second_reading_agree_on_random_octets),
        cmocka_unit_test(test_decode_reads_the_smallest_head),
        cmocka_unit_test(test_decode_reads_a_head_with_every_field),
        cmocka_unit_test(test_decode_tells_the_rcodes_apart),
        cmocka_unit_test(test_next_finds_nothing_in_an_entry_without_records),
        cmocka_unit_test(test_next_steps_through_the_records_of_a_group),
        cmocka_unit_test(test_next_tells_whose_each_group_is),
        cmocka_unit_test(test_next_starts_each_section_with_the_query_name),
        cmocka_unit_test(test_next_steps_over_empty_sections),
        cmocka_unit_test(test_next_reads_types_ttls_and_lengths),
        cmocka_unit_test(test_next_steps_over_a_length_of_three_octets),
        cmocka_unit_test(test_name_copies_a_name_without_a_code),
        cmocka_unit_test(test_name_expands_a_suffix_code),
        cmocka_unit_test(test_name_expands_to_255_octets),
        cmocka_unit_test(test_qname_store_codes_each_suffix_and_name_gives_it_back),
        cmocka_unit_test(test_qname_store_keeps_labels_without_a_code),
        cmocka_unit_test(test_qname_store_does_not_code_a_label_that_begins_with_a_zero_octet),
        cmocka_unit_test(test_qname_store_writes_lower_case),
        cmocka_unit_test(test_qname_store_takes_names_of_255_octets),
        cmocka_unit_test(test_matches_compares_names_without_case),
        cmocka_unit_test(test_matches_compares_type_and_class),
        cmocka_unit_test(test_matches_compares_tags),
        cmocka_unit_test(test_matches_gives_unchecked_data_to_queries_with_cd_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
