/*
 * answer.c - building responses: header, question, the entry's sections for this client, OPT.
 *
 * Functions that write return where they stopped, or 0 when the next octets do not fit below the limit.
 */
#include "answer.h"

/* A name written to the response: octets start .. end - 1 of the entry, of which those before spelled_end are in the response at off. */
struct spelled {
    uint32_t start;
    uint32_t spelled_end;
    uint32_t end;
    uint32_t off;
};

enum { COUNT_MAX = 5957 }; /* 65535 / 11 */

/* What stays the same while a response is built, and the names in it. */
struct builder {
    const uint8_t *entry;
    const uint8_t *msg;
    const struct dnspack_message *query;
    const struct dnspack_answer_options *options;
    struct dnspack_entry head;
    size_t limit;       /* octets that header, question and records may take */
    size_t section_end; /* in the entry, of the section that is being written */
    uint32_t age_s;
    bool stale;
    bool truncated;    /* an RRset that must not be left out did not fit */
    uint32_t count[3]; /* records written, by section */
    uint32_t spelled_count;
    struct spelled spelled[SPELLED_MAX];
};

/*@ // What is read, and where it is written.
    predicate reads{L}(struct builder *b) =
      \valid(b) && \valid_read(b->entry + (0 .. b->head.section_off[3] - 1)) && \valid_read(b->query) && \valid_read(b->options) &&
      1 <= b->query->qname_len <= DNSPACK_NAME_MAX && \valid_read(b->msg + (0 .. DNSPACK_HEADER_LEN + b->query->qname_len - 1)) &&
      10 <= b->head.qname_off < b->head.qname_end <= b->head.section_off[3] && b->head.qname_end <= b->head.qname_off + DNSPACK_NAME_MAX;
    predicate apart{L}(struct builder *b, uint8_t *dst) =
      \valid(dst + (0 .. b->limit - 1)) && b->limit <= DNSPACK_MESSAGE_MAX && \separated(dst + (0 .. b->limit - 1), b) &&
      \separated(dst + (0 .. b->limit - 1), b->entry + (0 .. b->head.section_off[3] - 1)) &&
      \separated(dst + (0 .. b->limit - 1), b->msg + (0 .. DNSPACK_HEADER_LEN + b->query->qname_len - 1)) &&
      \separated(dst + (0 .. b->limit - 1), b->query) && \separated(dst + (0 .. b->limit - 1), b->options) &&
      \separated(b, b->entry + (0 .. b->head.section_off[3] - 1)) && \separated(b, b->query) && \separated(b, b->options);
    // A tail of a spelled name is where a pointer can lead.
    predicate slot(integer start, integer spelled_end, integer end, integer off, integer n) =
      start < spelled_end < end <= n && DNSPACK_HEADER_LEN <= off && off + (spelled_end - start) < POINTER_LIMIT;
    predicate counts{L}(struct builder *b) = \forall integer i; 0 <= i <= 2 ==> b->count[i] <= COUNT_MAX;
    predicate slots_before{L}(struct builder *b, integer n) = \forall integer i; 0 <= i < n ==>
        slot(b->spelled[i].start, b->spelled[i].spelled_end, b->spelled[i].end, b->spelled[i].off, b->head.section_off[3]);
    predicate slots{L}(struct builder *b) = b->spelled_count <= SPELLED_MAX && slots_before(b, b->spelled_count);
    // The owner at off can be read.
    predicate known{L}(uint8_t *b, integer lo, integer off, integer n) = lo <= off && off < name_stop(b, off, 1) <= n;
*/

/* ---- names ---- */

/* How many octets at the end of two names are the same, case aside. */
/*@ requires a_in_bounds: a_start < a_end && \valid_read(a + (a_start .. a_end - 1));
    requires b_in_bounds: b_start < b_end && \valid_read(b + (b_start .. b_end - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures bound: \result <= a_end - a_start && \result <= b_end - b_start; */
static size_t common_tail(const uint8_t *a, size_t a_start, size_t a_end, const uint8_t *b, size_t b_start, size_t b_end)
{
    size_t most = a_end - a_start < b_end - b_start ? a_end - a_start : b_end - b_start, len = 0;

    /*@ loop invariant bounds: 0 <= len <= most;
        loop assigns len;
        loop variant most - len; */
    while (len < most && dnspack_name_equal(a, a_end - 1 - len, b, b_end - 1 - len, 1))
        len++;
    return len;
}

/* The first label start at or after `at`, of a name that ends at end, from which at most max_len octets are left. */
/*@ requires in_bounds: at < end <= DNSPACK_ENTRY_MAX && \valid_read(name + (at .. end - 1));
    requires some: 1 <= max_len <= DNSPACK_ENTRY_MAX;
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures bound: at <= \result <= end + 255;
    ensures fits: end - \result <= max_len; */
static size_t label_from(const uint8_t *name, size_t at, size_t end, size_t max_len)
{
    /*@ loop invariant bounds: \at(at,Pre) <= at <= end + 255;
        loop assigns at;
        loop variant end + 255 - at; */
    while (at + max_len < end)
        at += name[at] + 1u;
    return at;
}

/* Is `at` the start of a label of the name at start, which ends behind it? */
/*@ requires in_bounds: start <= at <= DNSPACK_ENTRY_MAX && \valid_read(name + (start .. at - 1));
    terminates \true;
    exits   \false;
    assigns \nothing; */
static bool is_label(const uint8_t *name, size_t start, size_t at)
{
    /*@ loop invariant bounds: \at(start,Pre) <= start <= at + 255;
        loop assigns start;
        loop variant at + 255 - start; */
    while (start < at)
        start += name[start] + 1u;
    return start == at;
}

/* The longest tail of a name that the response has already: it is left to a pointer. */
struct shared {
    size_t at;     /* the label of the name where the tail starts; the root's: nothing is shared */
    size_t target; /* where it stands in the response; 0: nothing is shared */
};

/*@ predicate shared_is(struct shared s, integer start, integer end) =
      start <= s.at < end && (s.target == 0 ==> s.at == end - 1) && (s.target != 0 ==> DNSPACK_HEADER_LEN <= s.target < POINTER_LIMIT); */

/* The tail shared with the question's name. */
/*@ requires builder: reads(builder);
    requires in_bounds: start < end <= builder->head.section_off[3];
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures shared: shared_is(\result, start, end); */
static struct shared question_share(const struct builder *builder, size_t start, size_t end)
{
    struct shared none = {end - 1, 0}, shared;
    size_t question_end = DNSPACK_HEADER_LEN + (size_t)builder->query->qname_len;
    size_t len = common_tail(builder->entry, start, end, builder->msg, DNSPACK_HEADER_LEN, question_end);

    if (len <= 1)
        return none;
    shared.at = label_from(builder->entry, start, end, len);
    if (shared.at >= none.at)
        return none;
    shared.target = question_end - (end - shared.at);
    return is_label(builder->msg, DNSPACK_HEADER_LEN, shared.target) ? shared : none;
}

/* The tail shared with a spelled name, if it is longer than best. */
/*@ requires in_bounds: start < end <= DNSPACK_ENTRY_MAX && \valid_read(entry + (start .. end - 1));
    requires other: slot(other.start, other.spelled_end, other.end, other.off, DNSPACK_ENTRY_MAX);
    requires readable: \valid_read(entry + (other.start .. other.end - 1));
    requires best: shared_is(best, start, end);
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures shared: shared_is(\result, start, end); */
static struct shared spelled_share(const uint8_t *entry, size_t start, size_t end, struct spelled other, struct shared best)
{
    size_t len = common_tail(entry, start, end, entry, other.start, other.end), there;
    struct shared shared;

    if (len <= end - best.at)
        return best;
    shared.at = label_from(entry, start, end, len);
    if (shared.at >= best.at)
        return best;
    there = other.end - (end - shared.at);
    if (there >= other.spelled_end || !is_label(entry, other.start, there))
        return best;
    shared.target = other.off + (there - other.start);
    return shared;
}

/*@ requires builder: reads(builder) && slots(builder);
    requires in_bounds: start < end <= builder->head.section_off[3];
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures shared: shared_is(\result, start, end); */
static struct shared tail_find(const struct builder *builder, size_t start, size_t end)
{
    struct shared best = question_share(builder, start, end);
    uint32_t index;

    /*@ loop invariant bounds: 0 <= index <= builder->spelled_count;
        loop invariant best: shared_is(best, start, end);
        loop assigns index, best;
        loop variant builder->spelled_count - index; */
    for (index = 0; index < builder->spelled_count && best.at > start; index++)
        best = spelled_share(builder->entry, start, end, builder->spelled[index], best);
    return best;
}

/* Note that the name entry[start .. end - 1] stands at off, spelled up to spelled_end. */
/*@ requires builder: \valid(builder) && slots(builder);
    requires slot: slot(start, spelled_end, end, off, builder->head.section_off[3]);
    terminates \true;
    exits   \false;
    assigns builder->spelled[0 .. SPELLED_MAX - 1], builder->spelled_count;
    ensures slots: slots(builder) && \old(builder->spelled_count) <= builder->spelled_count; */
static void spelled_add(struct builder *builder, size_t start, size_t spelled_end, size_t end, size_t off)
{
    uint32_t index = builder->spelled_count;
    struct spelled *spelled = builder->spelled + index;

    if (index == SPELLED_MAX)
        return;
    spelled->start = (uint32_t)start;
    spelled->spelled_end = (uint32_t)spelled_end;
    spelled->end = (uint32_t)end;
    spelled->off = (uint32_t)off;
    //@ assert added: slot(spelled->start, spelled->spelled_end, spelled->end, spelled->off, builder->head.section_off[3]);
    //@ assert kept: slots_before(builder, index);
    builder->spelled_count = index + 1;
}

/* Write the uncompressed name entry[start .. end - 1], sharing a tail. */
/*@ requires builder: reads(builder) && slots(builder) && apart(builder, dst);
    requires in_bounds: start < end <= builder->head.section_off[3];
    requires room: DNSPACK_HEADER_LEN <= off <= builder->limit;
    terminates \true;
    exits   \false;
    assigns dst[off .. builder->limit - 1], builder->spelled[0 .. SPELLED_MAX - 1], builder->spelled_count;
    ensures builder: slots(builder) && \old(builder->spelled_count) <= builder->spelled_count;
    ensures entry: same{Pre,Post}(builder->entry, 0, builder->head.section_off[3]);
    ensures bound: \result == 0 || off < \result <= builder->limit; */
static size_t name_put(struct builder *builder, size_t start, size_t end, uint8_t *dst, size_t off)
{
    struct shared shared = tail_find(builder, start, end);
    size_t len = shared.target != 0 ? shared.at - start : end - start;
    size_t need = shared.target != 0 ? len + 2 : len;

    if (need > builder->limit - off)
        return 0;
    dnspack_copy(dst, off, builder->entry, start, len);
    //@ assert kept_labels: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
    if (shared.target != 0)
        dnspack_store16(dst, off + len, (uint16_t)(POINTER_TO + shared.target));
    //@ assert kept_pointer: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
    if (shared.at > start && off + len < POINTER_LIMIT)
        spelled_add(builder, start, shared.at, end, off);
    return off + need;
}

/* Write the name at owner_off of the entry, which ends with a suffix code, and not in the question: no encoder makes it. */
/*@ requires builder: reads(builder) && slots(builder) && apart(builder, dst);
    requires owner: known(builder->entry, builder->head.qname_off, owner_off, builder->head.section_off[3]);
    requires room: DNSPACK_HEADER_LEN <= off <= builder->limit;
    terminates \true;
    exits   \false;
    assigns dst[off .. builder->limit - 1];
    ensures entry: same{Pre,Post}(builder->entry, 0, builder->head.section_off[3]);
    ensures bound: \result == 0 || off < \result <= builder->limit; */
static size_t coded_put(const struct builder *builder, size_t owner_off, uint8_t *dst, size_t off)
{
    uint8_t name[DNSPACK_NAME_MAX];
    size_t len = dnspack_entry_name(builder->entry, builder->head.section_off[3], owner_off, name);
    //@ assert kept_name: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);

    if (len > builder->limit - off)
        return 0;
    dnspack_copy(dst, off, name, 0, len);
    //@ assert kept: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
    return off + len;
}

/* Write the name at owner_off of the entry: a pointer into the question, or a name. */
/*@ requires builder: reads(builder) && slots(builder) && apart(builder, dst);
    requires owner: known(builder->entry, builder->head.qname_off, owner_off, builder->head.section_off[3]);
    requires room: DNSPACK_HEADER_LEN <= off <= builder->limit;
    terminates \true;
    exits   \false;
    assigns dst[off .. builder->limit - 1], builder->spelled[0 .. SPELLED_MAX - 1], builder->spelled_count;
    ensures builder: slots(builder) && \old(builder->spelled_count) <= builder->spelled_count;
    ensures entry: same{Pre,Post}(builder->entry, 0, builder->head.section_off[3]);
    ensures bound: \result == 0 || off < \result <= builder->limit; */
static size_t owner_put(struct builder *builder, size_t owner_off, uint8_t *dst, size_t off)
{
    const struct dnspack_entry *head = &builder->head;
    size_t end = dnspack_entry_name_end(builder->entry, owner_off, head->section_off[3], true);

    if (end == head->qname_end) { /* the question ends with the same labels, at the same place */
        if (builder->limit - off < 2)
            return 0;
        dnspack_store16(dst, off, (uint16_t)(POINTER_TO + DNSPACK_HEADER_LEN + (owner_off - head->qname_off)));
        //@ assert kept_pointer: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
        return off + 2;
    }
    if (builder->entry[end - 1] == 0)
        return name_put(builder, owner_off, end, dst, off);
    return coded_put(builder, owner_off, dst, off);
}

/* ---- records ---- */

enum { HEAD_TYPE_OFF = 2, HEAD_CLASS_OFF = 4, HEAD_TTL_OFF = 6, HEAD_LEN = 10, RECORD_MIN_LEN = 11 };

/* What the records of an RRset have in common. */
struct rr {
    size_t owner_off;
    uint16_t type;
    bool pointed; /* head has a pointer to the owner; else the owner must be spelled */
    struct layout layout;
    uint8_t head[HEAD_LEN]; /* pointer to the owner, type, class, TTL */
};

/* Where reading the entry and writing the response stand. */
struct place {
    size_t at;  /* in the entry */
    size_t off; /* in the response; 0: it had no room */
};

/*@ predicate layout_is(struct layout l, integer t) =
      (l.shaped == 0 <==> layout_names(t) == 3) &&
      (l.shaped != 0 ==> l.head == layout_head(t) && l.names == layout_names(t) && l.tail == layout_tail(t));
    predicate rr_apart{L}(struct builder *b, uint8_t *dst, struct rr *r) =
      \valid(r) && \separated(r, b) && \separated(r, dst + (0 .. b->limit - 1)) &&
      \separated(r, b->entry + (0 .. b->head.section_off[3] - 1)) &&
      \separated(r, b->query) && \separated(r, b->options);
    predicate rr_is{L}(struct builder *b, uint8_t *dst, struct rr *r) = rr_apart(b, dst, r) && layout_is(r->layout, r->type) &&
      known(b->entry, b->head.qname_off, r->owner_off, b->head.section_off[3]); */

/*@ requires rr: \valid(rr);
    terminates \true;
    exits   \false;
    assigns rr->pointed, rr->head[0 .. 1]; */
static void rr_point(struct rr *rr, size_t target)
{
    rr->pointed = target < POINTER_LIMIT;
    dnspack_store16(rr->head, 0, (uint16_t)(POINTER_TO + target % POINTER_LIMIT));
}

