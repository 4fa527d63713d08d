//! The order of equations does not matter: random systems of equations, written in a random order, have the values that
//! this file computes independently.
//!
//! A system defines the rows of a matrix, each from earlier rows: by one equation, by a loop over its elements with or
//! without a temporary, or element by element from its own last element backwards.

use culet_diag::{FileId, SourceMap};
use culet_meaning::Concrete;
use culet_types::program::Slicing;
use culet_types::{Compatibility, Request, elaborate};

const ROWS: usize = 8;
const COLUMNS: usize = 5;

#[test]
fn equations_have_the_same_values_in_any_order() {
    let mut random = Random(7);
    for _ in 0..300 {
        one_system(&mut random);
    }
}

fn one_system(random: &mut Random) {
    let input: Vec<u64> = (0..COLUMNS).map(|_| random.next() & 0xffff).collect();
    let mut rows = vec![input.clone()];
    let mut statements = vec!["u[0] = a".to_string()];
    let mut temporaries = Vec::new();
    for k in 1..ROWS {
        let (p, q) = (random.below(k), random.below(k));
        let (rp, rq) = (rows[p].clone(), rows[q].clone());
        let (row, text) = match random.below(5) {
            0 => ((0..COLUMNS).map(|j| rp[j] ^ rq[j]).collect(), format!("u[{k}] = u[{p}] ^ u[{q}]")),
            1 => (
                (0..COLUMNS).map(|j| rp[j] & rq[COLUMNS - 1 - j]).collect(),
                format!("forall i in [0,{last}] {{ u[{k}][i] = u[{p}][i] & u[{q}][{last}-i] }}", last = COLUMNS - 1),
            ),
            2 => {
                temporaries.push(format!("t{k}"));
                let body = [format!("u[{k}][i] = t{k} | u[{q}][i]"), format!("t{k} = ~u[{p}][i]")];
                let (first, second) = if random.below(2) == 0 { (0, 1) } else { (1, 0) };
                (
                    (0..COLUMNS).map(|j| (!rp[j] & 0xffff) | rq[j]).collect(),
                    format!("forall i in [{},0] {{ {}; {} }}", COLUMNS - 1, body[first], body[second]),
                )
            }
            3 => {
                // A prefix sum that the loop writes backwards.
                let mut row = rp.clone();
                for j in 1..COLUMNS {
                    row[j] = (row[j - 1] + rp[j]) & 0xffff;
                }
                let from = COLUMNS - 1;
                statements.push(format!("u[{k}][0] = u[{p}][0]"));
                (row, format!("forall i in [{from},1] {{ u[{k}][i] = u[{k}][i-1] + u[{p}][i] }}"))
            }
            _ => (
                (0..COLUMNS).map(|j| ((rp[j] << j) & 0xffff) ^ rq[j]).collect(),
                format!("forall i in [0,{}] {{ u[{k}][i] = (u[{p}][i] << i) ^ u[{q}][i] }}", COLUMNS - 1),
            ),
        };
        rows.push(row);
        statements.push(text);
    }
    statements.push(format!("x = u[{}]", ROWS - 1));
    for i in (1..statements.len()).rev() {
        statements.swap(i, random.below(i + 1));
    }
    let locals: String = temporaries.iter().map(|t| format!(", {t}:u16")).collect();
    let text = format!(
        "node f(a:u16x{COLUMNS}) returns (x:u16x{COLUMNS}) vars u:u16x{COLUMNS}[{ROWS}]{locals} let {} tel",
        statements.join("; ")
    );
    assert_eq!(run(&text, input), rows[ROWS - 1], "{text}");
}

fn run(text: &str, input: Vec<u64>) -> Vec<u64> {
    let (tree, found) = culet_syntax::parse(FileId(0), text);
    assert!(!found.has_errors(), "{text}\n{found:?}");
    let list = Compatibility::default();
    let sources = SourceMap::new();
    let slicing = Some(Slicing::Vertical);
    let request = Request { entry: None, slicing, word: None, lsb_first_tables: &list, sources: Some(&sources) };
    let (program, found) = elaborate(&tree.items, &request);
    let program = program.unwrap_or_else(|| panic!("{text}\n{found:?}"));
    culet_meaning::run(&mut Concrete, &program, program.entry, &[input]).concat()
}

/// Xorshift64*.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    fn below(&mut self, n: usize) -> usize {
        self.next() as usize % n
    }
}
