//! Golden screens and files.
