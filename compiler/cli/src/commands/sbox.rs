//! `culet sbox`: finds the circuit of a table.

use std::time::Duration;

use culet_diag::Diagnostic;
use culet_diag::codes::world;
use culet_driver::{keep_sbox, kept_sbox, sbox_cost, sbox_node, search_sbox};
use culet_ir::Target;
use culet_sbox::TableSpec;

use super::{cache_directory, progress_bar};
use crate::args::{MessageFormat, SboxArgs};
use crate::output::{Failure, Output};

pub fn run(args: &SboxArgs, output: Output) -> Result<(), Failure> {
    let wrong = |message: String| {
        let note = format!(
            "give the values for the indices 0, 1, 2, …, 2 to the power of the inputs of them, or the name of a known S-box: {}",
            culet_sbox::named::NAMES.join(", ")
        );
        output.fail(Diagnostic::error_without_place(&world::E0851, message).note(note))
    };
    let table = table(args).map_err(wrong)?;
    let cache = cache_directory().map(|cache| cache.join("sbox"));
    let mut known = None;
    if let Some(cache) = cache.as_ref().filter(|_| !args.again) {
        match kept_sbox(cache, &table) {
            Ok(kept) => known = kept,
            Err(remark) => output.progress(&format!("warning: {remark}")),
        }
    }
    let bar = progress_bar(None, output);
    bar.set_style(indicatif::ProgressStyle::default_spinner());
    bar.enable_steady_tick(Duration::from_millis(250));
    let found = search_sbox(&table, known, Duration::from_secs(args.time), &mut |progress| {
        bar.set_message(format!("{} gates after {} searches", progress.circuit.cost(), progress.searches));
    });
    bar.finish_and_clear();
    let progress = found.map_err(|error| wrong(error.to_string()))?;
    if let Some(Err(remark)) = cache.map(|cache| keep_sbox(&cache, &table, &progress)) {
        output.progress(&format!("warning: {remark}"));
    }

    let circuit = &progress.circuit;
    let mut costs = Vec::new();
    let targets = if args.target.is_empty() { Target::for_slices().collect() } else { args.target.clone() };
    for target in targets {
        costs.push((target, sbox_cost(circuit, target).map_err(wrong)?));
    }
    let text = match output.format {
        MessageFormat::Json => {
            let costs: serde_json::Map<String, serde_json::Value> = costs
                .iter()
                .map(|(target, counts)| {
                    let counts = counts.iter().map(|(name, count)| (name.clone(), (*count).into())).collect();
                    (target.name().to_owned(), serde_json::Value::Object(counts))
                })
                .collect();
            let object = serde_json::json!({
                "inputs": circuit.inputs,
                "outputs": circuit.outputs.len(),
                "gates": circuit.cost(),
                "depth": circuit.depth(),
                "searches": progress.searches,
                "targets": costs,
                "node": sbox_node(circuit, "sbox"),
            });
            format!("{object}\n")
        }
        MessageFormat::Human => {
            let mut text = format!(
                "# {} gates, depth {}; {} searches so far\n",
                circuit.cost(),
                circuit.depth(),
                progress.searches
            );
            for (target, counts) in &costs {
                let total: usize = counts.iter().map(|(_, count)| count).sum();
                let kinds: Vec<String> = counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
                text.push_str(&format!("# {:<7} {total} operations: {}\n", target.name(), kinds.join(", ")));
            }
            text + &sbox_node(circuit, "sbox")
        }
    };
    output.data(text.as_bytes())
}

/// The table that the arguments describe.
fn table(args: &SboxArgs) -> Result<TableSpec, String> {
    if let [name] = args.table.as_slice()
        && let Some(table) = culet_sbox::named::named(name)
    {
        return Ok(table);
    }
    let mut values = Vec::new();
    for word in args.table.iter().flat_map(|list| words(list)) {
        let number = match word.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => word.parse(),
        };
        values.push(number.map_err(|_| match word {
            "" => "a value is missing".into(),
            _ => format!("`{word}` is neither a number nor the name of a known S-box"),
        })?);
    }
    if !values.len().is_power_of_two() || values.len() < 2 {
        return Err(format!("a table has 2, 4, 8, 16, … values, not {}", values.len()));
    }
    let largest = values.iter().copied().max().unwrap_or(0);
    let outputs = args.outputs.unwrap_or((64 - largest.leading_zeros()).max(1));
    TableSpec::new(values.len().trailing_zeros(), outputs, values).map_err(|error| error.to_string())
}

/// The values of a list. They are separated by commas, or by white space where there is no comma. A comma at the end
/// adds no value.
fn words(list: &str) -> impl Iterator<Item = &str> {
    let list = list.trim();
    let list = list.strip_suffix(',').unwrap_or(list);
    list.split(',').flat_map(|part| match part.trim() {
        "" => vec![""],
        values => values.split_whitespace().collect(),
    })
}
