//! What the logs gave occasion to, and which clauses were broken: numbers that coverage is told from.

use rusqlite::named_params;

use super::{Store, codes};
use crate::error::Result;
use crate::finding::Breach;
use crate::protocol::Profile;

const SELECT_OCCASIONS: &str = include_str!("../../sql/statements/select_occasions.sql");
const COUNT_BREACHES: &str = include_str!("../../sql/statements/count_breaches.sql");

/// What connections of one profile gave each side occasion to keep or to break; those alike are one row.
#[derive(Clone, Copy, Debug)]
pub struct OccasionRow {
    /// The profile.
    pub profile: &'static Profile,
    /// Of the client, as bits.
    pub client: [u64; 2],
    /// Of the server, as bits.
    pub server: [u64; 2],
    /// What the log can prove of them, as bits.
    pub proof: u16,
    /// How many connections.
    pub connections: u64,
}

impl Store {
    /// What all connections, or one, gave occasion to.
    pub fn occasions(&self, connection: Option<i64>) -> Result<Vec<OccasionRow>> {
        let profiles = codes::numbered_profiles();
        let rows = self.rows(SELECT_OCCASIONS, named_params! { ":connection": connection }, |row| {
            let number = |at: usize| row.get::<_, i64>(at);
            let bits = |at: usize| -> rusqlite::Result<[u64; 2]> { Ok([number(at)? as u64, number(at + 1)? as u64]) };
            let (client, server, connections) = (bits(1)?, bits(3)?, number(6)? as u64);
            let (profile, proof) = (profile_at(&profiles, number(0)?), number(5)? as u16);
            Ok(profile.map(|profile| OccasionRow { profile, client, server, proof, connections }))
        })?;
        Ok(rows.into_iter().flatten().collect())
    }

    /// Findings that rest on a clause, of all connections or of one.
    pub fn breaches(&self, connection: Option<i64>) -> Result<Vec<Breach>> {
        let profiles = codes::numbered_profiles();
        let rows = self.rows(COUNT_BREACHES, named_params! { ":connection": connection }, |row| {
            let (clause, code) = (row.get(1)?, row.get(2)?);
            let side = row.get::<_, Option<i64>>(3)?.map(codes::side_of);
            let violation = row.get::<_, i64>(4)? == 0;
            let count = row.get::<_, i64>(5)? as u64;
            let profile = profile_at(&profiles, row.get(0)?);
            Ok(profile.map(|profile| Breach { profile, clause, code, side, violation, count }))
        })?;
        Ok(rows.into_iter().flatten().collect())
    }
}

fn profile_at(profiles: &[&'static Profile], number: i64) -> Option<&'static Profile> {
    usize::try_from(number).ok().and_then(|at| profiles.get(at).copied())
}
