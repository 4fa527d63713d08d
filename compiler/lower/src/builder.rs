//! A function under construction: the place of the next instruction, and the constants it has already.

use std::collections::HashMap;

use culet_ir::{Func, FuncId, Index, Op, RegionId, Slot, Type, Value, W1};
use num_bigint::BigUint;

pub(crate) struct Builder {
    pub func: Func,
    /// The region to which instructions go.
    pub region: RegionId,
    constants: HashMap<(Type, Box<[u64]>), Value>,
    bits: HashMap<Value, bool>,
    /// Elements that are small constants.
    pub factors: HashMap<Value, u64>,
}

impl Builder {
    pub fn new(func: Func) -> Self {
        let region = func.body;
        Builder { func, region, constants: HashMap::new(), bits: HashMap::new(), factors: HashMap::new() }
    }

    /// A constant with one value a lane. It stands in the function's body, above whatever loop is being built.
    pub fn constant(&mut self, ty: Type, lanes: Box<[u64]>) -> Value {
        if let Some(&known) = self.constants.get(&(ty, lanes.clone())) {
            return known;
        }
        let body = self.func.body;
        let value = self.func.append1(body, Op::Const(lanes.clone()), [], ty);
        if ty == W1 {
            self.bits.insert(value, lanes[0] == 1);
        }
        self.constants.insert((ty, lanes), value);
        value
    }

    pub fn word(&mut self, ty: Type, value: u64) -> Value {
        self.constant(ty, Box::new([value]))
    }

    pub fn bit(&mut self, bit: bool) -> Value {
        self.word(W1, u64::from(bit))
    }

    pub fn zero(&mut self, ty: Type) -> Value {
        if let Type::Field(_) = ty {
            return self.element_constant(ty, &BigUint::ZERO);
        }
        self.constant(ty, vec![0; ty.lanes() as usize].into())
    }

    /// The value of a `w1` that is a constant.
    pub fn known_bit(&self, value: Value) -> Option<bool> {
        self.bits.get(&value).copied()
    }

    pub fn op(&mut self, op: Op, args: &[Value], result: Type) -> Value {
        self.func.append1(self.region, op, args.iter().copied(), result)
    }

    /// An operation whose result has the type of its first operand.
    pub fn same(&mut self, op: Op, args: &[Value]) -> Value {
        let ty = self.func.ty(args[0]);
        self.op(op, args, ty)
    }

    pub fn call(&mut self, callee: FuncId, args: Vec<Value>, results: &[Type]) -> Vec<Value> {
        let inst = self.func.append(self.region, Op::Call(callee), args, results);
        self.func.inst(inst).results.to_vec()
    }

    pub fn load(&mut self, slot: Slot, index: Index) -> Value {
        let ty = self.func.slot(slot).element;
        self.op(Op::Load { slot, index }, &[], ty)
    }

    /// See [`Op::Tail`]. If less than a block is left, the last byte beside a pad is 0.
    pub fn tail(&mut self, stream: Slot, block: u32, pad: u8) -> Vec<Value> {
        let types = vec![Type::Word(8); block as usize + usize::from(pad != 0)];
        let inst = self.func.append(self.region, Op::Tail { stream, block, pad }, [], &types);
        let mut bytes = self.func.inst(inst).results.to_vec();
        if let Some(last) = bytes.get_mut(block as usize) {
            *last = self.op(Op::constant(0), &[], Type::Word(8));
        }
        bytes
    }

    pub fn store(&mut self, slot: Slot, index: Index, value: Value) {
        self.func.append(self.region, Op::Store { slot, index }, [value], &[]);
    }
}
