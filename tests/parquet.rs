//! What is written as Parquet, read back by the library that others read it with. It needs the feature `parquet`: see `spark/try`.

use std::borrow::Cow;
use std::fs::File;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use rpctape::facts::{BLOCK, Blocks, Column, ParquetRows, Reader, Row, Sink, Table, kind, source_order, unpacked};

fn read(file: &tempfile::NamedTempFile) -> SerializedFileReader<File> {
    SerializedFileReader::new(file.reopen().expect("a file")).expect("parquet")
}

fn row(connection: &str, seq: u64) -> Row<'_> {
    let (kind, text) = (Cow::Borrowed("request"), Some(Cow::Borrowed("{\"method\":\"x\"}")));
    let method = Some(Cow::Borrowed("x"));
    Row { connection: Some(connection.into()), source: "a.log.1".into(), seq, kind, text, method, ..Row::default() }
}

#[test]
fn blocks_of_a_connection_are_its_rows_as_the_audit_reads_them() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let out = file.reopen().expect("a file");
    let mut blocks = Box::new(Blocks::new(out, "x", |_| Ok(())).expect("a table"));
    let many = (BLOCK as u64) / 60;
    for seq in 1..=many {
        blocks.row(&row(["one", "two"][seq as usize % 2], seq)).expect("a row");
    }
    blocks.row(&Row::about("a.log.1", many + 1, "{}".to_string())).expect("a row");
    (blocks as Box<dyn Sink>).finish().expect("whole");

    let (mut packed, mut found) = (Vec::new(), 0);
    for line in read(&file).get_row_iter(None).expect("rows").flatten() {
        assert_eq!(line.get_string(2).expect("a place"), &source_order("a.log.1"));
        match line.get_string(4).map(String::as_str) {
            Ok(kind::BLOCK) if line.get_string(0).is_ok_and(|name| name == "one") => {
                packed.extend_from_slice(line.get_bytes(6).expect("bytes").data());
                found += 1;
            }
            Ok(kind::BLOCK) => {}
            other => assert_eq!(other.ok(), Some(kind::SOURCE)),
        }
    }
    assert!(found > 1, "{found} blocks");
    let mut rows = Reader::new(unpacked(Box::new(std::io::Cursor::new(packed))).expect("frames"), "x");
    for seq in (2..=many).step_by(2) {
        assert_eq!(rows.peek().expect("a row"), Some(Row { method: None, ..row("one", seq) }));
        rows.take();
    }
    assert_eq!(rows.peek().expect("the end"), None);
}

#[test]
fn what_was_written_is_read_with_its_types_and_what_is_missing() {
    let columns = [Column::Integer("a"), Column::Text("b")];
    let mut table = Table::new(Vec::new(), &columns, "x").expect("a table");
    for (a, b) in [(Some(1), Some("x")), (None, Some("")), (Some(-3), None)] {
        table.integer(a);
        table.text(b);
        table.end_row().expect("a row");
    }
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), table.finish().expect("whole")).expect("written");
    let rows: Vec<String> =
        read(&file).get_row_iter(None).expect("rows").flatten().map(|row| row.to_string()).collect();
    assert_eq!(rows, ["{a: 1, b: \"x\"}", "{a: null, b: \"\"}", "{a: -3, b: null}"]);
}

#[test]
fn facts_have_a_column_for_every_member() {
    let full = Row {
        connection: Some("c".into()),
        channel: Some(1),
        at_us: Some(1),
        direction: Some("client".into()),
        method: Some("m".into()),
        rpc_id: Some("1".into()),
        error_code: Some(1),
        text: Some("t".into()),
        extra: Some("{}".into()),
        secret: Some("token".into()),
        raw: Some("r".into()),
        ..Row::default()
    };
    let file = tempfile::NamedTempFile::new().expect("a file");
    let mut rows = Box::new(ParquetRows::new(file.reopen().expect("a file"), "x", |_| Ok(())).expect("a table"));
    rows.row(&full).expect("a row");
    (rows as Box<dyn Sink>).finish().expect("whole");
    let written = read(&file);
    let fields = written.metadata().file_metadata().schema().get_fields();
    let names: Vec<&str> = fields.iter().map(|field| field.name()).collect();
    let row = serde_json::to_value(full).expect("a row");
    let mut members: Vec<&str> = row.as_object().expect("an object").keys().map(String::as_str).collect();
    // What sources sort by is no member of a row: every writer adds it.
    members.push("place");
    members.sort_by_key(|name| names.iter().position(|known| known == name));
    assert_eq!(members, names);
}
