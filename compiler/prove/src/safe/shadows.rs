//! Words of an execution in which nothing is compared: addresses, lengths and constants are terms, and of a word that
//! is made from data only its width is known.
//!
//! An operation with an operand that is made from data gives a new word made from data, whatever the operation is; only
//! parts of a word stay parts of it, and words that are put together stay what they are. So an execution takes no memory for what it computes, and a branch or an address that depends on data is never decided.
//!
//! Of a word that follows from one bit alone it is known, too, which term it is for either value of the bit: compilers make flags, masks and
//! results of a condition before they branch on it.

use culet_decide::bits::{Budget, Comparison, Reason, Statistics, Verdict};
use culet_isa::Values;
use culet_meaning::Domain;
use culet_term::{Assignment, Input, InputKind, Node, Term, Terms};
use culet_types::program::Table;
use rustc_hash::FxHashMap;

use crate::single::linear::{Form, Forms};
use crate::symbolic::Symbolic;
use crate::unknown::Count;

/// A term, or a word made from data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Word {
    Term(Term),
    Data(Shadow),
}

/// A part of a word made from data, which has a number. Equal shadows are one word; nothing is said of different ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shadow {
    number: u64,
    /// The first bit of the part.
    low: u32,
    bits: u32,
    /// Whether some of the inputs that it is made from are secret.
    is_secret: bool,
    /// One of these inputs, a secret one if there is one, for messages.
    origin: Input,
}

#[derive(Default)]
pub struct Shadows {
    terms: Terms,
    /// Lengths and addresses of streams of any length, whose sums have one normal form.
    forms: Forms,
    /// Number of shadows that operations have made.
    made: u64,
    /// The words that shadows were put together from, the lowest first, where some of them are terms: compilers change one byte of a
    /// register that holds data, and read it again.
    pieces: FxHashMap<u64, [Word; 2]>,
    /// The shadows that follow from one bit alone.
    cases: FxHashMap<u64, Cases>,
    /// The bits that say whether two words are equal, of which one at least is made from data.
    equalities: FxHashMap<[Word; 2], Word>,
}

/// A word that follows from one bit: a shadow of one bit, and the terms that the word is where the bit is 0 and where it is 1.
#[derive(Debug, Clone, Copy)]
pub struct Cases {
    pub bit: Word,
    pub terms: [Term; 2],
}

/// Numbers from here on are those of shadows that operations made; smaller ones are those of inputs.
const FIRST_MADE: u64 = 1 << 32;

impl Shadows {
    /// An unknown public number.
    pub fn count(&mut self, what: Count) -> Term {
        self.forms.count(&mut self.terms, what)
    }

    /// Registers an unknown address.
    pub fn base(&mut self, base: Term) {
        self.forms.base(base);
    }

    /// Returns the term of a sum.
    pub fn sum(&mut self, form: &Form) -> Term {
        self.forms.term(&mut self.terms, form)
    }

    /// Returns the one term of all words that are the same sum.
    pub fn normal(&mut self, term: Term) -> Term {
        self.forms.normal(&mut self.terms, term)
    }

    fn of(&mut self, term: Term) -> Word {
        Word::Term(self.normal(term))
    }

    /// Number of words that were made from data so far.
    pub fn made(&self) -> u64 {
        self.made
    }

    /// Forgets the words that were made from data after a number of them: no state has one of them any more.
    pub fn forget_after(&mut self, made: u64) {
        self.made = made;
        self.pieces.retain(|&number, _| number <= FIRST_MADE + made);
        self.cases.retain(|&number, _| number <= FIRST_MADE + made);
        self.equalities.retain(|_, word| matches!(word, Word::Data(shadow) if shadow.number <= FIRST_MADE + made));
    }

    /// The cases of a word that is made from data, if it follows from one bit.
    pub fn cases(&mut self, word: &Word) -> Option<Cases> {
        let Word::Data(shadow) = *word else { return None };
        match self.cases.get(&shadow.number).copied() {
            Some(Cases { bit, terms }) => {
                let part = terms.map(|term| {
                    let bits = self.terms.bits(term);
                    self.extract(bits, &Word::Term(term), shadow.low, shadow.bits)
                });
                let [Word::Term(zero), Word::Term(one)] = part else { return None };
                Some(Cases { bit, terms: [zero, one] })
            }
            None if shadow.bits == 1 => {
                Some(Cases { bit: *word, terms: [0, 1].map(|value| self.terms.constant(1, value)) })
            }
            None => None,
        }
    }

