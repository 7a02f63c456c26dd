//! Tapes written and read back.
