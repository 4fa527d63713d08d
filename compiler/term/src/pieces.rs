//! Bitwise operations on concatenations and masks, piece by piece.

use smallvec::SmallVec;

use crate::bitwise::Bitwise;
use crate::concat::Parts;
use crate::{Node, Term, Terms, limbs};

/// Depth of nesting at which constructors that would make several terms make the plain node instead.
pub(crate) const MAX_NESTING: u32 = 64;
/// Maximum number of pieces into which words are cut.
const MAX_PIECES: usize = 64;

/// The ends of the pieces, ascending; the last is the width.
type Ends = SmallVec<[u32; 8]>;

impl Terms {
    /// The operation piece by piece, if the operands suggest where to cut and the pieces are few.
    pub(crate) fn by_pieces(&mut self, operation: Bitwise, a: Term, b: Term) -> Option<Term> {
        if self.nesting >= MAX_NESTING {
            return None;
        }
        let ends = self.ends(operation, a, b)?;
        self.nesting += 1;
        let mut parts = Parts::new();
        let mut low = 0;
        for end in ends {
            let (x, y) = (self.extract(a, low, end - low), self.extract(b, low, end - low));
            parts.push(self.bitwise(operation, x, y));
            low = end;
        }
        self.nesting -= 1;
        Some(self.concat(&parts))
    }

    /// The places at which to cut the operands, of which only `b` may be a constant.
    fn ends(&self, operation: Bitwise, a: Term, b: Term) -> Option<Ends> {
        let mut ends = Ends::new();
        match (self.node(a), self.node(b)) {
            (Node::Concat(x), Node::Concat(y)) => {
                self.ends_of(x, &mut ends);
                self.ends_of(y, &mut ends);
                ends.sort_unstable();
                ends.dedup();
            }
            (Node::Concat(x), Node::Constant(_)) => self.ends_of(x, &mut ends),
            // Pieces beside a constant part vanish or stay unchanged.
            (Node::Concat(x), _) | (_, Node::Concat(x)) if operation != Bitwise::Xor => {
                if !x.iter().any(|&part| self.is_constant(part)) {
                    return None;
                }
                self.ends_of(x, &mut ends);
            }
            (_, Node::Constant(mask)) if operation != Bitwise::Xor => {
                let bits = self.bits(b);
                let most = (bits as usize / 8).clamp(8, MAX_PIECES);
                return runs(bits, mask, most);
            }
            _ => return None,
        }
        (ends.len() <= MAX_PIECES).then_some(ends)
    }

    fn ends_of(&self, parts: &[Term], ends: &mut Ends) {
        let mut end = 0;
        for &part in parts {
            end += self.bits(part);
            ends.push(end);
        }
    }
}

/// The ends of the runs of equal bits, if there are at most `most`.
fn runs(bits: u32, value: &[u64], most: usize) -> Option<Ends> {
    let mut ends = Ends::new();
    for end in 1..=bits {
        if end == bits || limbs::bit(value, end) != limbs::bit(value, end - 1) {
            if ends.len() == most {
                return None;
            }
            ends.push(end);
        }
    }
    Some(ends)
}
