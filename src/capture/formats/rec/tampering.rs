//! Everything that somebody may do to the bytes and to the lines of a recording: none of it may pass.

/// Changes each byte, takes it away, puts a blank before it, and cuts there.
pub(super) fn with_bytes(bytes: &[u8], passes: impl Fn(&[u8]) -> bool) {
    for at in 0..bytes.len() {
        for flip in [0x01, 0x20, 0x80, 0xff] {
            let mut changed = bytes.to_vec();
            changed[at] ^= flip;
            assert!(!passes(&changed), "byte {at} ^ {flip:#x}");
        }
        let mut shorter = bytes.to_vec();
        shorter.remove(at);
        assert!(!passes(&shorter), "without byte {at}");
        let mut longer = bytes.to_vec();
        longer.insert(at, b' ');
        assert!(!passes(&longer), "a blank before byte {at}");
        assert!(!passes(&bytes[..at]), "cut before byte {at}");
    }
}

/// Takes each line away, repeats it, and swaps it with each other one.
pub(super) fn with_lines(all: &[&[u8]], passes: impl Fn(&[u8]) -> bool) {
    for at in 0..all.len() {
        let without = [&all[..at], &all[at + 1..]].concat().concat();
        assert!(!passes(&without), "without line {}", at + 1);
        let twice = [&all[..=at], &all[at..]].concat().concat();
        assert!(!passes(&twice), "line {} twice", at + 1);
        for other in at + 1..all.len() {
            let mut swapped = all.to_vec();
            swapped.swap(at, other);
            assert!(!passes(&swapped.concat()), "lines {} and {} swapped", at + 1, other + 1);
        }
    }
}
