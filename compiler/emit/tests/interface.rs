//! Promises of the header: names, aliasing, C++, and refusals.
#![allow(unsafe_code)] // Kernels are called that have just been compiled.

mod support;

use std::fs;
use std::process::Command;

use culet_emit::{Options, emit_c};
use culet_ir::Target;
use culet_native::{Extent, KernelSource};
use culet_testing::Rng;
use culet_types::program::{ByteOrder, Slicing};
use support::{Built, Case, WARNINGS, compare, draw, load, report, testable};

const ADD: &str = "
entry fn demo {
  input plain: w32[4]
  input key: w32[4] shared
  output cipher: w32[4]
  loop i0 = 0 to 3 {
    v0 = load.w32 plain[i0]
    v1 = load.w32 key[i0]
    v2 = add.w32 v0, v1
    store cipher[i0], v2
  }
}";

fn add(target: Target) -> Case {
    Case::new("add", ADD, target, Slicing::Vertical, ByteOrder::Little, 0)
}

#[test]
fn results_may_take_the_place_of_parameters() {
    let shim = "#include \"add.h\"\n#include <string.h>\n\
        void shim(uint8_t *const *out, const uint8_t *const *in, size_t count);\n\
        void shim(uint8_t *const *out, const uint8_t *const *in, size_t count)\n\
        {\n    memcpy(out[0], in[0], 16 * count);\n    add_run(out[0], out[0], in[1], count);\n}\n";
    let per_block = Extent { fixed: 0, per_count: 16 };
    for (target, _) in testable() {
        let case = add(target);
        let output = case.emit();
        let files = [("add.h", output.header.as_str()), ("add.c", &output.source), ("shim.c", shim)];
        for compiler in draw::compilers(target) {
            let source = KernelSource { files: &files, symbol: "shim" };
            let key = Extent { fixed: 16, per_count: 0 };
            // SAFETY: the shim has this signature and extents, and the CPU or the compiler's runner runs the target.
            let kernel = unsafe { compiler.kernel(source, target, &["-O2"], (vec![per_block], vec![per_block, key])) }
                .expect("it compiles and loads");
            let kernel = Built::C(kernel);
            for blocks in [0, 1, 37] {
                compare(std::slice::from_ref(&case), &kernel, blocks, &mut Rng::new(7), "in place");
            }
        }
    }
}

/// Names that C, C++, headers or our own helpers use.
const NAMES: &str = "
fn sliced(v0: w32) {
  return v0
}

fn memcpy(v0: w32) no_inline {
  v1 = call sliced(v0)
  v2 = rotl.w32 v1, 3
  return v2
}

entry fn main {
  input int: w32[1]
  input x': w32[1]
  input x_: w32[1]
  input X_: w32[1]
  input blocks: w32[1] shared
  output class: w32[1]
  output register: w32[2]
  local work: w32[1]
  constants new: w32[2] = [0x1, 0x2]
  v0 = load.w32 int[0]
  v1 = load.w32 x'[0]
  v2 = load.w32 x_[0]
  v3 = load.w32 X_[0]
  v4 = load.w32 blocks[0]
  v5 = call memcpy(v0)
  store work[0], v5
  v6 = load.w32 work[0]
  v7 = sub.w32 v6, v1
  v8 = sub.w32 v7, v2
  v9 = sub.w32 v8, v3
  v10 = sub.w32 v9, v4
  store class[0], v10
  loop i0 = 0 to 1 {
    v11 = load.w32 new[i0]
    v12 = add.w32 v10, v11
    store register[i0], v12
  }
}";

#[test]
fn names_of_programs_collide_with_nothing() {
    for (target, compilers) in testable() {
        let cases = ["int", "f0", "read", "v1"]
            .map(|stem| Case::new(stem, NAMES, target, Slicing::Vertical, ByteOrder::Big, 0));
        for compiler in &compilers {
            let kernel = load(&cases, compiler, &["-O2"]);
            compare(&cases, &kernel, 3, &mut Rng::new(8), target.name());
        }
    }
}

