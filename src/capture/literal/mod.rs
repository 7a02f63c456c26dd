//! Literals of other languages to JSON: what `vim.inspect`, Emacs, Python's `repr`, Node's `util.inspect` and Ruby's
//! `inspect` print.
//!
//! One tolerant reader with a dialect for each. It makes one pass, holds no tree, and stops at a depth and a size that
//! no honest message reaches. Integers keep their digits and strings stay strings, so an id comes out as it went in.
//! What the printer left out (`[Object]`, `<function 1>`) becomes `null` and is reported as lost.
//!
//! `{ id = 1, ["end"] = vim.NIL }` in Lua is `{"id":1,"end":null}`.

mod lisp;
mod lua;
mod node;
mod python;
mod quoted;
mod reader;

#[cfg(test)]
pub(crate) mod render;
#[cfg(test)]
mod tests;

use reader::Reader;

/// Which language a literal is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// A table as `vim.inspect` prints it.
    Lua,
    /// A property list as Emacs prints it.
    Lisp,
    /// A Python `repr`, those of nested models and bytes included.
    Python,
    /// An object as Node's `util.inspect` prints it, or a hash as Ruby's `inspect` does.
    Node,
}

/// Why a text is no literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The byte at which it was noticed.
    pub at: usize,
    /// What is wrong, in words.
    pub reason: &'static str,
    /// True if the text ends in the middle.
    pub cut: bool,
}

/// Where a literal ends, and whether all of it was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Read {
    /// The byte after it.
    pub end: usize,
    /// True if the printer left something out.
    pub lost: bool,
}

/// Translates the literal at the start of `text` into `json`, which is overwritten.
pub(crate) fn translate_into(dialect: Dialect, text: &str, json: &mut String) -> Result<Read, Fault> {
    json.clear();
    let mut reader = Reader::new(text, json);
    match dialect {
        Dialect::Lua => reader.lua("")?,
        Dialect::Lisp => reader.lisp("")?,
        Dialect::Python => reader.python_document()?,
        Dialect::Node => reader.node()?,
    }
    Ok(Read { end: reader.at, lost: reader.lost })
}

/// Reads the string literal at the start of `text` into `bytes`, which is overwritten, and gives the byte after it.
/// A literal that has no end is a fault that is `cut`; what it held so far stands in `bytes`.
pub(crate) fn unquote_into(dialect: Dialect, text: &str, bytes: &mut Vec<u8>) -> Result<usize, Fault> {
    quoted::unquote(dialect, text, bytes)
}

/// Adds `text` to `json` as a JSON string.
pub(crate) fn push_string(json: &mut String, text: &str) {
    reader::push_string(json, text);
}