/* Records that follow point to the owner that stands at off, or to where that points. */
/*@ requires builder: reads(builder) && apart(builder, dst);
    requires rr: rr_apart(builder, dst, rr) && layout_is(rr->layout, rr->type);
    requires owner: off + 2 <= builder->limit;
    terminates \true;
    exits   \false;
    assigns rr->pointed, rr->head[0 .. 1];
    ensures layout: layout_is(rr->layout, rr->type);
    ensures entry: same{Pre,Post}(builder->entry, 0, builder->head.section_off[3]); */
static inline void owner_note(const struct builder *builder, struct rr *rr, const uint8_t *dst, size_t off)
{
    size_t target = off;

    (void)builder; /* the contract speaks of it */
    if (dst[off] >= POINTER_TO / 256)
        target = (size_t)dnspack_load16(dst, off) - POINTER_TO;
    rr_point(rr, target);
    //@ assert kept: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
}

/* A record up to its RDATA, RDLENGTH left open. */
/*@ requires builder: reads(builder) && slots(builder) && apart(builder, dst);
    requires rr: rr_is(builder, dst, rr);
    requires room: DNSPACK_HEADER_LEN <= off <= builder->limit;
    terminates \true;
    exits   \false;
    assigns rr->pointed, rr->head[0 .. 1], dst[off .. builder->limit - 1], builder->spelled[0 .. SPELLED_MAX - 1], builder->spelled_count;
    ensures builder: slots(builder) && \old(builder->spelled_count) <= builder->spelled_count;
    ensures layout: layout_is(rr->layout, rr->type);
    ensures entry: same{Pre,Post}(builder->entry, 0, builder->head.section_off[3]);
    ensures bound: \result == 0 || off + RECORD_MIN_LEN <= \result <= builder->limit; */
static inline size_t record_head_put(struct builder *builder, struct rr *rr, uint8_t *dst, size_t off)
{
    size_t start = off;

    if (rr->pointed) {
        if (builder->limit - off < HEAD_LEN + 2)
            return 0;
        dnspack_copy(dst, off, rr->head, 0, HEAD_LEN);
        //@ assert layout_pointed: layout_is(rr->layout, rr->type);
        //@ assert kept_pointed: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
        return off + HEAD_LEN + 2;
    }
    off = owner_put(builder, rr->owner_off, dst, off);
    //@ assert layout_owner: layout_is(rr->layout, rr->type);
    //@ assert kept_owner: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
    if (off == 0 || builder->limit - off < RECORD_FIXED_LEN)
        return 0;
    //@ assert apart: \separated(dst + (off .. off + 7), builder->entry + (0 .. builder->head.section_off[3] - 1));
    //@ ghost owner_written: ;
    dnspack_copy(dst, off, rr->head, HEAD_TYPE_OFF, HEAD_LEN - HEAD_TYPE_OFF);
    //@ assert layout_fixed: layout_is(rr->layout, rr->type);
    //@ assert kept_fixed: same{owner_written,Here}(builder->entry, 0, builder->head.section_off[3]);
    owner_note(builder, rr, dst, start);
    return off + RECORD_FIXED_LEN;
}

/* Octets entry[start .. end - 1] as they are. */
/*@ requires builder: reads(builder) && apart(builder, dst);
    requires in_bounds: start <= end <= builder->head.section_off[3];
    requires room: DNSPACK_HEADER_LEN <= off <= builder->limit;
    terminates \true;
    exits   \false;
    assigns dst[off .. builder->limit - 1];
    ensures entry: same{Pre,Post}(builder->entry, 0, builder->head.section_off[3]);
    ensures bound: \result == 0 || (\result == off + (end - start) && \result <= builder->limit); */
static inline size_t octets_put(const struct builder *builder, size_t start, size_t end, uint8_t *dst, size_t off)
{
    size_t len = end - start;

    if (len > builder->limit - off)
        return 0;
    dnspack_copy(dst, off, builder->entry, start, len);
    //@ assert kept: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
    return off + len;
}

/* Names, count of them, which stand in the entry at `at` and end at end. */
/*@ requires builder: reads(builder) && slots(builder) && apart(builder, dst);
    requires names: at < end <= builder->head.section_off[3] && count >= 1 && names_end(builder->entry, at, count, end);
    requires room: DNSPACK_HEADER_LEN <= off <= builder->limit;
    terminates \true;
    exits   \false;
    assigns dst[off .. builder->limit - 1], builder->spelled[0 .. SPELLED_MAX - 1], builder->spelled_count;
    ensures builder: slots(builder) && \old(builder->spelled_count) <= builder->spelled_count;
    ensures entry: same{Pre,Post}(builder->entry, 0, builder->head.section_off[3]);
    ensures bound: \result == 0 || off <= \result <= builder->limit; */
static size_t names_put(struct builder *builder, unsigned count, size_t at, size_t end, uint8_t *dst, size_t off)
{
    /*@ loop invariant names: names_end{Pre}(builder->entry, at, count, end);
        loop invariant in_field: \at(at,Pre) <= at <= end;
        loop invariant room: off == 0 || \at(off,Pre) <= off <= builder->limit;
        loop invariant entry: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
        loop invariant builder: slots(builder) && \at(builder->spelled_count,Pre) <= builder->spelled_count;
        loop assigns count, at, off, dst[\at(off,Pre) .. builder->limit - 1], builder->spelled[0 .. SPELLED_MAX - 1],
          builder->spelled_count;
        loop variant count; */
    for (; count > 0 && off != 0; count--) {
        size_t name_end = dnspack_entry_name_end(builder->entry, at, end, false);

        //@ assert name: at < name_end <= end && name_end == name_stop{Pre}(builder->entry, at, 0);
        off = name_put(builder, at, name_end, dst, off);
        //@ assert kept: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
        at = name_end;
    }
    return off;
}

/* RDATA field entry[at .. end - 1] of a type whose names are compressed (RFC 3597 4: those of RFC 1035 only). */
/*@ requires builder: reads(builder) && slots(builder) && apart(builder, dst);
    requires layout: \valid_read(rr) && \separated(rr, dst + (0 .. builder->limit - 1)) && \separated(rr, builder) &&
      layout_is(rr->layout, rr->type) &&
      rr->layout.shaped != 0 && rr->layout.names >= 1;
    requires field: at < end <= builder->head.section_off[3] && end == field_end(builder->entry, at, rr->type);
    requires room: DNSPACK_HEADER_LEN <= off <= builder->limit;
    terminates \true;
    exits   \false;
    assigns dst[off .. builder->limit - 1], builder->spelled[0 .. SPELLED_MAX - 1], builder->spelled_count;
    ensures builder: slots(builder) && \old(builder->spelled_count) <= builder->spelled_count;
    ensures entry: same{Pre,Post}(builder->entry, 0, builder->head.section_off[3]);
    ensures bound: \result == 0 || off <= \result <= builder->limit; */
static size_t shaped_put(struct builder *builder, const struct rr *rr, size_t at, size_t end, uint8_t *dst, size_t off)
{
    size_t names_off = at + rr->layout.head, tail_off = end - rr->layout.tail;

    //@ assert names: names_end(builder->entry, at + layout_head(rr->type), layout_names(rr->type), end - layout_tail(rr->type));
    /*@ assert layout: names_off == at + layout_head(rr->type) && rr->layout.names == layout_names(rr->type) &&
          tail_off == end - layout_tail(rr->type); */
    //@ assert order: at <= names_off < tail_off <= end;
    off = octets_put(builder, at, names_off, dst, off);
    //@ assert kept_head: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
    if (off != 0)
        off = names_put(builder, rr->layout.names, names_off, tail_off, dst, off);
    //@ assert kept_names: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
    if (off != 0)
        off = octets_put(builder, tail_off, end, dst, off);
    //@ assert kept: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
    return off;
}

/* Where an RDATA field ends. */
/*@ requires builder: reads(builder);
    requires field: 0 < at < field_end(builder->entry, at, type) <= builder->head.section_off[3];
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures end: \result == field_end(builder->entry, at, type); */
static inline size_t field_pass(const struct builder *builder, size_t at, uint16_t type)
{
    return dnspack_rdata_field_end(builder->entry, at, builder->head.section_off[3], type);
}

/* The RDATA of field entry[at .. end - 1]. */
/*@ requires builder: reads(builder) && slots(builder) && apart(builder, dst);
    requires rr: \valid_read(rr) && \separated(rr, dst + (0 .. builder->limit - 1)) && \separated(rr, builder) &&
      layout_is(rr->layout, rr->type);
    requires field: at < end <= builder->head.section_off[3] && end == field_end(builder->entry, at, rr->type);
    requires room: DNSPACK_HEADER_LEN <= off <= builder->limit;
    terminates \true;
    exits   \false;
    assigns dst[off .. builder->limit - 1], builder->spelled[0 .. SPELLED_MAX - 1], builder->spelled_count;
    ensures builder: slots(builder) && \old(builder->spelled_count) <= builder->spelled_count;
    ensures entry: same{Pre,Post}(builder->entry, 0, builder->head.section_off[3]);
    ensures bound: \result == 0 || off <= \result <= builder->limit; */
static inline size_t rdata_put(struct builder *builder, const struct rr *rr, size_t at, size_t end, uint8_t *dst, size_t off)
{
    if (!rr->layout.shaped)
        return octets_put(builder, at + (builder->entry[at] == 255 ? 3u : 1u), end, dst, off);
    if (rr->layout.names == 0 || rr->type == TYPE_SRV || rr->type == TYPE_DNAME)
        return octets_put(builder, at, end, dst, off);
    return shaped_put(builder, rr, at, end, dst, off);
}

/* The same, with RDLENGTH in front of it. */
/*@ requires builder: reads(builder) && slots(builder) && apart(builder, dst);
    requires rr: \valid_read(rr) && \separated(rr, dst + (0 .. builder->limit - 1)) && \separated(rr, builder) &&
      layout_is(rr->layout, rr->type);
    requires field: at < end <= builder->head.section_off[3] && end == field_end(builder->entry, at, rr->type);
    requires room: DNSPACK_HEADER_LEN + 2 <= off <= builder->limit;
    terminates \true;
    exits   \false;
    assigns dst[off - 2 .. builder->limit - 1], builder->spelled[0 .. SPELLED_MAX - 1], builder->spelled_count;
    ensures builder: slots(builder) && \old(builder->spelled_count) <= builder->spelled_count;
    ensures entry: same{Pre,Post}(builder->entry, 0, builder->head.section_off[3]);
    ensures bound: \result == 0 || off <= \result <= builder->limit; */
static inline size_t data_put(struct builder *builder, const struct rr *rr, size_t at, size_t end, uint8_t *dst, size_t off)
{
    size_t stop = rdata_put(builder, rr, at, end, dst, off);

    if (stop == 0)
        return 0;
    //@ assert apart: \separated(dst + (off - 2 .. off - 1), builder->entry + (0 .. builder->head.section_off[3] - 1));
    //@ ghost without_length: ;
    dnspack_store16(dst, off - 2, (uint16_t)(stop - off));
    //@ assert kept_length: same{without_length,Here}(builder->entry, 0, builder->head.section_off[3]);
    return stop;
}

/* One record, whose RDATA field starts at place.at. */
/*@ requires builder: reads(builder) && slots(builder) && apart(builder, dst);
    requires rr: rr_is(builder, dst, rr);
    requires field: 0 < place.at < field_end(builder->entry, place.at, rr->type) <= builder->head.section_off[3];
    requires room: DNSPACK_HEADER_LEN <= place.off <= builder->limit;
    terminates \true;
    exits   \false;
    assigns rr->pointed, rr->head[0 .. 1], dst[place.off .. builder->limit - 1], builder->spelled[0 .. SPELLED_MAX - 1],
      builder->spelled_count;
    ensures builder: slots(builder) && \old(builder->spelled_count) <= builder->spelled_count;
    ensures layout: layout_is(rr->layout, rr->type);
    ensures entry: same{Pre,Post}(builder->entry, 0, builder->head.section_off[3]);
    ensures passed: \result.off != 0 ==> \result.at == \old(field_end(builder->entry, place.at, rr->type));
    ensures bound: \result.off == 0 || place.off + RECORD_MIN_LEN <= \result.off <= builder->limit; */
static inline struct place record_put(struct builder *builder, struct rr *rr, struct place place, uint8_t *dst)
{
    bool is_fixed = rr->layout.shaped && rr->layout.names == 0;
    size_t end = is_fixed ? place.at + rr->layout.head : field_pass(builder, place.at, rr->type);
    size_t start = record_head_put(builder, rr, dst, place.off);

    //@ assert field: end == field_end(builder->entry, place.at, rr->type) && end == field_end{Pre}(builder->entry, place.at, rr->type);
    //@ assert layout_head: layout_is(rr->layout, rr->type);
    if (start != 0)
        start = data_put(builder, rr, place.at, end, dst, start);
    //@ assert layout: layout_is(rr->layout, rr->type);
    //@ assert kept: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
    place.off = start;
    place.at = end;
    return place;
}

/* The records of a group whose RDATA starts at place.at. */
/*@ requires builder: reads(builder) && slots(builder) && apart(builder, dst);
    requires rr: rr_is(builder, dst, rr);
    requires count: count <= GROUP_COUNT_MAX;
    requires fields: 0 < place.at <= fields_end(builder->entry, place.at, rr->type, count) <= builder->head.section_off[3];
    requires room: DNSPACK_HEADER_LEN <= place.off <= builder->limit;
    terminates \true;
    exits   \false;
    assigns rr->pointed, rr->head[0 .. 1], dst[place.off .. builder->limit - 1], builder->spelled[0 .. SPELLED_MAX - 1],
      builder->spelled_count;
    ensures builder: slots(builder) && \old(builder->spelled_count) <= builder->spelled_count;
    ensures layout: layout_is(rr->layout, rr->type);
    ensures entry: same{Pre,Post}(builder->entry, 0, builder->head.section_off[3]);
    ensures passed: \result.off != 0 ==> \result.at == \old(fields_end(builder->entry, place.at, rr->type, count));
    ensures bound: \result.off == 0 || place.off + RECORD_MIN_LEN * count <= \result.off <= builder->limit; */
static struct place group_put(struct builder *builder, struct rr *rr, unsigned count, struct place place, uint8_t *dst)
{
    unsigned left;

    /*@ loop invariant count: 0 <= left <= count;
        loop invariant rest: place.off != 0 ==>
          0 < place.at <= \at(fields_end(builder->entry, place.at, rr->type, count),Pre) <= builder->head.section_off[3];
        loop invariant rest_is: place.off != 0 ==> fields_end{Pre}(builder->entry, place.at, \at(rr->type,Pre), left) ==
          \at(fields_end(builder->entry, place.at, rr->type, count),Pre);
        loop invariant room: place.off == 0 || \at(place.off,Pre) + RECORD_MIN_LEN * (count - left) <= place.off <= builder->limit;
        loop invariant entry: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
        loop invariant builder: slots(builder) && \at(builder->spelled_count,Pre) <= builder->spelled_count;
        loop invariant owner: known(builder->entry, builder->head.qname_off, rr->owner_off, builder->head.section_off[3]);
        loop invariant layout: layout_is(rr->layout, rr->type);
        loop assigns left, place, rr->pointed, rr->head[0 .. 1], dst[\at(place.off,Pre) .. builder->limit - 1],
          builder->spelled[0 .. SPELLED_MAX - 1], builder->spelled_count;
        loop variant left; */
    for (left = count; left > 0 && place.off != 0; left--) {
        place = record_put(builder, rr, place, dst);
        //@ assert kept: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
        //@ assert owner: known(builder->entry, builder->head.qname_off, rr->owner_off, builder->head.section_off[3]);
    }
    return place;
}

/* ---- sections ---- */

