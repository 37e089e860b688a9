/* entry.h - entries (spec/entry-format.md): check, read, step through. */
#ifndef DNSPACK_ENTRY_H
#define DNSPACK_ENTRY_H

#include "message.h"

#ifdef __FRAMAC__
#include "../spec/entry.acsl"
#endif

/* The fixed part (spec/entry-format.md, figure 1). */
enum { ENTRY_LEN_OFF = 0, ENTRY_STORED_OFF = 2, ENTRY_TTL_OFF = 6, ENTRY_FLAGS_OFF = 9, ENTRY_FIXED_LEN = 10 };

/* The ext octet, in which a bit says that a field is there; UNCHECKED has no field. */
enum { EXT_CLASS = 1, EXT_SECTIONS = 2, EXT_TAG = 4, EXT_ERRORS = 8, EXT_UNCHECKED = 16, EXT_MAX = 31 };

/* Whose name a group's records have: ctl / 64. */
enum { OWNER_QNAME = 0, OWNER_SAME = 1, OWNER_REFERENCE = 2, OWNER_EXPLICIT = 3 };

enum { GROUP_COUNT_MAX = 16 };

/* The octets that stand for a last label and the root: 48 of them, by label length. */
enum { SUFFIX_FIRST = 128, SUFFIX_LEN3_FIRST = 160, SUFFIX_LEN4_FIRST = 170, SUFFIX_END = 176 };

/* A number in one octet (0..254) or three; end 0: malformed or beyond the end given. */
struct var {
    size_t end;
    uint16_t value;
};

/*@ requires in_bounds: 0 <= off <= end <= DNSPACK_ENTRY_MAX && \valid_read(src + (0 .. end - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures read: \result.end > 0 ==> \result.end == var_end(src, off) && off < \result.end <= end && \result.value == var_value(src, off);
    ensures refused: \result.end == 0 ==> !(0 <= var_end(src, off) <= end); */
struct var dnspack_var_read(const uint8_t *src, size_t off, size_t end);

/* Octets that a suffix code's label and root take, and its label as a big-endian number. */
/*@ terminates \true;
    exits   \false;
    assigns \nothing;
    ensures meaning: \result == suffix_len(code); */
size_t dnspack_suffix_len(uint8_t code);

/*@ requires known: SUFFIX_FIRST <= code < SUFFIX_END;
    terminates \true;
    exits   \false;
    assigns \nothing; */
uint32_t dnspack_suffix_label(uint8_t code);

/* The code of a label, given as a big-endian number; 0: it has none. */
/*@ terminates \true;
    exits   \false;
    assigns \nothing;
    ensures range: \result == 0 || SUFFIX_FIRST <= \result < SUFFIX_END; */
uint8_t dnspack_suffix_code(uint32_t label);

/* Where the name at off ends, at or before end; 0: there is none. coded: its end may be a suffix code. */
/*@ requires in_bounds: 0 <= off <= end <= DNSPACK_ENTRY_MAX && \valid_read(src + (0 .. end - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures found: \result > 0 ==> \result == name_stop(src, off, coded ? 1 : 0) && off < \result <= end && \result <= off + DNSPACK_NAME_MAX;
    ensures refused: \result == 0 ==> !(0 <= name_stop(src, off, coded ? 1 : 0) <= end); */
size_t dnspack_entry_name_end(const uint8_t *src, size_t off, size_t end, bool coded);

/* The layout that an entry gives the RDATA of a type: octets, names, octets; or, without a shape of its own, a var length and octets. */
struct layout {
    bool shaped;
    uint8_t head;  /* octets before the names */
    uint8_t names; /* 0..2 */
    uint8_t tail;  /* octets after the names */
};

/*@ terminates \true;
    exits   \false;
    assigns \nothing;
    ensures shaped: \result.shaped == 0 <==> layout_names(type) == 3;
    ensures meaning: \result.shaped != 0 ==>
      \result.head == layout_head(type) && \result.names == layout_names(type) && \result.tail == layout_tail(type); */
