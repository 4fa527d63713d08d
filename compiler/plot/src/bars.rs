//! Horizontal bars: a row for each compared thing, with bars of several series, and panels side by side.

use crate::axis::Scale;
use crate::svg::{Anchor, Font, Svg, text_width};
use crate::{GREY, GRID, INK, color};

/// The value of a bar.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Value {
    /// The row has no bar of this series, and no room for one.
    #[default]
    Absent,
    /// A figure is missing where there should be one.
    Failed,
    Is(f64),
}

/// A bar, and a peer's value for the same thing.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Bar {
    pub value: Value,
    pub peer: Option<f64>,
}

/// One panel, which has a bar of each series for each row of the chart.
#[derive(Debug, Clone, Default)]
pub struct BarPanel {
    pub title: String,
    pub bars: Vec<Vec<Bar>>,
}

#[derive(Debug, Clone, Default)]
pub struct BarChart {
    pub title: String,
    /// The quantity that lengths show, with its unit.
    pub unit: String,
    pub rows: Vec<String>,
    pub series: Vec<String>,
    pub panels: Vec<BarPanel>,
    /// The legend's name for the marks of peers.
    pub peer: String,
    /// A value with which all others are compared.
    pub reference: Option<f64>,
    pub decimals: usize,
}

const MARGIN: f64 = 16.0;
const TITLE: Font = Font { size: 16.0, is_bold: true, color: INK };
const PANEL_TITLE: Font = Font { size: 13.0, is_bold: true, color: INK };
const LABEL: Font = Font { size: 12.0, is_bold: false, color: INK };
const TICK: Font = Font { size: 11.0, is_bold: false, color: GREY };
/// Gaps between rows, and between panels.
const GAP: f64 = 8.0;
const GUTTER: f64 = 14.0;

impl BarChart {
    /// The chart as SVG.
    pub fn svg(&self) -> String {
        let mut svg = Svg::default();
        let layout = Layout::new(self);
        svg.text((MARGIN, MARGIN + TITLE.size), Anchor::Start, TITLE, &self.title);
        self.legend(&mut svg, &layout);
        for (row, name) in self.rows.iter().enumerate() {
            let (top, height) = layout.rows[row];
            if row % 2 == 1 {
                let ground = (MARGIN, top - GAP / 2.0);
                svg.rect(ground, (layout.width - 2.0 * MARGIN, height + GAP), "#f6f6f6");
            }
            let middle = top + height / 2.0 + 0.35 * LABEL.size;
            svg.text((MARGIN + layout.labels, middle), Anchor::End, LABEL, name);
        }
        for (k, panel) in self.panels.iter().enumerate() {
            self.panel(&mut svg, &layout, panel, layout.panel_left(k));
        }
        let unit = (MARGIN, layout.height - MARGIN);
        svg.text(unit, Anchor::Start, TICK, &self.unit);
        svg.finish(layout.width, layout.height, &format!("{}: {}", self.title, self.unit))
    }

    fn legend(&self, svg: &mut Svg, layout: &Layout) {
        for (k, (name, (x, y))) in layout.legend.iter().enumerate() {
            match k < self.series.len() {
                true => svg.rect((*x, y - 10.0), (11.0, 11.0), color(k)),
                false => svg.diamond((x + 6.0, y - 4.5), 5.0, INK),
            }
            svg.text((x + 17.0, *y), Anchor::Start, LABEL, name);
        }
    }

    fn panel(&self, svg: &mut Svg, layout: &Layout, panel: &BarPanel, left: f64) {
        let values = panel.bars.iter().flatten().flat_map(|bar| bar.value.number().into_iter().chain(bar.peer));
        let most = values.chain(self.reference).fold(0.0, f64::max);
        let scale = Scale::new(0.0, most, left, left + layout.panel);
        svg.text((left, layout.top - 12.0), Anchor::Start, PANEL_TITLE, &panel.title);
        let (top, bottom) = (layout.top, layout.bottom());
        for (value, label) in scale.ticks((layout.panel / 45.0) as usize) {
            let x = scale.at(value);
            svg.line((x, top), (x, bottom), GRID, 1.0);
            svg.text((x, bottom + 14.0), Anchor::Middle, TICK, &label);
        }
        let (start, places) = (scale.at(0.0), layout.places(panel));
        for &(k, bar, y) in &places {
            if let Value::Is(value) = bar.value {
                svg.rect((start, y), (scale.at(value) - start, layout.bar), color(k));
            }
        }
        if let Some(reference) = self.reference {
            svg.line((scale.at(reference), top), (scale.at(reference), bottom), INK, 1.0);
        }
        // Marks and labels are painted after the line.
        for &(_, bar, y) in &places {
            if let Some(peer) = bar.peer {
                svg.diamond((scale.at(peer), y + layout.bar / 2.0), layout.bar / 2.0 - 0.5, INK);
            }
            self.label(svg, layout, bar, &scale, y);
        }
    }

