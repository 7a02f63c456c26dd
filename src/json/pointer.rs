//! Steps of JSON pointers (RFC 6901): `~1` for a slash, `~0` for a tilde.

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
}
