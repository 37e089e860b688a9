/*
 * encode.c - making entries: what is stored, for how long, and the octets.
 *
 * Three steps over a list of records: runs (one owner, type and TTL), lifetime, octets. Each is linear in the
 * number of records: a run looks back at most RUNS_LOOK_BACK runs, an owner at DNSPACK_CANDIDATES_MAX names.
 */
#include "encode.h"
#include "runs.h"

struct dnspack_policy dnspack_policy_default(void)
{
    struct dnspack_policy policy = {
        .ttl_max_s = 604800, /* RFC 8767 4 */
        .ttl_min_s = 0,
        .negative_max_s = 10800, /* RFC 2308 5 */
        .servfail_s = 5,         /* RFC 9520 3.2 */
        .drop_authority = false,
        .drop_additional = false,
    };

    return policy;
}

size_t dnspack_entry_bound(size_t msg_len)
{
    /* A record of 12 octets (its owner and two names in its RDATA pointers of 2) can take 7 + 255 + 2 * 255; the head 30 + 255 + 255. */
    return msg_len >= 1000 ? DNSPACK_ENTRY_MAX : msg_len * 65u + 535u;
}

/* ---- step 1: runs ---- */

/* Are two names of a message the same, case aside? */
/*@ requires message: msg_len <= DNSPACK_MESSAGE_MAX && \valid_read(msg + (0 .. msg_len - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures length: \result == 1 ==> \old(name_len(msg, msg_len, a_off)) == \old(name_len(msg, msg_len, b_off)); */
static bool names_same(const uint8_t *msg, size_t msg_len, size_t a_off, size_t b_off)
{
    uint8_t a[DNSPACK_NAME_MAX], b[DNSPACK_NAME_MAX];
    size_t next, len = dnspack_name_read(msg, msg_len, a_off, a, 0, &next);

    //@ assert same: same{Pre,Here}(msg, 0, msg_len);
    return len == dnspack_name_read(msg, msg_len, b_off, b, 0, &next) && dnspack_name_equal(a, 0, b, 0, len);
}

/* The owner at owner_off, which is not the query name's offset: off becomes that of the query name or of a run before, if one has it. */
/*@ requires source: source_valid(source);
    requires runs: run_count <= DNSPACK_RUNS_MAX && \valid_read(runs + (0 .. DNSPACK_RUNS_MAX - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures len: \result.len == \old(name_len(source->octets, source->octets_len, owner_off)) && \result.len <= DNSPACK_NAME_MAX; */
static struct run_owner owner_resolve(const struct dnspack_source *source, const struct dnspack_run *runs, size_t run_count,
                                      uint16_t owner_off)
{
    uint8_t name[DNSPACK_NAME_MAX];
    struct run_owner owner = {owner_off, 0, 0};
    size_t next, back, len = dnspack_name_read(source->octets, source->octets_len, owner_off, name, 0, &next);

    owner.len = (uint16_t)len;
    if (len == 0)
        return owner;
    if (len == source->qname_len && dnspack_name_equal(name, 0, source->octets, DNSPACK_HEADER_LEN, len)) {
        owner.off = DNSPACK_HEADER_LEN;
        return owner;
    }
    owner.hash = dnspack_name_hash(name, 0, len, 0);
    /*@ loop invariant steps: 1 <= back <= run_count + 1;
        loop assigns back;
        loop variant run_count + 1 - back; */
    for (back = 1; back <= RUNS_LOOK_BACK && back <= run_count; back++) {
        const struct dnspack_run *other = &runs[run_count - back];

        if (other->owner_len == len && other->owner_hash == owner.hash &&
            names_same(source->octets, source->octets_len, owner_off, other->owner_off)) {
            owner.off = other->owner_off;
            return owner;
        }
    }
    return owner;
}

/* The TTL that a record brings: RFC 2181 8 and RFC 8767 4 (top bit set: large, so capped), RFC 4034 3.1.4 (RRSIG: its original TTL). */
/*@ requires source: source_valid(source) && index < source->record_count;
    requires policy: \valid_read(policy);
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures bound: \result <= source->records[index].ttl_s && \result <= policy->ttl_max_s && \result <= DNSPACK_TTL_MAX;
    ensures plain: source->records[index].type != TYPE_RRSIG ==>
      \result == min2(source->records[index].ttl_s, min2(policy->ttl_max_s, DNSPACK_TTL_MAX));
    ensures signature: source->records[index].type == TYPE_RRSIG && 8 <= source->records[index].rdata_len ==>
      \result <= be32(source->octets, source->records[index].rdata_off + 4); */
static uint32_t record_ttl(const struct dnspack_source *source, const struct dnspack_policy *policy, size_t index)
{
    const struct dnspack_record *record = &source->records[index];
    uint32_t ttl_s = least(record->ttl_s, least(policy->ttl_max_s, DNSPACK_TTL_MAX));

    //@ assert inside: record_inside(source->octets_len, source->records, index);
    if (record->type == TYPE_RRSIG && record->rdata_len >= 8)
        ttl_s = least(ttl_s, dnspack_load32(source->octets, record->rdata_off + 4u));
    return ttl_s;
}

/* Is a record like the one before it, by sight? RRSIGs keep their own TTLs. */
/*@ requires source: source_valid(source) && 1 <= index < source->record_count;
    terminates \true;
    exits   \false;
    assigns \nothing; */
static bool record_continues(const struct dnspack_source *source, size_t index)
{
    const struct dnspack_record *record = &source->records[index], *before = &source->records[index - 1];

    return record->owner_off == before->owner_off && record->type == before->type && record->rclass == before->rclass &&
           record->section == before->section && record->type != TYPE_RRSIG;
}

/* Does a run go on with this record, now that its owner is known? RRSIGs keep their own TTLs. */
/*@ requires source: source_valid(source) && index < source->record_count;
    requires runs: at < DNSPACK_RUNS_MAX && \valid_read(runs + (0 .. DNSPACK_RUNS_MAX - 1));
    terminates \true;
    exits   \false;
    assigns \nothing; */
static bool run_continues(const struct dnspack_run *runs, size_t at, const struct dnspack_source *source, size_t index, uint32_t ttl_s,
                          uint16_t owner_off)
{
    const struct dnspack_record *record = &source->records[index];
    const struct dnspack_run *run = &runs[at];

    return record->type == run->type && record->section == run->section && owner_off == run->owner_off &&
           (record->type != TYPE_RRSIG || ttl_s == run->ttl_s);
}

/* Types that have a layout in the entry and a meaning in class IN only. */
/*@ terminates \true;
    exits   \false;
    assigns \nothing;
    ensures meaning: \result == 1 <==> type == TYPE_A || type == TYPE_AAAA || type == TYPE_SRV; */
static bool type_is_internet(uint16_t type)
{
    return type == TYPE_A || type == TYPE_AAAA || type == TYPE_SRV;
}

/* The runs of a source's records; *run_count: how many. CLASS and NAME say what is wrong with a record. */
/*@ requires source: source_valid(source);
    requires policy: \valid_read(policy);
    requires output: \valid(runs + (0 .. DNSPACK_RUNS_MAX - 1)) && \valid(run_count);
    requires apart: \separated(runs + (0 .. DNSPACK_RUNS_MAX - 1), run_count, source, policy,
      source->octets + (0 .. source->octets_len - 1),
      source->records + (0 .. source->record_count - 1));
    terminates \true;
    exits   \false;
    assigns runs[0 .. DNSPACK_RUNS_MAX - 1], *run_count;
    ensures status: \result == DNSPACK_OK || \result == DNSPACK_E_CLASS || \result == DNSPACK_E_NAME;
    ensures count: \result == DNSPACK_OK ==> *run_count <= source->record_count;
    ensures fit: \result == DNSPACK_OK ==> runs_fit(source->record_count, runs, *run_count);
    ensures honest: \result == DNSPACK_OK ==> runs_honest(source->records, 0, runs, *run_count); */
static enum dnspack_status runs_make(const struct dnspack_source *source, const struct dnspack_policy *policy, struct dnspack_run *runs,
                                     size_t *run_count)
{
    size_t count = 0, index;

    /*@ loop invariant made: runs_made(source, runs, index, count);
        loop assigns index, count, runs[0 .. DNSPACK_RUNS_MAX - 1];
        loop variant source->record_count - index; */
    for (index = 0; index < source->record_count; index++) {
        const struct dnspack_record *record = &source->records[index];
        uint32_t ttl_s = record_ttl(source, policy, index);
        struct run_owner owner = {record->owner_off, source->qname_len, 0};
        bool continues = index > 0 && record_continues(source, index); /* the commonest case by far */

        if (!continues) {
            if (record->rclass != source->qclass || (record->rclass != CLASS_IN && type_is_internet(record->type)))
                return DNSPACK_E_CLASS;
            if (record->owner_off != DNSPACK_HEADER_LEN)
                owner = owner_resolve(source, runs, count, record->owner_off);
            if (owner.len == 0)
                return DNSPACK_E_NAME;
            continues = count > 0 && run_continues(runs, count - 1, source, index, ttl_s, owner.off);
        }
        count = run_add(source, index, ttl_s, owner, continues, runs, count);
    }
    *run_count = count;
    return DNSPACK_OK;
}

