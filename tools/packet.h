/* packet: take the link, IP, UDP and TCP headers off a captured packet, one layer a call. */
#ifndef PACKET_H
#define PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct endpoint {
    uint8_t address[16]; /* IPv4 as ::ffff:a.b.c.d (RFC 4291 2.5.5.2) */
    uint16_t port;
};

/* What is left of a packet, and what the headers taken off so far said. */
struct packet {
    const uint8_t *octets;
    size_t len;
    uint64_t time_us;
    struct endpoint src, dst;
    uint32_t fragment_id;
    uint16_t fragment_off;
    uint8_t protocol;
    bool is_fragment;
    bool more_fragments;
    bool is_ipv6;
    bool is_short; /* the IP header announces more octets than there are */
    bool syn;
    uint32_t seq;
};

enum packet_status {
    PACKET_OK = 0,
    PACKET_OTHER,     /* sound as far as read, but not what is looked for */
    PACKET_SHORT,     /* ends before the header does: cut by the capture, or malformed */
    PACKET_MALFORMED, /* a field contradicts its RFC */
    PACKET_WAITS,     /* a fragment that is kept until the rest of its datagram is there */
};

enum { PROTOCOL_TCP = 6, PROTOCOL_UDP = 17 };

static inline uint16_t load_be16(const uint8_t *src)
{
    return (uint16_t)(src[0] << 8 | src[1]);
}

static inline uint32_t load_be32(const uint8_t *src)
{
    return (uint32_t)load_be16(src) << 16 | load_be16(src + 2);
}

/* Whether packet_strip_link knows this DLT_ value. */
bool packet_link_known(int link_type);

/* Each of these takes one header off the front of `p` and the octets behind its payload off the end.
 * PACKET_OK: `p` is what the header carries. Any other status: `p` is not to be read any more. */
enum packet_status packet_strip_link(struct packet *p, int link_type);
enum packet_status packet_strip_ip(struct packet *p);         /* IPv6: extension headers too, up to a fragment */
enum packet_status packet_strip_extensions(struct packet *p); /* those inside a rejoined IPv6 datagram */
enum packet_status packet_read_ports(struct packet *p);       /* of UDP and TCP; takes nothing off */
enum packet_status packet_strip_udp(struct packet *p);
enum packet_status packet_strip_tcp(struct packet *p);

#endif
