//! The `static inline` functions that a source file needs, each written once, before its first use.

use std::collections::HashSet;

#[derive(Debug, Default)]
pub(crate) struct Helpers {
    names: HashSet<String>,
    text: String,
    /// Number of helpers that are named by a number.
    numbered: u32,
    by_body: std::collections::HashMap<String, String>,
}

impl Helpers {
    /// Makes sure that the function `name` is there: `result name(parameters) { body }`.
    pub fn need(&mut self, result: &str, name: &str, parameters: &str, body: &str) {
        self.need_as("static inline", result, name, parameters, body);
    }

    /// As [`Self::need`], with other words before the result's type.
    pub fn need_as(&mut self, storage: &str, result: &str, name: &str, parameters: &str, body: &str) {
        self.text_once(name, &format!("{storage} {result} {name}({parameters})\n{{\n{body}}}\n\n"));
    }

    /// Adds text that is no function, once, under a name.
    pub fn text_once(&mut self, name: &str, text: &str) {
        if self.names.insert(name.to_owned()) {
            self.text.push_str(text);
        }
    }

    /// The name of a function with this body, made from `stem` and a number; equal bodies share one function.
    pub fn numbered(&mut self, result: &str, stem: &str, parameters: &str, body: &str) -> String {
        self.numbered_as("static inline", result, stem, parameters, body)
    }

    /// As [`Self::numbered`], with other words before the result's type.
    pub fn numbered_as(&mut self, storage: &str, result: &str, stem: &str, parameters: &str, body: &str) -> String {
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
