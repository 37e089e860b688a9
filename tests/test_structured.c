/* Tests of the structured layout and of the judge by libldns: what each accepts, and each rule of their comparison. */
#include "judge.h"
#include "structured.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Octets of a string constant, without its end. */
#define OCTETS(text) (const uint8_t *)(text), sizeof(text) - 1

#define TWO_ERRORS "\0\x0f\0\2\0\3\0\x0f\0\2\0\4"
#define EIGHT_ERRORS TWO_ERRORS TWO_ERRORS TWO_ERRORS TWO_ERRORS

enum section { ANSWER, AUTHORITY, ADDITIONAL };
enum rcode { SERVFAIL = 2, NXDOMAIN = 3 };
enum class { IN = 1, CH = 3, ANY = 255 };
enum type {
    A = 1,
    NS = 2,
    CNAME = 5,
    SOA = 6,
    TXT = 16,
    SIG = 24,
    AAAA = 28,
    NAPTR = 35,
    OPT = 41,
    APL = 42,
    IPSECKEY = 45,
    RRSIG = 46,
    NSEC = 47,
    HIP = 55,
    SVCB = 64,
    NXNAME = 128,
    TSIG = 250,
    AMTRELAY = 260,
    UNKNOWN = 65280,
};

/* ---- messages by hand ---- */

struct message {
    size_t len;
    uint8_t octets[65535];
};

static void put(struct message *m, const uint8_t *octets, size_t len)
{
    assert_true(len <= sizeof m->octets - m->len);
    memcpy(m->octets + m->len, octets, len);
    m->len += len;
}

static void put_u16(struct message *m, unsigned value)
{
    put(m, (const uint8_t[]){(uint8_t)(value >> 8), (uint8_t)value}, 2);
}

static void put_u32(struct message *m, uint32_t value)
{
    put_u16(m, value >> 16);
    put_u16(m, value & 0xffff);
}

/* "www.example." as a wire name, not compressed. */
static void put_name(struct message *m, const char *text)
{
    while (strcmp(text, ".") != 0 && *text != '\0') {
        size_t len = strcspn(text, ".");
        put(m, (const uint8_t[]){(uint8_t)len}, 1);
        put(m, (const uint8_t *)text, len);
        text += len + 1;
    }
    put(m, OCTETS("\0"));
}

/* A response to www.example. A. */
static void start(struct message *m)
{
    m->len = 0;
    put(m, OCTETS("\x12\x34\x81\x80\0\1\0\0\0\0\0\0"));
    put_name(m, "www.example.");
    put_u16(m, A);
    put_u16(m, IN);
}

/* The fixed part of a record; the RDATA is up to the caller. */
static void add_head(struct message *m, enum section section, const char *owner, unsigned type, unsigned class, uint32_t ttl_s,
                     size_t rdata_len)
{
    uint8_t *count = m->octets + 6 + 2 * (size_t)section;
    count[0] = (uint8_t)(count[0] + (count[1] == 255));
    count[1]++;
    put_name(m, owner);
    put_u16(m, type);
    put_u16(m, class);
    put_u32(m, ttl_s);
    put_u16(m, (unsigned)rdata_len);
}

static void add(struct message *m, enum section section, const char *owner, unsigned type, uint32_t ttl_s, const uint8_t *rdata,
                size_t rdata_len)
{
    add_head(m, section, owner, type, IN, ttl_s, rdata_len);
    put(m, rdata, rdata_len);
}

static void add_a(struct message *m, enum section section, uint32_t ttl_s)
{
    add(m, section, "www.example.", A, ttl_s, OCTETS("\xc0\0\2\1"));
}

static void add_rrsig(struct message *m, unsigned covered, uint32_t ttl_s, uint32_t original_ttl_s, const char *signer)
{
    add_head(m, ANSWER, "www.example.", RRSIG, IN, ttl_s, 18 + strlen(signer) + 1 + 4);
    put_u16(m, covered);
    put_u16(m, 0x0d02);
    put_u32(m, original_ttl_s);
    put(m, OCTETS("\x60\0\0\0\x50\0\0\0\x12\x34"));
    put_name(m, signer);
    put(m, OCTETS("sign"));
}

static void add_opt(struct message *m, unsigned udp_size, uint32_t fields, const uint8_t *options, size_t options_len)
{
    add_head(m, ADDITIONAL, ".", OPT, udp_size, fields, options_len);
    put(m, options, options_len);
}

/* ---- verdicts ---- */

static struct structured *parse(const struct message *m)
{
    /* A copy of exact size, so that a sanitizer sees a read past the end. */
    uint8_t *copy = malloc(m->len + 1);
    assert_non_null(copy);
    memcpy(copy + 1, m->octets, m->len);
    struct structured *s = structured_parse(copy + 1, m->len);
    free(copy);
    return s;
}

static void assert_parses(const struct message *m, bool expected)
{
    struct structured *s = parse(m);
    assert_int_equal(s != NULL, expected);
    structured_free(s);
}

static bool equal_structured(const struct message *a, const struct message *b, const struct structured_rules *rules)
{
    char why[100] = "";
    struct structured *x = parse(a);
    struct structured *y = parse(b);
    assert_non_null(x);
    assert_non_null(y);
    bool equal = structured_equal(x, y, rules, why, sizeof why);
    assert_int_equal(equal, why[0] == '\0');
    structured_free(x);
    structured_free(y);
    return equal;
}

