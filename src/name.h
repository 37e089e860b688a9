/*
 * name.h - wire names (RFC 1035 3.1): check, read from a message with decompression, skip, compare, hash.
 *
 * A length or position of 0 means: there is no such name. What a name means is written in spec/name.acsl.
 */
#ifndef DNSPACK_NAME_H
#define DNSPACK_NAME_H

#include "bytes.h"
#include "dnspack.h"

#define DNSPACK_NAME_HOPS_MAX 127u /* pointers followed in one name: one for each label that it can have */

#ifdef __FRAMAC__
#include "../spec/name.acsl"
#endif

/* The end of the uncompressed name at off (labels of 1..63 octets, the root, at most 255 octets in all), or 0. */
/*@ requires in_bounds: src_len <= SIZE_MAX / 2 && \valid_read(src + (0 .. src_len - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures end: \result == wire_end(src, min2(src_len, off + DNSPACK_NAME_MAX), off);
    ensures found: \result > 0 ==> is_name(src, off, \result) && off < \result <= src_len && \result - off <= DNSPACK_NAME_MAX;
    ensures none: \result == 0 ==> \forall integer e; e <= src_len ==> !is_name(src, off, e); */
size_t dnspack_name_check(const uint8_t *src, size_t src_len, size_t off);

/* Where the message goes on behind the name at `at`, or 0. Its pointer is not followed. */
/*@ requires in_bounds: msg_len <= DNSPACK_MESSAGE_MAX && \valid_read(msg + (0 .. msg_len - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures goes_on: \result == name_next(msg, msg_len, at);
    ensures range: \result > 0 ==> at < \result <= msg_len; */
size_t dnspack_name_skip(const uint8_t *msg, size_t msg_len, size_t at);

/*
 * The octets that the name at `at` has without compression (1..255), and where the message goes on behind it.
 * 0: there is no name there, a pointer does not lead strictly backward, leads into the header, or is the 128th;
 * *next is not touched then. Work: at most 255 labels and pointers.
 */
/*@ requires in_bounds: msg_len <= DNSPACK_MESSAGE_MAX && \valid_read(msg + (0 .. msg_len - 1));
    requires next: \valid(next);
    requires apart: \separated(next, msg + (0 .. msg_len - 1));
    terminates \true;
    exits   \false;
    assigns *next;
    ensures length: \result == \old(name_len(msg, msg_len, at));
    ensures goes_on: \result > 0 ==> *next == \old(name_next(msg, msg_len, at));
    ensures range: \result > 0 ==> \result <= DNSPACK_NAME_MAX && at < *next <= msg_len;
    ensures untouched: \result == 0 ==> *next == \old(*next); */
size_t dnspack_name_measure(const uint8_t *msg, size_t msg_len, size_t at, size_t *next);

/* The same, and its octets are written to dst from dst_off; 255 octets there are scratch, whatever comes out. */
/*@ requires in_bounds: msg_len <= DNSPACK_MESSAGE_MAX && \valid_read(msg + (0 .. msg_len - 1));
    requires room: dst_off <= SIZE_MAX / 2 && \valid(dst + (dst_off .. dst_off + DNSPACK_NAME_MAX - 1));
    requires next: \valid(next);
    requires apart: \separated(dst + (dst_off .. dst_off + DNSPACK_NAME_MAX - 1), msg + (0 .. msg_len - 1), next);
    terminates \true;
    exits   \false;
    assigns *next, dst[dst_off .. dst_off + DNSPACK_NAME_MAX - 1];
    ensures length: \result == \old(name_len(msg, msg_len, at));
    ensures octets: \forall integer k; dst_off <= k < dst_off + \result ==> dst[k] == \old(name_oct(msg, msg_len, at, k - dst_off));
    ensures name: \result > 0 ==> is_name(dst, dst_off, dst_off + \result);
    ensures goes_on: \result > 0 ==> *next == \old(name_next(msg, msg_len, at));
    ensures range: \result > 0 ==> \result <= DNSPACK_NAME_MAX && at < *next <= msg_len;
    ensures untouched: \result == 0 ==> *next == \old(*next); */
size_t dnspack_name_read(const uint8_t *msg, size_t msg_len, size_t at, uint8_t *dst, size_t dst_off, size_t *next);

/* Are two uncompressed names of len octets the same but for ASCII case (RFC 4343)? */
/*@ requires in_bounds: a_off + len <= SIZE_MAX && \valid_read(a + (a_off .. a_off + len - 1));
    requires b_in_bounds: b_off + len <= SIZE_MAX && \valid_read(b + (b_off .. b_off + len - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures equal: \result <==> eq_case(a, a_off, b, b_off, len); */
bool dnspack_name_equal(const uint8_t *a, size_t a_off, const uint8_t *b, size_t b_off, size_t len);

/* Copy an uncompressed name of len octets in lower case, to octets that are elsewhere or the very same ones. */
/*@ requires in_bounds: dst_off + len <= SIZE_MAX && \valid(dst + (dst_off .. dst_off + len - 1));
    requires src_in_bounds: src_off + len <= SIZE_MAX && \valid_read(src + (src_off .. src_off + len - 1));
    requires apart: \separated(dst + (dst_off .. dst_off + len - 1), src + (src_off .. src_off + len - 1)) ||
                    (dst == src && dst_off == src_off);
    terminates \true;
    exits   \false;
    assigns dst[dst_off .. dst_off + len - 1];
    ensures octets: \forall integer k; dst_off <= k < dst_off + len ==> dst[k] == lower(\old(src[k - dst_off + src_off]));
    ensures like: like{Pre,Post}(src, dst, src_off, src_off + len, dst_off - src_off); */
void dnspack_name_lower(uint8_t *dst, size_t dst_off, const uint8_t *src, size_t src_off, size_t len);

/* A 32-bit hash of an uncompressed name, without case (FNV-1a from the caller's seed). Anybody can find collisions: not for keys. */
/*@ requires in_bounds: off + len <= SIZE_MAX && \valid_read(name + (off .. off + len - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures value: \result == hash_case(name, off, len, seed); */
uint32_t dnspack_name_hash(const uint8_t *name, size_t off, size_t len, uint32_t seed);

#endif
