//! The kernels of a build, and the ways to compile them that are compared.

use culet_driver::{DiskReader, Kernel, Options, load};
use culet_ir::Target;
use culet_passes::Amount;
use culet_types::program::Slicing;
use std::path::Path;

/// One kernel: the name of its function in C, its program, its node, and the calls that it keeps.
#[derive(Debug, Clone, Copy)]
pub struct Recipe {
    pub symbol: &'static str,
    pub file: &'static str,
    pub node: &'static str,
    /// Whether its words have no direction of their own.
    pub is_open: bool,
    pub inline: Amount,
}

/// A way to build all operations, which differs from the one before it in one thing.
pub struct Step {
    pub name: &'static str,
    /// The kernels of Ed25519.
    pub signatures: &'static [Recipe],
    /// The calls that X25519 keeps.
    pub calls: Amount,
    /// Whether numbers modulo the group's order have one kernel.
    pub is_compact: bool,
}

const fn kernel(symbol: &'static str, file: &'static str, inline: Amount) -> Recipe {
    Recipe { symbol, file, node: symbol, is_open: false, inline }
}

const fn open(symbol: &'static str, file: &'static str) -> Recipe {
    Recipe { is_open: true, ..kernel(symbol, file, Amount::Auto) }
}

const SCALAR: &str = "signatures/ed25519_scalar.ua";
const VERIFY: &str = "signatures/ed25519_verify.ua";

const fn large_table(calls: Amount) -> [Recipe; 5] {
    [
        kernel("ed25519_expand", SCALAR, Amount::Auto),
        kernel("ed25519_reduce", SCALAR, calls),
        kernel("ed25519_sign", SCALAR, calls),
        kernel("ed25519_base", "signatures/ed25519_base.ua", calls),
        kernel("ed25519_verify", VERIFY, calls),
    ]
}

/// A multiple of the base point from a table of 32 points, under the other kernel's name.
const COMB: Recipe = Recipe {
    symbol: "ed25519_base",
    file: "signatures/ed25519_comb.ua",
    node: "ed25519_comb",
    is_open: false,
    inline: Amount::None,
};

const SPEED: [Recipe; 5] = large_table(Amount::Auto);
const CALLS: [Recipe; 5] = large_table(Amount::None);
const SMALL_TABLE: [Recipe; 5] = [CALLS[0], CALLS[1], CALLS[2], COMB, CALLS[4]];
const COMPACT: [Recipe; 4] = [CALLS[0], kernel("ed25519_combine", SCALAR, Amount::None), COMB, CALLS[4]];

/// From kernels as they are for large machines to small ones.
pub const STEPS: [Step; 4] = [
    Step { name: "for speed", signatures: &SPEED, calls: Amount::Auto, is_compact: false },
    Step { name: "products as calls", signatures: &CALLS, calls: Amount::None, is_compact: false },
    Step { name: "table of 32 points", signatures: &SMALL_TABLE, calls: Amount::None, is_compact: false },
    Step { name: "one kernel modulo the order", signatures: &COMPACT, calls: Amount::None, is_compact: true },
];

/// ECDSA with P-256, whose kernels are small in all builds.
const P256: [Recipe; 5] = [
    Recipe { node: "p256_comb", ..kernel("p256_public", "curves/p256_comb.ua", Amount::None) },
    Recipe { node: "p256_comb_sum", ..kernel("p256_sum", "curves/p256_comb.ua", Amount::None) },
    kernel("p256_sign", "signatures/ecdsa_p256.ua", Amount::None),
    kernel("p256_multiples", "signatures/ecdsa_p256.ua", Amount::None),
    kernel("p256_is_same", "signatures/ecdsa_p256.ua", Amount::None),
];

const OTHERS: [Recipe; 10] = [
    open("sha512_start", "hashes/sha512.ua"),
    open("sha512_update", "hashes/sha512.ua"),
    open("sha256_start", "hashes/sha256.ua"),
    open("sha256_update", "hashes/sha256.ua"),
    open("chacha20", "streams/chacha20.ua"),
    open("salsa20", "streams/salsa20.ua"),
    open("hsalsa20", "streams/hsalsa20.ua"),
    kernel("poly1305_absorb", "macs/poly1305.ua", Amount::Auto),
    kernel("poly1305_absorb_padded", "macs/poly1305.ua", Amount::Auto),
    kernel("poly1305_finish", "macs/poly1305.ua", Amount::Auto),
];

impl Step {
    /// All kernels.
    pub fn recipes(&self) -> Vec<Recipe> {
        let x25519 = kernel("x25519", "curves/x25519.ua", self.calls);
        self.signatures.iter().copied().chain([x25519]).chain(P256).chain(OTHERS).collect()
    }
}

impl Recipe {
    /// Generates the kernel for words of 32 bits.
    ///
    /// # Errors
    ///
    /// The program's first error.
    pub fn kernel(&self, primitives: &Path) -> Result<Kernel, String> {
        let (source, diagnostics) = load(&primitives.join(self.file), &[], &DiskReader);
        let options = Options {
            node: Some(self.node.to_owned()),
            slicing: self.is_open.then_some(Slicing::Vertical),
            inline: self.inline,
            ..Options::new(Target::C32)
        };
        let (kernel, found) = Kernel::of(&source, self.symbol, &options, &diagnostics);
        kernel.ok_or_else(|| {
            let message = diagnostics.iter().chain(found.iter()).next().map(|first| first.message.clone());
            format!("{}: {}", self.file, message.unwrap_or_default())
        })
    }
}