static bool equal_judge(const struct message *a, const struct message *b, const struct structured_rules *rules)
{
    char why[100] = "";
    struct judge_rules same = {
        .ttl_max_s = rules->ttl_max_s,
        .age_s = rules->age_s,
        .ttl_as_is = rules->ttl_as_is,
        .drop_authority = rules->drop_authority,
        .drop_additional = rules->drop_additional,
    };
    int verdict = judge_equal(a->octets, a->len, b->octets, b->len, &same, why, sizeof why);
    assert_true(verdict == JUDGE_EQUAL || verdict == JUDGE_DIFFERENT);
    assert_int_equal(verdict == JUDGE_EQUAL, why[0] == '\0');
    return verdict == JUDGE_EQUAL;
}

static const struct structured_rules plain = {0};

/* Both judges say so. */
static void assert_equal(const struct message *a, const struct message *b, const struct structured_rules *rules)
{
    assert_true(equal_structured(a, b, rules));
    assert_true(equal_judge(a, b, rules));
}

static void assert_differ(const struct message *a, const struct message *b, const struct structured_rules *rules)
{
    assert_false(equal_structured(a, b, rules));
    assert_false(equal_judge(a, b, rules));
}

/* ---- what the parser accepts ---- */

static void test_parse_reads_header_and_question(void **state)
{
    (void)state;
    struct message m;
    start(&m);
    struct structured *s = parse(&m);
    assert_non_null(s);
    assert_true(s->id == 0x1234 && s->qr && s->rd && s->ra && !s->aa && !s->tc && !s->ad && !s->cd && !s->z);
    assert_true(s->opcode == 0 && s->rcode == 0 && s->has_question && !s->has_edns);
    assert_true(s->question.qtype == A && s->question.qclass == IN && s->question.qname.len == 13);
    assert_memory_equal(s->question.qname.items, "\3www\7example", 13);
    structured_free(s);
}

static void test_parse_refuses_every_cut(void **state)
{
    (void)state;
    struct message m;
    start(&m);
    add_a(&m, ANSWER, 300);
    add_rrsig(&m, A, 300, 300, "example.");
    add(&m, ANSWER, "www.example.", TXT, 300, OCTETS("\3abc\0\2de"));
    add(&m, AUTHORITY, "example.", SOA, 300, OCTETS("\xc0\x0c\xc0\x10\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0\5"));
    add_opt(&m, 1232, 0x8000, OCTETS("\0\x0f\0\5\0\3old"));
    size_t len = m.len;
    assert_parses(&m, true);
    for (m.len = 0; m.len < len; m.len++) {
        assert_parses(&m, false);
    }
}

static void test_parse_ignores_octets_after_the_last_record(void **state)
{
    (void)state;
    struct message m;
    start(&m);
    put(&m, OCTETS("more"));
    assert_parses(&m, true);
}

static void test_parse_refuses_two_questions(void **state)
{
    (void)state;
    struct message m;
    start(&m);
    m.octets[5] = 2;
    put(&m, OCTETS("\0\0\1\0\1"));
    assert_parses(&m, false);
}

static void test_parse_expands_name_in_rdata(void **state)
{
    (void)state;
    struct message m;
    start(&m);
    add(&m, ANSWER, "example.", NS, 300, OCTETS("\2ns\xc0\x10"));
    struct structured *s = parse(&m);
    assert_non_null(s);
    const struct structured_fields *fields = &s->answer.items[0].rdata.fields;
    assert_int_equal(fields->len, 1);
    assert_int_equal(fields->items[0].len, 12);
    assert_memory_equal(fields->items[0].items, "\2ns\7example", 12);
    structured_free(s);
}

/* One answer with this RDATA; the question's name starts at 12, "example." at 16, this RDATA at 40. */
static void assert_rdata(unsigned type, const uint8_t *rdata, size_t rdata_len, bool expected)
{
    struct message m;
    start(&m);
    add(&m, ANSWER, ".", type, 300, rdata, rdata_len);
    assert_parses(&m, expected);
}

static void test_parse_refuses_pointer_that_does_not_go_back(void **state)
{
    (void)state;
    assert_rdata(NS, OCTETS("\xc0\x0c"), true);
    assert_rdata(NS, OCTETS("\1a\xc0\x0c"), true);
    assert_rdata(NS, OCTETS("\xc0\x28"), false);    /* itself */
    assert_rdata(NS, OCTETS("\1a\xc0\x28"), false); /* a loop over a label */
    assert_rdata(SOA, OCTETS("\xc0\x2a\0"), false); /* forward */
    assert_rdata(NS, OCTETS("\xc0\x0b"), false);    /* into the header */
    assert_rdata(NS, OCTETS("\xc0"), false);
    assert_rdata(NS, OCTETS("\xff\xff"), false);
}

static void test_parse_follows_long_chain_of_pointers(void **state)
{
    (void)state;
    struct message m;
    start(&m);
    add_head(&m, ANSWER, ".", UNKNOWN, IN, 300, (size_t)2 * 8000);
    for (unsigned target = 12, i = 0; i < 8000; i++) {
        put_u16(&m, 0xc000 | target);
        target = (unsigned)m.len - 2;
    }
    unsigned last = 0xc000 | (unsigned)(m.len - 2);
    add_head(&m, ANSWER, ".", NS, IN, 300, 2);
    put_u16(&m, last);
    assert_parses(&m, true);
}

