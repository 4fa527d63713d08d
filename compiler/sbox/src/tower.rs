//! Circuits for boxes that are inversion in GF(2⁸) between two affine maps, such as that of AES, by the subfields
//! GF(2⁴) and GF(2²), after Itoh and Tsujii.
//!
//! For a basis (Y₁, Y₂) of GF(2⁸) over GF(2⁴), z = a·Y₁ + b·Y₂ has the norm
//! N = z·z¹⁶ = a²·N(Y₁) + a·b·Tr(Y₁·Y₂¹⁶) + b²·N(Y₂) ∈ GF(2⁴), and z⁻¹ = N⁻¹·(a·Y₁¹⁶ + b·Y₂¹⁶).
//!
//! A product in GF(2⁴) takes nine bit products by two applications of Karatsuba's method, of nine linear forms of each
//! factor. There is a choice of nine forms: GF(2⁴) has five subspaces of dimension one over GF(2²), hence five groups
//! of three forms, and any three groups suffice. The forms of a and b, and the squares in N, are linear in z and so in
//! the input of the box. N⁻¹ and its nine forms are a table of four inputs. The remaining parts are linear; the choice
//! of basis and groups determines their cost.

use crate::build::Builder;
use crate::circuit::{Circuit, Signal};
use crate::linear;
use crate::mux;
use crate::random::Random;
use crate::rewire::{self, Walk};
use crate::table::TableSpec;

/// A GF(2)-linear map of bytes, given by the images of the bits, least significant first.
pub type Matrix = [u8; 8];

/// The box x ↦ after·inverse(before·x ⊕ inner) ⊕ outer over GF(2)\[t\]/(t⁸ + t⁴ + t³ + t + 1), where 0⁻¹ = 0.
#[derive(Debug, Clone, Copy)]
pub struct InversionBox {
    pub before: Matrix,
    pub inner: u8,
    pub after: Matrix,
    pub outer: u8,
}

/// The identity as a [`Matrix`].
pub const IDENTITY: Matrix = [1, 2, 4, 8, 16, 32, 64, 128];

impl InversionBox {
    /// The box of AES (FIPS 197 §5.1.1).
    pub fn aes() -> InversionBox {
        let row = |bit: u32| 0x1f_u8.rotate_left(bit);
        InversionBox { before: IDENTITY, inner: 0, after: std::array::from_fn(|bit| row(bit as u32)), outer: 0x63 }
    }

    /// The inverse box of AES (FIPS 197 §5.3.2). The inverse of the rotations by 0, 1, 2, 3, 4 is the rotations by 1,
    /// 3, 6.
    pub fn aes_inverse() -> InversionBox {
        let before = std::array::from_fn(|bit| 0x4a_u8.rotate_left(bit as u32));
        InversionBox { before, inner: apply(&before, 0x63), after: IDENTITY, outer: 0 }
    }

    pub fn value(&self, x: u8) -> u8 {
        apply(&self.after, power(apply(&self.before, x) ^ self.inner, 254)) ^ self.outer
    }

    pub fn table(&self) -> TableSpec {
        let values = (0..=255).map(|x| u64::from(self.value(x))).collect();
        TableSpec { inputs: 8, outputs: 8, values }
    }
}

fn apply(matrix: &Matrix, x: u8) -> u8 {
    (0..8).filter(|bit| x >> bit & 1 == 1).fold(0, |sum, bit| sum ^ matrix[bit])
}

fn multiply(a: u8, b: u8) -> u8 {
    let mut product = 0;
    let mut shifted = a;
    for bit in 0..8 {
        if b >> bit & 1 == 1 {
            product ^= shifted;
        }
        shifted = shifted << 1 ^ if shifted & 0x80 == 0 { 0 } else { 0x1b };
    }
    product
}

fn power(x: u8, exponent: u32) -> u8 {
    (0..32).rev().fold(1, |power, bit| {
        let square = multiply(power, power);
        if exponent >> bit & 1 == 1 { multiply(square, x) } else { square }
    })
}

