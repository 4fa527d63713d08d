//! Tests of sums against the values of their terms, on random inputs.

use culet_term::{Assignment, InputKind, Node, Term, Terms};
use culet_testing::Rng;
use rustc_hash::FxHashMap;

use super::{Bit, Parities, is_zero};

/// Returns unknown bits by their numbers, each with its input and its place in it.
fn places(parities: &mut Parities, terms: &Terms, inputs: &[Term]) -> FxHashMap<u64, (usize, u32)> {
    let mut places = FxHashMap::default();
    for (index, &input) in inputs.iter().enumerate() {
        for (place, bit) in (0..).zip(&*parities.bits(terms, input)) {
            places.insert(bit.as_ref().expect("it is known").0[0] >> 32, (index, place));
        }
    }
    places
}

/// Returns the value of a sum.
fn value(bit: &super::Sum, places: &FxHashMap<u64, (usize, u32)>, values: &[u64]) -> bool {
    let of =
        |number: u64| number == 0 || places.get(&number).is_some_and(|&(input, place)| values[input] >> place & 1 == 1);
    let ones = bit.0.iter().filter(|&&product| of(product >> 32) && of(product & u64::from(u32::MAX)));
    ones.count() % 2 == 1
}

/// Compares all known bits of a term with its value on some inputs, and returns their number.
fn known(terms: &Terms, term: Term, inputs: &[Term], random: &mut Rng) -> usize {
    let mut parities = Parities::default();
    let places = places(&mut parities, terms, inputs);
    let bits: Vec<Bit> = parities.bits(terms, term).to_vec();
    for _ in 0..12 {
        let values: Vec<u64> = inputs.iter().map(|_| random.draw() & random.draw() | random.draw() >> 7).collect();
        let mut assignment = Assignment::new();
        for (&input, &value) in inputs.iter().zip(&values) {
            let &Node::Input(number) = terms.node(input) else { unreachable!("they are inputs") };
            assignment.set(number, &[value & (u64::MAX >> (64 - terms.bits(input)))]);
        }
        let found = terms.evaluate(&[term], &assignment);
        for (place, bit) in bits.iter().enumerate().filter_map(|(place, bit)| Some((place, bit.as_ref()?))) {
            let expected = found[0][place / 64] >> (place % 64) & 1 == 1;
            assert_eq!(value(bit, &places, &values), expected, "bit {place} of {}", terms.print(&[term]));
        }
    }
    bits.iter().flatten().count()
}

#[test]
fn sums_are_what_terms_compute() {
    let mut random = Rng::new(3);
    let (mut all, mut sums) = (0, 0);
    for round in 0..600 {
        let mut terms = Terms::new();
        let inputs: Vec<Term> =
            (0..3).map(|input| terms.fresh(InputKind::Word, &format!("{input} of {round}"), 16)).collect();
        let mut words = inputs.clone();
        for _ in 0..8 {
            let mut any = |count: usize| words[random.below(count as u32) as usize];
            let (a, b, c) = (any(words.len()), any(words.len()), any(words.len()));
            let mask =
                terms.constant_u64(16, [0x1111, 0x2222, 0x4444, 0x8888, 0x00ff, 0x0101][random.below(6) as usize]);
            let (bit, low, zero) = (terms.extract(c, 3, 1), terms.extract(a, 0, 5), terms.zero(16));
            let word = match random.below(12) {
                0 | 1 => terms.xor(a, b),
                2 | 3 => terms.and(a, mask),
                4 => terms.and(a, b),
                5 => terms.or(a, b),
                6 => terms.add(a, b),
                7 => terms.mul(a, b),
                8 => terms.clmul(a, b),
                9 => terms.select(bit, a, b),
                10 => {
                    let high = terms.extract(b, 5, 11);
                    terms.concat(&[low, high])
                }
                _ => match random.below(3) {
                    0 => terms.not(a),
                    1 => terms.tern(random.below(256) as u8, a, b, c),
                    _ => {
                        let wide = terms.zero_extend(bit, 16);
                        terms.sub(zero, wide)
                    }
                },
            };
            words.push(word);
        }
        let last = words[words.len() - 1];
        all += 16;
        sums += known(&terms, last, &inputs, &mut random);
    }
    assert!(sums > all / 3 && sums < all, "{sums} of {all}");
}

/// Products of words with bits at every fourth place: one in which fewer than 16 bits meet anywhere, and one in which
/// 16 meet.
#[test]
fn gapped_words_have_products_without_carries() {
    let mut random = Rng::new(4);
    for (bits, mask, clean) in
        [(32, 0x1111_1111_u64, 16), (64, 0x0111_1111_1111_1111, 32), (64, 0x1111_1111_1111_1111, 16)]
    {
        let mut terms = Terms::new();
        let inputs = [terms.fresh(InputKind::Word, "a", bits), terms.fresh(InputKind::Word, "b", bits)];
        let mask = terms.constant_u64(bits, mask);
        let factors = inputs.map(|input| terms.and(input, mask));
        let factors = factors.map(|factor| terms.zero_extend(factor, 2 * bits));
        let product = terms.mul(factors[0], factors[1]);
        known(&terms, product, &inputs, &mut random);
        let bits = Parities::default().bits(&terms, product);
        let own: Vec<&Bit> = bits.iter().step_by(4).collect();
        let is_known = own.iter().take_while(|bit| bit.is_some()).count();
        assert_eq!(is_known, clean, "of {}", own.len());
        assert!(bits[1..4].iter().all(|bit| bit.is_none() || is_zero(bit)));
    }
}

/// Equal polynomials have equal sums: only every second bit of a square is left.
#[test]
fn sums_are_canonical() {
    let mut terms = Terms::new();
    let (a, b) = (terms.fresh(InputKind::Word, "a", 1), terms.fresh(InputKind::Word, "b", 1));
    let (sum, both) = (terms.xor(a, b), terms.and(a, b));
    let either = terms.or(a, b);
    let again = terms.tern(0b1001_0110, a, b, both);
    let mut parities = Parities::default();
    let [sum, either, again, a] = [sum, either, again, a].map(|term| parities.bits(&terms, term)[0].clone());
    assert!(sum.is_some() && sum != either && either == again);
    let square = parities.sum_of_products([(&sum, &sum)]);
    assert_eq!(square, sum);
    let cubic = parities.sum_of_products([(&square, &either)]);
    assert!(cubic.is_some(), "two unknowns");
    let c = terms.fresh(InputKind::Word, "c", 1);
    let c = parities.bits(&terms, c)[0].clone();
    assert_eq!(parities.sum_of_products([(&either, &c)]), None, "three");
    assert!(is_zero(&parities.sum([&a, &a])));
    let word = terms.fresh(InputKind::Word, "word", 9);
    let (twice, shifted) = (terms.add(word, word), terms.shl(word, 1));
    let mut short = Parities::of_lengths([(word, 4)]);
    assert!(short.bits(&terms, word).iter().map(is_zero).eq((0..9).map(|bit| bit >= 4)));
    assert!(twice != shifted && parities.bits(&terms, twice) == parities.bits(&terms, shifted));
}
