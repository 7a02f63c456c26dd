// Links: #finding-3, #request-17%40a.jsonl, #message-a.jsonl%3A12, #at-14%3A03, #filter-is%3Astuck.

const linkOf = (x) => "request-" + encodeURIComponent(nameOf(x));

/** The name by which links and the terminal mean a request: with its line where the id was used again. */
const nameOf = (x) => {
  const again = D.twice.has(D.x.conn[x] + " " + D.x.id[x]) ? ":" + D.x.line[x] : "";
  return D.s[D.x.id[x]] + again + "@" + D.conns[D.x.conn[x]].key;
};

const openRow = (row) => {
  const x = D.m.ex[row];
  location.hash = x >= 0 ? linkOf(x) : "message-" + encodeURIComponent(D.s[D.m.src[row]] + ":" + D.m.line[row]);
};

const decoded = (text) => { try { return decodeURIComponent(text); } catch { return text; } };

/** Opens what the address names. */
const follow = () => {
  const hash = location.hash.slice(1);
  const cut = hash.indexOf("-");
  const [kind, rest] = [hash.slice(0, cut), decoded(hash.slice(cut + 1))];
  if (kind !== "finding") document.querySelector(".target")?.classList.remove("target");
  if (hash === "") { hideDrawer(); return; }
  if (kind === "finding") { followFinding(Number(rest) - 1); return; }
  if (kind === "filter" || kind === "at") { setFilter(kind === "at" ? "at:" + rest : rest); document.getElementById("messages").scrollIntoView(); return; }
  if (kind === "request") {
    // The name is what the terminal prints; a page of one connection does without its key.
    const x = D.names.get(rest) ?? D.names.get(rest + "@" + D.conns[0]?.key) ?? D.names.get("#" + rest + "@" + D.conns[0]?.key);
    if (x === undefined) missing("no request " + rest + " in this page");
    else showExchange(x);
    return;
  }
  if (kind === "message") {
    const colon = rest.lastIndexOf(":");
    const source = D.s.indexOf(rest.slice(0, colon)), at = Number(rest.slice(colon + 1));
    const row = D.m.line.findIndex((one, row) => one === at && D.m.src[row] === source);
    if (row < 0) missing("no message " + rest + " in this page");
    else showMessage(row);
    return;
  }
  if (document.getElementById(hash) === null) missing("this page knows no link " + hash);
};

const followFinding = (nth) => {
  const one = D.f[nth];
  if (one === undefined) { missing("no finding " + (nth + 1) + " in this page"); return; }
  document.querySelector(".target")?.classList.remove("target");
  const item = document.getElementById("finding-" + (nth + 1));
  if (item !== null) {
    item.closest("details").open = true;
    item.classList.add("target");
    item.scrollIntoView({ block: "center" });
  }
  if (one.x >= 0) showExchange(one.x, nth);
  else if (one.m >= 0) showMessage(one.m, nth);
};

const missing = (text) => showDrawer("Not here", el("p", { class: "problem" }, text));

