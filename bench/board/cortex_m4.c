/* What a Cortex-M4 needs besides: functions that compilers for ARM call without being asked, and counts in QEMU. */
#include "counts.h"
#include "hash.h"

void __aeabi_memcpy(void *to, const void *from, size_t size);
void __aeabi_memcpy4(void *to, const void *from, size_t size);
void __aeabi_memcpy8(void *to, const void *from, size_t size);
void __aeabi_memset(void *to, size_t size, int byte);
void __aeabi_memclr(void *to, size_t size);
void __aeabi_memclr4(void *to, size_t size);
void __aeabi_memclr8(void *to, size_t size);

void __aeabi_memcpy(void *to, const void *from, size_t size)
{
    memcpy(to, from, size);
}

void __aeabi_memcpy4(void *to, const void *from, size_t size)
{
    memcpy(to, from, size);
}

void __aeabi_memcpy8(void *to, const void *from, size_t size)
{
    memcpy(to, from, size);
}

void __aeabi_memset(void *to, size_t size, int byte)
{
    memset(to, byte, size);
}

void __aeabi_memclr(void *to, size_t size)
{
    memset(to, 0, size);
}

void __aeabi_memclr4(void *to, size_t size)
{
    memset(to, 0, size);
}

void __aeabi_memclr8(void *to, size_t size)
{
    memset(to, 0, size);
}

/* Defined by the linker's script; their addresses are the numbers. */
extern const char bytes_of_code[], bytes_of_constants[];

/* Writes a number with its low byte first. */
static void write_number(uint32_t number)
{
    uint8_t bytes[4];
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
    write_hex(bytes, 4);
}

/* With `-icount shift=10` an instruction takes 1024 ns, in which the timer of 25 MHz makes 25.6 steps. */
void write_counts(void (*call)(void))
{
    uint32_t counts[2];
    measure(call, counts);
    write_number((uint32_t)(((uint64_t)counts[0] * 10 + 128) >> 8));
    write_number(counts[1]);
    write_number((uint32_t)(uintptr_t)bytes_of_code);
    write_number((uint32_t)(uintptr_t)bytes_of_constants);
}
