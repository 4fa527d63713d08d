//! Executing single instructions on this CPU, with given registers and memory.
//!
//! Hazards and countermeasures: the instruction could write anywhere, jump anywhere or raise an exception. It runs in a
//! child process that shares one mapping with this process and nothing else, may make no system call but `exit`
//! (seccomp), and is ended after some seconds. A child of a process with threads may only do what is safe in a signal
//! handler: it copies memory, runs the instruction and leaves.
#![allow(unsafe_code)] // Single instructions are executed, in memory and processes of their own.

use std::arch::global_asm;
use std::io;
use std::ptr;

/// Size in bytes of the memory that instructions may use.
pub const MEMORY_BYTES: usize = 512;

/// Offsets in the mapping: first the trampoline's code, then the instruction, then the registers. Inaccessible pages
/// surround the memory, since an operation on a bit whose number is in a register of 16 bits reaches as far as 4096
/// bytes.
const SLOT: usize = 0x1000;
const REGISTERS: usize = 0x2000;
const GUARDS: [usize; 2] = [0x3000, 0x5000];
const MEMORY: usize = 0x4000;
const RECORDS: usize = 0x6000;
const PAGE: usize = 0x1000;
/// The target of a taken branch, near enough for a displacement of one byte.
const LANDING: usize = SLOT + 64;
const RECORDS_PER_CHILD: usize = 256;
const SECONDS: u32 = 10;

global_asm!(
    r#"
    .p2align 6
    .globl culet_cpu_start
    .hidden culet_cpu_start
culet_cpu_start:
.Lculet_cpu:
    push rbx
    push rbp
    push r12
    push r13
    push r14
    push r15
    pushfq
    mov [rip + .Lculet_cpu + 0x2090], rsp
    .irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    vmovdqu64 zmm\n, [rip + .Lculet_cpu + 0x2100 + 64*\n]
    .endr
    .irp n,0,1,2,3,4,5,6,7
    kmovq k\n, [rip + .Lculet_cpu + 0x20a0 + 8*\n]
    .endr
    push qword ptr [rip + .Lculet_cpu + 0x2080]
    popfq
    mov rax, [rip + .Lculet_cpu + 0x2000]
    mov rcx, [rip + .Lculet_cpu + 0x2008]
    mov rdx, [rip + .Lculet_cpu + 0x2010]
    mov rbx, [rip + .Lculet_cpu + 0x2018]
    mov rsp, [rip + .Lculet_cpu + 0x2020]
    mov rbp, [rip + .Lculet_cpu + 0x2028]
    mov rsi, [rip + .Lculet_cpu + 0x2030]
    mov rdi, [rip + .Lculet_cpu + 0x2038]
    .irp n,8,9,10,11,12,13,14,15
    mov r\n, [rip + .Lculet_cpu + 0x2000 + 8*\n]
    .endr
    jmp .Lculet_cpu + 0x1000
    .globl culet_cpu_fell
    .hidden culet_cpu_fell
culet_cpu_fell:
    mov qword ptr [rip + .Lculet_cpu + 0x2088], 0
    jmp .Lculet_cpu_save
    .globl culet_cpu_taken
    .hidden culet_cpu_taken
culet_cpu_taken:
    mov qword ptr [rip + .Lculet_cpu + 0x2088], 1
.Lculet_cpu_save:
    mov [rip + .Lculet_cpu + 0x2000], rax
    mov [rip + .Lculet_cpu + 0x2008], rcx
    mov [rip + .Lculet_cpu + 0x2010], rdx
    mov [rip + .Lculet_cpu + 0x2018], rbx
    mov [rip + .Lculet_cpu + 0x2020], rsp
    mov [rip + .Lculet_cpu + 0x2028], rbp
    mov [rip + .Lculet_cpu + 0x2030], rsi
    mov [rip + .Lculet_cpu + 0x2038], rdi
    .irp n,8,9,10,11,12,13,14,15
    mov [rip + .Lculet_cpu + 0x2000 + 8*\n], r\n
    .endr
    mov rsp, [rip + .Lculet_cpu + 0x2090]
    pushfq
    pop qword ptr [rip + .Lculet_cpu + 0x2080]
    .irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    vmovdqu64 [rip + .Lculet_cpu + 0x2100 + 64*\n], zmm\n
    .endr
    .irp n,0,1,2,3,4,5,6,7
    kmovq [rip + .Lculet_cpu + 0x20a0 + 8*\n], k\n
    .endr
    vzeroupper
    popfq
    pop r15
    pop r14
    pop r13
    pop r12
    pop rbp
    pop rbx
    ret
    .globl culet_cpu_end
    .hidden culet_cpu_end
culet_cpu_end:
"#
);

unsafe extern "C" {
    safe static culet_cpu_start: u8;
    safe static culet_cpu_fell: u8;
    safe static culet_cpu_taken: u8;
    safe static culet_cpu_end: u8;
}