    /// Returns the word that an operation makes of these, if those of them that are made from data all follow from the same bit.
    fn by_bit(&mut self, words: &[&Word], operation: impl Fn(&mut Self, &[Word]) -> Word) -> Option<Word> {
        let follows = |word: &&Word| match word {
            Word::Term(_) => true,
            Word::Data(shadow) => shadow.bits == 1 || self.cases.contains_key(&shadow.number),
        };
        if !words.iter().all(follows) {
            return None;
        }
        let mut bit = None;
        let mut operands = [[Word::Term(self.terms.constant(1, 0)); 3]; 2];
        for (place, word) in words.iter().enumerate() {
            let [zero, one] = match word {
                Word::Term(_) => [**word; 2],
                Word::Data(_) => {
                    let cases = self.cases(word)?;
                    if *bit.get_or_insert(cases.bit) != cases.bit {
                        return None;
                    }
                    cases.terms.map(Word::Term)
                }
            };
            (operands[0][place], operands[1][place]) = (zero, one);
        }
        let bit = bit?;
        let [Word::Term(zero), Word::Term(one)] = operands.map(|operands| operation(self, &operands[..words.len()]))
        else {
            return None;
        };
        if zero == one {
            return Some(Word::Term(zero));
        }
        let bits = self.terms.bits(zero);
        if bits == 1 && self.terms.value(zero) == Some(0) && self.terms.value(one) == Some(1) {
            return Some(bit);
        }
        let made = self.made_from(bits, &[&bit, &Word::Term(zero), &Word::Term(one)]);
        if let Word::Data(shadow) = made {
            self.cases.insert(shadow.number, Cases { bit, terms: [zero, one] });
        }
        Some(made)
    }

    /// Returns a new word of `bits` bits, made from these words, one of which is made from data.
    fn made_from(&mut self, bits: u32, words: &[&Word]) -> Word {
        let shadows = words.iter().filter_map(|word| match word {
            Word::Data(shadow) => Some(shadow),
            Word::Term(_) => None,
        });
        match shadows.reduce(|first, other| if other.is_secret && !first.is_secret { other } else { first }) {
            Some(&Shadow { is_secret, origin, .. }) => {
                let is_secret = is_secret || words.iter().any(|word| self.is_left_by_others(word));
                self.made += 1;
                Word::Data(Shadow { number: FIRST_MADE + self.made, low: 0, bits, is_secret, origin })
            }
            // No operation comes here: it computes with terms where all operands are terms.
            None => Word::Term(self.terms.fresh(InputKind::Undefined, "a word", bits)),
        }
    }

    /// Returns the two words, of so many bits, that an operation makes of these.
    fn two(
        &mut self,
        bits: [u32; 2],
        words: &[&Word],
        operation: impl Fn(&mut Self, &[Word]) -> (Word, Word),
    ) -> (Word, Word) {
        let first = self.by_bit(words, |values, words| operation(values, words).0);
        let second = self.by_bit(words, |values, words| operation(values, words).1);
        (
            first.unwrap_or_else(|| self.made_from(bits[0], words)),
            second.unwrap_or_else(|| self.made_from(bits[1], words)),
        )
    }

    /// Returns the word that has the bit `from` of this one at the place `to`, and zeros elsewhere.
    fn one_bit(&mut self, bits: u32, word: &Word, from: u32, to: u32) -> Word {
        let bit = self.extract(bits, word, from, 1);
        let (set, unset) = (self.constant(bits, 1 << to), Values::zero(self, bits));
        self.select(bits, &bit, &set, &unset)
    }

    /// Where the one bit of a constant is that has one bit.
    fn place_of_one_bit(&self, bits: u32, word: &Word) -> Option<u32> {
        let value = if bits <= 64 { self.known(bits, word) } else { None };
        value.filter(|value| value.is_power_of_two()).map(u64::trailing_zeros)
    }

