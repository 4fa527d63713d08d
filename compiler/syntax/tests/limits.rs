//! Deep nesting and large inputs end in a diagnostic or a tree, with a small stack and in proportional time.

use std::fmt::Write;
use std::time::{Duration, Instant};

use culet_diag::{Diagnostics, FileId};
use culet_syntax::{Printer, erase_spans, parse, print};

/// Size in bytes of the stack that must suffice for every traversal of a tree: less than that of a test thread or a
/// worker.
const STACK: usize = 3 << 19;

/// Parses one node with this body, and applies every traversal of this crate to the result.
fn check(body: String) -> Diagnostics {
    let thread = std::thread::Builder::new().stack_size(STACK);
    let text = format!("node f(a: u8) returns (x: u8)\nlet\n{body}\ntel\n");
    let check = move || {
        let (mut tree, diagnostics) = parse(FileId(0), &text);
        let printed = print(&tree);
        Printer::with_all_parentheses().file(&tree);
        erase_spans(&mut tree);
        if !diagnostics.has_errors() {
            let (mut again, _) = parse(FileId(0), &printed);
            erase_spans(&mut again);
            assert!(tree.clone() == again);
        }
        let mut debug = String::new();
        write!(debug, "{tree:?}").unwrap();
        diagnostics
    };
    thread.spawn(check).unwrap().join().unwrap()
}

fn codes(diagnostics: &Diagnostics) -> Vec<&'static str> {
    let mut codes: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.code.id).collect();
    codes.dedup();
    codes
}

/// A name inside `times` levels of `open` and `close`.
fn nest(open: &str, close: &str, times: usize) -> String {
    format!("x = {}a{}", open.repeat(times), close.repeat(times))
}

#[test]
fn nesting_up_to_the_limit_is_read() {
    for (open, close) in
        [("(", ")"), ("~", ""), ("f(a, ", ")"), ("a + b * c ^ (", ")"), ("a ? a : ", ""), ("~(a, ", ")")]
    {
        let diagnostics = check(nest(open, close, 120));
        assert!(!diagnostics.has_errors(), "{open}: {:?}", codes(&diagnostics));
    }
    assert!(!check(nest("a[", "]", 100)).has_errors());
    assert!(!check(format!("x = a{}", " ^ a".repeat(490))).has_errors());
    assert!(!check(format!("x = a{}", " << 1".repeat(490))).has_errors());
    let loops = "forall i in [0, 1] { ".repeat(200);
    assert!(!check(format!("{loops} x = a {}", "}".repeat(200))).has_errors());
}

#[test]
fn nesting_beyond_the_limit_is_an_error_and_reading_goes_on() {
    let shapes = [
        "(",
        "~",
        "f(a, ",
        "a + b * c ^ (",
        "a ? a : ",
        "a ? ",
        "a[",
        "f<",
        "(a, ",
        "Shuffle(",
        "Pack(a, ",
        "Bitmask(",
    ];
    for open in shapes {
        let diagnostics = check(format!("x = {}a; x = a ^;", open.repeat(20_000)));
        assert!(diagnostics.has_errors(), "{open}");
        assert!(diagnostics.len() <= 3, "{open}: {:?}", codes(&diagnostics));
        assert!(codes(&diagnostics).contains(&"E0106"), "{open}: {:?}", codes(&diagnostics));
    }
    assert_eq!(codes(&check(nest("(", ")", 20_000))), ["E0190"]);
    assert_eq!(codes(&check(format!("x = a{}", " ^ a".repeat(20_000)))), ["E0191"]);
    assert_eq!(codes(&check(format!("x = a << a{}", " + a".repeat(20_000)))), ["E0191"]);
    let tall = format!("{}a{}", "(".repeat(200), format!("{})", " ^ a".repeat(400)).repeat(200));
    assert_eq!(codes(&check(format!("x = {tall}"))), ["E0191"]);
    let loops = "forall i in [0, 1] { ".repeat(20_000);
    assert_eq!(codes(&check(format!("{loops} x = a {}", "}".repeat(20_000)))), ["E0190"]);
}

#[test]
fn after_a_hundred_errors_reading_stops() {
    for body in ["x = a ^;\n", "$ ", "007 ", "]", "forall "] {
        let diagnostics = check(body.repeat(1_000));
        assert!(
            diagnostics.len() == 101 && codes(&diagnostics).last() == Some(&"E0199"),
            "{body}: {:?}",
            codes(&diagnostics)
        );
    }
    assert!(codes(&check(format!("x = {}", "9".repeat(5_000)))).contains(&"E0103"));
    assert!(!check(format!("x = {}", "9".repeat(4_000))).has_errors());
}

#[test]
fn time_is_proportional_to_the_text() {
    let shapes = [
        "x = a ^ (b & c);\n",
        "x = a ^ b & c;",
        "forall i in [0, 7] { x[i] = f<i>(a[0..3, i]) }\n",
        "x = (a, b, 0xff, 007",
        "}])",
        "x = a\n(",
        "f[0](",
        "_unroll ",
        "_interleave(2) ",
        "\"\n",
        "⊕",
        "node ",
        "type x = ",
        "{",
    ];
    for shape in shapes {
        let time = |times: usize| {
            let text = format!("node f(a: u8) returns (x: u8)\nlet\n{}", shape.repeat(times));
            let run = || {
                let start = Instant::now();
                parse(FileId(0), &text);
                start.elapsed()
            };
            (0..5).map(|_| run()).min().unwrap_or_default()
        };
        let (small, large) = (time(2_000), time(32_000));
        // The text is sixteen times as long; a quadratic step would take 256 times as long.
        let allowed = small * 100 + Duration::from_millis(500);
        assert!(large < allowed, "{shape:?}: {small:?} for one, {large:?} for sixteen");
    }
}
