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

/// A kernel that applies every operation on single bits.
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

/// Every operation on lanes of 64 bits, whose results are stored lane by lane, and lanes that a loop carries.
pub fn lanes(lanes: u32, has_mac52: bool) -> String {
    let ty = format!("v<{lanes},64>");
    let list = |word: &dyn Fn(u32) -> String| (0..lanes).map(word).collect::<Vec<String>>().join(", ");
    let (mut slots, mut body, mut values) = ("  input cond: w1[1]\n".to_owned(), String::new(), 0);
    let mut next = |body: &mut String, text: &str| {
        let name = format!("v{values}");
        body.push_str(&format!("  {name} = {text}\n"));
        values += 1;
        name
    };
    // Names of functions that are defined in Rust.
    let [a, b, c] = ["add", "set", "lane"].map(|name| {
        slots.push_str(&format!("  input {name}: w64[{lanes}]\n"));
        let words = (0..lanes).map(|lane| next(&mut body, &format!("load.w64 {name}[{lane}]")));
        let words = words.collect::<Vec<String>>().join(", ");
        next(&mut body, &format!("join.{ty} {words}"))
    });
    let cond = next(&mut body, "load.w1 cond[0]");
    let word = |lane| format!("{:#x}", 0x9e37_79b9_7f4a_7c15_u64.rotate_left(7 * lane));
    let words = next(&mut body, &format!("const.{ty} [{}]", list(&word)));
    let ones = next(&mut body, &format!("const.{ty} [{}]", list(&|_| "0xffffffff".to_owned())));
    let mut operations = Vec::new();
    for op in ["add", "sub", "mul", "and", "or", "xor", "andn", "mul32"] {
        operations.extend([&b, &words, &ones].map(|other| format!("{op}.{ty} {a}, {other}")));
    }
    for amount in [1, 26, 32, 63] {
        operations.extend(["shl", "shr", "sar", "rotl"].map(|op| format!("{op}.{ty} {a}, {amount}")));
        operations.push(format!("funnel.{ty} {a}, {b}, {amount}"));
    }
    operations.extend([format!("not.{ty} {a}"), format!("select.{ty} {cond}, {a}, {b}")]);
    if has_mac52 {
        operations.push(format!("blend.{ty} {a}, {b}, 0x1a"));
        operations.extend(["mac52lo", "mac52hi"].map(|op| format!("{op}.{ty} {a}, {b}, {c}")));
    }
    let orders: [&dyn Fn(u32) -> String; 3] =
        [&|lane| ((lane + 1) % lanes).to_string(), &|lane| (lanes - 1 - lane).to_string(), &|_| "1".to_owned()];
    operations.extend(orders.map(|order| format!("perm.{ty} {a}, [{}]", list(order))));
    let mut results: Vec<String> = operations.iter().map(|operation| next(&mut body, operation)).collect();
    // A choice between two orders of the same lanes.
    let chosen = results[results.len() - 2..].join(", ");
    results.push(next(&mut body, &format!("select.{ty} {cond}, {chosen}")));
    // The low halves of words are known before the loop and in it.
    let low = next(&mut body, &format!("and.{ty} {a}, {ones}"));
    results.push(next(
        &mut body,
        &format!(
            "loop i0 = 0 to 2 (v1000 = {low}) {{\n    v1001 = mul32.{ty} v1000, {low}\n    \
             v1002 = and.{ty} v1001, {ones}\n    next v1002\n  }}"
        ),
    ));
    for value in &results {
        slots.push_str(&format!("  output r{value}: w64[{lanes}]\n"));
        for lane in 0..lanes {
            let word = next(&mut body, &format!("lane.w64 {value}, {lane}"));
            body.push_str(&format!("  store r{value}[{lane}], {word}\n"));
        }
    }
    format!("entry fn demo {{\n{slots}{body}}}\n")
}

