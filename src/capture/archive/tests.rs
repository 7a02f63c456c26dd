use std::io::Write;

use super::*;

const ONE: &str = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}\n";
const TWO: &str = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";

fn tar_of(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, name, *bytes).expect("appended");
    }
    builder.into_inner().expect("finished")
}

fn zip_of(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, bytes) in files {
        writer.start_file(*name, options).expect("started");
        writer.write_all(bytes).expect("written");
    }
    writer.finish().expect("finished").into_inner()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    writer.write_all(bytes).expect("written");
    writer.finish().expect("finished")
}

/// The same with `a.jsonl` for `b.jsonl`.
fn renamed(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let places: Vec<usize> = memchr::memmem::find_iter(&bytes, "b.jsonl").collect();
    places.into_iter().for_each(|at| bytes[at] = b'a');
    bytes
}

/// Writes an archive and gives what is in it: names behind the mark, with their content and whether it was cut.
fn read(name: &str, bytes: &[u8]) -> (Vec<(String, String, bool)>, Vec<String>) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name).to_string_lossy().into_owned();
    std::fs::write(&path, bytes).expect("written");
    let archive = Archive::open(&path).expect("opened").expect("an archive");
    let members = archive.names().map(|name| {
        let cut = Cut::default();
        let mut text = String::new();
        let mut content = member(&name, &cut).expect("found").expect("a member");
        content.stream.read_to_string(&mut text).expect("read");
        (name[path.len()..].to_string(), text, cut.load(Ordering::Relaxed))
    });
    let left_out = archive.left_out().into_iter().map(|(name, why)| format!("{}: {why}", &name[path.len()..]));
    (members.collect(), left_out.collect())
}

#[test]
fn the_members_of_every_kind_of_archive_are_read_where_they_lie() {
    let files: [(&str, &[u8]); 3] = [("a.jsonl", ONE.as_bytes()), ("dir/b.jsonl", TWO.as_bytes()), ("empty", b"")];
    let want: Vec<_> = files
        .iter()
        .map(|(name, bytes)| (format!("!{name}"), String::from_utf8_lossy(bytes).into_owned(), false))
        .collect();
    let tar = tar_of(&files);
    let packed = zstd::stream::encode_all(&tar[..], 3).expect("packed");
    for (name, bytes) in [("a.tar", &tar), ("a.tgz", &gzip(&tar)), ("a.tar.zst", &packed), ("a.zip", &zip_of(&files))] {
        assert_eq!(read(name, bytes), (want.clone(), vec![]), "{name}");
    }
}

#[test]
fn the_end_that_is_missing_is_named() {
    let long = ONE.repeat(100);
    let tar = tar_of(&[("a.jsonl", ONE.as_bytes()), ("b.jsonl", long.as_bytes())]);
    let (members, left_out) = read("a.tar", &tar[..512 * 3 + 700]);
    assert_eq!(members[0], ("!a.jsonl".to_string(), ONE.to_string(), false));
    assert_eq!((members[1].1.len(), members[1].2), (700, true));
    let packed = gzip(&tar);
    let (members, torn) = read("a.tgz", &packed[..packed.len() - 12]);
    assert!(members.iter().any(|(_, _, cut)| *cut) || !torn.is_empty(), "{left_out:?} {torn:?}");
}

#[test]
fn a_damaged_member_of_a_zip_is_an_error_and_not_another_text() {
    let deflated = zip::write::SimpleFileOptions::default();
    let stored = deflated.compression_method(zip::CompressionMethod::Stored);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.zip").to_string_lossy().into_owned();
    for options in [deflated, stored] {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        writer.start_file("a.jsonl", options).expect("started");
        let lines: String =
            (0..50).map(|id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"a\"}}\n")).collect();
        writer.write_all(lines.as_bytes()).expect("written");
        let zip = writer.finish().expect("finished").into_inner();
        let bytes = |at: usize| {
            let mut bytes = zip.clone();
            bytes[at] ^= 4;
            std::fs::write(&path, bytes).expect("written");
            let read = member(&format!("{path}!a.jsonl"), &Cut::default());
            LAST.set(None);
            read.err().map(|error| error.message)
        };
        // The head of a member has 30 bytes and its name; its bytes follow.
        for at in (37..37 + 60).step_by(7) {
            let said = bytes(at).expect("it is said");
            assert!(said.contains("a.zip!a.jsonl: the archive is damaged"), "{said}");
        }
    }
}

