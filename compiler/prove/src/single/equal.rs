//! Proofs that two terms are equal for all values of their inputs in given ranges.

use culet_decide::bits::{self, Budget, Verdict};
use culet_decide::field::{self, Algebra, Goal, GoalKind, Interval};
use culet_decide::parities::Parities;
use culet_term::{Assignment, Node, Term, Terms};
use num_bigint::BigInt;
use num_traits::Zero;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::samples::Draw;
use crate::effort::equalities::{EFFORT, MASKS, MAX_INTEGERS, TRIALS};
use crate::unknown::Unknown;

/// Ranges of inputs. An input without a range may be any word.
pub(super) type Ranges = FxHashMap<Term, Interval>;

/// Outcomes of earlier comparisons.
#[derive(Default)]
pub(super) struct Equalities {
    /// Shapes of pairs that are equal whatever their inputs are called.
    proved: FxHashSet<Box<[u64]>>,
    open: FxHashSet<Box<[u64]>>,
    /// Shapes of pairs that were compared in bits only, and left open.
    open_in_bits: FxHashSet<Box<[u64]>>,
    /// Open shapes that were proved equal once more was known of their inputs: they are worth another look.
    equal_with_more: FxHashSet<Box<[u64]>>,
    /// Number of cases that were distinguished.
    pub cases: u32,
    /// Steps with monomials, or with products of bits, for pairs that are not proved to be equal.
    pub lost: u64,
    pub statistics: bits::Statistics,
}

/// Outcome of comparing a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Equal,
    /// The pair is not proved equal.
    Open,
    /// The pair is not proved equal, nor was an earlier pair of this shape, not even with more known of its inputs.
    Known,
}

impl Equalities {
    /// Whether it is proved that two terms of one width are equal.
    pub fn compare(&mut self, terms: &mut Terms, pair: (Term, Term), ranges: &Ranges, budget: &Budget) -> Answer {
        self.decide(terms, pair, ranges, false, &mut |all, terms, cone| {
            all.are_equal_beyond_shared(terms, pair, ranges, budget) || all.is_proved(terms, cone, pair, ranges, budget)
        })
    }

    /// Records that an open pair was proved equal with more known of its inputs.
    pub fn is_equal_with_more(&mut self, terms: &Terms, pair: (Term, Term), ranges: &Ranges) {
        let cone = terms.cone(&[pair.0, pair.1]);
        self.equal_with_more.insert(shape(terms, &cone, pair, ranges));
    }

    /// Compares a pair only as sums modulo 2 of products of bits.
    pub fn compare_in_bits(&mut self, terms: &mut Terms, pair: (Term, Term), ranges: &Ranges) -> Answer {
        self.decide(terms, pair, ranges, true, &mut |all, terms, cone| {
            all.are_equal_parities(terms, cone, pair, ranges) == Some(true)
        })
    }

    /// Looks a pair up by its shape. If the shape is new, tries assignments and then `prove`, and records the outcome.
    fn decide(
        &mut self,
        terms: &mut Terms,
        pair: (Term, Term),
        ranges: &Ranges,
        is_in_bits: bool,
        prove: &mut dyn FnMut(&mut Self, &mut Terms, &[Term]) -> bool,
    ) -> Answer {
        if pair.0 == pair.1 {
            return Answer::Equal;
        }
        let cone = terms.cone(&[pair.0, pair.1]);
        let shape = shape(terms, &cone, pair, ranges);
        if self.proved.contains(&shape) {
            return Answer::Equal;
        }
        let open = if is_in_bits { &self.open_in_bits } else { &self.open };
        if open.contains(&shape) {
            return if self.equal_with_more.contains(&shape) { Answer::Open } else { Answer::Known };
        }
        let is_equal = (0..TRIALS).all(|trial| agree(terms, &cone, pair, ranges, trial)) && prove(self, terms, &cone);
        let known = match (is_equal, is_in_bits) {
            (true, _) => &mut self.proved,
            (false, true) => &mut self.open_in_bits,
            (false, false) => &mut self.open,
        };
        known.insert(shape);
        if is_equal { Answer::Equal } else { Answer::Open }
    }

