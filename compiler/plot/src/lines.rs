//! Small line plots in a grid: a row of panels for each measured thing, a column for each place.

use crate::axis::Scale;
use crate::svg::{Anchor, Font, Svg, text_width};
use crate::{GREY, GRID, INK, color};

#[derive(Debug, Clone, Default)]
pub struct LineGrid {
    pub title: String,
    /// Titles of the horizontal and of the vertical axis, with units.
    pub x_title: String,
    pub y_title: String,
    /// The positions on the x axis, at equal distances.
    pub x: Vec<String>,
    pub series: Vec<String>,
    pub columns: Vec<String>,
    pub rows: Vec<String>,
    /// The values by row, column, series and x; `None` where there is no figure. A panel without series was not
    /// measured.
    pub values: Vec<Vec<Vec<Vec<Option<f64>>>>>,
    /// A value with which all others are compared.
    pub reference: f64,
}

const MARGIN: f64 = 16.0;
const TITLE: Font = Font { size: 16.0, is_bold: true, color: INK };
const NAME: Font = Font { size: 13.0, is_bold: true, color: INK };
const LABEL: Font = Font { size: 12.0, is_bold: false, color: INK };
const TICK: Font = Font { size: 11.0, is_bold: false, color: GREY };
const PANEL: (f64, f64) = (230.0, 104.0);
/// Gaps between panels, with room for the labels of the y axis and of the x axis.
const GAP: (f64, f64) = (46.0, 34.0);

impl LineGrid {
    /// The grid as SVG.
    pub fn svg(&self) -> String {
        let mut svg = Svg::default();
        let names = self.rows.iter().map(|name| text_width(name, NAME.size)).fold(30.0, f64::max);
        let left = MARGIN + names + GAP.0;
        let step = (PANEL.0 + GAP.0, PANEL.1 + GAP.1);
        let wide = [(&self.title, TITLE), (&self.y_title, TICK), (&self.x_title, TICK)];
        let texts =
            wide.map(|(text, font)| text_width(text, font.size)).into_iter().fold(self.legend_width(), f64::max);
        let width = (left + self.columns.len() as f64 * step.0).max(texts + 2.0 * MARGIN);
        let top = MARGIN + TITLE.size + 84.0;
        let height = top + self.rows.len() as f64 * step.1 + 10.0 + MARGIN;
        svg.text((MARGIN, MARGIN + TITLE.size), Anchor::Start, TITLE, &self.title);
        self.legend(&mut svg, MARGIN + TITLE.size + 24.0);
        svg.text((MARGIN, MARGIN + TITLE.size + 44.0), Anchor::Start, TICK, &self.y_title);
        svg.text((MARGIN, height - MARGIN), Anchor::Start, TICK, &self.x_title);
        for (column, name) in self.columns.iter().enumerate() {
            let x = left + column as f64 * step.0 + PANEL.0 / 2.0;
            svg.text((x, top - 14.0), Anchor::Middle, NAME, name);
        }
        for (row, name) in self.rows.iter().enumerate() {
            let y = top + row as f64 * step.1;
            svg.text((MARGIN, y + PANEL.1 / 2.0 + 4.0), Anchor::Start, NAME, name);
            let scale = self.scale(row, y);
            for column in 0..self.columns.len() {
                self.panel(&mut svg, (row, column), left + column as f64 * step.0, scale);
            }
        }
        svg.finish(width.ceil(), height.ceil(), &format!("{}: {}", self.title, self.y_title))
    }

    fn legend_width(&self) -> f64 {
        self.series.iter().map(|name| 44.0 + text_width(name, LABEL.size)).sum()
    }

    fn legend(&self, svg: &mut Svg, y: f64) {
        let mut x = MARGIN;
        for (k, name) in self.series.iter().enumerate() {
            svg.line((x, y - 4.0), (x + 22.0, y - 4.0), color(k), 1.8);
            svg.circle((x + 11.0, y - 4.0), 2.6, color(k));
            svg.text((x + 28.0, y), Anchor::Start, LABEL, name);
            x += 44.0 + text_width(name, LABEL.size);
        }
    }

    /// The scale of a row. All of its panels share it, and it includes the reference.
    fn scale(&self, row: usize, top: f64) -> Scale {
        let panels = self.values.get(row).map_or(&[][..], Vec::as_slice);
        let values = panels.iter().flatten().flatten().flatten().copied();
        let (low, high) = values.fold((self.reference, self.reference), |(l, h), v| (l.min(v), h.max(v)));
        let room = (0.06 * (high - low)).max(0.02 * self.reference.abs());
        Scale::new(low - room, high + room, top + PANEL.1, top)
    }

    fn panel(&self, svg: &mut Svg, (row, column): (usize, usize), left: f64, scale: Scale) {
        let right = left + PANEL.0;
        let (bottom, top) = (scale.at(f64::NEG_INFINITY), scale.at(f64::INFINITY));
        for (value, label) in scale.ticks(5) {
            let y = scale.at(value);
            svg.line((left, y), (right, y), GRID, 1.0);
            svg.text((left - 6.0, y + 4.0), Anchor::End, TICK, &label);
        }
        svg.line((left, scale.at(self.reference)), (right, scale.at(self.reference)), GREY, 1.0);
        let at = |k: usize| left + (k as f64 + 0.5) * PANEL.0 / self.x.len() as f64;
        for (k, label) in self.x.iter().enumerate() {
            svg.text((at(k), bottom + 14.0), Anchor::Middle, TICK, label);
        }
        let lines = self.values.get(row).and_then(|columns| columns.get(column)).map_or(&[][..], Vec::as_slice);
        if lines.iter().flatten().all(Option::is_none) {
            let middle = (f64::midpoint(left, right), f64::midpoint(top, bottom) - 9.0);
            let words = if lines.is_empty() { "not measured" } else { "no figure" };
            svg.text(middle, Anchor::Middle, Font { color: GREY, ..LABEL }, words);
        }
        for (series, line) in lines.iter().enumerate() {
            let points: Vec<Option<(f64, f64)>> =
                line.iter().enumerate().map(|(k, value)| value.map(|value| (at(k), scale.at(value)))).collect();
            for stretch in points.split(Option::is_none) {
                let stretch: Vec<(f64, f64)> = stretch.iter().copied().flatten().collect();
                if stretch.len() > 1 {
                    svg.polyline(&stretch, color(series));
                }
                stretch.iter().for_each(|&point| svg.circle(point, 2.6, color(series)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svg::check;

    #[test]
    fn a_grid_is_sound() {
        let line = |values: [f64; 3]| values.map(Some).to_vec();
        let grid = LineGrid {
            title: "Interleaving".into(),
            x_title: "grain".into(),
            y_title: "speed, ratio to ×1".into(),
            x: ["1", "10", "whole"].map(String::from).into(),
            series: ["×2", "×3"].map(String::from).into(),
            columns: ["sse", "avx2"].map(String::from).into(),
            rows: ["Serpent", "ACE & co"].map(String::from).into(),
            values: vec![
                vec![vec![line([1.0, 1.3, 1.1]), vec![Some(0.7), None, Some(0.9)]], vec![]],
                vec![vec![vec![None; 3]], vec![line([1.0, 1.0, 1.0])]],
            ],
            reference: 1.0,
        };
        let text = grid.svg();
        check::is_sound(&text);
        assert!(text.contains(">not measured<") && text.contains(">no figure<") && text.contains(">ACE &amp; co<"));
        // One series is a line through three points, one is broken into two single points, one is straight.
        assert_eq!(text.matches("<polyline").count(), 2);
        check::is_sound(&LineGrid::default().svg());
    }
}