#[test]
fn of_two_members_with_one_name_the_later_is_read_and_the_other_named() {
    let tar = tar_of(&[("a.jsonl", ONE.as_bytes()), ("a.jsonl", TWO.as_bytes())]);
    let (members, left_out) = read("a.tar", &tar);
    assert_eq!(members, [("!a.jsonl".to_string(), TWO.to_string(), false)]);
    assert_eq!(left_out, ["!a.jsonl: a later file of the same name in the archive takes its place"]);
    // No writer of archives makes such a zip on purpose: the second of two names is given the first one's.
    let zip = zip_of(&[("a.jsonl", ONE.as_bytes()), ("b.jsonl", TWO.as_bytes())]);
    let (members, left_out) = read("a.zip", &renamed(&zip));
    assert_eq!(members, [("!a.jsonl".to_string(), TWO.to_string(), false)]);
    assert_eq!(left_out, [": a later file in it has the same name"]);
}

#[test]
fn a_log_is_no_archive_and_a_member_that_is_not_there_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    std::fs::write(at("a.jsonl"), ONE).expect("written");
    std::fs::write(at("a.tar"), tar_of(&[("a.jsonl", ONE.as_bytes())])).expect("written");
    assert!(Archive::open(&at("a.jsonl")).expect("opened").is_none());
    assert!(Archive::open(&at("missing")).expect("opened").is_none());
    assert!(member(&at("a.jsonl!b"), &Cut::default()).expect("looked").is_none());
    assert!(member(&at("a.tar!b"), &Cut::default()).is_err());
    std::fs::write(at("odd!name.jsonl"), ONE).expect("written");
    assert!(member(&at("odd!name.jsonl"), &Cut::default()).expect("looked").is_none());
}

#[test]
fn an_archive_without_its_end_is_torn_wherever_it_was_cut() {
    let tar = tar_of(&[("a.jsonl", ONE.as_bytes())]);
    let torn = |bytes: &[u8]| read("a.tar", bytes).1;
    assert!(torn(&tar).is_empty());
    // 512 bytes of header, 512 of content, then two empty blocks.
    for cut in [1024, 1100, 1536, 2000] {
        assert!(torn(&tar[..cut]).concat().contains("it is torn"), "{cut}: {:?}", torn(&tar[..cut]));
    }
    let packed = gzip(&tar);
    let torn: Vec<String> = read("a.tar.gz", &packed[..packed.len() - 4]).1;
    assert!(torn.concat().contains("it is torn"), "{torn:?}");
}

#[test]
fn an_archive_that_comes_through_a_pipe_is_kept_and_anything_else_is_handed_on() {
    let tar = tar_of(&[("a.jsonl", ONE.as_bytes()), ("b.jsonl", TWO.as_bytes())]);
    let packed = zstd::stream::encode_all(&tar[..], 3).expect("packed");
    let zip = zip_of(&[("a.jsonl", ONE.as_bytes()), ("b.jsonl", TWO.as_bytes())]);
    for (name, bytes) in [("pipe.tar", tar.clone()), ("pipe.tgz", gzip(&tar)), ("pipe.zst", packed), ("pipe.zip", zip)]
    {
        bytes::take(name, Box::new(Cursor::new(bytes))).expect("kept");
        let archive = Archive::open(name).expect("opened").expect("an archive");
        let names: Vec<String> = archive.names().collect();
        assert_eq!(names, [format!("{name}!a.jsonl"), format!("{name}!b.jsonl")]);
        // From behind, and two at a time: each goes its own way.
        let open = |name: &str| member(name, &Cut::default()).expect("found").expect("a member").stream;
        let texts = [open(&names[1]), open(&names[0])].map(|mut stream| {
            let mut text = String::new();
            stream.read_to_string(&mut text).expect("read");
            text
        });
        assert_eq!(texts, [TWO, ONE], "{name}");
        assert!(begun(name).is_none(), "{name}");
    }
    let damaged = gzip(ONE.as_bytes())[..12].to_vec();
    for (name, bytes) in
        [("pipe.jsonl", ONE.repeat(2_000).into_bytes()), ("pipe.gz", gzip(TWO.as_bytes())), ("cut.gz", damaged)]
    {
        bytes::take(name, Box::new(Cursor::new(bytes.clone()))).expect("looked at");
        assert!(Archive::open(name).expect("looked up").is_none(), "{name}");
        let mut again = Vec::new();
        begun(name).expect("it waits").read_to_end(&mut again).expect("read");
        assert!(again == bytes && begun(name).is_none(), "{name}: whole, and once");
    }
}