    /// Whether a word is made from nothing but public data and addresses.
    pub fn is_public(&self, word: &Word) -> bool {
        match word {
            Word::Term(_) => !self.is_left_by_others(word),
            Word::Data(shadow) => !shadow.is_secret,
        }
    }

    /// Whether a term is made from something that others left in registers or on the stack, which may be secret.
    fn is_left_by_others(&self, word: &Word) -> bool {
        let is_left = |kind| !matches!(kind, InputKind::Address | InputKind::Count | InputKind::Public);
        match word {
            Word::Term(term) if self.terms.value(*term).is_none() => {
                Symbolic::depend(&self.terms, &[*term], is_left)[0]
            }
            _ => false,
        }
    }

    /// Returns the new word of two, one of which is made from data.
    fn put_together(&mut self, bits: u32, low: &Word, high: &Word) -> Word {
        let word = self.made_from(bits, &[high, low]);
        if let Word::Data(shadow) = word {
            self.pieces.insert(shadow.number, [*low, *high]);
        }
        word
    }

    /// Returns a part of a word made from data: where it lies in one of the words that this one was put together from, the part of that.
    fn part(&mut self, shadow: Shadow) -> Word {
        if self.cases.contains_key(&shadow.number) {
            let whole = Word::Data(shadow);
            return self.by_bit(&[&whole], |_, words| words[0]).unwrap_or(whole);
        }
        let Some([low, high]) = self.pieces.get(&shadow.number).copied() else { return Word::Data(shadow) };
        let (below, total) = (self.width(&low), self.width(&low) + self.width(&high));
        match shadow.low {
            from if from + shadow.bits <= below => self.extract(below, &low, from, shadow.bits),
            from if from >= below => self.extract(total - below, &high, from - below, shadow.bits),
            _ => Word::Data(shadow),
        }
    }

    fn is_zero(&self, word: &Word) -> bool {
        matches!(word, Word::Term(term) if self.terms.is_zero(*term))
    }

    fn is_ones(&self, word: &Word) -> bool {
        let Word::Term(term) = *word else { return false };
        let bits = self.terms.bits(term) as usize;
        let limb = |index: usize| u64::MAX >> (64 * (index + 1)).saturating_sub(bits).min(63);
        self.terms.constant_limbs(term).is_some_and(|limbs| (0..).zip(limbs).all(|(index, &own)| own == limb(index)))
    }
}

/// The word of a term that is computed.
macro_rules! word {
    ($values:ident, $term:expr) => {{
        let term = $term;
        $values.of(term)
    }};
}

/// An operation on two words, which are terms or known to be one of a few things; otherwise the result is a shadow.
macro_rules! operations {
    ($($name:ident |$values:ident, $bits:ident, $a:ident, $b:ident| $known:expr;)*) => {
        $(fn $name(&mut self, $bits: u32, $a: &Word, $b: &Word) -> Word {
            if let (Word::Term(a), Word::Term(b)) = ($a, $b) {
                return word!(self, Domain::$name(&mut self.terms, $bits, a, b));
            }
            let $values = self;
            let known: Option<Word> = $known;
            known
                .or_else(|| $values.by_bit(&[$a, $b], |values, words| values.$name($bits, &words[0], &words[1])))
                .unwrap_or_else(|| $values.made_from($bits, &[$a, $b]))
        })*
    };
}

/// An operation on one word that moves bits by a constant.
macro_rules! shifts {
    ($($name:ident)*) => {
        $(fn $name(&mut self, bits: u32, a: &Word, amount: u32) -> Word {
            match a {
                Word::Term(term) => word!(self, Domain::$name(&mut self.terms, bits, term, amount)),
                Word::Data(_) if amount == 0 => *a,
                Word::Data(_) => self
                    .by_bit(&[a], |values, words| values.$name(bits, &words[0], amount))
                    .unwrap_or_else(|| self.made_from(bits, &[a])),
            }
        })*
    };
}

impl Domain for Shadows {
    type Word = Word;

