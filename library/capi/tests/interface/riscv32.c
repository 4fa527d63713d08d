/* What programs need of RISC-V without an operating system, under `qemu-riscv32`, which answers Linux's system calls; picolibc has the rest. */
#include <culet.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { READ = 63, WRITE = 64, EXIT = 93, GETRANDOM = 278 };

int main(void);
void begin(void);

static int system_call(int number, int first, int second, int third) {
    register int a0 __asm__("a0") = first;
    register int a1 __asm__("a1") = second;
    register int a2 __asm__("a2") = third;
    register int a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
    return a0;
}

static unsigned char input[1 << 16];
static int next, end;

static int get(FILE *file) {
    (void)file;
    if (next == end) {
        next = 0;
        end = system_call(READ, STDIN_FILENO, (int)input, sizeof input);
    }
    if (end <= 0) {
        end = 0;
        return EOF;
    }
    return input[next++];
}

static char output[1 << 10];
static int length;

static int flush(FILE *file) {
    (void)file;
    system_call(WRITE, STDOUT_FILENO, (int)output, length);
    length = 0;
    return 0;
}

static int put(char byte, FILE *file) {
    output[length++] = byte;
    return length == sizeof output ? flush(file) : 0;
}

static FILE in = FDEV_SETUP_STREAM(NULL, get, NULL, _FDEV_SETUP_READ);
static FILE out = FDEV_SETUP_STREAM(put, NULL, flush, _FDEV_SETUP_WRITE);
FILE *const stdin = &in;
FILE *const stdout = &out;
FILE *const stderr = &out;

void _exit(int code) {
    for (;;)
        system_call(EXIT, code, 0, 0);
}

/* What the operating system has for `culet_random` elsewhere. */
int culet_random(void *bytes, size_t count) {
    if (bytes == NULL && count != 0)
        return -1;
    return system_call(GETRANDOM, (int)bytes, (int)count, 0) == (int)count ? 0 : -1;
}

/* picolibc's variables of the one thread, which all begin as zeros. */
uint64_t variables[64];

void begin(void) {
    int code = main();
    flush(&out);
    exit(code);
}

__asm__(".globl _start\n"
        "_start:\n"
        ".option push\n"
        ".option norelax\n"
        "la gp, __global_pointer$\n"
        ".option pop\n"
        "la tp, variables\n"
        "andi sp, sp, -16\n"
        "call begin\n");
