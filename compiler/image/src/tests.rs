use super::*;

fn this_program() -> Vec<u8> {
    std::fs::read(std::env::current_exe().expect("a path")).expect("a file")
}

#[test]
fn an_executable_is_read() {
    let image = Image::read(&this_program()).expect("an image");
    let (name, function) =
        image.functions().find(|(name, f)| name.contains("image") && f.size > 0).expect("a function");
    assert_eq!(image.function(name), Some(function));
    assert_eq!(image.place(function.address + function.size - 1), Some((name, function.size - 1)));
    assert_eq!(image.access(function.address), Some(Access::Code));
    assert!(image.code(function.address).is_some_and(|code| code.len() as u64 >= function.size));
    assert_eq!(image.access(u64::MAX), None);
    assert_eq!(image.constants(function.address, usize::MAX / 2), None);
}

#[test]
fn damaged_files_are_errors_or_images() {
    let good = this_program();
    assert!(matches!(Image::read(b""), Err(ImageError::Unreadable(_))));
    assert!(matches!(Image::read(b"#!/bin/sh\n"), Err(ImageError::Unreadable(_))));
    for length in (0..256).chain([1 << 10, 1 << 14, good.len() / 2, good.len() - 1]) {
        let _ = Image::read(&good[..length]);
    }
    let mut state = 1u64;
    for _ in 0..200 {
        let mut bytes = good[..good.len().min(1 << 16)].to_vec();
        for _ in 0..4 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let at = (state >> 33) as usize % 1024.min(bytes.len());
            bytes[at] = (state >> 24) as u8;
        }
        let _ = Image::read(&bytes);
    }
}

#[test]
fn another_machine_is_named() {
    let mut bytes = this_program();
    // e_machine
    bytes[18..20].copy_from_slice(&183u16.to_le_bytes());
    assert_eq!(Image::read(&bytes).err(), Some(ImageError::Architecture("Aarch64".into())));
}

fn word(bytes: &[u8], at: usize, length: usize) -> usize {
    bytes[at..at + length].iter().rev().fold(0, |word, &b| word << 8 | usize::from(b))
}

/// Returns the offsets of this program's program headers of a type in its file.
fn headers(bytes: &[u8], p_type: usize) -> Vec<usize> {
    // e_phoff, e_phnum
    let (start, count) = (word(bytes, 32, 8), word(bytes, 56, 2));
    (0..count).map(|number| start + 56 * number).filter(|&header| word(bytes, header, 4) == p_type).collect()
}

const PT_LOAD: usize = 1;

/// Loaders of programs take the program headers from memory.
#[test]
fn program_headers_in_memory_are_those_of_the_file() {
    const PT_PHDR: usize = 6;
    const ADDRESS: usize = 16;
    let good = this_program();
    let header = headers(&good, PT_PHDR)[0];
    for address in [word(&good, header + ADDRESS, 8) + 56, 1 << 40] {
        let mut bytes = good.clone();
        bytes[header + ADDRESS..header + ADDRESS + 8].copy_from_slice(&address.to_le_bytes());
        let found = Image::read(&bytes).map(drop).map_err(|e| e.to_string());
        assert!(found.as_ref().is_err_and(|e| e.contains("program headers")), "{found:?}");
    }
}

/// The kernel keeps the last of several segments that share a page, and not every loader takes segments in any order.
#[test]
fn segments_that_share_pages_are_refused() {
    const FLAGS: usize = 4;
    const OFFSET: usize = 8;
    const ADDRESS: usize = 16;
    const FILE_SIZE: usize = 32;
    let good = this_program();
    let loaded = headers(&good, PT_LOAD);
    assert!(loaded.len() >= 3, "a program has code, constants and variables");
    let changed = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = good.clone();
        change(&mut bytes);
        Image::read(&bytes).map(drop).map_err(|e| e.to_string())
    };
    let copy = |bytes: &mut Vec<u8>, from: usize, to: usize, length: usize| bytes.copy_within(from..from + length, to);
    let set = |bytes: &mut Vec<u8>, at: usize, value: u64| bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
    assert_eq!(changed(&|_| ()), Ok(()));
    for pair in loaded.windows(2) {
        let (first, second) = (pair[0], pair[1]);
        let same = changed(&|bytes| copy(bytes, first, second, 56));
        assert!(same.as_ref().is_err_and(|e| e.contains("shares a page")), "{same:?}");
        let exchanged = changed(&|bytes| {
            let header = bytes[first..first + 56].to_vec();
            copy(bytes, second, first, 56);
            bytes[second..second + 56].copy_from_slice(&header);
        });
        assert!(exchanged.as_ref().is_err_and(|e| e.contains("a higher address")), "{exchanged:?}");
    }
    let elsewhere = changed(&|bytes| set(bytes, loaded[0] + OFFSET, 8));
    assert!(elsewhere.as_ref().is_err_and(|e| e.contains("in pages of memory")), "{elsewhere:?}");
    let beyond = changed(&|bytes| set(bytes, loaded[2] + ADDRESS, u64::MAX / 4096 * 4096));
    assert!(beyond.as_ref().is_err_and(|e| e.contains("address")), "{beyond:?}");
    // PF_W
    let unreadable = changed(&|bytes| bytes[loaded[0] + FLAGS] = 2);
    assert!(unreadable.as_ref().is_err_and(|e| e.contains("may not be read")), "{unreadable:?}");
    let more = changed(&|bytes| set(bytes, loaded[1] + FILE_SIZE, 1 << 60));
    assert!(more.as_ref().is_err_and(|e| e.contains("more bytes in the file")), "{more:?}");
}

/// A record, as a kernel has one.
#[inline(never)]
fn with_a_record() {
    #[repr(C)]
    struct OwnRecord {
        magic: [u8; 16],
        function: fn(),
        made_by: [u8; 6],
    }
    static RECORD: OwnRecord =
        OwnRecord { magic: *b"culet kernel v1\0", function: with_a_record, made_by: *b"0 own\0" };
    std::hint::black_box(&RECORD);
}

/// Four bytes of code may be the distance of a record by chance: `00 00 00 48`, the end of `mov ecx, 1` and the prefix of the next instruction,
/// were.
#[test]
fn references_to_records_are_instructions_that_take_an_address() {
    with_a_record();
    let mut image = Image::read(&this_program()).expect("an image");
    let own = |image: &Image| image.records().into_iter().find(|record| record.made_by == "0 own").expect("a record");
    let record = own(&image);
    assert!(record.references.len() == 1 && record.function.is_some(), "{record:?}");
    let code = image.segments.iter_mut().find(|segment| segment.access == Access::Code).expect("code");
    for (start, is_reference) in [(16, false), (32, true)] {
        let next = code.address + start + 4;
        let at = start as usize;
        code.bytes[at..at + 4].copy_from_slice(&(record.address.wrapping_sub(next) as u32).to_le_bytes());
        if is_reference {
            // lea r15, [rip + distance]
            code.bytes[at - 3..at].copy_from_slice(&[0x4c, 0x8d, 0x3d]);
        }
    }
    assert_eq!(own(&image).references.len(), 2);
}