    /// Whether a pair is equal with the terms that both sides share taken as unknowns: if the sides differ little,
    /// little is left to compare.
    fn are_equal_beyond_shared(
        &mut self,
        terms: &mut Terms,
        pair: (Term, Term),
        ranges: &Ranges,
        budget: &Budget,
    ) -> bool {
        let of_first: FxHashSet<Term> = terms.cone(&[pair.0]).into_iter().collect();
        let shared = terms.cone(&[pair.1]).into_iter().filter(|term| of_first.contains(term));
        let shared: Vec<Term> = shared.filter(|&term| !terms.node(term).operands().is_empty()).collect();
        if shared.is_empty() || shared.contains(&pair.0) || shared.contains(&pair.1) {
            return false;
        }
        let mut unknowns = FxHashMap::default();
        for (number, &term) in shared.iter().enumerate() {
            let bits = terms.bits(term);
            let unknown = Unknown::Shared(number).word(terms, &format!("shared {number} of {bits}"), bits);
            unknowns.insert(term, unknown);
        }
        let pair = (terms.substitute(pair.0, &unknowns), terms.substitute(pair.1, &unknowns));
        let answer = self.decide(terms, pair, ranges, false, &mut |all, terms, cone| {
            all.is_proved(terms, cone, pair, ranges, budget)
        });
        answer == Answer::Equal
    }

    fn is_proved(
        &mut self,
        terms: &mut Terms,
        cone: &[Term],
        pair: (Term, Term),
        ranges: &Ranges,
        budget: &Budget,
    ) -> bool {
        let are_added = are_bits_added(terms, cone);
        if are_added && let Some(are_equal) = self.are_equal_parities(terms, cone, pair, ranges) {
            return are_equal;
        }
        if has_product_without_carries(terms, cone) {
            return false;
        }
        let mut masks = FxHashMap::default();
        let mut has_numbers = false;
        for &term in cone {
            if let Some((bit, is_complement)) = mask(terms, term, 1) {
                let (bits, mut bit) = (terms.bits(term), terms.extract(bit, 0, 1));
                if is_complement {
                    bit = terms.not(bit);
                }
                masks.insert(term, terms.broadcast_bit(bit, bits));
            } else {
                has_numbers |= matches!(terms.node(term), Node::Add(..) | Node::Sub(..) | Node::Mul(..));
            }
        }
        if !has_numbers && masks.len() > MASKS && self.are_equal_beside(terms, pair, &masks, budget) {
            return true;
        }
        if cone.len() <= MAX_INTEGERS && self.are_equal_integers(terms, cone, pair, ranges) {
            return true;
        }
        if has_numbers {
            return !are_added && self.are_equal_parities(terms, cone, pair, ranges) == Some(true);
        }
        masks.len() <= MASKS && self.are_equal_beside(terms, pair, &masks, budget)
    }

    /// Whether a pair is equal bit for bit, with its masks replaced as `masks` says.
    fn are_equal_beside(
        &mut self,
        terms: &mut Terms,
        pair: (Term, Term),
        masks: &FxHashMap<Term, Term>,
        budget: &Budget,
    ) -> bool {
        let pair = match masks.is_empty() {
            true => pair,
            false => (terms.substitute(pair.0, masks), terms.substitute(pair.1, masks)),
        };
        self.are_equal_bits(terms, pair, budget)
    }

    /// Whether each bit of both terms is the same sum modulo 2 of products of bits; `None` if some bit is not known as
    /// such a sum.
    fn are_equal_parities(
        &mut self,
        terms: &Terms,
        cone: &[Term],
        pair: (Term, Term),
        ranges: &Ranges,
    ) -> Option<bool> {
        let length = |range: &Interval| range.high.bits() as u32;
        let mut parities =
            Parities::of_lengths(cone.iter().filter_map(|term| Some((*term, length(ranges.get(term)?)))));
        let (a, b) = (parities.bits(terms, pair.0), parities.bits(terms, pair.1));
        let are_known = a.iter().chain(&*b).all(Option::is_some);
        let are_equal = are_known && a == b;
        if !are_equal {
            self.lost += parities.products as u64;
        }
        are_known.then_some(are_equal)
    }

    /// Whether a pair is proved equal bit for bit, for all values of its inputs.
    pub fn are_equal_bits(&mut self, terms: &mut Terms, pair: (Term, Term), budget: &Budget) -> bool {
        let comparison = bits::compare(terms, &[pair], budget);
        self.statistics += comparison.statistics;
        matches!(comparison.verdict, Verdict::Equal(_))
    }

