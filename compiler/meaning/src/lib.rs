//! The meaning of programs: one interpreter over any [`Domain`] of words and [`FieldDomain`] of elements of fields, and
//! the layout of their values in memory ([`layout`], [`packing`]).

mod concrete;
mod concrete_fields;
mod constants;
mod domain;
mod fields;
mod interpret;
pub mod layout;
mod machine;
pub mod packing;
mod steps;

pub use concrete::Concrete;
pub use concrete_fields::{ConcreteFields, reduced};
pub use constants::evaluate_constants;
pub use domain::Domain;
pub use fields::{FieldDomain, NoFields};
pub use interpret::{Interpreter, Value, run};
pub use layout::Layout;
pub use steps::steps;
