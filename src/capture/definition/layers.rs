//! Layers around a line: expressions that are cut out, and JSON objects that hold the line in a string.

use std::borrow::Cow;

use regex::Regex;

use super::pending::Taken;
use super::ready::{Definition, Unwrap};
use crate::capture::lines::RECORD_LIMIT;
use crate::error::Result;
use crate::json::scan::unquoted;
use crate::json::unescape;

/// What is kept from line to line.
#[derive(Default)]
pub(super) struct Peeled {
    /// Text of a line that came in parts.
    joined: String,
    piece: String,
    first: Option<(u64, u64)>,
}

impl Peeled {
    /// Peels a line and hands on what is inside; gives how many lines that were, 0 where there is no such layer.
    pub(super) fn peel(
        &mut self,
        definition: &Definition,
        taken: &Taken<'_>,
        mut each: impl FnMut(&Taken<'_>) -> Result<()>,
    ) -> Result<usize> {
        let Some(layer) = &definition.unwrap else {
            each(&Taken { text: &stripped(&definition.strip, taken.text), ..*taken })?;
            return Ok(1);
        };
        if !self.unwrap(layer, taken) {
            return Ok(0);
        }
        if layer.until_newline && !self.joined.ends_with('\n') && self.joined.len() < RECORD_LIMIT {
            return Ok(1);
        }
        let (line, offset) = self.first.take().unwrap_or((taken.line, taken.offset));
        let ts = layer.ts.as_ref().and_then(|ts| ts.find(taken.text)).map(|(value, _)| unquoted(value));
        let joined = std::mem::take(&mut self.joined);
        let mut count = 1;
        for text in joined.trim_end_matches(['\n', '\r']).split('\n') {
            let text = stripped(&definition.strip, text.trim_end_matches('\r'));
            each(&Taken { text: &text, line, offset, log_ends: taken.log_ends, outer_ts: ts })?;
            count += 1;
        }
        self.joined = joined;
        self.joined.clear();
        Ok(count)
    }

    fn unwrap(&mut self, layer: &Unwrap, taken: &Taken<'_>) -> bool {
        let Some((value, _)) = layer.pointer.find(taken.text) else { return false };
        if !value.starts_with('"') || unescape(value, 1, &mut self.piece).is_none() {
            return false;
        }
        self.first.get_or_insert((taken.line, taken.offset));
        self.joined.push_str(&self.piece);
        true
    }
}

fn stripped<'a>(expressions: &[Regex], text: &'a str) -> Cow<'a, str> {
    let mut text = Cow::Borrowed(text);
    for expression in expressions {
        if let Cow::Owned(shorter) = expression.replace_all(&text, "") {
            text = Cow::Owned(shorter);
        }
    }
    text
}
