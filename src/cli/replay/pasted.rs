//! The flags of a run, to be copied: what it was played against, what it was allowed, how it was changed on the way.

use super::ReplayArgs;
use super::args::Frame;
use crate::cli::shell;

impl ReplayArgs {
    /// The flags, with a blank before each, and the command behind its dashes. Values of headers are secrets, and stand
    /// there as variables.
    pub(super) fn again(&self) -> String {
        let mut words: Vec<String> = Vec::new();
        let mut flag = |name: &str, value: Option<&str>| {
            words.push(name.to_string());
            words.extend(value.map(str::to_string));
        };
        let (target, send, rewrite) = (&self.target, &self.send, &self.rewrite);
        let path = |path: &std::path::Path| path.display().to_string();
        target.url.iter().for_each(|url| flag("--url", Some(url)));
        target.connect.iter().for_each(|place| flag("--connect", Some(place)));
        target.config.iter().for_each(|file| flag("--config", Some(&path(file))));
        target.server.iter().for_each(|name| flag("--server", Some(name)));
        target.header.iter().for_each(|text| flag("--header", Some(&veiled(text))));
        target.ca.iter().for_each(|file| flag("--ca", Some(&path(file))));
        match target.frame {
            Some(Frame::Lines) => flag("--frame", Some("lines")),
            Some(Frame::ContentLength) => flag("--frame", Some("content-length")),
            None => {}
        }
        target.env.iter().for_each(|(name, value)| flag("--env", Some(&format!("{name}={value}"))));
        let given = [
            (target.remote, "--remote"),
            (target.trust_hints, "--trust-hints"),
            (send.allow_all, "--allow-all"),
            (send.allow_repeat, "--allow-repeat"),
            (rewrite.renumber, "--renumber"),
        ];
        given.iter().filter(|(given, _)| *given).for_each(|(_, name)| flag(name, None));
        let lists = [
            (&send.allow, "--allow"),
            (&send.deny, "--deny"),
            (&send.connection, "--connection"),
            (&rewrite.secret, "--secret"),
        ];
        lists.iter().for_each(|(list, name)| list.iter().for_each(|value| flag(name, Some(value))));
        send.session.iter().for_each(|session| flag("--session", Some(session)));
        rewrite.ask_version.iter().for_each(|revision| flag("--ask-version", Some(revision)));
        let pairs = [(&rewrite.map_path, "--map-path"), (&rewrite.set, "--set")];
        pairs.iter().for_each(|(pairs, name)| {
            pairs.iter().for_each(|(left, right)| flag(name, Some(&format!("{left}={right}"))));
        });
        if !target.command.is_empty() {
            words.push("--".to_string());
            words.extend(target.command.iter().cloned());
        }
        words.iter().map(|word| format!(" {}", shell::word(word))).collect()
    }
}

/// A header without its value, which is a secret where it was written out.
fn veiled(text: &str) -> String {
    let (name, value) = text.split_once(':').unwrap_or((text, ""));
    if value.contains("${") {
        return text.to_string();
    }
    let variable: String =
        name.trim().chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
    format!("{}: ${{{variable}}}", name.trim())
}

#[cfg(test)]
mod tests {
    use super::veiled;

    #[test]
    fn no_secret_stands_in_what_is_proposed() {
        assert_eq!(veiled("X-Api-Key: hunter2"), "X-Api-Key: ${X_API_KEY}");
        assert_eq!(veiled("A: Bearer ${TOKEN}"), "A: Bearer ${TOKEN}");
    }
}
