//! What lies beside a database under names that SQLite takes for its own: it rolls such a file back and removes it, whoever made it.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::error::{Error, ErrorKind, Result};
use crate::output::files_of_database;

/// How each of SQLite's own begins; one that is done with begins with zeros.
const OWN: [(&str, &[u8]); 3] = [
    ("-journal", &[0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]),
    ("-wal", &[0x37, 0x7f, 0x06, 0x82]),
    ("-wal", &[0x37, 0x7f, 0x06, 0x83]),
];

/// An error where somebody else's file lies there.
pub(super) fn are_own(database: &Path) -> Result<()> {
    for file in files_of_database(database).skip(1) {
        let name = file.display().to_string();
        let mut heads = OWN.iter().filter(|(end, _)| name.ends_with(end)).peekable();
        let mut head = Vec::new();
        let read = Some(&file).filter(|file| heads.peek().is_some() && file.is_file()).map(File::open);
        let Some(Ok(there)) = read else { continue };
        there.take(8).read_to_end(&mut head).map_err(|error| Error::io("read", &name, &error))?;
        if !head.iter().all(|byte| *byte == 0) && !heads.any(|(_, own)| head.starts_with(own)) {
            let message =
                format!("{name} lies beside {} and is not SQLite's, which would remove it", database.display());
            return Err(
                Error::new(ErrorKind::Usage, message).hint("move it away, or choose another name for the database")
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_of_sqlite_is_its_own_and_a_log_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let (database, put) = (folder.path().join("x"), |name: &str, bytes: &[u8]| {
            std::fs::write(folder.path().join(name), bytes).unwrap();
        });
        for (end, own) in OWN {
            put(&format!("x{end}"), &[own, b"more"].concat());
            assert!(are_own(&database).is_ok(), "{end}");
            for done in [&[][..], &[0; 28]] {
                put(&format!("x{end}"), done);
                assert!(are_own(&database).is_ok(), "{end}");
            }
            put(&format!("x{end}"), b"{\"jsonrpc\":\"2.0\"}\n");
            assert!(are_own(&database).is_err_and(|error| error.message.contains(end)), "{end}");
            std::fs::remove_file(folder.path().join(format!("x{end}"))).unwrap();
        }
    }
}