/* The first run of the RRset of run `newest`, if it is near enough. RRSIGs form no RRset (RFC 4035 2.2). */
/*@ requires read: newest < DNSPACK_RUNS_MAX && \valid_read(runs + (0 .. DNSPACK_RUNS_MAX - 1));
    requires led: runs_led(runs, newest);
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures leader: \result <= newest && (\result < newest ==> runs[\result].leader == \result); */
static size_t rrset_leader(const struct dnspack_run *runs, size_t newest)
{
    const struct dnspack_run *run = &runs[newest];
    size_t back;

    if (run->type == TYPE_RRSIG)
        return newest;
    /*@ loop invariant steps: 1 <= back <= newest + 1;
        loop assigns back;
        loop variant newest + 1 - back; */
    for (back = 1; back <= RUNS_LOOK_BACK && back <= newest; back++) {
        const struct dnspack_run *other = &runs[newest - back];

        //@ assert led: run_led(runs, newest - back);
        if (other->type == run->type && other->owner_off == run->owner_off && other->section == run->section)
            return other->leader;
    }
    return newest;
}

/*@ requires runs: run_count <= DNSPACK_RUNS_MAX && \valid(runs + (0 .. DNSPACK_RUNS_MAX - 1));
    terminates \true;
    exits   \false;
    assigns runs[0 .. run_count - 1];
    ensures led: runs_led(runs, run_count);
    ensures kept: runs_kept{Pre,Post}(runs, run_count);
    ensures within: ttls_within{Pre,Post}(runs, run_count, 0); */
static void rrsets_join(struct dnspack_run *runs, size_t run_count)
{
    size_t index;

    /*@ loop invariant steps: 0 <= index <= run_count;
        loop invariant led: runs_led(runs, index);
        loop invariant kept: runs_kept{Pre,Here}(runs, run_count);
        loop invariant within: ttls_within{Pre,Here}(runs, run_count, 0);
        loop assigns index, runs[0 .. run_count - 1];
        loop variant run_count - index; */
    for (index = 0; index < run_count; index++)
        rrset_join(runs, index, rrset_leader(runs, index));
}

/* ---- step 2: lifetime ---- */

/* What the runs say about the response. */
struct survey {
    bool answered;  /* the answer section has a record of the type asked for */
    bool delegates; /* NS in the authority section */
    uint32_t ttl_s; /* the least of the answer section, DNSPACK_TTL_MAX if that is empty */
    size_t soa;     /* index of the run with the authority section's only SOA; run_count: there is none, or more than one */
};

/*@ requires runs: run_count <= DNSPACK_RUNS_MAX && \valid_read(runs + (0 .. DNSPACK_RUNS_MAX - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures soa: \result.soa <= run_count &&
      (\result.soa < run_count ==> runs[\result.soa].section == DNSPACK_AUTHORITY && runs[\result.soa].type == TYPE_SOA);
    ensures least: \result.ttl_s <= DNSPACK_TTL_MAX &&
      \forall integer k; 0 <= k < run_count && runs[k].section == DNSPACK_ANSWER ==> \result.ttl_s <= runs[k].ttl_s; */
static struct survey runs_survey(const struct dnspack_run *runs, size_t run_count, uint16_t qtype)
{
    bool answered = false, delegates = false, several = false;
    uint32_t ttl_s = DNSPACK_TTL_MAX;
    size_t soa = run_count, index;

    /*@ loop invariant steps: 0 <= index <= run_count;
        loop invariant soa: soa <= run_count && (soa < run_count ==> runs[soa].section == DNSPACK_AUTHORITY && runs[soa].type == TYPE_SOA);
        loop invariant least: ttl_s <= DNSPACK_TTL_MAX &&
          \forall integer k; 0 <= k < index && runs[k].section == DNSPACK_ANSWER ==> ttl_s <= runs[k].ttl_s;
        loop assigns index, answered, delegates, several, ttl_s, soa;
        loop variant run_count - index; */
    for (index = 0; index < run_count; index++) {
        const struct dnspack_run *run = &runs[index];

        if (run->section == DNSPACK_ANSWER) {
            ttl_s = least(ttl_s, run->ttl_s);
            answered = answered || run->type == qtype || qtype == TYPE_ANY;
        } else if (run->section == DNSPACK_AUTHORITY) {
            if (run->type == TYPE_SOA) {
                several = several || soa != run_count || run->count > 1;
                soa = index;
            }
            delegates = delegates || run->type == TYPE_NS;
        }
    }
    return (struct survey){answered, delegates, ttl_s, several ? run_count : soa};
}

/* Give the SOA of a negative answer the TTL that it is sent with (RFC 2308 5). False: it has no MINIMUM. */
/*@ requires source: source_valid(source);
    requires policy: \valid_read(policy);
    requires runs: at < DNSPACK_RUNS_MAX && \valid(runs + (0 .. DNSPACK_RUNS_MAX - 1)) && runs[at].first < source->record_count;
    requires apart: \separated(runs + (0 .. DNSPACK_RUNS_MAX - 1), policy, source, source->octets + (0 .. source->octets_len - 1),
      source->records + (0 .. source->record_count - 1));
    terminates \true;
    exits   \false;
    assigns runs[at].ttl_s;
    ensures lower: runs[at].ttl_s <= \old(runs[at].ttl_s) && (\result == 1 ==> runs[at].ttl_s <= policy->negative_max_s); */
static bool soa_settle(const struct dnspack_source *source, const struct dnspack_policy *policy, struct dnspack_run *runs, size_t at)
{
    const struct dnspack_record *soa = &source->records[runs[at].first];
    uint32_t minimum_s;

    //@ assert inside: record_inside(source->octets_len, source->records, runs[at].first);
    if (soa->rdata_len < 22)
        return false;
    minimum_s = dnspack_load32(source->octets, (size_t)soa->rdata_off + soa->rdata_len - 4u);
    runs[at].ttl_s = least(runs[at].ttl_s, least(minimum_s, policy->negative_max_s));
    return true;
}

/* How long the response may be kept, in *ttl_s; *negative: it says that there is nothing. */
/*@ requires source: source_valid(source);
    requires policy: \valid_read(policy);
    requires runs: run_count <= DNSPACK_RUNS_MAX && \valid(runs + (0 .. DNSPACK_RUNS_MAX - 1));
    requires fit: runs_fit(source->record_count, runs, run_count);
    requires output: \valid(ttl_s) && \valid(negative);
    requires apart: \separated(ttl_s, negative, runs + (0 .. DNSPACK_RUNS_MAX - 1), policy, source,
      source->octets + (0 .. source->octets_len - 1), source->records + (0 .. source->record_count - 1));
    terminates \true;
    exits   \false;
    assigns *ttl_s, *negative, runs[0 .. run_count - 1];
    ensures status: \result == DNSPACK_OK || \result == DNSPACK_E_RCODE || \result == DNSPACK_E_REFERRAL || \result == DNSPACK_E_NO_SOA ||
      \result == DNSPACK_E_RDATA || \result == DNSPACK_E_TTL_ZERO;
    ensures range: \result == DNSPACK_OK ==> 1 <= *ttl_s <= DNSPACK_TTL_MAX;
    ensures servfail: \result == DNSPACK_OK && source->rcode == RCODE_SERVFAIL ==> *ttl_s <= 300 && *ttl_s <= policy->servfail_s;
    ensures capped: \result == DNSPACK_OK && *negative == 1 ==> *ttl_s <= policy->negative_max_s;
    ensures kept: runs_kept{Pre,Post}(runs, run_count);
    ensures within: ttls_within{Pre,Post}(runs, run_count, 0); */
static enum dnspack_status lifetime(const struct dnspack_source *source, const struct dnspack_policy *policy, struct dnspack_run *runs,
                                    size_t run_count, uint32_t *ttl_s, bool *negative)
{
    struct survey survey = runs_survey(runs, run_count, source->qtype);
    uint32_t life_s = survey.ttl_s;

    *negative = source->rcode != RCODE_SERVFAIL && (source->rcode == RCODE_NXDOMAIN || !survey.answered);
    if (source->rcode == RCODE_SERVFAIL) {
        if (policy->servfail_s == 0)
            return DNSPACK_E_RCODE;
        life_s = least(life_s, least(policy->servfail_s, 300));
    } else if (*negative) {
        if (survey.soa == run_count)
            return source->rcode == RCODE_NOERROR && run_count > 0 && runs[0].section != DNSPACK_ANSWER && survey.delegates
                       ? DNSPACK_E_REFERRAL
                       : DNSPACK_E_NO_SOA;
        //@ assert fits: run_fits(source->record_count, runs, survey.soa);
        if (!soa_settle(source, policy, runs, survey.soa))
            return DNSPACK_E_RDATA;
        life_s = least(life_s, runs[survey.soa].ttl_s);
    }
    if (life_s == 0)
        return DNSPACK_E_TTL_ZERO;
    *ttl_s = life_s;
    return DNSPACK_OK;
}

/* ---- step 3: octets; every function returns where it stopped writing, 0: malformed or beyond DNSPACK_ENTRY_MAX ---- */

/* Octets that an entry is written to: a name may start at its very end. */
enum { ENTRY_ROOM = DNSPACK_ENTRY_MAX + DNSPACK_NAME_MAX + 2 };

/* Where the octets go, what a group's head refers to, and the names that owners may refer to, in ascending order of offset. */
struct writer {
    uint8_t *dst;
    size_t qname_off;
    size_t candidate_count;
    uint16_t *candidate_off;
    uint8_t *candidate_len;
    uint32_t ttl_s; /* the entry's */
};

