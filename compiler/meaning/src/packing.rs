//! The reference for packing: bytes of instances ↔ words of the interpreter, and bytes of instances ↔ registers of a
//! kernel, one bit at a time by the definitions in [`layout`](crate::layout). Generated packing code is tested against
//! these functions.

use culet_types::program::{ByteOrder, Program, Ty, Var};
use num_bigint::BigUint;

use crate::layout::{Layout, byte_length, byte_position};
use crate::{Value, reduced};

/// The words of one instance, atoms in order. `bytes` has [`byte_length`] bytes.
pub fn bytes_to_words(ty: &Ty, order: ByteOrder, bytes: &[u8]) -> Vec<u64> {
    assert_eq!(bytes.len() as u64, byte_length(ty), "one instance");
    let bit_at = |atom, bit| {
        let (byte, position) = byte_position(ty, order, atom, bit);
        u64::from(bytes[byte as usize] >> position & 1)
    };
    (0..ty.atoms()).map(|atom| (0..ty.atom.bits).fold(0, |word, bit| (word << 1) | bit_at(atom, bit))).collect()
}

/// The bytes of one instance; padding bits are zero.
pub fn words_to_bytes(ty: &Ty, order: ByteOrder, words: &[u64]) -> Vec<u8> {
    assert_eq!(words.len(), ty.atoms() as usize, "one word an atom");
    let mut bytes = vec![0; byte_length(ty) as usize];
    for (atom, word) in (0..).zip(words) {
        for bit in 0..ty.atom.bits {
            let (byte, position) = byte_position(ty, order, atom, bit);
            bytes[byte as usize] |= ((word >> (ty.atom.bits - 1 - bit) & 1) as u8) << position;
        }
    }
    bytes
}

/// An atom of a program that runs on machine words and integers.
pub type ConcreteValue = Value<u64, BigUint>;

/// The values of one instance of a parameter, atoms in order. `bytes` has [`byte_length`] bytes. Bytes that spell no
/// canonical form of an element are reduced.
pub fn bytes_to_values(program: &Program, var: &Var, bytes: &[u8]) -> Vec<ConcreteValue> {
    let Some(id) = var.ty.atom.field() else {
        return bytes_to_words(&var.ty, var.bytes, bytes).into_iter().map(Value::Word).collect();
    };
    assert_eq!(bytes.len() as u64, byte_length(&var.ty), "one instance");
    let field = program.field(id);
    let integer = if var.bytes == ByteOrder::Big { BigUint::from_bytes_be } else { BigUint::from_bytes_le };
    let elements = bytes.chunks(field.kind.bytes() as usize);
    elements.map(|own| Value::Element(reduced(field, integer(own)))).collect()
}

/// The bytes of one instance of a result; elements are canonical, padding bits are zero.
pub fn values_to_bytes(program: &Program, var: &Var, values: &[ConcreteValue]) -> Vec<u8> {
    let Some(id) = var.ty.atom.field() else {
        let words: Vec<u64> = values.iter().filter_map(word).collect();
        return words_to_bytes(&var.ty, var.bytes, &words);
    };
    let length = program.field(id).kind.bytes() as usize;
    let mut all = Vec::with_capacity(values.len() * length);
    for value in values {
        if let Value::Element(element) = value {
            let mut bytes = element.to_bytes_le();
            bytes.resize(length, 0);
            if var.bytes == ByteOrder::Big {
                bytes.reverse();
            }
            all.extend(bytes);
        }
    }
    all
}

fn word(value: &ConcreteValue) -> Option<u64> {
    match value {
        Value::Word(word) => Some(*word),
        Value::Element(_) => None,
    }
}

/// Bytes of the registers that hold a parameter or result: group by group, register by register, each register least
/// significant byte first. These are the contents of a kernel's arrays in the memory of a little-endian machine.
pub fn image_length(layout: &Layout, ty: &Ty, shared: bool) -> usize {
    (layout.own_groups(shared) * layout.registers(ty)) as usize * (layout.register_bits / 8) as usize
}

/// Packs the bytes of all instances, one after another, into the registers' image; a `shared` parameter has the bytes
/// of one instance, which all instances get.
pub fn pack(layout: &Layout, ty: &Ty, order: ByteOrder, shared: bool, bytes: &[u8]) -> Vec<u8> {
    let length = byte_length(ty) as usize;
    let given = if shared { 1 } else { layout.instances() as usize };
    assert_eq!(bytes.len(), given * length, "the bytes of {given} instances");
    let mut image = vec![0; image_length(layout, ty, shared)];
    let filled = layout.own_groups(shared) * layout.instances_per_group;
    for instance in 0..filled {
        let source = if shared { bytes } else { &bytes[instance as usize * length..][..length] };
        for atom in 0..ty.atoms() {
            for bit in 0..ty.atom.bits {
                let (byte, position) = byte_position(ty, order, atom, bit);
                let (to_byte, to_position) = image_position(layout, ty, instance, atom, bit);
                image[to_byte] |= (source[byte as usize] >> position & 1) << to_position;
            }
        }
    }
    image
}

/// Unpacks the registers' image of a result, or of a parameter that is not shared, to the bytes of all instances.
pub fn unpack(layout: &Layout, ty: &Ty, order: ByteOrder, image: &[u8]) -> Vec<u8> {
    assert_eq!(image.len(), image_length(layout, ty, false), "the registers of all groups");
    let length = byte_length(ty) as usize;
    let mut bytes = vec![0; layout.instances() as usize * length];
    for instance in 0..layout.instances() {
        let target = &mut bytes[instance as usize * length..][..length];
        for atom in 0..ty.atoms() {
            for bit in 0..ty.atom.bits {
                let (byte, position) = byte_position(ty, order, atom, bit);
                let (from_byte, from_position) = image_position(layout, ty, instance, atom, bit);
                target[byte as usize] |= (image[from_byte] >> from_position & 1) << position;
            }
        }
    }
    bytes
}

/// The byte of the image that holds a bit, and the bit's position in it from the least significant.
fn image_position(layout: &Layout, ty: &Ty, instance: u32, atom: u32, bit: u32) -> (usize, u32) {
    let at = layout.register_position(ty, instance, atom, bit);
    let register = (at.group * layout.registers(ty) + at.register) as usize;
    (register * (layout.register_bits / 8) as usize + at.bit as usize / 8, at.bit % 8)
}
