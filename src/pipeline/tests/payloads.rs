//! Databases that keep texts packed, or read them in the logs: they read as one that keeps them as they are.

use super::*;
use crate::store::{Keep, Payload, Which};

const LEAN: [Payload; 2] = [Payload::Compressed, Payload::None];

fn keeping(path: &Path, inputs: &[String], payload: Payload) -> Summary {
    into(&mut Store::write(path).unwrap().keeping(payload).unwrap(), inputs)
}

/// Plain lines with a batch, bytes that are no text and a text without letters; and the same traffic packed, where nothing can be
/// read at its place.
fn logs(folder: &Folder) -> Vec<String> {
    let mut text = (handshake() + &late(4000, "1")).into_bytes();
    text.extend(
        line(80_000, "c2s", r#"[{"jsonrpc":"2.0","id":5,"method":"ping"},{"jsonrpc":"2.0","method":7}]"#).bytes(),
    );
    text.extend(b"{\"ts\":\"2026-01-05T00:01:21.000Z\",\"dir\":\"s2c\",\"raw\":\"\xff{\"}\n");
    text.extend(line(82_000, "s2c", "\"\"").bytes());
    let many: String = (10..400).map(|id| late(90_000 + 5 * id, &id.to_string())).collect();
    let plain = folder.path("a.jsonl");
    std::fs::write(&plain, [&text[..], many.as_bytes()].concat()).unwrap();
    let packed = folder.path("b.jsonl.zst");
    std::fs::write(&packed, zstd::encode_all((handshake() + &many).replace("2026-", "2027-").as_bytes(), 1).unwrap())
        .unwrap();
    [plain, packed].map(|path| path.display().to_string()).to_vec()
}

fn dumped(db: &Path) -> (String, String, String) {
    let store = Store::read(db).unwrap();
    (store.dump("frame"), store.dump("messages"), store.dump_derived())
}

#[test]
fn whatever_a_database_keeps_it_reads_the_same() {
    let folder = Folder::new();
    let (logs, full) = (logs(&folder), folder.path("full.db"));
    keeping(&full, &logs, Payload::Full);
    let (whole, kept) = (dumped(&full), std::fs::metadata(&full).unwrap().len());
    for payload in LEAN {
        let db = folder.path(payload.as_str());
        keeping(&db, &logs, payload);
        assert_eq!(dumped(&db), whole, "{payload:?}");
        assert!(std::fs::metadata(&db).unwrap().len() < kept, "{payload:?}");
        let mut store = Store::write(&db).unwrap();
        assert_eq!(
            store.number("SELECT count(*) FROM frame_row WHERE typeof(body) IN ('text', 'blob') AND bytes > 0"),
            0
        );
        audit(&mut store, &Options::default(), &mut Quiet).unwrap();
        assert_eq!(store.dump_derived(), whole.2, "{payload:?}");
    }
    let packed = Store::read(&folder.path("compressed")).unwrap();
    let (texts, all) = ("SELECT sum(length(texts)) FROM packed", "SELECT sum(bytes) FROM frame");
    assert!(5 * packed.number(texts) < packed.number(all));
}

#[test]
fn a_log_that_grows_or_is_read_anew_is_kept_in_the_same_way() {
    let folder = Folder::new();
    let (first, all) = (handshake() + &late(4000, "1"), handshake() + &late(4000, "1") + &late(70_000, "2"));
    let log = folder.write("a.jsonl", &first);
    for payload in [Payload::Full, Payload::Compressed, Payload::None] {
        let db = folder.path(payload.as_str());
        folder.write("a.jsonl", &first);
        keeping(&db, std::slice::from_ref(&log), payload);
        folder.write("a.jsonl", &all);
        assert_eq!(at(&db, std::slice::from_ref(&log)).inputs[0].taken, Taken::Grown);
        assert_eq!(dumped(&db), dumped(&folder.path("full")), "{payload:?}");
        // Ids that were in use are given again.
        let mut store = Store::write(&db).unwrap();
        store.begin().unwrap();
        store.forget_source(1).unwrap();
        store.commit().unwrap();
        assert_eq!(store.number("SELECT count(*) FROM frame"), 0);
        drop(store);
        at(&db, std::slice::from_ref(&log));
        assert_eq!(
            Store::read(&db).unwrap().dump("messages"),
            Store::read(&folder.path("full")).unwrap().dump("messages")
        );
    }
    let refused = Store::write(&folder.path("full")).unwrap().keeping(Payload::None).err().unwrap();
    assert!(refused.message.contains("in another way: full"), "{}", refused.message);
}

#[test]
fn what_is_no_longer_in_the_log_is_not_made_up() {
    let folder = Folder::new();
    let log = folder.write("a.jsonl", &(handshake() + &late(4000, "1")));
    let db = folder.path("a.db");
    keeping(&db, std::slice::from_ref(&log), Payload::None);
    folder.write("a.jsonl", &(handshake() + &late(4000, "7")));
    let store = Store::read(&db).unwrap();
    assert!(codes(&store).contains(&("CAN010".into(), 7)));
    assert_eq!(store.number("SELECT count(*) FROM messages WHERE raw IS NULL"), 4);
    assert!(crate::store::gone_logs().contains(&log));
    let told = store.each_frame(Which::All, &mut |_, _, _| Ok(())).unwrap_err();
    assert!(told.message.contains("was changed"), "{}", told.message);
    drop(store);
    // Nothing is judged anew from what is left.
    let mut store = Store::write(&db).unwrap();
    assert!(audit(&mut store, &Options::default(), &mut Quiet).is_err());
    drop(store);
    assert!(codes(&Store::read(&db).unwrap()).contains(&("CAN010".into(), 7)));
}

#[test]
fn as_many_characters_as_are_wanted_are_kept_of_a_message_that_a_finding_names() {
    let folder = Folder::new();
    // Of each of these a text has four bytes.
    let long = "\u{1f600}".repeat(300);
    let log = folder.write("a.jsonl.zst", "");
    let text = handshake() + &late(4000, "1").replace("\"content\":[]", &format!("\"a\":\"{long}\",\"content\":[]"));
    std::fs::write(&log, zstd::encode_all(text.as_bytes(), 1).unwrap()).unwrap();
    let mut store = Store::passing(Keep::Findings { text: 200 }).unwrap();
    into(&mut store, &[log]);
    let found = store.all_findings(&FindingFilter::default(), Raw::Head(200)).unwrap();
    let evidence = found.iter().filter(|finding| finding.code == "CAN010").flat_map(|finding| &finding.evidence);
    let raw = evidence.filter(|item| item.role == "response").find_map(|item| item.message.raw.as_deref());
    assert_eq!(raw.map(|raw| raw.chars().count()), Some(200), "{raw:?}");
}
