use crate::Code;

/// Every code of this file.
pub static ALL: &[&Code] = &[];
