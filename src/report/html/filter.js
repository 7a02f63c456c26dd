// The filter: words that narrow the messages. Each word is compiled to a test of a row; strings are compared once each.

const IS = ["stuck", "late", "open", "cancelled", "error", "nested", "finding"];
const KEYS = ["is", "from", "kind", "conn", "rule", "line", "at", "text"];

/** Which of the distinct strings hold a text. */
const holding = (text) => {
  const hits = new Uint8Array(D.s.length);
  D.s.forEach((string, nth) => { if (string.toLowerCase().includes(text)) hits[nth] = 1; });
  return hits;
};

/** A test of the exchange of a row. */
const ofExchange = (test) => (row) => { const x = D.m.ex[row]; return x >= 0 && test(x); };

const isWord = (word) => {
  const out = D.s.indexOf(word === "error" ? "error" : "unanswered");
  switch (word) {
    case "stuck": return ofExchange(stuck);
    case "late": return ofExchange(late);
    case "open": return ofExchange((x) => D.x.out[x] === out);
    case "cancelled": return ofExchange((x) => (D.x.flag[x] & 8) !== 0);
    case "nested": return ofExchange((x) => D.x.par[x] >= 0);
    case "error": return (row) => D.m.kind[row] === out || (D.m.ex[row] >= 0 && D.x.out[D.m.ex[row]] === out);
    default: return (row) => D.found[row] === 1 || (D.m.ex[row] >= 0 && (D.x.flag[D.m.ex[row]] & 4) !== 0);
  }
};

/** Microseconds of `30s`, `500ms`; not a number where it is none. */
const micros = (text) => {
  const [, value, unit] = /^(\d+(?:\.\d+)?)(us|ms|s|m|h)$/.exec(text) || [];
  return value === undefined ? NaN : Number(value) * { us: 1, ms: 1e3, s: 1e6, m: 6e7, h: 3.6e9 }[unit];
};

/** The span that a time names, from the start of the data: `14:03`, `14:03:20`, `2026-04-12T06:14:58Z`. */
const moment = (text) => {
  const iso = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(/Z|[+-]\d\d:?\d\d$/.test(text) ? text : text + "Z") * 1000 : NaN;
  if (!Number.isNaN(iso)) return [iso - D.t0, iso - D.t0 + 999999];
  const [, hour, minute, second] = /^(\d{1,2}):(\d\d)(?::(\d\d))?$/.exec(text) || [];
  if (hour === undefined || D.t0 === null) return null;
  const day = Math.floor(D.t0 / 8.64e10) * 8.64e10;
  let from = day + ((Number(hour) * 60 + Number(minute)) * 60 + Number(second || 0)) * 1e6 - D.t0;
  const long = second === undefined ? 6e7 : 1e6;
  if (from + long < 0) from += 8.64e10;
  return [from, from + long - 1];
};

/** One word to a test, or nothing where it is none. */
const compiled = (key, value) => {
  const low = value.toLowerCase();
  if (key === "is") return IS.includes(low) ? isWord(low) : null;
  if (key === "from") { const by = ["client", "server"].indexOf(low); return by < 0 ? null : (row) => D.m.by[row] === by; }
  if (key === "kind") { const hits = holding(low); return (row) => hits[D.m.kind[row]] === 1; }
  if (key === "conn") {
    const hits = D.conns.map((conn, nth) => conn.key.toLowerCase().includes(low) || String(nth + 1) === low);
    return (row) => hits[D.m.conn[row]];
  }
  if (key === "rule") {
    const rows = new Uint8Array(D.m.line.length), wanted = new Uint8Array(D.x.id.length);
    const of = D.f.filter((finding) => finding.code.toLowerCase() === low || finding.rule === low);
    if (of.length === 0) return null;
    for (const finding of of) {
      if (finding.x >= 0) wanted[finding.x] = 1;
      for (const [, row] of finding.proof) if (row >= 0) rows[row] = 1;
    }
    return (row) => rows[row] === 1 || (D.m.ex[row] >= 0 && wanted[D.m.ex[row]] === 1);
  }
  if (key === "line") {
    const [, from, to] = /^(\d+)(?:-(\d+))?$/.exec(low) || [];
    return from === undefined ? null : (row) => D.m.line[row] >= Number(from) && D.m.line[row] <= Number(to || from);
  }
  if (key === "at") {
    const span = moment(value);
    if (span === null) return null;
    const flying = ofExchange((x) => D.x.sent[x] !== null && D.x.sent[x] <= span[1] && endOf(x) >= span[0]);
    return (row) => flying(row) || (D.m.at[row] !== null && D.m.at[row] >= span[0] && D.m.at[row] <= span[1]);
  }
  if (/^[<>]/.test(low)) {
    const limit = micros(low.slice(1));
    if (Number.isNaN(limit)) return null;
    const took = (x) => D.x.took[x] ?? (D.s[D.x.out[x]] === "unanswered" ? endOf(x) - D.x.sent[x] : null);
    const test = low[0] === ">" ? (us) => us > limit : (us) => us < limit;
    return ofExchange((x) => D.x.sent[x] !== null && took(x) !== null && test(took(x)));
  }
  const exact = /^[#s]\S+$/.test(value) ? D.s.indexOf(value) : -1;
  if (exact > 0) return (row) => D.m.id[row] === exact || (D.m.ex[row] >= 0 && D.x.id[D.m.ex[row]] === exact);
  const hits = holding(low);
  return (row) => {
    const x = D.m.ex[row];
    return hits[D.m.what[row]] === 1 || hits[D.m.id[row]] === 1 || hits[D.m.kind[row]] === 1 ||
      (x >= 0 && (hits[D.x.what[x]] === 1 || hits[D.x.name[x]] === 1 || hits[D.x.id[x]] === 1));
  };
};

/** Reads the words: tests of a row, texts to be looked for, and words that mean nothing. */
const parsed = (text) => {
  const result = { tests: [], texts: [], unknown: [] };
  for (const whole of text.match(/-?(?:[a-z]+:)?(?:"[^"]*"?|\S+)/gi) || []) {
    const not = whole.length > 1 && whole[0] === "-";
    const word = not ? whole.slice(1) : whole;
    const colon = word.indexOf(":");
    const key = colon > 0 && KEYS.includes(word.slice(0, colon)) ? word.slice(0, colon) : "";
    const value = (key === "" ? word : word.slice(colon + 1)).replace(/^"|"$/g, "");
    if (value === "" && key !== "") continue;
    if (key === "text") { result.texts.push({ not, value: value.toLowerCase() }); continue; }
    const test = compiled(key, value);
    if (test === null) result.unknown.push(whole);
    else result.tests.push(not ? (row) => !test(row) : test);
  }
  return result;
};

/** Rows that pass all tests and lie in the range. */
const passing = (tests, inView) => {
  const rows = [];
  for (let row = 0; row < D.m.line.length; row++) {
    if (inView !== null && !inView(row)) continue;
    let pass = true;
    for (const test of tests) if (!test(row)) { pass = false; break; }
    if (pass) rows.push(row);
  }
  return rows;
};

/** The rows among these whose text holds all that is looked for; hands out what it has after each few blocks. */
const searched = async (rows, wanted, still, show) => {
  const found = [];
  let since = performance.now();
  for (const row of rows) {
    const text = (textNow(row) ?? await textOf(row)).toLowerCase();
    if (!still()) return;
    if (wanted.every((one) => text.includes(one.value) !== one.not)) found.push(row);
    if (performance.now() - since > 80) {
      show(found, false);
      await new Promise((resume) => setTimeout(resume));
      since = performance.now();
    }
  }
  if (still()) show(found, true);
};

