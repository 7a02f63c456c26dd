//! Which formats come nearest to a text that was not read.

use super::detect::{all, candidates};
use super::input::Input;
use super::sample::Sample;

/// How many formats are named.
const NEAREST: usize = 3;

/// What reads a line of a file that was passed over although it looks like a message, or comes near to it, in words.
/// `None` where no format does, or where the file cannot be read once more.
pub fn near(path: &str, line: u64) -> Option<String> {
    // Whatever a pipe held is gone, and opening it again would wait for more.
    let is_file = std::fs::metadata(path).is_ok_and(|meta| meta.is_file());
    let input = is_file.then(|| Input::open(path).ok()).flatten()?;
    let index = usize::try_from(line.checked_sub(1)?).ok()?;
    let text = input.head().split(|byte| *byte == b'\n').nth(index)?;
    let sample = Sample::further(text, line - 1);
    let named = candidates(&sample).filter(|(format, _)| format.definition(&sample).is_none());
    match named.max_by_key(|(_, found)| found.score) {
        Some((format, _)) => Some(format!("line {line} alone fits {}", format.name())),
        None => nearest(&sample).map(|near| format!("line {line} {near}")),
    }
}

/// The formats whose signs a text has although none of them finds a message, the nearest first.
pub(super) fn nearest(sample: &Sample) -> Option<String> {
    let near = all().filter(|format| format.is_near(sample));
    let mut near: Vec<_> = near.filter_map(|format| Some((format.name(), format.misfit(sample)?))).collect();
    near.sort_by_key(|(_, misfit)| std::cmp::Reverse((misfit.stage, misfit.column)));
    let told = |(name, misfit): &(&str, super::format::Misfit)| {
        format!("{name} (line {}: {})", misfit.line + sample.lines_before, misfit.why)
    };
    let told: Vec<String> = near.iter().take(NEAREST).map(told).collect();
    (!told.is_empty()).then(|| format!("comes near to {}", told.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_passed_over_is_told_from_others() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("x.log");
        let clangd = "V[10:00:00.002] <<< {\"id\":1,\"jsonrpc\":\"2.0\",\"method\":\"shutdown\"}";
        std::fs::write(&path, format!("hello\n{clangd}\nnothing\n")).expect("written");
        let path = path.to_string_lossy();
        assert_eq!(near(&path, 2).as_deref(), Some("line 2 alone fits clangd-verbose"));
        assert_eq!(near(&path, 3), None);
        assert_eq!(near(&path, 99), None);
        assert_eq!(near("-", 1), None);
    }
}
