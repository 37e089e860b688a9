/*
 * runs.h - the encoder's table of runs: whatever writes to it and needs nothing but records.
 *
 * A file of its own, so that its proofs do not see the theory of names.
 */
#ifndef DNSPACK_RUNS_H
#define DNSPACK_RUNS_H

#include "dnspack.h"

#ifdef __FRAMAC__
#include "../spec/runs.acsl"
#endif

/*@ terminates \true;
    exits   \false;
    assigns \nothing;
    ensures least: \result == min2(a, b); */
static inline uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* An owner: where it stands first, its octets and its hash; len 0: it is malformed. */
struct run_owner {
    uint16_t off;
    uint16_t len;
    uint32_t hash;
};

/* Run number `at` starts with record number `index`. */
/*@ requires made: runs_made(source, runs, index, at) && index < source->record_count;
    requires output: \valid(runs + (0 .. DNSPACK_RUNS_MAX - 1));
    requires apart: \separated(runs + (0 .. DNSPACK_RUNS_MAX - 1), source, source->records + (0 .. source->record_count - 1));
    requires ttl: ttl_s <= DNSPACK_TTL_MAX && ttl_s <= source->records[index].ttl_s;
    terminates \true;
    exits   \false;
    assigns runs[at];
    ensures made: runs_made(source, runs, index + 1, at + 1); */
static inline void run_start(const struct dnspack_source *source, size_t index, uint32_t ttl_s, struct run_owner owner,
                             struct dnspack_run *runs, size_t at)
{
    const struct dnspack_record *record = &source->records[index];
    struct dnspack_run *run = &runs[at];

    run->ttl_s = ttl_s;
    run->owner_hash = owner.hash;
    run->type = record->type;
    run->owner_off = owner.off;
    run->owner_len = owner.len;
    run->first = (uint16_t)index;
    run->count = 1;
    run->section = record->section;
    //@ assert source: source_valid(source);
    //@ assert others: runs_same{Pre,Here}(runs, 0, at);
    //@ assert ttls: \forall integer j; 0 <= j < source->record_count ==> source->records[j].ttl_s == \at(source->records[j].ttl_s,Pre);
    //@ assert fit: runs_fit(source->record_count, runs, at);
    //@ assert honest: runs_honest(source->records, 0, runs, at);
    //@ assert this: run_fits(source->record_count, runs, at) && runs[at].first == index && runs[at].count == 1 && runs[at].ttl_s == ttl_s;
}

/* Record number `index` goes on with the last run, or starts one. Returns how many runs there are now. */
/*@ requires made: runs_made(source, runs, index, count) && index < source->record_count;
    requires last: continues ==> 0 < count;
    requires output: \valid(runs + (0 .. DNSPACK_RUNS_MAX - 1));
    requires apart: \separated(runs + (0 .. DNSPACK_RUNS_MAX - 1), source, source->records + (0 .. source->record_count - 1));
    requires ttl: ttl_s <= DNSPACK_TTL_MAX && ttl_s <= source->records[index].ttl_s;
    terminates \true;
    exits   \false;
    assigns runs[0 .. count];
    ensures made: runs_made(source, runs, index + 1, \result); */
static inline size_t run_add(const struct dnspack_source *source, size_t index, uint32_t ttl_s, struct run_owner owner, bool continues,
                             struct dnspack_run *runs, size_t count)
{
    if (!continues) {
        run_start(source, index, ttl_s, owner, runs, count);
        return count + 1;
    }
    runs[count - 1].count++;
    runs[count - 1].ttl_s = least(runs[count - 1].ttl_s, ttl_s);
    //@ assert source: source_valid(source);
    //@ assert fit: runs_fit(source->record_count, runs, count - 1);
    //@ assert honest: runs_honest(source->records, 0, runs, count - 1);
    return count;
}

/* Make a run follow the first one of its RRset, which gets the least TTL of both (RFC 2181 5.2). */
/*@ requires runs: leader <= newest < DNSPACK_RUNS_MAX && \valid(runs + (0 .. DNSPACK_RUNS_MAX - 1));
    requires led: runs_led(runs, newest);
    requires leader: leader < newest ==> runs[leader].leader == leader;
    terminates \true;
    exits   \false;
    assigns runs[newest].leader, runs[leader].ttl_s;
    ensures led: runs_led(runs, newest + 1);
    ensures kept: runs_kept{Pre,Post}(runs, DNSPACK_RUNS_MAX);
    ensures lower: runs[leader].ttl_s == min2(\old(runs[leader].ttl_s), \old(runs[newest].ttl_s)); */