    operations! {
        and |values, bits, a, b| match (a, b) {
            (a, b) if a == b || values.is_ones(b) => Some(*a),
            (a, b) if values.is_ones(a) => Some(*b),
            (a, b) if values.is_zero(a) || values.is_zero(b) => Some(Values::zero(values, bits)),
            (a, b) => match (values.place_of_one_bit(bits, a), values.place_of_one_bit(bits, b)) {
                (_, Some(place)) => Some(values.one_bit(bits, a, place, place)),
                (Some(place), None) => Some(values.one_bit(bits, b, place, place)),
                (None, None) => None,
            },
        };
        or |values, bits, a, b| match (a, b) {
            (a, b) if a == b || values.is_zero(b) => Some(*a),
            (a, b) if values.is_zero(a) => Some(*b),
            (a, b) if values.is_ones(a) || values.is_ones(b) => Some(Values::ones(values, bits)),
            _ => None,
        };
        xor |values, bits, a, b| match (a, b) {
            (a, b) if a == b => Some(Values::zero(values, bits)),
            (a, b) if values.is_zero(b) => Some(*a),
            (a, b) if values.is_zero(a) => Some(*b),
            _ => None,
        };
        add |values, bits, a, b| match (a, b) {
            (a, b) if values.is_zero(b) => Some(*a),
            (a, b) if values.is_zero(a) => Some(*b),
            _ => None,
        };
        sub |values, bits, a, b| match (a, b) {
            (a, b) if a == b => Some(Values::zero(values, bits)),
            (a, b) if values.is_zero(b) => Some(*a),
            _ => None,
        };
        mul |values, bits, a, b| (values.is_zero(a) || values.is_zero(b)).then(|| Values::zero(values, bits));
    }

    shifts! { shl sar rotl }

    fn shr(&mut self, bits: u32, a: &Word, amount: u32) -> Word {
        match a {
            Word::Term(term) => word!(self, Domain::shr(&mut self.terms, bits, term, amount)),
            Word::Data(_) if amount == 0 => *a,
            // Compilers make 0 or 1 of the highest bit.
            Word::Data(_) if amount == bits - 1 => self.one_bit(bits, a, amount, 0),
            Word::Data(_) => self
                .by_bit(&[a], |values, words| values.shr(bits, &words[0], amount))
                .unwrap_or_else(|| self.made_from(bits, &[a])),
        }
    }

    fn constant(&mut self, bits: u32, value: u64) -> Word {
        word!(self, Domain::constant(&mut self.terms, bits, value))
    }

    fn not(&mut self, bits: u32, a: &Word) -> Word {
        match a {
            Word::Term(term) => word!(self, Domain::not(&mut self.terms, bits, term)),
            Word::Data(_) => self
                .by_bit(&[a], |values, words| values.not(bits, &words[0]))
                .unwrap_or_else(|| self.made_from(bits, &[a])),
        }
    }

    fn mul_wide(&mut self, bits: u32, a: &Word, b: &Word) -> (Word, Word) {
        match (a, b) {
            (Word::Term(a), Word::Term(b)) => {
                let (low, high) = Domain::mul_wide(&mut self.terms, bits, a, b);
                (self.of(low), self.of(high))
            }
            _ if self.is_zero(a) || self.is_zero(b) => (Values::zero(self, bits), Values::zero(self, bits)),
            _ => self.two([bits; 2], &[a, b], |values, words| values.mul_wide(bits, &words[0], &words[1])),
        }
    }

    fn clmul(&mut self, bits: u32, a: &Word, b: &Word) -> (Word, Word) {
        match (a, b) {
            (Word::Term(a), Word::Term(b)) => {
                let (low, high) = Domain::clmul(&mut self.terms, bits, a, b);
                (self.of(low), self.of(high))
            }
            _ if self.is_zero(a) || self.is_zero(b) => (Values::zero(self, bits), Values::zero(self, bits)),
            _ => self.two([bits; 2], &[a, b], |values, words| values.clmul(bits, &words[0], &words[1])),
        }
    }