/*@ predicate question_known{L}(struct builder *b) = known(b->entry, b->head.qname_off, b->head.qname_off, b->head.section_off[3]);
    predicate groups_left{L}(struct builder *b, integer off) =
      b->head.qname_end <= off <= b->section_end <= b->head.section_off[3] &&
      tiled(b->entry, b->head.qname_off, off, b->section_end, b->head.qtype);
    // A group is read, and its records and the groups behind it are there.
    predicate opened{L}(struct builder *b, integer off, struct group g) =
      group_is(b->entry, b->head.qname_off, off, b->section_end, b->head.qtype, b->head.ttl_s, g) &&
      group_stop(b->entry, b->head.qname_off, off, b->head.qtype) == fields_end(b->entry, g.rdata_off, g.type, g.count) &&
      g.rdata_off <= fields_end(b->entry, g.rdata_off, g.type, g.count) <= b->section_end &&
      groups_left(b, fields_end(b->entry, g.rdata_off, g.type, g.count)); */

/*@ // What of a group that is read its records need.
    predicate follows{L}(struct builder *b, integer off, struct group g) =
      off < g.rdata_off && 1 <= g.count <= GROUP_COUNT_MAX && g.type == group_type(b->entry, off, b->head.qtype) &&
      g.rdata_off <= fields_end(b->entry, g.rdata_off, g.type, g.count) &&
      groups_left(b, fields_end(b->entry, g.rdata_off, g.type, g.count)); */

/* The group at off. */
/*@ requires builder: reads(builder);
    requires groups: off < builder->section_end && groups_left(builder, off);
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures opened: opened(builder, off, \result); */
static struct group group_at(const struct builder *builder, size_t off)
{
    struct group group =
        dnspack_group_read(builder->entry, builder->head.qname_off, off, builder->section_end, builder->head.qtype, builder->head.ttl_s);

    //@ assert stop: off < group_stop(builder->entry, builder->head.qname_off, off, builder->head.qtype) <= builder->section_end;
    //@ assert head: off < head_end(builder->entry, builder->head.qname_off, off) <= builder->section_end;
    return group;
}

/* The owner of a group; before: that of the group before it. */
/*@ requires builder: reads(builder);
    requires group: \exists integer off; builder->head.qname_end <= off && builder->section_end <= builder->head.section_off[3] &&
      opened(builder, off, group);
    requires before: known(builder->entry, builder->head.qname_off, before, builder->head.section_off[3]);
    requires question: question_known(builder);
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures known: known(builder->entry, builder->head.qname_off, \result, builder->head.section_off[3]); */
static size_t owner_of(const struct builder *builder, struct group group, size_t before)
{
    /*@ assert reference: group.form == OWNER_REFERENCE ==>
          known(builder->entry, builder->head.qname_off, group.owner_off, builder->head.section_off[3]); */
    //@ assert plain: group.form == OWNER_EXPLICIT ==> name_stop(builder->entry, group.owner_off, 1) == group.rdata_off;
    //@ assert explicit: group.form == OWNER_EXPLICIT ==> builder->head.qname_off <= group.owner_off < group.rdata_off;
    return group.form == OWNER_QNAME ? builder->head.qname_off : group.form == OWNER_SAME ? before : group.owner_off;
}

/* Where a group ends. */
/*@ requires builder: reads(builder);
    requires fields: 0 < group.rdata_off && group.count <= GROUP_COUNT_MAX &&
      group.rdata_off <= fields_end(builder->entry, group.rdata_off, group.type, group.count) <= builder->head.section_off[3];
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures end: \result == fields_end(builder->entry, group.rdata_off, group.type, group.count); */
static size_t group_pass(const struct builder *builder, struct group group)
{
    size_t at = group.rdata_off;
    unsigned left;

    /*@ loop invariant left: 0 <= left <= group.count;
        loop invariant rest: fields_end(builder->entry, at, group.type, left) == fields_end(builder->entry, group.rdata_off, group.type,
          group.count);
        loop invariant bounds: 0 < at <= builder->head.section_off[3];
        loop assigns at, left;
        loop variant left; */
    for (left = group.count; left > 0; left--)
        at = field_pass(builder, at, group.type);
    return at;
}

/* TTL now: what is left of it, never more than was stored (RFC 8767 4 for stale data). */
/*@ requires builder: \valid_read(builder);
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures meaning: \result == ttl_left(stored_s, builder->age_s, builder->stale);
    ensures never_longer: \result <= stored_s;
    ensures fresh: builder->stale == 0 && builder->age_s <= stored_s ==> \result == stored_s - builder->age_s;
    ensures over: builder->stale == 0 && builder->age_s > stored_s ==> \result == 0;
    ensures stale: builder->stale != 0 ==> \result <= STALE_TTL_S; */
static uint32_t ttl_now(const struct builder *builder, uint32_t stored_s)
{
    if (builder->stale)
        return stored_s < STALE_TTL_S ? stored_s : STALE_TTL_S;
    return stored_s > builder->age_s ? stored_s - builder->age_s : 0;
}

/* Does a client get records of a type? Those that authenticate go to whom asks for them or for DNSSEC (RFC 4035 3.2.1, RFC 3225 3). */
/*@ requires query: \valid_read(query);
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures data: type != TYPE_RRSIG && type != TYPE_NSEC && type != TYPE_NSEC3 ==> \result;
    ensures authenticates: type == TYPE_RRSIG || type == TYPE_NSEC || type == TYPE_NSEC3 ==>
      (\result <==> query->dnssec_ok || query->qtype == type || query->qtype == TYPE_ANY); */
static bool is_wanted(uint16_t type, const struct dnspack_message *query)
{
    bool authenticates = type == TYPE_RRSIG || type == TYPE_NSEC || type == TYPE_NSEC3;

    return !authenticates || query->dnssec_ok || query->qtype == type || query->qtype == TYPE_ANY;
}

/* Addresses are rotated, whole RRsets of them; the order of all else, CNAME chains above all, is kept. */
/*@ terminates \true;
    exits   \false;
    assigns \nothing;
    ensures meaning: \result <==> type == TYPE_A || type == TYPE_AAAA; */
static bool is_rotated(uint16_t type)
{
    return type == TYPE_A || type == TYPE_AAAA;
}

/*@ requires builder: reads(builder);
    requires rr: \valid(rr) && \separated(rr, builder->entry + (0 .. builder->head.section_off[3] - 1)) && \separated(rr, builder) &&
      layout_is(rr->layout, rr->type);
    terminates \true;
    exits   \false;
    assigns rr->head[HEAD_TTL_OFF .. HEAD_TTL_OFF + 3];
    ensures layout: layout_is(rr->layout, rr->type);
    ensures entry: same{Pre,Post}(builder->entry, 0, builder->head.section_off[3]); */
static void rr_time(const struct builder *builder, struct rr *rr, uint32_t stored_s)
{
    dnspack_store32(rr->head, HEAD_TTL_OFF, ttl_now(builder, stored_s));
}

/* The records of a group whose RDATA starts at place.at, with its TTL. */
/*@ requires builder: reads(builder) && slots(builder) && apart(builder, dst);
    requires rr: rr_is(builder, dst, rr);
    requires count: count <= GROUP_COUNT_MAX;
    requires fields: 0 < place.at <= fields_end(builder->entry, place.at, rr->type, count) <= builder->head.section_off[3];
    requires room: DNSPACK_HEADER_LEN <= place.off <= builder->limit;
    terminates \true;
    exits   \false;
    assigns rr->pointed, rr->head[0 .. HEAD_LEN - 1], dst[place.off .. builder->limit - 1], builder->spelled[0 .. SPELLED_MAX - 1],
      builder->spelled_count;
    ensures builder: slots(builder) && \old(builder->spelled_count) <= builder->spelled_count;
    ensures layout: layout_is(rr->layout, rr->type);
    ensures entry: same{Pre,Post}(builder->entry, 0, builder->head.section_off[3]);
    ensures passed: \result.off != 0 ==> \result.at == \old(fields_end(builder->entry, place.at, rr->type, count));
    ensures bound: \result.off == 0 || place.off + RECORD_MIN_LEN * count <= \result.off <= builder->limit; */
static struct place timed_put(struct builder *builder, struct rr *rr, uint32_t ttl_s, unsigned count, struct place place, uint8_t *dst)
{
    rr_time(builder, rr, ttl_s);
    //@ assert owner: known(builder->entry, builder->head.qname_off, rr->owner_off, builder->head.section_off[3]);
    //@ assert fields: fields_end(builder->entry, place.at, rr->type, count) == fields_end{Pre}(builder->entry, place.at, rr->type, count);
    return group_put(builder, rr, count, place, dst);
}

/*@ predicate sections_kept{A,B}(struct builder *b) =
      \at(b->entry,A) == \at(b->entry,B) && \at(b->limit,A) == \at(b->limit,B) &&
      \at(b->head.qname_off,A) == \at(b->head.qname_off,B) && \at(b->head.qname_end,A) == \at(b->head.qname_end,B) &&
      \at(b->head.qtype,A) == \at(b->head.qtype,B) && \at(b->head.section_off[0],A) == \at(b->head.section_off[0],B) &&
      \at(b->head.section_off[1],A) == \at(b->head.section_off[1],B) && \at(b->head.section_off[2],A) == \at(b->head.section_off[2],B) &&
      \at(b->head.section_off[3],A) == \at(b->head.section_off[3],B);
    predicate numbers_kept{A,B}(struct builder *b) = sections_kept{A,B}(b) && \at(b->section_end,A) == \at(b->section_end,B); */

/* Start with another RRset. */
/*@ requires builder: reads(builder);
    requires rr: \valid(rr) && \separated(rr, builder->entry + (0 .. builder->head.section_off[3] - 1)) && \separated(rr, builder);
    terminates \true;
    exits   \false;
    assigns *rr;
    ensures entry: same{Pre,Post}(builder->entry, 0, builder->head.section_off[3]);
    ensures numbers: numbers_kept{Pre,Post}(builder);
    ensures owner: rr->owner_off == owner_off && rr->type == type;
    ensures layout: layout_is(rr->layout, type); */
static void rr_begin(const struct builder *builder, struct rr *rr, size_t owner_off, uint16_t type)
{
    if (owner_off == builder->head.qname_off)
        rr_point(rr, DNSPACK_HEADER_LEN);
    else if (owner_off != rr->owner_off)
        rr->pointed = false;
    //@ assert kept_pointer: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
    rr->owner_off = owner_off;
    rr->type = type;
    //@ assert numbers: numbers_kept{Pre,Here}(builder);
    dnspack_store16(rr->head, HEAD_TYPE_OFF, type);
    //@ assert kept_type: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
    dnspack_store16(rr->head, HEAD_CLASS_OFF, builder->head.qclass);
    //@ assert kept_class: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
    //@ assert apart: \separated(&rr->layout, builder->entry + (0 .. builder->head.section_off[3] - 1));
    //@ ghost no_layout: ;
    rr->layout = dnspack_layout(type);
    //@ assert kept: same{no_layout,Here}(builder->entry, 0, builder->head.section_off[3]);
    //@ assert numbers_layout: numbers_kept{no_layout,Here}(builder);
}

/* An RRset of addresses: how many records it has, and where it ends. */
struct run {
    size_t next;
    unsigned count;
};

/* An RRset of addresses is consecutive groups of one owner and type, here the group at off and those behind it. */
/*@ requires builder: reads(builder);
    requires groups: off < builder->section_end && groups_left(builder, off);
    requires owner: known(builder->entry, builder->head.qname_off, owner_off, builder->head.section_off[3]);
    requires question: question_known(builder);
    requires type: type == group_type(builder->entry, off, builder->head.qtype);
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures some: \result.count >= 1;
    ensures counted: \result.count <= run_count(builder->entry, builder->head.qname_off, off, builder->section_end, builder->head.qtype,
      type, DNSPACK_ENTRY_MAX);
    ensures next: groups_left(builder, \result.next) && \result.next > off;
    ensures bound: \result.count <= 16 * DNSPACK_ENTRY_MAX; */
static struct run addresses_count(const struct builder *builder, size_t owner_off, uint16_t type, size_t off)
{
    struct group group = group_at(builder, off);
    struct run run = {group_pass(builder, group), group.count};

    //@ ghost int k = DNSPACK_ENTRY_MAX - 1;
    /*@ loop invariant count: 1 <= run.count <= 16 * (run.next - off);
        loop invariant fuel: DNSPACK_ENTRY_MAX - k <= run.next - off && 0 <= k <= DNSPACK_ENTRY_MAX - 1;
        loop invariant counted: run.count + run_count(builder->entry, builder->head.qname_off, run.next, builder->section_end,
          builder->head.qtype, type, k) ==
          run_count(builder->entry, builder->head.qname_off, off, builder->section_end, builder->head.qtype, type, DNSPACK_ENTRY_MAX);
        loop invariant next: groups_left(builder, run.next) && run.next > off;
        loop assigns run, group, k;
        loop variant builder->section_end - run.next; */
    while (run.next < builder->section_end) {
        group = group_at(builder, run.next);
        if (group.type != type || owner_of(builder, group, owner_off) != owner_off)
            break;
        run.count += group.count;
        run.next = group_pass(builder, group);
        //@ ghost k = k - 1;
    }
    return run;
}

/* Some records of a group of addresses. */
struct part {
    struct group group;
    unsigned skip; /* this many are left out, */
    unsigned take; /* and this many come */
    size_t next;   /* where the group ends */
};

/*@ predicate ahead{L}(struct builder *b, integer at, integer t, integer n, integer k) =
      run_ahead(b->entry, b->head.qname_off, at, b->section_end, b->head.qtype, t, n, k); */

/* What of the group at `at` are records skip .. skip + take - 1 of the RRset of addresses that starts there. */
/*@ requires builder: reads(builder);
    requires groups: groups_left(builder, at);
    requires type: type == TYPE_A || type == TYPE_AAAA;
    requires ahead: take > 0 && skip + take <= UINT32_MAX && \exists integer k; ahead(builder, at, type, skip + take, k);
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures group: follows(builder, at, \result.group) && \result.group.type == type;
    ensures part: \result.skip <= skip && \result.take <= take && \result.skip + \result.take <= \result.group.count;
    ensures next: at < \result.next && groups_left(builder, \result.next);
    ensures behind: \forall integer k; ahead(builder, at, type, skip + take, k) ==>
      1 <= k && ahead(builder, \result.next, type, skip + take - \result.skip - \result.take, k - 1); */
static struct part part_at(const struct builder *builder, uint16_t type, size_t at, unsigned skip, unsigned take)
{
    //@ assert some: at < builder->section_end && group_type(builder->entry, at, builder->head.qtype) == type;
    struct part part = {group_at(builder, at), skip, take, 0};

    (void)type; /* the contract speaks of it */
    if (part.skip > part.group.count)
        part.skip = part.group.count;
    if (part.take > part.group.count - part.skip)
        part.take = part.group.count - part.skip;
    part.next = group_pass(builder, part.group);
    return part;
}

/* Records skip .. skip + take - 1 of a group of addresses. */
/*@ requires builder: reads(builder) && slots(builder) && apart(builder, dst);
    requires rr: rr_is(builder, dst, rr) && (rr->type == TYPE_A || rr->type == TYPE_AAAA);
    requires part: 0 < group.rdata_off && skip + take <= group.count <= GROUP_COUNT_MAX;
    requires fields: group.rdata_off <= fields_end(builder->entry, group.rdata_off, rr->type, group.count) <= builder->head.section_off[3];
    requires room: DNSPACK_HEADER_LEN <= off <= builder->limit;
    terminates \true;
    exits   \false;
    assigns rr->pointed, rr->head[0 .. HEAD_LEN - 1], dst[off .. builder->limit - 1], builder->spelled[0 .. SPELLED_MAX - 1],
      builder->spelled_count;
    ensures builder: slots(builder) && \old(builder->spelled_count) <= builder->spelled_count;
    ensures layout: layout_is(rr->layout, rr->type);
    ensures entry: same{Pre,Post}(builder->entry, 0, builder->head.section_off[3]);
    ensures bound: \result == 0 || off + RECORD_MIN_LEN * take <= \result <= builder->limit; */
