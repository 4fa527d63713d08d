use std::path::Path;

use culet_tune::Figure;

use super::record::{format, parse, read, replace};
use super::tables::{failures, find, markdown, mean, speed};
use super::*;

/// A row of a machine whose ticks have two core cycles.
fn row(place: (&str, &str), compiler: &str, variant: &str, figure: Result<(f64, Option<f64>), &str>) -> Row {
    Row {
        subject: place.0.into(),
        target: place.1.into(),
        compiler: compiler.into(),
        variant: variant.into(),
        cycles_a_tick: 2.0,
        figure: figure.map(|(ticks_a_byte, ratio)| Figure { ticks_a_byte, spread: 0.01, ratio }).map_err(str::to_owned),
        options: "--target c64 (gcc-12 -O3)".into(),
        machine: "a machine".into(),
    }
}

fn good(place: (&str, &str), compiler: &str, variant: &str, ticks: f64, ratio: f64) -> Row {
    row(place, compiler, variant, Ok((ticks, Some(ratio))))
}

#[test]
fn tables_come_back_from_text() {
    let mut rows = vec![
        good(("AES-bs", "c64"), "gcc-12", "none", 1.5, 1.0),
        row(("AES-bs", "c64"), "gcc-12", "all", Err("it died:\tsignal\n11")),
        row(("AES-bs", "c64"), "clang-19", "all", Ok((0.25, None))),
    ];
    let text = format(&rows);
    rows[1].figure = Err("it died: signal 11".into());
    assert_eq!(parse(&text).unwrap(), rows);
    assert!(parse("subject\ttarget\n").unwrap_err().starts_with("its first line is not `subject target compiler"));
    let broken = format!("{text}AES-bs\tc64\n");
    assert_eq!(parse(&broken).unwrap_err(), "this is no row of it: `AES-bs\tc64`");
    assert_eq!(read(Path::new("no/such/file.tsv")), Ok(Vec::new()));
}

#[test]
fn newer_rows_take_the_place_of_older_ones() {
    let mut rows = Vec::new();
    let of = |subject, target, ticks| vec![good((subject, target), "gcc-12", "none", ticks, 1.0)];
    for (subject, target, ticks) in
        [("B", "sse", 1.0), ("A", "avx2", 2.0), ("A", "c64", 3.0), ("B", "sse", 4.0), ("A", "sse", 5.0)]
    {
        replace(&mut rows, of(subject, target, ticks));
    }
    let expected = [("A", "c64", 3.0), ("A", "sse", 5.0), ("A", "avx2", 2.0), ("B", "sse", 4.0)];
    assert_eq!(rows, expected.map(|(subject, target, ticks)| of(subject, target, ticks).remove(0)));
}

#[test]
fn speeds_are_of_the_same_rounds_where_possible() {
    let place = ("A", "c64");
    // The medians come from different conditions; the ratios do not.
    let rows = [
        good(place, "gcc-12", "first", 1.0, 1.0),
        good(place, "gcc-12", "fast", 0.9, 0.5),
        row(place, "gcc-12", "lonely", Ok((3.0, None))),
        row(place, "gcc-12", "broken", Err("it hung")),
    ];
    let of = |variant| find(&rows, place, "gcc-12", variant);
    assert_eq!(speed(of("fast"), of("first")), Some(2.0));
    assert_eq!(speed(of("lonely"), of("first")), Some(1.0 / 3.0));
    assert_eq!(speed(of("broken"), of("first")), None);
    assert_eq!(speed(of("first"), of("missing")), None);
    assert_eq!(of("fast").unwrap().cycles(), Some(1.8));
    assert_eq!((mean(&[2.0, 8.0]), mean(&[])), (Some(4.0), None));
}

#[test]
fn markdown_keeps_its_columns() {
    let table = markdown(&["a", "b"], &[vec!["1|2".into(), "3".into()]]);
    assert_eq!(table, "| a | b |\n|---|---|\n| 1\\|2 | 3 |\n");
}

#[test]
fn what_fails_is_named() {
    let rows = [
        good(("A", "c64"), "gcc-12", "v", 1.0, 1.0),
        row(("A", "c64"), "gcc-12", "h", Err("no direction H")),
        row(("A", "c64"), "clang-19", "h", Err("no direction H")),
        row(("A", "sse"), "gcc-12", "b", Err("it hung")),
    ];
    let text = failures(&rows);
    assert!(text.contains("3 of 4 variants have no figure"), "{text}");
    assert!(text.contains("| A | h | c64 clang-19, c64 gcc-12 | no direction H |"), "{text}");
    assert!(text.contains("| A | b | sse gcc-12 | it hung |"), "{text}");
    assert_eq!(failures(&rows[..1]), "Every variant has a figure.\n");
}

