/* dnspack measure: store every response of captures, answer each from its entry, let libldns compare, and count. */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h> /* before ldns.h, which makes up a bool of its own where there is none */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ldns/ldns.h>

#include "capture.h"
#include "dnspack.h"
#include "json.h"
#include "judge.h"
#include "structured.h"
#include "tool.h"

static const char measure_help[] =
    "Usage: dnspack measure [OPTION...] FILE...\n"
    "Store every response of the FILEs (pcap, pcapng, length-framed stream or one raw message;\n"
    "'-': standard input), answer its own question from the entry, have libldns compare the\n"
    "answer with the response, and print counts and sizes.\n\n"
    "  --json                  print JSON\n"
    "  --save-refused DIR      write each refused response to DIR/FILE-NUMBER-REASON.bin\n"
    "  --save-different DIR    write each response whose answer differs, with its entry and the\n"
    "                          answer, to DIR/FILE-NUMBER.{message,entry,answer}.bin\n"
    "  --section-drop SECTION  do not store 'authority' (of positive answers) or 'additional'\n"
    "  --compare-ldns          name each message that dnspack and libldns do not agree to\n"
    "                          accept, and count them by kind\n\n"
    "Lines about single messages go to standard error; messages of a file count from 1.\n"
    "Lifetimes are stored as received, up to 194 days; that of SERVFAIL is 5 seconds.\n\n"
    "Exit code: 0 if all answers are equal, whatever was refused; 1 if one differs, or a file is\n"
    "cut short, damaged or no capture (the rest is measured); 2 if a file cannot be opened, too.\n";

enum layout { WIRE, STRUCTURED, ENTRY, LAYOUT_COUNT };

static const char *const layout_keys[LAYOUT_COUNT] = {"wire", "structured", "entry"};
static const char *const layout_names[LAYOUT_COUNT] = {"wire message", "structured layout", "dnspack entry"};

/* What one stored response takes. */
struct sample {
    uint16_t qtype;
    size_t sizes[LAYOUT_COUNT];
};

/* Samples next to each other that share a query type. */
struct kind {
    uint16_t qtype;
    size_t first;
    size_t count;
};

/* Messages on whose acceptance dnspack and libldns do not agree. */
struct disagreement {
    const char *ours; /* static, both */
    const char *theirs;
    size_t count;
};

enum { DISAGREEMENTS_MAX = 64 };

struct tally {
    size_t messages, responses, queries;
    size_t queries_parsed, queries_refused[DNSPACK_STATUS_COUNT];
    size_t stored, refused[DNSPACK_STATUS_COUNT];
    size_t answered, answers_equal;
    size_t agreements; /* with libldns */
    struct disagreement disagreements[DISAGREEMENTS_MAX];
    size_t disagreement_count;
    struct capture_stats skipped;
    struct sample *samples; /* stored of them */
    size_t sample_cap;
};

struct settings {
    const char *refused_dir;
    const char *different_dir;
    struct dnspack_policy policy;
    struct judge_rules rules;
    bool is_json;
    bool compares_verdicts;
    bool wants_help;
};

struct measure {
    const struct settings *settings;
    struct tally tally;
    const char *path; /* of the file being read */
    size_t number;    /* of the message in it */
    bool is_dubious;  /* its first message came from no packet and is none for libldns */
    int code;
    bool shows_progress;
    struct dnspack_workspace *workspace;
    uint8_t *entry;
    size_t entry_len;
    uint8_t *answer;
    size_t answer_len;
    uint8_t query[DNSPACK_HEADER_LEN + DNSPACK_NAME_MAX + 4 + 11];
    size_t query_len;
};

/* ---- lines about one message ---- */

static void clear_progress(const struct measure *measure)
{
    if (measure->shows_progress)
        fputs("\r\033[K", stderr);
}

__attribute__((format(printf, 2, 3))) static void note(const struct measure *measure, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    clear_progress(measure);
    tool_error(measure->path, "message %zu: %s", measure->number, text);
}

