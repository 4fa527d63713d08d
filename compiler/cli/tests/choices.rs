//! `culet compile --explain-choices`: each line says why, and the reasons do not contradict the cycles that they name.

mod support;

use support::{code, culet, directory, primitives, stderr, stdout, text, write};

/// The lines that explain a program's choices.
fn explained(program: &str, options: &[&str]) -> Vec<String> {
    let dir = directory();
    let out = dir.path().join("out");
    let output = culet(&[&["compile", program, "--explain-choices", "-o", text(&out)][..], options].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let said = stdout(&output) + &stderr(&output);
    let is_choice = |line: &&str| {
        ["interleave ", "unroll ", "inline ", "packed:", "schedule "].iter().any(|choice| line.starts_with(choice))
    };
    said.lines().filter(is_choice).map(str::to_owned).collect()
}

fn of_cipher(file: &str, node: &str, options: &[&str]) -> Vec<String> {
    let path = primitives().join("ciphers").join(file);
    explained(text(&path), &[&["--node", node], options].concat())
}

/// The line of a choice, without the cycles at its end.
fn reason<'l>(lines: &'l [String], choice: &str) -> &'l str {
    let line = lines.iter().find(|line| line.starts_with(choice)).unwrap_or_else(|| panic!("{choice}: {lines:?}"));
    line.split(';').next().unwrap_or(line)
}

const SLICES: &str = "
node R (x : u16[4], k : u16) returns (y : u16[4])
let y = ((x[0] <<< 1) ^ k, x[1] & x[2], (x[2] | x[3]) ^ x[0], (x[3] <<< 5) ^ x[1]) tel
node Q (x : u16[4]) returns (y : u16[4]) let y = (x[3], x[0] <<< 7, x[1], x[2]) tel
node m (x : u16[4], k : const u16[20]) returns (y : u16[4])
let y = x; forall i in [0, 19] { y := Q(R(y, k[i])) } forall i in [0, 9] { y := R(y, k[i]) } tel
";

/// A way with fewer cycles was not taken, because its gain is too small. The reason says so, and only then.
#[test]
fn a_gain_that_is_too_small_is_named() {
    let ciphers =
        [("rectangle.ua", "Rectangle"), ("serpent.ua", "Serpent"), ("gimli.ua", "Gimli"), ("ascon.ua", "Ascon_p12")];
    let (mut too_small, mut others) = (0, 0);
    for (file, node) in ciphers {
        for target in ["c64", "sse", "avx2"] {
            for line in of_cipher(file, node, &["--slice", "v", "--target", target]) {
                let cycles = |after: &str| -> Option<f64> {
                    let (_, rest) = line.rsplit_once(after)?;
                    rest.split(' ').next()?.parse().ok()
                };
                let own = cycles("; ").unwrap_or_else(|| panic!("{line}"));
                let Some(other) = cycles(" take ") else { continue };
                let is_named = line.contains("(a change must save 4 %)");
                assert!(is_named || other >= own, "{line}");
                assert!(!is_named || other <= own && other >= 0.95 * own, "{line}");
                *(if is_named { &mut too_small } else { &mut others }) += 1;
            }
        }
    }
    assert!(too_small > 1 && others > 1, "{too_small} {others}");
}

#[test]
fn the_model_says_why_it_chose() {
    let packed = of_cipher("rectangle.ua", "Rectangle", &["--slice", "v", "--target", "c64"]);
    assert_eq!(reason(&packed, "interleave 2"), "interleave 2: groups fill the gaps in one another's chains");
    assert_eq!(reason(&packed, "unroll"), "unroll none: copies of loops are no faster where words are packed");
    assert_eq!(reason(&packed, "inline"), "inline all: calls would pass words through memory");
    assert!(
        reason(&packed, "packed").starts_with("packed: logic on a word computes 4 instances, and words apart take")
    );
    assert!(
        reason(&packed, "schedule auto").ends_with("the longest chain waits for comes first, within the registers")
    );
    assert!(packed[0].ends_with(" cycles an instance"), "{packed:?}");
    let vectors = of_cipher("chacha20.ua", "chacha20_permutation", &["--slice", "v", "--target", "c64"]);
    assert_eq!(reason(&vectors, "interleave"), "interleave 4: C compilers make a vector of the words of four groups");
    assert_eq!(reason(&vectors, "unroll"), "unroll none: C compilers find vectors in loops that are kept");
    assert_eq!(reason(&vectors, "inline"), "inline all: C compilers find vectors where there are no calls");
    let bits = of_cipher("rectangle.ua", "Rectangle", &["--slice", "b", "--target", "avx2"]);
    assert_eq!(reason(&bits, "interleave"), "interleave 1: single bits fill all registers and wait for no chain");
    assert!(reason(&bits, "schedule").contains("values are finished before others begin"), "{bits:?}");
}