static size_t part_put(struct builder *builder, struct rr *rr, struct group group, unsigned skip, unsigned take, uint8_t *dst, size_t off)
{
    struct place place = {group.rdata_off + (rr->type == TYPE_A ? 4u * skip : 16u * skip), off};

    //@ assert four: rr->type == TYPE_A ==> fields_end(builder->entry, place.at, TYPE_A, take) == group.rdata_off + 4 * (skip + take);
    /*@ assert sixteen: rr->type == TYPE_AAAA ==>
          fields_end(builder->entry, place.at, TYPE_AAAA, take) == group.rdata_off + 16 * (skip + take); */
    /*@ assert all: fields_end(builder->entry, place.at, rr->type, take) <= fields_end(builder->entry, group.rdata_off, rr->type,
          group.count); */
    place = timed_put(builder, rr, group.ttl_s, take, place, dst);
    return place.off;
}

/* Records skip .. skip + take - 1 of the RRset of addresses at place.at. */
/*@ requires builder: reads(builder) && slots(builder) && apart(builder, dst);
    requires rr: rr_is(builder, dst, rr) && (rr->type == TYPE_A || rr->type == TYPE_AAAA);
    requires groups: groups_left(builder, place.at);
    requires ahead: ahead(builder, place.at, rr->type, skip + take, DNSPACK_ENTRY_MAX);
    requires range: skip + take <= UINT32_MAX;
    requires room: DNSPACK_HEADER_LEN <= place.off <= builder->limit;
    terminates \true;
    exits   \false;
    assigns rr->pointed, rr->head[0 .. HEAD_LEN - 1], dst[place.off .. builder->limit - 1], builder->spelled[0 .. SPELLED_MAX - 1],
      builder->spelled_count;
    ensures builder: slots(builder) && \old(builder->spelled_count) <= builder->spelled_count;
    ensures layout: layout_is(rr->layout, rr->type);
    ensures entry: same{Pre,Post}(builder->entry, 0, builder->head.section_off[3]);
    ensures bound: \result == 0 || place.off + RECORD_MIN_LEN * take <= \result <= builder->limit; */
static size_t addresses_put(struct builder *builder, struct rr *rr, struct place place, unsigned skip, unsigned take, uint8_t *dst)
{
    //@ ghost int k = DNSPACK_ENTRY_MAX;
    //@ ghost unsigned all = take;
    /*@ loop invariant groups: groups_left(builder, place.at);
        loop invariant range: 0 <= k <= DNSPACK_ENTRY_MAX && skip + take <= UINT32_MAX && take <= all;
        loop invariant ahead: ahead(builder, place.at, rr->type, skip + take, k);
        loop invariant room: place.off == 0 ||
          (DNSPACK_HEADER_LEN <= place.off && \at(place.off,Pre) + RECORD_MIN_LEN * (all - take) <= place.off <= builder->limit);
        loop invariant entry: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
        loop invariant builder: slots(builder) && \at(builder->spelled_count,Pre) <= builder->spelled_count;
        loop invariant owner: known(builder->entry, builder->head.qname_off, rr->owner_off, builder->head.section_off[3]);
        loop invariant layout: layout_is(rr->layout, rr->type);
        loop assigns k, take, skip, place, rr->pointed, rr->head[0 .. HEAD_LEN - 1], dst[\at(place.off,Pre) .. builder->limit - 1],
          builder->spelled[0 .. SPELLED_MAX - 1], builder->spelled_count;
        loop variant builder->section_end - place.at; */
    while (take > 0 && place.off != 0) {
        struct part part = part_at(builder, rr->type, place.at, skip, take);

        skip -= part.skip;
        take -= part.take;
        //@ ghost k = k - 1;
        //@ assert behind: groups_left(builder, part.next) && ahead(builder, part.next, rr->type, skip + take, k);
        //@ ghost part_known: ;
        place.off = part_put(builder, rr, part.group, part.skip, part.take, dst, place.off);
        //@ assert kept_part: same{part_known,Here}(builder->entry, 0, builder->head.section_off[3]);
        //@ assert left: groups_left(builder, part.next);
        //@ assert ahead: ahead(builder, part.next, rr->type, skip + take, k);
        //@ assert owner: known(builder->entry, builder->head.qname_off, rr->owner_off, builder->head.section_off[3]);
        place.at = part.next;
    }
    return place.off;
}

/* Where a section is: in the entry and in the response. */
struct progress {
    struct place place;
    unsigned count; /* records in the response */
};

/*@ predicate moved_on{L}(struct builder *b, struct progress before, struct progress after) =
      after.place.off == 0 ||
      (before.place.off + RECORD_MIN_LEN * (after.count - before.count) <= after.place.off <= b->limit && before.count <= after.count &&
       before.place.at < after.place.at && groups_left(b, after.place.at)); */

/* The RRset of addresses at now.place.at, from another record on. */
/*@ requires builder: reads(builder) && slots(builder) && apart(builder, dst) && question_known(builder);
    requires rr: rr_is(builder, dst, rr) && (rr->type == TYPE_A || rr->type == TYPE_AAAA);
    requires groups: now.place.at < builder->section_end && groups_left(builder, now.place.at);
    requires type: rr->type == group_type(builder->entry, now.place.at, builder->head.qtype);
    requires room: DNSPACK_HEADER_LEN <= now.place.off <= builder->limit;
    requires count: now.count <= DNSPACK_MESSAGE_MAX;
    terminates \true;
    exits   \false;
    assigns rr->pointed, rr->head[0 .. HEAD_LEN - 1], dst[now.place.off .. builder->limit - 1], builder->spelled[0 .. SPELLED_MAX - 1],
      builder->spelled_count;
    ensures builder: slots(builder) && \old(builder->spelled_count) <= builder->spelled_count;
    ensures layout: layout_is(rr->layout, rr->type);
    ensures entry: same{Pre,Post}(builder->entry, 0, builder->head.section_off[3]);
    ensures moved_on: moved_on{Post}(builder, now, \result); */
static struct progress rotated_put(struct builder *builder, struct rr *rr, struct progress now, uint8_t *dst)
{
    struct run run = addresses_count(builder, rr->owner_off, rr->type, now.place.at);
    unsigned first = run.count > 1 ? builder->options->rotation % run.count : 0;
    struct place start = now.place;

    //@ assert ahead_all: ahead(builder, start.at, rr->type, run.count, DNSPACK_ENTRY_MAX);
    now.place.off = addresses_put(builder, rr, start, first, run.count - first, dst);
    //@ assert kept_first: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
    //@ assert groups: groups_left(builder, start.at) && groups_left(builder, run.next);
    //@ assert ahead: ahead(builder, start.at, rr->type, run.count, DNSPACK_ENTRY_MAX);
    //@ assert owner: known(builder->entry, builder->head.qname_off, rr->owner_off, builder->head.section_off[3]);
    if (now.place.off != 0) {
        start.off = now.place.off;
        now.place.off = addresses_put(builder, rr, start, 0, first, dst);
        //@ assert kept_second: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
    }
    //@ assert kept: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
    //@ assert left: groups_left(builder, run.next);
    //@ assert room: now.place.off == 0 || \at(now.place.off,Pre) + RECORD_MIN_LEN * run.count <= now.place.off <= builder->limit;
    now.place.at = run.next;
    now.count += run.count;
    return now;
}

/* The group at now.place.at. */
/*@ requires builder: reads(builder) && slots(builder) && apart(builder, dst);
    requires rr: rr_is(builder, dst, rr) && rr->type == group.type;
    requires groups: now.place.at < builder->section_end && groups_left(builder, now.place.at);
    requires group: follows(builder, now.place.at, group);
    requires room: DNSPACK_HEADER_LEN <= now.place.off <= builder->limit;
    requires count: now.count <= DNSPACK_MESSAGE_MAX;
    terminates \true;
    exits   \false;
    assigns rr->pointed, rr->head[0 .. HEAD_LEN - 1], dst[now.place.off .. builder->limit - 1], builder->spelled[0 .. SPELLED_MAX - 1],
      builder->spelled_count;
    ensures builder: slots(builder) && \old(builder->spelled_count) <= builder->spelled_count;
    ensures layout: layout_is(rr->layout, rr->type);
    ensures entry: same{Pre,Post}(builder->entry, 0, builder->head.section_off[3]);
    ensures moved_on: moved_on{Post}(builder, now, \result); */
static struct progress whole_put(struct builder *builder, struct rr *rr, struct group group, struct progress now, uint8_t *dst)
{
    now.place.at = group.rdata_off;
    now.place = timed_put(builder, rr, group.ttl_s, group.count, now.place, dst);
    //@ assert left: now.place.off == 0 || groups_left(builder, now.place.at);
    now.count += group.count;
    return now;
}

/* A group, or the RRset of addresses that it starts. */
/*@ requires builder: reads(builder) && slots(builder) && apart(builder, dst) && question_known(builder);
    requires rr: rr_apart(builder, dst, rr) && rr->type == group.type;
    requires layout: layout_is(rr->layout, rr->type);
    requires own: known(builder->entry, builder->head.qname_off, rr->owner_off, builder->head.section_off[3]);
    requires groups: now.place.at < builder->section_end && groups_left(builder, now.place.at);
    requires group: follows(builder, now.place.at, group);
    requires room: DNSPACK_HEADER_LEN <= now.place.off <= builder->limit;
    requires count: now.count <= DNSPACK_MESSAGE_MAX;
    terminates \true;
    exits   \false;
    assigns rr->pointed, rr->head[0 .. HEAD_LEN - 1], dst[now.place.off .. builder->limit - 1], builder->spelled[0 .. SPELLED_MAX - 1],
      builder->spelled_count;
    ensures builder: slots(builder) && \old(builder->spelled_count) <= builder->spelled_count;
    ensures layout: layout_is(rr->layout, rr->type);
    ensures entry: same{Pre,Post}(builder->entry, 0, builder->head.section_off[3]);
    ensures question: question_known(builder);
    ensures owner: known(builder->entry, builder->head.qname_off, rr->owner_off, builder->head.section_off[3]);
    ensures moved_on: moved_on{Post}(builder, now, \result); */
static struct progress group_or_run_put(struct builder *builder, struct rr *rr, struct group group, bool is_next, struct progress now,
                                        uint8_t *dst)
{
    if (!is_wanted(group.type, builder->query)) {
        now.place.at = group_pass(builder, group);
        return now;
    }
    if (is_next && builder->options->rotation != 0 && is_rotated(group.type)) {
        now = rotated_put(builder, rr, now, dst);
        //@ assert question_rotated: question_known(builder);
        //@ assert owner_rotated: known(builder->entry, builder->head.qname_off, rr->owner_off, builder->head.section_off[3]);
        return now;
    }
    now = whole_put(builder, rr, group, now, dst);
    //@ assert question: question_known(builder);
    //@ assert owner: known(builder->entry, builder->head.qname_off, rr->owner_off, builder->head.section_off[3]);
    return now;
}

/* What the records of a group have in common; is_next: it starts an RRset, whose owner is at owner_off. */
/*@ requires builder: reads(builder) && question_known(builder);
    requires rr: \valid(rr) && \separated(rr, builder->entry + (0 .. builder->head.section_off[3] - 1)) && \separated(rr, builder);
    requires owner: known(builder->entry, builder->head.qname_off, owner_off, builder->head.section_off[3]);
    requires next: is_next != 0 || (rr->type == type && layout_is(rr->layout, rr->type) &&
      known(builder->entry, builder->head.qname_off, rr->owner_off, builder->head.section_off[3]));
    terminates \true;
    exits   \false;
    assigns *rr;
    ensures entry: same{Pre,Post}(builder->entry, 0, builder->head.section_off[3]);
    ensures numbers: numbers_kept{Pre,Post}(builder);
    ensures type: rr->type == type;
    ensures layout: layout_is(rr->layout, rr->type);
    ensures owner: known(builder->entry, builder->head.qname_off, rr->owner_off, builder->head.section_off[3]);
    ensures question: question_known(builder); */
static void rr_ready(const struct builder *builder, struct rr *rr, size_t owner_off, uint16_t type, bool is_next)
{
    if (is_next)
        rr_begin(builder, rr, owner_off, type);
    //@ assert kept: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
    //@ assert name: name_stop(builder->entry, builder->head.qname_off, 1) == name_stop{Pre}(builder->entry, builder->head.qname_off, 1);
}

/* The same as group_or_run_put, for a group that may start an RRset. */
/*@ requires builder: reads(builder) && slots(builder) && apart(builder, dst) && question_known(builder);
    requires rr: rr_apart(builder, dst, rr);
    requires owner: known(builder->entry, builder->head.qname_off, owner_off, builder->head.section_off[3]);
    requires next: is_next != 0 || (rr->type == group.type && rr_is(builder, dst, rr));
    requires groups: now.place.at < builder->section_end && groups_left(builder, now.place.at);
    requires group: follows(builder, now.place.at, group);
    requires room: DNSPACK_HEADER_LEN <= now.place.off <= builder->limit;
    requires count: now.count <= DNSPACK_MESSAGE_MAX;
    terminates \true;
    exits   \false;
    assigns *rr, dst[now.place.off .. builder->limit - 1], builder->spelled[0 .. SPELLED_MAX - 1], builder->spelled_count;
    ensures builder: slots(builder) && \old(builder->spelled_count) <= builder->spelled_count;
    ensures question: question_known(builder);
    ensures numbers: numbers_kept{Pre,Post}(builder);
    ensures layout: layout_is(rr->layout, rr->type);
    ensures owner: known(builder->entry, builder->head.qname_off, rr->owner_off, builder->head.section_off[3]);
    ensures entry: same{Pre,Post}(builder->entry, 0, builder->head.section_off[3]);
    ensures moved_on: moved_on{Post}(builder, now, \result); */
static struct progress group_step(struct builder *builder, struct rr *rr, struct group group, size_t owner_off, bool is_next,
                                  struct progress now, uint8_t *dst)
{
    //@ assert head: now.place.at < head_end(builder->entry, builder->head.qname_off, now.place.at) <= builder->section_end;
    rr_ready(builder, rr, owner_off, group.type, is_next);
    //@ assert reads: reads(builder);
    //@ assert slots: slots(builder);
    //@ assert apart: apart(builder, dst);
    //@ assert rr: rr_apart(builder, dst, rr);
    //@ assert layout: layout_is(rr->layout, rr->type);
    //@ assert groups: groups_left(builder, now.place.at);
    //@ assert type: group_type(builder->entry, now.place.at, builder->head.qtype) == group.type;
    /*@ assert fields: fields_end(builder->entry, group.rdata_off, group.type, group.count) == fields_end{Pre}(builder->entry,
          group.rdata_off, group.type, group.count); */
    //@ assert follows: follows(builder, now.place.at, group);
    //@ assert owner: known(builder->entry, builder->head.qname_off, rr->owner_off, builder->head.section_off[3]);
    return group_or_run_put(builder, rr, group, is_next, now, dst);
}

/* Names from another one on are not in the response after all. */
/*@ requires builder: \valid(builder) && slots(builder) && counts(builder) && count <= builder->spelled_count;
    terminates \true;
    exits   \false;
    assigns builder->spelled_count;
    ensures builder: slots(builder);
    ensures counts: counts(builder); */
static void spelled_cut(struct builder *builder, uint32_t count)
{
    builder->spelled_count = count;
}

/*@ requires builder: \valid(builder) && slots(builder) && counts(builder);
    requires count: section <= 2 && count <= COUNT_MAX;
    terminates \true;
    exits   \false;
    assigns builder->count[section];
    ensures builder: slots(builder);
    ensures counts: counts(builder); */
static void count_set(struct builder *builder, unsigned section, unsigned count)
{
    builder->count[section] = count;
}

/* A walk over a section. */
struct walk {
    struct progress now;
    struct progress whole;  /* where the last RRset started: what stands so far will stay */
    uint32_t spelled_count; /* names in the response then */
};

