/* encode.h - from messages and parsed records to entries. */
#ifndef DNSPACK_ENCODE_H
#define DNSPACK_ENCODE_H

#include "entry.h"

/* How far back a run looks for another of its RRset, and for its owner. */
enum { RUNS_LOOK_BACK = 64 };

#ifdef __FRAMAC__
#include "../spec/encode.acsl"
#endif

/*@ terminates \true;
    exits   \false;
    assigns \nothing;
    ensures ttl: \result.ttl_max_s == 604800 && \result.ttl_min_s == 0 && \result.negative_max_s == 10800 && \result.servfail_s == 5;
    ensures kept: \result.drop_authority == 0 && \result.drop_additional == 0; */
struct dnspack_policy dnspack_policy_default(void);

/*@ terminates \true;
    exits   \false;
    assigns \nothing;
    ensures bound: \result == (msg_len >= 1000 ? DNSPACK_ENTRY_MAX : msg_len * 65 + 535) && \result <= DNSPACK_ENTRY_MAX; */
size_t dnspack_entry_bound(size_t msg_len);

/*@ requires message: \valid_read(msg + (0 .. msg_len - 1));
    requires options: options_readable(options);
    requires workspace: \valid(workspace);
    requires output: \valid(dst + (0 .. dst_cap - 1)) && \valid(entry_len);
    requires apart: \separated(entry_len, workspace, dst + (0 .. dst_cap - 1), msg + (0 .. msg_len - 1), options, options->policy,
      options->tag + (0 .. options->tag_len - 1), options->asked + (0 .. options->asked_len - 1));
    terminates \true;
    exits   \false;
    assigns *workspace, *entry_len, dst[0 .. dst_cap - 1];
    ensures status: encode_status(\result);
    ensures entry: \result == DNSPACK_OK ==> entry_sized(dst, dst_cap, *entry_len);
    ensures needed: \result == DNSPACK_E_NO_SPACE ==> dst_cap < *entry_len <= DNSPACK_ENTRY_MAX || *entry_len == \old(*entry_len);
    ensures kept: \result != DNSPACK_OK ==> \forall integer k; 0 <= k < dst_cap ==> dst[k] == \old(dst[k]);
    ensures len_kept: \result != DNSPACK_OK && \result != DNSPACK_E_NO_SPACE ==> *entry_len == \old(*entry_len); */
enum dnspack_status dnspack_entry_encode(const uint8_t *msg, size_t msg_len, const struct dnspack_encode_options *options,
                                         struct dnspack_workspace *workspace, uint8_t *dst, size_t dst_cap, size_t *entry_len);

/*@ requires source: source_given(source);
    requires options: options_readable(options);
    requires workspace: \valid(workspace);
    requires output: \valid(dst + (0 .. dst_cap - 1)) && \valid(entry_len);
    requires apart: \separated(entry_len, workspace, dst + (0 .. dst_cap - 1), source, source->octets + (0 .. source->octets_len - 1),
      source->records + (0 .. source->record_count - 1), options, options->policy, options->tag + (0 .. options->tag_len - 1));
    terminates \true;
    exits   \false;
    assigns *workspace, *entry_len, dst[0 .. dst_cap - 1];
    ensures status: encode_status(\result);
    ensures entry: \result == DNSPACK_OK ==> entry_sized(dst, dst_cap, *entry_len);
    ensures needed: \result == DNSPACK_E_NO_SPACE ==> dst_cap < *entry_len <= DNSPACK_ENTRY_MAX;
    ensures kept: \result != DNSPACK_OK ==> \forall integer k; 0 <= k < dst_cap ==> dst[k] == \old(dst[k]);
    ensures len_kept: \result != DNSPACK_OK && \result != DNSPACK_E_NO_SPACE ==> *entry_len == \old(*entry_len); */
enum dnspack_status dnspack_entry_build(const struct dnspack_source *source, const struct dnspack_encode_options *options,
                                        struct dnspack_workspace *workspace, uint8_t *dst, size_t dst_cap, size_t *entry_len);

#endif
