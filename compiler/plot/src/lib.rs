//! Plots as SVG, for the demo's page and the documents of the experiments.
//!
//! A plot is one self-contained text. Its shapes and labels have a white background of their own, so that it is
//! readable in light and dark pages alike. [`BarChart`] and [`LineGrid`] hold data and compute their layout from it;
//! [`svg`] writes the elements.

mod axis;
mod bars;
mod lines;
mod svg;

pub use bars::{Bar, BarChart, BarPanel, Value};
pub use lines::LineGrid;
pub use svg::escape;

/// Colours of series, which can be distinguished with any colour vision (after Paul Tol's bright scheme, with a darker
/// yellow).
const COLORS: [&str; 6] = ["#4477aa", "#ee6677", "#228833", "#bb9900", "#66ccee", "#aa3377"];

const INK: &str = "#222222";
const GREY: &str = "#666666";
const GRID: &str = "#dddddd";

fn color(series: usize) -> &'static str {
    COLORS[series % COLORS.len()]
}
