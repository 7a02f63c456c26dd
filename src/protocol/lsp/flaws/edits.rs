//! Edits and ranges: how they stand to each other.

use serde_json::Value;

use crate::protocol::flaw::{Flaws, list};

/// Line and character.
type Position = (u64, u64);

/// A range, its end not in it.
#[derive(Clone, Copy)]
struct Range {
    start: Position,
    end: Position,
}

impl Range {
    fn of(value: &Value) -> Option<Range> {
        let at = |end: &str| Some((value[end]["line"].as_u64()?, value[end]["character"].as_u64()?));
        Some(Range { start: at("start")?, end: at("end")? })
    }

    fn contains(self, other: Range) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    fn is_on_one_line(self) -> bool {
        self.start.0 == self.end.0
    }

    /// True if both change a place; two that touch do not.
    fn overlaps(self, other: Range) -> bool {
        let same_insert = self.start == self.end && other.start == other.end && self.start == other.start;
        same_insert || self.start < other.end && other.start < self.end
    }
}

/// The answer to `textDocument/selectionRange`: each range in its parent.
pub(super) fn selections(result: &Value, flaws: &mut Flaws) {
    for mut inner in list(result) {
        while let Some(outer) = inner.get("parent").filter(|parent| parent.is_object()) {
            if let (Some(parent), Some(this)) = (Range::of(&outer["range"]), Range::of(&inner["range"])) {
                let words = || "the range of a selection is not within the range of its parent".to_string();
                flaws.add_if(!parent.contains(this), "PAY020/parent", words);
            }
            inner = outer;
        }
    }
}

/// The edits of a completion.
pub(super) fn completion(item: &Value, flaws: &mut Flaws) {
    let edit = &item["textEdit"];
    let (insert, replace) = (Range::of(&edit["insert"]), Range::of(&edit["replace"]));
    let whole = Range::of(&edit["range"]);
    if let (Some(insert), Some(replace)) = (insert, replace) {
        let prefix = insert.start == replace.start && insert.end <= replace.end;
        let words = || "the range that a completion inserts into is no prefix of the one that it replaces".to_string();
        flaws.add_if(!prefix, "PAY020/insert", words);
    }
    let long = [whole, insert, replace].into_iter().flatten().any(|range| !range.is_on_one_line());
    flaws.add_if(long, "PAY020", || "the edit of a completion is on more than one line".to_string());
    let others: Vec<Range> = list(&item["additionalTextEdits"]).filter_map(|edit| Range::of(&edit["range"])).collect();
    let main = whole.or(replace);
    let meets = |(at, one): (usize, &Range)| {
        main.is_some_and(|main| main.overlaps(*one)) || others[..at].iter().any(|other| other.overlaps(*one))
    };
    let words = || "an additional edit of a completion overlaps with another of its edits".to_string();
    flaws.add_if(others.len() <= COMPARED && others.iter().enumerate().any(meets), "PAY020/overlap", words);
}

/// How many additional edits of one completion are compared, each with each.
const COMPARED: usize = 256;

/// An edit of the workspace.
pub(super) fn workspace(edit: &Value, flaws: &mut Flaws) {
    let changes = edit["changes"].as_object().is_some_and(|changes| !changes.is_empty());
    let documents = edit["documentChanges"].as_array().is_some_and(|changes| !changes.is_empty());
    let words = || "an edit of the workspace has both changes and documentChanges".to_string();
    flaws.add_if(changes && documents, "PAY021/changes", words);
}