static void test_parse_refuses_label_types_and_long_names(void **state)
{
    (void)state;
    uint8_t name[256];
    memset(name, 1, sizeof name); /* labels of one octet, the octet 1 */
    name[254] = 0;
    assert_rdata(NS, name, 255, true);
    name[252] = 2;
    name[254] = 1;
    name[255] = 0;
    assert_rdata(NS, name, 256, false);
    assert_rdata(NS, OCTETS("\x40"), false);
    assert_rdata(NS, OCTETS("\x80\0"), false);
}

static void test_parse_refuses_compression_outside_rfc_3597(void **state)
{
    (void)state;
    assert_rdata(NSEC, OCTETS("\0\0\1\x40"), true);
    assert_rdata(NSEC, OCTETS("\xc0\x0c\0\1\x40"), false);
    assert_rdata(SVCB, OCTETS("\0\1\xc0\x0c"), false);
    assert_rdata(RRSIG,
                 OCTETS("\0\1\x0d\2\0\0\0\1\0\0\0\1\0\0\0\1\0\1\xc0\x0c"
                        "sign"),
                 false);
    assert_rdata(SIG,
                 OCTETS("\0\1\x0d\2\0\0\0\1\0\0\0\1\0\0\0\1\0\1\xc0\x0c"
                        "sign"),
                 true);
    assert_rdata(UNKNOWN, OCTETS("\xc0\x0c"), true);
}

static void test_parse_refuses_rdata_against_its_type(void **state)
{
    (void)state;
    assert_rdata(A, OCTETS("\1\2\3"), false);
    assert_rdata(A, OCTETS("\1\2\3\4\5"), false);
    assert_rdata(AAAA, OCTETS("\1\2\3\4"), false);
    assert_rdata(NS, OCTETS("\0\0"), false);
    assert_rdata(TXT, OCTETS("\0"), true);
    assert_rdata(TXT, OCTETS(""), false);
    assert_rdata(TXT, OCTETS("\2a"), false);
    assert_rdata(NAPTR, OCTETS("\0\1\0\2\1u\1s\0\xc0\x0c"), true);
    assert_rdata(NAPTR, OCTETS("\0\1\0\2\1u\1s\xc0\x0c"), false);
    assert_rdata(UNKNOWN, OCTETS(""), true);
}

static void test_parse_refuses_broken_lists_in_rdata(void **state)
{
    (void)state;
    assert_rdata(NSEC, OCTETS("\0\0\1\x40\1\1\x40"), true);
    assert_rdata(NSEC, OCTETS("\0\1\1\x40\0\1\x40"), false);
    assert_rdata(NSEC, OCTETS("\0\0\0"), false);
    assert_rdata(NSEC, OCTETS("\0\0\x20\x40"), false);
    assert_rdata(NSEC, OCTETS("\0\0"), false);
    assert_rdata(SVCB, OCTETS("\0\1\0\0\1\0\3\2h2\0\3\0\2\1\xbb"), true);
    assert_rdata(SVCB, OCTETS("\0\1\0\0\3\0\2\1\xbb\0\1\0\3\2h2"), false);
    assert_rdata(SVCB, OCTETS("\0\1\0\0\3\0\2\1"), false);
    assert_rdata(APL, OCTETS("\0\1\x10\x82\xc0\xa8"), true);
    assert_rdata(APL, OCTETS("\0\1\x10\2\xc0"), false);
    assert_rdata(IPSECKEY, OCTETS("\1\1\2\xc0\0\2\1key"), true);
    assert_rdata(IPSECKEY, OCTETS("\1\1\2\xc0\0"), false);
    assert_rdata(IPSECKEY, OCTETS("\1\3\2\xc0\x0ckey"), false);
    assert_rdata(AMTRELAY, OCTETS("\1\x83\2me\0"), true);
    assert_rdata(AMTRELAY, OCTETS("\1\x83\2me\0x"), false);
    assert_rdata(HIP, OCTETS("\1\2\0\2hke\1r\0\0"), true);
    assert_rdata(HIP, OCTETS("\1\2\0\2hk"), false);
}

static void test_parse_reads_opt(void **state)
{
    (void)state;
    struct message m;
    start(&m);
    m.octets[3] |= 3;
    add_opt(&m, 1232, 0x01008000,
            OCTETS("\0\x0a\0\4cook\0\x0f\0\5\0\x12"
                   "nil\0\x0f\0\2\0\1"));
    struct structured *s = parse(&m);
    assert_non_null(s);
    assert_true(s->has_edns && s->udp_size == 1232 && s->rcode == 0x13 && s->edns_version == 0 && s->dnssec_ok);
    assert_true(s->additional.len == 0 && s->options.len == 1 && s->errors.len == 2);
    assert_true(s->options.items[0].code == 10 && s->options.items[0].data.len == 4);
    assert_true(s->errors.items[0].code == 18 && s->errors.items[0].data.len == 3);
    assert_memory_equal(s->errors.items[0].data.items, "nil", 3);
    assert_true(s->errors.items[1].code == 1 && s->errors.items[1].data.len == 0);
    structured_free(s);
}

static void test_parse_refuses_opt_out_of_place(void **state)
{
    (void)state;
    struct message m;
    start(&m);
    add_head(&m, ANSWER, ".", OPT, 1232, 0, 0);
    assert_parses(&m, false);
    start(&m);
    add_head(&m, ADDITIONAL, "www.example.", OPT, 1232, 0, 0);
    assert_parses(&m, false);
    start(&m);
    add_opt(&m, 1232, 0, OCTETS(""));
    assert_parses(&m, true);
    add_opt(&m, 1232, 0, OCTETS(""));
    assert_parses(&m, false);
}

