//! The measurements as a table and as a plot.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;

use culet_plot::{Bar, BarChart, BarPanel, Value};

use crate::clock::Measured;

/// A table in Markdown: ticks of the library, and each peer's ticks; the ratio is to the fastest peer.
pub fn table(rows: &[Measured]) -> String {
    let peers = peers(rows);
    let mut text = String::from("| operation | culet | ratio to the fastest other library |");
    for peer in &peers {
        let _ = write!(text, " {peer} |");
    }
    let _ = writeln!(text, "\n|---|---|---|{}", "---|".repeat(peers.len()));
    for row in rows {
        let ratio = row.best_peer().map_or(String::new(), |(_, best)| format!("{:.2}", row.ticks[0].1 / best));
        let _ = write!(text, "| {} | {:.0} | {ratio} |", row.name, row.ticks[0].1);
        for peer in &peers {
            let ticks = row.ticks.iter().find(|(library, _)| library == peer);
            let _ = write!(text, " {} |", ticks.map_or(String::new(), |(_, ticks)| format!("{ticks:.0}")));
        }
        text.push('\n');
    }
    text
}

/// Writes `library.svg`.
pub fn write(directory: &Path, rows: &[Measured]) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    fs::write(directory.join("library.svg"), plot(rows))
}

/// A bar for each operation: its time relative to the fastest peer's.
fn plot(rows: &[Measured]) -> String {
    let bar = |row: &Measured| {
        let ratio = row.best_peer().map_or(Value::Absent, |(_, best)| Value::Is(row.ticks[0].1 / best));
        vec![Bar { value: ratio, peer: None }]
    };
    let chart = BarChart {
        title: "The library beside the fastest other library".to_owned(),
        unit: "time relative to the fastest of the other libraries; shorter is faster".to_owned(),
        rows: rows.iter().map(|row| row.name.clone()).collect(),
        series: vec!["culet".to_owned()],
        panels: vec![BarPanel { title: String::new(), bars: rows.iter().map(bar).collect() }],
        peer: String::new(),
        reference: Some(1.0),
        decimals: 2,
    };
    chart.svg()
}

/// The other libraries in the order in which they first appear.
fn peers(rows: &[Measured]) -> Vec<&'static str> {
    let mut peers = Vec::new();
    for (library, _) in rows.iter().flat_map(|row| &row.ticks[1..]) {
        if !peers.contains(library) {
            peers.push(*library);
        }
    }
    peers
}
