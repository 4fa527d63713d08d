//! Renderers: from diagnostics to text for people and JSON for tools. Nothing here prints.

mod json;
mod text;

pub use json::json;
pub use text::text;
