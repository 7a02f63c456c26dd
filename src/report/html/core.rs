//! The data of the page: columns of numbers and a list of strings, and the texts in blocks that are unpacked when a row
//! needs them.

use std::collections::HashMap;
use std::io;

use serde::Serialize;

use super::gathered::Gathered;
use super::pack::packed;
use crate::report::escape::escape;
use crate::rules::charge;
use crate::store::FindingRow;

/// Texts of a block.
const BLOCK: usize = 500;

/// `why` calls it stuck.
const STUCK: u8 = 1;
/// It is proven that a cancel of it was not honoured.
const LATE: u8 = 2;
/// A finding is about it.
const FOUND: u8 = 4;
/// A cancel names it.
const CANCELLED: u8 = 8;

#[derive(Serialize)]
struct Core<'a> {
    v: u8,
    /// The earliest time, in microseconds since the epoch; all others are counted from it.
    t0: Option<i64>,
    log: Option<&'a str>,
    total: usize,
    conns: Vec<Connection>,
    s: &'a [String],
    m: Messages,
    x: Exchanges,
    c: Vec<Cancel>,
    f: Vec<Finding>,
    per: usize,
    blocks: usize,
}

#[derive(Serialize)]
struct Connection {
    key: String,
    name: String,
    about: String,
    end: Option<i64>,
    whole: bool,
}

#[derive(Default, Serialize)]
struct Messages {
    line: Vec<u64>,
    at: Vec<Option<i64>>,
    src: Vec<u32>,
    conn: Vec<usize>,
    by: Vec<u8>,
    kind: Vec<u32>,
    what: Vec<u32>,
    id: Vec<u32>,
    bytes: Vec<u64>,
    code: Vec<Option<i64>>,
    ex: Vec<i64>,
}

#[derive(Default, Serialize)]
struct Exchanges {
    conn: Vec<usize>,
    by: Vec<u8>,
    what: Vec<u32>,
    name: Vec<u32>,
    id: Vec<u32>,
    out: Vec<u32>,
    hist: Vec<u32>,
    line: Vec<u64>,
    sent: Vec<Option<i64>>,
    end: Vec<Option<i64>>,
    took: Vec<Option<i64>>,
    req: Vec<i64>,
    res: Vec<i64>,
    par: Vec<i64>,
    flag: Vec<u8>,
}

#[derive(Serialize)]
struct Cancel {
    x: i64,
    m: i64,
    by: u8,
    at: Option<i64>,
    how: u32,
    why: u32,
    effect: u32,
}

#[derive(Serialize)]
struct Finding {
    code: String,
    rule: String,
    severity: String,
    certainty: String,
    text: String,
    level: String,
    clause: String,
    line: u64,
    x: i64,
    m: i64,
    proof: Vec<(String, i64)>,
}

/// Places of rows, by frame.
struct Places {
    messages: HashMap<i64, usize>,
    exchanges: HashMap<i64, usize>,
    connections: HashMap<i64, usize>,
    t0: Option<i64>,
}

impl Places {
    fn of(gathered: &Gathered) -> Places {
        let times = gathered.rows.iter().filter_map(|row| row.at_us);
        Places {
            messages: gathered.rows.iter().enumerate().map(|(at, row)| (row.id, at)).collect(),
            exchanges: gathered.exchanges.iter().enumerate().map(|(at, row)| (row.id, at)).collect(),
            connections: gathered.connections.iter().enumerate().map(|(at, row)| (row.id, at)).collect(),
            t0: times.min(),
        }
    }

    fn message(&self, id: Option<i64>) -> i64 {
        place(&self.messages, id)
    }

    fn exchange(&self, id: Option<i64>) -> i64 {
        place(&self.exchanges, id)
    }

    fn since(&self, at_us: Option<i64>) -> Option<i64> {
        Some(at_us? - self.t0?)
    }
}

fn place(of: &HashMap<i64, usize>, id: Option<i64>) -> i64 {
    id.and_then(|id| of.get(&id)).map_or(-1, |at| *at as i64)
}

/// What of each exchange is said by findings and cancels.
pub fn flags(gathered: &Gathered, findings: &[FindingRow]) -> Vec<u8> {
    let places: HashMap<i64, usize> = gathered.exchanges.iter().enumerate().map(|(at, row)| (row.id, at)).collect();
    let never = |row: &crate::store::ExchangeRow| if gathered.stuck.contains(&row.id) { STUCK } else { 0 };
    let mut flags: Vec<u8> = gathered.exchanges.iter().map(never).collect();
    for finding in findings {
        let Some(at) = finding.exchange_id.and_then(|id| places.get(&id)) else { continue };
        flags[*at] |= FOUND;
        if finding.certainty == "violation" {
            flags[*at] |= match charge(&finding.code) {
                Some(charge) if charge.defies_cancel() => LATE,
                _ => 0,
            };
        }
    }
    for cancel in &gathered.cancels {
        if let Some(at) = cancel.exchange_id.and_then(|id| places.get(&id)) {
            flags[*at] |= CANCELLED;
        }
    }
    flags
}

