//! Memory for secrets between pages that nobody may touch, as libsodium's `sodium_malloc` has it, and memory that stays out of swap files and
//! dumps.
//!
//! An allocation is a run of pages: one with a [`Record`], which may be read; one that nobody may touch; those of the memory; and another
//! one that nobody may touch. The memory ends where its last page does, so that no byte behind it can be touched. Before its first byte is a
//! copy of the record's mark: who writes there is found when the memory is freed. The mark is always in the first page of the memory.
#![allow(unsafe_code)] // Pages of the operating system are asked for, and written.

use core::ffi::{c_int, c_void};
use core::{ptr, slice};

use zeroize::Zeroize;

use crate::random;

/// The random bytes of an allocation.
type Mark = [u8; 16];
const MARK: usize = size_of::<Mark>();

/// The byte that fills fresh memory, the same as in libsodium.
const FRESH: u8 = 0xdb;

/// The beginning of an allocation's first page: the size of the memory, and the allocation's mark.
#[repr(C)]
struct Record {
    size: usize,
    mark: Mark,
}

/// Memory that [`allocate`] made, or null. The caller of a function has promised that it is not yet freed.
#[repr(transparent)]
pub struct Guarded(*mut u8);

/// Memory of the caller, of any origin, or null.
#[repr(transparent)]
pub struct Area(*mut c_void);

/// The size of a page, a power of two that has room for a record and for a mark.
fn page() -> Option<usize> {
    // SAFETY: it reads nothing.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
    (page.is_power_of_two() && page >= size_of::<Record>()).then_some(page)
}

/// An allocation's places and sizes.
struct Pages {
    page: usize,
    /// The first page.
    start: *mut u8,
    /// Bytes of the pages with the memory and the mark.
    inside: usize,
    /// Bytes of all pages.
    all: usize,
}

impl Pages {
    /// Asks the operating system for pages that nobody may touch.
    fn new(size: usize) -> Option<Pages> {
        let page = page()?;
        let inside = size.checked_add(MARK)?.checked_next_multiple_of(page)?;
        let all = page.checked_mul(3)?.checked_add(inside).filter(|all| isize::try_from(*all).is_ok())?;
        // SAFETY: the pages are new ones.
        let start =
            unsafe { libc::mmap(ptr::null_mut(), all, libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANON, -1, 0) };
        (start != libc::MAP_FAILED).then_some(Pages { page, start: start.cast(), inside, all })
    }

    /// The pages of an allocation, and what its record says.
    fn of(memory: &Guarded) -> Option<(Pages, Record)> {
        let page = page()?;
        if memory.0.is_null() {
            return None;
        }
        let start = memory.0.map_addr(|address| {
            let first = address.wrapping_sub(MARK) & page.wrapping_neg();
            first.wrapping_sub(page).wrapping_sub(page)
        });
        // SAFETY: the first page of an allocation begins with a record, and may be read.
        let record = unsafe { start.cast::<Record>().read() };
        let inside = record.size.checked_add(MARK)?.checked_next_multiple_of(page)?;
        let all = page.checked_mul(3)?.checked_add(inside)?;
        Some((Pages { page, start, inside, all }, record))
    }

    /// The first page of the memory.
    fn inside(&self) -> *mut u8 {
        self.start.wrapping_add(self.page).wrapping_add(self.page)
    }

    fn memory(&self, size: usize) -> *mut u8 {
        self.inside().wrapping_add(self.inside.wrapping_sub(size))
    }

    /// Says what may be done with the record.
    fn protect_record(&self, protection: c_int) -> bool {
        // SAFETY: these are pages of the allocation, and no reference leads there.
        unsafe { libc::mprotect(self.start.cast(), self.page, protection) == 0 }
    }

    /// Says what may be done with the memory.
    fn protect(&self, protection: c_int) -> bool {
        // SAFETY: these are pages of the allocation, and no reference leads there.
        unsafe { libc::mprotect(self.inside().cast(), self.inside, protection) == 0 }
    }

