/* name.c - wire names: a name is runs of labels; each run but the last ends in a pointer to the next, the last one in the root. */
#include "name.h"

#define LABEL_MAX 63u /* RFC 1035 2.3.4 */
#define POINTER 0xC0u /* RFC 1035 4.1.4: the first octet of a pointer is not below this */

/* Where the labels at pos end: at the first octet that is no label length. lim or above: nowhere. */
/*@ requires in_bounds: lim <= SIZE_MAX / 2 && pos <= lim && \valid_read(src + (0 .. lim - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures forward: pos <= \result;
    ensures found: \result < lim ==> \result == labels_end(src, lim, pos);
    ensures none: \result >= lim ==> labels_end(src, lim, pos) == -1; */
static inline size_t labels_skip(const uint8_t *src, size_t lim, size_t pos)
{
    /*@ loop invariant bounds: \at(pos,Pre) <= pos <= lim + LABEL_MAX;
        loop invariant rest: labels_end(src, lim, \at(pos,Pre)) == labels_end(src, lim, pos);
        loop assigns pos;
        loop variant lim + LABEL_MAX - pos; */
    while (pos < lim && src[pos] >= 1 && src[pos] <= LABEL_MAX)
        pos += src[pos] + 1u;
    return pos;
}

/* Where the pointer at pos leads, behind a run that starts at low; 0: it is none, or none that may be followed. */
/*@ requires in_bounds: pos < msg_len && \valid_read(msg + (0 .. msg_len - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures target: \result == target(msg, msg_len, pos, low);
    ensures range: \result == 0 || DNSPACK_HEADER_LEN <= \result < low; */
static inline size_t pointer_target(const uint8_t *msg, size_t msg_len, size_t pos, size_t low)
{
    size_t target;

    if (msg[pos] < POINTER || msg_len - pos < 2)
        return 0;
    target = (msg[pos] - POINTER) * 256u + msg[pos + 1];
    return target >= DNSPACK_HEADER_LEN && target < low ? target : 0;
}

/* The end of the octets that a name at off can have in src, if it may have `room` of them. */
/*@ requires in_bounds: off <= src_len <= SIZE_MAX / 2 && room <= DNSPACK_NAME_MAX;
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures limit: \result == min2(src_len, off + room); */
static inline size_t limit(size_t src_len, size_t off, size_t room)
{
    return src_len - off > room ? off + room : src_len;
}

size_t dnspack_name_check(const uint8_t *src, size_t src_len, size_t off)
{
    size_t lim, end;

    if (off >= src_len)
        return 0;
    lim = limit(src_len, off, DNSPACK_NAME_MAX);
    end = labels_skip(src, lim, off);
    return end < lim && src[end] == 0 ? end + 1 : 0;
}

size_t dnspack_name_skip(const uint8_t *msg, size_t msg_len, size_t at)
{
    size_t lim, end;

    if (at >= msg_len)
        return 0;
    lim = limit(msg_len, at, DNSPACK_NAME_MAX);
    end = labels_skip(msg, lim, at);
    if (end >= lim)
        return 0;
    if (msg[end] == 0)
        return end + 1;
    return msg[end] >= POINTER && msg_len - end >= 2 ? end + 2 : 0;
}

