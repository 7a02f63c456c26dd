//! Where the program prints: the only place. Results go to stdout or to `-o FILE`, everything else to stderr.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use rpctape::capture::{file_of, path_of};
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::output::{self, Output, Readers, is_same, lies_in};
use rpctape::redact::Redactor;
use rpctape::report::{escape, escape_block, json};
use rpctape::store::is_ours;
use serde_json::Value;

/// The answer's way out.
pub enum Out {
    /// Standard output.
    Stdout(BufWriter<io::Stdout>),
    /// A file that takes its name only when it is complete.
    File(Output),
    /// One of these, without secrets, or without what acts on a terminal.
    Clean(Box<Clean>),
    /// Somebody who takes the lines, and may have something to say about them.
    #[cfg(feature = "live")]
    Taker(Box<dyn Write + Send>),
}

/// Text that is changed line by line.
pub struct Clean {
    out: Out,
    change: Box<dyn FnMut(&str) -> String + Send>,
    line: Vec<u8>,
}

impl Clean {
    /// Takes bytes, and passes on what they complete. A line may come in many pieces: only the new one is looked at.
    fn take(&mut self, bytes: &[u8]) -> io::Result<()> {
        let before = self.line.len();
        self.line.extend_from_slice(bytes);
        match memchr::memrchr(b'\n', bytes) {
            Some(end) => self.pass(before + end + 1),
            None => Ok(()),
        }
    }

    /// Passes on the first `end` bytes.
    fn pass(&mut self, end: usize) -> io::Result<()> {
        let rest = self.line.split_off(end);
        let lines = std::mem::replace(&mut self.line, rest);
        for line in String::from_utf8_lossy(&lines).split_inclusive('\n') {
            self.out.write_all((self.change)(line).as_bytes())?;
        }
        Ok(())
    }
}

impl Out {
    /// Standard output, or a file where one is named; never one of the inputs, and never in a folder that is read.
    /// What is printed holds payloads: a new file is its owner's alone.
    pub fn open(path: Option<&Path>, inputs: &[String]) -> Result<Out> {
        let Some(path) = path else { return Ok(Out::Stdout(BufWriter::new(io::stdout()))) };
        apart(path, inputs)?;
        Ok(Out::File(Output::create(path, Readers::Owner)?))
    }

    /// The same, without secrets where there is somebody to replace them.
    pub fn clean(self, redactor: Option<Redactor>) -> Out {
        match redactor {
            Some(mut redactor) => self.changed(move |line| redactor.text(line).into_owned()),
            None => self,
        }
    }

    /// The same, and where it is a terminal without what acts on one: for answers that are the bytes of a log.
    pub fn shown(self) -> Out {
        match self {
            Out::Stdout(_) if stdout_is_terminal() => self.changed(escape_block),
            other => other,
        }
    }

    fn changed(self, change: impl FnMut(&str) -> String + Send + 'static) -> Out {
        Out::Clean(Box::new(Clean { out: self, change: Box::new(change), line: Vec::new() }))
    }

    /// Writes what is buffered, and gives the file its name. A reader that went away is no error.
    pub fn close(mut self) -> Result<()> {
        match self {
            Out::Stdout(_) => written(self.flush()),
            Out::File(output) => output.finish(),
            #[cfg(feature = "live")]
            Out::Taker(_) => written(self.flush()),
            Out::Clean(mut clean) => {
                written(clean.pass(clean.line.len()))?;
                clean.out.close()
            }
        }
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Out::Stdout(writer) => writer.write(bytes),
            Out::File(output) => output.write(bytes),
            #[cfg(feature = "live")]
            Out::Taker(taker) => taker.write(bytes),
            Out::Clean(clean) => clean.take(bytes).map(|()| bytes.len()),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Out::Stdout(writer) => writer.flush(),
            Out::File(output) => output.flush(),
            #[cfg(feature = "live")]
            Out::Taker(taker) => taker.flush(),
            Out::Clean(clean) => clean.out.flush(),
        }
    }
}

/// An error where `path`, which is to be written, is one of the inputs or lies in a folder among them: what is evidence
/// is not overwritten, and an answer is no input of the next run.
pub fn apart(path: &Path, inputs: &[String]) -> Result<()> {
    for input in inputs {
        let input = place_of(input);
        let shown = path.display();
        let message = if is_same(path, &input) {
            format!("{shown} is one of the inputs, and would be overwritten")
        } else if lies_in(path, &input) {
            format!("{shown} lies in {}, which is read", input.display())
        } else if is_ours(&input) && output::files_of_database(&input).any(|file| is_same(path, &file)) {
            format!("{shown} is a file that SQLite keeps beside {}, and would be overwritten", input.display())
        } else {
            continue;
        };
        return Err(Error::new(ErrorKind::Usage, message).hint("name another file for the answer"));
    }
    Ok(())
}

/// The same for an answer that is opened later, before anything is read or begun: nor is it what the run reads or writes besides.
pub fn admit(path: &Path, inputs: &[String]) -> Result<()> {
    apart(path, inputs)?;
    output::free(path)
}

/// Where an input is. Standard input may be a file, too, and a member is in its archive.
pub fn place_of(input: &str) -> PathBuf {
    path_of(if input == "-" { "/dev/stdin" } else { file_of(input) })
}

/// The result of writing: a reader that closed the pipe has seen enough, and that is success.
pub fn written(result: io::Result<()>) -> Result<()> {
    output::written("the answer", result)
}

/// Prints text as the answer.
pub fn print(text: &str) -> Result<()> {
    written(write_all(&mut io::stdout(), text))
}

fn write_all(out: &mut dyn Write, text: &str) -> io::Result<()> {
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// A JSON value on a line of its own, without characters that act on a terminal.
pub fn write_json(out: &mut dyn Write, value: &Value) -> io::Result<()> {
    writeln!(out, "{}", json(value)?)
}

/// A line for the conversation, without secrets and made safe: it quotes names of files, requests and errors of systems.
/// Where stderr is gone there is nobody left to tell.
pub fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{}", escape(&Redactor::default().text(line)));
}

/// `error: ...` and `hint: ...`.
pub fn complain(error: &Error) {
    say(&format!("error: {}", error.message));
    if let Some(hint) = &error.hint {
        say(&format!("hint: {hint}"));
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
