/*
 * codec.c - octets of an entry, instructions and time of encode and answer, on the paper's mix or on a framed stream.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "dnspack.h"
#include "mix.h"

/* Steps that callgrind finds by their names and that no optimisation merges, clones or inlines. */
#if defined(__clang__)
#define BENCH_STEP __attribute__((noinline, used))
#else
#define BENCH_STEP __attribute__((noipa, used))
#endif

enum { ROUNDS = 15, ROUND_STEPS = 20000, CALLGRIND_MESSAGES = 2000, MESSAGES = 100000, EXIT_TROUBLE = 2 };
enum work { ENCODE, ANSWER, COPY, NOTHING, WORK_COUNT };

static const char *const work_names[WORK_COUNT] = {"encode", "answer", "copy", "nothing"};

struct settings {
    char *file; /* framed stream, NULL: the mix */
    unsigned long messages;
    unsigned long seed;
    bool txt_per_entry;
    bool edns;
    bool json;
    bool instructions;
    bool times;
    enum work worker; /* what a run under callgrind does; WORK_COUNT: this is no such run */
};

struct span {
    size_t off;
    size_t len;
};

struct sample {
    struct span response;
    struct span query;
    struct span entry;
    struct span answer;
};

struct bench {
    uint8_t *octets; /* all samples, one after another */
    size_t octets_len;
    size_t octets_cap;
    struct sample *samples;
    size_t sample_count;
    size_t sample_cap;
    size_t refused;
    size_t entry_octets;
    size_t floor_octets;
    struct dnspack_policy policy;
    struct dnspack_encode_options encode_options;
    struct dnspack_answer_options answer_options;
    uint8_t scratch[DNSPACK_MESSAGE_MAX + 1];
    struct dnspack_workspace workspace;
};

struct result {
    double entry_octets;
    double floor_octets;
    double nanoseconds[WORK_COUNT];
    double instructions[WORK_COUNT]; /* < 0: not measured */
};

static _Noreturn void die(const char *what, const char *why)
{
    (void)fprintf(stderr, "codec: %s: %s\n", what, why);
    exit(EXIT_TROUBLE);
}

static void *grow(void *memory, size_t size)
{
    void *grown = realloc(memory, size);
    if (grown == NULL)
        die("memory", "not enough");
    return grown;
}

/* ---- samples ---- */

static struct span octets_keep(struct bench *bench, const uint8_t *src, size_t src_len)
{
    if (src_len >= bench->octets_cap - bench->octets_len) {
        bench->octets_cap = bench->octets_cap * 2 + DNSPACK_MESSAGE_MAX;
        bench->octets = grow(bench->octets, bench->octets_cap);
    }
    struct span span = {bench->octets_len, src_len};
    memcpy(bench->octets + span.off, src, src_len);
    bench->octets_len += src_len;
    return span;
}

static size_t floor_of(const uint8_t *entry, size_t entry_len, size_t name_len)
{
    struct dnspack_entry head;
    struct dnspack_cursor cursor = {0};
    struct dnspack_item item;
    size_t octets = name_len + 2 + 4;
    head = dnspack_entry_decode(entry, entry_len);
    while (dnspack_entry_next(entry, &head, &cursor, &item))
        octets += item.rdata_len;
    return octets;
}

