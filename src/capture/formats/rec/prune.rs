//! Some lines of a recording, as they stand, and hashes for all others: enough to come to the root that its last line names.

use std::io::{BufRead, Read, Result};

use super::chain::{Link, sealed};
use super::left::Left;
use super::tree::Tree;
use super::verify::{End, LONGEST, Verified, Walk};

/// Takes the lines that `keep` names (from 1), and the first and the last, and puts one line in the place of each stretch between them.
/// Gives what it wrote, and what the chain of the recording says: where that is not whole, what was written proves nothing.
pub fn prune(mut log: impl BufRead, keep: impl Fn(u64) -> bool) -> Result<(Vec<u8>, Verified)> {
    let (mut walk, mut out) = (Walk::new(), Vec::new());
    let (mut run, mut before) = (None::<Tree>, Link::beginning());
    let (mut line, mut number) = (Vec::new(), 0);
    loop {
        line.clear();
        if (&mut log).take(LONGEST).read_until(b'\n', &mut line)? == 0 {
            return Ok((out, walk.end()));
        }
        number += 1;
        walk.line(&line);
        if number == 1 || keep(number) || *walk.ends() != End::Cut {
            if let Some(run) = run.take() {
                let left = Left { lines: run.lines(), hashes: run.hashes().collect(), before };
                out.extend_from_slice(left.written().as_bytes());
            }
            out.extend_from_slice(&line);
        } else {
            run.get_or_insert_with(|| Tree::from(number - 1)).push(&line);
            before = sealed(&line).map_or(before, |(_, states)| states);
        }
    }
}

#[cfg(test)]
mod tests;
