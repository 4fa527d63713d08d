//! Programs that compute the same are proved equal, iteration by iteration of their loops. Other programs are told
//! apart by inputs on which they differ.

use std::fs;
use std::path::{Path, PathBuf};

use culet_diag::Diagnostics;
use culet_driver::{Options, Reader, elaborate, load};
use culet_ir::Target;
use culet_meaning::{Interpreter, Value};
use culet_prove::elements::{Equality, Unequal, same};
use culet_types::program::Program;

struct Text<'t>(&'t str);

impl Reader for Text<'_> {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Ok(self.0.as_bytes().to_vec())
    }
}

fn node(text: &str, node: Option<&str>) -> Result<Program, Diagnostics> {
    let (source, found) = load(Path::new("text.ua"), &[], &Text(text));
    let options = Options { node: node.map(str::to_owned), ..Options::new(Target::C64) };
    let (program, more) = elaborate(&source, &options);
    program.filter(|_| !found.has_errors() && !more.has_errors()).ok_or(more)
}

fn curve(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../primitives/curves");
    let path: PathBuf = folder.join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Compares the RFC's program with the one with the other ladder, given by its text, and its relation.
fn ladders(lanes: &str) -> Result<Equality, Unequal> {
    let program = |text: &str, name| node(text, name).unwrap_or_else(|found| panic!("{found:?}"));
    let (rfc, own) = (program(&curve("x25519.ua"), None), program(lanes, None));
    same(&rfc, &own, Some(&program(lanes, Some("carried"))))
}

/// Compares the nodes `a` and `b` of a text.
fn nodes(text: &str, relation: Option<&str>) -> Result<Equality, Unequal> {
    let program = |name| node(text, Some(name)).unwrap_or_else(|found| panic!("{found:?}"));
    same(&program("a"), &program("b"), relation.map(program).as_ref())
}

fn open(outcome: Result<Equality, Unequal>) -> String {
    match outcome {
        Err(Unequal::Open(why)) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_two_ladders_of_x25519() {
    let lanes = curve("x25519_lanes.ua");
    // The cases: the values before the loops, then 255 iterations and the part after the loops, both for either value
    // of the bit that swaps.
    assert_eq!(ladders(&lanes), Ok(Equality { iterations: 255, cases: 1 + 2 * 255 + 2 }));
    // The programs are equal, but equality does not follow from these damaged relations.
    for (right, wrong) in [("x_1 * x_3, x_1 * z_3)", "x_1 * x_3, z_3)"), ("(x_2, z_2,", "(x_2, x_2,")] {
        assert_eq!(lanes.matches(right).count(), 1);
        let why = open(ladders(&lanes.replace(right, wrong)));
        assert!(why.contains("`w["), "{why}");
    }
}

/// Each digit of the ladder's step is changed, one at a time. If the changed program is proved equal, it also computes
/// the same on some inputs.
#[test]
fn damaged_ladders() {
    let (lanes, rfc) = (curve("x25519_lanes.ua"), node(&curve("x25519.ua"), None).expect("a program"));
    let begin = lanes.find("node step6").expect("the first node");
    let end = lanes.find("node carried").expect("the relation");
    let is_comment = |at: usize| lanes[..at].rsplit('\n').next().is_some_and(|line| line.contains('#'));
    let digits = (begin..end).filter(|&at| lanes.as_bytes()[at].is_ascii_digit() && !is_comment(at));
    let inputs = [[9u64, 77], [250, 131]].map(|[k, u]| {
        [k, u].map(|factor| (0..32).map(|at| Value::Word((factor * (at + 3) + at * at) % 256)).collect::<Vec<_>>())
    });
    let run =
        |program: &Program| inputs.clone().map(|inputs| Interpreter::new(program).compute(program.entry, &inputs));
    let meant = run(&rfc);
    let (mut accepted, mut refused) = (0, 0);
    for at in digits {
        let other = (lanes.as_bytes()[at] - b'0' + 1 + (at % 5) as u8) % 6;
        let damaged = format!("{}{other}{}", &lanes[..at], &lanes[at + 1..]);
        let Ok(program) = node(&damaged, None) else { continue };
        match ladders(&damaged) {
            Ok(_) => {
                accepted += 1;
                assert!(run(&program) == meant, "{damaged}");
            }
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 40, "{accepted} accepted, {refused} refused");
}

const FIELD: &str = "field f = GF(2^127 - 1)\n";

#[test]
fn formulas() {
    for (a, b) in [
        ("(x + y) * (x - y)", "x * x - y * y"),
        ("(x + y) * (x + y) * (x + y)", "x * x * x + 3 * x * y * (x + y) + y * y * y"),
        ("(k ? x : y) * (k ? y : x)", "x * y"),
        ("(k ? x : y) + (k ? y : x)", "y + x"),
        ("x * y / y", "x / y * y"),
        ("(x - x) / y", "0 * y"),
    ] {
        let node =
            |name, formula| format!("node {name} (k : u1, x, y : f) returns (z : f)\nlet\n  z = {formula}\ntel\n");
        let text = format!("{FIELD}{}{}", node("a", a), node("b", b));
        assert!(nodes(&text, None).is_ok(), "{a} = {b}: {:?}", nodes(&text, None));
        // The node plus one is a different one.
        let text = format!("{FIELD}{}{}", node("a", a), node("b", &format!("{b} + 1")));
        let Err(Unequal::Different { inputs, result, values }) = nodes(&text, None) else { panic!("{a} = {b} + 1") };
        assert_eq!((inputs.len(), &result[..]), (3, "z"));
        assert_ne!(values[0], values[1]);
    }
    // x / y * y is 0 where y is 0, and x everywhere else: random numbers do not find the difference.
    let text = format!(
        "{FIELD}node a (x, y : f) returns (z : f)\nlet\n  z = x / y * y\ntel\nnode b (x, y : f) returns (z : f)\nlet\n  z = x\ntel\n"
    );
    assert!(open(nodes(&text, None)).contains("`z`"));
}

/// Loops that carry different values, words among them.
#[test]
fn loops() {
    let of = |shift: &str, last: &str, relation: &str| {
        format!(
            "{FIELD}node a (x : f, n : u16) returns (y : f, m : u16)\nvars s : f, c : u16\nlet\n  s := x; c := n;\n  fold i in [0, 7] {{\n    \
             s := s * s + x;\n    c := c + c\n  }}\n  y = s; m = c\ntel\n\
             node b (x : f, n : u16) returns (y : f, m : u16)\nvars t : f[2], c : u16\nlet\n  t := (x, x + x); c := n;\n  fold i in [0, {last}] {{\n    \
             t[0] := t[0] * t[0] + x;\n    t[1] := t[0] + t[0];\n    c := c {shift}\n  }}\n  y = t[1] - t[0]; m = c\ntel\n\
             node r (s : f) returns (t : f[2])\nlet\n  t = (s, {relation})\ntel\n"
        )
    };
    let right = of("<< 1", "7", "s + s");
    assert_eq!(nodes(&right, Some("r")), Ok(Equality { iterations: 8, cases: 10 }));
    assert!(open(nodes(&right, None)).contains("nothing says what `t`"));
    assert!(open(nodes(&right, Some("a"))).contains("changes no `y`"));
    assert!(open(nodes(&of("<< 1", "7", "s"), Some("r"))).contains("`t[1]` is the same when the loop begins"));
    assert!(
        matches!(nodes(&of("<< 2", "7", "s + s"), Some("r")), Err(Unequal::Different { result, .. }) if result == "m")
    );
    assert!(matches!(nodes(&of("<< 1", "6", "s + s"), Some("r")), Err(Unequal::Different { .. })));
}

#[test]
fn what_cannot_be_compared() {
    let of = |a: &str, b: &str| format!("{FIELD}{}{}", a.replace("NODE", "node a"), b.replace("NODE", "node b"));
    let square = "NODE (x : f) returns (z : f)\nlet\n  z = x * x\ntel\n";
    let two = "NODE (x, y : f) returns (z : f)\nlet\n  z = x * y\ntel\n";
    let word = "NODE (x : u8) returns (z : u8)\nlet\n  z = x\ntel\n";
    let stream = "NODE (x : u8[*]) returns (z : f)\nvars h : f\nlet\n  h := 0;\n  fold b in blocks(x, 8, 1) {\n    h := h + f(b)\n  }\n  z = h\ntel\n";
    assert!(open(nodes(&of(square, two), None)).contains("the parameters are 1 and 2"));
    assert!(open(nodes(&of(square, word), None)).contains("have different types"));
    assert!(open(nodes(&of(stream, stream), None)).contains("`x` is a stream"));
    assert!(open(nodes(&of(square, square), Some("a"))).contains("one loop"));
    let order = |order: &str| "NODE (x : ORDER u32) returns (z : u32)\nlet\n  z = x + 1\ntel\n".replace("ORDER", order);
    assert!(open(nodes(&of(&order("be"), &order("le")), None)).contains("in different orders"));
    let [one, other] = [FIELD, "field f = GF(2^89 - 1)\n"].map(|field| {
        let text = format!("{field}{}", square.replace("NODE", "node a"));
        node(&text, None).expect("a program")
    });
    assert!(open(same(&one, &other, None)).contains("different fields"));
}

/// Arrays that loops fill, and variables that iterations hand on without a value before the first iteration.
#[test]
fn arrays() {
    let of = |a: &str, b: &str| {
        let node = |name: &str, turn: &str| {
            format!(
                "node {name} (x : f) returns (y : f)\nvars t : f[9]\nlet\n  t[8] = x;\n  forall i in [7, 0] {{\n    t[i] = {turn}\n  }}\n  y = t[0]\ntel\n"
            )
        };
        format!("{FIELD}{}{}", node("a", a), node("b", b))
    };
    assert_eq!(nodes(&of("t[i + 1] * x", "x * t[i + 1]"), None), Ok(Equality { iterations: 8, cases: 10 }));
    assert!(matches!(nodes(&of("t[i + 1] * x", "t[i + 1] + x"), None), Err(Unequal::Different { .. })));
    // The first element differs between the programs, and later iterations read it.
    let of = |first: &str| {
        let node = |name: &str, first: &str| {
            format!(
                "node {name} (x : f) returns (y : f)\nvars t : f[4], s : f\nlet\n  s := x;\n  fold i in [0, 3] {{\n    t[i] = {first};\n    s := s + t[0] * s\n  }}\n  \
                 y = s\ntel\n"
            )
        };
        format!("{FIELD}{}{}", node("a", "x"), node("b", first))
    };
    assert!(open(nodes(&of("x + 0"), None)).contains("`s` is the same after the iteration"));
    assert!(matches!(nodes(&of("x + 1"), None), Err(Unequal::Different { .. })));
}
