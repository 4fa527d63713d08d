//! Which way a program goes.

use culet_types::program::Program;

/// What becomes of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route {
    /// A kernel on slices of many instances.
    Slices,
    /// A function on the words of one instance, or of a batch in lanes.
    Words,
}

impl Route {
    /// This is decided here and nowhere else.
    pub fn of(program: &Program) -> Route {
        if culet_lower::is_single(program) { Route::Words } else { Route::Slices }
    }
}
