/* dnspack encode, answer, check: the codec for scripts, from files or standard input. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dnspack.h"
#include "tool.h"

static const char encode_help[] =
    "Usage: dnspack encode [OPTION...] [FILE]\n"
    "Make an entry of the response in FILE (one raw DNS message; '-' or nothing: standard\n"
    "input) under the default policy, and write it to standard output.\n\n"
    "  --now S     the time at which the response arrived; the clock's, if not given\n"
    "  --tag HEX   the tag that is part of the entry's key, e.g. of a client subnet\n"
    "  --in-hex    the input is hexadecimal digits\n"
    "  --hex       write hexadecimal digits\n\n"
    "Exit code: 1 where the response is refused; the reason is on standard error.\n";

static const char answer_help[] =
    "Usage: dnspack answer --query FILE [OPTION...] [ENTRYFILE]\n"
    "Make the response to the query in FILE (one raw DNS message) from the entry in ENTRYFILE\n"
    "('-' or nothing: standard input), and write it to standard output.\n\n"
    "  --query FILE  the query\n"
    "  --now S       the time; the clock's, if not given\n"
    "  --size N      at most N octets, whatever the client takes\n"
    "  --stream      the client came by TCP or its like: its UDP size does not matter\n"
    "  --rotation N  begin runs of addresses with record N, modulo their number\n"
    "  --stale S     answer for up to S seconds after the entry's end, too (RFC 8767)\n"
    "  --tag HEX     the tag that the entry must have\n"
    "  --in-hex      both inputs are hexadecimal digits\n"
    "  --hex         write hexadecimal digits\n\n"
    "Exit code: 1 where the query is refused, the entry is none, answers another question or\n"
    "is expired; the reason is on standard error.\n";

static const char check_help[] =
    "Usage: dnspack check [--in-hex] [FILE...]\n"
    "Tell for each FILE ('-' or nothing: standard input) whether it is a valid entry.\n\n"
    "  --in-hex    the input is hexadecimal digits\n\n"
    "Exit code: 1 where one is not.\n";

struct codec_options {
    const char *query;
    uint32_t now_s;
    uint32_t size_max;
    uint32_t rotation;
    uint32_t stale_max_s;
    struct octets tag;
    bool stream;
    bool is_hex_in;
    bool is_hex_out;
    bool wants_help;
};

/* Codes of the options for tool_option; lower-case -h is --help everywhere. */
enum { OPTION_NOW = 256, OPTION_TAG, OPTION_IN_HEX, OPTION_HEX, OPTION_QUERY, OPTION_SIZE, OPTION_STREAM, OPTION_ROTATION, OPTION_STALE };

static bool parse_tag(const char *text, struct octets *tag)
{
    free(tag->items);
    *tag = (struct octets){NULL, 0};
    if (!octets_parse("--tag", text, strlen(text), tag))
        return false;
    if (tag->len <= DNSPACK_TAG_MAX)
        return true;
    tool_error("--tag", "more than %u octets", DNSPACK_TAG_MAX);
    return false;
}

static bool take_option(int option, struct codec_options *options)
{
    switch (option) {
    case 'h':
        options->wants_help = true;
        return true;
    case OPTION_NOW:
        return tool_number("--now", optarg, UINT32_MAX, &options->now_s);
    case OPTION_TAG:
        return parse_tag(optarg, &options->tag);
    case OPTION_IN_HEX:
        options->is_hex_in = true;
        return true;
    case OPTION_HEX:
        options->is_hex_out = true;
        return true;
    case OPTION_QUERY:
        options->query = optarg;
        return true;
    case OPTION_SIZE:
        return tool_number("--size", optarg, UINT16_MAX, &options->size_max);
    case OPTION_STREAM:
        options->stream = true;
        return true;
    case OPTION_ROTATION:
        return tool_number("--rotation", optarg, UINT32_MAX, &options->rotation);
    case OPTION_STALE:
        return tool_number("--stale", optarg, UINT32_MAX, &options->stale_max_s);
    default:
        return false;
    }
}

