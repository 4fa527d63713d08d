//! Bits that are 0 whatever the inputs are, as compilers know: bit 1 of every square, and those that a mask takes away.

use culet_term::{Node, Term, Terms};
use rustc_hash::FxHashMap;

/// Index of the bit that is 0 in every square.
const GAP: u32 = 1;

/// Number of bits that are examined, from the lowest up.
const LOOKED_AT: u32 = u64::BITS;

/// Bits that are always 0, below a bit that may be 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    zeros: u64,
}

impl Gap {
    pub fn is_of_mask(self) -> bool {
        self.zeros != 1 << GAP
    }

    /// Returns the word with zeros in the place of its gap.
    pub fn shown(self, terms: &mut Terms, word: Term) -> Term {
        let (mut parts, mut from, mut zeros) = (Vec::new(), 0, self.zeros);
        while zeros != 0 {
            let kept = zeros.trailing_zeros();
            if kept > 0 {
                parts.push(terms.extract(word, from, kept));
            }
            zeros >>= kept;
            let gone = zeros.trailing_ones();
            parts.push(terms.zero(gone));
            // A bit above the gap is kept, so the gap does not cover the whole word.
            zeros >>= gone;
            from += kept + gone;
        }
        parts.push(terms.extract(word, from, terms.bits(word) - from));
        terms.concat(&parts)
    }
}

/// Returns the gap of a term, if it is known to have one: squares and multiples, their sums and products, and masked
/// words do.
pub fn gap(terms: &Terms, term: Term) -> Option<Gap> {
    let mut known: FxHashMap<Term, u64> = FxHashMap::default();
    for part in terms.cone(&[term]) {
        let zeros = zeros(terms, part, &known) & low(terms.bits(part));
        known.insert(part, zeros);
    }
    let others = !known[&term] & low(terms.bits(term));
    let zeros = known[&term] & low(LOOKED_AT - others.leading_zeros());
    (zeros != 0).then_some(Gap { zeros })
}

/// Returns a word with the `bits` lowest bits set.
fn low(bits: u32) -> u64 {
    if bits < LOOKED_AT { (1 << bits) - 1 } else { u64::MAX }
}

/// The bits of a term that are known to be 0.
fn zeros(terms: &Terms, term: Term, known: &FxHashMap<Term, u64>) -> u64 {
    // Number of lowest bits that are all 0.
    let multiple = |of: Term| known[&of].trailing_ones();
    match *terms.node(term) {
        Node::Constant(ref limbs) => limbs.first().map_or(u64::MAX, |limb| !limb),
        Node::Mul(a, b) => {
            let has_gap =
                a == b || [a, b].iter().all(|factor| known[factor] >> GAP & 1 == 1 || terms.bits(*factor) <= GAP);
            low(multiple(a) + multiple(b)) | u64::from(has_gap) << GAP
        }
        // Below the lowest bit that may be set in one operand, the sum is the other operand.
        Node::Add(a, b, None) => known[&a] & low(multiple(b)) | known[&b] & low(multiple(a)),
        Node::Sub(a, b, None) => known[&a] & low(multiple(b)),
        Node::And(a, b) => known[&a] | known[&b],
        Node::Or(a, b) | Node::Xor(a, b) => known[&a] & known[&b],
        Node::Select(_, a, b) => known[&a] & known[&b],
        Node::Extract(of, from) => known[&of].checked_shr(u32::from(from)).unwrap_or(0),
        Node::Concat(ref parts) => {
            let (mut zeros, mut from) = (0, 0);
            for part in parts {
                zeros |= known[part].checked_shl(from).unwrap_or(0);
                from += terms.bits(*part);
            }
            zeros
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use culet_term::{Assignment, InputKind, Node, Term, Terms};
    use culet_testing::Rng;

    use super::gap;

    /// Compares the gaps of random terms with the values of these terms.
    #[test]
    fn a_gap_has_bits_that_are_never_one() {
        let mut random = Rng::new(1);
        let (mut gaps, mut others) = (0, 0);
        for round in 0..400 {
            let mut terms = Terms::new();
            let mut words: Vec<Term> =
                (0..2).map(|input| terms.fresh(InputKind::Word, &format!("{input} of {round}"), 8)).collect();
            let inputs = words.clone();
            words.extend([1, 4, 12, 3, 0xa5].map(|value| terms.constant_u64(8, value)));
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
