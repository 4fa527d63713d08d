//! Searches for small circuits and writes them to the database, if they are better than the entries there:
//!
//! ```text
//! cargo run --release -p culet-sbox --example search -- NAME SEED WORK
//! ```
//!
//! NAME is a box of `named` or the inverse of one, SEED any number, and WORK is in 10⁹ units of `Walk::work`, about a
//! second each. The result depends only on the arguments.

use std::error::Error;
use std::fs;
use std::path::Path;

use culet_sbox::named::named;
use culet_sbox::random::Random;
use culet_sbox::rewire::{self, Walk};
use culet_sbox::search::{Effort, quality, search};
use culet_sbox::tower::{self, Choice, InversionBox};
use culet_sbox::{Circuit, Listing, TableSpec};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, seed, work] = &arguments[..] else { return Err("usage: search NAME SEED WORK".into()) };
    let table = named(name).ok_or("no such S-box")?;
    let (seed, work) = (seed.parse()?, 1_000_000_000 * work.parse::<u64>()?);
    let circuit = match name.as_str() {
        "aes" => inversion(&InversionBox::aes(), work, seed),
        "aes_inverse" => inversion(&InversionBox::aes_inverse(), work, seed),
        _ => {
            let effort = Effort {
                starts: 40,
                reuse: 20,
                exhaustive: 4,
                first_walk: work / 80,
                finalists: 4,
                last_walk: work / 8,
            };
            search(&table, effort, seed)
        }
    };
    circuit.check(&table).map_err(|mismatch| format!("the circuit is wrong: {mismatch:?}"))?;
    keep_better(name, &table, circuit, &arguments.join(" "))
}

/// The best circuit of many ways through the subfields, after rewiring.
fn inversion(inversion: &InversionBox, work: u64, seed: u64) -> Circuit {
    let mut random = Random::new(seed);
    let mut found: Vec<Circuit> = (0..work / 30_000_000)
        .map(|_| tower::synthesise(inversion, &Choice::random(&mut random), 4_000_000, &mut random))
        .collect();
    for finalists in [12, 3] {
        found.sort_by_key(quality);
        found.truncate(finalists);
        for circuit in &mut found {
            let walk = Walk { work: work / (3 * finalists as u64), slack: 2 + random.below(3), seed: random.number() };
            *circuit = rewire::improve(circuit, walk);
        }
    }
    found.into_iter().min_by_key(quality).expect("work for one circuit at least")
}

fn keep_better(name: &str, table: &TableSpec, circuit: Circuit, arguments: &str) -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("database").join(format!("{name}.circuit"));
    let known: Option<Circuit> = fs::read_to_string(&path).ok().and_then(|text| text.parse().ok());
    if known.is_some_and(|known| quality(&known) <= quality(&circuit)) {
        return Ok(());
    }
    let header = format!(
        "# {name}: {} gates, depth {}. Found by:\n# cargo run --release -p culet-sbox --example search -- {arguments}\n",
        circuit.cost(),
        circuit.depth()
    );
    let listing = Listing { circuit, table: Some(table.values.clone()) };
    fs::write(path, format!("{header}{listing}"))?;
    Ok(())
}
