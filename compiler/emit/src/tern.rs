//! Three-input functions on machines that have no instruction for them: the shortest formula.

use std::sync::OnceLock;

/// A formula over a, b and c.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Formula {
    /// Operand 0, 1 or 2.
    Operand(u8),
    Zero,
    Not(u8),
    And(u8, u8),
    Or(u8, u8),
    Xor(u8, u8),
    /// `x & ~y`
    Andn(u8, u8),
}

/// The outermost operation of the shortest formula for each truth table; its operands are truth tables.
pub(crate) fn formulas() -> &'static [Formula; 256] {
    static FORMULAS: OnceLock<[Formula; 256]> = OnceLock::new();
    FORMULAS.get_or_init(search)
}

/// Truth tables of the operands: the value at (a, b, c) is bit 4a + 2b + c.
const OPERANDS: [u8; 3] = [0xf0, 0xcc, 0xaa];

/// Finds all functions of 0, 1, 2, … operations in turn; six operations are enough for any function.
fn search() -> [Formula; 256] {
    let mut best: [Option<(Formula, u32)>; 256] = [None; 256];
    best[0] = Some((Formula::Zero, 0));
    let mut by_cost: Vec<Vec<u8>> = vec![vec![0]];
    for (index, &table) in OPERANDS.iter().enumerate() {
        best[table as usize] = Some((Formula::Operand(index as u8), 0));
        by_cost[0].push(table);
    }
    while best.iter().any(Option::is_none) {
        let cost = by_cost.len();
        let mut found = Vec::new();
        let mut offer = |table: u8, formula| {
            let entry = &mut best[table as usize];
            if entry.is_none() {
                *entry = Some((formula, cost as u32));
                found.push(table);
            }
        };
        for &x in &by_cost[cost - 1] {
            offer(!x, Formula::Not(x));
        }
        for left in 0..cost {
            for &x in &by_cost[left] {
                for &y in &by_cost[cost - 1 - left] {
                    offer(x & y, Formula::And(x, y));
                    offer(x | y, Formula::Or(x, y));
                    offer(x ^ y, Formula::Xor(x, y));
                    offer(x & !y, Formula::Andn(x, y));
                }
            }
        }
        by_cost.push(found);
    }
    best.map(|entry| entry.map_or(Formula::Zero, |(formula, _)| formula))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(formula: Formula) -> u8 {
        let of = |table: u8| value(formulas()[table as usize]);
        match formula {
            Formula::Operand(i) => OPERANDS[i as usize],
            Formula::Zero => 0,
            Formula::Not(x) => !of(x),
            Formula::And(x, y) => of(x) & of(y),
            Formula::Or(x, y) => of(x) | of(y),
            Formula::Xor(x, y) => of(x) ^ of(y),
            Formula::Andn(x, y) => of(x) & !of(y),
        }
    }

    #[test]
    fn every_formula_has_its_truth_table() {
        for table in 0..=255u8 {
            assert_eq!(value(formulas()[table as usize]), table);
        }
    }

    fn cost(table: u8) -> u32 {
        match formulas()[table as usize] {
            Formula::Operand(_) | Formula::Zero => 0,
            Formula::Not(x) => 1 + cost(x),
            Formula::And(x, y) | Formula::Or(x, y) | Formula::Xor(x, y) | Formula::Andn(x, y) => 1 + cost(x) + cost(y),
        }
    }

    #[test]
    fn common_functions_are_short() {
        assert_eq!(cost(0x96), 2, "a ^ b ^ c");
        assert_eq!(cost(0xca), 3, "a ? b : c");
        assert_eq!(cost(0xe8), 4, "majority");
        assert!((0..=255).all(|table| cost(table) <= 6));
    }
}
