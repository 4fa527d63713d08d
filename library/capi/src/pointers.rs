//! Pointers from C, and the only code that follows them.
//!
//! A value of one of these types comes from the caller of an exported function, never from Rust. The header says which memory
//! each pointer must lead to, and the caller has promised it: so many bytes to read, or to write, for as long as the call lasts. The
//! types have C's representation of a pointer, and their fields are private to this file.
//!
//! Two hazards are met here once and for all. A reference must not lead to what another one changes: inputs of a fixed length
//! are copied, outputs of a fixed length are written when no reference is left, and [`Text::beside`] looks at the addresses before
//! it gives a reference that lives together with a mutable one. A slice must not be null or too long: both are refused.
#![allow(unsafe_code)] // Pointers from C are followed, which no compiler can check.

#[cfg(feature = "sodium")]
use core::ffi::{c_char, c_void};
use core::mem::MaybeUninit;
#[cfg(feature = "sodium")]
use core::sync::atomic::{AtomicPtr, Ordering};
use core::{ptr, slice};

use zeroize::Zeroize;

/// A place where bytes are read.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct In(*const u8);

/// A place where bytes are written.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Out(*mut u8);

/// Bytes to read, with their number.
#[derive(Clone, Copy)]
pub struct Text {
    pub start: In,
    pub length: usize,
}

/// One of several signatures, `culet_ed25519_signed` of the header.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Signed {
    pub signature: In,
    pub message: In,
    pub length: usize,
    pub public: In,
}

/// One of several messages, `culet_ed25519_message` of the header.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Message {
    pub message: In,
    pub length: usize,
}

/// A place where several values are, one after another.
#[repr(transparent)]
pub struct Several<T>(*const T);

pub type Signatures = Several<Signed>;
pub type Messages = Several<Message>;

impl<T> Clone for Several<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Several<T> {}

/// A place for a result that the caller may not want: null is allowed.
#[repr(transparent)]
pub struct Slot<T>(*mut T);

/// Memory of the caller that keeps a value between calls.
#[repr(transparent)]
pub struct Context<T>(*mut Kept<T>);

/// A value in the caller's memory, and a mark that says that it is there.
#[repr(C)]
pub struct Kept<T> {
    mark: u64,
    value: MaybeUninit<T>,
}

/// The mark of memory that keeps a value: the letters `culet` and the number of a layout.
const MARK: u64 = u64::from_be_bytes(*b"culet\0\0\x01");

impl In {
    /// No place.
    pub const NULL: In = In(ptr::null());

    /// A copy of `N` bytes; none if the pointer is null.
    pub fn array<const N: usize>(self) -> Option<[u8; N]> {
        // SAFETY: the caller promised `N` bytes; arrays of bytes have no alignment.
        (!self.0.is_null()).then(|| unsafe { ptr::read(self.0.cast()) })
    }

    /// The place so many bytes later; null stays null.
    fn after(self, bytes: usize) -> In {
        if self.0.is_null() { self } else { In(self.0.wrapping_add(bytes)) }
    }

    /// These bytes, of which there are `length`. A number that does not fit a word of the machine becomes a length that is refused later.
    pub fn with(self, length: impl TryInto<usize>) -> Text {
        Text { start: self, length: length.try_into().unwrap_or(usize::MAX) }
    }
}

impl Text {
    /// The bytes. No mutable reference may live as long; see [`beside`](Self::beside).
    pub fn bytes<'a>(self) -> Option<&'a [u8]> {
        if self.length == 0 {
            return Some(&[]);
        }
        // SAFETY: the caller promised so many bytes, which are at most as many as a slice may have.
        fits(self.start.0, self.length).then(|| unsafe { slice::from_raw_parts(self.start.0, self.length) })
    }

    /// The bytes, if none of them is among the `length` bytes of an output.
    pub fn beside<'a>(self, out: Out, length: usize) -> Option<&'a [u8]> {
        apart(self.start.0, self.length, out.0, length).then(|| self.bytes())?
    }

