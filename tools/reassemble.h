/* reassemble: IP datagrams from fragments and TCP-framed messages from segments, in bounded memory. */
#ifndef REASSEMBLE_H
#define REASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "packet.h"

enum {
    PIECES_RANGE_MAX = 32,            /* runs of octets with gaps between them */
    FRAGMENTS_DATAGRAM_MAX = 64,      /* datagrams pending at a time: 4 MiB at most */
    FRAGMENTS_OCTET_MAX = 65535,      /* in a datagram */
    FRAGMENTS_WAIT_US = 60 * 1000000, /* RFC 8200 4.5 */
    STREAMS_MAX = 512,                /* TCP connections, each direction by itself: 128 MiB at most */
    STREAM_WINDOW = 1 << 18,          /* octets held of a direction; a message and its length take 65537 */
};

/* Octets that come in pieces, in any order: where they are, and which are there. */
struct pieces {
    uint8_t *octets;
    size_t cap;
    size_t range_count;
    struct range {
        size_t from, to;
    } range[PIECES_RANGE_MAX]; /* ascending, with a gap between any two */
};

struct datagram {
    uint64_t used; /* the tick it was last touched; 0 = a free slot */
    uint64_t since_us;
    uint32_t id;
    struct endpoint src, dst;
    uint8_t protocol;
    size_t len; /* 0 until the last fragment is seen */
    uint64_t fragment_count;
    struct pieces pieces;
};

struct fragments {
    uint64_t tick;
    uint64_t lost; /* fragments that made no datagram */
    struct pieces joined;
    struct datagram datagram[FRAGMENTS_DATAGRAM_MAX];
};

struct stream {
    uint64_t used; /* as in struct datagram */
    struct endpoint src, dst;
    uint32_t first_seq;
    uint32_t seq; /* of the first octet in pieces */
    size_t taken; /* octets at the front of pieces that stream_next has given out */
    struct pieces pieces;
};

struct streams {
    uint64_t tick;
    uint64_t octets_lost; /* octets that came and are in no message */
    struct stream stream[STREAMS_MAX];
};

/* Add the fragment `p`. True: the datagram is whole and `p` holds its payload, until the next call. */
bool fragments_join(struct fragments *set, struct packet *p);

/* Count what is pending as lost, and free all. */
void fragments_end(struct fragments *set);

/* Add the TCP segment `p`. The result is the direction it belongs to, or NULL where it brings no octets. */
struct stream *streams_add(struct streams *set, const struct packet *p);

/* The next message that is whole; it stays valid until the next streams_add. */
bool stream_next(struct stream *s, const uint8_t **message, size_t *message_len);

/* As fragments_end. */
void streams_end(struct streams *set);

/* Octets of the frame at the front of `src`, its length field (RFC 1035 4.2.2) included; 0: not whole. */
size_t frame_len(const uint8_t *src, size_t src_len);

enum { FRAME_HEADER_LEN = 2 };

#endif
