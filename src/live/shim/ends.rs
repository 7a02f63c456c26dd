//! This process's own standard streams, without the buffers of the standard library.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;

/// What the client holds the other ends of.
#[derive(Debug)]
pub struct Ends {
    /// Read from.
    pub input: File,
    /// Written to, and by nobody else.
    pub output: File,
    /// Where the server's stderr goes.
    pub error: File,
    /// True if they are this process's own: what ends is then closed there, too.
    pub own: bool,
}

impl Ends {
    /// Standard input, output and error.
    pub fn standard() -> io::Result<Ends> {
        let input = io::stdin().as_fd().try_clone_to_owned()?.into();
        let output = io::stdout().as_fd().try_clone_to_owned()?.into();
        let error = io::stderr().as_fd().try_clone_to_owned()?.into();
        Ok(Ends { input, output, error, own: true })
    }
}

/// Lets the client see that nobody reads.
pub(super) fn close_stdin() {
    // Where there is no /dev/null the client learns it when the process ends.
    let _ = File::open("/dev/null").map(rustix::stdio::dup2_stdin);
}

/// Lets the client see the end.
pub(super) fn close_stdout() {
    let _ = File::options().write(true).open("/dev/null").map(rustix::stdio::dup2_stdout);
}
