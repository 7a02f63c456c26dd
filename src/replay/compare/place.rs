//! Places in a message: JSON pointers that may lead on into JSON inside a string (`/result/content/0/text -> /total`),
//! and patterns of them, in which `*` stands for any member or index.

use std::fmt;

use crate::json::pointer;

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathStep {
    /// A member of an object.
    Member(String),
    /// A member of a list.
    Index(usize),
    /// Into the JSON that a string holds.
    Into,
}

/// A place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreePath(pub Vec<PathStep>);

impl fmt::Display for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.0 {
            match step {
                PathStep::Member(name) => write!(f, "/{}", pointer::escape(name))?,
                PathStep::Index(index) => write!(f, "/{index}")?,
                PathStep::Into => f.write_str(pointer::INTO)?,
            }
        }
        Ok(())
    }
}

/// A pattern of places, as the user wrote it.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// Its text.
    pub text: String,
    steps: Vec<Part>,
}

#[derive(Clone, Debug)]
enum Part {
    /// A name, in which `*` stands for any run of characters.
    Name(String),
    Into,
}

impl Pattern {
    /// Reads a pattern; a part that does not begin with `/` is an error.
    pub fn read(text: &str) -> Result<Pattern, String> {
        let mut steps = Vec::new();
        for (index, part) in pointer::pointers(text).enumerate() {
            if index > 0 {
                steps.push(Part::Into);
            }
            if !part.is_empty() && !part.starts_with('/') {
                return Err(format!("`{text}` is no JSON pointer: `{part}` does not begin with /"));
            }
            let names = part.split('/').skip(1);
            steps.extend(names.map(|name| Part::Name(pointer::unescape(name))));
        }
        Ok(Pattern { text: text.to_string(), steps })
    }

    /// True if it stands for this place.
    pub fn fits(&self, place: &TreePath) -> bool {
        self.steps.len() == place.0.len() && self.begins(&place.0)
    }

    /// True if it leads on from this place into the JSON of a string.
    pub fn leads_into(&self, place: &TreePath) -> bool {
        matches!(self.steps.get(place.0.len()), Some(Part::Into)) && self.begins(&place.0)
    }

    fn begins(&self, place: &[PathStep]) -> bool {
        self.steps.iter().zip(place).all(|(part, step)| match (part, step) {
            (Part::Into, PathStep::Into) => true,
            (Part::Name(name), PathStep::Member(member)) => glob(name, member),
            (Part::Name(name), PathStep::Index(index)) => glob(name, &index.to_string()),
            _ => false,
        })
    }
}

/// True if `text` fits a pattern in which `*` stands for any run of characters.
pub fn glob(pattern: &str, text: &str) -> bool {
    let Some((head, mut rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(head) else { return false };
    while let Some((middle, after)) = rest.split_once('*') {
        let Some(at) = text.find(middle) else { return false };
        text = &text[at + middle.len()..];
        rest = after;
    }
    text.ends_with(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(steps: &[PathStep]) -> TreePath {
        TreePath(steps.to_vec())
    }

    #[test]
    fn patterns_fit_places() {
        let member = |name: &str| PathStep::Member(name.into());
        let text = place(&[member("result"), member("content"), PathStep::Index(0), member("text")]);
        assert_eq!(text.to_string(), "/result/content/0/text");
        let pattern = Pattern::read("/result/content/*/text -> /at").expect("a pattern");
        assert!(!pattern.fits(&text) && pattern.leads_into(&text));
        let inner = place(&[text.0.clone(), vec![PathStep::Into, member("at")]].concat());
        assert_eq!(inner.to_string(), "/result/content/0/text -> /at");
        assert!(pattern.fits(&inner));
        assert!(Pattern::read("/result/*").is_ok_and(|pattern| !pattern.fits(&text)));
        assert!(Pattern::read("/a~1b/~0").is_ok_and(|pattern| pattern.fits(&place(&[member("a/b"), member("~")]))));
        assert!(Pattern::read("result/x").is_err_and(|text| text.contains("does not begin with /")));
        assert!(Pattern::read("").is_ok_and(|pattern| pattern.fits(&TreePath::default())));
    }

    #[test]
    fn a_star_is_any_run() {
        for (pattern, text, fits) in [
            ("*", "", true),
            ("a*c", "abbc", true),
            ("a*c", "ab", false),
            ("*b*b*", "abcb", true),
            ("ab*b", "ab", false),
            ("x", "y", false),
        ] {
            assert_eq!(glob(pattern, text), fits, "{pattern} {text}");
        }
    }
}