fn parity(x: u32) -> bool {
    x.count_ones() & 1 == 1
}

/// One choice of a way through the subfields.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    /// A basis of GF(2⁸) over GF(2⁴).
    pub basis: [u8; 2],
    /// The numbers of three of the five groups of forms.
    pub groups: [usize; 3],
    /// The coordinates of N: four independent forms on GF(2⁴), as sets of bits of [`Subfield`]'s coordinates.
    pub norm: [u32; 4],
}

impl Choice {
    pub fn random(random: &mut Random) -> Choice {
        let field = Subfield::new();
        let basis = loop {
            let [a, b] = [1 + random.below(255) as u8, 1 + random.below(255) as u8];
            if !field.elements.iter().any(|&c| multiply(a, c) == b) {
                break [a, b];
            }
        };
        let mut groups = [0, 1, 2, 3, 4];
        random.shuffle(&mut groups);
        let norm = loop {
            let norm: [u32; 4] = std::array::from_fn(|_| 1 + random.below(15) as u32);
            if (1..16_u32).all(|set| (0..4).filter(|i| set >> i & 1 == 1).fold(0, |sum, i| sum ^ norm[i]) != 0) {
                break norm;
            }
        };
        Choice { basis, groups: [groups[0], groups[1], groups[2]], norm }
    }
}

/// GF(2⁴) inside GF(2⁸).
struct Subfield {
    /// The elements by their coordinates: `elements[i]` has the coordinates `i`.
    elements: [u8; 16],
}

impl Subfield {
    fn new() -> Subfield {
        // g^17 generates the subfield's group; 1, h, h², h³ is a basis.
        let h = power(3, 17);
        let basis: [u8; 4] = std::array::from_fn(|i| power(h, i as u32));
        let element = |i: usize| (0..4).filter(|bit| i >> bit & 1 == 1).fold(0, |sum, bit| sum ^ basis[bit]);
        Subfield { elements: std::array::from_fn(element) }
    }

    fn coordinates(&self, x: u8) -> u32 {
        self.elements.iter().position(|&element| element == x).map_or(0, |i| i as u32)
    }

    /// The five groups of three forms. Two forms are in one group if their kernels intersect in a GF(2²)-line.
    fn groups(&self) -> [[u32; 3]; 5] {
        let omega = power(3, 85);
        let annihilates = |form: u32, x: u8| !parity(form & self.coordinates(x));
        let mut groups = Vec::new();
        let mut seen = [false; 16];
        for x in self.elements.into_iter().skip(1) {
            let forms: Vec<u32> =
                (1..16).filter(|&form| annihilates(form, x) && annihilates(form, multiply(omega, x))).collect();
            if !seen[forms[0] as usize] {
                forms.iter().for_each(|&form| seen[form as usize] = true);
                groups.push([forms[0], forms[1], forms[2]]);
            }
        }
        std::array::from_fn(|i| groups[i])
    }

    /// The product p·q as sums of the nine products of forms: for each coordinate of the product, the set of products.
    fn product(&self, forms: &[u32; 9]) -> [u32; 4] {
        // Bilinear forms have 16 bits: bit 4i + j is the coefficient of pᵢ·qⱼ.
        let bilinear = |f: u32, g: u32| (0..4).filter(|i| f >> i & 1 == 1).fold(0, |sum, i| sum | g << (4 * i));
        let span: Vec<u32> = forms.iter().map(|&form| bilinear(form, form)).collect();
        std::array::from_fn(|coordinate| {
            let mut wanted = 0;
            for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i, j))) {
                let product = self.coordinates(multiply(self.elements[1 << i], self.elements[1 << j]));
                wanted |= (product >> coordinate & 1) << (4 * i + j);
            }
            let sum = |set: u32| (0..9).filter(|k| set >> k & 1 == 1).fold(0, |sum, k| sum ^ span[k]);
            (0..1 << 9).find(|&set| sum(set) == wanted).expect("nine products span the multiplication")
        })
    }
}

