//! Extraction of neighbouring bits of a word.

use smallvec::SmallVec;

use crate::{Node, Term, Terms, limbs};

/// Maximum depth of sums in which an extended operand is searched.
const MAX_LOOK: u32 = 4;

/// Bits `low..low + bits` of a term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Slice {
    term: Term,
    low: u16,
    bits: u16,
}

impl Terms {
    /// Bits `low..low + bits` of `a`, counted from the least significant.
    pub fn extract(&mut self, a: Term, low: u32, bits: u32) -> Term {
        assert!(bits >= 1 && low + bits <= self.bits(a), "bits {low}..{low}+{bits} of {} bits", self.bits(a));
        let wanted = Slice { term: a, low: low as u16, bits: bits as u16 };
        if let Some(done) = self.direct(wanted) {
            return done;
        }
        // The graph below may be deep, so that an explicit stack of slices is used: each slice is built after those of
        // its operands.
        self.nesting += 1;
        let mut stack = vec![wanted];
        while let Some(&slice) = stack.last() {
            if self.direct(slice).is_some() {
                stack.pop();
                continue;
            }
            let before = stack.len();
            for operand in self.operands_of(slice) {
                if self.direct(operand).is_none() {
                    stack.push(operand);
                }
            }
            if stack.len() == before {
                stack.pop();
                self.move_inside(slice);
            }
        }
        self.nesting -= 1;
        self.direct(wanted).expect("the slice has just been built")
    }

    /// The slice, if it exists already or takes one node.
    fn direct(&mut self, slice: Slice) -> Option<Term> {
        if let Some(known) = self.known_slice(slice) {
            return Some(known);
        }
        let Slice { term, low, bits } = slice;
        let (low, bits) = (u32::from(low), u32::from(bits));
        match self.node(term) {
            Node::Constant(value) => {
                let value = limbs::extract(value, low, bits);
                Some(self.constant_wide(bits, &value))
            }
            &Node::Extract(inner, inner_low) => Some(self.intern(Node::Extract(inner, inner_low + low as u16), bits)),
            Node::Input(_) => Some(self.intern(Node::Extract(term, low as u16), bits)),
            Node::Add(..) | Node::Sub(..) | Node::Mul(..) | Node::ClMul(..) if !self.truncates(slice) => {
                Some(self.intern(Node::Extract(term, low as u16), bits))
            }
            _ => None,
        }
    }

    /// The slice if it exists already. Makes no nodes, so that it can be used for joining neighbours.
    fn known_slice(&self, slice: Slice) -> Option<Term> {
        let Slice { term, low, bits } = slice;
        if low == 0 && u32::from(bits) == self.bits(term) {
            return Some(term);
        }
        match self.node(term) {
            Node::Constant(_) => None,
            &Node::Extract(inner, inner_low) => self.find(&Node::Extract(inner, inner_low + low), u32::from(bits)),
            Node::Input(_) => self.find(&Node::Extract(term, low), u32::from(bits)),
            Node::Add(..) | Node::Sub(..) | Node::Mul(..) | Node::ClMul(..) if !self.truncates(slice) => {
                self.find(&Node::Extract(term, low), u32::from(bits))
            }
            _ => self.slices.get(&slice).copied(),
        }
    }

    /// Whether a slice of a sum or product should become a sum or product of lower bits of the operands. That is so
    /// only if the slice begins at the lowest bit and ends where an operand has been extended or joined. In other
    /// places it would make a second sum without benefit.
    fn truncates(&self, slice: Slice) -> bool {
        slice.low == 0 && self.ends_at(slice.term, slice.bits, MAX_LOOK)
    }

    fn ends_at(&self, term: Term, end: u16, look: u32) -> bool {
        match self.node(term) {
            Node::Concat(parts) => {
                let mut above = 0;
                parts.iter().any(|part| {
                    above += self.widths[part.index()];
                    above == end
                })
            }
            &Node::Add(a, b, _) | &Node::Sub(a, b, _) | &Node::Mul(a, b) | &Node::ClMul(a, b) if look > 0 => {
                self.ends_at(a, end, look - 1) || self.ends_at(b, end, look - 1)
            }
            _ => false,
        }
    }

    /// The slices into which a slice of a bitwise operation is cut: at the places where slices of the operation have
    /// begun or ended before. Without a limit, words that are rotated again and again would be cut at every pair of
    /// bits; therefore there are at most as many slices as bits.
    fn cut(&mut self, slice: Slice) -> SmallVec<[Slice; 4]> {
        let Slice { term, low, bits } = slice;
        let is_bitwise = matches!(
            self.node(term),
            Node::Not(_) | Node::And(..) | Node::Or(..) | Node::Xor(..) | Node::Tern(..) | Node::Select(..)
        );
        if !is_bitwise {
            return SmallVec::from_slice(&[slice]);
        }
        let cuts = self.cuts.entry(term).or_default();
        for end in [low, low + bits] {
            if let Err(place) = cuts.binary_search(&end) {
                cuts.insert(place, end);
            }
        }
        let within: SmallVec<[u16; 8]> = cuts.iter().copied().filter(|cut| (low..=low + bits).contains(cut)).collect();
        within.windows(2).map(|ends| Slice { term, low: ends[0], bits: ends[1] - ends[0] }).collect()
    }

