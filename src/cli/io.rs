//! Where the program prints: the only place. Results go to stdout or to `-o FILE`, everything else to stderr.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use rpctape::error::{Error, ErrorKind, Result};
use rpctape::report::escape;

/// The answer's way out.
pub enum Out {
    /// Standard output.
    Stdout(BufWriter<io::Stdout>),
    /// A file that takes its name only when it is complete.
    File {
        /// The writer, into a file beside the wanted one.
        writer: BufWriter<File>,
        /// That file.
        part: PathBuf,
        /// The wanted one.
        path: PathBuf,
    },
}

impl Out {
    /// Standard output, or a file where one is named; never one of the inputs.
    pub fn open(path: Option<&Path>, inputs: &[String]) -> Result<Out> {
        let Some(path) = path else { return Ok(Out::Stdout(BufWriter::new(io::stdout()))) };
        let same = |input: &String| {
            let canonical = std::fs::canonicalize(path).ok();
            canonical.is_some() && canonical == std::fs::canonicalize(input).ok()
        };
        if inputs.iter().any(same) {
            let message = format!("{} is one of the inputs, and would be overwritten", path.display());
            return Err(Error::new(ErrorKind::Usage, message).hint("name another file for the answer"));
        }
        let mut part = path.as_os_str().to_owned();
        part.push(format!(".{}.part", std::process::id()));
        let part = PathBuf::from(part);
        let file = File::create(&part).map_err(|error| Error::io("write", &path.to_string_lossy(), &error))?;
        Ok(Out::File { writer: BufWriter::new(file), part, path: path.to_path_buf() })
    }

    /// Writes what is buffered, and gives the file its name. A reader that went away is no error.
    pub fn close(mut self) -> Result<()> {
        let flushed = self.flush();
        match &self {
            Out::Stdout(_) => written(flushed),
            Out::File { part, path, .. } => {
                let renamed = flushed.and_then(|()| std::fs::rename(part, path));
                renamed.map_err(|error| Error::io("write", &path.to_string_lossy(), &error))
            }
        }
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Out::Stdout(writer) => writer.write(bytes),
            Out::File { writer, .. } => writer.write(bytes),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Out::Stdout(writer) => writer.flush(),
            Out::File { writer, .. } => writer.flush(),
        }
    }
}

impl Drop for Out {
    fn drop(&mut self) {
        if let Out::File { part, .. } = self {
            // After `close` it has its proper name and there is nothing to remove.
            let _ = std::fs::remove_file(part);
        }
    }
}

/// The result of writing: a reader that closed the pipe has seen enough, and that is success.
pub fn written(result: io::Result<()>) -> Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.map_err(|error| Error::new(ErrorKind::Io, format!("cannot write the answer: {error}"))),
    }
}

/// Prints text as the answer.
pub fn print(text: &str) -> Result<()> {
    written(write_all(&mut io::stdout(), text))
}

fn write_all(out: &mut dyn Write, text: &str) -> io::Result<()> {
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// A line for the conversation. Where stderr is gone there is nobody left to tell.
pub fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// `error: ...` and `hint: ...`, with what they quote made safe.
pub fn complain(error: &Error) {
    say(&format!("error: {}", escape(&error.message)));
    if let Some(hint) = &error.hint {
        say(&format!("hint: {}", escape(hint)));
    }
}

/// True if the answer goes to a terminal.
pub fn stdout_is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// True if the conversation goes to a terminal.
pub fn stderr_is_terminal() -> bool {
    io::stderr().is_terminal()
}
