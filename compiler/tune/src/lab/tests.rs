use std::io;
use std::path::Path;

use culet_driver::{Reader, load, parse_slicing};
use culet_ir::Target;

use super::*;

struct Program;

impl Reader for Program {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Ok(b"node f (a:u32) returns (b:u32)\nlet\n    b = a ^ (a <<< 1)\ntel\n".to_vec())
    }
}

/// The first choice of all is measured whenever that is; after that, nothing is compiled when the time is over, and what was
/// compiled runs once more.
#[test]
fn when_the_time_is_over_nothing_is_compiled_and_one_run_is_made() {
    let (source, _) = load(Path::new("f.ua"), &[], &Program);
    let options = Options { slicing: parse_slicing("v"), ..Options::new(Target::C64) };
    let compilers = [CCompiler::find(None).expect("a C compiler is there")];
    let mut workshop = Workshop::new(&source, &options, &compilers, None, What::Registers).expect("it is right");
    let choice = |flag: &str| Choice { options: options.clone(), compiler: 0, flags: vec![flag.to_owned()] };
    workshop.prepare(&[(0, choice("-O1")), (1, choice("-O2"))]);
    let over = Sampling { runs: 3, rounds: 2, until: Some(Duration::ZERO) };
    for _ in 0..2 {
        assert_eq!(workshop.measure(&[0], over).map(|samples| samples.rounds()), Ok(2));
        assert_eq!(workshop.measure(&[0, 1], over).map(drop), Err(Trouble::Late(vec![1])));
    }
    let samples = workshop.measure(&[0, 1], Sampling { until: None, ..over }).expect("there is time");
    assert_eq!(samples.rounds(), 6);
    assert!(samples.time > Duration::ZERO);
}

/// Each run has a program of its own, in which a candidate's code is elsewhere, also within a line of the cache, and behind that of others.
#[test]
fn code_is_elsewhere_in_every_run() {
    let (source, _) = load(Path::new("f.ua"), &[], &Program);
    let options = Options { slicing: parse_slicing("v"), ..Options::new(Target::C64) };
    let compilers = [CCompiler::find(Some("gcc-12")).expect("it is there")];
    let mut workshop = Workshop::new(&source, &options, &compilers, None, What::Registers).expect("it is right");
    let choice = |flag: &str| Choice { options: options.clone(), compiler: 0, flags: vec![flag.to_owned()] };
    workshop.prepare(&[(0, choice("-O1")), (1, choice("-O2"))]);
    workshop.build(&[0, 1], None).expect("they compile");
    let main = workshop.main_object(&[0, 1]).expect("it compiles");
    let places = |run: usize| {
        let program = workshop.link(&main, &[0, 1], run).expect("they link");
        let names = std::process::Command::new("nm").arg(program).output().expect("there is `nm`").stdout;
        [0, 1].map(|id| {
            let name = format!(" T timed_{id}");
            let names = String::from_utf8_lossy(&names).into_owned();
            let line = names.lines().find(|line| line.ends_with(&name)).expect("it is there").to_owned();
            u64::from_str_radix(&line[..line.len() - name.len()], 16).expect("an address")
        })
    };
    let places: Vec<[u64; 2]> = (0..4).map(places).collect();
    for id in [0, 1] {
        let lines: BTreeSet<u64> = places.iter().map(|place| place[id] % 64).collect();
        assert!(lines.len() > 1, "{places:x?}");
        let all: BTreeSet<u64> = places.iter().map(|place| place[id]).collect();
        assert_eq!(all.len(), places.len(), "{places:x?}");
    }
    let first: Vec<bool> = places.iter().map(|[one, other]| one < other).collect();
    assert_eq!(first, [true, false, true, false]);
}

struct Stream;

impl Reader for Stream {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        let text = "node f (k:u32, beside:u32[*], text:u32x4[*]) returns (out:u32x4[*], sum:u32)\nvars s:u32\nlet\n  s = k;\n  \
                    fold word in beside { s := s + word };\n  fold block in text { out = block ^ (k,k,k,k); s := s + block[0] };\n  sum = s\ntel\n";
        Ok(text.as_bytes().to_vec())
    }
}

/// All results of a message are compared with the program's, at each length.
#[test]
fn functions_on_words_must_compute_all_of_a_message() {
    let (source, diagnostics) = load(Path::new("f.ua"), &[], &Stream);
    assert!(!diagnostics.has_errors());
    let options = Options::new(Target::C64);
    let compilers = [CCompiler::find(Some("gcc-12")).expect("it is there")];
    let messages = |bytes: u64| What::Bytes(Lengths { short: bytes, long: bytes });
    let mut workshop = Workshop::new(&source, &options, &compilers, None, messages(100)).expect("it is right");
    let choice = Choice { options: options.clone(), compiler: 0, flags: vec!["-O1".to_owned()] };
    let (kernel, callee) = crate::kernel(&source, "given_f", &options, messages(100)).expect("it is right");
    assert_eq!(callee.calls(messages(100)), [(96, 1)]);
    assert_eq!(callee.calls(What::Bytes(Lengths { short: 16, long: 100 })), [(16, 6), (96, 1)]);
    assert_eq!(callee.bytes_a_sample(What::Bytes(Lengths { short: 16, long: 100 })), 2 * 96);
    let bytes: Vec<u64> = callee.operands(messages(100)).iter().map(|operand| operand.bytes).collect();
    assert_eq!(bytes, [96, 4, 4, 16, 96]);
    // Wrong from the fourth block on.
    let wrong = kernel.text().replace("out_block[3] = ", "out_block[3] = (i > 2) + ");
    assert_ne!(wrong, kernel.text());
    workshop.prepare(&[(0, choice.clone())]);
    let (stem, header) = ("given_f".to_owned(), kernel.header().to_owned());
    workshop.give(1, &Given { choice, stem, text: wrong, header });
    for bytes in [100, 16] {
        workshop.turn_to(messages(bytes), &options).expect("it is right");
        assert_eq!(workshop.measure(&[0], ONCE).map(|samples| samples.rounds()), Ok(1));
        let found = workshop.measure(&[1], ONCE);
        let refused = Trouble::Candidates(vec![(1, "it computes something else than the program".to_owned())]);
        assert_eq!(found.map(drop), if bytes > 47 { Err(refused) } else { Ok(()) });
    }
}
