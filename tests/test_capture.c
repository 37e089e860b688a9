/* test_capture: messages come out of capture files as they were sent. Every file is made here, octet by octet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture.h"

enum {
    LINK_NULL = 0,
    LINK_ETHERNET = 1,
    LINK_PPP = 9,
    LINK_RAW = 101,
    LINK_LOOP = 108,
    LINK_SLL = 113,
    LINK_IPV4 = 228,
    LINK_IPV6 = 229,
    LINK_SLL2 = 276,
    LINK_USB = 189,

    TYPE_IPV4 = 0x0800,
    TYPE_IPV6 = 0x86dd,
    MORE_FRAGMENTS = 0x2000,
    SYN = 2,
    CLIENT_PORT = 40000,
    BYTES_CAP = 6000,
    FILE_CAP = 1 << 20,
    MESSAGE_CAP = 16,
};

/* ---- octets ---- */

struct bytes {
    uint8_t at[BYTES_CAP];
    size_t len;
};

static void put(struct bytes *dst, const void *src, size_t src_len)
{
    assert_true(src_len <= BYTES_CAP - dst->len);
    memcpy(dst->at + dst->len, src, src_len);
    dst->len += src_len;
}

static void put_fill(struct bytes *dst, int octet, size_t count)
{
    assert_true(count <= BYTES_CAP - dst->len);
    memset(dst->at + dst->len, octet, count);
    dst->len += count;
}

static void put16(struct bytes *dst, size_t value)
{
    put(dst, (uint8_t[]){(uint8_t)(value >> 8), (uint8_t)value}, 2);
}

static void put32(struct bytes *dst, size_t value)
{
    put16(dst, value >> 16);
    put16(dst, value);
}

static struct bytes part(struct bytes src, size_t off, size_t len)
{
    struct bytes dst = {.len = 0};
    put(&dst, src.at + off, len);
    return dst;
}

static struct bytes join(struct bytes a, struct bytes b)
{
    put(&a, b.at, b.len);
    return a;
}

/* ---- what is sent ---- */

/* A query header and octets that differ from place to place and from one id to another. */
static struct bytes message(size_t id, size_t len)
{
    struct bytes dst = {.len = 0};
    put16(&dst, id);
    put(&dst, (uint8_t[]){1, 0, 0, 1, 0, 0, 0, 0, 0, 0}, 10);
    while (dst.len < len)
        put_fill(&dst, (int)((id + dst.len * 7 + dst.len / 256) & 255), 1);
    return dst;
}

static struct bytes framed(struct bytes content)
{
    struct bytes dst = {.len = 0};
    put16(&dst, content.len);
    return join(dst, content);
}

static struct bytes udp(size_t src_port, size_t dst_port, struct bytes payload)
{
    struct bytes dst = {.len = 0};
    put16(&dst, src_port);
    put16(&dst, dst_port);
    put16(&dst, 8 + payload.len);
    put16(&dst, 0);
    return join(dst, payload);
}

static struct bytes tcp_between(size_t src_port, size_t dst_port, size_t seq, int flags, struct bytes payload)
{
    struct bytes dst = {.len = 0};
    put16(&dst, src_port);
    put16(&dst, dst_port);
    put32(&dst, seq);
    put32(&dst, 0);
    put(&dst, (uint8_t[]){0x60, (uint8_t)flags}, 2); /* with four octets of options */
    put16(&dst, 65535);
    put32(&dst, 0);
    put_fill(&dst, 1, 4);
    return join(dst, payload);
}

static struct bytes ipv4_fragment(int protocol, size_t id, size_t fragment, struct bytes payload)
{
    struct bytes dst = {.len = 0};
    put(&dst, (uint8_t[]){0x45, 0}, 2);
    put16(&dst, 20 + payload.len);
    put16(&dst, id);
    put16(&dst, fragment);
    put(&dst, (uint8_t[]){64, (uint8_t)protocol, 0, 0}, 4);
    put(&dst, (uint8_t[]){192, 0, 2, 1, 192, 0, 2, 2}, 8);
    return join(dst, payload);
}

static struct bytes ipv4(int protocol, struct bytes payload)
{
    return ipv4_fragment(protocol, 0, 0, payload);
}

static struct bytes ipv6(int next_header, struct bytes payload)
{
    struct bytes dst = {.len = 0};
    put32(&dst, 0x60000000);
    put16(&dst, payload.len);
    put(&dst, (uint8_t[]){(uint8_t)next_header, 64}, 2);
    put32(&dst, 0x20010db8);
    put_fill(&dst, 1, 12);
    put32(&dst, 0x20010db8);
    put_fill(&dst, 2, 12);
    return join(dst, payload);
}

