/* test_rdata.c - each type's RDATA is accepted, its malformed neighbours are not, and names come out expanded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rdata.h"

#define CLASS_IN 1
#define CLASS_CH 3
#define OFF 21u /* of the RDATA: behind the header and the name "example." at 12 */

/* clang-format off */
#define EX "076578616d706c6500" /* example. */
#define TO_EX "c00c"            /* a pointer to it */
#define SUB "0161"              /* a label to stand before it */

#define BYTES16 "000102030405060708090a0b0c0d0e0f"
#define BYTES12 "000102030405060708090a0b"
#define SIG18 "00010d0200000e10" "6a00000069000000" "3039"

/* Good RDATA; `out` is its expansion, NULL: itself. */
struct good {
    const char *name;
    uint16_t type;
    const char *in;
    const char *out;
    bool shorter; /* one octet less is good, too */
    bool longer;  /* one octet (of 00) more is good, too */
};

static const struct good goods[] = {
    {"A", 1, "c0000201", NULL, false, false},
    {"NS", 2, SUB TO_EX, SUB EX, false, false},
    {"MD", 3, TO_EX, EX, false, false},
    {"MF", 4, TO_EX, EX, false, false},
    {"CNAME", 5, TO_EX, EX, false, false},
    {"CNAME root", 5, "00", NULL, false, false},
    {"CNAME pointer to root", 5, "c014", "00", false, false},
    {"SOA", 6, SUB TO_EX "0162c015" BYTES16 "00000e10", SUB EX "0162" SUB EX BYTES16 "00000e10", false, false},
    {"MB", 7, TO_EX, EX, false, false},
    {"MG", 8, TO_EX, EX, false, false},
    {"MR", 9, TO_EX, EX, false, false},
    {"NULL", 10, "c00c", NULL, true, true},
    {"NULL empty", 10, "", NULL, true, true},
    {"WKS", 11, "c0000201" "06" "0000000040", NULL, true, true},
    {"WKS no ports", 11, "c0000201" "06", NULL, false, true},
    {"PTR", 12, TO_EX, EX, false, false},
    {"HINFO", 13, "025043027578", NULL, false, false},
    {"HINFO empty strings", 13, "0000", NULL, false, false},
    {"MINFO", 14, TO_EX SUB TO_EX, EX SUB EX, false, false},
    {"MX", 15, "000a" SUB TO_EX, "000a" SUB EX, false, false},
    {"MX null", 15, "000000", NULL, false, false},
    {"TXT", 16, "03616263", NULL, false, true},
    {"TXT many", 16, "0361626300026465", NULL, false, true},
    {"TXT empty string", 16, "00", NULL, false, true},
    {"RP", 17, TO_EX TO_EX, EX EX, false, false},
    {"AFSDB", 18, "0001" TO_EX, "0001" EX, false, false},
    {"X25", 19, "03333131", NULL, false, false},
    {"ISDN", 20, "03313233", NULL, false, true},
    {"ISDN subaddress", 20, "03313233" "023030", NULL, false, false},
    {"RT", 21, "000a" TO_EX, "000a" EX, false, false},
    {"NSAP", 22, "47000580", NULL, true, true},
    {"NSAP empty", 22, "", NULL, true, true},
    {"NSAP-PTR", 23, EX, NULL, false, false},
    {"SIG", 24, SIG18 TO_EX "aabb", SIG18 EX "aabb", true, true},
    {"KEY", 25, "02000308" "aabb", NULL, true, true},
    {"KEY no key", 25, "c0000308", NULL, false, true},
    {"PX", 26, "000a" SUB TO_EX TO_EX, "000a" SUB EX EX, false, false},
    {"GPOS", 27, "02313102323200", NULL, false, false},
    {"AAAA", 28, BYTES16, NULL, false, false},
    {"LOC", 29, BYTES16, NULL, false, false},
    {"LOC version 1", 29, "01aabb", NULL, true, true},
    {"NXT", 30, TO_EX "40000002", EX "40000002", true, true},
    {"NXT without bits", 30, TO_EX, EX, false, true},
    {"EID", 31, "e32c", NULL, true, true},
    {"EID empty", 31, "", NULL, true, true},
    {"NIMLOC", 32, "3275", NULL, true, true},
    {"NIMLOC empty", 32, "", NULL, true, true},
    {"SRV", 33, "000a001401bb" SUB TO_EX, "000a001401bb" SUB EX, false, false},
    {"SRV not here", 33, "000000000000" "00", NULL, false, false},
    {"ATMA", 34, "01313233", NULL, true, true},
    {"NAPTR", 35, "000a0014" "0175" "05736970232b" "00" TO_EX, "000a0014" "0175" "05736970232b" "00" EX, false, false},
    {"KX", 36, "000a" TO_EX, "000a" EX, false, false},
    {"CERT", 37, "0001303908" "aabb", NULL, true, true},
    {"A6", 38, "40" "0001020304050607" EX, NULL, false, false},
    {"A6 whole", 38, "00" BYTES16, NULL, false, false},
    {"A6 name only", 38, "80" EX, NULL, false, false},
    {"A6 odd bits", 38, "7f" "01" EX, NULL, false, false},
    {"DNAME", 39, TO_EX, EX, false, false},
    {"SINK", 40, "010203", NULL, true, true},
    {"SINK empty", 40, "", NULL, true, true},
    {"APL", 42, "000118" "03" "c00002" "000240" "84" "20010db8", NULL, false, false},
    {"APL empty", 42, "", NULL, true, false},
    {"APL whole addresses", 42, "000120" "04" "c0000201" "000280" "90" BYTES16, NULL, false, false},
    {"APL no address octets", 42, "00010000", NULL, false, false},
    {"APL unknown family", 42, "0003ff" "05" "0102030405", NULL, false, false},
    {"DS", 43, "30390d02" "aabb", NULL, true, true},
    {"SSHFP", 44, "0401" "aabb", NULL, true, true},
    {"IPSECKEY none", 45, "0a0002" "aabb", NULL, true, true},
    {"IPSECKEY no key", 45, "0a0000", NULL, false, true},
    {"IPSECKEY IPv4", 45, "0a0102" "c0000201", NULL, false, true},
    {"IPSECKEY IPv6", 45, "0a0202" BYTES16 "aa", NULL, true, true},
    {"IPSECKEY name", 45, "0a0302" EX, NULL, false, true},
    {"IPSECKEY unknown", 45, "0a0402" "c00c", NULL, true, true},
    {"RRSIG", 46, SIG18 EX "aabb", NULL, true, true},
    {"NSEC", 47, EX "0006400000000003", NULL, false, false},
    {"NSEC windows", 47, EX "000140" "010140" "ff0180", NULL, false, false},
    {"NSEC zero octet", 47, EX "00024000", NULL, false, false},
    {"NSEC largest window", 47, EX "ff20" BYTES16 BYTES16, NULL, false, false},
    {"DNSKEY", 48, "0101030d" "aabb", NULL, true, true},
    {"DHCID", 49, "000201" "aa", NULL, false, true},
    {"NSEC3", 50, "01010001" "02aabb" "04" "00010203" "000140", NULL, false, false},
    {"NSEC3 empty", 50, "01000000" "00" "01aa", NULL, false, false},
    {"NSEC3PARAM", 51, "01000001" "02aabb", NULL, false, false},
    {"TLSA", 52, "030101" "aabb", NULL, true, true},
    {"SMIMEA", 53, "030101" "aabb", NULL, true, true},
    {"HIP", 55, "02020003" "aabb" "010203" EX "00", NULL, true, true},
    {"HIP no server", 55, "02020003" "aabb" "010203", NULL, false, true},
    {"HIP nothing", 55, "00000000", NULL, false, true},
    {"NINFO", 56, "0161", NULL, false, true},
    {"RKEY", 57, "0000030d" "aa", NULL, true, true},
    {"TALINK", 58, EX "00", NULL, false, false},
    {"CDS", 59, "00000000" "00", NULL, true, true},
    {"CDNSKEY", 60, "00000300" "00", NULL, true, true},
    {"OPENPGPKEY", 61, "99", NULL, true, true},
    {"OPENPGPKEY empty", 61, "", NULL, true, true},
    {"CSYNC", 62, "000000010003" "000460000008", NULL, false, false},
    {"CSYNC empty", 62, "000000010003", NULL, false, false},
    {"ZONEMD", 63, "000000010101" BYTES16, NULL, true, true},
    {"SVCB", 64, "0001" EX "0001" "0003" "026832" "0003" "0002" "01bb", NULL, false, false},
    {"SVCB alias", 64, "0000" EX, NULL, false, false},
    {"SVCB alias with parameter", 64, "0000" EX "00030002" "01bb", NULL, false, false},
    {"SVCB adjacent keys, no value", 64, "0001" "00" "0001" "0000" "0002" "0000", NULL, false, false},
    {"HTTPS", 65, "0001" "00" "0002" "0000" "ffff0001" "00", NULL, false, false},
    {"DSYNC", 66, "003b" "01" "14e9" EX, NULL, false, false},
    {"SPF", 99, "03616263", NULL, false, true},
    {"NID", 104, "000a" "0014ffff20201000", NULL, false, false},
    {"L32", 105, "000a" "0a010200", NULL, false, false},
    {"L64", 106, "000a" "20010db800000000", NULL, false, false},
    {"LP", 107, "000a" EX, NULL, false, false},
    {"LP root", 107, "000a" "00", NULL, false, false},
    {"EUI48", 108, "00005e00532a", NULL, false, false},
    {"EUI64", 109, "00005eef1000002a", NULL, false, false},
    {"TKEY", 249, TO_EX BYTES12 "0002" "aabb" "0001" "cc", EX BYTES12 "0002" "aabb" "0001" "cc", false, false},
    {"TSIG", 250, EX "000067c61a92012c" "0002" "aabb" "a1a20000" "0000", NULL, false, false},
    {"URI", 256, "000a0001" "68", NULL, false, true},
    {"CAA", 257, "00" "056973737565" "6361", NULL, true, true},
    {"CAA no value", 257, "80" "056973737565", NULL, false, true},
    {"AVC", 258, "0161", NULL, false, true},
    {"DOA", 259, "00000001" "00000002" "03" "0161" "aabb", NULL, true, true},
    {"DOA no data", 259, "00000001" "00000002" "03" "0161", NULL, false, true},
    {"AMTRELAY none", 260, "0a80", NULL, false, false},
    {"AMTRELAY IPv4", 260, "0a01" "c0000201", NULL, false, false},
    {"AMTRELAY IPv6", 260, "0a82" BYTES16, NULL, false, false},
    {"AMTRELAY name", 260, "0a03" EX, NULL, false, false},
    {"AMTRELAY unknown", 260, "0a04" "c00c", NULL, true, true},
    {"RESINFO", 261, "0161", NULL, false, true},
    {"WALLET", 262, "0161", NULL, false, true},
    {"CLA", 263, "0161", NULL, false, true},
    {"IPN", 264, "0000000000000001", NULL, false, false},
    {"TA", 32768, "30390d02" "aabb", NULL, true, true},
    {"DLV", 32769, "30390d02", NULL, false, true},
};

