//! Programs at the limits of the elaborator.

use std::fmt::Write;

use culet_testing::{Slicing, check_module, program_of};

fn check(text: &str) {
    let program = program_of(text, Some(Slicing::Vertical), None).unwrap_or_else(|found| panic!("{found:?}"));
    let module = culet_lower::lower(&program).unwrap_or_else(|found| panic!("{found:?}"));
    check_module(&program, &module, 2).unwrap();
}

/// The IR nests at most 64 loops; a loop of one iteration is none.
#[test]
fn a_hundred_loops_of_one_iteration() {
    let mut text = String::from("node f(a: u32[101]) returns (x: u32) let x = a[0];\n");
    for k in 0..100 {
        let _ = write!(text, "forall i{k} in [{k}, {k}] {{ ");
    }
    text.push_str("x := (x <<< 1) ^ a[i99 + 1] ^ a[i98 - i7]");
    text.push_str(&" }".repeat(100));
    check(&(text + " tel"));
}

#[test]
fn loops_of_two_iterations_within_each_other() {
    let mut text = String::from("node f(a: u32[21]) returns (x: u32) let x = a[0];\n");
    for k in 0..10 {
        let _ = write!(text, "forall i{k} in [{k}, {}] {{ ", k + 1);
    }
    text.push_str("x := (x <<< 1) ^ a[i9] ^ a[i8 + i0]");
    text.push_str(&" }".repeat(10));
    check(&(text + " tel"));
}

#[test]
fn a_long_chain_of_calls() {
    let mut text = String::from("node f0(a: u32) returns (b: u32) let b = a tel\n");
    for k in 1..150 {
        let _ = writeln!(text, "node f{k}(a: u32) returns (b: u32) let b = f{}(a) + 1 tel", k - 1);
    }
    check(&text);
}

#[test]
fn a_long_sum() {
    let terms = vec!["a"; 150].join(" + ");
    check(&format!("node f(a: u32) returns (b: u32) let b = {terms} tel"));
}