static struct bytes ipv6_fragment(int next_header, size_t id, size_t off_and_more, struct bytes payload)
{
    struct bytes dst = {.len = 0};
    put(&dst, (uint8_t[]){(uint8_t)next_header, 0}, 2);
    put16(&dst, off_and_more);
    put32(&dst, id);
    return ipv6(44, join(dst, payload));
}

static struct bytes ethernet(size_t type, struct bytes payload)
{
    struct bytes dst = {.len = 0};
    put_fill(&dst, 0xaa, 12);
    put16(&dst, type);
    return join(dst, payload);
}

static struct bytes udp_query(size_t id, size_t len)
{
    return ipv4(17, udp(CLIENT_PORT, 53, message(id, len)));
}

/* ---- the file, and what is read from it ---- */

static uint8_t file[FILE_CAP];
static size_t file_len;
static char path[] = "/tmp/test_capture_XXXXXX";

static struct result {
    bool is_open;
    int end;
    char error[300];
    size_t count;
    struct capture_message message[MESSAGE_CAP];
    struct bytes octets[MESSAGE_CAP];
    struct capture_stats stats;
} got;

static void add(struct bytes content)
{
    assert_true(content.len <= FILE_CAP - file_len);
    memcpy(file + file_len, content.at, content.len);
    file_len += content.len;
}

static void begin(void)
{
    file_len = 0;
}

static void begin_pcap(size_t link_type)
{
    struct bytes header = {.len = 0};
    put32(&header, 0xa1b2c3d4);
    put16(&header, 2);
    put16(&header, 4);
    put32(&header, 0);
    put32(&header, 0);
    put32(&header, 262144);
    put32(&header, link_type);
    begin();
    add(header);
}

static void add_packet_cut(size_t time_s, struct bytes packet, size_t captured_len)
{
    struct bytes header = {.len = 0};
    put32(&header, time_s);
    put32(&header, 7);
    put32(&header, captured_len);
    put32(&header, packet.len);
    add(header);
    add(part(packet, 0, captured_len));
}

static void add_packet(struct bytes packet)
{
    add_packet_cut(1000, packet, packet.len);
}

static void add_segment(size_t seq, int flags, struct bytes payload)
{
    add_packet(ipv4(6, tcp_between(CLIENT_PORT, 53, seq, flags, payload)));
}

static void read_from(const char *name, const uint16_t *ports, size_t port_count)
{
    memset(&got, 0, sizeof got);
    struct capture *c = capture_open(name, ports, port_count, got.error, sizeof got.error);
    got.is_open = c;
    if (!c)
        return;
    struct capture_message m;
    while ((got.end = capture_next(c, &m)) == 1) {
        assert_true(got.count < MESSAGE_CAP);
        got.message[got.count] = m;
        put(&got.octets[got.count++], m.octets, m.len);
    }
    assert_int_equal(capture_next(c, &m), got.end);
    snprintf(got.error, sizeof got.error, "%s", capture_error(c));
    got.stats = *capture_stats(c);
    assert_int_equal(got.stats.messages, got.count);
    capture_close(c);
}

static void write_file(void)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(file, 1, file_len, f), file_len);
    assert_int_equal(fclose(f), 0);
}

static void read_file(void)
{
    write_file();
    read_from(path, NULL, 0);
}

static void assert_message(size_t index, struct bytes expected)
{
    assert_true(index < got.count);
    assert_int_equal(got.octets[index].len, expected.len);
    assert_memory_equal(got.octets[index].at, expected.at, expected.len);
}

/* The file reads without error and holds just this message. */
static void assert_only(struct bytes expected)
{
    assert_true(got.is_open);
    assert_int_equal(got.end, 0);
    assert_int_equal(got.count, 1);
    assert_message(0, expected);
}

static void assert_refused(const char *error)
{
    assert_false(got.is_open);
    assert_non_null(strstr(got.error, error));
    assert_null(strchr(got.error, '\n'));
}

/* ---- packets ---- */

static void test_udp_message_comes_with_time_and_addresses(void **state)
{
    (void)state;
    begin_pcap(LINK_RAW);
    add_packet(ipv4(17, udp(CLIENT_PORT, 53, message(1, 40))));
    add_packet(ipv6(17, udp(53, CLIENT_PORT, message(2, 41))));
    read_file();
    assert_int_equal(got.count, 2);
    assert_message(0, message(1, 40));
    assert_message(1, message(2, 41));
    const struct capture_message *query = &got.message[0];
    const struct capture_message *response = &got.message[1];
    assert_int_equal(query->transport, CAPTURE_UDP);
    assert_int_equal(query->time_us, 1000000007);
    assert_int_equal(query->src.port, CLIENT_PORT);
    assert_int_equal(query->dst.port, 53);
    assert_memory_equal(query->src.address, "\0\0\0\0\0\0\0\0\0\0\xff\xff\xc0\0\2\1", 16);
    assert_memory_equal(query->dst.address, "\0\0\0\0\0\0\0\0\0\0\xff\xff\xc0\0\2\2", 16);
    assert_int_equal(response->src.port, 53);
    assert_memory_equal(response->src.address, "\x20\1\xd\xb8\1\1\1\1\1\1\1\1\1\1\1\1", 16);
}

