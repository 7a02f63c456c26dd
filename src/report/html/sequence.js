// The drawer: one exchange, or one message that belongs to none.

const ARROWS = 80;
const WHOLE_TEXTS = 40;

/** All rows of an exchange, of those that it caused and of its findings, in their order. */
const rowsOf = (x) => {
  const rows = [...(D.rowsOf.get(x) || [])];
  const nested = D.children.get(x) || [];
  for (const child of nested) rows.push(...(D.rowsOf.get(child) || []));
  for (const one of D.f) if (one.x === x) rows.push(...one.proof.map(([, row]) => row).filter((row) => row >= 0));
  return [...new Set(rows)].sort((a, b) => a - b);
};

const finding = (nth) => {
  const one = D.f[nth];
  const sure = one.certainty === "violation" ? "" : ` (${one.certainty})`;
  const node = el("p", { class: "told " + one.severity }, el("b", { class: "severity" }, one.severity + " "),
    el("b", {}, one.rule), " ", el("span", { class: "key" }, `${one.code}, finding ${nth + 1}${sure}`), el("br"), one.text);
  return one.clause === "" ? [node] : [node, el("blockquote", {}, one.clause + " ", el("b", {}, one.level))];
};

const arrowWord = (row) => {
  const word = what(row);
  const own = idOf(row);
  return own === "" ? word : own + " " + word;
};

/** The messages of an exchange between two lanes. */
const sequence = (x, rows) => {
  const shown = rows.length <= ARROWS ? rows : [...rows.slice(0, ARROWS / 2), -1, ...rows.slice(-ARROWS / 2)];
  const open = D.s[D.x.out[x]] === "unanswered";
  const step = 26, height = 30 + (shown.length + (open ? 1 : 0)) * step + 8;
  const told = `Sequence of ${title(x)}: ${plural(rows.length, "message")}, ${outcome(x)}`;
  const picture = svg("svg", { viewBox: `0 0 480 ${height}`, role: "img", "aria-label": told });
  const [left, right] = [110, 440];
  picture.append(svg("text", { x: left, y: 14, "text-anchor": "middle" }, "client"), svg("text", { x: right, y: 14, "text-anchor": "middle" }, "server"));
  for (const at of [left, right]) picture.append(svg("line", { class: "lane", x1: at, y1: 20, x2: at, y2: height - 4 }));
  const wrong = new Set(D.f.filter((one) => one.x === x && one.certainty === "violation").map((one) => one.m));
  let before = null;
  shown.forEach((row, nth) => {
    const y = 42 + nth * step;
    if (row < 0) { picture.append(svg("text", { class: "dim", x: 275, y, "text-anchor": "middle" }, `${number(rows.length - ARROWS)} more`)); return; }
    const at = D.m.at[row];
    const gap = at === null ? "" : before === null ? clock(at) : (at >= before ? "+" : "") + duration(at - before);
    if (at !== null) before = at;
    const fault = wrong.has(row) && D.x.req[x] !== row ? " fault" : "";
    const answer = ["result", "error"].includes(D.s[D.m.kind[row]]) ? "answer" : "";
    const [from, to] = D.m.by[row] === 0 ? [left, right] : D.m.by[row] === 1 ? [right, left] : [left, left];
    const child = D.m.ex[row] !== x && D.m.ex[row] >= 0 ? 12 : 0;
    const text = (child ? "└ " : "") + arrowWord(row);
    picture.append(svg("text", { class: "dim", x: 2, y: y + 3 }, gap));
    picture.append(svg("text", { class: fault.trim(), x: 275, y: y - 4, "text-anchor": "middle" }, text.length > 46 ? text.slice(0, 45) + "…" : text));
    if (from !== to) {
      const head = to > from ? -7 : 7;
      picture.append(svg("line", { class: answer + fault, x1: from, y1: y, x2: to, y2: y }));
      picture.append(svg("path", { class: fault.trim(), fill: "none", d: `M ${to + head} ${y - 4} L ${to} ${y} L ${to + head} ${y + 4}` }));
      if (fault) picture.append(svg("path", { class: "fault", d: `M 271 ${y - 4} l 8 8 m 0 -8 l -8 8` }));
    }
  });
  if (open) {
    const y = 42 + shown.length * step, end = D.conns[D.x.conn[x]].end;
    const gap = end !== null && before !== null && end > before ? "+" + duration(end - before) : "";
    const kind = stuck(x) ? "fault" : "";
    picture.append(svg("text", { class: kind || "dim", x: 2, y: y + 3 }, gap), svg("line", { class: "answer " + kind, x1: left, y1: y, x2: right, y2: y }));
    picture.append(svg("text", { class: kind, x: 275, y: y - 4, "text-anchor": "middle" }, "the log ends: no answer"));
  }
  return picture;
};

