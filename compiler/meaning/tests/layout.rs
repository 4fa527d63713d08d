//! Layouts are bijections, the examples of the documentation hold, and packing follows the layouts.

use std::collections::HashSet;

use culet_diag::{FileId, Span};
use culet_meaning::Layout;
use culet_meaning::layout::{LayoutError, byte_length, byte_position};
use culet_meaning::packing::{bytes_to_words, image_length, pack, unpack, words_to_bytes};
use culet_testing::Rng;
use culet_types::program::{Atom, Body, ByteOrder, Node, NodeId, Program, Slicing, Ty, Var, VarId};

const SLICINGS: [Slicing; 3] = [Slicing::Vertical, Slicing::Horizontal, Slicing::Bitslice];
const ORDERS: [ByteOrder; 3] = [ByteOrder::Little, ByteOrder::Big, ByteOrder::Planes];
const REGISTERS: [u32; 5] = [32, 64, 128, 256, 512];

fn ty(slicing: Slicing, bits: u32, dims: &[u32]) -> Ty {
    Ty { atom: Atom { slicing, bits }, dims: dims.to_vec() }
}

/// A program with these parameters and no steps.
fn program(types: &[Ty]) -> Program {
    let span = Span::new(FileId(0), 0, 0);
    let vars = types.iter().enumerate().map(|(index, ty)| Var {
        name: format!("v{index}"),
        ty: ty.clone(),
        shared: false,
        public: false,
        stream: false,
        bytes: ByteOrder::Big,
        span,
    });
    let node = Node {
        name: "f".into(),
        symbol: "f".into(),
        span,
        inline: None,
        interleave: None,
        no_opt: false,
        instruction: None,
        given_as_public: Vec::new(),
        vars: vars.collect(),
        params: (0..types.len() as u32).map(VarId).collect(),
        returns: vec![],
        body: Body::Steps(vec![]),
        counters: 0,
    };
    Program { nodes: vec![node], entry: NodeId(0), fields: Vec::new() }
}

