//! Wrappers: logs of logs. What a container runtime, journald, syslog, an editor or a cloud put around each line is
//! taken off, and what is inside goes to the reader of its own format.
//!
//! A wrapper is a format like any other. It looks at its own lines, takes them off a sample, and asks every detector
//! again; so wrappers nest, up to three deep, and `docker > clangd-verbose` is the name of such a pair. Lines and byte
//! offsets stay those of the outer record; its time is used where the inner one has none.

mod ansi;
mod container;
mod fluent_bit;
mod journald;
mod journald_export;
mod logfmt;
mod markdown;
mod neovim;
mod nested;
mod peeler;
mod prefixed;
mod shipped;
mod syslog;
mod tagged;
mod vscode_log;

#[cfg(test)]
mod tests;

pub(in crate::capture) use logfmt::pairs;
use peeler::Peeler;
pub(crate) use shipped::{CSV, JSON_LOG};
pub(in crate::capture) use shipped::{innermost, scalars};

use super::detect::candidates;
use super::format::{Format, Match, Reader};
use super::sample::Sample;

/// How many wrappers may lie around each other.
const DEPTH: u8 = 3;

/// How much it tells that lines look like those of a wrapper.
#[derive(Clone, Copy)]
enum Strength {
    /// Nothing else looks like that: it is the wrapper, with this score.
    Certain(u8),
    /// The same where a text has a line of this kind, weak elsewhere.
    Marked(fn(&str) -> bool),
    /// Other formats have such lines of their own, and know better what they mean.
    Weak,
}

/// A wrapper around lines.
pub(crate) struct Wrapper {
    name: &'static str,
    about: &'static str,
    strength: Strength,
    /// How many lines of a hundred have to look right.
    share: usize,
    looks: fn(&str) -> bool,
    peeler: fn() -> Box<dyn Peeler>,
}

/// Docker's `json-file` logging driver.
pub(crate) static DOCKER: Wrapper = Wrapper {
    name: "docker",
    about: "Docker's json-file logs, around a log in any other format",
    strength: Strength::Certain(95),
    share: 50,
    looks: container::looks_like_docker,
    peeler: || Box::<container::Docker>::default(),
};

/// The Kubernetes container runtime interface.
pub(crate) static CRI: Wrapper = Wrapper {
    name: "kubernetes-cri",
    about: "containerd and CRI-O logs of Kubernetes pods, around a log in any other format",
    strength: Strength::Certain(95),
    share: 50,
    looks: container::looks_like_cri,
    peeler: || Box::<container::Cri>::default(),
};

/// `journalctl -o json`.
pub(crate) static JOURNALD: Wrapper = Wrapper {
    name: "journald",
    about: "journalctl -o json, around a log in any other format",
    strength: Strength::Certain(95),
    share: 50,
    looks: journald::looks,
    peeler: || Box::<journald::Journald>::default(),
};

/// `journalctl -o export`.
pub(crate) static JOURNALD_EXPORT: Wrapper = Wrapper {
    name: "journald-export",
    about: "journalctl -o export, around a log in any other format",
    strength: Strength::Marked(journald_export::is_certain),
    share: 30,
    looks: journald_export::looks,
    peeler: || Box::<journald_export::Export>::default(),
};

/// Lines of `key=value` pairs.
pub(crate) static LOGFMT: Wrapper = Wrapper {
    name: "logfmt",
    about: "lines of key=value pairs, around messages or a log in any other format",
    strength: Strength::Weak,
    share: 50,
    looks: logfmt::looks,
    peeler: || Box::<logfmt::Logfmt>::default(),
};

/// Files of Fluentd and Fluent Bit.
pub(crate) static FLUENTD: Wrapper = Wrapper {
    name: "fluentd",
    about: "files of Fluentd and Fluent Bit (time, tag, record), around a log in any other format",
    strength: Strength::Weak,
    share: 50,
    looks: tagged::looks,
    peeler: || Box::new(tagged::Tagged),
};

/// What Fluent Bit prints.
pub(crate) static FLUENT_BIT: Wrapper = Wrapper {
    name: "fluent-bit",
    about: "what Fluent Bit's stdout output prints, around a log in any other format",
    strength: Strength::Certain(90),
    share: 50,
    looks: fluent_bit::looks,
    peeler: || Box::<fluent_bit::FluentBit>::default(),
};

