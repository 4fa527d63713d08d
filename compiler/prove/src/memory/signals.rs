//! Memory that signal handlers may write: the stack, except the bytes below the stack pointer that the ABI keeps from
//! them.

use std::ops::Range;

use super::fault::{ABOVE_STACK, NO_STACK};
use super::spans::Spans;
use super::{Fault, Memory, RegionId};
use crate::symbolic::Symbolic;

/// Bytes below the stack pointer that the ABI keeps from signal handlers.
pub(super) const RED_ZONE: i64 = 128;

/// Bytes of the return address.
const RETURN: i64 = 8;

/// The stack as signal handlers see it.
#[derive(Debug, Clone)]
pub(super) struct Signals<W> {
    /// The stack pointer, the region that is the stack, and the lowest offset there that is kept.
    kept: Option<(W, RegionId, i64)>,
    /// Offset of the stack pointer after the return; memory above it is the caller's.
    pub top: i64,
    /// Offsets that were kept, then for a time were not, and have not been written since.
    lost: Spans,
}

impl<W> Default for Signals<W> {
    fn default() -> Signals<W> {
        Signals { kept: None, top: 0, lost: Spans::default() }
    }
}

impl<W> Signals<W> {
    fn lowest_kept(&self, id: RegionId) -> Option<i64> {
        self.kept.as_ref().filter(|(_, stack, _)| *stack == id).map(|&(.., lowest)| lowest)
    }
}

impl<W> Memory<'_, W> {
    /// Records where the stack pointer is. It must be at a known place of the stack, since signal handlers write there,
    /// and no memory far below it is the function's. Memory that is far below the pointer from now on is lost: when the
    /// pointer is lowered again, it may hold anything. All memory above the pointer counts as used.
    pub fn point<V: Symbolic<Word = W>>(&mut self, values: &V, stack: RegionId, pointer: &W) -> Result<(), Fault>
    where
        W: Clone + PartialEq,
    {
        if self.signals.kept.as_ref().is_some_and(|(known, ..)| known == pointer) {
            return Ok(());
        }
        match self.locate(values, pointer) {
            Ok((region, offset)) if region == stack && offset > self.signals.top => {
                Err(Fault::unknown(ABOVE_STACK, values, pointer))
            }
            Ok((region, offset)) if region == stack => {
                let used = &mut self.regions[stack.0];
                let below = |offset: i64| offset.abs_diff(self.signals.top - RETURN);
                if offset < used.extent.start {
                    return Err(Fault::Overflow { below: below(offset), most: below(used.extent.start) });
                }
                used.lowest = used.lowest.min(offset);
                let lowest = offset - RED_ZONE;
                if let Some(before) = self.signals.lowest_kept(stack).filter(|&before| before < lowest) {
                    self.signals.lost.add(before..lowest);
                }
                self.signals.kept = Some((pointer.clone(), stack, lowest));
                Ok(())
            }
            _ => Err(Fault::unknown(NO_STACK, values, pointer)),
        }
    }

    /// Checks that bytes that begin at `start` are kept, now and while a callee runs.
    pub fn check_kept(&self, id: RegionId, start: i64) -> Result<(), Fault> {
        match self.signals.lowest_kept(id).filter(|&lowest| start < lowest) {
            Some(lowest) => Err(Fault::BelowStack { below: lowest + RED_ZONE - start }),
            None => Ok(()),
        }
    }

    /// Whether these bytes are the ones that were written, or that were there at the entry.
    pub fn is_kept(&self, id: RegionId, range: Range<i64>) -> bool {
        self.check_stack(id, range).is_ok()
    }

    pub(super) fn check_stack(&self, id: RegionId, range: Range<i64>) -> Result<(), Fault> {
        self.check_kept(id, range.start)?;
        match self.signals.lowest_kept(id) {
            Some(_) if self.signals.lost.meets(&range) => Err(Fault::Lost { offset: range.start }),
            _ => Ok(()),
        }
    }

    /// Records that these bytes are written now, so that they are no longer lost.
    pub(super) fn note_written(&mut self, id: RegionId, range: Range<i64>) {
        if self.signals.lowest_kept(id).is_some() {
            self.signals.lost.remove(&range);
        }
        self.regions[id.0].written.add(range);
    }
}
