//! Other people's logs and traffic: recorded sessions of real implementations, with the truth their driver kept.
//!
//! They are not part of the project. Where they are missing these tests say so and pass.
#![allow(clippy::print_stdout, reason = "what was checked and what was skipped is said aloud")]

mod support;

#[path = "interop/captures.rs"]
mod captures;
#[path = "interop/formats.rs"]
mod formats;

use std::path::PathBuf;

/// The folder with recorded material beside the checkout, if it is there.
fn shared(folder: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared").join(folder);
    if path.is_dir() {
        return Some(path);
    }
    println!("SKIPPED: ../shared/{folder} is not here; nothing of other people's material was checked");
    None
}
