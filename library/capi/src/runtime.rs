//! The CPU's features as libsodium's programs ask for them, the stack, and the end of a program that cannot go on.

use core::ffi::c_int;
use core::hint::black_box;

use zeroize::Zeroize;

use crate::pointers;

/// Tells the function that the program has chosen, if there is one, and ends the program.
pub fn misuse() -> ! {
    if let Some(handler) = pointers::misuse_handler() {
        handler();
    }
    std::process::abort()
}

/// Whether this CPU has a feature of x86, by the name that Rust gives it.
macro_rules! has {
    ($feature:tt) => {{
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        let has = std::arch::is_x86_feature_detected!($feature);
        #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
        let has = false;
        core::ffi::c_int::from(has)
    }};
}

pub(crate) use has;

/// Whether the library was made for CPUs with Advanced SIMD, as all of AArch64 are.
pub fn has_neon() -> c_int {
    c_int::from(cfg!(target_feature = "neon"))
}

/// Writes zeros over so many bytes of the stack, or some more, from the caller's end on.
#[inline(never)]
pub fn erase_stack(length: usize) {
    let mut frame = [0_u8; 512];
    frame.zeroize();
    if let Some(left) = length.checked_sub(frame.len()) {
        erase_stack(left);
    }
    // The frame is in use until here, so that the calls lie one below the other.
    black_box(&frame);
}
