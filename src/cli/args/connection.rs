//! A connection as users name it: by its key, or by its number in `rpctape ls`.

use rpctape::error::{Error, ErrorKind, Result, nearest};
use rpctape::store::ConnectionRow;

/// The connection with this key, else the one with this number. `all` are in the order of the store.
pub fn find<'a>(all: &'a [ConnectionRow], name: &str) -> Option<&'a ConnectionRow> {
    let by_number = || all.get(name.parse::<usize>().ok()?.checked_sub(1)?);
    all.iter().find(|row| row.key == name).or_else(by_number)
}

/// The same, and where there is none an error that names the nearest.
pub fn named<'a>(all: &'a [ConnectionRow], name: &str) -> Result<&'a ConnectionRow> {
    find(all, name).ok_or_else(|| no_connection(name, all))
}

/// The error for a connection that does not exist.
pub fn no_connection(name: &str, all: &[ConnectionRow]) -> Error {
    let hint = match nearest(name, all.iter().map(|row| row.key.as_str())) {
        Some(near) => format!("did you mean {near}? `rpctape ls` lists them all"),
        None => "`rpctape ls` lists them all with their numbers".to_string(),
    };
    Error::new(ErrorKind::Usage, format!("there is no connection {name}")).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_before_numbers() {
        let row = |id, key: &str| ConnectionRow { id, key: key.into(), ..ConnectionRow::default() };
        let all = [row(7, "a"), row(8, "1"), row(9, "b c")];
        let id = |name: &str| find(&all, name).map(|row| row.id);
        assert_eq!([id("a"), id("1"), id("3"), id("b c")], [Some(7), Some(8), Some(9), Some(9)]);
        assert_eq!([id("0"), id("4"), id("-1"), id("")], [None; 4]);
    }
}