struct layout dnspack_layout(uint16_t type);

/* Where the RDATA field at off ends; 0: malformed or beyond end. */
/*@ requires in_bounds: 0 <= off <= end <= DNSPACK_ENTRY_MAX && \valid_read(src + (0 .. end - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures found: \result > 0 ==> \result == field_end(src, off, type) && off < \result <= end;
    ensures refused: \result == 0 ==> !(0 <= field_end(src, off, type) <= end); */
size_t dnspack_rdata_field_end(const uint8_t *src, size_t off, size_t end, uint16_t type);

/*@ requires code: code <= 15;
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures meaning: \result == qtype_of(code); */
uint16_t dnspack_qtype_of(uint8_t code);

/*@ terminates \true;
    exits   \false;
    assigns \nothing;
    ensures meaning: \result == qtype_code(type) && \result <= 15; */
uint8_t dnspack_qtype_code(uint16_t type);

/* A group up to its RDATA; rdata_off 0: there is none. */
struct group {
    size_t rdata_off;
    size_t owner_off; /* OWNER_REFERENCE: where it leads; OWNER_EXPLICIT: the name; else 0 */
    uint32_t ttl_s;
    uint16_t type;
    uint8_t form; /* OWNER_... */
    uint8_t count;
};

/*@ predicate owner_is{L}(uint8_t *b, integer lo, integer o, struct group g) =
      (g.form == OWNER_REFERENCE ==> g.owner_off == var_value(b, ttl_end(b, o)) && lo <= g.owner_off < o && 0 <= name_stop(b, g.owner_off, 1) <= o) &&
      (g.form == OWNER_EXPLICIT ==> g.owner_off == ttl_end(b, o) && name_stop(b, g.owner_off, 0) == g.rdata_off);
    predicate group_is{L}(uint8_t *b, integer lo, integer o, integer e, integer qt, integer ttl, struct group g) =
      g.rdata_off == head_end(b, lo, o) && o < g.rdata_off <= e && g.type == group_type(b, o, qt) && g.ttl_s == group_ttl(b, o, ttl) &&
      g.form == ctl_owner(b[o]) && g.form <= 3 && g.count == ctl_count(b[o]) && 1 <= g.count <= 16 && owner_is(b, lo, o, g);
*/

/* The group at off, up to its RDATA. names_off: where the query name is; ttl_s: the entry's. */
/*@ requires in_bounds: 0 <= off < end <= DNSPACK_ENTRY_MAX && \valid_read(entry + (0 .. end - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures read: \result.rdata_off > 0 ==> group_is(entry, names_off, off, end, qtype, ttl_s, \result);
    ensures refused: \result.rdata_off == 0 ==> head_end(entry, names_off, off) < 0 || head_end(entry, names_off, off) > end; */
struct group dnspack_group_read(const uint8_t *entry, size_t names_off, size_t off, size_t end, uint16_t qtype, uint32_t ttl_s);

/* Store the uncompressed name of len octets at src_off as a key: lower case, suffix code; returns its octets there (at most len). */
/*@ requires in_bounds: src_off + len <= DNSPACK_MESSAGE_MAX && \valid_read(src + (0 .. src_off + len - 1));
    requires name: is_name(src, src_off, src_off + len);
    requires room: dst_off + len <= 2 * DNSPACK_ENTRY_MAX && \valid(dst + (dst_off .. dst_off + len - 1));
    requires apart: \separated(dst + (dst_off .. dst_off + len - 1), src + (src_off .. src_off + len - 1));
    terminates \true;
    exits   \false;
    assigns dst[dst_off .. dst_off + len - 1];
    ensures bound: 1 <= \result <= len;
    ensures name: name_stop(dst, dst_off, 1) == dst_off + \result;
    ensures whole: \result + last_extra(dst[dst_off + \result - 1]) == len; */
size_t dnspack_qname_store(uint8_t *dst, size_t dst_off, const uint8_t *src, size_t src_off, size_t len);

