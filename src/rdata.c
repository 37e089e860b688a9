#include "rdata.h"

#if defined(__GNUC__) && !defined(__FRAMAC__)
#define OUT_OF_LINE __attribute__((noinline)) /* so that the short way saves no registers: 26 instead of 44 instructions */
#else
#define OUT_OF_LINE
#endif

#define INTERNET 1u /* RFC 1035 3.2.4 */
#define TYPE_DS 43u
#define TYPE_TA 32768u  /* as DS, no RFC */
#define TYPE_DLV 32769u /* as DS, RFC 4431 2 */

/* RDATA is octets, then strings, then names that may be compressed, then plain names, then a tail; all may be absent. */
struct shape {
    uint8_t octets;  /* fixed octets */
    uint8_t strings; /* <character-string>s (RFC 1035 3.3) or other octets with a length octet */
    uint8_t names;   /* names that a sender may have compressed (RFC 3597 4), DNSPACK_RDATA_NAMES_MAX at most; they are expanded */
    uint8_t plain;   /* names that must not be compressed */
    uint8_t tail;    /* enum tail */
    uint8_t scope;   /* ALL, or IN: in other classes the type has no meaning and is opaque */
};

enum scope { ALL = 0, IN = 1 };

enum tail {
    ANY = 0, /* any octets, or none */
    ONLY,    /* nothing, and only fixed octets before it */
    END,     /* nothing */
    MORE,    /* any octets, at least one */
    TIMES,   /* the five numbers of SOA */
    STRINGS, /* one or more strings, and nothing before them */
    OPTION,  /* a string or nothing */
    TAGGED,  /* a string that is not empty, then any octets */
    HASHED,  /* a string that is not empty, then MAPS */
    MAPS,    /* type bit maps, or none */
    SOME,    /* type bit maps */
    PARAMS,  /* service parameters */
    PREFIX,  /* address prefixes */
    PLACE,   /* LOC */
    SUFFIX,  /* A6 */
    TUNNEL,  /* IPSECKEY */
    RELAY,   /* AMTRELAY */
    HOST,    /* HIP */
    SIGNED,  /* TSIG */
    AGREED   /* TKEY */
};

#define OPAQUE 0u /* type 0 is reserved (RFC 6895 3.1); its line stands for every type without one */

