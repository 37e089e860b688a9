/* dnspack show: an entry or a message, its records in the words of libldns, and what each of its octets is. */
#include <arpa/inet.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h> /* before ldns.h, which makes up a bool of its own where there is none */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ldns/ldns.h>

#include "dnspack.h"
#include "judge.h"
#include "tool.h"

static const char show_help[] =
    "Usage: dnspack show [--entry|--message] [--in-hex] [FILE]\n"
    "Print the entry or the raw DNS message in FILE ('-' or nothing: standard input): first its\n"
    "records, then all its octets with what each of them is.\n\n"
    "  --entry     FILE is an entry\n"
    "  --message   FILE is a message\n"
    "  --in-hex    the input is hexadecimal digits\n\n"
    "With neither, it is an entry if it is a valid one, and else a message. What is malformed is\n"
    "shown as far as it can be read.\n\n"
    "Exit code: 1 where it is malformed; the reason is on standard error.\n";

enum { TYPE_OPT = 41, OPTION_ECS = 8, OPTION_ERROR = 15, ROW_OCTETS = 8, ROW_TEXT = 66 };

/* Header fields of a message (RFC 1035 4.1.1) and of an entry (spec/entry-format.md). */
enum { ENTRY_FLAG_AUTHENTICATED = 0x20, ENTRY_FLAG_EXT = 0x10, ENTRY_FLAG_QTYPE = 0x0f, ENTRY_FLAG_RCODE_SHIFT = 6 };
enum { EXT_CLASS = 1, EXT_SECTIONS = 2, EXT_TAG = 4, EXT_ERRORS = 8, EXT_UNCHECKED = 16 };
enum { OWNER_QNAME = 0, OWNER_SAME = 1, OWNER_REFERENCE = 2, OWNER_EXPLICIT = 3 };
enum { CTL_OWNER_SHIFT = 6, CTL_TYPE = 0x20, CTL_TTL = 0x10, CTL_COUNT = 0x0f };
enum { SUFFIX_FIRST = 0x80, SUFFIX_LAST = 0xaf, LABEL_MAX = 63, POINTER_FIRST = 0xc0 };

static const char *const section_names[3] = {"answer", "authority", "additional"};

/* ---- text ---- */

struct text {
    size_t len;
    char chars[1536]; /* a name of 255 octets, each as \DDD, and some words */
};

