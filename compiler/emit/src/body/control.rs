//! Calls and loops.

use culet_ir::{FuncId, Inst, LoopData, RegionId};

use super::{Refusal, Writer};
use crate::expr::Expr;

impl Writer<'_, '_> {
    pub(super) fn call(&mut self, inst: Inst, callee: FuncId) {
        let context = &*self.context;
        let signature = context.signatures[callee.index()].clone().expect("callees are reachable");
        let data = self.func.inst(inst);
        let args: Vec<Expr> = data.args.iter().map(|&arg| self.take(arg)).collect();
        self.flush();
        let number = inst.0;
        let mut passed: Vec<String> = Vec::new();
        if signature.params_in_array() {
            let texts: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
            let ctype = signature.param_type(0);
            self.line(&format!("const {ctype} a{number}[{}] = {{", args.len()));
            for row in texts.chunks(8) {
                self.line(&format!("    {},", row.join(", ")));
            }
            self.line("};");
            passed.push(format!("a{number}"));
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
            self.line(&format!("{} r{number}[{}];", signature.result_type(0), data.results.len()));
            passed.push(format!("r{number}"));
        }
        for (i, &result) in data.results.iter().enumerate() {
            let name = if signature.results_in_array() {
                format!("r{number}[{i}]")
            } else {
                self.line(&format!("{} v{};", signature.result_type(i), result.0));
                passed.push(format!("&v{}", result.0));
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
            self.line(&format!("{} {} = {};", self.machine.ctype(func.ty(param)), name.text, initial.text));
            self.names[param.index()] = Some(name.clone());
            self.names[result.index()] = Some(name);
        }
        self.reach[l.counter.0 as usize] = l.first.abs().max(l.last.abs());
        let i = format!("i{}", l.counter.0);
        let (compare, step) = if l.first <= l.last { ("<=", "++") } else { (">=", "--") };
        self.line(&format!("for (int {i} = {}; {i} {compare} {}; {i}{step}) {{", l.first, l.last));
        self.indent += 1;
        self.region(l.region)?;
        self.flush();
        self.next_iteration(l.region);
        self.indent -= 1;
        self.line("}");
        for (param, result) in region.params.iter().zip(&data.results) {
            if self.uses[param.index()] == 0 && self.uses[result.index()] == 0 {
                self.line(&format!("(void)v{};", param.0));
            }
        }
        Ok(())
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