    /// One byte, as it is now: a function that asks for each when it needs it may write over those that it had.
    #[cfg(feature = "sodium")]
    pub fn byte(self, place: usize) -> Option<u8> {
        let [byte] = if place < self.length { self.start.after(place).array()? } else { return None };
        Some(byte)
    }

    /// Whether there can be so many bytes.
    #[cfg(feature = "sodium")]
    pub fn fits(self) -> bool {
        self.length == 0 || fits(self.start.0, self.length)
    }

    /// The first bytes, and the rest.
    pub fn split(self, middle: usize) -> Option<(Text, Text)> {
        let rest = self.length.checked_sub(middle)?;
        let start = self.start.after(middle);
        Some((Text { length: middle, ..self }, Text { start, length: rest }))
    }

    /// The bytes but the last ones, and those.
    pub fn split_end(self, last: usize) -> Option<(Text, Text)> {
        self.split(self.length.checked_sub(last)?)
    }
}

impl Out {
    /// A copy of `N` bytes that are there; none if the pointer is null.
    #[cfg(feature = "sodium")]
    pub fn read<const N: usize>(self) -> Option<[u8; N]> {
        In(self.0).array()
    }

    /// No place.
    #[cfg(feature = "sodium")]
    pub const NULL: Out = Out(ptr::null_mut());

    /// Writes bytes of a fixed length.
    pub fn write(self, bytes: &[u8]) -> Option<()> {
        // SAFETY: the caller promised room for them; what is copied may lie anywhere.
        (!self.0.is_null()).then(|| unsafe { ptr::copy(bytes.as_ptr(), self.0, bytes.len()) })
    }

    /// The place so many bytes later; null stays null.
    pub fn after(self, bytes: usize) -> Out {
        if self.0.is_null() { self } else { Out(self.0.wrapping_add(bytes)) }
    }

    /// Room for `length` bytes, with what is there. No other reference may live as long.
    pub fn room<'a>(self, length: usize) -> Option<&'a mut [u8]> {
        if length == 0 {
            return Some(&mut []);
        }
        // SAFETY: the caller promised so much room, which is at most as much as a slice may have.
        fits(self.0, length).then(|| unsafe { slice::from_raw_parts_mut(self.0, length) })
    }

    /// Room for a text, which is moved there first. The two may overlap.
    pub fn moved<'a>(self, text: Text) -> Option<&'a mut [u8]> {
        if text.length != 0 && fits(self.0, text.length) && fits(text.start.0, text.length) {
            // SAFETY: both have so many bytes, which the caller promised.
            unsafe { ptr::copy(text.start.0, self.0, text.length) };
        } else if text.length != 0 {
            return None;
        }
        self.room(text.length)
    }

    /// Whether none of `length` bytes here is among `other_length` bytes there.
    pub fn is_apart(self, length: usize, other: Out, other_length: usize) -> bool {
        apart(self.0, length, other.0, other_length)
    }

    /// Works with this place; in place of null, with memory for `length` bytes that lasts as long as the work and becomes zeros. It refuses where
    /// there is not so much memory.
    #[cfg(feature = "sodium")]
    pub fn or_memory(self, length: usize, work: impl FnOnce(Out) -> Option<()>) -> Option<()> {
        if !self.is_null() || length == 0 {
            return work(self);
        }
        let mut memory = Vec::new();
        memory.try_reserve_exact(length).ok()?;
        memory.resize(length, 0);
        let done = work(Out(memory.as_mut_ptr()));
        memory.as_mut_slice().zeroize();
        done
    }

    pub fn is_null(self) -> bool {
        self.0.is_null()
    }
}

impl<T: Copy> Several<T> {
    /// Copies of so many values, none of which is among the `length` bytes of an output, which must be as many as there can be.
    pub fn items_beside(self, count: usize, out: Out, length: usize) -> Option<impl Iterator<Item = T>> {
        let has_room = length == 0 || fits(out.0, length);
        let is_apart = has_room && apart(self.0.cast(), count.checked_mul(size_of::<T>())?, out.0, length);
        if is_apart { self.items(count) } else { None }
    }