static uint32_t read_be(const uint8_t *src, size_t src_len)
{
    uint32_t value = 0;

    for (size_t at = 0; at < src_len; at++)
        value = value << 8 | src[at];
    return value;
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* Append; what does not fit is left off. */
__attribute__((format(printf, 2, 3))) static void text_add(struct text *text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int len = vsnprintf(text->chars + text->len, sizeof text->chars - text->len, format, arguments);
    va_end(arguments);
    if (len > 0)
        text->len = (size_t)len < sizeof text->chars - text->len ? text->len + (size_t)len : sizeof text->chars - 1;
}

/* Append octets as RFC 1035 5.1 has it: `special` characters behind a backslash, what is not printable as \DDD. */
static void text_add_octets(struct text *text, const uint8_t *src, size_t src_len, const char *special)
{
    for (size_t at = 0; at < src_len; at++) {
        if (src[at] < 0x20 || src[at] > 0x7e)
            text_add(text, "\\%03u", src[at]);
        else
            text_add(text, strchr(special, src[at]) != NULL ? "\\%c" : "%c", src[at]);
    }
}

/* Append the type as libldns spells it. */
static void text_add_type(struct text *text, uint16_t type)
{
    char *name = ldns_rr_type2str((ldns_rr_type)type);

    text_add(text, "%s", name == NULL ? "?" : name);
    free(name);
}

static void text_add_class(struct text *text, uint16_t class)
{
    char *name = ldns_rr_class2str((ldns_rr_class) class);

    text_add(text, "%s", name == NULL ? "?" : name);
    free(name);
}

static void text_add_rcode(struct text *text, unsigned rcode)
{
    static const char *const names[] = {"NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"};

    if (rcode < sizeof names / sizeof names[0])
        text_add(text, "%s", names[rcode]);
    else
        text_add(text, "RCODE %u", rcode);
}

static void text_add_address(struct text *text, const uint8_t *address, size_t address_len)
{
    char chars[INET6_ADDRSTRLEN] = "";

    inet_ntop(address_len == 4 ? AF_INET : AF_INET6, address, chars, sizeof chars);
    text_add(text, "%s", chars);
}

/* Append the name that a suffix code stands for. */
static void text_add_suffix(struct text *text, const uint8_t *entry, size_t entry_len, size_t at)
{
    uint8_t name[DNSPACK_NAME_MAX];

    if (entry[at] < SUFFIX_FIRST || entry[at] > SUFFIX_LAST) {
        text_add(text, "?");
        return;
    }
    size_t name_len = dnspack_entry_name(entry, entry_len, at, name);
    text_add_octets(text, name + 1, name_len - 2, ". \\\"");
    text_add(text, ".");
}

/* Append the name at `at`, pointers followed; a "?" stands where it is malformed. */
static void text_add_name(struct text *text, const uint8_t *octets, size_t octets_len, size_t at, bool is_entry)
{
    enum { HOPS_MAX = 128 };
    bool has_labels = false;

    for (unsigned hops = 0; hops < HOPS_MAX && at < octets_len;) {
        uint8_t len = octets[at];
        if (len == 0) {
            text_add(text, "%s", has_labels ? "" : ".");
            return;
        }
        if (is_entry && len > LABEL_MAX) {
            text_add_suffix(text, octets, octets_len, at);
            return;
        }
        if (len >= POINTER_FIRST && octets_len - at > 1) {
            at = read_be(octets + at, 2) & 0x3fffu;
            hops++;
            continue;
        }
        if (len > LABEL_MAX || len >= octets_len - at)
            break;
        text_add_octets(text, octets + at + 1, len, ". \\\"");
        text_add(text, ".");
        has_labels = true;
        at += len + 1u;
    }
    text_add(text, "?");
}

/* ---- rows of octets ---- */

struct dump {
    const uint8_t *octets;
    size_t len; /* no row goes beyond */
    size_t at;
    bool is_entry;  /* names end in suffix codes, not in pointers */
    bool is_broken; /* the octets ended too early or make no sense: no more rows */
};

static size_t dump_left(const struct dump *dump)
{
    return dump->len - dump->at;
}

static void print_row(const struct dump *dump, size_t count, const char *text)
{
    char hex[3 * ROW_OCTETS + 1] = "";

    for (size_t at = 0; at < count; at++)
        snprintf(hex + 3 * at, 4, "%02x ", dump->octets[dump->at + at]);
    if (text[0] == '\0')
        printf("  %04zx  %.*s\n", dump->at, (int)(3 * count - 1), hex);
    else
        printf("  %04zx  %-*s%.*s%s\n", dump->at, 3 * ROW_OCTETS, hex, ROW_TEXT, text, strlen(text) > ROW_TEXT ? "..." : "");
}

/* Print the next count octets, with text beside the first row. False: there are fewer, or the dump is broken. */
static bool dump_text(struct dump *dump, size_t count, const struct text *text)
{
    struct text short_text = {0};
    bool is_short = count > dump_left(dump);
    const char *chars = text->chars;

    if (dump->is_broken)
        return false;
    if (is_short) {
        text_add(&short_text, "only %zu of %zu octets: %s", dump_left(dump), count, text->chars);
        chars = short_text.chars;
        count = dump_left(dump);
        dump->is_broken = true;
    }
    if (count == 0 && is_short)
        printf("  %04zx  %-*s%.*s\n", dump->at, 3 * ROW_OCTETS, "", ROW_TEXT, chars);
    for (size_t row = count; row > 0; chars = "") {
        size_t row_len = row < ROW_OCTETS ? row : ROW_OCTETS;
        print_row(dump, row_len, chars);
        dump->at += row_len;
        row -= row_len;
    }
    return !is_short;
}

__attribute__((format(printf, 3, 4))) static bool dump_octets(struct dump *dump, size_t count, const char *format, ...)
{
    struct text text = {0};
    va_list arguments;

    va_start(arguments, format);
    int len = vsnprintf(text.chars, sizeof text.chars, format, arguments);
    va_end(arguments);
    return len >= 0 && dump_text(dump, count, &text);
}

static void dump_heading(const struct dump *dump, const char *text)
{
    if (!dump->is_broken)
        printf("%s\n", text);
}

/* Print a field of 1..4 octets with its value; `value` gets it, if not NULL. */
static bool dump_number(struct dump *dump, size_t count, const char *what, uint32_t *value)
{
    bool is_short = count > dump_left(dump);
    uint32_t number = is_short ? 0 : read_be(dump->octets + dump->at, count);

    if (value != NULL)
        *value = number;
    if (is_short)
        return dump_octets(dump, count, "%s", what);
    return dump_octets(dump, count, "%s: %lu", what, (unsigned long)number);
}

static bool dump_type(struct dump *dump, const char *what, uint16_t *type)
{
    struct text text = {0};

    if (dump_left(dump) >= 2)
        *type = (uint16_t)read_be(dump->octets + dump->at, 2);
    text_add(&text, "%s: ", what);
    text_add_type(&text, *type);
    return dump_text(dump, 2, &text);
}

/* A number in the form of the entry format: one octet, or 255 and two. */
static bool dump_var(struct dump *dump, const char *what, uint32_t *value)
{
    bool is_long = dump_left(dump) >= 3 && dump->octets[dump->at] == 255;

    if (!is_long)
        return dump_number(dump, 1, what, value);
    *value = read_be(dump->octets + dump->at + 1, 2);
    return dump_octets(dump, 3, "%s: %lu, the long form", what, (unsigned long)*value);
}

/* One label, pointer or suffix code of a name. True: the name goes on. */
static bool dump_label(struct dump *dump, const char *what)
{
    struct text text = {0};
    uint8_t len = dump_left(dump) == 0 ? 0 : dump->octets[dump->at];
    bool ends = len == 0;
    size_t count = 1;

    text_add(&text, "%s: ", what);
    if (dump_left(dump) == 0) {
        text_add(&text, "?");
    } else if (len == 0) {
        text_add(&text, "root");
    } else if (len <= LABEL_MAX) {
        text_add(&text, "\"");
        text_add_octets(&text, dump->octets + dump->at + 1, len < dump_left(dump) ? len : dump_left(dump) - 1, "\"\\");
        text_add(&text, "\"");
        count = len + 1u;
    } else if (dump->is_entry) {
        text_add(&text, "code %u, ", len - SUFFIX_FIRST);
        text_add_suffix(&text, dump->octets, dump->len, dump->at);
        ends = true;
    } else if (len >= POINTER_FIRST && dump_left(dump) > 1) {
        text_add(&text, "pointer to %04lx, ", (unsigned long)read_be(dump->octets + dump->at, 2) & 0x3fffu);
        text_add_name(&text, dump->octets, dump->len, dump->at, false);
        ends = true;
        count = 2;
    } else {
        text_add(&text, "no label is like this");
        dump_text(dump, 1, &text);
        dump->is_broken = true;
        return false;
    }
    return dump_text(dump, count, &text) && !ends;
}

static void dump_name(struct dump *dump, const char *what)
{
    while (dump_label(dump, what)) {
    }
}

/* ---- RDATA ---- */

/*
 * What RDATA consists of: a letter for the kind of field, and its name, for each.
 *   1 2 4  octets of a number    i  IPv4 address   a  IPv6 address   t  type
 *   n      name   s  character-string   S  character-strings up to the end   p  service parameters
 *   r      all the rest
 */
struct rdata_fields {
    uint16_t type;
    const char *fields;
};

static const struct rdata_fields rdata_table[] = {
    /* A */ {1, "iaddress"},
    /* NS */ {2, "nserver"},
    /* CNAME */ {5, "ntarget"},
    /* SOA */ {6, "nprimary server,nmailbox,4serial,4refresh,4retry,4expire,4minimum"},
    /* PTR */ {12, "ntarget"},
    /* HINFO */ {13, "sCPU,sOS"},
    /* MX */ {15, "2preference,nexchange"},
    /* TXT */ {16, "Sstring"},
    /* RP */ {17, "nmailbox,ntext at"},
    /* AFSDB */ {18, "2subtype,nhost"},
    /* SIG */ {24, "ttype covered,1algorithm,1labels,4original TTL,4expiration,4inception,2key tag,nsigner,rsignature"},
    /* KEY */ {25, "2flags,1protocol,1algorithm,rpublic key"},
    /* AAAA */ {28, "aaddress"},
    /* LOC */ {29, "1version,1size,1horizontal precision,1vertical precision,4latitude,4longitude,4altitude"},
    /* SRV */ {33, "2priority,2weight,2port,ntarget"},
    /* NAPTR */ {35, "2order,2preference,sflags,sservices,sregexp,nreplacement"},
    /* KX */ {36, "2preference,nexchange"},
    /* CERT */ {37, "2certificate type,2key tag,1algorithm,rcertificate"},
    /* DNAME */ {39, "ntarget"},
    /* DS */ {43, "2key tag,1algorithm,1digest type,rdigest"},
    /* SSHFP */ {44, "1algorithm,1fingerprint type,rfingerprint"},
    /* RRSIG */ {46, "ttype covered,1algorithm,1labels,4original TTL,4expiration,4inception,2key tag,nsigner,rsignature"},
    /* NSEC */ {47, "nnext name,rtype bitmap"},
    /* DNSKEY */ {48, "2flags,1protocol,1algorithm,rpublic key"},
    /* NSEC3 */ {50, "1hash algorithm,1flags,2iterations,ssalt,snext hash,rtype bitmap"},
    /* NSEC3PARAM */ {51, "1hash algorithm,1flags,2iterations,ssalt"},
    /* TLSA */ {52, "1usage,1selector,1matching type,rdata"},
    /* SMIMEA */ {53, "1usage,1selector,1matching type,rdata"},
    /* CDS */ {59, "2key tag,1algorithm,1digest type,rdigest"},
    /* CDNSKEY */ {60, "2flags,1protocol,1algorithm,rpublic key"},
    /* CSYNC */ {62, "4SOA serial,2flags,rtype bitmap"},
    /* ZONEMD */ {63, "4SOA serial,1scheme,1hash algorithm,rdigest"},
    /* SVCB */ {64, "2priority,ntarget,pparameter"},
    /* HTTPS */ {65, "2priority,ntarget,pparameter"},
    /* SPF */ {99, "Sstring"},
    /* URI */ {256, "2priority,2weight,rtarget"},
    /* CAA */ {257, "1flags,stag,rvalue"},
};

static const char *rdata_fields(uint16_t type)
{
    for (size_t at = 0; at < sizeof rdata_table / sizeof rdata_table[0]; at++) {
        if (rdata_table[at].type == type)
            return rdata_table[at].fields;
    }
    return "rRDATA";
}

static void dump_address(struct dump *dump, size_t count, const char *what)
{
    struct text text = {0};

    text_add(&text, "%s: ", what);
    if (dump_left(dump) >= count)
        text_add_address(&text, dump->octets + dump->at, count);
    dump_text(dump, count, &text);
}

/* Count octets, as text if they are printable. */
static void dump_data(struct dump *dump, size_t count, const char *what)
{
    struct text text = {0};
    size_t printable = 0;

    for (size_t at = 0; at < count && at < dump_left(dump); at++)
        printable += dump->octets[dump->at + at] >= 0x20 && dump->octets[dump->at + at] < 0x7f;
    text_add(&text, "%s, %zu octet%s", what, count, plural(count));
    if (printable == count && count > 0) {
        text_add(&text, ": \"");
        text_add_octets(&text, dump->octets + dump->at, count, "\"\\");
        text_add(&text, "\"");
    }
    dump_text(dump, count, &text);
}

static void dump_string(struct dump *dump, const char *what)
{
    struct text text = {0};
    size_t len = dump_left(dump) == 0 ? 0 : dump->octets[dump->at];

    text_add(&text, "%s, %zu octet%s: \"", what, len, plural(len));
    if (dump_left(dump) > 0)
        text_add_octets(&text, dump->octets + dump->at + 1, len < dump_left(dump) ? len : dump_left(dump) - 1, "\"\\");
    text_add(&text, "\"");
    dump_text(dump, len + 1, &text);
}

/* RFC 9460 2.2 */
static void dump_parameter(struct dump *dump, const char *what)
{
    uint32_t len = 0;

    dump_number(dump, 2, what, NULL);
    dump_number(dump, 2, "  length", &len);
    if (len > 0)
        dump_data(dump, len, "  value");
}

static void dump_field(struct dump *dump, char kind, const char *what)
{
    uint16_t type = 0;

    if (kind >= '1' && kind <= '4')
        dump_number(dump, (size_t)(kind - '0'), what, NULL);
    else if (kind == 'i' || kind == 'a')
        dump_address(dump, kind == 'i' ? 4 : 16, what);
    else if (kind == 't')
        dump_type(dump, what, &type);
    else if (kind == 'n')
        dump_name(dump, what);
    else if (kind == 's')
        dump_string(dump, what);
    else if (kind == 'r' && dump_left(dump) > 0)
        dump_data(dump, dump_left(dump), what);
    while (kind == 'S' && !dump->is_broken && dump_left(dump) > 0)
        dump_string(dump, what);
    while (kind == 'p' && !dump->is_broken && dump_left(dump) > 0)
        dump_parameter(dump, what);
}

/* The fields of RDATA, which end before dump->len where the type's shape says so. */
static void dump_fields(struct dump *dump, uint16_t type)
{
    const char *fields = rdata_fields(type);
    char what[32];

    while (*fields != '\0') {
        size_t len = strcspn(fields + 1, ",");
        snprintf(what, sizeof what, "  %.*s", (int)len, fields + 1);
        dump_field(dump, fields[0], what);
        fields += 1 + len;
        fields += *fields == ',';
    }
}

/* RDATA of rdata_len octets; what is wrong inside does not break what follows. */
static void dump_rdata(struct dump *dump, uint16_t type, size_t rdata_len)
{
    size_t len = dump->len;

    if (rdata_len > dump_left(dump)) {
        dump_octets(dump, rdata_len, "RDATA");
        return;
    }
    dump->len = dump->at + rdata_len;
    if (rdata_len > 0)
        dump_fields(dump, type);
    dump->is_broken = false;
    if (dump_left(dump) > 0)
        dump_octets(dump, dump_left(dump), "  beyond what the type has");
    dump->len = len;
}

/* ---- messages ---- */

static void dump_flags(struct dump *dump)
{
    static const struct {
        unsigned bit;
        const char *name;
    } bits[] = {
        {DNSPACK_FLAG_QR, "QR"}, {DNSPACK_FLAG_AA, "AA"}, {DNSPACK_FLAG_TC, "TC"},
        {DNSPACK_FLAG_RD, "RD"}, {DNSPACK_FLAG_RA, "RA"}, {0x40, "Z"},
        {DNSPACK_FLAG_AD, "AD"}, {DNSPACK_FLAG_CD, "CD"},
    };
    struct text text = {0};
    unsigned flags = dump_left(dump) < 2 ? 0 : read_be(dump->octets + dump->at, 2);

    text_add(&text, "flags:");
    for (size_t at = 0; at < sizeof bits / sizeof bits[0]; at++) {
        if ((flags & bits[at].bit) != 0)
            text_add(&text, " %s", bits[at].name);
    }
    text_add(&text, "%s opcode %u, ", text.len > strlen("flags:") ? "," : "", flags >> 11 & 0xfu);
    text_add_rcode(&text, flags & 0xfu);
    dump_text(dump, 2, &text);
}

static void dump_class(struct dump *dump)
{
    struct text text = {0};

    text_add(&text, "class: ");
    if (dump_left(dump) >= 2)
        text_add_class(&text, (uint16_t)read_be(dump->octets + dump->at, 2));
    dump_text(dump, 2, &text);
}

/* RFC 7871 6 */
static void dump_subnet(struct dump *dump)
{
    dump_number(dump, 2, "  family", NULL);
    dump_number(dump, 1, "  source prefix length", NULL);
    dump_number(dump, 1, "  scope prefix length", NULL);
    if (dump_left(dump) > 0)
        dump_octets(dump, dump_left(dump), "  address");
}

/* RFC 6891 6.1.2 */
static void dump_option(struct dump *dump)
{
    size_t end = dump->len;
    uint32_t code = 0;
    uint32_t len = 0;

    dump_number(dump, 2, "  option", &code);
    dump_number(dump, 2, "  length", &len);
    if (dump->is_broken || len > dump_left(dump)) {
        dump_octets(dump, len, "  data");
        return;
    }
    dump->len = dump->at + len;
    if (code == OPTION_ECS)
        dump_subnet(dump);
    else if (code == OPTION_ERROR)
        dump_number(dump, 2, "  info code", NULL);
    if (!dump->is_broken && dump_left(dump) > 0)
        dump_data(dump, dump_left(dump), code == OPTION_ERROR ? "  text" : "  data");
    dump->len = end;
}

/* OPT behind its owner and type (RFC 6891 6.1.3). */
static void dump_opt(struct dump *dump)
{
    uint32_t len = 0;
    size_t end = dump->len;
    bool is_ok = dump_left(dump) >= 6 && (dump->octets[dump->at + 4] & 0x80) != 0;

    dump_number(dump, 2, "UDP size", NULL);
    dump_number(dump, 1, "upper RCODE bits", NULL);
    dump_number(dump, 1, "EDNS version", NULL);
    dump_octets(dump, 2, "EDNS flags: %s", is_ok ? "DO" : "none");
    dump_number(dump, 2, "RDLENGTH", &len);
    if (dump->is_broken || len > dump_left(dump)) {
        dump_octets(dump, len, "options");
        return;
    }
    dump->len = dump->at + len;
    while (!dump->is_broken && dump_left(dump) > 0)
        dump_option(dump);
    dump->is_broken = false;
    dump->at = dump->len;
    dump->len = end;
}

static void dump_record(struct dump *dump)
{
    uint16_t type = 0;
    uint32_t len = 0;

    dump_name(dump, "owner");
    dump_type(dump, "type", &type);
    if (type == TYPE_OPT) {
        dump_opt(dump);
        return;
    }
    dump_class(dump);
    dump_number(dump, 4, "TTL", NULL);
    dump_number(dump, 2, "RDLENGTH", &len);
    if (!dump->is_broken)
        dump_rdata(dump, type, len);
}

static void dump_message(struct dump *dump)
{
    static const char *const count_names[3] = {"answer records", "authority records", "additional records"};
    uint32_t counts[4] = {0};
    uint16_t type = 0;
    struct text text;

    dump_heading(dump, "header");
    dump_number(dump, 2, "ID", NULL);
    dump_flags(dump);
    dump_number(dump, 2, "questions", &counts[0]);
    for (size_t section = 0; section < 3; section++)
        dump_number(dump, 2, count_names[section], &counts[section + 1]);
    for (uint32_t at = 0; at < counts[0] && !dump->is_broken; at++) {
        dump_heading(dump, "question");
        dump_name(dump, "name");
        dump_type(dump, "type", &type);
        dump_class(dump);
    }
    for (size_t section = 0; section < 3; section++) {
        for (uint32_t at = 0; at < counts[section + 1] && !dump->is_broken; at++) {
            text = (struct text){0};
            text_add(&text, "%s, record %lu", section_names[section], (unsigned long)at + 1);
            dump_heading(dump, text.chars);
            dump_record(dump);
        }
    }
    dump->is_broken = false;
    if (dump_left(dump) > 0) {
        dump_heading(dump, "the rest");
        dump_octets(dump, dump_left(dump), "%zu octet%s", dump_left(dump), plural(dump_left(dump)));
    }
}

static int show_message(const char *path, const struct octets *msg)
{
    struct dump dump = {.octets = msg->items, .len = msg->len};
    struct dnspack_message message;

    char *text = judge_text(msg->items, msg->len);
    printf("message, %zu octet%s\n\n", msg->len, plural(msg->len));
    printf("%s\n", text == NULL ? "(libldns cannot read it)\n" : text);
    free(text);
    dump_message(&dump);
    enum dnspack_status status = dnspack_message_parse(msg->items, msg->len, NULL, 0, &message);
    if (status == DNSPACK_OK)
        return TOOL_OK;
    tool_error(path, "refused as a message: %s", dnspack_status_name(status));
    return TOOL_FOUND;
}

/* ---- entries ---- */

/* What the head of an entry says about the rest, as the dump comes by. */
struct entry_view {
    uint8_t flags;
    uint8_t ext;
    uint16_t qtype;
    size_t qname_off;
    uint32_t section_len[2]; /* answer, authority */
};

static uint16_t qtype_of_code(unsigned code)
{
    static const uint16_t types[16] = {0, 1, 28, 65, 16, 12, 15, 2, 6, 5, 33, 43, 48, 64, 257, 35};
    return types[code];
}

static void dump_stored(struct dump *dump)
{
    struct text text = {0};
    time_t stored = dump_left(dump) < 4 ? 0 : (time_t)read_be(dump->octets + dump->at, 4);
    struct tm parts;
    char date[32] = "";

    if (gmtime_r(&stored, &parts) != NULL)
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &parts);
    text_add(&text, "stored at: %lld s (since 1970: %s)", (long long)stored, date);
    dump_text(dump, 4, &text);
}

