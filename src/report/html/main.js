// Puts the page together: unpacks the core, indexes it, builds timeline and table, and follows the address.

const view = { input: null, status: null, problem: null, turn: 0 };

/** What is asked again and again, made once. */
const indexed = () => {
  const count = D.x.id.length;
  D.of = D.conns.map(() => []);
  D.rowsOf = new Map();
  D.children = new Map();
  D.progressOf = new Map();
  D.cancelOf = new Map();
  D.names = new Map();
  D.twice = new Set();
  D.lastOf = new Int32Array(count).fill(-1);
  D.lastRow = D.conns.map(() => 0);
  D.found = new Uint8Array(D.m.line.length);
  D.load = [null, null];
  const seen = new Set(), notification = D.s.indexOf("notification");
  const add = (map, key, value) => { const list = map.get(key); if (list) list.push(value); else map.set(key, [value]); };
  for (let x = 0; x < count; x++) {
    D.of[D.x.conn[x]].push(x);
    if (D.x.par[x] >= 0) add(D.children, D.x.par[x], x);
    const key = D.x.conn[x] + " " + D.x.id[x];
    if (seen.has(key)) D.twice.add(key);
    seen.add(key);
  }
  for (const cancel of D.c) if (cancel.x >= 0 && !D.cancelOf.has(cancel.x)) D.cancelOf.set(cancel.x, cancel);
  const cancels = new Set(D.c.map((cancel) => cancel.m));
  for (let row = 0; row < D.m.line.length; row++) {
    const x = D.m.ex[row];
    D.lastRow[D.m.conn[row]] = row;
    if (x < 0) continue;
    add(D.rowsOf, x, row);
    D.lastOf[x] = row;
    if (D.m.kind[row] === notification && !cancels.has(row)) add(D.progressOf, x, row);
  }
  for (const cancel of D.c) if (cancel.x >= 0 && cancel.m >= 0 && D.m.ex[cancel.m] !== cancel.x) add(D.rowsOf, cancel.x, cancel.m);
  for (let x = 0; x < count; x++) D.names.set(nameOf(x), x);
  D.faults = [[], []];
  for (const one of D.f) {
    for (const [, row] of one.proof) if (row >= 0) D.found[row] = 1;
    if (one.m < 0 || one.severity === "note") continue;
    D.found[one.m] = 1;
    D.faults[1].push([one.m, one.severity]);
    if (D.m.at[one.m] !== null) D.faults[0].push([D.m.at[one.m], one.severity]);
  }
};

const setFilter = (text) => { view.input.value = text; applied(); };

/** Applies filter and view to the table. */
const applied = () => {
  const turn = ++view.turn;
  const words = parsed(view.input.value);
  const inView = rowInView();
  const rows = passing(words.tests, inView);
  view.problem.textContent = words.unknown.length > 0 ? "not understood: " + words.unknown.join(" ") : "";
  const told = (found, done) => {
    const part = inView === null ? "" : " in the timeline's view";
    view.status.textContent = `${number(found)} of ${number(D.m.line.length)} rows${part}${done ? "" : ", still looking"}`;
    view.whole.hidden = inView === null;
  };
  if (words.texts.length === 0) { showRows(rows); told(rows.length, true); return; }
  told(0, false);
  searched(rows, words.texts, () => turn === view.turn, (found, done) => { showRows([...found]); told(found.length, done); });
};

const buildFilter = (place) => {
  view.input = el("input", { id: "filter", type: "search", spellcheck: "false", autocomplete: "off", "aria-label": "Filter messages",
    placeholder: 'search  #17  is:stuck  from:server  >1s  text:"needle"' });
  view.status = el("span", { role: "status" });
  view.problem = el("p", { class: "problem", role: "alert" });
  view.whole = el("button", { type: "button", hidden: "" }, "show all of the timeline");
  view.whole.addEventListener("click", () => look(...line.whole));
  let timer = 0;
  view.input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(applied, /(^|\s)-?text:/.test(view.input.value) ? 300 : 30);
  });
  const words = el("details", { class: "hint" }, el("summary", {}, "words"), el("p", {}, "A bare word looks into methods, tools and ids. " +
    `is:${IS.join("|")}, from:client|server, kind:, conn:, rule:CAN010, line:120-180, at:14:03, >1s, <5ms, text:"in the payload"; - before a word negates it. ` +
    "Keys: / filter, Esc close, n and p next and previous finding; in the table arrows and Enter."));
  place.append(el("div", { class: "tools" }, view.input, view.status, view.whole), view.problem, words);
};

/** Next or previous finding. */
const step = (by) => {
  const now = /^#finding-(\d+)$/.exec(location.hash);
  const next = now === null ? (by > 0 ? 1 : D.f.length) : Number(now[1]) + by;
  if (next >= 1 && next <= D.f.length) location.hash = "finding-" + next;
};

const keys = (event) => {
  const typing = event.target instanceof HTMLInputElement;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && !drawer.node.hidden) closeDrawer();
  else if (event.key === "/" && !typing) view.input.focus();
  else if (event.key === "n" && !typing) step(1);
  else if (event.key === "p" && !typing) step(-1);
  else return;
  event.preventDefault();
};

const themed = () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  drawTimeline();
};

const start = async () => {
  D = await unpack("core");
  if (D.v !== 1) return;
  indexed();
  drawer.node = document.getElementById("drawer");
  document.documentElement.dataset.ready = "";
  buildTimeline(document.getElementById("line"));
  const place = document.getElementById("table");
  buildFilter(place);
  buildTable(place);
  line.change = applied;
  applied();
  document.getElementById("theme").addEventListener("click", themed);
  document.addEventListener("keydown", keys);
  addEventListener("hashchange", follow);
  const at = document.querySelector('meta[name="at"]');
  if (location.hash === "" && at !== null) location.hash = at.content;
  else follow();
  document.documentElement.dataset.ready = "yes";
};
// Without what it needs (an old browser), the page stays as it was written.
start();