    /// Copies of so many values, one by one.
    pub fn items(self, count: usize) -> Option<impl Iterator<Item = T>> {
        let is_there = count == 0 || fits(self.0.cast(), count.checked_mul(size_of::<T>())?);
        // SAFETY: the caller promised so many, which are at most as many as a slice may have.
        is_there.then(|| (0..count).map(move |place| unsafe { ptr::read_unaligned(self.0.add(place)) }))
    }
}

impl<T> Slot<T> {
    /// Writes a value, if there is a place for it.
    pub fn set(self, value: T) {
        if !self.0.is_null() {
            // SAFETY: the caller promised room for it.
            unsafe { ptr::write_unaligned(self.0, value) };
        }
    }

    pub fn is_null(&self) -> bool {
        self.0.is_null()
    }
}

#[cfg(feature = "sodium")]
impl Slot<In> {
    /// Writes the place behind the first `bytes` bytes of a text.
    pub fn set_end(self, text: In, bytes: usize) {
        self.set(text.after(bytes));
    }
}

impl<T> Context<T> {
    /// Keeps a value from now on.
    pub fn put(self, value: T) -> Option<()> {
        let is_usable = !self.0.is_null() && self.0.is_aligned();
        // SAFETY: the caller promised the memory of a context, which is at least as large, as the exports assert.
        is_usable.then(|| unsafe { ptr::write(self.0, Kept { mark: MARK, value: MaybeUninit::new(value) }) })
    }

    /// The value, if one is kept, and where it lies. No other reference may live as long.
    fn value<'a>(&self) -> Option<&'a mut T> {
        if self.0.is_null() || !self.0.is_aligned() {
            return None;
        }
        // SAFETY: the caller promised the memory of a context.
        let kept = unsafe { &mut *self.0 };
        // SAFETY: only `put` writes the mark, and a value with it.
        (kept.mark == MARK).then(|| unsafe { kept.value.assume_init_mut() })
    }

    /// The value, to be read only, which other threads may do at the same time. None of `length` bytes of an output may lie in it.
    pub fn beside<'a>(&self, out: Out, length: usize) -> Option<&'a T> {
        let is_apart = out.is_apart(length, Out(self.0.cast()), size_of::<Kept<T>>());
        if self.0.is_null() || !self.0.is_aligned() || !is_apart {
            return None;
        }
        // SAFETY: the caller promised the memory of a context.
        let kept = unsafe { &*self.0 };
        // SAFETY: only `put` writes the mark, and a value with it.
        (kept.mark == MARK).then(|| unsafe { kept.value.assume_init_ref() })
    }

    /// Does something to the value with a text, which must not lie in it.
    pub fn change(self, text: Text, change: impl FnOnce(&mut T, &[u8]) -> Option<()>) -> Option<()> {
        let text = text.beside(Out(self.0.cast()), size_of::<Kept<T>>())?;
        change(self.value()?, text)
    }

    /// Lets the value fill `length` bytes, which must not lie in it.
    pub fn fill(self, out: Out, length: usize, fill: impl FnOnce(&mut T, &mut [u8]) -> Option<()>) -> Option<()> {
        let is_apart = out.is_apart(length, Out(self.0.cast()), size_of::<Kept<T>>());
        let room = if is_apart { out.room(length) } else { None }?;
        fill(self.value()?, room)
    }

    /// Whether none of `length` bytes there is among those of the context.
    pub fn is_apart(&self, other: Out, length: usize) -> bool {
        other.is_apart(length, Out(self.0.cast()), size_of::<Kept<T>>())
    }

    /// Another text, if it lies apart from the output of a text, and both texts and the output lie apart from the context.
    fn text_beside<'a>(&self, out: Out, text: Text, other: Text) -> Option<&'a [u8]> {
        let is_apart = self.is_apart(out, text.length) && self.is_apart_from(text) && self.is_apart_from(other);
        if is_apart { other.beside(out, text.length) } else { None }
    }

    fn is_apart_from(&self, text: Text) -> bool {
        apart(text.start.0, text.length, self.0.cast(), size_of::<Kept<T>>())
    }