/* clang-format off */
static const struct shape shapes[] = {
    /* octets, strings, names, plain names, tail, scope */
    [OPAQUE] = {0, 0, 0, 0, ANY, ALL},
    [1] = {4, 0, 0, 0, ONLY, IN},       /* A           RFC 1035 3.4.1 */
    [2] = {0, 0, 1, 0, END, ALL},       /* NS          RFC 1035 3.3.11 */
    [3] = {0, 0, 1, 0, END, ALL},       /* MD          RFC 1035 3.3.4 */
    [4] = {0, 0, 1, 0, END, ALL},       /* MF          RFC 1035 3.3.5 */
    [5] = {0, 0, 1, 0, END, ALL},       /* CNAME       RFC 1035 3.3.1 */
    [6] = {0, 0, 2, 0, TIMES, ALL},     /* SOA         RFC 1035 3.3.13 */
    [7] = {0, 0, 1, 0, END, ALL},       /* MB          RFC 1035 3.3.3 */
    [8] = {0, 0, 1, 0, END, ALL},       /* MG          RFC 1035 3.3.6 */
    [9] = {0, 0, 1, 0, END, ALL},       /* MR          RFC 1035 3.3.8 */
    [10] = {0, 0, 0, 0, ANY, ALL},      /* NULL        RFC 1035 3.3.10 */
    [11] = {5, 0, 0, 0, ANY, IN},       /* WKS         RFC 1035 3.4.2 */
    [12] = {0, 0, 1, 0, END, ALL},      /* PTR         RFC 1035 3.3.12 */
    [13] = {0, 2, 0, 0, END, ALL},      /* HINFO       RFC 1035 3.3.2 */
    [14] = {0, 0, 2, 0, END, ALL},      /* MINFO       RFC 1035 3.3.7 */
    [15] = {2, 0, 1, 0, END, ALL},      /* MX          RFC 1035 3.3.9 */
    [16] = {0, 0, 0, 0, STRINGS, ALL},  /* TXT         RFC 1035 3.3.14 */
    [17] = {0, 0, 2, 0, END, ALL},      /* RP          RFC 1183 2.2 */
    [18] = {2, 0, 1, 0, END, ALL},      /* AFSDB       RFC 1183 1 */
    [19] = {0, 1, 0, 0, END, ALL},      /* X25         RFC 1183 3.1 */
    [20] = {0, 1, 0, 0, OPTION, ALL},   /* ISDN        RFC 1183 3.2 */
    [21] = {2, 0, 1, 0, END, ALL},      /* RT          RFC 1183 3.3 */
    [22] = {0, 0, 0, 0, ANY, IN},       /* NSAP        RFC 1706 5 */
    [23] = {0, 0, 0, 1, END, IN},       /* NSAP-PTR    RFC 1706 6 */
    [24] = {18, 0, 1, 0, ANY, ALL},     /* SIG         RFC 2535 4.1 */
    [25] = {4, 0, 0, 0, ANY, ALL},      /* KEY         RFC 2535 3.1 */
    [26] = {2, 0, 2, 0, END, IN},       /* PX          RFC 2163 4 */
    [27] = {0, 3, 0, 0, END, ALL},      /* GPOS        RFC 1712 3 */
    [28] = {16, 0, 0, 0, ONLY, IN},     /* AAAA        RFC 3596 2.2 */
    [29] = {0, 0, 0, 0, PLACE, ALL},    /* LOC         RFC 1876 2 */
    [30] = {0, 0, 1, 0, ANY, ALL},      /* NXT         RFC 2535 5.2; its bit map may have other formats */
    [31] = {0, 0, 0, 0, ANY, IN},       /* EID         draft-ietf-nimrod-dns */
    [32] = {0, 0, 0, 0, ANY, IN},       /* NIMLOC      draft-ietf-nimrod-dns */
    [33] = {6, 0, 1, 0, END, IN},       /* SRV         RFC 2782 */
    [34] = {1, 0, 0, 0, ANY, IN},       /* ATMA        af-dans-0152.000 */
    [35] = {4, 3, 1, 0, END, ALL},      /* NAPTR       RFC 3403 4.1 */
    [36] = {2, 0, 1, 0, END, IN},       /* KX          RFC 2230 3.1 */
    [37] = {5, 0, 0, 0, ANY, ALL},      /* CERT        RFC 4398 2 */
    [38] = {0, 0, 0, 0, SUFFIX, IN},    /* A6          RFC 2874 3.1 */
    [39] = {0, 0, 1, 0, END, ALL},      /* DNAME       RFC 6672 2.1 */
    [40] = {0, 0, 0, 0, ANY, ALL},      /* SINK        draft-eastlake-kitchen-sink */
    [42] = {0, 0, 0, 0, PREFIX, IN},    /* APL         RFC 3123 4 */
    [TYPE_DS] = {4, 0, 0, 0, ANY, ALL}, /* DS          RFC 4034 5.1 */
    [44] = {2, 0, 0, 0, ANY, ALL},      /* SSHFP       RFC 4255 3.1 */
    [45] = {0, 0, 0, 0, TUNNEL, ALL},   /* IPSECKEY    RFC 4025 2.1 */
    [46] = {18, 0, 0, 1, ANY, ALL},     /* RRSIG       RFC 4034 3.1 */
    [47] = {0, 0, 0, 1, SOME, ALL},     /* NSEC        RFC 4034 4.1 */
    [48] = {4, 0, 0, 0, ANY, ALL},      /* DNSKEY      RFC 4034 2.1 */
    [49] = {3, 0, 0, 0, MORE, IN},      /* DHCID       RFC 4701 3.1 */
    [50] = {4, 1, 0, 0, HASHED, ALL},   /* NSEC3       RFC 5155 3.2 */
    [51] = {4, 1, 0, 0, END, ALL},      /* NSEC3PARAM  RFC 5155 4.2 */
    [52] = {3, 0, 0, 0, ANY, ALL},      /* TLSA        RFC 6698 2.1 */
    [53] = {3, 0, 0, 0, ANY, ALL},      /* SMIMEA      RFC 8162 2 */
    [55] = {0, 0, 0, 0, HOST, ALL},     /* HIP         RFC 8005 5 */
    [56] = {0, 0, 0, 0, STRINGS, ALL},  /* NINFO       as TXT, no RFC */
    [57] = {4, 0, 0, 0, ANY, ALL},      /* RKEY        as KEY, no RFC */
    [58] = {0, 0, 0, 2, END, ALL},      /* TALINK      no RFC */
    [59] = {4, 0, 0, 0, ANY, ALL},      /* CDS         RFC 7344 3.1 */
    [60] = {4, 0, 0, 0, ANY, ALL},      /* CDNSKEY     RFC 7344 3.2 */
    [61] = {0, 0, 0, 0, ANY, ALL},      /* OPENPGPKEY  RFC 7929 2.1 */
    [62] = {6, 0, 0, 0, MAPS, ALL},     /* CSYNC       RFC 7477 2.1.1 */
    [63] = {18, 0, 0, 0, ANY, ALL},     /* ZONEMD      RFC 8976 2.2; a digest has at least 12 octets (2.2.4) */
    [64] = {2, 0, 0, 1, PARAMS, IN},    /* SVCB        RFC 9460 2.2 */
    [65] = {2, 0, 0, 1, PARAMS, IN},    /* HTTPS       RFC 9460 9 */
    [66] = {5, 0, 0, 1, END, ALL},      /* DSYNC       RFC 9859 2.1 */
    [99] = {0, 0, 0, 0, STRINGS, ALL},  /* SPF         RFC 4408 3.1.1 */
    [104] = {10, 0, 0, 0, ONLY, ALL},   /* NID         RFC 6742 2.1 */
    [105] = {6, 0, 0, 0, ONLY, ALL},    /* L32         RFC 6742 2.2 */
    [106] = {10, 0, 0, 0, ONLY, ALL},   /* L64         RFC 6742 2.3 */
    [107] = {2, 0, 0, 1, END, ALL},     /* LP          RFC 6742 2.4 */
    [108] = {6, 0, 0, 0, ONLY, ALL},    /* EUI48       RFC 7043 3.1 */
    [109] = {8, 0, 0, 0, ONLY, ALL},    /* EUI64       RFC 7043 4.1 */
    [249] = {0, 0, 1, 0, AGREED, ALL},  /* TKEY        RFC 2930 2 */
    [250] = {0, 0, 1, 0, SIGNED, ALL},  /* TSIG        RFC 8945 4.2 */
    [256] = {4, 0, 0, 0, MORE, ALL},    /* URI         RFC 7553 4.5 */
    [257] = {1, 0, 0, 0, TAGGED, ALL},  /* CAA         RFC 8659 4.1 */
    [258] = {0, 0, 0, 0, STRINGS, ALL}, /* AVC         as TXT, no RFC */
    [259] = {9, 1, 0, 0, ANY, ALL},     /* DOA         draft-durand-doa-over-dns 3 */
    [260] = {0, 0, 0, 0, RELAY, ALL},   /* AMTRELAY    RFC 8777 4.2 */
    [261] = {0, 0, 0, 0, STRINGS, ALL}, /* RESINFO     RFC 9606 4 */
    [262] = {0, 0, 0, 0, STRINGS, ALL}, /* WALLET      as TXT, no RFC */
    [263] = {0, 0, 0, 0, STRINGS, ALL}, /* CLA         as TXT, no RFC */
    [264] = {8, 0, 0, 0, ONLY, ALL},    /* IPN         draft-johnson-dns-ipn-cla */
};
/* clang-format on */

