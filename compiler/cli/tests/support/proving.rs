//! Compiling kernels to objects, proving them, and running them on counterexamples.
#![allow(dead_code)] // Each test uses a part of it.

use std::path::{Path, PathBuf};
use std::process::Command;

use culet_diag::codes;
use serde_json::Value;

use super::{code, culet, stderr, stdout, text, write};

/// A program and how it is compiled.
#[derive(Debug, Clone)]
pub struct Kernel {
    pub source: PathBuf,
    pub node: &'static str,
    pub slice: &'static str,
    pub target: &'static str,
    /// Other options.
    pub more: &'static [&'static str],
}

/// Options of kernels with one group of instances, whatever the compiler chooses by itself: for code that is written by hand.
pub const ONE_GROUP: &[&str] = &["--interleave", "1"];

/// As [`ONE_GROUP`], without loops.
pub const ROUNDS_ONE_BY_ONE: &[&str] = &["--interleave", "1", "--unroll", "all"];

impl Kernel {
    pub fn of(file: &str, node: &'static str, slice: &'static str, target: &'static str) -> Kernel {
        Kernel { source: super::primitives().join("ciphers").join(file), node, slice, target, more: &[] }
    }

    fn options(&self) -> Vec<&str> {
        [&["--node", self.node, "--slice", self.slice, "--target", self.target][..], self.more].concat()
    }

    fn stem(&self) -> &str {
        self.source.file_stem().and_then(|stem| stem.to_str()).expect("a file name")
    }

    /// The C that culet writes.
    pub fn c(&self, directory: &Path) -> String {
        let fixed = ["compile", text(&self.source), "--name", self.stem(), "-o", text(directory)];
        let arguments = [&fixed[..], &self.options()].concat();
        let output = culet(&arguments);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        std::fs::read_to_string(directory.join(format!("{}.c", self.stem()))).expect("C")
    }

    /// An object of this C text, which may be a changed one.
    pub fn object(&self, directory: &Path, compiler: &str, c: &str) -> PathBuf {
        write(directory, "kernel.c", c);
        let object = directory.join(format!("{compiler}.o"));
        compile(compiler, flags(self.target), directory, &["-c", "kernel.c", "-o", text(&object)]);
        object
    }

    /// The verdicts on the functions whose names contain `symbol`, and the exit code.
    pub fn prove(&self, object: &Path, symbol: &str) -> Verdicts {
        self.prove_with(object, &["--symbol", symbol])
    }

    pub fn prove_with(&self, object: &Path, more: &[&str]) -> Verdicts {
        let stem = ["prove", text(object), "--source", text(&self.source), "--message-format", "json"];
        let name = if more.contains(&"--name") { vec![] } else { vec!["--name", self.stem()] };
        let output = culet(&[&stem[..], &self.options(), &name, more].concat());
        let verdicts = stdout(&output).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        Verdicts { code: code(&output), verdicts, stderr: stderr(&output) }
    }
}

#[derive(Debug)]
pub struct Verdicts {
    pub code: i32,
    pub verdicts: Vec<Value>,
    pub stderr: String,
}

impl Verdicts {
    pub fn assert_proved(&self, count: usize) {
        assert!(self.code == 0 && self.verdicts.len() == count, "{self:?}");
        assert!(self.verdicts.iter().all(|verdict| verdict["proved"] == true), "{self:?}");
    }

    /// Asserts that all functions of a kernel are proved: `on_registers` functions on registers, those with scratch
    /// memory, and two on bytes.
    pub fn assert_kernel_proved(&self, on_registers: usize) {
        let ends = |end: &str| {
            let symbols = self.verdicts.iter().filter_map(|verdict| verdict["symbol"].as_str());
            symbols.filter(|symbol| symbol.ends_with(end)).count()
        };
        assert!(ends("_run") == 1 && ends("_blocks") == 1, "{self:?}");
        self.assert_proved(on_registers + ends("_with") + 2);
    }

    /// Asserts that the only verdict is a rejection of this kind, and returns it.
    pub fn rejected(&self, kind: &str) -> &Value {
        let [verdict] = &self.verdicts[..] else { panic!("{self:?}") };
        assert!(self.code == 1 && verdict["proved"] == false && verdict["kind"] == kind, "not {kind}: {self:?}");
        // As every other error, it has a code that is explained, a place and a remedy.
        let code = culet_diag::codes::find(verdict["code"].as_str().expect("a code"));
        assert!(code.is_some_and(|code| codes::proofs::ALL.contains(&code)), "{self:?}");
        assert!(verdict["place"]["function"].is_string(), "{self:?}");
        assert!(verdict["remedy"].as_str().is_some_and(|remedy| !remedy.is_empty()), "{self:?}");
        verdict
    }
}

