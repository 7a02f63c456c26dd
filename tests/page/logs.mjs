// Logs that the tests of the page are made of.

const BAD = [
  "<script>globalThis.hit=1</script>", "</script><script>globalThis.hit=1</script>", "<!--<script>", "<img src=x onerror=globalThis.hit=1>",
  "\"><svg onload=globalThis.hit=1>", "javascript:globalThis.hit=1", "' onfocus=globalThis.hit=1 autofocus x='", "\u001b[31m\u001b]8;;http://x\u0007", "\u202e\u2066gnp.exe\u2069",
  "\u2028\u2029\u0000\ufeff", "__proto__", "constructor", "e\u0301\u0302\u0303\u0304".repeat(60), "W".repeat(3000), "#/x/../..", "${globalThis.hit=1}",
  "]]>", "&lt;script&gt;", "`", "\ud800 alone", "data:text/html,<script>1</script>", "[".repeat(5000) + "]".repeat(5000),
];

/** Every payload as id, tool, method, reason, argument, error and name. */
export const hostileLog = () => {
  const lines = [];
  let second = 0;
  const say = (dir, message) => {
    const ts = new Date(Date.UTC(2026, 3, 12, 6, 0, second++)).toISOString();
    lines.push(JSON.stringify({ ts, dir, raw: typeof message === "string" ? message : JSON.stringify(message) }));
  };
  say("c2s", { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: BAD[0], version: BAD[8] } } });
  say("s2c", { jsonrpc: "2.0", id: 0, result: { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: BAD[3], version: BAD[7] } } });
  say("c2s", { jsonrpc: "2.0", method: "notifications/initialized" });
  for (const bad of BAD) {
    say("c2s", { jsonrpc: "2.0", id: bad, method: "tools/call", params: { name: bad, arguments: { [bad]: bad } } });
    say("c2s", { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: bad, reason: bad } });
    second += 30;
    say("s2c", { jsonrpc: "2.0", id: bad, error: { code: -32000, message: bad } });
    say("c2s", { jsonrpc: "2.0", id: "m" + bad, method: bad, params: [bad] });
    say("s2c", { jsonrpc: "2.0", method: bad, params: { bad } });
    say("s2c", bad);
  }
  say("c2s", { jsonrpc: "2.0", id: 9, method: "ping" });
  second += 60;
  say("s2c", { jsonrpc: "2.0", id: 9, result: {} });
  return lines.join("\n") + "\n\u001b[32mall is well\u202e <script>globalThis.hit=1</script>\n";
};

/** A log of so many messages over five connections, with cancels that are honoured, crossed and ignored. */
export const longLog = (count) => {
  const lines = [];
  let at = Date.UTC(2026, 0, 5), id = 0, seed = 7;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const say = (session, dir, msg) => lines.push(JSON.stringify({ ts: new Date((at += 5 + Math.floor(random() * 60))).toISOString(), dir, session, msg: { jsonrpc: "2.0", ...msg } }));
  for (let nth = 0; nth < 5; nth++) {
    say("s" + nth, "c2s", { id: 0, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } } });
    say("s" + nth, "s2c", { id: 0, result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } } });
    say("s" + nth, "c2s", { method: "notifications/initialized" });
  }
  while (lines.length < count) {
    const session = "s" + Math.floor(random() * 5), own = ++id, fate = random();
    const words = Array.from({ length: 12 }, () => Math.floor(random() * 1e9).toString(36)).join(" ");
    say(session, "c2s", { id: own, method: "tools/call", params: { name: ["search", "read", "write"][own % 3], arguments: { q: words }, _meta: { progressToken: own } } });
    if (fate < 0.4) say(session, "s2c", { method: "notifications/progress", params: { progressToken: own, progress: 1, total: 4 } });
    if (fate < 0.02) {
      say(session, "c2s", { method: "notifications/cancelled", params: { requestId: own, reason: "timeout" } });
      if (fate < 0.01) { at += 4000; say(session, "s2c", { id: own, result: { content: [{ type: "text", text: words }] } }); }
    } else if (fate < 0.995) say(session, "s2c", { id: own, result: { content: [{ type: "text", text: words }] } });
  }
  return lines.join("\n") + "\n";
};
