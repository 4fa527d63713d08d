# The beginning of a program, its end, and its console: RISC-V semihosting, which QEMU and rv32sim know.

    .section .start, "ax"
    .globl start
    .type start, @function
start:
    la sp, stack_top
    la t0, zeros
    la t1, zeros_end
1:
    bgeu t0, t1, 2f
    sw zero, 0(t0)
    addi t0, t0, 4
    j 1b
2:
    call main
    # SYS_EXIT_EXTENDED of "application exit" (0x20026) and main's result.
    addi sp, sp, -16
    li t0, 0x20026
    sw t0, 0(sp)
    sw a0, 4(sp)
    mv a1, sp
    li a0, 0x20
    call semihosting
    .size start, . - start

    .text
    .globl write_text
    .type write_text, @function
# void write_text(const char *text): SYS_WRITE0.
write_text:
    mv a1, a0
    li a0, 4
    .size write_text, . - write_text

    .globl semihosting
    .type semihosting, @function
    .balign 16
    .option push
    .option norvc
semihosting:
    slli zero, zero, 0x1f
    ebreak
    srai zero, zero, 7
    ret
    .option pop
    .size semihosting, . - semihosting