struct bad {
    const char *why;
    uint16_t type;
    const char *in;
    enum dnspack_status status;
};

static const struct bad bads[] = {
    {"A empty", 1, "", DNSPACK_E_RDATA},
    {"A as AAAA", 1, BYTES16, DNSPACK_E_RDATA},
    {"AAAA as A", 28, "c0000201", DNSPACK_E_RDATA},
    {"NS empty", 2, "", DNSPACK_E_RDATA},
    {"NS name runs over the end", 2, "0361", DNSPACK_E_NAME},
    {"NS without root", 2, "0161", DNSPACK_E_NAME},
    {"NS pointer to itself", 2, "c015", DNSPACK_E_NAME},
    {"NS pointer forward", 2, "c017", DNSPACK_E_NAME},
    {"NS pointer into the header", 2, "c000", DNSPACK_E_NAME},
    {"NS label type 01", 2, "4161", DNSPACK_E_NAME},
    {"NS label type 10", 2, "8161", DNSPACK_E_NAME},
    {"NS octets behind the name", 2, TO_EX "00", DNSPACK_E_RDATA},
    {"SOA one name", 6, TO_EX, DNSPACK_E_RDATA},
    {"SOA second name malformed", 6, TO_EX "c0", DNSPACK_E_NAME},
    {"SOA without numbers", 6, TO_EX TO_EX, DNSPACK_E_RDATA},
    {"WKS without protocol", 11, "c0000201", DNSPACK_E_RDATA},
    {"HINFO one string", 13, "025043", DNSPACK_E_RDATA},
    {"MX empty", 15, "", DNSPACK_E_RDATA},
    {"MX half a preference", 15, "00", DNSPACK_E_RDATA},
    {"MX without name", 15, "000a", DNSPACK_E_RDATA},
    {"TXT empty", 16, "", DNSPACK_E_RDATA},
    {"TXT string over the end", 16, "0561", DNSPACK_E_RDATA},
    {"TXT second string over the end", 16, "0161" "ff", DNSPACK_E_RDATA},
    {"ISDN three strings", 20, "000000", DNSPACK_E_RDATA},
    {"NSAP-PTR compressed", 23, TO_EX, DNSPACK_E_RDATA},
    {"SIG cut", 24, "0001", DNSPACK_E_RDATA},
    {"LOC empty", 29, "", DNSPACK_E_RDATA},
    {"LOC 15 octets", 29, "000102030405060708090a0b0c0d0e", DNSPACK_E_RDATA},
    {"SRV fixed octets cut", 33, "0001000201", DNSPACK_E_RDATA},
    {"SRV target outside", 33, "0001000201bb", DNSPACK_E_RDATA},
    {"NAPTR string over the end", 35, "0001000201" "73036162", DNSPACK_E_RDATA},
    {"NAPTR without replacement", 35, "00010002" "000000", DNSPACK_E_RDATA},
    {"A6 empty", 38, "", DNSPACK_E_RDATA},
    {"A6 prefix of 129", 38, "81" "00", DNSPACK_E_RDATA},
    {"A6 whole with name", 38, "00" BYTES16 "00", DNSPACK_E_RDATA},
    {"A6 without name", 38, "80", DNSPACK_E_RDATA},
    {"A6 compressed", 38, "80" TO_EX, DNSPACK_E_RDATA},
    {"APL header cut", 42, "000118", DNSPACK_E_RDATA},
    {"APL over the end", 42, "000118" "03" "c000", DNSPACK_E_RDATA},
    {"APL IPv4 of 33 bits", 42, "000121" "00", DNSPACK_E_RDATA},
    {"APL IPv4 of 5 octets", 42, "000120" "05" "0102030405", DNSPACK_E_RDATA},
    {"APL IPv6 of 129 bits", 42, "000281" "00", DNSPACK_E_RDATA},
    {"APL IPv6 of 17 octets", 42, "000280" "11" BYTES16 "10", DNSPACK_E_RDATA},
    {"IPSECKEY cut", 45, "0a00", DNSPACK_E_RDATA},
    {"IPSECKEY IPv4 cut", 45, "0a0102" "c00002", DNSPACK_E_RDATA},
    {"IPSECKEY IPv6 cut", 45, "0a0202" "c0000201", DNSPACK_E_RDATA},
    {"IPSECKEY compressed", 45, "0a0302" TO_EX, DNSPACK_E_RDATA},
    {"RRSIG cut", 46, "00010d02", DNSPACK_E_RDATA},
    {"RRSIG signer compressed", 46, SIG18 TO_EX "aabb", DNSPACK_E_RDATA},
    {"NSEC without bit maps", 47, EX, DNSPACK_E_RDATA},
    {"NSEC compressed", 47, TO_EX "000140", DNSPACK_E_RDATA},
    {"NSEC window of 0 octets", 47, EX "0000", DNSPACK_E_RDATA},
    {"NSEC window of 33 octets", 47, EX "0021" BYTES16 BYTES16 "01", DNSPACK_E_RDATA},
    {"NSEC window over the end", 47, EX "000740", DNSPACK_E_RDATA},
    {"NSEC window without length", 47, EX "000140" "01", DNSPACK_E_RDATA},
    {"NSEC windows out of order", 47, EX "010140" "000140", DNSPACK_E_RDATA},
    {"NSEC window twice", 47, EX "000140" "000140", DNSPACK_E_RDATA},
    {"PX one name", 26, "000a" TO_EX, DNSPACK_E_RDATA},
    {"KX without name", 36, "000a", DNSPACK_E_RDATA},
    {"ATMA empty", 34, "", DNSPACK_E_RDATA},
    {"SSHFP cut", 44, "04", DNSPACK_E_RDATA},
    {"DHCID without digest", 49, "000201", DNSPACK_E_RDATA},
    {"NSEC3 salt over the end", 50, "01000000" "05aa", DNSPACK_E_RDATA},
    {"NSEC3 hash of 0 octets", 50, "01000000" "00" "00" "000140", DNSPACK_E_RDATA},
    {"NSEC3 without hash", 50, "01000000" "00", DNSPACK_E_RDATA},
    {"NSEC3 hash over the end", 50, "01000000" "00" "05aa", DNSPACK_E_RDATA},
    {"NSEC3PARAM octets behind the salt", 51, "01000000" "00" "00", DNSPACK_E_RDATA},
    {"HIP lengths cut", 55, "020200", DNSPACK_E_RDATA},
    {"HIP key over the end", 55, "02020003" "aabb" "0102", DNSPACK_E_RDATA},
    {"HIP lengths of 65790", 55, "ff02ffff" "aabb", DNSPACK_E_RDATA},
    {"HIP server compressed", 55, "00020000" TO_EX, DNSPACK_E_RDATA},
    {"TALINK one name", 58, EX, DNSPACK_E_RDATA},
    {"TALINK compressed", 58, TO_EX "00", DNSPACK_E_RDATA},
    {"CSYNC cut", 62, "0000000100", DNSPACK_E_RDATA},
    {"ZONEMD digest of 11 octets", 63, "000000010101" "0102030405060708090a0b", DNSPACK_E_RDATA},
    {"SVCB compressed", 64, "0001" TO_EX, DNSPACK_E_RDATA},
    {"SVCB without target", 64, "0001", DNSPACK_E_RDATA},
    {"SVCB keys out of order", 64, "0001" "00" "0003000201bb" "00010003026832", DNSPACK_E_RDATA},
    {"SVCB key twice", 64, "0001" "00" "0003000201bb" "0003000220fb", DNSPACK_E_RDATA},
    {"SVCB value over the end", 64, "0001" "00" "000100c8" "026832", DNSPACK_E_RDATA},
    {"SVCB parameter cut", 64, "0001" "00" "000100", DNSPACK_E_RDATA},
    {"DSYNC compressed", 66, "003b" "01" "14e9" TO_EX, DNSPACK_E_RDATA},
    {"LP compressed", 107, "000a" TO_EX, DNSPACK_E_RDATA},
    {"TKEY key over the end", 249, EX BYTES12 "0002" "aa", DNSPACK_E_RDATA},
    {"TKEY no other data", 249, EX BYTES12 "0000", DNSPACK_E_RDATA},
    {"TSIG cut", 250, EX "000067c61a92012c" "00", DNSPACK_E_RDATA},
    {"TSIG MAC over the end", 250, EX "000067c61a92012c" "ffff" "aabb" "a1a20000" "0000", DNSPACK_E_RDATA},
    {"TSIG no other data", 250, EX "000067c61a92012c" "0002" "aabb" "a1a20000", DNSPACK_E_RDATA},
    {"URI without target", 256, "000a0001", DNSPACK_E_RDATA},
    {"CAA without tag length", 257, "00", DNSPACK_E_RDATA},
    {"CAA tag of 0 octets", 257, "00" "00" "61", DNSPACK_E_RDATA},
    {"CAA tag over the end", 257, "00" "0261", DNSPACK_E_RDATA},
    {"DOA without media type", 259, "00000001" "00000002" "00", DNSPACK_E_RDATA},
    {"DOA media type over the end", 259, "00000001" "00000002" "03" "0361", DNSPACK_E_RDATA},
    {"AMTRELAY cut", 260, "0a", DNSPACK_E_RDATA},
    {"AMTRELAY octets without relay", 260, "0a00" "00", DNSPACK_E_RDATA},
    {"AMTRELAY IPv4 of 5 octets", 260, "0a01" "c000020100", DNSPACK_E_RDATA},
    {"AMTRELAY compressed", 260, "0a03" TO_EX, DNSPACK_E_RDATA},
    {"TA cut", 32768, "303901", DNSPACK_E_RDATA},
    {"DLV cut", 32769, "303901", DNSPACK_E_RDATA},
};
/* clang-format on */

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

