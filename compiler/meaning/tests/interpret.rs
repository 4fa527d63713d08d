//! The interpreter on small programs made by hand, with answers known beforehand.

use culet_diag::{FileId, Span};
use culet_meaning::{Concrete, run, steps};
use culet_types::program::{
    Affine, Assign, Atom, BinaryOperator, Body, ByteOrder, CounterId, Expr, ExprKind, Loop, Node, NodeId, Place,
    Program, Run, Shape, ShiftOperator, Slicing, Step, Table, Ty, Var, VarId,
};

const fn word(bits: u32) -> Atom {
    Atom { slicing: Slicing::Vertical, bits }
}

fn span() -> Span {
    Span::new(FileId(0), 0, 0)
}

/// Variables of (bits, atoms); the first is the parameter, the last the result.
fn node(name: &str, vars: &[(u32, u32)], body: Body) -> Node {
    let vars: Vec<Var> = vars
        .iter()
        .map(|&(bits, atoms)| Var {
            name: "v".into(),
            ty: Ty { atom: word(bits), dims: vec![atoms] },
            shared: false,
            public: false,
            stream: false,
            bytes: ByteOrder::Big,
            span: span(),
        })
        .collect();
    Node {
        name: name.into(),
        symbol: name.into(),
        span: span(),
        inline: None,
        interleave: None,
        no_opt: false,
        instruction: None,
        given_as_public: Vec::new(),
        params: vec![VarId(0)],
        returns: vec![VarId(vars.len() as u32 - 1)],
        vars,
        body,
        counters: 2,
    }
}

fn place(var: u32, start: Affine, length: u32, stride: i32) -> Place {
    Place { var: VarId(var), runs: vec![Run { start, length, stride }] }
}

fn fixed(var: u32, start: i64, length: u32) -> Place {
    place(var, Affine::constant(start), length, 1)
}

fn moving(var: u32, constant: i64, factor: i64) -> Place {
    place(var, Affine { constant, terms: vec![(CounterId(0), factor)] }, 1, 1)
}

fn expr(kind: ExprKind, bits: u32, count: u32) -> Expr {
    Expr { kind, shape: Shape::of(word(bits), count), span: span() }
}

fn read(place: Place, bits: u32, count: u32) -> Box<Expr> {
    Box::new(expr(ExprKind::Read(place), bits, count))
}

fn assign(targets: Vec<Place>, value: Expr) -> Step {
    Step::Assign(Assign { targets, value, span: span() })
}

fn run_node(nodes: Vec<Node>, input: &[u64]) -> Vec<u64> {
    let entry = NodeId(nodes.len() as u32 - 1);
    let program = Program { nodes, entry, fields: Vec::new() };
    run(&mut Concrete, &program, entry, &[input.to_vec()]).remove(0)
}

/// One expression of the parameter's `count` words of `bits` bits.
fn value(bits: u32, count: u32, kind: impl FnOnce(Box<Expr>) -> Expr, input: &[u64]) -> Vec<u64> {
    let value = kind(read(fixed(0, 0, count), bits, count));
    let (atom, results) = value.shape.0[0];
    let steps = vec![assign(vec![fixed(1, 0, results)], value)];
    run_node(vec![node("f", &[(bits, count), (atom.bits, results)], Body::Steps(steps))], input)
}

#[test]
fn operators() {
    let unary = |kind: fn(Box<Expr>) -> ExprKind, input| value(16, 1, |x| expr(kind(x), 16, 1), &[input])[0];
    assert_eq!(unary(ExprKind::Not, 0x1234), 0xedcb);
    let shift = |operator, input| {
        value(16, 1, |operand| expr(ExprKind::Shift { operator, operand, amount: 4 }, 16, 1), &[input])[0]
    };
    assert_eq!(shift(ShiftOperator::Left, 0x8765), 0x7650);
    assert_eq!(shift(ShiftOperator::Right, 0x8765), 0x0876);
    assert_eq!(shift(ShiftOperator::RightArithmetic, 0x8765), 0xf876);
    assert_eq!(shift(ShiftOperator::RotateLeft, 0x8765), 0x7658);
    assert_eq!(unary(|operand| ExprKind::Bitmask { operand, bit: 2 }, 0b100), 0xffff);
    assert_eq!(unary(|operand| ExprKind::Bitmask { operand, bit: 1 }, 0b100), 0);
    // Bit 0 of the result, the most significant, is bit 15, the least significant, of the operand.
    let reversed = (0..16).rev().map(Some).collect();
    assert_eq!(
        value(16, 1, |operand| expr(ExprKind::Shuffle { operand, pattern: reversed }, 16, 1), &[0x8007]),
        [0xe001]
    );

    let binary = |operator| {
        let right = read(place(0, Affine::constant(1), 2, -1), 8, 2);
        value(8, 2, |left| expr(ExprKind::Binary { operator, left, right }, 8, 2), &[0xf0, 0x3c])
    };
    assert_eq!(binary(BinaryOperator::And), [0x30, 0x30]);
    assert_eq!(binary(BinaryOperator::Or), [0xfc, 0xfc]);
    assert_eq!(binary(BinaryOperator::Xor), [0xcc, 0xcc]);
    assert_eq!(binary(BinaryOperator::Add), [0x2c, 0x2c]);
    assert_eq!(binary(BinaryOperator::Subtract), [0xb4, 0x4c]);
    assert_eq!(binary(BinaryOperator::Multiply), [0x40, 0x40]);
}

