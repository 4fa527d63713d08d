//! The published S-boxes: their tables as printed in the specifications, and the number of gates that they take.

use std::fs;
use std::path::Path;

use culet_sbox::named::{NAMES, named};
use culet_sbox::polarity::without_andn;
use culet_sbox::search::{Effort, search};
use culet_sbox::{TableSpec, circuit};

/// A box, the number of gates of our circuit for it and for its inverse, and that of usubac's database and of its mux
/// tree.
struct Row {
    name: &'static str,
    gates: usize,
    inverse_gates: Option<usize>,
    usubac_database: Option<usize>,
    usubac_muxes: usize,
}

const fn row(
    name: &'static str,
    gates: usize,
    inverse_gates: Option<usize>,
    usubac_database: Option<usize>,
    usubac_muxes: usize,
) -> Row {
    Row { name, gates, inverse_gates, usubac_database, usubac_muxes }
}

/// usubac's circuit for Skinny computes a different function.
const ROWS: [Row; 24] = [
    row("des_1", 59, None, Some(63), 99),
    row("des_2", 51, None, Some(56), 88),
    row("des_3", 49, None, Some(57), 95),
    row("des_4", 33, None, Some(42), 104),
    row("des_5", 54, None, Some(62), 107),
    row("des_6", 51, None, Some(57), 94),
    row("des_7", 49, None, Some(57), 92),
    row("des_8", 44, None, Some(54), 95),
    row("aes", 112, Some(119), Some(117), 648),
    row("serpent_0", 14, Some(14), Some(16), 29),
    row("serpent_1", 14, Some(14), Some(17), 27),
    row("serpent_2", 13, Some(13), Some(16), 25),
    row("serpent_3", 15, Some(14), Some(18), 31),
    row("serpent_4", 15, Some(14), Some(16), 27),
    row("serpent_5", 14, Some(15), Some(16), 25),
    row("serpent_6", 14, Some(14), Some(16), 29),
    row("serpent_7", 15, Some(16), Some(18), 28),
    row("rectangle", 12, Some(12), Some(12), 24),
    row("present", 14, Some(14), Some(14), 27),
    row("pyjamask", 12, Some(11), Some(12), 24),
    row("clyde", 8, Some(8), Some(8), 13),
    row("skinny", 20, Some(20), None, 105),
    row("ascon", 16, Some(19), Some(22), 29),
    row("spongent", 13, Some(12), Some(27), 24),
];

/// Tables for which the search at compile time alone, without the database, needs more than 0.6 of the gates of
/// usubac's mux tree.
const HARD_WITHOUT_THE_DATABASE: [&str; 4] = ["des_2", "des_3", "des_7", "clyde"];

#[test]
fn every_box_takes_as_many_gates_as_stated_and_no_more() {
    for Row { name, gates, inverse_gates, .. } in ROWS {
        assert_eq!(circuit(&named(name).unwrap()).unwrap().cost(), gates, "{name}");
        let inverse = named(&format!("{name}_inverse"));
        assert_eq!(inverse.map(|table| circuit(&table).unwrap().cost()), inverse_gates, "the inverse of {name}");
    }
}

#[test]
fn no_box_takes_more_than_usubac_or_six_tenths_of_its_mux_tree() {
    for Row { name, gates, usubac_database, usubac_muxes, .. } in ROWS {
        assert!(usubac_database.is_none_or(|most| gates <= most), "{name}");
        // 0.6 of 13 is 7.8, and Clyde needs eight: see `lower_bound`.
        assert!(10 * gates <= 6 * usubac_muxes || name == "clyde", "{name}");
    }
}

/// If `andn` counts as two operations, some boxes take a few more operations than usubac's; all of them together do
/// not.
#[test]
fn the_boxes_without_andn_take_no_more_than_usubacs_together() {
    let pairs = ROWS.iter().filter_map(|row| {
        let circuit = circuit(&named(row.name).unwrap()).unwrap();
        Some((without_andn(&circuit).cost(), row.usubac_database?))
    });
    let (ours, theirs) = pairs.fold((0, 0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1));
    assert!(ours <= theirs, "{ours} and {theirs}");
}

#[test]
fn the_search_at_compile_time_is_good_without_the_database() {
    let mut hard = Vec::new();
    for Row { name, usubac_muxes, .. } in ROWS {
        let table = named(name).unwrap();
        let found = search(&table, Effort::compile_time(&table), 0);
        assert_eq!(found.check(&table), Ok(()), "{name}");
        if 10 * found.cost() > 6 * usubac_muxes {
            hard.push(name);
        }
        assert!(4 * found.cost() <= 3 * usubac_muxes, "{name}: {}", found.cost());
    }
    assert_eq!(hard, HARD_WITHOUT_THE_DATABASE);
}

