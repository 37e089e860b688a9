/* capture: the DNS messages in a file, one after the other. */
#include "capture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pcap/pcap.h>

#include "reassemble.h"

enum {
    MAGIC_LEN = 4,
    MESSAGE_MIN = 12,    /* a header: RFC 1035 4.1.1 */
    MESSAGE_MAX = 65535, /* RFC 1035 4.2.2 */
    QUESTION_MIN = 5,    /* root name, type, class */
    RECORD_MIN = 11,     /* root name, type, class, TTL, RDLENGTH */
    HELD_MAX = 1 << 30,  /* of a file that is no capture, which is read as a whole */
    ERROR_CAP = PCAP_ERRBUF_SIZE,
};

static const uint16_t default_ports[] = {53};

struct capture {
    FILE *file;
    uint64_t file_len;
    const uint16_t *ports;
    size_t port_count;
    int (*next)(struct capture *c, struct capture_message *message);
    int result; /* what next gave last: 1 as long as there may be more */
    char error[ERROR_CAP];
    struct capture_stats stats;

    /* framed stream, raw message: the file */
    uint8_t *octets;
    size_t len;
    size_t off;

    /* pcap */
    pcap_t *pcap;
    int link_type;
    struct fragments fragments;
    struct streams streams;
    struct stream *stream; /* may hold whole messages */
    struct packet packet;  /* the one read last */
};

static bool fail(struct capture *c, const char *why)
{
    snprintf(c->error, sizeof c->error, "%s", why);
    return false;
}

/* ---- framed stream, raw message ---- */

static int framed_next(struct capture *c, struct capture_message *message)
{
    size_t size = frame_len(c->octets + c->off, c->len - c->off);
    if (size == 0) {
        c->stats.octets_lost = c->len - c->off;
        return 0;
    }
    const uint8_t *octets = c->octets + c->off + FRAME_HEADER_LEN;
    *message = (struct capture_message){.octets = octets, .len = size - FRAME_HEADER_LEN};
    c->off += size;
    return 1;
}

static int raw_next(struct capture *c, struct capture_message *message)
{
    if (c->off == c->len)
        return 0;
    *message = (struct capture_message){.octets = c->octets, .len = c->len};
    c->off = c->len;
    return 1;
}

/* ---- pcap ---- */

static bool is_dns_port(const struct capture *c, uint16_t port)
{
    for (size_t i = 0; i < c->port_count; i++)
        if (c->ports[i] == port)
            return true;
    return false;
}

/* From the link header to a whole IP datagram. */
static enum packet_status read_datagram(struct capture *c, struct packet *p)
{
    enum packet_status status = packet_strip_link(p, c->link_type);
    if (status == PACKET_OK)
        status = packet_strip_ip(p);
    if (status != PACKET_OK || !p->is_fragment)
        return status;
    if (p->is_short)
        return PACKET_SHORT;
    if (!fragments_join(&c->fragments, p))
        return PACKET_WAITS;
    if (p->is_ipv6)
        status = packet_strip_extensions(p);
    return p->is_fragment ? PACKET_MALFORMED : status; /* a fragment within a fragment */
}

static enum packet_status read_packet(struct capture *c, struct packet *p)
{
    enum packet_status status = read_datagram(c, p);
    if (status != PACKET_OK)
        return status;
    status = packet_read_ports(p);
    if (status != PACKET_OK)
        return status;
    if (!is_dns_port(c, p->src.port) && !is_dns_port(c, p->dst.port))
        return PACKET_OTHER; /* before its length is looked at: the rest may well be cut */
    return p->protocol == PROTOCOL_UDP ? packet_strip_udp(p) : packet_strip_tcp(p);
}

static void count_packet(struct capture *c, enum packet_status status, const struct pcap_pkthdr *header)
{
    const struct packet *p = &c->packet;
    if (status == PACKET_OK && p->protocol == PROTOCOL_TCP && p->is_short)
        status = PACKET_SHORT; /* what is there of the segment is used all the same */

    c->stats.packets++;
    c->stats.packets_other += status == PACKET_OTHER;
    c->stats.packets_cut += status == PACKET_SHORT && header->caplen < header->len;
    c->stats.packets_malformed += status == PACKET_SHORT && header->caplen >= header->len;
    c->stats.packets_malformed += status == PACKET_MALFORMED;
}

