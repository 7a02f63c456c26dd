//! A part of a rotated log behind the part that was read before it: what that one showed of the log holds here as well.
//!
//! A part alone may be too short to show what tells its connections apart, or that nothing does. Each is read by its own head all the
//! same, so what it shows is handed on and nothing else of how it was read.

use super::Log;
use crate::capture::plan::PriorPart;
use crate::capture::sample::Sample;
use crate::capture::survey::{Looked, survey, survey_behind};
use crate::capture::{Overrides, Source, rotation};

impl Log {
    /// Why it is read so.
    pub(super) fn reasons(&self) -> String {
        std::iter::once(self.told.clone()).chain(self.plan.words()).collect::<Vec<_>>().join("; ")
    }

    /// Reads the log as the part before it was read: a few records may not show by themselves what tells their connections apart, or that
    /// nothing does. A word of the user's goes for all parts.
    pub(super) fn goes_on_with(&mut self, before: &PriorPart) {
        if let Some(sample) = before.sample.as_ref().and_then(|before| self.format.goes_on(&self.sample, before)) {
            self.look_again(sample);
        }
        let is_asked = self.overrides.connection_key.is_some() && self.plan.key.is_none();
        if !is_asked && before.key.is_some() && before.key != self.plan.key {
            let overrides = Overrides { connection_key: before.key.clone(), ..self.overrides.clone() };
            let looked = Looked { format: self.format, sample: &self.sample, overrides: &overrides, learned: true };
            if let Some(plan) = survey_behind(&looked, self.input.head(), self.input.is_whole()) {
                (self.plan, self.overrides) = (plan, overrides);
            }
        }
        self.plan.goes_on_with(before);
        self.reason = self.reasons();
    }

    /// Looks at the head once more with what was learned of the part before.
    fn look_again(&mut self, sample: Sample) {
        self.sample = sample;
        if self.plan.key.is_some() {
            self.overrides.connection_key = None;
        }
        self.plan = survey(&self.looked(), self.input.head(), self.input.is_whole());
        let asked = self.overrides.connection_key.take();
        self.overrides.connection_key = asked.or_else(|| self.plan.key.clone());
    }

    /// What it shows of the log, of which it is a part; where nothing of it was read, the part before it still does. A recording says
    /// itself what it lacks, and of which connection.
    pub(super) fn shown(&self, before: PriorPart, lacks: bool, is_empty: bool) -> PriorPart {
        let lacks = lacks && self.part().is_none();
        if is_empty && !before.chain.is_empty() {
            return PriorPart { lacks: lacks || before.lacks, ..before };
        }
        let (key, mixed) = (self.plan.key.clone(), self.plan.mixed.clone());
        let sample = rotation::is_earlier(&self.name).then(|| self.sample.clone());
        PriorPart { chain: self.chain.clone(), key, mixed, sample, lacks }
    }
}