#define SHAPE_COUNT (sizeof shapes / sizeof shapes[0])

/*@ terminates \true; exits \false; assigns \nothing; */
static inline struct shape shape_of(uint16_t type, uint16_t rclass)
{
    if (type >= SHAPE_COUNT)
        return shapes[type == TYPE_TA || type == TYPE_DLV ? TYPE_DS : OPAQUE];
    if (rclass != INTERNET && shapes[type].scope == IN)
        return shapes[OPAQUE];
    return shapes[type];
}

/*
 * Fields and tails. Octets pos .. end - 1 are what is left of the RDATA; `*_end` is where the field at pos ends,
 * more than end: it does not fit; `*_ok` says whether all that is left has that form.
 */

/*@ predicate rest(uint8_t *msg, integer pos, integer end) =
      0 <= pos <= end <= DNSPACK_MESSAGE_MAX && \valid_read(msg + (0 .. end - 1)); */

/*@ requires left: end <= DNSPACK_MESSAGE_MAX && \valid_read(msg + (0 .. end - 1));
    terminates \true; exits \false; assigns \nothing;
    ensures inside: pos < end ==> \result == pos + 1 + msg[pos];
    ensures outside: pos >= end ==> \result == end + 1; */
static inline size_t string_end(const uint8_t *msg, size_t pos, size_t end)
{
    return pos < end ? pos + 1u + msg[pos] : end + 1u;
}

