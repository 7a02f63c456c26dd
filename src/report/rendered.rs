//! Pages of our own (Markdown) for a screen: headings, paragraphs broken at the width, code as it stands, links numbered and
//! listed at the end.

use std::io::{self, Write};

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::columns::wrap;
use super::escape::{escape, split_at_width};
use super::style::{Ink, Style};

/// Blanks before code and before the items of a list.
const INDENT: &str = "  ";

/// Writes a page. An address and a line of code that are wider than the screen are broken, and go on further in.
pub fn write_page(out: &mut dyn Write, page: &str, style: Style) -> io::Result<()> {
    let mut screen =
        Screen { out, style, text: String::new(), block: Block::Paragraph, links: Vec::new(), begun: false };
    for event in Parser::new_ext(page, Options::empty()) {
        screen.take(event)?;
    }
    screen.list_links()
}

/// What the text that is being read belongs to.
enum Block {
    Paragraph,
    Item,
    /// With the word behind its fence.
    Code(String),
}

struct Screen<'w> {
    out: &'w mut dyn Write,
    style: Style,
    text: String,
    block: Block,
    /// Addresses, in the order of their first use.
    links: Vec<String>,
    begun: bool,
}

impl Screen<'_> {
    fn take(&mut self, event: Event<'_>) -> io::Result<()> {
        match event {
            Event::Text(text) => self.text.push_str(&text),
            Event::Code(text) => self.text.push_str(&format!("`{text}`")),
            Event::SoftBreak | Event::HardBreak => self.text.push(' '),
            Event::Start(Tag::Link { dest_url, .. }) => self.link(&dest_url),
            Event::Start(Tag::Item) => self.block = Block::Item,
            Event::Start(Tag::CodeBlock(kind)) => {
                let word = if let CodeBlockKind::Fenced(word) = kind { word.to_string() } else { String::new() };
                self.block = Block::Code(word);
            }
            Event::End(TagEnd::Heading(_)) => return self.heading(),
            Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::CodeBlock) => return self.block(),
            _ => {}
        }
        Ok(())
    }

    /// The number stands before the words that are the link, so that a line is never broken between a link and its number.
    fn link(&mut self, address: &str) {
        let known = self.links.iter().position(|link| link == address);
        let number = known.unwrap_or_else(|| {
            self.links.push(address.to_string());
            self.links.len() - 1
        });
        self.text.push_str(&format!("[{}] ", number + 1));
    }

    fn heading(&mut self) -> io::Result<()> {
        let text = std::mem::take(&mut self.text);
        self.blank()?;
        wrap(&escape(&text), self.style.wrap_at())
            .iter()
            .try_for_each(|line| writeln!(self.out, "{}", self.style.paint(Ink::Strong, line)))
    }

    fn block(&mut self) -> io::Result<()> {
        let text = std::mem::take(&mut self.text);
        match std::mem::replace(&mut self.block, Block::Paragraph) {
            _ if text.trim().is_empty() => Ok(()),
            Block::Paragraph => {
                self.blank()?;
                self.lines("", "", &text)
            }
            Block::Item => self.lines("- ", INDENT, &text),
            Block::Code(word) => self.code(&word, &text),
        }
    }

    fn lines(&mut self, first: &str, others: &str, text: &str) -> io::Result<()> {
        let lines = wrap(&escape(text), self.style.wrap_at().saturating_sub(others.len()));
        lines.iter().enumerate().try_for_each(|(at, line)| {
            let before = if at == 0 { first } else { others };
            writeln!(self.out, "{before}{line}")
        })
    }

    fn code(&mut self, word: &str, text: &str) -> io::Result<()> {
        self.blank()?;
        if !word.is_empty() {
            writeln!(self.out, "{INDENT}{}", self.style.paint(Ink::Faint, &escape(word)))?;
        }
        text.lines().try_for_each(|line| self.whole(INDENT, &escape(line)))
    }

    /// A text in which nothing is left out, however long it is.
    fn whole(&mut self, before: &str, text: &str) -> io::Result<()> {
        let (mut before, mut rest) = (before.to_string(), text);
        loop {
            let (head, tail) = split_at_width(rest, self.style.wrap_at().saturating_sub(before.len()).max(1));
            writeln!(self.out, "{before}{head}")?;
            if tail.is_empty() {
                return Ok(());
            }
            (before, rest) = (INDENT.repeat(3), tail);
        }
    }

    fn list_links(&mut self) -> io::Result<()> {
        let links = std::mem::take(&mut self.links);
        if !links.is_empty() {
            self.text = "Links".to_string();
            self.heading()?;
            self.blank()?;
        }
        links.iter().enumerate().try_for_each(|(at, link)| self.whole("", &escape(&format!("[{}] {link}", at + 1))))
    }

    /// A blank line, but for the first block.
    fn blank(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.begun, true) { writeln!(self.out) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(page: &str, width: usize) -> String {
        let mut out = Vec::new();
        write_page(&mut out, page, Style { width: Some(width), ..Style::PLAIN }).expect("memory");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn a_page_fits_and_loses_nothing() {
        let page = "# Name (C1)\n\nSays the [standard](https://a.example/one/two#three), twice: [there](https://a.example/one/two#three) and\n\
                    `here`.\n\n- an item that is long enough to be broken\n- two\n\n```trace x\n0 client {\"a\":1,\"b\":\"0123456789\"}\n```\n";
        insta::assert_snapshot!(rendered(page, 30), @r#"
        Name (C1)

        Says the [1] standard, twice:
        [1] there and `here`.
        - an item that is long enough
          to be broken
        - two

          trace x
          0 client {"a":1,"b":"0123456
              789"}

        Links

        [1] https://a.example/one/two#
              three
        "#);
    }

    #[test]
    fn what_a_page_quotes_cannot_act_on_the_terminal() {
        assert!(
            !rendered("a \u{1b}[31m `\u{202e}`\n\n```\n\u{7}\n```\n", 40).contains(['\u{1b}', '\u{202e}', '\u{7}'])
        );
    }
}
