//! Places: the atoms of a variable that `v[e]`, `v[a..b]` and `v[e1, e2, …]` select.
//!
//! Each pair of brackets removes the leftmost dimension of every part that the brackets before it have left. Selections
//! are therefore distributive and ordered outer-major: `a[0,1][2,3]` is a02, a03, a12, a13.

use culet_diag::codes::types;
use culet_diag::{Diagnostic, Span};
use culet_syntax::ast::{self, SelectorKind};
use culet_syntax::print_expr;

use crate::node::{Meaning, NodeElaborator, Result, Stop};
use crate::program::{Affine, Atom, Place, Run, Shape, VarId};
use crate::shape;
use crate::statics::{self, Role};

impl NodeElaborator<'_, '_, '_> {
    /// The atoms that a variable with its selectors denotes, and their shape.
    pub(crate) fn place(&mut self, variable: &ast::Variable) -> Result<(Place, Shape)> {
        let name = &variable.name.name;
        let meaning = match self.meaning(name) {
            None => self.constant_variable(&variable.name)?,
            meaning => meaning,
        };
        let var = match meaning {
            Some(Meaning::Words(var)) => var,
            Some(Meaning::Nat) => {
                let message = format!("`{name}` is a nat, and a word is wanted here");
                return self.fail(Diagnostic::error(&types::E0320, variable.span, message));
            }
            Some(Meaning::Joined(_)) => return self.stream_as_value(variable),
            Some(Meaning::Unknown) | None => return Err(Stop::Failed),
        };
        let var = self.no_stream(variable, var)?;
        self.place_in(variable, var)
    }

    /// The place in a variable that selectors say; its name in the source is for messages only.
    pub(crate) fn place_in(&mut self, variable: &ast::Variable, var: VarId) -> Result<(Place, Shape)> {
        let name = &variable.name.name;
        let ty = &self.vars[var.0 as usize].ty;
        let atom = ty.atom;
        if variable.selectors.iter().all(|s| matches!(s.kind, SelectorKind::Index(_))) {
            return self.element(variable, var, atom);
        }
        let dims = ty.dims.clone();
        if let Some(note) = one_bracket_for_several(variable, dims.len()) {
            self.shared.may_mean(variable.span, note);
        }
        let mut starts = vec![Affine::constant(0)];
        let mut rest = dims.as_slice();
        let mut size: u32 = dims.iter().product();
        for selector in &variable.selectors {
            let Some((&dim, inner)) = rest.split_first() else {
                return self.indexed_atom(variable, selector, dims.len(), atom);
            };
            size /= dim;
            rest = inner;
            let mut indices = Vec::new();
            self.selected(&selector.kind, selector.span, dim, name, &mut indices)?;
            self.shared.spend((starts.len() as u64) * (indices.len() as u64), selector.span)?;
            let mut selected = Vec::with_capacity(starts.len() * indices.len());
            for start in &starts {
                for index in &indices {
                    let offset = statics::scale(index, i64::from(size));
                    let sum = offset.and_then(|offset| statics::add(start, &offset, 1));
                    selected.push(sum.ok_or(Stop::Failed)?);
                }
            }
            starts = selected;
        }
        let runs = merged(starts, size);
        let count = runs.iter().map(|run| u64::from(run.length)).sum::<u64>();
        self.shared.spend(runs.len() as u64, variable.span)?;
        let Ok(count) = u32::try_from(count) else { return Err(Stop::Failed) };
        Ok((Place { var, runs }, Shape::of(atom, count)))
    }

    /// A place whose selectors, if any, are single indices. It is one run.
    fn element(&mut self, variable: &ast::Variable, var: VarId, atom: Atom) -> Result<(Place, Shape)> {
        let mut start = Affine::constant(0);
        let mut size = self.vars[var.0 as usize].ty.atoms();
        for (d, selector) in variable.selectors.iter().enumerate() {
            let dims = &self.vars[var.0 as usize].ty.dims;
            let (SelectorKind::Index(index), Some(&dim)) = (&selector.kind, dims.get(d)) else {
                let dims = dims.len();
                return self.indexed_atom(variable, selector, dims, atom);
            };
            size /= dim;
            let index = self.index(index, dim, &variable.name.name)?;
            let offset = statics::scale(&index, i64::from(size));
            start = offset.and_then(|offset| statics::add(&start, &offset, 1)).ok_or(Stop::Failed)?;
        }
        let runs = vec![Run { start, length: size, stride: 1 }];
        Ok((Place { var, runs }, Shape::of(atom, size)))
    }

    fn indexed_atom<T>(
        &mut self,
        variable: &ast::Variable,
        selector: &ast::Selector,
        dims: usize,
        atom: Atom,
    ) -> Result<T> {
        let name = &variable.name.name;
        let message = if dims == 0 {
            match atom.field() {
                Some(_) => format!("`{name}` is a single element of a field and has no elements"),
                None => format!("`{name}` is a single atom of {} and has no elements", shape::bits(atom.bits)),
            }
        } else {
            let dimensions = if dims == 1 { "1 dimension".to_owned() } else { format!("{dims} dimensions") };
            format!("`{name}` has {dimensions}, and these are more brackets than that")
        };
        let mut diagnostic = Diagnostic::error(&types::E0311, selector.span, message);
        if atom.bits > 1 && dims == 0 && atom.field().is_none() {
            diagnostic = diagnostic.note(format!(
                "`((x >> 7) & 1) == 1` is a bit of a word x, the lowest being 0; `b{0}` are {0} atoms of one bit, the highest first",
                atom.bits
            ));
        }
        self.fail(diagnostic)
    }

    /// Adds the indices that a selector selects from `dim` elements.
    fn selected(
        &mut self,
        selector: &SelectorKind,
        span: Span,
        dim: u32,
        name: &str,
        indices: &mut Vec<Affine>,
    ) -> Result<()> {
        match selector {
            SelectorKind::Index(index) => {
                let value = self.index(index, dim, name)?;
                indices.push(value);
            }
            SelectorKind::Range(first, last) => {
                let (first, last) = (self.index(first, dim, name), self.index(last, dim, name));
                let (first, last) = (first?, last?);
                let difference = statics::add(&last, &first, -1).ok_or(Stop::Failed)?;
                let difference = self.number(&difference, span, "the length of a range depends on it")?;
                // Both ends lie within the dimension, so the range is short.
                let step = difference.signum();
                for k in 0..=difference.abs() {
                    let index = statics::add(&first, &Affine::constant(k * step), 1);
                    indices.push(index.ok_or(Stop::Failed)?);
                }
                self.shared.spend(difference.unsigned_abs(), span)?;
            }
            SelectorKind::Slice(parts) => {
                for part in parts {
                    self.selected(part, span, dim, name, indices)?;
                }
            }
        }
        Ok(())
    }

    /// The value of an index, which lies within the dimension for every value of the counters.
    fn index(&mut self, index: &ast::Expr, dim: u32, name: &str) -> Result<Affine> {
        let value = self.affine(index, Role::Index)?;
        let Some((least, greatest)) = self.range(&value) else {
            return self.fail(Diagnostic::error(&types::E0309, index.span, "this index overflows"));
        };
        let wrong = if least < 0 { least } else { greatest };
        if (0..i64::from(dim)).contains(&wrong) {
            return Ok(value);
        }
        let elements = if dim == 1 { "1 element".to_owned() } else { format!("{dim} elements") };
        let message = format!("index {wrong} is out of range: `{name}` has {elements} here, counted from 0");
        let mut diagnostic = Diagnostic::error(&types::E0310, index.span, message);
        if wrong < 0 {
            diagnostic = diagnostic.note(if least == greatest && wrong >= -i64::from(dim) {
                format!("`{name}[{}]` counts from the end", i64::from(dim) + wrong)
            } else {
                format!("`% {dim}` makes an index that is never negative")
            });
        } else if least == 0 && least < greatest && wrong == i64::from(dim) {
            diagnostic = diagnostic.note("both bounds belong to a loop: `forall i in [0, 3]` has four iterations");
        }
        self.fail(diagnostic)
    }
}

