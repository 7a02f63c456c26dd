use std::sync::Arc;

use super::*;
use crate::capture::testing::{Kept, read, read_as, told};
use crate::capture::{Direction, Skip};
use crate::protocol::Side;
use proptest::prelude::*;

fn samples() -> impl Iterator<Item = (&'static str, schema::Sample)> {
    builtin::TEXTS.iter().flat_map(|(name, text)| {
        let file = schema::parse(name, text).unwrap_or_else(|error| panic!("{error} {:?}", error.hint));
        assert_eq!(file.name, *name, "the file is called as the format");
        assert!(!file.sample.is_empty(), "{name} has a sample");
        file.sample.into_iter().map(|sample| (*name, sample))
    })
}

fn messages(kept: &Kept) -> usize {
    kept.frames.iter().filter(|frame| frame.kind == "message").count()
}

#[test]
fn every_definition_compiles_and_reads_its_own_sample() {
    for (name, text) in builtin::TEXTS {
        let file = schema::parse(name, text).expect("it is parsed");
        compile::compile(name, &file).unwrap_or_else(|error| panic!("{error} {:?}", error.hint));
    }
    for (name, sample) in samples() {
        assert_eq!(told(sample.text.as_bytes()).map(|(name, _)| name), Some(name), "{}", sample.text);
        let kept = read_as(name, sample.text.as_bytes());
        assert_eq!(messages(&kept), sample.messages, "{name}: {kept:?}");
        assert!(kept.frames.iter().all(|frame| frame.kind != "malformed" && frame.kind != "gap"), "{name}: {kept:?}");
        assert!(kept.channels.iter().all(|channel| channel.vantage != Vantage::Merged));
    }
}
