//! A command of this program as a process: it ends when its call is cancelled, and says that it is alive meanwhile.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often a process is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// Looks between two signs of life: a second.
const SIGN: u32 = 50;

/// Looks that a process that was told to end has to clean up, which it does within 0.7 s: 0.9 s.
const PATIENCE: u32 = 45;

/// How much of an answer is kept, in bytes.
const LONGEST: u64 = 32 << 20;

/// What a process said and how it ended.
#[derive(Debug)]
pub struct Ended {
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
    /// Its exit code; `None` after a signal.
    pub code: Option<i32>,
}

/// Runs a command until it ends. `None` if it was cancelled. `alive` is told the seconds that have passed, once each.
pub fn run(
    program: &Path,
    args: &[String],
    folder: &Path,
    cancelled: &AtomicBool,
    mut alive: impl FnMut(u32),
) -> std::io::Result<Option<Ended>> {
    // Files, not pipes: an answer of any length never waits for a reader.
    let (out, err) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let mut command = Command::new(program);
    command.args(args).current_dir(folder).env("NO_COLOR", "1").env("COLUMNS", "120");
    command.stdin(Stdio::null()).stdout(out.try_clone()?).stderr(err.try_clone()?);
    let mut child = command.spawn()?;
    let mut looks = 0;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if cancelled.load(Ordering::Relaxed) {
            end(&mut child)?;
            return Ok(None);
        }
        std::thread::sleep(LOOK);
        looks += 1;
        if looks % SIGN == 0 {
            alive(looks / SIGN);
        }
    };
    Ok(Some(Ended { out: text(out)?, err: text(err)?, code: status.code() }))
}

/// Asks it to end, so that it removes what it made, and ends it where it does not.
fn end(child: &mut Child) -> std::io::Result<()> {
    #[cfg(unix)]
    if let Some(id) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process(id, rustix::process::Signal::TERM);
    }
    for _ in 0..PATIENCE {
        if child.try_wait()?.is_some() {
            return Ok(());
        }
        std::thread::sleep(LOOK);
    }
    child.kill()?;
    child.wait().map(drop)
}

fn text(mut file: std::fs::File) -> std::io::Result<String> {
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