/*@ predicate progress_is{L}(struct builder *b, integer first, integer off, struct progress p) =
      p.place.off == 0 || (first <= p.place.at && groups_left(b, p.place.at) && off <= p.place.off <= b->limit &&
      RECORD_MIN_LEN * p.count <= p.place.off);
    predicate walk_whole{L}(struct builder *b, integer off, struct walk w) =
      off <= w.whole.place.off <= b->limit && RECORD_MIN_LEN * w.whole.count <= w.whole.place.off && w.spelled_count <= b->spelled_count;
    predicate walk_is{L}(struct builder *b, integer first, integer off, struct walk w) =
      progress_is(b, first, off, w.now) && walk_whole(b, off, w); */

/* The next group of a section that starts at first. */
/*@ requires builder: reads(builder) && slots(builder) && apart(builder, dst) && question_known(builder);
    requires rr: rr_apart(builder, dst, rr);
    requires owner: known(builder->entry, builder->head.qname_off, rr->owner_off, builder->head.section_off[3]);
    requires layout: walk.now.place.at == first || layout_is(rr->layout, rr->type);
    requires walk: walk_is(builder, first, DNSPACK_HEADER_LEN, walk);
    requires left: walk.now.place.off != 0 && walk.now.place.at < builder->section_end;
    terminates \true;
    exits   \false;
    assigns *rr, dst[walk.now.place.off .. builder->limit - 1], builder->spelled[0 .. SPELLED_MAX - 1], builder->spelled_count;
    ensures builder: slots(builder);
    ensures question: question_known(builder);
    ensures numbers: numbers_kept{Pre,Post}(builder);
    ensures owner: known(builder->entry, builder->head.qname_off, rr->owner_off, builder->head.section_off[3]);
    ensures layout: layout_is(rr->layout, rr->type);
    ensures entry: same{Pre,Post}(builder->entry, 0, builder->head.section_off[3]);
    ensures walk: \forall integer off; walk_is{Pre}(builder, first, off, walk) ==> walk_is{Post}(builder, first, off, \result);
    ensures on: \result.now.place.off == 0 || walk.now.place.at < \result.now.place.at; */
static struct walk section_step(struct builder *builder, struct rr *rr, size_t first, struct walk walk, uint8_t *dst)
{
    struct group group = group_at(builder, walk.now.place.at);
    size_t owner_off = owner_of(builder, group, rr->owner_off);
    bool is_next = walk.now.place.at == first || owner_off != rr->owner_off || group.type != rr->type;

    //@ assert follows: follows(builder, walk.now.place.at, group);
    if (is_next) { /* another RRset */
        walk.whole = walk.now;
        walk.spelled_count = builder->spelled_count;
    }
    //@ assert whole: \forall integer off; walk_is{Pre}(builder, first, off, \at(walk,Pre)) ==> walk_whole(builder, off, walk);
    //@ ghost group_known: ;
    walk.now = group_step(builder, rr, group, owner_off, is_next, walk.now, dst);
    //@ assert limit: builder->limit == \at(builder->limit,Pre);
    //@ assert still_whole: \forall integer off; walk_is{Pre}(builder, first, off, \at(walk,Pre)) ==> walk_whole(builder, off, walk);
    /*@ assert now: \forall integer off; progress_is{Pre}(builder, first, off, \at(walk.now,Pre)) ==>
          progress_is(builder, first, off, walk.now); */
    return walk;
}

/*@ predicate sections_are{L}(struct builder *b) =
      b->head.qname_end <= b->head.section_off[0] <= b->head.section_off[1] <= b->head.section_off[2] <= b->head.section_off[3] &&
      tiled(b->entry, b->head.qname_off, b->head.section_off[0], b->head.section_off[1], b->head.qtype) &&
      tiled(b->entry, b->head.qname_off, b->head.section_off[1], b->head.section_off[2], b->head.qtype) &&
      tiled(b->entry, b->head.qname_off, b->head.section_off[2], b->head.section_off[3], b->head.qtype); */

/* A section's RRsets, as long as whole ones fit. What does not fit of the additional section is left out without TC (RFC 2181 9). */
/*@ requires builder: reads(builder) && slots(builder) && apart(builder, dst) && question_known(builder);
    requires rr: rr_apart(builder, dst, rr);
    requires section: section <= 2 &&
      builder->head.qname_end <= builder->head.section_off[section] <= builder->head.section_off[section +
      1] <= builder->head.section_off[3];
    requires groups: tiled(builder->entry, builder->head.qname_off, builder->head.section_off[section],
      builder->head.section_off[section + 1], builder->head.qtype);
    requires counts: counts(builder);
    requires room: DNSPACK_HEADER_LEN <= off <= builder->limit;
    terminates \true;
    exits   \false;
    assigns *rr, builder->count[section], dst[off .. builder->limit - 1], builder->spelled[0 .. SPELLED_MAX - 1],
      builder->spelled_count, builder->section_end, builder->truncated;
    ensures builder: slots(builder);
    ensures entry: same{Pre,Post}(builder->entry, 0, builder->head.section_off[3]);
    ensures question: question_known(builder);
    ensures sections: sections_kept{Pre,Post}(builder);
    ensures bound: off <= \result <= builder->limit;
    ensures qname: builder->query->qname_len == \old(builder->query->qname_len);
    ensures counts: counts(builder); */
static size_t section_put(struct builder *builder, struct rr *rr, unsigned section, uint8_t *dst, size_t off)
{
    size_t first = builder->head.section_off[section];
    struct progress start = {{first, off}, 0};
    struct walk walk = {start, start, builder->spelled_count};

    builder->section_end = builder->head.section_off[section + 1];
    rr->owner_off = builder->head.qname_off;
    //@ assert kept_start: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
    //@ assert start: groups_left(builder, first) && question_known(builder) && slots(builder);
    /*@ loop invariant walk: walk_is(builder, first, off, walk);
        loop invariant entry: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
        loop invariant limit: builder->limit == \at(builder->limit,Pre);
        loop invariant sections: sections_kept{Pre,Here}(builder);
        loop invariant qname: builder->query->qname_len == \at(builder->query->qname_len,Pre);
        loop invariant counts: counts(builder);
        loop invariant reads: reads(builder) && apart(builder, dst);
        loop invariant rr: rr_apart(builder, dst, rr);
        loop invariant question: question_known(builder);
        loop invariant builder: slots(builder);
        loop invariant owner: known(builder->entry, builder->head.qname_off, rr->owner_off, builder->head.section_off[3]);
        loop invariant layout: walk.now.place.off == 0 || walk.now.place.at == first || layout_is(rr->layout, rr->type);
        loop assigns walk, *rr, dst[off .. builder->limit - 1], builder->spelled[0 .. SPELLED_MAX - 1], builder->spelled_count;
        loop variant walk.now.place.off == 0 ? 0 : builder->section_end - walk.now.place.at + 1; */
    while (walk.now.place.at < builder->section_end && walk.now.place.off != 0) {
        //@ assert rr_builder: \separated(rr, builder);
        //@ assert rr_query: \separated(rr, builder->query);
        //@ assert rr_qname: \separated(rr, &builder->query->qname_len);
        //@ ghost step: ;
        walk = section_step(builder, rr, first, walk, dst);
        //@ assert sections: sections_kept{Pre,Here}(builder);
        //@ assert source: builder->query == \at(builder->query,step);
        //@ assert query: builder->query->qname_len == \at(builder->query->qname_len,step);
        //@ assert kept_step: same{step,Here}(builder->entry, 0, builder->head.section_off[3]);
        //@ assert kept: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
        //@ assert limit: builder->limit == \at(builder->limit,Pre);
        //@ assert reads: reads(builder);
        //@ assert apart: apart(builder, dst);
        //@ assert rr: rr_apart(builder, dst, rr);
    }
    if (walk.now.place.off == 0) {
        builder->truncated = section != DNSPACK_ADDITIONAL;
        spelled_cut(builder, walk.spelled_count);
        walk.now = walk.whole;
    }
    //@ assert count: walk.now.count <= COUNT_MAX;
    count_set(builder, section, walk.now.count);
    return walk.now.place.off;
}

/* The sections that have records, up to one that did not fit. */
/*@ requires builder: reads(builder) && slots(builder) && apart(builder, dst) && question_known(builder) && sections_are(builder);
    requires room: DNSPACK_HEADER_LEN <= off <= builder->limit;
    requires counts: counts(builder);
    requires rr: rr_apart(builder, dst, rr);
    terminates \true;
    exits   \false;
    assigns *rr, builder->count[0 .. 2], dst[off .. builder->limit - 1], builder->spelled[0 .. SPELLED_MAX - 1], builder->spelled_count,
      builder->section_end, builder->truncated;
    ensures builder: slots(builder);
    ensures entry: same{Pre,Post}(builder->entry, 0, builder->head.section_off[3]);
    ensures bound: off <= \result <= builder->limit;
    ensures kept: sections_kept{Pre,Post}(builder);
    ensures counts: counts(builder); */
static size_t sections_put(struct builder *builder, struct rr *rr, uint8_t *dst, size_t off)
{
    unsigned section;

    /*@ loop invariant section: 0 <= section <= 3;
        loop invariant room: \at(off,Pre) <= off <= builder->limit;
        loop invariant entry: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
        loop invariant kept: sections_kept{Pre,Here}(builder);
        loop invariant reads: reads(builder) && apart(builder, dst);
        loop invariant rr: rr_apart(builder, dst, rr);
        loop invariant slots: slots(builder);
        loop invariant question: question_known(builder);
        loop invariant sections: sections_are(builder);
        loop invariant counts: counts(builder);
        loop assigns section, off, *rr, builder->count[0 .. 2], dst[\at(off,Pre) .. builder->limit - 1],
          builder->spelled[0 .. SPELLED_MAX - 1],
          builder->spelled_count, builder->section_end, builder->truncated;
        loop variant 3 - section; */
    for (section = DNSPACK_ANSWER; section <= DNSPACK_ADDITIONAL && !builder->truncated; section++)
        if (builder->head.section_off[section] < builder->head.section_off[section + 1]) {
            //@ assert rr_builder: \separated(rr, builder);
            //@ assert rr_query: \separated(rr, builder->query);
            //@ assert rr_qname: \separated(rr, &builder->query->qname_len);
            //@ assert one: section == 0 || section == 1 || section == 2;
            //@ ghost begun: ;
            off = section_put(builder, rr, section, dst, off);
            //@ assert source: builder->query == \at(builder->query,begun);
            //@ assert query: builder->query->qname_len == \at(builder->query->qname_len,begun);
            //@ assert kept: sections_kept{Pre,Here}(builder);
            //@ assert entry: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
            //@ assert reads: reads(builder);
            //@ assert apart: apart(builder, dst);
            /*@ assert answer: tiled(builder->entry, builder->head.qname_off, builder->head.section_off[0], builder->head.section_off[1],
                  builder->head.qtype); */
            /*@ assert authority: tiled(builder->entry, builder->head.qname_off, builder->head.section_off[1],
                  builder->head.section_off[2], builder->head.qtype); */
            /*@ assert additional: tiled(builder->entry, builder->head.qname_off, builder->head.section_off[2],
                  builder->head.section_off[3], builder->head.qtype); */
        }
    return off;
}

/* ---- OPT ---- */

/* Octets of the ECS option of the response: as the client's (RFC 7871 7.2.1). */
/*@ requires in_bounds: \valid_read(query) && \valid_read(options);
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures meaning: \result == (options->ecs != 0 && query->ecs.family != 0 ? 8 + query->ecs.address_len : 0); */
static size_t ecs_len(const struct dnspack_message *query, const struct dnspack_answer_options *options)
{
    return options->ecs && query->ecs.family != 0 ? OPTION_FIXED_LEN + 4u + query->ecs.address_len : 0;
}

/* What OPT takes at least: the options that must go out, and the errors without their text. */
/*@ predicate opt_input{L}(struct builder *b) =
      b->options->edns_options_len <= DNSPACK_EDNS_OPTIONS_MAX && b->head.error_count <= DNSPACK_ERRORS_MAX && b->stale <= 1 &&
      b->query->ecs.address_len <= 16;
    logic integer opt_room{L}(struct builder *b) =
      opt_size(b->query->options_off, b->options->ecs, b->query->ecs.family, b->query->ecs.address_len, b->options->edns_options_len,
               b->head.error_count, b->stale); */
/*@ requires builder: reads(builder) && opt_input(builder);
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures meaning: \result == opt_room(builder); */
static size_t opt_least(const struct builder *builder)
{
    unsigned errors = builder->head.error_count;

    if (builder->query->options_off == 0)
        return 0;
    if (builder->stale)
        errors++;
    return OPT_FIXED_LEN + ecs_len(builder->query, builder->options) + builder->options->edns_options_len + (size_t)ERROR_LEN * errors;
}

/*@ requires in_bounds: off + OPTION_FIXED_LEN + len <= DNSPACK_MESSAGE_MAX && \valid(dst + (off .. off + OPTION_FIXED_LEN + len - 1));
    requires src_in_bounds: src_off + len <= SIZE_MAX && \valid_read(src + (src_off .. src_off + len - 1));
    requires apart: \separated(dst + (off .. off + OPTION_FIXED_LEN + len - 1), src + (src_off .. src_off + len - 1));
    terminates \true;
    exits   \false;
    assigns dst[off .. off + OPTION_FIXED_LEN + len - 1];
    ensures end: \result == off + OPTION_FIXED_LEN + len; */
static size_t option_put(uint8_t *dst, size_t off, uint16_t code, const uint8_t *src, size_t src_off, size_t len)
{
    dnspack_store16(dst, off, code);
    dnspack_store16(dst, off + 2, (uint16_t)len);
    dnspack_copy(dst, off + OPTION_FIXED_LEN, src, src_off, len);
    return off + OPTION_FIXED_LEN + len;
}

/*@ requires in_bounds: off + len <= DNSPACK_MESSAGE_MAX && \valid(dst + (off .. off + len - 1));
    terminates \true;
    exits   \false;
    assigns dst[off .. off + len - 1];
    ensures end: \result == off + len;
    ensures zeros: \forall integer k; \old(off) <= k < \old(off) + len ==> dst[k] == 0; */
static size_t zeros_put(uint8_t *dst, size_t off, size_t len)
{
    size_t end = off + len;

    /*@ loop invariant bounds: \at(off,Pre) <= off <= end;
        loop invariant zeros: \forall integer k; \at(off,Pre) <= k < off ==> dst[k] == 0;
        loop assigns off, dst[\at(off,Pre) .. end - 1];
        loop variant end - off; */
    while (off < end)
        dst[off++] = 0;
    return end;
}

/* The prefix length under which the entry was stored, from its tag; 0: for everybody. */
/*@ requires builder: reads(builder);
    requires tag: builder->head.tag_off + builder->head.tag_len <= builder->head.section_off[3];
    terminates \true;
    exits   \false;
    assigns \nothing; */
static uint8_t tag_scope(const struct builder *builder)
{
    const struct dnspack_entry *head = &builder->head;

    if (head->tag_len < 2 || builder->entry[head->tag_off] != builder->query->ecs.family)
        return 0;
    return builder->entry[head->tag_off + 1u];
}

/* The client's ECS option with our scope, if it is to have one. */
/*@ predicate ecs_reads{L}(struct builder *b, uint8_t *dst, integer end) =
      b->query->ecs.address_len <= 16 && b->head.tag_off + b->head.tag_len <= b->head.section_off[3] &&
      (b->query->ecs.family != 0 ==> 4 <= b->query->ecs.address_off &&
        \valid_read(b->msg + (b->query->ecs.address_off - 4 .. b->query->ecs.address_off + b->query->ecs.address_len - 1)) &&
        \separated(dst + (0 .. end - 1),
        b->msg + (b->query->ecs.address_off - 4 .. b->query->ecs.address_off + b->query->ecs.address_len - 1)));
    predicate opt_apart{L}(struct builder *b, uint8_t *dst, integer end) =
      end <= DNSPACK_MESSAGE_MAX && \valid(dst + (0 .. end - 1)) && \separated(dst + (0 .. end - 1), b) &&
      \separated(dst + (0 .. end - 1), b->entry + (0 .. b->head.section_off[3] - 1)) &&
      \separated(dst + (0 .. end - 1), b->query) && \separated(dst + (0 .. end - 1), b->options);
    logic integer ecs_size{L}(struct builder *b) = b->options->ecs != 0 && b->query->ecs.family != 0 ? 8 + b->query->ecs.address_len : 0; */
