//! Wrappers: logs of logs. What a container runtime, journald, syslog, an editor or a cloud put around each line is
//! taken off, and what is inside goes to the reader of its own format.
//!
//! A wrapper is a format like any other. It looks at its own lines, takes them off a sample, and asks every detector
//! again; so wrappers nest, up to three deep, and `docker > clangd-verbose` is the name of such a pair. Lines and byte
//! offsets stay those of the outer record; its time is used where the inner one has none.

mod ansi;
mod burp;
mod container;
mod copy;
mod fluent_bit;
mod inside;
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

pub(in crate::capture) use container::cri_piece;
pub(crate) use inside::Inside;
pub(in crate::capture) use logfmt::pairs;
use peeler::Peeler;
pub(in crate::capture) use shipped::{Around, innermost, scalars};
pub(crate) use shipped::{Csv, JsonLog};

use super::format::{Format, Match, Reader};
use super::sample::Sample;

/// How many wrappers may lie around each other.
const DEPTH: u8 = 4;

/// Formats of no known emitter: the words that stand before their messages may tell something.
const OF_ANYBODY: [&str; 2] = ["ndjson", "text-log"];

/// How much it tells that lines look like those of a wrapper.
#[derive(Clone, Copy)]
enum Strength {
    /// Nothing else looks like that: it is the wrapper, with this score.
    Certain(u8),
    /// The same where a text has a line of this kind, weak elsewhere.
    Marked(fn(&str) -> bool),
    /// Other formats have such lines of their own, and know better what they mean.
    Weak,
    /// The same; and where a whole text shows that each of its lines stands behind something of the wrapper's, lines need not look like
    /// any for a log in a format of a known emitter. Of some of these a record is known wherever it stands: for them the second will do.
    Shown(fn(&Sample) -> bool, fn(&Sample) -> bool),
}

/// A kind of wrapper around lines.
pub(crate) struct Kind {
    name: &'static str,
    about: &'static str,
    strength: Strength,
    /// How many lines of a hundred have to look right.
    share: usize,
    looks: fn(&str) -> bool,
    peeler: fn() -> Box<dyn Peeler>,
}

/// Docker's `json-file` logging driver.
pub(crate) static DOCKER: Kind = Kind {
    name: "docker",
    about: "Docker's json-file logs, around a log in any other format",
    strength: Strength::Certain(95),
    share: 50,
    looks: container::looks_like_docker,
    peeler: || Box::<container::Docker>::default(),
};

/// The Kubernetes container runtime interface.
pub(crate) static CRI: Kind = Kind {
    name: "kubernetes-cri",
    about: "containerd and CRI-O logs of Kubernetes pods, around a log in any other format",
    strength: Strength::Certain(95),
    share: 50,
    looks: container::looks_like_cri,
    peeler: || Box::<container::Cri>::default(),
};

/// `journalctl -o json`.
pub(crate) static JOURNALD: Kind = Kind {
    name: "journald",
    about: "journalctl -o json, around a log in any other format",
    strength: Strength::Certain(95),
    share: 50,
    looks: journald::looks,
    peeler: || Box::<journald::Journald>::default(),
};

/// `journalctl -o export`.
pub(crate) static JOURNALD_EXPORT: Kind = Kind {
    name: "journald-export",
    about: "journalctl -o export, around a log in any other format",
    strength: Strength::Marked(journald_export::is_certain),
    share: 30,
    looks: journald_export::looks,
    peeler: || Box::<journald_export::Export>::default(),
};

/// Lines of `key=value` pairs.
pub(crate) static LOGFMT: Kind = Kind {
    name: "logfmt",
    about: "lines of key=value pairs, around messages or a log in any other format",
    strength: Strength::Weak,
    share: 50,
    looks: logfmt::looks,
    peeler: || Box::<logfmt::Logfmt>::default(),
};

/// Files of Fluentd and Fluent Bit.
pub(crate) static FLUENTD: Kind = Kind {
    name: "fluentd",
    about: "files of Fluentd and Fluent Bit (time, tag, record), around a log in any other format",
    strength: Strength::Weak,
    share: 50,
    looks: tagged::looks,
    peeler: || Box::new(tagged::Tagged),
};

/// What Fluent Bit prints.
pub(crate) static FLUENT_BIT: Kind = Kind {
    name: "fluent-bit",
    about: "what Fluent Bit's stdout output prints, around a log in any other format",
    strength: Strength::Certain(90),
    share: 50,
    looks: fluent_bit::looks,
    peeler: || Box::<fluent_bit::FluentBit>::default(),
};

/// What syslog and `journalctl` put before a line.
pub(crate) static SYSLOG: Kind = Kind {
    name: "syslog",
    about: "syslog and journalctl lines (time, host, program), around a log in any other format",
    strength: Strength::Marked(syslog::is_certain),
    share: 50,
    looks: syslog::looks,
    peeler: || Box::<syslog::Syslog>::default(),
};

