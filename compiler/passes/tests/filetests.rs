//! Filetests: a module before a pass and after it. The pass is the folder's name.
//!
//! Settings: `target` (avx2 unless given), `interleave`, `grain`, `lanes`, `unroll` and `inline` (`none`, `auto`,
//! `all`).

use culet_filetest::Case;
use culet_ir::{Target, parse, verify};
use culet_passes::{Amount, Context, find};

#[test]
fn filetests() {
    culet_filetest::run("passes", |case| vec![("expected", answer(case))]);
}

fn answer(case: &Case) -> String {
    let (name, _) = case.name.split_once('/').expect("a folder for each pass");
    let pass = find(name).unwrap_or_else(|| panic!("there is no pass {name}"));
    let mut module = parse(&case.input).unwrap_or_else(|error| panic!("{error:?}"));
    verify(&module).unwrap_or_else(|errors| panic!("the input: {}", errors[0]));
    (pass.run)(&mut module, &context(case));
    verify(&module).unwrap_or_else(|errors| panic!("after {name}: {}\n{module}", errors[0]));
    module.to_string()
}

fn context(case: &Case) -> Context {
    let target = case.setting("target").map_or(Target::Avx2, |name| Target::find(name).expect("a target"));
    let mut context = Context::new(target);
    let number = |key: &str| case.setting(key).map(|value| value.parse().expect("a number"));
    context.interleave = number("interleave").unwrap_or(context.interleave);
    context.grain = number("grain").unwrap_or(context.grain);
    context.lanes = number("lanes");
    let amount = |key: &str| match case.setting(key) {
        Some("none") => Amount::None,
        Some("all") => Amount::All,
        _ => Amount::Auto,
    };
    (context.unroll, context.inline) = (amount("unroll"), amount("inline"));
    context
}