static size_t unhex(const char *hex, uint8_t *dst)
{
    size_t digits = 0;

    for (; *hex != '\0'; hex++) {
        unsigned value = (unsigned)(*hex <= '9' ? *hex - '0' : *hex - 'a' + 10);

        dst[digits / 2] = (uint8_t)(digits % 2 == 0 ? value * 16u : dst[digits / 2] + value);
        digits++;
    }
    assert_int_equal(digits % 2, 0);
    return digits / 2;
}

/* A message that ends with its RDATA and is no octet larger, so that sanitizers see a read beyond it. */
static uint8_t *message(const uint8_t *rdata, size_t rdata_len)
{
    uint8_t *msg = calloc(1, OFF + rdata_len);

    assert_non_null(msg);
    memcpy(msg + 12, "\7example", 9);
    if (rdata_len > 0)
        memcpy(msg + OFF, rdata, rdata_len);
    return msg;
}

static enum dnspack_status check(uint16_t type, uint16_t rclass, const uint8_t *rdata, size_t rdata_len, size_t *expanded_len)
{
    uint8_t *msg = message(rdata, rdata_len);
    enum dnspack_status status = dnspack_rdata_check(msg, OFF + rdata_len, type, rclass, OFF, rdata_len, expanded_len);

    free(msg);
    return status;
}

