/* A client of `tileir serve --stdio` in C, with nothing but the standard library and POSIX.

       cc -o client client.c
       ./client sm_90 kernel.tileirbc tileir serve --stdio > kernel.ptx

   It starts the server, has it compile a file, and writes the PTX. Exit code 1: it was refused. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void fail(const char *problem) {
    fprintf(stderr, "client: %s\n", problem);
    exit(2);
}

/* Return the bytes of a file in base64. */
static char *in_base64(const char *path) {
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    FILE *file = fopen(path, "rb");
    if (!file) fail("the file cannot be opened");
    size_t used = 0, got, room = 4096;
    char *text = malloc(room);
    unsigned char b[3];
    while (text && (got = fread(b, 1, 3, file)) > 0) {
        if (used + 5 > room && !(text = realloc(text, room *= 2))) break;
        unsigned bits = b[0] << 16 | (got > 1 ? b[1] : 0) << 8 | (got > 2 ? b[2] : 0);
        text[used++] = digits[bits >> 18];
        text[used++] = digits[bits >> 12 & 63];
        text[used++] = got > 1 ? digits[bits >> 6 & 63] : '=';
        text[used++] = got > 2 ? digits[bits & 63] : '=';
    }
    if (!text) fail("out of memory");
    text[used] = 0;
    fclose(file);
    return text;
}

/* Return the next message: a header of lines, an empty line, and Content-Length bytes. */
static char *receive(FILE *from) {
    char line[256];
    long size = -1;
    while (fgets(line, sizeof line, from) && strcmp(line, "\r\n") != 0)
        sscanf(line, "Content-Length: %ld", &size);
    if (size < 0) fail("the server has ended");
    char *body = calloc(1, size + 1);
    if (!body || fread(body, 1, size, from) != (size_t)size) fail("the answer breaks off");
    return body;
}

/* Write the text that a key has. Within texts, quotes are escaped: what looks like a key is one. */
static int write_text(const char *json, const char *key, FILE *out) {
    const char *at = strstr(json, key);
    if (!at) return 0;
    for (at += strlen(key); *at == ' ' || *at == ':';) at++;
    if (*at++ != '"') return 0;
    for (; *at && *at != '"'; at++) {
        if (*at != '\\') { fputc(*at, out); continue; }
        static const char names[] = "nrtbf", means[] = "\n\r\t\b\f";
        const char *named = strchr(names, *++at);
        unsigned code;
        if (*at == 'u' && sscanf(at + 1, "%4x", &code) == 1) {
            if (code >= 0x800) fprintf(out, "%c%c", 0xE0 | code >> 12, 0x80 | (code >> 6 & 63));
            else if (code >= 0x80) fputc(0xC0 | code >> 6, out);
            fputc(code < 0x80 ? (int)code : (int)(0x80 | (code & 63)), out);
            at += 4;
        } else fputc(*at && named ? means[named - names] : *at, out);
    }
    return 1;
}

int main(int count, char **given) {
    if (count < 4) fail("usage: client TARGET FILE SERVER [ARGUMENT ...]");
    int to[2], from[2];
    if (pipe(to) || pipe(from)) fail("no pipe");
    pid_t server = fork();
    if (server == 0) {
        dup2(to[0], 0), dup2(from[1], 1);
        close(to[0]), close(to[1]), close(from[0]), close(from[1]);
        execvp(given[3], given + 3);
        _exit(127);
    }
    close(to[0]), close(from[1]);
    FILE *requests = fdopen(to[1], "wb"), *answers = fdopen(from[0], "rb");
    char *module = in_base64(given[2]);
    const char *form = "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"compile\", \"params\": "
                       "{\"targets\": [\"%s\"], \"module\": \"%s\"}}";
    int size = snprintf(NULL, 0, form, given[1], module);
    fprintf(requests, "Content-Length: %d\r\n\r\n", size);
    fprintf(requests, form, given[1], module);
    fclose(requests); /* the server ends when it has answered */
    char *answer = receive(answers);
    int compiled = write_text(answer, "\"ptx\"", stdout);
    if (!compiled) write_text(answer, "\"message\"", stderr), fputc('\n', stderr);
    waitpid(server, NULL, 0);
    return compiled ? 0 : 1;
}