static void show_progress(const struct measure *measure, const struct capture *capture)
{
    enum { EVERY = 256 };
    uint64_t read_len = 0;
    uint64_t file_len = 0;

    if (!measure->shows_progress || measure->number % EVERY != 0)
        return;
    capture_progress(capture, &read_len, &file_len);
    fprintf(stderr, "\r\033[Kdnspack: %s: %zu messages", measure->path, measure->number);
    if (file_len > 0)
        fprintf(stderr, ", %u %%", (unsigned)(100.0 * (double)read_len / (double)file_len));
}

static void worsen(struct measure *measure, int code)
{
    if (code > measure->code)
        measure->code = code;
}

/* Write src to DIR/FILE-NUMBER and the suffix; the FILE's slashes become underscores. */
static void save(struct measure *measure, const char *dir, const char *suffix, const uint8_t *src, size_t src_len)
{
    enum { NAME_MAX_LEN = 200 };
    char name[4096];
    const char *base = measure->path + strspn(measure->path, "./");
    size_t base_len = strlen(base);

    if (base_len > NAME_MAX_LEN)
        base += base_len - NAME_MAX_LEN;
    int dir_len = snprintf(name, sizeof name, "%s/", dir);
    int len = snprintf(name, sizeof name, "%s/%s-%06zu%s", dir, strcmp(measure->path, "-") == 0 ? "stdin" : base, measure->number, suffix);
    if (dir_len < 0 || len < 0 || (size_t)len >= sizeof name) {
        tool_error(dir, "%s", strerror(ENAMETOOLONG));
        worsen(measure, TOOL_FAULT);
        return;
    }
    for (char *at = name + dir_len; *at != '\0'; at++)
        *at = *at == '/' ? '_' : *at;
    FILE *file = fopen(name, "wb");
    bool is_written = file != NULL && fwrite(src, 1, src_len, file) == src_len;
    if (file != NULL && fclose(file) != 0)
        is_written = false;
    if (is_written)
        return;
    clear_progress(measure);
    tool_error(name, "%s", strerror(errno));
    worsen(measure, TOOL_FAULT);
}

/* ---- one message ---- */

static void put_be16(uint8_t *dst, unsigned value)
{
    dst[0] = (uint8_t)(value >> 8);
    dst[1] = (uint8_t)value;
}

/* Ask what the response answers: its name as spelled there, its RD and CD, and DO so that signatures come along. */
static void make_query(struct measure *measure, const uint8_t *msg, const struct dnspack_message *response)
{
    static const uint8_t opt[11] = {0, 0, 41, 0x04, 0xd0, 0, 0, 0x80, 0, 0, 0}; /* RFC 6891 6.1.2: 1232 octets, DO */
    uint8_t *query = measure->query;
    size_t len = DNSPACK_HEADER_LEN;

    memset(query, 0, DNSPACK_HEADER_LEN);
    put_be16(query, response->id);
    put_be16(query + 2, response->flags & (DNSPACK_FLAG_RD | DNSPACK_FLAG_CD));
    put_be16(query + 4, 1);
    put_be16(query + 10, 1);
    memcpy(query + len, msg + DNSPACK_HEADER_LEN, response->qname_len);
    len += response->qname_len;
    put_be16(query + len, response->qtype);
    put_be16(query + len + 2, response->qclass);
    memcpy(query + len + 4, opt, sizeof opt);
    measure->query_len = len + 4 + sizeof opt;
}

/* Answer the query of measure->query from measure->entry. NULL, or why there is no answer. */
static const char *make_answer(struct measure *measure, uint32_t now_s)
{
    const struct dnspack_answer_options how = {.now_s = now_s, .stream = true};
    struct dnspack_message query;
    struct dnspack_answer answer;

    if (dnspack_query_parse(measure->query, measure->query_len, &query) != DNSPACK_OK)
        return "its question cannot be asked";
    if (!dnspack_entry_matches(measure->entry, measure->entry_len, measure->query, &query, NULL, 0))
        return "the entry does not match its own question";
    enum dnspack_status status = dnspack_answer_build(measure->entry, measure->entry_len, measure->query, &query, &how, measure->answer,
                                                      DNSPACK_MESSAGE_MAX, &answer);
    if (status != DNSPACK_OK)
        return dnspack_status_name(status);
    measure->answer_len = answer.len;
    measure->tally.answered++;
    return answer.truncated ? "the answer is truncated" : NULL;
}