/* Keep a response, its query, its entry and its answer; false: the response is not fit to be stored. */
static bool sample_add(struct bench *bench, const uint8_t *response, size_t response_len, bool edns)
{
    struct dnspack_message message;
    struct dnspack_answer answer;
    struct sample sample;
    uint8_t query[DNSPACK_HEADER_LEN + DNSPACK_NAME_MAX + 4 + 11];
    size_t entry_len = 0;
    if (dnspack_entry_encode(response, response_len, &bench->encode_options, &bench->workspace, bench->scratch, sizeof bench->scratch,
                             &entry_len) != DNSPACK_OK ||
        dnspack_message_parse(response, response_len, NULL, 0, &message) != DNSPACK_OK)
        return false;
    sample.entry = octets_keep(bench, bench->scratch, entry_len);
    sample.response = octets_keep(bench, response, response_len);
    sample.query = octets_keep(bench, query, mix_query(response, message.qname_len + 4u, edns, query));
    const uint8_t *entry = bench->octets + sample.entry.off;
    if (dnspack_query_parse(query, sample.query.len, &message) != DNSPACK_OK ||
        dnspack_answer_build(entry, entry_len, query, &message, &bench->answer_options, bench->scratch, sizeof bench->scratch, &answer) !=
            DNSPACK_OK)
        die("answer", "an entry that was just encoded is not answered");
    sample.answer = octets_keep(bench, bench->scratch, answer.len);
    if (bench->sample_count == bench->sample_cap) {
        bench->sample_cap = bench->sample_cap * 2 + 1024;
        bench->samples = grow(bench->samples, bench->sample_cap * sizeof *bench->samples);
    }
    bench->samples[bench->sample_count++] = sample;
    bench->entry_octets += entry_len;
    bench->floor_octets += floor_of(bench->octets + sample.entry.off, entry_len, message.qname_len);
    return true;
}

static void mix_load(struct bench *bench, const struct settings *settings)
{
    struct mix mix;
    struct mix_message message;
    size_t floor_octets = 0;
    mix_init(&mix, settings->seed, settings->txt_per_entry, settings->edns);
    for (unsigned long left = settings->messages; left > 0; left--) {
        mix_next(&mix, &message);
        floor_octets += message.floor_octets;
        if (!sample_add(bench, message.response, message.response_len, settings->edns))
            die("mix", "a response is not stored");
    }
    if (floor_octets != bench->floor_octets)
        die("mix", "the entries do not hold what the messages say");
}

static void stream_load(struct bench *bench, const struct settings *settings)
{
    FILE *stream = fopen(settings->file, "rb");
    if (stream == NULL)
        die(settings->file, strerror(errno));
    uint8_t *message = grow(NULL, DNSPACK_MESSAGE_MAX);
    int high = 0;
    while (bench->sample_count < settings->messages && (high = fgetc(stream)) != EOF) {
        int low = fgetc(stream);
        size_t len = low == EOF ? 0 : (size_t)high << 8 | (size_t)low;
        if (low == EOF || fread(message, 1, len, stream) != len)
            die(settings->file, "ends inside a message");
        if (!sample_add(bench, message, len, settings->edns))
            bench->refused++;
    }
    free(message);
    (void)fclose(stream);
    if (bench->sample_count == 0)
        die(settings->file, "no response that can be stored");
}

/* Samples lie in the order in which they were made, as entries of a log would. */
static struct bench *bench_load(const struct settings *settings)
{
    struct bench *bench = calloc(1, sizeof *bench);
    if (bench == NULL)
        die("memory", "not enough");
    bench->policy = dnspack_policy_default();
    bench->encode_options = (struct dnspack_encode_options){.policy = &bench->policy, .now_s = 1000000};
    bench->answer_options = (struct dnspack_answer_options){.now_s = 1000000, .recursion_available = true, .stream = true};
    if (settings->file != NULL)
        stream_load(bench, settings);
    else
        mix_load(bench, settings);
    return bench;
}

/* ---- the steps that are measured ---- */

static BENCH_STEP int step_encode(struct bench *bench, const struct sample *sample)
{
    size_t entry_len;
    return (int)dnspack_entry_encode(bench->octets + sample->response.off, sample->response.len, &bench->encode_options, &bench->workspace,
                                     bench->scratch, sizeof bench->scratch, &entry_len);
}

static BENCH_STEP int step_answer(struct bench *bench, const struct sample *sample)
{
    struct dnspack_message query;
    struct dnspack_answer answer;
    const uint8_t *msg = bench->octets + sample->query.off;
    if (dnspack_query_parse(msg, sample->query.len, &query) != DNSPACK_OK)
        return -1;
    return (int)dnspack_answer_build(bench->octets + sample->entry.off, sample->entry.len, msg, &query, &bench->answer_options,
                                     bench->scratch, sizeof bench->scratch, &answer);
}