/*@ predicate head_is{L}(uint8_t *b, integer n, struct dnspack_entry h) =
      h.stored_s == be32(b, 2) && h.ttl_s == be24(b, 6) && h.rcode == (b[9] / 64 == 0 ? 0 : b[9] / 64 == 1 ? 3 : 2) &&
      (h.authenticated == 1 <==> (b[9] / 32) % 2 == 1) && (h.unchecked == 1 <==> ext_bit(head_ext(b), 16) == 1) &&
      h.qtype == head_qtype(b) && h.qclass == head_qclass(b) && h.qname_off == qname_at(b) && h.qname_end == tag_at(b) &&
      h.tag_off + h.tag_len == errors_at(b) && (ext_bit(head_ext(b), 4) == 0 ==> h.tag_len == 0) && h.qname_end <= h.tag_off &&
      h.error_count <= DNSPACK_ERRORS_MAX && (ext_bit(head_ext(b), 8) == 0 ==> h.error_count == 0) &&
      (h.error_count > 0 ==> groups_at(b) == errors_stop(b, h.errors_off, h.error_count)) && errors_at(b) <= h.errors_off &&
      h.section_off[0] == groups_at(b) && h.section_off[1] == answer_end(b, n) && h.section_off[2] == authority_end(b, n) && h.section_off[3] == n &&
      10 <= h.qname_off < h.qname_end && h.errors_off <= h.section_off[0] <= h.section_off[1] <= h.section_off[2] <= n;
*/

/*@ requires in_bounds: \valid_read(entry + (0 .. entry_len - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures decides: \result == DNSPACK_OK <==> valid_entry(entry, entry_len);
    ensures status: \result == DNSPACK_OK || \result == DNSPACK_E_ENTRY; */
enum dnspack_status dnspack_entry_check(const uint8_t *entry, size_t entry_len);

/*@ requires in_bounds: \valid_read(entry + (0 .. entry_len - 1));
    requires valid: head_valid(entry, entry_len);
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures meaning: head_is(entry, entry_len, \result); */
struct dnspack_entry dnspack_entry_decode(const uint8_t *entry, size_t entry_len);