    fn extract(&mut self, bits: u32, a: &Word, low: u32, length: u32) -> Word {
        match a {
            Word::Term(term) => word!(self, Domain::extract(&mut self.terms, bits, term, low, length)),
            Word::Data(shadow) => self.part(Shadow { low: shadow.low + low, bits: length, ..*shadow }),
        }
    }

    fn concat(&mut self, high_bits: u32, high: &Word, low_bits: u32, low: &Word) -> Word {
        match (high, low) {
            (Word::Term(high), Word::Term(low)) => {
                word!(self, Domain::concat(&mut self.terms, high_bits, high, low_bits, low))
            }
            (Word::Data(above), Word::Data(below))
                if below.number == above.number && below.low + below.bits == above.low =>
            {
                Word::Data(Shadow { bits: low_bits + high_bits, ..*below })
            }
            _ => self
                .by_bit(&[high, low], |values, words| values.concat(high_bits, &words[0], low_bits, &words[1]))
                .unwrap_or_else(|| self.put_together(high_bits + low_bits, low, high)),
        }
    }

    fn funnel(&mut self, bits: u32, high: &Word, low: &Word, amount: u32) -> Word {
        match (high, low) {
            (Word::Term(high), Word::Term(low)) => {
                word!(self, Domain::funnel(&mut self.terms, bits, high, low, amount))
            }
            _ if amount == 0 => *high,
            _ => self.made_from(bits, &[high, low]),
        }
    }

    fn broadcast_bit(&mut self, bits: u32, bit: &Word) -> Word {
        match bit {
            Word::Term(term) => word!(self, Domain::broadcast_bit(&mut self.terms, bits, term)),
            Word::Data(_) => self
                .by_bit(&[bit], |values, words| values.broadcast_bit(bits, &words[0]))
                .unwrap_or_else(|| self.made_from(bits, &[bit])),
        }
    }

    fn shuffle(&mut self, bits: u32, a: &Word, pattern: &[Option<u32>]) -> Word {
        match a {
            Word::Term(term) => word!(self, Domain::shuffle(&mut self.terms, bits, term, pattern)),
            Word::Data(_) => self.made_from(bits, &[a]),
        }
    }

    fn select(&mut self, bits: u32, condition: &Word, then: &Word, otherwise: &Word) -> Word {
        match (condition, then, otherwise) {
            (Word::Term(condition), Word::Term(then), Word::Term(otherwise)) => {
                word!(self, Domain::select(&mut self.terms, bits, condition, then, otherwise))
            }
            _ if then == otherwise => *then,
            _ => match self.known(1, condition) {
                Some(condition) => *if condition == 1 { then } else { otherwise },
                None => self
                    .by_bit(&[condition, then, otherwise], |values, words| {
                        values.select(bits, &words[0], &words[1], &words[2])
                    })
                    .unwrap_or_else(|| self.made_from(bits, &[condition, then, otherwise])),
            },
        }
    }

    fn tern(&mut self, bits: u32, table: u8, a: &Word, b: &Word, c: &Word) -> Word {
        match (a, b, c, table) {
            (Word::Term(a), Word::Term(b), Word::Term(c), _) => {
                word!(self, Domain::tern(&mut self.terms, bits, table, a, b, c))
            }
            (.., 0) => Values::zero(self, bits),
            (.., 0xff) => Values::ones(self, bits),
            _ => self.made_from(bits, &[a, b, c]),
        }
    }

    fn table(&mut self, bits: u32, table: &Table, inputs: &[Word]) -> Vec<Word> {
        let terms: Option<Vec<Term>> = inputs.iter().map(|input| self.term(input)).collect();
        match terms {
            Some(terms) => {
                let outputs = Domain::table(&mut self.terms, bits, table, &terms);
                outputs.into_iter().map(|output| self.of(output)).collect()
            }
            None => {
                let inputs: Vec<&Word> = inputs.iter().collect();
                (0..table.outputs).map(|_| self.made_from(bits, &inputs)).collect()
            }
        }
    }