/// True where `why` calls a request stuck.
pub fn is_stuck(flag: u8) -> bool {
    flag & STUCK != 0
}

/// True where it is proven that a cancel of a request was not honoured.
pub fn is_late(flag: u8) -> bool {
    flag & LATE != 0
}

/// The blocks of the page, by name: `core`, `t0`, `t1` ...
pub fn blocks(gathered: &Gathered, findings: &[FindingRow]) -> io::Result<Vec<(String, String)>> {
    let places = Places::of(gathered);
    let core = Core {
        v: 1,
        t0: places.t0,
        log: gathered.log.as_deref(),
        total: gathered.total,
        conns: connections(gathered, &places),
        s: &gathered.strings,
        m: messages(gathered, &places),
        x: exchanges(gathered, &places, flags(gathered, findings)),
        c: cancels(gathered, &places),
        f: findings.iter().map(|row| finding(row, &places)).collect(),
        per: BLOCK,
        blocks: gathered.rows.len().div_ceil(BLOCK),
    };
    let mut blocks = vec![("core".to_string(), packed(&serde_json::to_vec(&core)?)?)];
    for (nth, rows) in gathered.rows.chunks(BLOCK).enumerate() {
        let texts: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
        blocks.push((format!("t{nth}"), packed(&serde_json::to_vec(&texts)?)?));
    }
    Ok(blocks)
}

fn connections(gathered: &Gathered, places: &Places) -> Vec<Connection> {
    let one = |row: &crate::store::ConnectionRow| Connection {
        key: escape(&row.key).into_owned(),
        name: escape(gathered.short(&row.key)).into_owned(),
        about: escape(format!("{} {}", row.protocol, row.revision).trim_end()).into_owned(),
        end: places.since(row.last_at_us),
        whole: row.complete_head && row.complete_tail,
    };
    gathered.connections.iter().map(one).collect()
}

fn messages(gathered: &Gathered, places: &Places) -> Messages {
    let mut all = Messages::default();
    for row in &gathered.rows {
        all.line.push(row.line);
        all.at.push(places.since(row.at_us));
        all.src.push(row.source);
        all.conn.push(row.connection);
        all.by.push(row.by);
        all.kind.push(row.kind);
        all.what.push(row.method);
        all.id.push(row.label);
        all.bytes.push(row.bytes);
        all.code.push(row.code);
        all.ex.push(row.exchange.map_or(-1, |at| at as i64));
    }
    all
}

fn exchanges(gathered: &Gathered, places: &Places, flags: Vec<u8>) -> Exchanges {
    let mut all = Exchanges { flag: flags, ..Exchanges::default() };
    for (row, [what, name, id, out, hist]) in gathered.exchanges.iter().zip(&gathered.words) {
        all.conn.push(places.connections.get(&row.connection_id).copied().unwrap_or(0));
        all.by.push(u8::from(row.issuer == "server"));
        all.what.push(*what);
        all.name.push(*name);
        all.id.push(*id);
        all.out.push(*out);
        all.hist.push(*hist);
        all.line.push(row.line);
        all.sent.push(places.since(row.sent_at_us));
        all.end.push(places.since(row.settled_at_us));
        all.took.push(row.latency_us);
        all.req.push(places.message(Some(row.id)));
        all.res.push(places.message(row.response_id));
        all.par.push(places.exchange(row.parent_id));
    }
    all
}

fn cancels(gathered: &Gathered, places: &Places) -> Vec<Cancel> {
    let one = |(row, [how, why, effect]): (&crate::store::CancellationRow, &[u32; 3])| Cancel {
        x: places.exchange(row.exchange_id),
        m: places.message(Some(row.message_id)),
        by: u8::from(row.sender == "server"),
        at: places.since(row.sent_at_us),
        how: *how,
        why: *why,
        effect: *effect,
    };
    gathered.cancels.iter().zip(&gathered.cancel_words).map(one).collect()
}

fn finding(row: &FindingRow, places: &Places) -> Finding {
    let clause = row.clause.as_ref();
    Finding {
        code: row.code.clone(),
        rule: row.rule.clone(),
        severity: row.severity.clone(),
        certainty: row.certainty.clone(),
        text: escape(&row.summary).into_owned(),
        level: clause.map_or(String::new(), |clause| clause.level.clone()),
        clause: clause.map_or(String::new(), |clause| clause.text.clone()),
        line: row.line,
        x: places.exchange(row.exchange_id),
        m: places.message(Some(row.message_id)),
        proof: row.evidence.iter().map(|it| (it.role.clone(), places.message(Some(it.message.id)))).collect(),
    }
}
