/* json: write one JSON value, indented. */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct json {
    FILE *out;
    unsigned depth;
    bool has_items; /* of the object that is open */
};

/* Each writes a member of the object that is open; the outermost object has no key (NULL). */
void json_open(struct json *json, const char *key);
void json_close(struct json *json);
void json_count(struct json *json, const char *key, size_t value);
void json_real(struct json *json, const char *key, double value); /* finite; three decimals */
void json_text(struct json *json, const char *key, const char *value);

#endif