static void dump_entry_flags(struct dump *dump, struct entry_view *view)
{
    static const unsigned rcodes[4] = {0, 3, 2, 15};
    struct text text = {0};

    view->flags = dump_left(dump) == 0 ? 0 : dump->octets[dump->at];
    view->qtype = qtype_of_code(view->flags & ENTRY_FLAG_QTYPE);
    text_add(&text, "flags: ");
    text_add_rcode(&text, rcodes[view->flags >> ENTRY_FLAG_RCODE_SHIFT]);
    text_add(&text, "%s%s, query type ", (view->flags & ENTRY_FLAG_AUTHENTICATED) != 0 ? ", authenticated" : "",
             (view->flags & ENTRY_FLAG_EXT) != 0 ? ", ext" : "");
    if (view->qtype == 0)
        text_add(&text, "explicit");
    else
        text_add_type(&text, view->qtype);
    dump_text(dump, 1, &text);
}

static void dump_ext(struct dump *dump, struct entry_view *view)
{
    static const char *const names[] = {"class", "sections", "tag", "errors", "unchecked"};
    struct text text = {0};

    view->ext = dump_left(dump) == 0 ? 0 : dump->octets[dump->at];
    text_add(&text, "ext:");
    for (unsigned bit = 0; bit < sizeof names / sizeof names[0]; bit++) {
        if ((view->ext >> bit & 1) != 0)
            text_add(&text, " %s", names[bit]);
    }
    dump_text(dump, 1, &text);
}