/* Whether the answer says what the response says; if not, the reason goes to why. */
static bool answer_equal(struct measure *measure, const uint8_t *msg, size_t msg_len, uint32_t now_s, char *why, size_t why_cap)
{
    struct dnspack_message response;
    struct dnspack_message answer;

    measure->answer_len = 0;
    const char *fault = dnspack_entry_check(measure->entry, measure->entry_len) == DNSPACK_OK ? NULL : "the entry is not valid";
    if (fault == NULL && dnspack_message_parse(msg, msg_len, NULL, 0, &response) != DNSPACK_OK)
        fault = "stored, but not accepted by the parser";
    if (fault == NULL) {
        make_query(measure, msg, &response);
        fault = make_answer(measure, now_s);
    }
    if (fault == NULL && dnspack_message_parse(measure->answer, measure->answer_len, NULL, 0, &answer) != DNSPACK_OK)
        fault = "the answer is malformed";
    size_t question_len = fault == NULL ? response.qname_len + 4u : 0;
    if (fault == NULL && memcmp(measure->answer + DNSPACK_HEADER_LEN, measure->query + DNSPACK_HEADER_LEN, question_len) != 0)
        fault = "the question is not echoed octet for octet";
    if (fault == NULL)
        return judge_equal(msg, msg_len, measure->answer, measure->answer_len, &measure->settings->rules, why, why_cap) == JUDGE_EQUAL;
    snprintf(why, why_cap, "%s", fault);
    return false;
}

/* Keep what the response in msg takes. False: it has no structured layout, or memory ran out. */
static bool add_sample(struct measure *measure, const uint8_t *msg, size_t msg_len)
{
    struct tally *tally = &measure->tally;
    struct structured *structured = structured_parse(msg, msg_len);
    struct dnspack_entry head;

    if (tally->stored == tally->sample_cap) {
        size_t cap = tally->sample_cap * 2 + 1024;
        struct sample *grown = realloc(tally->samples, cap * sizeof *grown);
        if (grown == NULL) {
            structured_free(structured);
            return false;
        }
        tally->samples = grown;
        tally->sample_cap = cap;
    }
    head = dnspack_entry_decode(measure->entry, measure->entry_len);
    size_t structured_len = structured == NULL ? 0 : structured_bytes(structured);
    tally->samples[tally->stored++] = (struct sample){head.qtype, {msg_len, structured_len, measure->entry_len}};
    structured_free(structured);
    return structured_len > 0;
}

static void report_different(struct measure *measure, const uint8_t *msg, size_t msg_len, const char *why)
{
    const char *dir = measure->settings->different_dir;

    note(measure, "answer differs: %s", why);
    worsen(measure, TOOL_FOUND);
    if (dir == NULL)
        return;
    save(measure, dir, ".message.bin", msg, msg_len);
    save(measure, dir, ".entry.bin", measure->entry, measure->entry_len);
    save(measure, dir, ".answer.bin", measure->answer, measure->answer_len);
}

static void measure_response(struct measure *measure, const uint8_t *msg, size_t msg_len, uint32_t now_s)
{
    const struct settings *settings = measure->settings;
    const struct dnspack_encode_options options = {.policy = &settings->policy, .now_s = now_s};
    char why[256] = "";

    measure->tally.responses++;
    enum dnspack_status status =
        dnspack_entry_encode(msg, msg_len, &options, measure->workspace, measure->entry, DNSPACK_ENTRY_MAX, &measure->entry_len);
    if (status != DNSPACK_OK) {
        char suffix[64];
        measure->tally.refused[status]++;
        snprintf(suffix, sizeof suffix, "-%s.bin", dnspack_status_name(status));
        if (settings->refused_dir != NULL)
            save(measure, settings->refused_dir, suffix, msg, msg_len);
        return;
    }
    if (!answer_equal(measure, msg, msg_len, now_s, why, sizeof why))
        report_different(measure, msg, msg_len, why);
    else
        measure->tally.answers_equal++;
    if (!add_sample(measure, msg, msg_len)) {
        note(measure, "no structured layout");
        worsen(measure, TOOL_FOUND);
    }
}

