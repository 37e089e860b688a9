/*
 * rdata.h - RDATA by type: check that it has the shape of its type, expand the names in it.
 *
 * One table says what the RDATA of each type looks like; types without a line, and types that are defined for
 * class IN only in another class, are opaque octets (RFC 3597 3).
 */
#ifndef DNSPACK_RDATA_H
#define DNSPACK_RDATA_H

#include "dnspack.h"
#include "name.h"

#ifdef __FRAMAC__
#include "../spec/rdata.acsl"
#endif

#define DNSPACK_RDATA_NAMES_MAX 2u /* names in one RDATA that may be compressed: SOA, MINFO, RP and PX have two */

/* The most octets by which expansion makes RDATA grow. */
#define DNSPACK_RDATA_GROWTH_MAX (DNSPACK_RDATA_NAMES_MAX * DNSPACK_NAME_MAX)

/*
 * Has the RDATA of msg at rdata_off the shape of its type? *expanded_len gets its length with all names expanded.
 *   DNSPACK_OK; NAME: a malformed name where compression is allowed; RDATA: anything else that contradicts the type.
 */
/*@ requires message: msg_len <= DNSPACK_MESSAGE_MAX && \valid_read(msg + (0 .. msg_len - 1));
    requires in_bounds: rdata_off + rdata_len <= msg_len;
    requires output: \valid(expanded_len) && \separated(expanded_len, msg + (0 .. msg_len - 1));
    terminates \true;
    exits   \false;
    assigns *expanded_len;
    ensures status: \result == DNSPACK_OK || \result == DNSPACK_E_NAME || \result == DNSPACK_E_RDATA;
    ensures bound: \result == DNSPACK_OK ==> *expanded_len <= rdata_len + DNSPACK_RDATA_GROWTH_MAX;
    ensures kept: \result != DNSPACK_OK ==> *expanded_len == \old(*expanded_len); */
enum dnspack_status dnspack_rdata_check(const uint8_t *msg, size_t msg_len, uint16_t type, uint16_t rclass, size_t rdata_off,
                                        size_t rdata_len, size_t *expanded_len) DNSPACK_MUST_CHECK;

/*
 * Write the RDATA of msg at rdata_off with its names expanded to dst[dst_off ..] and return where it ends there;
 * 0: it is malformed, or ends beyond dst_cap (dst is scratch from dst_off on). dst_off is at least 1, so 0 is no end.
 */
/*@ requires message: msg_len <= DNSPACK_MESSAGE_MAX && \valid_read(msg + (0 .. msg_len - 1));
    requires in_bounds: rdata_off + rdata_len <= msg_len;
    requires room: 1 <= dst_off <= dst_cap <= RDATA_CAP_MAX && \valid(dst + (dst_off .. dst_cap - 1));
    requires apart: \separated(dst + (dst_off .. dst_cap - 1), msg + (0 .. msg_len - 1));
    terminates \true;
    exits   \false;
    assigns dst[dst_off .. dst_cap - 1];
    ensures end: \result == 0 || dst_off <= \result <= dst_cap;
    ensures bound: \result != 0 ==> \result - dst_off <= rdata_len + DNSPACK_RDATA_GROWTH_MAX; */
size_t dnspack_rdata_expand(const uint8_t *msg, size_t msg_len, uint16_t type, uint16_t rclass, size_t rdata_off, size_t rdata_len,
                            uint8_t *dst, size_t dst_off, size_t dst_cap);

/* May RDATA of this type hold compressed names? If not, expansion is a copy. */
/*@ terminates \true;
    exits   \false;
    assigns \nothing; */
bool dnspack_rdata_has_names(uint16_t type, uint16_t rclass);

#endif