/* Read a packet. What pcap_next_ex returned; if 1, and only if the packet is of interest, *status is PACKET_OK. */
static int read_next_packet(struct capture *c, enum packet_status *status)
{
    struct pcap_pkthdr *header;
    const u_char *octets;
    int result = pcap_next_ex(c->pcap, &header, &octets);
    if (result != 1)
        return result;
    c->packet = (struct packet){
        .octets = octets,
        .len = header->caplen,
        .time_us = (uint64_t)header->ts.tv_sec * 1000000 + (uint64_t)header->ts.tv_usec,
    };
    *status = read_packet(c, &c->packet);
    count_packet(c, *status, header);
    return 1;
}

static int pcap_end(struct capture *c, int result)
{
    fragments_end(&c->fragments);
    streams_end(&c->streams);
    c->stats.fragments_lost = c->fragments.lost;
    c->stats.octets_lost = c->streams.octets_lost;
    if (result == PCAP_ERROR_BREAK)
        return 0;
    fail(c, pcap_geterr(c->pcap));
    return -1;
}

static struct capture_message message_from(const struct packet *p, enum capture_transport transport)
{
    return (struct capture_message){
        .octets = p->octets,
        .len = p->len,
        .time_us = p->time_us,
        .transport = transport,
        .src = p->src,
        .dst = p->dst,
    };
}

static int packets_next(struct capture *c, struct capture_message *message)
{
    struct packet *p = &c->packet;
    for (;;) {
        if (c->stream && stream_next(c->stream, &p->octets, &p->len)) {
            *message = message_from(p, CAPTURE_TCP);
            return 1;
        }
        c->stream = NULL;
        enum packet_status status;
        int result = read_next_packet(c, &status);
        if (result != 1)
            return pcap_end(c, result);
        if (status != PACKET_OK)
            continue;
        if (p->protocol == PROTOCOL_TCP) {
            c->stream = streams_add(&c->streams, p);
        } else if (p->len > 0) {
            *message = message_from(p, CAPTURE_UDP);
            return 1;
        }
    }
}

/* ---- what the file is ---- */

static bool is_pcap(uint32_t magic)
{
    switch (magic) {
    case 0xa1b2c3d4: /* microseconds */
    case 0xd4c3b2a1:
    case 0xa1b23c4d: /* nanoseconds */
    case 0x4d3cb2a1:
    case 0xa1b2cd34: /* Kuznetzov's variant */
    case 0x34cdb2a1:
    case 0x0a0d0d0a: /* pcapng */
        return true;
    default:
        return false;
    }
}

static bool is_compressed(uint32_t magic)
{
    return magic >> 8 == 0x1f8b08 || magic == 0x28b52ffd || magic == 0xfd377a58; /* gzip, zstd, xz */
}

/* Whether a header announces one question, and no more records than there is room for. */
static bool looks_like_message(const uint8_t *message, size_t message_len)
{
    if (message_len < MESSAGE_MIN + QUESTION_MIN || load_be16(message + 4) != 1)
        return false;
    size_t record_count = (size_t)load_be16(message + 6) + load_be16(message + 8) + load_be16(message + 10);
    return record_count <= (message_len - MESSAGE_MIN - QUESTION_MIN) / RECORD_MIN;
}

/* Frames that end with the file are taken as such. Of frames that are cut the first message has to look like one, or
 * else nearly every file would do. None is empty: no sender makes such frames, and zeros are common in other files. */
static bool looks_framed(const uint8_t *src, size_t src_len)
{
    size_t off = 0;
    size_t size;
    while ((size = frame_len(src + off, src_len - off)) > FRAME_HEADER_LEN)
        off += size;
    if (off == 0 || size > 0)
        return false;
    return off == src_len || looks_like_message(src + FRAME_HEADER_LEN, frame_len(src, src_len) - FRAME_HEADER_LEN);
}

