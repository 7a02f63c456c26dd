//! The one call says what the command says.

use std::io::{Cursor, Read, Write};

use super::{Options, check, check_paths};
use crate::error::ErrorKind;
use crate::redact::Custom;
use crate::rules::Selection;

const BAD: &str = "samples/mcp/bad.jsonl";

fn codes(findings: super::Findings) -> Vec<(u64, String)> {
    findings.map(|finding| (finding.line, finding.code)).collect()
}

fn bad() -> Vec<u8> {
    std::fs::read(BAD).expect("a sample")
}

#[test]
fn a_reader_gives_the_findings_of_the_file() {
    let options = Options::default();
    let of_file = check_paths([BAD], &options).expect("findings");
    assert!(of_file.is_whole() && of_file.len() == 11 && of_file.summary().tally.messages == 33);
    let of_file = codes(of_file);
    assert_eq!(codes(check(Cursor::new(bad()), &options).expect("findings")), of_file);
    let packed = zstd::encode_all(&bad()[..], 1).expect("packed");
    assert_eq!(codes(check(Cursor::new(packed), &options).expect("findings")), of_file);
    // One byte at a time, as a slow pipe gives it.
    struct Slow(Cursor<Vec<u8>>);
    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let end = buffer.len().min(1);
            self.0.read(&mut buffer[..end])
        }
    }
    assert_eq!(codes(check(Slow(Cursor::new(bad())), &options).expect("findings")), of_file);
}

#[test]
fn a_document_that_is_read_whole_needs_no_file() {
    let har = std::fs::read("samples/formats/har/1.har").expect("a sample");
    assert!(check(Cursor::new(har), &Options::default()).expect("findings").summary().tally.messages > 0);
}

#[test]
fn options_count() {
    let only = Options {
        selection: Selection { select: vec!["CAN030".into()], ..Selection::default() },
        ..Options::default()
    };
    let found = codes(check(Cursor::new(bad()), &only).expect("findings"));
    assert_eq!(found, [(16, "CAN030".to_string())]);
    let secret = concat!("ghp_", "0123456789abcdefghijklmnopqrstuvwxyz");
    let log =
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"key\":\"{secret}\"}}}}\n");
    let clean = Options { redact: Some(Custom::default()), ..Options::default() };
    let counted =
        check(Cursor::new(log.into_bytes()), &clean).expect("findings").summary().redacted.values().sum::<u64>();
    assert!(counted > 0);
}

#[test]
fn what_is_no_log_is_an_error_and_what_is_torn_is_not_whole() {
    let options = Options::default();
    for nothing in ["", "hello\n", "\u{89}PNG"] {
        assert_eq!(check(nothing.as_bytes(), &options).expect_err("no log").kind, ErrorKind::Input, "{nothing:?}");
    }
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::from(std::io::ErrorKind::ConnectionReset))
        }
    }
    assert_eq!(check(Broken, &options).expect_err("a broken reader").kind, ErrorKind::Io);
    let empty: [&str; 0] = [];
    assert_eq!(check_paths(empty, &options).expect_err("nothing").kind, ErrorKind::Input);
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(&bad()).expect("packed");
    let packed = packer.finish().expect("packed");
    let cut = packed[..packed.len() - 4].to_vec();
    assert!(!check(Cursor::new(cut), &options).expect("findings").is_whole());
}