static BENCH_STEP int step_copy(struct bench *bench, const struct sample *sample)
{
    memcpy(bench->scratch, bench->octets + sample->answer.off, sample->answer.len);
    return 0;
}

/* What a step costs that does nothing: subtracted from the counts of the others. */
static BENCH_STEP int step_nothing(struct bench *bench, const struct sample *sample)
{
    (void)bench;
    (void)sample;
    return 0;
}

static void work_run(struct bench *bench, enum work work)
{
    static int (*const steps[WORK_COUNT])(struct bench *, const struct sample *) = {step_encode, step_answer, step_copy, step_nothing};
    for (size_t at = 0; at < bench->sample_count; at++)
        if (steps[work](bench, &bench->samples[at]) != 0)
            die(work_names[work], "failed where it went well before");
}

/* ---- time ---- */

static double thread_ns(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0)
        die("clock", strerror(errno));
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int double_compare(const void *left, const void *right)
{
    double one = *(const double *)left;
    double two = *(const double *)right;
    return (one > two) - (one < two);
}

/* Medians of interleaved rounds, so that a slow minute of the machine meets all works alike. */
static void times_measure(struct bench *bench, struct result *result)
{
    static double rounds[WORK_COUNT][ROUNDS];
    size_t passes = ROUND_STEPS / bench->sample_count + 1; /* a short stream is gone through again, so that the clock costs nothing */
    for (enum work work = ENCODE; work < WORK_COUNT; work++)
        work_run(bench, work);
    for (size_t round = 0; round < ROUNDS; round++) {
        for (enum work work = ENCODE; work < WORK_COUNT; work++) {
            double start_ns = thread_ns();
            for (size_t pass = 0; pass < passes; pass++)
                work_run(bench, work);
            rounds[work][round] = (thread_ns() - start_ns) / (double)(bench->sample_count * passes);
        }
    }
    for (enum work work = ENCODE; work < WORK_COUNT; work++) {
        qsort(rounds[work], ROUNDS, sizeof rounds[work][0], double_compare);
        result->nanoseconds[work] = rounds[work][ROUNDS / 2];
    }
}

/* ---- instructions ---- */

/* The "totals:" line of a callgrind file; -1: there is none. */
static double totals_read(const char *path)
{
    FILE *stream = fopen(path, "r");
    char line[512];
    double totals = -1;
    while (stream != NULL && fgets(line, sizeof line, stream) != NULL)
        if (strncmp(line, "totals: ", 8) == 0)
            totals = strtod(line + 8, NULL);
    if (stream != NULL)
        (void)fclose(stream);
    return totals;
}

/* The child: this program again, under callgrind, collecting inside one step only. */
static _Noreturn void callgrind_exec(const struct settings *settings, enum work work, const char *out_path)
{
    char self[4096];
    char toggle[64];
    char out[4200];
    char messages[32];
    char seed[32];
    char worker[32];
    char *argv[16] = {"valgrind", "-q", "--tool=callgrind"};
    size_t argc = 3;
    ssize_t self_len = readlink("/proc/self/exe", self, sizeof self - 1);
    int null = open("/dev/null", O_RDWR);
    if (self_len < 0 || null < 0 || dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)
        _exit(127);
    self[self_len] = 0;
    unsigned long count = settings->messages < CALLGRIND_MESSAGES || settings->file != NULL ? settings->messages : CALLGRIND_MESSAGES;
    (void)snprintf(toggle, sizeof toggle, "--toggle-collect=step_%s", work_names[work]);
    (void)snprintf(out, sizeof out, "--callgrind-out-file=%s", out_path);
    (void)snprintf(worker, sizeof worker, "--worker=%s", work_names[work]);
    (void)snprintf(messages, sizeof messages, "--messages=%lu", count);
    (void)snprintf(seed, sizeof seed, "--seed=%lu", settings->seed);
    argv[argc++] = toggle;
    argv[argc++] = out;
    argv[argc++] = self;
    argv[argc++] = worker;
    argv[argc++] = messages;
    argv[argc++] = seed;
    if (settings->txt_per_entry)
        argv[argc++] = "--txt-per-entry";
    if (settings->edns)
        argv[argc++] = "--edns";
    if (settings->file != NULL)
        argv[argc++] = settings->file;
    argv[argc] = NULL;
    (void)execvp(argv[0], argv);
    _exit(127);
}

