/* Memory between pages that nobody may touch: prints how programs end that misuse it. With libsodium, it prints the same. */
#define _DEFAULT_SOURCE
#include <sodium.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef volatile unsigned char *bytes;

static void nothing(bytes memory, size_t size) {
    (void)memory;
    (void)size;
}

static void writes_all(bytes memory, size_t size) {
    for (size_t i = 0; i < size; i++)
        memory[i] = 1;
}

static void reads_behind(bytes memory, size_t size) {
    unsigned char byte = memory[size];
    (void)byte;
}

static void writes_behind(bytes memory, size_t size) {
    memory[size] = 1;
}

static void writes_before(bytes memory, size_t size) {
    (void)size;
    memory[-1] ^= 1;
}

static void writes_far_before(bytes memory, size_t size) {
    (void)size;
    memory[-16] ^= 0x80;
}

static void writes_pages_before(bytes memory, size_t size) {
    (void)size;
    memory[-16 - sysconf(_SC_PAGESIZE)] = 1;
}

static void writes_hidden(bytes memory, size_t size) {
    if (sodium_mprotect_noaccess((void *)memory) == 0 && size > 0)
        memory[0] = 1;
}

static void reads_hidden(bytes memory, size_t size) {
    if (sodium_mprotect_noaccess((void *)memory) == 0 && size > 0)
        memory[size - 1];
}

static void writes_frozen(bytes memory, size_t size) {
    if (sodium_mprotect_readonly((void *)memory) == 0 && size > 0)
        memory[size - 1] = 1;
}

static void reads_frozen(bytes memory, size_t size) {
    if (sodium_mprotect_readonly((void *)memory) == 0 && size > 0)
        memory[size - 1];
}

static void writes_opened(bytes memory, size_t size) {
    if (sodium_mprotect_noaccess((void *)memory) == 0 && sodium_mprotect_readwrite((void *)memory) == 0)
        writes_all(memory, size);
}

static void is_freed_hidden(bytes memory, size_t size) {
    (void)size;
    if (sodium_mprotect_noaccess((void *)memory) != 0)
        _exit(2);
}

static void is_read_when_freed(bytes memory, size_t size) {
    unsigned char *other = sodium_malloc(1);
    (void)size;
    sodium_free((void *)memory);
    memory[-1];
    sodium_free(other);
}

static const struct {
    const char *name;
    void (*act)(bytes memory, size_t size);
} ACTS[] = {
    {"nothing", nothing},
    {"writes all", writes_all},
    {"reads behind", reads_behind},
    {"writes behind", writes_behind},
    {"writes before", writes_before},
    {"writes far before", writes_far_before},
    {"writes pages before", writes_pages_before},
    {"writes hidden", writes_hidden},
    {"reads hidden", reads_hidden},
    {"writes frozen", writes_frozen},
    {"reads frozen", reads_frozen},
    {"writes opened", writes_opened},
    {"is freed hidden", is_freed_hidden},
    {"is read when freed", is_read_when_freed},
};

/* How a process ends that allocates memory, acts, and frees the memory. */
static const char *end(void (*act)(bytes memory, size_t size), size_t size) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        unsigned char *memory = sodium_malloc(size);
        if (memory == NULL)
            _exit(3);
        act(memory, size);
        sodium_free(memory);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return "not started";
    return WIFSIGNALED(status) ? "killed" : WEXITSTATUS(status) == 0 ? "good" : "refused";
}

static int is_fresh(const unsigned char *memory, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (memory[i] != 0xdb)
            return 0;
    return 1;
}

static void sizes(void) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t all[] = {0, 1, 15, 16, 17, 100, page - 17, page - 16, page - 15, page, page + 1, 5 * page};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        unsigned char *memory = sodium_malloc(all[i]);
        printf("%zu bytes are %s\n", all[i], memory != NULL && is_fresh(memory, all[i]) ? "fresh" : "not fresh");
        printf("their end is %s\n", ((uintptr_t)memory + all[i]) % page == 0 ? "that of a page" : "elsewhere");
        sodium_free(memory);
        for (size_t act = 0; act < sizeof ACTS / sizeof *ACTS; act++)
            printf("%s, %zu bytes: %s\n", ACTS[act].name, all[i], end(ACTS[act].act, all[i]));
    }
}

static void items(void) {
    unsigned char *memory = sodium_allocarray(3, 100);
    printf("items: %d\n", memory != NULL && is_fresh(memory, 300));
    sodium_free(memory);
    sodium_free(NULL);
    printf("too many: %d\n", sodium_allocarray(SIZE_MAX / 2, 3) == NULL);
    printf("none: %d\n", (memory = sodium_allocarray(0, 3)) != NULL);
    sodium_free(memory);
    printf("too long: %d\n", sodium_malloc(SIZE_MAX) == NULL && sodium_malloc(SIZE_MAX - 100000) == NULL);
}

static void locked(void) {
    unsigned char memory[100];
    memset(memory, 1, sizeof memory);
    printf("lock: %d\n", sodium_mlock(memory, sizeof memory));
    printf("kept: %d\n", memory[0] == 1 && memory[99] == 1);
    printf("unlock: %d\n", sodium_munlock(memory, sizeof memory));
    printf("erased: %d\n", sodium_is_zero(memory, sizeof memory));
}

/* Where a function that has returned had its secrets. */
static volatile uintptr_t left_at;
enum { SECRETS = 4000 };

__attribute__((noinline)) static void leaves_secrets(void) {
    volatile unsigned char secrets[SECRETS];
    for (int i = 0; i < SECRETS; i++)
        secrets[i] = 0xa5;
    left_at = (uintptr_t)secrets;
}

__attribute__((noinline)) static int count_secrets(void) {
    const volatile unsigned char *place = (const volatile unsigned char *)left_at;
    int count = 0;
    for (int i = 0; i < SECRETS; i++)
        count += place[i] == 0xa5;
    return count;
}

static void stack(void) {
    leaves_secrets();
    printf("left on the stack: %d\n", count_secrets() > SECRETS / 2);
    leaves_secrets();
    sodium_stackzero(SECRETS + 2000);
    printf("left on the erased stack: %d\n", count_secrets() > SECRETS / 50);
}

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    if (sodium_init() < 0)
        return 1;
    sizes();
    items();
    locked();
    stack();
    return 0;
}