/// A signal or its complement. Complements are free until they reach an `and` or an output.
#[derive(Debug, Clone, Copy)]
struct Literal {
    signal: Signal,
    complemented: bool,
}

fn and(builder: &mut Builder, a: Literal, b: Literal) -> Literal {
    let (x, y) = (a.signal, b.signal);
    match (a.complemented, b.complemented) {
        (false, false) => Literal { signal: builder.and(x, y), complemented: false },
        (false, true) => Literal { signal: builder.andn(x, y), complemented: false },
        (true, false) => Literal { signal: builder.andn(y, x), complemented: false },
        (true, true) => Literal { signal: builder.or(x, y), complemented: true },
    }
}

/// A sum of some of `terms`, plus a constant.
#[derive(Debug, Clone, Copy)]
struct Sum {
    terms: u64,
    constant: bool,
}

fn sums(builder: &mut Builder, terms: &[Literal], wanted: &[Sum], random: &mut Random) -> Vec<Literal> {
    let signals: Vec<Signal> = terms.iter().map(|term| term.signal).collect();
    let rows: Vec<u64> = wanted.iter().map(|sum| sum.terms).collect();
    let found = linear::synthesise(builder, &signals, &rows, random);
    let complements =
        |sum: &Sum| (0..terms.len()).filter(|&i| sum.terms >> i & 1 == 1 && terms[i].complemented).count();
    let literal =
        |(signal, sum): (Signal, &Sum)| Literal { signal, complemented: (complements(sum) % 2 == 1) != sum.constant };
    found.into_iter().zip(wanted).map(literal).collect()
}

/// A circuit of about 120 to 150 gates. `effort` is the work that is spent on the table in its middle (see [`Walk`]).
pub fn synthesise(inversion: &InversionBox, choice: &Choice, effort: u64, random: &mut Random) -> Circuit {
    let field = Subfield::new();
    let groups = field.groups();
    let forms: [u32; 9] = std::array::from_fn(|i| groups[choice.groups[i / 3]][i % 3]);
    let split = Split::new(&field, choice.basis);
    let mut builder = Builder::new(8);
    let inputs: Vec<Literal> =
        (0..8).map(|bit| Literal { signal: Signal::Input(7 - bit), complemented: false }).collect();

    // The linear forms of the input: nine of a, nine of b, and the squares in each coordinate of N.
    let of_input = |function: &dyn Fn(u8) -> bool| Sum {
        terms: (0..8).filter(|&bit| function(inversion.before[bit])).fold(0, |terms, bit| terms | 1 << bit),
        constant: function(inversion.inner),
    };
    let mut wanted: Vec<Sum> = Vec::new();
    for part in 0..2 {
        wanted.extend(forms.iter().map(|&form| of_input(&|z| parity(form & split.coordinates(z)[part]))));
    }
    wanted.extend(choice.norm.iter().map(|&norm| of_input(&|z| parity(norm & split.squares(&field, z)))));
    let linear = sums(&mut builder, &inputs, &wanted, random);
    let (a, rest) = linear.split_at(9);
    let (b, squares) = rest.split_at(9);

    // The coordinates of N, as sums of the nine products and the squares.
    let mut terms: Vec<Literal> = (0..9).map(|i| and(&mut builder, a[i], b[i])).collect();
    terms.extend(squares);
    let product = split.scaled_product(&field, &forms);
    let wanted: Vec<Sum> = (0..4)
        .map(|i| {
            let set = (0..4).filter(|c| choice.norm[i] >> c & 1 == 1).fold(0, |sum, c| sum ^ product[c]);
            Sum { terms: u64::from(set) | 1 << (9 + i), constant: false }
        })
        .collect();
    let norm = sums(&mut builder, &terms, &wanted, random);

    // The nine forms of N⁻¹.
    let middle = rewire::improve(
        &mux::synthesise(&inverse_table(&field, choice, &forms, &norm)),
        Walk { work: effort, slack: 4, seed: random.number() },
    );
    let inputs: Vec<Signal> = norm.iter().map(|literal| literal.signal).collect();
    let inverse: Vec<Literal> =
        builder.append(&middle, &inputs).into_iter().map(|signal| Literal { signal, complemented: false }).collect();

    // N⁻¹·a and N⁻¹·b, and the output as sums of these eighteen products.
    let mut terms: Vec<Literal> = (0..9).map(|i| and(&mut builder, inverse[i], a[i])).collect();
    terms.extend((0..9).map(|i| and(&mut builder, inverse[i], b[i])));
    let product = field.product(&forms);
    let wanted: Vec<Sum> = (0..8)
        .rev()
        .map(|bit| {
            let mut set = 0;
            for (part, coordinate) in (0..2).flat_map(|part| (0..4).map(move |c| (part, c))) {
                let conjugate = power(choice.basis[part], 16);
                let image = apply(&inversion.after, multiply(field.elements[1 << coordinate], conjugate));
                if image >> bit & 1 == 1 {
                    set ^= u64::from(product[coordinate]) << (9 * part);
                }
            }
            Sum { terms: set, constant: inversion.outer >> bit & 1 == 1 }
        })
        .collect();
    let outputs = sums(&mut builder, &terms, &wanted, random);
    let outputs = outputs
        .into_iter()
        .map(|Literal { signal, complemented }| if complemented { builder.not(signal) } else { signal })
        .collect();
    builder.finish(outputs)
}

