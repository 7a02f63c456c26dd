//! Definitions of records with an HTTP request and its response in each: where their parts stand.
//!
//! What a definition names counts where the log has it; all else is learned from the log, so that a version of the emitter
//! that moves a member is still read.

use super::compile::vantage;
use super::schema::{self, broken};
use crate::capture::format::{Match, Reader};
use crate::capture::formats::exchange::{Layout, Learned, Path, Slot, Unit, fitted, reader, texts};
use crate::capture::sample::Sample;
use crate::capture::{Proof, Vantage};
use crate::error::Result;

/// Such a definition, ready to read with.
pub(super) struct Exchanges {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    score: u8,
    places: Vec<(Slot, Path)>,
    unit: Unit,
    vantage: Vantage,
    in_pieces: bool,
}

/// What a log of exchanges can prove at best.
pub(super) const PROOF: Proof = Proof::FULL.and(Proof::STREAMS);

/// Compiles the table `exchange` of a definition; `file` names it in errors.
pub(super) fn compile(file: &str, text: &schema::File, own: &schema::Exchange) -> Result<Exchanges> {
    let mut places = Vec::new();
    let lists = [
        ("request", Slot::Request, &own.request),
        ("response", Slot::Response, &own.response),
        ("method", Slot::Verb, &own.method),
        ("url", Slot::Url, &own.url),
        ("status", Slot::Status, &own.status),
        ("session", Slot::Session, &own.session),
        ("start", Slot::Start, &own.start),
        ("first_byte", Slot::FirstByte, &own.first_byte),
        ("end", Slot::End, &own.end),
        ("duration", Slot::Duration, &own.duration),
        ("request_cut", Slot::RequestCut, &own.request_cut),
        ("response_cut", Slot::ResponseCut, &own.response_cut),
    ];
    let path = |key: &str, text: &str| {
        Path::parse(text).ok_or_else(|| {
            let what = format!("{key}: {text:?} is no path");
            broken(file, &what)
                .hint("write the keys with slashes before them: /response/body; * is every member of an array")
        })
    };
    for (key, slot, list) in lists {
        for text in list {
            places.push((slot, path(&format!("exchange.{key}"), text)?));
        }
    }
    for key in &text.connection.key {
        places.push((Slot::Key, path("connection.key", key)?));
    }
    if own.request.is_empty() || own.response.is_empty() {
        return Err(broken(file, "exchange names no request or no response")
            .hint("write request = [\"/request/body\"] and response = [\"/response/body\"]"));
    }
    let unit = match own.duration_unit.as_deref() {
        None | Some("ms") => Unit::Ms,
        Some("s") => Unit::S,
        Some("us") => Unit::Us,
        Some("ns") => Unit::Ns,
        Some(other) => {
            return Err(broken(file, &format!("exchange.duration_unit is {other:?}; write s, ms, us or ns")));
        }
    };
    Ok(Exchanges {
        name: Box::leak(text.name.clone().into_boxed_str()),
        about: Box::leak(text.about.clone().into_boxed_str()),
        score: text.detect.score.unwrap_or(80).clamp(1, 99),
        places,
        unit,
        vantage: vantage(text.direction.vantage).unwrap_or(Vantage::Proxy),
        in_pieces: own.response_in_pieces,
    })
}

impl Exchanges {
    fn fit(&self, sample: &Sample) -> Option<Learned> {
        fitted(&texts(sample), &self.places, self.unit, self.vantage)
    }

    pub(super) fn detect(&self, sample: &Sample) -> Option<Match> {
        let Learned { hits, examined, .. } = self.fit(sample)?;
        let of = if examined == 1 {
            "its record holds".to_string()
        } else {
            format!("{hits} of the first {examined} records hold")
        };
        Match::new(self.score, format!("{of} an HTTP request with its response, where {} keeps them", self.name))
    }

    pub(super) fn reader(&self, sample: &Sample) -> Reader {
        let layout = self.fit(sample).map(|learned| learned.layout);
        let mut layout = layout.unwrap_or_else(|| Layout::new(self.places.clone(), self.unit, self.vantage));
        layout.in_pieces = self.in_pieces;
        reader(sample, Some(layout))
    }
}
