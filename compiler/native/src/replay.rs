//! Running a function of linked code on many inputs, in a separate process.
//!
//! The function may be damaged: it could write anywhere, never end or raise an exception. It runs in a child process
//! whose memory is a copy of this process's, which may make no system call but `exit` (seccomp) and gets some seconds
//! of CPU time. Its results come back through one shared mapping of numbers. The child of a process with threads may
//! only do what is safe in a signal handler: it maps memory, computes and leaves.
#![allow(unsafe_code)] // Functions are called in memory and processes of their own.

use std::arch::global_asm;
use std::mem::ManuallyDrop;
use std::{io, ptr};

/// Linked code: bytes at their addresses, including the data that the code reads, and the address of the function.
#[derive(Debug, Clone)]
pub struct Code {
    pub parts: Vec<(u64, Vec<u8>)>,
    pub entry: u64,
}

impl Code {
    pub fn of<'b>(parts: impl Iterator<Item = (u64, &'b [u8])>, entry: u64) -> Code {
        Code { parts: parts.map(|(address, bytes)| (address, bytes.to_vec())).collect(), entry }
    }

    /// Code that calls functions of the C library, which are placed at their addresses. At the addresses of other
    /// functions there is nothing.
    pub fn with_library<'b>(
        parts: impl Iterator<Item = (u64, &'b [u8])>,
        called: impl Iterator<Item = (u64, &'b str)>,
        entry: u64,
    ) -> Code {
        let mut code = Code::of(parts, entry);
        code.parts.extend(called.filter_map(|(address, name)| Some((address, library(name)?.to_vec()))));
        code
    }
}

/// Machine code of a function of the C library, of at most 16 bytes.
fn library(name: &str) -> Option<&'static [u8]> {
    match name {
        // mov rax, rdi; mov rcx, rdx; rep movsb; ret
        "memcpy" => Some(&[0x48, 0x89, 0xf8, 0x48, 0x89, 0xd1, 0xf3, 0xa4, 0xc3]),
        // mov r8, rdi; mov eax, esi; mov rcx, rdx; rep stosb; mov rax, r8; ret
        "memset" => Some(&[0x49, 0x89, 0xf8, 0x89, 0xf0, 0x48, 0x89, 0xd1, 0xf3, 0xaa, 0x4c, 0x89, 0xc0, 0xc3]),
        _ => None,
    }
}

/// An argument of many calls.
#[derive(Debug, Clone)]
pub enum Buffer {
    /// A pointer to memory that ends at an inaccessible page. `mask` has the bits of an input that may be set; it is
    /// `None` for a result.
    Memory { bytes: usize, mask: Option<Vec<u8>> },
    /// A number between 0 and this one.
    Number(u64),
}

impl Buffer {
    fn bytes(&self) -> Option<usize> {
        match self {
            Buffer::Memory { bytes, .. } => Some(*bytes),
            Buffer::Number(_) => None,
        }
    }
}

/// An argument that is passed to a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Passed {
    /// A pointer to memory with these contents.
    Memory(Vec<u8>),
    /// The pointer of the argument with this index, which is `Memory`.
    Same(usize),
    Word(u64),
}

/// The state after a call of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// The contents of each argument's memory; empty where it has none of its own.
    pub memory: Vec<Vec<u8>>,
    pub returned: u64,
}

/// The behaviour of a function on a list of inputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Behaviour {
    /// For each call that returned, a digest of all arguments' memory after the call, of the registers that the System
    /// V ABI preserves, and of the stack pointer.
    pub digests: Vec<u64>,
    /// The signal that ended the next call, if there was one.
    pub signal: Option<i32>,
}

