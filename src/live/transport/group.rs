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
    /// The shell that leads it; none where there is no shell.
    guard: Option<Child>,
}

impl Group {
    /// A group with nobody in it but its guard, which stands before the first member is started: there is no moment at which a
    /// member would be left behind. `None` where there is no shell.
    pub fn guarded() -> Option<Group> {
        let (guard, leader) = guard()?;
        Some(Group::led_by(leader, Some(guard)))
    }

    /// The group that the process `leader` leads. It must have been started with a group of its own.
    pub fn of(leader: u32) -> Option<Group> {
        Some(Group::led_by(Pid::from_raw(i32::try_from(leader).ok()?)?, None))
    }

    fn led_by(leader: Pid, guard: Option<Child>) -> Group {
        GROUPS.lock().unwrap_or_else(PoisonError::into_inner).push(leader);
        Group { leader, guard }
    }

    /// The id that a process is started with to be a member.
    pub fn id(&self) -> i32 {
        self.leader.as_raw_nonzero().get()
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

    /// True while any process of it exists beside the guard. Where the system has no `/proc`, the guard is sent home to find out:
    /// ask when the server has ended.
    pub fn alive(&mut self) -> bool {
        if cfg!(target_os = "linux") {
            return !self.members().is_empty();
        }
        self.send_home();
        test_kill_process_group(self.leader).is_ok()
    }

    fn send_home(&mut self) {
        if let Some(mut guard) = self.guard.take() {
            let _ = guard.kill();
            let _ = guard.wait();
        }
    }

    /// Process ids of its members but the guard, where the system has `/proc`. Those that have ended and wait to be reaped are none.
    pub fn members(&self) -> Vec<u32> {
        let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
        let (group, guard) = (self.id(), self.guard.as_ref().map(Child::id));
        let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
        let mut members: Vec<u32> = pids.filter(|pid| Some(*pid) != guard && group_of(*pid) == Some(group)).collect();
        members.sort_unstable();
        members
    }
}

/// A shell that leads a group and reads from this process, until there is nothing to read from any more: then it kills the group.
/// There is a signal for the death of a parent, but it cannot be asked for without unsafe code, and not everywhere.
fn guard() -> Option<(Child, Pid)> {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "trap '' HUP INT QUIT TERM; read -r _; kill -s KILL 0"]).env_clear().current_dir("/");
    shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    // Without a shell there is only what Drop can do.
    let guard = shell.spawn().ok()?;
    let leader = Pid::from_raw(i32::try_from(guard.id()).ok()?)?;
    Some((guard, leader))
}

impl Drop for Group {
    fn drop(&mut self) {
        // The group first: as long as nobody has waited for its leader, its id is no other's.
        self.kill();
        self.send_home();
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