/*@ requires builder: reads(builder);
    requires room: ecs_size(builder) > 0 ==> opt_apart(builder, dst, off + ecs_size(builder)) &&
      ecs_reads(builder, dst, off + ecs_size(builder));
    requires range: off <= DNSPACK_MESSAGE_MAX;
    terminates \true;
    exits   \false;
    assigns dst[off .. off + ecs_size(builder) - 1];
    ensures end: \result == off + \old(ecs_size(builder));
    ensures entry: same{Pre,Post}(builder->entry, 0, builder->head.section_off[3]); */
static size_t ecs_put(const struct builder *builder, uint8_t *dst, size_t off)
{
    const struct dnspack_ecs *ecs = &builder->query->ecs;
    size_t address_len = ecs->address_len;
    uint8_t scope;

    if (ecs_len(builder->query, builder->options) == 0)
        return off;
    scope = tag_scope(builder);
    off = option_put(dst, off, OPTION_ECS, builder->msg, ecs->address_off - 4u, 4u + address_len);
    //@ assert kept: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
    //@ ghost scope_put: ;
    dst[off - address_len - 1u] = scope;
    //@ assert kept_scope: same{scope_put,Here}(builder->entry, 0, builder->head.section_off[3]);
    //@ assert entry: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
    return off;
}

/* The entry's errors, each with its text as long as `spare` octets last (RFC 8914 3). */
/*@ predicate errors_left{L}(struct builder *b, integer at, integer left) =
      left == 0 || (0 < at && 0 <= errors_stop(b->entry, at, left) <= b->head.section_off[3]); */
/*@ requires builder: reads(builder) && opt_apart(builder, dst, off + ERROR_LEN * builder->head.error_count + spare);
    requires errors: errors_left(builder, builder->head.errors_off, builder->head.error_count);
    terminates \true;
    exits   \false;
    assigns dst[off .. off + ERROR_LEN * builder->head.error_count + spare - 1];
    ensures bound: off <= \result <= off + ERROR_LEN * \old(builder->head.error_count) + spare;
    ensures entry: same{Pre,Post}(builder->entry, 0, builder->head.section_off[3]); */
static size_t errors_put(const struct builder *builder, uint8_t *dst, size_t off, size_t spare)
{
    size_t at = builder->head.errors_off;
    unsigned left;

    /*@ loop invariant left: 0 <= left <= \at(builder->head.error_count,Pre);
        loop invariant errors: errors_left(builder, at, left);
        loop invariant room: \at(off,Pre) <= off &&
          off + ERROR_LEN * left + spare <= \at(off,Pre) + ERROR_LEN * \at(builder->head.error_count,Pre) + \at(spare,Pre);
        loop invariant entry: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
        loop assigns left, at, off, spare,
          dst[\at(off,Pre) .. \at(off,Pre) + ERROR_LEN * \at(builder->head.error_count,Pre) + \at(spare,Pre) - 1];
        loop variant left; */
    for (left = builder->head.error_count; left > 0; left--) {
        struct var len = dnspack_var_read(builder->entry, at, builder->head.section_off[3]);
        size_t text_len;

        /*@ assert error: len.end > 0 && len.value >= 2 && errors_left(builder, len.end + len.value, left - 1) &&
              len.end + len.value <= builder->head.section_off[3]; */
        text_len = len.value - 2u;

        if (text_len > spare)
            text_len = 0;
        spare -= text_len;
        off = option_put(dst, off, OPTION_ERROR, builder->entry, len.end, 2 + text_len);
        //@ assert kept: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
        at = len.end + len.value;
    }
    return off;
}

/* Padding to a multiple of block, as far as the octets before end allow (RFC 8467 4.1). */
/*@ requires in_bounds: off <= end <= DNSPACK_MESSAGE_MAX && \valid(dst + (off .. end - 1));
    terminates \true;
    exits   \false;
    assigns dst[off .. end - 1];
    ensures bound: off <= \result <= end; */
static size_t padding_put(uint8_t *dst, size_t off, size_t end, uint16_t block)
{
    size_t len, excess, pad;

    if (block == 0 || end - off < OPTION_FIXED_LEN)
        return off;
    len = off + OPTION_FIXED_LEN;
    excess = len % block;
    pad = excess == 0 ? 0 : block - excess;
    if (pad > end - len)
        pad = end - len;
    dnspack_store16(dst, off, OPTION_PADDING);
    dnspack_store16(dst, off + 2, (uint16_t)pad);
    return zeros_put(dst, len, pad);
}

/* OPT up to its options, RDLENGTH left open. */
/*@ requires builder: reads(builder) && opt_apart(builder, dst, off + OPT_FIXED_LEN);
    terminates \true;
    exits   \false;
    assigns dst[off .. off + OPT_FIXED_LEN - 1];
    ensures entry: same{Pre,Post}(builder->entry, 0, builder->head.section_off[3]); */
static void opt_start(const struct builder *builder, uint8_t *dst, size_t off)
{
    uint16_t udp_size = builder->options->udp_size;
    uint32_t flags = builder->query->dnssec_ok ? 32768 : 0;

    dst[off] = 0;
    //@ assert kept_owner: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
    dnspack_store16(dst, off + 1, TYPE_OPT);
    //@ assert kept_type: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
    dnspack_store16(dst, off + 3, udp_size != 0 ? udp_size : 1232);
    //@ assert kept_size: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
    //@ assert apart: \separated(dst + (off + 5 .. off + 8), builder->entry + (0 .. builder->head.section_off[3] - 1));
    //@ ghost no_flags: ;
    dnspack_store32(dst, off + 5, flags);
    //@ assert kept: same{no_flags,Here}(builder->entry, 0, builder->head.section_off[3]);
}

/* The error of a stale answer. */
/*@ requires builder: reads(builder) && opt_apart(builder, dst, off + ERROR_LEN);
    terminates \true;
    exits   \false;
    assigns dst[off .. off + ERROR_LEN - 1];
    ensures end: \result == off + ERROR_LEN;
    ensures entry: same{Pre,Post}(builder->entry, 0, builder->head.section_off[3]); */
static size_t stale_put(const struct builder *builder, uint8_t *dst, size_t off)
{
    uint8_t error[2] = {0, builder->head.rcode == RCODE_NXDOMAIN ? ERROR_STALE_NXDOMAIN : ERROR_STALE};

    return option_put(dst, off, OPTION_ERROR, error, 0, 2);
}

/* The options that the caller sends. */
/*@ requires builder: reads(builder) && builder->options->edns_options_len <= DNSPACK_EDNS_OPTIONS_MAX;
    requires room: opt_apart(builder, dst, off + builder->options->edns_options_len);
    requires options: \valid_read(builder->options->edns_options + (0 .. builder->options->edns_options_len - 1)) &&
      \separated(dst + (0 .. off + builder->options->edns_options_len - 1),
      builder->options->edns_options + (0 .. builder->options->edns_options_len - 1));
    terminates \true;
    exits   \false;
    assigns dst[off .. off + builder->options->edns_options_len - 1];
    ensures end: \result == off + builder->options->edns_options_len;
    ensures entry: same{Pre,Post}(builder->entry, 0, builder->head.section_off[3]); */
static size_t options_copy(const struct builder *builder, uint8_t *dst, size_t off)
{
    size_t len = builder->options->edns_options_len;

    //@ assert apart: \separated(dst + (off .. off + len - 1), builder->entry + (0 .. builder->head.section_off[3] - 1));
    //@ ghost options_known: ;
    if (len != 0)
        dnspack_copy(dst, off, builder->options->edns_options, 0, len);
    //@ assert kept: same{options_known,Here}(builder->entry, 0, builder->head.section_off[3]);
    return off + len;
}

/* The same, and the error of a stale answer. */
/*@ requires builder: reads(builder) && opt_input(builder);
    requires room: opt_apart(builder, dst, off + builder->options->edns_options_len + ERROR_LEN * builder->stale);
    requires options: \valid_read(builder->options->edns_options + (0 .. builder->options->edns_options_len - 1)) &&
      \separated(dst + (0 .. off + builder->options->edns_options_len - 1),
      builder->options->edns_options + (0 .. builder->options->edns_options_len - 1));
    terminates \true;
    exits   \false;
    assigns dst[off .. off + builder->options->edns_options_len + ERROR_LEN * builder->stale - 1];
    ensures end: \result == off + builder->options->edns_options_len + ERROR_LEN * builder->stale;
    ensures entry: same{Pre,Post}(builder->entry, 0, builder->head.section_off[3]); */
static size_t own_options_put(const struct builder *builder, uint8_t *dst, size_t off)
{
    bool stale = builder->stale;

    off = options_copy(builder, dst, off);
    //@ assert kept_options: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
    if (stale)
        off = stale_put(builder, dst, off);
    return off;
}

/*@ logic integer own_size{L}(struct builder *b) = b->options->edns_options_len + ERROR_LEN * b->stale;
    predicate head_kept{A,B}(struct builder *b) =
      \at(b->stale,A) == \at(b->stale,B) && \at(b->head.error_count,A) == \at(b->head.error_count,B);
    predicate opt_kept{A,B}(struct builder *b) = head_kept{A,B}(b) &&
      \at(b->query->ecs.address_len,A) == \at(b->query->ecs.address_len,B) && \at(b->query->ecs.family,A) == \at(b->query->ecs.family,B) &&
      \at(b->options->ecs,A) == \at(b->options->ecs,B); */

/* OPT at off; the octets up to end are free for it and at least opt_least(). */
/*@ requires builder: reads(builder) && opt_input(builder) && opt_apart(builder, dst, end) && ecs_reads(builder, dst, end);
    requires errors: errors_left(builder, builder->head.errors_off, builder->head.error_count);
    requires options: \valid_read(builder->options->edns_options + (0 .. builder->options->edns_options_len - 1)) &&
      \separated(dst + (0 .. end - 1), builder->options->edns_options + (0 .. builder->options->edns_options_len - 1));
    requires room: builder->query->options_off != 0 && DNSPACK_HEADER_LEN <= off && off + opt_room(builder) <= end;
    terminates \true;
    exits   \false;
    assigns dst[off .. end - 1];
    ensures bound: off + OPT_FIXED_LEN <= \result <= end; */
static size_t opt_put(const struct builder *builder, uint8_t *dst, size_t off, size_t end)
{
    size_t start = off, spare = end - off - opt_least(builder);
    uint16_t block = builder->options->padding_block;

    //@ assert builder_apart: \separated(dst + (0 .. end - 1), builder);
    //@ assert query_apart: \separated(dst + (0 .. end - 1), builder->query);
    //@ assert count_apart: \separated(dst + (0 .. end - 1), &builder->head.error_count);
    //@ assert client_apart: \separated(dst + (0 .. end - 1), &builder->query->ecs.address_len, &builder->query->ecs.family);
    //@ assert sizes: 0 <= ecs_size(builder) && 0 <= own_size(builder) && 0 <= builder->head.error_count;
    //@ assert room: start + OPT_FIXED_LEN + ecs_size(builder) + own_size(builder) + ERROR_LEN * builder->head.error_count + spare == end;
    opt_start(builder, dst, start);
    //@ assert head_start: head_kept{Pre,Here}(builder);
    /*@ assert client_start: builder->query->ecs.address_len == \at(builder->query->ecs.address_len,Pre) &&
          builder->query->ecs.family == \at(builder->query->ecs.family,Pre); */
    //@ assert kept_start: opt_kept{Pre,Here}(builder);
    //@ assert ecs_start: ecs_reads(builder, dst, end) && ecs_size(builder) == \at(ecs_size(builder),Pre);
    //@ assert entry_start: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
    //@ assert reads_start: reads(builder);
    //@ assert apart_start: opt_apart(builder, dst, end);
    off = ecs_put(builder, dst, start + OPT_FIXED_LEN);
    //@ assert head_ecs: head_kept{Pre,Here}(builder);
    /*@ assert client_ecs: builder->query->ecs.address_len == \at(builder->query->ecs.address_len,Pre) &&
          builder->query->ecs.family == \at(builder->query->ecs.family,Pre); */
    //@ assert kept_ecs: opt_kept{Pre,Here}(builder);
    //@ assert entry_ecs: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
    //@ assert reads_ecs: reads(builder);
    //@ assert apart_ecs: opt_apart(builder, dst, end);
    //@ assert room_own: off + own_size(builder) + ERROR_LEN * builder->head.error_count + spare == end;
    /*@ assert own_apart:
          \separated(dst + (off .. off + builder->options->edns_options_len + ERROR_LEN * builder->stale - 1),
            &builder->head.error_count); */
    /*@ assert own_client: \separated(dst + (off .. off + builder->options->edns_options_len + ERROR_LEN * builder->stale - 1),
          &builder->query->ecs.address_len, &builder->query->ecs.family); */
    off = own_options_put(builder, dst, off);
    //@ assert head_own: head_kept{Pre,Here}(builder);
    /*@ assert client_own: builder->query->ecs.address_len == \at(builder->query->ecs.address_len,Pre) &&
          builder->query->ecs.family == \at(builder->query->ecs.family,Pre); */
    //@ assert kept_own: opt_kept{Pre,Here}(builder);
    //@ assert entry_own: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
    //@ assert reads_own: reads(builder);
    //@ assert apart_own: opt_apart(builder, dst, end);
    //@ assert room_errors: off + ERROR_LEN * builder->head.error_count + spare == end;
    off = errors_put(builder, dst, off, spare);
    off = padding_put(dst, off, end, block);
    dnspack_store16(dst, start + 9, (uint16_t)(off - start - OPT_FIXED_LEN));
    return off;
}

/* ---- the response ---- */

/* How many octets this client's response may have (RFC 1035 4.2.1, RFC 6891 6.2.3). */
/*@ requires in_bounds: \valid_read(query) && \valid_read(options);
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures meaning: \result == size_most(options->size_max, size_client(query->udp_size, options->stream), dst_cap); */
static size_t size_limit(const struct dnspack_message *query, const struct dnspack_answer_options *options, size_t dst_cap)
{
    size_t limit = options->size_max != 0 ? options->size_max : DNSPACK_MESSAGE_MAX;

    if (!options->stream) {
        size_t client = query->udp_size < 512 ? 512 : query->udp_size;

        if (limit > client)
            limit = client;
    }
    return limit < dst_cap ? limit : dst_cap;
}

/* Is the entry still good, perhaps as stale data (RFC 8767 4)? */
/*@ predicate good(integer stale, integer age_s, integer ttl_s, integer most_s, integer rcode, integer answer_off, integer answer_end,
      integer negative) =
      stale == 0 || (age_s - ttl_s < most_s && ((rcode == RCODE_NOERROR && answer_end > answer_off) || (negative != 0 &&
      rcode != RCODE_SERVFAIL))); */
/*@ requires builder: \valid_read(builder) && \valid_read(builder->options);
    requires stale: builder->stale == 0 || builder->age_s >= builder->head.ttl_s;
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures usable: \result <==> good(builder->stale, builder->age_s, builder->head.ttl_s, builder->options->stale_max_s,
      builder->head.rcode,
      builder->head.section_off[0], builder->head.section_off[1], builder->options->stale_negative); */
