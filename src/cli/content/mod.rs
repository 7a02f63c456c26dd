//! What of a store stands on a screen or a page, where several commands show it.

pub mod case;
pub mod page;
pub mod preface;
