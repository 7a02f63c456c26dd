//! The process group of a child: nobody of it is left behind, however a run ends.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

/// The groups that are alive, for [`kill_all`].
static GROUPS: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

/// A process group that is killed when it is dropped, and when this process ends without having the time for that.
#[derive(Debug)]
pub struct Group {
    leader: Pid,
    guard: Option<Child>,
}

impl Group {
    /// The group that the process `leader` leads. It must have been started with a group of its own.
    pub fn of(leader: u32) -> Option<Group> {
        let leader = Pid::from_raw(i32::try_from(leader).ok()?)?;
        GROUPS.lock().unwrap_or_else(PoisonError::into_inner).push(leader);
        Some(Group { leader, guard: guard(leader) })
    }

    /// TERM to all of it.
    pub fn terminate(&self) {
        // A group that is gone needs no signal.
        let _ = kill_process_group(self.leader, Signal::TERM);
    }

    /// KILL to all of it.
    pub fn kill(&self) {
        let _ = kill_process_group(self.leader, Signal::KILL);
    }

    /// True while any process of it exists.
    pub fn alive(&self) -> bool {
        test_kill_process_group(self.leader).is_ok() && !(cfg!(target_os = "linux") && self.members().is_empty())
    }

    /// Process ids of its members, where the system has `/proc`. Those that have ended and wait to be reaped are none.
    pub fn members(&self) -> Vec<u32> {
        let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
        let group = self.leader.as_raw_nonzero().get();
        let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
        let mut members: Vec<u32> = pids.filter(|pid| group_of(*pid) == Some(group)).collect();
        members.sort_unstable();
        members
    }
}

/// A shell that reads from this process, until there is nothing to read from any more: then it kills the group. There is a signal
/// for the death of a parent, but it cannot be asked for without unsafe code, and not everywhere.
fn guard(leader: Pid) -> Option<Child> {
    let script = "trap '' HUP INT QUIT TERM; read -r _; kill -s KILL -- \"-$0\"";
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", script, &leader.as_raw_nonzero().to_string()]).env_clear().current_dir("/");
    shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    // Without a shell there is only what Drop can do.
    shell.spawn().ok()
}

impl Drop for Group {
    fn drop(&mut self) {
        // First, so that it does not kill a group that is another's by then.
        if let Some(guard) = &mut self.guard {
            let _ = guard.kill();
            let _ = guard.wait();
        }
        self.kill();
        GROUPS.lock().unwrap_or_else(PoisonError::into_inner).retain(|leader| *leader != self.leader);
    }
}

/// The group of a process that runs. A name in `/proc/PID/stat` may hold anything, so it is read from its end.
fn group_of(pid: u32) -> Option<i32> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    let rest = &stat[memchr::memrchr(b')', &stat)? + 1..];
    let mut fields = std::str::from_utf8(rest).ok()?.split_ascii_whitespace();
    let state = fields.next()?;
    let group = fields.nth(1)?.parse().ok()?;
    (!matches!(state, "Z" | "X")).then_some(group)
}

/// KILL to every group that is alive: for a program that leaves without unwinding.
pub fn kill_all() {
    for leader in GROUPS.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        let _ = kill_process_group(*leader, Signal::KILL);
    }
}