static void dump_entry_head(struct dump *dump, struct entry_view *view)
{
    dump_heading(dump, "head");
    dump_number(dump, 2, "length of the entry", NULL);
    dump_stored(dump);
    dump_number(dump, 3, "TTL of the entry", NULL);
    dump_entry_flags(dump, view);
    if ((view->flags & ENTRY_FLAG_EXT) != 0)
        dump_ext(dump, view);
    if (view->qtype == 0)
        dump_type(dump, "query type", &view->qtype);
    if ((view->ext & EXT_CLASS) != 0)
        dump_class(dump);
    if ((view->ext & EXT_SECTIONS) != 0) {
        dump_number(dump, 2, "octets of the answer section", &view->section_len[0]);
        dump_number(dump, 2, "octets of the authority section", &view->section_len[1]);
    }
    view->qname_off = dump->at;
    dump_name(dump, "query name");
}

static void dump_tag(struct dump *dump)
{
    uint32_t len = 0;

    dump_heading(dump, "tag");
    dump_number(dump, 1, "length", &len);
    if (len > 0)
        dump_octets(dump, len, "tag");
}

static void dump_errors(struct dump *dump)
{
    uint32_t count = 0;

    dump_heading(dump, "extended errors");
    dump_number(dump, 1, "errors", &count);
    for (; count > 0 && !dump->is_broken; count--) {
        uint32_t len = 0;
        dump_var(dump, "length", &len);
        dump_number(dump, 2, "  info code", NULL);
        if (len > 2)
            dump_data(dump, len - 2, "  text");
    }
}

