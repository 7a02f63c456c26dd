//! The frame of the page: its policy, its style and its scripts, which stand here as they were written.

use std::io::{self, Write};

use super::escape::Esc;
use super::pack::policy_hash;

const STYLE: &str = include_str!("page.css");

/// One strict function, so that the scripts share names with each other and with nobody else.
const SCRIPT: &str = concat!(
    "(() => {\n\"use strict\";\n",
    include_str!("unpack.js"),
    include_str!("words.js"),
    include_str!("filter.js"),
    include_str!("table.js"),
    include_str!("timeline.js"),
    include_str!("sequence.js"),
    include_str!("route.js"),
    include_str!("main.js"),
    "})();\n"
);

/// Says whose the file is, so that `open` replaces no other.
pub const MARK: &str = "<meta name=\"generator\" content=\"rpctape\">";

/// What stands in the frame.
pub struct Page<'a> {
    /// The file.
    pub title: &'a str,
    /// HTML of our own.
    pub body: String,
    /// Blocks of data by name; without any there is no script either.
    pub data: Vec<(String, String)>,
    /// Where the page opens.
    pub at: Option<&'a str>,
}

/// Writes the page.
pub fn write_page(out: &mut dyn Write, page: &Page<'_>) -> io::Result<()> {
    let script = if page.data.is_empty() { "'none'".to_string() } else { policy_hash(SCRIPT) };
    writeln!(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
    writeln!(
        out,
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src {script}; style-src {}; \
         base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'\">",
        policy_hash(STYLE)
    )?;
    writeln!(out, "{MARK}\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")?;
    writeln!(
        out,
        "<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"color-scheme\" content=\"light dark\">"
    )?;
    if let Some(at) = page.at {
        writeln!(out, "<meta name=\"at\" content=\"{}\">", Esc(at))?;
    }
    writeln!(out, "<title>{} - rpctape</title>\n<style>{STYLE}</style>\n</head>\n<body>", Esc(page.title))?;
    out.write_all(page.body.as_bytes())?;
    for (name, block) in &page.data {
        writeln!(out, "<script type=\"text/plain\" id=\"{name}\">{block}</script>")?;
    }
    if !page.data.is_empty() {
        writeln!(out, "<script>{SCRIPT}</script>")?;
    }
    writeln!(out, "</body>\n</html>")
}