/* Read the rest of the file behind the octets that are held already. */
static bool read_rest(struct capture *c)
{
    size_t cap = 1 << 16;
    do {
        cap *= 2;
        uint8_t *octets = realloc(c->octets, cap);
        if (!octets)
            return fail(c, strerror(ENOMEM));
        c->octets = octets;
        c->len += fread(c->octets + c->len, 1, cap - c->len, c->file);
    } while (c->len == cap && cap < HELD_MAX);
    if (ferror(c->file))
        return fail(c, strerror(errno));
    return c->len < HELD_MAX || fail(c, "neither pcap nor pcapng, and too large for anything else");
}

static bool open_messages(struct capture *c)
{
    if (!read_rest(c))
        return false;
    c->file_len = c->len;
    if (looks_framed(c->octets, c->len))
        c->next = framed_next;
    else if (c->len >= MESSAGE_MIN && c->len <= MESSAGE_MAX)
        c->next = raw_next;
    else
        return fail(c, c->len == 0 ? "empty file" : "neither pcap, pcapng, a framed stream nor a DNS message");
    return true;
}

static bool open_pcap(struct capture *c)
{
    /* ISO C grants one octet, but all that was just read can go back: it is in the buffer still. */
    while (c->len > 0)
        if (ungetc(c->octets[--c->len], c->file) == EOF)
            return fail(c, "cannot read the file twice");
    c->pcap = pcap_fopen_offline(c->file, c->error);
    if (!c->pcap)
        return false;
    c->link_type = pcap_datalink(c->pcap);
    c->next = packets_next;
    if (packet_link_known(c->link_type))
        return true;
    const char *name = pcap_datalink_val_to_name(c->link_type);
    snprintf(c->error, sizeof c->error, "link type %d (%s) is not supported", c->link_type, name ? name : "unknown");
    return false;
}

static bool open_file(struct capture *c, const char *path)
{
    struct stat status;
    c->file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (!c->file)
        return fail(c, strerror(errno));
    if (fstat(fileno(c->file), &status) == 0 && S_ISREG(status.st_mode))
        c->file_len = (uint64_t)status.st_size;

    c->octets = malloc(MAGIC_LEN);
    if (!c->octets)
        return fail(c, strerror(ENOMEM));
    c->len = fread(c->octets, 1, MAGIC_LEN, c->file);
    if (ferror(c->file))
        return fail(c, strerror(errno));
    uint32_t magic = c->len < MAGIC_LEN ? 0 : load_be32(c->octets);
    if (is_compressed(magic))
        return fail(c, "a compressed file; decompress it first");
    return is_pcap(magic) ? open_pcap(c) : open_messages(c);
}

/* ---- the interface ---- */

struct capture *capture_open(const char *path, const uint16_t *ports, size_t port_count, char *error, size_t error_cap)
{
    struct capture *c = calloc(1, sizeof *c);
    if (!c) {
        snprintf(error, error_cap, "%s", strerror(ENOMEM));
        return NULL;
    }
    c->ports = port_count > 0 ? ports : default_ports;
    c->port_count = port_count > 0 ? port_count : 1;
    c->result = 1;
    if (open_file(c, path))
        return c;
    snprintf(error, error_cap, "%s", c->error);
    capture_close(c);
    return NULL;
}

int capture_next(struct capture *c, struct capture_message *message)
{
    if (c->result == 1)
        c->result = c->next(c, message);
    c->stats.messages += c->result == 1;
    return c->result;
}

const char *capture_error(const struct capture *c)
{
    return c->error;
}

const struct capture_stats *capture_stats(const struct capture *c)
{
    return &c->stats;
}

void capture_progress(const struct capture *c, uint64_t *read_len, uint64_t *file_len)
{
    off_t read_off = c->pcap ? ftello(c->file) : (off_t)c->off;
    bool is_known = c->file_len > 0 && read_off >= 0;
    *read_len = is_known ? (uint64_t)read_off : 0;
    *file_len = is_known ? c->file_len : 0;
}

void capture_close(struct capture *c)
{
    if (!c)
        return;
    fragments_end(&c->fragments);
    streams_end(&c->streams);
    if (c->pcap)
        pcap_close(c->pcap); /* and the file with it, unless that is standard input */
    else if (c->file && c->file != stdin)
        fclose(c->file);
    free(c->octets);
    free(c);
}