/// All registers, in the layout that the trampoline uses.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuState {
    /// The general registers in the order of their encoding: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8–r15.
    pub general: [u64; 16],
    pub flags: u64,
    /// Whether control went to [`Cpu::landing`] rather than to the next instruction; valid only after a run.
    pub landed: u64,
    host_stack: u64,
    padding: u64,
    pub masks: [u64; 8],
    padding_to_vectors: [u64; 4],
    pub vectors: [[u64; 8]; 32],
}

const _: () = assert!(
    std::mem::offset_of!(CpuState, flags) == 0x80
        && std::mem::offset_of!(CpuState, landed) == 0x88
        && std::mem::offset_of!(CpuState, host_stack) == 0x90
        && std::mem::offset_of!(CpuState, masks) == 0xa0
        && std::mem::offset_of!(CpuState, vectors) == 0x100
);

/// One instruction with its registers and memory, which a run replaces by the results.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CpuRun {
    /// The instruction's bytes; the rest is ignored.
    pub code: [u8; 15],
    pub length: u8,
    pub state: CpuState,
    /// The bytes at [`Cpu::memory`].
    pub memory: [u8; MEMORY_BYTES],
}

/// An executable mapping in which single instructions run.
pub struct Cpu {
    base: *mut u8,
    bytes: usize,
}