/*@ // Where the next group is, and in which section: the first one from the cursor's that does not end there; 3: there is no group.
    logic integer group_off_of(struct dnspack_entry h, struct dnspack_cursor c) = c.rdata_off == 0 ? h.section_off[0] : c.rdata_off;
    logic integer section_from(struct dnspack_entry h, integer section, integer off) =
      (section <= 0 && off < h.section_off[1]) ? 0 : (section <= 1 && off < h.section_off[2]) ? 1 : off < h.section_off[3] ? 2 : 3;
    logic integer section_end(struct dnspack_entry h, integer section) =
      section == 0 ? h.section_off[1] : section == 1 ? h.section_off[2] : h.section_off[3];
    logic integer group_section(struct dnspack_entry h, struct dnspack_cursor c) = section_from(h, c.section, group_off_of(h, c));
    // Its owner. "The same" means the group before in the section; the first one has none and means the query name.
    logic integer group_owner{L}(uint8_t *b, struct dnspack_entry h, struct dnspack_cursor c) =
      ctl_owner(b[group_off_of(h, c)]) == 0 ? h.qname_off :
      ctl_owner(b[group_off_of(h, c)]) == 1 ? ((c.rdata_off == 0 || group_section(h, c) != c.section) ? h.qname_off : c.owner_off) :
      ctl_owner(b[group_off_of(h, c)]) == 2 ? var_value(b, ttl_end(b, group_off_of(h, c))) : ttl_end(b, group_off_of(h, c));

    // A cursor between groups, and one before a record of a group: what comes is well formed.
    predicate tiled_from{L}(uint8_t *b, struct dnspack_entry h, integer section, integer off) =
      section == 0 ? (h.section_off[0] <= off <= h.section_off[1] && tiled(b, h.qname_off, off, h.section_off[1], h.qtype)) :
      section == 1 ? (h.section_off[1] <= off <= h.section_off[2] && tiled(b, h.qname_off, off, h.section_off[2], h.qtype)) :
      section == 2 ? (h.section_off[2] <= off <= h.section_off[3] && tiled(b, h.qname_off, off, h.section_off[3], h.qtype)) :
      off == h.section_off[3];
    predicate owner_known{L}(uint8_t *b, struct dnspack_entry h, integer owner_off) =
      h.qname_off <= owner_off && owner_off < name_stop(b, owner_off, 1) <= h.section_off[3];
    predicate between{L}(uint8_t *b, struct dnspack_entry h, integer section, integer off, integer owner_off) =
      0 <= section <= 2 && (off == 0 ? section == 0 && tiled_from(b, h, 0, h.section_off[0]) :
                                       tiled_from(b, h, section, off) && owner_known(b, h, owner_off));
    predicate within_group{L}(uint8_t *b, struct dnspack_entry h, integer section, integer off, integer owner_off, integer t, integer left) =
      0 <= section <= 2 && h.section_off[0] < off && 1 <= left <= 16 && owner_known(b, h, owner_off) &&
      off < fields_end(b, off, t, left) && tiled_from(b, h, section, fields_end(b, off, t, left));
    predicate goes_on{L}(uint8_t *b, struct dnspack_entry h, integer section, integer off, integer owner_off, integer t, integer left) =
      left == 0 ? between(b, h, section, off, owner_off) : within_group(b, h, section, off, owner_off, t, left);
    predicate in_group{L}(uint8_t *b, struct dnspack_entry h, struct dnspack_cursor c) =
      within_group(b, h, c.section, c.rdata_off, c.owner_off, c.type, c.left);

    // d: a cursor before the first record of the group that comes after c.
    predicate group_opened{L}(uint8_t *b, struct dnspack_entry h, struct dnspack_cursor c, struct dnspack_cursor d) =
      d.rdata_off == head_end(b, h.qname_off, group_off_of(h, c)) && d.type == group_type(b, group_off_of(h, c), h.qtype) &&
      d.ttl_s == group_ttl(b, group_off_of(h, c), h.ttl_s) && d.left == ctl_count(b[group_off_of(h, c)]) &&
      d.section == group_section(h, c) && d.owner_off == group_owner(b, h, c);

    // i: the record at the cursor c; d: the cursor behind it.
    predicate record_is{L}(uint8_t *b, struct dnspack_cursor c, struct dnspack_item i) =
      i.rdata_off + i.rdata_len == field_end(b, c.rdata_off, c.type) &&
      i.rdata_off == (layout_names(c.type) == 3 ? var_end(b, c.rdata_off) : c.rdata_off) &&
      i.type == c.type && i.ttl_s == c.ttl_s && i.owner_off == c.owner_off && i.section == c.section;
    predicate first_is{L}(uint8_t *b, struct dnspack_entry h, struct dnspack_cursor c, struct dnspack_item i) =
      i.type == group_type(b, group_off_of(h, c), h.qtype) && i.ttl_s == group_ttl(b, group_off_of(h, c), h.ttl_s) &&
      i.rdata_off + i.rdata_len == field_end(b, head_end(b, h.qname_off, group_off_of(h, c)), i.type) &&
      i.rdata_off == (layout_names(i.type) == 3 ? var_end(b, head_end(b, h.qname_off, group_off_of(h, c))) :
                                                  head_end(b, h.qname_off, group_off_of(h, c))) &&
      i.owner_off == group_owner(b, h, c) && i.section == group_section(h, c);
    logic integer records_left{L}(uint8_t *b, struct dnspack_entry h, struct dnspack_cursor c) =
      c.left > 0 ? c.left : ctl_count(b[group_off_of(h, c)]);
    predicate behind(struct dnspack_item i, integer left, struct dnspack_cursor d) =
      d.rdata_off == i.rdata_off + i.rdata_len && d.left == left && d.type == i.type && d.ttl_s == i.ttl_s &&
      d.owner_off == i.owner_off && d.section == i.section;
    predicate item_inside{L}(uint8_t *b, struct dnspack_entry h, struct dnspack_item i) =
      owner_known(b, h, i.owner_off) && h.section_off[0] < i.rdata_off && i.rdata_off + i.rdata_len <= h.section_off[3] && i.section <= 2;
*/

