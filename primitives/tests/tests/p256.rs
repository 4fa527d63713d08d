//! P-256 by the interpreter and as C and Rust: keys, agreement and ECDSA beside another implementation and integers, and what Project
//! Wycheproof publishes. P-384 and secp256k1 share its program: of them the interpreter computes what Project Wycheproof publishes.

use culet_driver::{DiskReader, Engine, Maker, Options, load, parse_hex};
use culet_ir::Target;
use culet_primitives_tests::{Bytes, shelf};
use culet_testing::draw;
use culet_types::program::Slicing;
use num_bigint::BigUint;
use p256::elliptic_curve::PrimeField;
use p256::elliptic_curve::sec1::{FromEncodedPoint, ToEncodedPoint};
use p256::{AffinePoint, EncodedPoint, ProjectivePoint, Scalar};
use serde_json::Value;
use sha2::{Digest, Sha256, Sha384, Sha512};
use sha3::digest::{ExtendableOutput, Update};
use sha3::{Sha3_256, Sha3_384, Sha3_512, Shake128, Shake256};

/// The nodes of a curve, computed in one way.
struct Curve {
    name: String,
    /// The number of an element's bytes, and of a scalar's.
    bytes: usize,
    public: Engine,
    is_point: Engine,
    decompress: Engine,
    compress: Engine,
    agree: Engine,
    sum: Engine,
    reduce: Engine,
    sign: Engine,
    multiples: Engine,
    is_same: Engine,
}