    fn are_equal_integers(&mut self, terms: &Terms, cone: &[Term], pair: (Term, Term), ranges: &Ranges) -> bool {
        let setup = |algebra: &mut Algebra| {
            for term in cone {
                if let (Node::Input(input), Some(range)) = (terms.node(*term), ranges.get(term)) {
                    algebra.limb(*term, terms.name(*input), range.clone());
                }
            }
        };
        let difference = |algebra: &mut Algebra| {
            let values = algebra.evaluate(&[pair.0, pair.1]);
            values[0].minus(&values[1])
        };
        let goal = Goal {
            name: String::new(),
            roots: vec![pair.0, pair.1],
            polynomial: Box::new(difference),
            kind: GoalKind::Zero { modulus: BigInt::zero() },
        };
        match field::prove(terms, &setup, &[goal], EFFORT) {
            Ok(cases) => {
                self.cases += cases;
                true
            }
            Err(open) => {
                self.lost += open.steps;
                false
            }
        }
    }
}

/// Whether the cone has a product of polynomials over GF(2), of which only the bits are known.
pub(super) fn has_product_without_carries(terms: &Terms, cone: &[Term]) -> bool {
    cone.iter().any(|&term| matches!(terms.node(term), Node::ClMul(..)))
}

/// Whether the cone has sums of bits, or sums and products of integers beside operations on bits: code multiplies
/// polynomials over GF(2) that way where there is no instruction for it, and compilers add words that share no bit.
pub(super) fn are_bits_added(terms: &Terms, cone: &[Term]) -> bool {
    let has = |wanted: fn(&Node) -> bool| cone.iter().any(|&term| wanted(terms.node(term)));
    has_product_without_carries(terms, cone)
        || has(|node| matches!(node, Node::Xor(..)))
        || has(|node| matches!(node, Node::Mul(..) | Node::Add(..)))
            && has(|node| matches!(node, Node::And(..) | Node::Or(..) | Node::Tern(..)))
}

/// Returns the condition of at most `most` bits that a mask is made of; compilers choose by such masks. The mask is the
/// negative of the condition, or, with `true`, the condition less one, which is the complement of the negative.
pub(super) fn mask(terms: &Terms, term: Term, most: u32) -> Option<(Term, bool)> {
    let (bit, is_complement) = match *terms.node(term) {
        Node::Sub(zero, bit, None) if terms.is_zero(zero) => (bit, false),
        Node::Add(bit, ones, None) if terms.is_ones(ones) => (bit, true),
        _ => return None,
    };
    (terms.significant_bits(bit) <= most).then_some((bit, is_complement))
}

/// Whether two terms have the same value on the assignment of one trial.
fn agree(terms: &Terms, cone: &[Term], pair: (Term, Term), ranges: &Ranges, trial: u64) -> bool {
    let mut state = trial;
    let mut draw = if trial < TRIALS / 2 { Draw::random(trial) } else { Draw::rows(trial) };
    let mut inputs = Assignment::new();
    for term in cone {
        let &Node::Input(input) = terms.node(*term) else { continue };
        let limbs = terms.bits(*term).div_ceil(64);
        let mut value: SmallVec<[u64; 1]> = (0..limbs).map(|_| draw.word()).collect();
        if let Some((low, width)) = ranges.get(term).and_then(bounds) {
            // Values at the ends of a range cause carries.
            value[0] = match bits::random(&mut state) % 4 {
                0 => low,
                1 => low + width,
                _ => low + width.checked_add(1).map_or(value[0], |count| value[0] % count),
            };
        }
        inputs.set(input, &value);
    }
    let values = terms.evaluate(&[pair.0, pair.1], &inputs);
    values[0] == values[1]
}

/// Returns the least number of a range of words, and the distance to the largest.
fn bounds(range: &Interval) -> Option<(u64, u64)> {
    let (low, high) = (u64::try_from(&range.low).ok()?, u64::try_from(&range.high).ok()?);
    Some((low, high.checked_sub(low)?))
}

