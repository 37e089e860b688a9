/* expanded: an entry as an uncompressed wire message again, through the reading half of the public interface alone. */
#ifndef DNSPACK_TESTS_EXPANDED_H
#define DNSPACK_TESTS_EXPANDED_H

#include <string.h>

#include "dnspack.h"

struct expanded {
    uint8_t octets[DNSPACK_MESSAGE_MAX];
    size_t len;
    struct dnspack_record records[DNSPACK_RECORDS_MAX];
    size_t record_count;
    uint16_t options_off; /* the OPT's RDATA; 0: the entry has no errors, so there is no OPT */
    uint16_t options_len;
    bool is_full; /* it takes more than a message holds: len and records are of the part that fits */
};

static inline void expanded_put(struct expanded *e, const uint8_t *src, size_t src_len)
{
    e->is_full = e->is_full || src_len > sizeof e->octets - e->len;
    if (!e->is_full) {
        memcpy(e->octets + e->len, src, src_len);
        e->len += src_len;
    }
}

static inline void expanded_put_be(struct expanded *e, uint32_t value, size_t octets)
{
    const uint8_t be[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value};
    expanded_put(e, be + 4 - octets, octets);
}

static inline void expanded_count(struct expanded *e, size_t count_off)
{
    unsigned count = e->octets[count_off] * 256u + e->octets[count_off + 1] + 1u;
    e->octets[count_off] = (uint8_t)(count >> 8);
    e->octets[count_off + 1] = (uint8_t)count;
}

/* Header and question of the entry. */
static inline void expanded_start(struct expanded *e, const uint8_t *entry, size_t entry_len, uint32_t flags)
{
    const struct dnspack_entry head = dnspack_entry_decode(entry, entry_len);
    uint8_t name[DNSPACK_NAME_MAX];
    e->len = e->record_count = e->options_off = e->options_len = 0;
    e->is_full = false;
    expanded_put_be(e, 0x1234, 2);
    expanded_put_be(e, flags, 2);
    expanded_put_be(e, 1, 2);
    expanded_put(e, (const uint8_t[6]){0}, 6);
    expanded_put(e, name, dnspack_entry_name(entry, entry_len, head.qname_off, name));
    expanded_put_be(e, head.qtype, 2);
    expanded_put_be(e, head.qclass, 2);
}

static inline void expanded_add(struct expanded *e, const uint8_t *entry, size_t entry_len, uint16_t rclass,
                                const struct dnspack_item *item)
{
    struct dnspack_record record = {item->ttl_s, item->type, rclass, (uint16_t)e->len, 0, item->rdata_len, item->section};
    uint8_t name[DNSPACK_NAME_MAX];
    expanded_put(e, name, dnspack_entry_name(entry, entry_len, item->owner_off, name));
    expanded_put_be(e, item->type, 2);
    expanded_put_be(e, rclass, 2);
    expanded_put_be(e, item->ttl_s, 4);
    expanded_put_be(e, item->rdata_len, 2);
    record.rdata_off = (uint16_t)e->len;
    expanded_put(e, entry + item->rdata_off, item->rdata_len);
    if (!e->is_full) {
        e->records[e->record_count++] = record;
        expanded_count(e, 6 + 2 * (size_t)item->section);
    }
}

/* An OPT with the entry's extended errors (spec/entry-format.md: each a var length, then what goes into the option). */
static inline void expanded_add_errors(struct expanded *e, const uint8_t *entry, const struct dnspack_entry *head)
{
    const uint8_t *at = entry + head->errors_off;
    expanded_put(e, (const uint8_t[11]){0, 0, 41, 4, 208}, 11);
    e->options_off = (uint16_t)e->len;
    for (unsigned i = 0; i < head->error_count; i++) {
        uint16_t len = at[0] < 255 ? at[0] : (uint16_t)(at[1] * 256u + at[2]);
        at += at[0] < 255 ? 1 : 3;
        expanded_put_be(e, 15, 2); /* RFC 8914 2 */
        expanded_put_be(e, len, 2);
        expanded_put(e, at, len);
        at += len;
    }
    e->options_len = (uint16_t)(e->len - e->options_off);
    e->octets[e->options_off - 2u] = (uint8_t)(e->options_len >> 8);
    e->octets[e->options_off - 1u] = (uint8_t)e->options_len;
    expanded_count(e, 10);
}

/* The response that a valid entry holds. False: it is longer than a message can be. */
static inline bool expand_entry(const uint8_t *entry, size_t entry_len, struct expanded *e)
{
    const struct dnspack_entry head = dnspack_entry_decode(entry, entry_len);
    struct dnspack_cursor cursor = {0};
    struct dnspack_item item;
    expanded_start(e, entry, entry_len, DNSPACK_FLAG_QR + head.rcode);
    while (!e->is_full && dnspack_entry_next(entry, &head, &cursor, &item)) {
        expanded_add(e, entry, entry_len, head.qclass, &item);
    }
    if (head.error_count > 0) {
        expanded_add_errors(e, entry, &head);
    }
    return !e->is_full;
}

/* The query that a valid entry answers, with OPT and perhaps DO. */
static inline void expand_query(const uint8_t *entry, size_t entry_len, bool dnssec_ok, struct expanded *e)
{
    const struct dnspack_entry head = dnspack_entry_decode(entry, entry_len);
    expanded_start(e, entry, entry_len, DNSPACK_FLAG_RD + (head.unchecked ? DNSPACK_FLAG_CD : 0));
    expanded_put(e, (const uint8_t[11]){0, 0, 41, 4, 208, 0, 0, dnssec_ok ? 0x80 : 0}, 11);
    expanded_count(e, 10);
}

#endif