/// The folder, the program and the node of each engine of a curve, in the order of its fields.
fn nodes(curve: &str) -> [(&'static str, String, String); 10] {
    let of_points = ["public", "is_point", "decompress", "compress", "agree", "sum"];
    let of_scalars = ["reduce", "sign", "multiples", "is_same"];
    let of_points = of_points.map(|node| ("curves", curve.to_owned(), format!("{curve}_{node}")));
    let of_scalars = of_scalars.map(|node| ("signatures", format!("ecdsa_{curve}"), format!("{curve}_{node}")));
    let all = of_points.into_iter().chain(of_scalars).collect::<Vec<_>>();
    all.try_into().expect("six and four are ten")
}

fn every_way_for_p256() -> Vec<Curve> {
    let nodes = nodes("p256");
    let places = nodes.each_ref().map(|(folder, stem, node)| (*folder, stem.as_str(), node.as_str()));
    shelf::engines_of_nodes(places).into_iter().map(|(name, engines)| Curve::new(name, 32, engines)).collect()
}

fn interpreted(curve: &str, bytes: usize) -> Curve {
    let engines = nodes(curve).map(|(folder, stem, node)| {
        let (source, found) = load(&shelf::root().join(folder).join(stem).with_extension("ua"), &[], &DiskReader);
        assert!(found.is_empty(), "{}", shelf::messages(&found));
        let options = Options { node: Some(node), slicing: Some(Slicing::Vertical), ..Options::new(Target::C64) };
        Maker::Interpreter.engine(&source, &options).unwrap_or_else(|why| panic!("{}", shelf::messages(&why)))
    });
    Curve::new(format!("{curve}, interpreter"), bytes, engines)
}

/// A result that may be good: none if it is not, and then it must be zeros.
fn good(mut results: Vec<Vec<u8>>) -> Option<Vec<u8>> {
    let is_good = results.pop().expect("the last result says it") == [1];
    let bytes = results.concat();
    assert!(is_good || bytes.iter().all(|byte| *byte == 0), "{bytes:02x?}");
    is_good.then_some(bytes)
}

impl Curve {
    fn new(name: String, bytes: usize, engines: [Engine; 10]) -> Curve {
        let [public, is_point, decompress, compress, agree, sum, reduce, sign, multiples, is_same] = engines;
        Curve { name, bytes, public, is_point, decompress, compress, agree, sum, reduce, sign, multiples, is_same }
    }

    /// A point in either form of SEC 1, section 2.3.3, uncompressed.
    fn point(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        if bytes.len() == 1 + 2 * self.bytes {
            (self.is_point.run(&[bytes], 1) == [[1]]).then(|| bytes.to_vec())
        } else if bytes.len() == 1 + self.bytes {
            good(self.decompress.run(&[bytes], 1))
        } else {
            None
        }
    }

    /// A number, most significant byte first.
    fn bytes_of(&self, number: &BigUint) -> Vec<u8> {
        let bytes = number.to_bytes_be();
        [vec![0; self.bytes - bytes.len()], bytes].concat()
    }

    /// FIPS 186-5, 6.4.1.
    fn signature(&self, secret: &[u8], nonce: &[u8], hash: &[u8]) -> Option<Vec<u8>> {
        let point = good(self.public.run(&[nonce], 1))?;
        good(self.sign.run(&[secret, nonce, &point[1..33], hash], 1))
    }

    /// FIPS 186-5, 6.4.2.
    fn accepts(&self, public: &[u8], hash: &[u8], r: &[u8], s: &[u8]) -> bool {
        let multiples = self.multiples.run(&[r, s, hash], 1);
        let x = good(self.sum.run(&[&multiples[0], &multiples[1], public], 1));
        multiples[2] == [1] && x.is_some_and(|x| self.is_same.run(&[&x, r], 1) == [[1]])
    }
}

/// One test, so that each program is compiled once in each way.
#[test]
fn p256() {
    for way in &every_way_for_p256() {
        multiples_of_another_implementation(way);
        sums_of_another_implementation(way);
        encodings_of_another_implementation(way);
        coordinates_that_are_not_below_the_prime(way);
        scalars_beside_integers(way);
        signatures_and_a_bit_of_difference(way);
        agreements_of_wycheproof(way, "ecdh_secp256r1", "06082a8648ce3d030107");
        signatures_of_wycheproof(way, "ecdsa_secp256r1_sha256", |message| Sha256::digest(message).to_vec());
        signatures_with_another_hash(way, "secp256r1", &["sha512", "sha3_256", "sha3_512", "shake128"]);
    }
}

#[test]
fn p384() {
    let way = &interpreted("p384", 48);
    agreements_of_wycheproof(way, "ecdh_secp384r1", "06052b81040022");
    signatures_of_wycheproof(way, "ecdsa_secp384r1_sha384", |message| Sha384::digest(message).to_vec());
    signatures_with_another_hash(way, "secp384r1", &["sha256", "sha512", "sha3_384", "sha3_512", "shake256"]);
}

#[test]
fn secp256k1() {
    let way = &interpreted("secp256k1", 32);
    agreements_of_wycheproof(way, "ecdh_secp256k1", "06052b8104000a");
    signatures_of_wycheproof(way, "ecdsa_secp256k1_sha256", |message| Sha256::digest(message).to_vec());
    signatures_with_another_hash(way, "secp256k1", &["sha512", "sha3_256", "sha3_512", "shake128", "shake256"]);
}

fn order() -> BigUint {
    number(&parse_hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551").expect("hex"))
}

fn prime() -> BigUint {
    number(&parse_hex("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff").expect("hex"))
}

fn number(bytes: &[u8]) -> BigUint {
    BigUint::from_bytes_be(bytes)
}

/// 32 bytes, most significant byte first.
fn bytes_of(number: &BigUint) -> Vec<u8> {
    let bytes = number.to_bytes_be();
    [vec![0; 32 - bytes.len()], bytes].concat()
}

/// Numbers at the ends of what is in range and beyond them, small ones, some whose halves of bytes are all alike, and others.
fn numbers(bytes: &mut Bytes) -> Vec<Vec<u8>> {
    let mut numbers: Vec<BigUint> = (0..=17_u32).map(BigUint::from).collect();
    for distance in 0..=17_u32 {
        numbers.extend([order() - distance, order() + distance]);
    }
    numbers.extend([1_u32, 4, 5, 128, 252, 255].map(|power| BigUint::from(1_u32) << power));
    numbers.extend((1..=16_u32).map(|half| number(&[(half * 17 % 256) as u8; 32])));
    let mut numbers: Vec<Vec<u8>> = numbers.iter().map(bytes_of).collect();
    numbers.extend((0..40).map(|_| bytes.take(32)));
    numbers
}

/// A number below the order, as the other implementation has it.
fn scalar(bytes: &[u8]) -> Option<Scalar> {
    let array: [u8; 32] = bytes.try_into().expect("32 bytes");
    Scalar::from_repr(array.into()).into_option()
}

/// A point in 65 bytes; none for the neutral element.
fn encoded(point: ProjectivePoint) -> Option<Vec<u8>> {
    let bytes = point.to_affine().to_encoded_point(false).as_bytes().to_vec();
    (bytes.len() == 65).then_some(bytes)
}

fn decoded(bytes: &[u8]) -> Option<ProjectivePoint> {
    let point = EncodedPoint::from_bytes(bytes).ok()?;
    AffinePoint::from_encoded_point(&point).into_option().map(ProjectivePoint::from)
}

/// The interpreter takes longer, and one case of four; lists in lists have odd lengths, so that every place has its turn.
fn step(way: &Curve) -> usize {
    if way.name.ends_with("interpreter") { 4 } else { 1 }
}

fn multiples_of_another_implementation(way: &Curve) {
    let mut bytes = Bytes::new("multiples");
    let base = ProjectivePoint::GENERATOR;
    let other = base * scalar(&[7; 32]).expect("below the order");
    for k in numbers(&mut bytes).iter().step_by(step(way)) {
        let in_range = scalar(k).filter(|scalar| *scalar != Scalar::ZERO);
        let public = in_range.and_then(|k| encoded(base * k));
        assert_eq!(good(way.public.run(&[k], 1)), public, "{}, {k:02x?}", way.name);
        for point in [base, other] {
            let x = in_range.and_then(|k| encoded(point * k)).map(|product| product[1..33].to_vec());
            let point = encoded(point).expect("it is not the neutral element");
            assert_eq!(good(way.agree.run(&[k, &point], 1)), x, "{}, {k:02x?}", way.name);
        }
    }
}

/// Sums whose terms are equal, opposite, or the neutral element, on the way and at the end, and others.
fn sums_of_another_implementation(way: &Curve) {
    let mut bytes = Bytes::new("sums");
    let minus_one = bytes_of(&(order() - 1_u32));
    let small = |number: u32| bytes_of(&number.into());
    let mut take = || bytes_of(&(number(&bytes.take(32)) % order()));
    let (mut sums, mut neutral) = (0, 0);
    for c in [small(1), small(2), small(3), small(15), small(16), minus_one.clone(), take()] {
        let multiple = ProjectivePoint::GENERATOR * scalar(&c).expect("below the order");
        for second in [small(0), small(1), small(2), small(16), small(0x1111), minus_one.clone(), take()] {
            let product = number(&c) * number(&second) % order();
            let opposite = bytes_of(&((order() - &product) % order()));
            for first in [small(0), small(1), bytes_of(&product), opposite, take()] {
                sums += 1;
                if sums % step(way) != 0 {
                    continue;
                }
                let [u1, u2] = [&first, &second].map(|bytes| scalar(bytes).expect("below the order"));
                let x = encoded(ProjectivePoint::GENERATOR * u1 + multiple * u2).map(|sum| sum[1..33].to_vec());
                neutral += usize::from(x.is_none());
                let point = encoded(multiple).expect("it is not the neutral element");
                let found = good(way.sum.run(&[&first, &second, &point], 1));
                assert_eq!(found, x, "{}, {first:02x?} and {second:02x?} times {c:02x?}", way.name);
            }
        }
    }
    assert!(neutral * step(way) > 20, "{neutral} sums are the neutral element");
    let point = encoded(ProjectivePoint::GENERATOR * Scalar::from(7_u64)).expect("it is not the neutral element");
    for beyond in [order(), order() + 1_u32, order() + 7_u32, (BigUint::from(1_u32) << 256) - 1_u32] {
        let beyond = bytes_of(&beyond);
        assert_eq!(good(way.sum.run(&[&beyond, &small(1), &point], 1)), None, "{}, {beyond:02x?}", way.name);
        assert_eq!(good(way.sum.run(&[&small(1), &beyond, &point], 1)), None, "{}, {beyond:02x?}", way.name);
    }
}

/// All first bytes before coordinates of which about half are some of points.
fn encodings_of_another_implementation(way: &Curve) {
    let mut bytes = Bytes::new("encodings");
    let mut xs: Vec<Vec<u8>> = (0..8_u32).map(|x| bytes_of(&x.into())).collect();
    xs.extend((1..8_u32).map(|distance| bytes_of(&(prime() - distance))));
    xs.extend((0..20).map(|_| bytes.take(32)));
    let mut points = 0;
    for x in xs.iter().step_by(step(way)) {
        for first in (0..=8).chain([0x82, 0xff]) {
            let compressed = [&[first], x.as_slice()].concat();
            // The other implementation takes 5 for compact points, of which SEC 1 has none.
            let point = decoded(&compressed).filter(|_| first != 5).and_then(encoded);
            assert_eq!(way.point(&compressed), point, "{}, {compressed:02x?}", way.name);
            let Some(point) = point else { continue };
            points += 1;
            assert_eq!(way.compress.run(&[&point], 1).concat(), compressed, "{}", way.name);
            for wrong in 0..=8 {
                let uncompressed = [&[wrong], &point[1..]].concat();
                assert_eq!(way.point(&uncompressed).is_some(), wrong == 4, "{}, {uncompressed:02x?}", way.name);
            }
            for bit in [8, 263, 264, 519] {
                let mut other = point.clone();
                other[bit / 8] ^= 1 << (bit % 8);
                let is_point = decoded(&other).is_some();
                assert_eq!(way.point(&other).is_some(), is_point, "{}, {other:02x?}", way.name);
                let agreed = good(way.agree.run(&[&[1; 32], &other], 1));
                assert_eq!(agreed.is_some(), is_point, "{}, {other:02x?}", way.name);
                let sum = good(way.sum.run(&[&[1; 32], &[2; 32], &other], 1));
                assert_eq!(sum.is_some(), is_point, "{}, {other:02x?}", way.name);
            }
        }
    }
    assert!(points > 4, "{points}");
}

/// Points with small x, to which the prime is added.
fn coordinates_that_are_not_below_the_prime(way: &Curve) {
    let mut found = 0;
    for x in 0..8_u32 {
        let canonical = [&[2], bytes_of(&x.into()).as_slice()].concat();
        let Some(point) = way.point(&canonical) else { continue };
        found += 1;
        let beyond = bytes_of(&(prime() + x));
        assert_eq!(way.point(&[&[2], beyond.as_slice()].concat()), None, "{}, {x}", way.name);
        assert_eq!(way.point(&[&[4], beyond.as_slice(), &point[33..]].concat()), None, "{}, {x}", way.name);
    }
    assert!(found > 2, "{found}");
}

fn scalars_beside_integers(way: &Curve) {
    let mut bytes = Bytes::new("scalars");
    let mut all = numbers(&mut bytes);
    all.push(vec![0xff; 32]);
    let (n, zero) = (order(), BigUint::from(0_u32));
    let is_in_range = |a: &BigUint| *a > zero && *a < n;
    let pick = |bytes: &mut Bytes| {
        let index = bytes.take(2);
        all[usize::from(u16::from_le_bytes([index[0], index[1]])) % all.len()].clone()
    };
    for turn in 0..200 / step(way) {
        let [d, k, x, hash] = [(); 4].map(|()| pick(&mut bytes));
        let [d_, k_, x_, z] = [&d, &k, &x, &hash].map(|bytes| number(bytes));
        let inverse = k_.modinv(&n).unwrap_or_default();
        let (r, s) = (&x_ % &n, (&z + &x_ * &d_) * &inverse % &n);
        let is_good = is_in_range(&d_) && is_in_range(&k_) && r != zero && s != zero;
        let expected = is_good.then(|| [bytes_of(&r), bytes_of(&s)].concat());
        assert_eq!(good(way.sign.run(&[&d, &k, &x, &hash], 1)), expected, "{}, turn {turn}", way.name);
        // The signature (d, k) of a hash.
        let found = way.multiples.run(&[&d, &k, &hash], 1);
        let (u1, u2) = (bytes_of(&(&z * &inverse % &n)), bytes_of(&(&d_ * &inverse % &n)));
        let is_good = is_in_range(&d_) && is_in_range(&k_);
        assert_eq!(found, [u1, u2, vec![u8::from(is_good)]], "{}, turn {turn}", way.name);
        assert_eq!(way.reduce.run(&[&hash], 1).concat(), bytes_of(&(&z % &n)), "{}, turn {turn}", way.name);
        for other in [&d, &bytes_of(&(&x_ % &n))] {
            let is_same = u8::from(&x_ % &n == number(other));
            assert_eq!(way.is_same.run(&[&x, other], 1), [[is_same]], "{}, turn {turn}", way.name);
        }
    }
}

fn signatures_and_a_bit_of_difference(way: &Curve) {
    let mut bytes = Bytes::new("signatures");
    let [mut secret, mut nonce, hash] = [(); 3].map(|()| bytes.take(32));
    (secret[0], nonce[0]) = (1, 2);
    let public = good(way.public.run(&[&secret], 1)).expect("in range");
    let signature = way.signature(&secret, &nonce, &hash).expect("in range");
    let (r, s) = signature.split_at(32);
    assert!(way.accepts(&public, &hash, r, s), "{}", way.name);
    // FIPS 186-5 does not say which of s and order − s is the signature.
    assert!(way.accepts(&public, &hash, r, &bytes_of(&(order() - number(s)))), "{}", way.name);
    for bit in (0..512).step_by(7 * step(way)) {
        let mut wrong = signature.clone();
        wrong[bit / 8] ^= 1 << (bit % 8);
        assert!(!way.accepts(&public, &hash, &wrong[..32], &wrong[32..]), "{}, bit {bit}", way.name);
    }
    let zero = vec![0; 32];
    for (r, s) in [(&zero[..], s), (r, &zero[..]), (&bytes_of(&order()), s), (r, &bytes_of(&order()))] {
        assert!(!way.accepts(&public, &hash, r, s), "{}, {r:02x?}, {s:02x?}", way.name);
    }
    for wrong in [zero, bytes_of(&order()), vec![0xff; 32]] {
        assert_eq!(way.signature(&wrong, &nonce, &hash), None, "{}", way.name);
        assert_eq!(way.signature(&secret, &wrong, &hash), None, "{}", way.name);
    }
}

fn hex(value: &Value) -> Vec<u8> {
    let digits = value.as_str().expect("hex");
    parse_hex(&["0".repeat(digits.len() % 2).as_str(), digits].concat()).expect("hex")
}

/// A point of a public key in DER that has the name of the curve: RFC 5480, section 2.
fn subject_public_key<'d>(der: &'d [u8], curve: &[u8]) -> Option<&'d [u8]> {
    let names = [&parse_hex("06072a8648ce3d0201").expect("hex"), curve].concat();
    let algorithm = [&[0x30, names.len() as u8], names.as_slice()].concat();
    let rest =
        der.strip_prefix(&[0x30, u8::try_from(der.len().checked_sub(2)?).ok()?])?.strip_prefix(&algorithm[..])?;
    rest.strip_prefix(&[0x03, u8::try_from(rest.len().checked_sub(2)?).ok()?, 0])
}