/// Returns the shape of a pair, in which inputs have no names: operations with the places of their operands, and the
/// ranges of inputs. If one of two pairs with the same shape is equal, so is the other.
fn shape(terms: &Terms, cone: &[Term], pair: (Term, Term), ranges: &Ranges) -> Box<[u64]> {
    let mut places: FxHashMap<Term, u64> = FxHashMap::default();
    let mut shape = Vec::with_capacity(4 * cone.len());
    for (place, &term) in (0..).zip(cone) {
        places.insert(term, place);
        let node = terms.node(term);
        let (kind, detail) = match node {
            Node::Input(_) => (0, 0),
            Node::Constant(limbs) => (1, limbs.len() as u64),
            Node::Not(_) => (2, 0),
            Node::And(..) => (3, 0),
            Node::Or(..) => (4, 0),
            Node::Xor(..) => (5, 0),
            Node::Tern(table, ..) => (6, u64::from(*table)),
            Node::Add(_, _, carry) => (7, u64::from(carry.is_some())),
            Node::Sub(_, _, borrow) => (8, u64::from(borrow.is_some())),
            Node::Mul(..) => (9, 0),
            Node::Extract(_, low) => (10, u64::from(*low)),
            Node::Concat(parts) => (11, parts.len() as u64),
            Node::Select(..) => (12, 0),
            Node::Equal(..) => (13, 0),
            Node::ClMul(..) => (14, 0),
        };
        shape.push(kind | u64::from(terms.bits(term)) << 8 | detail << 32);
        match node {
            Node::Constant(limbs) => shape.extend_from_slice(limbs),
            Node::Input(_) => match ranges.get(&term) {
                None => shape.push(0),
                Some(range) => {
                    for end in [&range.low, &range.high] {
                        let digits = end.to_signed_bytes_le();
                        shape.push(digits.len() as u64);
                        shape.extend(digits.iter().map(|&digit| u64::from(digit)));
                    }
                }
            },
            _ => shape.extend(node.operands().iter().map(|operand| places[operand])),
        }
    }
    shape.extend([places[&pair.0], places[&pair.1]]);
    shape.into()
}

#[cfg(test)]
mod tests {
    use culet_meaning::Domain;

    use culet_term::InputKind;

    use super::*;

    /// The lower word of a product of polynomials, by products of integers in which only every `spacing`-th bit may be
    /// set.
    fn by_integers(terms: &mut Terms, (a, b): (Term, Term), spacing: u32, lacking: Option<u32>) -> Term {
        let parts = |terms: &mut Terms, word: Term| -> Vec<Term> {
            let masks =
                (0..spacing).map(|first| (first..64).step_by(spacing as usize).fold(0, |mask, bit| mask | 1 << bit));
            let masks: Vec<Term> = masks.map(|mask| terms.constant_u64(64, mask)).collect();
            masks.into_iter().map(|mask| terms.and(word, mask)).collect()
        };
        let (of_a, of_b) = (parts(terms, a), parts(terms, b));
        let mut product = terms.zero(64);
        for residue in 0..spacing {
            let mut sum = terms.zero(64);
            for i in (0..spacing).filter(|&i| lacking != Some(i)) {
                let own = terms.mul(of_a[i as usize], of_b[((residue + spacing - i) % spacing) as usize]);
                sum = terms.xor(sum, own);
            }
            let kept = parts(terms, sum)[residue as usize];
            // Compilers add words that share no bit.
            product = if residue % 2 == 0 { terms.add(product, kept) } else { terms.xor(product, kept) };
        }
        product
    }

    #[test]
    fn integers_make_products_of_polynomials() {
        let mut terms = Terms::new();
        let (a, b) = (terms.fresh(InputKind::Word, "a", 64), terms.fresh(InputKind::Word, "b", 64));
        let meant = Domain::clmul(&mut terms, 64, &a, &b).0;
        let mut answer = |spacing, lacking| {
            let found = by_integers(&mut terms, (a, b), spacing, lacking);
            Equalities::default().compare(&mut terms, (found, meant), &Ranges::default(), &Budget::default())
        };
        assert_eq!(answer(5, None), Answer::Equal);
        assert_eq!(answer(8, None), Answer::Equal);
        // Eight ones may meet in one place.
        assert_eq!(answer(3, None), Answer::Open);
        assert_eq!(answer(5, Some(3)), Answer::Open);
    }

    #[test]
    fn rare_carries_are_met() {
        let mut terms = Terms::new();
        let words: Vec<Term> = (0..2).map(|i| terms.fresh(InputKind::Word, &format!("a[{i}]"), 64)).collect();
        let zero = terms.zero(64);
        // The carry of an added one runs through both words for one number only.
        let one = terms.ones(1);
        let carry = words.iter().fold(one, |carry, word| Domain::addc(&mut terms, 64, word, &zero, &carry).1);
        let pair = (carry, terms.zero(1));
        let cone = terms.cone(&[pair.0, pair.1]);
        let agrees = |trials: std::ops::Range<u64>| {
            let ranges = Ranges::default();
            trials.into_iter().all(|trial| agree(&terms, &cone, pair, &ranges, trial))
        };
        assert!(agrees(0..TRIALS / 2) && !agrees(0..TRIALS));
    }
}
