//! Names of sources. A name is text wherever it is shown, stored or compared; the bytes of a file name need not be text.

use std::ffi::OsStr;
use std::path::PathBuf;

/// The character that stands for byte 0 in names; bytes from 0x80 on that are not UTF-8 stand as the characters behind it.
/// They are the last of a private plane, where no name has characters of its own.
#[cfg(unix)]
const FIRST: u32 = 0x10_FF00;

/// The name of a path: its text, and one private character for each byte that is none.
#[cfg(unix)]
pub fn name_of(path: &OsStr) -> String {
    use std::os::unix::ffi::OsStrExt;
    let mut name = String::new();
    for chunk in path.as_bytes().utf8_chunks() {
        name.push_str(chunk.valid());
        let odd = chunk.invalid().iter().map(|byte| FIRST + u32::from(*byte));
        name.extend(odd.filter_map(char::from_u32));
    }
    name
}

/// The path that [`name_of`] names.
#[cfg(unix)]
pub fn path_of(name: &str) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    std::ffi::OsString::from_vec(raw_name(name)).into()
}

/// The bytes of the path that [`name_of`] names.
#[cfg(unix)]
pub fn raw_name(name: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(name.len());
    for c in name.chars() {
        match u32::from(c).checked_sub(FIRST) {
            Some(byte @ 0x80..=0xff) => bytes.push(byte as u8),
            _ => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

/// The name of a path; what is no Unicode is replaced.
#[cfg(not(unix))]
pub fn name_of(path: &OsStr) -> String {
    path.to_string_lossy().into_owned()
}

/// The path of a name.
#[cfg(not(unix))]
pub fn path_of(name: &str) -> PathBuf {
    name.into()
}

/// The bytes of a name.
#[cfg(not(unix))]
pub fn raw_name(name: &str) -> Vec<u8> {
    name.as_bytes().to_vec()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn every_name_leads_back_to_its_path() {
        for bytes in [&b"a.log"[..], b"caf\xc3\xa9", b"caf\xe9.log", b"\xff\xfe\x80", b"a\x1b[31m\n", b"\xe2\x82"] {
            let name = name_of(OsStr::from_bytes(bytes));
            assert_eq!(path_of(&name).as_os_str().as_bytes(), bytes, "{name:?}");
        }
        assert_eq!(name_of(OsStr::from_bytes(b"x\xe9")).chars().count(), 2);
    }
}
