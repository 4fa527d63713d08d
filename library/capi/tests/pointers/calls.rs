//! Calls the C interface as C programs do, for Miri, which sees every byte that is read or written where it must not be, and every byte
//! that is read before it is written.
//!
//! Each piece of memory is as large as the header asks, and outputs are not initialised. `beyond` or `uninitialised` as an argument plants a
//! call with a mistake, which Miri must find. The file is no `main.rs`, which cargo would build in each run of all tests:
//! `library/culet/tests/miri.rs` builds it.
#![allow(unsafe_code)] // Functions of C are called.

use core::ffi::{c_char, c_int, c_uint, c_ulonglong, c_void};
use core::mem::MaybeUninit;
use core::ptr::{null, null_mut};

// The library is linked for the names that it exports.
use culet_c as _;

/// `culet_ed25519_message` of the header.
#[repr(C)]
struct Message {
    message: *const u8,
    length: usize,
}

/// `culet_ed25519_signed` of the header.
#[repr(C)]
struct Signed {
    signature: *const u8,
    message: *const u8,
    length: usize,
    public_key: *const u8,
}

/// `randombytes_implementation` of the header.
#[repr(C)]
struct Source {
    name: Option<extern "C" fn() -> *const c_char>,
    random: Option<extern "C" fn() -> u32>,
    stir: Option<extern "C" fn()>,
    uniform: Option<extern "C" fn(u32) -> u32>,
    fill: Option<extern "C" fn(*mut c_void, usize)>,
    close: Option<extern "C" fn() -> c_int>,
}

unsafe extern "C" {
    fn culet_sha256(digest: *mut u8, message: *const u8, length: usize) -> c_int;
    fn culet_sha256_init(context: *mut c_void) -> c_int;
    fn culet_sha256_update(context: *mut c_void, part: *const u8, length: usize) -> c_int;
    fn culet_sha256_final(context: *mut c_void, digest: *mut u8) -> c_int;
    fn culet_shake128_init(context: *mut c_void) -> c_int;
    fn culet_shake128_read(context: *mut c_void, out: *mut u8, length: usize) -> c_int;
    fn culet_aes128gcm_init(context: *mut c_void, key: *const u8) -> c_int;
    fn culet_aes128gcm_seal_with(
        context: *const c_void,
        sealed: *mut u8,
        tag: *mut u8,
        message: *const u8,
        length: usize,
        additional: *const u8,
        additional_length: usize,
        nonce: *const u8,
    ) -> c_int;
    fn culet_aes128gcm_open_with(
        context: *const c_void,
        message: *mut u8,
        sealed: *const u8,
        length: usize,
        tag: *const u8,
        additional: *const u8,
        additional_length: usize,
        nonce: *const u8,
    ) -> c_int;
    fn culet_chacha20poly1305_seal(
        sealed: *mut u8,
        tag: *mut u8,
        message: *const u8,
        length: usize,
        additional: *const u8,
        additional_length: usize,
        nonce: *const u8,
        key: *const u8,
    ) -> c_int;
    fn culet_chacha20poly1305_open(
        message: *mut u8,
        sealed: *const u8,
        length: usize,
        tag: *const u8,
        additional: *const u8,
        additional_length: usize,
        nonce: *const u8,
        key: *const u8,
    ) -> c_int;
    fn culet_segment_sealer_init(context: *mut c_void, nonce: *const u8, key: *const u8) -> c_int;
    fn culet_segment_seal_last(
        context: *mut c_void,
        sealed: *mut u8,
        tag: *mut u8,
        message: *const u8,
        length: usize,
        additional: *const u8,
        additional_length: usize,
    ) -> c_int;
    fn culet_secretstream_open_init(context: *mut c_void, header: *const u8, key: *const u8) -> c_int;
    fn culet_secretstream_seal_init(context: *mut c_void, header: *const u8, key: *const u8) -> c_int;
    fn culet_secretstream_seal(
        context: *mut c_void,
        sealed: *mut u8,
        kind: u8,
        message: *const u8,
        length: usize,
        additional: *const u8,
        additional_length: usize,
    ) -> c_int;
    fn culet_secretstream_open(
        context: *mut c_void,
        message: *mut u8,
        kind: *mut u8,
        sealed: *const u8,
        length: usize,
        additional: *const u8,
        additional_length: usize,
    ) -> c_int;
    fn culet_ed25519_public_key(public: *mut u8, seed: *const u8) -> c_int;
    fn culet_ed25519_sign(signature: *mut u8, message: *const u8, length: usize, seed: *const u8) -> c_int;
    fn culet_ed25519_sign_batch(
        signatures: *mut u8,
        messages: *const Message,
        count: usize,
        seed: *const u8,
    ) -> c_int;
    fn culet_ed25519_verify_batch(signatures: *const Signed, count: usize) -> c_int;
    fn culet_ed25519_verify_batch_zip215(signatures: *const Signed, count: usize) -> c_int;
    fn culet_x25519_batch(
        shared: *mut u8,
        secret_keys: *const u8,
        public_keys: *const u8,
        count: usize,
    ) -> c_int;
    fn crypto_secretbox_easy(
        sealed: *mut u8,
        message: *const u8,
        length: c_ulonglong,
        nonce: *const u8,
        key: *const u8,
    ) -> c_int;
    fn crypto_secretbox_open_easy(
        message: *mut u8,
        sealed: *const u8,
        length: c_ulonglong,
        nonce: *const u8,
        key: *const u8,
    ) -> c_int;
    fn sodium_bin2hex(hex: *mut c_char, room: usize, bytes: *const u8, length: usize) -> *mut c_char;
    fn sodium_hex2bin(
        bytes: *mut u8,
        room: usize,
        hex: *const c_char,
        length: usize,
        ignore: *const c_char,
        done: *mut usize,
        end: *mut *const c_char,
    ) -> c_int;
    fn randombytes_set_implementation(source: *const Source) -> c_int;
    fn randombytes_buf(out: *mut c_void, length: usize);
    fn randombytes_uniform(bound: c_uint) -> c_uint;
    fn culet_compare(a: *const u8, b: *const u8, length: usize) -> c_int;
    fn culet_wipe(memory: *mut u8, length: usize) -> c_int;
}