static void test_link_padding_is_no_part_of_the_message(void **state)
{
    (void)state;
    struct bytes packet = ethernet(TYPE_IPV4, udp_query(1, 12));
    put_fill(&packet, 0, 6);
    begin_pcap(LINK_ETHERNET);
    add_packet(packet);
    read_file();
    assert_only(message(1, 12));
}

static void test_ip_padding_is_no_part_of_the_message(void **state)
{
    (void)state;
    struct bytes datagram = udp(CLIENT_PORT, 53, message(1, 12));
    put_fill(&datagram, 0, 6);
    begin_pcap(LINK_RAW);
    add_packet(ipv4(17, datagram));
    read_file();
    assert_only(message(1, 12));
}

static void test_link_padding_is_no_part_of_a_tcp_stream(void **state)
{
    (void)state;
    struct bytes stream = framed(message(1, 40));
    struct bytes bare = ethernet(TYPE_IPV4, ipv4(6, tcp_between(CLIENT_PORT, 53, 110, 0, part(stream, 0, 0))));
    put_fill(&bare, 0, 6);
    begin_pcap(LINK_ETHERNET);
    add_packet(ethernet(TYPE_IPV4, ipv4(6, tcp_between(CLIENT_PORT, 53, 100, 0, part(stream, 0, 10)))));
    add_packet(bare);
    add_packet(ethernet(TYPE_IPV4, ipv4(6, tcp_between(CLIENT_PORT, 53, 116, 0, part(stream, 16, 26)))));
    read_file();
    assert_int_equal(got.count, 0);
    assert_int_equal(got.stats.octets_lost, 36);
}

static void test_vlan_tags_are_skipped(void **state)
{
    (void)state;
    struct bytes tag = {.len = 0}, two_tags = {.len = 0};
    put16(&tag, 5);
    put16(&tag, TYPE_IPV4);
    put16(&two_tags, 6);
    put16(&two_tags, 0x8100);
    two_tags = join(two_tags, tag);
    begin_pcap(LINK_ETHERNET);
    add_packet(ethernet(0x8100, join(tag, udp_query(1, 30))));
    add_packet(ethernet(0x88a8, join(two_tags, udp_query(2, 31))));
    read_file();
    assert_int_equal(got.count, 2);
    assert_message(0, message(1, 30));
    assert_message(1, message(2, 31));
}

static void test_every_link_type_is_read(void **state)
{
    (void)state;
    static const struct {
        size_t link_type, header_len, type_off, type;
    } link[] = {
        {LINK_NULL, 4, 2, 2},     {LINK_LOOP, 4, 2, 2},          {LINK_RAW, 0, 0, 0},           {LINK_IPV4, 0, 0, 0},
        {LINK_PPP, 2, 0, 0x0021}, {LINK_SLL, 16, 14, TYPE_IPV4}, {LINK_SLL2, 20, 0, TYPE_IPV4},
    };
    for (size_t i = 0; i < sizeof link / sizeof link[0]; i++) {
        struct bytes header = {.len = 0};
        if (link[i].header_len > 0) {
            put_fill(&header, 0, link[i].type_off);
            put16(&header, link[i].type);
            put_fill(&header, 0, link[i].header_len - header.len);
        }
        begin_pcap(link[i].link_type);
        add_packet(join(header, udp_query(1, 30)));
        read_file();
        assert_only(message(1, 30));
    }
    begin_pcap(LINK_IPV6);
    add_packet(ipv6(17, udp(CLIENT_PORT, 53, message(1, 30))));
    read_file();
    assert_only(message(1, 30));
}

static void test_packets_of_other_kinds_are_counted(void **state)
{
    (void)state;
    begin_pcap(LINK_ETHERNET);
    add_packet(ethernet(0x0806, message(1, 28)));
    add_packet(ethernet(TYPE_IPV4, ipv4(1, message(1, 28))));
    add_packet(ethernet(TYPE_IPV4, ipv4(17, udp(123, 123, message(1, 28)))));
    read_file();
    assert_int_equal(got.count, 0);
    assert_int_equal(got.stats.packets, 3);
    assert_int_equal(got.stats.packets_other, 3);
}

static void test_ports_are_those_of_the_caller(void **state)
{
    (void)state;
    static const uint16_t ports[] = {5300, 5301};
    begin_pcap(LINK_RAW);
    add_packet(udp_query(1, 30));
    add_packet(ipv4(17, udp(5301, CLIENT_PORT, message(2, 30))));
    write_file();
    read_from(path, ports, 2);
    assert_only(message(2, 30));
    assert_int_equal(got.stats.packets_other, 1);
}

