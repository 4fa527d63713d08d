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
