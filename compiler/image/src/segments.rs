//! Memory of a loaded file: its segments, as the kernel and the loader put them there.

use std::ops::Range;

use object::elf;
use object::read::elf::ProgramHeader;

use super::{END_OF_ADDRESSES, File, ImageError, PAGE, check_copied};

#[derive(Debug, Clone)]
pub(super) struct Segment {
    pub address: u64,
    /// Bytes that the file says that it holds.
    pub bytes: Vec<u8>,
    /// Size of its memory in bytes; beyond the file's bytes are zeros.
    size: u64,
    pub access: Access,
}

/// Access that the loader gives a program to a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Code,
    Constants,
    Writable,
}

impl Segment {
    pub fn of(address: u64, bytes: Vec<u8>, size: u64, access: Access) -> Segment {
        Segment { address, bytes, size, access }
    }

    pub fn end(&self) -> u64 {
        self.address.saturating_add(self.size)
    }

    pub fn holds(&self, address: u64) -> bool {
        (self.address..self.end()).contains(&address)
    }

    /// Returns the file's bytes from an address on.
    pub fn bytes_from(&self, address: u64) -> Option<&[u8]> {
        self.bytes.get(usize::try_from(address - self.address).ok()?..)
    }
}

/// Returns the segments of a shared object or an executable, as its program headers say, in the order of their
/// addresses.
///
/// # Errors
///
/// If the contents of their memory depend on who loads them: the last of two segments that share a page replaces the
/// contents of the first there.
pub(super) fn loaded(file: &File) -> Result<Vec<Segment>, ImageError> {
    let endian = file.endian();
    let (mut segments, mut end, mut copied) = (Vec::<Segment>::new(), 0, 0usize);
    for header in file.elf_program_headers() {
        let (address, size) = (header.p_vaddr(endian), header.p_memsz(endian));
        if header.p_type(endian) != elf::PT_LOAD {
            continue;
        }
        let damaged = |what: &str| ImageError::Unreadable(format!("the segment at {address:#x} {what}"));
        if header.p_flags(endian) & elf::PF_R == 0 {
            return Err(damaged("may not be read"));
        }
        if segments.last().is_some_and(|last| last.address > address) {
            return Err(damaged("comes after one of a higher address, which no loader has to take"));
        }
        if address / PAGE * PAGE < end {
            return Err(damaged("shares a page with the one before it, so that what is there depends on the loader"));
        }
        let last = address.checked_add(size.max(1) - 1).ok_or_else(|| damaged("reaches beyond the address space"))?;
        if last >= END_OF_ADDRESSES {
            return Err(damaged("reaches addresses that no program has"));
        }
        // Loaders may map a page for a segment without memory, too, which the next segment may replace.
        if size > 0 {
            end = (last / PAGE).saturating_add(1).saturating_mul(PAGE);
        }
        if header.p_filesz(endian) > size {
            return Err(damaged("has more bytes in the file than in memory"));
        }
        if header.p_offset(endian) % PAGE != address % PAGE {
            return Err(damaged("does not lie in the file as it does in pages of memory"));
        }
        let bytes = header.data(endian, file.data()).map_err(|()| damaged("is not in the file"))?;
        copied = copied.saturating_add(bytes.len());
        check_copied(file, copied)?;
        segments.push(Segment::of(address, bytes.to_vec(), size, access(header.p_flags(endian))));
    }
    Ok(segments)
}

/// Returns the whole pages that the loader makes read-only when it is done; it takes the right to execute from them,
/// too.
///
/// # Errors
///
/// If there is code in them, or if loaders may differ in the pages that they take.
pub(super) fn read_only_in_the_end(file: &File, segments: &[Segment]) -> Result<Option<Range<u64>>, ImageError> {
    let Some(bytes) = protected(file)? else { return Ok(None) };
    // Loaders leave out a page at the end that is not whole; here it counts.
    let pages = bytes.start / PAGE * PAGE..bytes.end.checked_next_multiple_of(PAGE).unwrap_or(u64::MAX);
    let is_reached = |segment: &&Segment| segment.address < pages.end && segment.end() > pages.start;
    match segments.iter().filter(is_reached).find(|segment| segment.access == Access::Code) {
        Some(segment) => Err(ImageError::Unreadable(format!(
            "the loader takes the right to execute from code of the segment at {:#x}",
            segment.address
        ))),
        None => Ok(Some(pages)),
    }
}

/// Returns the bytes that every loader makes read-only when it is done: it may leave out a page at the end that is not whole.
///
/// # Errors
///
/// If the file says twice which bytes these are.
pub(super) fn surely_read_only_in_the_end(file: &File) -> Result<Option<Range<u64>>, ImageError> {
    let whole = |bytes: Range<u64>| bytes.start..bytes.end / PAGE * PAGE;
    Ok(protected(file)?.map(whole).filter(|bytes| !bytes.is_empty()))
}

/// Returns the bytes that the file wants to be read-only when the loader is done.
///
/// # Errors
///
/// If the file says it twice, or of bytes that no program has: loaders add numbers without a look at a carry, and so may protect nothing.
fn protected(file: &File) -> Result<Option<Range<u64>>, ImageError> {
    let endian = file.endian();
    let headers = file.elf_program_headers().iter().filter(|header| header.p_type(endian) == elf::PT_GNU_RELRO);
    let all: Vec<_> = headers.map(|header| (header.p_vaddr(endian), header.p_memsz(endian))).collect();
    match all[..] {
        [] => Ok(None),
        [(start, size)] => match start.checked_add(size).filter(|&end| end <= END_OF_ADDRESSES) {
            Some(end) => Ok(Some(start..end)),
            None => Err(ImageError::Unreadable(
                "what is read-only in the end reaches addresses that no program has".to_owned(),
            )),
        },
        _ => Err(ImageError::Unreadable("it says twice what is read-only in the end".to_owned())),
    }
}

fn access(p_flags: u32) -> Access {
    if p_flags & elf::PF_W != 0 {
        Access::Writable
    } else if p_flags & elf::PF_X != 0 {
        Access::Code
    } else {
        Access::Constants
    }
}
