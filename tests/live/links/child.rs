//! Child processes: both framings, both streams, every way to end.

use std::time::Duration;

use rpctape::live::transport::Framing;
use rpctape::live::{Clock, Forced, Incoming, Outgoing};
use rpctape::protocol::Side;

use super::bench::{Peer, closed, exit, message, program, script};
use super::left_behind::runs;

#[tokio::test]
async fn a_child_is_spoken_to_and_ends_with_its_input() {
    let mut peer = Peer::start(program("cat", &[])).await;
    peer.send(3, r#"{"id":1}"#).await;
    peer.send(4, "{\"id\":\n2}").await;
    peer.order(Outgoing::Finish).await;
    let expected = [
        Incoming::Ready,
        Incoming::Sent { stream: 3 },
        Incoming::Sent { stream: 4 },
        message(r#"{"id":1}"#),
        message(r#"{"id":2}"#),
        closed(Side::Server, "eof"),
        exit(Some(0), None, Forced::No),
    ];
    let mut told = peer.rest().await.to_vec();
    let sent = told.iter().position(|what| *what == Incoming::Sent { stream: 4 }).expect("sent");
    let moved = told.remove(sent);
    told.insert(2, moved);
    assert_eq!(told, expected);
}

#[tokio::test]
async fn header_blocks_go_both_ways() {
    let mut peer = Peer::framed(program("cat", &[]), Framing::ContentLength).await;
    peer.send(0, "{\n\"id\": \"ä\"\n}").await;
    peer.until(|what| *what == message("{\n\"id\": \"ä\"\n}")).await;
    peer.order(Outgoing::Finish).await;
    assert_eq!(peer.rest().await.last(), Some(&exit(Some(0), None, Forced::No)));
}

#[tokio::test]
async fn an_answer_is_never_told_before_what_it_answers() {
    let mut peer = Peer::start(program("cat", &[])).await;
    for id in 0..500 {
        let text = format!(r#"{{"id":{id}}}"#);
        peer.send(id, &text).await;
        peer.until(|what| *what == message(&text)).await;
        let sent = peer.position(|what| *what == Incoming::Sent { stream: id });
        assert!(sent < peer.position(|what| *what == message(&text)), "{id}: {sent:?}");
    }
}

#[tokio::test]
async fn everything_a_child_wrote_is_told_before_its_exit() {
    let text = r#"echo noise; echo '{"id":1}'; printf 'one\r\ntwo' >&2; printf '{"id":2}'; exit 7"#;
    let mut peer = Peer::start(script(text)).await;
    let told = peer.rest().await.to_vec();
    assert_eq!(told.last(), Some(&exit(Some(7), None, Forced::No)));
    for what in [
        Incoming::Raw { bytes: b"noise".to_vec(), cut: false },
        message(r#"{"id":1}"#),
        message(r#"{"id":2}"#),
        Incoming::Stderr { bytes: b"one".to_vec() },
        Incoming::Stderr { bytes: b"two".to_vec() },
        closed(Side::Server, "eof"),
    ] {
        assert!(told.contains(&what), "{what:?} in {told:?}");
    }
}

#[tokio::test]
async fn a_child_that_dies_is_a_fact() {
    let mut peer = Peer::start(script("read line; kill -9 $$")).await;
    peer.send(0, "{}").await;
    peer.until(|what| matches!(what, Incoming::Closed { .. })).await;
    for stream in 1..50 {
        let _ =
            peer.link.to.send(Outgoing::Message { stream, bytes: b"{}".to_vec(), revision: None, more: false }).await;
    }
    assert_eq!(peer.rest().await.last(), Some(&exit(None, Some(9), Forced::No)));
    assert!(!peer.told.iter().any(|what| matches!(what, Incoming::Failed { .. })));
}

#[tokio::test]
async fn a_child_that_does_not_read_any_more_is_told_as_deaf() {
    let mut peer = Peer::start(script("exec 0<&-; echo '{}'; sleep 30")).await;
    peer.until(|what| *what == message("{}")).await;
    // A process that another test is just starting holds a copy of the pipe until it is another program: what is written
    // in that moment is gone, and the link cannot know it.
    let mut stream = 5;
    loop {
        peer.send(stream, "{}").await;
        match peer.next().await {
            Some(Incoming::Sent { stream: sent }) => assert_eq!(sent, stream),
            what => break assert_eq!(what, Some(closed(Side::Server, "deaf"))),
        }
        stream += 1;
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(peer.position(|what| *what == Incoming::Sent { stream }), None);
    peer.order(Outgoing::Abort).await;
    assert_eq!(peer.rest().await.last(), Some(&exit(None, Some(15), Forced::Term)));
}

#[tokio::test]
async fn a_program_that_is_not_there() {
    let mut peer = Peer::start(program("/no/such/program", &[])).await;
    let [Incoming::Failed { why }] = peer.rest().await else { panic!("{:?}", peer.told) };
    assert!(why.contains("/no/such/program") && why.contains("no such program"), "{why}");
}

#[tokio::test]
async fn two_sides_that_write_a_lot_do_not_block_each_other() {
    let mut peer = Peer::start(program("cat", &[])).await;
    let long = format!(r#"{{"id":"{}"}}"#, "x".repeat(20_000));
    // More than all pipes and queues hold, before anything is read.
    for stream in 0..1_000 {
        peer.send(stream, &long).await;
    }
    let huge = format!(r#"{{"id":"{}"}}"#, "y".repeat(8 << 20));
    peer.send(1_000, &huge).await;
    peer.order(Outgoing::Finish).await;
    let told = peer.rest().await;
    assert_eq!(told.iter().filter(|what| **what == message(&long)).count(), 1_000);
    assert!(told.contains(&message(&huge)));
    let sent: Vec<u32> = told
        .iter()
        .filter_map(|what| if let Incoming::Sent { stream } = what { Some(*stream) } else { None })
        .collect();
    assert_eq!(sent, (0..=1_000).collect::<Vec<u32>>());
}

#[tokio::test]
async fn a_lot_of_stderr_holds_nothing_up() {
    let text = "i=0; while [ $i -lt 3000 ]; do echo \"$i xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\" >&2; i=$((i+1)); done; echo '{}'";
    let mut peer = Peer::start(script(text)).await;
    let told = peer.rest().await;
    assert_eq!(told.iter().filter(|what| matches!(what, Incoming::Stderr { .. })).count(), 3_000);
    assert!(told.contains(&message("{}")));
}

#[tokio::test]
async fn a_grandchild_that_holds_the_pipe_is_listed_and_killed() {
    let mut peer = Peer::start(script("sleep 300 & echo \"{\\\"pid\\\":$!}\"; exit 3")).await;
    let told = peer.rest().await.to_vec();
    let Some(Incoming::Exit { code: Some(3), survivors, forced: Forced::No, .. }) = told.last() else {
        panic!("{told:?}")
    };
    let [pid] = survivors[..] else { panic!("{survivors:?}") };
    assert!(told.contains(&message(&format!("{{\"pid\":{pid}}}"))), "{told:?}");
    assert!(!runs(pid), "{pid} is still there");
}

#[tokio::test]
async fn abort_terminates() {
    let mut peer = Peer::start(script("echo '{}'; exec sleep 300")).await;
    peer.until(|what| *what == message("{}")).await;
    peer.order(Outgoing::Abort).await;
    assert_eq!(peer.rest().await.last(), Some(&exit(None, Some(15), Forced::Term)));
}

#[tokio::test]
async fn abort_kills_what_does_not_listen() {
    let mut peer = Peer::start(script("trap '' TERM; echo '{}'; while :; do sleep 1; done")).await;
    peer.until(|what| *what == message("{}")).await;
    peer.order(Outgoing::Abort).await;
    assert_eq!(peer.rest().await.last(), Some(&exit(None, Some(9), Forced::Kill)));
}

#[tokio::test]
#[ignore = "takes 15 s by design"]
async fn finish_waits_before_it_terminates_and_kills() {
    let clock = Clock::start();
    let mut peer = Peer::start(script("trap '' TERM; echo '{}'; while :; do sleep 1; done")).await;
    peer.until(|what| *what == message("{}")).await;
    peer.order(Outgoing::Finish).await;
    assert_eq!(peer.rest().await.last(), Some(&exit(None, Some(9), Forced::Kill)));
    assert!(clock.us() >= 15_000_000, "{}", clock.us());
}
