//! Records in JSON without a newline between them, as delivery streams and collectors put them into one body, as lines.

use std::io::{self, Read};

use super::sample::is_message;
use crate::json::scan::value_end;

/// How many records on one line, at least, are a way of writing: two may be of writers that met there.
const SEVERAL: usize = 3;

/// How much is read at a time, in bytes.
const BLOCK: usize = 32 << 10;

/// True for a head that begins with several records on one line, with nothing between them but blanks and commas. Messages that stand
/// there as they passed are read as they stand.
pub(crate) fn are_glued(head: &[u8]) -> bool {
    let (mut at, mut count) = (0, 0);
    while head.get(at) == Some(&b'{') && count < SEVERAL {
        let Some(end) = value_end(head, at) else { break };
        count += 1;
        at = end + head[end..].iter().take_while(|byte| separates(**byte)).count();
    }
    count == SEVERAL && value_end(head, 0).is_some_and(|end| !is_message(&String::from_utf8_lossy(&head[..end])))
}

/// True for what may stand between two records.
fn separates(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b',')
}

/// Gives a newline between two records, in place of what stands there. Where a line breaks off within a record, the next one begins anew.
pub(crate) struct Glued<R> {
    inner: R,
    out: Vec<u8>,
    at: usize,
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// What stands behind the end of a record, until it is known what follows.
    held: Option<Vec<u8>>,
    before: u8,
}

impl<R: Read> Glued<R> {
    pub(crate) fn new(inner: R) -> Glued<R> {
        let (out, held) = (Vec::new(), None);
        Glued { inner, out, at: 0, depth: 0, in_string: false, escaped: false, held, before: b'\n' }
    }

    /// The same where the head was read already: what it is then, and what goes on behind it.
    pub(crate) fn behind(head: &[u8], rest: R) -> (Vec<u8>, Glued<R>) {
        let mut glued = Glued::new(rest);
        head.iter().for_each(|byte| glued.pass(*byte));
        (std::mem::take(&mut glued.out), glued)
    }

    fn pass(&mut self, byte: u8) {
        if self.in_string && byte != b'\n' {
            self.within_string(byte);
        } else if let Some(held) = self.held.as_mut().filter(|_| separates(byte)) {
            return held.push(byte);
        } else {
            self.outside(byte);
        }
        self.before = byte;
        self.out.push(byte);
    }

    fn within_string(&mut self, byte: u8) {
        self.in_string = self.escaped || byte != b'"';
        self.escaped = !self.escaped && byte == b'\\';
    }

    fn outside(&mut self, byte: u8) {
        match self.held.take() {
            Some(_) if byte == b'{' => self.out.push(b'\n'),
            held => self.out.extend(held.into_iter().flatten()),
        }
        match byte {
            b'{' if self.before == b'\n' => self.depth = 1,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        (self.in_string, self.escaped) = (byte == b'"' && self.depth > 0, false);
        self.held = (byte == b'}' && self.depth == 0).then(Vec::new);
    }

    /// Reads on; false at the end.
    fn refill(&mut self) -> io::Result<bool> {
        let mut block = [0; BLOCK];
        let length = self.inner.read(&mut block)?;
        self.out.clear();
        self.at = 0;
        block[..length].iter().for_each(|byte| self.pass(*byte));
        if length == 0 {
            self.out.extend(self.held.take().into_iter().flatten());
        }
        Ok(length > 0)
    }
}

impl<R: Read> Read for Glued<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.out.len() && self.refill()? {}
        let rest = &self.out[self.at..];
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        self.at += length;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::testing::Dribble;
    use proptest::prelude::*;

    fn read(text: &str, step: usize) -> String {
        let mut out = String::new();
        Glued::new(Dribble(text.as_bytes(), step)).read_to_string(&mut out).expect("UTF-8");
        out
    }

    #[test]
    fn each_record_is_a_line() {
        assert_eq!(read(r#"{"a":[{},{}]}{"b":"}{\"}{"} , {}"#, 99), "{\"a\":[{},{}]}\n{\"b\":\"}{\\\"}{\"}\n{}");
        assert_eq!(read("{\"torn\":{\n{}{}, \n{}", 99), "{\"torn\":{\n{}\n{}, \n{}", "a line that breaks off");
        let told = [r#"{"a":1}{"b":2}, {"c":3}"#, r#"{"a":1}{"b":2}"#, "{}\n{}{}{}", "{},\n{},\n{}"];
        assert_eq!(told.map(|head| are_glued(head.as_bytes())), [true, false, false, false]);
        let message = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
        assert!(!are_glued(message.repeat(3).as_bytes()), "as they passed");
    }

    proptest! {
        #[test]
        fn lines_are_the_same_in_reads_of_any_size(text in "([{}\"a\\\\, ]\n?){0,20}", step in 1usize..9) {
            prop_assert_eq!(read(&text, 999), read(&text, step));
        }
    }
}
