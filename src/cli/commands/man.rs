//! `rpctape man`: the manual pages, made from the same help texts as `--help`.

use std::path::{Path, PathBuf};

use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;
use rpctape::error::Result;
use rpctape::output::{self, Folder, Readers};

use crate::cli::screen::io;

/// Print the manual page, or write all pages into a directory
#[derive(Args, Debug)]
pub struct ManArgs {
    /// Directory to write rpctape.1, rpctape-check.1, ... into; without it, or with `-`, rpctape.1 goes to standard output
    #[arg(short, long, value_name = "DIR")]
    out_dir: Option<PathBuf>,
}

/// Sections that the help texts do not hold.
const EXIT_STATUS: &str = ".SH \"EXIT STATUS\"\n\
.TP\n0\nNothing at or above the chosen severity was found, or the question was answered.\n\
.TP\n1\nViolations at or above \\fB\\-\\-fail\\-on\\fR were found (\\fBcheck\\fR, \\fBaudit\\fR).\n\
.TP\n2\nThe command could not run, or nothing was checked.\n\
.TP\n130, 143\nInterrupted by Ctrl-C or by TERM.\n";
const ENVIRONMENT: &str = ".SH ENVIRONMENT\n\
.TP\n\\fBNO_COLOR\\fR, \\fBCLICOLOR_FORCE\\fR, \\fBFORCE_COLOR\\fR\nSwitch colour off or on, unless \\fB\\-\\-color\\fR says otherwise.\n\
.TP\n\\fBCOLUMNS\\fR\nThe width to use, unless \\fB\\-\\-width\\fR says otherwise.\n\
.TP\n\\fBTMPDIR\\fR\nWhere the temporary database stands while a capture is read.\n\
.TP\n\\fBCI\\fR\nIf set, no progress is shown.\n";
const FILES: &str = ".SH FILES\nA command that reads captures leaves nothing behind, unless \\fB\\-\\-db\\fR names a database to keep.\n";
const EXAMPLES: &str = ".SH EXAMPLES\n\
.TP\n\\fBrpctape check session.jsonl\\fR\nAudit one log.\n\
.TP\n\\fBrpctape check logs/ \\-\\-format jsonl \\-\\-fail\\-on warning\\fR\nAudit a directory in CI.\n\
.TP\n\\fBrpctape show session.jsonl #17\\fR\nShow one exchange.\n\
.TP\n\\fBrpctape query session.jsonl \"select method, count(*) from exchanges group by 1\"\\fR\nAsk in SQL.\n";

/// Prints the page, or writes all pages.
pub fn run(args: &ManArgs) -> Result<u8> {
    let mut root = crate::Cli::command();
    root.build();
    let Some(directory) = args.out_dir.as_deref().filter(|name| !output::is_stdout(name)) else {
        io::print(&String::from_utf8_lossy(&page(&root)?))?;
        return Ok(0);
    };
    let _folder = Folder::make(directory)?;
    write(directory, "rpctape", &root)?;
    for command in root.get_subcommands().filter(|command| command.get_name() != "help") {
        let name = format!("rpctape-{}", command.get_name());
        write(directory, &name, command)?;
    }
    Ok(0)
}

fn write(directory: &Path, name: &str, command: &Command) -> Result<()> {
    let path = directory.join(format!("{name}.1"));
    output::write(&path, &page(command)?, Readers::Umask)
}

fn page(command: &Command) -> Result<Vec<u8>> {
    let mut page = Vec::new();
    io::written(Man::new(command.clone()).render(&mut page))?;
    for section in [EXIT_STATUS, FILES, ENVIRONMENT, EXAMPLES] {
        page.extend_from_slice(section.as_bytes());
    }
    Ok(page)
}
