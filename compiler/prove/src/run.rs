//! The theorem about functions from bytes to bytes: each block of the results is what the program means for that block
//! of the parameters, for every number of blocks.
//!
//! These functions call others, about which theorems were proved before ([`call`](crate::call)). A fixed number of
//! blocks is proved by executing its one path; any number, by induction over the iterations of the loop
//! ([`induction`]).

mod blocks;
mod induction;

use culet_image::Image;

use crate::attempt::Attempts;
use crate::rejection::Rejection;
use crate::source::Specification;
use crate::theorem::{Limits, OnBytes, Proved, Theorem};
use blocks::OnBlocks;
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
    let mut attempts = Attempts::of(image, symbol, limits)?;
    let mut arguments = Vec::new();
    let mut on_bytes = OnBytes::default();
    let mut proved = attempts.in_every_phase(|attempt| {
        let mut on_blocks = OnBlocks::new(image, specification, theorems, blocks, attempt.beside(0));
        match blocks {
            Blocks::Fixed => on_blocks.whole(i64::from(specification.layout.instances()))?,
            Blocks::Any => induction::prove(&mut on_blocks)?,
        }
        arguments = on_blocks.arguments();
        on_bytes = on_blocks.on_bytes();
        Ok(on_blocks.finished())
    })?;
    proved.is_in_parts = on_bytes.batch.is_some();
    proved.on_bytes = Some(on_bytes);
    Ok(attempts.finish(proved, arguments))
}
