//! The built-in database: its entries are right, and a wrong entry is rejected.

use culet_sbox::database::{Database, EntryError, FILES, built_in};
use culet_sbox::named::{NAMES, named};
use culet_sbox::{Circuit, Mismatch, TableSpec, circuit};

#[test]
fn every_file_is_a_sound_entry_for_the_box_of_its_name() {
    let mut database = Database::default();
    for (name, text) in FILES {
        assert_eq!(database.add(text), Ok(()), "{name}");
        let found: Circuit = text.parse().unwrap();
        assert_eq!(found.check(&named(name).expect(name)), Ok(()), "{name}");
        let claim = format!("# {name}: {} gates, depth {}. Found by:\n", found.cost(), found.depth());
        assert!(text.starts_with(&claim), "{name} does not start with {claim}");
        assert!(text.lines().nth(1).unwrap().contains(&format!("--example search -- {name} ")), "{name}");
    }
}

#[test]
fn every_named_box_and_its_inverse_has_a_file() {
    for name in NAMES {
        let inverse = format!("{name}_inverse");
        assert!(FILES.iter().any(|(file, _)| *file == name), "{name}");
        assert_eq!(FILES.iter().any(|(file, _)| *file == inverse), named(&inverse).is_some(), "{inverse}");
    }
}

#[test]
fn a_changed_entry_is_rejected() {
    let (_, text) = FILES.iter().find(|(name, _)| *name == "present").unwrap();
    let reject = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        Database::default().add(&text.replacen(from, to, 1)).unwrap_err()
    };
    assert!(matches!(reject("xor", "or"), EntryError::Wrong(Mismatch::Value { .. })));
    assert_eq!(reject("table 12 5", "table 5 12"), EntryError::Wrong(Mismatch::Value { index: 0, output: 0 }));
    assert!(matches!(reject("table 12", "table"), EntryError::Table(_)));
    assert!(matches!(reject("table", "# table"), EntryError::NoTable));
    assert!(matches!(reject("inputs 4", "inputs 5"), EntryError::Table(_)));
    assert!(matches!(reject("g1 =", "g2 ="), EntryError::Text(_)));
}

#[test]
fn every_gate_of_every_entry_matters() {
    for (name, text) in FILES {
        let found: Circuit = text.parse().unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for gate in 0..found.cost() {
            let (at, line) =
                lines.iter().enumerate().find(|(_, line)| line.starts_with(&format!("g{gate} = "))).unwrap();
            let (name_of_gate, _) = line.split_once(" = ").unwrap();
            for constant in ["and 0 0", "or 1 1"] {
                let mut changed = lines.clone();
                let line = format!("{name_of_gate} = {constant}");
                changed[at] = &line;
                let result = Database::default().add(&changed.join("\n"));
                assert!(matches!(result, Err(EntryError::Wrong(Mismatch::Value { .. }))), "{name}: {line}");
            }
        }
    }
}

/// The table with the bits of indices and values in another order.
fn rearranged(table: &TableSpec, inputs: &[u32], outputs: &[u32]) -> TableSpec {
    let pick = |x: u64, width: u32, order: &[u32]| order.iter().fold(0, |y, &bit| y << 1 | x >> (width - 1 - bit) & 1);
    let mut values = vec![0; table.values.len()];
    for (index, &value) in (0..).zip(&table.values) {
        values[pick(index, table.inputs, inputs) as usize] = pick(value, table.outputs, outputs);
    }
    TableSpec { values, ..*table }
}

#[test]
fn the_order_of_inputs_and_outputs_does_not_matter() {
    for name in ["rectangle", "present", "serpent_3", "des_4", "ascon", "aes"] {
        let table = named(name).unwrap();
        let gates = built_in().find(&table).expect(name).cost();
        let inputs: Vec<u32> = match table.inputs {
            8 => (0..8).rev().collect(),
            inputs => (0..inputs).map(|i| (i + 2) % inputs).collect(),
        };
        let outputs: Vec<u32> = (0..table.outputs).map(|i| (i + 3) % table.outputs).collect();
        for other in [rearranged(&table, &inputs, &outputs), table.lsb_first()] {
            assert_eq!(circuit(&other).unwrap().cost(), gates, "{name}");
        }
    }
}

#[test]
fn a_table_that_is_not_in_the_database_is_not_found() {
    let mut table = named("present").unwrap();
    table.values.swap(0, 1);
    assert_eq!(built_in().find(&table), None);
    assert_eq!(circuit(&table).unwrap().check(&table), Ok(()));
}