fn agreements_of_wycheproof(way: &Curve, file: &str, curve: &str) {
    let vectors = shelf::wycheproof(file);
    let curve = parse_hex(curve).expect("hex");
    let (mut count, mut agreed) = (0, 0);
    for group in vectors["testGroups"].as_array().expect("groups") {
        for test in group["tests"].as_array().expect("tests") {
            let what = format!("{}, test {}: {}", way.name, test["tcId"], test["comment"]);
            count += 1;
            let public = hex(&test["public"]);
            let secret = way.bytes_of(&number(&hex(&test["private"])));
            let point = subject_public_key(&public, &curve).and_then(|point| way.point(point));
            let found = point.and_then(|point| good(way.agree.run(&[&secret, &point], 1)));
            agreed += usize::from(found.is_some());
            match found {
                Some(x) => assert!(test["result"] != "invalid" && x == hex(&test["shared"]), "{what}"),
                None => assert!(test["result"] != "valid", "{what}"),
            }
        }
    }
    assert_eq!(count, vectors["numberOfTests"].as_u64().expect("a number"));
    assert!(agreed > 300, "{agreed}");
}

/// Two integers below 256^bytes in DER; none if this is another encoding of them.
fn integers(der: &[u8], bytes: usize) -> Option<[BigUint; 2]> {
    let integer = |number: &[u8]| {
        let digits = BigUint::from_bytes_be(number).to_bytes_be();
        let sign = if digits[0] >= 0x80 { vec![0] } else { Vec::new() };
        let content = [sign, digits].concat();
        [vec![2, content.len() as u8], content].concat()
    };
    let length = usize::from(*der.get(3)?);
    let (r, s) = (der.get(4..4 + length)?, der.get(6 + length..)?);
    let content = [integer(r), integer(s)].concat();
    let is_der = der == [vec![0x30, content.len() as u8], content].concat();
    let numbers = [r, s].map(BigUint::from_bytes_be);
    (is_der && numbers.iter().all(|number| number.bits() <= 8 * bytes as u64)).then_some(numbers)
}

