/*
 * mix.c - the paper's mix: 56 % A, 25 % AAAA, 19 % TXT; 1..4 records; TXT RDATA of 64..224 octets; names of 12..40 octets, mean 22.3.
 */
#include "mix.h"

#include <string.h>

/*
 * Octets of a name, 12..40: the weight rises over 12, 13, 14 and falls by one for each octet from 26 at 15 to 1 at 40.
 * Sum of weights 391, sum of weight x octets 8719: mean 22.299.
 */
static const uint8_t name_len_weight[MIX_NAME_MAX - MIX_NAME_MIN + 1] = {9,  13, 18, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15,
                                                                         14, 13, 12, 11, 10, 9,  8,  7,  6,  5,  4,  3,  2,  1};
enum { NAME_LEN_WEIGHT_SUM = 391 };

/*
 * Top-level labels by the approximate number of registered domains, in units of 100,000, rounded: the order of size that
 * the public quarterly registry reports gave in 2023 and 2024. com is 46 % of this list. Long tail left out.
 */
static const struct {
    char label[8];
    uint16_t weight;
} tlds[] = {
    {"com", 1570},  {"cn", 200},   {"de", 177},  {"net", 130}, {"org", 110}, {"uk", 107}, {"nl", 63},  {"ru", 55},   {"br", 53},
    {"au", 42},     {"fr", 42},    {"info", 38}, {"xyz", 37},  {"eu", 37},   {"in", 36},  {"it", 35},  {"shop", 34}, {"ca", 34},
    {"online", 33}, {"co", 32},    {"top", 30},  {"ch", 26},   {"pl", 25},   {"us", 20},  {"es", 20},  {"site", 18}, {"jp", 18},
    {"be", 17},     {"store", 16}, {"pt", 15},   {"cz", 15},   {"ir", 15},   {"at", 15},  {"se", 14},  {"biz", 13},  {"dk", 13},
    {"za", 13},     {"mx", 12},    {"vip", 12},  {"kr", 11},   {"tr", 11},   {"me", 11},  {"io", 10},  {"cc", 10},   {"id", 9},
    {"no", 8},      {"hu", 8},     {"club", 8},  {"app", 8},   {"tw", 8},    {"nz", 7},   {"ar", 7},   {"cl", 7},    {"dev", 6},
    {"fi", 6},      {"tv", 6},     {"live", 6},  {"vn", 6},    {"ua", 6},    {"ro", 6},   {"tech", 5}, {"gr", 5},    {"pro", 5},
    {"fun", 4},     {"sk", 4},     {"space", 4}, {"ai", 4},    {"cloud", 4}, {"ie", 3},   {"life", 3}, {"world", 3}, {"mobi", 3},
    {"link", 2},    {"asia", 2},   {"blog", 2},  {"edu", 1},   {"gov", 1},
};
enum { TLD_COUNT = sizeof tlds / sizeof tlds[0] };

enum { TYPE_A = 1, TYPE_TXT = 16, TYPE_AAAA = 28, TTL_MIN_S = 60, TTL_MAX_S = 86400 };

/* PCG-XSH-RR 64/32 (O'Neill 2014), fixed stream. */
static uint32_t random_next(struct mix *mix)
{
    uint64_t state = mix->state;
    mix->state = state * 6364136223846793005u + 1442695040888963407u;
    uint32_t mixed = (uint32_t)(((state >> 18) ^ state) >> 27);
    unsigned turn = (unsigned)(state >> 59);
    return mixed >> turn | mixed << ((32u - turn) & 31u);
}

/* low..high, both included; the bias of a 32-bit product is below 2^-15 for the ranges here. */
static size_t random_range(struct mix *mix, size_t low, size_t high)
{
    return low + (size_t)(((uint64_t)random_next(mix) * (high - low + 1)) >> 32);
}

static size_t store16(uint8_t *dst, size_t off, size_t value)
{
    dst[off] = (uint8_t)(value >> 8);
    dst[off + 1] = (uint8_t)value;
    return off + 2;
}

void mix_init(struct mix *mix, uint64_t seed, bool txt_per_entry, bool edns)
{
    *mix = (struct mix){.state = seed + 1442695040888963407u, .txt_per_entry = txt_per_entry, .edns = edns};
    (void)random_next(mix);
}

static size_t name_len_draw(struct mix *mix)
{
    size_t left = random_range(mix, 0, NAME_LEN_WEIGHT_SUM - 1);
    size_t at = 0;
    for (; left >= name_len_weight[at]; at++)
        left -= name_len_weight[at];
    return MIX_NAME_MIN + at;
}

static const char *tld_draw(struct mix *mix)
{
    size_t sum = 0;
    for (size_t at = 0; at < TLD_COUNT; at++)
        sum += tlds[at].weight;
    size_t left = random_range(mix, 0, sum - 1);
    size_t at = 0;
    for (; left >= tlds[at].weight; at++)
        left -= tlds[at].weight;
    return tlds[at].label;
}