size_t dnspack_name_measure(const uint8_t *msg, size_t msg_len, size_t at, size_t *next)
{
    size_t low = at, len = 0, resume = 0;

    if (at >= msg_len)
        return 0;
    /*@ loop invariant bounds: hops <= DNSPACK_NAME_HOPS_MAX + 1 && len < DNSPACK_NAME_MAX && low < msg_len;
        loop invariant rest: hops <= DNSPACK_NAME_HOPS_MAX ==> remains{Pre}(msg, msg_len, at, len, low, DNSPACK_NAME_HOPS_MAX - hops);
        loop invariant spent: hops > DNSPACK_NAME_HOPS_MAX ==> name_len{Pre}(msg, msg_len, at) == 0;
        loop invariant first_run: resume == 0 ==> low == at && len == 0;
        loop invariant later_run: resume != 0 ==> resume == name_next{Pre}(msg, msg_len, at) && at < resume <= msg_len;
        loop assigns low, len, resume, hops;
        loop variant DNSPACK_NAME_HOPS_MAX + 1 - hops; */
    for (size_t hops = 0; hops <= DNSPACK_NAME_HOPS_MAX; hops++) {
        size_t lim = limit(msg_len, low, DNSPACK_NAME_MAX - len);
        size_t end = labels_skip(msg, lim, low);

        if (end >= lim) {
            //@ assert too_long: explen{Pre}(msg, msg_len, low, DNSPACK_NAME_HOPS_MAX - hops) <= 0 || len + explen{Pre}(msg, msg_len, low, DNSPACK_NAME_HOPS_MAX - hops) > DNSPACK_NAME_MAX;
            //@ assert no_end: name_len{Pre}(msg, msg_len, at) == 0;
            return 0;
        }
        //@ assert run: labels_end{Pre}(msg, msg_len, low) == end;
        len += end - low;
        if (msg[end] == 0) {
            //@ assert whole: name_len{Pre}(msg, msg_len, at) == len + 1;
            if (resume == 0)
                resume = end + 1;
            //@ assert resumes: resume == name_next{Pre}(msg, msg_len, at);
            *next = resume;
            return len + 1;
        }
        if (resume == 0)
            resume = end + 2;
        low = pointer_target(msg, msg_len, end, low);
        if (low == 0) {
            //@ assert refused: name_len{Pre}(msg, msg_len, at) == 0;
            return 0;
        }
    }
    return 0;
}

size_t dnspack_name_read(const uint8_t *msg, size_t msg_len, size_t at, uint8_t *dst, size_t dst_off, size_t *next)
{
    size_t low = at, len = 0, resume = 0;

    if (at >= msg_len)
        return 0;
    /*@ loop invariant bounds: hops <= DNSPACK_NAME_HOPS_MAX + 1 && len < DNSPACK_NAME_MAX && low < msg_len;
        loop invariant rest: hops <= DNSPACK_NAME_HOPS_MAX ==> remains{Pre}(msg, msg_len, at, len, low, DNSPACK_NAME_HOPS_MAX - hops);
        loop invariant spent: hops > DNSPACK_NAME_HOPS_MAX ==> name_len{Pre}(msg, msg_len, at) == 0;
        loop invariant done: \forall integer k; dst_off <= k < dst_off + len ==> dst[k] == name_oct{Pre}(msg, msg_len, at, k - dst_off);
        loop invariant first_run: resume == 0 ==> low == at && len == 0;
        loop invariant later_run: resume != 0 ==> resume == name_next{Pre}(msg, msg_len, at) && at < resume <= msg_len;
        loop invariant message: same{Pre,Here}(msg, 0, msg_len);
        loop assigns low, len, resume, hops, dst[dst_off .. dst_off + DNSPACK_NAME_MAX - 1];
        loop variant DNSPACK_NAME_HOPS_MAX + 1 - hops; */
    for (size_t hops = 0; hops <= DNSPACK_NAME_HOPS_MAX; hops++) {
        size_t lim = limit(msg_len, low, DNSPACK_NAME_MAX - len);
        size_t end = labels_skip(msg, lim, low);

        if (end >= lim) {
            //@ assert cut: labels_end{Pre}(msg, lim, low) == -1;
            //@ assert too_long: explen{Pre}(msg, msg_len, low, DNSPACK_NAME_HOPS_MAX - hops) <= 0 || len + explen{Pre}(msg, msg_len, low, DNSPACK_NAME_HOPS_MAX - hops) > DNSPACK_NAME_MAX;
            //@ assert no_end: name_len{Pre}(msg, msg_len, at) == 0;
            return 0;
        }
        //@ assert before_lim: labels_end{Pre}(msg, lim, low) == end;
        //@ assert run: labels_end{Pre}(msg, msg_len, low) == end;
        //@ assert labels: \forall integer k; len <= k < len + (end - low) ==> name_oct{Pre}(msg, msg_len, at, k) == msg[k - len + low];
        dnspack_copy(dst, dst_off + len, msg, low, end - low);
        //@ assert message_kept: same{Pre,Here}(msg, 0, msg_len);
        //@ assert kept: \forall integer k; dst_off <= k < dst_off + len ==> dst[k] == name_oct{Pre}(msg, msg_len, at, k - dst_off);
        //@ assert copied: \forall integer k; dst_off + len <= k < dst_off + len + (end - low) ==> dst[k] == name_oct{Pre}(msg, msg_len, at, k - dst_off);
        len += end - low;
        //@ assert both: \forall integer k; dst_off <= k < dst_off + len ==> dst[k] == name_oct{Pre}(msg, msg_len, at, k - dst_off);
        if (msg[end] == 0) {
            //@ assert whole: name_len{Pre}(msg, msg_len, at) == len + 1;
            //@ assert root: name_oct{Pre}(msg, msg_len, at, len) == 0;
            if (resume == 0)
                resume = end + 1;
            //@ assert resumes: resume == name_next{Pre}(msg, msg_len, at);
            //@ ghost Labels: ;
            dst[dst_off + len] = 0;
            //@ assert apart: same{Labels,Here}(msg, 0, msg_len);
            //@ assert octets: \forall integer k; dst_off <= k < dst_off + len + 1 ==> dst[k] == name_oct{Pre}(msg, msg_len, at, k - dst_off);
            //@ assert unchanged: same{Pre,Here}(msg, 0, msg_len);
            //@ assert written: expansion_from{Pre,Here}(dst, dst_off, msg, msg_len, at);
            //@ assert expanded: expansion(dst, dst_off, msg, msg_len, at);
            //@ assert still: name_len(msg, msg_len, at) == len + 1;
            //@ assert name: is_name(dst, dst_off, dst_off + len + 1);
            *next = resume;
            return len + 1;
        }
        if (resume == 0)
            resume = end + 2;
        //@ assert pointer: target(msg, msg_len, end, low) == target{Pre}(msg, msg_len, end, low);
        low = pointer_target(msg, msg_len, end, low);
        if (low == 0) {
            //@ assert refused: name_len{Pre}(msg, msg_len, at) == 0;
            return 0;
        }
    }
    return 0;
}