/// CPU time limit for all calls together, in seconds.
const SECONDS: u64 = 3;
const PAGE: usize = 4096;
/// Size of the stack in bytes: twice the default limit of proofs.
const STACK: usize = 16 << 20;
/// Maximum size of code in bytes. Code takes a few pages; a damaged size must not take all memory.
const MAX_CODE: u64 = 256 << 20;
/// Address for code that is linked to address zero, as shared objects are.
const BIAS: u64 = 0x1000_0000;
/// Maximum number of arguments: six in registers, and ten on the stack, which the assembly pushes.
const ARGUMENTS: usize = 16;

/// A call, in the layout that the assembly uses.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Call {
    function: u64,
    arguments: [u64; ARGUMENTS],
    /// The stack pointer before the call, a multiple of 16.
    stack: u64,
    host_stack: u64,
    /// rbx, rbp, r12 to r15 and rsp after the call.
    kept: [u64; 7],
    returned: u64,
}

global_asm!(
    r#"
    .globl culet_replay_call
    .hidden culet_replay_call
culet_replay_call:
    push rbx
    push rbp
    push r12
    push r13
    push r14
    push r15
    mov [rdi + 0x90], rsp
    mov rsp, [rdi + 0x88]
    push rdi
    push rdi
    push qword ptr [rdi + 0x80]
    push qword ptr [rdi + 0x78]
    push qword ptr [rdi + 0x70]
    push qword ptr [rdi + 0x68]
    push qword ptr [rdi + 0x60]
    push qword ptr [rdi + 0x58]
    push qword ptr [rdi + 0x50]
    push qword ptr [rdi + 0x48]
    push qword ptr [rdi + 0x40]
    push qword ptr [rdi + 0x38]
    mov rbx, 0x1111111111111111
    mov rbp, 0x2222222222222222
    mov r12, 0x3333333333333333
    mov r13, 0x4444444444444444
    mov r14, 0x5555555555555555
    mov r15, 0x6666666666666666
    mov rax, [rdi]
    mov rsi, [rdi + 0x10]
    mov rdx, [rdi + 0x18]
    mov rcx, [rdi + 0x20]
    mov r8, [rdi + 0x28]
    mov r9, [rdi + 0x30]
    mov rdi, [rdi + 0x08]
    call rax
    add rsp, 0x50
    pop rdi
    mov [rdi + 0x98], rbx
    mov [rdi + 0xa0], rbp
    mov [rdi + 0xa8], r12
    mov [rdi + 0xb0], r13
    mov [rdi + 0xb8], r14
    mov [rdi + 0xc0], r15
    mov [rdi + 0xc8], rsp
    mov [rdi + 0xd0], rax
    mov rsp, [rdi + 0x90]
    cld
    pop r15
    pop r14
    pop r13
    pop r12
    pop rbp
    pop rbx
    ret
"#
);

unsafe extern "C" {
    fn culet_replay_call(call: *mut Call);
}

/// Calls the function on `count` inputs that `seed` determines, many of them extreme: zeros, ones, single bits.
///
/// # Errors
///
/// If memory is refused, the addresses of the code are not free here, or there are more than sixteen buffers.
pub fn behaviour(code: &Code, buffers: &[Buffer], count: usize, seed: u64) -> io::Result<Behaviour> {
    let results = Mapping::new(None, 8 * (count + 1), libc::MAP_SHARED)?;
    let sizes: Vec<Option<usize>> = buffers.iter().map(Buffer::bytes).collect();
    let signal = in_child(code, &sizes, |place| place.run(buffers, count, seed, &results))?;
    let done = results.number(0) as usize;
    let digests = (1..=done.min(count)).map(|index| results.number(index)).collect();
    match signal {
        None if done < count => Err(io::Error::other(NO_MEMORY)),
        signal => Ok(Behaviour { digests, signal }),
    }
}