/* Instructions of all samples in one step; -1: no valgrind. */
static double callgrind_run(const struct settings *settings, enum work work)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    int used = snprintf(path, sizeof path, "%s/codec-callgrind-XXXXXX", folder != NULL ? folder : "/tmp");
    int file = used > 0 && (size_t)used < sizeof path ? mkstemp(path) : -1;
    if (file < 0)
        die("callgrind", "no temporary file");
    (void)close(file);
    pid_t child = fork();
    if (child == 0)
        callgrind_exec(settings, work, path);
    int status = 0;
    bool good = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    double totals = good ? totals_read(path) : -1;
    (void)unlink(path);
    return totals;
}

static void instructions_measure(const struct bench *bench, const struct settings *settings, struct result *result)
{
    size_t count = settings->file == NULL && bench->sample_count > CALLGRIND_MESSAGES ? CALLGRIND_MESSAGES : bench->sample_count;
    double nothing = callgrind_run(settings, NOTHING);
    for (enum work work = ENCODE; nothing >= 0 && work <= COPY; work++) {
        double totals = callgrind_run(settings, work);
        result->instructions[work] = totals < 0 ? -1 : (totals - nothing) / (double)count;
    }
}

/* ---- report ---- */

static void number_print(const char *key, double value, int digits, const char *end)
{
    if (value < 0)
        (void)printf("\"%s\": null%s", key, end);
    else
        (void)printf("\"%s\": %.*f%s", key, digits, value, end);
}

static double ratio_of(const struct result *result, enum work work)
{
    return result->nanoseconds[COPY] > 0 ? result->nanoseconds[work] / result->nanoseconds[COPY] : -1;
}

static void json_print(const struct bench *bench, const struct result *result)
{
    (void)printf("{\"messages\": %zu, \"refused\": %zu, ", bench->sample_count, bench->refused);
    number_print("entry_octets", result->entry_octets, 3, ", ");
    number_print("floor_octets", result->floor_octets, 3, ", ");
    number_print("encode_instructions", result->instructions[ENCODE], 1, ", ");
    number_print("answer_instructions", result->instructions[ANSWER], 1, ", ");
    number_print("encode_ratio", ratio_of(result, ENCODE), 2, ", ");
    number_print("answer_ratio", ratio_of(result, ANSWER), 2, "}\n");
}

static void text_print(const struct bench *bench, const struct settings *settings, const struct result *result)
{
    if (settings->file != NULL)
        (void)printf("stream            %s: %zu responses stored, %zu other messages\n", settings->file, bench->sample_count,
                     bench->refused);
    else
        (void)printf("mix               %zu messages, seed %lu, TXT size per %s, queries %s OPT\n", bench->sample_count, settings->seed,
                     settings->txt_per_entry ? "entry" : "record", settings->edns ? "with" : "without");
    (void)printf("entry             %.3f octets\nfloor             %.3f octets (name, type, TTL, RDATA)\nentry / floor     %.4f\n",
                 result->entry_octets, result->floor_octets, result->entry_octets / result->floor_octets);
    for (enum work work = ENCODE; settings->times && work <= ANSWER; work++)
        (void)printf("%s            %.1f x memcpy of the answer (%.1f ns against %.1f ns of thread time here)\n", work_names[work],
                     ratio_of(result, work), result->nanoseconds[work], result->nanoseconds[COPY]);
    for (enum work work = ENCODE; settings->instructions && work <= COPY; work++) {
        if (result->instructions[work] < 0)
            (void)printf("%-6s            no count of instructions: no valgrind, or it cannot read this program (clang needs -gdwarf-4)\n",
                         work_names[work]);
        else
            (void)printf("%-6s            %.1f instructions\n", work_names[work], result->instructions[work]);
    }
}