    /// Lets the value work with another text on a text, which is moved to `out` first.
    pub fn work_beside<R>(
        self,
        out: Out,
        text: Text,
        other: Text,
        work: impl FnOnce(&mut T, &[u8], &mut [u8]) -> Option<R>,
    ) -> Option<R> {
        let other = self.text_beside(out, text, other)?;
        work(self.value()?, other, out.moved(text)?)
    }

    /// As [`work_beside`](Self::work_beside), and for the last time: the memory becomes zeros, and keeps no value any more.
    pub fn end_beside<R>(
        self,
        out: Out,
        text: Text,
        other: Text,
        work: impl FnOnce(T, &[u8], &mut [u8]) -> Option<R>,
    ) -> Option<R> {
        let other = self.text_beside(out, text, other)?;
        self.value()?;
        let room = out.moved(text)?;
        work(self.take()?, other, room)
    }

    /// The value. The memory becomes zeros, and keeps none any more.
    pub fn take(self) -> Option<T> {
        // SAFETY: the value is there, and forgotten in the next line.
        let value = unsafe { ptr::read(self.value()?) };
        Out(self.0.cast()).room(size_of::<Kept<T>>())?.zeroize();
        Some(value)
    }
}

/// The bytes before the zero byte that ends a C string.
#[cfg(feature = "sodium")]
pub fn string<'a>(text: *const c_char) -> Option<&'a [u8]> {
    // SAFETY: the caller promised a string.
    (!text.is_null()).then(|| unsafe { core::ffi::CStr::from_ptr(text) }.to_bytes())
}

/// A source of randomness that the program brings: libsodium's `randombytes_implementation`.
#[cfg(feature = "sodium")]
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Source {
    pub name: Option<extern "C" fn() -> *const c_char>,
    pub random: Option<extern "C" fn() -> u32>,
    pub stir: Option<extern "C" fn()>,
    pub uniform: Option<extern "C" fn(u32) -> u32>,
    pub fill: Option<extern "C" fn(*mut c_void, usize)>,
    pub close: Option<extern "C" fn() -> core::ffi::c_int>,
}

/// The place of the source that the program has chosen; null for the operating system's.
#[cfg(feature = "sodium")]
static CHOSEN: AtomicPtr<Source> = AtomicPtr::new(ptr::null_mut());

#[cfg(feature = "sodium")]
impl Slot<Source> {
    /// Chooses this source, from now on.
    pub fn choose(self) {
        CHOSEN.store(self.0, Ordering::Release);
    }
}

/// The source that the program has chosen.
#[cfg(feature = "sodium")]
pub fn chosen_source() -> Option<Source> {
    let source = CHOSEN.load(Ordering::Acquire);
    // SAFETY: the caller promised that it stays there until another one is chosen.
    (!source.is_null()).then(|| unsafe { *source })
}

/// The function that the program has chosen to be told of misuse; null for none.
#[cfg(feature = "sodium")]
static MISUSE_HANDLER: AtomicPtr<()> = AtomicPtr::new(ptr::null_mut());

/// Chooses the function that is told of misuse, from now on.
#[cfg(feature = "sodium")]
pub fn choose_misuse_handler(handler: Option<extern "C" fn()>) {
    MISUSE_HANDLER.store(handler.map_or(ptr::null_mut(), |handler| handler as *mut ()), Ordering::Release);
}

/// The function that the program has chosen.
#[cfg(feature = "sodium")]
pub fn misuse_handler() -> Option<extern "C" fn()> {
    let handler = MISUSE_HANDLER.load(Ordering::Acquire);
    // SAFETY: it was stored as such a function, or it is null, which is none.
    unsafe { core::mem::transmute::<*mut (), Option<extern "C" fn()>>(handler) }
}

/// Whether a slice may have so many bytes here.
fn fits(start: *const u8, length: usize) -> bool {
    !start.is_null() && isize::try_from(length).is_ok()
}

/// Whether two ranges of addresses have no byte in common.
fn apart(a: *const u8, a_length: usize, b: *const u8, b_length: usize) -> bool {
    let (a, b) = (a.addr(), b.addr());
    // One decision, not two: proofs of callers follow both ways of each.
    a_length == 0 || b_length == 0 || (a.saturating_add(a_length) <= b) | (b.saturating_add(b_length) <= a)
}
