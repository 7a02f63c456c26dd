//! Nothing is left behind, however a run ends.

use std::io::BufRead;
use std::process::Stdio;
use std::time::Duration;

use rpctape::live::{Outgoing, Target};
use tokio::time::sleep;

use super::bench::{Peer, message, script};

/// True if a process runs; one that has ended and was not reaped does not.
pub fn runs(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['Z', 'X']))
}

/// Processes that were started with this variable in their environment.
pub fn marked(mark: &str) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").expect("/proc");
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let has = |pid: &u32| {
        let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environ.split(|byte| *byte == 0).any(|one| one == mark.as_bytes())
    };
    pids.filter(|pid| has(pid) && runs(*pid)).collect()
}

/// Starts a family that ignores TERM, goes away at some moment, and looks for what is left of it.
fn interrupt(rounds: u64) {
    let family = r#"trap '' TERM; sh -c 'trap "" TERM; sleep 300 & while :; do sleep 1; done' & echo '{}'; cat; wait"#;
    for round in 0..rounds {
        let mark = format!("RPCTAPE_TEST_FAMILY={}-{round}", std::process::id());
        let (name, value) = mark.split_once('=').expect("a variable");
        let Target::Command(mut command) = script(family) else { unreachable!() };
        command.env = vec![(name.into(), value.into())];
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
        // Moments from before the start to well after it, not the same ones in two runs.
        let moment = Duration::from_micros((round * 7_919 + u64::from(std::process::id())) % 40_000);
        runtime.block_on(async {
            let mut peer = Peer::start(Target::Command(command)).await;
            if round % 4 == 3 {
                peer.until(|what| *what == message("{}")).await;
            }
            sleep(moment).await;
            match round % 3 {
                // The link is dropped while the runtime goes on.
                0 => {
                    drop(peer);
                    for _ in 0..7_200 {
                        if marked(&mark).is_empty() {
                            break;
                        }
                        sleep(Duration::from_millis(25)).await;
                    }
                }
                // The runtime goes while it shuts down.
                1 => peer.order(Outgoing::Abort).await,
                // The runtime goes, as in a panic.
                _ => {}
            }
        });
        drop(runtime);
        let mut left = marked(&mark);
        for _ in 0..7_200 {
            if left.is_empty() {
                break;
            }
            std::thread::sleep(Duration::from_millis(25));
            left = marked(&mark);
        }
        assert!(left.is_empty(), "round {round}, after {moment:?}: {left:?} are left");
    }
}

/// Not a test of its own: what the one below kills.
#[tokio::test]
#[ignore = "part of another"]
async fn holds_a_family() {
    let Some(mark) = std::env::var_os("RPCTAPE_TEST_HOLDER") else { return };
    let Target::Command(mut command) = script("trap '' TERM HUP; echo '{}'; while :; do sleep 1; done") else {
        unreachable!()
    };
    command.env = vec![("RPCTAPE_TEST_HELD".into(), mark.to_string_lossy().into_owned())];
    let mut peer = Peer::start(Target::Command(command)).await;
    peer.until(|what| *what == message("{}")).await;
    println!("it runs");
    peer.rest().await;
}

#[cfg(target_os = "linux")]
#[test]
fn nobody_is_left_behind_by_a_process_that_is_killed() {
    let mark = format!("RPCTAPE_TEST_HELD={}", std::process::id());
    let here = module_path!().split_once("::").expect("a module of the program").1;
    let mut holder = std::process::Command::new(std::env::current_exe().expect("a path"))
        .args(["--ignored", "--exact", "--nocapture", &format!("{here}::holds_a_family")])
        .env("RPCTAPE_TEST_HOLDER", std::process::id().to_string())
        .stdout(Stdio::piped())
        .spawn()
        .expect("itself");
    let lines = std::io::BufReader::new(holder.stdout.take().expect("stdout")).lines();
    assert!(lines.map_while(Result::ok).any(|line| line.contains("it runs")));
    assert!(!marked(&mark).is_empty());
    holder.kill().expect("killed");
    holder.wait().expect("ended");
    for _ in 0..7_200 {
        if marked(&mark).is_empty() {
            return;
        }
        std::thread::sleep(Duration::from_millis(25));
    }
    panic!("{:?} are left", marked(&mark));
}

#[cfg(target_os = "linux")]
#[test]
fn nobody_is_left_behind() {
    interrupt(20);
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "the same a hundred times"]
fn nobody_is_left_behind_a_hundred_times() {
    interrupt(100);
}
