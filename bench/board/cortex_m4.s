@ The beginning of a program, its end, and its console on an ARM Cortex-M4: ARM's semihosting, which QEMU knows.

    .syntax unified
    .thumb
    .section .start, "a"
    .word stack_top
    .word start

    .text
    .globl start
    .type start, %function
start:
    ldr r0, =zeros
    ldr r1, =zeros_end
    movs r2, #0
1:
    cmp r0, r1
    bhs 2f
    str r2, [r0], #4
    b 1b
2:
    bl main
    @ SYS_EXIT_EXTENDED of "application exit" (0x20026) and main's result.
    sub sp, #8
    ldr r1, =0x20026
    str r1, [sp]
    str r0, [sp, #4]
    mov r1, sp
    movs r0, #0x20
    bkpt 0xab
    .size start, . - start

    .globl write_text
    .type write_text, %function
@ void write_text(const char *text): SYS_WRITE0.
write_text:
    mov r1, r0
    movs r0, #4
    bkpt 0xab
    bx lr
    .size write_text, . - write_text

    .globl measure
    .type measure, %function
@ void measure(void (*call)(void), uint32_t counts[2]): the ticks of the machine's timer 0 in a call, without those to read it, and the
@ bytes of stack. Free stack is painted before the call; the lowest word that has changed is the last one that was used.
measure:
    push {r1, r4, r5, r6, r7, lr}
    mov r7, sp
    ldr r2, =zeros_end
    ldr r3, =0xa5a5a5a5
1:
    cmp r2, r7
    bhs 2f
    str r3, [r2], #4
    b 1b
2:
    ldr r6, =0x40000000
    @ The timer runs down from its highest number.
    mov r1, #-1
    str r1, [r6, #8]
    str r1, [r6, #4]
    movs r1, #1
    str r1, [r6]
    ldr r4, [r6, #4]
    ldr r5, [r6, #4]
    blx r0
    ldr r6, [r6, #4]
    subs r4, r4, r5
    subs r5, r5, r6
    subs r5, r5, r4
    ldr r1, [sp]
    str r5, [r1]
    ldr r2, =zeros_end
    ldr r3, =0xa5a5a5a5
3:
    ldr r0, [r2]
    cmp r0, r3
    bne 4f
    adds r2, #4
    cmp r2, r7
    blo 3b
4:
    subs r2, r7, r2
    str r2, [r1, #4]
    pop {r1, r4, r5, r6, r7, pc}
    .size measure, . - measure
