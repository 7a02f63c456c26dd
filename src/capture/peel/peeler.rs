//! Taking a wrapper off lines: what each wrapper provides.

use crate::capture::lines::{Line, Lines};
use crate::capture::sample::Sample;
use crate::capture::{Resume, Skip};
use crate::error::Result;

/// One line without its wrapper.
#[derive(Clone, Copy, Debug)]
pub(in crate::capture) struct Peeled<'a> {
    /// Where it comes from, where one wrapper carries several logs (a unit and its process, a stream).
    pub key: &'a str,
    /// Line of the outer record in which it starts.
    pub number: u64,
    /// Byte offset of its text in that record.
    pub offset: u64,
    /// Time of that record, as written.
    pub time: &'a str,
    /// The line, without its end.
    pub bytes: &'a [u8],
    /// False for a last line that has no end.
    pub ended: bool,
}

/// Takes what is peeled.
pub(in crate::capture) type Give<'g> = &'g mut dyn FnMut(&Peeled<'_>) -> Result<()>;

/// Takes the wrapper off lines.
pub(in crate::capture) trait Peeler {
    /// One outer line. What it holds is given on; where it holds nothing, that is why.
    fn line(&mut self, line: &Line<'_>, give: Give<'_>) -> Result<Option<Skip>>;
    /// The end of the text: what waited for more.
    fn end(&mut self, _: Give<'_>) -> Result<()> {
        Ok(())
    }
}

/// A sample without its wrapper.
pub(super) fn peel_sample(peeler: &mut dyn Peeler, sample: &Sample) -> Sample {
    let mut text = Vec::new();
    let mut add = |peeled: &Peeled<'_>| {
        text.extend_from_slice(peeled.bytes);
        text.push(b'\n');
        Ok(())
    };
    if let Ok(mut lines) = Lines::new(sample.whole_lines().as_bytes(), Resume::default(), false) {
        while let Ok(Some(line)) = lines.next() {
            let _ = peeler.line(&line, &mut add);
        }
        let _ = peeler.end(&mut add);
    }
    Sample::peeled(&text, sample)
}