    /// Writes the figure of a bar.
    fn label(&self, svg: &mut Svg, layout: &Layout, bar: Bar, scale: &Scale, y: f64) {
        let size = (layout.bar - 1.0).min(LABEL.size);
        let (base, font) = (y + layout.bar / 2.0 + 0.36 * size, Font { size, ..LABEL });
        let start = scale.at(0.0);
        let (label, end) = match bar.value {
            Value::Is(value) => (format!("{value:.*}", self.decimals), scale.at(value)),
            Value::Failed => ("no figure".into(), start),
            Value::Absent => return,
        };
        let width = text_width(&label, size);
        // If the peer's mark is in the way, the label is in the bar, or after the mark if the bar is short.
        let mark = bar.peer.map(|peer| (scale.at(peer) - layout.bar / 2.0, scale.at(peer) + layout.bar / 2.0));
        match mark.filter(|&(left, right)| right > end && left < end + 4.0 + width) {
            Some((left, _)) if start + 8.0 + width < end.min(left) => {
                let font = Font { color: "#ffffff", is_bold: true, ..font };
                svg.text((end.min(left) - 4.0, base), Anchor::End, font, &label);
            }
            Some((_, right)) => svg.text_on_lines((right + 4.0, base), font, &label),
            None => svg.text_on_lines((end + 4.0, base), font, &label),
        }
    }
}

impl Value {
    fn number(self) -> Option<f64> {
        match self {
            Value::Is(value) => Some(value),
            _ => None,
        }
    }
}

/// The positions of all parts.
struct Layout {
    width: f64,
    height: f64,
    /// Widths of the rows' names, of a panel, and of the space right of a panel for the longest bar's label.
    labels: f64,
    panel: f64,
    after: f64,
    /// Thickness of a bar.
    bar: f64,
    /// Top of the panels; top and height of each row.
    top: f64,
    rows: Vec<(f64, f64)>,
    /// The names in the legend, with their places.
    legend: Legend,
}

/// Names with their places.
type Legend = Vec<(String, (f64, f64))>;

impl Layout {
    fn new(chart: &BarChart) -> Layout {
        let count = |row: usize| {
            let bars = |panel: &BarPanel| {
                let bars = panel.bars.get(row).map_or(&[][..], Vec::as_slice);
                bars.iter().filter(|bar| bar.value != Value::Absent).count()
            };
            chart.panels.iter().map(bars).max().unwrap_or(0).max(1)
        };
        let most = (0..chart.rows.len()).map(count).max().unwrap_or(1);
        let bar = if most == 1 { 16.0 } else { 11.0 };
        let labels = chart.rows.iter().map(|name| text_width(name, LABEL.size)).fold(40.0, f64::max);
        let panel: f64 = match chart.panels.len() {
            0 | 1 => 560.0,
            2 => 320.0,
            3 => 220.0,
            _ => 170.0,
        };
        let titles = chart.panels.iter().map(|panel| text_width(&panel.title, PANEL_TITLE.size)).fold(0.0, f64::max);
        let numbers = chart.panels.iter().flat_map(|p| p.bars.iter().flatten()).filter_map(|bar| bar.value.number());
        let longest = format!("{:.*}", chart.decimals, numbers.fold(0.0, f64::max));
        let after = text_width(&longest, LABEL.size) + bar + 8.0;
        let panel = panel.max(titles - after);
        let panels = chart.panels.len() as f64 * (panel + after + GUTTER);
        let width = (2.0 * MARGIN + labels + panels)
            .max(2.0 * MARGIN + text_width(&chart.title, TITLE.size))
            .max(2.0 * MARGIN + text_width(&chart.unit, TICK.size));
        let (legend, legend_end) = legend(chart, width);
        let top = legend_end + 34.0;
        let mut rows = Vec::new();
        let mut y = top + GAP / 2.0;
        for row in 0..chart.rows.len() {
            let height = (count(row) as f64 * (bar + 1.0) - 1.0).max(LABEL.size);
            rows.push((y, height));
            y += height + GAP;
        }
        let height = y - GAP / 2.0 + 38.0 + MARGIN;
        Layout { width: width.ceil(), height: height.ceil(), labels, panel, after, bar, top, rows, legend }
    }

