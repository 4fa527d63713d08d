//! Products modulo 2^255 - 19 in five limbs of 51 bits, as a library of Rust has them.
#![no_std]

type Wide = u128;

const BITS: u32 = 51;
const MASK: u64 = (1 << BITS) - 1;

#[no_mangle]
pub extern "C" fn multiply(out: &mut [u64; 5], a: &[u64; 5], b: &[u64; 5]) {
    let mut columns = [0 as Wide; 5];
    for (i, &x) in a.iter().enumerate() {
        for (j, &y) in b.iter().enumerate() {
            let factor = if i + j < 5 { y } else { FOLD * y };
            columns[(i + j) % 5] += x as Wide * factor as Wide;
        }
    }
    let mut carry = 0;
    for (limb, column) in out.iter_mut().zip(columns) {
        let sum = column + carry as Wide;
        *limb = sum as u64 & MASK;
        carry = (sum >> BITS) as u64;
    }
    let low = out[0] as Wide + FOLD as Wide * carry as Wide;
    out[0] = low as u64 & MASK;
    out[1] += (low >> BITS) as u64;
}

/// The value of 2^255 modulo the prime.
const FOLD: u64 = 19;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}
