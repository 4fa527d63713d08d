//! The operations, each by every library that has it.

mod boxes;
mod curves;
mod hashes;
mod weierstrass;

use crate::clock::{Contender, Operation};

/// All operations in the table's order.
pub fn all() -> Vec<Operation> {
    // SAFETY: it may be called at any time.
    assert!(unsafe { libsodium_sys::sodium_init() } >= 0, "libsodium begins");
    let mut all = curves::all();
    all.extend(weierstrass::all());
    all.extend(boxes::all());
    all.extend(hashes::all());
    all
}

fn operation(name: impl Into<String>, contenders: Vec<Contender>) -> Operation {
    Operation { name: name.into(), contenders }
}

fn contender(library: &'static str, call: impl FnMut() -> Vec<u8> + 'static) -> Contender {
    Contender { library, call: Box::new(call) }
}

/// `200 B`, `16 KiB`
fn size(bytes: usize) -> String {
    if bytes.is_multiple_of(1024) { format!("{} KiB", bytes / 1024) } else { format!("{bytes} B") }
}