/** The text of a message, filled when it is unpacked. */
const textBlock = (row) => {
  const head = el("h3", {}, `line ${D.m.line[row]} `,
    el("span", { class: "key" }, `${["client to server", "server to client", "sender not known"][D.m.by[row]]}, ${clock(D.m.at[row])} ${size(D.m.bytes[row])}`));
  const body = el("pre", { tabindex: "0", "aria-label": "Text of line " + D.m.line[row] }, "…");
  textOf(row).then((text) => { body.textContent = pretty(text); });
  return [head, body];
};

const drawer = { node: null, back: null };

const showDrawer = (heading, ...children) => {
  const close = el("button", { type: "button" }, "close (Esc)");
  close.addEventListener("click", closeDrawer);
  if (drawer.node.hidden) drawer.back = document.activeElement;
  drawer.node.replaceChildren(close, el("h2", { id: "drawer-title" }, heading), ...children);
  drawer.node.hidden = false;
  drawer.node.scrollTop = 0;
  document.documentElement.dataset.drawer = "";
  drawer.node.focus({ preventScroll: true });
};

const hideDrawer = () => {
  if (drawer.node.hidden) return;
  drawer.node.hidden = true;
  delete document.documentElement.dataset.drawer;
  line.chosen = -1;
  drawTimeline();
  if (drawer.back instanceof HTMLElement) drawer.back.focus({ preventScroll: true });
};
// At once, not with the event of the address: the next key already goes where the focus went back to.
const closeDrawer = () => { hideDrawer(); location.hash = ""; };

const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : "'" + text.replace(/'/g, "'\\''") + "'");

const showExchange = (x, first = -1) => {
  const rows = rowsOf(x);
  const found = D.f.map((one, nth) => nth).filter((nth) => D.f[nth].x === x).sort((a, b) => Number(b === first) - Number(a === first));
  const parent = D.x.par[x] >= 0 ? [el("p", {}, "caused by ", el("a", { href: "#" + linkOf(D.x.par[x]) }, title(D.x.par[x])))] : [];
  const children = (D.children.get(x) || []).map((child) => el("li", {}, el("a", { href: "#" + linkOf(child) }, title(child)), ": " + outcome(child)));
  const tree = children.length > 0 ? [el("h3", {}, "Caused"), el("ul", {}, ...children)] : [];
  const shown = rows.slice(0, WHOLE_TEXTS);
  const more = rows.length > shown.length ? [el("p", {}, `and ${number(rows.length - shown.length)} more texts`)] : [];
  const next = D.log === null ? [] : [el("h3", {}, "In the terminal"), el("pre", {}, `rpctape show ${D.log} ${quoted(nameOf(x))}`)];
  line.chosen = x;
  showDrawer(`${title(x)}: ${outcome(x)} (${D.s[D.x.hist[x]]})`, ...found.flatMap(finding), ...parent, sequence(x, rows), ...tree, ...next,
    ...shown.flatMap(textBlock), ...more);
  const row = D.x.req[x];
  if (row >= 0 && table.rows.includes(row)) chooseRow(table.rows.indexOf(row));
  bringIntoView(x);
};

/** Moves the timeline where an exchange is not in view. */
const bringIntoView = (x) => {
  const start = startOf(x), [from, to] = line.view;
  if (start === null || start < 0) { drawTimeline(); return; }
  const stop = stopOf(x);
  if (start > to || stop < from) look(start - (to - from) / 4, start + ((to - from) * 3) / 4);
  else drawTimeline();
};

const showMessage = (row, nth = -1) => {
  showDrawer(arrowWord(row), ...(nth >= 0 ? finding(nth) : D.f.flatMap((one, at) => (one.m === row ? finding(at) : []))), ...textBlock(row));
  if (table.rows.includes(row)) chooseRow(table.rows.indexOf(row));
};

