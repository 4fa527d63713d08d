//! The choice between the two ways to compile a program.

use culet_types::program::Program;

/// The kind of code that a program becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route {
    /// A kernel on slices of many instances.
    Slices,
    /// A function on the words of one instance, or of a batch in lanes.
    Words,
}

impl Route {
    /// The route of a program, which is decided here and nowhere else.
    pub fn of(program: &Program) -> Route {
        if culet_lower::is_per_instance(program) { Route::Words } else { Route::Slices }
    }
}