/* Expand behind one octet into `room` octets and no more; the length of the expansion, or SIZE_MAX. */
static size_t expand(uint16_t type, uint16_t rclass, const uint8_t *rdata, size_t rdata_len, uint8_t *out, size_t room)
{
    uint8_t *msg = message(rdata, rdata_len), *dst = malloc(1 + room);
    size_t end;

    assert_non_null(dst);
    dst[0] = 0x5A;
    end = dnspack_rdata_expand(msg, OFF + rdata_len, type, rclass, OFF, rdata_len, dst, 1, 1 + room);
    assert_int_equal(dst[0], 0x5A);
    if (end != 0)
        memcpy(out, dst + 1, end - 1);
    free(msg);
    free(dst);
    return end != 0 ? end - 1 : SIZE_MAX;
}

static void test_check_accepts_each_type(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(goods); k++) {
        uint8_t in[256], out[256];
        size_t in_len = unhex(goods[k].in, in), out_len = unhex(goods[k].out ? goods[k].out : goods[k].in, out), len = 0;

        if (check(goods[k].type, CLASS_IN, in, in_len, &len) != DNSPACK_OK)
            fail_msg("%s is refused", goods[k].name);
        if (goods[k].out && len != out_len)
            fail_msg("%s expands to %zu octets, not %zu", goods[k].name, len, out_len);
        if (!goods[k].out && !dnspack_rdata_has_names(goods[k].type, CLASS_IN))
            assert_int_equal(len, in_len);
    }
}