/// What viewers of several logs put before a record.
pub(crate) static PREFIXED: Kind = Kind {
    name: "prefixed",
    about: "records behind the name of a pod, a service or a stream (kubectl --prefix, stern, compose, aws logs tail, Heroku)",
    strength: Strength::Shown(prefixed::stands_behind_bars, prefixed::stands_behind_words),
    share: 10,
    looks: prefixed::looks,
    peeler: || Box::new(prefixed::Prefixed),
};

/// What VS Code puts before a line of an output channel.
pub(crate) static VSCODE_LOG: Kind = Kind {
    name: "vscode-log",
    about: "a VS Code log file (time and [level]), around a log in any other format",
    strength: Strength::Weak,
    share: 1,
    looks: vscode_log::looks,
    peeler: || Box::new(vscode_log::VsCodeLog),
};

/// Colours of a terminal.
pub(crate) static ANSI: Kind = Kind {
    name: "ansi",
    about: "terminal colours, in a log in any other format",
    strength: Strength::Weak,
    share: 1,
    looks: ansi::looks,
    peeler: || Box::<ansi::Ansi>::default(),
};

/// Items that Burp Suite saved.
pub(crate) static BURP: Kind = Kind {
    name: "burp-items",
    about: "items that Burp Suite saved in base64, around HTTP as text",
    strength: Strength::Certain(90),
    share: 1,
    looks: burp::looks,
    peeler: || Box::<burp::Burp>::default(),
};

/// Rows of PostgreSQL's tables.
pub(crate) static COPY: Kind = Kind {
    name: "postgres-copy",
    about: "rows as PostgreSQL's COPY and pg_dump write them, around a log in any other format",
    strength: Strength::Marked(copy::looks),
    share: 1,
    looks: copy::looks,
    peeler: || Box::<copy::Copy>::default(),
};

/// Quotes and code fences of Markdown.
pub(crate) static MARKDOWN: Kind = Kind {
    name: "markdown",
    about: "quotes and code fences of Markdown, around a log in any other format",
    strength: Strength::Marked(markdown::is_quoted_fence),
    share: 1,
    looks: markdown::looks,
    peeler: || Box::new(markdown::Markdown),
};

/// What servers wrote to stderr, in Neovim's log.
pub(crate) static NEOVIM_STDERR: Kind = Kind {
    name: "neovim-stderr",
    about: "Neovim's lsp.log with what a server wrote to stderr, a log in any other format",
    strength: Strength::Certain(86),
    share: 1,
    looks: neovim::looks,
    peeler: || Box::<neovim::Stderr>::default(),
};

impl Kind {
    /// The wrapper around a log in any of the formats that `inside` knows.
    pub(in crate::capture) const fn around(&'static self, inside: Inside) -> Wrapper {
        Wrapper { kind: self, inside }
    }
}

/// A wrapper around lines.
pub(crate) struct Wrapper {
    kind: &'static Kind,
    inside: Inside,
}

impl Wrapper {
    /// True where lines that do not look like any may be records which are known wherever they stand.
    fn may_be_known(&self, sample: &Sample) -> bool {
        let Strength::Shown(_, shows) = self.kind.strength else { return false };
        !self.inside.members(sample).is_empty() && shows(sample)
    }

    /// The sample without the wrapper.
    fn peel(&self, sample: &Sample) -> Sample {
        peeler::peel_sample(&mut *(self.kind.peeler)(), sample)
    }
}

impl Format for Wrapper {
    fn name(&self) -> &'static str {
        self.kind.name
    }

    fn about(&self) -> &'static str {
        self.kind.about
    }

    fn chain(&self, sample: &Sample) -> String {
        self.inside.chain(self.kind.name, &self.peel(sample))
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        if sample.depth >= DEPTH {
            return None;
        }
        let (lines, hits) =
            sample.lines().fold((0, 0), |(lines, hits), line| (lines + 1, hits + usize::from((self.kind.looks)(line))));
        let looks = hits > 0 && hits * 100 >= lines * self.kind.share;
        let shown = || matches!(self.kind.strength, Strength::Shown(shows, _) if shows(sample));
        if !looks && !shown() && !self.may_be_known(sample) {
            return None;
        }
        let peeled = self.peel(sample);
        let (format, found) = self.inside.of(&peeled)?;
        let by_emitter = || shown() && !OF_ANYBODY.contains(&format.name());
        if !looks && !by_emitter() && format.members(&peeled).is_none() {
            return None;
        }
        let score = match self.kind.strength {
            Strength::Certain(score) => score,
            Strength::Marked(mark) if sample.lines().any(mark) => 90,
            Strength::Marked(_) | Strength::Weak | Strength::Shown(..) => found.score.saturating_sub(1),
        };
        let hits = if looks { hits } else { lines };
        Match::new(
            score,
            format!("{hits} of the first {lines} lines are {} lines; inside, {}", self.kind.name, found.reason),
        )
    }

    fn reader(&self, sample: &Sample) -> Reader {
        let peeled = self.peel(sample);
        Reader::Ordered(Box::new(nested::Nested::new((self.kind.peeler)(), peeled, self.inside)))
    }
}