/// The note on a list of positions that may have been meant as a position in each of several dimensions.
fn one_bracket_for_several(variable: &ast::Variable, dims: usize) -> Option<String> {
    let mut meant = variable.clone();
    meant.selectors.clear();
    for selector in &variable.selectors {
        match &selector.kind {
            SelectorKind::Slice(parts) if parts.iter().all(|part| matches!(part, SelectorKind::Index(_))) => {
                meant
                    .selectors
                    .extend(parts.iter().map(|part| ast::Selector { kind: part.clone(), span: selector.span }));
            }
            _ => meant.selectors.push(selector.clone()),
        }
    }
    if meant.selectors.len() == variable.selectors.len() || meant.selectors.len() > dims {
        return None;
    }
    let text = |variable: ast::Variable| {
        let span = variable.span;
        print_expr(&ast::Expr { kind: ast::ExprKind::Variable(variable), span })
    };
    let (written, meant) = (text(variable.clone()), text(meant));
    Some(format!(
        "`{written}` is a list of positions in one dimension; each dimension has brackets of its own: `{meant}`"
    ))
}

/// Merges parts of `size` neighbouring atoms each into as few runs as a single pass finds.
fn merged(starts: Vec<Affine>, size: u32) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for start in starts {
        if let Some(last) = runs.last_mut()
            && let Some(distance) = distance(&last.start, &start)
        {
            let continues = distance == i64::from(last.length) * i64::from(last.stride);
            if (last.length > 1 && continues && (size == 1 || last.stride == 1)) || (size > 1 && continues) {
                last.length += size;
                continue;
            }
            if last.length == 1
                && size == 1
                && distance != 0
                && let Ok(stride) = i32::try_from(distance)
            {
                last.length = 2;
                last.stride = stride;
                continue;
            }
        }
        runs.push(Run { start, length: size, stride: 1 });
    }
    runs
}