/// The numbers in the README are those of the database. `CULET_BLESS=1` writes them.
#[test]
fn the_readme_states_the_figures() {
    const BEGIN: &str = "| S-box |";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = fs::read_to_string(&path).unwrap();
    let mut table = String::from(
        "| S-box | gates | depth | without andn | inverse: gates | depth | usubac's database | usubac's mux tree |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for Row { name, usubac_database, usubac_muxes, .. } in ROWS {
        let figures = |table: TableSpec| {
            let found = circuit(&table).unwrap();
            format!("{} | {}", found.cost(), found.depth())
        };
        let inverse = named(&format!("{name}_inverse")).map_or("– | –".to_owned(), figures);
        let database = usubac_database.map_or("wrong".to_owned(), |gates| gates.to_string());
        let own = named(name).unwrap();
        let without = without_andn(&circuit(&own).unwrap()).cost();
        let line = format!("| {name} | {} | {without} | {inverse} | {database} | {usubac_muxes} |\n", figures(own));
        table.push_str(&line);
    }
    let (before, rest) = text.split_once(BEGIN).expect("the README has the table");
    let after = rest.split_once("\n\n").map_or("", |(_, after)| after);
    let expected = format!("{before}{table}\n{after}");
    if std::env::var_os("CULET_BLESS").is_some() {
        fs::write(&path, &expected).unwrap();
    } else {
        assert_eq!(text, expected, "the README is out of date; CULET_BLESS=1 writes it");
    }
}

#[test]
fn every_name_has_a_row() {
    assert_eq!(ROWS.map(|row| row.name), NAMES);
    assert_eq!(named("present_"), None);
    assert_eq!(named("des_0"), None);
    assert_eq!(named("des_1_inverse"), None);
    assert_eq!(named("present_inverse_inverse"), named("present"));
}

/// FIPS 197, figure 7.
#[test]
fn the_table_of_the_aes() {
    const FIGURE_7: &str = "\
        637c777bf26b6fc53001672bfed7ab76ca82c97dfa5947f0add4a2af9ca472c0b7fd9326363ff7cc34a5e5f171d83115\
        04c723c31896059a071280e2eb27b27509832c1a1b6e5aa0523bd6b329e32f8453d100ed20fcb15b6acbbe394a4c58cf\
        d0efaafb434d338545f9027f503c9fa851a3408f929d38f5bcb6da2110fff3d2cd0c13ec5f974417c4a77e3d645d1973\
        60814fdc222a908846eeb814de5e0bdbe0323a0a4906245cc2d3ac629195e479e7c8376d8dd54ea96c56f4ea657aae08\
        ba78252e1ca6b4c6e8dd741f4bbd8b8a703eb5664803f60e613557b986c11d9ee1f8981169d98e949b1e87e9ce5528df\
        8ca1890dbfe6426841992d0fb054bb16";
    let bytes = (0..256).map(|i| u64::from_str_radix(&FIGURE_7[2 * i..2 * i + 2], 16).unwrap());
    assert!(bytes.eq(named("aes").unwrap().values));
    // FIPS 197, figure 14, first row.
    let inverse = [0x52, 0x09, 0x6a, 0xd5, 0x30, 0x36, 0xa5, 0x38, 0xbf, 0x40, 0xa3, 0x9e, 0x81, 0xf3, 0xd7, 0xfb];
    assert_eq!(named("aes_inverse").unwrap().values[..16], inverse);
}

/// Ascon v1.2, table 5; Spook, table 2; The SKINNY Family, appendix B.
#[test]
fn the_tables_of_ascon_clyde_and_skinny() {
    let ascon = [
        0x04, 0x0b, 0x1f, 0x14, 0x1a, 0x15, 0x09, 0x02, 0x1b, 0x05, 0x08, 0x12, 0x1d, 0x03, 0x06, 0x1c, 0x1e, 0x13,
        0x07, 0x0e, 0x00, 0x0d, 0x11, 0x18, 0x10, 0x0c, 0x01, 0x19, 0x16, 0x0a, 0x0f, 0x17,
    ];
    assert_eq!(named("ascon").unwrap().values, ascon);
    let clyde = [0x0, 0x8, 0x1, 0xf, 0x2, 0xa, 0x7, 0x9, 0x4, 0xd, 0x5, 0x6, 0xe, 0x3, 0xb, 0xc];
    assert_eq!(named("clyde").unwrap().values, clyde);
    let skinny = [
        0x65, 0x4c, 0x6a, 0x42, 0x4b, 0x63, 0x43, 0x6b, 0x55, 0x75, 0x5a, 0x7a, 0x53, 0x73, 0x5b, 0x7b, 0x35, 0x8c,
        0x3a, 0x81, 0x89, 0x33, 0x80, 0x3b, 0x95, 0x25, 0x98, 0x2a, 0x90, 0x23, 0x99, 0x2b,
    ];
    assert_eq!(named("skinny").unwrap().values[..32], skinny);
    assert_eq!(named("skinny").unwrap().values[0xa0..0xa8], [0xa6, 0x1e, 0xaa, 0x11, 0x19, 0xa3, 0x10, 0xab]);
}

/// FIPS 46-3: S₁ at 011011 is 0101, the standard's own example; each row of a box is a permutation.
#[test]
fn the_tables_of_the_des() {
    assert_eq!(named("des_1").unwrap().values[0b01_1011], 0b0101);
    for number in 1..=8 {
        let values = named(&format!("des_{number}")).unwrap().values;
        for row in 0..4_usize {
            let index = |column: usize| (row & 2) << 4 | column << 1 | row & 1;
            let mut values: Vec<u64> = (0..16).map(|column| values[index(column)]).collect();
            values.sort_unstable();
            assert!(values.into_iter().eq(0..16), "row {row} of S{number}");
        }
    }
}
