//! Flags about what is judged and how strictly.

use std::path::PathBuf;

use clap::Args;
use rpctape::error::{Error, ErrorKind, Result, nearest};
use rpctape::rules::{RULES, Rule, Selection};
use rpctape::session::Settings;

use super::config::Config;
use super::values::duration;

/// What is judged and how strictly.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Judging")]
pub struct JudgeArgs {
    /// Run only these rules: codes, names, or beginnings of codes such as CAN
    #[arg(long, value_name = "RULE,...", value_delimiter = ',')]
    pub select: Vec<String>,
    /// Leave these rules out
    #[arg(long, value_name = "RULE,...", value_delimiter = ',')]
    pub ignore: Vec<String>,
    /// Hold parameters and results against the schema of the revision that is spoken, and what tools give against the schemas that
    /// their server declared
    #[arg(long)]
    pub schema: bool,
    /// Accuse only where order, content or vantage prove it, never by a latency bound
    #[arg(long)]
    pub proof_only: bool,
    /// Age from which an open request counts as stuck where the log just stops [default: 30s]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub stuck_after: Option<i64>,
    /// Slack between the wire and the place where the log was taken [default: 10ms]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub slack: Option<i64>,
    /// Read this configuration, instead of the first rpctape.toml from the current directory upwards
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// True where the configuration has payloads held against schemas.
    #[arg(skip)]
    always_schema: bool,
    /// What holds where no flag says otherwise.
    #[arg(skip)]
    base: Option<Settings>,
}

impl JudgeArgs {
    /// The same with what the configuration says where no flag does.
    pub fn configured(&self, config: &Config) -> JudgeArgs {
        let usual = Settings::default();
        let list = |flag: &Vec<String>, said: &Option<Vec<String>>| match flag.is_empty() {
            true => said.clone().unwrap_or_default(),
            false => flag.clone(),
        };
        JudgeArgs {
            select: list(&self.select, &config.select),
            ignore: list(&self.ignore, &config.ignore),
            always_schema: config.schema,
            base: Some(Settings {
                slack_us: config.slack.unwrap_or(usual.slack_us),
                factor: config.factor.unwrap_or(usual.factor),
                stuck_after_us: config.stuck_after.unwrap_or(usual.stuck_after_us),
                ..usual
            }),
            ..self.clone()
        }
    }

    /// All rules, with this age of a stuck request and with what the configuration says of the rest.
    pub fn all_rules(stuck_after: Option<i64>, config: &Config) -> JudgeArgs {
        let asked = JudgeArgs { stuck_after, ..JudgeArgs::default() }.configured(config);
        JudgeArgs { select: Vec::new(), ignore: Vec::new(), ..asked }
    }

    /// The rules to run; a name that no rule has is an error.
    pub fn selection(&self) -> Result<Selection> {
        let selection = Selection {
            select: self.select.clone(),
            ignore: self.ignore.clone(),
            schema: self.schema || self.always_schema,
        };
        match selection.unknown() {
            Some(id) => Err(unknown_rule(id)),
            None => Ok(selection),
        }
    }

    /// What the judgement assumes.
    pub fn settings(&self) -> Settings {
        let usual = self.base.unwrap_or_default();
        Settings {
            slack_us: self.slack.unwrap_or(usual.slack_us),
            stuck_after_us: self.stuck_after.unwrap_or(usual.stuck_after_us),
            proof_only: self.proof_only,
            ..usual
        }
    }

    /// True if a stored judgement would not do: a flag asks for another one.
    pub fn differs(&self) -> bool {
        self.schema || self.proof_only || self.stuck_after.is_some() || self.slack.is_some()
    }
}

/// The error for a rule that does not exist.
pub fn unknown_rule(id: &str) -> Error {
    let names = RULES.iter().flat_map(|rule: &&Rule| [rule.code, rule.name]);
    let hint = match nearest(id, names) {
        Some(name) => format!("did you mean {name}? `rpctape rules` lists them all"),
        None => "`rpctape rules` lists them all".to_string(),
    };
    Error::new(ErrorKind::Usage, format!("there is no rule {id}")).hint(hint)
}