#[test]
fn sequences_of_atoms() {
    let pattern = vec![Some(2), None, Some(0), Some(0)];
    let select = |operand| expr(ExprKind::Select { operand, pattern }, 8, 4);
    assert_eq!(value(8, 3, select, &[10, 11, 12]), [12, 0, 10, 10]);
    let low = read(fixed(0, 1, 1), 8, 1);
    let high = read(fixed(0, 0, 1), 8, 1);
    assert_eq!(value(8, 2, |_| expr(ExprKind::Pack { high, low }, 16, 1), &[0xab, 0xcd]), [0xabcd]);
    let parts = vec![*read(fixed(0, 1, 1), 8, 1), expr(ExprKind::Constant(vec![7, 8]), 8, 2)];
    assert_eq!(value(8, 2, |_| expr(ExprKind::Concat(parts), 8, 3), &[1, 2]), [2, 7, 8]);
}

#[test]
fn a_condition_chooses_without_a_branch() {
    for (bit, expected) in [(1, [1, 0]), (0, [0, 1])] {
        let condition = read(fixed(0, 0, 1), 1, 1);
        let then = Box::new(expr(ExprKind::Constant(vec![1, 0]), 1, 2));
        let otherwise = Box::new(expr(ExprKind::Constant(vec![0, 1]), 1, 2));
        let kind = ExprKind::Conditional { condition, then, otherwise };
        assert_eq!(value(1, 1, |_| expr(kind, 1, 2), &[bit]), expected);
    }
}

#[test]
fn all_reads_come_before_all_writes() {
    let both = Place { var: VarId(1), runs: fixed(1, 0, 2).runs };
    let steps = vec![
        assign(vec![both], *read(fixed(0, 0, 2), 8, 2)),
        assign(vec![fixed(1, 0, 1), fixed(1, 1, 1)], *read(place(1, Affine::constant(1), 2, -1), 8, 2)),
    ];
    assert_eq!(run_node(vec![node("swap", &[(8, 2), (8, 2)], Body::Steps(steps))], &[1, 2]), [2, 1]);
}

/// `r = 0; forall i in [first, last] { r := 2·r + x[i] }`
fn sum(first: i64, last: i64) -> Vec<u64> {
    let double =
        expr(ExprKind::Shift { operator: ShiftOperator::Left, operand: read(fixed(1, 0, 1), 8, 1), amount: 1 }, 8, 1);
    let left = Box::new(double);
    let right = read(moving(0, 0, 1), 8, 1);
    let next = expr(ExprKind::Binary { operator: BinaryOperator::Add, left, right }, 8, 1);
    let body = vec![assign(vec![fixed(1, 0, 1)], next)];
    let steps = vec![
        assign(vec![fixed(1, 0, 1)], expr(ExprKind::Constant(vec![0]), 8, 1)),
        Step::Loop(Loop { counter: CounterId(0), first, last, unroll: None, stream: None, steps: body, span: span() }),
    ];
    run_node(vec![node("sum", &[(8, 3), (8, 1)], Body::Steps(steps))], &[1, 2, 3])
}

#[test]
fn loops_run_up_and_down() {
    assert_eq!(sum(0, 2), [4 + 4 + 3]);
    assert_eq!(sum(2, 0), [12 + 4 + 1]);
    assert_eq!(sum(1, 1), [2]);
}

/// PRESENT's S-box, from the paper (Bogdanov et al. 2007, table 1).
const PRESENT: [u64; 16] = [0xc, 5, 6, 0xb, 9, 0, 0xa, 0xd, 3, 0xe, 0xf, 8, 4, 7, 1, 2];