/* RFC 1035 3.3.14: one or more strings */
/*@ requires left: rest(msg, pos, end); terminates \true; exits \false; assigns \nothing;
    ensures meaning: \result <==> pos < end && strings(msg, pos, end); */
static inline bool text_ok(const uint8_t *msg, size_t pos, size_t end)
{
    if (pos == end)
        return false;
    /*@ loop invariant bounds: \at(pos,Pre) <= pos <= end + 255;
        loop invariant left: strings(msg, pos, end) <==> strings(msg, \at(pos,Pre), end);
        loop assigns pos;
        loop variant end - pos; */
    while (pos < end)
        pos += 1u + msg[pos];
    return pos == end;
}

/* RFC 4034 4.1.2: trailing zero octets are left alone */
/*@ requires left: rest(msg, pos, end); terminates \true; exits \false; assigns \nothing;
    ensures meaning: \result <==> windows(msg, pos, end, 0); */
static bool windows_ok(const uint8_t *msg, size_t pos, size_t end)
{
    unsigned least = 0;

    /*@ loop invariant bounds: \at(pos,Pre) <= pos <= end && least <= 256;
        loop invariant left: windows(msg, pos, end, least) <==> windows(msg, \at(pos,Pre), end, 0);
        loop assigns pos, least;
        loop variant end - pos; */
    while (pos < end) {
        if (end - pos < 2 || msg[pos] < least || msg[pos + 1] < 1 || msg[pos + 1] > 32 || msg[pos + 1] > end - pos - 2)
            return false;
        least = msg[pos] + 1u;
        pos += 2u + msg[pos + 1];
    }
    return true;
}

/* RFC 9460 2.2; what the values mean is for the client to judge */
/*@ requires left: rest(msg, pos, end); terminates \true; exits \false; assigns \nothing;
    ensures meaning: \result <==> params(msg, pos, end, 0); */
static bool params_ok(const uint8_t *msg, size_t pos, size_t end)
{
    unsigned least = 0;

    /*@ loop invariant bounds: \at(pos,Pre) <= pos <= end && least <= 65536;
        loop invariant left: params(msg, pos, end, least) <==> params(msg, \at(pos,Pre), end, 0);
        loop assigns pos, least;
        loop variant end - pos; */
    while (pos < end) {
        if (end - pos < 4 || dnspack_load16(msg, pos) < least || dnspack_load16(msg, pos + 2) > end - pos - 4)
            return false;
        least = dnspack_load16(msg, pos) + 1u;
        pos += 4u + dnspack_load16(msg, pos + 2);
    }
    return true;
}