/// Memory of its own, of which nothing is written yet. C's pointers to it may live side by side, as references may not.
struct Memory<T> {
    start: *mut MaybeUninit<T>,
    count: usize,
}

impl<T: Copy> Memory<T> {
    fn new(count: usize) -> Memory<T> {
        Memory { start: Box::into_raw(Box::<[T]>::new_uninit_slice(count)).cast(), count }
    }

    fn of(values: &[T]) -> Memory<T> {
        let memory = Memory::<T>::new(values.len());
        // SAFETY: there is room for so many.
        unsafe { memory.start().copy_from(values.as_ptr(), values.len()) };
        memory
    }

    fn start(&self) -> *mut T {
        self.start.cast()
    }

    fn context(&self) -> *mut c_void {
        self.start.cast()
    }

    /// The values that a function has written. Miri finds a value that none has.
    fn values(&self) -> Vec<T> {
        // SAFETY: the function before must have written all; Miri looks whether it has.
        (0..self.count).map(|place| unsafe { self.start().add(place).read() }).collect()
    }
}

impl<T> Drop for Memory<T> {
    fn drop(&mut self) {
        // SAFETY: `new` made a box of so many.
        drop(unsafe { Box::from_raw(core::ptr::slice_from_raw_parts_mut(self.start, self.count)) });
    }
}

/// FIPS 180-4, the example of one block.
const DIGEST_OF_ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn main() {
    let planted = std::env::args().nth(1);
    // SAFETY: the calls are as the header asks, but for the two that are planted.
    unsafe {
        match planted.as_deref() {
            Some("beyond") => drop(digest(&Memory::of(b"abc"), 4)),
            Some("uninitialised") => drop(digest(&Memory::new(3), 3)),
            _ => {
                hashes();
                contexts();
                overlaps();
                streams();
                signatures();
                strings();
                randomness();
            }
        }
    }
}

unsafe fn digest(message: &Memory<u8>, length: usize) -> Vec<u8> {
    let digest = Memory::new(32);
    // SAFETY: the caller says how long the message is.
    assert_eq!(unsafe { culet_sha256(digest.start(), message.start(), length) }, 0);
    digest.values()
}

unsafe fn hashes() {
    // SAFETY: as the header asks.
    unsafe {
        assert_eq!(hex(&digest(&Memory::of(b"abc"), 3)), DIGEST_OF_ABC);
        // The digest takes the place of the message.
        let both = Memory::of(&[0; 32]);
        let of_zeros = digest(&both, 32);
        assert_eq!(culet_sha256(both.start(), both.start(), 32), 0);
        assert_eq!(both.values(), of_zeros);
        // Nothing is read where nothing is.
        let of_nothing = Memory::new(32);
        assert_eq!(culet_sha256(of_nothing.start(), null(), 0), 0);
        assert_eq!(of_nothing.values(), digest(&Memory::of(&[]), 0));
        assert_eq!(culet_sha256(of_nothing.start(), null(), 1), -1);
        assert_eq!(culet_sha256(null_mut(), of_nothing.start(), 1), -1);
    }
}

