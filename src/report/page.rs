//! Sentences out of a rule's page, so that a screen and the documentation never say different things.

/// The text under a heading of a page.
pub fn section<'a>(page: &'a str, heading: &str) -> &'a str {
    let mut rest = page;
    while let Some(at) = rest.find("\n## ") {
        rest = &rest[at + 4..];
        let (title, body) = rest.split_once('\n').unwrap_or((rest, ""));
        if title.trim() == heading {
            return body.find("\n## ").map_or(body, |end| &body[..end]).trim();
        }
    }
    ""
}

/// How many characters of a section a screen quotes, where the first sentence is not longer by itself.
const QUOTE: usize = 220;

/// The first sentences of the first paragraph under a heading, on one line and without Markdown: one at least.
pub fn opening(page: &str, heading: &str) -> String {
    let paragraph = section(page, heading).split("\n\n").next().unwrap_or("");
    let text = without_markup(&paragraph.split_whitespace().collect::<Vec<_>>().join(" "));
    if text.len() <= QUOTE {
        return text;
    }
    let mut end = sentence_end(&text).unwrap_or(text.len());
    while let Some(next) = sentence_end(&text[end..]).filter(|next| end + next <= QUOTE) {
        end += next;
    }
    text[..end].to_string()
}

/// A sentence ends at a full stop before a blank and a capital.
fn sentence_end(text: &str) -> Option<usize> {
    let mut stops = text.match_indices(". ").map(|(at, _)| at + 1);
    stops.find(|&end| text[end..].trim_start().starts_with(|c: char| c.is_uppercase() || c == '"'))
}

/// `[text](link)` becomes `text`; code and emphasis marks go.
fn without_markup(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let link = rest[open..].find("](").and_then(|mid| {
            let end = rest[open + mid..].find(')')?;
            Some((&rest[open + 1..open + mid], open + mid + end + 1))
        });
        match link {
            Some((label, end)) => {
                plain.push_str(&rest[..open]);
                plain.push_str(label);
                rest = &rest[end..];
            }
            None => {
                plain.push_str(&rest[..=open]);
                rest = &rest[open + 1..];
            }
        }
    }
    plain.push_str(rest);
    plain.replace("**", "").replace('`', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# a (X)\n\n## Why it matters\n\nThe side that `cancelled` has\nforgotten [the id](http://x), e.g. 1.5 s. Strict clients\ndrop it.\n\nMore.\n\n## What to do\n\nPass it on.\n";

    #[test]
    fn the_first_sentences_of_a_section() {
        let why = "The side that cancelled has forgotten the id, e.g. 1.5 s. Strict clients drop it.";
        assert_eq!(opening(PAGE, "Why it matters"), why);
        let long = PAGE.replace("Strict clients", &format!("Strict {}clients", "and strict ".repeat(30)));
        assert_eq!(opening(&long, "Why it matters"), "The side that cancelled has forgotten the id, e.g. 1.5 s.");
        assert_eq!(opening(PAGE, "What to do"), "Pass it on.");
        assert_eq!(opening(PAGE, "Nothing"), "");
        assert_eq!(section(PAGE, "What to do"), "Pass it on.");
    }
}
