/* Counts of one call on a machine in QEMU. */
#ifndef COUNTS_H
#define COUNTS_H

#include <stdint.h>

/* The ticks of a timer in a call, and the bytes of stack. */
void measure(void (*call)(void), uint32_t counts[2]);

/* Calls, and writes in a line each: the number of instructions, the bytes of stack, the program's bytes of code and of constants. */
void write_counts(void (*call)(void));

#endif
