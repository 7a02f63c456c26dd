//! The hash tree over the lines of a recording, in the shape of RFC 6962: what lets a line be shown to be from it without the others.
//!
//! A leaf is BLAKE3 over 0x00 and a line as it stands, with its newline; a node is BLAKE3 over 0x01 and its two halves. The last line of
//! a part names the root over all lines before it.

use super::chain::Link;

/// Hashes of whole stretches of lines, each as long as its place and length allow.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    /// Where the first stretch begins, in lines.
    start: u64,
    /// How many lines each stands for, a power of two, and their hash.
    stretches: Vec<(u64, Link)>,
    lines: u64,
}

impl Tree {
    /// The part of a tree that begins at a line, counted from 0.
    pub(super) fn from(start: u64) -> Tree {
        Tree { start, ..Tree::default() }
    }

    /// How many lines there are.
    pub(super) fn lines(&self) -> u64 {
        self.lines
    }

    /// Adds a line, as it stands.
    pub(super) fn push(&mut self, line: &[u8]) {
        self.add(1, Link::over(&[&[0], line]));
    }

    /// Adds lines that only their hashes stand for. False where these are not as many as such a stretch has.
    pub(super) fn skip(&mut self, lines: u64, hashes: &[Link]) -> bool {
        let mut left = lines;
        for hash in hashes {
            let Some(length) = longest(self.start.saturating_add(self.lines), left) else { return false };
            self.add(length, *hash);
            left -= length;
        }
        left == 0
    }

    /// The hashes that stand for these lines, in the order of the lines.
    pub(super) fn hashes(&self) -> impl Iterator<Item = Link> {
        self.stretches.iter().map(|(_, hash)| *hash)
    }

    /// The hash over all lines.
    pub(super) fn root(&self) -> Option<Link> {
        let folded = self.stretches.iter().rev().map(|(_, hash)| *hash);
        folded.reduce(|right, left| node(left, right))
    }

    fn add(&mut self, length: u64, hash: Link) {
        self.stretches.push((length, hash));
        self.lines = self.lines.saturating_add(length);
        while let [.., (left, first), (right, second)] = self.stretches[..] {
            let begins = (self.start + self.lines).saturating_sub(left.saturating_add(right));
            if left != right || !begins.is_multiple_of(left.saturating_mul(2)) {
                break;
            }
            self.stretches.truncate(self.stretches.len() - 2);
            self.stretches.push((left * 2, node(first, second)));
        }
    }
}

fn node(left: Link, right: Link) -> Link {
    Link::over(&[&[1], left.bytes(), right.bytes()])
}

/// How long a stretch is that begins at `start` and holds at most `left` lines.
fn longest(start: u64, left: u64) -> Option<u64> {
    let fits = left.checked_ilog2()?;
    Some(1 << fits.min(start.trailing_zeros()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(at: u64) -> Vec<u8> {
        format!("line {at}\n").into_bytes()
    }

    /// As RFC 6962 has it: the left half is the largest power of two that is less than all.
    fn plain(from: u64, to: u64) -> Link {
        if to - from == 1 {
            return Link::over(&[&[0], &line(from)]);
        }
        let half = 1 << (to - from - 1).ilog2();
        node(plain(from, from + half), plain(from + half, to))
    }

    #[test]
    fn every_stretch_of_every_tree_can_be_left_out() {
        for size in 1..40 {
            let root = plain(0, size);
            for from in 0..size {
                for to in from..=size {
                    let (mut run, mut tree) = (Tree::from(from), Tree::default());
                    (from..to).for_each(|at| run.push(&line(at)));
                    (0..from).for_each(|at| tree.push(&line(at)));
                    let hashes: Vec<Link> = run.hashes().collect();
                    assert!(tree.skip(to - from, &hashes), "{from}..{to} of {size}");
                    (to..size).for_each(|at| tree.push(&line(at)));
                    assert_eq!((tree.lines(), tree.root()), (size, Some(root)), "{from}..{to} of {size}");
                    assert!(hashes.is_empty() || !Tree::from(from).skip(to - from, &hashes[1..]));
                }
            }
        }
        assert!(!Tree::from(3).skip(u64::MAX, &[Link::beginning()]) && Tree::default().root().is_none());
    }
}
