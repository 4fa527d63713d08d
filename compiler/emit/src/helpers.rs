//! The functions that a source file needs inside, each written once, before its first use.

use std::collections::HashSet;

use crate::language::Language;

#[derive(Debug)]
pub(crate) struct Helpers {
    language: Language,
    /// Text before each function in Rust, such as `#[target_feature(enable = "avx2")]`.
    attribute: String,
    names: HashSet<String>,
    text: String,
    /// Number of helpers that are named by a number.
    numbered: u32,
    by_body: std::collections::HashMap<String, String>,
}

/// The type and the name of a parameter.
pub(crate) type Parameter<'p> = (&'p str, &'p str);

impl Helpers {
    pub fn new(language: Language, attribute: &str) -> Helpers {
        Helpers {
            language,
            attribute: attribute.to_owned(),
            names: HashSet::new(),
            text: String::new(),
            numbered: 0,
            by_body: std::collections::HashMap::new(),
        }
    }

    /// Makes sure that the function `name` is there; `result` is `void` if it has none. In Rust, parameters that are
    /// arrays of bytes of any length `N` make it generic.
    pub fn need(&mut self, result: &str, name: &str, parameters: &[Parameter<'_>], body: &str) {
        self.need_as("static inline", result, name, parameters, body);
    }

    /// As [`Self::need`], with other words before the result's type in C, which decide about inlining in Rust, too.
    pub fn need_as(&mut self, storage: &str, result: &str, name: &str, parameters: &[Parameter<'_>], body: &str) {
        let text = match self.language {
            Language::C => {
                let parameters: Vec<String> = parameters.iter().map(|(ty, name)| declared(ty, name)).collect();
                let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
                format!("{storage} {result} {name}({parameters})\n{{\n{body}}}\n\n")
            }
            Language::Rust => {
                let is_generic = parameters.iter().any(|(ty, _)| ty.contains("; N]"));
                let generic = if is_generic { "<const N: usize>" } else { "" };
                let parameters: Vec<String> = parameters.iter().map(|(ty, name)| format!("{name}: {ty}")).collect();
                let returned = if result == "void" { String::new() } else { format!(" -> {result}") };
                let (attribute, parameters) = (&self.attribute, parameters.join(", "));
                let inline = match storage {
                    "PLANES_INLINE" => "#[inline(always)]",
                    "noinline" => "#[inline(never)]",
                    _ => "#[inline]",
                };
                format!("{inline}\n{attribute}fn {name}{generic}({parameters}){returned} {{\n{body}}}\n\n")
            }
        };
        self.text_once(name, &text);
    }

    /// Adds text that is no function, once, under a name.
    pub fn text_once(&mut self, name: &str, text: &str) {
        if self.names.insert(name.to_owned()) {
            self.text.push_str(text);
        }
    }

    /// The name of a function with this body, made from `stem` and a number; equal bodies share one function.
    pub fn numbered(&mut self, result: &str, stem: &str, parameters: &[Parameter<'_>], body: &str) -> String {
        self.numbered_as("static inline", result, stem, parameters, body)
    }

    /// As [`Self::numbered`], with other words before the result's type in C.
    pub fn numbered_as(
        &mut self,
        storage: &str,
        result: &str,
        stem: &str,
        parameters: &[Parameter<'_>],
        body: &str,
    ) -> String {
        if let Some(name) = self.by_body.get(body) {
            return name.clone();
        }
        let name = format!("{stem}_{}", self.numbered);
        self.numbered += 1;
        self.need_as(storage, result, &name, parameters, body);
        self.by_body.insert(body.to_owned(), name.clone());
        name
    }

    /// All functions in the order they were first needed.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// A declaration in C.
pub(crate) fn declared(ty: &str, name: &str) -> String {
    if ty.ends_with('*') { format!("{ty}{name}") } else { format!("{ty} {name}") }
}
