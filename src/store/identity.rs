//! What a capture file is, whatever its name: length and hash of its content.

use std::io::Read;

use twox_hash::XxHash3_128;

use crate::error::{Error, Result};

/// Length and XXH3 (128 bits) of a file's content, as it stands on the disk (compressed where it is).
///
/// It tells logs from each other and vouches for nothing: somebody who can write a log can make two with the same hash, and gains by it
/// only that the second is not read into a database that holds the first. Evidence is the chain of a recording, which is BLAKE3.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Bytes.
    pub size: u64,
    /// XXH3 of them, big-endian, as `xxhsum -H2` prints it.
    pub hash: [u8; 16],
}

/// Tells the identity of a content that somebody else reads.
#[derive(Default)]
pub struct Listener {
    hasher: XxHash3_128,
    size: u64,
    ended: bool,
}

impl Listener {
    /// Hears what comes next, or that nothing does.
    pub fn hear(&mut self, bytes: Option<&[u8]>) {
        match bytes {
            Some(bytes) => {
                self.hasher.write(bytes);
                self.size += bytes.len() as u64;
            }
            None => self.ended = true,
        }
    }

    /// The identity, once all of it was heard.
    pub fn identity(&self) -> Option<Identity> {
        let hash = || self.hasher.finish_128().to_be_bytes();
        self.ended.then(|| Identity { size: self.size, hash: hash() })
    }
}

/// Fits the second-level cache: the hash then reads what was just copied.
const BLOCK: usize = 256 << 10;

impl Identity {
    /// The identity of a file's content, and in the same pass those of its first bytes, for each of `heads` that it is
    /// longer than. `name` is for the error.
    pub fn of(content: &mut dyn Read, name: &str, heads: &[u64]) -> Result<(Identity, Vec<Identity>)> {
        let fault = |error: std::io::Error| Error::io("read", name, &error);
        let mut wanted = heads.to_vec();
        wanted.sort_unstable();
        wanted.dedup();
        let (mut hasher, mut size, mut found, mut block) = (XxHash3_128::new(), 0u64, Vec::new(), vec![0u8; BLOCK]);
        let mut wanted = wanted.into_iter().peekable();
        loop {
            let read = match content.read(&mut block) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(fault(error)),
            };
            let mut rest = &block[..read];
            while let Some(head) = wanted.next_if(|head| *head < size + rest.len() as u64) {
                let (before, after) = rest.split_at((head - size) as usize);
                hasher.write(before);
                found.push(Identity { size: head, hash: hasher.finish_128().to_be_bytes() });
                (rest, size) = (after, head);
            }
            hasher.write(rest);
            size += rest.len() as u64;
        }
        Ok((Identity { size, hash: hasher.finish_128().to_be_bytes() }, found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_hashed_in_the_same_pass() {
        let bytes: Vec<u8> = (0..600_000u32).map(|n| (n * 7 % 251) as u8).collect();
        let heads = [1, 300_000, BLOCK as u64, 599_999, 600_000, 700_000];
        let (whole, found) = Identity::of(&mut &bytes[..], "a", &heads).unwrap();
        assert_eq!((whole.size, whole.hash), (600_000, XxHash3_128::oneshot(&bytes).to_be_bytes()));
        let sizes: Vec<u64> = found.iter().map(|head| head.size).collect();
        assert_eq!(sizes, [1, BLOCK as u64, 300_000, 599_999]);
        for head in found {
            assert_eq!(head.hash, XxHash3_128::oneshot(&bytes[..head.size as usize]).to_be_bytes());
        }
        let mut listener = Listener::default();
        bytes.chunks(70_001).for_each(|chunk| listener.hear(Some(chunk)));
        assert_eq!(listener.identity(), None);
        listener.hear(None);
        assert_eq!(listener.identity(), Some(whole));
    }
}