static void test_check_judges_one_octet_less_and_more(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(goods); k++) {
        uint8_t in[256] = {0};
        size_t in_len = unhex(goods[k].in, in), len = 77;
        bool shorter = in_len == 0 || check(goods[k].type, CLASS_IN, in, in_len - 1, &len) == DNSPACK_OK;
        bool longer;

        in[in_len] = 0;
        longer = check(goods[k].type, CLASS_IN, in, in_len + 1, &len) == DNSPACK_OK;
        if (shorter != goods[k].shorter)
            fail_msg("%s, one octet less, is %s", goods[k].name, shorter ? "accepted" : "refused");
        if (longer != goods[k].longer)
            fail_msg("%s, one octet more, is %s", goods[k].name, longer ? "accepted" : "refused");
        if (!shorter && !longer)
            assert_int_equal(len, 77);
    }
}

static void test_check_refuses_malformed_rdata(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(bads); k++) {
        uint8_t in[256], out[256];
        size_t in_len = unhex(bads[k].in, in), len = 77;
        enum dnspack_status status = check(bads[k].type, CLASS_IN, in, in_len, &len);

        if (status != bads[k].status)
            fail_msg("%s: status %d", bads[k].why, (int)status);
        assert_int_equal(len, 77);
        if (expand(bads[k].type, CLASS_IN, in, in_len, out, sizeof out) != SIZE_MAX)
            fail_msg("%s is expanded", bads[k].why);
    }
}

