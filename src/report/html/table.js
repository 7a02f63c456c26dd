// The messages: rows of one height, as many in the document as one sees.

const ROW = 22;
const table = { rows: [], at: 0, asked: new Set(), soon: () => {}, body: null, space: null, columns: [] };

/** Columns that fit, from the most needed to the least. */
const columns = (width) => {
  const all = [
    { name: "line", width: "7ch", from: 0, cell: (row) => String(D.m.line[row]), right: true },
    { name: "time", width: "12ch", from: 0, cell: (row) => clock(D.m.at[row]) },
    { name: "connection", width: "14ch", from: D.conns.length > 1 ? 700 : Infinity, cell: (row) => D.conns[D.m.conn[row]].name },
    { name: "way", width: "4ch", from: 0, cell: (row) => ["c→s", "s→c", ""][D.m.by[row]] },
    { name: "id", width: "8ch", from: 380, cell: idOf },
    { name: "message", width: "minmax(9ch, 24ch)", from: 0, cell: what },
    { name: "what became of it", width: "minmax(8ch, 22ch)", from: 480, cell: became, kind: grave },
    { name: "size", width: "8ch", from: 900, cell: (row) => size(D.m.bytes[row]), right: true },
    { name: "text", width: "minmax(0, 1fr)", from: 760, cell: (row) => (textNow(row) ?? "").slice(0, 300), kind: () => "text" },
  ];
  return all.filter((column) => width >= column.from);
};

/** The id of a message; of a cancel or progress that of the request that it is about. */
const idOf = (row) => (D.m.id[row] > 0 || D.m.ex[row] < 0 ? D.s[D.m.id[row]] : D.s[D.x.id[D.m.ex[row]]]);

/** The method, with the tool of its request, or what kind of frame it is. */
const what = (row) => {
  const x = D.m.ex[row];
  const kind = D.s[D.m.kind[row]];
  const method = D.s[D.m.what[row]];
  if (kind === "error") return "error" + (D.m.code[row] === null ? "" : " " + D.m.code[row]);
  if (method === "") return kind;
  return x >= 0 && D.x.req[x] === row && D.x.name[x] > 0 ? method + " " + D.s[D.x.name[x]] : method;
};
const became = (row) => {
  const x = D.m.ex[row];
  if (x < 0) return "";
  if (D.x.req[x] === row) return outcome(x);
  return D.m.at[row] === null || D.x.sent[x] === null ? "" : "+" + duration(D.m.at[row] - D.x.sent[x]);
};
const grave = (row) => {
  const x = D.m.ex[row];
  if (x < 0) return "dim";
  if (stuck(x) && D.x.req[x] === row) return "red";
  return late(x) && (D.x.req[x] === row || D.x.res[x] === row) ? "amber" : "dim";
};

const buildTable = (place) => {
  table.heads = el("div", { class: "heads", role: "row", "aria-rowindex": "1" });
  table.space = el("div", { class: "space", role: "rowgroup" });
  table.body = el("div", { class: "grid rows", role: "grid", tabindex: "0", "aria-label": "Messages: arrow keys move, Enter opens" },
    el("div", { class: "top", role: "rowgroup" }, table.heads), table.space);
  place.append(table.body);
  let waiting = false;
  // However many blocks come in between, one frame draws once.
  table.soon = () => { if (!waiting) { waiting = true; requestAnimationFrame(() => { waiting = false; drawRows(); }); } };
  table.body.addEventListener("scroll", table.soon, { passive: true });
  table.body.addEventListener("click", (event) => {
    const row = event.target.closest(".row");
    if (row) { table.at = Number(row.dataset.at); drawRows(); openRow(table.rows[table.at]); }
  });
  table.body.addEventListener("keydown", moveRow);
  new ResizeObserver(() => { shapeTable(); drawRows(); }).observe(table.body);
  shapeTable();
};

const shapeTable = () => {
  table.columns = columns(table.body.clientWidth);
  table.heads.replaceChildren(...table.columns.map((column) =>
    el("span", { role: "columnheader", class: column.right ? "cell n" : "cell" }, column.name)));
  table.template = table.columns.map((column) => column.width).join(" ");
  table.heads.style.gridTemplateColumns = table.template;
};

const showRows = (rows) => {
  const kept = table.rows[table.at];
  table.rows = rows;
  table.at = Math.max(0, rows.indexOf(kept));
  table.space.style.height = rows.length * ROW + "px";
  table.body.style.height = (Math.min(22, Math.max(rows.length, 3)) + 1) * ROW + 2 + "px";
  table.body.setAttribute("aria-rowcount", String(rows.length + 1));
  drawRows();
};

/** Draws what is in sight, and asks for texts that are not unpacked yet. */
const drawRows = () => {
  const first = Math.max(0, Math.floor(table.body.scrollTop / ROW) - 4);
  const last = Math.min(table.rows.length, first + Math.ceil(table.body.clientHeight / ROW) + 8);
  const missing = new Set();
  const wantsText = table.columns.some((column) => column.name === "text");
  const lines = [];
  for (let at = first; at < last; at++) {
    const row = table.rows[at];
    const node = el("div", { class: "row", role: "row", id: "row-" + at, "aria-rowindex": String(at + 2), "data-at": String(at) });
    node.setAttribute("aria-selected", String(at === table.at));
    node.style.top = at * ROW + "px";
    node.style.gridTemplateColumns = table.template;
    for (const column of table.columns) {
      const kind = column.kind ? " " + column.kind(row) : "";
      node.append(el("span", { role: "gridcell", class: "cell" + (column.right ? " n" : "") + kind }, column.cell(row)));
    }
    if (wantsText && textNow(row) === undefined) missing.add(blockOf(row));
    lines.push(node);
  }
  table.space.replaceChildren(...lines);
  const active = table.at >= first && table.at < last && table.rows.length > 0;
  if (active) table.body.setAttribute("aria-activedescendant", "row-" + table.at);
  else table.body.removeAttribute("aria-activedescendant");
  for (const nth of missing) {
    if (table.asked.has(nth)) continue;
    table.asked.add(nth);
    block(nth).then(table.soon);
  }
};

/** Brings a place into sight and makes it the chosen one. */
const chooseRow = (at) => {
  table.at = Math.max(0, Math.min(table.rows.length - 1, at));
  const top = table.at * ROW;
  const { scrollTop } = table.body, clientHeight = table.body.clientHeight - ROW;
  if (top < scrollTop || top + ROW > scrollTop + clientHeight) table.body.scrollTop = Math.max(0, top - clientHeight / 2);
  drawRows();
};

const moveRow = (event) => {
  const page = Math.floor(table.body.clientHeight / ROW) - 2;
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
  if (event.key === "Enter" && table.rows.length > 0) openRow(table.rows[table.at]);
  else if (event.key in steps) chooseRow(table.at + steps[event.key]);
  else return;
  event.preventDefault();
};