static void test_parse_refuses_broken_options(void **state)
{
    (void)state;
    struct message m;
    start(&m);
    add_opt(&m, 1232, 0, OCTETS("\0\x0a\0\4coo"));
    assert_parses(&m, false);
}

static void test_parse_reads_no_options_of_another_version(void **state)
{
    (void)state;
    struct message m;
    start(&m);
    add_opt(&m, 1232, 0x00020000, OCTETS("\0\x0f\0\2\0\1\0"));
    struct structured *s = parse(&m);
    assert_non_null(s);
    assert_true(s->edns_version == 2 && s->errors.len == 0 && s->options.len == 0);
    structured_free(s);
}

static void test_parse_leaves_error_without_code_aside(void **state)
{
    (void)state;
    struct message m;
    start(&m);
    add_opt(&m, 1232, 0, OCTETS("\0\x0f\0\1\0"));
    struct structured *s = parse(&m);
    assert_non_null(s);
    assert_true(s->errors.len == 0 && s->options.len == 1);
    structured_free(s);
}

static void test_bytes_counts_capacity(void **state)
{
    (void)state;
    struct message m;
    start(&m);
    for (int i = 0; i < 5; i++) {
        add_a(&m, ANSWER, 300);
    }
    add(&m, ANSWER, "www.example.", TXT, 300, OCTETS("\3abc\0"));
    struct structured *s = parse(&m);
    assert_non_null(s);
    size_t name = 16; /* 13 octets: 8 doubled */
    size_t strings = 4 * sizeof(struct structured_octets) + 8;
    assert_int_equal(structured_bytes(s), sizeof *s + name + 8 * sizeof(struct structured_record) + 6 * name + strings);
    structured_free(s);
}

/* ---- what counts as equal ---- */

/* Two responses without records yet. */
static void start_pair(struct message *a, struct message *b)
{
    start(a);
    start(b);
}

static void test_equal_compares_rcode(void **state)
{
    (void)state;
    struct message a, b;
    start_pair(&a, &b);
    assert_equal(&a, &b, &plain);
    b.octets[3] |= 3;
    assert_differ(&a, &b, &plain);
    start_pair(&a, &b);
    add_opt(&b, 1232, 0x01000000, OCTETS(""));
    assert_differ(&a, &b, &plain);
}

static void test_equal_compares_question_without_case(void **state)
{
    (void)state;
    struct message a, b;
    start_pair(&a, &b);
    b.octets[13] = 'W';
    assert_true(equal_structured(&a, &b, &plain));
    b.octets[13] = 'v';
    assert_false(equal_structured(&a, &b, &plain));
    start(&b);
    b.octets[b.len - 3] = AAAA;
    assert_false(equal_structured(&a, &b, &plain));
    start(&b);
    b.octets[b.len - 1] = CH;
    assert_false(equal_structured(&a, &b, &plain));
}

static void test_equal_ignores_owner_case(void **state)
{
    (void)state;
    struct message a, b;
    start_pair(&a, &b);
    add_a(&a, ANSWER, 300);
    add(&b, ANSWER, "wWw.EXAMPLE.", A, 300, OCTETS("\xc0\0\2\1"));
    assert_equal(&a, &b, &plain);
    start(&b);
    add(&b, ANSWER, "wvw.example.", A, 300, OCTETS("\xc0\0\2\1"));
    assert_differ(&a, &b, &plain);
}

static void test_equal_ignores_case_of_letters_only(void **state)
{
    (void)state;
    struct message a, b;
    start_pair(&a, &b);
    add(&a, ANSWER, "a[b.", A, 300, OCTETS("\xc0\0\2\1"));
    add(&b, ANSWER, "a{b.", A, 300, OCTETS("\xc0\0\2\1"));
    assert_differ(&a, &b, &plain);
}

static void test_equal_compares_type_and_class(void **state)
{
    (void)state;
    struct message a, b;
    start_pair(&a, &b);
    add(&a, ANSWER, "www.example.", UNKNOWN, 300, OCTETS("x"));
    add(&b, ANSWER, "www.example.", UNKNOWN + 1, 300, OCTETS("x"));
    assert_differ(&a, &b, &plain);
    start(&b);
    add_head(&b, ANSWER, "www.example.", UNKNOWN, CH, 300, 1);
    put(&b, OCTETS("x"));
    assert_differ(&a, &b, &plain);
}

static void test_equal_compares_rdata(void **state)
{
    (void)state;
    struct message a, b;
    start_pair(&a, &b);
    add(&a, ANSWER, "www.example.", A, 300, OCTETS("\xc0\0\2\1"));
    add(&b, ANSWER, "www.example.", A, 300, OCTETS("\xc0\0\2\2"));
    assert_differ(&a, &b, &plain);
    start_pair(&a, &b);
    add(&a, ANSWER, "www.example.", TXT, 300, OCTETS("\2ab"));
    add(&b, ANSWER, "www.example.", TXT, 300, OCTETS("\1a\1b"));
    assert_differ(&a, &b, &plain);
    start_pair(&a, &b);
    add(&a, ANSWER, "www.example.", TXT, 300, OCTETS("\2ab"));
    add(&b, ANSWER, "www.example.", TXT, 300, OCTETS("\2aB"));
    assert_differ(&a, &b, &plain);
    start(&b);
    add(&b, ANSWER, "www.example.", TXT, 300, OCTETS("\2ab\0"));
    assert_differ(&a, &b, &plain);
    assert_differ(&b, &a, &plain);
    start_pair(&a, &b);
    add(&a, ANSWER, "www.example.", UNKNOWN, 300, OCTETS("abc"));
    add(&b, ANSWER, "www.example.", UNKNOWN, 300, OCTETS("ab"));
    assert_differ(&a, &b, &plain);
}

