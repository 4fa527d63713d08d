/* Samples kernels in turns. The tuner puts the table of kernels in.
 *
 *     harness ROUNDS MICROSECONDS ID...
 *
 * prints, a line each: the protocol and its version; the machine; the clock; for each kernel a hash of the first block
 * of its results, and whether all blocks have the same; the samples (kernel, calls, ticks) round by round; `end`.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

struct operand {
    /* Of one block, of all blocks, and of the registers that hold them. */
    size_t block, bytes, registers;
};

struct kernel {
    unsigned id;
    /* What is timed: `count` calls. */
    void (*timed)(void *const *outputs, const void *const *inputs, size_t count);
    /* From bytes to bytes, over all memory. */
    void (*whole)(void *const *outputs, const void *const *inputs);
    const struct operand *outputs, *inputs;
    size_t output_count, input_count;
};

#define MAX_OPERANDS 64

/* KERNELS */

static uint64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#if defined(__x86_64__)
static const char clock_name[] = "tsc";
static uint64_t ticks(void)
{
    _mm_lfence();
    uint64_t now = __rdtsc();
    _mm_lfence();
    return now;
}
#else
static const char clock_name[] = "nanoseconds";
#define ticks nanoseconds
#endif

static void *memory(size_t bytes)
{
    size_t rounded = (bytes + 63) / 64 * 64;
    void *block = NULL;
    if (posix_memalign(&block, 64, rounded ? rounded : 64) != 0) {
        fputs("out of memory\n", stderr);
        exit(3);
    }
    memset(block, 0, rounded ? rounded : 64);
    return block;
}

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Every block gets the same pseudorandom bytes, so that all kernels compute the same. */
static void fill(uint8_t *to, const struct operand *operand, uint64_t seed)
{
    for (size_t i = 0; i < operand->bytes; i++) {
        uint64_t x = seed * 1000003u + i % operand->block + 1;
        x *= UINT64_C(0x9e3779b97f4a7c15);
        x ^= x >> 29;
        x *= UINT64_C(0xbf58476d1ce4e5b9);
        to[i] = (uint8_t)(x >> 40);
    }
}

struct ready {
    const struct kernel *kernel;
    void *outputs[MAX_OPERANDS];
    const void *inputs[MAX_OPERANDS];
    size_t calls;
};

static void check(struct ready *ready)
{
    const struct kernel *kernel = ready->kernel;
    kernel->whole(ready->outputs, ready->inputs);
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    int same = 1;
    for (size_t k = 0; k < kernel->output_count; k++) {
        const struct operand *operand = &kernel->outputs[k];
        const uint8_t *bytes = ready->outputs[k];
        for (size_t i = 0; i < operand->block; i++)
            hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
        for (size_t i = 0; i < operand->bytes; i++)
            same &= bytes[i] == bytes[i % operand->block];
    }
    printf("check %u %016llx %d\n", kernel->id, (unsigned long long)hash, same);
}

static void prepare(struct ready *ready, const struct kernel *kernel, uint64_t time)
{
    ready->kernel = kernel;
    for (size_t k = 0; k < kernel->output_count; k++)
        ready->outputs[k] = memory(most(kernel->outputs[k].bytes, kernel->outputs[k].registers));
    for (size_t k = 0; k < kernel->input_count; k++) {
        uint8_t *bytes = memory(most(kernel->inputs[k].bytes, kernel->inputs[k].registers));
        fill(bytes, &kernel->inputs[k], k + 1);
        ready->inputs[k] = bytes;
    }
    check(ready);
    kernel->timed(ready->outputs, ready->inputs, 1);
    for (ready->calls = 1; ready->calls < ((size_t)1 << 40); ready->calls *= 2) {
        uint64_t start = nanoseconds();
        kernel->timed(ready->outputs, ready->inputs, ready->calls);
        uint64_t taken = nanoseconds() - start;
        if (taken >= time)
            break;
        if (taken >= time / 16 + 1) {
            ready->calls = ready->calls * time / taken + 1;
            break;
        }
    }
}

static void print_machine(void)
{
    static const char *const keys[] = {"vendor_id", "model name", "cpu family", "model\t", "stepping",
        "CPU implementer", "CPU part", "CPU variant", "cpu\t", "machine"};
    int seen[sizeof keys / sizeof *keys] = {0};
    char line[512];
    FILE *info = fopen("/proc/cpuinfo", "r");
    fputs("machine", stdout);
    while (info && fgets(line, sizeof line, info))
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            if (!seen[k] && strncmp(line, keys[k], strlen(keys[k])) == 0 && strchr(line, ':')) {
                seen[k] = 1;
                char *value = strchr(line, ':') + 1;
                value[strcspn(value, "\n")] = 0;
                fputs(value, stdout);
            }
    if (info)
        fclose(info);
    fputs("\n", stdout);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    size_t rounds = strtoul(argv[1], NULL, 10);
    uint64_t time = strtoull(argv[2], NULL, 10) * 1000;
    size_t count = (size_t)argc - 3;
    struct ready *ready = memory(count * sizeof *ready);
    uint64_t *samples = memory(rounds * count * sizeof *samples);
    printf("culet-tune 1\n");
    print_machine();
    printf("clock %s\n", clock_name);
    for (size_t i = 0; i < count; i++) {
        unsigned id = (unsigned)strtoul(argv[i + 3], NULL, 10);
        const struct kernel *kernel = NULL;
        for (size_t k = 0; k < kernel_count; k++)
            if (kernels[k].id == id)
                kernel = &kernels[k];
        if (!kernel)
            return 2;
        prepare(&ready[i], kernel, time);
    }
    for (size_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < count; i++) {
            uint64_t start = ticks();
            ready[i].kernel->timed(ready[i].outputs, ready[i].inputs, ready[i].calls);
            samples[round * count + i] = ticks() - start;
        }
    for (size_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < count; i++)
            printf("sample %u %llu %llu\n", ready[i].kernel->id, (unsigned long long)ready[i].calls,
                (unsigned long long)samples[round * count + i]);
    printf("end\n");
    return 0;
}
