/*
 * bytes.h - octets in buffers: big-endian integers of fixed width, copy, compare.
 *
 * The only place that knows byte order. Written so that gcc and clang make single loads and stores with a byte swap of it
 * (gcc needs shifts and one base for loads) and that the provers close it (lemmas about shifts in spec/bytes.acsl).
 */
#ifndef DNSPACK_BYTES_H
#define DNSPACK_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __FRAMAC__
#include "../spec/bytes.acsl"
#endif

/* The big-endian number of 2, 3 or 4 octets at off. */
/*@ requires in_bounds: off + 2 <= SIZE_MAX && \valid_read(src + (off .. off + 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures value: \result == be16(src, off); */
static inline uint16_t dnspack_load16(const uint8_t *src, size_t off)
{
    const uint8_t *at = src + off;

    return (uint16_t)(((uint32_t)at[0] << 8) + at[1]);
}

/*@ requires in_bounds: off + 3 <= SIZE_MAX && \valid_read(src + (off .. off + 2));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures value: \result == be24(src, off);
    ensures range: \result <= 0xFFFFFF; */
static inline uint32_t dnspack_load24(const uint8_t *src, size_t off)
{
    const uint8_t *at = src + off;

    return ((uint32_t)at[0] << 16) + ((uint32_t)at[1] << 8) + at[2];
}

/*@ requires in_bounds: off + 4 <= SIZE_MAX && \valid_read(src + (off .. off + 3));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures value: \result == be32(src, off); */
static inline uint32_t dnspack_load32(const uint8_t *src, size_t off)
{
    const uint8_t *at = src + off;

    return ((uint32_t)at[0] << 24) + ((uint32_t)at[1] << 16) + ((uint32_t)at[2] << 8) + at[3];
}

/* Write value as 2, 3 or 4 octets at off. */
/*@ requires in_bounds: off + 2 <= SIZE_MAX && \valid(dst + (off .. off + 1));
    terminates \true;
    exits   \false;
    assigns dst[off .. off + 1];
    ensures value: be16(dst, off) == value;
    ensures octets: dst[off] == value / 256 && dst[off + 1] == value % 256; */
static inline void dnspack_store16(uint8_t *dst, size_t off, uint16_t value)
{
    uint8_t *at = dst + off;

    at[0] = (uint8_t)(value / 256u);
    at[1] = (uint8_t)(value % 256u);
}

/*@ requires in_bounds: off + 3 <= SIZE_MAX && \valid(dst + (off .. off + 2));
    requires range: value <= 0xFFFFFF;
    terminates \true;
    exits   \false;
    assigns dst[off .. off + 2];
    ensures value: be24(dst, off) == value;
    ensures octets: dst[off] == value / 65536 && dst[off + 1] == value / 256 % 256 && dst[off + 2] == value % 256; */
static inline void dnspack_store24(uint8_t *dst, size_t off, uint32_t value)
{
    uint8_t *at = dst + off;

    at[0] = (uint8_t)(value / 0x10000u);
    at[1] = (uint8_t)(value / 0x100u % 256u);
    at[2] = (uint8_t)(value % 256u);
}

/*@ requires in_bounds: off + 4 <= SIZE_MAX && \valid(dst + (off .. off + 3));
    terminates \true;
    exits   \false;
    assigns dst[off .. off + 3];
    ensures value: be32(dst, off) == value;
    ensures octets: dst[off] == value / 16777216 && dst[off + 1] == value / 65536 % 256 &&
                    dst[off + 2] == value / 256 % 256 && dst[off + 3] == value % 256; */
static inline void dnspack_store32(uint8_t *dst, size_t off, uint32_t value)
{
    uint8_t *at = dst + off;

    //@ assert digits: value == value / 0x100 * 0x100 + value % 0x100;
    //@ assert digits_2: value / 0x100 == value / 0x10000 * 0x100 + value / 0x100 % 0x100;
    //@ assert digits_3: value / 0x10000 == value / 0x1000000 * 0x100 + value / 0x10000 % 0x100;
    at[0] = (uint8_t)(value / 0x1000000u);
    at[1] = (uint8_t)(value / 0x10000u % 256u);
    at[2] = (uint8_t)(value / 0x100u % 256u);
    at[3] = (uint8_t)(value % 256u);
}

/* Copy len octets; the two ranges do not overlap. Compilers make a memcpy call of the loop. */
/*@ requires in_bounds: dst_off + len <= SIZE_MAX && \valid(dst + (dst_off .. dst_off + len - 1));
    requires src_in_bounds: src_off + len <= SIZE_MAX && \valid_read(src + (src_off .. src_off + len - 1));
    requires apart: \separated(dst + (dst_off .. dst_off + len - 1), src + (src_off .. src_off + len - 1));
    terminates \true;
    exits   \false;
    assigns dst[dst_off .. dst_off + len - 1];
    ensures octets: \forall integer k; dst_off <= k < dst_off + len ==> dst[k] == \old(src[k - dst_off + src_off]); */
static inline void dnspack_copy(uint8_t *restrict dst, size_t dst_off, const uint8_t *restrict src, size_t src_off, size_t len)
{
    /*@ loop invariant bounds: 0 <= i <= len;
        loop invariant source: \forall integer k; src_off <= k < src_off + len ==> src[k] == \at(src[k],Pre);
        loop invariant copied: \forall integer k; dst_off <= k < dst_off + i ==> dst[k] == \at(src[k - dst_off + src_off],Pre);
        loop assigns i, dst[dst_off .. dst_off + len - 1];
        loop variant len - i; */
    for (size_t i = 0; i < len; i++)
        dst[dst_off + i] = src[src_off + i];
}

/* Are the len octets at a_off and at b_off the same? */
/*@ requires in_bounds: a_off + len <= SIZE_MAX && \valid_read(a + (a_off .. a_off + len - 1));
    requires b_in_bounds: b_off + len <= SIZE_MAX && \valid_read(b + (b_off .. b_off + len - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures equal: \result <==> eq_octets(a, a_off, b, b_off, len); */
static inline bool dnspack_equal(const uint8_t *a, size_t a_off, const uint8_t *b, size_t b_off, size_t len)
{
    /*@ loop invariant bounds: 0 <= i <= len;
        loop invariant so_far: eq_octets(a, a_off, b, b_off, i);
        loop assigns i;
        loop variant len - i; */
    for (size_t i = 0; i < len; i++)
        if (a[a_off + i] != b[b_off + i])
            return false;
    return true;
}

#endif
