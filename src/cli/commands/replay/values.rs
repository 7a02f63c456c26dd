//! Values of replay's flags.

use std::path::Path;

use rpctape::error::{Error, ErrorKind, Result};
use rpctape::output;

use crate::cli::args::values;
use crate::cli::args::values::compare::pointer;
use crate::cli::args::values::duration;
use crate::cli::screen;

/// A longest pause in microseconds, or none. A type of its own: clap takes an `Option` for a flag that may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaxIdle(pub Option<i64>);

/// A delay of a sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Delay {
    /// So many microseconds.
    Us(i64),
    /// This part of the time that the request takes by itself.
    Part(f64),
}

/// Where the value of a placeholder is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    name: String,
    place: SecretSource,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum SecretSource {
    Variable(String),
    File(String),
}

impl Secret {
    /// Name and value.
    pub fn resolve(&self) -> Result<(String, String)> {
        let value = match &self.place {
            SecretSource::Variable(name) => screen::env(name).ok_or_else(|| {
                Error::new(ErrorKind::Usage, format!("the variable {name} for the secret {} is not set", self.name))
            })?,
            SecretSource::File(path) => {
                output::claim(Path::new(path), "a secret")?;
                let text = output::read_small(Path::new(path)).map_err(|error| Error::io("read", path, &error))?;
                text.trim_end_matches(['\r', '\n']).to_string()
            }
        };
        Ok((self.name.clone(), value))
    }
}

/// Where a secret is found. What was typed is not repeated in the error: it might be the secret itself, and so clap must not parse it.
pub fn secret(text: &str) -> Result<Secret> {
    let fault = || {
        Error::new(ErrorKind::Usage, "no place is named by a --secret")
            .hint("write it as NAME=env:VARIABLE or NAME=file:PATH; the value itself does not stand there")
    };
    let (name, place) = text.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(fault)?;
    let place = match place.split_once(':') {
        Some(("env", variable)) if !variable.is_empty() => SecretSource::Variable(variable.to_string()),
        Some(("file", path)) if !path.is_empty() => SecretSource::File(path.to_string()),
        _ => return Err(fault()),
    };
    Ok(Secret { name: name.to_string(), place })
}

pub fn max_idle(text: &str) -> std::result::Result<MaxIdle, String> {
    values::max_idle(text).map(MaxIdle)
}

pub fn delay(text: &str) -> std::result::Result<Delay, String> {
    let fault = || format!("`{text}` is no delay: write 0, 10ms, or 50%");
    match text.trim().strip_suffix('%') {
        Some(part) => {
            let part: f64 = part.trim().parse().map_err(|_| fault())?;
            if part.is_finite() && part >= 0.0 { Ok(Delay::Part(part / 100.0)) } else { Err(fault()) }
        }
        None if text.trim() == "0" => Ok(Delay::Us(0)),
        None => duration(text.trim()).map(Delay::Us).map_err(|_| fault()),
    }
}

pub fn factor(text: &str) -> std::result::Result<f64, String> {
    let factor = text.parse().ok().filter(|factor: &f64| factor.is_finite() && *factor > 0.0);
    factor.ok_or_else(|| format!("`{text}` is no factor: write a number above 0"))
}

/// `/params/arguments/dry=true`.
pub fn set(text: &str) -> std::result::Result<(String, String), String> {
    let (at, json) = text.split_once('=').ok_or("write it as POINTER=JSON, such as /params/arguments/limit=5")?;
    pointer(at)?;
    let valid = serde_json::from_str::<serde::de::IgnoredAny>(json);
    valid.map_err(|error| {
        format!("`{json}` is no JSON ({error}); a string needs its quotation marks: '{at}=\"text\"'")
    })?;
    Ok((at.to_string(), json.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_named_by_its_place() {
        assert_eq!(secret("authz#1=env:TOKEN").unwrap().name, "authz#1");
        for bad in ["authz", "=env:X", "authz=TOKEN", "authz=env:", "authz=vault:x"] {
            assert!(secret(bad).is_err(), "{bad}");
        }
        assert!(secret("token=hunter2").is_err_and(|error| !error.message.contains("hunter2")));
    }

    #[test]
    fn delays_and_values() {
        assert_eq!(
            (delay("0"), delay("10ms"), delay("50%")),
            (Ok(Delay::Us(0)), Ok(Delay::Us(10_000)), Ok(Delay::Part(0.5)))
        );
        assert!(delay("10").is_err() && delay("-5%").is_err());
        assert_eq!(set("/params/a={\"b\":1}"), Ok(("/params/a".into(), "{\"b\":1}".into())));
        assert!(set("/params/a=text").is_err_and(|why| why.contains("quotation marks")));
        assert!(set("params=1").is_err());
    }
}
