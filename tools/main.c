/* dnspack, the program: finds the command and runs it; and what the commands share. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dnspack.h"
#include "tool.h"

struct command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv);
};

static const struct command commands[] = {
    {"measure", "store and answer every response of captures; count, compare, measure", command_measure},
    {"show", "print an entry or a message: its records and what each octet is", command_show},
    {"encode", "make an entry of a response", command_encode},
    {"answer", "make the response to a query from an entry", command_answer},
    {"check", "tell whether octets are an entry", command_check},
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

/* ---- errors and options ---- */

void tool_error(const char *subject, const char *format, ...)
{
    va_list arguments;

    fflush(stdout);
    fprintf(stderr, "dnspack: %s: ", subject);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

int tool_option(int argc, char **argv, const struct option *known)
{
    opterr = 0;
    int option = getopt_long(argc, argv, ":h", known, NULL);
    if (option == ':') {
        tool_error(argv[0], "option '%s' takes an argument", argv[optind - 1]);
        return '?';
    }
    if (option != '?')
        return option;
    if (optopt > 0 && optopt < 256 && isprint(optopt) && strncmp(argv[optind - 1], "--", 2) != 0)
        tool_error(argv[0], "unknown option '-%c'; 'dnspack %s --help' lists them", optopt, argv[0]);
    else if (optopt != 0)
        tool_error(argv[0], "option '%s' takes no argument", argv[optind - 1]);
    else
        tool_error(argv[0], "unknown or ambiguous option '%s'; 'dnspack %s --help' lists them", argv[optind - 1], argv[0]);
    return '?';
}

bool tool_number(const char *option, const char *text, uint32_t max, uint32_t *value)
{
    char *end = NULL;

    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)text[0]) || *end != '\0' || errno != 0 || number > max) {
        tool_error(option, "'%s' is not a number of 0..%lu", text, (unsigned long)max);
        return false;
    }
    *value = (uint32_t)number;
    return true;
}

/* ---- octets in and out ---- */

enum { HEX_COLUMNS = 32 };

static int hex_digit(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = tolower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool octets_parse(const char *subject, const char *text, size_t text_len, struct octets *octets)
{
    struct octets parsed = {malloc(text_len / 2 + 1), 0};
    int high = -1;

    if (parsed.items == NULL) {
        tool_error(subject, "out of memory");
        return false;
    }
    for (size_t at = 0; at < text_len; at++) {
        int c = (unsigned char)text[at];
        int digit = hex_digit(c);
        if (isspace(c))
            continue;
        if (digit < 0) {
            tool_error(subject, "character %zu is not a hexadecimal digit", at + 1);
            free(parsed.items);
            return false;
        }
        if (high < 0) {
            high = digit;
            continue;
        }
        parsed.items[parsed.len++] = (uint8_t)(high * 16 + digit);
        high = -1;
    }
    if (high >= 0) {
        tool_error(subject, "an odd number of hexadecimal digits");
        free(parsed.items);
        return false;
    }
    *octets = parsed;
    return true;
}

/* Read at most `max` octets of an open file. NULL, with errno set: it fails. */
static uint8_t *file_read(FILE *file, size_t max, size_t *len)
{
    uint8_t *items = malloc(max);

    if (items == NULL)
        return NULL;
    *len = fread(items, 1, max, file);
    if (!ferror(file))
        return items;
    free(items);
    return NULL;
}

bool octets_read(const char *path, bool is_hex, struct octets *octets)
{
    enum { OCTETS_MAX = DNSPACK_MESSAGE_MAX + 1, TEXT_MAX = 4 * OCTETS_MAX }; /* "00 " is three characters */
    bool is_stdin = strcmp(path, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(path, "rb");
    size_t len = 0;

    uint8_t *items = file == NULL ? NULL : file_read(file, is_hex ? TEXT_MAX : OCTETS_MAX, &len);
    if (items == NULL)
        tool_error(path, "%s", strerror(errno));
    if (file != NULL && !is_stdin)
        fclose(file);
    if (items == NULL)
        return false;
    if (!is_hex) {
        *octets = (struct octets){items, len};
        return true;
    }
    bool is_parsed = octets_parse(path, (const char *)items, len, octets);
    free(items);
    return is_parsed;
}

bool tool_fits(const char *path, const struct octets *octets)
{
    if (octets->len <= DNSPACK_MESSAGE_MAX)
        return true;
    tool_error(path, "more than %u octets: neither a message nor an entry", DNSPACK_MESSAGE_MAX);
    return false;
}

bool tool_output(const uint8_t *src, size_t src_len, bool is_hex)
{
    if (!is_hex && isatty(STDOUT_FILENO)) {
        tool_error("standard output", "is a terminal: --hex prints digits");
        return false;
    }
    if (!is_hex)
        fwrite(src, 1, src_len, stdout);
    for (size_t at = 0; is_hex && at < src_len; at++)
        printf("%02x%s", src[at], at % HEX_COLUMNS == HEX_COLUMNS - 1 || at + 1 == src_len ? "\n" : "");
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    tool_error("standard output", "%s", strerror(errno));
    return false;
}

/* ---- the program ---- */

static void print_usage(FILE *out)
{
    fprintf(out,
            "Usage: dnspack COMMAND [OPTION...] [FILE...]\n"
            "Compact entries for DNS answer caches: make, read, check and measure them.\n\n");
    for (size_t at = 0; at < COMMAND_COUNT; at++)
        fprintf(out, "  %-9s %s\n", commands[at].name, commands[at].summary);
    fprintf(out,
            "\n"
            "  --help    this text; 'dnspack COMMAND --help' for a command's own\n"
            "  --version the version\n\n"
            "Exit code: 0 all is well, 1 a difference, a refused message or an invalid entry was\n"
            "found, 2 a usage error, or input or output that fails.\n");
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";

    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_usage(stdout);
        return TOOL_OK;
    }
    if (strcmp(name, "--version") == 0) {
        printf("dnspack %s\n", DNSPACK_VERSION);
        return TOOL_OK;
    }
    for (size_t at = 0; at < COMMAND_COUNT; at++) {
        if (strcmp(name, commands[at].name) != 0)
            continue;
        int code = commands[at].run(argc - 1, argv + 1);
        if (fflush(stdout) == 0 && !ferror(stdout))
            return code;
        tool_error("standard output", "%s", strerror(errno));
        return TOOL_FAULT;
    }
    if (argc < 2)
        print_usage(stderr);
    else
        tool_error(name, "no such command; 'dnspack --help' lists them");
    return TOOL_FAULT;
}