/// Calls the function once. Returns the state that it leaves, or the signal that ends it.
///
/// # Errors
///
/// As for [`behaviour`].
pub fn call(code: &Code, arguments: &[Passed]) -> io::Result<Result<Left, i32>> {
    let sizes: Vec<Option<usize>> = arguments.iter().map(Passed::bytes).collect();
    let bytes: usize = sizes.iter().flatten().sum();
    let mut results = Mapping::new(None, 16 + bytes, libc::MAP_SHARED)?;
    let signal = in_child(code, &sizes, |place| {
        place.pass(arguments);
        let returned = place.call().returned;
        let mut start = results.start.wrapping_add(16);
        for mapping in place.memory.iter_mut().flatten() {
            let bytes = mapping.contents();
            // SAFETY: after their first words, the results have room for the memory of all arguments, one after
            // another.
            unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), start, bytes.len()) };
            start = start.wrapping_add(bytes.len());
        }
        results.set_number(1, returned);
        results.set_number(0, 1);
    })?;
    if let Some(signal) = signal {
        return Ok(Err(signal));
    }
    if results.number(0) != 1 {
        return Err(io::Error::other(NO_MEMORY));
    }
    let returned = results.number(1);
    let mut rest = &results.contents()[16..];
    let memory = sizes.iter().map(|size| {
        let (bytes, after) = rest.split_at(size.unwrap_or(0));
        rest = after;
        bytes.to_vec()
    });
    Ok(Ok(Left { memory: memory.collect(), returned }))
}

impl Passed {
    /// Size in bytes of the argument's own memory, if it has any.
    fn bytes(&self) -> Option<usize> {
        match self {
            Passed::Memory(bytes) => Some(bytes.len()),
            Passed::Same(_) | Passed::Word(_) => None,
        }
    }
}

const NO_MEMORY: &str = "the child that runs the function had no memory at the code's addresses";

/// Does `work` in a child process that holds the code and arguments of these sizes. Returns the signal that ended it,
/// if there was one.
fn in_child(code: &Code, sizes: &[Option<usize>], work: impl FnOnce(&mut Place)) -> io::Result<Option<i32>> {
    if sizes.len() > ARGUMENTS {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "more than sixteen arguments"));
    }
    // SAFETY: the child only calls what is safe after a fork of a process with threads, and never returns.
    let child = unsafe { libc::fork() };
    match child {
        -1 => return Err(io::Error::last_os_error()),
        0 => be_child(code, sizes, work),
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
    Ok(libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status)))
}

/// A memory mapping of this process.
struct Mapping {
    start: *mut u8,
    bytes: usize,
}