/// The coordinates of elements z = a·Y₁ + b·Y₂.
struct Split {
    basis: [u8; 2],
    coordinates: Vec<[u32; 2]>,
}

impl Split {
    fn new(field: &Subfield, basis: [u8; 2]) -> Split {
        let mut coordinates = vec![[0; 2]; 256];
        for (i, a) in (0..).zip(field.elements) {
            for (j, b) in (0..).zip(field.elements) {
                coordinates[usize::from(multiply(a, basis[0]) ^ multiply(b, basis[1]))] = [i, j];
            }
        }
        Split { basis, coordinates }
    }

    fn coordinates(&self, z: u8) -> [u32; 2] {
        self.coordinates[usize::from(z)]
    }

    /// The part a²·N(Y₁) + b²·N(Y₂) of the norm.
    fn squares(&self, field: &Subfield, z: u8) -> u32 {
        let square = |part: usize| {
            let x = field.elements[self.coordinates(z)[part] as usize];
            multiply(multiply(x, x), power(self.basis[part], 17))
        };
        field.coordinates(square(0) ^ square(1))
    }

    /// The coordinates of a·b·Tr(Y₁·Y₂¹⁶) as sums of the nine products.
    fn scaled_product(&self, field: &Subfield, forms: &[u32; 9]) -> [u32; 4] {
        let [y, z] = self.basis;
        let trace = multiply(y, power(z, 16)) ^ multiply(power(y, 16), z);
        let product = field.product(forms);
        let mut scaled = [0; 4];
        for (i, set) in product.into_iter().enumerate() {
            let image = field.coordinates(multiply(field.elements[1 << i], trace));
            (0..4).filter(|c| image >> c & 1 == 1).for_each(|c| scaled[c] ^= set);
        }
        scaled
    }
}

/// The table from the coordinates of N, perhaps complemented, to the nine forms of N⁻¹.
fn inverse_table(field: &Subfield, choice: &Choice, forms: &[u32; 9], norm: &[Literal]) -> TableSpec {
    let mut values = vec![0; 16];
    for (coordinates, element) in (0_u32..).zip(field.elements) {
        let bit = |i: usize| parity(choice.norm[i] & coordinates) != norm[i].complemented;
        let index = (0..4).fold(0, |index, i| index << 1 | usize::from(bit(i)));
        let inverse = field.coordinates(power(element, 14));
        values[index] = forms.iter().fold(0, |value, &form| value << 1 | u64::from(parity(form & inverse)));
    }
    TableSpec { inputs: 4, outputs: 9, values }
}