static inline void rrset_join(struct dnspack_run *runs, size_t newest, size_t leader)
{
    runs[newest].leader = (uint16_t)leader;
    //@ assert leaders: \forall integer k; 0 <= k < newest ==> runs[k].leader == \at(runs[k].leader,Pre);
    runs[leader].ttl_s = least(runs[leader].ttl_s, runs[newest].ttl_s);
    //@ assert ttls: \forall integer k; 0 <= k <= newest && k != leader ==> runs[k].ttl_s == \at(runs[k].ttl_s,Pre);
    //@ assert others: runs_led(runs, newest);
    //@ assert this: run_led(runs, newest);
}

/* Give every run the TTL of its leader, raised to least_s; 0 stays. */
/*@ requires runs: run_count <= DNSPACK_RUNS_MAX && \valid(runs + (0 .. DNSPACK_RUNS_MAX - 1));
    requires led: runs_led(runs, run_count);
    requires range: least_s <= DNSPACK_TTL_MAX;
    terminates \true;
    exits   \false;
    assigns runs[0 .. run_count - 1];
    ensures kept: runs_kept{Pre,Post}(runs, run_count);
    ensures within: ttls_within{Pre,Post}(runs, run_count, least_s); */
static inline void ttls_settle(struct dnspack_run *runs, size_t run_count, uint32_t least_s)
{
    size_t index;

    /*@ loop invariant steps: 0 <= index <= run_count;
        loop invariant kept: runs_kept{Pre,Here}(runs, run_count);
        loop invariant leaders: \forall integer k; 0 <= k < run_count ==> runs[k].leader == \at(runs[k].leader,Pre);
        loop invariant within: ttls_within{Pre,Here}(runs, run_count, least_s);
        loop invariant ahead: \forall integer k; index <= k < run_count ==> runs[k].ttl_s == \at(runs[k].ttl_s,Pre);
        loop assigns index, runs[0 .. run_count - 1];
        loop variant run_count - index; */
    for (index = 0; index < run_count; index++) {
        uint32_t ttl_s;

        //@ assert led: run_led{Pre}(runs, index);
        ttl_s = runs[runs[index].leader].ttl_s;
        runs[index].ttl_s = ttl_s != 0 && ttl_s < least_s ? least_s : ttl_s;
    }
}

/*@ requires runs: to <= from < DNSPACK_RUNS_MAX && \valid(runs + (0 .. DNSPACK_RUNS_MAX - 1));
    terminates \true;
    exits   \false;
    assigns runs[to];
    ensures fit: \forall integer end; runs_fit{Pre}(end, runs, to) && run_fits{Pre}(end, runs, from) ==> runs_fit{Post}(end, runs, to + 1);
    ensures ahead: runs_same{Pre,Post}(runs, from + 1, DNSPACK_RUNS_MAX); */
static inline void run_move(struct dnspack_run *runs, size_t to, size_t from)
{
    runs[to] = runs[from];
    //@ assert others: \forall integer end; runs_fit{Pre}(end, runs, to) ==> runs_fit{Here}(end, runs, to);
    //@ assert this: \forall integer end; run_fits{Pre}(end, runs, from) ==> run_fits{Here}(end, runs, to);
}

/* Leave out the sections that the policy does not want; returns how many runs are left. A negative answer keeps what proves it. */
/*@ requires policy: \valid_read(policy);
    requires runs: run_count <= DNSPACK_RUNS_MAX && \valid(runs + (0 .. DNSPACK_RUNS_MAX - 1));
    requires apart: \separated(policy, runs + (0 .. DNSPACK_RUNS_MAX - 1));
    terminates \true;
    exits   \false;
    assigns runs[0 .. run_count - 1];
    ensures count: \result <= run_count;
    ensures fit: \forall integer end; runs_fit{Pre}(end, runs, run_count) ==> runs_fit{Post}(end, runs, \result); */
static inline size_t sections_drop(const struct dnspack_policy *policy, bool negative, struct dnspack_run *runs, size_t run_count)
{
    size_t kept = 0, index;

    /*@ loop invariant steps: 0 <= kept <= index <= run_count;
        loop invariant ahead: runs_same{Pre,Here}(runs, index, run_count);
        loop invariant fit: \forall integer end; runs_fit{Pre}(end, runs, run_count) ==> runs_fit{Here}(end, runs, kept);
        loop assigns index, kept, runs[0 .. run_count - 1];
        loop variant run_count - index; */
    for (index = 0; index < run_count; index++) {
        //@ assert fits: \forall integer end; runs_fit{Pre}(end, runs, run_count) ==> run_fits{Here}(end, runs, index);
        if (runs[index].section == DNSPACK_AUTHORITY && policy->drop_authority && !negative)
            continue;
        if (runs[index].section == DNSPACK_ADDITIONAL && policy->drop_additional)
            continue;
        run_move(runs, kept++, index);
    }
    return kept;
}

#endif