static void dump_reference(struct dump *dump)
{
    struct text text = {0};
    size_t count = dump_left(dump) >= 3 && dump->octets[dump->at] == 255 ? 3 : 1;
    size_t target = 0;

    if (dump_left(dump) > 0)
        target = count == 1 ? dump->octets[dump->at] : read_be(dump->octets + dump->at + 1, 2);
    text_add(&text, "owner: the name at %04zx, ", target);
    text_add_name(&text, dump->octets, dump->len, target, true);
    dump_text(dump, count, &text);
}

/* The control octet of a group. */
static uint8_t dump_ctl(struct dump *dump, const struct entry_view *view)
{
    static const char *const owners[] = {"the query name", "as before", "a reference", "a name"};
    struct text text = {0};
    uint8_t ctl = dump->octets[dump->at];
    unsigned count = (ctl & CTL_COUNT) + 1u;

    text_add(&text, "group of %u: owner %s, type ", count, owners[ctl >> CTL_OWNER_SHIFT]);
    if ((ctl & CTL_TYPE) != 0)
        text_add(&text, "explicit");
    else
        text_add_type(&text, view->qtype);
    text_add(&text, ", TTL %s", (ctl & CTL_TTL) != 0 ? "explicit" : "the entry's");
    dump_text(dump, 1, &text);
    return ctl;
}