static bool is_usable(const struct builder *builder)
{
    const struct dnspack_entry *head = &builder->head;
    const struct dnspack_answer_options *options = builder->options;
    bool positive = head->rcode == RCODE_NOERROR && head->section_off[1] > head->section_off[0];

    return !builder->stale || (builder->age_s - head->ttl_s < options->stale_max_s &&
                               (positive || (options->stale_negative && head->rcode != RCODE_SERVFAIL)));
}

/*@ requires builder: \valid_read(builder) && \valid_read(builder->query) && \valid_read(builder->options) && builder->head.rcode <= 3;
    terminates \true;
    exits   \false;
    assigns \nothing; */
static uint16_t answer_flags(const struct builder *builder)
{
    const struct dnspack_message *query = builder->query;
    unsigned flags = DNSPACK_FLAG_QR + query->flags / DNSPACK_FLAG_RD % 2u * DNSPACK_FLAG_RD +
                     query->flags / DNSPACK_FLAG_CD % 2u * DNSPACK_FLAG_CD + builder->head.rcode;
    bool asks_ad = query->dnssec_ok || query->flags / DNSPACK_FLAG_AD % 2u == 1; /* RFC 6840 5.7, 5.8 */

    if (builder->options->authoritative)
        flags += DNSPACK_FLAG_AA;
    if (builder->options->recursion_available)
        flags += DNSPACK_FLAG_RA;
    if (builder->head.authenticated && asks_ad && !builder->stale)
        flags += DNSPACK_FLAG_AD;
    if (builder->truncated)
        flags += DNSPACK_FLAG_TC;
    return (uint16_t)flags;
}

/* The header; as many records as the sections have, and OPT if the client sent one. */
/*@ requires builder: reads(builder) && builder->head.rcode <= 3 && counts(builder);
    requires output: \valid(dst + (0 .. DNSPACK_HEADER_LEN - 1)) && \separated(dst + (0 .. DNSPACK_HEADER_LEN - 1), builder) &&
      \separated(dst + (0 .. DNSPACK_HEADER_LEN - 1), builder->query) && \separated(dst + (0 .. DNSPACK_HEADER_LEN - 1), builder->options);
    terminates \true;
    exits   \false;
    assigns dst[0 .. DNSPACK_HEADER_LEN - 1]; */
static void header_put(const struct builder *builder, uint8_t *dst)
{
    uint16_t flags = answer_flags(builder);
    bool has_opt = builder->query->options_off != 0;
    uint32_t additional_count = builder->count[DNSPACK_ADDITIONAL] + (has_opt ? 1u : 0u);

    dnspack_store16(dst, 0, builder->query->id);
    dnspack_store16(dst, 2, flags);
    dnspack_store16(dst, 4, 1);
    dnspack_store16(dst, 6, (uint16_t)builder->count[DNSPACK_ANSWER]);
    dnspack_store16(dst, 8, (uint16_t)builder->count[DNSPACK_AUTHORITY]);
    dnspack_store16(dst, 10, (uint16_t)additional_count);
}

/* The head of a valid entry. */
/*@ // The query name, and the sections behind it.
    predicate sections_in{L}(uint8_t *b, integer lo, integer stop, integer o0, integer o1, integer o2, integer n, integer qt) =
      10 <= lo < stop <= lo + DNSPACK_NAME_MAX && stop <= o0 <= o1 <= o2 <= n && name_stop(b, lo, 1) == stop &&
      tiled(b, lo, o0, o1, qt) && tiled(b, lo, o1, o2, qt) && tiled(b, lo, o2, n, qt);
    predicate head_says{L}(uint8_t *b, integer n, struct dnspack_entry h) =
      h.stored_s == be32(b, 2) && h.ttl_s == be24(b, 6) && (h.rcode == RCODE_NOERROR <==> b[9] / 64 == 0) &&
      (h.rcode == RCODE_SERVFAIL <==> b[9] / 64 == 2) && h.section_off[0] == groups_at(b) && h.section_off[1] == answer_end(b, n);
    predicate head_inside(struct dnspack_entry h, integer n) =
      10 <= h.qname_off < h.qname_end <= h.qname_off + DNSPACK_NAME_MAX && h.qname_end <= h.section_off[0] && h.rcode <= 3 &&
      h.tag_off + h.tag_len <= n && h.error_count <= DNSPACK_ERRORS_MAX && (h.error_count != 0 ==> 0 < h.errors_off) &&
      h.section_off[0] <= h.section_off[1] <= h.section_off[2] <= h.section_off[3] && h.section_off[3] == n;
    predicate head_leads{L}(uint8_t *b, struct dnspack_entry h, integer n) =
      tiled(b, h.qname_off, h.section_off[0], h.section_off[1], h.qtype) &&
      tiled(b, h.qname_off, h.section_off[1], h.section_off[2], h.qtype) && tiled(b, h.qname_off, h.section_off[2], n, h.qtype) &&
      name_stop(b, h.qname_off, 1) == h.qname_end && (h.error_count != 0 ==> 0 <= errors_stop(b, h.errors_off, h.error_count) <= n); */
/*@ requires entry: \valid_read(entry + (0 .. entry_len - 1)) && valid_entry(entry, entry_len);
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures says: head_says(entry, entry_len, \result);
    ensures inside: head_inside(\result, entry_len);
    ensures leads: head_leads(entry, \result, entry_len); */
static struct dnspack_entry head_read(const uint8_t *entry, size_t entry_len)
{
    return dnspack_entry_decode(entry, entry_len);
}

/* The head of the entry, and how old it is. */
/*@ requires builder: \valid(builder) && \separated(builder, entry + (0 .. head.section_off[3] - 1));
    terminates \true;
    exits   \false;
    assigns builder->head, builder->age_s, builder->stale;
    ensures entry: same{Pre,Post}(entry, 0, head.section_off[3]);
    ensures numbers: builder->head.stored_s == head.stored_s && builder->head.ttl_s == head.ttl_s && builder->head.rcode == head.rcode &&
      builder->head.error_count == head.error_count && builder->head.errors_off == head.errors_off;
    ensures question: builder->head.qtype == head.qtype && builder->head.qname_off == head.qname_off &&
      builder->head.qname_end == head.qname_end;
    ensures tag: builder->head.tag_off == head.tag_off && builder->head.tag_len == head.tag_len;
    ensures sections: builder->head.section_off[0] == head.section_off[0] && builder->head.section_off[1] == head.section_off[1] &&
      builder->head.section_off[2] == head.section_off[2] && builder->head.section_off[3] == head.section_off[3];
    ensures age: builder->age_s == age_of(now_s, head.stored_s) && builder->stale == (builder->age_s >= head.ttl_s ? 1 : 0); */
static void head_set(struct builder *builder, const uint8_t *entry, struct dnspack_entry head, uint32_t now_s)
{
    (void)entry; /* the contract speaks of it */
    builder->head = head;
    //@ assert kept: same{Pre,Here}(entry, 0, head.section_off[3]);
    builder->age_s = now_s > head.stored_s ? now_s - head.stored_s : 0;
    builder->stale = builder->age_s >= head.ttl_s;
}

/* What is known before anything is read or written. */
/*@ requires builder: \valid(builder);
    terminates \true;
    exits   \false;
    assigns builder->entry \from entry;
    assigns builder->msg \from msg;
    assigns builder->query \from query;
    assigns builder->options \from options;
    assigns builder->truncated, builder->count[0 .. 2], builder->spelled_count;
    ensures fields: builder->entry == entry && builder->msg == msg && builder->query == query && builder->options == options;
    ensures none: builder->spelled_count == 0 && builder->count[0] == 0 && builder->count[1] == 0 && builder->count[2] == 0; */
static void builder_set(struct builder *builder, const uint8_t *entry, const uint8_t *msg, const struct dnspack_message *query,
                        const struct dnspack_answer_options *options)
{
    builder->entry = entry;
    builder->msg = msg;
    builder->query = query;
    builder->options = options;
    builder->truncated = false;
    builder->count[DNSPACK_ANSWER] = 0;
    builder->count[DNSPACK_AUTHORITY] = 0;
    builder->count[DNSPACK_ADDITIONAL] = 0;
    builder->spelled_count = 0;
}

/* A builder of the entry that head is of. */
/*@ requires builder: \valid(builder) && \separated(builder, entry + (0 .. head.section_off[3] - 1));
    requires query: \valid_read(query) && \separated(builder, query);
    requires options: \valid_read(options) && \separated(builder, options);
    terminates \true;
    exits   \false;
    assigns *builder;
    ensures fields: builder->entry == entry && builder->msg == msg && builder->query == query && builder->options == options;
    ensures entry: same{Pre,Post}(entry, 0, head.section_off[3]);
    ensures numbers: builder->head.ttl_s == head.ttl_s && builder->head.rcode == head.rcode &&
      builder->head.error_count == head.error_count && builder->head.errors_off == head.errors_off;
    ensures question: builder->head.qtype == head.qtype && builder->head.qname_off == head.qname_off &&
      builder->head.qname_end == head.qname_end;
    ensures tag: builder->head.tag_off == head.tag_off && builder->head.tag_len == head.tag_len;
    ensures sections: builder->head.section_off[0] == head.section_off[0] && builder->head.section_off[1] == head.section_off[1] &&
      builder->head.section_off[2] == head.section_off[2] && builder->head.section_off[3] == head.section_off[3];
    ensures age: builder->age_s == age_of(\old(options->now_s), head.stored_s) && builder->stale == (builder->age_s >= head.ttl_s ? 1 : 0);
    ensures none: builder->spelled_count == 0 && builder->count[0] == 0 && builder->count[1] == 0 && builder->count[2] == 0;
    ensures qname: query->qname_len == \old(query->qname_len);
    ensures family: query->ecs.family == \old(query->ecs.family);
    ensures address: query->ecs.address_off == \old(query->ecs.address_off);
    ensures address_len: query->ecs.address_len == \old(query->ecs.address_len);
    ensures own: options->edns_options == \old(options->edns_options) && options->edns_options_len == \old(options->edns_options_len);
    ensures most: options->stale_max_s == \old(options->stale_max_s);
    ensures negative: options->stale_negative == \old(options->stale_negative); */
static void builder_init(struct builder *builder, const uint8_t *entry, struct dnspack_entry head, const uint8_t *msg,
                         const struct dnspack_message *query, const struct dnspack_answer_options *options)
{
    uint32_t now_s = options->now_s;

    builder_set(builder, entry, msg, query, options);
    //@ assert most: options->stale_max_s == \at(options->stale_max_s,Pre);
    //@ assert negative: options->stale_negative == \at(options->stale_negative,Pre);
    //@ ghost set: ;
    head_set(builder, entry, head, now_s);
    //@ assert still_most: options->stale_max_s == \at(options->stale_max_s,set);
    //@ assert still_negative: options->stale_negative == \at(options->stale_negative,set);
}

/*@ requires entry: \valid_read(entry + (0 .. entry_len - 1)) && valid_entry(entry, entry_len);
    requires query: query_read(msg, query);
    requires options: \valid_read(options);
    requires builder: \valid(builder) && \separated(builder, query) && \separated(builder, options) &&
      \separated(builder, entry + (0 .. entry_len - 1));
    terminates \true;
    exits   \false;
    assigns *builder;
    ensures fields: builder->entry == entry && builder->msg == msg && builder->query == query && builder->options == options;
    ensures entry: same{Pre,Post}(entry, 0, entry_len);
    ensures head: builder->head.rcode <= 3 && builder->head.error_count <= DNSPACK_ERRORS_MAX &&
      builder->head.tag_off + builder->head.tag_len <= entry_len && builder->head.section_off[3] == entry_len;
    ensures sections: sections_in(builder->entry, builder->head.qname_off, builder->head.qname_end, builder->head.section_off[0],
      builder->head.section_off[1],
      builder->head.section_off[2], builder->head.section_off[3], builder->head.qtype);
    ensures errors: builder->head.error_count != 0 ==> 0 < builder->head.errors_off &&
      0 <= errors_stop(builder->entry, builder->head.errors_off, builder->head.error_count) <= builder->head.section_off[3];
    ensures none: builder->spelled_count == 0 && builder->count[0] == 0 && builder->count[1] == 0 && builder->count[2] == 0;
    ensures client: query->qname_len == \old(query->qname_len) && query->ecs.family == \old(query->ecs.family) &&
      query->ecs.address_len == \old(query->ecs.address_len) && query->ecs.address_off == \old(query->ecs.address_off);
    ensures own: options->edns_options == \old(options->edns_options) && options->edns_options_len == \old(options->edns_options_len);
    ensures age: builder->age_s == \old(age_in(entry, options->now_s)) && builder->stale == \old(stale_in(entry, options->now_s));
    ensures left: builder->head.ttl_s == \old(be24(entry, 6)) && (builder->stale == 0 <==> builder->age_s < builder->head.ttl_s);
    ensures good: good(builder->stale, builder->age_s, builder->head.ttl_s, builder->options->stale_max_s, builder->head.rcode,
      builder->head.section_off[0], builder->head.section_off[1], builder->options->stale_negative) <==>
      \old(usable_by(entry, entry_len, options)); */
static void builder_start(struct builder *builder, const uint8_t *entry, size_t entry_len, const uint8_t *msg,
                          const struct dnspack_message *query, const struct dnspack_answer_options *options)
{
    struct dnspack_entry head = head_read(entry, entry_len);

    builder_init(builder, entry, head, msg, query, options);
    //@ assert kept: same{Pre,Here}(entry, 0, entry_len);
    //@ assert order: 0 <= head.qname_off && 0 <= head.section_off[0] <= head.section_off[1] <= head.section_off[2] <= entry_len;
    //@ assert answer: tiled(entry, head.qname_off, head.section_off[0], head.section_off[1], head.qtype);
    //@ assert authority: tiled(entry, head.qname_off, head.section_off[1], head.section_off[2], head.qtype);
    //@ assert additional: tiled(entry, head.qname_off, head.section_off[2], entry_len, head.qtype);
    //@ assert name: name_stop(entry, head.qname_off, 1) == head.qname_end;
    //@ assert errors: head.error_count != 0 ==> 0 <= errors_stop(entry, head.errors_off, head.error_count) <= entry_len;
    /*@ assert sections: sections_in(entry, head.qname_off, head.qname_end, head.section_off[0], head.section_off[1], head.section_off[2],
          entry_len, head.qtype); */
}

/*@ // What is read, and memory for a response of limit octets.
    predicate response_reads{L}(struct builder *b) =
      reads(b) && query_read(b->msg, b->query) && options_read(b->options) && b->head.rcode <= 3 &&
      b->head.error_count <= DNSPACK_ERRORS_MAX &&
      b->stale <= 1 && b->head.tag_off + b->head.tag_len <= b->head.section_off[3] &&
      errors_left(b, b->head.errors_off, b->head.error_count);
    predicate response_apart{L}(struct builder *b, struct rr *rr, uint8_t *dst, integer limit) =
      rr_apart(b, dst, rr) && apart(b, dst) && opt_apart(b, dst, limit) && query_apart(b->msg, b->query, dst, limit) &&
      options_apart(b->options, dst, limit) && \separated(rr, dst + (0 .. limit - 1)); */

/* OPT, if the client sent one, and the header. */
/*@ requires builder: response_reads(builder) && counts(builder);
    requires options: builder->options->edns_options_len <= DNSPACK_EDNS_OPTIONS_MAX;
    requires output: opt_apart(builder, dst, limit) && query_apart(builder->msg, builder->query, dst, limit) &&
      options_apart(builder->options, dst, limit);
    requires room: DNSPACK_HEADER_LEN <= off && off + opt_room(builder) <= limit;
    terminates \true;
    exits   \false;
    assigns dst[off .. limit - 1], dst[0 .. DNSPACK_HEADER_LEN - 1];
    ensures bound: off <= \result <= limit; */
