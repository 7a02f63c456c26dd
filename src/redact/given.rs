//! What a server is given beside messages: the values of headers and of variables, most of which are secrets.

use super::names;

/// Headers that say what is spoken, and open nothing.
const OPEN: [&str; 8] = [
    "accept",
    "accept-encoding",
    "accept-language",
    "content-type",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "user-agent",
];

/// How long a word or a version is that stands in every other text, and how many words belong together.
const SHORT: usize = 12;
const FEW: usize = 3;

/// True unless the name says that it is none, or says nothing and the value is a word, a version or a date as other texts have them.
pub fn is_secret(name: &str, value: &str) -> bool {
    if OPEN.contains(&name.to_ascii_lowercase().as_str()) {
        return false;
    }
    names::said(name, &[]).is_some() || !is_common(value)
}

/// True for `test`, `application/json`, `v1.2`, `2025-11-25`.
fn is_common(value: &str) -> bool {
    let words: Vec<&str> = value.split(['-', '_', '/', '.', ' ']).collect();
    let is_word = |word: &&str| {
        let rest = word.get(1..).unwrap_or("");
        let one_case =
            rest.bytes().all(|byte| byte.is_ascii_lowercase()) || word.bytes().all(|byte| byte.is_ascii_uppercase());
        !word.is_empty() && word.len() <= SHORT && word.bytes().all(|byte| byte.is_ascii_alphabetic()) && one_case
    };
    let version = value.strip_prefix('v').unwrap_or(value);
    let is_version = value.len() <= SHORT
        && version.contains(['.', '-'])
        && version.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
    is_version || words.len() <= FEW && words.iter().all(is_word)
}

#[cfg(test)]
mod tests {
    use super::is_secret;

    #[test]
    fn words_that_every_report_has_are_no_secrets_unless_their_name_says_so() {
        for value in ["test", "exit", "PROD", "application/json", "2025-11-25", "v1.2", "tools"] {
            assert!(!is_secret("X-Env", value), "{value}");
        }
        for value in
            ["hunter2", "otter-maple-saddle-lamp", "9123456789", "correcthorsebattery", "aBcDeF", "4111-1111-1111-1111"]
        {
            assert!(is_secret("X-Env", value), "{value}");
        }
        assert!(is_secret("Authorization", "test") && is_secret("X-Api-Key", "error") && is_secret("PASSWORD", "test"));
        assert!(!is_secret("Accept", "application/json; q=0.9"));
    }
}
