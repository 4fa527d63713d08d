//! A test of the list of opcodes that the second decoder misreads: it must have exactly those.

use std::collections::BTreeMap;

use iced_x86::Code;

use super::compare::trial;
use super::forms::forms;
use super::random::Random;
use super::{Machine, Outcome, Processor};
use crate::x86_64::second::{self, Agreement, DisagreementKind, agreement};
use crate::x86_64::{DecodeError, decode};

/// A processor that gives addresses and cannot execute.
struct Nowhere;

impl Processor for Nowhere {
    fn code(&self) -> u64 {
        0x1000_0000
    }

    fn landing(&self) -> u64 {
        0x1000_0040
    }

    fn memory(&self) -> (u64, usize) {
        (0x1000_1000, 512)
    }

    fn run(&mut self, _: &[(Vec<u8>, Machine)]) -> Result<Vec<Outcome>, String> {
        Err("nothing executes here".into())
    }
}

/// Number of trials of each form, each with other registers, addresses and immediates.
const TRIALS: usize = 60;

/// The readings of the second decoder, for opcodes on which it disagrees.
fn disagreements() -> BTreeMap<Code, BTreeMap<&'static str, String>> {
    let mut random = Random(1);
    let mut found: BTreeMap<Code, BTreeMap<&'static str, String>> = BTreeMap::new();
    for form in forms() {
        for (code, _) in (0..TRIALS).filter_map(|_| trial(&form, &mut random, &Nowhere)) {
            let instruction = match decode(&code, Nowhere.code()) {
                Ok(instruction) => instruction,
                Err(DecodeError::Ambiguous { .. }) => continue,
                Err(error) => panic!("{form}: {error}"),
            };
            if let Err(disagreement) = second::agree(&instruction, &code) {
                let kind = match disagreement.kind {
                    DisagreementKind::Unknown => "unknown",
                    DisagreementKind::SameLength => "misread",
                    DisagreementKind::OtherLength => "of another length",
                };
                let what = format!("{form}: {disagreement} ({code:02x?})");
                found.entry(form.code).or_default().insert(kind, what);
            }
        }
    }
    found
}

#[test]
fn the_second_decoder_misreads_what_is_listed() {
    let found = disagreements();
    let listed = second::UNKNOWN.iter().map(|code| (*code, "unknown"));
    let listed: BTreeMap<Code, &str> = listed.chain(second::MISREAD.iter().map(|code| (*code, "misread"))).collect();
    let not_listed: Vec<String> = found
        .iter()
        .filter(|(code, kinds)| kinds.keys().ne(listed.get(code)))
        .map(|(code, kinds)| format!("{code:?} {kinds:?}"))
        .collect();
    assert!(not_listed.is_empty(), "{} opcodes are not listed:\n{}", not_listed.len(), not_listed.join("\n"));
    let never: Vec<_> = listed.keys().filter(|code| !found.contains_key(code)).collect();
    assert!(never.is_empty(), "these are listed, but never misread: {never:?}");
}

#[test]
fn what_is_not_listed_is_refused() {
    let instruction = |bytes: &[u8]| decode(bytes, 0).expect("an instruction");
    let add = [0x48, 0x01, 0xd8];
    assert_eq!(agreement(&instruction(&add), &add), Ok(Agreement::Both));
    // `kmovq k3, k1` is listed. `sub` is read in place of `add` with the same length.
    let kmovq = [0xc4, 0xe1, 0xf8, 0x90, 0xd9];
    assert_eq!(agreement(&instruction(&kmovq), &kmovq), Ok(Agreement::FirstOnly));
    let kind = |bytes: &[u8]| agreement(&instruction(&add), bytes).map_err(|disagreement| disagreement.kind);
    assert_eq!(kind(&[0x48, 0x29, 0xd8]), Err(DisagreementKind::SameLength));
    assert_eq!(kind(&[0x48, 0x83, 0xc0, 0x01]), Err(DisagreementKind::OtherLength));
    assert_eq!(kind(&[0x0f]), Err(DisagreementKind::Unknown));
}