/*@ // Everything that is read and everything that is written are different octets.
    predicate writer_valid{L}(struct dnspack_source *s, struct writer *w) =
      \valid(w) && \valid(w->dst + (0 .. ENTRY_ROOM - 1)) && \valid(w->candidate_off + (0 .. DNSPACK_CANDIDATES_MAX - 1)) &&
      \valid(w->candidate_len + (0 .. DNSPACK_CANDIDATES_MAX - 1)) && w->candidate_count <= DNSPACK_CANDIDATES_MAX &&
      ENTRY_FIXED_LEN <= w->qname_off <= 19 &&
      \separated(w, s, s->octets + (0 .. s->octets_len - 1), s->records + (0 .. s->record_count - 1), w->dst + (0 .. ENTRY_ROOM - 1),
                 w->candidate_off + (0 .. DNSPACK_CANDIDATES_MAX - 1), w->candidate_len + (0 .. DNSPACK_CANDIDATES_MAX - 1));

    // The numbers that source_valid is about stay.
    predicate source_kept{A,B}(struct dnspack_source *s) =
      \at(s->octets_len,B) == \at(s->octets_len,A) && \at(s->record_count,B) == \at(s->record_count,A) &&
      \at(s->qname_len,B) == \at(s->qname_len,A) && \at(s->options_off,B) == \at(s->options_off,A) &&
      \at(s->options_len,B) == \at(s->options_len,A);

    // Where a writing function may stop: 0, or behind `off`, at most a name beyond the end of the largest entry.
    predicate stop_valid(integer off, integer stop) = stop == 0 || off <= stop <= DNSPACK_ENTRY_MAX + DNSPACK_NAME_MAX;
*/

/*@ requires room: off <= DNSPACK_ENTRY_MAX && value <= 0xFFFF && \valid(dst + (off .. off + 2));
    terminates \true;
    exits   \false;
    assigns dst[off .. off + 2];
    ensures stop: \result == off + (value < 255 ? 1 : 3); */
static size_t var_write(uint8_t *dst, size_t off, size_t value)
{
    if (value < 255) {
        dst[off] = (uint8_t)value;
        return off + 1;
    }
    dst[off] = 255;
    dnspack_store16(dst, off + 1, (uint16_t)value);
    return off + 3;
}

/*@ requires writer: \valid(w) && \valid(w->candidate_off + (0 .. DNSPACK_CANDIDATES_MAX - 1)) &&
      \valid(w->candidate_len + (0 .. DNSPACK_CANDIDATES_MAX - 1)) && w->candidate_count <= DNSPACK_CANDIDATES_MAX;
    requires apart: \separated(w, w->candidate_off + (0 .. DNSPACK_CANDIDATES_MAX - 1),
      w->candidate_len + (0 .. DNSPACK_CANDIDATES_MAX - 1));
    requires name: off <= DNSPACK_ENTRY_MAX && len <= DNSPACK_NAME_MAX;
    terminates \true;
    exits   \false;
    assigns w->candidate_count, w->candidate_off[0 .. DNSPACK_CANDIDATES_MAX - 1], w->candidate_len[0 .. DNSPACK_CANDIDATES_MAX - 1];
    ensures count: w->candidate_count <= DNSPACK_CANDIDATES_MAX; */
static void candidate_add(struct writer *w, size_t off, size_t len)
{
    if (w->candidate_count < DNSPACK_CANDIDATES_MAX) {
        w->candidate_off[w->candidate_count] = (uint16_t)off;
        w->candidate_len[w->candidate_count] = (uint8_t)len;
        w->candidate_count++;
    }
}

/* Where the query name has this suffix of owner_len octets, counted from its start; 0: nowhere but at its start. */
/*@ requires source: source_valid(source);
    requires owner: 1 <= owner_len <= DNSPACK_NAME_MAX && \valid_read(owner + (0 .. owner_len - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures suffix: \result == 0 || (\result + owner_len == source->qname_len &&
      eq_case(source->octets, DNSPACK_HEADER_LEN + \result, owner, 0, owner_len)); */
static size_t qname_suffix_find(const struct dnspack_source *source, const uint8_t *owner, size_t owner_len)
{
    const uint8_t *qname = source->octets;
    size_t at = DNSPACK_HEADER_LEN, end = at + source->qname_len;

    /*@ loop invariant steps: DNSPACK_HEADER_LEN <= at <= end;
        loop assigns at;
        loop variant end - at; */
    while (end - at > owner_len && qname[at] < end - at)
        at += qname[at] + 1u;
    return end - at == owner_len && owner_len > 1 && dnspack_name_equal(qname, at, owner, 0, owner_len) ? at - DNSPACK_HEADER_LEN : 0;
}

/* The offset of the first candidate that is this name; 0: none is. */
/*@ requires writer: \valid_read(w) && \valid_read(w->dst + (0 .. ENTRY_ROOM - 1)) && w->candidate_count <= DNSPACK_CANDIDATES_MAX &&
      \valid_read(w->candidate_off + (0 .. DNSPACK_CANDIDATES_MAX - 1)) &&
      \valid_read(w->candidate_len + (0 .. DNSPACK_CANDIDATES_MAX - 1));
    requires owner: owner_len <= DNSPACK_NAME_MAX && \valid_read(owner + (0 .. owner_len - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures found: \result != 0 ==> \result <= DNSPACK_ENTRY_MAX && eq_case(w->dst, \result, owner, 0, owner_len); */
static size_t candidate_find(const struct writer *w, const uint8_t *owner, size_t owner_len)
{
    size_t index;

    /*@ loop invariant steps: 0 <= index <= w->candidate_count;
        loop assigns index;
        loop variant w->candidate_count - index; */
    for (index = 0; index < w->candidate_count; index++)
        if (w->candidate_len[index] == owner_len && dnspack_name_equal(w->dst, w->candidate_off[index], owner, 0, owner_len))
            return w->candidate_off[index];
    return 0;
}

/* Where in the entry an owner stands already: in the query name, or as a candidate; 0: nowhere. */
/*@ requires source: source_valid(source);
    requires writer: writer_valid(source, w);
    requires owner: 1 <= owner_len <= DNSPACK_NAME_MAX && \valid_read(owner + (0 .. owner_len - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures found: \result <= DNSPACK_ENTRY_MAX; */
static size_t reference_find(const struct dnspack_source *source, const struct writer *w, const uint8_t *owner, size_t owner_len)
{
    size_t at = qname_suffix_find(source, owner, owner_len);

    return at != 0 ? w->qname_off + at : candidate_find(w, owner, owner_len);
}

/* Where a name ends in the entry (0: nowhere) and where its message goes on behind it. */
struct written {
    size_t off;
    size_t next;
};

/*@ requires source: source_valid(source);
    requires writer: writer_valid(source, w);
    requires off: 1 <= off <= DNSPACK_ENTRY_MAX + DNSPACK_NAME_MAX;
    terminates \true;
    exits   \false;
    assigns w->candidate_count, w->candidate_off[0 .. DNSPACK_CANDIDATES_MAX - 1], w->candidate_len[0 .. DNSPACK_CANDIDATES_MAX - 1],
      w->dst[off .. ENTRY_ROOM - 1];
    ensures valid: source_valid(source) && writer_valid(source, w);
    ensures stop: stop_valid(off, \result.off);
    ensures next: \result.off != 0 ==> off <= DNSPACK_ENTRY_MAX && name_off < \result.next <= source->octets_len; */
static struct written name_write(const struct dnspack_source *source, struct writer *w, size_t off, size_t name_off)
{
    struct written stop = {0, 0};
    size_t next, len;

    if (off > DNSPACK_ENTRY_MAX)
        return stop;
    len = dnspack_name_read(source->octets, source->octets_len, name_off, w->dst, off, &next);
    if (len == 0)
        return stop;
    candidate_add(w, off, len);
    //@ assert kept: source_kept{Pre,Here}(source);
    //@ assert inside: records_inside(source->octets_len, source->records, source->record_count);
    //@ assert source: source_valid(source);
    //@ assert writer: writer_valid(source, w);
    stop.off = off + len;
    stop.next = next;
    return stop;
}

/* RDATA without a shape of its own: a length, and the octets with their names expanded. */
/*@ requires source: source_valid(source);
    requires record: index < source->record_count;
    requires room: 1 <= off <= DNSPACK_ENTRY_MAX + DNSPACK_NAME_MAX && \valid(dst + (0 .. ENTRY_ROOM - 1));
    requires apart: \separated(dst + (0 .. ENTRY_ROOM - 1), source, source->octets + (0 .. source->octets_len - 1));
    terminates \true;
    exits   \false;
    assigns dst[off .. ENTRY_ROOM - 1];
    ensures stop: \result == 0 || off < \result <= DNSPACK_ENTRY_MAX; */
static size_t counted_write(const struct dnspack_source *source, size_t index, uint8_t *dst, size_t off)
{
    const struct dnspack_record *record = &source->records[index];
    size_t len = record->rdata_len;
    bool has_names = dnspack_rdata_has_names(record->type, record->rclass);

    //@ assert inside: record_inside(source->octets_len, source->records, index);
    if (has_names && dnspack_rdata_check(source->octets, source->octets_len, record->type, record->rclass, record->rdata_off,
                                         record->rdata_len, &len) != DNSPACK_OK)
        return 0;
    if (off > DNSPACK_ENTRY_MAX - 3 || len > DNSPACK_ENTRY_MAX - 3 - off)
        return 0;
    off = var_write(dst, off, len);
    if (has_names)
        return dnspack_rdata_expand(source->octets, source->octets_len, record->type, record->rclass, record->rdata_off, record->rdata_len,
                                    dst, off, off + len);
    dnspack_copy(dst, off, source->octets, record->rdata_off, len);
    return off + len;
}

