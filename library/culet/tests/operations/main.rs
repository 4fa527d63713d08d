//! Every operation against what is published, other implementations, and itself in parts; and what must not work.

mod batches;
mod bip340;
mod bytes;
mod curve;
mod ecdsa;
mod ed25519;
mod encodings;
mod erased;
mod files;
mod hash_peers;
mod misuse;
mod p224;
mod p256;
mod p384;
mod p521;
mod parts;
mod peers;
mod published;
mod secp256k1;
mod secretstream;
mod support;
mod tampering;
mod traits;
mod wycheproof;
