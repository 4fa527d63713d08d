//! What a program means: one interpreter over any [`Domain`], and how memory holds its values ([`layout`], [`packing`]).

mod concrete;
mod domain;
mod interpret;
pub mod layout;
pub mod packing;
mod steps;

pub use concrete::Concrete;
pub use domain::Domain;
pub use interpret::{Interpreter, run};
pub use layout::Layout;
pub use steps::steps;
