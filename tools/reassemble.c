/* reassemble: IP datagrams from fragments and TCP-framed messages from segments, in bounded memory. */
#include "reassemble.h"

#include <stdlib.h>
#include <string.h>

/* ---- pieces ---- */

static void pieces_free(struct pieces *p)
{
    free(p->octets);
    *p = (struct pieces){0};
}

/* Octets at the front without a gap. */
static size_t pieces_front(const struct pieces *p)
{
    return p->range_count > 0 && p->range[0].from == 0 ? p->range[0].to : 0;
}

static size_t pieces_count(const struct pieces *p)
{
    size_t count = 0;
    for (size_t i = 0; i < p->range_count; i++)
        count += p->range[i].to - p->range[i].from;
    return count;
}

static bool pieces_reserve(struct pieces *p, size_t cap)
{
    if (cap <= p->cap)
        return true;
    size_t new_cap = 2048;
    while (new_cap < cap)
        new_cap *= 2;
    uint8_t *octets = realloc(p->octets, new_cap);
    if (!octets)
        return false;
    p->octets = octets;
    p->cap = new_cap;
    return true;
}

/* The first range that ends at `off` or later. */
static size_t pieces_find(const struct pieces *p, size_t off)
{
    size_t found = 0;
    while (found < p->range_count && p->range[found].to < off)
        found++;
    return found;
}

/* Put octets at `off`, over what may be there. False: too many gaps, or no memory; nothing is put. */
static bool pieces_put(struct pieces *p, size_t off, const uint8_t *src, size_t src_len)
{
    struct range new = {off, off + src_len};
    size_t first = pieces_find(p, new.from);
    size_t end = first; /* ranges first .. end - 1 touch the new one and become part of it */
    while (end < p->range_count && p->range[end].from <= new.to)
        end++;
    if (first == end && p->range_count == PIECES_RANGE_MAX)
        return false;
    if (!pieces_reserve(p, new.to))
        return false;

    memcpy(p->octets + off, src, src_len);
    if (first < end && p->range[first].from < new.from)
        new.from = p->range[first].from;
    if (first < end && p->range[end - 1].to > new.to)
        new.to = p->range[end - 1].to;
    memmove(p->range + first + 1, p->range + end, (p->range_count - end) * sizeof p->range[0]);
    p->range[first] = new;
    p->range_count = p->range_count - (end - first) + 1;
    return true;
}

/* Whether any octet from `from` up to `to` is there. */
static bool pieces_overlap(const struct pieces *p, size_t from, size_t to)
{
    size_t found = pieces_find(p, from + 1);
    return found < p->range_count && p->range[found].from < to;
}

/* Whether just these octets are there already. */
static bool pieces_repeat(const struct pieces *p, size_t off, const uint8_t *src, size_t src_len)
{
    size_t found = pieces_find(p, off + src_len);
    return found < p->range_count && p->range[found].from <= off && memcmp(p->octets + off, src, src_len) == 0;
}

/* Forget `count` octets at the front, all of which are there. */
static void pieces_drop(struct pieces *p, size_t count)
{
    if (count == 0)
        return;
    memmove(p->octets, p->octets + count, p->range[p->range_count - 1].to - count);
    for (size_t i = 0; i < p->range_count; i++) {
        p->range[i].from -= i == 0 ? 0 : count;
        p->range[i].to -= count;
    }
    if (p->range[0].to == 0) {
        p->range_count--;
        memmove(p->range, p->range + 1, p->range_count * sizeof p->range[0]);
    }
}

/* ---- fragments ---- */

static bool same_address(const struct endpoint *a, const struct endpoint *b)
{
    return memcmp(a->address, b->address, sizeof a->address) == 0;
}

static bool same_endpoint(const struct endpoint *a, const struct endpoint *b)
{
    return a->port == b->port && same_address(a, b);
}

static void datagram_lose(struct fragments *set, struct datagram *d)
{
    set->lost += d->fragment_count;
    pieces_free(&d->pieces);
    *d = (struct datagram){0};
}

static bool datagram_expired(const struct datagram *d, const struct packet *p)
{
    return p->time_us > d->since_us && p->time_us - d->since_us > FRAGMENTS_WAIT_US;
}

/* The datagram of this fragment, if need be a new one in the slot that is free or longest unused. */
static struct datagram *datagram_find(struct fragments *set, const struct packet *p)
{
    struct datagram *oldest = set->datagram;
    for (size_t i = 0; i < FRAGMENTS_DATAGRAM_MAX; i++) {
        struct datagram *d = set->datagram + i;
        if (d->used > 0 && datagram_expired(d, p))
            datagram_lose(set, d);
        if (d->used > 0 && d->id == p->fragment_id && same_address(&d->src, &p->src) && same_address(&d->dst, &p->dst))
            return d;
        if (d->used < oldest->used)
            oldest = d;
    }
    datagram_lose(set, oldest);
    *oldest = (struct datagram){.since_us = p->time_us, .id = p->fragment_id, .src = p->src, .dst = p->dst};
    return oldest;
}

