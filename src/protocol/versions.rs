//! How the sides of MCP find out which revisions the other one speaks: what is asked, and versions in the words of an error.

use crate::jsonrpc::ErrorObject;

/// A request by which a client finds out what its server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inquiry {
    /// It asks for nothing else (2026-07-28).
    Discovery,
    /// It opens a connection of an earlier revision.
    Handshake,
}

impl Inquiry {
    /// What a method asks, where it is one of these.
    pub fn of(method: &str) -> Option<Inquiry> {
        match method {
            "server/discover" => Some(Inquiry::Discovery),
            "initialize" => Some(Inquiry::Handshake),
            _ => None,
        }
    }
}

/// True if an error names a version of the kind that MCP has, a day: in its text or in its data.
pub fn names_versions(error: &ErrorObject<'_>) -> bool {
    [error.message.as_deref(), error.data].into_iter().flatten().any(holds_day)
}

/// What stands for an error that names one.
pub(super) const SOME_DAY: &str = "0000-00-00";

fn holds_day(text: &str) -> bool {
    let sign = |(at, byte): (usize, &u8)| if matches!(at, 4 | 7) { *byte == b'-' } else { byte.is_ascii_digit() };
    text.as_bytes().windows(SOME_DAY.len()).any(|part| part.iter().enumerate().all(sign))
}

/// UnsupportedProtocolVersionError (MCP 2026-07-28).
const UNSUPPORTED_VERSION: i64 = -32022;

/// What a refusal of a version says (MCP 2026-07-28).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Versions {
    /// The versions that the server speaks; never empty.
    pub listed: Vec<String>,
    /// The one that it has refused, where it names it.
    pub refused: Option<String>,
}

impl Versions {
    /// Of an error, where it is such a refusal and lists a version.
    pub fn of_refusal(error: &ErrorObject<'_>) -> Option<Versions> {
        let data = error.data.filter(|_| error.code == Some(UNSUPPORTED_VERSION))?;
        let data: serde_json::Value = serde_json::from_str(data).ok()?;
        let listed: Option<Vec<String>> =
            data["supported"].as_array()?.iter().map(|one| one.as_str().map(str::to_string)).collect();
        let refused = data["requested"].as_str().map(str::to_string);
        listed.filter(|listed| !listed.is_empty()).map(|listed| Versions { listed, refused })
    }

    /// True if a version is among those that the server speaks.
    pub fn lists(&self, version: &str) -> bool {
        self.listed.iter().any(|one| one == version)
    }
}
