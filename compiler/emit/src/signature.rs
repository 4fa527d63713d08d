//! Signatures of internal functions: how they take operands and give results.

use culet_ir::{Func, Type};

use crate::language::Language;
use crate::machine::Machine;

/// Maximum number of operands that are passed by value; more operands, all of one C type, are passed in an array.
const BY_VALUE: usize = 8;

#[derive(Debug, Clone)]
pub(crate) struct Signature {
    language: Language,
    pub name: String,
    params: Vec<String>,
    param_values: Vec<u32>,
    results: Vec<String>,
}

impl Signature {
    pub fn new(func: &Func, machine: &Machine, name: String) -> Signature {
        let types = |types: Vec<Type>| types.into_iter().map(|ty| machine.ctype(ty)).collect();
        Signature {
            language: machine.language,
            name,
            params: types(func.param_types()),
            param_values: func.region(func.body).params.iter().map(|p| p.0).collect(),
            results: types(func.result_types()),
        }
    }

    pub fn params_in_array(&self) -> bool {
        self.params.len() > BY_VALUE && is_uniform(&self.params)
    }

    pub fn returns_value(&self) -> bool {
        self.results.len() == 1
    }

    pub fn results_in_array(&self) -> bool {
        self.results.len() > 1 && is_uniform(&self.results)
    }

    pub fn param_type(&self, i: usize) -> &str {
        &self.params[i]
    }

    pub fn result_type(&self, i: usize) -> &str {
        &self.results[i]
    }

    /// The i-th parameter's value, inside the function.
    pub fn param(&self, i: usize) -> String {
        if self.params_in_array() { format!("args[{i}]") } else { format!("v{}", self.param_values[i]) }
    }

    /// The place of the i-th result, inside the function.
    pub fn result(&self, i: usize) -> String {
        if self.results_in_array() { format!("results[{i}]") } else { format!("*result{i}") }
    }

    /// The declaration: in C from the return type to the closing parenthesis, in Rust from `fn` to the result's type.
    pub fn declaration(&self) -> String {
        match self.language {
            Language::C => self.in_c(),
            Language::Rust => self.in_rust(),
        }
    }

    fn in_rust(&self) -> String {
        let mut parameters: Vec<String> = if self.params_in_array() {
            vec![format!("args: &[{}; {}]", self.params[0], self.params.len())]
        } else {
            (0..self.params.len()).map(|i| format!("{}: {}", self.param(i), self.params[i])).collect()
        };
        let mut returned = String::new();
        if self.returns_value() {
            returned = format!(" -> {}", self.results[0]);
        } else if self.results_in_array() {
            parameters.push(format!("results: &mut [{}; {}]", self.results[0], self.results.len()));
        } else {
            parameters.extend(self.results.iter().enumerate().map(|(i, t)| format!("result{i}: &mut {t}")));
        }
        format!("fn {}({}){returned}", self.name, parameters.join(", "))
    }

    fn in_c(&self) -> String {
        let mut parameters: Vec<String> = if self.params_in_array() {
            vec![format!("const {} *restrict args", self.params[0])]
        } else {
            (0..self.params.len()).map(|i| format!("{} {}", self.params[i], self.param(i))).collect()
        };
        let mut returned = "void";
        if self.returns_value() {
            returned = &self.results[0];
        } else if self.results_in_array() {
            parameters.push(format!("{} *restrict results", self.results[0]));
        } else {
            let pointers = self.results.iter().enumerate().map(|(i, t)| format!("{t} *restrict result{i}"));
            parameters.extend(pointers);
        }
        let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
        format!("{returned} {}({parameters})", self.name)
    }
}

fn is_uniform(types: &[String]) -> bool {
    types.windows(2).all(|pair| pair[0] == pair[1])
}