#[test]
fn a_table_is_applied_at_every_bit_position() {
    let table = Table { inputs: 4, outputs: 4, values: PRESENT.to_vec() };
    let nodes = || vec![node("s", &[(16, 4), (16, 4)], Body::Table(table.clone()))];
    // At bit k of the inputs, the index is k; so each word is one column of the table.
    let index = [0xff00, 0xf0f0, 0xcccc, 0xaaaa];
    let column = |bit: u32| (0..16).map(|k| (PRESENT[k] >> (3 - bit) & 1) << k).sum::<u64>();
    let expected: Vec<u64> = (0..4).map(column).collect();
    assert_eq!(run_node(nodes(), &index), expected);
    let argument = read(fixed(0, 0, 4), 16, 4);
    let call = expr(ExprKind::Call { node: NodeId(0), argument }, 16, 4);
    let caller = node("f", &[(16, 4), (16, 4)], Body::Steps(vec![assign(vec![fixed(1, 0, 4)], call)]));
    assert_eq!(run_node([nodes(), vec![caller]].concat(), &index), expected);
}

/// `f_k(x) = f_{k-1}(x) + 1`
#[test]
fn long_chains_of_calls_do_not_exhaust_the_stack() {
    let vars = [(32, 1), (32, 1)];
    let first = vec![assign(vec![fixed(1, 0, 1)], *read(fixed(0, 0, 1), 32, 1))];
    let mut nodes = vec![node("f", &vars, Body::Steps(first))];
    for k in 0..50_000 {
        let argument = read(fixed(0, 0, 1), 32, 1);
        let left = Box::new(expr(ExprKind::Call { node: NodeId(k), argument }, 32, 1));
        let right = Box::new(expr(ExprKind::Constant(vec![1]), 32, 1));
        let sum = expr(ExprKind::Binary { operator: BinaryOperator::Add, left, right }, 32, 1);
        nodes.push(node("f", &vars, Body::Steps(vec![assign(vec![fixed(1, 0, 1)], sum)])));
    }
    assert_eq!(run_node(nodes, &[7]), [50_007]);
}

#[test]
fn deep_expressions_do_not_exhaust_the_stack() {
    let mut value = *read(fixed(0, 0, 1), 32, 1);
    for _ in 0..1001 {
        value = expr(ExprKind::Not(Box::new(value)), 32, 1);
    }
    let steps = vec![assign(vec![fixed(1, 0, 1)], value)];
    assert_eq!(run_node(vec![node("f", &[(32, 1), (32, 1)], Body::Steps(steps))], &[0]), [0xffff_ffff]);
}

#[test]
fn results_come_in_the_order_of_their_declaration() {
    let mut two = node(
        "f",
        &[(8, 1), (8, 2), (8, 1)],
        Body::Steps(vec![
            assign(vec![fixed(2, 0, 1)], expr(ExprKind::Constant(vec![3]), 8, 1)),
            assign(vec![fixed(1, 0, 2)], expr(ExprKind::Constant(vec![1, 2]), 8, 2)),
        ]),
    );
    two.returns = vec![VarId(2), VarId(1)];
    let program = Program { nodes: vec![two], entry: NodeId(0), fields: Vec::new() };
    assert_eq!(run(&mut Concrete, &program, NodeId(0), &[vec![0]]), [vec![3], vec![1, 2]]);
}

#[test]
#[should_panic(expected = "written before it is read")]
fn reading_what_nobody_wrote_is_caught() {
    let steps = vec![assign(vec![fixed(1, 0, 1)], *read(fixed(1, 0, 1), 8, 1))];
    run_node(vec![node("f", &[(8, 1), (8, 1)], Body::Steps(steps))], &[0]);
}

/// `f_k(x) = f_{k-1}(f_{k-1}(x))`
#[test]
fn the_number_of_steps_is_known_beforehand() {
    let vars = [(8, 1), (8, 1)];
    let first = vec![assign(vec![fixed(1, 0, 1)], *read(fixed(0, 0, 1), 8, 1))];
    let mut nodes = vec![node("f", &vars, Body::Steps(first))];
    for k in 0..100 {
        let call = |argument: Box<Expr>| expr(ExprKind::Call { node: NodeId(k), argument }, 8, 1);
        let twice = call(Box::new(call(read(fixed(0, 0, 1), 8, 1))));
        nodes.push(node("f", &vars, Body::Steps(vec![assign(vec![fixed(1, 0, 1)], twice)])));
    }
    let program = Program { nodes, entry: NodeId(100), fields: Vec::new() };
    // Two variables, and two steps for each expression of one atom.
    assert_eq!([0, 1, 2, 100].map(|k| steps(&program, NodeId(k))), [4, 16, 40, u64::MAX]);

    let body = vec![assign(vec![fixed(1, 0, 3)], *read(fixed(0, 0, 3), 8, 3))];
    let around =
        Loop { counter: CounterId(0), first: 5, last: 2, unroll: None, stream: None, steps: body, span: span() };
    let nodes = vec![node("g", &[(8, 3), (8, 3)], Body::Steps(vec![Step::Loop(around)]))];
    assert_eq!(steps(&Program { nodes, entry: NodeId(0), fields: Vec::new() }, NodeId(0)), 6 + 4 * (1 + 4));
}