/* RFC 3123 4.1, 4.2 */
/*@ terminates \true; exits \false; assigns \nothing;
    ensures meaning: \result <==> prefix_fits(family, bits, octets); */
static inline bool prefix_ok(unsigned family, unsigned bits, unsigned octets)
{
    if (family == 1)
        return bits <= 32 && octets <= 4;
    if (family == 2)
        return bits <= 128 && octets <= 16;
    return true;
}

/* RFC 3123 4; the top bit of the length is the negation flag */
/*@ requires left: rest(msg, pos, end); terminates \true; exits \false; assigns \nothing;
    ensures meaning: \result <==> prefixes(msg, pos, end); */
static bool prefixes_ok(const uint8_t *msg, size_t pos, size_t end)
{
    /*@ loop invariant bounds: \at(pos,Pre) <= pos <= end;
        loop invariant left: prefixes(msg, pos, end) <==> prefixes(msg, \at(pos,Pre), end);
        loop assigns pos;
        loop variant end - pos; */
    while (pos < end) {
        unsigned octets;

        if (end - pos < 4)
            return false;
        octets = msg[pos + 3] % 128u;
        if (octets > end - pos - 4 || !prefix_ok(dnspack_load16(msg, pos), msg[pos + 2], octets))
            return false;
        pos += 4u + octets;
    }
    return true;
}

/* A name that is not compressed. */
/*@ requires left: end <= DNSPACK_MESSAGE_MAX && \valid_read(msg + (0 .. end - 1));
    terminates \true; exits \false; assigns \nothing;
    ensures bounds: \result == end + 1 || pos < \result <= end; */
static inline size_t plain_end(const uint8_t *msg, size_t pos, size_t end)
{
    size_t next = dnspack_name_check(msg, end, pos);

    return next != 0 ? next : end + 1u;
}

/* RFC 1876 2: other versions than 0 may have any form */
/*@ requires left: rest(msg, pos, end); terminates \true; exits \false; assigns \nothing;
    ensures meaning: \result <==> pos < end && (msg[pos] == 0 ==> end - pos == 16); */
static bool place_ok(const uint8_t *msg, size_t pos, size_t end)
{
    return pos < end && (msg[pos] != 0 || end - pos == 16);
}

/* RFC 2874 3.1: prefix length, octets for the other bits of the address, a name unless the prefix is empty */
/*@ requires left: rest(msg, pos, end); terminates \true; exits \false; assigns \nothing; */
static bool suffix_ok(const uint8_t *msg, size_t pos, size_t end)
{
    size_t name_off;

    if (pos == end || msg[pos] > 128)
        return false;
    name_off = pos + 1u + (135u - msg[pos]) / 8u;
    return msg[pos] == 0 ? name_off == end : plain_end(msg, name_off, end) == end;
}

/* The gateway of IPSECKEY and the relay of AMTRELAY; types beyond 3 are not defined and take what there is. */
/*@ requires left: end <= DNSPACK_MESSAGE_MAX && \valid_read(msg + (0 .. end - 1)) && pos <= end;
    terminates \true; exits \false; assigns \nothing;
    ensures bounds: pos <= \result <= end + 16; */
static size_t gateway_end(const uint8_t *msg, size_t pos, size_t end, unsigned type)
{
    switch (type) {
    case 0:
        return pos;
    case 1:
        return pos + 4u;
    case 2:
        return pos + 16u;
    case 3:
        return plain_end(msg, pos, end);
    default:
        return end;
    }
}