impl Mapping {
    /// A readable and writable mapping, at an address or anywhere.
    fn new(address: Option<u64>, bytes: usize, kind: i32) -> io::Result<Mapping> {
        let bytes = bytes.next_multiple_of(PAGE);
        let (hint, fixed) = match address {
            Some(address) => (ptr::without_provenance_mut(address as usize), libc::MAP_FIXED_NOREPLACE),
            None => (ptr::null_mut(), 0),
        };
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a fresh mapping that replaces no other; its result is checked.
        let start = unsafe { libc::mmap(hint, bytes, protection, kind | libc::MAP_ANONYMOUS | fixed, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Mapping { start: start.cast(), bytes })
    }

    /// Memory of `bytes` bytes that ends at an inaccessible page and begins after another one.
    fn between_guards(bytes: usize) -> io::Result<Mapping> {
        let inner = bytes.next_multiple_of(PAGE);
        let whole = Mapping::new(None, inner + 2 * PAGE, libc::MAP_PRIVATE)?;
        for guard in [0, PAGE + inner] {
            // SAFETY: a page of the mapping.
            if unsafe { libc::mprotect(whole.start.add(guard).cast(), PAGE, libc::PROT_NONE) } != 0 {
                return Err(io::Error::last_os_error());
            }
        }
        // SAFETY: within the mapping.
        let start = unsafe { whole.start.add(PAGE + inner - bytes) };
        std::mem::forget(whole);
        Ok(Mapping { start, bytes })
    }

    fn number(&self, index: usize) -> u64 {
        assert!(8 * (index + 1) <= self.bytes);
        // SAFETY: an aligned word within the mapping.
        unsafe { self.start.cast::<u64>().add(index).read_volatile() }
    }

    fn set_number(&self, index: usize, value: u64) {
        assert!(8 * (index + 1) <= self.bytes);
        // SAFETY: an aligned word within the mapping.
        unsafe { self.start.cast::<u64>().add(index).write_volatile(value) }
    }

    fn contents(&mut self) -> &mut [u8] {
        // SAFETY: the mapping is ours, and nothing else runs in the child.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.bytes) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours; only whole mappings of the parent are dropped.
        unsafe { libc::munmap(self.start.cast(), self.bytes) };
    }
}

fn be_child(code: &Code, sizes: &[Option<usize>], work: impl FnOnce(&mut Place)) -> ! {
    if let Ok(place) = prepare(code, sizes) {
        // The value is never dropped, since destructors would make system calls.
        let mut place = ManuallyDrop::new(place);
        let limit = libc::rlimit { rlim_cur: SECONDS, rlim_max: SECONDS + 1 };
        // SAFETY: system calls that are safe after a fork; they confine this process, the child.
        let is_confined = unsafe {
            // The standard library's handlers, which detect stack overflows, make system calls.
            libc::signal(libc::SIGSEGV, libc::SIG_DFL) != libc::SIG_ERR
                && libc::signal(libc::SIGBUS, libc::SIG_DFL) != libc::SIG_ERR
                && libc::setrlimit(libc::RLIMIT_CPU, &raw const limit) == 0
                && libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_STRICT) == 0
        };
        if is_confined {
            work(&mut place);
        }
    }
    // SAFETY: ends this thread, the only one of the child; `_exit` would be another system call.
    unsafe {
        libc::syscall(libc::SYS_exit, 0);
    }
    unreachable!("a process that has ended")
}

/// The code at its addresses, a stack and the arguments' memory.
struct Place {
    entry: u64,
    stack: u64,
    memory: [Option<Mapping>; ARGUMENTS],
    /// The words that are passed: addresses of the memory, or numbers.
    words: [u64; ARGUMENTS],
}

