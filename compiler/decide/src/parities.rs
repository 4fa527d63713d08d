//! Bits of terms as sums modulo 2 of products of at most two unknown bits, which have one normal form.
//!
//! Polynomials over GF(2) need such sums: the coefficients of a product are such sums of the factors' coefficients, and
//! so are those of its remainder. A bit of an integer sum or product is such a sum, too, if nothing can be carried into
//! it: then it is the parity of the bits that meet in its column. If only every s-th bit of two words may be set, one
//! of s columns of their product is such a place, as long as fewer than 2^s products meet in each. Possible carries are
//! counted column by column, so that nothing need be known of such words. Nothing is said about other bits.

use std::rc::Rc;

use culet_term::{Node, Term, Terms};
use rustc_hash::FxHashMap;

use crate::effort::MAX_PARITY_PRODUCTS;

/// The product of no bits. Any other product holds the numbers of two bits, or that of one bit twice. Numbers of bits
/// are from 1 on, and the larger one is in the upper half.
const ONE: u64 = 0;

/// A sum modulo 2 of different products, in order: equal sums are equal for all values of the bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sum(Rc<[u64]>);

/// A bit; `None` if it is not known to be such a sum.
pub type Bit = Option<Sum>;

/// Terms whose bits are known as sums.
#[derive(Default)]
pub struct Parities {
    bits: FxHashMap<Term, Rc<[Bit]>>,
    /// Number of low bits that may be set in an input, if it is limited.
    lengths: FxHashMap<Term, u32>,
    /// Number of unknown bits that have numbers.
    unknowns: u32,
    /// Number of products in all sums.
    pub products: usize,
}

impl Sum {
    pub fn constant(bit: bool) -> Sum {
        Sum(if bit { Rc::new([ONE]) } else { Rc::new([]) })
    }

    /// Returns the bit with this number, from 1 on.
    fn unknown(number: u32) -> Sum {
        Sum(Rc::new([u64::from(number) << 32 | u64::from(number)]))
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the sum of products, which may be in any order and occur any number of times.
    fn of(mut products: Vec<u64>) -> Sum {
        products.sort_unstable();
        let odd = products.chunk_by(|a, b| a == b).filter(|equal| equal.len() % 2 == 1);
        Sum(odd.map(|equal| equal[0]).collect())
    }
}

/// Returns the product of two products; `None` if it has more than two bits.
fn times(a: u64, b: u64) -> Option<u64> {
    let parts = |product: u64| (product >> 32, product & u64::from(u32::MAX));
    let ((a_high, a_low), (b_high, b_low)) = (parts(a), parts(b));
    if a == ONE || b == ONE {
        return Some(a | b);
    }
    let (high, low) = (a_high.max(b_high), a_low.min(b_low));
    let are_those = [a_high, a_low, b_high, b_low].iter().all(|&bit| bit == high || bit == low);
    are_those.then_some(high << 32 | low)
}

impl Parities {
    /// Returns parities in which only the lowest bits of these inputs may be set, as many as given for each.
    pub fn of_lengths(lengths: impl IntoIterator<Item = (Term, u32)>) -> Parities {
        Parities { lengths: lengths.into_iter().collect(), ..Parities::default() }
    }

    /// Returns the bits of a term, least significant first.
    pub fn bits(&mut self, terms: &Terms, term: Term) -> Rc<[Bit]> {
        if let Some(known) = self.bits.get(&term) {
            return known.clone();
        }
        for part in terms.cone(&[term]) {
            if !self.bits.contains_key(&part) {
                let bits = self.made(terms, part);
                self.bits.insert(part, bits);
            }
        }
        self.bits[&term].clone()
    }

    /// Returns the sum of bits.
    pub fn sum<'b>(&mut self, bits: impl IntoIterator<Item = &'b Bit>) -> Bit {
        let mut products = Vec::new();
        let mut others = 0;
        let mut only = None;
        for bit in bits {
            let sum = bit.as_ref()?;
            if !sum.is_zero() {
                others += 1;
                only = Some(sum);
                products.extend_from_slice(&sum.0);
            }
        }
        match only {
            Some(only) if others == 1 => Some(only.clone()),
            _ => self.counted(products),
        }
    }