static void test_cut_packet_is_counted_and_skipped(void **state)
{
    (void)state;
    begin_pcap(LINK_RAW);
    add_packet_cut(0, udp_query(1, 200), 96);
    add_packet_cut(0, ipv4(17, udp(123, 123, message(3, 200))), 96);
    add_packet(udp_query(2, 30));
    read_file();
    assert_only(message(2, 30));
    assert_int_equal(got.stats.packets_cut, 1);
    assert_int_equal(got.stats.packets_other, 1);
    assert_int_equal(got.stats.packets_malformed, 0);
}

static void test_packet_shorter_than_its_header_says_is_malformed(void **state)
{
    (void)state;
    begin_pcap(LINK_RAW);
    add_packet(part(udp_query(1, 200), 0, 96));
    add_packet(part(udp_query(1, 200), 0, 10));
    read_file();
    assert_int_equal(got.count, 0);
    assert_int_equal(got.stats.packets_malformed, 2);
    assert_int_equal(got.stats.packets_cut, 0);
}

/* ---- fragments ---- */

static void test_ipv4_fragments_are_joined(void **state)
{
    (void)state;
    struct bytes datagram = udp(53, CLIENT_PORT, message(1, 1500));
    begin_pcap(LINK_RAW);
    add_packet(ipv4_fragment(17, 9, MORE_FRAGMENTS, part(datagram, 0, 800)));
    add_packet(ipv4_fragment(17, 9, 100, part(datagram, 800, 708)));
    read_file();
    assert_only(message(1, 1500));
    assert_int_equal(got.stats.fragments_lost, 0);
}

static void test_ipv4_fragments_out_of_order_are_joined(void **state)
{
    (void)state;
    struct bytes datagram = udp(53, CLIENT_PORT, message(1, 1500));
    struct bytes other = udp(53, CLIENT_PORT, message(2, 92));
    begin_pcap(LINK_RAW);
    add_packet(ipv4_fragment(17, 9, 150, part(datagram, 1200, 308)));
    add_packet(ipv4_fragment(17, 8, MORE_FRAGMENTS, part(other, 0, 40)));
    add_packet(ipv4_fragment(17, 9, MORE_FRAGMENTS, part(datagram, 0, 800)));
    add_packet(ipv4_fragment(17, 9, MORE_FRAGMENTS | 100, part(datagram, 800, 400)));
    add_packet(ipv4_fragment(17, 8, 5, part(other, 40, 60)));
    read_file();
    assert_int_equal(got.count, 2);
    assert_message(0, message(1, 1500));
    assert_message(1, message(2, 92));
}

static void test_fragment_that_comes_twice_is_ignored(void **state)
{
    (void)state;
    struct bytes datagram = udp(53, CLIENT_PORT, message(1, 92));
    begin_pcap(LINK_RAW);
    add_packet(ipv4_fragment(17, 9, MORE_FRAGMENTS, part(datagram, 0, 40)));
    add_packet(ipv4_fragment(17, 9, MORE_FRAGMENTS, part(datagram, 0, 40)));
    add_packet(ipv4_fragment(17, 9, 5, part(datagram, 40, 60)));
    read_file();
    assert_only(message(1, 92));
}

static void test_datagram_with_overlapping_fragments_is_dropped(void **state)
{
    (void)state;
    struct bytes datagram = udp(53, CLIENT_PORT, message(1, 92));
    begin_pcap(LINK_RAW);
    add_packet(ipv4_fragment(17, 9, MORE_FRAGMENTS, part(datagram, 0, 40)));
    add_packet(ipv4_fragment(17, 9, 4, part(datagram, 32, 68)));
    read_file();
    assert_int_equal(got.count, 0);
    assert_int_equal(got.stats.fragments_lost, 2);
}

static void test_cut_fragment_is_not_joined(void **state)
{
    (void)state;
    struct bytes datagram = udp(53, CLIENT_PORT, message(1, 92));
    begin_pcap(LINK_RAW);
    add_packet(ipv4_fragment(17, 9, MORE_FRAGMENTS, part(datagram, 0, 40)));
    add_packet_cut(1000, ipv4_fragment(17, 9, 5, part(datagram, 40, 60)), 60);
    read_file();
    assert_int_equal(got.count, 0);
    assert_int_equal(got.stats.packets_cut, 1);
    assert_int_equal(got.stats.fragments_lost, 1);
}