/* A label of len characters: letters, some digits, rarely a hyphen inside. */
static size_t label_write(struct mix *mix, uint8_t *dst, size_t off, size_t len)
{
    static const char characters[] = "aabcddeeeefghiiijklmnnooopqrrssttuuvwxyz0123456789-";
    dst[off] = (uint8_t)len;
    for (size_t at = 1; at <= len; at++) {
        size_t last = sizeof characters - 2 - (at == 1 || at == len ? 1u : 0u); /* no hyphen at either end */
        dst[off + at] = (uint8_t)characters[random_range(mix, 0, last)];
    }
    return off + 1 + len;
}

/* A name of exactly as many octets as drawn: 1 to 3 labels under a top-level label. */
static size_t name_write(struct mix *mix, uint8_t *dst, size_t off)
{
    size_t name_len = name_len_draw(mix);
    const char *tld = tld_draw(mix);
    size_t tld_len = strlen(tld);
    size_t left = name_len - 1 - (tld_len + 1);
    size_t roll = random_range(mix, 0, 99);
    size_t label_count = roll < 35 ? 1 : roll < 85 ? 2 : 3;
    for (; label_count > 1 && left >= 8; label_count--) {
        size_t host_max = left - 4 > 15 ? 15 : left - 4; /* a domain of 3 characters stays */
        size_t host_len = roll % 3 == 0 && host_max >= 3 ? 3 : random_range(mix, 2, host_max - 1);
        off = label_write(mix, dst, off, host_len);
        left -= host_len + 1;
    }
    off = label_write(mix, dst, off, left - 1);
    dst[off] = (uint8_t)tld_len;
    memcpy(dst + off + 1, tld, tld_len);
    off += 1 + tld_len;
    dst[off] = 0;
    return off + 1;
}

/* TXT RDATA of exactly len octets in one string. */
static size_t txt_write(struct mix *mix, uint8_t *dst, size_t off, size_t len)
{
    dst[off] = (uint8_t)(len - 1);
    for (size_t at = 1; at < len; at++)
        dst[off + at] = (uint8_t)random_range(mix, 0x20, 0x7e);
    return off + len;
}

static size_t rdata_len_draw(struct mix *mix, unsigned type, size_t records_left, size_t *txt_left)
{
    if (type != TYPE_TXT)
        return type == TYPE_A ? 4 : 16;
    if (!mix->txt_per_entry)
        return random_range(mix, MIX_TXT_MIN, MIX_TXT_MAX);
    size_t len = records_left == 1 ? *txt_left : *txt_left / records_left; /* even shares */
    *txt_left -= len;
    return len;
}

static size_t record_write(struct mix *mix, uint8_t *dst, size_t off, unsigned type, size_t ttl_s, size_t rdata_len)
{
    off = store16(dst, off, 0xc00c);
    off = store16(dst, off, type);
    off = store16(dst, off, 1);
    off = store16(dst, off, ttl_s >> 16);
    off = store16(dst, off, ttl_s & 0xffff);
    off = store16(dst, off, rdata_len);
    if (type == TYPE_TXT)
        return txt_write(mix, dst, off, rdata_len);
    for (size_t at = 0; at < rdata_len; at++)
        dst[off + at] = (uint8_t)random_next(mix);
    return off + rdata_len;
}

size_t mix_query(const uint8_t *response, size_t question_len, bool edns, uint8_t *query)
{
    static const uint8_t counts[10] = {0x01, 0x00, 0, 1, 0, 0, 0, 0, 0, 0};
    static const uint8_t opt[11] = {0, 0, 41, 0x04, 0xd0, 0, 0, 0, 0, 0, 0}; /* 1232 octets */
    memcpy(query, response, 2);
    memcpy(query + 2, counts, sizeof counts);
    memcpy(query + 12, response + 12, question_len);
    size_t len = 12 + question_len;
    if (!edns)
        return len;
    query[11] = 1;
    memcpy(query + len, opt, sizeof opt);
    return len + sizeof opt;
}

void mix_next(struct mix *mix, struct mix_message *message)
{
    size_t roll = random_range(mix, 0, 99);
    unsigned type = roll < 56 ? TYPE_A : roll < 81 ? TYPE_AAAA : TYPE_TXT;
    size_t record_count = random_range(mix, 1, MIX_RECORDS_MAX);
    size_t ttl_s = random_range(mix, TTL_MIN_S, TTL_MAX_S);
    size_t txt_left = random_range(mix, MIX_TXT_MIN, MIX_TXT_MAX);
    uint8_t *dst = message->response;
    size_t off = store16(dst, 0, random_next(mix) & 0xffff);
    off = store16(dst, off, 0x8180); /* QR RD RA, NOERROR */
    off = store16(dst, off, 1);
    off = store16(dst, off, record_count);
    off = store16(dst, off, 0);
    off = store16(dst, off, 0);
    off = name_write(mix, dst, off);
    message->name_len = off - 12;
    message->floor_octets = message->name_len + 2 + 4;
    off = store16(dst, off, type);
    off = store16(dst, off, 1);
    message->query_len = mix_query(dst, off - 12, mix->edns, message->query);
    for (size_t left = record_count; left > 0; left--) {
        size_t rdata_len = rdata_len_draw(mix, type, left, &txt_left);
        message->floor_octets += rdata_len;
        off = record_write(mix, dst, off, type, ttl_s, rdata_len);
    }
    message->response_len = off;
}
