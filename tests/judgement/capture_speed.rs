//! The floor of every ingest: reading, parsing and lifting of facts, without pairing and storing.
//!
//! Not run by default. With a log made by a generator:
//! `RPCTAPE_LOG=log.jsonl cargo test --release --test judgement capture_speed -- --ignored --nocapture`,
//! or its binary under `valgrind --tool=callgrind` for instruction counts.

use rpctape::capture::{Body, Channel, Frame, FrameSink, Overrides, Resume, Skip, open};
use rpctape::error::Result;

#[derive(Default, Debug)]
struct Counts {
    channels: u32,
    messages: u64,
    methods: u64,
    other: u64,
    skipped: u64,
}

impl FrameSink for Counts {
    fn channel(&mut self, _: u32, _: Channel) -> Result<()> {
        self.channels += 1;
        Ok(())
    }

    fn frame(&mut self, frame: &Frame<'_>) -> Result<()> {
        match &frame.body {
            Body::Message(captured) => {
                self.messages += 1;
                self.methods += captured.message.method().len() as u64;
            }
            _ => self.other += 1,
        }
        Ok(())
    }

    fn skipped(&mut self, _: u64, _: Skip) {
        self.skipped += 1;
    }

    fn progress(&mut self, _: u64) {}
}

#[test]
#[ignore = "needs a large log in RPCTAPE_LOG"]
fn reads_a_large_log() {
    #[allow(clippy::disallowed_methods)]
    let path = std::env::var("RPCTAPE_LOG").expect("RPCTAPE_LOG names a log");
    let mut source = open(&path, &Overrides::default()).expect("a log");
    let mut counts = Counts::default();
    let end = source.read(0, Resume::default(), &mut counts).expect("readable");
    println!("{} ({}): {counts:?}, up to {end:?}", source.format(), source.reason());
    assert!(counts.messages > 0);
}