/// C compilers find no vectors in a stretch as long as eight rounds of Serpent in four groups.
#[test]
fn no_vectors_are_expected_where_compilers_find_none() {
    let words = ["--slice", "v", "--target", "c64"];
    let long = of_cipher("serpent.ua", "Serpent", &words);
    assert_eq!(reason(&long, "interleave"), "interleave 2: groups fill the gaps in one another's chains");
    assert!(reason(&long, "packed").starts_with("packed: logic on a word computes 2 instances"), "{long:?}");
    let short = of_cipher("gimli.ua", "Gimli", &words);
    assert_eq!(reason(&short, "interleave"), "interleave 4: C compilers make a vector of the words of four groups");
}

#[test]
fn what_is_given_or_marked_is_no_choice() {
    let dir = directory();
    let given = ["--slice", "v", "--target", "avx2"];
    let lines = |program: &str, options: &[&str]| {
        let path = write(dir.path(), "m.ua", program);
        explained(text(&path), &[&given[..], options].concat())
    };
    let options = ["--interleave", "2", "--unroll", "none", "--inline", "none", "--schedule", "none"];
    let all = lines(SLICES, &options);
    for choice in ["interleave 2", "unroll none", "inline none", "schedule none"] {
        assert_eq!(reason(&all, choice), format!("{choice}: it is given"));
    }
    let packed = explained(text(&dir.path().join("m.ua")), &["--slice", "v", "--target", "c64", "--packed"]);
    assert_eq!(reason(&packed, "packed"), "packed: it is given");

    let some = SLICES.replace("node R", "_no_inline node R").replacen("forall", "_no_unroll forall", 1);
    let some = lines(&some, &[]);
    let inlined = "inline auto: functions go where they are called as long as the code stays short, except where the source says so";
    assert_eq!(reason(&some, "inline"), inlined);
    assert!(reason(&some, "unroll").ends_with(", except where the source says so"), "{some:?}");
    let every = SLICES.replace("node R", "_no_inline node R").replace("node Q", "_inline node Q");
    let every = lines(&every.replace("forall", "_no_unroll forall").replace("node m", "_interleave(3) node m"), &[]);
    assert_eq!(reason(&every, "interleave 3"), "interleave 3: the source asks for it");
    assert_eq!(reason(&every, "unroll"), "unroll auto: the source says so");
    assert_eq!(reason(&every, "inline"), "inline auto: the source says so");
    let nothing = lines("node f (a : u32) returns (b : u32) let b = (a <<< 1) ^ a tel", &[]);
    assert_eq!(reason(&nothing, "unroll"), "unroll auto: there are no loops");
    assert_eq!(reason(&nothing, "inline"), "inline auto: there are no calls");
}

#[test]
fn the_choices_of_small_code_are_those_that_were_made() {
    let dir = directory();
    let v = ["--slice", "v"];
    let size = ["--target", "c64", "--optimise", "size"];
    let words = "
node g (x, y : u32) returns (z : u32) let z = ((x + y) <<< 7) ^ ((x <<< 3) + y) ^ (x >>> 1) tel
node m (a : u8[16]) returns (r : u32) vars w : u32[4]
let w = le<u32[4]>(a); r = g(g(w[0], w[1]), g(w[2], w[3])) tel
";
    let field = "
field f = GF(2^255 - 19)
node g (x, y : f) returns (z : f) let z = x * y + x tel
node m (a, b : f) returns (r : f) let r = g(g(a, b), g(b, a)) tel
";
    let of = |program: &str, options: &[&str]| {
        let path = write(dir.path(), "m.ua", program);
        explained(text(&path), &[&size[..], options].concat())
    };
    let fewest = "functions go where they are called if that is one place, or if they are no longer than a call";
    assert_eq!(of(words, &v), [format!("inline auto: fewest bytes: {fewest}")]);
    assert_eq!(of(words, &["--slice", "v", "--inline", "none"]), ["inline none: it is given"]);
    assert_eq!(of(&words.replace("node g", "_no_inline node g"), &v), ["inline auto: the source says so"]);
    assert_eq!(of(field, &[]), ["inline none: products, sums and choices that are functions have the fewest bytes"]);
    assert_eq!(of(field, &["--inline", "all"]), ["inline all: it is given"]);
    let slices = of(SLICES, &v);
    assert_eq!(reason(&slices, "interleave"), "interleave 1: one group has the fewest bytes");
    assert_eq!(reason(&slices, "unroll"), "unroll none: loops that are kept have the fewest bytes");
    assert_eq!(reason(&slices, "inline"), format!("inline auto: fewest bytes: {fewest}"));
}
