//! PHOTON-Beetle-Hash (submission to NIST, finalist round, §3.5), over PHOTON-256.

use super::{Computes, Mode, Nodes, Sponge};

pub(super) const MODES: &[Mode] = &[Mode {
    name: "PHOTON-Beetle-Hash",
    primitive: "photon256",
    nodes: &["PHOTON_256"],
    vectors: "photon_beetle_hash.txt",
    computes: Computes::Hash(hash),
}];

/// The first 16 bytes are the beginning of the state, the others come in blocks of four. The state's last byte encodes
/// whether the last block was full.
fn hash(nodes: Nodes, message: &[u8]) -> Vec<u8> {
    let (start, rest) = message.split_at(message.len().min(16));
    let mut sponge = Sponge::new(nodes, 32, start);
    for block in rest.chunks(4) {
        sponge.permute("PHOTON_256");
        sponge.add(0, block);
    }
    let (last, size) = if rest.is_empty() { (start.len(), 16) } else { ((rest.len() - 1) % 4 + 1, 4) };
    let full = last == size;
    if !full && !message.is_empty() {
        sponge.add(last, &[1]);
    }
    let domain = match (rest.is_empty(), full) {
        (true, false) | (false, true) => 1,
        (true, true) | (false, false) => 2,
    };
    sponge.add(31, &[domain << 5]);
    let mut digest = Vec::new();
    while digest.len() < 32 {
        sponge.permute("PHOTON_256");
        digest.extend(sponge.bytes(0, 16));
    }
    digest
}