type Hash = fn(&[u8]) -> Vec<u8>;

/// Hash functions other than the curves' own, by their names in files of Project Wycheproof. Those of any length have the one of RFC 8692, section 3.
fn other_hash(name: &str) -> Hash {
    match name {
        "sha256" => |message| Sha256::digest(message).to_vec(),
        "sha512" => |message| Sha512::digest(message).to_vec(),
        "sha3_256" => |message| Sha3_256::digest(message).to_vec(),
        "sha3_384" => |message| Sha3_384::digest(message).to_vec(),
        "sha3_512" => |message| Sha3_512::digest(message).to_vec(),
        "shake128" => |message| Shake128::default().chain(message).finalize_boxed(32).to_vec(),
        "shake256" => |message| Shake256::default().chain(message).finalize_boxed(64).to_vec(),
        _ => panic!("{name} is another hash function"),
    }
}

/// Signatures with another hash function, which is drawn.
fn signatures_with_another_hash(way: &Curve, curve: &str, hashes: &[&str]) {
    for name in draw::some(&format!("hash functions with {}", way.name), hashes.to_vec(), 1, |name| (*name).to_owned())
    {
        signatures_of_wycheproof(way, &format!("ecdsa_{curve}_{name}"), other_hash(name));
    }
}

/// FIPS 186-5, section 6.4.1, step 2: of longer digests, the first bytes count; shorter ones are numbers.
fn fitted(digest: &[u8], bytes: usize) -> Vec<u8> {
    let length = digest.len().min(bytes);
    [&vec![0; bytes - length], &digest[..length]].concat()
}

fn signatures_of_wycheproof(way: &Curve, file: &str, hash: Hash) {
    let vectors = shelf::wycheproof(file);
    let (mut count, mut computed) = (0, 0);
    for group in vectors["testGroups"].as_array().expect("groups") {
        let public = hex(&group["publicKey"]["uncompressed"]);
        for test in group["tests"].as_array().expect("tests") {
            count += 1;
            let hash = fitted(&hash(&hex(&test["msg"])), way.bytes);
            let numbers = integers(&hex(&test["sig"]), way.bytes);
            computed += usize::from(numbers.is_some());
            let numbers = numbers.map(|numbers| numbers.map(|number| way.bytes_of(&number)));
            let found = numbers.is_some_and(|[r, s]| way.accepts(&public, &hash, &r, &s));
            assert_eq!(found, test["result"] == "valid", "{}, test {}: {}", way.name, test["tcId"], test["comment"]);
        }
    }
    assert_eq!(count, vectors["numberOfTests"].as_u64().expect("a number"));
    assert!(computed > 200, "{computed}");
}
