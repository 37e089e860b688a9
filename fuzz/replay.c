/* replay: runs a fuzz target over files, and the files of folders, without a fuzzer. Exit code 1: there were none, or one is unreadable. */
#include <dirent.h>
#include <string.h>

#include "target.h"

enum { INPUT_MAX = 1 << 20, PATH_MAX_LEN = 4096 };

static bool run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *octets = malloc(INPUT_MAX);
    uint8_t *input = NULL;
    if (file != NULL && octets != NULL) {
        size_t len = fread(octets, 1, INPUT_MAX, file);
        input = malloc(len + (len == 0)); /* of exact size, so that a sanitizer sees a read past the end */
        if (input != NULL) {
            memcpy(input, octets, len);
            fprintf(stderr, "%s\n", path); /* before: the last line names what ended the program */
            LLVMFuzzerTestOneInput(input, len);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    free(octets);
    free(input);
    return input != NULL;
}

/* How many files were run: those of a folder, or the one. */
static size_t run(const char *path)
{
    DIR *folder = opendir(path);
    size_t count = 0;
    if (folder == NULL) {
        return run_file(path);
    }
    for (const struct dirent *file = readdir(folder); file != NULL; file = readdir(folder)) {
        char name[PATH_MAX_LEN];
        if (file->d_name[0] != '.' && snprintf(name, sizeof name, "%s/%s", path, file->d_name) < (int)sizeof name) {
            count += run_file(name);
        }
    }
    closedir(folder);
    return count;
}

int main(int argc, char **argv)
{
    bool is_good = argc > 1;
    for (int i = 1; i < argc; i++) {
        size_t count = run(argv[i]);
        printf("%s: %zu inputs\n", argv[i], count);
        is_good = is_good && count > 0;
    }
    return is_good ? 0 : 1;
}