    fn addc(&mut self, bits: u32, a: &Word, b: &Word, carry: &Word) -> (Word, Word) {
        match (a, b, carry) {
            (Word::Term(a), Word::Term(b), Word::Term(carry)) => {
                let (sum, carry) = Domain::addc(&mut self.terms, bits, a, b, carry);
                (self.of(sum), self.of(carry))
            }
            _ => {
                self.two([bits, 1], &[a, b, carry], |values, words| values.addc(bits, &words[0], &words[1], &words[2]))
            }
        }
    }

    fn subb(&mut self, bits: u32, a: &Word, b: &Word, borrow: &Word) -> (Word, Word) {
        match (a, b, borrow) {
            (Word::Term(a), Word::Term(b), Word::Term(borrow)) => {
                let (difference, borrow) = Domain::subb(&mut self.terms, bits, a, b, borrow);
                (self.of(difference), self.of(borrow))
            }
            _ if a == b && self.is_zero(borrow) => (Values::zero(self, bits), *borrow),
            _ => {
                self.two([bits, 1], &[a, b, borrow], |values, words| values.subb(bits, &words[0], &words[1], &words[2]))
            }
        }
    }
}

impl Values for Shadows {
    fn known(&self, bits: u32, a: &Word) -> Option<u64> {
        match a {
            Word::Term(term) => self.terms.known(bits, term),
            Word::Data(_) => None,
        }
    }

    fn undefined(&mut self, bits: u32) -> Word {
        Word::Term(self.terms.undefined(bits))
    }

    /// Different words all of whose bits are made from data give another such word.
    fn blurred(&mut self, bits: u32, from: &[&Word]) -> Option<Word> {
        let is_data = |word: &Word| matches!(word, Word::Data(shadow) if !self.pieces.contains_key(&shadow.number));
        let is_new = |place: usize| !from[..place].contains(&from[place]);
        let can_be = (0..from.len()).all(|place| is_data(from[place]) && is_new(place));
        can_be.then(|| self.made_from(bits, from))
    }

    fn join(&mut self, bits: u32, parts: &[Word]) -> Word {
        let terms: Option<Vec<Term>> = parts.iter().map(|part| self.term(part)).collect();
        match terms {
            Some(terms) => word!(self, self.terms.join(bits, &terms)),
            None if parts.len() == 1 => parts[0],
            None => self.made_from(bits * parts.len() as u32, &parts.iter().collect::<Vec<_>>()),
        }
    }

    fn zero(&mut self, bits: u32) -> Word {
        Word::Term(self.terms.zero(bits))
    }

    fn ones(&mut self, bits: u32) -> Word {
        Word::Term(self.terms.ones(bits))
    }

    fn equal(&mut self, bits: u32, a: &Word, b: &Word) -> Word {
        match (a, b) {
            (Word::Term(a), Word::Term(b)) => word!(self, Values::equal(&mut self.terms, bits, a, b)),
            _ if a == b => self.constant(1, 1),
            _ => self.by_bit(&[a, b], |values, words| values.equal(bits, &words[0], &words[1])).unwrap_or_else(|| {
                // A flag is computed where it is used, maybe by several instructions.
                if let Some(known) = self.equalities.get(&[*a, *b]) {
                    return *known;
                }
                let made = self.made_from(1, &[a, b]);
                self.equalities.insert([*a, *b], made);
                made
            }),
        }
    }

    fn sign_extend(&mut self, bits: u32, from_bits: u32, a: &Word) -> Word {
        match a {
            Word::Term(term) => word!(self, Values::sign_extend(&mut self.terms, bits, from_bits, term)),
            Word::Data(_) if bits == from_bits => *a,
            Word::Data(_) => self
                .by_bit(&[a], |values, words| values.sign_extend(bits, from_bits, &words[0]))
                .unwrap_or_else(|| self.made_from(bits, &[a])),
        }
    }

    fn count_ones(&mut self, bits: u32, a: &Word) -> Word {
        match a {
            Word::Term(term) => word!(self, Values::count_ones(&mut self.terms, bits, term)),
            Word::Data(_) => self.made_from(bits, &[a]),
        }
    }
}

impl Symbolic for Shadows {
    fn terms(&self) -> &Terms {
        &self.terms
    }

    fn terms_mut(&mut self) -> &mut Terms {
        &mut self.terms
    }

