//! The library as `install` leaves it: programs find it by pkg-config and by CMake.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::library::{COMPILERS, Features, SONAME, TRAITS, path, run};

/// A project for CMake that makes the example of the library, twice.
const PROJECT: &str = "cmake_minimum_required(VERSION 3.18)
project(example C)
find_package(culet 0.1 REQUIRED)
foreach(library culet static)
  add_executable(sign-${library} SIGN)
  target_link_libraries(sign-${library} culet::${library})
endforeach()
";

/// Whether the example makes a key pair, and needs the shared library by its name, or not at all.
fn works(program: &Path, is_shared: bool) {
    let directory = tempfile::tempdir().expect("a directory");
    run(Command::new(program).args(["key", "secret", "public"]).current_dir(directory.path()));
    assert_eq!(fs::read(directory.path().join("public")).expect("a key").len(), 32);
    let dynamic = run(Command::new("readelf").arg("--dynamic").arg(program));
    assert_eq!(dynamic.contains(&format!("Shared library: [{SONAME}]")), is_shared, "{dynamic}");
    assert_eq!(dynamic.contains("culet.so"), is_shared, "{dynamic}");
}

#[test]
fn an_installed_library_is_found() {
    // `install` builds where the other tests have built, when they have.
    let target = Features::All.directory().parent().expect("where it is built");
    let directory = tempfile::tempdir().expect("a directory");
    let (prefix, directory) = (directory.path().join("prefix"), directory.path());
    let mut install = Command::new(path("install"));
    install.arg(&prefix).arg(TRAITS).env("CARGO_TARGET_DIR", target).env_remove("RUSTC_WORKSPACE_WRAPPER");
    run(&mut install);
    let headers: Vec<_> = fs::read_dir(prefix.join("include")).expect("headers").flatten().collect();
    assert_eq!(headers.iter().map(|entry| entry.file_name()).collect::<Vec<_>>(), ["culet.h"]);

    let mut pkg_config = Command::new("pkg-config");
    pkg_config.args(["--cflags", "--libs", "culet >= 0.1"]).env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"));
    let options = run(&mut pkg_config);
    let program = directory.join("sign");
    let mut compiler = Command::new(COMPILERS[0].0);
    compiler.arg(path("examples/sign.c")).args(options.split_whitespace()).arg("-o").arg(&program);
    run(compiler.arg(format!("-Wl,-rpath,{}", prefix.join("lib").display())));
    works(&program, true);

    let source = path("examples/sign.c").display().to_string();
    fs::write(directory.join("CMakeLists.txt"), PROJECT.replace("SIGN", &source)).expect("a project");
    let build = directory.join("build");
    let mut configure = Command::new("cmake");
    configure.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display())).arg("-S").arg(directory).arg("-B").arg(&build);
    run(configure.env("CC", COMPILERS[0].0));
    run(Command::new("cmake").arg("--build").arg(&build));
    works(&build.join("sign-culet"), true);
    works(&build.join("sign-static"), false);
}