    /// The bars of a panel that exist: series, bar, top.
    fn places(&self, panel: &BarPanel) -> Vec<(usize, Bar, f64)> {
        let mut places = Vec::new();
        for (bars, &(row, _)) in panel.bars.iter().zip(&self.rows) {
            let there = bars.iter().enumerate().filter(|(_, bar)| bar.value != Value::Absent);
            places
                .extend(there.zip(0u8..).map(|((k, bar), above)| (k, *bar, row + f64::from(above) * (self.bar + 1.0))));
        }
        places
    }

    fn panel_left(&self, k: usize) -> f64 {
        MARGIN + self.labels + GUTTER + k as f64 * (self.panel + self.after + GUTTER)
    }

    fn bottom(&self) -> f64 {
        self.rows.last().map_or(self.top, |(top, height)| top + height + GAP / 2.0)
    }
}

/// The legend's names in lines that fit, and the base of the last line. A single series needs no legend.
fn legend(chart: &BarChart, width: f64) -> (Legend, f64) {
    let mut names = chart.series.clone();
    if chart.panels.iter().flat_map(|p| p.bars.iter().flatten()).any(|bar| bar.peer.is_some()) {
        names.push(chart.peer.clone());
    }
    let (mut x, mut y) = (MARGIN, MARGIN + TITLE.size + 24.0);
    if names.len() < 2 {
        return (Vec::new(), MARGIN + TITLE.size);
    }
    let mut places = Vec::new();
    for name in names {
        let needed = 17.0 + text_width(&name, LABEL.size) + 14.0;
        if x + needed > width - MARGIN && x > MARGIN {
            (x, y) = (MARGIN, y + 18.0);
        }
        places.push((name, (x, y)));
        x += needed;
    }
    (places, y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svg::check;

    fn is(value: f64) -> Bar {
        Bar { value: Value::Is(value), peer: None }
    }

    fn chart() -> BarChart {
        BarChart {
            title: "Speed <of> \"kernels\" & more".into(),
            unit: "core cycles a byte".into(),
            rows: vec!["Serpent".into(), "a cipher of a long name".into(), "AES".into()],
            series: vec!["none".into(), "all".into()],
            panels: ["gcc-12", "clang-19"]
                .map(|title| BarPanel {
                    title: title.into(),
                    bars: vec![
                        vec![is(1.25), Bar { value: Value::Is(2.0), peer: Some(2.05) }],
                        vec![Bar { value: Value::Failed, peer: Some(0.0) }, is(0.0)],
                        vec![is(1234.5), Bar::default()],
                    ],
                })
                .into(),
            peer: "usubac".into(),
            reference: Some(1.0),
            decimals: 2,
        }
    }

    #[test]
    fn a_chart_is_sound() {
        let text = chart().svg();
        check::is_sound(&text);
        assert!(text.contains("Speed &lt;of&gt; &quot;kernels&quot; &amp; more"), "{text}");
        assert!(text.contains(">1234.50<") && text.contains(">no figure<"), "{text}");
        check::is_sound(&BarChart::default().svg());
        let many = BarChart { panels: vec![chart().panels[0].clone(); 4], ..chart() };
        check::is_sound(&many.svg());
    }

    #[test]
    fn lengths_are_proportional() {
        let values = [3.0, 1.5, 0.75];
        let rows = vec![String::from("a"); values.len()];
        let panels = vec![BarPanel { title: String::new(), bars: values.map(|v| vec![is(v)]).to_vec() }];
        let text = BarChart { rows, series: vec!["s".into()], panels, decimals: 2, ..BarChart::default() }.svg();
        let widths: Vec<f64> = check::elements(&text)
            .iter()
            .filter(|e| e.attributes.iter().any(|(_, value)| value == color(0)))
            .map(|e| e.number("width"))
            .collect();
        assert_eq!(widths, [560.0, 280.0, 140.0]);
    }
}
