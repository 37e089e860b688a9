/* packet: take the link, IP, UDP and TCP headers off a captured packet, one layer a call. */
#include "packet.h"

#include <string.h>

#include <pcap/dlt.h>

enum {
    TYPE_IPV4 = 0x0800,
    TYPE_VLAN = 0x8100, /* IEEE 802.1Q */
    TYPE_IPV6 = 0x86dd,
    TYPE_PPPOE = 0x8864, /* RFC 2516 4 */
    TYPE_QINQ = 0x88a8,  /* IEEE 802.1ad */
    TYPE_QINQ_OLD = 0x9100,

    PPP_IPV4 = 0x0021,         /* RFC 1332 2 */
    PPP_IPV6 = 0x0057,         /* RFC 5072 2 */
    PPP_ALL_STATIONS = 0xff03, /* RFC 1662 3.1: address and control field, often left out */

    /* IANA, IPv6 Extension Header Types */
    EXTENSION_HOP_BY_HOP = 0,
    EXTENSION_ROUTING = 43,
    EXTENSION_FRAGMENT = 44,
    EXTENSION_AUTHENTICATION = 51,
    EXTENSION_DESTINATION = 60,
    EXTENSION_MOBILITY = 135,

    ETHERNET_LEN = 14,
    VLAN_LEN = 4,
    PPPOE_LEN = 6,
    LOOP_LEN = 4,
    SLL_LEN = 16,
    SLL2_LEN = 20,
    IPV4_LEN = 20,
    IPV6_LEN = 40,
    EXTENSION_LEN = 8, /* RFC 8200 4: the least */
    UDP_LEN = 8,
    TCP_LEN = 20,
};

static void skip(struct packet *p, size_t header_len)
{
    p->octets += header_len;
    p->len -= header_len;
}

static enum packet_status strip_ppp(struct packet *p)
{
    if (p->len >= 2 && load_be16(p->octets) == PPP_ALL_STATIONS)
        skip(p, 2);
    if (p->len < 2)
        return PACKET_SHORT;
    uint16_t protocol = load_be16(p->octets);
    skip(p, 2);
    return protocol == PPP_IPV4 || protocol == PPP_IPV6 ? PACKET_OK : PACKET_OTHER;
}

static enum packet_status strip_type(struct packet *p, uint16_t type)
{
    while (type == TYPE_VLAN || type == TYPE_QINQ || type == TYPE_QINQ_OLD) {
        if (p->len < VLAN_LEN)
            return PACKET_SHORT;
        type = load_be16(p->octets + 2);
        skip(p, VLAN_LEN);
    }
    if (type == TYPE_PPPOE) {
        if (p->len < PPPOE_LEN)
            return PACKET_SHORT;
        skip(p, PPPOE_LEN);
        return strip_ppp(p);
    }
    return type == TYPE_IPV4 || type == TYPE_IPV6 ? PACKET_OK : PACKET_OTHER;
}

static enum packet_status strip_typed_link(struct packet *p, size_t header_len, size_t type_off)
{
    if (p->len < header_len)
        return PACKET_SHORT;
    uint16_t type = load_be16(p->octets + type_off);
    skip(p, header_len);
    return strip_type(p, type);
}

bool packet_link_known(int link_type)
{
    switch (link_type) {
    case DLT_EN10MB:
    case DLT_LINUX_SLL:
    case DLT_LINUX_SLL2:
    case DLT_NULL:
    case DLT_LOOP:
    case DLT_PPP:
    case DLT_PPP_SERIAL:
    case DLT_RAW:
    case DLT_IPV4:
    case DLT_IPV6:
        return true;
    default:
        return false;
    }
}

enum packet_status packet_strip_link(struct packet *p, int link_type)
{
    switch (link_type) {
    case DLT_EN10MB:
        return strip_typed_link(p, ETHERNET_LEN, 12);
    case DLT_LINUX_SLL:
        return strip_typed_link(p, SLL_LEN, 14);
    case DLT_LINUX_SLL2:
        return strip_typed_link(p, SLL2_LEN, 0);
    case DLT_NULL: /* the address family differs between systems; the IP version does not */
    case DLT_LOOP:
        if (p->len < LOOP_LEN)
            return PACKET_SHORT;
        skip(p, LOOP_LEN);
        return PACKET_OK;
    case DLT_PPP:
    case DLT_PPP_SERIAL:
        return strip_ppp(p);
    default:
        return PACKET_OK;
    }
}

/* The payload is payload_len octets; what follows is link padding. */
static void limit(struct packet *p, size_t payload_len)
{
    p->is_short = payload_len > p->len;
    if (!p->is_short)
        p->len = payload_len;
}

static void store_ipv4_address(const uint8_t *src, struct endpoint *dst)
{
    memset(dst->address, 0, 10);
    memset(dst->address + 10, 0xff, 2);
    memcpy(dst->address + 12, src, 4);
}

