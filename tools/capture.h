/* capture: the DNS messages in a file, one after the other.
 *
 * The content says what the file is, not its name:
 *   pcap, pcapng     DNS over UDP and TCP; IP fragments and TCP segments are put together again
 *   framed stream    messages back to back, each behind its length in two octets (RFC 1035 4.2.2)
 *   raw message      one message, 12 .. 65535 octets
 *
 * Octets of messages are handed on as they are: a message may be empty of sense, or not DNS at all. */
#ifndef CAPTURE_H
#define CAPTURE_H

#include <stddef.h>
#include <stdint.h>

#include "packet.h"

enum capture_transport {
    CAPTURE_NO_TRANSPORT = 0, /* not from a packet: no time, addresses or ports */
    CAPTURE_UDP,
    CAPTURE_TCP,
};

struct capture_message {
    const uint8_t *octets; /* at least one; valid until the next call with this capture */
    size_t len;
    uint64_t time_us; /* since 1970, when the last octet of the message was captured */
    enum capture_transport transport;
    struct endpoint src, dst;
};

struct capture_stats {
    uint64_t messages;
    uint64_t packets;           /* read from a pcap file; each fragment is one */
    uint64_t packets_other;     /* not IP, not UDP or TCP, or of other ports */
    uint64_t packets_cut;       /* needed octets that the capture left out */
    uint64_t packets_malformed; /* of a header that contradicts itself or the packet's length */
    /* known when capture_next has returned 0 or -1 */
    uint64_t fragments_lost; /* of datagrams that overlap, stay incomplete, or outgrow a limit */
    uint64_t octets_lost;    /* of TCP or a framed stream, in no whole message */
};

struct capture;

/* Open `path`, "-" for standard input. Messages are taken from and to `ports`, which must outlive the capture;
 * port_count 0 means port 53. NULL: `error` says why, in one line, without the path. */
struct capture *capture_open(const char *path, const uint16_t *ports, size_t port_count, char *error, size_t error_cap);

/* 1: `message` is the next message. 0: there are no more. -1: neither are there, for the file is damaged from here
 * on, and capture_error says how. */
int capture_next(struct capture *c, struct capture_message *message);

const char *capture_error(const struct capture *c);

/* What was read and what was skipped so far. */
const struct capture_stats *capture_stats(const struct capture *c);

/* Octets read so far, and in the whole file; both 0 where that is not known, as with a pipe. */
void capture_progress(const struct capture *c, uint64_t *read_len, uint64_t *file_len);

void capture_close(struct capture *c); /* NULL is fine */

#endif
