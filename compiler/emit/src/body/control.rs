//! Calls and loops.

use culet_ir::{FuncId, Index, Inst, LoopData, Op, RegionId};
use culet_types::program::CounterId;

use super::{Refusal, Writer};
use crate::expr::Expr;
use crate::language::Language;

impl Writer<'_, '_> {
    pub(super) fn call(&mut self, inst: Inst, callee: FuncId) {
        let context = &*self.context;
        let signature = context.signatures[callee.index()].clone().expect("callees are reachable");
        let language = self.machine.language;
        let data = self.func.inst(inst);
        let args: Vec<Expr> = data.args.iter().map(|&arg| self.take(arg)).collect();
        self.flush();
        let number = inst.0;
        let mut passed: Vec<String> = Vec::new();
        if signature.params_in_array() {
            let texts: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
            let ctype = signature.param_type(0);
            self.line(&match language {
                Language::C => format!("const {ctype} a{number}[{}] = {{", args.len()),
                Language::Rust => format!("let a{number}: [{ctype}; {}] = [", args.len()),
            });
            for row in texts.chunks(8) {
                self.line(&format!("    {},", row.join(", ")));
            }
            self.line(language.choose("};", "];"));
            passed.push(format!("{}a{number}", language.choose("", "&")));
        } else {
            passed.extend(args.into_iter().map(|arg| arg.text));
        }
        if signature.returns_value() {
            let call = Expr::primary(format!("{}({})", signature.name, passed.join(", ")));
            // A call stays where it is: the callee is not worth computing at its user.
            let result = data.results[0];
            self.names[result.index()] = Some(call);
            return self.declare(result);
        }
        if signature.results_in_array() {
            let zero = self.machine.zero_of(self.func.ty(data.results[0]));
            let (ctype, length) = (signature.result_type(0), data.results.len() as u32);
            self.line(&language.array(ctype, &format!("r{number}"), length, &zero));
            passed.push(format!("{}r{number}", language.choose("", "&mut ")));
        }
        for (i, &result) in data.results.iter().enumerate() {
            let name = if signature.results_in_array() {
                format!("r{number}[{i}]")
            } else {
                let (ctype, zero) = (signature.result_type(i), self.machine.zero_of(self.func.ty(result)));
                self.line(&match language {
                    Language::C => format!("{ctype} v{};", result.0),
                    Language::Rust => language.variable(ctype, &format!("v{}", result.0), &zero),
                });
                passed.push(format!("{}v{}", language.choose("&", "&mut "), result.0));
                format!("v{}", result.0)
            };
            self.names[result.index()] = Some(Expr::primary(name));
        }
        self.line(&format!("{}({});", signature.name, passed.join(", ")));
    }

    pub(super) fn loop_(&mut self, inst: Inst, l: &LoopData) -> Result<(), Refusal> {
        let func = self.func;
        let data = func.inst(inst);
        let region = func.region(l.region);
        let initial: Vec<Expr> = data.args.iter().map(|&arg| self.take(arg)).collect();
        self.flush();
        for ((&param, &result), initial) in region.params.iter().zip(&data.results).zip(initial) {
            let name = Expr::primary(format!("v{}", param.0));
            self.line(&self.machine.language.variable(&self.machine.ctype(func.ty(param)), &name.text, &initial.text));
            self.names[param.index()] = Some(name.clone());
            self.names[result.index()] = Some(name);
        }
        self.reach[l.counter.0 as usize] = l.first.abs().max(l.last.abs());
        let i = format!("i{}", l.counter.0);
        self.is_signed[l.counter.0 as usize] = l.first.min(l.last) < 0;
        let i =
            if self.machine.language == Language::C || self.is_read(l.counter, l.region) { i } else { "_".to_owned() };
        self.line(&self.loop_head(&i, l));
        self.indent += 1;
        self.region(l.region)?;
        self.flush();
        self.next_iteration(l.region);
        self.indent -= 1;
        self.line("}");
        for (param, result) in region.params.iter().zip(&data.results) {
            if self.uses[param.index()] == 0 && self.uses[result.index()] == 0 {
                self.unused(&format!("v{}", param.0));
            }
        }
        Ok(())
    }

    /// Whether an index in a region has this counter.
    fn is_read(&self, counter: CounterId, region: RegionId) -> bool {
        let has_counter = |index: &Index| index.terms.iter().any(|(own, _)| *own == counter);
        self.func.region(region).insts.iter().any(|&inst| match &self.func.inst(inst).op {
            Op::Load { index, .. } => self.is_needed(inst) && has_counter(index),
            Op::Store { index, .. } => has_counter(index),
            Op::Loop(l) => self.is_read(counter, l.region),
            _ => false,
        })
    }

    /// The line that begins a loop. The Rust compiler does not always know the bounds of a range in reverse.
    fn loop_head(&self, i: &str, l: &LoopData) -> String {
        let (first, last) = (l.first, l.last);
        match (self.machine.language, first <= last) {
            (Language::C, true) => format!("for (int {i} = {first}; {i} <= {last}; {i}++) {{"),
            (Language::C, false) => format!("for (int {i} = {first}; {i} >= {last}; {i}--) {{"),
            (Language::Rust, is_upwards) => {
                let ty = if first.min(last) < 0 { "i64" } else { "usize" };
                if is_upwards {
                    format!("for {i} in {first}{ty}..{} {{", last + 1)
                } else {
                    format!("for {i} in (0{ty}..{}).map(|n| {first} - n) {{", first - last + 1)
                }
            }
        }
    }

    /// Assigns the carried values, all at once.
    fn next_iteration(&mut self, region: RegionId) {
        let func = self.func;
        let region = func.region(region);
        let params: Vec<String> = region.params.iter().map(|p| format!("v{}", p.0)).collect();
        let mut assignments = Vec::new();
        for (param, &result) in region.params.iter().zip(&region.results) {
            let target = format!("v{}", param.0);
            let mut value = self.take(result);
            if value.text == target {
                continue;
            }
            if params.contains(&value.text) {
                value = self.temporary(&self.machine.ctype(func.ty(result)), &value);
            }
            assignments.push(format!("{target} = {};", value.text));
        }
        for assignment in assignments {
            self.line(&assignment);
        }
    }
}