/* Types that are fixed octets and then anything: any octets will do, if there are enough. */
static void test_check_asks_for_the_fixed_octets(void **state)
{
    static const struct {
        uint16_t type;
        uint8_t least;
    } types[] = {{11, 5}, {25, 4}, {34, 1}, {37, 5}, {43, 4},  {44, 2},    {48, 4},   {52, 3},
                 {53, 3}, {57, 4}, {59, 4}, {60, 4}, {63, 18}, {32768, 4}, {32769, 4}};
    uint8_t octets[32] = {0};
    size_t len = 0;

    (void)state;
    for (size_t k = 0; k < COUNT(types); k++)
        for (size_t rdata_len = 0; rdata_len <= sizeof octets; rdata_len++)
            assert_int_equal(check(types[k].type, CLASS_IN, octets, rdata_len, &len),
                             rdata_len >= types[k].least ? DNSPACK_OK : DNSPACK_E_RDATA);
}

static void test_check_refuses_four_octets_behind_the_end(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(goods); k++) {
        uint8_t in[256] = {0};
        size_t in_len = unhex(goods[k].in, in), len = 0;
        bool list = goods[k].type == 42 || goods[k].type == 64 || goods[k].type == 65; /* 00000000 is an item of these */

        if (!goods[k].longer && !list && check(goods[k].type, CLASS_IN, in, in_len + 4, &len) == DNSPACK_OK)
            fail_msg("%s, four octets more, is accepted", goods[k].name);
    }
}