static void measure_query(struct measure *measure, const uint8_t *msg, size_t msg_len)
{
    struct dnspack_message query;

    measure->tally.queries++;
    enum dnspack_status status = dnspack_query_parse(msg, msg_len, &query);
    if (status == DNSPACK_OK)
        measure->tally.queries_parsed++;
    else
        measure->tally.queries_refused[status]++;
}

/* ---- libldns' verdict on the same octets ---- */

static void count_disagreement(struct tally *tally, const char *ours, const char *theirs)
{
    for (size_t at = 0; at < tally->disagreement_count; at++) {
        struct disagreement *known = &tally->disagreements[at];
        if (strcmp(known->ours, ours) == 0 && strcmp(known->theirs, theirs) == 0) {
            known->count++;
            return;
        }
    }
    if (tally->disagreement_count < DISAGREEMENTS_MAX)
        tally->disagreements[tally->disagreement_count++] = (struct disagreement){ours, theirs, 1};
}

/* Messages of another opcode are left out: dnspack reads no further than that. */
static void compare_verdicts(struct measure *measure, const uint8_t *msg, size_t msg_len)
{
    struct dnspack_message parsed;
    const char *theirs = "";

    enum dnspack_status status = dnspack_message_parse(msg, msg_len, NULL, 0, &parsed);
    if (status == DNSPACK_E_OPCODE)
        return;
    bool is_accepted = judge_accepts(msg, msg_len, &theirs);
    if (is_accepted == (status == DNSPACK_OK)) {
        measure->tally.agreements++;
        return;
    }
    note(measure, "dnspack: %s; libldns: %s", dnspack_status_name(status), theirs);
    count_disagreement(&measure->tally, dnspack_status_name(status), theirs);
}

/* ---- files ---- */

static void measure_message(struct measure *measure, const struct capture_message *message)
{
    const unsigned qr_octet = 2;
    bool is_response = message->len > qr_octet && (message->octets[qr_octet] & DNSPACK_FLAG_QR >> 8) != 0;

    measure->number++;
    measure->tally.messages++;
    if (is_response)
        measure_response(measure, message->octets, message->len, (uint32_t)(message->time_us / 1000000));
    else
        measure_query(measure, message->octets, message->len);
    if (measure->settings->compares_verdicts)
        compare_verdicts(measure, message->octets, message->len);
}

static void add_skipped(struct capture_stats *sum, const struct capture_stats *stats)
{
    sum->packets_other += stats->packets_other;
    sum->packets_cut += stats->packets_cut;
    sum->packets_malformed += stats->packets_malformed;
    sum->fragments_lost += stats->fragments_lost;
    sum->octets_lost += stats->octets_lost;
}

/* What a capture that was read to its end may still be at fault for; NULL: nothing. */
static const char *find_fault(const struct measure *measure, const struct capture_stats *stats, char *text, size_t text_cap)
{
    if (measure->is_dubious && measure->number == 1)
        return "neither a capture nor a message: read as one message, it is malformed";
    if (stats->packets == 0 && stats->octets_lost > 0)
        snprintf(text, text_cap, "cut short: the last %llu octets are no whole message", (unsigned long long)stats->octets_lost);
    else if (stats->packets_cut > 0)
        snprintf(text, text_cap, "cut short: %llu packets are not whole in it", (unsigned long long)stats->packets_cut);
    else
        return NULL;
    return text;
}