/* RDATA of an address: 4 octets or 16. */
/*@ requires source: source_valid(source);
    requires record: index < source->record_count;
    requires len: len == 4 || len == 16;
    requires room: 1 <= off <= DNSPACK_ENTRY_MAX + DNSPACK_NAME_MAX && \valid(dst + (0 .. ENTRY_ROOM - 1));
    requires apart: \separated(dst + (0 .. ENTRY_ROOM - 1), source, source->octets + (0 .. source->octets_len - 1));
    terminates \true;
    exits   \false;
    assigns dst[off .. ENTRY_ROOM - 1];
    ensures stop: \result == 0 || (\result == off + len && \result <= DNSPACK_ENTRY_MAX); */
static size_t address_write(const struct dnspack_source *source, size_t index, size_t len, uint8_t *dst, size_t off)
{
    const struct dnspack_record *record = &source->records[index];

    //@ assert inside: record_inside(source->octets_len, source->records, index);
    if (record->rdata_len != len || off > DNSPACK_ENTRY_MAX - len)
        return 0;
    if (len == 4) /* a copy of a constant size is a load and a store */
        dnspack_copy(dst, off, source->octets, record->rdata_off, 4);
    else
        dnspack_copy(dst, off, source->octets, record->rdata_off, 16);
    return off + len;
}

/* RDATA in its shape: octets, names, octets. */
/*@ requires source: source_valid(source);
    requires writer: writer_valid(source, w);
    requires record: index < source->record_count;
    requires off: 1 <= off <= DNSPACK_ENTRY_MAX + DNSPACK_NAME_MAX;
    terminates \true;
    exits   \false;
    assigns w->candidate_count, w->candidate_off[0 .. DNSPACK_CANDIDATES_MAX - 1], w->candidate_len[0 .. DNSPACK_CANDIDATES_MAX - 1],
      w->dst[off .. ENTRY_ROOM - 1];
    ensures valid: source_valid(source) && writer_valid(source, w);
    ensures stop: \result == 0 || off <= \result <= DNSPACK_ENTRY_MAX; */
static size_t shaped_write(const struct dnspack_source *source, struct writer *w, size_t index, struct layout layout, size_t off)
{
    const struct dnspack_record *record = &source->records[index];
    size_t rdata_len = record->rdata_len, at = record->rdata_off, end = at + rdata_len;
    unsigned left;

    //@ assert inside: record_inside(source->octets_len, source->records, index);
    if (off > DNSPACK_ENTRY_MAX || layout.head > DNSPACK_ENTRY_MAX - off || layout.head > rdata_len)
        return 0;
    dnspack_copy(w->dst, off, source->octets, at, layout.head);
    off += layout.head;
    at += layout.head;
    /*@ loop invariant steps: \at(off,Pre) <= off <= DNSPACK_ENTRY_MAX + DNSPACK_NAME_MAX && at <= end;
        loop invariant valid: source_valid(source) && writer_valid(source, w);
        loop assigns left, off, at, w->candidate_count, w->candidate_off[0 .. DNSPACK_CANDIDATES_MAX - 1],
          w->candidate_len[0 .. DNSPACK_CANDIDATES_MAX - 1], w->dst[\at(off,Pre) .. ENTRY_ROOM - 1];
        loop variant left; */
    for (left = layout.names; left > 0; left--) {
        struct written stop = name_write(source, w, off, at);

        if (stop.off == 0 || stop.next > end)
            return 0;
        off = stop.off;
        at = stop.next;
    }
    if (end - at != layout.tail || off > DNSPACK_ENTRY_MAX || layout.tail > DNSPACK_ENTRY_MAX - off)
        return 0;
    dnspack_copy(w->dst, off, source->octets, at, layout.tail);
    return off + layout.tail;
}

/* An owner that stands nowhere yet. */
/*@ requires source: source_valid(source);
    requires writer: writer_valid(source, w);
    requires owner: 1 <= owner_len <= DNSPACK_NAME_MAX && \valid_read(owner + (0 .. owner_len - 1));
    requires apart: \separated(w->dst + (0 .. ENTRY_ROOM - 1), owner + (0 .. owner_len - 1));
    requires off: off <= DNSPACK_ENTRY_MAX;
    terminates \true;
    exits   \false;
    assigns w->candidate_count, w->candidate_off[0 .. DNSPACK_CANDIDATES_MAX - 1], w->candidate_len[0 .. DNSPACK_CANDIDATES_MAX - 1],
      w->dst[off .. off + owner_len - 1];
    ensures valid: source_valid(source) && writer_valid(source, w);
    ensures stop: \result == off + owner_len; */
static size_t owner_write(const struct dnspack_source *source, struct writer *w, const uint8_t *owner, size_t owner_len, size_t off)
{
    (void)source; /* the contract speaks of it */
    dnspack_copy(w->dst, off, owner, 0, owner_len);
    candidate_add(w, off, owner_len);
    //@ assert kept: source_kept{Pre,Here}(source);
    //@ assert inside: records_inside(source->octets_len, source->records, source->record_count);
    //@ assert source: source_valid(source);
    //@ assert writer: writer_valid(source, w);
    return off + owner_len;
}

/* ctl, type, TTL and owner of a group; before: the owner of the group before it in its section. */
/*@ requires source: source_valid(source);
    requires writer: writer_valid(source, w);
    requires run: run.ttl_s <= DNSPACK_TTL_MAX;
    requires count: 1 <= count <= GROUP_COUNT_MAX;
    requires off: 1 <= off <= DNSPACK_ENTRY_MAX;
    terminates \true;
    exits   \false;
    assigns w->candidate_count, w->candidate_off[0 .. DNSPACK_CANDIDATES_MAX - 1], w->candidate_len[0 .. DNSPACK_CANDIDATES_MAX - 1],
      w->dst[off .. ENTRY_ROOM - 1];
    ensures valid: source_valid(source) && writer_valid(source, w);
    ensures stop: \result == 0 || off < \result <= DNSPACK_ENTRY_MAX + DNSPACK_NAME_MAX; */
static size_t group_head_write(const struct dnspack_source *source, struct writer *w, struct dnspack_run run, uint16_t before,
                               unsigned count, size_t off)
{
    uint8_t owner[DNSPACK_NAME_MAX];
    size_t next, reference = 0, len = 0, ctl_off = off;
    unsigned form = run.owner_off == DNSPACK_HEADER_LEN ? OWNER_QNAME : run.owner_off == before ? OWNER_SAME : OWNER_EXPLICIT;
    bool typed = run.type != source->qtype, timed = run.ttl_s != w->ttl_s;

    if (off + 10 > DNSPACK_ENTRY_MAX)
        return 0;
    if (form == OWNER_EXPLICIT) {
        len = dnspack_name_read(source->octets, source->octets_len, run.owner_off, owner, 0, &next);
        if (len == 0)
            return 0;
        reference = reference_find(source, w, owner, len);
        if (reference != 0)
            form = OWNER_REFERENCE;
    }
    off = ctl_off + 1;
    if (typed)
        off = var_write(w->dst, off, run.type);
    if (timed) {
        dnspack_store24(w->dst, off, run.ttl_s);
        off += 3;
    }
    w->dst[ctl_off] = (uint8_t)(form * 64u + typed * 32u + timed * 16u + (count - 1u));
    if (form == OWNER_REFERENCE)
        return var_write(w->dst, off, reference);
    return form == OWNER_EXPLICIT ? owner_write(source, w, owner, len, off) : off;
}

/* The RDATA fields of count records from `first` on, all of one type. */
/*@ requires source: source_valid(source);
    requires writer: writer_valid(source, w);
    requires range: first + count <= source->record_count;
    requires layout: layout.shaped == 1 && layout.names == 0 ==> layout.head == 4 || layout.head == 16;
    requires off: 1 <= off <= DNSPACK_ENTRY_MAX + DNSPACK_NAME_MAX;
    terminates \true;
    exits   \false;
    assigns w->candidate_count, w->candidate_off[0 .. DNSPACK_CANDIDATES_MAX - 1], w->candidate_len[0 .. DNSPACK_CANDIDATES_MAX - 1],
      w->dst[off .. ENTRY_ROOM - 1];
    ensures valid: source_valid(source) && writer_valid(source, w);
    ensures stop: \result == 0 || off <= \result <= DNSPACK_ENTRY_MAX + DNSPACK_NAME_MAX; */
static size_t fields_write(const struct dnspack_source *source, struct writer *w, struct layout layout, size_t first, unsigned count,
                           size_t off)
{
    size_t index, end = first + count;

    /*@ loop invariant steps: first <= index <= end;
        loop invariant valid: source_valid(source) && writer_valid(source, w);
        loop invariant stop: off == 0 || \at(off,Pre) <= off <= DNSPACK_ENTRY_MAX + DNSPACK_NAME_MAX;
        loop assigns index, off, w->candidate_count, w->candidate_off[0 .. DNSPACK_CANDIDATES_MAX - 1],
          w->candidate_len[0 .. DNSPACK_CANDIDATES_MAX - 1], w->dst[\at(off,Pre) .. ENTRY_ROOM - 1];
        loop variant end - index; */
    for (index = first; index < end && off != 0; index++) {
        if (!layout.shaped)
            off = counted_write(source, index, w->dst, off);
        else if (layout.names == 0)
            off = address_write(source, index, layout.head, w->dst, off);
        else
            off = shaped_write(source, w, index, layout, off);
    }
    return off;
}