/// What syslog and `journalctl` put before a line.
pub(crate) static SYSLOG: Wrapper = Wrapper {
    name: "syslog",
    about: "syslog and journalctl lines (time, host, program), around a log in any other format",
    strength: Strength::Marked(syslog::is_certain),
    share: 50,
    looks: syslog::looks,
    peeler: || Box::<syslog::Syslog>::default(),
};

/// What viewers of several logs put before a record.
pub(crate) static PREFIXED: Wrapper = Wrapper {
    name: "prefixed",
    about: "records behind the name of a pod, a service or a stream (kubectl --prefix, stern, compose, aws logs tail, Heroku)",
    strength: Strength::Weak,
    share: 10,
    looks: prefixed::looks,
    peeler: || Box::new(prefixed::Prefixed),
};

/// What VS Code puts before a line of an output channel.
pub(crate) static VSCODE_LOG: Wrapper = Wrapper {
    name: "vscode-log",
    about: "a VS Code log file (time and [level]), around a log in any other format",
    strength: Strength::Weak,
    share: 1,
    looks: vscode_log::looks,
    peeler: || Box::new(vscode_log::VsCodeLog),
};

/// Colours of a terminal.
pub(crate) static ANSI: Wrapper = Wrapper {
    name: "ansi",
    about: "terminal colours, in a log in any other format",
    strength: Strength::Weak,
    share: 1,
    looks: ansi::looks,
    peeler: || Box::<ansi::Ansi>::default(),
};

/// Quotes and code fences of Markdown.
pub(crate) static MARKDOWN: Wrapper = Wrapper {
    name: "markdown",
    about: "quotes and code fences of Markdown, around a log in any other format",
    strength: Strength::Marked(markdown::is_quoted_fence),
    share: 1,
    looks: markdown::looks,
    peeler: || Box::new(markdown::Markdown),
};

/// What servers wrote to stderr, in Neovim's log.
pub(crate) static NEOVIM_STDERR: Wrapper = Wrapper {
    name: "neovim-stderr",
    about: "Neovim's lsp.log with what a server wrote to stderr, a log in any other format",
    strength: Strength::Certain(86),
    share: 1,
    looks: neovim::looks,
    peeler: || Box::<neovim::Stderr>::default(),
};

impl Wrapper {
    /// The sample without the wrapper.
    fn peel(&self, sample: &Sample) -> Sample {
        peeler::peel_sample(&mut *(self.peeler)(), sample)
    }
}

/// The format of a peeled sample, and why; one that reads lines.
fn inner(peeled: &Sample) -> Option<(&'static dyn Format, Match)> {
    if peeled.depth > DEPTH {
        return None;
    }
    let by_line =
        candidates(peeled).filter(|(format, _)| matches!(format.reader(peeled), Reader::Lines(_) | Reader::Ordered(_)));
    by_line.fold(None, |best: Option<(&'static dyn Format, Match)>, next| match best {
        Some(best) if best.1.score >= next.1.score => Some(best),
        _ => Some(next),
    })
}

/// The name of a wrapper with what is inside.
fn chain(name: &str, peeled: &Sample) -> String {
    match inner(peeled) {
        Some((format, _)) => format!("{name} > {}", format.chain(peeled)),
        None => name.to_string(),
    }
}

impl Format for Wrapper {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn chain(&self, sample: &Sample) -> String {
        chain(self.name, &self.peel(sample))
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        if sample.depth >= DEPTH {
            return None;
        }
        let (lines, hits) =
            sample.lines().fold((0, 0), |(lines, hits), line| (lines + 1, hits + usize::from((self.looks)(line))));
        if hits == 0 || hits * 100 < lines * self.share {
            return None;
        }
        let (_, found) = inner(&self.peel(sample))?;
        let score = match self.strength {
            Strength::Certain(score) => score,
            Strength::Marked(mark) if sample.lines().any(mark) => 90,
            Strength::Marked(_) | Strength::Weak => found.score.saturating_sub(1),
        };
        Match::new(
            score,
            format!("{hits} of the first {lines} lines are {} lines; inside, {}", self.name, found.reason),
        )
    }

    fn reader(&self, sample: &Sample) -> Reader {
        let peeled = self.peel(sample);
        Reader::Ordered(Box::new(nested::Nested::new((self.peeler)(), peeled)))
    }
}