/* Measure what is in an open capture. NULL, or what is wrong with it; text has room for that. */
static const char *measure_capture(struct measure *measure, struct capture *capture, char *text, size_t text_cap)
{
    struct capture_message message;
    const char *status = "";

    int more = capture_next(capture, &message);
    measure->is_dubious = more > 0 && message.transport == CAPTURE_NO_TRANSPORT && !judge_accepts(message.octets, message.len, &status);
    for (; more > 0; more = capture_next(capture, &message)) {
        measure_message(measure, &message);
        show_progress(measure, capture);
    }
    clear_progress(measure);
    add_skipped(&measure->tally.skipped, capture_stats(capture));
    return more < 0 ? capture_error(capture) : find_fault(measure, capture_stats(capture), text, text_cap);
}

static void measure_file(struct measure *measure, const char *path)
{
    char text[256] = "";
    struct capture *capture = capture_open(path, NULL, 0, text, sizeof text);

    measure->path = path;
    measure->number = 0;
    if (capture == NULL) {
        bool is_readable = strcmp(path, "-") == 0 || access(path, R_OK) == 0;
        tool_error(path, "%s", text);
        worsen(measure, is_readable ? TOOL_FOUND : TOOL_FAULT);
        return;
    }
    const char *fault = measure_capture(measure, capture, text, sizeof text);
    if (fault != NULL) {
        tool_error(path, "%s", fault);
        worsen(measure, TOOL_FOUND);
    }
    capture_close(capture);
}

/* ---- sizes ---- */

struct spread {
    double mean;
    size_t p50, p90, p99;
};

static int compare_sizes(const void *a, const void *b)
{
    const size_t *left = a;
    const size_t *right = b;
    return (*left > *right) - (*left < *right);
}

/* By query type, for kinds. */
static int compare_samples(const void *a, const void *b)
{
    const struct sample *left = a;
    const struct sample *right = b;
    return (left->qtype > right->qtype) - (left->qtype < right->qtype);
}

/* The most frequent first. */
static int compare_kinds(const void *a, const void *b)
{
    const struct kind *left = a;
    const struct kind *right = b;
    if (left->count != right->count)
        return left->count < right->count ? 1 : -1;
    return (left->qtype > right->qtype) - (left->qtype < right->qtype);
}

/* The least size that `percent` of the sorted sizes do not exceed. */
static size_t percentile(const size_t *sizes, size_t count, size_t percent)
{
    return sizes[(count * percent + 99) / 100 - 1];
}

/* Of one layout over count > 0 samples; scratch holds as many sizes. */
static struct spread spread_of(const struct sample *samples, size_t count, enum layout layout, size_t *scratch)
{
    double sum = 0;

    for (size_t at = 0; at < count; at++) {
        scratch[at] = samples[at].sizes[layout];
        sum += (double)scratch[at];
    }
    qsort(scratch, count, sizeof *scratch, compare_sizes);
    return (struct spread){sum / (double)count, percentile(scratch, count, 50), percentile(scratch, count, 90),
                           percentile(scratch, count, 99)};
}

/* Sort the samples by query type; kinds, as many as samples at most, gets where each type stands. Returns their number. */
static size_t find_kinds(struct sample *samples, size_t count, struct kind *kinds)
{
    size_t kind_count = 0;

    if (count == 0)
        return 0;
    qsort(samples, count, sizeof *samples, compare_samples);
    for (size_t at = 0; at < count; at++) {
        if (kind_count == 0 || kinds[kind_count - 1].qtype != samples[at].qtype)
            kinds[kind_count++] = (struct kind){samples[at].qtype, at, 0};
        kinds[kind_count - 1].count++;
    }
    qsort(kinds, kind_count, sizeof *kinds, compare_kinds);
    return kind_count;
}

/* The type as libldns spells it. */
static void type_name(uint16_t type, char *name, size_t name_cap)
{
    char *text = ldns_rr_type2str((ldns_rr_type)type);

    snprintf(name, name_cap, "%s", text == NULL ? "?" : text);
    free(text);
}

static double saved_percent(double before, double after)
{
    return before > 0 ? 100 * (1 - after / before) : 0;
}

/* ---- the report as text ---- */

static size_t sum_of(const size_t counts[DNSPACK_STATUS_COUNT])
{
    size_t sum = 0;

    for (size_t at = 0; at < DNSPACK_STATUS_COUNT; at++)
        sum += counts[at];
    return sum;
}