/// The section of an experiment, with its plots.
fn section(name: &str, rows: &[Row]) -> (String, Vec<Plot>) {
    let experiment = EXPERIMENTS.iter().find(|experiment| experiment.name == name).expect("an experiment");
    let plots = (experiment.plots)(rows);
    (document::section(experiment, rows, &plots), plots)
}

fn has(text: &str, line: &str) {
    assert!(text.lines().any(|other| other == line), "`{line}` is not in:\n{text}");
}

#[test]
fn interleaving_finds_the_best_of_each_schedule() {
    let place = ("Serpent-vs", "avx2");
    let rows = [
        good(place, "clang-19", "x1", 1.0, 1.0),
        good(place, "clang-19", "x2,10", 0.8, 0.8),
        good(place, "clang-19", "x3,whole", 1.25, 1.25),
        row(place, "clang-19", "x4,1", Err("it did not end within 60 s")),
        good(place, "clang-19", "x1 unscheduled", 2.0, 2.0),
        good(place, "clang-19", "x5,1 unscheduled", 1.0, 1.0),
    ];
    let (text, plots) = section("interleaving", &rows);
    has(&text, "| Serpent-vs | avx2 | 2.000 | 2.00 | 1.25 | x2,10 | 2.00 | x5,1 | 1.56 | 1.35 |");
    has(&text, "| Serpent-vs | x4,1 | avx2 clang-19 | it did not end within 60 s |");
    assert_eq!(
        plots.iter().map(|plot| plot.file.as_str()).collect::<Vec<_>>(),
        ["interleaving", "interleaving-unscheduled"]
    );
    // ×2 and ×3 have one point each with scheduling, ×5 has one without.
    assert_eq!(plots.iter().map(|plot| plot.svg.matches("r=\"2.6\"").count()).collect::<Vec<_>>(), [4 + 2, 4 + 1]);
}

#[test]
fn inlining_is_relative_to_none() {
    let place = ("Rectangle-bs", "avx2");
    let rows = [
        good(place, "clang-19", "none", 1.0, 1.0),
        good(place, "clang-19", "auto", 0.5, 0.5),
        good(place, "clang-19", "all", 0.4, 0.4),
        good(place, "gcc-12", "none", 2.0, 2.0),
        row(place, "gcc-12", "auto", Err("it hung")),
        good(place, "gcc-12", "all", 4.0, 4.0),
    ];
    let (text, plots) = section("inlining", &rows);
    has(&text, "| Rectangle-bs | avx2 | clang-19 | 2.000 | 1.000 | 0.800 | 2.00 | 2.50 | 2.14 |");
    has(&text, "| Rectangle-bs | avx2 | gcc-12 | 4.000 | - | 8.000 | - | 0.50 | 1.17 |");
    has(&text, "| avx2 | gcc-12 | - | 0.500 |");
    assert_eq!(plots.len(), 1);
    assert_eq!(plots[0].file, "inlining-avx2");
    for label in [">2.00<", ">2.50<", ">0.50<", ">no figure<", ">usubac, on its own machine<"] {
        assert!(plots[0].svg.contains(label), "{label}");
    }
}

#[test]
fn scheduling_compares_culet_and_the_c_compiler() {
    let place = ("Ascon-vs", "avx2");
    let rows = [
        good(place, "gcc-12", "neither", 2.0, 1.0),
        good(place, "gcc-12", "culet", 1.0, 0.5),
        good(place, "gcc-12", "C compiler", 1.6, 0.8),
        good(place, "gcc-12", "both", 0.8, 0.4),
    ];
    let (text, plots) = section("scheduling", &rows);
    has(&text, "| avx2 | gcc-12 | 2.000 | 1.250 | 2.500 | 2.000 | 1.250 |");
    has(&text, "| Ascon-vs | avx2 | gcc-12 | 4.000 | 2.000 | 3.200 | 1.600 | 2.00 | 1.06 |");
    assert_eq!(plots[0].file, "scheduling-avx2");
}