/* Read the options. False: a usage error was printed. options->tag is to be freed either way. */
static bool take_options(int argc, char **argv, const struct option *known, struct codec_options *options)
{
    *options = (struct codec_options){.now_s = (uint32_t)time(NULL)};
    for (int option = tool_option(argc, argv, known); option != -1; option = tool_option(argc, argv, known)) {
        if (!take_option(option, options))
            return false;
    }
    return true;
}

/* The one operand, or standard input; NULL and an error: there are more. */
static const char *take_operand(int argc, char **argv)
{
    if (argc - optind > 1) {
        tool_error(argv[0], "more than one file; 'dnspack %s --help' says more", argv[0]);
        return NULL;
    }
    return optind < argc ? argv[optind] : "-";
}

/* ---- encode ---- */

static int encode_message(const char *path, const struct octets *msg, const struct codec_options *options)
{
    struct dnspack_policy policy = dnspack_policy_default();
    struct dnspack_encode_options encode = {
        .policy = &policy, .now_s = options->now_s, .tag = options->tag.len > 0 ? options->tag.items : NULL, .tag_len = options->tag.len};
    struct dnspack_workspace *workspace = malloc(sizeof *workspace);
    uint8_t *entry = malloc(DNSPACK_ENTRY_MAX);
    size_t entry_len = 0;
    int code = TOOL_FAULT;

    if (workspace == NULL || entry == NULL) {
        tool_error(path, "out of memory");
    } else {
        enum dnspack_status status = dnspack_entry_encode(msg->items, msg->len, &encode, workspace, entry, DNSPACK_ENTRY_MAX, &entry_len);
        if (status != DNSPACK_OK) {
            tool_error(path, "refused: %s", dnspack_status_name(status));
            code = TOOL_FOUND;
        } else if (tool_output(entry, entry_len, options->is_hex_out)) {
            code = TOOL_OK;
        }
    }
    free(entry);
    free(workspace);
    return code;
}

static int encode_file(const char *path, const struct codec_options *options)
{
    struct octets msg;

    if (!octets_read(path, options->is_hex_in, &msg))
        return TOOL_FAULT;
    int code = tool_fits(path, &msg) ? encode_message(path, &msg, options) : TOOL_FOUND;
    free(msg.items);
    return code;
}

int command_encode(int argc, char **argv)
{
    static const struct option known[] = {
        {"help", no_argument, NULL, 'h'},
        {"now", required_argument, NULL, OPTION_NOW},
        {"tag", required_argument, NULL, OPTION_TAG},
        {"in-hex", no_argument, NULL, OPTION_IN_HEX},
        {"hex", no_argument, NULL, OPTION_HEX},
        {NULL, 0, NULL, 0},
    };
    struct codec_options options;
    const char *path = NULL;
    int code = TOOL_FAULT;

    if (take_options(argc, argv, known, &options)) {
        if (options.wants_help) {
            fputs(encode_help, stdout);
            code = TOOL_OK;
        } else if ((path = take_operand(argc, argv)) != NULL) {
            code = encode_file(path, &options);
        }
    }
    free(options.tag.items);
    return code;
}

/* ---- answer ---- */

/* Why no answer can be made; NULL: `answer` and `dst` have it. */
static const char *answer_query(const struct octets *entry, const struct octets *msg, const struct codec_options *options,
                                uint8_t dst[DNSPACK_MESSAGE_MAX], struct dnspack_answer *answer)
{
    struct dnspack_answer_options how = {
        .now_s = options->now_s,
        .stale_max_s = options->stale_max_s,
        .recursion_available = true,
        .stream = options->stream,
        .size_max = (uint16_t)options->size_max,
        .rotation = options->rotation,
    };
    struct dnspack_message query;

    enum dnspack_status status = dnspack_query_parse(msg->items, msg->len, &query);
    if (status != DNSPACK_OK)
        return dnspack_status_name(status);
    if (!dnspack_entry_matches(entry->items, entry->len, msg->items, &query, options->tag.items, options->tag.len))
        return "the entry answers another question";
    status = dnspack_answer_build(entry->items, entry->len, msg->items, &query, &how, dst, DNSPACK_MESSAGE_MAX, answer);
    return status == DNSPACK_OK ? NULL : dnspack_status_name(status);
}

