//! The tables, each read once, where it is first asked for.

use std::sync::OnceLock;

use super::kind::Shapes;
use super::parse;

/// A table that ships with the program.
#[derive(Debug)]
pub struct Table {
    text: &'static str,
    read: OnceLock<Option<Shapes>>,
}

impl Table {
    /// Of this text.
    pub const fn new(text: &'static str) -> Table {
        Table { text, read: OnceLock::new() }
    }

    /// What it says; `None` for a text that is no table, which a test keeps from shipping.
    pub fn shapes(&self) -> Option<&Shapes> {
        self.read.get_or_init(|| parse::table(self.text).ok()).as_ref()
    }
}

/// MCP 2024-11-05.
pub static MCP_2024_11_05: Table = Table::new(include_str!("tables/mcp-2024-11-05.shapes"));
/// MCP 2025-03-26.
pub static MCP_2025_03_26: Table = Table::new(include_str!("tables/mcp-2025-03-26.shapes"));
/// MCP 2025-06-18.
pub static MCP_2025_06_18: Table = Table::new(include_str!("tables/mcp-2025-06-18.shapes"));
/// MCP 2025-11-25.
pub static MCP_2025_11_25: Table = Table::new(include_str!("tables/mcp-2025-11-25.shapes"));
/// MCP 2026-07-28.
pub static MCP_2026_07_28: Table = Table::new(include_str!("tables/mcp-2026-07-28.shapes"));
/// ACP 1.
pub static ACP_1: Table = Table::new(include_str!("tables/acp-1.shapes"));
/// ACP 2.
pub static ACP_2: Table = Table::new(include_str!("tables/acp-2.shapes"));
/// LSP 3.17 and 3.18.
pub static LSP: Table = Table::new(include_str!("tables/lsp.shapes"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_is_read_and_has_no_name_without_a_definition() {
        let tables =
            [&MCP_2024_11_05, &MCP_2025_03_26, &MCP_2025_06_18, &MCP_2025_11_25, &MCP_2026_07_28, &ACP_1, &ACP_2, &LSP];
        for table in tables {
            let read = parse::table(table.text).unwrap_or_else(|why| panic!("{why}"));
            assert!(read.methods.len() > 15 && read.types.len() > 25, "{:.40}", table.text);
            let named: std::collections::BTreeSet<_> = read.names.iter().collect();
            assert_eq!(named.len(), read.names.len());
        }
    }
}
