//! The library as `install` leaves it: programs find it by pkg-config and by CMake.

use std::collections::BTreeSet;
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

/// Installs the library with these features below a prefix.
fn install(prefix: &Path, features: &str) {
    // `install` builds where the other tests have built, when they have.
    let target = Features::All.directory().parent().expect("where it is built");
    let mut install = Command::new(path("install"));
    install.arg(prefix).arg(features).env("CARGO_TARGET_DIR", target).env_remove("RUSTC_WORKSPACE_WRAPPER");
    run(&mut install);
}

/// The names of the files in a directory of an installed library.
fn installed(prefix: &Path, directory: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(prefix.join(directory)).expect("a directory").flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Compiles a program as pkg-config says.
fn build_by_pkg_config(prefix: &Path, package: &str, source: &Path, program: &Path) {
    let mut pkg_config = Command::new("pkg-config");
    pkg_config.args(["--cflags", "--libs", package]).env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"));
    let options = run(&mut pkg_config);
    let mut compiler = Command::new(COMPILERS[0].0);
    compiler.arg(source).args(options.split_whitespace()).arg("-o").arg(program);
    run(compiler.arg(format!("-Wl,-rpath,{}", prefix.join("lib").display())));
}

/// A program for libsodium, which asks for a part of it.
const FOR_LIBSODIUM: &str = "#include <sodium/crypto_box.h>
#include <sodium/core.h>

int main(void) {
    unsigned char public_key[crypto_box_PUBLICKEYBYTES], secret_key[crypto_box_SECRETKEYBYTES];
    return sodium_init() < 0 || crypto_box_keypair(public_key, secret_key) != 0;
}
";

/// Programs for libsodium find this library in its place, if it has its names.
#[test]
fn an_installed_library_is_found() {
    let directory = tempfile::tempdir().expect("a directory");
    let (prefix, directory) = (directory.path().join("prefix"), directory.path());
    install(&prefix, TRAITS);
    assert_eq!(installed(&prefix, "include"), ["culet.h".to_owned()].into());
    assert_eq!(installed(&prefix, "lib/pkgconfig"), ["culet.pc".to_owned()].into());

    let program = directory.join("sign");
    build_by_pkg_config(&prefix, "culet >= 0.1", &path("examples/sign.c"), &program);
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

    let prefix = directory.join("compatible");
    install(&prefix, &format!("{TRAITS},compat"));
    let headers = ["culet", "culet.h", "sodium", "sodium.h", "tweetnacl.h"].map(str::to_owned);
    assert_eq!(installed(&prefix, "include"), headers.into());
    let parts = fs::read_dir(path("include/sodium")).expect("headers").count();
    assert_eq!(installed(&prefix, "include/sodium").len(), parts);
    let (source, program) = (directory.join("box.c"), directory.join("box"));
    fs::write(&source, FOR_LIBSODIUM).expect("a program");
    build_by_pkg_config(&prefix, "libsodium >= 1.0.18", &source, &program);
    run(&mut Command::new(&program));
    assert!(run(Command::new("readelf").arg("--dynamic").arg(&program)).contains(SONAME));
}
