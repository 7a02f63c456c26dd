//! What a server wants beside its address: headers and authorities; variables are filled in.

use std::path::PathBuf;

use rpctape::error::{Error, ErrorKind, Result};
use rpctape::live::{Access, tls};
use rpctape::output;
use rpctape::redact::is_secret;

use crate::cli::screen;

/// Headers and authorities. Headers given by hand go before those of the configuration.
pub fn access(by_hand: &[String], ca: &[PathBuf], configured: &[String], filled: &mut Filled) -> Result<Access> {
    let mut headers: Vec<(String, String)> = Vec::new();
    for text in by_hand {
        headers.push(header(text, filled)?);
    }
    for text in configured {
        let (name, value) = header(text, filled)?;
        if !headers.iter().any(|(other, _)| other.eq_ignore_ascii_case(&name)) {
            headers.push((name, value));
        }
    }
    let mut authorities = Vec::new();
    for path in ca {
        let file = path.display().to_string();
        output::claim(path, "a certificate authority")?;
        let pem = std::fs::read(path).map_err(|error| Error::io("read", &file, &error))?;
        let found = tls::authorities(&pem).map_err(|why| {
            Error::new(ErrorKind::Usage, format!("--ca {file} names no authority: {why}"))
                .hint("it is a file of certificates, each between BEGIN CERTIFICATE and END CERTIFICATE")
        })?;
        authorities.extend(found);
    }
    Ok(Access { headers, authorities })
}

/// Headers by which HTTP finds the end of a request.
const FRAMING: [&str; 2] = ["content-length", "transfer-encoding"];

/// `NAME: VALUE`. The value may be a secret, and stands in no error.
fn header(text: &str, filled: &mut Filled) -> Result<(String, String)> {
    let fault = |what: &str| {
        Error::new(ErrorKind::Usage, what.to_string()).hint("write it as --header 'Authorization: Bearer ${TOKEN}'")
    };
    let (name, value) = text.split_once(':').ok_or_else(|| fault("a --header has no colon behind its name"))?;
    let name = name.trim();
    let token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    if name.is_empty() || !name.chars().all(token) {
        return Err(fault("the name of a --header is none that HTTP knows"));
    }
    if FRAMING.iter().any(|own| name.eq_ignore_ascii_case(own)) {
        return Err(fault(&format!("--header {name} would say of each request what is not so: its length is its own")));
    }
    let breaks = |text: &str| text.contains(|c: char| c.is_control() && c != '\t');
    let refused = || fault(&format!("the value of --header {name} has a line break or another control character"));
    if breaks(value) {
        return Err(refused());
    }
    let value = filled.fill(value.trim(), &format!("--header {name}"))?;
    if breaks(&value) {
        return Err(refused());
    }
    filled.hide(name, &value);
    // Without its scheme it is one as well.
    value.split_whitespace().skip(1).for_each(|part| filled.hide(name, part));
    Ok((name.to_string(), value))
}

/// Variables that were filled in.
#[derive(Default)]
pub struct Filled {
    /// Values that are shown nowhere.
    pub values: Vec<String>,
    /// What stood there, and what stands there now.
    texts: Vec<(String, String)>,
}

impl Filled {
    fn hide(&mut self, name: &str, value: &str) {
        if !value.is_empty() && is_secret(name, value) && !self.values.iter().any(|other| other == value) {
            self.values.push(value.to_string());
        }
    }

    /// `${NAME}` and `${NAME:-default}` with what the environment has; `what` names where it stands.
    pub fn fill(&mut self, text: &str, what: &str) -> Result<String> {
        let mut out = String::new();
        for piece in pieces(text) {
            let (whole, name, default) = match piece {
                Piece::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Piece::Variable { whole, name, default } => (whole, name, default),
            };
            let found = screen::variable(name).filter(|value| default.is_none() || !value.is_empty());
            let value = found.or(default.map(str::to_string)).ok_or_else(|| {
                Error::new(ErrorKind::Usage, format!("the variable {name} of {what} is not set"))
                    .hint(format!("set it, or write what it is otherwise: ${{{name}:-default}}"))
            })?;
            self.hide(name, &value);
            self.texts.push((whole.to_string(), value.clone()));
            out.push_str(&value);
        }
        Ok(out)
    }

    /// A text as it was before anything was filled in.
    pub fn unfilled(&self, text: &str) -> String {
        let mut texts: Vec<&(String, String)> = self.texts.iter().filter(|(_, value)| value.len() > 3).collect();
        texts.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
        texts.iter().fold(text.to_string(), |text, (before, value)| text.replace(value.as_str(), before))
    }
}

/// A part of a text with variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'t> {
    /// It stands for itself.
    Text(&'t str),
    /// `${NAME}` or `${NAME:-default}`.
    Variable { whole: &'t str, name: &'t str, default: Option<&'t str> },
}

/// The parts of a text with variables, in order.
pub fn pieces(text: &str) -> Vec<Piece<'_>> {
    let (mut found, mut rest) = (Vec::new(), text);
    while let Some(at) = rest.find("${") {
        let Some(end) = rest[at..].find('}').map(|length| at + length + 1) else { break };
        let (before, whole) = (&rest[..at], &rest[at..end]);
        let inside = &whole[2..whole.len() - 1];
        let (name, default) = inside.split_once(":-").map_or((inside, None), |(name, default)| (name, Some(default)));
        let is_name = !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        found.push(Piece::Text(before));
        found.push(if is_name { Piece::Variable { whole, name, default } } else { Piece::Text(whole) });
        rest = &rest[end..];
    }
    found.push(Piece::Text(rest));
    found.retain(|piece| *piece != Piece::Text(""));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_and_headers() {
        let mut filled = Filled::default();
        assert_eq!(filled.fill("a ${RPCTAPE_NO_SUCH:-b c} $HOME ${} ${x", "it").unwrap(), "a b c $HOME ${} ${x");
        let error = filled.fill("${RPCTAPE_NO_SUCH}", "--header A").unwrap_err();
        assert!(error.message.contains("RPCTAPE_NO_SUCH"), "{error}");
        assert_eq!(filled.unfilled("at b c"), "at b c", "too short to be told apart");
        let path = screen::variable("PATH").unwrap_or_default();
        let filled_path = filled.fill("x=${PATH}", "it").unwrap();
        assert_eq!(
            (filled_path.as_str(), filled.unfilled(&filled_path).as_str()),
            (&*format!("x={path}"), "x=${PATH}")
        );
        let mut filled = Filled::default();
        let found = header("X-Key:  Bearer s3cr3t ", &mut filled).unwrap();
        assert_eq!(found, ("X-Key".to_string(), "Bearer s3cr3t".to_string()));
        assert_eq!(filled.values, ["Bearer s3cr3t", "s3cr3t"]);
        for bad in
            ["no colon", ": x", "a b: x", "content-Length: 3", "Transfer-Encoding: chunked", "a: hunter2\r\nb: y"]
        {
            assert!(header(bad, &mut filled).is_err_and(|error| !error.message.contains("hunter2")), "{bad}");
        }
    }
}
