//! Facts: what the audit reads of captures, without their bodies, as rows that can be moved and sorted anywhere.
//!
//! A [`Row`] is one captured unit. Rows of one connection, put in the order of [`Row::order`], are what the fold needs;
//! nothing in a row depends on another file, on a database or on where it was made. Rows are JSON lines between programs; in
//! files they are columns of Parquet, for people who ask in SQL, or blocks, for an engine that only moves them.

#[cfg(feature = "parquet")]
mod blocks;
mod lines;
#[cfg(feature = "parquet")]
mod parquet;
mod place;
mod row;

#[cfg(feature = "parquet")]
pub use blocks::{BLOCK, Blocks};
pub use lines::{Lines, Reader, unpacked};
#[cfg(feature = "parquet")]
pub use parquet::{Column, Rows as ParquetRows, Table};
pub use place::{file_name, source_order};
pub use row::{FileFacts, Row, Sink, kind};
