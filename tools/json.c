/* json: write one JSON value, indented. */
#include "json.h"

enum { INDENT = 2 };

/* RFC 8259 7; octets from 0x80 on pass as they are. */
static void write_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < 0x20 || c == 0x7f)
            fprintf(out, "\\u%04x", c);
        else if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static void begin_member(struct json *json, const char *key)
{
    if (json->has_items)
        fputc(',', json->out);
    if (json->depth > 0)
        fprintf(json->out, "\n%*s", (int)(json->depth * INDENT), "");
    json->has_items = true;
    if (key == NULL)
        return;
    write_string(json->out, key);
    fputs(": ", json->out);
}

void json_open(struct json *json, const char *key)
{
    begin_member(json, key);
    fputc('{', json->out);
    json->depth++;
    json->has_items = false;
}

void json_close(struct json *json)
{
    json->depth--;
    if (json->has_items)
        fprintf(json->out, "\n%*s", (int)(json->depth * INDENT), "");
    fputs(json->depth == 0 ? "}\n" : "}", json->out);
    json->has_items = true;
}

void json_count(struct json *json, const char *key, size_t value)
{
    begin_member(json, key);
    fprintf(json->out, "%zu", value);
}

void json_real(struct json *json, const char *key, double value)
{
    begin_member(json, key);
    fprintf(json->out, "%.3f", value);
}

void json_text(struct json *json, const char *key, const char *value)
{
    begin_member(json, key);
    write_string(json->out, value);
}
