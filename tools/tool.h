/* tool: what the commands of the program dnspack share. */
#ifndef TOOL_H
#define TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit codes of every command. */
enum {
    TOOL_OK = 0,
    TOOL_FOUND = 1, /* an answer that differs, a message that is refused, octets that are no entry */
    TOOL_FAULT = 2, /* a usage error, or input or output that fails */
};

/* A block of octets that the holder frees. */
struct octets {
    uint8_t *items;
    size_t len;
};

struct option;

/* Print "dnspack: SUBJECT: what" on standard error. */
void tool_error(const char *subject, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* As getopt_long, with errors in the form of tool_error; -1 at the end, '?' after an error. */
int tool_option(int argc, char **argv, const struct option *known);

/* The decimal number `text`, at most `max`. False, and an error about `option`: it is none. */
bool tool_number(const char *option, const char *text, uint32_t max, uint32_t *value);

/* Read all of `path` ("-": standard input), as hexadecimal digits if is_hex. At most one octet more than a message
 * or an entry can have: tool_fits() tells. False: an error was printed, nothing is to be freed. */
bool octets_read(const char *path, bool is_hex, struct octets *octets);

/* The octets that hexadecimal digits say; white space is skipped. False, and an error about `subject`: it is no such text. */
bool octets_parse(const char *subject, const char *text, size_t text_len, struct octets *octets);

/* Whether a message or an entry can be of this length. False: an error about `path` was printed. */
bool tool_fits(const char *path, const struct octets *octets);

/* Write to standard output, as hexadecimal digits if is_hex; octets as such never go to a terminal. False: an error was printed. */
bool tool_output(const uint8_t *src, size_t src_len, bool is_hex);

/* The commands; argv[0] is the command's name. The result is the exit code. */
int command_measure(int argc, char **argv);
int command_show(int argc, char **argv);
int command_encode(int argc, char **argv);
int command_answer(int argc, char **argv);
int command_check(int argc, char **argv);

#endif
