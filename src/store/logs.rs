//! Texts that stand in the logs themselves, read there again.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use super::Store;
use crate::capture::{path_of, text_hash};
use crate::error::Result;

/// The log that was read last.
#[derive(Default)]
pub(super) struct Logs {
    /// Its number, and its name.
    source: Option<(i64, String)>,
    open: Option<(String, Option<File>)>,
}

impl Logs {
    /// A text of a source by its place. `None` where it is not there any more: nothing else is ever shown in its stead.
    pub(super) fn read(
        &mut self,
        store: &Store,
        source: i64,
        offset: u64,
        length: usize,
        known_by: u64,
    ) -> Result<Option<String>> {
        let name = match self.source.take() {
            Some((known, name)) if known == source => name,
            _ => {
                let select = "SELECT name FROM source WHERE id = ?1";
                store.rows(select, [source], |row| row.get::<_, String>(0))?.pop().unwrap_or_default()
            }
        };
        let text = self.text(&name, offset, length, known_by);
        self.source = Some((source, name));
        Ok(text)
    }

    /// The same of a log by its name.
    pub(super) fn text(&mut self, name: &str, offset: u64, length: usize, known_by: u64) -> Option<String> {
        if self.open.as_ref().is_none_or(|(open, _)| *open != name) {
            let path = path_of(name);
            // A pipe that stands in the place of a log is not waited for.
            let file = if path.is_file() { File::open(path).ok() } else { None };
            self.open = Some((name.to_string(), file));
        }
        let (_, Some(file)) = self.open.as_mut()? else { return None };
        // Room is made for what is there, whatever a damaged database asks for.
        let there = file.metadata().ok()?.len().checked_sub(offset)?;
        let mut bytes = vec![0; length.min(usize::try_from(there).ok()?)];
        let read = file.seek(SeekFrom::Start(offset)).and_then(|_| file.read_exact(&mut bytes));
        let is_it = read.is_ok() && bytes.len() == length && text_hash(&bytes) == known_by;
        is_it.then(|| String::from_utf8(bytes).ok()).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::NewSource;

    #[test]
    fn what_is_no_longer_there_is_not_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.log");
        std::fs::write(&path, "one two three").unwrap();
        let mut store = Store::temporary().unwrap();
        store.begin().unwrap();
        let source = store.add_source(NewSource { name: path.to_str().unwrap(), format: "x", reason: "" }).unwrap();
        let read = |offset, length| {
            Logs::default().read(&store, i64::from(source), offset, length, text_hash(b"two")).unwrap()
        };
        assert_eq!(read(4, 3).as_deref(), Some("two"));
        assert_eq!((read(3, 3), read(40, 3)), (None, None));
        std::fs::write(&path, "one 2   three").unwrap();
        assert_eq!(read(4, 3), None);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(read(4, 3), None);
    }
}