/* RFC 4025 2.1: precedence, gateway type, algorithm, gateway, key */
/*@ requires left: rest(msg, pos, end); terminates \true; exits \false; assigns \nothing; */
static bool tunnel_ok(const uint8_t *msg, size_t pos, size_t end)
{
    return end - pos >= 3 && gateway_end(msg, pos + 3, end, msg[pos + 1]) <= end;
}

/* RFC 8777 4.2: precedence, a flag and the relay type, relay */
/*@ requires left: rest(msg, pos, end); terminates \true; exits \false; assigns \nothing; */
static bool relay_ok(const uint8_t *msg, size_t pos, size_t end)
{
    return end - pos >= 2 && gateway_end(msg, pos + 2, end, msg[pos + 1] % 128u) == end;
}

/* RFC 8005 5: lengths and algorithm, host identity tag, key, names of rendezvous servers */
/*@ requires left: rest(msg, pos, end); terminates \true; exits \false; assigns \nothing; */
static bool host_ok(const uint8_t *msg, size_t pos, size_t end)
{
    if (end - pos < 4)
        return false;
    pos += 4u + msg[pos] + dnspack_load16(msg, pos + 2);
    /*@ loop invariant bounds: 0 <= pos <= end + 65535 + 255;
        loop assigns pos;
        loop variant end - pos; */
    while (pos < end)
        pos = plain_end(msg, pos, end);
    return pos == end;
}

/* `before` octets, a block with a 16-bit length, `between` octets, another block. */
/*@ requires left: rest(msg, pos, end);
    requires small: before <= 16 && between <= 16;
    terminates \true; exits \false; assigns \nothing; */
static bool blocks_ok(const uint8_t *msg, size_t pos, size_t end, size_t before, size_t between)
{
    if (end - pos < before + 2)
        return false;
    pos += before;
    pos += 2u + dnspack_load16(msg, pos);
    return pos <= end && end - pos >= between + 2 && dnspack_load16(msg, pos + between) == end - pos - between - 2;
}

/*@ requires left: rest(msg, pos, end); terminates \true; exits \false; assigns \nothing;
    ensures meaning: \result <==> pos < end && 1 <= msg[pos] && pos + 1 + msg[pos] <= end; */
static bool tagged_ok(const uint8_t *msg, size_t pos, size_t end)
{
    size_t next = string_end(msg, pos, end);

    return next <= end && next > pos + 1;
}

/*@ requires left: rest(msg, pos, end); terminates \true; exits \false; assigns \nothing; */
static bool hashed_ok(const uint8_t *msg, size_t pos, size_t end)
{
    return tagged_ok(msg, pos, end) && windows_ok(msg, string_end(msg, pos, end), end);
}

/* Is what is left the tail? pos may be beyond end: then no. */
/*@ requires left: pos <= DNSPACK_MESSAGE_MAX + 256 && end <= DNSPACK_MESSAGE_MAX && \valid_read(msg + (0 .. end - 1));
    terminates \true; exits \false; assigns \nothing;
    ensures fits: \result ==> pos <= end; */
static bool tail_ok(const uint8_t *msg, size_t pos, size_t end, uint8_t tail)
{
    if (pos > end)
        return false;
    switch (tail) {
    case ONLY:
    case END:
        return pos == end;
    case MORE:
        return pos < end;
    case TIMES:
        return end - pos == 20;
    case STRINGS:
        return text_ok(msg, pos, end);
    case OPTION:
        return pos == end || string_end(msg, pos, end) == end;
    case TAGGED:
        return tagged_ok(msg, pos, end);
    case HASHED:
        return hashed_ok(msg, pos, end);
    case MAPS:
        return windows_ok(msg, pos, end);
    case SOME:
        return pos < end && windows_ok(msg, pos, end);
    case PARAMS:
        return params_ok(msg, pos, end);
    case PREFIX:
        return prefixes_ok(msg, pos, end);
    case PLACE:
        return place_ok(msg, pos, end);
    case SUFFIX:
        return suffix_ok(msg, pos, end);
    case TUNNEL:
        return tunnel_ok(msg, pos, end);
    case RELAY:
        return relay_ok(msg, pos, end);
    case HOST:
        return host_ok(msg, pos, end);
    case SIGNED: /* time, fudge; MAC; ID, error; other data */
        return blocks_ok(msg, pos, end, 8, 4);
    case AGREED: /* times, mode, error; key; other data */
        return blocks_ok(msg, pos, end, 12, 0);
    default: /* ANY */
        return true;
    }
}