/* Whether an entry keeps RDATA of this type without its length (spec/entry-format.md). */
static bool has_shape(uint16_t type)
{
    static const uint16_t types[] = {1, 2, 5, 6, 12, 15, 28, 33, 39};

    for (size_t at = 0; at < sizeof types / sizeof types[0]; at++) {
        if (types[at] == type)
            return true;
    }
    return false;
}

static void dump_group(struct dump *dump, const struct entry_view *view)
{
    uint8_t ctl = dump_ctl(dump, view);
    uint32_t type = view->qtype;
    struct text text = {0};

    if ((ctl & CTL_TYPE) != 0) {
        size_t count = dump_left(dump) >= 3 && dump->octets[dump->at] == 255 ? 3 : 1;
        type = dump_left(dump) == 0 ? 0 : count == 1 ? dump->octets[dump->at] : read_be(dump->octets + dump->at + 1, 2);
        text_add(&text, "type: ");
        text_add_type(&text, (uint16_t)type);
        dump_text(dump, count, &text);
    }
    if ((ctl & CTL_TTL) != 0)
        dump_number(dump, 3, "TTL", NULL);
    if (ctl >> CTL_OWNER_SHIFT == OWNER_REFERENCE)
        dump_reference(dump);
    else if (ctl >> CTL_OWNER_SHIFT == OWNER_EXPLICIT)
        dump_name(dump, "owner");
    for (unsigned left = (ctl & CTL_COUNT) + 1u; left > 0 && !dump->is_broken; left--) {
        uint32_t rdata_len = 0;
        if (has_shape((uint16_t)type)) {
            dump_fields(dump, (uint16_t)type);
        } else if (dump_var(dump, "RDATA length", &rdata_len)) {
            dump_rdata(dump, (uint16_t)type, rdata_len);
        }
    }
}

