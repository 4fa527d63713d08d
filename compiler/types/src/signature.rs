//! The parameters of a node, as messages show them.

use std::fmt::Write as _;

use crate::calls::Formal;
use crate::definitions::{Definitions, WordBits, WordsType};
use crate::program::Slicing;

impl Definitions<'_> {
    /// `its parameters are x : u32, k : u32[4]`
    pub(crate) fn signature(&self, formals: &[Formal<'_>]) -> String {
        let texts = formals.iter().map(|formal| format!("{} : {}", formal.name.name, self.type_text(formal.ty)));
        match texts.collect::<Vec<_>>().as_slice() {
            [] => "it has no parameters".to_owned(),
            [only] => format!("its parameter is {only}"),
            texts => format!("its parameters are {}", texts.join(", ")),
        }
    }

    fn type_text(&self, ty: &WordsType) -> String {
        let direction = match ty.direction {
            Some(Slicing::Vertical) => "<V>",
            Some(Slicing::Horizontal) => "<H>",
            Some(Slicing::Bitslice) => "<B>",
            Some(Slicing::Limbs(_)) | None => "",
        };
        let mut text = match ty.bits {
            WordBits::Known(bits) => format!("u{direction}{bits}"),
            WordBits::Parameter(name) => format!("u{direction}'{}", self.word_name(name)),
            WordBits::Field(field, _) => self.fields[field.0 as usize].name.clone(),
        };
        for dim in &ty.dims {
            let _ = write!(text, "[{dim}]");
        }
        text
    }
}
