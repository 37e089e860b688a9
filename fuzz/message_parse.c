/* message_parse: any octets are a message or not; what is accepted lies inside, and a response that is stored makes a valid entry. */
#include <string.h>

#include "dnspack.h"
#include "target.h"

static struct dnspack_record records[DNSPACK_RECORDS_MAX];
static struct dnspack_workspace workspace;
static uint8_t entry[DNSPACK_ENTRY_MAX];

static void records_are_inside(const struct dnspack_message *message)
{
    size_t count = (size_t)message->record_count[0] + message->record_count[1] + message->record_count[2];
    for (size_t i = 0; i < count; i++) {
        must(records[i].owner_off >= DNSPACK_HEADER_LEN && records[i].owner_off < records[i].rdata_off, "an owner is before its RDATA");
        must(records[i].rdata_off + records[i].rdata_len <= message->end_off, "RDATA is inside");
        must(i == 0 || records[i].section >= records[i - 1].section, "sections are in order");
    }
}

static void entry_is_valid(const uint8_t *msg, size_t msg_len)
{
    const struct dnspack_policy policy = {
        .ttl_max_s = parameter(msg, msg_len, 0, 3),
        .ttl_min_s = parameter(msg, msg_len, 3, 2),
        .negative_max_s = parameter(msg, msg_len, 0, 3),
        .servfail_s = 5,
        .drop_authority = parameter(msg, msg_len, 5, 1) & 1,
        .drop_additional = parameter(msg, msg_len, 5, 1) & 2,
    };
    size_t tag_len = parameter(msg, msg_len, 6, 1) % 20 % (msg_len + 1);
    const struct dnspack_encode_options options = {.policy = &policy, .now_s = 10, .tag = tag_len > 0 ? msg : NULL, .tag_len = tag_len};
    size_t len = 0;
    enum dnspack_status status = dnspack_entry_encode(msg, msg_len, &options, &workspace, entry, sizeof entry, &len);
    if (status == DNSPACK_OK) {
        must(dnspack_entry_check(entry, len) == DNSPACK_OK, "what encode makes, check accepts");
        must(len <= dnspack_entry_bound(msg_len) + tag_len, "an entry is within its bound");
        must(dnspack_entry_encode(msg, msg_len, &options, &workspace, entry, len - 1, &len) == DNSPACK_E_NO_SPACE, "less has no room");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t input_len)
{
    struct dnspack_message message, before;
    if (input_len > DNSPACK_MESSAGE_MAX) {
        return 0;
    }
    memset(&message, 0x5a, sizeof message);
    enum dnspack_status status = dnspack_message_parse(input, input_len, records, DNSPACK_RECORDS_MAX, &message);
    must(dnspack_message_parse(input, input_len, NULL, 0, &before) == status, "records do not decide");
    if (status != DNSPACK_OK) {
        memset(&before, 0x5a, sizeof before);
        must(memcmp(&message, &before, sizeof message) == 0, "failure leaves the result alone");
        return 0;
    }
    must(message.end_off <= input_len, "a message ends inside");
    records_are_inside(&message);
    entry_is_valid(input, input_len);
    return 0;
}