/* A run: groups of at most GROUP_COUNT_MAX records. */
/*@ requires source: source_valid(source);
    requires writer: writer_valid(source, w);
    requires run: run.ttl_s <= DNSPACK_TTL_MAX && 1 <= run.count && run.first + run.count <= source->record_count;
    requires off: 1 <= off <= DNSPACK_ENTRY_MAX;
    terminates \true;
    exits   \false;
    assigns w->candidate_count, w->candidate_off[0 .. DNSPACK_CANDIDATES_MAX - 1], w->candidate_len[0 .. DNSPACK_CANDIDATES_MAX - 1],
      w->dst[off .. ENTRY_ROOM - 1];
    ensures valid: source_valid(source) && writer_valid(source, w);
    ensures stop: \result == 0 || off < \result <= DNSPACK_ENTRY_MAX; */
static size_t run_write(const struct dnspack_source *source, struct writer *w, struct dnspack_run run, uint16_t before, size_t off)
{
    struct layout layout = dnspack_layout(run.type);
    size_t index = run.first, end = index + run.count;

    /*@ loop invariant steps: run.first <= index <= end && (index == run.first ? off == \at(off,Pre) : \at(off,Pre) < off);
        loop invariant valid: source_valid(source) && writer_valid(source, w);
        loop invariant room: off <= DNSPACK_ENTRY_MAX;
        loop assigns index, off, before, w->candidate_count, w->candidate_off[0 .. DNSPACK_CANDIDATES_MAX - 1],
          w->candidate_len[0 .. DNSPACK_CANDIDATES_MAX - 1], w->dst[\at(off,Pre) .. ENTRY_ROOM - 1];
        loop variant end - index; */
    while (index < end) {
        unsigned count = end - index < GROUP_COUNT_MAX ? (unsigned)(end - index) : GROUP_COUNT_MAX;

        off = group_head_write(source, w, run, before, count, off);
        if (off == 0)
            return 0;
        off = fields_write(source, w, layout, index, count, off);
        if (off == 0 || off > DNSPACK_ENTRY_MAX)
            return 0;
        index += count;
        before = run.owner_off;
    }
    return off;
}

/* The options of a source, as a message that holds nothing else. */
/*@ requires source: source_valid(source);
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures options: \result.options_off == source->options_off && \result.options_len == source->options_len; */
static struct dnspack_message options_of(const struct dnspack_source *source)
{
    return (struct dnspack_message){.options_off = source->options_off, .options_len = source->options_len};
}

/* The Extended DNS Errors of the response, the first error_count of them; the count octet and each with its length. */
/*@ requires source: source_valid(source);
    requires room: 1 <= off < DNSPACK_ENTRY_MAX && error_count <= DNSPACK_ERRORS_MAX && \valid(dst + (0 .. ENTRY_ROOM - 1));
    requires apart: \separated(dst + (0 .. ENTRY_ROOM - 1), source, source->octets + (0 .. source->octets_len - 1));
    terminates \true;
    exits   \false;
    assigns dst[off .. ENTRY_ROOM - 1];
    ensures stop: \result == 0 || off < \result <= DNSPACK_ENTRY_MAX; */
static size_t errors_write(const struct dnspack_source *source, uint8_t *dst, size_t off, unsigned error_count)
{
    struct dnspack_message options = options_of(source);
    struct dnspack_option option;
    size_t cursor = 0;
    unsigned left = error_count;

    dst[off++] = (uint8_t)error_count;
    /*@ loop invariant cursor: cursor <= options.options_len;
        loop invariant off: \at(off,Pre) < off <= DNSPACK_ENTRY_MAX;
        loop assigns left, off, cursor, option, dst[\at(off,Pre) .. ENTRY_ROOM - 1];
        loop variant options.options_len - cursor; */
    while (left > 0 && dnspack_option_next(source->octets, &options, &cursor, &option)) {
        if (option.code != OPTION_ERROR || option.data_len < 2)
            continue;
        if (option.data_len + 3u > DNSPACK_ENTRY_MAX - off)
            return 0;
        off = var_write(dst, off, option.data_len);
        dnspack_copy(dst, off, source->octets, option.data_off, option.data_len);
        off += option.data_len;
        left--;
    }
    return off;
}

/* How many Extended DNS Errors an entry keeps. An option that is too short to be one is none. */
/*@ requires source: source_valid(source);
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures count: \result <= DNSPACK_ERRORS_MAX; */
static unsigned errors_count(const struct dnspack_source *source)
{
    struct dnspack_message options = options_of(source);
    struct dnspack_option option;
    size_t cursor = 0;
    unsigned count = 0;

    /*@ loop invariant cursor: cursor <= options.options_len;
        loop invariant count: count <= DNSPACK_ERRORS_MAX;
        loop assigns count, cursor, option;
        loop variant options.options_len - cursor; */
    while (count < DNSPACK_ERRORS_MAX && dnspack_option_next(source->octets, &options, &cursor, &option))
        if (option.code == OPTION_ERROR && option.data_len >= 2)
            count++;
    return count;
}

/* Where the query name is and where the groups start; end 0: beyond DNSPACK_ENTRY_MAX. */
struct head {
    size_t qname_off;
    size_t end;
};

/* What stands before the query name; the section lengths are left open. Returns where the query name goes. */
/*@ requires read: \valid_read(source) && \valid_read(options);
    requires ttl: ttl_s <= DNSPACK_TTL_MAX;
    requires room: \valid(dst + (0 .. ENTRY_FIXED_LEN + 8));
    requires apart: \separated(dst + (0 .. ENTRY_FIXED_LEN + 8), source) && \separated(dst + (0 .. ENTRY_FIXED_LEN + 8), options);
    terminates \true;
    exits   \false;
    assigns dst[0 .. ENTRY_FIXED_LEN + 8];
    ensures qname: (sections == 1 ? ENTRY_FIXED_LEN + 5 : ENTRY_FIXED_LEN) <= \result <= ENTRY_FIXED_LEN + 9; */
static size_t fixed_write(const struct dnspack_source *source, const struct dnspack_encode_options *options, uint32_t ttl_s, bool sections,
                          bool errors, uint8_t *dst)
{
    uint8_t code = dnspack_qtype_code(source->qtype);
    unsigned ext = (source->qclass != CLASS_IN ? EXT_CLASS : 0u) + (sections ? EXT_SECTIONS : 0u) + (options->tag_len != 0 ? EXT_TAG : 0u) +
                   (errors ? EXT_ERRORS : 0u) + (source->unchecked ? EXT_UNCHECKED : 0u);
    unsigned rcode = source->rcode == RCODE_NOERROR ? 0 : source->rcode == RCODE_NXDOMAIN ? 1 : 2;
    size_t off = ENTRY_FIXED_LEN;

    dnspack_store32(dst, ENTRY_STORED_OFF, options->now_s);
    dnspack_store24(dst, ENTRY_TTL_OFF, ttl_s);
    dst[ENTRY_FLAGS_OFF] = (uint8_t)(rcode * 64u + source->authenticated * 32u + (ext != 0) * 16u + code);
    if (ext != 0)
        dst[off++] = (uint8_t)ext;
    if (code == 0) {
        dnspack_store16(dst, off, source->qtype);
        off += 2;
    }
    if (source->qclass != CLASS_IN) {
        dnspack_store16(dst, off, source->qclass);
        off += 2;
    }
    return sections ? off + 4 : off;
}

/* Everything before the groups; the section lengths are left open. */
/*@ requires source: source_valid(source) && is_name(source->octets, DNSPACK_HEADER_LEN, DNSPACK_HEADER_LEN + source->qname_len);
    requires options: options_readable(options) && options->tag_len <= DNSPACK_TAG_MAX;
    requires ttl: ttl_s <= DNSPACK_TTL_MAX;
    requires room: \valid(dst + (0 .. ENTRY_ROOM - 1));
    requires apart: \separated(dst + (0 .. ENTRY_ROOM - 1), source, source->octets + (0 .. source->octets_len - 1));
    requires options_apart: \separated(dst + (0 .. ENTRY_ROOM - 1), options, options->tag + (0 .. options->tag_len - 1));
    terminates \true;
    exits   \false;
    assigns dst[0 .. ENTRY_ROOM - 1];
    ensures qname: (sections == 1 ? ENTRY_FIXED_LEN + 5 : ENTRY_FIXED_LEN) <= \result.qname_off <= ENTRY_FIXED_LEN + 9;
    ensures end: \result.end == 0 || \result.qname_off < \result.end <= DNSPACK_ENTRY_MAX; */