static void test_expand_writes_names_in_full(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(goods); k++) {
        uint8_t in[256], want[256], got[600];
        size_t in_len = unhex(goods[k].in, in), want_len = unhex(goods[k].out ? goods[k].out : goods[k].in, want);

        if (!goods[k].out && dnspack_rdata_has_names(goods[k].type, CLASS_IN))
            continue;
        assert_int_equal(expand(goods[k].type, CLASS_IN, in, in_len, got, sizeof got), want_len);
        if (want_len > 0 && memcmp(got, want, want_len) != 0)
            fail_msg("%s expands to other octets", goods[k].name);
    }
}

static void test_expand_needs_exactly_the_length_that_check_tells(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(goods); k++) {
        uint8_t in[256], out[600];
        size_t in_len = unhex(goods[k].in, in), len = 0;

        assert_int_equal(check(goods[k].type, CLASS_IN, in, in_len, &len), DNSPACK_OK);
        if (expand(goods[k].type, CLASS_IN, in, in_len, out, len) != len)
            fail_msg("%s does not fit into %zu octets", goods[k].name, len);
        for (size_t room = 0; room < len; room++)
            if (expand(goods[k].type, CLASS_IN, in, in_len, out, room) != SIZE_MAX)
                fail_msg("%s fits into %zu octets instead of %zu", goods[k].name, room, len);
    }
}

/* Whatever the type and however cut: the two functions agree, and nothing is read beyond the RDATA. */
static void test_check_and_expand_agree_on_any_octets(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(goods); k++) {
        uint8_t in[256], out[1200];
        size_t in_len = unhex(goods[k].in, in);

        for (unsigned type = 0; type < 270; type++)
            for (size_t cut = 0; cut <= in_len; cut++) {
                size_t len = SIZE_MAX;
                enum dnspack_status status = check((uint16_t)type, CLASS_IN, in, cut, &len);

                assert_int_equal(expand((uint16_t)type, CLASS_IN, in, cut, out, sizeof out), len);
                assert_true(status != DNSPACK_OK || len <= cut + DNSPACK_RDATA_GROWTH_MAX);
            }
    }
}

static void test_expand_is_accepted_and_unchanged_the_second_time(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(goods); k++) {
        uint8_t in[256], once[600], twice[600];
        size_t in_len = unhex(goods[k].in, in), len = expand(goods[k].type, CLASS_IN, in, in_len, once, sizeof once);

        assert_int_equal(expand(goods[k].type, CLASS_IN, once, len, twice, sizeof twice), len);
        assert_true(len == 0 || memcmp(once, twice, len) == 0);
    }
}

static void test_names_of_255_octets_grow_rdata_to_its_bound(void **state)
{
    uint8_t msg[12 + 255 + 4] = {0};
    uint8_t dst[1 + 510];
    size_t len = 0;

    (void)state;
    for (size_t off = 12; off < 12 + 254; off += 2)
        msg[off] = 1;
    msg[267] = msg[269] = 0xC0;
    msg[268] = msg[270] = 12;
    assert_int_equal(dnspack_rdata_check(msg, sizeof msg, 14, CLASS_IN, 267, 4, &len), DNSPACK_OK);
    assert_int_equal(len, 510);
    assert_int_equal(dnspack_rdata_expand(msg, sizeof msg, 14, CLASS_IN, 267, 4, dst, 1, sizeof dst), 511);
    assert_int_equal(dnspack_rdata_expand(msg, sizeof msg, 14, CLASS_IN, 267, 4, dst, 1, sizeof dst - 1), 0);
    assert_int_equal(dnspack_rdata_check(msg, sizeof msg, 14, CLASS_IN, 267, 2, &len), DNSPACK_E_RDATA);
}

