// The timeline: the whole log on top, under it one group a connection. Few requests are bars, many are load.

const BARS = 120;
const GROUPS = 24;
const LANES = 14;
const LANE = 15;
const line = { canvas: null, view: [0, 1], whole: [0, 1], byOrder: false, drawn: [], chosen: -1, ink: null, change: () => {} };

/** Where an exchange begins and ends on the axis in use. What never ended reaches to the end of its connection. */
const startOf = (x) => (line.byOrder ? D.x.req[x] : D.x.sent[x]);
const endOf = (x) => D.x.end[x] ?? Math.max(D.conns[D.x.conn[x]].end ?? 0, D.x.sent[x] ?? 0);
const stopOf = (x) => {
  if (!line.byOrder) return endOf(x);
  return D.x.res[x] >= 0 ? D.x.res[x] : D.lastOf[x] > D.x.req[x] && D.s[D.x.out[x]] !== "unanswered" ? D.lastOf[x] : D.lastRow[D.x.conn[x]];
};
const endless = (x) => D.s[D.x.out[x]] === "unanswered";

const buildTimeline = (place) => {
  const button = (text, act) => { const node = el("button", { type: "button" }, text); node.addEventListener("click", act); return node; };
  line.all = button("whole log", () => look(...line.whole));
  line.order = button("by order", () => { line.byOrder = !line.byOrder; span(); look(...line.whole); });
  line.order.setAttribute("aria-pressed", "false");
  line.status = el("span", { role: "status" });
  line.canvas = el("canvas", { tabindex: "0", role: "img" });
  const hint = el("p", { class: "hint" }, "Drag to move, drag on the top strip to choose, Ctrl + wheel or double click to zoom; keys: arrows, + and -, 0 for all.");
  place.append(el("div", { class: "tools" }, line.all, line.order, line.status), line.canvas, hint);
  listen();
  if (D.t0 === null) { line.byOrder = true; line.order.hidden = true; }
  span();
  line.view = [...line.whole];
  new ResizeObserver(() => drawTimeline()).observe(line.canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawTimeline());
};

/** The whole of the axis in use. */
const span = () => {
  line.order.setAttribute("aria-pressed", String(line.byOrder));
  if (line.byOrder) { line.whole = [0, Math.max(1, D.m.line.length - 1)]; return; }
  let last = 1;
  for (const at of D.m.at) if (at !== null && at > last) last = at;
  line.whole = [0, last];
};

const isWhole = () => line.view[0] <= line.whole[0] && line.view[1] >= line.whole[1];

/** Sets what is in view. */
const look = (from, to) => {
  const least = line.byOrder ? 4 : Math.max(10, (line.whole[1] - line.whole[0]) / 1e6);
  const width = Math.min(Math.max(to - from, least), line.whole[1] - line.whole[0]);
  const start = Math.min(Math.max(from, line.whole[0]), line.whole[1] - width);
  line.view = [start, start + width];
  drawTimeline();
  line.change();
};

/** True for a row that lies in view; nothing where all of it is. */
const rowInView = () => {
  if (isWhole()) return null;
  const [from, to] = line.view;
  return line.byOrder ? (row) => row >= from && row <= to : (row) => D.m.at[row] !== null && D.m.at[row] >= from && D.m.at[row] <= to;
};

const readInk = () => {
  const style = getComputedStyle(document.documentElement);
  const ink = {};
  for (const name of ["bg", "ink", "dim", "soft", "edge", "link", "bad", "warn", "bar", "on", "pick"]) ink[name] = style.getPropertyValue("--" + name).trim();
  return ink;
};

/** Exchanges of a connection that touch the view. */
const touching = (list, [from, to]) => list.filter((x) => startOf(x) !== null && startOf(x) >= 0 && startOf(x) <= to && stopOf(x) >= from);

