//! Steps of JSON pointers (RFC 6901): `~1` for a slash, `~0` for a tilde. And paths, pointers that lead on into the JSON that a string
//! holds: `/result/content/0/text -> /id`.

/// Leads into the JSON of a string, as a path is written.
pub(crate) const INTO: &str = " -> ";

/// The pointers of a path, each of which begins in the string that the one before it leads to.
pub(crate) fn pointers(path: &str) -> impl Iterator<Item = &str> {
    path.split(INTO.trim()).map(str::trim)
}

/// A name as one step of a pointer.
pub(crate) fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The name that a step of a pointer means.
pub(crate) fn unescape(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_a_name_again() {
        for (name, step) in [("a", "a"), ("a/b", "a~1b"), ("~1", "~01"), ("~/", "~0~1"), ("", "")] {
            assert_eq!((escape(name).as_str(), unescape(step).as_str()), (step, name));
        }
    }

    #[test]
    fn a_path_may_lead_into_the_text_of_a_string() {
        for (path, expected) in [("/a", &["/a"][..]), ("/a -> /b->/c", &["/a", "/b", "/c"]), ("", &[""])] {
            assert_eq!(pointers(path).collect::<Vec<_>>(), expected);
        }
    }
}