/* The groups of a section, which ends at `end` or where the entry does. */
static void dump_section(struct dump *dump, const struct entry_view *view, const char *name, size_t end)
{
    size_t len = dump->len;

    if (dump->at >= end)
        return;
    dump_heading(dump, name);
    dump->len = end < len ? end : len;
    while (!dump->is_broken && dump_left(dump) > 0)
        dump_group(dump, view);
    dump->len = len;
}

static void dump_entry(struct dump *dump)
{
    struct entry_view view = {0};

    dump_entry_head(dump, &view);
    if ((view.ext & EXT_TAG) != 0)
        dump_tag(dump);
    if ((view.ext & EXT_ERRORS) != 0)
        dump_errors(dump);
    bool has_sections = (view.ext & EXT_SECTIONS) != 0;
    size_t answer_end = has_sections ? dump->at + view.section_len[0] : dump->len;
    size_t authority_end = has_sections ? answer_end + view.section_len[1] : dump->len;
    dump_section(dump, &view, section_names[0], answer_end);
    dump_section(dump, &view, section_names[1], authority_end);
    dump_section(dump, &view, section_names[2], dump->len);
    dump->is_broken = false;
    if (dump_left(dump) > 0) {
        dump_heading(dump, "the rest");
        dump_octets(dump, dump_left(dump), "%zu octet%s", dump_left(dump), plural(dump_left(dump)));
    }
}

/* The record in the words of libldns: made a wire record of its own first, for names in an entry's RDATA are uncompressed. */
static void print_item(const uint8_t *entry, size_t entry_len, const struct dnspack_entry *head, const struct dnspack_item *item)
{
    enum { FIXED_LEN = 10 };
    uint8_t *record = malloc(DNSPACK_NAME_MAX + FIXED_LEN + item->rdata_len);
    char *text = NULL;

    if (record != NULL) {
        size_t len = dnspack_entry_name(entry, entry_len, item->owner_off, record);
        const unsigned fields[FIXED_LEN / 2] = {item->type, head->qclass, item->ttl_s >> 16, item->ttl_s & 0xffffu, item->rdata_len};
        for (size_t at = 0; at < FIXED_LEN / 2; at++) {
            record[len++] = (uint8_t)(fields[at] >> 8);
            record[len++] = (uint8_t)fields[at];
        }
        memcpy(record + len, entry + item->rdata_off, item->rdata_len);
        text = judge_text_record(record, len + item->rdata_len, 0);
    }
    printf("%s", text == NULL ? "(libldns cannot read this record)\n" : text);
    free(text);
    free(record);
}

