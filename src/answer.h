/* answer.h - from an entry and a query to a wire response. */
#ifndef DNSPACK_ANSWER_H
#define DNSPACK_ANSWER_H

#include "entry.h"

#ifdef __FRAMAC__
#include "../spec/answer.acsl"
#endif

enum { POINTER_TO = 0xc000, POINTER_LIMIT = 16384 }; /* RFC 1035 4.1.4: two bits, and 14 bits of offset */

/* Names written to the response that later names may share a tail with. */
enum { SPELLED_MAX = 16 };

enum { STALE_TTL_S = 30 }; /* RFC 8767 4 */

enum { ERROR_STALE = 3, ERROR_STALE_NXDOMAIN = 19 }; /* RFC 8914 4.4, 4.20 */

enum { OPT_FIXED_LEN = 11, ERROR_LEN = 6 }; /* RFC 6891 6.1.2, RFC 8914 2 */

/*@ // A query as dnspack_query_parse leaves it, as far as an answer reads it, and memory that the answer may be written to.
    predicate query_read{L}(uint8_t *msg, struct dnspack_message *query) =
      \valid_read(query) && 1 <= query->qname_len <= DNSPACK_NAME_MAX &&
      \valid_read(msg + (0 .. DNSPACK_HEADER_LEN + query->qname_len + QUESTION_FIXED_LEN - 1)) &&
      query->ecs.address_len <= 16 && (query->ecs.family != 0 ==> 4 <= query->ecs.address_off &&
        \valid_read(msg + (query->ecs.address_off - 4 .. query->ecs.address_off + query->ecs.address_len - 1)));
    predicate query_apart{L}(uint8_t *msg, struct dnspack_message *query, uint8_t *dst, integer cap) =
      \separated(dst + (0 .. cap - 1), query) &&
      \separated(dst + (0 .. cap - 1), msg + (0 .. DNSPACK_HEADER_LEN + query->qname_len + QUESTION_FIXED_LEN - 1)) &&
      (query->ecs.family != 0 ==>
        \separated(dst + (0 .. cap - 1), msg + (query->ecs.address_off - 4 .. query->ecs.address_off + query->ecs.address_len - 1)));
    predicate options_read{L}(struct dnspack_answer_options *options) =
      \valid_read(options) && (options->edns_options_len <= DNSPACK_EDNS_OPTIONS_MAX ==>
        \valid_read(options->edns_options + (0 .. options->edns_options_len - 1)));
    predicate options_apart{L}(struct dnspack_answer_options *options, uint8_t *dst, integer cap) =
      \separated(dst + (0 .. cap - 1), options) &&
      \separated(dst + (0 .. cap - 1), options->edns_options + (0 .. options->edns_options_len - 1));

    // The size of the response: at most.
    logic integer limit_of{L}(struct dnspack_message *query, struct dnspack_answer_options *options, integer cap) =
      size_most(options->size_max, size_client(query->udp_size, options->stream), cap);
    predicate usable_by{L}(uint8_t *entry, integer entry_len, struct dnspack_answer_options *options) =
      usable(entry, entry_len, options->now_s, options->stale_max_s, options->stale_negative);
*/

/*@ requires entry: \valid_read(entry + (0 .. entry_len - 1)) && valid_entry(entry, entry_len);
    requires query: query_read(msg, query);
    requires options: options_read(options);
    requires output: \valid(dst + (0 .. dst_cap - 1)) && \valid(answer) && \separated(answer, dst + (0 .. dst_cap - 1));
    requires apart: \separated(dst + (0 .. dst_cap - 1), entry + (0 .. entry_len - 1)) && query_apart(msg, query, dst, dst_cap) &&
      options_apart(options, dst, dst_cap);
    requires answer_apart: \separated(answer, entry + (0 .. entry_len - 1)) && \separated(answer, query) && \separated(answer, options);
    terminates \true;
    exits   \false;
    assigns *answer, dst[0 .. limit_of(query, options, dst_cap) - 1];
    ensures expired: \result == DNSPACK_E_EXPIRED <==> \old(!usable_by(entry, entry_len, options));
    ensures status: \result == DNSPACK_OK || \result == DNSPACK_E_EXPIRED || \result == DNSPACK_E_NO_SPACE;
    ensures untouched: \result != DNSPACK_OK ==> same{Pre,Post}(dst, 0, dst_cap);
    ensures kept: \result != DNSPACK_OK ==> *answer == \old(*answer);
    ensures size: \result == DNSPACK_OK ==>
      DNSPACK_HEADER_LEN + query->qname_len + QUESTION_FIXED_LEN <= answer->len <= \old(limit_of(query, options, dst_cap));
    ensures stale: \result == DNSPACK_OK ==> answer->stale == \old(stale_in(entry, options->now_s));
    ensures remaining: \result == DNSPACK_OK ==>
      answer->remaining_s == \old(stale_in(entry, options->now_s) == 0 ? be24(entry, 6) - age_in(entry, options->now_s) : 0); */
enum dnspack_status dnspack_answer_build(const uint8_t *entry, size_t entry_len, const uint8_t *msg, const struct dnspack_message *query,
                                         const struct dnspack_answer_options *options, uint8_t *dst, size_t dst_cap,
                                         struct dnspack_answer *answer);

/*@ requires msg: msg_len <= DNSPACK_MESSAGE_MAX && \valid_read(msg + (0 .. msg_len - 1));
    requires output: dst_cap <= SIZE_MAX / 2 && \valid(dst + (0 .. dst_cap - 1));
    requires apart: \separated(dst + (0 .. dst_cap - 1), msg + (0 .. msg_len - 1));
    terminates \true;
    exits   \false;
    assigns dst[0 .. dst_cap - 1];
    ensures none: \result == 0 <==> msg_len < 12 || dst_cap < 23 || \old(be16(msg, 2)) >= DNSPACK_FLAG_QR;
    ensures untouched: \result == 0 ==> same{Pre,Post}(dst, 0, dst_cap);
    ensures bound: \result != 0 ==> 12 <= \result <= dst_cap && \result <= 12 + 255 + 4 + 11; */
size_t dnspack_answer_error(const uint8_t *msg, size_t msg_len, enum dnspack_status why, uint8_t *dst, size_t dst_cap);

#endif
