//! Names and orders that are the same wherever facts are made.

use crate::capture::name_order;

/// What sources sort by, bytewise: their names step by step, as a folder is walked; rotated parts of one log oldest first.
pub fn source_order(name: &str) -> String {
    name_order(name).replace('/', "\u{1}")
}

/// The name of the facts of a source, in any folder: the end of its own name, and a hash of all of it.
pub fn file_name(source: &str, ending: &str) -> String {
    let kept = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let last = source.rsplit('/').next().unwrap_or(source);
    let plain: String = last.chars().take(80).map(|c| if kept(c) { c } else { '_' }).collect();
    let hash = blake3::hash(source.as_bytes()).to_hex();
    format!("{}-{}.{ending}", plain.trim_start_matches('.'), &hash[..12])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_sort_as_folders_are_walked_and_their_facts_have_names_of_their_own() {
        let mut names = ["a.log", "a/b.log", "a-b/c", "a/a.log", "a.log.1", "a.log.2.gz"];
        names.sort_by_key(|name| source_order(name));
        assert_eq!(names, ["a/a.log", "a/b.log", "a-b/c", "a.log.2.gz", "a.log.1", "a.log"]);
        assert_ne!(file_name("x/a.log", "parquet"), file_name("y/a.log", "parquet"));
        assert!(file_name("../..", "jsonl").starts_with('-'));
        assert!(file_name("x/a b\n.log", "jsonl").starts_with("a_b_.log-"));
    }
}
