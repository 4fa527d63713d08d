//! Circuits for tables of every shape, compared with direct lookup.

use culet_sbox::{Circuit, Signal, TableError, TableSpec, circuit};

/// SplitMix64: reproducible numbers for tests.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

/// The value of `circuit` at one index, evaluated gate by gate without any code of the crate.
fn lookup(circuit: &Circuit, index: usize) -> u64 {
    use culet_sbox::Gate::{And, Andn, Not, Or, Xor};
    let mut results: Vec<bool> = Vec::new();
    let get = |results: &[bool], signal| match signal {
        Signal::Zero => false,
        Signal::One => true,
        Signal::Input(input) => index >> (circuit.inputs - 1 - input) & 1 == 1,
        Signal::Gate(gate) => results[gate as usize],
    };
    for gate in &circuit.gates {
        let result = match *gate {
            And(a, b) => get(&results, a) && get(&results, b),
            Or(a, b) => get(&results, a) || get(&results, b),
            Xor(a, b) => get(&results, a) != get(&results, b),
            Andn(a, b) => get(&results, a) && !get(&results, b),
            Not(a) => !get(&results, a),
        };
        results.push(result);
    }
    circuit.outputs.iter().fold(0, |value, &signal| value << 1 | u64::from(get(&results, signal)))
}

fn assert_equal(table: &TableSpec) {
    let circuit = circuit(table).expect("a table");
    for (index, &value) in table.values.iter().enumerate() {
        assert_eq!(lookup(&circuit, index), value, "index {index} of {table:?}");
    }
}

#[test]
fn random_tables_of_every_shape() {
    let mut numbers = Numbers(1);
    for inputs in 0..=8 {
        let widths: &[u32] = if inputs <= 6 { &[0, 1, 2, 3, 4, 5, 8, 13] } else { &[0, 1, 8] };
        for &outputs in widths {
            let values = (0..1 << inputs).map(|_| numbers.next() & ((1 << outputs) - 1)).collect();
            assert_equal(&TableSpec { inputs, outputs, values });
        }
    }
}

#[test]
fn wide_and_long_tables() {
    let mut numbers = Numbers(2);
    for (inputs, outputs) in [(3, 64), (1, 63), (9, 4), (12, 2), (16, 1)] {
        let values = (0..1 << inputs).map(|_| numbers.next() >> (64 - outputs)).collect();
        assert_equal(&TableSpec { inputs, outputs, values });
    }
}

#[test]
fn degenerate_tables_need_no_gates() {
    let constant = TableSpec { inputs: 3, outputs: 2, values: vec![2; 8] };
    assert_eq!(circuit(&constant).unwrap().outputs, [Signal::One, Signal::Zero]);
    let identity = TableSpec { inputs: 1, outputs: 1, values: vec![0, 1] };
    assert_eq!(circuit(&identity).unwrap().outputs, [Signal::Input(0)]);
    let ignores_input_0 = TableSpec { inputs: 2, outputs: 1, values: vec![0, 1, 0, 1] };
    assert_eq!(circuit(&ignores_input_0).unwrap().outputs, [Signal::Input(1)]);
    for table in [constant, identity, ignores_input_0] {
        assert_eq!(circuit(&table).unwrap().cost(), 0);
        assert_equal(&table);
    }
}

#[test]
fn what_is_no_table_is_an_error() {
    let error = |inputs, outputs, values: Vec<u64>| circuit(&TableSpec { inputs, outputs, values }).unwrap_err();
    assert_eq!(error(17, 1, vec![]), TableError::TooManyInputs { inputs: 17 });
    assert_eq!(error(u32::MAX, 1, vec![]), TableError::TooManyInputs { inputs: u32::MAX });
    assert_eq!(error(1, 65, vec![0, 0]), TableError::TooManyOutputs { outputs: 65 });
    let short = error(2, 2, vec![0, 1, 2]);
    assert_eq!(short, TableError::WrongNumberOfValues { inputs: 2, expected: 4, found: 3 });
    assert_eq!(short.to_string(), "a table of 2 input bits has 4 values, not 3");
    let large = error(1, 2, vec![3, 4]);
    assert_eq!(large, TableError::ValueOutOfRange { index: 1, value: 4, outputs: 2 });
    assert_eq!(large.to_string(), "value 4 at index 1 does not fit in 2 output bits");
}

#[test]
fn the_text_form_parses_back() {
    let mut numbers = Numbers(3);
    for inputs in 1..=5 {
        let values = (0..1 << inputs).map(|_| numbers.next() & 15).collect();
        let found = circuit(&TableSpec { inputs, outputs: 4, values }).unwrap();
        let text = found.to_string();
        assert_eq!(text.parse::<Circuit>().as_ref(), Ok(&*found), "{text}");
    }
}

#[test]
fn text_that_is_no_circuit_is_an_error_at_its_line() {
    let cases = [
        ("", "line 1: there is no `inputs` line"),
        ("inputs 2\noutputs 1\ng0 = and i0 i2\nout g0", "line 3: `i2` is no constant, input or earlier gate"),
        ("inputs 2\noutputs 1\ng0 = and i0 g0\nout g0", "line 3: `g0` is no constant, input or earlier gate"),
        ("inputs 2\noutputs 1\ng1 = and i0 i1\nout g0", "line 3: the next gate is `g0`, not `g1`"),
        (
            "inputs 2\noutputs 1\ng0 = nand i0 i1",
            "line 3: a gate is `and a b`, `or a b`, `xor a b`, `andn a b` or `not a`",
        ),
        ("inputs 2\noutputs 1\nout i0 i1", "line 3: 2 outputs, but `outputs 1`"),
        ("inputs 99", "line 1: `99` is not a number from 0 to 16"),
        ("inputs 2\ninputs 2", "line 2: a second `inputs` line"),
        ("inputs 2\noutputs 0\nout\ng0 = not i0", "line 4: nothing may follow the `out` line"),
        ("é", "line 1: `é` starts no line of a circuit"),
        ("inputs 1\noutputs 1\nout é", "line 3: `é` is no constant, input or earlier gate"),
    ];
    for (text, message) in cases {
        assert_eq!(text.parse::<Circuit>().map_err(|error| error.to_string()), Err(message.to_owned()));
    }
}