const drawTimeline = () => {
  const width = line.canvas.clientWidth;
  if (width === 0) return;
  line.ink = readInk();
  line.left = width < 600 ? 0 : 150;
  const groups = [];
  let y = 66;
  for (let conn = 0; conn < Math.min(D.conns.length, GROUPS); conn++) {
    const list = touching(D.of[conn], line.view);
    const group = { conn, list, y, bars: list.length <= BARS ? packed(list, width) : null, height: 0 };
    const top = line.left === 0 || D.conns.length > 1 ? 14 : 0;
    group.top = line.left === 0 ? top : 0;
    group.height = group.top + (group.bars ? Math.max(line.left === 0 ? 1 : 2, group.bars.lanes) * LANE + 8 : 52);
    groups.push(group);
    y += group.height;
  }
  if (D.conns.length > GROUPS) y += 18;
  const ratio = window.devicePixelRatio || 1;
  line.canvas.width = Math.round(width * ratio);
  line.canvas.height = Math.round(y * ratio);
  line.canvas.style.height = y + "px";
  const pen = line.canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.font = '11px ui-monospace, "DejaVu Sans Mono", monospace';
  pen.clearRect(0, 0, width, y);
  line.width = width;
  line.drawn = [];
  drawOverview(pen, width);
  drawAxis(pen, width, y);
  for (const group of groups) drawGroup(pen, group, width);
  if (D.conns.length > GROUPS) label(pen, `and ${D.conns.length - GROUPS} more connections: filter with conn:`, 4, y - 5, line.ink.dim);
  const seen = groups.reduce((sum, group) => sum + group.list.length, 0);
  const told = `${clockOf(line.view[0])} to ${clockOf(line.view[1])}, ${plural(seen, "request")}`;
  line.status.textContent = told;
  line.canvas.setAttribute("aria-label", `Timeline: ${told}. The table of messages says the same as text.`);
};

const clockOf = (at) => (line.byOrder ? "message " + (Math.round(at) + 1) : `${clock(at)}`);
const xOf = (at, width) => line.left + ((at - line.view[0]) / (line.view[1] - line.view[0])) * (width - line.left);
const label = (pen, text, x, y, color) => { pen.fillStyle = color; pen.fillText(text, x, y); };

/** Text cut to a width in pixels. */
const cut = (pen, text, room) => {
  if (pen.measureText(text).width <= room) return text;
  const fits = Math.floor(room / 6.7) - 1;
  return fits > 2 ? text.slice(0, fits) + "…" : "";
};

/** Bars in the first free lane, labels counted; the client's requests above the server's, nested ones by their parents. */
const packed = (list, width) => {
  const bars = [];
  let base = 0;
  for (const by of [0, 1]) {
    const ends = [];
    for (const x of list) {
      if (D.x.by[x] !== by) continue;
      const from = Math.max(line.left, xOf(startOf(x), width));
      const to = Math.max(from + 3, Math.min(width, xOf(stopOf(x), width)));
      const text = (D.x.par[x] >= 0 ? "└ " : "") + title(x) + (stuck(x) ? "  never answered" : late(x) ? "  late" : "");
      const wide = text.length * 6.7 + 8;
      const inside = to - from > wide;
      const before = !inside && to + wide > width && from - wide > line.left;
      const until = inside || before ? to + 4 : to + wide + 4;
      const start = before ? from - wide : from;
      let lane = ends.findIndex((end) => end <= start);
      if (lane < 0) lane = ends.length < LANES ? ends.length : -1;
      if (lane < 0) lane = LANES - 1;
      ends[lane] = Math.max(ends[lane] || 0, until);
      bars.push({ x, from, to, text, inside, before, lane: base + lane });
    }
    base += ends.length;
  }
  return { bars, lanes: base };
};

const drawOverview = (pen, width) => {
  const { ink } = line;
  const area = width - line.left, [from, to] = line.whole;
  const at = (value) => line.left + ((value - from) / (to - from)) * area;
  pen.fillStyle = ink.soft;
  pen.fillRect(line.left, 0, area, 46);
  const all = D.load[line.byOrder ? 1 : 0] ??= load(D.of.flat(), line.whole, 600);
  drawLoad(pen, all, line.left, area, 12, 34);
  for (const [value, severity] of D.faults[line.byOrder ? 1 : 0]) {
    pen.fillStyle = severity === "error" ? ink.bad : ink.warn;
    pen.fillRect(Math.min(width - 2, at(value)), 1, 2, 8);
  }
  pen.strokeStyle = ink.link;
  pen.lineWidth = 1.5;
  pen.strokeRect(at(line.view[0]) + 0.75, 0.75, Math.max(4, at(line.view[1]) - at(line.view[0]) - 1.5), 44.5);
  if (line.left > 0) { label(pen, "findings", 4, 10, ink.dim); label(pen, "in flight", 4, 34, ink.dim); }
};