static void test_fragments_that_wait_too_long_are_dropped(void **state)
{
    (void)state;
    struct bytes datagram = udp(53, CLIENT_PORT, message(1, 92));
    struct bytes first = ipv4_fragment(17, 9, MORE_FRAGMENTS, part(datagram, 0, 40));
    struct bytes last = ipv4_fragment(17, 9, 5, part(datagram, 40, 60));
    begin_pcap(LINK_RAW);
    add_packet_cut(1000, first, first.len);
    add_packet_cut(1061, last, last.len);
    read_file();
    assert_int_equal(got.count, 0);
    assert_int_equal(got.stats.fragments_lost, 2);
}

static void test_oldest_of_too_many_pending_datagrams_is_dropped(void **state)
{
    (void)state;
    struct bytes datagram = udp(53, CLIENT_PORT, message(1, 92));
    begin_pcap(LINK_RAW);
    for (size_t id = 0; id < 65; id++)
        add_packet(ipv4_fragment(17, id, MORE_FRAGMENTS, part(datagram, 0, 40)));
    add_packet(ipv4_fragment(17, 64, 5, part(datagram, 40, 60)));
    add_packet(ipv4_fragment(17, 1, 5, part(datagram, 40, 60)));
    add_packet(ipv4_fragment(17, 0, 5, part(datagram, 40, 60)));
    read_file();
    assert_int_equal(got.count, 2);
    assert_int_equal(got.stats.fragments_lost, 64);
}

static void test_ipv6_fragments_are_joined(void **state)
{
    (void)state;
    struct bytes datagram = udp(53, CLIENT_PORT, message(1, 1500));
    begin_pcap(LINK_RAW);
    add_packet(ipv6_fragment(17, 7, 800, part(datagram, 800, 708)));
    add_packet(ipv6_fragment(17, 7, 0 | 1, part(datagram, 0, 800)));
    add_packet(ipv6_fragment(17, 8, 0, udp(53, CLIENT_PORT, message(2, 50))));
    read_file();
    assert_int_equal(got.count, 2);
    assert_message(0, message(1, 1500));
    assert_message(1, message(2, 50));
}

static void test_ipv6_extension_headers_are_skipped(void **state)
{
    (void)state;
    struct bytes chain = {.len = 0};
    put(&chain, (uint8_t[]){43, 0, 1, 4, 0, 0, 0, 0}, 8); /* hop-by-hop */
    put(&chain, (uint8_t[]){60, 0, 4, 0, 0, 0, 0, 0}, 8); /* routing */
    put(&chain, (uint8_t[]){17, 1, 1, 12}, 4);            /* destination, 16 octets */
    put_fill(&chain, 0, 12);
    begin_pcap(LINK_RAW);
    add_packet(ipv6(0, join(chain, udp(CLIENT_PORT, 53, message(1, 30)))));
    read_file();
    assert_only(message(1, 30));
}

static void test_extension_header_within_fragments_is_skipped(void **state)
{
    (void)state;
    struct bytes datagram = {.len = 0};
    put(&datagram, (uint8_t[]){17, 0, 1, 4, 0, 0, 0, 0}, 8);
    datagram = join(datagram, udp(53, CLIENT_PORT, message(1, 92)));
    begin_pcap(LINK_RAW);
    add_packet(ipv6_fragment(60, 7, 0 | 1, part(datagram, 0, 48)));
    add_packet(ipv6_fragment(60, 7, 48, part(datagram, 48, 60)));
    read_file();
    assert_only(message(1, 92));
}

/* ---- segments ---- */

static void test_tcp_message_split_over_segments_is_joined(void **state)
{
    (void)state;
    struct bytes stream = framed(message(1, 300));
    begin_pcap(LINK_RAW);
    add_segment(99, SYN, part(stream, 0, 0));
    add_segment(100, 0, part(stream, 0, 1));
    add_segment(101, 0, part(stream, 1, 100));
    add_segment(201, 0, part(stream, 101, 201));
    read_file();
    assert_only(message(1, 300));
    assert_int_equal(got.message[0].transport, CAPTURE_TCP);
    assert_int_equal(got.message[0].src.port, CLIENT_PORT);
    assert_int_equal(got.stats.octets_lost, 0);
}

static void test_tcp_messages_in_one_segment_are_parted(void **state)
{
    (void)state;
    struct bytes stream = join(framed(message(1, 30)), join(framed(message(2, 31)), framed(message(3, 32))));
    begin_pcap(LINK_RAW);
    add_segment(100, 0, part(stream, 0, 80));
    add_segment(180, 0, part(stream, 80, stream.len - 80));
    read_file();
    assert_int_equal(got.count, 3);
    assert_message(0, message(1, 30));
    assert_message(1, message(2, 31));
    assert_message(2, message(3, 32));
}

static void test_tcp_segments_out_of_order_are_joined(void **state)
{
    (void)state;
    struct bytes stream = framed(message(1, 300));
    begin_pcap(LINK_RAW);
    add_segment(99, SYN, part(stream, 0, 0));
    add_segment(300, 0, part(stream, 200, 102));
    add_segment(200, 0, part(stream, 100, 100));
    add_segment(100, 0, part(stream, 0, 100));
    read_file();
    assert_only(message(1, 300));
}

