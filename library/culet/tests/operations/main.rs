//! Every operation against what is published, other implementations, and itself in parts; and what must not work.

mod files;
mod hash_peers;
mod misuse;
mod p256;
mod parts;
mod peers;
mod published;
mod support;
mod tampering;
mod wycheproof;
