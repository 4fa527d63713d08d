//! The text form: printed modules are read back, and no text makes the reader panic.

use culet_ir::{parse, verify};

/// Every construct of the text form.
const ALL: &str = include_str!("all.ir");

#[test]
fn the_text_of_everything_is_read_back_exactly() {
    let module = parse(ALL).unwrap();
    verify(&module).unwrap();
    assert_eq!(module.to_string(), ALL);
    assert_eq!(parse(&module.to_string()).unwrap(), module);
}

/// Cuts, repeats and swaps pieces of a good text: every result is read or rejected, and never a panic.
#[test]
fn no_text_makes_the_reader_panic() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let pieces: Vec<&str> = ALL.split_inclusive([' ', '\n', ',', '[', '.']).collect();
    let (mut read, mut rejected) = (0, 0);
    for _ in 0..20_000 {
        let mut text = pieces.clone();
        for _ in 0..1 + random(3) {
            let at = random(text.len());
            match random(4) {
                0 if text.len() > 1 => drop(text.remove(at)),
                1 => text.truncate(at.max(1)),
                2 => text[at] = pieces[random(pieces.len())],
                _ => text.insert(at, ["18446744073709551616", "é", "-", "v0", "4000000000", "@", "0x"][random(7)]),
            }
        }
        match parse(&text.concat()) {
            Ok(module) => {
                let _ = verify(&module);
                read += 1;
            }
            Err(error) => {
                assert!(error.line > 0 && error.column > 0);
                rejected += 1;
            }
        }
    }
    assert!(read > 500 && rejected > 5_000, "{read} read, {rejected} rejected");
}

#[test]
fn a_wrong_text_is_rejected_with_its_place() {
    let cases = [
        ("fn f {\n}\n", "3:1: no function is the `entry`"),
        ("entry fn f {\n  v0 = xor.w8 v1, v1\n}", "2:15: this value is defined nowhere"),
        ("entry fn f {\n  v0 = const.w8 0x1\n  v0 = const.w8 0x1\n}", "3:3: `v0` is defined twice"),
        ("entry fn f {\n  v0 = load.w8 a[0]\n}", "2:16: there is no slot `a` of group 0"),
        ("entry fn f {\n  é", "2:3: `\\u{e9}` begins no token"),
        ("entry fn f {\n v0 = not.w8 v0, v0", "2:14: `not` has 1 operands, not 2"),
        ("entry fn f {\n v0, v1 = not.w8 v0", "2:11: this operation has 1 results, not 2"),
        ("entry fn f {\n call g()", "2:7: no function above is called `g`"),
        ("entry fn f {\n v0 = nat.w8 v1", "2:7: there is no operation `nat`"),
        ("entry fn f {\n store s[i0], v1", "2:8: there is no slot `s` of group 0"),
        ("entry fn f {\n v0 = shl.w8 v1, 256", "2:18: 256 is too large for a number below 256"),
        ("fn f { }\nentry fn f { }", "2:7: there are two functions `f`"),
    ];
    for (text, message) in cases {
        assert_eq!(parse(text).unwrap_err().to_string(), message, "{text}");
    }
}

#[test]
fn deep_nesting_is_an_error() {
    let text = format!("entry fn f {{ {}", (0..5000).map(|i| format!("loop i{i} = 0 to 1 {{ ")).collect::<String>());
    assert!(parse(&text).unwrap_err().message.contains("nested"));
}