static struct head head_write(const struct dnspack_source *source, const struct dnspack_encode_options *options, uint32_t ttl_s,
                              bool sections, uint8_t *dst)
{
    unsigned errors = source->options_off == 0 ? 0 : errors_count(source);
    struct head head;
    size_t off = fixed_write(source, options, ttl_s, sections, errors != 0, dst);

    //@ assert same: same{Pre,Here}(source->octets, DNSPACK_HEADER_LEN, DNSPACK_HEADER_LEN + source->qname_len);
    head.qname_off = off;
    off += dnspack_qname_store(dst, off, source->octets, DNSPACK_HEADER_LEN, source->qname_len);
    if (options->tag_len != 0) {
        dst[off++] = (uint8_t)options->tag_len;
        dnspack_copy(dst, off, options->tag, 0, options->tag_len);
        off += options->tag_len;
    }
    head.end = errors == 0 ? off : errors_write(source, dst, off, errors);
    return head;
}

/* The groups of all sections from off on, and with `sections` their lengths in front of the query name. */
/*@ requires source: source_valid(source);
    requires writer: writer_valid(source, w) && (sections == 1 ? ENTRY_FIXED_LEN + 4 : ENTRY_FIXED_LEN) <= w->qname_off < off;
    requires runs: run_count <= DNSPACK_RUNS_MAX && \valid_read(runs + (0 .. DNSPACK_RUNS_MAX - 1)) &&
      runs_fit(source->record_count, runs, run_count);
    requires apart: \separated(runs + (0 .. DNSPACK_RUNS_MAX - 1), w, w->dst + (0 .. ENTRY_ROOM - 1),
      w->candidate_off + (0 .. DNSPACK_CANDIDATES_MAX - 1), w->candidate_len + (0 .. DNSPACK_CANDIDATES_MAX - 1));
    requires off: off <= DNSPACK_ENTRY_MAX;
    terminates \true;
    exits   \false;
    assigns w->candidate_count, w->candidate_off[0 .. DNSPACK_CANDIDATES_MAX - 1], w->candidate_len[0 .. DNSPACK_CANDIDATES_MAX - 1],
      w->dst[0 .. ENTRY_ROOM - 1];
    ensures valid: source_valid(source) && writer_valid(source, w);
    ensures stop: \result == 0 || off <= \result <= DNSPACK_ENTRY_MAX; */
static size_t groups_write(const struct dnspack_source *source, struct writer *w, const struct dnspack_run *runs, size_t run_count,
                           bool sections, size_t off)
{
    size_t start = off, answer_end = off, authority_end = off, index;
    uint16_t before = DNSPACK_HEADER_LEN, section = DNSPACK_ANSWER;

    //@ assert apart: \forall integer k; 0 <= k < run_count ==> \separated(runs + k, w->candidate_off + (0 .. DNSPACK_CANDIDATES_MAX - 1));
    /*@ loop invariant steps: 0 <= index <= run_count;
        loop invariant valid: source_valid(source) && writer_valid(source, w);
        loop invariant sections: start <= answer_end <= authority_end <= off <= DNSPACK_ENTRY_MAX;
        loop assigns index, off, before, section, answer_end, authority_end, w->candidate_count,
          w->candidate_off[0 .. DNSPACK_CANDIDATES_MAX - 1], w->candidate_len[0 .. DNSPACK_CANDIDATES_MAX - 1], w->dst[0 .. ENTRY_ROOM - 1];
        loop variant run_count - index; */
    for (index = 0; index < run_count; index++) {
        struct dnspack_run run = runs[index];

        //@ assert records: source->record_count == \at(source->record_count,Pre);
        //@ assert here: \separated(runs + index, w->candidate_off + (0 .. DNSPACK_CANDIDATES_MAX - 1));
        //@ assert same: run_same{Pre,Here}(runs, index);
        //@ assert fits: run_fits{Pre}(source->record_count, runs, index);
        if (run.section != section)
            before = DNSPACK_HEADER_LEN;
        section = run.section;
        off = run_write(source, w, run, before, off);
        if (off == 0)
            return 0;
        before = run.owner_off;
        if (section == DNSPACK_ANSWER)
            answer_end = off;
        if (section != DNSPACK_ADDITIONAL)
            authority_end = off;
    }
    if (sections) {
        dnspack_store16(w->dst, w->qname_off - 4, (uint16_t)(answer_end - start));
        dnspack_store16(w->dst, w->qname_off - 2, (uint16_t)(authority_end - answer_end));
    }
    return off;
}

/* The entry; returns its length, 0: malformed or too big. */
/*@ requires source: source_valid(source) && is_name(source->octets, DNSPACK_HEADER_LEN, DNSPACK_HEADER_LEN + source->qname_len);
    requires options: options_readable(options) && options->tag_len <= DNSPACK_TAG_MAX;
    requires writer: writer_valid(source, w) && w->ttl_s <= DNSPACK_TTL_MAX;
    requires runs: run_count <= DNSPACK_RUNS_MAX && \valid_read(runs + (0 .. DNSPACK_RUNS_MAX - 1)) &&
      runs_fit(source->record_count, runs, run_count);
    requires apart: \separated(w, runs + (0 .. DNSPACK_RUNS_MAX - 1), w->dst + (0 .. ENTRY_ROOM - 1),
      w->candidate_off + (0 .. DNSPACK_CANDIDATES_MAX - 1), w->candidate_len + (0 .. DNSPACK_CANDIDATES_MAX - 1));
    requires options_apart: \separated(w, w->dst + (0 .. ENTRY_ROOM - 1), options, options->tag + (0 .. options->tag_len - 1));
    terminates \true;
    exits   \false;
    assigns w->qname_off, w->candidate_count, w->candidate_off[0 .. DNSPACK_CANDIDATES_MAX - 1],
      w->candidate_len[0 .. DNSPACK_CANDIDATES_MAX - 1], w->dst[0 .. ENTRY_ROOM - 1];
    ensures len: \result == 0 || (DNSPACK_ENTRY_MIN <= \result <= DNSPACK_ENTRY_MAX && be16(w->dst, 0) == \result); */
static size_t entry_write(const struct dnspack_source *source, const struct dnspack_encode_options *options, const struct dnspack_run *runs,
                          size_t run_count, struct writer *w)
{
    bool sections = run_count > 0 && runs[run_count - 1].section != DNSPACK_ANSWER;
    struct head head = head_write(source, options, w->ttl_s, sections, w->dst);
    size_t off;

    if (head.end == 0)
        return 0;
    w->qname_off = head.qname_off;
    off = groups_write(source, w, runs, run_count, sections, head.end);
    if (off != 0)
        dnspack_store16(w->dst, ENTRY_LEN_OFF, (uint16_t)off);
    return off;
}

/* ---- entry points ---- */

/* Each RRset has one TTL, none but 0 below the policy's least. */
/*@ requires policy: \valid_read(policy);
    requires runs: run_count <= DNSPACK_RUNS_MAX && \valid(runs + (0 .. DNSPACK_RUNS_MAX - 1));
    requires apart: \separated(policy, runs + (0 .. DNSPACK_RUNS_MAX - 1));
    terminates \true;
    exits   \false;
    assigns runs[0 .. run_count - 1];
    ensures kept: runs_kept{Pre,Post}(runs, run_count);
    ensures within: ttls_within{Pre,Post}(runs, run_count, min2(policy->ttl_min_s, DNSPACK_TTL_MAX)); */
static void runs_settle(const struct dnspack_policy *policy, struct dnspack_run *runs, size_t run_count)
{
    if (run_count > 1 || policy->ttl_min_s > 0) {
        rrsets_join(runs, run_count);
        ttls_settle(runs, run_count, least(policy->ttl_min_s, DNSPACK_TTL_MAX));
    }
}

/* Steps 1 and 2: the runs with their TTLs, how many they are, the entry's TTL. */
/*@ requires source: source_valid(source);
    requires policy: \valid_read(policy);
    requires output: \valid(runs + (0 .. DNSPACK_RUNS_MAX - 1)) && \valid(run_count) && \valid(ttl_s);
    requires apart: \separated(run_count, ttl_s, runs + (0 .. DNSPACK_RUNS_MAX - 1), policy, source,
      source->octets + (0 .. source->octets_len - 1), source->records + (0 .. source->record_count - 1));
    terminates \true;
    exits   \false;
    assigns runs[0 .. DNSPACK_RUNS_MAX - 1], *run_count, *ttl_s;
    ensures status: pack_status(\result) && \result != DNSPACK_E_NO_SPACE && \result != DNSPACK_E_TOO_BIG;
    ensures ttl: \result == DNSPACK_OK ==> 1 <= *ttl_s <= DNSPACK_TTL_MAX;
    ensures fit: \result == DNSPACK_OK ==> *run_count <= source->record_count && runs_fit(source->record_count, runs, *run_count); */
static enum dnspack_status plan(const struct dnspack_source *source, const struct dnspack_policy *policy, struct dnspack_run *runs,
                                size_t *run_count, uint32_t *ttl_s)
{
    bool negative = false;
    size_t count = 0;
    enum dnspack_status status = runs_make(source, policy, runs, &count);

    if (status != DNSPACK_OK)
        return status;
    runs_settle(policy, runs, count);
    //@ assert kept: source_kept{Pre,Here}(source);
    //@ assert inside: records_inside(source->octets_len, source->records, source->record_count);
    //@ assert source: source_valid(source);
    //@ assert fit: runs_fit(source->record_count, runs, count);
    status = lifetime(source, policy, runs, count, ttl_s, &negative);
    if (status != DNSPACK_OK)
        return status;
    //@ assert settled: runs_fit(source->record_count, runs, count);
    if (policy->drop_authority || policy->drop_additional)
        count = sections_drop(policy, negative, runs, count);
    //@ assert ttl: 1 <= *ttl_s <= DNSPACK_TTL_MAX;
    //@ assert numbers: source_kept{Pre,Here}(source);
    //@ assert left: count <= source->record_count && runs_fit(source->record_count, runs, count);
    *run_count = count;
    return DNSPACK_OK;
}