/* Where the fixed octets and the strings end; more than end: they do not fit. */
/*@ requires left: rest(msg, pos, end); terminates \true; exits \false; assigns \nothing;
    ensures bounds: pos <= \result <= end + 256; */
static inline size_t head_end(const uint8_t *msg, size_t pos, size_t end, struct shape shape)
{
    pos += shape.octets;
    /*@ loop invariant bounds: \at(pos,Pre) <= pos <= end + 256 && 0 <= k <= shape.strings;
        loop assigns pos, k;
        loop variant shape.strings - k; */
    for (unsigned k = 0; k < shape.strings; k++)
        pos = string_end(msg, pos, end);
    return pos;
}

/* Is what is left plain names and the tail of this shape? */
/*@ requires left: pos <= end + 256 && end <= DNSPACK_MESSAGE_MAX && \valid_read(msg + (0 .. end - 1));
    terminates \true; exits \false; assigns \nothing;
    ensures fits: \result ==> pos <= end; */
static inline bool rest_ok(const uint8_t *msg, size_t pos, size_t end, struct shape shape)
{
    /*@ loop invariant bounds: pos <= end + 256 && (\at(pos,Pre) <= pos || pos == end + 1) && 0 <= k <= shape.plain;
        loop assigns pos, k;
        loop variant shape.plain - k; */
    for (unsigned k = 0; k < shape.plain; k++)
        pos = plain_end(msg, pos, end);
    return tail_ok(msg, pos, end, shape.tail);
}

/* dnspack_rdata_check, field by field. */
/*@ requires left: rest(msg, off, end);
    requires output: \valid(expanded_len) && \separated(expanded_len, msg + (0 .. end - 1));
    terminates \true; exits \false; assigns *expanded_len;
    ensures status: \result == DNSPACK_OK || \result == DNSPACK_E_NAME || \result == DNSPACK_E_RDATA;
    ensures bound: \result == DNSPACK_OK ==> *expanded_len <= end - off + DNSPACK_RDATA_GROWTH_MAX;
    ensures kept: \result != DNSPACK_OK ==> *expanded_len == \old(*expanded_len); */
OUT_OF_LINE static enum dnspack_status fields_check(const uint8_t *msg, size_t off, size_t end, struct shape shape, size_t *expanded_len)
{
    size_t pos = head_end(msg, off, end, shape), len = end - off;

    /*@ loop invariant bounds: 0 <= k <= DNSPACK_RDATA_NAMES_MAX && off <= pos <= end + 256;
        loop invariant length: len <= end - off + k * DNSPACK_NAME_MAX && (pos <= end ==> end - pos <= len);
        loop assigns k, len, pos;
        loop variant DNSPACK_RDATA_NAMES_MAX - k; */
    for (unsigned k = 0; k < shape.names && k < DNSPACK_RDATA_NAMES_MAX; k++) {
        size_t next = 0, name_len = dnspack_name_measure(msg, end, pos, &next);

        if (name_len == 0)
            return pos < end ? DNSPACK_E_NAME : DNSPACK_E_RDATA;
        len = len - (next - pos) + name_len;
        pos = next;
    }
    if (!rest_ok(msg, pos, end, shape))
        return DNSPACK_E_RDATA;
    *expanded_len = len;
    return DNSPACK_OK;
}