impl Cpu {
    /// Makes the mapping. Fails if the CPU lacks AVX-512 (F and BW), with which the trampoline saves registers, or
    /// memory is refused.
    pub fn new() -> io::Result<Cpu> {
        if !(is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw")) {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "this CPU lacks AVX-512 (F and BW)"));
        }
        let bytes = RECORDS + 8 + RECORDS_PER_CHILD * size_of::<CpuRun>();
        // SAFETY: a fresh anonymous mapping, whose result is checked.
        let base = unsafe {
            let protection = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
            libc::mmap(ptr::null_mut(), bytes, protection, libc::MAP_SHARED | libc::MAP_ANONYMOUS, -1, 0)
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let cpu = Cpu { base: base.cast(), bytes };
        for guard in GUARDS {
            // SAFETY: a page of the mapping, to which nothing points.
            if unsafe { libc::mprotect(cpu.base.add(guard).cast(), PAGE, libc::PROT_NONE) } != 0 {
                return Err(io::Error::last_os_error());
            }
        }
        let length = (&raw const culet_cpu_end as usize) - (&raw const culet_cpu_start as usize);
        assert!(length <= SLOT, "the trampoline ends before the slot");
        // SAFETY: the trampoline's bytes lie between its symbols and fit before the slot, in our mapping.
        unsafe { ptr::copy_nonoverlapping(&raw const culet_cpu_start, cpu.base, length) };
        cpu.write_jump(LANDING, &raw const culet_cpu_taken);
        Ok(cpu)
    }

    /// The address of the instruction.
    pub fn code(&self) -> u64 {
        self.base as u64 + SLOT as u64
    }

    /// The address to which a jump may go, within 127 bytes of the instruction.
    pub fn landing(&self) -> u64 {
        self.base as u64 + LANDING as u64
    }

    /// The address of the memory, a multiple of 4096.
    pub fn memory(&self) -> u64 {
        self.base as u64 + MEMORY as u64
    }

    /// Runs each instruction. The result for one that raised an exception is the number of the signal.
    pub fn run(&mut self, runs: &[CpuRun]) -> io::Result<Vec<Result<CpuRun, i32>>> {
        let mut results = Vec::with_capacity(runs.len());
        while results.len() < runs.len() {
            let left = &runs[results.len()..];
            let batch = &left[..left.len().min(RECORDS_PER_CHILD)];
            let (done, signal) = self.run_batch(batch)?;
            results.extend((0..done).map(|record| Ok(self.record(record))));
            if let Some(signal) = signal {
                results.push(Err(signal));
            }
        }
        Ok(results)
    }

    /// The number of runs that a child finished, and the signal that ended it during the next one.
    fn run_batch(&mut self, batch: &[CpuRun]) -> io::Result<(usize, Option<i32>)> {
        for (place, run) in batch.iter().enumerate() {
            // SAFETY: the record is within the mapping, which no child shares at this time.
            unsafe { self.record_pointer(place).write_unaligned(*run) };
        }
        self.set_done(0);
        // SAFETY: the child only calls what is safe after a fork of a process with threads, and never returns.
        let child = unsafe { libc::fork() };
        match child {
            -1 => return Err(io::Error::last_os_error()),
            0 => self.be_child(batch.len()),
            _ => {}
        }
        let mut status = 0;
        // SAFETY: the child is ours and not waited for yet.
        while unsafe { libc::waitpid(child, &raw mut status, 0) } == -1 {
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
        let done = self.done();
        match libc::WIFSIGNALED(status) {
            true if done < batch.len() => Ok((done, Some(libc::WTERMSIG(status)))),
            false if done == batch.len() => Ok((done, None)),
            _ => Err(io::Error::other("the child that runs instructions ended too early or too late")),
        }
    }

    fn be_child(&self, count: usize) -> ! {
        // SAFETY: system calls that are safe after a fork; they confine this process, the child.
        unsafe {
            libc::alarm(SECONDS);
            if libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_STRICT) != 0 {
                libc::_exit(1);
            }
        }
        for place in 0..count {
            // SAFETY: records, registers, memory and slot are disjoint parts of the mapping. The trampoline keeps the
            // calling convention, and any other effect of the instruction harms only this child.
            unsafe {
                let record = self.record_pointer(place);
                let registers: *mut CpuState = self.base.add(REGISTERS).cast();
                let memory = self.base.add(MEMORY);
                let length = usize::from((&raw const (*record).length).read());
                ptr::copy_nonoverlapping((&raw const (*record).code).cast(), self.base.add(SLOT), length);
                self.write_jump(SLOT + length, &raw const culet_cpu_fell);
                ptr::copy_nonoverlapping(
                    (&raw const (*record).state).cast::<u8>(),
                    registers.cast(),
                    size_of::<CpuState>(),
                );
                ptr::copy_nonoverlapping((&raw const (*record).memory).cast(), memory, MEMORY_BYTES);
                let trampoline: extern "C" fn() = std::mem::transmute(self.base);
                trampoline();
                ptr::copy_nonoverlapping(
                    registers.cast(),
                    (&raw mut (*record).state).cast::<u8>(),
                    size_of::<CpuState>(),
                );
                ptr::copy_nonoverlapping(memory, (&raw mut (*record).memory).cast(), MEMORY_BYTES);
            }
            self.set_done(place + 1);
        }
        // SAFETY: ends this thread, the only one of the child; `_exit` would be another system call.
        unsafe {
            libc::syscall(libc::SYS_exit, 0);
        }
        unreachable!("a process that has ended")
    }

    /// Writes a jump of five bytes at an offset, to a label of the trampoline.
    fn write_jump(&self, from: usize, label: *const u8) {
        let target = label as usize - &raw const culet_cpu_start as usize;
        let distance = target as i32 - (from as i32 + 5);
        let mut jump = [0xe9, 0, 0, 0, 0];
        jump[1..].copy_from_slice(&distance.to_le_bytes());
        // SAFETY: the jump lies in the slot's page.
        unsafe { ptr::copy_nonoverlapping(jump.as_ptr(), self.base.add(from), jump.len()) };
    }

    fn record_pointer(&self, place: usize) -> *mut CpuRun {
        assert!(place < RECORDS_PER_CHILD);
        // SAFETY: the records follow their counter, within the mapping; 8 is their alignment.
        unsafe { self.base.add(RECORDS + 8).cast::<CpuRun>().add(place) }
    }

    fn record(&self, place: usize) -> CpuRun {
        // SAFETY: the record is within the mapping and was written; all bytes are valid for it.
        unsafe { self.record_pointer(place).read_unaligned() }
    }

    fn done(&self) -> usize {
        // SAFETY: an aligned word within the mapping.
        unsafe { self.base.add(RECORDS).cast::<usize>().read_volatile() }
    }

    fn set_done(&self, count: usize) {
        // SAFETY: an aligned word within the mapping.
        unsafe { self.base.add(RECORDS).cast::<usize>().write_volatile(count) }
    }
}

impl Drop for Cpu {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours and nothing points into it any more.
        unsafe { libc::munmap(self.base.cast(), self.bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `btc word ptr [rbx], ax` changes the bit with the number ax, counted from rbx on.
    #[test]
    fn an_instruction_does_not_reach_what_is_kept_of_others() {
        if !(is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw")) {
            return;
        }
        let mut cpu = Cpu::new().expect("a CPU to run it");
        let run = |bit: u64| {
            let mut code = [0; 15];
            code[..4].copy_from_slice(&[0x66, 0x0f, 0xbb, 0x03]);
            let mut state = CpuState { flags: 2, ..CpuState::default() };
            (state.general[0], state.general[3], state.general[4]) = (bit, cpu.memory() + 128, cpu.memory() + 384);
            CpuRun { code, length: 4, state, memory: [0; MEMORY_BYTES] }
        };
        let runs = [8, 0x7fff, 0x8000, 9].map(run);
        let results = cpu.run(&runs).expect("a child");
        let bytes: Vec<Option<u8>> =
            results.iter().map(|result| result.as_ref().ok().map(|run| run.memory[129])).collect();
        assert_eq!(bytes, [Some(1), None, None, Some(2)]);
        for (before, after) in runs.iter().zip(&results) {
            if let Ok(after) = after {
                assert_eq!(after.state.general, before.state.general);
            }
        }
    }
}