static void print_reasons(const size_t counts[DNSPACK_STATUS_COUNT])
{
    for (size_t at = 0; at < DNSPACK_STATUS_COUNT; at++) {
        if (counts[at] > 0)
            printf("    %-14s%8zu\n", dnspack_status_name((enum dnspack_status)at), counts[at]);
    }
}

static void print_skipped(const struct capture_stats *skipped)
{
    const struct {
        const char *what;
        uint64_t count;
    } lines[] = {
        {"packets of other kinds", skipped->packets_other},
        {"packets cut short by the capture", skipped->packets_cut},
        {"packets with a malformed header", skipped->packets_malformed},
        {"fragments of incomplete datagrams", skipped->fragments_lost},
        {"octets of incomplete messages", skipped->octets_lost},
    };
    for (size_t at = 0; at < sizeof lines / sizeof lines[0]; at++) {
        if (lines[at].count > 0)
            printf("skipped         %10llu  %s\n", (unsigned long long)lines[at].count, lines[at].what);
    }
}

static void print_counts(const struct tally *tally)
{
    printf("messages          %8zu\n", tally->messages);
    printf("responses         %8zu\n", tally->responses);
    printf("  stored          %8zu\n", tally->stored);
    printf("  refused         %8zu\n", sum_of(tally->refused));
    print_reasons(tally->refused);
    printf("queries           %8zu\n", tally->queries);
    printf("  accepted        %8zu\n", tally->queries_parsed);
    printf("  refused         %8zu\n", sum_of(tally->queries_refused));
    print_reasons(tally->queries_refused);
    print_skipped(&tally->skipped);
    printf("answers           %8zu\n", tally->answered);
    printf("  equal           %8zu\n", tally->answers_equal);
    printf("  different       %8zu\n", tally->stored - tally->answers_equal);
}

static void print_verdicts(const struct tally *tally)
{
    printf("\nverdict on the octets as a message, dnspack's and libldns'\n");
    printf("  %8zu  the same\n", tally->agreements);
    for (size_t at = 0; at < tally->disagreement_count; at++) {
        const struct disagreement *kind = &tally->disagreements[at];
        printf("  %8zu  dnspack: %s; libldns: %s\n", kind->count, kind->ours, kind->theirs);
    }
}

static void print_row(const char *name, const struct sample *samples, size_t count, size_t *scratch)
{
    double means[LAYOUT_COUNT];

    printf("%-10s%7zu", name, count);
    for (size_t layout = 0; layout < LAYOUT_COUNT; layout++) {
        struct spread spread = spread_of(samples, count, (enum layout)layout, scratch);
        means[layout] = spread.mean;
        printf("%7.1f%6zu%6zu%6zu", spread.mean, spread.p50, spread.p90, spread.p99);
    }
    printf("%6.0f%%\n", saved_percent(means[STRUCTURED], means[ENTRY]));
}

static void print_sizes(const struct tally *tally, const struct kind *kinds, size_t kind_count, size_t *scratch)
{
    printf("\n%-17s", "octets per entry");
    for (size_t layout = 0; layout < LAYOUT_COUNT; layout++)
        printf("   %-*s", layout + 1 < LAYOUT_COUNT ? 22 : 0, layout_names[layout]);
    printf("\n%-10s%7s", "type", "entries");
    for (size_t layout = 0; layout < LAYOUT_COUNT; layout++)
        printf("%7s%6s%6s%6s", "mean", "p50", "p90", "p99");
    printf("%7s\n", "saved");
    print_row("all", tally->samples, tally->stored, scratch);
    for (size_t at = 0; at < kind_count; at++) {
        char name[32];
        type_name(kinds[at].qtype, name, sizeof name);
        print_row(name, tally->samples + kinds[at].first, kinds[at].count, scratch);
    }
    double wire = spread_of(tally->samples, tally->stored, WIRE, scratch).mean;
    double structured = spread_of(tally->samples, tally->stored, STRUCTURED, scratch).mean;
    double entry = spread_of(tally->samples, tally->stored, ENTRY, scratch).mean;
    printf("saved: %.1f %% of the structured layout, %.1f %% of the wire message\n", saved_percent(structured, entry),
           saved_percent(wire, entry));
}

