/* message.h - wire messages (RFC 1035 4): parse whole messages and queries into offsets. */
#ifndef DNSPACK_MESSAGE_H
#define DNSPACK_MESSAGE_H

#include "dnspack.h"
#include "rdata.h"

/* The types that the codec itself has to know; the table in rdata.c knows the rest. */
enum {
    TYPE_A = 1,
    TYPE_NS = 2,
    TYPE_CNAME = 5,
    TYPE_SOA = 6,
    TYPE_PTR = 12,
    TYPE_MX = 15,
    TYPE_SIG = 24,
    TYPE_AAAA = 28,
    TYPE_SRV = 33,
    TYPE_DNAME = 39,
    TYPE_OPT = 41,
    TYPE_RRSIG = 46,
    TYPE_NSEC = 47,
    TYPE_NSEC3 = 50,
    TYPE_TSIG = 250,
    TYPE_ANY = 255
};

enum { CLASS_IN = 1, CLASS_NONE = 254, CLASS_ANY = 255 };

enum { RCODE_NOERROR = 0, RCODE_FORMERR = 1, RCODE_SERVFAIL = 2, RCODE_NXDOMAIN = 3, RCODE_NOTIMP = 4, RCODE_BADVERS = 16 };

enum { OPTION_NSID = 3, OPTION_ECS = 8, OPTION_COOKIE = 10, OPTION_PADDING = 12, OPTION_ERROR = 15 };

enum { QUESTION_FIXED_LEN = 4, RECORD_FIXED_LEN = 10, OPTION_FIXED_LEN = 4, ECS_FIXED_LEN = 4 };

#ifdef __FRAMAC__
#include "../spec/message.acsl"
#endif

/*@ terminates \true;
    exits   \false;
    assigns \result \from status;
    ensures text: \valid_read(\result + (0 .. 2)); */
const char *dnspack_status_name(enum dnspack_status status);

/* Q and meta TYPEs (RFC 6895 3.1): OPT and 128..255. No data has them. */
/*@ terminates \true;
    exits   \false;
    assigns \nothing;
    ensures meaning: \result == 1 <==> type_is_meta(type); */
bool dnspack_type_is_meta(uint16_t type);

/*@ requires message: \valid_read(msg + (0 .. msg_len - 1));
    requires room: records == \null ? record_cap == 0 : \valid(records + (0 .. record_cap - 1));
    requires output: \valid(message);
    requires apart: \separated(message, msg + (0 .. msg_len - 1), records + (0 .. record_cap - 1));
    terminates \true;
    exits   \false;
    assigns records[0 .. record_cap - 1], *message;
    ensures status: parse_status(\result) && (\result == DNSPACK_E_NO_SPACE ==> records != \null);
    ensures too_big: \result == DNSPACK_E_TOO_BIG <==> msg_len > DNSPACK_MESSAGE_MAX;
    ensures short: msg_len < DNSPACK_HEADER_LEN ==> \result == DNSPACK_E_SHORT;
    ensures opcode: \result == DNSPACK_E_OPCODE <==> DNSPACK_HEADER_LEN <= msg_len <= DNSPACK_MESSAGE_MAX && \old(msg[2]) / 8 % 16 != 0;
    ensures valid: \result == DNSPACK_OK ==> message_valid(msg, msg_len, *message);
    ensures records: \result == DNSPACK_OK && records != \null ==>
      records_total(*message) <= record_cap && records_valid(msg, msg_len, records, records_total(*message));
    ensures meaning: \result == DNSPACK_OK && records != \null ==> records_are(msg, records, records_total(*message));
    ensures kept: \result != DNSPACK_OK ==> *message == \old(*message); */
enum dnspack_status dnspack_message_parse(const uint8_t *msg, size_t msg_len, struct dnspack_record *records, size_t record_cap,
                                          struct dnspack_message *message);

/*@ requires message: \valid_read(msg + (0 .. msg_len - 1));
    requires output: \valid(query) && \separated(query, msg + (0 .. msg_len - 1));
    terminates \true;
    exits   \false;
    assigns *query;
    ensures status: (parse_status(\result) && \result != DNSPACK_E_NO_SPACE) || \result == DNSPACK_E_DIRECTION ||
      \result == DNSPACK_E_QUESTION || \result == DNSPACK_E_VERSION;
    ensures valid: \result == DNSPACK_OK ==> query_valid(msg, msg_len, *query);
    ensures kept: \result != DNSPACK_OK ==> *query == \old(*query); */
enum dnspack_status dnspack_query_parse(const uint8_t *msg, size_t msg_len, struct dnspack_message *query);

/*@ requires read: \valid_read(message) && message->options_off + message->options_len <= DNSPACK_MESSAGE_MAX &&
      \valid_read(msg + (0 .. message->options_off + message->options_len - 1));
    requires start: *cursor <= message->options_len;
    requires output: \valid(cursor) && \valid(option);
    requires apart: \separated(cursor, option, message, msg + (0 .. message->options_off + message->options_len - 1));
    terminates \true;
    exits   \false;
    assigns *cursor, *option;
    ensures decides: \result == 1 <==> message->options_off != 0 &&
      option_fits(msg, message->options_off + \old(*cursor), message->options_off + message->options_len);
    ensures found: \result == 1 ==> option_is(msg, message->options_off + \old(*cursor), *option) &&
      option->data_off + option->data_len == message->options_off + *cursor && *cursor <= message->options_len;
    ensures moved: \result == 1 ==> \old(*cursor) < *cursor;
    ensures kept: \result == 0 ==> *cursor == \old(*cursor) && *option == \old(*option); */
bool dnspack_option_next(const uint8_t *msg, const struct dnspack_message *message, size_t *cursor, struct dnspack_option *option);

/*@ requires read: \valid_read(ecs) && ecs->address_len <= 16 && \valid_read(msg + (ecs->address_off .. ecs->address_off + ecs->address_len - 1));
    requires output: \valid(tag + (0 .. DNSPACK_ECS_TAG_MAX - 1)) && \valid(tag_len);
    requires apart: \separated(tag + (0 .. DNSPACK_ECS_TAG_MAX - 1), tag_len, ecs, msg + (ecs->address_off .. ecs->address_off + ecs->address_len - 1));
    terminates \true;
    exits   \false;
    assigns tag[0 .. DNSPACK_ECS_TAG_MAX - 1], *tag_len;
    ensures decides: \result == 1 <==> ecs->family != 0 && prefix_len <= 8 * ecs->address_len;
    ensures length: \result == 1 ==> *tag_len == (prefix_len == 0 ? 0 : 2 + (prefix_len + 7) / 8);
    ensures head: \result == 1 && prefix_len != 0 ==> tag[0] == ecs->family && tag[1] == prefix_len;
    ensures octets: \result == 1 ==> \forall integer k; 2 <= k < 2 + prefix_len / 8 ==> tag[k] == msg[ecs->address_off + k - 2];
    ensures last: \result == 1 && prefix_len % 8 != 0 ==> tag[2 + prefix_len / 8] == msg[ecs->address_off + prefix_len / 8] -
      msg[ecs->address_off + prefix_len / 8] % octet_rest(prefix_len);
    ensures kept: \result == 0 ==> *tag_len == \old(*tag_len) &&
      \forall integer k; 0 <= k < DNSPACK_ECS_TAG_MAX ==> tag[k] == \old(tag[k]); */
bool dnspack_ecs_tag(const uint8_t *msg, const struct dnspack_ecs *ecs, unsigned prefix_len, uint8_t tag[DNSPACK_ECS_TAG_MAX],
                     size_t *tag_len);

#endif