/* False: the fragment contradicts itself or another one; none of them is to be believed (RFC 5722, RFC 8200 4.5). */
static bool datagram_put(struct datagram *d, const struct packet *p)
{
    size_t off = p->fragment_off;
    size_t end = off + p->len;
    if (p->len == 0 || end > FRAGMENTS_OCTET_MAX || (p->more_fragments && p->len % 8 != 0))
        return false;
    if (pieces_repeat(&d->pieces, off, p->octets, p->len))
        return true;
    if (pieces_overlap(&d->pieces, off, end))
        return false;
    if (!p->more_fragments && (d->len > 0 || pieces_overlap(&d->pieces, end, FRAGMENTS_OCTET_MAX)))
        return false;
    if (p->more_fragments && d->len > 0 && end >= d->len)
        return false;
    if (!pieces_put(&d->pieces, off, p->octets, p->len))
        return false;
    if (off == 0)
        d->protocol = p->protocol; /* IPv6: the first fragment's counts (RFC 8200 4.5) */
    if (!p->more_fragments)
        d->len = end;
    return true;
}

bool fragments_join(struct fragments *set, struct packet *p)
{
    struct datagram *d = datagram_find(set, p);
    d->used = ++set->tick;
    d->fragment_count++;
    if (!datagram_put(d, p)) {
        datagram_lose(set, d);
        return false;
    }
    if (d->len == 0 || pieces_front(&d->pieces) != d->len)
        return false;

    pieces_free(&set->joined);
    set->joined = d->pieces;
    p->octets = set->joined.octets;
    p->len = d->len;
    p->protocol = d->protocol;
    p->is_fragment = false;
    *d = (struct datagram){0};
    return true;
}

void fragments_end(struct fragments *set)
{
    for (size_t i = 0; i < FRAGMENTS_DATAGRAM_MAX; i++)
        datagram_lose(set, set->datagram + i);
    pieces_free(&set->joined);
}

/* ---- streams ---- */

static void stream_end(struct streams *set, struct stream *s)
{
    set->octets_lost += pieces_count(&s->pieces) - s->taken;
    pieces_free(&s->pieces);
    *s = (struct stream){0};
}

static bool stream_is_of(const struct stream *s, const struct packet *p)
{
    return s->used > 0 && same_endpoint(&s->src, &p->src) && same_endpoint(&s->dst, &p->dst);
}

/* The direction of this segment, or else the slot that is free or longest unused. */
static struct stream *stream_find(struct streams *set, const struct packet *p)
{
    struct stream *oldest = set->stream;
    for (size_t i = 0; i < STREAMS_MAX; i++) {
        struct stream *s = set->stream + i;
        if (stream_is_of(s, p))
            return s;
        if (s->used < oldest->used)
            oldest = s;
    }
    return oldest;
}

/* Put the octets of `p` at their place. Octets from before the front were there already; those too far from it are
 * lost: the gap before them outgrew the window, or they belong to another connection. */
static void stream_put(struct streams *set, struct stream *s, const struct packet *p, uint32_t seq)
{
    const uint8_t *src = p->octets;
    size_t src_len = p->len;
    pieces_drop(&s->pieces, s->taken);
    s->seq += (uint32_t)s->taken;
    s->taken = 0;

    size_t off = seq - s->seq; /* modulo 2^32 (RFC 9293 3.4) */
    size_t behind = (uint32_t)(s->seq - seq);
    if (behind > 0 && behind <= STREAM_WINDOW) {
        if (src_len <= behind)
            return;
        src += behind;
        src_len -= behind;
        off = 0;
    }
    if (off > STREAM_WINDOW || src_len > STREAM_WINDOW - off || !pieces_put(&s->pieces, off, src, src_len))
        set->octets_lost += src_len;
}

struct stream *streams_add(struct streams *set, const struct packet *p)
{
    uint32_t seq = p->seq + p->syn; /* a SYN takes a sequence number of its own */
    if (p->len == 0 && !p->syn)
        return NULL;
    struct stream *s = stream_find(set, p);
    if (!stream_is_of(s, p) || (p->syn && seq != s->first_seq)) {
        stream_end(set, s);
        *s = (struct stream){.src = p->src, .dst = p->dst, .first_seq = seq, .seq = seq};
    }
    s->used = ++set->tick;
    if (p->len == 0)
        return NULL;
    stream_put(set, s, p, seq);
    return s;
}

bool stream_next(struct stream *s, const uint8_t **message, size_t *message_len)
{
    size_t front = pieces_front(&s->pieces);
    size_t size;
    while (front > s->taken && (size = frame_len(s->pieces.octets + s->taken, front - s->taken)) > 0) {
        const uint8_t *frame = s->pieces.octets + s->taken;
        s->taken += size;
        if (size > FRAME_HEADER_LEN) {
            *message = frame + FRAME_HEADER_LEN;
            *message_len = size - FRAME_HEADER_LEN;
            return true;
        }
    }
    return false;
}

void streams_end(struct streams *set)
{
    for (size_t i = 0; i < STREAMS_MAX; i++)
        stream_end(set, set->stream + i);
}

size_t frame_len(const uint8_t *src, size_t src_len)
{
    if (src_len < FRAME_HEADER_LEN)
        return 0;
    size_t message_len = load_be16(src);
    return message_len > src_len - FRAME_HEADER_LEN ? 0 : message_len + FRAME_HEADER_LEN;
}
