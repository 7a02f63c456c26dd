//! What messages of a protocol look like, by the schema of its revision, and whether one does.
//!
//! `tables/*.shapes` are facts of official schemas, made by `.ci/shapes.py`: one line for each method (`@ ping ?RequestParams -> EmptyResult`;
//! `?` where parameters may be absent) and one for each definition (`Tool = {name: str, title?: str}`). `parse` reads them, `check` holds a
//! value against a type. Members that a type does not name are allowed everywhere. `schema` makes types of JSON Schemas that a peer declared. What a fault means, and whose it is, is not said here.

mod check;
mod fault;
mod kind;
mod parse;
mod schema;
mod table;
#[cfg(test)]
mod tests;
mod words;

pub use fault::{Fault, kind_of};
pub use kind::{Member, Method, Shapes, Type};
pub use schema::Declared;
pub use table::{
    ACP_1, ACP_2, LSP, MCP_2024_11_05, MCP_2025_03_26, MCP_2025_06_18, MCP_2025_11_25, MCP_2026_07_28, Table,
};