static enum packet_status strip_ipv4(struct packet *p)
{
    const uint8_t *header = p->octets;
    if (p->len < IPV4_LEN)
        return PACKET_SHORT;
    size_t header_len = (size_t)(header[0] & 15) * 4;
    size_t total_len = load_be16(header + 2);
    if (total_len == 0) /* segmentation offload: the sender's stack leaves it to the card */
        total_len = p->len;
    if (header_len < IPV4_LEN || total_len < header_len)
        return PACKET_MALFORMED;
    limit(p, total_len);
    if (p->len < header_len)
        return PACKET_SHORT;

    uint16_t fragment = load_be16(header + 6);
    p->more_fragments = fragment & 0x2000;
    p->fragment_off = (uint16_t)((fragment & 0x1fff) * 8);
    p->is_fragment = p->more_fragments || p->fragment_off > 0;
    p->protocol = header[9];
    p->fragment_id = (uint32_t)p->protocol << 16 | load_be16(header + 4); /* RFC 791 3.2: told apart by both */
    store_ipv4_address(header + 12, &p->src);
    store_ipv4_address(header + 16, &p->dst);
    skip(p, header_len);
    return PACKET_OK;
}

static enum packet_status strip_ipv6(struct packet *p)
{
    const uint8_t *header = p->octets;
    if (p->len < IPV6_LEN)
        return PACKET_SHORT;
    size_t payload_len = load_be16(header + 4);
    p->is_ipv6 = true;
    p->protocol = header[6];
    memcpy(p->src.address, header + 8, 16);
    memcpy(p->dst.address, header + 24, 16);
    skip(p, IPV6_LEN);
    if (payload_len > 0) /* 0: a jumbogram, or segmentation offload */
        limit(p, payload_len);
    return packet_strip_extensions(p);
}

enum packet_status packet_strip_ip(struct packet *p)
{
    if (p->len == 0)
        return PACKET_SHORT;
    switch (p->octets[0] >> 4) {
    case 4:
        return strip_ipv4(p);
    case 6:
        return strip_ipv6(p);
    default:
        return PACKET_MALFORMED;
    }
}

/* Octets of the extension header in front, at least EXTENSION_LEN; 0 if what is in front is none. */
static size_t extension_len(const struct packet *p)
{
    size_t units = p->len < 2 ? 0 : p->octets[1];
    switch (p->protocol) {
    case EXTENSION_HOP_BY_HOP:
    case EXTENSION_ROUTING:
    case EXTENSION_DESTINATION:
    case EXTENSION_MOBILITY:
        return (units + 1) * 8;
    case EXTENSION_AUTHENTICATION: /* RFC 4302 2.2 */
        return (units + 2) * 4;
    case EXTENSION_FRAGMENT:
        return EXTENSION_LEN;
    default:
        return 0;
    }
}

static void note_fragment(struct packet *p)
{
    p->more_fragments = p->octets[3] & 1;
    p->fragment_off = load_be16(p->octets + 2) & 0xfff8;
    p->is_fragment = p->more_fragments || p->fragment_off > 0; /* neither: atomic, RFC 6946 */
    p->fragment_id = load_be32(p->octets + 4);
}

enum packet_status packet_strip_extensions(struct packet *p)
{
    size_t header_len;
    while (!p->is_fragment && (header_len = extension_len(p)) > 0) {
        if (header_len > p->len)
            return PACKET_SHORT;
        if (p->protocol == EXTENSION_FRAGMENT)
            note_fragment(p);
        p->protocol = p->octets[0];
        skip(p, header_len);
    }
    return PACKET_OK;
}

enum packet_status packet_read_ports(struct packet *p)
{
    if (p->protocol != PROTOCOL_UDP && p->protocol != PROTOCOL_TCP)
        return PACKET_OTHER;
    if (p->len < 4)
        return PACKET_SHORT;
    p->src.port = load_be16(p->octets);
    p->dst.port = load_be16(p->octets + 2);
    return PACKET_OK;
}

enum packet_status packet_strip_udp(struct packet *p)
{
    const uint8_t *header = p->octets;
    if (p->len < UDP_LEN)
        return PACKET_SHORT;
    size_t udp_len = load_be16(header + 4);
    if (udp_len < UDP_LEN)
        return PACKET_MALFORMED;
    if (udp_len > p->len)
        return PACKET_SHORT;
    p->len = udp_len;
    skip(p, UDP_LEN);
    return PACKET_OK;
}

enum packet_status packet_strip_tcp(struct packet *p)
{
    const uint8_t *header = p->octets;
    if (p->len < TCP_LEN)
        return PACKET_SHORT;
    size_t header_len = (size_t)(header[12] >> 4) * 4;
    if (header_len < TCP_LEN)
        return PACKET_MALFORMED;
    if (header_len > p->len)
        return PACKET_SHORT;
    p->seq = load_be32(header + 4);
    p->syn = header[13] & 2;
    skip(p, header_len);
    return PACKET_OK;
}