enum dnspack_status dnspack_rdata_check(const uint8_t *msg, size_t msg_len, uint16_t type, uint16_t rclass, size_t rdata_off,
                                        size_t rdata_len, size_t *expanded_len)
{
    struct shape shape = shape_of(type, rclass);
    size_t end = rdata_off + rdata_len;

    (void)msg_len;
    /* Addresses and text are most of all records: they take no loop over fields. */
    if (shape.tail == ONLY) {
        if (rdata_len != shape.octets)
            return DNSPACK_E_RDATA;
    } else if (shape.tail == STRINGS) {
        if (!text_ok(msg, rdata_off, end))
            return DNSPACK_E_RDATA;
    } else {
        return fields_check(msg, rdata_off, end, shape, expanded_len);
    }
    *expanded_len = rdata_len;
    return DNSPACK_OK;
}

/* Write the expansion of the name at `at` to dst[dst_off ..]; its length, or 0: malformed, or ends beyond dst_cap. */
/*@ requires in_bounds: msg_len <= DNSPACK_MESSAGE_MAX && \valid_read(msg + (0 .. msg_len - 1));
    requires room: dst_off <= dst_cap <= RDATA_CAP_MAX && \valid(dst + (dst_off .. dst_cap - 1)) && \valid(next);
    requires apart: \separated(dst + (dst_off .. dst_cap - 1), msg + (0 .. msg_len - 1), next);
    terminates \true; exits \false; assigns dst[dst_off .. dst_cap - 1], *next;
    ensures bound: \result <= DNSPACK_NAME_MAX && \result <= dst_cap - dst_off;
    ensures goes_on: \result != 0 ==> at < *next <= msg_len; */
static size_t name_expand(const uint8_t *msg, size_t msg_len, size_t at, uint8_t *dst, size_t dst_off, size_t dst_cap, size_t *next)
{
    uint8_t name[DNSPACK_NAME_MAX];
    size_t name_len;

    if (dst_cap - dst_off >= DNSPACK_NAME_MAX)
        return dnspack_name_read(msg, msg_len, at, dst, dst_off, next);
    name_len = dnspack_name_read(msg, msg_len, at, name, 0, next);
    if (name_len > dst_cap - dst_off)
        return 0;
    dnspack_copy(dst, dst_off, name, 0, name_len);
    return name_len;
}

size_t dnspack_rdata_expand(const uint8_t *msg, size_t msg_len, uint16_t type, uint16_t rclass, size_t rdata_off, size_t rdata_len,
                            uint8_t *dst, size_t dst_off, size_t dst_cap)
{
    struct shape shape = shape_of(type, rclass);
    size_t end = rdata_off + rdata_len, from = rdata_off, at = dst_off;
    size_t pos = head_end(msg, rdata_off, end, shape);

    (void)msg_len;
    /*@ loop invariant bounds: 0 <= k <= DNSPACK_RDATA_NAMES_MAX && rdata_off <= from <= end && from <= pos <= end + 256;
        loop invariant room: dst_off <= at <= dst_cap && at - dst_off <= from - rdata_off + k * DNSPACK_NAME_MAX;
        loop assigns k, from, at, pos, dst[dst_off .. dst_cap - 1];
        loop variant DNSPACK_RDATA_NAMES_MAX - k; */
    for (unsigned k = 0; k < shape.names && k < DNSPACK_RDATA_NAMES_MAX; k++) {
        size_t next = 0, name_len;

        if (pos > end || pos - from > dst_cap - at)
            return 0;
        dnspack_copy(dst, at, msg, from, pos - from);
        at += pos - from;
        name_len = name_expand(msg, end, pos, dst, at, dst_cap, &next);
        if (name_len == 0)
            return 0;
        at += name_len;
        pos = next;
        from = next;
    }
    if (!rest_ok(msg, pos, end, shape) || end - from > dst_cap - at)
        return 0;
    dnspack_copy(dst, at, msg, from, end - from);
    return at + (end - from);
}

bool dnspack_rdata_has_names(uint16_t type, uint16_t rclass)
{
    return shape_of(type, rclass).names > 0;
}
