// Words, numbers and elements. Text from a log enters the page by textContent only.

/** @param {string} name @param {Record<string, string>} attributes @param {...(Node|string)} children */
const el = (name, attributes = {}, ...children) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
};
const svg = (name, attributes = {}, ...children) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  node.append(...children);
  return node;
};

const number = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
const plural = (n, one) => (n === 1 ? "1 " + one : number(n) + " " + one + "s");
const size = (n) => (n < 1000 ? n + " B" : n < 999950 ? (n / 1e3).toFixed(1) + " kB" : (n / 1e6).toFixed(1) + " MB");

/** A duration in the words of the terminal, rounded as there; microseconds in. */
const duration = (us) => {
  const sign = us < 0 ? "-" : "";
  const n = Math.abs(us);
  const rounded = (unit) => Math.floor((n + unit / 2) / unit);
  const two = (value) => String(value).padStart(2, "0");
  if (n < 1e3) return sign + n + " us";
  if (n < 9950) return sign + (rounded(100) / 10).toFixed(1) + " ms";
  if (n < 999500) return sign + rounded(1e3) + " ms";
  if (n < 9995e3) return sign + (rounded(1e4) / 100).toFixed(2) + " s";
  if (n < 5995e4) return sign + (rounded(1e5) / 10).toFixed(1) + " s";
  if (n < 35995e5) return sign + Math.floor(rounded(1e6) / 60) + "m " + two(rounded(1e6) % 60) + "s";
  return sign + Math.floor(rounded(6e7) / 60) + "h " + two(rounded(6e7) % 60) + "m";
};

/** A time of day, from microseconds since the start of the page's data. */
const clock = (us) => {
  if (us === null || D.t0 === null) return "";
  const date = new Date(Math.floor((D.t0 + us) / 1000));
  return Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(11, 23);
};

/** What became of a request, in words. */
const outcome = (x) => {
  const word = D.s[D.x.out[x]];
  const took = D.x.took[x];
  if (stuck(x)) return "never answered";
  if (word === "unanswered") return "open";
  return (late(x) ? "late: " : "") + word + (took === null ? "" : " " + duration(took));
};
const stuck = (x) => (D.x.flag[x] & 1) !== 0;
const late = (x) => (D.x.flag[x] & 2) !== 0;
const title = (x) => [D.s[D.x.id[x]], D.s[D.x.what[x]], D.s[D.x.name[x]]].filter((word) => word !== "").join(" ");

/** JSON with line breaks, token by token: no number and no string is written anew. Anything else stays as it is. */
const pretty = (text) => {
  if (!/^\s*[[{]/.test(text)) return text;
  let out = "";
  let depth = 0;
  const indent = () => "\n" + "  ".repeat(Math.min(depth, 30));
  for (const token of text.match(/"(?:[^"\\]|\\.)*"?|[[\]{},:]|[^\s"[\]{},:]+/g) || []) {
    if (token === "{" || token === "[") { depth++; out += token + indent(); }
    else if (token === "}" || token === "]") { depth = Math.max(0, depth - 1); out = /[[{]\s*$/.test(out.slice(-80)) ? out.trimEnd() + token : out + indent() + token; }
    else if (token === ",") out += token + indent();
    else if (token === ":") out += ": ";
    else out += token;
  }
  return out;
};