static void test_equal_expands_names_in_rdata_and_ignores_their_case(void **state)
{
    (void)state;
    struct message a, b;
    start_pair(&a, &b);
    add(&a, ANSWER, "www.example.", NS, 300, OCTETS("\2ns\xc0\x10"));
    add(&b, ANSWER, "www.example.", NS, 300, OCTETS("\2Ns\7EXAMPLE\0"));
    assert_equal(&a, &b, &plain);
    start(&b);
    add(&b, ANSWER, "www.example.", NS, 300, OCTETS("\2nt\xc0\x10"));
    assert_differ(&a, &b, &plain);
    start_pair(&a, &b);
    add(&a, ANSWER, "www.example.", NAPTR, 300, OCTETS("\0\1\0\2\1u\1s\0\1a\0"));
    add(&b, ANSWER, "www.example.", NAPTR, 300, OCTETS("\0\1\0\2\1U\1s\0\1a\0"));
    assert_differ(&a, &b, &plain);
}

static void test_equal_minds_case_of_names_outside_rfc_3597(void **state)
{
    (void)state;
    struct message a, b;
    start_pair(&a, &b);
    add(&a, ANSWER, "www.example.", NSEC, 300, OCTETS("\1a\0\0\1\x40"));
    add(&b, ANSWER, "www.example.", NSEC, 300, OCTETS("\1A\0\0\1\x40"));
    assert_differ(&a, &b, &plain);
    start_pair(&a, &b);
    add_rrsig(&a, A, 300, 300, "example.");
    add_rrsig(&b, A, 300, 300, "Example.");
    assert_false(equal_structured(&a, &b, &plain));
    assert_true(equal_judge(&a, &b, &plain)); /* canonical: RFC 4034 6.2 */
}

static void test_equal_compares_order_section_and_number(void **state)
{
    (void)state;
    struct message a, b;
    start_pair(&a, &b);
    add_a(&a, ANSWER, 300);
    assert_differ(&a, &b, &plain);
    assert_differ(&b, &a, &plain);
    add_a(&b, AUTHORITY, 300);
    assert_differ(&a, &b, &plain);
    start_pair(&a, &b);
    add(&a, ANSWER, "www.example.", TXT, 300, OCTETS("\1a"));
    add(&a, ANSWER, "www.example.", TXT, 300, OCTETS("\1b"));
    add(&b, ANSWER, "www.example.", TXT, 300, OCTETS("\1b"));
    add(&b, ANSWER, "www.example.", TXT, 300, OCTETS("\1a"));
    assert_differ(&a, &b, &plain);
}

static void test_equal_leaves_meta_records_aside(void **state)
{
    (void)state;
    struct message a, b;
    start_pair(&a, &b);
    add_a(&a, ADDITIONAL, 300);
    add(&b, ADDITIONAL, ".", SIG, 0, OCTETS("\0\0\x0d\2\0\0\0\1\0\0\0\1\0\0\0\1\0\1\0sign"));
    add(&b, ADDITIONAL, ".", NXNAME, 0, OCTETS(""));
    add_a(&b, ADDITIONAL, 300);
    add_opt(&b, 1232, 0x8000, OCTETS(""));
    add_head(&b, ADDITIONAL, "key.", TSIG, ANY, 0, 0);
    assert_equal(&a, &b, &plain);
    assert_equal(&b, &a, &plain);
    start_pair(&a, &b);
    add_head(&b, ANSWER, ".", OPT, 1232, 0, 0);
    assert_true(equal_judge(&a, &b, &plain)); /* the structured layout refuses it */
    start_pair(&a, &b);
    add_a(&a, ADDITIONAL, 300);
    add(&b, ADDITIONAL, ".", SIG, 0, OCTETS("\0\1\x0d\2\0\0\0\1\0\0\0\1\0\0\0\1\0\1\0sign"));
    add_a(&b, ADDITIONAL, 300);
    assert_differ(&a, &b, &plain);
    start(&b);
    add(&b, ADDITIONAL, ".", NXNAME - 1, 0, OCTETS("x"));
    add_a(&b, ADDITIONAL, 300);
    assert_differ(&a, &b, &plain);
    start(&b);
    add(&b, ADDITIONAL, ".", ANY + 1, 0, OCTETS("\0\1\0\1x")); /* URI */
    add_a(&b, ADDITIONAL, 300);
    assert_differ(&a, &b, &plain);
}

static void test_equal_drops_sections_by_rule(void **state)
{
    (void)state;
    struct structured_rules no_authority = {.drop_authority = true};
    struct structured_rules no_additional = {.drop_additional = true};
    struct message a, b;
    start_pair(&a, &b);
    add_a(&a, ANSWER, 300);
    add_a(&b, ANSWER, 300);
    add_a(&a, AUTHORITY, 300);
    assert_differ(&a, &b, &plain);
    assert_differ(&a, &b, &no_additional);
    assert_equal(&a, &b, &no_authority);
    assert_differ(&a, &a, &no_authority);
    start(&a);
    add_a(&a, ANSWER, 300);
    add_a(&a, ADDITIONAL, 300);
    assert_differ(&a, &b, &no_authority);
    assert_equal(&a, &b, &no_additional);
    assert_differ(&a, &a, &no_additional);
}

