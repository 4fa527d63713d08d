//! The theorem about functions from bytes to bytes: each block of the results is what the program means for that block
//! of the parameters, for every number of blocks.
//!
//! These functions call others, about which theorems were proved before ([`call`](crate::call)). A fixed number of
//! blocks is proved by executing its one path; any number, by induction over the iterations of the loop
//! ([`induction`]).

mod blocks;
mod induction;

use std::time::Instant;

use culet_image::Image;

use crate::attempt::in_every_phase;
use crate::decoded::{Decoded, Reliance};
use crate::rejection::Rejection;
use crate::source::Specification;
use crate::theorem::{Limits, OnBytes, Proved, Theorem};
use blocks::Trial;
pub use blocks::{Blocks, LENGTH_BITS};

/// Proves a function from bytes to bytes, or says why not.
///
/// # Errors
///
/// When the function is wrong, or its code cannot be followed.
pub fn prove<'p>(
    image: &Image,
    symbol: &str,
    specification: &Specification<'p>,
    blocks: Blocks,
    theorems: &[Theorem<'p>],
    limits: &Limits,
) -> Result<Proved, Rejection> {
    if limits.erasure {
        return Err(Rejection::Unsupported("what functions on bytes leave behind is not looked at".into()));
    }
    let start = Instant::now();
    let function = image.function(symbol).ok_or_else(|| Rejection::no_function(image, symbol))?;
    let mut decoded = Decoded::new(image);
    let mut arguments = Vec::new();
    let mut on_bytes = OnBytes::default();
    let mut reliance = Reliance::default();
    let mut proved = in_every_phase(limits, |frame| {
        let mut trial = Trial::new(image, specification, theorems, (function.address, blocks), frame)?;
        match blocks {
            Blocks::Fixed => trial.whole(&mut decoded, i64::from(specification.layout.instances()))?,
            Blocks::Any => induction::prove(&mut trial, &mut decoded)?,
        }
        arguments = trial.arguments();
        on_bytes = trial.on_bytes();
        reliance.add(&trial.calls.reliance);
        Ok(trial.proved)
    })?;
    reliance.add(&decoded.reliance);
    proved.is_fixed = image.is_fixed();
    proved.reliance = reliance;
    proved.arguments = arguments;
    proved.is_in_parts = on_bytes.turn.is_some();
    proved.on_bytes = Some(on_bytes);
    proved.time = start.elapsed();
    Ok(proved)
}