/// The flags that GCC and Clang need for a target.
pub fn flags(target: &str) -> &'static [&'static str] {
    match target {
        "sse" => &["-mssse3", "-msse4.1"],
        "avx2" => &["-mavx2"],
        "avx512" => &["-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq"],
        _ => &[],
    }
}

/// Flags that keep loops that copy as loops: `memcpy` would be another function, which an object does not hold.
fn without_calls(compiler: &str) -> &'static [&'static str] {
    match compiler.starts_with("clang") {
        true => &["-mllvm", "-disable-loop-idiom-memcpy"],
        false => &["-fno-tree-loop-distribute-patterns"],
    }
}

pub fn compile(compiler: &str, flags: &[&str], directory: &Path, arguments: &[&str]) {
    let output = Command::new(compiler)
        .args(["-O2", "-std=gnu11"])
        .args(without_calls(compiler))
        .args(flags)
        .args(arguments)
        .current_dir(directory)
        .output()
        .unwrap_or_else(|error| panic!("{compiler}: {error}"));
    assert!(output.status.success(), "{compiler} {arguments:?}: {}", stderr(&output));
}

/// Asserts that a counterexample is real: on its inputs, two texts of C leave different bytes at the place that the
/// rejection names. `good` is the proof of a right kernel, which describes the arguments' memory.
pub fn assert_counterexample(kernel: &Kernel, texts: [&str; 2], symbol: &str, good: &Value, rejection: &Value) {
    let directory = super::directory();
    kernel.c(directory.path());
    let main = replay(symbol, good, rejection);
    write(directory.path(), "main.c", main);
    let outputs = texts.map(|c| {
        write(directory.path(), "kernel.c", c);
        compile("gcc-12", flags(kernel.target), directory.path(), &["kernel.c", "main.c", "-o", "main"]);
        let output = Command::new(directory.path().join("main")).output().expect("the program runs");
        assert!(output.status.success());
        output.stdout
    });
    let byte = rejection["reason"].as_str().and_then(|reason| reason.split(' ').nth(1)).and_then(|n| n.parse().ok());
    let byte: usize = byte.expect("`byte N of …`");
    assert_ne!(outputs[0][byte], outputs[1][byte], "{rejection}");
}

/// A program that calls a function on the counterexample and writes its results.
fn replay(symbol: &str, good: &Value, rejection: &Value) -> String {
    let list = good["arguments"].as_array().expect("arguments");
    let (mut memory, mut passed, mut written) = (String::new(), Vec::new(), String::new());
    for (index, argument) in list.iter().enumerate() {
        let number = |key: &str| argument[key].as_u64().expect("a number") as usize;
        let (name, bytes) = (argument["name"].as_str().expect("a name"), number("bytes"));
        let contents = contents(name, bytes, number("alignment"), &rejection["counterexample"]);
        let list: Vec<String> = contents.iter().map(u8::to_string).collect();
        memory += &format!("static _Alignas(64) unsigned char m{index}[] = {{{}}};\n", list.join(","));
        passed.push(format!("m{index}"));
        if argument["written"] == true {
            written += &format!("    fwrite(m{index}, 1, sizeof m{index}, stdout);\n");
        }
    }
    let types = vec!["void *"; passed.len()].join(", ");
    format!(
        "#include <stdio.h>\nvoid {symbol}({types});\n{memory}int main(void)\n{{\n    {symbol}({});\n{written}    return 0;\n}}\n",
        passed.join(", ")
    )
}

/// The contents of an argument's memory in a counterexample; zeros where the contents do not matter.
fn contents(name: &str, bytes: usize, alignment: usize, counterexample: &Value) -> Vec<u8> {
    let (form, variable) = name.split_once(" of ").expect("`registers of x` or `bytes of x`");
    let granule = if form == "bytes" { 64 } else { alignment };
    let mut contents = vec![0; bytes];
    for (start, memory) in contents.chunks_mut(granule).enumerate() {
        let Some(digits) = counterexample[format!("{variable}[{start}]")].as_str() else { continue };
        for (byte, value) in memory.iter_mut().zip(super::unhex(digits).iter().rev()) {
            *byte = *value;
        }
    }
    contents
}