static void test_equal_keeps_authority_of_negative_answers(void **state)
{
    (void)state;
    struct structured_rules no_authority = {.drop_authority = true};
    struct message a, b;
    start_pair(&a, &b);
    add_a(&a, AUTHORITY, 300); /* NODATA */
    assert_equal(&a, &a, &no_authority);
    assert_differ(&a, &b, &no_authority);
    start_pair(&a, &b);
    a.octets[3] |= NXDOMAIN;
    add_a(&a, ANSWER, 300);
    b = a;
    add_a(&a, AUTHORITY, 300);
    assert_equal(&a, &a, &no_authority);
    assert_differ(&a, &b, &no_authority);
}

static void test_equal_compares_errors_by_rule(void **state)
{
    (void)state;
    struct structured_rules errors = {.compare_errors = true};
    struct message a, b;
    start_pair(&a, &b);
    add_opt(&a, 1232, 0, OCTETS("\0\x0f\0\5\0\3old"));
    add_opt(&b, 1232, 0, OCTETS("\0\x0f\0\5\0\3Old"));
    assert_true(equal_structured(&a, &a, &errors));
    assert_true(equal_structured(&a, &b, &plain));
    assert_false(equal_structured(&a, &b, &errors));
    start(&b);
    add_opt(&b, 1232, 0, OCTETS("\0\x0f\0\5\0\4old"));
    assert_false(equal_structured(&a, &b, &errors));
    start(&b);
    add_opt(&b, 1232, 0, OCTETS("\0\x0f\0\5\0\3old\0\x0f\0\2\0\1"));
    assert_false(equal_structured(&a, &b, &errors));
    assert_false(equal_structured(&b, &a, &errors));
    start_pair(&a, &b); /* nine, of which eight are kept */
    add_opt(&a, 1232, 0, OCTETS(EIGHT_ERRORS "\0\x0f\0\2\0\1"));
    add_opt(&b, 1232, 0, OCTETS(EIGHT_ERRORS));
    assert_true(equal_structured(&a, &b, &errors));
    assert_false(equal_structured(&a, &a, &errors));
}

/* ---- which TTL is expected ---- */

/* Whether an A record that had ttl_s may come out with answer_s. */
static void assert_ttl(uint32_t ttl_s, uint32_t answer_s, struct structured_rules rules, bool expected)
{
    struct message a, b;
    start_pair(&a, &b);
    add_a(&a, ANSWER, ttl_s);
    add_a(&b, ANSWER, answer_s);
    assert_int_equal(equal_structured(&a, &b, &rules), expected);
    assert_int_equal(equal_judge(&a, &b, &rules), expected);
}

static void test_ttl_is_neither_above_nor_below_the_original(void **state)
{
    (void)state;
    assert_ttl(300, 300, plain, true);
    assert_ttl(300, 301, plain, false);
    assert_ttl(300, 299, plain, false);
}

static void test_ttl_loses_the_age_down_to_zero(void **state)
{
    (void)state;
    assert_ttl(300, 290, (struct structured_rules){.age_s = 10}, true);
    assert_ttl(300, 300, (struct structured_rules){.age_s = 10}, false);
    assert_ttl(300, 0, (struct structured_rules){.age_s = 301}, true);
    assert_ttl(300, UINT32_MAX, (struct structured_rules){.age_s = 301}, false);
}

static void test_ttl_is_capped_before_the_age(void **state)
{
    (void)state;
    assert_ttl(300, 200, (struct structured_rules){.ttl_max_s = 200}, true);
    assert_ttl(300, 300, (struct structured_rules){.ttl_max_s = 200}, false);
    assert_ttl(300, 150, (struct structured_rules){.ttl_max_s = 200, .age_s = 50}, true);
    assert_ttl(100, 100, (struct structured_rules){.ttl_max_s = 200}, true);
}

static void test_ttl_with_top_bit_is_large(void **state)
{
    (void)state;
    assert_ttl(0x80000001, 200, (struct structured_rules){.ttl_max_s = 200}, true);
    assert_ttl(0x80000001, 0, (struct structured_rules){.ttl_max_s = 200}, false);
    assert_ttl(0x80000001, 0x7fffffff, plain, true);
    assert_ttl(0x80000001, 0x80000001, plain, false);
    assert_ttl(0x80000001, 0x80000001, (struct structured_rules){.ttl_as_is = true}, true);
    assert_ttl(300, 299, (struct structured_rules){.ttl_as_is = true}, false);
}

static void test_ttl_is_the_least_of_the_rrset(void **state)
{
    (void)state;
    struct message a, b;
    start_pair(&a, &b);
    add(&a, ANSWER, "www.example.", TXT, 300, OCTETS("\1a"));
    add(&a, ANSWER, "WWW.example.", TXT, 60, OCTETS("\1b"));
    add(&b, ANSWER, "www.example.", TXT, 60, OCTETS("\1a"));
    add(&b, ANSWER, "www.example.", TXT, 60, OCTETS("\1b"));
    assert_equal(&a, &b, &plain);
    assert_differ(&a, &a, &plain);
}