static void test_tcp_retransmission_is_ignored(void **state)
{
    (void)state;
    struct bytes stream = join(framed(message(1, 98)), framed(message(2, 98)));
    begin_pcap(LINK_RAW);
    add_segment(99, SYN, part(stream, 0, 0));
    add_segment(100, 0, part(stream, 0, 120));
    add_segment(99, SYN, part(stream, 0, 0));
    add_segment(100, 0, part(stream, 0, 120));
    add_segment(150, 0, part(stream, 50, 150)); /* old octets and new ones */
    add_segment(100, 0, part(stream, 0, 200));
    read_file();
    assert_int_equal(got.count, 2);
    assert_message(0, message(1, 98));
    assert_message(1, message(2, 98));
    assert_int_equal(got.stats.octets_lost, 0);
}

static void test_tcp_sequence_numbers_wrap(void **state)
{
    (void)state;
    struct bytes stream = framed(message(1, 300));
    begin_pcap(LINK_RAW);
    add_segment(0xffffff9b, SYN, part(stream, 0, 0));
    add_segment(100, 0, part(stream, 200, 102));
    add_segment(0xffffff9c, 0, part(stream, 0, 200));
    read_file();
    assert_only(message(1, 300));
}

static void test_tcp_directions_are_kept_apart(void **state)
{
    (void)state;
    struct bytes query = framed(message(1, 98)), response = framed(message(2, 198));
    begin_pcap(LINK_RAW);
    add_packet(ipv6(6, tcp_between(CLIENT_PORT, 53, 100, 0, part(query, 0, 50))));
    add_packet(ipv6(6, tcp_between(53, CLIENT_PORT, 100, 0, part(response, 0, 50))));
    add_packet(ipv6(6, tcp_between(CLIENT_PORT, 53, 150, 0, part(query, 50, 50))));
    add_packet(ipv6(6, tcp_between(53, CLIENT_PORT, 150, 0, part(response, 50, 150))));
    read_file();
    assert_int_equal(got.count, 2);
    assert_message(0, message(1, 98));
    assert_message(1, message(2, 198));
}

static void test_new_connection_between_the_same_ports_starts_anew(void **state)
{
    (void)state;
    struct bytes first = framed(message(1, 98)), second = framed(message(2, 98));
    begin_pcap(LINK_RAW);
    add_segment(99, SYN, part(first, 0, 0));
    add_segment(100, 0, part(first, 0, 60));
    add_segment(49, SYN, part(second, 0, 0));
    add_segment(50, 0, second);
    read_file();
    assert_only(message(2, 98));
    assert_int_equal(got.stats.octets_lost, 60);
}

static void test_octets_behind_a_tcp_gap_are_lost(void **state)
{
    (void)state;
    enum { SEGMENT_LEN = 4000, SEGMENT_COUNT = 80 }; /* more than is held of a stream */
    struct bytes stream = framed(message(1, 98)), fill = {.len = 0};
    put_fill(&fill, 0, SEGMENT_LEN);
    begin_pcap(LINK_RAW);
    add_segment(100, 0, stream);
    for (size_t i = 0; i < SEGMENT_COUNT; i++)
        add_segment(300 + i * SEGMENT_LEN, 0, fill);
    read_file();
    assert_only(message(1, 98));
    assert_int_equal(got.stats.octets_lost, SEGMENT_LEN * SEGMENT_COUNT);
}

static void test_oldest_of_too_many_connections_is_dropped(void **state)
{
    (void)state;
    struct bytes stream = framed(message(1, 98));
    begin_pcap(LINK_RAW);
    for (size_t port = 0; port < 513; port++)
        add_packet(ipv4(6, tcp_between(1000 + port, 53, 100, 0, part(stream, 0, 50))));
    add_packet(ipv4(6, tcp_between(1512, 53, 150, 0, part(stream, 50, 50))));
    add_packet(ipv4(6, tcp_between(1001, 53, 150, 0, part(stream, 50, 50))));
    read_file();
    assert_int_equal(got.count, 2);
    assert_int_equal(got.stats.octets_lost, 511 * 50);
}

static void test_cut_tcp_segment_leaves_a_gap_that_a_retransmission_fills(void **state)
{
    (void)state;
    struct bytes stream = framed(message(1, 298));
    begin_pcap(LINK_RAW);
    add_packet_cut(0, ipv4(6, tcp_between(CLIENT_PORT, 53, 100, 0, part(stream, 0, 200))), 96);
    add_segment(300, 0, part(stream, 200, 100));
    add_segment(100, 0, part(stream, 0, 200));
    read_file();
    assert_only(message(1, 298));
    assert_int_equal(got.stats.packets_cut, 1);
}