#[test]
fn tuning_is_relative_to_each_default() {
    let place = ("DES-bs", "c64");
    let rows = [
        good(place, "clang-19", "default", 1.0, 1.0),
        good(place, "gcc-12", "default", 2.0, 2.0),
        good(place, "gcc-12", "tuned", 0.5, 0.5),
        row(("DES-bs", "sse"), "-", "all", Err("nothing could be measured here")),
    ];
    let (text, plots) = section("tuned", &rows);
    has(&text, "| DES-bs | c64 | 2.000 | 4.000 | 1.000 | 2.00 | 4.00 | `--target c64 (gcc-12 -O3)` |");
    has(&text, "| DES-bs | sse | - | - | - | - | - | - |");
    has(&text, "| DES-bs | all | sse - | nothing could be measured here |");
    assert!(plots[0].svg.contains(">relative to gcc-12<") && plots[0].svg.contains(">4.00<"));
}

#[test]
fn slicings_take_the_better_compiler() {
    let place = ("AES", "avx2");
    let rows = [
        good(place, "clang-19", "b", 1.0, 1.0),
        good(place, "gcc-12", "b", 0.75, 0.75),
        good(place, "clang-19", "h", 0.5, 0.5),
        row(place, "clang-19", "v", Err("it cannot be vertical")),
        good(("DES", "avx2"), "clang-19", "b", 1.0, 1.0),
    ];
    let (text, plots) = section("slicings", &rows);
    has(&text, "| AES | avx2 | - | 1.000 | 1.500 | H | - | 1.989 | 1.691 |");
    has(&text, "| AES | v | avx2 clang-19 | it cannot be vertical |");
    // DES has only one slicing.
    assert!(plots[0].svg.contains(">AES<") && !plots[0].svg.contains(">DES<"));
}

#[test]
fn programs_have_names_of_their_own() {
    for experiment in &EXPERIMENTS {
        let mut names: Vec<String> = (experiment.subjects)().into_iter().map(|subject| subject.name).collect();
        let count = names.len();
        assert!(count > 0, "{}", experiment.name);
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count, "{}", experiment.name);
    }
    let files: Vec<&str> = subjects().iter().filter(|s| s.name.starts_with("AES-hs")).map(|s| s.file).collect();
    assert_eq!(files, ["aes128", "aes128_fixsliced"]);
}

#[test]
fn wrong_names_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let plan = plan(directory.path());
    let run = |plan: &Plan| run(plan, &mut |_| {}).unwrap_err();
    let wrong = run(&Plan { only: Some("tuning".into()), ..plan.clone() });
    assert_eq!(wrong, "the experiments are interleaving, inlining, scheduling, tuned, slicings");
    assert_eq!(run(&Plan { cipher: Some("AE".into()), ..plan }), "no experiment has this cipher on this target");
}

fn plan(out: &Path) -> Plan {
    Plan {
        only: Some("scheduling".into()),
        cipher: Some("Ascon-vs".into()),
        target: Some(Target::C64),
        cc: None,
        time: Some(0),
        missing: false,
        render: false,
        out: out.into(),
        primitives: Path::new(env!("CARGO_MANIFEST_DIR")).join("../primitives"),
    }
}

/// The whole run, from a program to the document; the figures themselves are not checked.
#[test]
fn a_small_run_writes_table_plots_and_document() {
    let directory = tempfile::tempdir().unwrap();
    let plan = plan(directory.path());
    let mut said = Vec::new();
    run(&plan, &mut |line| said.push(line.to_owned())).unwrap();
    let compilers = CCompiler::installed();
    let variants = 4 * compilers.len();
    let expected = format!("scheduling 1/1: Ascon-vs c64, {variants} variants, 0 without a figure; ");
    assert!(said.len() == 1 && said[0].starts_with(&expected), "{said:?}");

    let rows = read(&directory.path().join("plots/scheduling.tsv")).unwrap();
    assert_eq!(rows.len(), variants);
    for row in &rows {
        let figure = row.figure.as_ref().unwrap();
        assert!(figure.ticks_a_byte > 0.0 && figure.ratio.is_some_and(|ratio| ratio > 0.0), "{row:?}");
    }
    assert_eq!(rows[0].figure.as_ref().unwrap().ratio, Some(1.0));
    let read = |name: &str| std::fs::read_to_string(directory.path().join(name)).unwrap();
    assert!(read("plots/scheduling-c64.svg").contains(">Ascon-vs<"));
    let document = read("experiments.md");
    assert!(document.contains("](plots/scheduling-c64.svg)") && document.contains("Every variant has a figure."));
    assert!(document.contains("Not measured yet: interleaving, inlining, tuned, slicings."), "{document}");

    // Nothing is missing, so that nothing is measured, and the document does not change.
    run(&Plan { missing: true, ..plan }, &mut |line| panic!("{line}")).unwrap();
    assert_eq!(read("experiments.md"), document);
}
