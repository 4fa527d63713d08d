//! The tests of the library's operations on other machines, under their emulators: all of them with `CULET_ALL`, else none, since they
//! take minutes.

#[path = "package/emulated.rs"]
mod emulated;

use std::env;
use std::path::Path;
use std::process::Command;

use emulated::Emulated;

#[test]
fn operations_on_other_machines() {
    if env::var_os("CULET_ALL").is_none() {
        return;
    }
    for machine in Emulated::installed() {
        let mut command = Command::new(env!("CARGO"));
        command
            .args(["test", "--offline", "--test", "operations", "--target-dir"])
            .arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join("machines"))
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .env_remove("RUSTC_WORKSPACE_WRAPPER");
        machine.choose(&mut command);
        let output = command.output().expect("cargo runs");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{}: {said}{}", machine.target, String::from_utf8_lossy(&output.stderr));
        assert!(said.contains("test p256::wycheproof_signatures ... ok"), "{}: {said}", machine.target);
    }
}