fn prepare(code: &Code, sizes: &[Option<usize>]) -> io::Result<Place> {
    let low = code.parts.iter().map(|(address, _)| *address).min().unwrap_or(0);
    let high = code.parts.iter().map(|(address, bytes)| address + bytes.len() as u64).max().unwrap_or(0);
    let bias = if low < BIAS >> 12 { BIAS } else { 0 };
    let start = low / PAGE as u64 * PAGE as u64;
    if high - start > MAX_CODE {
        return Err(io::Error::from(io::ErrorKind::OutOfMemory));
    }
    let place = ManuallyDrop::new(Mapping::new(Some(start + bias), (high - start) as usize, libc::MAP_PRIVATE)?);
    for (address, bytes) in &code.parts {
        // SAFETY: the part lies within the mapping of all parts.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), place.start.add((address - start) as usize), bytes.len()) };
    }
    // SAFETY: the mapping that was just made.
    if unsafe { libc::mprotect(place.start.cast(), place.bytes, libc::PROT_READ | libc::PROT_EXEC) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let stack = ManuallyDrop::new(Mapping::between_guards(STACK)?);
    let mut memory = [const { None }; ARGUMENTS];
    let mut words = [0; ARGUMENTS];
    for (index, &size) in sizes.iter().enumerate() {
        let Some(size) = size else { continue };
        let mapping = Mapping::between_guards(size)?;
        words[index] = mapping.start as u64;
        memory[index] = Some(mapping);
    }
    Ok(Place { entry: code.entry + bias, stack: stack.start as u64 + stack.bytes as u64 - 64, memory, words })
}

impl Place {
    fn pass(&mut self, arguments: &[Passed]) {
        for (index, argument) in arguments.iter().enumerate() {
            match (argument, &mut self.memory[index]) {
                (Passed::Memory(bytes), Some(mapping)) => mapping.contents().copy_from_slice(bytes),
                (Passed::Memory(_), None) => {}
                (Passed::Same(other), _) => self.words[index] = self.words[*other],
                (Passed::Word(word), _) => self.words[index] = *word,
            }
        }
    }

    /// Calls the function. The saved stack pointer is replaced by its distance from that before the call.
    fn call(&mut self) -> Call {
        let mut call = Call { function: self.entry, arguments: self.words, stack: self.stack, ..Call::default() };
        // SAFETY: any effect of the function is confined to this process, the child.
        unsafe { culet_replay_call(&raw mut call) };
        // The stack is at another address in each child.
        call.kept[6] = call.kept[6].wrapping_sub(self.stack);
        call
    }

    fn run(&mut self, buffers: &[Buffer], count: usize, seed: u64, results: &Mapping) {
        for trial in 0..count {
            let mut numbers = Numbers(seed ^ (trial as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            for (index, buffer) in buffers.iter().enumerate() {
                match (buffer, &mut self.memory[index]) {
                    (Buffer::Memory { mask, .. }, Some(mapping)) => numbers.fill(mapping.contents(), mask.as_deref()),
                    (Buffer::Memory { .. }, None) => {}
                    (Buffer::Number(most), _) => self.words[index] = numbers.next() % (most + 1),
                }
            }
            let mut digest = 0xcbf2_9ce4_8422_2325u64;
            let mut add = |value: u64| digest = (digest ^ value).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
            self.call().kept.iter().for_each(|&value| add(value));
            for mapping in self.memory.iter_mut().flatten() {
                mapping.contents().chunks(8).for_each(|bytes| add(word(bytes)));
            }
            results.set_number(trial + 1, digest);
            results.set_number(0, trial as u64 + 1);
        }
    }
}

/// A word of up to eight bytes, the first one least significant.
fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// A generator of pseudorandom numbers (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A word that is often an extreme one: zeros, ones, single bits.
    fn word(&mut self) -> u64 {
        let any = self.next();
        match any >> 60 {
            0 | 1 => 0,
            2 | 3 => u64::MAX,
            4 => 1 << (any & 63),
            5 => !(1 << (any & 63)),
            6 => u64::MAX << (any & 63),
            7 => (any & 0xff).wrapping_mul(0x0101_0101_0101_0101),
            _ => any,
        }
    }

    /// Fills inputs with words within their mask, and results with bytes that should be overwritten.
    fn fill(&mut self, memory: &mut [u8], mask: Option<&[u8]>) {
        let plain = self.next() & 3 == 0;
        for (index, chunk) in memory.chunks_mut(8).enumerate() {
            let word = if plain { self.next() } else { self.word() }.to_le_bytes();
            let length = chunk.len();
            chunk.copy_from_slice(&word[..length]);
            if let Some(mask) = mask {
                chunk.iter_mut().zip(&mask[8 * index..]).for_each(|(byte, mask)| *byte &= mask);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn behaviour_of(bytes: &[u8]) -> Behaviour {
        let code = Code { parts: vec![(0x10_0000, bytes.to_vec())], entry: 0x10_0000 };
        let buffers = [Buffer::Memory { bytes: 4, mask: None }, Buffer::Memory { bytes: 4, mask: Some(vec![0xff; 4]) }];
        behaviour(&code, &buffers, 100, 1).expect("a child")
    }

    /// `mov eax, [rsi]; add eax, eax; mov [rdi], eax; ret`
    const DOUBLE: [u8; 7] = [0x8b, 0x06, 0x01, 0xc0, 0x89, 0x07, 0xc3];

    #[test]
    fn what_differs_is_seen() {
        let double = behaviour_of(&DOUBLE);
        assert_eq!((double.digests.len(), double.signal), (100, None));
        assert_eq!(behaviour_of(&DOUBLE), double);
        // `add eax, 0` in place of `add eax, eax`; then a clobbered rbx; then an input that is written.
        let zero = behaviour_of(&[0x8b, 0x06, 0x83, 0xc0, 0x00, 0x89, 0x07, 0xc3]);
        let clobbered = behaviour_of(&[0x8b, 0x06, 0x01, 0xc0, 0x89, 0x07, 0x31, 0xdb, 0xc3]);
        let written = behaviour_of(&[0x8b, 0x06, 0x01, 0xc0, 0x89, 0x07, 0xff, 0x06, 0xc3]);
        for other in [zero, clobbered, written] {
            assert_eq!((other.digests.len(), other.signal), (100, None));
            assert_ne!(other, double);
        }
    }

    #[test]
    fn one_call_leaves_what_it_computes() {
        let code = |bytes: &[u8]| Code { parts: vec![(0x10_0000, bytes.to_vec())], entry: 0x10_0000 };
        let arguments = [Passed::Memory(vec![0; 4]), Passed::Memory(vec![3, 0, 0, 1])];
        let left = call(&code(&DOUBLE), &arguments).expect("a child").expect("it returns");
        assert_eq!(left, Left { memory: vec![vec![6, 0, 0, 2], vec![3, 0, 0, 1]], returned: 0x0200_0006 });
        // A call in place, and one with words: `lea rax, [rsi + 1]; ret`.
        let left = call(&code(&DOUBLE), &[Passed::Memory(vec![5; 4]), Passed::Same(0)]).expect("a child");
        assert_eq!(left, Ok(Left { memory: vec![vec![10; 4], vec![]], returned: 0x0a0a_0a0a }));
        let words = [Passed::Word(1), Passed::Word(u64::MAX - 1)];
        let left = call(&code(&[0x48, 0x8d, 0x46, 0x01, 0xc3]), &words).expect("a child");
        assert_eq!(left, Ok(Left { memory: vec![vec![], vec![]], returned: u64::MAX }));
        // An undefined instruction.
        assert_eq!(call(&code(&[0x0f, 0x0b]), &arguments).expect("a child"), Err(libc::SIGILL));
    }

    #[test]
    fn arguments_beyond_six_are_on_the_stack() {
        // mov rax, [rsp+16]; mov ecx, [rax]; mov [rdi], ecx; ret
        let bytes = vec![0x48, 0x8b, 0x44, 0x24, 0x10, 0x8b, 0x08, 0x89, 0x0f, 0xc3];
        let code = Code { parts: vec![(0x10_0000, bytes)], entry: 0x10_0000 };
        let arguments: Vec<Passed> = (0..9).map(|index| Passed::Memory(vec![index; 4])).collect();
        let left = call(&code, &arguments).expect("a child").expect("it returns");
        assert_eq!(left.memory[0], [7; 4]);
        assert_eq!(left.memory[1..], (1..9).map(|index| vec![index; 4]).collect::<Vec<_>>());
        assert!(call(&code, &vec![Passed::Memory(vec![0; 4]); 17]).is_err());
    }

    #[test]
    fn what_breaks_out_is_stopped() {
        // A read beyond an argument; a system call; code that writes to itself; an endless loop.
        for (bytes, signal) in [
            (&[0x8b, 0x46, 0x04, 0xc3][..], libc::SIGSEGV),
            (&[0xb8, 0x39, 0, 0, 0, 0x0f, 0x05, 0xc3], libc::SIGKILL),
            (&[0xff, 0x05, 0xfa, 0xff, 0xff, 0xff, 0xc3], libc::SIGSEGV),
            (&[0xeb, 0xfe], libc::SIGXCPU),
        ] {
            assert_eq!(behaviour_of(bytes), Behaviour { digests: Vec::new(), signal: Some(signal) });
        }
    }
}
