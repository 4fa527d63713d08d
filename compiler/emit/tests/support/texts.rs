//! IR text that applies operations, and stores every result.

/// A kernel that applies every operation on words of `m` bits, in lanes of `lane` bits.
pub fn words(m: u32, lane: u32) -> String {
    let ones = u64::MAX >> (64 - m);
    let mut text = Text::new(format!("w{m}"));
    text.all("a", "b", "c");
    for k in [1, m / 2, m - 1].into_iter().filter(|&k| k < m).chain([0, 3, 8, 24].into_iter().filter(|&k| k < m)) {
        for op in ["shl", "shr", "sar", "rotl"] {
            text.result(&format!("{op}.w{m} a, {k}"));
        }
        text.result(&format!("funnel.w{m} a, b, {k}"));
    }
    for value in [0, 1, ones, 0x9e37_79b9_7f4a_7c15 & ones] {
        let constant = text.value(&format!("const.w{m} {value:#x}"));
        text.result(&format!("add.w{m} a, {constant}"));
    }
    if 2 * m <= lane {
        text.result_of(&format!("concat.w{} a, b", 2 * m), &format!("w{}", 2 * m));
    }
    if m < lane {
        text.result_of(&format!("concat.w{} cond, a", m + 1), &format!("w{}", m + 1));
        text.result_of(&format!("concat.w{} a, cond", m + 1), &format!("w{}", m + 1));
    }
    text.finish()
}

/// The same on single bits.
pub fn bits() -> String {
    let mut text = Text::new("w1".to_owned());
    text.bitwise();
    text.pair("mulwide.w1 a, b", "w1", "w1");
    text.pair("addc.w1 a, b, cond", "w1", "w1");
    text.pair("subb.w1 a, b, cond", "w1", "w1");
    for operation in ["shl.w1 a, 0", "rotl.w1 a, 0", "funnel.w1 a, b, 0", "spread.w1 cond", "const.w1 1", "const.w1 0"]
    {
        text.result(operation);
    }
    text.result("select.w1 cond, a, b");
    text.finish()
}

/// IR text of an entry with inputs a, b, c, cond and results that are numbered.
pub struct Text {
    ty: String,
    slots: String,
    body: String,
    values: u32,
    results: u32,
}

impl Text {
    pub fn new(ty: String) -> Text {
        Text { ty, slots: String::new(), body: String::new(), values: 4, results: 0 }
    }

    pub fn value(&mut self, operation: &str) -> String {
        let name = format!("v{}", self.values);
        self.values += 1;
        let operation = self.named(operation);
        self.body.push_str(&format!("  {name} = {operation}\n"));
        name
    }

    fn named(&self, operation: &str) -> String {
        let mut words: Vec<String> = operation.split(' ').map(str::to_owned).collect();
        for word in &mut words {
            let (name, comma) = word.strip_suffix(',').map_or((word.as_str(), ""), |name| (name, ","));
            if let Some(i) = ["a", "b", "c", "cond"].iter().position(|n| *n == name) {
                *word = format!("v{i}{comma}");
            }
        }
        words.join(" ")
    }

    pub fn result(&mut self, operation: &str) {
        let ty = self.ty.clone();
        self.result_of(operation, &ty);
    }

    pub fn result_of(&mut self, operation: &str, ty: &str) {
        let value = self.value(operation);
        self.store(&value, ty);
    }

    fn store(&mut self, value: &str, ty: &str) {
        self.slots.push_str(&format!("  output r{}: {ty}[1]\n", self.results));
        self.body.push_str(&format!("  store r{}[0], {value}\n", self.results));
        self.results += 1;
    }

    /// The operations that every type has.
    pub fn bitwise(&mut self) {
        let ty = self.ty.clone();
        for op in ["and", "or", "xor", "andn", "add", "sub", "mul", "mulhi"] {
            let lanes_are_bits = ty == "w1" || ty.starts_with('v');
            if lanes_are_bits || ["and", "or", "xor", "andn"].contains(&op) {
                self.result(&format!("{op}.{ty} a, b"));
            }
        }
        self.result(&format!("not.{ty} a"));
        for table in (0..256).step_by(5).chain([0x96, 0xca, 0xe8, 1]) {
            self.result(&format!("tern.{ty} a, b, c, {table:#x}"));
        }
    }

    fn all(&mut self, a: &str, b: &str, c: &str) {
        assert_eq!([a, b, c], ["a", "b", "c"]);
        let ty = self.ty.clone();
        self.bitwise();
        for op in ["add", "sub", "mul", "mulhi"] {
            self.result(&format!("{op}.{ty} a, b"));
        }
        self.pair(&format!("mulwide.{ty} a, b"), &ty, &ty);
        self.pair(&format!("addc.{ty} a, b, cond"), &ty, "w1");
        self.pair(&format!("subb.{ty} a, b, cond"), &ty, "w1");
        self.result(&format!("select.{ty} cond, a, b"));
        self.result(&format!("spread.{ty} cond"));
        // An expression of several operations, and values that are used again.
        let x = self.value(&format!("xor.{ty} a, b"));
        let y = self.value(&format!("not.{ty} {x}"));
        let z = self.value(&format!("andn.{ty} {y}, c"));
        let w = self.value(&format!("add.{ty} {z}, {x}"));
        self.result(&format!("or.{ty} {w}, {z}"));
    }

    pub fn pair(&mut self, operation: &str, first: &str, second: &str) {
        let (low, high) = (format!("v{}", self.values), format!("v{}", self.values + 1));
        self.values += 2;
        let operation = self.named(operation);
        self.body.push_str(&format!("  {low}, {high} = {operation}\n"));
        self.store(&low, first);
        self.store(&high, second);
    }

    pub fn finish(self) -> String {
        let Text { ty, slots, body, .. } = self;
        let inputs =
            format!("  input a: {ty}[1]\n  input b: {ty}[1]\n  input c: {ty}[1] shared\n  input cond: w1[1]\n");
        let loads =
            format!("  v0 = load.{ty} a[0]\n  v1 = load.{ty} b[0]\n  v2 = load.{ty} c[0]\n  v3 = load.w1 cond[0]\n");
        format!("entry fn demo {{\n{inputs}{slots}{loads}{body}}}\n")
    }
}