/* ---- the report as JSON ---- */

static void json_reasons(struct json *json, const char *key, const size_t counts[DNSPACK_STATUS_COUNT])
{
    json_open(json, key);
    for (size_t at = 0; at < DNSPACK_STATUS_COUNT; at++) {
        if (counts[at] > 0)
            json_count(json, dnspack_status_name((enum dnspack_status)at), counts[at]);
    }
    json_close(json);
}

static void json_counts(struct json *json, const struct tally *tally)
{
    json_count(json, "messages", tally->messages);
    json_count(json, "responses", tally->responses);
    json_count(json, "stored", tally->stored);
    json_reasons(json, "refused", tally->refused);
    json_count(json, "answered", tally->answered);
    json_count(json, "answers_equal", tally->answers_equal);
    json_count(json, "queries", tally->queries);
    json_count(json, "queries_parsed", tally->queries_parsed);
    json_reasons(json, "queries_refused", tally->queries_refused);
    json_open(json, "skipped");
    json_count(json, "packets_other", (size_t)tally->skipped.packets_other);
    json_count(json, "packets_cut", (size_t)tally->skipped.packets_cut);
    json_count(json, "packets_malformed", (size_t)tally->skipped.packets_malformed);
    json_count(json, "fragments_lost", (size_t)tally->skipped.fragments_lost);
    json_count(json, "octets_lost", (size_t)tally->skipped.octets_lost);
    json_close(json);
}

static void json_verdicts(struct json *json, const struct tally *tally)
{
    json_open(json, "ldns_verdicts");
    json_count(json, "same", tally->agreements);
    for (size_t at = 0; at < tally->disagreement_count; at++) {
        const struct disagreement *kind = &tally->disagreements[at];
        char key[256];
        snprintf(key, sizeof key, "%s / %s", kind->ours, kind->theirs);
        json_count(json, key, kind->count);
    }
    json_close(json);
}

/* The means of the three layouts over the samples; 0 if there are none. */
static void json_means(struct json *json, const struct sample *samples, size_t count, size_t *scratch)
{
    for (size_t layout = 0; layout < LAYOUT_COUNT; layout++)
        json_real(json, layout_keys[layout], count == 0 ? 0 : spread_of(samples, count, (enum layout)layout, scratch).mean);
}

static void json_percentiles(struct json *json, const struct tally *tally, size_t *scratch)
{
    json_open(json, "percentiles");
    for (size_t layout = 0; layout < LAYOUT_COUNT && tally->stored > 0; layout++) {
        struct spread spread = spread_of(tally->samples, tally->stored, (enum layout)layout, scratch);
        json_open(json, layout_keys[layout]);
        json_count(json, "p50", spread.p50);
        json_count(json, "p90", spread.p90);
        json_count(json, "p99", spread.p99);
        json_close(json);
    }
    json_close(json);
}

static void json_sizes(struct json *json, const struct tally *tally, const struct kind *kinds, size_t kind_count, size_t *scratch)
{
    json_open(json, "bytes_per_entry");
    json_means(json, tally->samples, tally->stored, scratch);
    json_close(json);
    json_percentiles(json, tally, scratch);
    json_open(json, "by_type");
    for (size_t at = 0; at < kind_count; at++) {
        char name[32];
        type_name(kinds[at].qtype, name, sizeof name);
        json_open(json, name);
        json_count(json, "entries", kinds[at].count);
        json_means(json, tally->samples + kinds[at].first, kinds[at].count, scratch);
        json_close(json);
    }
    json_close(json);
}

/* ---- the command ---- */