static void print_entry_errors(const uint8_t *entry, const struct dnspack_entry *head)
{
    size_t at = head->errors_off;

    for (unsigned left = head->error_count; left > 0; left--) {
        struct text text = {0};
        size_t len = entry[at] == 255 ? read_be(entry + at + 1, 2) : entry[at];
        at += entry[at] == 255 ? 3 : 1;
        text_add_octets(&text, entry + at + 2, len - 2, "\"\\");
        printf("extended error %lu: \"%s\"\n", (unsigned long)read_be(entry + at, 2), text.chars);
        at += len;
    }
}

/* The text form of a valid entry. */
static void print_entry(const uint8_t *entry, size_t entry_len)
{
    struct dnspack_cursor cursor = {0};
    struct dnspack_entry head;
    struct dnspack_item item;
    struct text text = {0};
    int section = -1;

    head = dnspack_entry_decode(entry, entry_len);
    text_add_name(&text, entry, entry_len, head.qname_off, true);
    text_add(&text, " ");
    text_add_class(&text, head.qclass);
    text_add(&text, " ");
    text_add_type(&text, head.qtype);
    text_add(&text, ": ");
    text_add_rcode(&text, head.rcode);
    printf("%s%s%s\n", text.chars, head.authenticated ? ", authenticated" : "", head.unchecked ? ", unchecked" : "");
    printf("stored at %lu s for %lu s\n", (unsigned long)head.stored_s, (unsigned long)head.ttl_s);
    if (head.tag_len > 0)
        printf("tag ");
    for (size_t at = 0; at < head.tag_len; at++)
        printf("%02x%s", entry[head.tag_off + at], at + 1 == head.tag_len ? "\n" : "");
    print_entry_errors(entry, &head);
    while (dnspack_entry_next(entry, &head, &cursor, &item)) {
        if (item.section != section)
            printf(";; %s\n", section_names[item.section]);
        section = item.section;
        print_item(entry, entry_len, &head, &item);
    }
    printf("\n");
}

static int show_entry(const char *path, const struct octets *entry)
{
    struct dump dump = {.octets = entry->items, .len = entry->len, .is_entry = true};
    bool is_valid = dnspack_entry_check(entry->items, entry->len) == DNSPACK_OK;

    printf("entry, %zu octet%s\n\n", entry->len, plural(entry->len));
    if (is_valid)
        print_entry(entry->items, entry->len);
    dump_entry(&dump);
    if (is_valid)
        return TOOL_OK;
    tool_error(path, "not a valid entry");
    return TOOL_FOUND;
}

/* ---- the command ---- */

enum kind { KIND_GUESS, KIND_ENTRY, KIND_MESSAGE };

static int show_file(const char *path, bool is_hex, enum kind kind)
{
    struct octets octets;
    int code = TOOL_FOUND;

    if (!octets_read(path, is_hex, &octets))
        return TOOL_FAULT;
    if (tool_fits(path, &octets)) {
        if (kind == KIND_GUESS)
            kind = dnspack_entry_check(octets.items, octets.len) == DNSPACK_OK ? KIND_ENTRY : KIND_MESSAGE;
        code = kind == KIND_ENTRY ? show_entry(path, &octets) : show_message(path, &octets);
    }
    free(octets.items);
    return code;
}

int command_show(int argc, char **argv)
{
    static const struct option known[] = {
        {"help", no_argument, NULL, 'h'},
        {"entry", no_argument, NULL, 'e'},
        {"message", no_argument, NULL, 'm'},
        {"in-hex", no_argument, NULL, 'x'},
        {NULL, 0, NULL, 0},
    };
    enum kind kind = KIND_GUESS;
    bool is_hex = false;

    for (int option = tool_option(argc, argv, known); option != -1; option = tool_option(argc, argv, known)) {
        if (option == '?')
            return TOOL_FAULT;
        if (option == 'h') {
            fputs(show_help, stdout);
            return TOOL_OK;
        }
        if (option == 'x')
            is_hex = true;
        else
            kind = option == 'e' ? KIND_ENTRY : KIND_MESSAGE;
    }
    if (argc - optind > 1) {
        tool_error("show", "more than one file; 'dnspack show --help' says more");
        return TOOL_FAULT;
    }
    return show_file(optind < argc ? argv[optind] : "-", is_hex, kind);
}