/* ---- files ---- */

static void test_cut_pcap_gives_what_stands_before_the_cut(void **state)
{
    (void)state;
    begin_pcap(LINK_RAW);
    add_packet(udp_query(1, 30));
    add_packet(udp_query(2, 30));
    file_len -= 5;
    read_file();
    assert_int_equal(got.count, 1);
    assert_message(0, message(1, 30));
    assert_int_equal(got.end, -1);
    assert_non_null(strstr(got.error, "truncated"));
}

static void add_block(size_t type, struct bytes content)
{
    struct bytes block = {.len = 0};
    put_fill(&content, 0, (4 - content.len % 4) % 4);
    put32(&block, type);
    put32(&block, content.len + 12);
    block = join(block, content);
    put32(&block, content.len + 12);
    add(block);
}

static void add_interface(size_t link_type)
{
    struct bytes content = {.len = 0};
    put16(&content, link_type);
    put16(&content, 0);
    put32(&content, 262144);
    add_block(1, content);
}

static void add_pcapng_packet(size_t interface, struct bytes packet)
{
    struct bytes content = {.len = 0};
    put32(&content, interface);
    put32(&content, 0);
    put32(&content, 123);
    put32(&content, packet.len);
    put32(&content, packet.len);
    add_block(6, join(content, packet));
}

static void begin_pcapng(void)
{
    struct bytes section = {.len = 0};
    put32(&section, 0x1a2b3c4d);
    put32(&section, 0x00010000);
    put_fill(&section, 0xff, 8);
    begin();
    add_block(0x0a0d0d0a, section);
}

static void test_pcapng_is_read(void **state)
{
    (void)state;
    begin_pcapng();
    add_interface(LINK_ETHERNET);
    add_interface(LINK_ETHERNET);
    add_pcapng_packet(1, ethernet(TYPE_IPV4, udp_query(1, 30)));
    read_file();
    assert_only(message(1, 30));
    assert_int_equal(got.message[0].time_us, 123);
}

static void test_pcapng_of_two_link_types_gives_what_stands_before_the_second(void **state)
{
    (void)state;
    begin_pcapng();
    add_interface(LINK_RAW);
    add_pcapng_packet(0, udp_query(1, 30));
    add_interface(LINK_ETHERNET);
    add_pcapng_packet(1, ethernet(TYPE_IPV4, udp_query(2, 30)));
    read_file();
    assert_int_equal(got.count, 1);
    assert_message(0, message(1, 30));
    assert_int_equal(got.end, -1);
    assert_non_null(strstr(got.error, "interface"));
    assert_null(strchr(got.error, '\n'));
}

static void test_unknown_link_type_is_refused(void **state)
{
    (void)state;
    begin_pcap(LINK_USB);
    read_file();
    assert_refused("link type");
}

static void test_framed_stream_is_read(void **state)
{
    (void)state;
    begin();
    add(framed(message(1, 40)));
    add(framed(message(2, 5))); /* no whole header: not for this layer to judge */
    add(framed(message(3, 41)));
    read_file();
    assert_int_equal(got.count, 3);
    assert_message(0, message(1, 40));
    assert_message(2, message(3, 41));
    assert_int_equal(got.message[0].transport, CAPTURE_NO_TRANSPORT);
    assert_int_equal(got.stats.octets_lost, 0);
}

static void test_cut_framed_stream_gives_the_whole_messages(void **state)
{
    (void)state;
    begin();
    add(framed(message(1, 40)));
    add(part(framed(message(2, 40)), 0, 30));
    read_file();
    assert_only(message(1, 40));
    assert_int_equal(got.stats.octets_lost, 30);
}

static void test_single_raw_message_is_read(void **state)
{
    (void)state;
    begin();
    add(message(0x1234, 40));
    read_file();
    assert_only(message(0x1234, 40));
}

static void test_raw_message_with_a_small_id_is_no_cut_stream(void **state)
{
    (void)state;
    begin();
    add(message(20, 40));
    read_file();
    assert_only(message(20, 40));
}

static void test_standard_input_may_be_a_pipe(void **state)
{
    (void)state;
    int fd[2];
    begin_pcap(LINK_RAW);
    add_packet(udp_query(1, 30));
    assert_int_equal(pipe(fd), 0);
    assert_int_equal(write(fd[1], file, file_len), (ssize_t)file_len);
    close(fd[1]);
    assert_int_equal(dup2(fd[0], STDIN_FILENO), STDIN_FILENO);
    close(fd[0]);
    read_from("-", NULL, 0);
    assert_only(message(1, 30));
}

