//! The rendered forms of a diagnostic for people and for tools.

use culet_diag::codes::names::E0201;
use culet_diag::codes::syntax::{E0107, W0101};
use culet_diag::codes::world::E0801;
use culet_diag::{Diagnostic, Diagnostics, SourceMap, Span, render};

const TEXT: &str = "node f(é: u8) returns (x: u8)\nlet\n    x = é ^ a & b\n    y = b\ntel\n";

fn example() -> (Diagnostics, SourceMap) {
    let mut sources = SourceMap::new();
    let file = sources.add("dir/f.ua", TEXT.to_string());
    let at = |part: &str| {
        let start = TEXT.rfind(part).unwrap();
        Span::new(file, start, start + part.len())
    };
    let mut diagnostics = Diagnostics::new();
    diagnostics.push(
        Diagnostic::warning(&W0101, at("é ^ a & b"), "`^` and `&` bind equally")
            .label("read as `(é ^ a) & b`")
            .related(at("let"), "in this body")
            .note("in C it would be `é ^ (a & b)`")
            .fix(at("é ^ a & b"), "(é ^ a) & b", "write the parentheses"),
    );
    let end = TEXT.find("\n    y").unwrap();
    let gap = Span::new(file, end, end);
    diagnostics.push(Diagnostic::error(&E0107, gap, "`;` is missing").fix(gap, ";", "insert `;`"));
    diagnostics.push(Diagnostic::error_without_place(&E0801, "`g.ua` cannot be read").note("no such file"));
    diagnostics.push(Diagnostic::error_without_place(&E0201, "there is no `z`"));
    (diagnostics, sources)
}

#[test]
fn text_shows_code_place_reason_and_remedy() {
    let (diagnostics, sources) = example();
    let expected = "\
warning[W0101]: `^` and `&` bind equally
 --> dir/f.ua:3:9
  |
2 | let
  | --- in this body
3 |     x = é ^ a & b
  |         ^^^^^^^^^ read as `(é ^ a) & b`
  |
  = note: in C it would be `é ^ (a & b)`
  = help: `culet explain W0101` says more
help: write the parentheses
  |
3 -     x = é ^ a & b
3 +     x = (é ^ a) & b
  |

error[E0107]: `;` is missing
 --> dir/f.ua:3:18
  |
3 |     x = é ^ a & b
  |                  ^
  |
  = help: `culet explain E0107` says more
help: insert `;`
  |
3 |     x = é ^ a & b;
  |                  +

error[E0801]: `g.ua` cannot be read
 |
 = note: no such file
 = help: `culet explain E0801` says more

error[E0201]: there is no `z`
 |
 = help: declare it as a parameter, or after `vars`: `vars t : u32 let … tel`
 = help: `culet explain E0201` says more
";
    let text = render::text(&diagnostics, &sources, false);
    assert_eq!(text, expected);
    let coloured = render::text(&diagnostics, &sources, true);
    assert!(coloured.contains("\u{1b}[") && !text.contains('\u{1b}'));
    // Without the colours, both texts are equal.
    let mut plain = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    plain.push_str(rest);
    let lines = |text: &str| text.lines().map(|line| line.trim_end().to_string()).collect::<Vec<_>>();
    let (plain, text) = (lines(&plain), lines(&text));
    assert_eq!(plain[..7], text[..7]);
}

#[test]
fn json_is_one_object_a_line_with_stable_names() {
    let (diagnostics, sources) = example();
    let expected = [
        r#"{"code":"W0101","severity":"warning","message":"`^` and `&` bind equally","file":"dir/f.ua","line":3,"column":9,"end_line":3,"end_column":18,"label":"read as `(é ^ a) & b`","related":[{"file":"dir/f.ua","line":2,"column":1,"end_line":2,"end_column":4,"message":"in this body"}],"notes":["in C it would be `é ^ (a & b)`"],"remedy":null,"fix":{"message":"write the parentheses","file":"dir/f.ua","line":3,"column":9,"end_line":3,"end_column":18,"replacement":"(é ^ a) & b"}}"#,
        r#"{"code":"E0107","severity":"error","message":"`;` is missing","file":"dir/f.ua","line":3,"column":18,"end_line":3,"end_column":18,"label":"","related":[],"notes":[],"remedy":null,"fix":{"message":"insert `;`","file":"dir/f.ua","line":3,"column":18,"end_line":3,"end_column":18,"replacement":";"}}"#,
        r#"{"code":"E0801","severity":"error","message":"`g.ua` cannot be read","file":null,"line":null,"column":null,"end_line":null,"end_column":null,"label":"","related":[],"notes":["no such file"],"remedy":null,"fix":null}"#,
        r#"{"code":"E0201","severity":"error","message":"there is no `z`","file":null,"line":null,"column":null,"end_line":null,"end_column":null,"label":"","related":[],"notes":[],"remedy":"declare it as a parameter, or after `vars`: `vars t : u32 let … tel`","fix":null}"#,
    ];
    let json = render::json(&diagnostics, &sources);
    assert_eq!(json.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn no_place_breaks_the_renderers() {
    let mut sources = SourceMap::new();
    let texts = ["", "\n", "é", "a\r\nb\r\n", "\t\ta", "no line feed at the end", "\u{1b}[31mred\u{7}"];
    for text in texts {
        let file = sources.add("f.ua", text.to_string());
        for start in 0..text.len() + 3 {
            for end in start..text.len() + 3 {
                let span = Span::new(file, start, end);
                let diagnostic = Diagnostic::error(&E0107, span, "m").related(span, "r").fix(span, "x\ny", "f");
                let diagnostics = Diagnostics::from(diagnostic);
                assert!(render::text(&diagnostics, &sources, false).starts_with("error[E0107]: m\n"));
                assert_eq!(render::json(&diagnostics, &sources).lines().count(), 1);
            }
        }
    }
}

#[test]
fn a_generated_file_on_one_line_is_named_but_not_shown() {
    let mut sources = SourceMap::new();
    let file = sources.add("f.ua", "x".repeat(100_000));
    let span = Span::new(file, 50_000, 50_001);
    let diagnostics = Diagnostics::from(Diagnostic::error(&E0107, span, "m").label("here").fix(span, "y", "f"));
    let text = render::text(&diagnostics, &sources, false);
    assert!(text.contains("f.ua:1:50001") && text.contains("here") && text.len() < 300, "{text}");
}

#[test]
fn places_far_apart_and_in_other_files_get_excerpts_of_their_own() {
    let mut sources = SourceMap::new();
    let long = "line\n".repeat(1_000);
    let file = sources.add("f.ua", long.clone());
    let other = sources.add("g.ua", "other\n".to_string());
    let diagnostic = Diagnostic::error(&E0107, Span::new(file, 0, 4), "m")
        .related(Span::new(file, long.len() - 5, long.len() - 1), "far")
        .related(Span::new(other, 0, 5), "elsewhere");
    let text = render::text(&Diagnostics::from(diagnostic), &sources, false);
    for part in ["--> f.ua:1:1", "f.ua:1000:1", "---- far", "g.ua:1:1", "----- elsewhere"] {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
}