unsafe fn contexts() {
    // SAFETY: as the header asks.
    unsafe {
        let (context, digest, part) = (Memory::<u64>::new(16), Memory::new(32), Memory::of(b"ab"));
        let context = context.context();
        assert_eq!(culet_sha256_init(context), 0);
        assert_eq!(culet_sha256_update(context, part.start(), 2), 0);
        assert_eq!(culet_sha256_update(context, b"c".as_ptr(), 1), 0);
        // A part of the context itself is refused.
        assert_eq!(culet_sha256_update(context, context.cast::<u8>().add(9), 1), -1);
        assert_eq!(culet_sha256_final(context, digest.start()), 0);
        assert_eq!(hex(&digest.values()), DIGEST_OF_ABC);
        assert_eq!(culet_sha256_final(context, digest.start()), -1);

        let (context, out) = (Memory::<u64>::new(56), Memory::<u8>::new(7));
        assert_eq!(culet_shake128_init(context.context()), 0);
        assert_eq!(culet_shake128_read(context.context(), out.start(), 7), 0);
        // FIPS 202, the example of no bits.
        assert_eq!(hex(&out.values()), "7f9c2ba4e88f82");

        let (context, sealed, tag) = (Memory::<u64>::new(160), Memory::new(17), Memory::new(16));
        let (nonce, opened) = (Memory::of(&[0; 12]), Memory::new(17));
        assert_eq!(culet_aes128gcm_init(context.context(), Memory::of(&[0; 16]).start()), 0);
        let context = context.context();
        let text = Memory::of(&[7; 17]);
        let tag = tag.start();
        assert_eq!(
            culet_aes128gcm_seal_with(context, sealed.start(), tag, text.start(), 17, null(), 0, nonce.start()),
            0
        );
        let open = |tag: *const u8| {
            culet_aes128gcm_open_with(context, opened.start(), sealed.start(), 17, tag, null(), 0, nonce.start())
        };
        assert_eq!(open(tag), 0);
        *tag ^= 1;
        assert_eq!(open(tag), -1);
        assert_eq!(opened.values(), [0; 17]);
    }
}

/// A sealed message takes the place of the message, or lies half across it.
unsafe fn overlaps() {
    let (key, nonce) = (Memory::of(&[1; 32]), Memory::of(&[2; 24]));
    let (key, nonce) = (key.start(), nonce.start());
    for distance in [0, 1, 40] {
        let memory = Memory::of(&[3; 80]);
        let (text, tag) = (memory.start(), Memory::new(16));
        let (tag, additional) = (tag.start(), b"header".as_ptr());
        // SAFETY: both places have 40 bytes.
        unsafe {
            let sealed = text.add(distance);
            assert_eq!(culet_chacha20poly1305_seal(sealed, tag, text, 40, additional, 6, nonce, key), 0);
            assert_eq!(culet_chacha20poly1305_open(text, sealed, 40, tag, additional, 6, nonce, key), 0);
            assert_eq!(memory.values()[..40], [3; 40]);
        }
    }
    for distance in [0, 16] {
        let memory = Memory::of(&[3; 72]);
        // SAFETY: the message has 40 bytes, and the sealed one 56.
        unsafe {
            let (text, sealed) = (memory.start().add(distance), memory.start());
            assert_eq!(crypto_secretbox_easy(sealed, text, 40, nonce, key), 0);
            assert_eq!(crypto_secretbox_open_easy(text, sealed, 56, nonce, key), 0);
            assert_eq!(memory.values()[distance..][..40], [3; 40]);
        }
    }
}

