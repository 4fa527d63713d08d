//! The beginning and the end of a program for RISC-V without an operating system, under `qemu-riscv32`, which answers Linux's system calls.
#![allow(unsafe_code)] // Instructions begin and end the program.

use core::fmt::{self, Write};
use core::panic::PanicInfo;

core::arch::global_asm!(".globl _start", "_start:", "andi sp, sp, -16", "call begin");

/// Numbers of system calls for RISC-V.
const WRITE: usize = 64;
const EXIT: usize = 93;

#[unsafe(no_mangle)]
extern "C" fn begin() -> ! {
    crate::check_all();
    exit(0)
}

fn system_call(number: usize, arguments: [usize; 3]) {
    let [first, second, third] = arguments;
    // SAFETY: the two calls of this file read the memory of a string, or end the program.
    unsafe {
        core::arch::asm!("ecall", in("a7") number, inout("a0") first => _, in("a1") second, in("a2") third);
    }
}

fn exit(code: usize) -> ! {
    loop {
        system_call(EXIT, [code, 0, 0]);
    }
}

struct StandardError;

impl Write for StandardError {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        system_call(WRITE, [2, text.as_ptr() as usize, text.len()]);
        Ok(())
    }
}

#[panic_handler]
fn panicked(information: &PanicInfo<'_>) -> ! {
    // The exit code says the same.
    let _ = writeln!(StandardError, "{information}");
    exit(1)
}
