//! Every operation of the library through its public interface, beside other libraries, in one run: the samples of all alternate, each
//! figure is a median, and results are compared before anything is measured.

mod clock;
mod operations;
mod report;

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let directory = arguments.next().map(PathBuf::from);
    if arguments.next().is_some() {
        eprintln!("usage: run [DIRECTORY]");
        return ExitCode::from(2);
    }
    let rows: Vec<clock::Measured> = operations::all().into_iter().map(clock::measure).collect();
    print!("{}", report::table(&rows));
    match directory.map_or(Ok(()), |directory| report::write(&directory, &rows)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}
