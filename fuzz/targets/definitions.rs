//! Any text as the definition of a format, and a log that is read by it: what stands behind a line `=====`, else a usual one.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use rpctape::capture::Overrides;
use rpctape_fuzz::read;
use tempfile::TempDir;

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a folder"));

const LOG: &str = "2026-01-01 10:00:00 [10:00:00] --> {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}\n<-- {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";

fuzz_target!(|text: &str| {
    let (definition, log) = text.split_once("\n=====\n").unwrap_or((text, LOG));
    let path = FOLDER.path().join("d.toml");
    std::fs::write(&path, definition).expect("writes");
    read(log.as_bytes(), &Overrides { format: Some(path.display().to_string()), ..Overrides::default() });
});
