// Data blocks: base64 of deflated JSON. Only the core is unpacked at once; texts when a row needs them.

/** @param {string} id @returns {Promise<any>} */
const unpack = async (id) => {
  const text = atob(document.getElementById(id).textContent);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text());
};

/** All that the page knows, filled by main. @type {any} */
let D = null;

/** Texts by block: an array when it is there, a promise while it comes. */
const texts = new Map();
const blockOf = (row) => Math.floor(row / D.per);

/** The text of a message if it is unpacked, else nothing. */
const textNow = (row) => {
  const block = texts.get(blockOf(row));
  return Array.isArray(block) ? block[row % D.per] : undefined;
};

/** Unpacks a block once. */
const block = (nth) => {
  let known = texts.get(nth);
  if (known === undefined) {
    known = unpack("t" + nth).then((list) => { texts.set(nth, list); return list; });
    texts.set(nth, known);
  }
  return Promise.resolve(known);
};
const textOf = async (row) => (await block(blockOf(row)))[row % D.per];