unsafe fn streams() {
    let (key, start) = (Memory::of(&[1; 32]), Memory::of(&[2; 24]));
    let (key, start) = (key.start(), start.start());
    let (context, sealed, tag) = (Memory::<u64>::new(16), Memory::new(5), Memory::new(16));
    // SAFETY: as the header asks.
    unsafe {
        let (context, text) = (context.context(), b"hello".as_ptr());
        assert_eq!(culet_segment_sealer_init(context, start, key), 0);
        assert_eq!(culet_segment_seal_last(context, sealed.start(), tag.start(), text, 5, null(), 0), 0);
        sealed.values();
        tag.values();
        assert_eq!(culet_segment_seal_last(context, sealed.start(), tag.start(), text, 5, null(), 0), -1);

        let (sealed, opened, kind) = (Memory::new(5 + 17), Memory::new(5), Memory::new(1));
        assert_eq!(culet_secretstream_seal_init(context, start, key), 0);
        assert_eq!(culet_secretstream_seal(context, sealed.start(), 3, text, 5, null(), 0), 0);
        assert_eq!(culet_secretstream_open_init(context, start, key), 0);
        let (opened_start, sealed) = (opened.start(), sealed.start());
        assert_eq!(culet_secretstream_open(context, opened_start, kind.start(), sealed, 22, null(), 0), 0);
        assert_eq!((opened.values(), kind.values()), (b"hello".to_vec(), vec![3]));
    }
}

unsafe fn signatures() {
    let (seed, public, signature) = (Memory::of(&[4; 32]), Memory::new(32), Memory::new(64));
    // SAFETY: as the header asks.
    unsafe {
        assert_eq!(culet_ed25519_public_key(public.start(), seed.start()), 0);
        assert_eq!(culet_ed25519_sign(signature.start(), b"signed".as_ptr(), 6, seed.start()), 0);
        let signed = Signed {
            signature: signature.start(),
            message: b"signed".as_ptr(),
            length: 6,
            public_key: public.start(),
        };
        assert_eq!(culet_ed25519_verify_batch_zip215(&raw const signed, 1), 0);
        assert_eq!(culet_ed25519_verify_batch(&raw const signed, 1), 0);
        let message = Message { message: b"signed".as_ptr(), length: 6 };
        let again = Memory::new(64);
        assert_eq!(culet_ed25519_sign_batch(again.start(), &raw const message, 1, seed.start()), 0);
        assert_eq!(again.values(), signature.values());
        let (keys, shared) = (Memory::of(&[9; 64]), Memory::new(64));
        assert_eq!(culet_x25519_batch(shared.start(), keys.start(), keys.start(), 2), 0);
        assert_eq!(culet_x25519_batch(keys.start(), keys.start(), keys.start(), 2), -1);
        assert_eq!(culet_ed25519_verify_batch_zip215(null(), 0), 0);
        assert_eq!(culet_ed25519_verify_batch_zip215(null(), 1), -1);
    }
}

unsafe fn strings() {
    let (text, bytes) = (Memory::<u8>::new(7), Memory::new(3));
    let (done, end) = (Memory::<usize>::new(1), Memory::<*const c_char>::new(1));
    // SAFETY: as the header asks.
    unsafe {
        let start: *mut c_char = text.start().cast();
        assert_eq!(sodium_bin2hex(start, 7, [1, 0xab, 0xff].as_ptr(), 3), start);
        assert_eq!(text.values(), b"01abff\0");
        let digits = c"01:ab ff!";
        let (ignored, length) = (c": ".as_ptr(), digits.count_bytes());
        let (done_at, end_at) = (done.start(), end.start());
        assert_eq!(sodium_hex2bin(bytes.start(), 3, digits.as_ptr(), length, ignored, done_at, end_at), 0);
        assert_eq!((bytes.values(), done.values()), (vec![1, 0xab, 0xff], vec![3]));
        assert_eq!(end.values(), [digits.as_ptr().add(length - 1)]);

        assert_eq!(culet_compare(bytes.start(), bytes.start(), 3), 0);
        assert_eq!(culet_wipe(bytes.start(), 3), 0);
        assert_eq!(bytes.values(), [0; 3]);
    }
}

extern "C" fn fill_with_sevens(out: *mut c_void, length: usize) {
    // SAFETY: the library asks for so many bytes of its own memory.
    unsafe { out.cast::<u8>().write_bytes(7, length) };
}

unsafe fn randomness() {
    let out = Memory::<u8>::new(9);
    let source =
        Source { name: None, random: None, stir: None, uniform: None, fill: Some(fill_with_sevens), close: None };
    // SAFETY: the source lives until it is chosen no more.
    unsafe {
        randombytes_buf(out.context(), 9);
        out.values();
        assert_eq!(randombytes_set_implementation(&raw const source), 0);
        randombytes_buf(out.context(), 9);
        assert_eq!(out.values(), [7; 9]);
        assert_eq!(randombytes_uniform(1000), 0x0707_0707 % 1000);
        assert_eq!(randombytes_set_implementation(null()), 0);
    }
}
