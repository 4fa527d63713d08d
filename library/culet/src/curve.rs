//! Keys, agreement by ECDH and signatures by ECDSA, for each curve of a module.

/// The types of a curve. Its kernels are in `low::$curve`; a number has `$number` bytes, and a digest, of `$hash`, `$digest`, as many or fewer; a
/// point has `$point`, or `$compressed`; `$malleable` says which other signatures a good one tells.
macro_rules! curve {
    (
        kernels: $curve:ident,
        hash: $hash:ident, $hmac:ident, $of_hash:literal,
        bytes: $number:literal, digest: $digest:literal,
        point: $point:literal, $compressed:literal,
        signature: $signature:literal, $longest_der:literal,
        out_of_range: $rarely:literal,
        malleable: $malleable:literal $(,)?
    ) => {
        use core::fmt;

        use zeroize::ZeroizeOnDrop;

        use crate::bytes::{copy, first};
        use crate::error::{Error, accept, require};
        use crate::hash::$hash;
        use crate::mac::$hmac;
        use crate::{der, low};

        #[doc = concat!("A key for agreement on secrets, ", $number, " bytes: a number from 1 to the order of the base point minus 1 (SEC 1, section 3.2.1). It has")]
        /// its public key with it.
        #[derive(Clone)]
        pub struct SecretKey {
            number: [u8; $number],
            public: PublicKey,
        }

        #[doc = concat!("A point of the curve, but for the neutral element: ", $point, " bytes, or ", $compressed, " in its compressed form (SEC 1, section 2.3.3).")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub struct PublicKey {
            /// The byte 4, x and y: SEC 1, section 2.3.3.
            point: [u8; $point],
        }

        crate::bytes::secret!(
            #[doc = concat!("The secret of an agreement, ", $number, " bytes, which both sides know: the x-coordinate of SEC 1, section 3.3.1. It is no")]
            /// key yet: derive keys from it.
            SharedSecret,
            $number,
            Clone
        );

        #[doc = concat!("A key that signs, ", $number, " bytes, and the public key that verifies its signatures (FIPS 186-5, section 6.2).")]
        #[derive(Clone)]
        pub struct SigningKey(SecretKey);

        #[doc = concat!("A public key for signatures: ", $point, " bytes, or ", $compressed, " in its compressed form (SEC 1, section 2.3.3).")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub struct VerifyingKey(PublicKey);

        #[doc = concat!("A signature, ", $signature, " bytes: r and s of FIPS 186-5, section 6.4.1, most significant byte first.")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub struct Signature {
            r: [u8; $number],
            s: [u8; $number],
        }

        impl SecretKey {
            /// The number of its bytes.
            pub const LENGTH: usize = $number;

            #[doc = concat!("The key of ", $number, " random bytes, most significant byte first: SEC 1, section 3.2.1.")]
            ///
            /// # Errors
            ///
            /// The number is 0, or not below the order of the base point: [`Reason::Key`](crate::Reason::Key).
            #[doc = concat!($rarely, " such a number: take another one then.")]
            pub fn from_bytes(bytes: [u8; $number]) -> Result<Self, Error> {
                let mut key = Self { number: bytes, public: PublicKey { point: [0; $point] } };
                require(low::$curve::public(&mut key.public.point, &key.number), Error::KEY)?;
                Ok(key)
            }

            #[doc = concat!("A new key, of ", $number, " bytes of the operating system's randomness: SEC 1, section 3.2.1.")]
            ///
            /// # Errors
            ///
            /// The operating system has no randomness: [`Reason::Randomness`](crate::Reason::Randomness). It is there with the feature `getrandom`.
            #[cfg(feature = "getrandom")]
            #[cfg_attr(docsrs, doc(cfg(feature = "getrandom")))]
            pub fn generate() -> Result<Self, Error> {
                loop {
                    let mut bytes = crate::bytes::Erased([0; $number]);
                    crate::bytes::fill_randomly(&mut *bytes)?;
                    low::$curve::shorten(&mut bytes);
                    if let Ok(key) = Self::from_bytes(*bytes) {
                        return Ok(key);
                    }
                }
            }

            #[doc = concat!("The ", $number, " bytes, for storing them where they stay secret.")]
            #[must_use]
            pub const fn as_bytes(&self) -> &[u8; $number] {
                &self.number
            }

            #[doc = concat!("The public key that belongs to it, ", $point, " bytes or ", $compressed, ": SEC 1, section 3.2.1.")]
            #[must_use]
            pub const fn public_key(&self) -> PublicKey {
                self.public
            }

            #[doc = concat!("The secret of ", $number, " bytes that is shared with the owner of `theirs`:")]
            /// SEC 1, section 3.3.1.
            ///
            /// # Errors
            ///
            /// There are none for keys that are what their types say, or else [`Reason::Key`](crate::Reason::Key).
            pub fn diffie_hellman(&self, theirs: &PublicKey) -> Result<SharedSecret, Error> {
                theirs.diffie_hellman_with(&self.number)
            }
        }

        impl PublicKey {
            #[doc = concat!("Reads a public key of ", $point, " or ", $compressed, " bytes: SEC 1, section 2.3.4.")]
            ///
            /// # Errors
            ///
            /// The number of bytes is wrong: [`Reason::Length`](crate::Reason::Length). The bytes are no point, since the first one is wrong, a
            /// coordinate is not below the prime, or they do not satisfy the curve's equation: [`Reason::Encoding`](crate::Reason::Encoding). The neutral element, which is one byte, is no public key.
            pub fn from_sec1(bytes: &[u8]) -> Result<Self, Error> {
                if let Ok(compressed) = bytes.try_into() {
                    let mut public = Self { point: [0; $point] };
                    require(low::$curve::decompress(&mut public.point, compressed), Error::ENCODING)?;
                    return Ok(public);
                }
                let point = bytes.try_into().map_err(|_| Error::LENGTH)?;
                require(low::$curve::is_point(&point), Error::ENCODING)?;
                Ok(Self { point })
            }

            #[doc = concat!("The byte 4, x and y, ", $point, " bytes: SEC 1, section 2.3.3.")]
            #[must_use]
            pub const fn to_sec1_uncompressed(self) -> [u8; $point] {
                self.point
            }

            #[doc = concat!("The byte 2 or 3, and x, ", $compressed, " bytes: SEC 1, section 2.3.3.")]
            #[must_use]
            pub fn to_sec1_compressed(self) -> [u8; $compressed] {
                let mut compressed = [0; $compressed];
                low::$curve::compress(&mut compressed, &self.point);
                compressed
            }

            #[doc = concat!("The secret of ", $number, " bytes that the owner of this public key shares with the owner of the secret key `secret`:")]
            /// SEC 1, section 3.3.1. It takes half of the time of [`SecretKey::from_bytes`] and [`SecretKey::diffie_hellman`] together, since the
            /// secret key's own public key is not computed.
            ///
            /// # Errors
            ///
            /// The number `secret` is 0, or not below the order of the base point: [`Reason::Key`](crate::Reason::Key).
            pub fn diffie_hellman_with(&self, secret: &[u8; $number]) -> Result<SharedSecret, Error> {
                let mut shared = SharedSecret([0; $number]);
                require(low::$curve::agree(&mut shared.0, secret, &self.point), Error::KEY)?;
                Ok(shared)
            }

            /// The x-coordinate.
            fn x(&self) -> [u8; $number] {
                let mut x = [0; $number];
                copy(&mut x, self.point.get(1..).unwrap_or_default());
                x
            }
        }

        impl SigningKey {
            /// The number of its bytes.
            pub const LENGTH: usize = SecretKey::LENGTH;

            #[doc = concat!("The key of ", $number, " random bytes, most significant byte first: SEC 1, section 3.2.1.")]
            ///
            /// # Errors
            ///
            /// The number is 0, or not below the order of the base point: [`Reason::Key`](crate::Reason::Key).
            #[doc = concat!($rarely, " such a number: take another one then.")]
            pub fn from_bytes(bytes: [u8; $number]) -> Result<Self, Error> {
                SecretKey::from_bytes(bytes).map(Self)
            }

            #[doc = concat!("A new key, of ", $number, " bytes of the operating system's randomness: SEC 1, section 3.2.1.")]
            ///
            /// # Errors
            ///
            /// The operating system has no randomness: [`Reason::Randomness`](crate::Reason::Randomness). It is there with the feature `getrandom`.
            #[cfg(feature = "getrandom")]
            #[cfg_attr(docsrs, doc(cfg(feature = "getrandom")))]
            pub fn generate() -> Result<Self, Error> {
                SecretKey::generate().map(Self)
            }

            #[doc = concat!("The ", $number, " bytes, for storing them where they stay secret.")]
            #[must_use]
            pub const fn as_bytes(&self) -> &[u8; $number] {
                self.0.as_bytes()
            }

            #[doc = concat!("The public key that verifies signatures of this one, ", $point, " bytes or ", $compressed, ": FIPS 186-5, section 6.2.")]
            #[must_use]
            pub const fn verifying_key(&self) -> VerifyingKey {
                VerifyingKey(self.0.public)
            }

            #[doc = concat!("Signs a message by its digest of ", $of_hash, ". The number used once comes from the key and the digest, as in RFC 6979,")]
            /// section 3.2: a key signs a message always in the same way.
            #[must_use]
            pub fn sign(&self, message: &[u8]) -> Signature {
                self.sign_prehashed(&$hash::digest(message))
            }

            /// Signs as [`sign`](Self::sign) does, but the number used once depends on `entropy`, too: RFC 6979, section 3.6. Random bytes make it
            /// harder to learn the key from faults, or from the power that signatures of one message take. No bytes make a signature less secure.
            #[must_use]
            pub fn sign_hedged(&self, message: &[u8], entropy: &[u8; $number]) -> Signature {
                self.signature(&$hash::digest(message), entropy)
            }

            #[doc = concat!("Signs a message by its digest, as [`sign`](Self::sign) does by that of ", $of_hash, ". Of a longer digest, the first")]
            #[doc = concat!($digest, " bytes are signed: FIPS 186-5, section 6.4.1, step 2. The hash function must resist collisions.")]
            #[must_use]
            pub fn sign_prehashed(&self, digest: &[u8; $digest]) -> Signature {
                self.signature(digest, &[])
            }

            /// Signs a digest, as [`sign_prehashed`](Self::sign_prehashed) does, with a number used once that the caller brings: FIPS 186-5, section
            /// 6.4.1. **The number gives the key away** to whoever learns it, to whoever sees signatures of two digests with it, and, by a few of its bits,
            /// to whoever sees enough signatures. It is for protocols and tests that say which number to take; all others call [`sign`](Self::sign).
            ///
            /// # Errors
            ///
            /// The number is 0, or not below the order of the base point, or makes r or s 0: [`Reason::Key`](crate::Reason::Key).
            pub fn sign_prehashed_with_dangerous_nonce(
                &self,
                digest: &[u8; $digest],
                nonce: &[u8; $number],
            ) -> Result<Signature, Error> {
                self.signature_with(&number_of(digest), nonce).ok_or(Error::KEY)
            }

            /// A number used once that is not below the order, as one in 2^32 or fewer is, is replaced by another one.
            /// The time tells that this happened, and nothing of the number that is used.
            fn signature(&self, digest: &[u8; $digest], entropy: &[u8]) -> Signature {
                let digest = &number_of(digest);
                let mut nonces = Nonces::new(&self.0.number, digest, entropy);
                loop {
                    let mut nonce = nonces.next();
                    let signature = self.signature_with(digest, &nonce);
                    zeroize::zeroize_bytes(&mut nonce);
                    if let Some(signature) = signature {
                        return signature;
                    }
                }
            }

            /// FIPS 186-5, section 6.4.1, if the number used once is in range, and neither r nor s is 0.
            fn signature_with(&self, digest: &[u8; $number], nonce: &[u8; $number]) -> Option<Signature> {
                let mut point = PublicKey { point: [0; $point] };
                let mut signature = Signature { r: [0; $number], s: [0; $number] };
                let is_nonce = low::$curve::public(&mut point.point, nonce);
                let is_signature =
                    low::$curve::sign(&mut signature.r, &mut signature.s, &self.0.number, nonce, &point.x(), digest);
                (is_nonce & is_signature).then_some(signature)
            }
        }

        /// A digest as a number, with zeros before it: FIPS 186-5, section 6.4.1, step 2.
        fn number_of(digest: &[u8; $digest]) -> [u8; $number] {
            let mut number = [0; $number];
            let zeros = usize::saturating_sub($number, $digest);
            copy(number.get_mut(zeros..).unwrap_or_default(), digest);
            number
        }

        /// Numbers that are used once: RFC 6979, section 3.2, with HMAC.
        struct Nonces {
            key: [u8; $digest],
            value: [u8; $digest],
            is_first: bool,
        }

        impl Nonces {
            /// Steps a to g; `entropy` is what section 3.6 appends.
            fn new(number: &[u8; $number], digest: &[u8; $number], entropy: &[u8]) -> Self {
                let mut reduced = [0; $number];
                low::$curve::reduce(&mut reduced, digest);
                let mut nonces = Self { key: [0; $digest], value: [1; $digest], is_first: true };
                nonces.update(&[&[0], number, &reduced, entropy]);
                nonces.update(&[&[1], number, &reduced, entropy]);
                zeroize::zeroize_bytes(&mut reduced);
                nonces
            }

            /// Step h: a number as long as the order, which may be too large.
            fn next(&mut self) -> [u8; $number] {
                if !self.is_first {
                    self.update(&[&[0]]);
                }
                self.is_first = false;
                let mut number = [0; $number];
                for part in number.chunks_mut($digest) {
                    self.value = self.hmac(&[]);
                    copy(part, &self.value);
                }
                low::$curve::shorten(&mut number);
                number
            }

            /// K = HMAC(K, V || data), V = HMAC(K, V).
            fn update(&mut self, data: &[&[u8]]) {
                self.key = self.hmac(data);
                self.value = self.hmac(&[]);
            }

            /// HMAC(K, V || data).
            fn hmac(&self, data: &[&[u8]]) -> [u8; $digest] {
                let mut mac = $hmac::new(&self.key);
                mac.update(&self.value);
                for part in data {
                    mac.update(part);
                }
                mac.finalize().to_bytes()
            }
        }

        impl Drop for Nonces {
            fn drop(&mut self) {
                zeroize::zeroize_bytes(&mut self.key);
                zeroize::zeroize_bytes(&mut self.value);
            }
        }

        impl VerifyingKey {
            #[doc = concat!("Reads a public key of ", $point, " or ", $compressed, " bytes: SEC 1, section 2.3.4.")]
            ///
            /// # Errors
            ///
            /// Those of [`PublicKey::from_sec1`].
            pub fn from_sec1(bytes: &[u8]) -> Result<Self, Error> {
                PublicKey::from_sec1(bytes).map(Self)
            }

            #[doc = concat!("The byte 4, x and y, ", $point, " bytes: SEC 1, section 2.3.3.")]
            #[must_use]
            pub const fn to_sec1_uncompressed(self) -> [u8; $point] {
                self.0.to_sec1_uncompressed()
            }

            #[doc = concat!("The byte 2 or 3, and x, ", $compressed, " bytes: SEC 1, section 2.3.3.")]
            #[must_use]
            pub fn to_sec1_compressed(self) -> [u8; $compressed] {
                self.0.to_sec1_compressed()
            }

            #[doc = concat!("Verifies a signature of a message by its digest of ", $of_hash, ": FIPS 186-5, section 6.4.2.")]
            ///
            #[doc = $malleable]
            ///
            /// # Errors
            ///
            /// The message or its signature is not what the owner of the key has sent: [`Reason::Rejected`](crate::Reason::Rejected).
            pub fn verify(&self, message: &[u8], signature: &Signature) -> Result<(), Error> {
                self.verify_prehashed(&$hash::digest(message), signature)
            }

            #[doc = concat!("Verifies a signature of a message by its digest, as [`verify`](Self::verify) does by that of ", $of_hash, ". Of a longer digest,")]
            #[doc = concat!("the first ", $digest, " bytes are signed: FIPS 186-5, section 6.4.2.")]
            ///
            /// # Errors
            ///
            /// The digest or its signature is not what the owner of the key has sent: [`Reason::Rejected`](crate::Reason::Rejected).
            pub fn verify_prehashed(&self, digest: &[u8; $digest], signature: &Signature) -> Result<(), Error> {
                let digest = &number_of(digest);
                let (mut of_base, mut of_key, mut x) = ([0; $number], [0; $number], [0; $number]);
                accept(low::$curve::multiples(&mut of_base, &mut of_key, &signature.r, &signature.s, digest))?;
                accept(low::$curve::sum(&mut x, &of_base, &of_key, &self.0.point))?;
                accept(low::$curve::is_same(&x, &signature.r))
            }
        }

        impl Signature {
            /// The number of its bytes.
            pub const LENGTH: usize = $signature;

            /// The largest number of bytes that it has in DER.
            pub const LONGEST_DER: usize = $longest_der;

            #[doc = concat!("Takes the ", $signature, " bytes as they are;")]
            /// [`VerifyingKey::verify`] says whether they are good.
            #[must_use]
            pub fn from_bytes(bytes: [u8; $signature]) -> Self {
                let mut signature = Self { r: [0; $number], s: [0; $number] };
                let (r, s) = bytes.split_at($number);
                copy(&mut signature.r, r);
                copy(&mut signature.s, s);
                signature
            }

            #[doc = concat!("The ", $signature, " bytes.")]
            #[must_use]
            pub fn to_bytes(self) -> [u8; $signature] {
                let mut bytes = [0; $signature];
                let (r, s) = bytes.split_at_mut($number);
                copy(r, &self.r);
                copy(s, &self.s);
                bytes
            }

            /// Reads a signature in DER, which is a sequence of two integers: RFC 3279, section 2.2.3.
            ///
            /// # Errors
            ///
            #[doc = concat!("The bytes are not the one encoding of two numbers of at most ", $number, " bytes in DER (X.690, sections 8.1, 8.3, 8.9 and 10.1):")]
            /// [`Reason::Encoding`](crate::Reason::Encoding).
            pub fn from_der(der: &[u8]) -> Result<Self, Error> {
                let (r, s) = der::read_numbers(der).ok_or(Error::ENCODING)?;
                Ok(Self { r, s })
            }

            /// Writes the signature in DER to the beginning of `buffer`, and returns what is written, 8 bytes at least: RFC 3279, section
            /// 2.2.3.
            pub fn to_der<'b>(&self, buffer: &'b mut [u8; Self::LONGEST_DER]) -> &'b [u8] {
                let length = der::write_numbers(buffer, &self.r, &self.s);
                first(buffer, length)
            }

            /// Writes the signature in DER to the beginning of `buffer` and zeros behind it, and returns how many bytes of it count, 8 at
            /// least: RFC 3279, section 2.2.3.
            /// Neither its time nor the addresses that it writes to depend on the signature.
            pub fn to_padded_der(&self, buffer: &mut [u8; Self::LONGEST_DER]) -> usize {
                der::write_numbers(buffer, &self.r, &self.s)
            }

            #[doc = concat!("The signature in DER, 8 to ", $longest_der, " bytes: RFC 3279, section 2.2.3.")]
            #[cfg(feature = "alloc")]
            #[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
            #[must_use]
            pub fn to_der_vec(&self) -> alloc::vec::Vec<u8> {
                self.to_der(&mut [0; Self::LONGEST_DER]).to_vec()
            }
        }

        impl Drop for SecretKey {
            fn drop(&mut self) {
                zeroize::zeroize_bytes(&mut self.number);
            }
        }

        impl From<&SecretKey> for PublicKey {
            fn from(secret: &SecretKey) -> PublicKey {
                secret.public_key()
            }
        }

        impl ZeroizeOnDrop for SecretKey {}
        impl ZeroizeOnDrop for SigningKey {}

        /// Shows the public key only.
        impl fmt::Debug for SecretKey {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct("SecretKey").field("public", &self.public).finish_non_exhaustive()
            }
        }

        /// Shows the public key only.
        impl fmt::Debug for SigningKey {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct("SigningKey").field("public", &self.0.public).finish_non_exhaustive()
            }
        }

        impl TryFrom<&[u8]> for SecretKey {
            type Error = Error;

            /// As [`from_bytes`](Self::from_bytes); another number of bytes is an error, too: [`Reason::Length`](crate::Reason::Length).
            fn try_from(bytes: &[u8]) -> Result<Self, Error> {
                bytes.try_into().map_err(|_| Error::LENGTH).and_then(Self::from_bytes)
            }
        }

        impl TryFrom<&[u8]> for SigningKey {
            type Error = Error;

            /// As [`from_bytes`](Self::from_bytes); another number of bytes is an error, too: [`Reason::Length`](crate::Reason::Length).
            fn try_from(bytes: &[u8]) -> Result<Self, Error> {
                SecretKey::try_from(bytes).map(Self)
            }
        }

        impl TryFrom<&[u8]> for PublicKey {
            type Error = Error;

            /// As [`from_sec1`](Self::from_sec1).
            fn try_from(bytes: &[u8]) -> Result<Self, Error> {
                Self::from_sec1(bytes)
            }
        }

        impl TryFrom<&[u8]> for VerifyingKey {
            type Error = Error;

            /// As [`from_sec1`](Self::from_sec1).
            fn try_from(bytes: &[u8]) -> Result<Self, Error> {
                Self::from_sec1(bytes)
            }
        }

        crate::bytes::from_slice!(Signature);
    };
}

pub(crate) use curve;
