//! Rows of one request each: its name, whose it is, its method and tool, and what is said of it.

use unicode_width::UnicodeWidthStr;

use crate::report::columns::{fit, pad};
use crate::report::escape::{escape, escape_cut};

/// How short names of requests may become, and how long where they would be the same otherwise.
const NAMES: [usize; 2] = [10, 24];

/// The least room of a name.
const NAME: usize = 4;

/// Text from a log, safe to print and at most so wide.
pub fn safe(text: &str, limit: usize) -> String {
    escape_cut(text, limit, None)
}

/// Which way the request of a side goes.
pub fn way(issuer: &str) -> &'static str {
    if issuer == "server" { "s>c" } else { "c>s" }
}

/// One row. Text as it stood in the log, but for `rest`, which is ready to be printed.
pub struct Row {
    /// The request, as screens name it.
    pub request: String,
    /// `c>s` or `s>c`; nothing where that is not told.
    pub way: &'static str,
    /// Method and tool.
    pub title: String,
    /// What is said of it.
    pub rest: String,
}

/// How wide the column of methods and tools is: as wide as a name and a title of `usual` columns together, wider where
/// there is room, and where there is none down to `least`.
pub struct Titles {
    /// See the type.
    pub usual: usize,
    /// See the type.
    pub least: usize,
}

/// The rows under each other; what does not fit is lost from the right.
pub fn lines(rows: &[Row], titles: &Titles, width: usize) -> Vec<String> {
    let names = short(rows.iter().map(|row| row.request.as_str()));
    let name = widest(&names).max(NAME);
    let front = |row: &Row, name: &str| match row.way {
        "" => format!("   {name} "),
        way => format!("   {name} {way}  "),
    };
    let taken = rows.iter().map(|row| front(row, "").width() + name + 1 + row.rest.width()).max().unwrap_or(0);
    let usual = titles.usual.saturating_sub(name).max(titles.least);
    let wanted = rows.iter().map(|row| safe(&row.title, width).width()).max().unwrap_or(0).max(usual);
    let room = width.saturating_sub(taken).clamp(titles.least, wanted);
    let line = |row: &Row, label: &String| {
        let title = pad(&title(&row.title, room), room);
        fit(&format!("{}{title} {}", front(row, &pad(label, name)), row.rest), width)
    };
    rows.iter().zip(&names).map(|(row, name)| line(row, name)).collect()
}

/// A method and its tool in so much room: where it is too little for both, the tool tells more.
pub fn title(text: &str, room: usize) -> String {
    let tool = text.split_once(' ').filter(|_| escape(text).width() > room).map(|(_, tool)| tool);
    safe(tool.unwrap_or(text), room)
}

/// Names cut to the least length at which they differ, within bounds.
pub fn short<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let names: Vec<&str> = names.collect();
    let mut whole = names.clone();
    whole.sort_unstable();
    whole.dedup();
    let cut = |all: &[&str], limit: usize| -> Vec<String> { all.iter().map(|name| safe(name, limit)).collect() };
    let differ = |limit: &usize| {
        let mut cut = cut(&whole, *limit);
        cut.sort_unstable();
        cut.dedup();
        cut.len() == whole.len()
    };
    let [least, most] = NAMES;
    cut(&names, (least..=most).find(differ).unwrap_or(most))
}

fn widest(names: &[String]) -> usize {
    names.iter().map(|name| name.width()).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_long_as_it_takes_to_tell_them_apart() {
        let names = |all: &[&str]| short(all.iter().copied());
        assert_eq!(names(&["#17", "s4", "#17"]), ["#17", "s4", "#17"]);
        assert_eq!(names(&["#\"7c9e6679-7425\"", "#\"7c9e0000-7425\""]), ["#\"7c9e6...", "#\"7c9e0..."]);
        assert_eq!(
            names(&["#\"session-1-request-a-and-more\"", "#\"session-1-request-b-and-more\""]),
            ["#\"session-1-request-a...", "#\"session-1-request-b..."]
        );
    }

    #[test]
    fn the_title_gives_way_and_what_is_said_does_not() {
        let row = |request: &str, title: &str, rest: &str| Row {
            request: request.into(),
            way: "",
            title: title.into(),
            rest: rest.into(),
        };
        let titles = Titles { usual: 23, least: 12 };
        let rows = [row("#8", "tools/call index_repository", "WENT ON"), row("#\"ün\"", "ping", "ok")];
        let narrow = lines(&rows, &titles, 29);
        assert_eq!(narrow, ["   #8    index_rep... WENT ON", "   #\"ün\" ping         ok"]);
        assert!(lines(&rows, &titles, 80)[0].contains("index_repository WENT ON"));
    }
}