    /// Gives the pages back.
    fn release(self) {
        // SAFETY: these are all pages of the allocation, and nobody uses them from now on.
        unsafe { libc::munmap(self.start.cast(), self.all) };
    }
}

/// New memory, or null.
pub fn allocate(size: usize) -> Guarded {
    Guarded(try_to_allocate(size).unwrap_or(ptr::null_mut()))
}

/// New memory for so many items of one size, or null.
pub fn allocate_items(count: usize, size: usize) -> Guarded {
    count.checked_mul(size).map_or(Guarded(ptr::null_mut()), allocate)
}

fn try_to_allocate(size: usize) -> Option<*mut u8> {
    let seed = random::seed_if_any()?;
    let mark = *seed.first_chunk()?;
    let pages = Pages::new(size)?;
    let writable = libc::PROT_READ | libc::PROT_WRITE;
    if !pages.protect_record(writable) || !pages.protect(writable) {
        pages.release();
        return None;
    }
    // Where the system lets no more be locked, the memory is as good but for that.
    lock(&Area(pages.inside().cast()), pages.inside);
    let memory = pages.memory(size);
    // SAFETY: the first page may be written, and so may `size` bytes at `memory` and the mark's bytes before them, which are in the pages inside.
    unsafe {
        pages.start.cast::<Record>().write(Record { size, mark });
        memory.wrapping_sub(MARK).cast::<Mark>().write_unaligned(mark);
        memory.write_bytes(FRESH, size);
    }
    if !pages.protect_record(libc::PROT_READ) {
        pages.release();
        return None;
    }
    Some(memory)
}

/// Erases memory and gives it back; nothing for null. The program ends if somebody wrote before the memory.
pub fn free(memory: Guarded) {
    let Some((pages, record)) = Pages::of(&memory) else { return };
    // SAFETY: the mark's bytes are before the memory, and may be read again after `protect`.
    let is_whole = pages.protect(libc::PROT_READ | libc::PROT_WRITE)
        && unsafe { memory.0.wrapping_sub(MARK).cast::<Mark>().read_unaligned() } == record.mark;
    if !is_whole {
        std::process::abort();
    }
    erase_and_unlock(&Area(pages.inside().cast()), pages.inside);
    pages.release();
}

fn protect(memory: &Guarded, protection: c_int) -> Option<()> {
    Pages::of(memory)?.0.protect(protection).then_some(())
}

/// Nobody may read or write the memory from now on.
pub fn hide(memory: Guarded) -> Option<()> {
    protect(&memory, libc::PROT_NONE)
}

/// Nobody may write the memory from now on.
pub fn freeze(memory: Guarded) -> Option<()> {
    protect(&memory, libc::PROT_READ)
}

/// The memory may be read and written from now on.
pub fn open(memory: Guarded) -> Option<()> {
    protect(&memory, libc::PROT_READ | libc::PROT_WRITE)
}

/// Keeps pages out of swap files, and out of dumps where the system can do that.
pub fn lock(area: &Area, length: usize) -> Option<()> {
    // SAFETY: neither changes what is in memory; the system refuses addresses that are none.
    unsafe {
        #[cfg(target_os = "linux")]
        libc::madvise(area.0, length, libc::MADV_DONTDUMP);
        (libc::mlock(area.0, length) == 0).then_some(())
    }
}

/// Erases memory, and lets its pages be swapped and dumped again.
pub fn erase_and_unlock(area: &Area, length: usize) -> Option<()> {
    if area.0.is_null() || isize::try_from(length).is_err() {
        return None;
    }
    // SAFETY: so many bytes may be written there, as the caller has promised; afterwards, neither function changes what is in memory.
    unsafe {
        slice::from_raw_parts_mut(area.0.cast::<u8>(), length).zeroize();
        #[cfg(target_os = "linux")]
        libc::madvise(area.0, length, libc::MADV_DODUMP);
        (libc::munlock(area.0, length) == 0).then_some(())
    }
}