    /// The slices that are needed for the slice of an operation: slices of its operands, or narrower ones of itself.
    fn operands_of(&mut self, slice: Slice) -> SmallVec<[Slice; 4]> {
        let pieces = self.cut(slice);
        if pieces.len() > 1 {
            return pieces;
        }
        let of = |&term: &Term| Slice { term, ..slice };
        match self.node(slice.term) {
            Node::Not(a) => [a].into_iter().map(of).collect(),
            Node::And(a, b)
            | Node::Or(a, b)
            | Node::Xor(a, b)
            | Node::Select(_, a, b)
            | Node::Add(a, b, _)
            | Node::Sub(a, b, _)
            | Node::Mul(a, b)
            | Node::ClMul(a, b) => [a, b].into_iter().map(of).collect(),
            Node::Tern(_, a, b, c) => [a, b, c].into_iter().map(of).collect(),
            Node::Concat(parts) => self.covered(parts, slice),
            Node::Input(_) | Node::Constant(_) | Node::Extract(..) | Node::Equal(..) => {
                unreachable!("a slice of it takes one node")
            }
        }
    }

    /// The slices of `parts` that a slice of their concatenation covers.
    fn covered(&self, parts: &[Term], slice: Slice) -> SmallVec<[Slice; 4]> {
        let (low, high) = (slice.low, slice.low + slice.bits);
        let mut covered = SmallVec::new();
        let mut start = 0;
        for &term in parts {
            let end = start + self.widths[term.index()];
            let (from, to) = (low.max(start), high.min(end));
            if from < to {
                covered.push(Slice { term, low: from - start, bits: to - from });
            }
            if end >= high {
                break;
            }
            start = end;
        }
        covered
    }

    /// Builds and stores the slice of an operation. The slices of the operands must exist.
    fn move_inside(&mut self, slice: Slice) {
        let mut parts: SmallVec<[Term; 4]> = SmallVec::new();
        let operands = self.operands_of(slice);
        let is_cut = operands[0].term == slice.term;
        for operand in operands {
            parts.push(self.direct(operand).expect("operands come first"));
        }
        if is_cut {
            let result = self.concat(&parts);
            self.slices.insert(slice, result);
            return;
        }
        let result = match *self.node(slice.term) {
            Node::Not(_) => self.not(parts[0]),
            Node::And(..) => self.and(parts[0], parts[1]),
            Node::Or(..) => self.or(parts[0], parts[1]),
            Node::Xor(..) => self.xor(parts[0], parts[1]),
            Node::Tern(table, ..) => self.tern(table, parts[0], parts[1], parts[2]),
            Node::Select(condition, ..) => self.select(condition, parts[0], parts[1]),
            Node::Add(_, _, carry) => self.add_carry(parts[0], parts[1], carry),
            Node::Sub(_, _, borrow) => self.sub_borrow(parts[0], parts[1], borrow),
            Node::Mul(..) => self.mul(parts[0], parts[1]),
            Node::ClMul(..) => self.clmul(parts[0], parts[1]),
            Node::Concat(_) => self.concat(&parts),
            Node::Input(_) | Node::Constant(_) | Node::Extract(..) | Node::Equal(..) => {
                unreachable!("a slice of it takes one node")
            }
        };
        self.slices.insert(slice, result);
        if !matches!(self.node(slice.term), Node::Concat(_)) {
            self.origins.insert(result, (slice.term, slice.low));
        }
    }

    /// The slice that `high` directly above `low` form together, if both are neighbours in one term.
    pub(crate) fn joined_slice(&mut self, low: Term, high: Term) -> Option<Term> {
        let (low_bits, high_bits) = (self.widths[low.index()], self.widths[high.index()]);
        let above = self.origin(high).and_then(|(term, at)| {
            let start = at.checked_sub(low_bits)?;
            let found = self.known_slice(Slice { term, low: start, bits: low_bits })?;
            (found == low).then_some((term, start))
        });
        let common = above.or_else(|| {
            let (term, start) = self.origin(low)?;
            let end = start + low_bits;
            if end + high_bits > self.widths[term.index()] {
                return None;
            }
            let found = self.known_slice(Slice { term, low: end, bits: high_bits })?;
            (found == high).then_some((term, start))
        });
        let (term, start) = common?;
        let whole = Slice { term, low: start, bits: low_bits + high_bits };
        match self.direct(whole) {
            Some(known) => Some(known),
            None if self.nesting < crate::pieces::MAX_NESTING && !self.cuts.contains_key(&term) => {
                Some(self.extract(term, u32::from(start), u32::from(whole.bits)))
            }
            None => None,
        }
    }

    /// A wider term from which `term` was extracted, and the lowest extracted bit.
    pub(crate) fn origin(&self, term: Term) -> Option<(Term, u16)> {
        match *self.node(term) {
            Node::Extract(inner, low) => Some((inner, low)),
            _ => self.origins.get(&term).copied(),
        }
    }
}