/// The difference `to - from`, if it is a number.
fn distance(from: &Affine, to: &Affine) -> Option<i64> {
    (from.terms == to.terms).then(|| to.constant.checked_sub(from.constant)).flatten()
}

/// The part `offset..offset + length` of a place's atoms.
pub(crate) fn part(place: &Place, mut offset: u32, mut length: u32) -> Place {
    let mut runs = Vec::new();
    for run in &place.runs {
        if length == 0 {
            break;
        }
        if offset >= run.length {
            offset -= run.length;
            continue;
        }
        let now = length.min(run.length - offset);
        let mut start = run.start.clone();
        start.constant += i64::from(offset) * i64::from(run.stride);
        runs.push(Run { start, length: now, stride: run.stride });
        length -= now;
        offset = 0;
    }
    Place { var: place.var, runs }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::VarId;

    fn atoms(runs: &[Run]) -> Vec<i64> {
        runs.iter().flat_map(|r| (0..i64::from(r.length)).map(|k| r.start.constant + k * i64::from(r.stride))).collect()
    }

    #[test]
    fn merging_keeps_the_atoms_in_order() {
        let cases: [(&[i64], u32, usize); 7] = [
            (&[0, 4, 8], 4, 1),
            (&[8, 4, 0], 4, 3),
            (&[7, 6, 5], 1, 1),
            (&[0, 8, 16, 24], 1, 1),
            (&[3, 3], 1, 2),
            (&[0, 5, 6, 7], 1, 2),
            (&[2, 4, 8], 2, 2),
        ];
        for (starts, size, count) in cases {
            let runs = merged(starts.iter().map(|&s| Affine::constant(s)).collect(), size);
            let expected: Vec<i64> = starts.iter().flat_map(|&s| (0..i64::from(size)).map(move |k| s + k)).collect();
            assert_eq!(atoms(&runs), expected, "{starts:?}");
            assert_eq!(runs.len(), count, "{starts:?}");
        }
    }

    #[test]
    fn parts_cross_runs() {
        let runs = merged(vec![Affine::constant(0), Affine::constant(10)], 3);
        let place = Place { var: VarId(0), runs };
        assert_eq!(atoms(&part(&place, 2, 3).runs), [2, 10, 11]);
    }
}