static bool is_of_class_in(unsigned type)
{
    static const uint16_t types[] = {1, 11, 22, 23, 26, 28, 31, 32, 33, 34, 36, 38, 42, 49, 64, 65};

    for (size_t k = 0; k < COUNT(types); k++)
        if (types[k] == type)
            return true;
    return false;
}

static void test_types_of_class_in_are_opaque_in_another(void **state)
{
    static const uint8_t octets[] = {0xC0, 0xFF};

    (void)state;
    for (unsigned type = 0; type < 270; type++)
        for (size_t rdata_len = 0; rdata_len <= sizeof octets; rdata_len++) {
            size_t in_len = 77, ch_len = 77;
            uint8_t out[2];
            enum dnspack_status in_status = check((uint16_t)type, CLASS_IN, octets, rdata_len, &in_len);
            enum dnspack_status ch_status = check((uint16_t)type, CLASS_CH, octets, rdata_len, &ch_len);

            if (!is_of_class_in(type)) {
                assert_int_equal(ch_status, in_status);
                continue;
            }
            assert_int_equal(ch_status, DNSPACK_OK);
            assert_int_equal(ch_len, rdata_len);
            assert_int_equal(expand((uint16_t)type, CLASS_CH, octets, rdata_len, out, sizeof out), rdata_len);
            assert_true(rdata_len == 0 || memcmp(out, octets, rdata_len) == 0);
            assert_false(dnspack_rdata_has_names((uint16_t)type, CLASS_CH));
        }
}

static void test_class_changes_nothing_else(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(bads); k++) {
        uint8_t in[256];
        size_t in_len = unhex(bads[k].in, in), len = 77;

        if (check(bads[k].type, CLASS_CH, in, in_len, &len) != (is_of_class_in(bads[k].type) ? DNSPACK_OK : bads[k].status))
            fail_msg("%s, in class CH", bads[k].why);
    }
}

static void test_types_without_a_line_are_opaque(void **state)
{
    static const uint16_t types[] = {0, 54, 69, 98, 110, 127, 255, 265, 300, 32767, 32770, 65280, 65535};
    uint8_t octets[5] = {0xC0, 0x0C, 1, 0, 0xFF}, out[8];

    (void)state;
    for (size_t k = 0; k < COUNT(types); k++)
        for (size_t len = 0; len <= sizeof octets; len++) {
            size_t expanded_len = SIZE_MAX;

            assert_int_equal(check(types[k], CLASS_IN, octets, len, &expanded_len), DNSPACK_OK);
            assert_int_equal(expanded_len, len);
            assert_int_equal(expand(types[k], CLASS_IN, octets, len, out, len), len);
            assert_true(len == 0 || memcmp(out, octets, len) == 0);
        }
}

/* RFC 3597 4 with the types of RFC 1035; KX, DNAME, TKEY and TSIG, whose senders have compressed. */
static void test_has_names_tells_the_types_that_are_expanded(void **state)
{
    static const uint16_t types[] = {2, 3, 4, 5, 6, 7, 8, 9, 12, 14, 15, 17, 18, 21, 24, 26, 30, 33, 35, 36, 39, 249, 250};
    size_t k = 0;

    (void)state;
    for (unsigned type = 0; type <= 65535; type++) {
        bool listed = k < COUNT(types) && types[k] == type;

        if (dnspack_rdata_has_names((uint16_t)type, CLASS_IN) != listed)
            fail_msg("type %u", type);
        k += listed;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check_accepts_each_type),
        cmocka_unit_test(test_check_judges_one_octet_less_and_more),
        cmocka_unit_test(test_check_refuses_malformed_rdata),
        cmocka_unit_test(test_check_asks_for_the_fixed_octets),
        cmocka_unit_test(test_check_refuses_four_octets_behind_the_end),
        cmocka_unit_test(test_expand_writes_names_in_full),
        cmocka_unit_test(test_expand_needs_exactly_the_length_that_check_tells),
        cmocka_unit_test(test_check_and_expand_agree_on_any_octets),
        cmocka_unit_test(test_expand_is_accepted_and_unchanged_the_second_time),
        cmocka_unit_test(test_names_of_255_octets_grow_rdata_to_its_bound),
        cmocka_unit_test(test_types_of_class_in_are_opaque_in_another),
        cmocka_unit_test(test_class_changes_nothing_else),
        cmocka_unit_test(test_types_without_a_line_are_opaque),
        cmocka_unit_test(test_has_names_tells_the_types_that_are_expanded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