/** How many are in flight in each of so many columns: those that end, and those that never do. */
const load = (list, [from, to], count) => {
  const well = new Int32Array(count + 1), never = new Int32Array(count + 1);
  const scale = count / (to - from || 1);
  for (const x of list) {
    const start = startOf(x);
    if (start === null || start < 0) continue;
    const stop = stopOf(x);
    if (stop < from || start > to) continue;
    const first = Math.max(0, Math.min(count - 1, Math.floor((start - from) * scale)));
    const last = Math.max(first, Math.min(count - 1, Math.floor((stop - from) * scale)));
    const into = stuck(x) ? never : well;
    into[first]++;
    into[last + 1]--;
  }
  for (let at = 1; at <= count; at++) { well[at] += well[at - 1]; never[at] += never[at - 1]; }
  return { well, never, count, most: Math.max(1, ...well), mostNever: Math.max(1, ...never) };
};

/** Load above, and what never ends in a strip of its own scale below. */
const drawLoad = (pen, of, left, area, y, height) => {
  const step = area / of.count, strip = of.never.some((n) => n > 0) ? 10 : 0;
  for (let at = 0; at < of.count; at++) {
    const tall = (of.well[at] / of.most) * (height - strip - 1);
    pen.fillStyle = line.ink.bar;
    if (tall > 0) pen.fillRect(left + at * step, y + height - strip - Math.max(1, tall), step + 0.5, Math.max(1, tall));
    const red = (of.never[at] / of.mostNever) * (strip - 1);
    pen.fillStyle = line.ink.bad;
    if (red > 0) pen.fillRect(left + at * step, y + height - Math.max(1, red), step + 0.5, Math.max(1, red));
  }
};

const drawAxis = (pen, width, height) => {
  const { ink } = line;
  const ticks = Math.max(2, Math.floor((width - line.left) / 170));
  for (let nth = 0; nth <= ticks; nth++) {
    const at = line.view[0] + ((line.view[1] - line.view[0]) * nth) / ticks;
    const x = xOf(at, width);
    pen.fillStyle = ink.edge;
    pen.fillRect(Math.min(width - 1, x), 50, 1, height - 50);
    const narrow = line.view[1] - line.view[0] < 2e7;
    const text = line.byOrder ? String(Math.round(at) + 1) : clock(at).slice(0, narrow ? 12 : 8);
    if (nth < ticks) label(pen, text, x + 3, 60, ink.dim);
  }
};

const drawGroup = (pen, group, width) => {
  const { ink } = line, conn = D.conns[group.conn], y = group.y;
  pen.fillStyle = ink.edge;
  pen.fillRect(0, y - 1, width, 1);
  if (line.left > 0) {
    label(pen, cut(pen, conn.name, line.left - 8), 4, y + 12, ink.ink);
    label(pen, cut(pen, group.bars ? conn.about : plural(group.list.length, "request"), line.left - 8), 4, y + 26, ink.dim);
  } else if (group.top > 0) label(pen, cut(pen, conn.name, width - 8), 2, y + 11, ink.dim);
  if (group.bars) {
    const order = [...group.bars.bars].sort((a, b) => Number(stuck(a.x) || late(a.x)) - Number(stuck(b.x) || late(b.x)));
    for (const bar of order) drawBar(pen, bar, y + group.top + 3 + bar.lane * LANE, width);
    return;
  }
  const of = load(group.list, line.view, Math.min(600, width - line.left));
  drawLoad(pen, of, line.left, width - line.left, y + group.top + 4, 42);
  const never = group.list.filter(stuck).length;
  if (line.left > 0) label(pen, `${of.most} at once`, 4, y + 38, ink.dim);
  if (line.left > 0 && never > 0) label(pen, `${never} never end`, 4, y + 50, ink.bad);
};