    /// An input that is data, secret or public, becomes a shadow; all terms that others make are constants, addresses, lengths or inputs.
    fn word(&self, term: Term) -> Word {
        match self.terms.node(term) {
            Node::Input(input) => {
                let is_secret = match self.terms.kind(*input) {
                    InputKind::Data => true,
                    InputKind::Public => false,
                    _ => return Word::Term(term),
                };
                let number = input.index() as u64;
                Word::Data(Shadow { number, low: 0, bits: self.terms.bits(term), is_secret, origin: *input })
            }
            _ => Word::Term(term),
        }
    }

    fn term(&self, word: &Word) -> Option<Term> {
        match word {
            Word::Term(term) => Some(*term),
            Word::Data(_) => None,
        }
    }

    fn width(&self, word: &Word) -> u32 {
        match word {
            Word::Term(term) => self.terms.bits(*term),
            Word::Data(shadow) => shadow.bits,
        }
    }

    fn unknown(&mut self, name: &str, bits: u32) -> Word {
        let term = self.terms.fresh(InputKind::Data, name, bits);
        self.word(term)
    }

    /// Compilers copy all bytes of a result that may be absent, and look only then whether it is there.
    fn anything(&mut self, bits: u32) -> Option<Word> {
        Some(self.unknown("what signal handlers may have left", bits))
    }

    fn inputs_of(&self, word: &Word) -> Vec<Input> {
        match word {
            Word::Term(term) => self.terms.inputs_of(term),
            Word::Data(shadow) => vec![shadow.origin],
        }
    }

    fn depend(&self, words: &[Word], wanted: fn(InputKind) -> bool) -> Vec<bool> {
        let depends = |word: &Word| match word {
            Word::Term(term) => Symbolic::depend(&self.terms, &[*term], wanted)[0],
            Word::Data(shadow) => wanted(if shadow.is_secret { InputKind::Data } else { InputKind::Public }),
        };
        words.iter().map(depends).collect()
    }

    /// Shadows have no values: they count as zero. No claim about results is made here, so that nothing is evaluated.
    fn evaluate(&self, words: &[Word], inputs: &Assignment) -> Vec<Box<[u64]>> {
        let value = |word: &Word| match word {
            Word::Term(term) => Symbolic::evaluate(&self.terms, &[*term], inputs).swap_remove(0),
            Word::Data(shadow) => vec![0; shadow.bits.div_ceil(64) as usize].into(),
        };
        words.iter().map(value).collect()
    }

    /// Of different shadows nothing is known.
    fn compare(&mut self, pairs: &[(Word, Word)], _: &Budget) -> Comparison {
        let open = pairs.iter().position(|(a, b)| a != b);
        let verdict = open
            .map_or(Verdict::Equal(Vec::new()), |output| Verdict::Undecided { output, reason: Reason::Unconfirmed });
        Comparison { verdict, statistics: Statistics::default() }
    }

    /// Returns the number of terms; shadows take no memory.
    fn gates(&self) -> usize {
        self.terms.len()
    }
}

#[cfg(test)]
mod tests {
    use culet_isa::Values;
    use culet_meaning::Domain;
    use culet_term::InputKind;

    use super::{Shadows, Word};
    use crate::symbolic::Symbolic;

    /// A word of 16 bits with its numbers where the bit is 0 and where it is 1.
    type Known = (Word, [u16; 2]);

