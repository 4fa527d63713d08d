//! What a program means: one interpreter over any [`Domain`], and how memory holds its values ([`layout`]).

mod concrete;
mod domain;
pub mod layout;

pub use concrete::Concrete;
pub use domain::Domain;
