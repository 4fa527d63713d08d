//! Low bits that are 0 whatever the inputs are, as compilers know: bit 1 of every square, and those that a mask takes away.

use culet_term::{Node, Term, Terms};
use rustc_hash::FxHashMap;

/// The bit of a square.
const GAP: u32 = 1;

/// Which low bits are 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    from: u32,
    bits: u32,
}

impl Gap {
    pub fn is_of_mask(self) -> bool {
        self.from == 0
    }

    /// The word with its gap to be seen.
    pub fn shown(self, terms: &mut Terms, word: Term) -> Term {
        let (end, bits) = (self.from + self.bits, terms.bits(word));
        let mut parts = vec![terms.zero(self.bits), terms.extract(word, end, bits - end)];
        if self.from > 0 {
            parts.insert(0, terms.extract(word, 0, self.from));
        }
        terms.concat(&parts)
    }
}

/// What is known of a term's two lowest bits.
#[derive(Debug, Clone, Copy, Default)]
struct Low {
    /// Zeros below the lowest bit that may be one; two for more.
    zeros: u32,
    /// Whether the bit is 0.
    has_gap: bool,
}

impl Low {
    fn new(zeros: u32, has_gap: bool) -> Low {
        Low { zeros: zeros.min(2), has_gap: has_gap || zeros >= 2 }
    }

    /// What is known where either may be.
    fn of_either(self, other: Low) -> Low {
        Low::new(self.zeros.min(other.zeros), self.has_gap && other.has_gap)
    }

    /// What is known of a sum or difference.
    fn plus(self, other: Low) -> Low {
        let is_kept = |a: Low, b: Low| a.has_gap && b.zeros == 2;
        Low::new(self.zeros.min(other.zeros), is_kept(self, other) || is_kept(other, self))
    }

    /// A negative number has not the gap of its opposite.
    fn minus(self, other: Low) -> Low {
        Low::new(self.zeros.min(other.zeros), self.has_gap && other.zeros == 2)
    }
}

/// The gap of a term, if it is known to have one: of squares and multiples of 4, their sums and products, and moves of their bits.
pub fn gap(terms: &Terms, term: Term) -> Option<Gap> {
    let mut known: FxHashMap<Term, Low> = FxHashMap::default();
    for part in terms.cone(&[term]) {
        let low = low(terms, part, &known);
        known.insert(part, low);
    }
    let low = known[&term];
    let from = if low.zeros == 2 { 0 } else { GAP };
    (low.has_gap && terms.bits(term) > GAP + 1).then_some(Gap { from, bits: GAP + 1 - from })
}

fn low(terms: &Terms, term: Term, known: &FxHashMap<Term, Low>) -> Low {
    if terms.bits(term) <= GAP {
        return Low::new(0, true);
    }
    match *terms.node(term) {
        Node::Constant(ref limbs) => {
            let low = limbs.first().copied().unwrap_or(0);
            Low::new(low.trailing_zeros(), low >> GAP & 1 == 0)
        }
        Node::Mul(a, b) => {
            let (a_low, b_low) = (known[&a], known[&b]);
            Low::new(a_low.zeros + b_low.zeros, a == b || a_low.has_gap && b_low.has_gap)
        }
        Node::Add(a, b, None) => known[&a].plus(known[&b]),
        Node::Sub(a, b, None) => known[&a].minus(known[&b]),
        Node::And(a, b) => {
            let (a, b) = (known[&a], known[&b]);
            Low::new(a.zeros.max(b.zeros), a.has_gap || b.has_gap)
        }
        Node::Or(a, b) | Node::Xor(a, b) => known[&a].of_either(known[&b]),
        Node::Select(_, a, b) => known[&a].of_either(known[&b]),
        Node::Extract(of, 0) => known[&of],
        Node::Concat(ref parts) if terms.bits(parts[0]) > GAP => known[&parts[0]],
        Node::Concat(ref parts) => Low::new(0, terms.is_zero(parts[1])),
        _ => Low::default(),
    }
}

#[cfg(test)]
mod tests {
    use culet_term::{Assignment, Node, Term, Terms};
    use culet_testing::Rng;

    use super::gap;

    /// Terms of random operations, their values, and what is said of them.
    #[test]
    fn a_gap_has_bits_that_are_never_one() {
        let mut random = Rng::new(1);
        let (mut gaps, mut others) = (0, 0);
        for round in 0..400 {
            let mut terms = Terms::new();
            let mut words: Vec<Term> = (0..2).map(|input| terms.input(&format!("{input} of {round}"), 8)).collect();
            let inputs = words.clone();
            words.extend([1, 4, 12, 3].map(|value| terms.constant_u64(8, value)));
            words.push(terms.mul(inputs[0], inputs[0]));
            words.push(terms.mul(inputs[1], inputs[1]));
            for _ in 0..6 {
                let mut any = |count: usize| words[random.below(count as u32) as usize];
                let (a, b) = (any(words.len()), any(words.len()));
                let choice = random.below(8);
                let word = match choice {
                    0 => terms.mul(a, b),
                    1 | 2 => terms.add(a, b),
                    3 => terms.sub(a, b),
                    4 => terms.and(a, b),
                    5 => terms.or(a, b),
                    6 => {
                        let high = terms.extract(a, 2, 6);
                        let low = terms.extract(b, 0, 2);
                        terms.concat(&[low, high])
                    }
                    _ => {
                        let bit = terms.extract(a, 0, 1);
                        let rest = terms.zero(7);
                        terms.concat(&[bit, rest])
                    }
                };
                words.push(word);
            }
            let last = words[words.len() - 1];
            let is_said = gap(&terms, last);
            let shown = is_said.map_or(last, |gap| gap.shown(&mut terms, last));
            let (mut is_one, mut is_right) = (false, true);
            for value in 0..256 * 256_u64 / 97 {
                let mut assignment = Assignment::new();
                for (place, &input) in inputs.iter().enumerate() {
                    let &Node::Input(input) = terms.node(input) else { unreachable!("they are inputs") };
                    assignment.set(input, &[(97 * value) >> (8 * place) & 0xff]);
                }
                let values = terms.evaluate(&[last, shown], &assignment);
                is_one |= values[0][0] >> 1 & 1 == 1;
                is_right &= values[0] == values[1];
            }
            assert!(is_right, "{}", terms.print(&[last, shown]));
            gaps += usize::from(is_said.is_some());
            others += usize::from(is_said.is_none() && is_one);
        }
        assert!(gaps > 40 && others > 40, "{gaps} {others}");
    }
}
