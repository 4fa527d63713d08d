//! Concatenation of words.

use smallvec::SmallVec;

use crate::{Node, Term, Terms, limbs};

pub(crate) type Parts = SmallVec<[Term; 8]>;

impl Terms {
    /// The concatenation of the parts, least significant first. Panics if there are none.
    pub fn concat(&mut self, parts: &[Term]) -> Term {
        assert!(!parts.is_empty(), "a concatenation has parts");
        if let [part] = parts {
            return *part;
        }
        let mut joined = Parts::new();
        for &part in parts {
            match self.node(part) {
                Node::Concat(inner) => {
                    let inner = Parts::from_slice(inner);
                    inner.into_iter().for_each(|part| self.append(&mut joined, part));
                }
                _ => self.append(&mut joined, part),
            }
        }
        self.rejoin(&mut joined);
        if let [part] = joined[..] {
            return part;
        }
        let bits = joined.iter().map(|&part| self.bits(part)).sum();
        self.intern(Node::Concat(joined.into_vec().into()), bits)
    }

    /// Replaces neighbours that together are all slices of a term by that term.
    fn rejoin(&self, parts: &mut Parts) {
        let mut from = 0;
        while from < parts.len() {
            if let Some((whole, count)) = self.whole_of(&parts[from..]) {
                parts.drain(from + 1..from + count);
                parts[from] = whole;
            }
            from += 1;
        }
    }

    /// The term whose slices are the first of these parts, and the number of those slices.
    fn whole_of(&self, parts: &[Term]) -> Option<(Term, usize)> {
        let (whole, _) = self.origin(parts[0]).filter(|&(_, low)| low == 0)?;
        let mut end = 0;
        for (index, &part) in parts.iter().enumerate() {
            let (term, low) = self.origin(part)?;
            if term != whole || u32::from(low) != end {
                return None;
            }
            end += self.bits(part);
            if end == self.bits(whole) {
                return (index > 0).then_some((whole, index + 1));
            }
        }
        None
    }

    /// The parts of a concatenation, least significant first. Any other term is its own only part.
    pub fn parts(&self, term: Term) -> SmallVec<[Term; 8]> {
        match self.node(term) {
            Node::Concat(parts) => Parts::from_slice(parts),
            _ => Parts::from_slice(&[term]),
        }
    }

    /// Appends one more part at the top, merged with its lower neighbours where that is possible.
    fn append(&mut self, parts: &mut Parts, part: Term) {
        let mut part = part;
        while let Some(&below) = parts.last() {
            let Some(joined) = self.join(below, part) else { break };
            parts.pop();
            part = joined;
        }
        parts.push(part);
    }

    /// One term for two neighbours, if there is a simpler one.
    fn join(&mut self, low: Term, high: Term) -> Option<Term> {
        if let (Some(a), Some(b)) = (self.constant_limbs(low), self.constant_limbs(high)) {
            let bits = self.bits(low) + self.bits(high);
            let mut value = limbs::fit(bits, a);
            limbs::place(&mut value, self.bits(low), b);
            return Some(self.constant_wide(bits, &value));
        }
        self.join_masks(low, high).or_else(|| {
            let slice = self.joined_slice(low, high)?;
            (!matches!(self.node(slice), Node::Concat(_))).then_some(slice)
        })
    }

    /// Merges neighbours that are choices among constants by the same condition into one choice.
    fn join_masks(&mut self, low: Term, high: Term) -> Option<Term> {
        let (condition, low_then, low_otherwise) = self.choice(low)?;
        let (other, high_then, high_otherwise) = self.choice(high)?;
        if condition != other {
            return None;
        }
        let then = self.concat(&[low_then, high_then]);
        let otherwise = self.concat(&[low_otherwise, high_otherwise]);
        Some(self.select(condition, then, otherwise))
    }

    /// A term as `condition ? constant : constant`. Every single bit has this form.
    fn choice(&mut self, term: Term) -> Option<(Term, Term, Term)> {
        if let Node::Select(condition, then, otherwise) = *self.node(term) {
            let constant = self.is_constant(then) && self.is_constant(otherwise);
            return constant.then_some((condition, then, otherwise));
        }
        if self.bits(term) != 1 || self.is_constant(term) {
            return None;
        }
        let (zero, one) = (self.zero(1), self.ones(1));
        match *self.node(term) {
            Node::Not(inner) => Some((inner, zero, one)),
            _ => Some((term, one, zero)),
        }
    }
}