#[test]
fn stems_become_identifiers() {
    let case = Case::new("3-des", ADD, Target::C64, Slicing::Vertical, ByteOrder::Big, 0);
    let output = case.emit();
    assert_eq!(output.interface.run, "k3_des_run");
    assert!(output.source.contains("#include \"3-des.h\""));
    assert!(output.header.contains("#define K3_DES_INSTANCES 1\n"));
}

#[test]
fn headers_are_good_cpp_and_need_no_flags() {
    let folder = std::env::temp_dir().join(format!("culet-emit-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a temporary folder");
    for compiler in ["g++", "clang++-19"] {
        if Command::new(compiler).arg("--version").output().is_err() {
            report(&format!("UNTESTED: {compiler} is not installed"));
            continue;
        }
        for target in Target::ALL {
            let path = folder.join("add.hpp");
            fs::write(&path, add(target).emit().header).expect("the header is written");
            // With the functions on registers, too, the flags are needed, or a compiler for the machine.
            let registers: &[&str] = match target {
                Target::Neon => &["-DADD_SLICED_API", "--target=aarch64-linux-gnu"],
                Target::Vsx => &["-DADD_SLICED_API", "--target=powerpc64le-linux-gnu"],
                _ => &["-DADD_SLICED_API", "-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq", "-mavx512ifma"],
            };
            let is_cross = matches!(target, Target::Neon | Target::Vsx);
            for flags in [&[] as &[&str], registers] {
                if is_cross && !flags.is_empty() && compiler == "g++" {
                    continue;
                }
                let mut command = Command::new(compiler);
                let output = command
                    .args(["-x", "c++", "-std=c++17", "-fsyntax-only", "-Wno-pragma-once-outside-header"])
                    .args(WARNINGS)
                    .args(flags)
                    .arg(&path)
                    .output()
                    .expect("the compiler runs");
                let text = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{compiler} {} {flags:?}:\n{text}", target.name());
            }
        }
    }
    fs::remove_dir_all(&folder).expect("the temporary folder goes");
}

fn refusal(case: &Case, stem: &str) -> String {
    let options =
        Options { target: case.target, stem: stem.into(), provenance: String::new(), batch: None, in_place: false };
    let errors = emit_c(&case.module, &case.program, &case.layout, &options).expect_err("it is refused");
    errors.iter().map(|error| error.code.id).collect()
}

#[test]
fn what_cannot_be_done_is_refused() {
    assert_eq!(refusal(&add(Target::C64), "a\"b"), "E0754");

    let mut wide = add(Target::Avx2);
    wide.target = Target::Sse;
    assert_eq!(refusal(&wide, "add"), "E0750");

    let whole_words = "entry fn demo {\n  output y: w1[1]\n  v0 = const.w8 0x1\n  v1 = add.w8 v0, v0\n  \
        v2 = const.w1 0x1\n  store y[0], v2\n}";
    let case = Case::new("whole", whole_words, Target::Avx2, Slicing::Bitslice, ByteOrder::Big, 0);
    assert_eq!(refusal(&case, "whole"), "E0751");

    let wide_lane =
        "entry fn demo {\n  input x: v<16,4>[1]\n  output y: w16[1]\n  v0 = const.w16 0x1\n  store y[0], v0\n}";
    let case = Case::new("lanes", wide_lane, Target::Avx2, Slicing::Vertical, ByteOrder::Big, 0);
    assert_eq!(refusal(&case, "lanes"), "E0752");

    let mixed = "entry fn demo {\n  input c: w1[1]\n  input x: v<16,1>[1]\n  input w: w16[1]\n  output y: v<16,1>[1]\n  \
        v0 = load.w1 c[0]\n  v1 = load.v<16,1> x[0]\n  v2 = not.v<16,1> v1\n  v3 = select.v<16,1> v0, v1, v2\n  \
        store y[0], v3\n}";
    let case = Case::new("mixed", mixed, Target::Avx2, Slicing::Vertical, ByteOrder::Big, 0);
    assert_eq!(refusal(&case, "mixed"), "E0753");
}