/* Step 3: the entry of a plan, in the workspace; returns its length, 0: malformed or too big. */
/*@ requires source: source_valid(source) && is_name(source->octets, DNSPACK_HEADER_LEN, DNSPACK_HEADER_LEN + source->qname_len);
    requires options: options_readable(options) && options->tag_len <= DNSPACK_TAG_MAX;
    requires workspace: \valid(workspace);
    requires runs: run_count <= DNSPACK_RUNS_MAX && runs_fit(source->record_count, workspace->runs + 0, run_count);
    requires ttl: ttl_s <= DNSPACK_TTL_MAX;
    requires apart: \separated(workspace, source, source->octets + (0 .. source->octets_len - 1));
    requires options_apart: \separated(workspace, options, options->tag + (0 .. options->tag_len - 1));
    requires records: \separated(source->records + (0 .. source->record_count - 1), source, source->octets + (0 .. source->octets_len - 1),
      workspace->candidate_off + (0 .. DNSPACK_CANDIDATES_MAX - 1),
      workspace->candidate_len + (0 .. DNSPACK_CANDIDATES_MAX - 1), workspace->entry + (0 .. ENTRY_ROOM - 1));
    terminates \true;
    exits   \false;
    assigns workspace->candidate_off[0 .. DNSPACK_CANDIDATES_MAX - 1],
      workspace->candidate_len[0 .. DNSPACK_CANDIDATES_MAX - 1], workspace->entry[0 .. ENTRY_ROOM - 1];
    ensures len: \result == 0 || (DNSPACK_ENTRY_MIN <= \result <= DNSPACK_ENTRY_MAX && be16(workspace->entry + 0, 0) == \result); */
static size_t entry_make(const struct dnspack_source *source, const struct dnspack_encode_options *options,
                         struct dnspack_workspace *workspace, size_t run_count, uint32_t ttl_s)
{
    struct writer w = {workspace->entry, ENTRY_FIXED_LEN, 0, workspace->candidate_off, workspace->candidate_len, ttl_s};

    //@ assert source: source_valid(source);
    //@ assert writer: writer_valid(source, &w);
    //@ assert fit: runs_fit(source->record_count, workspace->runs + 0, run_count);
    return entry_write(source, options, workspace->runs, run_count, &w);
}

/*@ requires source: source_valid(source) && is_name(source->octets, DNSPACK_HEADER_LEN, DNSPACK_HEADER_LEN + source->qname_len);
    requires options: options_readable(options) && options->tag_len <= DNSPACK_TAG_MAX;
    requires workspace: \valid(workspace);
    requires output: \valid(dst + (0 .. dst_cap - 1)) && \valid(entry_len);
    requires apart: \separated(entry_len, workspace, dst + (0 .. dst_cap - 1), source, source->octets + (0 .. source->octets_len - 1),
      options, options->policy, options->tag + (0 .. options->tag_len - 1));
    requires records: \separated(source->records + (0 .. source->record_count - 1), source, source->octets + (0 .. source->octets_len - 1),
      options, options->policy, entry_len, dst + (0 .. dst_cap - 1),
      workspace->runs + (0 .. DNSPACK_RUNS_MAX - 1), workspace->candidate_off + (0 .. DNSPACK_CANDIDATES_MAX - 1),
      workspace->candidate_len + (0 .. DNSPACK_CANDIDATES_MAX - 1), workspace->entry + (0 .. ENTRY_ROOM - 1));
    terminates \true;
    exits   \false;
    assigns workspace->runs[0 .. DNSPACK_RUNS_MAX - 1], workspace->candidate_off[0 .. DNSPACK_CANDIDATES_MAX - 1],
      workspace->candidate_len[0 .. DNSPACK_CANDIDATES_MAX - 1], workspace->entry[0 .. ENTRY_ROOM - 1], *entry_len, dst[0 .. dst_cap - 1];
    ensures status: pack_status(\result);
    ensures entry: \result == DNSPACK_OK ==> entry_sized(dst, dst_cap, *entry_len);
    ensures needed: \result == DNSPACK_E_NO_SPACE ==> dst_cap < *entry_len <= DNSPACK_ENTRY_MAX;
    ensures kept: \result != DNSPACK_OK ==> same{Pre,Post}(dst, 0, dst_cap);
    ensures len_kept: \result != DNSPACK_OK && \result != DNSPACK_E_NO_SPACE ==> *entry_len == \old(*entry_len); */
static enum dnspack_status pack(const struct dnspack_source *source, const struct dnspack_encode_options *options,
                                struct dnspack_workspace *workspace, uint8_t *dst, size_t dst_cap, size_t *entry_len)
{
    size_t run_count = 0, len;
    uint32_t ttl_s = 0;
    enum dnspack_status status = plan(source, options->policy, workspace->runs, &run_count, &ttl_s);

    if (status != DNSPACK_OK)
        return status;
    //@ assert numbers: source_kept{Pre,Here}(source);
    //@ assert inside: records_inside(source->octets_len, source->records, source->record_count);
    //@ assert source: source_valid(source);
    len = entry_make(source, options, workspace, run_count, ttl_s);
    //@ assert kept: same{Pre,Here}(dst, 0, dst_cap);
    if (len == 0)
        return DNSPACK_E_TOO_BIG;
    *entry_len = len;
    if (len > dst_cap)
        return DNSPACK_E_NO_SPACE;
    dnspack_copy(dst, 0, workspace->entry, 0, len);
    return DNSPACK_OK;
}

/* Is a type one that can be asked for and stored? ANY is; AXFR, TKEY and the like are not (RFC 6895 3.1). */
/*@ terminates \true;
    exits   \false;
    assigns \nothing;
    ensures meaning: \result == 1 <==> type_is_storable(qtype); */
static bool qtype_is_storable(uint16_t qtype)
{
    return qtype == TYPE_ANY || (qtype != 0 && !dnspack_type_is_meta(qtype));
}

/*@ requires read: \valid_read(source);
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures status: \result == DNSPACK_OK || \result == DNSPACK_E_RCODE || \result == DNSPACK_E_TYPE || \result == DNSPACK_E_CLASS;
    ensures decides: \result == DNSPACK_OK <==> question_storable(source->rcode, source->qtype, source->qclass); */
static enum dnspack_status source_check(const struct dnspack_source *source)
{
    if (source->rcode != RCODE_NOERROR && source->rcode != RCODE_NXDOMAIN && source->rcode != RCODE_SERVFAIL)
        return DNSPACK_E_RCODE;
    if (!qtype_is_storable(source->qtype))
        return DNSPACK_E_TYPE;
    if (source->qclass == 0 || source->qclass == CLASS_NONE || source->qclass == CLASS_ANY)
        return DNSPACK_E_CLASS;
    return DNSPACK_OK;
}

/* Was this the question? Name without case, type, class (RFC 5452 9.1). */
/*@ requires message: \valid_read(message) && 1 <= message->qname_len <= DNSPACK_NAME_MAX &&
      \valid_read(msg + (0 .. DNSPACK_HEADER_LEN + message->qname_len - 1));
    requires asked: \valid_read(asked + (0 .. asked_len - 1));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures name: \result == 1 ==> eq_case(msg, DNSPACK_HEADER_LEN, asked, DNSPACK_HEADER_LEN, message->qname_len); */
static bool question_was(const uint8_t *msg, const struct dnspack_message *message, const uint8_t *asked, size_t asked_len)
{
    struct dnspack_message query;

    return dnspack_query_parse(asked, asked_len, &query) == DNSPACK_OK && query.id == message->id && query.qtype == message->qtype &&
           query.qclass == message->qclass && query.qname_len == message->qname_len &&
           dnspack_name_equal(msg, DNSPACK_HEADER_LEN, asked, DNSPACK_HEADER_LEN, message->qname_len);
}

/* A parsed response as a source. */
/*@ requires message: message_valid(msg, msg_len, message) && message.question_count == 1 && message.rcode <= 255;
    requires read: msg_len <= DNSPACK_MESSAGE_MAX && \valid_read(msg + (0 .. msg_len - 1));
    requires records: records_total(message) <= DNSPACK_RECORDS_MAX && \valid_read(records + (0 .. records_total(message) - 1)) &&
      records_valid(msg, msg_len, records, records_total(message));
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures buffers: \result.octets == msg && \result.octets_len == msg_len && \result.records == records;
    ensures qname: 1 <= \result.qname_len <= DNSPACK_NAME_MAX && DNSPACK_HEADER_LEN + \result.qname_len <= msg_len;
    ensures name: is_name(msg, DNSPACK_HEADER_LEN, DNSPACK_HEADER_LEN + \result.qname_len);
    ensures options: \result.options_off + \result.options_len <= msg_len;
    ensures count: \result.record_count == records_total(message);
    ensures inside: records_inside(msg_len, records, \result.record_count); */