    fn random(state: &mut u64) -> u64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *state >> 33
    }

    fn carryless(a: u16, b: u16) -> u32 {
        (0..16).filter(|bit| b >> bit & 1 == 1).fold(0, |sum, bit| sum ^ u32::from(a) << bit)
    }

    /// A word that a random operation makes of two others.
    fn operate(values: &mut Shadows, state: &mut u64, (a, of_a): Known, (b, of_b): Known) -> Known {
        let each = |made: fn(u16, u16) -> u16| [made(of_a[0], of_b[0]), made(of_a[1], of_b[1])];
        let amount = random(state) as u32 % 16;
        let of_amount = |made: fn(u16, u32) -> u16| of_a.map(|a| made(a, amount));
        match random(state) % 19 {
            0 => (values.and(16, &a, &b), each(|a, b| a & b)),
            1 => (values.or(16, &a, &b), each(|a, b| a | b)),
            2 => (values.xor(16, &a, &b), each(|a, b| a ^ b)),
            3 => (values.add(16, &a, &b), each(u16::wrapping_add)),
            4 => (values.sub(16, &a, &b), each(u16::wrapping_sub)),
            5 => (values.mul(16, &a, &b), each(u16::wrapping_mul)),
            6 => (values.not(16, &a), of_a.map(|a| !a)),
            7 => (values.shl(16, &a, amount), of_amount(|a, amount| a << amount)),
            8 => (values.shr(16, &a, amount), of_amount(|a, amount| a >> amount)),
            9 => (values.sar(16, &a, amount), of_amount(|a, amount| (a as i16 >> amount) as u16)),
            10 => {
                let (low, high) = (values.extract(16, &a, 0, 8), values.extract(16, &b, 8, 8));
                (values.concat(8, &low, 8, &high), each(|a, b| a << 8 | b >> 8))
            }
            11 => {
                let is_same = values.equal(16, &a, &b);
                (values.select(16, &is_same, &a, &b), each(|a, b| if a == b { a } else { b }))
            }
            12 => {
                let is_same = values.equal(16, &a, &b);
                (values.broadcast_bit(16, &is_same), each(|a, b| if a == b { u16::MAX } else { 0 }))
            }
            13 => {
                let low = values.extract(16, &a, 0, 8);
                (values.sign_extend(16, 8, &low), of_a.map(|a| a as i8 as u16))
            }
            14 => (values.mul_wide(16, &a, &b).1, each(|a, b| ((u32::from(a) * u32::from(b)) >> 16) as u16)),
            15 => (values.mul_wide(16, &a, &b).0, each(u16::wrapping_mul)),
            16 => (values.clmul(16, &a, &b).0, each(|a, b| carryless(a, b) as u16)),
            17 => (values.clmul(16, &a, &b).1, each(|a, b| (carryless(a, b) >> 16) as u16)),
            _ => {
                let borrow = values.constant(1, 0);
                let (_, borrow) = values.subb(16, &a, &b, &borrow);
                let (sum, _) = values.addc(16, &a, &b, &borrow);
                (sum, each(|a, b| a.wrapping_add(b).wrapping_add(u16::from(a < b))))
            }
        }
    }

    #[test]
    fn words_that_follow_from_one_bit_are_what_operations_make_of_its_values() {
        let mut state = 1;
        let mut differing = 0;
        for _ in 0..200 {
            let mut values = Shadows::default();
            let bit = values.terms_mut().fresh(InputKind::Data, "bit", 1);
            let bit = values.word(bit);
            let mask = values.broadcast_bit(16, &bit);
            let mut known: Vec<Known> = vec![(mask, [0, u16::MAX])];
            for _ in 0..40 {
                let number = random(&mut state) as u16;
                known.push((values.constant(16, number.into()), [number; 2]));
                let [a, b] = [0; 2].map(|_| known[random(&mut state) as usize % known.len()]);
                let (word, numbers) = operate(&mut values, &mut state, a, b);
                let terms = match values.cases(&word) {
                    Some(cases) => {
                        assert_eq!(cases.bit, bit);
                        differing += 1;
                        cases.terms
                    }
                    None => [values.term(&word).expect("a word that follows from the bit has terms"); 2],
                };
                assert_eq!(terms.map(|term| values.terms().value(term)), numbers.map(|number| Some(number.into())));
                known.push((word, numbers));
            }
        }
        assert!(differing > 1000, "{differing} words differ by the bit");
    }

    /// A word that follows from two bits is a word of which nothing is known.
    #[test]
    fn words_of_two_bits_have_no_cases() {
        let mut values = Shadows::default();
        let [a, b] = ["a", "b"].map(|name| {
            let bit = values.terms_mut().fresh(InputKind::Data, name, 1);
            let bit = values.word(bit);
            values.broadcast_bit(16, &bit)
        });
        let both = values.and(16, &a, &b);
        assert!(values.cases(&both).is_none() && values.term(&both).is_none());
    }
}
