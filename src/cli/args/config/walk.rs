//! Values out of a parsed file, with errors that name the file and the line, and the nearest key for a typo.

use rpctape::error::{Error, ErrorKind, Result};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use rpctape::error::nearest;

/// A key or a value with its place.
pub type Value<'t> = Spanned<DeValue<'t>>;

/// The file that is read.
#[derive(Clone, Copy)]
pub struct FileText<'t> {
    /// Its name.
    pub file: &'t str,
    /// Its text.
    pub text: &'t str,
}

impl FileText<'_> {
    /// `rpctape.toml:7`.
    pub fn at(&self, offset: usize) -> String {
        let before = self.text.as_bytes().iter().take(offset);
        format!("{}:{}", self.file, before.filter(|byte| **byte == b'\n').count() + 1)
    }

    /// An error at a place.
    pub fn fault(&self, offset: usize, what: impl std::fmt::Display) -> Error {
        Error::new(ErrorKind::Usage, format!("{}: {what}", self.at(offset)))
            .hint("docs/configuration.md has all keys; `rpctape init` writes a file with comments")
    }

    /// An error for a word that is not one of those that are known.
    pub fn unknown(&self, offset: usize, what: &str, word: &str, known: &[&str]) -> Error {
        let error = self.fault(offset, format!("there is no {what} {word}"));
        match nearest(word, known.iter().copied()) {
            Some(near) => error.hint(format!("did you mean {near}?")),
            None if known.len() < 16 => error.hint(format!("there are {}", known.join(", "))),
            None => error,
        }
    }

    /// The members of a table, each of them known.
    pub fn table<'v, 't>(
        &self,
        value: &'v Value<'t>,
        name: &str,
        known: &[&str],
    ) -> Result<Vec<(&'v str, &'v Value<'t>)>> {
        match value.get_ref() {
            DeValue::Table(table) => self.members(table, name, known),
            _ => Err(self.fault(value.span().start, format!("{name} is a table"))),
        }
    }

    /// The same of a table itself. With no known keys every key is taken.
    pub fn members<'v, 't>(
        &self,
        table: &'v DeTable<'t>,
        name: &str,
        known: &[&str],
    ) -> Result<Vec<(&'v str, &'v Value<'t>)>> {
        let mut found: Vec<_> = table.iter().collect();
        found.sort_by_key(|(key, _)| key.span().start);
        for (key, _) in &found {
            if !known.is_empty() && !known.contains(&key.get_ref().as_ref()) {
                let what = if name.is_empty() { "table".to_string() } else { format!("key in {name} called") };
                return Err(self.unknown(key.span().start, &what, key.get_ref(), known));
            }
        }
        Ok(found.into_iter().map(|(key, value)| (key.get_ref().as_ref(), value)).collect())
    }

    /// A string.
    pub fn string(&self, key: &str, value: &Value<'_>) -> Result<String> {
        let text = value.get_ref().as_str().map(str::to_string);
        text.ok_or_else(|| self.fault(value.span().start, format!("{key} is a string, in quotation marks")))
    }

    /// A list of strings, or one string.
    pub fn list(&self, key: &str, value: &Value<'_>) -> Result<Vec<(usize, String)>> {
        match value.get_ref() {
            DeValue::Array(items) => {
                items.iter().map(|item| Ok((item.span().start, self.string(key, item)?))).collect()
            }
            _ => Ok(vec![(value.span().start, self.string(key, value)?)]),
        }
    }

    /// A list of strings, or one string, each as what it says.
    pub fn checked<T>(
        &self,
        key: &str,
        value: &Value<'_>,
        read: impl Fn(&str) -> std::result::Result<T, String>,
    ) -> Result<Vec<T>> {
        let list = self.list(key, value)?;
        list.iter().map(|(at, text)| read(text).map_err(|why| self.fault(*at, format!("{key}: {why}")))).collect()
    }

    /// True or false.
    pub fn boolean(&self, key: &str, value: &Value<'_>) -> Result<bool> {
        match value.get_ref() {
            DeValue::Boolean(is) => Ok(*is),
            _ => Err(self.fault(value.span().start, format!("{key} is true or false"))),
        }
    }

    /// A number.
    pub fn number(&self, key: &str, value: &Value<'_>) -> Result<f64> {
        let text = match value.get_ref() {
            DeValue::Integer(number) => number.as_str(),
            DeValue::Float(number) => number.as_str(),
            _ => "",
        };
        let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
        number.ok_or_else(|| self.fault(value.span().start, format!("{key} is a number above 0")))
    }
}