static size_t end_put(const struct builder *builder, uint8_t *dst, size_t off, size_t limit)
{
    //@ assert header: DNSPACK_HEADER_LEN <= limit;
    //@ assert entry_apart: \separated(dst + (0 .. DNSPACK_HEADER_LEN - 1), builder->entry + (0 .. builder->head.section_off[3] - 1));
    //@ assert builder_apart: \separated(dst + (0 .. DNSPACK_HEADER_LEN - 1), builder);
    //@ assert query_apart: \separated(dst + (0 .. DNSPACK_HEADER_LEN - 1), builder->query);
    //@ assert count_apart: \separated(dst + (0 .. DNSPACK_HEADER_LEN - 1), &builder->head.error_count);
    header_put(builder, dst);
    //@ assert entry: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
    //@ assert head: head_kept{Pre,Here}(builder);
    /*@ assert client: builder->query->ecs.address_len == \at(builder->query->ecs.address_len,Pre) &&
          builder->query->ecs.family == \at(builder->query->ecs.family,Pre); */
    //@ assert kept: opt_kept{Pre,Here}(builder);
    //@ assert reads: reads(builder);
    //@ assert apart: opt_apart(builder, dst, limit);
    //@ assert errors: errors_left(builder, builder->head.errors_off, builder->head.error_count);
    return builder->query->options_off != 0 ? opt_put(builder, dst, off, limit) : off;
}

/* A response of at most limit octets: the builder's limit leaves what OPT takes at least. */
/*@ requires builder: response_reads(builder) && slots(builder) && counts(builder) && sections_are(builder) && question_known(builder);
    requires options: builder->options->edns_options_len <= DNSPACK_EDNS_OPTIONS_MAX;
    requires output: response_apart(builder, rr, dst, limit);
    requires room: DNSPACK_HEADER_LEN + builder->query->qname_len + QUESTION_FIXED_LEN <= builder->limit &&
      builder->limit + opt_room(builder) == limit;
    terminates \true;
    exits   \false;
    assigns *rr, builder->count[0 .. 2], builder->spelled[0 .. SPELLED_MAX - 1], builder->spelled_count, builder->section_end,
      builder->truncated,
      dst[0 .. limit - 1];
    ensures bound: DNSPACK_HEADER_LEN + \old(builder->query->qname_len) + QUESTION_FIXED_LEN <= \result <= limit; */
static size_t response_put(struct builder *builder, struct rr *rr, uint8_t *dst, size_t limit)
{
    size_t start = DNSPACK_HEADER_LEN + (size_t)builder->query->qname_len + QUESTION_FIXED_LEN, off;

    //@ assert builder_apart: \separated(dst + (0 .. limit - 1), builder);
    //@ assert client_apart: \separated(dst + (0 .. limit - 1), builder->query);
    //@ assert rr_builder: \separated(rr, builder);
    //@ assert rr_client: \separated(rr, builder->query);
    //@ assert rr_options: \separated(rr, builder->options);
    //@ assert count_apart: \separated(dst + (0 .. limit - 1), &builder->head.error_count);
    //@ assert rr_count: \separated(rr, &builder->head.error_count, &builder->query->ecs.address_len, &builder->query->ecs.family);
    //@ assert question_apart: \separated(dst + (DNSPACK_HEADER_LEN .. start - 1), &builder->head.error_count);
    dnspack_copy(dst, DNSPACK_HEADER_LEN, builder->msg, DNSPACK_HEADER_LEN, start - DNSPACK_HEADER_LEN);
    //@ assert kept_question: same{Pre,Here}(builder->entry, 0, builder->head.section_off[3]);
    //@ assert head_question: head_kept{Pre,Here}(builder);
    /*@ assert client_question: builder->query->ecs.address_len == \at(builder->query->ecs.address_len,Pre) &&
          builder->query->ecs.family == \at(builder->query->ecs.family,Pre); */
    //@ assert inputs_question: opt_kept{Pre,Here}(builder);
    /*@ assert answer: tiled(builder->entry, builder->head.qname_off, builder->head.section_off[0], builder->head.section_off[1],
          builder->head.qtype); */
    /*@ assert authority: tiled(builder->entry, builder->head.qname_off, builder->head.section_off[1], builder->head.section_off[2],
          builder->head.qtype); */
    /*@ assert additional: tiled(builder->entry, builder->head.qname_off, builder->head.section_off[2], builder->head.section_off[3],
          builder->head.qtype); */
    //@ assert name: question_known(builder);
    //@ assert errors_question: errors_left(builder, builder->head.errors_off, builder->head.error_count);
    //@ assert sections_apart: \separated(dst + (start .. builder->limit - 1), &builder->head.error_count);
    /*@ assert sections_client: \separated(dst + (start .. builder->limit - 1), &builder->query->ecs.address_len,
          &builder->query->ecs.family); */
    //@ ghost question_written: ;
    off = sections_put(builder, rr, dst, start);
    //@ assert kept: same{question_written,Here}(builder->entry, 0, builder->head.section_off[3]);
    //@ assert head: head_kept{question_written,Here}(builder);
    /*@ assert client: builder->query->ecs.address_len == \at(builder->query->ecs.address_len,question_written) &&
          builder->query->ecs.family == \at(builder->query->ecs.family,question_written); */
    //@ assert inputs: opt_kept{question_written,Here}(builder);
    //@ assert errors_off: builder->head.errors_off == \at(builder->head.errors_off,Pre);
    /*@ assert head_numbers: builder->head.rcode == \at(builder->head.rcode,Pre) &&
          builder->head.tag_off == \at(builder->head.tag_off,Pre) && builder->head.tag_len == \at(builder->head.tag_len,Pre); */
    //@ assert limit: builder->limit == \at(builder->limit,Pre);
    //@ assert errors: errors_left(builder, builder->head.errors_off, builder->head.error_count);
    //@ assert reads: response_reads(builder);
    //@ assert apart: opt_apart(builder, dst, limit);
    //@ assert apart_query: query_apart(builder->msg, builder->query, dst, limit);
    //@ assert apart_options: options_apart(builder->options, dst, limit);
    return end_put(builder, dst, off, limit);
}

/* The response of a builder that is set up, of at most its limit. */
/*@ requires builder: \valid(builder) && \valid_read(builder->entry + (0 .. builder->head.section_off[3] - 1));
    requires sections: sections_in(builder->entry, builder->head.qname_off, builder->head.qname_end, builder->head.section_off[0],
      builder->head.section_off[1],
      builder->head.section_off[2], builder->head.section_off[3], builder->head.qtype);
    requires errors: builder->head.error_count != 0 ==> 0 < builder->head.errors_off &&
      0 <= errors_stop(builder->entry, builder->head.errors_off, builder->head.error_count) <= builder->head.section_off[3];
    requires head: builder->head.rcode <= 3 && builder->head.error_count <= DNSPACK_ERRORS_MAX &&
      builder->head.tag_off + builder->head.tag_len <= builder->head.section_off[3];
    requires none: builder->spelled_count == 0 && builder->count[0] == 0 && builder->count[1] == 0 && builder->count[2] == 0;
    requires query: query_read(builder->msg, builder->query);
    requires options: options_read(builder->options);
    requires stale: builder->stale == 0 <==> builder->age_s < builder->head.ttl_s;
    requires output: builder->limit <= DNSPACK_MESSAGE_MAX && \valid(dst + (0 .. builder->limit - 1)) &&
      \separated(dst + (0 .. builder->limit - 1), builder->entry + (0 .. builder->head.section_off[3] - 1));
    requires client_apart: query_apart(builder->msg, builder->query, dst, builder->limit) &&
      options_apart(builder->options, dst, builder->limit);
    requires apart: \separated(builder, dst + (0 .. builder->limit - 1)) &&
      \separated(builder, builder->entry + (0 .. builder->head.section_off[3] - 1)) &&
      \separated(builder, builder->query) && \separated(builder, builder->options);
    requires rr: \valid(rr) && \separated(rr, builder) && \separated(rr, dst + (0 .. builder->limit - 1)) &&
      \separated(rr, builder->entry + (0 .. builder->head.section_off[3] - 1)) && \separated(rr, builder->query) &&
      \separated(rr, builder->options);
    requires answer: \valid(answer) && \separated(answer, builder);
    terminates \true;
    exits   \false;
    assigns *answer, *rr, *builder, dst[0 .. builder->limit - 1];
    ensures expired: \result == DNSPACK_E_EXPIRED <==> \old(!good(builder->stale, builder->age_s, builder->head.ttl_s,
      builder->options->stale_max_s, builder->head.rcode,
      builder->head.section_off[0], builder->head.section_off[1], builder->options->stale_negative));
    ensures status: \result == DNSPACK_OK || \result == DNSPACK_E_EXPIRED || \result == DNSPACK_E_NO_SPACE;
    ensures untouched: \result != DNSPACK_OK ==> same{Pre,Post}(dst, 0, \old(builder->limit)) && *answer == \old(*answer);
    ensures size: \result == DNSPACK_OK ==>
      DNSPACK_HEADER_LEN + \old(builder->query->qname_len) + QUESTION_FIXED_LEN <= answer->len <= \old(builder->limit);
    ensures stale: \result == DNSPACK_OK ==> answer->stale == \old(builder->stale);
    ensures remaining: \result == DNSPACK_OK ==>
      answer->remaining_s == \old(builder->stale == 0 ? builder->head.ttl_s - builder->age_s : 0); */
static enum dnspack_status respond(struct builder *builder, struct rr *rr, uint8_t *dst, struct dnspack_answer *answer)
{
    size_t limit = builder->limit, len = DNSPACK_HEADER_LEN + (size_t)builder->query->qname_len + QUESTION_FIXED_LEN, least;
    uint32_t remaining_s = builder->stale ? 0 : builder->head.ttl_s - builder->age_s;
    bool stale = builder->stale;

    //@ assert reads: response_reads(builder);
    //@ assert names: slots(builder);
    //@ assert zeros: \forall integer i; 0 <= i <= 2 ==> builder->count[i] == 0;
    //@ assert counts: counts(builder);
    //@ assert sections: sections_are(builder) && question_known(builder);
    if (!is_usable(builder))
        return DNSPACK_E_EXPIRED;
    if (builder->options->edns_options_len > DNSPACK_EDNS_OPTIONS_MAX)
        return DNSPACK_E_NO_SPACE;
    least = opt_least(builder);
    if (limit < len + least)
        return DNSPACK_E_NO_SPACE;
    builder->limit = limit - least;
    //@ assert apart: apart(builder, dst);
    //@ assert rr_apart: rr_apart(builder, dst, rr);
    //@ assert opt_apart: opt_apart(builder, dst, limit);
    //@ assert query_apart: query_apart(builder->msg, builder->query, dst, limit);
    //@ assert options_apart: options_apart(builder->options, dst, limit);
    //@ assert rr: \separated(rr, dst + (0 .. limit - 1));
    len = response_put(builder, rr, dst, limit);
    answer->len = (uint16_t)len;
    answer->truncated = builder->truncated;
    answer->stale = stale;
    answer->remaining_s = remaining_s;
    return DNSPACK_OK;
}

enum dnspack_status dnspack_answer_build(const uint8_t *entry, size_t entry_len, const uint8_t *msg, const struct dnspack_message *query,
                                         const struct dnspack_answer_options *options, uint8_t *dst, size_t dst_cap,
                                         struct dnspack_answer *answer)
{
    enum dnspack_status status;
    struct builder builder;
    struct rr rr;

    builder_start(&builder, entry, entry_len, msg, query, options);
    builder.limit = size_limit(query, options, dst_cap);
    //@ assert kept: same{Pre,Here}(dst, 0, dst_cap);
    //@ assert query: query_read(msg, query);
    //@ assert options: options_read(options);
    //@ assert client_apart: query_apart(msg, query, dst, dst_cap);
    //@ assert options_apart: options_apart(options, dst, dst_cap);
    //@ assert answer: *answer == \at(*answer,Pre);
    //@ ghost started: ;
    status = respond(&builder, &rr, dst, answer);
    //@ assert untouched: status != DNSPACK_OK ==> same{started,Here}(dst, 0, dst_cap);
    return status;
}

/* The RCODE that a refused query is answered with. */
/*@ terminates \true;
    exits   \false;
    assigns \nothing;
    ensures range: \result <= RCODE_BADVERS;
    ensures upper: \result >= 16 <==> why == DNSPACK_E_VERSION; */
static unsigned rcode_for(enum dnspack_status why)
{
    switch (why) {
    case DNSPACK_OK:
        return RCODE_SERVFAIL;
    case DNSPACK_E_OPCODE:
        return RCODE_NOTIMP;
    case DNSPACK_E_VERSION:
        return RCODE_BADVERS;
    default:
        return RCODE_FORMERR;
    }
}

/* Repeat the only question of a well-formed query, if there is room; returns where the header and it end. */
/*@ requires msg: DNSPACK_HEADER_LEN <= msg_len <= DNSPACK_MESSAGE_MAX && \valid_read(msg + (0 .. msg_len - 1));
    requires dst: DNSPACK_HEADER_LEN <= dst_cap <= SIZE_MAX / 2 && \valid(dst + (0 .. dst_cap - 1));
    requires apart: \separated(dst + (0 .. dst_cap - 1), msg + (0 .. msg_len - 1));
    terminates \true;
    exits   \false;
    assigns dst[4 .. 5], dst[DNSPACK_HEADER_LEN .. dst_cap - 1];
    ensures bound: DNSPACK_HEADER_LEN <= \result <= dst_cap && \result <= DNSPACK_HEADER_LEN + DNSPACK_NAME_MAX + QUESTION_FIXED_LEN; */
static size_t question_put(const uint8_t *msg, size_t msg_len, uint8_t *dst, size_t dst_cap)
{
    size_t end = dnspack_name_check(msg, msg_len, DNSPACK_HEADER_LEN);

    if (end == 0 || dnspack_load16(msg, 4) != 1 || msg_len - end < QUESTION_FIXED_LEN || dst_cap < end + QUESTION_FIXED_LEN)
        return DNSPACK_HEADER_LEN;
    end += QUESTION_FIXED_LEN;
    dnspack_copy(dst, DNSPACK_HEADER_LEN, msg, DNSPACK_HEADER_LEN, end - DNSPACK_HEADER_LEN);
    dnspack_store16(dst, 4, 1);
    return end;
}

size_t dnspack_answer_error(const uint8_t *msg, size_t msg_len, enum dnspack_status why, uint8_t *dst, size_t dst_cap)
{
    unsigned rcode = rcode_for(why), flags;
    size_t len = DNSPACK_HEADER_LEN;

    if (msg_len < DNSPACK_HEADER_LEN || dst_cap < DNSPACK_HEADER_LEN + 11u)
        return 0;
    flags = dnspack_load16(msg, 2);
    if (flags >= DNSPACK_FLAG_QR)
        return 0;
    flags = DNSPACK_FLAG_QR + flags / 2048u % 16u * 2048u + flags / DNSPACK_FLAG_RD % 2u * DNSPACK_FLAG_RD +
            flags / DNSPACK_FLAG_CD % 2u * DNSPACK_FLAG_CD + rcode % 16u;
    dnspack_store16(dst, 0, dnspack_load16(msg, 0));
    dnspack_store16(dst, 2, (uint16_t)flags);
    dnspack_store32(dst, 4, 0);
    dnspack_store32(dst, 8, 0);
    if (rcode == RCODE_SERVFAIL || rcode == RCODE_BADVERS)
        len = question_put(msg, msg_len, dst, dst_cap - 11u);
    if (rcode == RCODE_BADVERS) { /* RFC 6891 6.1.3: version 0, the upper bits of RCODE */
        //@ assert room: DNSPACK_HEADER_LEN <= len && len + 11 <= dst_cap;
        dnspack_store16(dst, 10, 1);
        dst[len] = 0;
        dnspack_store16(dst, len + 1, TYPE_OPT);
        dnspack_store16(dst, len + 3, 1232);
        dnspack_store32(dst, len + 5, RCODE_BADVERS / 16u * 16777216u);
        dnspack_store16(dst, len + 9, 0);
        len += 11;
    }
    return len;
}