/// Operations on lanes of any width, whose results are stored lane by lane, and lanes that a loop carries.
pub fn words_in_lanes(lanes: u32, bits: u32) -> String {
    let ty = format!("v<{lanes},{bits}>");
    let (mut slots, mut body, mut values) = ("  input cond: w1[1]\n".to_owned(), String::new(), 0);
    let mut next = |body: &mut String, text: &str| {
        values += 1;
        body.push_str(&format!("  v{} = {text}\n", values - 1));
        format!("v{}", values - 1)
    };
    let [a, b] = ["add", "u32x8"].map(|name| {
        slots.push_str(&format!("  input {name}: w{bits}[{lanes}]\n"));
        let words = (0..lanes).map(|lane| next(&mut body, &format!("load.w{bits} {name}[{lane}]")));
        let words = words.collect::<Vec<String>>().join(", ");
        next(&mut body, &format!("join.{ty} {words}"))
    });
    let cond = next(&mut body, "load.w1 cond[0]");
    let word = |lane: u32| format!("{:#x}", 0x9e37_79b9_7f4a_7c15_u64.rotate_left(7 * lane) >> (64 - bits));
    let list = (0..lanes).map(word).collect::<Vec<String>>().join(", ");
    let words = next(&mut body, &format!("const.{ty} [{list}]"));
    let first = next(&mut body, &format!("load.w{bits} add[0]"));
    let same = next(&mut body, &format!("join.{ty} {}", vec![first; lanes as usize].join(", ")));
    let mut operations = vec![format!("not.{ty} {a}"), format!("select.{ty} {cond}, {a}, {b}")];
    for op in ["add", "sub", "and", "or", "xor", "andn"] {
        operations.extend([&b, &words, &same].map(|other| format!("{op}.{ty} {a}, {other}")));
    }
    let is_multiplied = matches!(bits, 16 | 32);
    operations.extend(is_multiplied.then(|| format!("mul.{ty} {a}, {b}")));
    for amount in [1, bits / 2, bits - 1, bits / 4] {
        operations.extend(["shl", "shr", "rotl"].map(|op| format!("{op}.{ty} {a}, {amount}")));
        operations.extend(is_multiplied.then(|| format!("sar.{ty} {a}, {amount}")));
        operations.push(format!("funnel.{ty} {a}, {b}, {amount}"));
    }
    let mut results: Vec<String> = operations.iter().map(|operation| next(&mut body, operation)).collect();
    let turn = "v9001 = add.TY v9000, B\n    v9002 = xor.TY v9001, A\n    next v9002";
    let turn = turn.replace("TY", &ty).replace(", B", &format!(", {b}")).replace(", A", &format!(", {a}"));
    results.push(next(&mut body, &format!("loop i0 = 0 to 2 (v9000 = {a}) {{\n    {turn}\n  }}")));
    for value in &results {
        slots.push_str(&format!("  output r{value}: w{bits}[{lanes}]\n"));
        for lane in 0..lanes {
            let word = next(&mut body, &format!("lane.w{bits} {value}, {lane}"));
            body.push_str(&format!("  store r{value}[{lane}], {word}\n"));
        }
    }
    format!("entry fn demo {{\n{slots}{body}}}\n")
}

/// Products without carries, whose words go into exclusive ors, other products and a loop, together and apart. Slots
/// have the names of functions that are defined in C or Rust.
pub const CLMUL: &str = "entry fn demo {
  input clmul: w64[4]
  output low_word: w64[14]
  output pair: w64[2]
  v0 = load.w64 clmul[0]
  v1 = load.w64 clmul[1]
  v2 = load.w64 clmul[2]
  v3 = load.w64 clmul[3]
  v4, v5 = clmul.w64 v0, v1
  v6, v7 = clmul.w64 v2, v3
  v8 = xor.w64 v4, v6
  v9 = xor.w64 v5, v7
  v10 = xor.w64 v4, v7
  v11 = xor.w64 v8, v0
  v12, v13 = clmul.w64 v8, v9
  v14 = xor.w64 v13, v9
  v15, v16 = clmul.w64 v0, v0
  v17 = const.w64 0x87
  v18, v19 = clmul.w64 v0, v17
  v20 = const.w64 0xffffffffffffffff
  v21, v22 = clmul.w64 v20, v20
  v23, v24 = loop i0 = 0 to 2 (v25 = v4, v26 = v9) {
    v27, v28 = clmul.w64 v25, v1
    v29 = xor.w64 v27, v12
    v30 = xor.w64 v28, v26
    next v29, v30
  }
  store low_word[0], v4
  store low_word[1], v5
  store low_word[2], v8
  store low_word[3], v9
  store low_word[4], v10
  store low_word[5], v11
  store low_word[6], v12
  store low_word[7], v14
  store low_word[8], v15
  store low_word[9], v16
  store low_word[10], v18
  store low_word[11], v19
  store low_word[12], v21
  store low_word[13], v22
  store pair[0], v23
  store pair[1], v24
}
";

/// IR text of an entry with inputs a, b, c, cond and numbered results.
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
