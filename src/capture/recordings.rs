//! Files as recordings: which of them are parts of one.

use std::path::Path;

use super::input::Input;
use super::recorded::RecordedPart;

/// The part of a recording that a file is. One that cannot be read is none.
pub(super) fn part_of(path: &str) -> Option<RecordedPart> {
    let input = Input::open(path).ok()?;
    let lines = input.head().split(|byte| *byte == b'\n');
    RecordedPart::of_lines(lines.map_while(|line| std::str::from_utf8(line).ok()))
}

/// A file, and the part that it is.
struct Piece<'p> {
    path: &'p str,
    part: Option<RecordedPart>,
}

impl Piece<'_> {
    /// True for another part of the same recording. In another folder stands another recording, and a part that is there twice is one
    /// of a copy.
    fn is_beside(&self, other: &Piece<'_>) -> bool {
        let parts = self.part.as_ref().zip(other.part.as_ref());
        let is_other_part = parts.is_some_and(|(own, other)| own.session == other.session && own.part != other.part);
        is_other_part && Path::new(self.path).parent() == Path::new(other.path).parent()
    }
}

/// Files as recordings: the parts of one stand together, in their order.
pub fn recordings(paths: &[String]) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<Piece<'_>>> = Vec::new();
    for path in paths {
        let part = if path == "-" || paths.len() == 1 { None } else { part_of(path) };
        let piece = Piece { path, part };
        match found.iter_mut().find(|pieces| pieces.iter().all(|other| piece.is_beside(other))) {
            Some(pieces) => pieces.push(piece),
            None => found.push(vec![piece]),
        }
    }
    found.iter_mut().for_each(|pieces| pieces.sort_by_key(|piece| piece.part.as_ref().map(|part| part.part)));
    found.into_iter().map(|pieces| pieces.into_iter().map(|piece| piece.path.to_string()).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_one_recording_stand_together_and_copies_apart() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, session: &str, part: u32| {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, format!("{{\"rec\":1,\"session\":\"{session}\",\"part\":{part}}}\n")).unwrap();
            path.to_string_lossy().into_owned()
        };
        let files = [
            write("x/m.2.rec.jsonl", "m", 2),
            write("x/m.rec.jsonl", "m", 1),
            write("y/m.rec.jsonl", "m", 1),
            write("x/o.rec.jsonl", "o", 1),
            write("x/copy.rec.jsonl", "m", 1),
        ];
        let [two, one, other, alone, copy] = files.clone();
        assert_eq!(recordings(&files), [vec![one, two], vec![other], vec![alone], vec![copy]]);
    }
}