    /// Returns the sum of the products of pairs of bits.
    pub fn sum_of_products<'b>(&mut self, pairs: impl IntoIterator<Item = (&'b Bit, &'b Bit)>) -> Bit {
        let mut products = Vec::new();
        let are_known = pairs.into_iter().all(|pair| match pair {
            (Some(a), Some(b)) if self.products + products.len() + a.0.len() * b.0.len() <= MAX_PARITY_PRODUCTS => {
                let mut own = a.0.iter().flat_map(|&first| b.0.iter().map(move |&second| times(first, second)));
                own.all(|product| product.map(|product| products.push(product)).is_some())
            }
            (Some(zero), None) | (None, Some(zero)) => zero.is_zero(),
            _ => false,
        });
        let sum = self.counted(products);
        sum.filter(|_| are_known)
    }

    fn counted(&mut self, products: Vec<u64>) -> Bit {
        self.products += products.len();
        (self.products <= MAX_PARITY_PRODUCTS).then(|| Sum::of(products))
    }

    /// Returns `condition ? then : otherwise`.
    pub fn choice(&mut self, condition: &Bit, then: &Bit, otherwise: &Bit) -> Bit {
        if then == otherwise {
            return then.clone();
        }
        let difference = self.sum([then, otherwise]);
        let chosen = self.sum_of_products([(condition, &difference)]);
        self.sum([otherwise, &chosen])
    }

    /// Returns the bits of a term from the bits of its operands.
    fn made(&mut self, terms: &Terms, term: Term) -> Rc<[Bit]> {
        let width = terms.bits(term) as usize;
        let node = terms.node(term);
        let known: Vec<Rc<[Bit]>> = node.operands().iter().map(|operand| self.bits[operand].clone()).collect();
        let unknown = |count: usize| vec![None; count];
        let one = Some(Sum::constant(true));
        match node {
            Node::Input(_) => {
                let first = self.unknowns + 1;
                let length = self.lengths.get(&term).map_or(width, |&length| width.min(length as usize));
                self.unknowns += length as u32;
                let own = (first..=self.unknowns).map(Sum::unknown);
                own.chain(std::iter::repeat_n(Sum::constant(false), width - length)).map(Some).collect()
            }
            Node::Constant(limbs) => {
                (0..width).map(|bit| Some(Sum::constant(limbs[bit / 64] >> (bit % 64) & 1 == 1))).collect()
            }
            Node::Not(_) => known[0].iter().map(|bit| self.sum([bit, &one])).collect(),
            Node::Xor(..) => self.each(&known, |all, bits| all.sum(bits.iter().copied())),
            Node::And(..) => self.each(&known, |all, bits| all.sum_of_products([(bits[0], bits[1])])),
            Node::Or(..) => self.each(&known, |all, bits| {
                let both = all.sum_of_products([(bits[0], bits[1])]);
                all.sum([bits[0], bits[1], &both])
            }),
            Node::Tern(table, ..) => {
                let table = *table;
                self.each(&known, |all, bits| all.looked_up(table, bits))
            }
            // Compilers double a word this way.
            Node::Add(a, b, None) if a == b => {
                let zero = Some(Sum::constant(false));
                std::iter::once(&zero).chain(&known[0][..width - 1]).cloned().collect()
            }
            Node::Add(..) => {
                let of_column =
                    |column: usize| known.iter().filter_map(move |bits| bits.get(column)).filter(|bit| !is_zero(bit));
                let counts: Vec<u64> = (0..width).map(|column| of_column(column).count() as u64).collect();
                columns(&counts, |column| self.sum(of_column(column)))
            }
            Node::Mul(..) | Node::ClMul(..) => {
                let (a, b) = (&known[0], &known[1]);
                let of_column = |column: usize| {
                    let pairs = (0..=column).map(move |low| (&a[low], &b[column - low]));
                    pairs.filter(|(a, b)| !is_zero(a) && !is_zero(b))
                };
                if matches!(node, Node::ClMul(..)) {
                    return (0..width).map(|column| self.sum_of_products(of_column(column))).collect();
                }
                let counts: Vec<u64> = (0..width).map(|column| of_column(column).count() as u64).collect();
                columns(&counts, |column| self.sum_of_products(of_column(column)))
            }
            Node::Sub(_, _, None) if known[1].iter().all(is_zero) => known[0].clone(),
            // In the negative of a bit, every bit is that bit.
            Node::Sub(_, _, None) if known[0].iter().chain(&known[1][1..]).all(is_zero) => {
                vec![known[1][0].clone(); width].into()
            }
            Node::Sub(..) => unknown(width).into(),
            Node::Extract(_, low) => known[0][usize::from(*low)..][..width].into(),
            Node::Concat(_) => known.iter().flat_map(|part| part.iter().cloned()).collect(),
            Node::Select(..) => {
                let condition = &known[0][0];
                known[1]
                    .iter()
                    .zip(&*known[2])
                    .map(|(then, otherwise)| self.choice(condition, then, otherwise))
                    .collect()
            }
            Node::Equal(..) if known[0].len() == 1 => vec![self.sum([&known[0][0], &known[1][0], &one])].into(),
            Node::Equal(..) => unknown(1).into(),
        }
    }

    /// Applies a bitwise operation.
    fn each(&mut self, known: &[Rc<[Bit]>], mut of: impl FnMut(&mut Self, &[&Bit]) -> Bit) -> Rc<[Bit]> {
        let bits = 0..known[0].len();
        bits.map(|bit| of(self, &known.iter().map(|word| &word[bit]).collect::<Vec<_>>())).collect()
    }

    /// Returns the function of three bits whose value at (a, b, c) is bit `4a + 2b + c` of a table.
    fn looked_up(&mut self, table: u8, bits: &[&Bit]) -> Bit {
        let mut values: Vec<Bit> = (0..8).map(|at| Some(Sum::constant(table >> at & 1 == 1))).collect();
        for bit in bits.iter().rev() {
            values = values.chunks(2).map(|pair| self.choice(bit, &pair[1], &pair[0])).collect();
        }
        values.swap_remove(0)
    }
}

/// Whether a bit is 0 whatever the unknowns are.
pub fn is_zero(bit: &Bit) -> bool {
    bit.as_ref().is_some_and(Sum::is_zero)
}

/// Returns the bits of a sum that has `counts` bits in its columns; `parity` gives the parity of a column.
fn columns(counts: &[u64], mut parity: impl FnMut(usize) -> Bit) -> Rc<[Bit]> {
    let mut carried = 0;
    let mut bits = Vec::new();
    for (column, &count) in counts.iter().enumerate() {
        bits.push(match (count, carried) {
            (0, 0) => Some(Sum::constant(false)),
            (_, 0) => parity(column),
            _ => None,
        });
        // An upper bound of the number that is carried.
        carried = (count + carried) / 2;
    }
    bits.into()
}

#[cfg(test)]
mod tests;
