//! Hashes through the traits of the crate `digest`: its own tests, with what other crates compute.

use blake2::digest::consts::{U20, U32, U64};
use culet::hash::{
    AsconHash256, AsconXof128, Blake2b, Blake2s, Sha3_224, Sha3_256, Sha3_384, Sha3_512, Sha224, Sha256, Sha384,
    Sha512, Sha512_256, Shake128, Shake256,
};
use digest::common::BlockSizeUser;
use digest::dev::{TestVector, fixed_reset_test, xof_reset_test};
use digest::{Digest, ExtendableOutputReset, FixedOutputReset, HashMarker};

use crate::support::Random;

/// Messages up to two blocks of the longest kind, which the tests cut into pieces.
const LENGTHS: [usize; 14] = [0, 1, 3, 55, 56, 64, 71, 72, 111, 112, 128, 137, 200, 300];

fn messages() -> impl Iterator<Item = &'static [u8]> {
    let mut random = Random::new(61);
    LENGTHS.into_iter().map(move |length| &*random.vector(length).leak())
}

fn fixed<D>(other: impl Fn(&[u8]) -> Vec<u8>)
where
    D: FixedOutputReset + Clone + Default + HashMarker,
{
    for input in messages() {
        let output = other(input).leak();
        fixed_reset_test::<D>(&TestVector { input, output })
            .unwrap_or_else(|reason| panic!("{} bytes: {reason}", input.len()));
        assert_eq!(D::output_size(), output.len());
    }
}

fn extendable<D>(other: impl Fn(&[u8], &mut [u8]))
where
    D: ExtendableOutputReset + Default + std::fmt::Debug + Clone,
{
    for input in messages() {
        let mut output = vec![0; 500 - input.len()];
        other(input, &mut output);
        xof_reset_test::<D>(&TestVector { input, output: output.leak() })
            .unwrap_or_else(|reason| panic!("{} bytes: {reason}", input.len()));
    }
}

/// A digest by a crate with the traits before these.
fn before<D: sha2::Digest>(message: &[u8]) -> Vec<u8> {
    D::digest(message).to_vec()
}

fn read_before<D: sha3::digest::ExtendableOutput + Default>(message: &[u8], out: &mut [u8]) {
    use sha3::digest::XofReader;
    let mut xof = D::default();
    xof.update(message);
    xof.finalize_xof().read(out);
}

#[test]
fn digests_agree() {
    fixed::<Sha224>(before::<sha2::Sha224>);
    fixed::<Sha256>(before::<sha2::Sha256>);
    fixed::<Sha384>(before::<sha2::Sha384>);
    fixed::<Sha512>(before::<sha2::Sha512>);
    fixed::<Sha512_256>(before::<sha2::Sha512_256>);
    fixed::<Sha3_224>(before::<sha3::Sha3_224>);
    fixed::<Sha3_256>(before::<sha3::Sha3_256>);
    fixed::<Sha3_384>(before::<sha3::Sha3_384>);
    fixed::<Sha3_512>(before::<sha3::Sha3_512>);
    fixed::<AsconHash256>(|message| ascon_hash::AsconHash256::digest(message).to_vec());
    fixed::<Blake2b<64>>(before::<blake2::Blake2b<U64>>);
    fixed::<Blake2b<20>>(before::<blake2::Blake2b<U20>>);
    fixed::<Blake2s<32>>(before::<blake2::Blake2s<U32>>);
}

#[test]
fn outputs_of_any_length_agree() {
    extendable::<Shake128>(read_before::<sha3::Shake128>);
    extendable::<Shake256>(read_before::<sha3::Shake256>);
    extendable::<AsconXof128>(|message, out| {
        use digest::{ExtendableOutput, Update, XofReader};
        let mut xof = ascon_hash::AsconXof128::default();
        xof.update(message);
        xof.finalize_xof().read(out);
    });
}

/// The sizes of blocks, by which others make HMAC of a hash: FIPS 180-4, FIPS 202, RFC 7693.
#[test]
fn blocks_have_their_sizes() {
    let sizes = [
        (Sha224::block_size(), 64),
        (Sha256::block_size(), 64),
        (Sha384::block_size(), 128),
        (Sha512::block_size(), 128),
        (Sha3_224::block_size(), 144),
        (Sha3_256::block_size(), 136),
        (Sha3_384::block_size(), 104),
        (Sha3_512::block_size(), 72),
        (Shake128::block_size(), 168),
        (Shake256::block_size(), 136),
        (Blake2b::<64>::block_size(), 128),
        (Blake2s::<32>::block_size(), 64),
    ];
    for (size, expected) in sizes {
        assert_eq!(size, expected);
    }
}