static int answer_octets(const char *path, const struct octets *entry, const struct octets *msg, const struct codec_options *options)
{
    struct dnspack_answer answer = {0};

    if (!tool_fits(path, entry) || !tool_fits(options->query, msg))
        return TOOL_FOUND;
    if (dnspack_entry_check(entry->items, entry->len) != DNSPACK_OK) {
        tool_error(path, "not an entry");
        return TOOL_FOUND;
    }
    uint8_t *dst = malloc(DNSPACK_MESSAGE_MAX);
    if (dst == NULL) {
        tool_error(path, "out of memory");
        return TOOL_FAULT;
    }
    const char *why = answer_query(entry, msg, options, dst, &answer);
    int code = TOOL_FOUND;
    if (why != NULL)
        tool_error(options->query, "no answer: %s", why);
    else
        code = tool_output(dst, answer.len, options->is_hex_out) ? TOOL_OK : TOOL_FAULT;
    free(dst);
    return code;
}

static int answer_files(const char *path, const struct codec_options *options)
{
    struct octets entry;
    struct octets msg;

    if (options->query == NULL || strcmp(options->query, path) == 0) {
        tool_error("answer", "%s", options->query == NULL ? "--query FILE is missing" : "query and entry are the same file");
        return TOOL_FAULT;
    }
    if (!octets_read(path, options->is_hex_in, &entry))
        return TOOL_FAULT;
    int code = TOOL_FAULT;
    if (octets_read(options->query, options->is_hex_in, &msg)) {
        code = answer_octets(path, &entry, &msg, options);
        free(msg.items);
    }
    free(entry.items);
    return code;
}

int command_answer(int argc, char **argv)
{
    static const struct option known[] = {
        {"help", no_argument, NULL, 'h'},
        {"query", required_argument, NULL, OPTION_QUERY},
        {"now", required_argument, NULL, OPTION_NOW},
        {"size", required_argument, NULL, OPTION_SIZE},
        {"stream", no_argument, NULL, OPTION_STREAM},
        {"rotation", required_argument, NULL, OPTION_ROTATION},
        {"stale", required_argument, NULL, OPTION_STALE},
        {"tag", required_argument, NULL, OPTION_TAG},
        {"in-hex", no_argument, NULL, OPTION_IN_HEX},
        {"hex", no_argument, NULL, OPTION_HEX},
        {NULL, 0, NULL, 0},
    };
    struct codec_options options;
    const char *path = NULL;
    int code = TOOL_FAULT;

    if (take_options(argc, argv, known, &options)) {
        if (options.wants_help) {
            fputs(answer_help, stdout);
            code = TOOL_OK;
        } else if ((path = take_operand(argc, argv)) != NULL) {
            code = answer_files(path, &options);
        }
    }
    free(options.tag.items);
    return code;
}

/* ---- check ---- */

static int check_file(const char *path, bool is_hex)
{
    struct octets entry;

    if (!octets_read(path, is_hex, &entry))
        return TOOL_FAULT;
    bool is_entry = entry.len <= DNSPACK_ENTRY_MAX && dnspack_entry_check(entry.items, entry.len) == DNSPACK_OK;
    if (is_entry)
        printf("%s: valid entry, %zu octets\n", path, entry.len);
    else
        printf("%s: not an entry\n", path);
    free(entry.items);
    return is_entry ? TOOL_OK : TOOL_FOUND;
}

int command_check(int argc, char **argv)
{
    static const struct option known[] = {
        {"help", no_argument, NULL, 'h'},
        {"in-hex", no_argument, NULL, OPTION_IN_HEX},
        {NULL, 0, NULL, 0},
    };
    struct codec_options options;
    int code = TOOL_OK;

    if (!take_options(argc, argv, known, &options))
        return TOOL_FAULT;
    if (options.wants_help) {
        fputs(check_help, stdout);
        return TOOL_OK;
    }
    if (optind == argc)
        return check_file("-", options.is_hex_in);
    for (int at = optind; at < argc; at++) {
        int file_code = check_file(argv[at], options.is_hex_in);
        code = file_code > code ? file_code : code;
    }
    return code;
}