static void test_progress_reaches_the_size_of_the_file(void **state)
{
    (void)state;
    char error[300];
    uint64_t read_len, whole_len;
    struct capture_message m;
    begin_pcap(LINK_RAW);
    add_packet(udp_query(1, 30));
    write_file();
    struct capture *c = capture_open(path, NULL, 0, error, sizeof error);
    assert_non_null(c);
    while (capture_next(c, &m) == 1)
        continue;
    capture_progress(c, &read_len, &whole_len);
    assert_int_equal(read_len, file_len);
    assert_int_equal(whole_len, file_len);
    capture_close(c);
}

static void test_what_is_no_capture_is_refused(void **state)
{
    (void)state;
    begin();
    read_file();
    assert_refused("empty");

    add(part(message(0x1234, 12), 0, 11));
    read_file();
    assert_refused("neither");

    struct bytes text = {.len = 0}, zeros = {.len = 0};
    put_fill(&text, 'a', 5000);
    put_fill(&zeros, 0, 5000);
    begin();
    for (size_t i = 0; i < 20; i++)
        add(text);
    read_file();
    assert_refused("neither");

    begin();
    for (size_t i = 0; i < 20; i++)
        add(zeros);
    read_file();
    assert_refused("neither");

    begin();
    memcpy(zeros.at, "\x1f\x8b\x08", 3);
    add(zeros);
    read_file();
    assert_refused("compressed");

    begin_pcap(LINK_RAW);
    file_len = 10;
    read_file();
    assert_refused("truncated");

    read_from("/nonexistent/file", NULL, 0);
    assert_refused("No such file");
    read_from("/", NULL, 0);
    assert_refused("directory");
}

static int make_path(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_udp_message_comes_with_time_and_addresses),
        cmocka_unit_test(test_link_padding_is_no_part_of_the_message),
        cmocka_unit_test(test_ip_padding_is_no_part_of_the_message),
        cmocka_unit_test(test_link_padding_is_no_part_of_a_tcp_stream),
        cmocka_unit_test(test_vlan_tags_are_skipped),
        cmocka_unit_test(test_every_link_type_is_read),
        cmocka_unit_test(test_packets_of_other_kinds_are_counted),
        cmocka_unit_test(test_ports_are_those_of_the_caller),
        cmocka_unit_test(test_cut_packet_is_counted_and_skipped),
        cmocka_unit_test(test_packet_shorter_than_its_header_says_is_malformed),
        cmocka_unit_test(test_ipv4_fragments_are_joined),
        cmocka_unit_test(test_ipv4_fragments_out_of_order_are_joined),
        cmocka_unit_test(test_fragment_that_comes_twice_is_ignored),
        cmocka_unit_test(test_datagram_with_overlapping_fragments_is_dropped),
        cmocka_unit_test(test_cut_fragment_is_not_joined),
        cmocka_unit_test(test_fragments_that_wait_too_long_are_dropped),
        cmocka_unit_test(test_oldest_of_too_many_pending_datagrams_is_dropped),
        cmocka_unit_test(test_ipv6_fragments_are_joined),
        cmocka_unit_test(test_ipv6_extension_headers_are_skipped),
        cmocka_unit_test(test_extension_header_within_fragments_is_skipped),
        cmocka_unit_test(test_tcp_message_split_over_segments_is_joined),
        cmocka_unit_test(test_tcp_messages_in_one_segment_are_parted),
        cmocka_unit_test(test_tcp_segments_out_of_order_are_joined),
        cmocka_unit_test(test_tcp_retransmission_is_ignored),
        cmocka_unit_test(test_tcp_sequence_numbers_wrap),
        cmocka_unit_test(test_tcp_directions_are_kept_apart),
        cmocka_unit_test(test_new_connection_between_the_same_ports_starts_anew),
        cmocka_unit_test(test_octets_behind_a_tcp_gap_are_lost),
        cmocka_unit_test(test_oldest_of_too_many_connections_is_dropped),
        cmocka_unit_test(test_cut_tcp_segment_leaves_a_gap_that_a_retransmission_fills),
        cmocka_unit_test(test_cut_pcap_gives_what_stands_before_the_cut),
        cmocka_unit_test(test_pcapng_is_read),
        cmocka_unit_test(test_pcapng_of_two_link_types_gives_what_stands_before_the_second),
        cmocka_unit_test(test_unknown_link_type_is_refused),
        cmocka_unit_test(test_framed_stream_is_read),
        cmocka_unit_test(test_cut_framed_stream_gives_the_whole_messages),
        cmocka_unit_test(test_single_raw_message_is_read),
        cmocka_unit_test(test_raw_message_with_a_small_id_is_no_cut_stream),
        cmocka_unit_test(test_standard_input_may_be_a_pipe),
        cmocka_unit_test(test_progress_reaches_the_size_of_the_file),
        cmocka_unit_test(test_what_is_no_capture_is_refused),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
