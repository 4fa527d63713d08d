//! What the tests share.

use std::path::Path;
use std::rc::Rc;

use serde_json::Value;

pub use super::bytes::{Random, bytes, hex};

/// A vector of Project Wycheproof, with what all of its group have: keys and sizes.
pub struct Vector {
    group: Rc<Value>,
    test: Value,
}

impl Vector {
    pub fn hex(&self, name: &str) -> Vec<u8> {
        hex(self.test[name].as_str().unwrap_or_else(|| panic!("{self} has {name}")))
    }

    pub fn number(&self, name: &str) -> usize {
        let number = self.test[name].as_u64().or_else(|| self.group[name].as_u64());
        number.unwrap_or_else(|| panic!("{self} has {name}")) as usize
    }

    pub fn group(&self, name: &str) -> &Value {
        &self.group[name]
    }

    pub fn result(&self) -> &str {
        self.test["result"].as_str().expect("a result")
    }

    pub fn is_valid(&self) -> bool {
        self.result() == "valid"
    }
}

impl std::fmt::Display for Vector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "test {} ({})", self.test["tcId"], self.test["comment"])
    }
}

/// A file of published vectors.
fn vectors(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(file);
    std::fs::read_to_string(path).expect("the vectors")
}

/// The words of all lines but for comments; the empty string stands in the place of `-`.
pub fn rows(file: &str) -> Vec<Vec<String>> {
    let word = |word: &str| if word == "-" { String::new() } else { word.to_owned() };
    let text = vectors(file);
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.map(|line| line.split(' ').map(word).collect()).collect()
}

/// All vectors of a file, as many as it says.
pub fn wycheproof(name: &str) -> Vec<Vector> {
    let text = vectors(&format!("wycheproof/{name}_test.json"));
    let mut file: Value = serde_json::from_str(&text).expect("JSON");
    let mut vectors = Vec::new();
    for mut group in file["testGroups"].as_array_mut().expect("groups").drain(..) {
        let Value::Array(tests) = group["tests"].take() else { panic!("{name} has a group without tests") };
        let group = Rc::new(group);
        vectors.extend(tests.into_iter().map(|test| Vector { group: Rc::clone(&group), test }));
    }
    assert_eq!(Some(vectors.len() as u64), file["numberOfTests"].as_u64());
    vectors
}