static int report(struct measure *measure)
{
    struct tally *tally = &measure->tally;
    struct kind *kinds = calloc(tally->stored + 1, sizeof *kinds);
    size_t *scratch = calloc(tally->stored + 1, sizeof *scratch);
    struct json json = {.out = stdout};

    if (kinds == NULL || scratch == NULL) {
        free(kinds);
        free(scratch);
        tool_error("measure", "out of memory");
        return TOOL_FAULT;
    }
    size_t kind_count = find_kinds(tally->samples, tally->stored, kinds);
    if (measure->settings->is_json) {
        json_open(&json, NULL);
        json_counts(&json, tally);
        json_sizes(&json, tally, kinds, kind_count, scratch);
        if (measure->settings->compares_verdicts)
            json_verdicts(&json, tally);
        json_close(&json);
    } else {
        print_counts(tally);
        if (tally->stored > 0)
            print_sizes(tally, kinds, kind_count, scratch);
        if (measure->settings->compares_verdicts)
            print_verdicts(tally);
    }
    free(kinds);
    free(scratch);
    return measure->code;
}

static int measure_files(char **paths, const struct settings *settings)
{
    struct measure *measure = calloc(1, sizeof *measure);
    int code = TOOL_FAULT;

    if (measure == NULL) {
        tool_error("measure", "out of memory");
        return code;
    }
    measure->settings = settings;
    measure->shows_progress = isatty(STDERR_FILENO) != 0;
    measure->workspace = malloc(sizeof *measure->workspace);
    measure->entry = malloc(DNSPACK_ENTRY_MAX);
    measure->answer = malloc(DNSPACK_MESSAGE_MAX);
    if (measure->workspace == NULL || measure->entry == NULL || measure->answer == NULL) {
        tool_error("measure", "out of memory");
    } else {
        for (; *paths != NULL; paths++)
            measure_file(measure, *paths);
        code = report(measure);
    }
    free(measure->tally.samples);
    free(measure->answer);
    free(measure->entry);
    free(measure->workspace);
    free(measure);
    return code;
}

static bool take_section(const char *name, struct settings *settings)
{
    if (strcmp(name, "authority") == 0) {
        settings->policy.drop_authority = settings->rules.drop_authority = true;
        return true;
    }
    if (strcmp(name, "additional") == 0) {
        settings->policy.drop_additional = settings->rules.drop_additional = true;
        return true;
    }
    tool_error("--section-drop", "'%s' is neither 'authority' nor 'additional'", name);
    return false;
}

/* A folder to write to, made if it is not there. */
static bool take_folder(const char *path, const char **folder)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST) {
        *folder = path;
        return true;
    }
    tool_error(path, "%s", strerror(errno));
    return false;
}

static bool take_option(int option, struct settings *settings)
{
    switch (option) {
    case 'h':
        settings->wants_help = true;
        return true;
    case 'j':
        settings->is_json = true;
        return true;
    case 'r':
        return take_folder(optarg, &settings->refused_dir);
    case 'd':
        return take_folder(optarg, &settings->different_dir);
    case 's':
        return take_section(optarg, settings);
    case 'l':
        settings->compares_verdicts = true;
        return true;
    default:
        return false;
    }
}

int command_measure(int argc, char **argv)
{
    static const struct option known[] = {
        {"help", no_argument, NULL, 'h'},
        {"json", no_argument, NULL, 'j'},
        {"save-refused", required_argument, NULL, 'r'},
        {"save-different", required_argument, NULL, 'd'},
        {"section-drop", required_argument, NULL, 's'},
        {"compare-ldns", no_argument, NULL, 'l'},
        {NULL, 0, NULL, 0},
    };
    struct settings settings = {
        .policy = {.ttl_max_s = DNSPACK_TTL_MAX, .negative_max_s = DNSPACK_TTL_MAX, .servfail_s = 5},
        .rules = {.ttl_max_s = DNSPACK_TTL_MAX},
    };

    for (int option = tool_option(argc, argv, known); option != -1; option = tool_option(argc, argv, known)) {
        if (!take_option(option, &settings))
            return TOOL_FAULT;
    }
    if (settings.wants_help) {
        fputs(measure_help, stdout);
        return TOOL_OK;
    }
    if (optind == argc) {
        tool_error("measure", "no file; 'dnspack measure --help' says more");
        return TOOL_FAULT;
    }
    return measure_files(argv + optind, &settings);
}