static struct dnspack_source source_of(const uint8_t *msg, size_t msg_len, struct dnspack_message message,
                                       const struct dnspack_record *records)
{
    struct dnspack_source source;

    //@ assert options: message.options_off + message.options_len <= msg_len;
    //@ assert inside: records_inside(msg_len, records, records_total(message));
    source.octets = msg;
    source.octets_len = msg_len;
    source.qname_len = message.qname_len;
    source.qtype = message.qtype;
    source.qclass = message.qclass;
    source.rcode = (uint8_t)message.rcode;
    source.authenticated = message.flags / DNSPACK_FLAG_AD % 2u == 1;
    source.unchecked = !source.authenticated && message.flags / DNSPACK_FLAG_CD % 2u == 1;
    source.options_off = message.error_count > 0 ? message.options_off : 0;
    source.options_len = message.options_len;
    source.records = records;
    source.record_count = (size_t)message.record_count[0] + message.record_count[1] + message.record_count[2];
    return source;
}

/* Is a parsed message a whole response to what was asked? */
/*@ requires message: \valid_read(message);
    requires question: message->question_count == 1 ==> 1 <= message->qname_len <= DNSPACK_NAME_MAX &&
      \valid_read(msg + (0 .. DNSPACK_HEADER_LEN + message->qname_len - 1));
    requires options: options_readable(options);
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures status: \result == DNSPACK_OK || \result == DNSPACK_E_DIRECTION || \result == DNSPACK_E_QUESTION ||
      \result == DNSPACK_E_TOO_BIG ||
      \result == DNSPACK_E_MISMATCH || \result == DNSPACK_E_TRUNCATED || \result == DNSPACK_E_RCODE;
    ensures fit: \result == DNSPACK_OK ==> message->question_count == 1 && message->rcode <= 255 && options->tag_len <= DNSPACK_TAG_MAX; */
static enum dnspack_status response_check(const uint8_t *msg, const struct dnspack_message *message,
                                          const struct dnspack_encode_options *options)
{
    if (message->flags < DNSPACK_FLAG_QR)
        return DNSPACK_E_DIRECTION;
    if (message->question_count != 1)
        return DNSPACK_E_QUESTION;
    if (options->tag_len > DNSPACK_TAG_MAX)
        return DNSPACK_E_TOO_BIG;
    if (options->asked != NULL && !question_was(msg, message, options->asked, options->asked_len))
        return DNSPACK_E_MISMATCH;
    if (message->flags / DNSPACK_FLAG_TC % 2u == 1)
        return DNSPACK_E_TRUNCATED;
    if (message->rcode > 255)
        return DNSPACK_E_RCODE;
    return DNSPACK_OK;
}

/* Checks and packs a source whose records stand in the workspace; by value, so that it is one of the function's own objects. */
/*@ requires read: source.octets_len <= DNSPACK_MESSAGE_MAX && \valid_read(source.octets + (0 .. source.octets_len - 1));
    requires qname: 1 <= source.qname_len <= DNSPACK_NAME_MAX && DNSPACK_HEADER_LEN + source.qname_len <= source.octets_len;
    requires name: is_name(source.octets, DNSPACK_HEADER_LEN, DNSPACK_HEADER_LEN + source.qname_len);
    requires extra: source.options_off + source.options_len <= source.octets_len;
    requires records: source.record_count <= DNSPACK_RECORDS_MAX && source.records == workspace->records + 0 &&
      records_inside(source.octets_len, source.records, source.record_count);
    requires options: options_readable(options) && options->tag_len <= DNSPACK_TAG_MAX;
    requires workspace: \valid(workspace);
    requires output: \valid(dst + (0 .. dst_cap - 1)) && \valid(entry_len);
    requires apart: \separated(entry_len, workspace, dst + (0 .. dst_cap - 1), source.octets + (0 .. source.octets_len - 1), options,
      options->policy, options->tag + (0 .. options->tag_len - 1));
    terminates \true;
    exits   \false;
    assigns workspace->runs[0 .. DNSPACK_RUNS_MAX - 1], workspace->candidate_off[0 .. DNSPACK_CANDIDATES_MAX - 1],
      workspace->candidate_len[0 .. DNSPACK_CANDIDATES_MAX - 1], workspace->entry[0 .. ENTRY_ROOM - 1], *entry_len, dst[0 .. dst_cap - 1];
    ensures status: encode_status(\result);
    ensures entry: \result == DNSPACK_OK ==> entry_sized(dst, dst_cap, *entry_len);
    ensures needed: \result == DNSPACK_E_NO_SPACE ==> dst_cap < *entry_len <= DNSPACK_ENTRY_MAX;
    ensures kept: \result != DNSPACK_OK ==> \forall integer k; 0 <= k < dst_cap ==> dst[k] == \old(dst[k]);
    ensures len_kept: \result != DNSPACK_OK && \result != DNSPACK_E_NO_SPACE ==> *entry_len == \old(*entry_len); */
static enum dnspack_status source_pack(struct dnspack_source source, const struct dnspack_encode_options *options,
                                       struct dnspack_workspace *workspace, uint8_t *dst, size_t dst_cap, size_t *entry_len)
{
    enum dnspack_status status = source_check(&source);

    if (status != DNSPACK_OK)
        return status;
    //@ assert source: source_valid(&source);
    return pack(&source, options, workspace, dst, dst_cap, entry_len);
}

enum dnspack_status dnspack_entry_encode(const uint8_t *msg, size_t msg_len, const struct dnspack_encode_options *options,
                                         struct dnspack_workspace *workspace, uint8_t *dst, size_t dst_cap, size_t *entry_len)
{
    struct dnspack_message message;
    enum dnspack_status status = dnspack_message_parse(msg, msg_len, workspace->records, DNSPACK_RECORDS_MAX, &message);

    //@ assert kept: same{Pre,Here}(dst, 0, dst_cap);
    //@ assert options: options_readable(options);
    if (status == DNSPACK_OK)
        status = response_check(msg, &message, options);
    if (status != DNSPACK_OK)
        return status;
    return source_pack(source_of(msg, msg_len, message, workspace->records), options, workspace, dst, dst_cap, entry_len);
}

/* Is a record inside the buffer, with a name and an RDATA that can be read? */
/*@ requires source: source_given(source) && source->octets_len <= DNSPACK_MESSAGE_MAX;
    requires record: index < source->record_count;
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures status: \result == DNSPACK_OK || \result == DNSPACK_E_SHORT || \result == DNSPACK_E_NAME || \result == DNSPACK_E_RDATA ||
      \result == DNSPACK_E_META;
    ensures inside: \result == DNSPACK_OK ==> record_inside(source->octets_len, source->records, index); */
static enum dnspack_status record_check(const struct dnspack_source *source, size_t index)
{
    const struct dnspack_record *record = &source->records[index];
    size_t next, expanded_len;

    if (record->section > DNSPACK_ADDITIONAL || dnspack_type_is_meta(record->type))
        return DNSPACK_E_META;
    if ((size_t)record->rdata_off + record->rdata_len > source->octets_len)
        return DNSPACK_E_SHORT;
    if (dnspack_name_measure(source->octets, source->octets_len, record->owner_off, &next) == 0)
        return DNSPACK_E_NAME;
    return dnspack_rdata_check(source->octets, source->octets_len, record->type, record->rclass, record->rdata_off, record->rdata_len,
                               &expanded_len);
}

/* Are all records good ones, in section order? */
/*@ requires source: source_given(source) && source->octets_len <= DNSPACK_MESSAGE_MAX;
    terminates \true;
    exits   \false;
    assigns \nothing;
    ensures status: \result == DNSPACK_OK || \result == DNSPACK_E_SHORT || \result == DNSPACK_E_NAME || \result == DNSPACK_E_RDATA ||
      \result == DNSPACK_E_META || \result == DNSPACK_E_TOO_BIG;
    ensures inside: \result == DNSPACK_OK ==>
      source->record_count <= DNSPACK_RECORDS_MAX && records_inside(source->octets_len, source->records, source->record_count); */
static enum dnspack_status records_check(const struct dnspack_source *source)
{
    uint16_t section = DNSPACK_ANSWER;
    size_t index;

    if (source->record_count > DNSPACK_RECORDS_MAX)
        return DNSPACK_E_TOO_BIG;
    /*@ loop invariant steps: 0 <= index <= source->record_count;
        loop invariant inside: records_inside(source->octets_len, source->records, index);
        loop assigns index, section;
        loop variant source->record_count - index; */
    for (index = 0; index < source->record_count; index++) {
        enum dnspack_status status = record_check(source, index);

        if (status != DNSPACK_OK)
            return status;
        if (source->records[index].section < section)
            return DNSPACK_E_META;
        section = source->records[index].section;
    }
    return DNSPACK_OK;
}

enum dnspack_status dnspack_entry_build(const struct dnspack_source *source, const struct dnspack_encode_options *options,
                                        struct dnspack_workspace *workspace, uint8_t *dst, size_t dst_cap, size_t *entry_len)
{
    enum dnspack_status status;

    if (source->octets_len > DNSPACK_MESSAGE_MAX || options->tag_len > DNSPACK_TAG_MAX)
        return DNSPACK_E_TOO_BIG;
    if (dnspack_name_check(source->octets, source->octets_len, DNSPACK_HEADER_LEN) != DNSPACK_HEADER_LEN + (size_t)source->qname_len)
        return DNSPACK_E_NAME;
    if ((size_t)source->options_off + source->options_len > source->octets_len)
        return DNSPACK_E_SHORT;
    status = source_check(source);
    if (status != DNSPACK_OK)
        return status;
    status = records_check(source);
    if (status != DNSPACK_OK)
        return status;
    return pack(source, options, workspace, dst, dst_cap, entry_len);
}