static const char help[] =
    "usage: codec [OPTION]... [FILE.tcp]\n\n"
    "Measures entries of the paper's mix, or of the responses in a stream of messages with two octets of length before each.\n\n"
    "  --messages N       responses to make (100000), or to take from FILE at most\n"
    "  --seed N           seed of the mix (1)\n"
    "  --txt-per-entry    64..224 octets of TXT RDATA are an entry's sum, not each record's size\n"
    "  --edns             queries carry an OPT\n"
    "  --callgrind        sizes and instructions only (2000 messages of the mix under valgrind)\n"
    "  --no-callgrind     sizes and times only\n"
    "  --json             one object: messages, refused, entry_octets, floor_octets, encode_instructions, answer_instructions\n"
    "                     (null without valgrind), encode_ratio, answer_ratio (null with --callgrind)\n"
    "  --help             this text\n\n"
    "Exit: 0 measured, 2 usage or unreadable file.\n";

static unsigned long number_read(const char *text)
{
    char *end = NULL;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != 0 || errno != 0)
        die(text, "not a number");
    return value;
}

static enum work worker_read(const char *name)
{
    for (enum work work = ENCODE; work < WORK_COUNT; work++)
        if (strcmp(name, work_names[work]) == 0)
            return work;
    die(name, "no such work");
}

static struct settings settings_read(int argc, char **argv)
{
    static const struct option options[] = {
        {"messages", required_argument, NULL, 'm'}, {"seed", required_argument, NULL, 's'},
        {"txt-per-entry", no_argument, NULL, 't'},  {"edns", no_argument, NULL, 'e'},
        {"callgrind", no_argument, NULL, 'c'},      {"no-callgrind", no_argument, NULL, 'n'},
        {"json", no_argument, NULL, 'j'},           {"worker", required_argument, NULL, 'w'},
        {"help", no_argument, NULL, 'h'},           {NULL, 0, NULL, 0},
    };
    struct settings settings = {.messages = MESSAGES, .seed = 1, .instructions = true, .times = true, .worker = WORK_COUNT};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (option) {
        case 'm':
            settings.messages = number_read(optarg);
            break;
        case 's':
            settings.seed = number_read(optarg);
            break;
        case 't':
            settings.txt_per_entry = true;
            break;
        case 'e':
            settings.edns = true;
            break;
        case 'c':
            settings.times = false;
            break;
        case 'n':
            settings.instructions = false;
            break;
        case 'j':
            settings.json = true;
            break;
        case 'w':
            settings.worker = worker_read(optarg);
            break;
        case 'h':
            (void)fputs(help, stdout);
            exit(EXIT_SUCCESS);
        default:
            exit(EXIT_TROUBLE);
        }
    }
    if (optind < argc)
        settings.file = argv[optind++];
    if (optind < argc || settings.messages == 0 || (!settings.times && !settings.instructions))
        die("usage", "one file at most, one message at least, something to measure (--help says more)");
    return settings;
}

int main(int argc, char **argv)
{
    struct settings settings = settings_read(argc, argv);
    struct bench *bench = bench_load(&settings);
    struct result result = {.instructions = {-1, -1, -1, -1}};
    if (settings.worker != WORK_COUNT) {
        work_run(bench, settings.worker);
    } else {
        result.entry_octets = (double)bench->entry_octets / (double)bench->sample_count;
        result.floor_octets = (double)bench->floor_octets / (double)bench->sample_count;
        if (settings.times)
            times_measure(bench, &result);
        if (settings.instructions)
            instructions_measure(bench, &settings, &result);
        if (settings.json)
            json_print(bench, &result);
        else
            text_print(bench, &settings, &result);
    }
    free(bench->octets);
    free(bench->samples);
    free(bench);
    return EXIT_SUCCESS;
}