/*@ terminates \true;
    exits   \false;
    assigns \nothing;
    ensures lower: \result == lower(octet); */
static inline uint8_t lower(uint8_t octet)
{
    return (uint8_t)(octet >= 'A' && octet <= 'Z' ? octet + 32 : octet);
}

bool dnspack_name_equal(const uint8_t *a, size_t a_off, const uint8_t *b, size_t b_off, size_t len)
{
    /*@ loop invariant bounds: 0 <= i <= len;
        loop invariant so_far: eq_case(a, a_off, b, b_off, i);
        loop assigns i;
        loop variant len - i; */
    for (size_t i = 0; i < len; i++) {
        if (a[a_off + i] != b[b_off + i] && lower(a[a_off + i]) != lower(b[b_off + i]))
            return false;
        //@ assert alike: lower(a[a_off + i]) == lower(b[b_off + i]);
    }
    return true;
}

void dnspack_name_lower(uint8_t *dst, size_t dst_off, const uint8_t *src, size_t src_off, size_t len)
{
    /*@ loop invariant bounds: 0 <= i <= len;
        loop invariant source: \forall integer k; src_off + i <= k < src_off + len ==> src[k] == \at(src[k],Pre);
        loop invariant mapped: \forall integer k; dst_off <= k < dst_off + i ==> dst[k] == lower(\at(src[k - dst_off + src_off],Pre));
        loop assigns i, dst[dst_off .. dst_off + len - 1];
        loop variant len - i; */
    for (size_t i = 0; i < len; i++)
        dst[dst_off + i] = lower(src[src_off + i]);
}

uint32_t dnspack_name_hash(const uint8_t *name, size_t off, size_t len, uint32_t seed)
{
    uint32_t hash = seed;

    /*@ loop invariant bounds: 0 <= i <= len;
        loop invariant so_far: hash == hash_case(name, off, i, seed);
        loop assigns i, hash;
        loop variant len - i; */
    for (size_t i = 0; i < len; i++)
        hash = (uint32_t)((uint64_t)(hash ^ lower(name[off + i])) * 16777619u % 0x100000000u);
    return hash;
}
