/* entry_check: any octets are an entry or not; one can be read to its end, and its answer is a message within the limit. */
#include "dnspack.h"
#include "expanded.h"
#include "target.h"

static struct expanded query;
static uint8_t answer[DNSPACK_MESSAGE_MAX];

/* True: nothing of it can contradict its type, since check has read all RDATA (spec/entry-format.md, figure 3). */
static bool items_are_inside(const uint8_t *entry, size_t entry_len, const struct dnspack_entry *head)
{
    static const uint16_t shaped[9] = {1, 2, 5, 6, 12, 15, 28, 33, 39};
    bool is_shaped = head->qclass == 1;
    size_t left = entry_len;
    struct dnspack_cursor cursor = {0};
    struct dnspack_item item;
    for (; dnspack_entry_next(entry, head, &cursor, &item); left--) {
        uint8_t name[DNSPACK_NAME_MAX];
        size_t len = dnspack_entry_name(entry, entry_len, item.owner_off, name);
        size_t known = 0;
        must(left > 0, "the records of an entry have an end");
        must(len >= 1 && len <= DNSPACK_NAME_MAX && name[len - 1] == 0, "an owner is a name");
        must(item.rdata_off >= head->section_off[item.section] && item.rdata_off + item.rdata_len <= head->section_off[item.section + 1],
             "RDATA is in its section");
        while (known < 9 && shaped[known] != item.type) {
            known++;
        }
        is_shaped = is_shaped && known < 9;
    }
    return is_shaped;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t input_len)
{
    size_t said_len = input_len < 2 ? 0 : input[0] * 256u + input[1];
    size_t entry_len = said_len < input_len ? said_len : input_len; /* the parameters follow */
    if (dnspack_entry_check(input, entry_len) != DNSPACK_OK) {
        return 0;
    }
    const struct dnspack_entry head = dnspack_entry_decode(input, entry_len);
    bool is_shaped = items_are_inside(input, entry_len, &head);
    uint32_t bits = parameter(input + entry_len, input_len - entry_len, 0, 2);
    size_t cap = sizeof answer - parameter(input + entry_len, input_len - entry_len, 2, 2);
    const struct dnspack_answer_options options = {.now_s = head.stored_s + (bits & 2 ? head.ttl_s : 0),
                                                   .stale_max_s = 10,
                                                   .stale_negative = true,
                                                   .stream = bits & 4,
                                                   .rotation = bits >> 8,
                                                   .padding_block = bits & 8 ? 468 : 0};
    struct dnspack_message message;
    struct dnspack_answer what;
    expand_query(input, entry_len, bits & 1, &query);
    must(dnspack_query_parse(query.octets, query.len, &message) == DNSPACK_OK, "an entry's question can be asked");
    if (dnspack_entry_matches(input, entry_len, query.octets, &message, input + head.tag_off, head.tag_len) &&
        dnspack_answer_build(input, entry_len, query.octets, &message, &options, answer, cap, &what) == DNSPACK_OK) {
        must(what.len <= cap && (options.stream || what.len <= 1232), "an answer is within the buffer and the client's limit");
        enum dnspack_status status = dnspack_message_parse(answer, what.len, NULL, 0, &message);
        must(status == DNSPACK_OK ? message.end_off == what.len : !is_shaped && status != DNSPACK_E_SHORT, "an answer is a message");
    }
    return 0;
}
