//! The C of small kernels: `/tests/filetests/emit`, whose README says what the files hold.

mod support;

use culet_filetest::Case as File;
use culet_ir::Target;
use culet_testing::Rng;
use culet_types::program::{ByteOrder, Slicing};
use support::{Case, Compiler, compare, load};

#[test]
fn filetests() {
    culet_filetest::run("emit", |file| {
        let case = case(file);
        check(&case);
        let output = case.emit();
        match file.setting("show") {
            Some("all") => vec![("header", output.header), ("source", output.source)],
            _ => vec![("source", kernel_part(&output.source))],
        }
    });
}

fn case(file: &File) -> Case {
    for (key, _) in &file.settings {
        assert!(["target", "slice", "bytes", "lane", "packed", "show"].contains(&key.as_str()), "no setting `{key}`");
    }
    let setting = |key| file.setting(key).unwrap_or_default();
    let target = Target::find(setting("target")).expect("a target");
    let slicing = if setting("slice") == "b" { Slicing::Bitslice } else { Slicing::Vertical };
    let order = match setting("bytes") {
        "little" => ByteOrder::Little,
        "planes" => ByteOrder::Planes,
        _ => ByteOrder::Big,
    };
    let case = Case::new("demo", &file.input, target, slicing, order, setting("lane").parse().unwrap_or(0));
    if setting("packed") == "yes" { case.packed() } else { case }
}

/// The compiled C does what the evaluator says.
fn check(case: &Case) {
    let blocks = case.layout.instances() as usize + 1;
    // One compiler will do: `operations` tries both.
    if let Some(compiler) = Compiler::all(case.target).first() {
        let kernel = load(std::slice::from_ref(case), compiler, &["-O1"]);
        compare(std::slice::from_ref(case), &kernel, blocks, &mut Rng::new(9), &compiler.name());
    }
}

/// The functions of the module, up to the sliced kernel, and the helpers they need.
fn kernel_part(source: &str) -> String {
    let (helpers, rest) = source.split_once("/* Overwrites memory").expect("erase, after the helpers");
    let (_, helpers) = helpers.split_once("#include <string.h>\n").expect("the last include");
    let (_, functions) = rest.split_once("\n}\n\n").expect("the end of erase");
    let kernel = functions.find("void demo_sliced(").expect("the kernel");
    let end = kernel + functions[kernel..].find("\n}\n").expect("its end") + 3;
    let mut text = functions[..end].to_owned();
    // Helpers need earlier ones only. Text that is no function, such as a type, is always shown.
    for helper in helpers.trim().split("\n\n").collect::<Vec<_>>().into_iter().rev() {
        let is_function = helper.starts_with("static inline") || helper.starts_with("PLANES_INLINE");
        let name = helper.split('(').next().and_then(|start| start.rsplit(' ').next()).unwrap_or_default();
        if !helper.is_empty() && (!is_function || text.contains(&format!("{name}("))) {
            text = format!("{helper}\n\n{text}");
        }
    }
    text
}