static void test_ttl_is_not_lowered_by_other_rrsets(void **state)
{
    (void)state;
    struct message m;
    start(&m);
    add(&m, ANSWER, "www.example.", TXT, 300, OCTETS("\1a"));
    add(&m, ANSWER, "example.", TXT, 10, OCTETS("\1a"));
    add(&m, ANSWER, "www.example.", UNKNOWN, 20, OCTETS("\1a"));
    add_head(&m, ANSWER, "www.example.", TXT, CH, 30, 2);
    put(&m, OCTETS("\1a"));
    add(&m, AUTHORITY, "www.example.", TXT, 40, OCTETS("\1a"));
    assert_equal(&m, &m, &plain);
}

static void test_ttl_of_rrsig_is_at_most_its_original_ttl(void **state)
{
    (void)state;
    struct message a, b;
    start_pair(&a, &b);
    add_a(&a, ANSWER, 300);
    add_rrsig(&a, A, 300, 200, "example.");
    add_a(&b, ANSWER, 300);
    add_rrsig(&b, A, 200, 200, "example.");
    assert_equal(&a, &b, &plain);
    assert_differ(&a, &a, &plain);
}

static void test_ttl_of_each_rrsig_is_its_own(void **state)
{
    (void)state;
    struct message a, b;
    start_pair(&a, &b);
    add_a(&a, ANSWER, 300);
    add_rrsig(&a, A, 250, 300, "example.");
    add_rrsig(&a, A, 200, 300, "example.");
    assert_equal(&a, &a, &plain); /* they lower neither each other nor what they cover */
    add_a(&b, ANSWER, 300);
    add_rrsig(&b, A, 200, 300, "example.");
    add_rrsig(&b, A, 200, 300, "example.");
    assert_differ(&a, &b, &plain);
    start(&b);
    add_a(&b, ANSWER, 200);
    add_rrsig(&b, A, 250, 300, "example.");
    add_rrsig(&b, A, 200, 300, "example.");
    assert_differ(&a, &b, &plain);
}

/* An SOA with this TTL and a MINIMUM of 200. */
static void add_soa(struct message *m, enum section section, uint32_t ttl_s)
{
    add(m, section, "example.", SOA, ttl_s, OCTETS("\0\0\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0\xc8"));
}

/* Whether the SOA in the authority section of a, which has all else already, comes out with 200 s instead of 300. */
static void assert_soa(struct message *a, bool is_lowered)
{
    struct message b = *a;
    add_soa(a, AUTHORITY, 300);
    add_soa(&b, AUTHORITY, 200);
    if (is_lowered) {
        assert_equal(a, &b, &plain);
        assert_differ(a, a, &plain);
    } else {
        assert_equal(a, a, &plain);
        assert_differ(a, &b, &plain);
    }
}

static void test_ttl_of_soa_that_proves_is_at_most_its_minimum(void **state)
{
    (void)state;
    struct message m;
    start(&m); /* NODATA */
    assert_soa(&m, true);
    start(&m); /* NODATA behind a CNAME */
    add(&m, ANSWER, "www.example.", CNAME, 300, OCTETS("\1a\0"));
    assert_soa(&m, true);
    start(&m); /* NXDOMAIN, whatever is in the answer section */
    m.octets[3] |= NXDOMAIN;
    add_a(&m, ANSWER, 300);
    assert_soa(&m, true);
    start(&m); /* below its MINIMUM already */
    add_soa(&m, AUTHORITY, 100);
    assert_equal(&m, &m, &plain);
}

static void test_ttl_of_other_soas_is_as_received(void **state)
{
    (void)state;
    struct message m;
    start(&m);
    add_a(&m, ANSWER, 300);
    assert_soa(&m, false);
    start(&m);
    m.octets[26] = ANY; /* the type asked for */
    add(&m, ANSWER, "www.example.", TXT, 300, OCTETS("\1a"));
    assert_soa(&m, false);
    start(&m);
    m.octets[3] |= SERVFAIL;
    assert_soa(&m, false);
    start(&m);
    add_soa(&m, ANSWER, 300);
    add_soa(&m, ADDITIONAL, 300);
    assert_equal(&m, &m, &plain);
}

/* ---- libldns ---- */

static void test_judge_names_the_message_it_cannot_read(void **state)
{
    (void)state;
    struct judge_rules rules = {0};
    struct message m;
    char why[100];
    start(&m);
    add_a(&m, ANSWER, 300);
    for (size_t cut = 0; cut < m.len; cut++) {
        assert_int_equal(judge_equal(m.octets, cut, m.octets, m.len, &rules, why, sizeof why), JUDGE_BAD_ORIGINAL);
        assert_int_equal(judge_equal(m.octets, m.len, m.octets, cut, &rules, why, sizeof why), JUDGE_BAD_ANSWER);
    }
    assert_int_equal(judge_equal(m.octets, 0, m.octets, m.len, &rules, NULL, 0), JUDGE_BAD_ORIGINAL);
}

static void test_judge_reads_txt_of_more_than_255_strings(void **state)
{
    (void)state;
    struct message a, b;
    start(&a);
    add_head(&a, ANSWER, "www.example.", TXT, IN, 300, 600);
    for (int i = 0; i < 300; i++) {
        put(&a, OCTETS("\1x"));
    }
    size_t last = a.len - 1;
    add_a(&a, ANSWER, 300);
    b = a;
    assert_equal(&a, &b, &plain);
    b.octets[last] = 'y';
    assert_differ(&a, &b, &plain);
    b = a;
    b.octets[b.len - 1] = 2;
    assert_differ(&a, &b, &plain);
}