/// Every layout there is of one variable of 1 to 3 atoms.
fn for_all_layouts(mut check: impl FnMut(&Layout, &Ty)) {
    for slicing in SLICINGS {
        for bits in 1..=64 {
            for registers in REGISTERS {
                for (groups, atoms) in [(1, 3), (2, 2), (3, 1)] {
                    let ty = ty(slicing, bits, &[atoms]);
                    for make in [Layout::new, Layout::packed] {
                        match make(&program(std::slice::from_ref(&ty)), registers, groups) {
                            Ok(layout) => check(&layout, &ty),
                            Err(LayoutError::UnevenElements { .. }) => {
                                assert!(slicing == Slicing::Horizontal && registers.min(128) % bits != 0);
                            }
                            Err(error) => panic!("{error:?}"),
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn every_bit_of_every_instance_has_a_place_of_its_own() {
    let mut places = HashSet::new();
    for_all_layouts(|layout, ty| {
        places.clear();
        for instance in 0..layout.instances() {
            for atom in 0..ty.atoms() {
                for bit in 0..ty.atom.bits {
                    let at = layout.register_position(ty, instance, atom, bit);
                    assert!(at.group < layout.groups && at.register < layout.registers(ty), "{layout:?} {ty:?} {at:?}");
                    assert!(at.bit < layout.register_bits, "{layout:?} {ty:?} {at:?}");
                    assert!(places.insert(at), "{layout:?} {ty:?}: two bits at {at:?}");
                }
            }
        }
        let capacity = layout.groups * layout.registers(ty) * layout.register_bits;
        let is_full = ty.atom.slicing != Slicing::Vertical || ty.atom.bits == layout.lane_bits;
        assert!(!is_full || places.len() == capacity as usize, "{layout:?} {ty:?}: places without a bit");
    });
}

#[test]
fn every_bit_of_an_instance_has_a_place_in_its_bytes() {
    for order in ORDERS {
        for bits in 1..=64 {
            for dims in [&[][..], &[1], &[5], &[2, 4], &[3, 8], &[2, 3, 2]] {
                let ty = ty(Slicing::Vertical, bits, dims);
                let mut places = HashSet::new();
                for atom in 0..ty.atoms() {
                    for bit in 0..bits {
                        let (byte, position) = byte_position(&ty, order, atom, bit);
                        assert!(u64::from(byte) < byte_length(&ty) && position < 8);
                        assert!(places.insert((byte, position)), "{order:?} {ty:?}: two bits at {byte}.{position}");
                    }
                }
            }
        }
    }
}

#[test]
fn layouts_of_the_documentation() {
    let layout = |ty: &Ty, registers| Layout::new(&program(std::slice::from_ref(ty)), registers, 2).unwrap();
    let at = |layout: &Layout, ty: &Ty, instance, atom, bit| {
        let at = layout.register_position(ty, instance, atom, bit);
        (at.group, at.register, at.bit)
    };
    let vertical = ty(Slicing::Vertical, 32, &[4]);
    let on_sse = layout(&vertical, 128);
    assert_eq!((on_sse.instances_per_group, on_sse.instances()), (4, 8));
    assert_eq!(at(&on_sse, &vertical, 0, 2, 0), (0, 2, 31));
    assert_eq!(at(&on_sse, &vertical, 7, 1, 31), (1, 1, 96));
    let on_words = layout(&vertical, 64);
    assert_eq!((on_words.register_bits, on_words.instances_per_group), (32, 1));

    let bits = ty(Slicing::Bitslice, 8, &[2]);
    let on_words = layout(&bits, 64);
    assert_eq!((on_words.registers(&bits), on_words.instances()), (16, 128));
    assert_eq!(at(&on_words, &bits, 65, 1, 7), (1, 15, 1));

    let horizontal = ty(Slicing::Horizontal, 16, &[8]);
    let on_avx2 = layout(&horizontal, 256);
    assert_eq!((on_avx2.registers(&horizontal), on_avx2.instances_per_group), (8, 16));
    // Instance 0: bit 0 of each byte; instance 8: of each byte of the upper half.
    assert_eq!(at(&on_avx2, &horizontal, 0, 3, 0), (0, 3, 0));
    assert_eq!(at(&on_avx2, &horizontal, 0, 3, 1), (0, 3, 8));
    assert_eq!(at(&on_avx2, &horizontal, 5, 3, 15), (0, 3, 125));
    assert_eq!(at(&on_avx2, &horizontal, 8, 3, 1), (0, 3, 136));
}

#[test]
fn the_lane_is_that_of_the_widest_word() {
    let layout = |types: &[Ty], registers| Layout::new(&program(types), registers, 1);
    let vertical = |bits| ty(Slicing::Vertical, bits, &[]);
    let mixed = layout(&[vertical(8), vertical(64), vertical(1)], 512).unwrap();
    assert_eq!((mixed.lane_bits, mixed.instances_per_group), (64, 8));
    assert_eq!(layout(&[vertical(8), vertical(64)], 32).unwrap().register_bits, 64);
    assert_eq!(layout(&[vertical(1)], 64).unwrap().instances_per_group, 64);
    let bits = ty(Slicing::Bitslice, 5, &[]);
    assert_eq!(layout(&[vertical(1), bits.clone()], 64).unwrap().instances_per_group, 64);
    assert!(matches!(layout(&[vertical(8), bits], 64), Err(LayoutError::Mixed { .. })));
    let horizontal = |bits| ty(Slicing::Horizontal, bits, &[]);
    assert!(matches!(layout(&[horizontal(16), horizontal(8)], 128), Err(LayoutError::Mixed { .. })));
    assert!(matches!(layout(&[horizontal(64)], 32), Err(LayoutError::UnevenElements { .. })));
}

#[test]
fn bytes_of_the_documentation() {
    let words = |bits, dims: &[u32], order, bytes: &[u8]| {
        let ty = ty(Slicing::Vertical, bits, dims);
        let words = bytes_to_words(&ty, order, bytes);
        assert_eq!(words_to_bytes(&ty, order, &words), bytes);
        words
    };
    assert_eq!(words(32, &[2], ByteOrder::Big, &[1, 2, 3, 4, 5, 6, 7, 8]), [0x0102_0304, 0x0506_0708]);
    assert_eq!(words(32, &[2], ByteOrder::Little, &[1, 2, 3, 4, 5, 6, 7, 8]), [0x0403_0201, 0x0807_0605]);
    assert_eq!(words(64, &[], ByteOrder::Little, &[1, 2, 3, 4, 5, 6, 7, 0x88]), [0x8807_0605_0403_0201]);
    assert_eq!(words(1, &[8], ByteOrder::Big, &[0xa3]), [1, 0, 1, 0, 0, 0, 1, 1]);
    assert_eq!(words(4, &[3], ByteOrder::Big, &[0xab, 0xc0]), [0xa, 0xb, 0xc]);
    assert_eq!(words(12, &[2], ByteOrder::Big, &[0xab, 0xcd, 0xef]), [0xabc, 0xdef]);
    // Four planes of sixteen 4-bit elements, as in a bit-sliced 64-bit block: element k has bit k of every plane.
    let planes = words(16, &[4], ByteOrder::Planes, &[0x80, 0, 0, 0, 0, 0, 0, 0x01]);
    assert_eq!(planes, [0x8000, 0, 0, 0x0001]);
    // Eight planes: byte k of memory has bit k of planes 0 to 7, most significant first.
    let planes = words(2, &[8], ByteOrder::Planes, &[0b1000_0001, 0b0000_0011]);
    assert_eq!(planes, [0b10, 0, 0, 0, 0, 0, 0b01, 0b11]);
}

#[test]
fn padding_bits_are_zero_and_ignored() {
    let ty = ty(Slicing::Bitslice, 3, &[3]);
    assert_eq!(byte_length(&ty), 2);
    assert_eq!(bytes_to_words(&ty, ByteOrder::Big, &[0xff, 0xff]), [7, 7, 7]);
    assert_eq!(words_to_bytes(&ty, ByteOrder::Big, &[7, 7, 7]), [0xff, 0x80]);
}

fn random_bytes(rng: &mut Rng, layout: &Layout, ty: &Ty, order: ByteOrder, instances: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..instances {
        let words: Vec<u64> = (0..ty.atoms()).map(|_| rng.word(ty.atom.bits)).collect();
        bytes.extend(words_to_bytes(ty, order, &words));
    }
    assert!(layout.instances() > 0);
    bytes
}

#[test]
fn unpacking_undoes_packing() {
    let mut rng = Rng::new(1);
    for_all_layouts(|layout, ty| {
        let order = *rng.pick(&ORDERS);
        let bytes = random_bytes(&mut rng, layout, ty, order, layout.instances());
        let image = pack(layout, ty, order, false, &bytes);
        assert_eq!(image.len(), image_length(layout, ty, false));
        assert_eq!(unpack(layout, ty, order, &image), bytes, "{layout:?} {ty:?}");
    });
}

#[test]
fn a_shared_parameter_is_packed_as_if_all_instances_had_it() {
    let mut rng = Rng::new(2);
    for_all_layouts(|layout, ty| {
        let bytes = random_bytes(&mut rng, layout, ty, ByteOrder::Big, 1);
        let image = pack(layout, ty, ByteOrder::Big, true, &bytes);
        let all = bytes.repeat(layout.instances() as usize);
        let full = pack(layout, ty, ByteOrder::Big, false, &all);
        assert_eq!(full, image.repeat(layout.groups as usize), "{layout:?} {ty:?}");
    });
}

#[test]
fn vertical_registers_are_arrays_of_words() {
    let mut rng = Rng::new(3);
    for (bits, registers) in [(8, 128), (16, 256), (32, 512), (64, 128), (32, 32), (64, 64)] {
        let ty = ty(Slicing::Vertical, bits, &[3]);
        let layout = Layout::new(&program(std::slice::from_ref(&ty)), registers, 2).unwrap();
        let bytes = random_bytes(&mut rng, &layout, &ty, ByteOrder::Little, layout.instances());
        let image = pack(&layout, &ty, ByteOrder::Little, false, &bytes);
        let size = bits as usize / 8;
        let per_group = layout.instances_per_group as usize;
        // Little-endian words in little-endian registers: word `atom` of instance s is a slice of either.
        for (k, word) in image.chunks(size).enumerate() {
            let (group, atom, s) = (k / (3 * per_group), k / per_group % 3, k % per_group);
            let start = ((group * per_group + s) * 3 + atom) * size;
            assert_eq!(word, &bytes[start..start + size]);
        }
    }
}

#[test]
fn bitsliced_registers_hold_one_bit_of_each_instance() {
    let ty = ty(Slicing::Bitslice, 8, &[]);
    let layout = Layout::new(&program(std::slice::from_ref(&ty)), 64, 1).unwrap();
    let bytes: Vec<u8> = (0..64).collect();
    let image = pack(&layout, &ty, ByteOrder::Big, false, &bytes);
    let registers: Vec<u64> = image.chunks(8).map(|r| u64::from_le_bytes(r.try_into().unwrap())).collect();
    // Bit 5 of the numbers 0 to 63 is one in the upper half, bit 0 in every other.
    assert_eq!(registers[2], 0xffff_ffff_0000_0000);
    assert_eq!(registers[7], 0xaaaa_aaaa_aaaa_aaaa);
    assert_eq!(registers[0], 0);
}