/** A bar. Never colour alone: no end has slits, late a thick end, cancelled is hollow behind its x, an error a notch. */
const drawBar = (pen, bar, y, width) => {
  const { ink } = line, { x, from, to } = bar, wide = to - from;
  const color = stuck(x) ? ink.bad : late(x) ? ink.warn : ink.bar;
  const at = (value) => Math.max(from, Math.min(to, xOf(value, width)));
  const cancel = D.cancelOf.get(x);
  const mark = cancel === undefined ? null : line.byOrder ? cancel.m : cancel.at;
  pen.fillStyle = color;
  if (mark !== null && mark !== undefined) {
    pen.fillRect(from, y, at(mark) - from, 11);
    pen.strokeStyle = color;
    pen.lineWidth = 1;
    pen.strokeRect(at(mark) + 0.5, y + 0.5, Math.max(1, to - at(mark) - 1), 10);
  } else if (endless(x) && !stuck(x)) {
    pen.strokeStyle = ink.dim;
    pen.setLineDash([3, 2]);
    pen.strokeRect(from + 0.5, y + 0.5, Math.max(2, wide - 1), 10);
    pen.setLineDash([]);
  } else pen.fillRect(from, y, wide, 11);
  if (stuck(x) && to > from + 14) {
    pen.fillStyle = ink.bg;
    for (const back of [4, 8, 12]) pen.fillRect(to - back, y, 2, 11);
  }
  if (late(x)) { pen.fillStyle = ink.warn; pen.fillRect(to - 3, y - 1, 3, 13); }
  if (D.s[D.x.out[x]] === "error") { pen.fillStyle = ink.bg; pen.fillRect(to - 4, y + 4, 4, 3); }
  pen.fillStyle = ink.ink;
  for (const row of D.progressOf.get(x) || []) {
    const value = line.byOrder ? row : D.m.at[row];
    if (value !== null && value >= line.view[0] && value <= line.view[1]) pen.fillRect(xOf(value, width) - 0.5, y + 8, 1, 3);
  }
  if (mark !== null && mark !== undefined && mark >= line.view[0] && mark <= line.view[1]) label(pen, "✕", at(mark) - 4, y + 9, ink.ink);
  if (x === line.chosen) { pen.strokeStyle = ink.link; pen.lineWidth = 2; pen.strokeRect(from - 1, y - 2, wide + 2, 15); }
  const solid = bar.inside && mark === null || bar.inside && mark === undefined;
  const around = stuck(x) ? ink.bad : ink.ink;
  if (bar.inside) label(pen, bar.text, from + 4, y + 9, solid && !(endless(x) && !stuck(x)) ? ink.on : ink.ink);
  else if (bar.before) label(pen, bar.text, from - 4 - pen.measureText(bar.text).width, y + 9, around);
  else label(pen, cut(pen, bar.text, width - to - 6), to + 4, y + 9, around);
  line.drawn.push({ from: from - 2, to: Math.max(to + 2, from + 6), y: y - 2, x });
};

/** Pointer and keys. */
const listen = () => {
  const { canvas } = line;
  let grip = null;
  const place = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
  const value = (x, [from, to]) => from + ((x - line.left) / (line.width - line.left)) * (to - from);
  canvas.addEventListener("pointerdown", (event) => {
    const [x, y] = place(event);
    grip = { x, y, view: [...line.view], moved: false, top: y < 48 };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (grip === null) return;
    const [x] = place(event);
    grip.moved ||= Math.abs(x - grip.x) > 3;
    if (!grip.moved) return;
    if (grip.top) {
      const ends = [value(grip.x, line.whole), value(x, line.whole)].sort((a, b) => a - b);
      look(ends[0], ends[1]);
    } else {
      const by = ((grip.x - x) / (line.width - line.left)) * (grip.view[1] - grip.view[0]);
      look(grip.view[0] + by, grip.view[1] + by);
    }
  });
  canvas.addEventListener("pointerup", (event) => {
    const [x, y] = place(event);
    if (grip !== null && !grip.moved) {
      const hit = line.drawn.findLast((bar) => x >= bar.from && x <= bar.to && y >= bar.y && y <= bar.y + LANE);
      if (hit) location.hash = linkOf(hit.x);
    }
    grip = null;
  });
  canvas.addEventListener("pointercancel", () => { grip = null; });
  canvas.addEventListener("dblclick", (event) => zoom(0.4, value(place(event)[0], line.view)));
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.shiftKey && !event.metaKey) return;
    event.preventDefault();
    zoom(event.deltaY + event.deltaX > 0 ? 1.25 : 0.8, value(place(event)[0], line.view));
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const [from, to] = line.view, step = (to - from) / 5;
    if (event.key === "ArrowLeft") look(from - step, to - step);
    else if (event.key === "ArrowRight") look(from + step, to + step);
    else if (event.key === "+" || event.key === "=") zoom(0.5, (from + to) / 2);
    else if (event.key === "-") zoom(2, (from + to) / 2);
    else if (event.key === "0") look(...line.whole);
    else return;
    event.preventDefault();
  });
};
const zoom = (by, about) => {
  const [from, to] = line.view;
  look(about - (about - from) * by, about + (to - about) * by);
};