static void test_judge_reads_message_of_65535_octets(void **state)
{
    (void)state;
    struct message a, b;
    start(&a);
    while (sizeof a.octets - a.len >= (size_t)2 * 15) { /* of 15 octets each */
        add(&a, ANSWER, ".", A, 300, OCTETS("\1\2\3\4"));
    }
    size_t left = sizeof a.octets - a.len;
    add_head(&a, ANSWER, ".", UNKNOWN, IN, 300, left - 11);
    while (a.len < sizeof a.octets) {
        put(&a, OCTETS("x"));
    }
    b = a;
    assert_equal(&a, &b, &plain);
    b.octets[b.len - 1] = 'y';
    assert_differ(&a, &b, &plain);
}

static void test_judge_accepts_gives_status(void **state)
{
    (void)state;
    struct message m;
    const char *status = NULL;
    start(&m);
    add_a(&m, ANSWER, 300);
    assert_true(judge_accepts(m.octets, m.len, &status));
    assert_string_equal(status, "All OK");
    assert_false(judge_accepts(m.octets, m.len - 1, &status));
    assert_string_not_equal(status, "All OK");
}

static void test_judge_text_shows_records(void **state)
{
    (void)state;
    struct message m;
    start(&m);
    size_t record_off = m.len;
    add_a(&m, ANSWER, 300);
    add_opt(&m, 1232, 0x8000, OCTETS("\0\x0d\0\1\0\0\x0f\0\2\0\3")); /* a CHAIN option, an extended error */
    char *text = judge_text(m.octets, m.len);
    assert_non_null(text);
    assert_non_null(strstr(text, "www.example.\t300\tIN\tA\t192.0.2.1\n"));
    assert_non_null(strstr(text, "size 1232"));
    free(text);
    text = judge_text_record(m.octets, m.len, record_off);
    assert_non_null(text);
    assert_string_equal(text, "www.example.\t300\tIN\tA\t192.0.2.1\n");
    free(text);
    assert_null(judge_text(m.octets, m.len - 1));
    assert_null(judge_text_record(m.octets, m.len, m.len));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse_reads_header_and_question),
        cmocka_unit_test(test_parse_refuses_every_cut),
        cmocka_unit_test(test_parse_ignores_octets_after_the_last_record),
        cmocka_unit_test(test_parse_refuses_two_questions),
        cmocka_unit_test(test_parse_expands_name_in_rdata),
        cmocka_unit_test(test_parse_refuses_pointer_that_does_not_go_back),
        cmocka_unit_test(test_parse_follows_long_chain_of_pointers),
        cmocka_unit_test(test_parse_refuses_label_types_and_long_names),
        cmocka_unit_test(test_parse_refuses_compression_outside_rfc_3597),
        cmocka_unit_test(test_parse_refuses_rdata_against_its_type),
        cmocka_unit_test(test_parse_refuses_broken_lists_in_rdata),
        cmocka_unit_test(test_parse_reads_opt),
        cmocka_unit_test(test_parse_refuses_opt_out_of_place),
        cmocka_unit_test(test_parse_refuses_broken_options),
        cmocka_unit_test(test_parse_reads_no_options_of_another_version),
        cmocka_unit_test(test_parse_leaves_error_without_code_aside),
        cmocka_unit_test(test_bytes_counts_capacity),
        cmocka_unit_test(test_equal_compares_rcode),
        cmocka_unit_test(test_equal_compares_question_without_case),
        cmocka_unit_test(test_equal_ignores_owner_case),
        cmocka_unit_test(test_equal_ignores_case_of_letters_only),
        cmocka_unit_test(test_equal_compares_type_and_class),
        cmocka_unit_test(test_equal_compares_rdata),
        cmocka_unit_test(test_equal_expands_names_in_rdata_and_ignores_their_case),
        cmocka_unit_test(test_equal_minds_case_of_names_outside_rfc_3597),
        cmocka_unit_test(test_equal_compares_order_section_and_number),
        cmocka_unit_test(test_equal_leaves_meta_records_aside),
        cmocka_unit_test(test_equal_drops_sections_by_rule),
        cmocka_unit_test(test_equal_keeps_authority_of_negative_answers),
        cmocka_unit_test(test_equal_compares_errors_by_rule),
        cmocka_unit_test(test_ttl_is_neither_above_nor_below_the_original),
        cmocka_unit_test(test_ttl_loses_the_age_down_to_zero),
        cmocka_unit_test(test_ttl_is_capped_before_the_age),
        cmocka_unit_test(test_ttl_with_top_bit_is_large),
        cmocka_unit_test(test_ttl_is_the_least_of_the_rrset),
        cmocka_unit_test(test_ttl_is_not_lowered_by_other_rrsets),
        cmocka_unit_test(test_ttl_of_rrsig_is_at_most_its_original_ttl),
        cmocka_unit_test(test_ttl_of_each_rrsig_is_its_own),
        cmocka_unit_test(test_ttl_of_soa_that_proves_is_at_most_its_minimum),
        cmocka_unit_test(test_ttl_of_other_soas_is_as_received),
        cmocka_unit_test(test_judge_names_the_message_it_cannot_read),
        cmocka_unit_test(test_judge_reads_txt_of_more_than_255_strings),
        cmocka_unit_test(test_judge_reads_message_of_65535_octets),
        cmocka_unit_test(test_judge_accepts_gives_status),
        cmocka_unit_test(test_judge_text_shows_records),
    };
    return cmocka_run_group_tests_name("structured", tests, NULL, NULL);
}
