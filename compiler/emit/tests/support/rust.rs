//! Programs in Rust that are compiled, asked questions in lines of numbers, and answer in such lines.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use culet_native::{Job, Runner};

/// Reads numbers into arrays, and prints them.
pub const HELPERS: &str = "
fn read<T: TryFrom<u64>, const N: usize>(words: &mut dyn Iterator<Item = u64>) -> [T; N] {
    std::array::from_fn(|_| match T::try_from(words.next().expect(\"a number\")) {
        Ok(word) => word,
        Err(_) => panic!(\"a number is too large\"),
    })
}

fn print<T: std::fmt::LowerHex>(words: &[T]) {
    for word in words {
        print!(\"{word:x} \");
    }
}
";

/// A main function that calls `answer(question: u64, words)` for each line.
pub const MAIN: &str = "
fn main() {
    for line in std::io::stdin().lines() {
        let line = line.expect(\"a line\");
        let mut words = line.split_whitespace().map(|word| u64::from_str_radix(word, 16).expect(\"a number\"));
        let question = words.next().expect(\"a question\");
        answer(question, &mut words);
        println!();
    }
}
";

/// Compiles a program as it is in edition 2021, with every warning an error.
pub fn compile(directory: &Path, text: &str, arguments: &[&str]) {
    fs::write(directory.join("main.rs"), text).expect("a file");
    if let Ok(folder) = std::env::var("CULET_KEEP_C") {
        fs::write(Path::new(&folder).join("main.rs"), text).expect("CULET_KEEP_C is a folder");
    }
    let output = Command::new("rustc")
        .env_remove("RUSTC_BOOTSTRAP")
        .args(["--edition", "2021", "-D", "warnings", "main.rs"])
        .args(arguments)
        .current_dir(directory)
        .output()
        .expect("rustc runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The answers of a compiled program to lines of numbers, here or where a runner runs it: as many lines.
pub fn ask(directory: &Path, runner: Option<&Runner>, questions: &str) -> Vec<Vec<u64>> {
    let (program, input) = (&directory.join("main"), questions.as_bytes());
    let job = Job { program, arguments: &[], input, time_limit: Duration::from_secs(120), output_limit: 1 << 30 };
    let output = job.run(runner).unwrap_or_else(|error| panic!("{error}"));
    let number = |word: &str| u64::from_str_radix(word, 16).expect("a number");
    let text = String::from_utf8(output).expect("numbers");
    text.lines().map(|line| line.split_whitespace().map(number).collect()).collect()
}
