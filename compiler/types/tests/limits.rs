//! Programs that ask for too much stack, memory or time get an answer, on a thread with a small stack.

use std::time::{Duration, Instant};

use culet_diag::FileId;
use culet_types::program::Slicing;
use culet_types::{Compatibility, Request, elaborate};

/// Whether the program elaborates. The time limit is generous, as machines are busy.
fn answered(text: &str) -> bool {
    let start = Instant::now();
    let (tree, found) = culet_syntax::parse(FileId(0), text);
    let list = Compatibility::default();
    let slicing = Some(Slicing::Vertical);
    let request = Request { entry: None, slicing, word: None, lsb_first_tables: &list, sources: None };
    let (program, more) = elaborate(&tree.items, &request);
    assert!(start.elapsed() < Duration::from_secs(30), "{:?} for {}…", start.elapsed(), &text[..text.len().min(200)]);
    assert!(program.is_some() || found.has_errors() || more.has_errors());
    if let Some(program) = &program {
        assert!(!program.to_string().is_empty());
    }
    program.is_some()
}

fn node(body: &str) -> String {
    format!(
        "node g(a:u32) returns (x:u32) let x = ~a tel\nnode f(a:u32, c:b1) returns (x:u32) vars t:u32 let {body} tel"
    )
}

#[test]
fn nesting() {
    for depth in [10, 60, 100, 190, 240, 2000, 100_000] {
        let nested =
            |open: &str, close: &str| answered(&node(&format!("x = {}a{}", open.repeat(depth), close.repeat(depth))));
        let fine = [
            nested("(", ")"),
            nested("~(", ")"),
            nested("g(", ")"),
            nested("a ^ (", ")"),
            nested("(", " ^ a)"),
            nested("refresh(", ")"),
            nested("(c ? a : (", "))"),
            nested("", " ^ a"),
            nested("", " + g(a)"),
        ];
        assert!(depth > 60 || fine.iter().all(|&f| f), "{depth}: {fine:?}");
        answered(&node(&format!("x = a[{}0{}]", "(".repeat(depth), ")".repeat(depth))));
        answered(&node(&format!("x = a ^ {}1{}", "~(".repeat(depth), ")".repeat(depth))));
        answered(&node(&format!("x = a; {}x := ~x{}", "forall i in [0,0] {".repeat(depth), "}".repeat(depth))));
        answered(&node(&format!(
            "x = a; {}x := x <<< (i % 2){}",
            "forall i in [0,1] {".repeat(depth),
            "}".repeat(depth)
        )));
    }
}

#[test]
fn long_lists() {
    let many = |one: &str, n: usize| one.repeat(n);
    assert!(answered(&node(&format!("t = a; {} x = t", many("t := t + a; ", 5000)))));
    assert!(!answered(&node(&format!("t = a; {} x = t", many("t = t + a; ", 5000)))));
    // Every definition calls the one before it twice.
    let mut chain = "node n0(a:u32) returns (x:u32) let x = ~a tel\n".to_string();
    for k in 1..3000 {
        chain += &format!("node n{k}(a:u32) returns (x:u32) let x = n{0}(n{0}(a)) tel\n", k - 1);
    }
    assert!(answered(&chain));
    // A nat argument that differs in each of very many calls.
    let instances = "node g(a:u32, n:nat) returns (x:u32) let x = a <<< (n % 32) tel\n\
                     node f(a:u32) returns (x:u32) let x = a; forall i in [0,4000000] { x := g(x, i) } tel";
    assert!(!answered(instances));
    assert!(!answered("node f(a:b1) returns (x:b1000000[1000000000]) let x = a tel"));
    assert!(!answered(
        "node f(a:b1000000) returns (x:b1) vars t:b1000000 let forall i in [0,999999] { t = a } x = t[0] tel"
    ));
}

#[test]
fn equations_in_reverse() {
    let count = 3000;
    let lines: String = (1..count).rev().map(|k| format!("t[{k}] = ~t[{}]; ", k - 1)).collect();
    let text =
        format!("node f(a:u32) returns (x:u32) vars t:u32[{count}] let x = t[{}]; {lines} t[0] = a tel", count - 1);
    assert!(answered(&text));
    let loops = "node f(a:u32) returns (x:u32) vars t:u32[3001] let x = t[0]; forall i in [0,2999] { t[i] = ~t[i+1] } t[3000] = a tel";
    assert!(answered(loops));
}
