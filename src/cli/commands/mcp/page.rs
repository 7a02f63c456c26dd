//! Long answers in pages.

/// A page of a text: what it shows, and where the next one begins, in bytes.
#[derive(Debug, PartialEq, Eq)]
pub struct Page<'t> {
    /// What is shown.
    pub text: &'t str,
    /// Where the rest begins.
    pub next: Option<usize>,
}

/// The page that begins at a cursor. An error, in words, where a cursor is none of this text.
pub fn page<'t>(text: &'t str, cursor: Option<&str>, limit: usize) -> Result<Page<'t>, String> {
    let at = match cursor {
        None => 0,
        Some(cursor) => cursor.parse().map_err(|_| format!("there is no cursor {cursor}"))?,
    };
    let rest = text.get(at..).filter(|rest| at == 0 || !rest.is_empty());
    let rest = rest.ok_or_else(|| format!("the answer has no page at cursor {at}; ask again without a cursor"))?;
    if rest.len() <= limit {
        return Ok(Page { text: rest, next: None });
    }
    let longest = (0..=limit).rev().find(|at| rest.is_char_boundary(*at)).unwrap_or_default();
    // Whole lines, unless that leaves less than half a page.
    let end = rest[..longest].rfind('\n').map(|at| at + 1).filter(|end| *end > longest / 2).unwrap_or(longest);
    Ok(Page { text: &rest[..end], next: Some(at + end) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_hold_everything_once() {
        for text in ["", "short", "one\ntwo\nthree\nfour\n", &"ä".repeat(50), &"line\n".repeat(40)] {
            let (mut all, mut cursor) = (String::new(), None);
            loop {
                let page = page(text, cursor.as_deref(), 9).expect("a page");
                assert!(page.text.len() <= 9);
                all.push_str(page.text);
                let Some(next) = page.next else { break };
                cursor = Some(next.to_string());
            }
            assert_eq!(all, text);
        }
        for bad in ["x", "-1", "99", "1"] {
            assert!(page("ä", Some(bad), 9).is_err(), "{bad}");
        }
    }
}
