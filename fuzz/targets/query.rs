//! Any SQL: a database that is asked is not written, and no other file is made.
#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use rpctape::Options;
use rpctape::pipeline::{Quiet, ingest};
use rpctape::store::Store;
use tempfile::TempDir;

const LOG: &str = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";

/// What takes as long, or as much memory, as it is asked to; that is no fault of a query.
const ENDLESS: [&str; 5] = ["recursive", "blob", "printf", "format", "replace("];

static DATABASE: LazyLock<(TempDir, PathBuf, Vec<u8>)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    let (log, path) = (folder.path().join("a.jsonl"), folder.path().join("a.db"));
    std::fs::write(&log, LOG).expect("writes");
    let mut store = Store::write(&path).expect("a database");
    ingest(&mut store, &[log.display().to_string()], &Options::default(), &mut Quiet).expect("a log");
    drop(store);
    std::fs::remove_file(log).expect("removes");
    let bytes = std::fs::read(&path).expect("reads");
    (folder, path, bytes)
});

fuzz_target!(|sql: &str| {
    let lower = sql.to_lowercase();
    if ENDLESS.iter().any(|word| lower.contains(word)) || lower.matches([',', 'j']).count() > 6 {
        return;
    }
    let (folder, path, before) = &*DATABASE;
    let store = Store::read(path).expect("a database");
    let mut rows = 0;
    let _ = store.query(
        sql,
        |_| Ok(()),
        |_| {
            rows += 1;
            Ok(rows < 100)
        },
    );
    drop(store);
    assert!(std::fs::read(path).expect("reads") == *before, "it was written");
    let names: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").filter_map(|file| Some(file.ok()?.file_name())).collect();
    assert_eq!(names, ["a.db"]);
});
