//! The library as `install` leaves it: programs find it by pkg-config and by CMake.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::library::{COMPILERS, Features, path, run};

/// A project for CMake that makes the example of the library, twice.
const PROJECT: &str = "cmake_minimum_required(VERSION 3.18)
project(example C)
find_package(culet 0.1 REQUIRED)
foreach(library culet static)
  add_executable(sign-${library} SIGN)
  target_link_libraries(sign-${library} culet::${library})
endforeach()
";

/// Whether the example makes a key pair.
fn works(program: &Path, directory: &Path) {
    run(Command::new(program).args(["key", "secret", "public"]).current_dir(directory));
    assert_eq!(fs::read(directory.join("public")).expect("a key").len(), 32);
}

#[test]
fn an_installed_library_is_found() {
    // `install` builds where the other tests have built, when they have.
    let target = Features::All.directory().parent().expect("where it is built");
    let directory = tempfile::tempdir().expect("a directory");
    let (prefix, directory) = (directory.path().join("prefix"), directory.path());
    run(Command::new(path("install")).arg(&prefix).env("CARGO_TARGET_DIR", target));
    let headers: Vec<_> = fs::read_dir(prefix.join("include")).expect("headers").flatten().collect();
    assert_eq!(headers.iter().map(|entry| entry.file_name()).collect::<Vec<_>>(), ["culet.h"]);

    let mut pkg_config = Command::new("pkg-config");
    pkg_config.args(["--cflags", "--libs", "culet >= 0.1"]).env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"));
    let options = run(&mut pkg_config);
    let program = directory.join("sign");
    let mut compiler = Command::new(COMPILERS[0].0);
    compiler.arg(path("examples/sign.c")).args(options.split_whitespace()).arg("-o").arg(&program);
    run(compiler.arg(format!("-Wl,-rpath,{}", prefix.join("lib").display())));
    works(&program, directory);

    let source = path("examples/sign.c").display().to_string();
    fs::write(directory.join("CMakeLists.txt"), PROJECT.replace("SIGN", &source)).expect("a project");
    let build = directory.join("build");
    let mut configure = Command::new("cmake");
    configure.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display())).arg("-S").arg(directory).arg("-B").arg(&build);
    run(configure.env("CC", COMPILERS[0].0));
    run(Command::new("cmake").arg("--build").arg(&build));
    for program in ["sign-culet", "sign-static"] {
        works(&build.join(program), directory);
    }
}