/*@ requires in_bounds: \valid_read(entry + (0 .. head->section_off[3] - 1)) && \valid_read(head);
    requires valid: valid_entry(entry, head->section_off[3]) && head_is(entry, head->section_off[3], *head);
    requires output: \valid(cursor) && \valid(item) && \separated(cursor, item, head, entry + (0 .. head->section_off[3] - 1));
    requires cursor: goes_on(entry, *head, cursor->section, cursor->rdata_off, cursor->owner_off, cursor->type, cursor->left);
    terminates \true;
    exits   \false;
    assigns *cursor, *item;
    ensures end: \result == 0 <==> \old(cursor->left == 0 && group_off_of(*head, *cursor) == head->section_off[3]);
    ensures kept: \result == 0 ==> *cursor == \old(*cursor) && *item == \old(*item);
    ensures cursor: goes_on{Pre}(entry, \at(*head,Pre), cursor->section, cursor->rdata_off, cursor->owner_off, cursor->type, cursor->left);
    ensures next: \result != 0 && \old(cursor->left) > 0 ==> record_is{Pre}(entry, \at(*cursor,Pre), *item);
    ensures first: \result != 0 && \old(cursor->left) == 0 ==> first_is{Pre}(entry, \at(*head,Pre), \at(*cursor,Pre), *item);
    ensures behind: \result != 0 ==> behind(*item, \old(records_left(entry, *head, *cursor)) - 1, *cursor);
    ensures inside: \result != 0 ==> item_inside{Pre}(entry, \at(*head,Pre), *item); */
bool dnspack_entry_next(const uint8_t *entry, const struct dnspack_entry *head, struct dnspack_cursor *cursor, struct dnspack_item *item);

/*@ requires in_bounds: entry_len <= DNSPACK_ENTRY_MAX && \valid_read(entry + (0 .. entry_len - 1));
    requires name: name_off < name_stop(entry, name_off, 1) <= entry_len;
    requires output: \valid(name + (0 .. DNSPACK_NAME_MAX - 1)) && \separated(name + (0 .. DNSPACK_NAME_MAX - 1), entry + (0 .. entry_len - 1));
    terminates \true;
    exits   \false;
    assigns name[0 .. DNSPACK_NAME_MAX - 1];
    ensures bound: 1 <= \result <= DNSPACK_NAME_MAX;
    ensures length: \result == \old(name_stop(entry, name_off, 1) - name_off + last_extra(entry[name_stop(entry, name_off, 1) - 1]));
    ensures name: is_name(name, 0, \result); */
size_t dnspack_entry_name(const uint8_t *entry, size_t entry_len, size_t name_off, uint8_t name[DNSPACK_NAME_MAX]);

/*@ requires in_bounds: \valid_read(entry + (0 .. entry_len - 1));
    requires valid: valid_entry(entry, entry_len);
    requires query: \valid_read(query) && \valid_read(msg + (0 .. DNSPACK_HEADER_LEN + query->qname_len - 1)) &&
      is_name(msg, DNSPACK_HEADER_LEN, DNSPACK_HEADER_LEN + query->qname_len);
    requires tag: tag_len <= DNSPACK_TAG_MAX && \valid_read(tag + (0 .. tag_len - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures type: \result != 0 ==> \old(head_qtype(entry)) == query->qtype && \old(head_qclass(entry)) == query->qclass;
    ensures unchecked: \result != 0 && \old(ext_bit(head_ext(entry), 16)) == 1 ==> query->flags / DNSPACK_FLAG_CD % 2 == 1; */
bool dnspack_entry_matches(const uint8_t *entry, size_t entry_len, const uint8_t *msg, const struct dnspack_message *query,
                           const uint8_t *tag, size_t tag_len);

#endif
