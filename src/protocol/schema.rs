//! Which table says what the messages of a profile look like.

use super::{Family, Profile};
use crate::shape::{
    ACP_1, ACP_2, LSP, MCP_2024_11_05, MCP_2025_03_26, MCP_2025_06_18, MCP_2025_11_25, MCP_2026_07_28, Shapes,
};

impl Profile {
    /// What messages look like by the schema of this revision; `None` where there is none, or the revision is not known.
    pub fn shapes(&self) -> Option<&'static Shapes> {
        let table = match (self.family, self.revision) {
            _ if self.unknown_revision => return None,
            (Family::Mcp, "2024-11-05") => &MCP_2024_11_05,
            (Family::Mcp, "2025-03-26") => &MCP_2025_03_26,
            (Family::Mcp, "2025-06-18") => &MCP_2025_06_18,
            (Family::Mcp, "2025-11-25") => &MCP_2025_11_25,
            (Family::Mcp, "2026-07-28") => &MCP_2026_07_28,
            (Family::Acp, "2") => &ACP_2,
            (Family::Acp, _) => &ACP_1,
            (Family::Lsp, _) => &LSP,
            _ => return None,
        };
        table.shapes()
    }

    /// True if `null` is as good as an empty object where a result has nothing to say: its peers read it so.
    pub fn null_is_empty(&self) -> bool {
        matches!(self.family, Family::Acp | Family::Lsp)
    }

    /// True if an empty list says that there are no parameters. That they should be an object is a sentence of LSP.
    pub fn empty_list_is_none(&self) -> bool {
        self.family == Family::Lsp
    }
}

#[cfg(test)]
mod tests {
    use crate::protocol::profiles;

    /// A method that a table does not have is never judged; that must be because the schema does not have it.
    #[test]
    fn tables_have_the_methods_of_their_profiles() {
        for profile in profiles().filter(|profile| profile.shapes().is_some()) {
            let shapes = profile.shapes().unwrap();
            let known = profile.methods.iter().filter(|method| shapes.method(method.name).is_some()).count();
            assert!(known * 2 > shapes.methods().count(), "{}: {known}", profile.label());
        }
    }
}
