//! Machine code of whole programs over fields, by C compilers at several levels, proved from bytes to bytes; damaged code is refused.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use culet_diag::Diagnostics;
use culet_driver::{DiskReader, Generated, Options, Source, generate, load, prove_kernel};
use culet_ir::Target;
use culet_native::CCompiler;
use culet_primitives_tests::{Bytes, shelf};
use culet_prove::image::Image;
use culet_prove::theorem::{Limits, Proved, Rejection};
use culet_testing::compilers;

/// A program, and the options for which it is compiled.
struct Subject {
    source: Source,
    options: Options,
}

impl Subject {
    fn new(path: &Path, target: Target) -> Subject {
        let (source, found) = load(path, &[], &DiskReader);
        assert!(!found.has_errors(), "{}: {}", path.display(), shelf::messages(&found));
        Subject { source, options: Options::new(target) }
    }

    /// What a C compiler makes of it.
    fn object(&self, compiler: &CCompiler, flags: &[&str]) -> Vec<u8> {
        let (generated, found) = generate(&self.source, "subject", &self.options, &Diagnostics::new());
        let Some(Generated::Single(single)) = generated else { panic!("{}", shelf::messages(&found)) };
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in [("subject.c", &single.c.source), ("subject.h", &single.c.header)] {
            fs::write(folder.path().join(name), text).expect("it can be written");
        }
        let flags: Vec<String> = flags.iter().map(|&flag| flag.to_owned()).collect();
        let limit = Duration::from_secs(300);
        let object = compiler.object(folder.path(), "subject", self.options.target, &flags, limit);
        fs::read(object.expect("it compiles")).expect("an object")
    }

    fn prove(&self, object: &[u8]) -> Result<Proved, Rejection> {
        let image = Image::read(object).expect("an image");
        let limits = Limits::default();
        let proofs = prove_kernel(&self.source, "subject", &self.options, &image, &limits, &mut |_| true);
        let mut proofs = proofs.unwrap_or_else(|found| panic!("{}", shelf::messages(&found)));
        assert_eq!(proofs.len(), 1, "one function");
        proofs.remove(0).outcome
    }
}

fn primitive(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

#[test]
fn x25519() {
    let subject = Subject::new(&primitive("curves/x25519.ua"), Target::C64);
    for compiler in compilers(Target::C64) {
        for flags in [&["-O2"][..], &["-O3", "-march=native"]] {
            let proved = subject.prove(&subject.object(&compiler, flags));
            let proved = proved.unwrap_or_else(|why| panic!("{} {flags:?}: {why}", compiler.name()));
            assert!(proved.instructions > 400_000 && proved.cases > 0, "{proved:?}");
        }
    }
}

/// Names, fields, and the bytes of an element.
const FIELDS: [(&str, &str, usize); 10] = [
    ("25519", "GF(2^255 - 19)", 32),
    ("1305", "GF(2^130 - 5)", 17),
    ("p521", "GF(2^521 - 1)", 66),
    ("448", "GF(2^448 - 2^224 - 1)", 56),
    ("secp256k1", "GF(2^256 - 2^32 - 977)", 32),
    ("p224", "GF(2^224 - 2^96 + 1)", 28),
    ("p256", "GF(2^256 - 2^224 + 2^192 + 2^96 - 1)", 32),
    ("p384", "GF(2^384 - 2^128 - 2^96 + 2^32 - 1)", 48),
    // RFC 8032, section 5.1; FIPS 186-4, appendix D.1.2.3.
    ("l25519", "GF(2^252 + 27742317777372353535851937790883648493)", 32),
    ("n256", "GF(0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551)", 32),
];

/// A loop of products, sums, differences and choices.
fn program(field: &str, bytes: usize) -> String {
    format!(
        "field f = {field}
node few (k : u8, a, b : u8[{bytes}]) returns (r : u8[{bytes}])
vars x, y, u : f, bit : u1[8]
let
  bit = bits(k);
  x = f(a);
  y = f(b);
  u := x;
  fold t in [0, 7] {{
    u := (bit[t] ? u * y : u - x) + y
  }}
  r = bytes(u * u)
tel
"
    )
}

#[test]
fn fields() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, field, bytes) in FIELDS {
        for target in [Target::C64, Target::C32] {
            let path = folder.path().join(format!("f{name}.ua"));
            fs::write(&path, program(field, bytes)).expect("it can be written");
            let subject = Subject::new(&path, target);
            for compiler in compilers(target) {
                for flags in [&["-O2"][..], &["-O3", "-march=native"]] {
                    let start = std::time::Instant::now();
                    let proved = subject.prove(&subject.object(&compiler, flags));
                    let t = start.elapsed().as_secs_f32();
                    let v = proved.map_or_else(|why| why.to_string(), |p| format!("proved {}", p.instructions));
                    println!("{name} {} {} {flags:?} {t:.1}: {v:.120}", target.name(), compiler.name());
                }
            }
        }
    }
}
