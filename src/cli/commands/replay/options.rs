//! Flags and configuration to the options of a replay: a flag goes before the file, the file before the default.

use rpctape::error::Result;
use rpctape::live::Target;
use rpctape::replay::Options;
use rpctape::replay::options::{Cancel, Life, Pace, Policy, Rewrite, Speed};
use rpctape::replay::run::Anchor;

use super::ReplayArgs;
use super::args::{AnchorArg, OnStuck, Race, Reinit};
use super::target::Server;
use super::values;
use crate::cli::args::config::ReplayConfig;

/// All of it. Secrets are looked up here, so that a missing one is an error before anything is started.
pub fn options(args: &ReplayArgs, config: &ReplayConfig, server: Option<&Server>) -> Result<Options> {
    let secrets = args.play.rewrite.secret.iter().map(|text| values::secret(text)?.resolve()).collect::<Result<_>>()?;
    let cancel = &args.play.cancel;
    Ok(Options {
        pace: pace(args, config),
        cancel: Cancel {
            anchor: cancel.cancel_anchor.map(|anchor| match anchor {
                AnchorArg::Progress => Anchor::Progress,
                AnchorArg::Elapsed => Anchor::Elapsed,
            }),
            delay_us: cancel.cancel_delay,
            send_raced: cancel.cancel_race == Race::Send,
            witness: cancel.witness && server.is_none_or(|server| server.target.is_ordered()),
            over_http: server.map(|server| matches!(server.target, Target::Http(_))),
            retry: cancel.cancel_retry,
        },
        life: life(args, config),
        policy: policy(args, config, server),
        rewrite: Rewrite {
            map_path: [&args.play.rewrite.map_path[..], &config.map_path].concat(),
            set: args.play.rewrite.set.clone(),
            pid: std::process::id(),
            ask_version: args.play.rewrite.ask_version.clone(),
            renumber: args.play.rewrite.renumber,
            secrets,
            flows: config.flows.clone(),
        },
        compare: args.play.compare.compare(config)?,
        gate: args.play.compare.gate(config)?,
    })
}

fn pace(args: &ReplayArgs, config: &ReplayConfig) -> Pace {
    let usual = Pace::default();
    let speed = args.play.pace.speed.or(config.speed).unwrap_or(usual.speed);
    let limit = args.play.pace.max_idle.map(|limit| limit.0).or(config.max_idle);
    let max_idle_us = match speed {
        // The full recorded time has no limit unless one is asked for.
        Speed::Wall => limit.unwrap_or(None),
        _ => limit.unwrap_or(usual.max_idle_us),
    };
    Pace { speed, max_idle_us }
}

fn life(args: &ReplayArgs, config: &ReplayConfig) -> Life {
    let (flags, usual) = (&args.play.life, Life::default());
    Life {
        stuck_min_us: flags.stuck_min.or(config.stuck_min).unwrap_or(usual.stuck_min_us),
        stuck_factor: flags.stuck_factor.unwrap_or(usual.stuck_factor),
        stop_on_stuck: flags.on_stuck == OnStuck::Stop,
        linger_us: flags.linger.or(config.linger).unwrap_or(usual.linger_us),
        linger_given: flags.linger.or(config.linger).is_some(),
        max_request_us: flags.max_request.or(config.max_request).unwrap_or(usual.max_request_us),
        deadline_us: flags.deadline.or(config.deadline).unwrap_or(usual.deadline_us),
        reinit_on_404: flags.reinit == Reinit::On404,
        end_waits: false,
    }
}

fn policy(args: &ReplayArgs, config: &ReplayConfig, server: Option<&Server>) -> Policy {
    let send = &args.play.send;
    Policy {
        allow: [&send.allow[..], &config.allow].concat(),
        deny: [&send.deny[..], &config.deny].concat(),
        allow_all: send.allow_all,
        untrusted_hints: server.is_some_and(|server| server.remote) && !args.play.target.trust_hints,
        allow_repeat: send.allow_repeat,
        only: send.only.clone(),
        skip: send.skip.clone(),
        from: send.from.clone(),
        to: send.to.clone(),
    }
}

/// The pace in words.
pub fn in_words(pace: &Pace) -> String {
    let speed = match pace.speed {
        Speed::Recorded => "recorded".to_string(),
        Speed::Times(factor) => format!("x{factor}"),
        Speed::Fast => return "fast".to_string(),
        Speed::Wall => "wall".to_string(),
    };
    match pace.max_idle_us {
        Some(limit) => format!("{speed}, idle <= {}", super::span(limit)),
        None => speed,
    }
}
