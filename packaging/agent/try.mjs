// `rpctape mcp` with the client of the official SDK for TypeScript, over pipes and over HTTP: every tool is listed and called, a long query
// is cancelled, and the session, recorded by `rpctape record`, is audited: nothing may be found. Usage: node try.mjs RPCTAPE FOLDER
import assert from "node:assert";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [binary, work] = process.argv.slice(2);
const logs = "samples/mcp";
const endless = "with recursive c(n) as (select 1 union all select n + 1 from c) select count(*) from c";
const calls = {
  ls: { log: "." },
  check: { log: "bad.jsonl" },
  why: { log: "bad.jsonl" },
  show: { log: "bad.jsonl", request: "#4" },
  stats: { log: "bad.jsonl" },
  explain: { rule: "CAN010" },
  query: { log: "bad.jsonl", sql: "select count(*) as n from messages" },
  diff: { old: "bad.jsonl", new: "bad.jsonl" },
};

/** True while a process of this program works on the endless query. */
function running() {
  const listed = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).split("\n");
  return listed.some((line) => line.startsWith(binary) && line.includes("with recursive c(n)"));
}

async function talk(transport) {
  const client = new Client({ name: "try", version: "1" });
  await client.connect(transport);
  const { tools } = await client.listTools();
  assert.deepStrictEqual(tools.map((tool) => tool.name).sort(), Object.keys(calls).sort());
  for (const [name, given] of Object.entries(calls)) {
    const answer = await client.callTool({ name, arguments: given });
    assert(!answer.isError, JSON.stringify(answer));
  }
  const { resources } = await client.listResources();
  assert((await client.readResource({ uri: resources[0].uri })).contents.length);

  const enough = new AbortController();
  let heard;
  const progress = new Promise((resolve) => (heard = resolve));
  const call = { name: "query", arguments: { log: "bad.jsonl", sql: endless } };
  const query = client.callTool(call, undefined, { signal: enough.signal, onprogress: () => heard() });
  const ended = assert.rejects(query);
  await progress;
  assert(running());
  enough.abort("enough");
  const began = performance.now();
  await ended;
  while (running()) {
    assert(performance.now() - began < 1500, "a cancelled query goes on");
    await sleep(20);
  }
  console.log(`a cancelled query ended after ${((performance.now() - began) / 1000).toFixed(2)} s`);
  assert((await client.callTool({ name: "explain", arguments: calls.explain })).content.length);
  await transport.terminateSession?.();
  await client.close();
}

function audited(recording) {
  const ran = spawnSync(binary, ["check", recording, "--format", "jsonl", "--fail-on", "note"], { encoding: "utf8" });
  const found = ran.stdout.trim().split("\n").map((line) => JSON.parse(line));
  assert(ran.status === 0 && found.length === 1, ran.stdout + ran.stderr);
  assert.strictEqual(found[0].cancels, 1);
  console.log(`${path.basename(recording)}: ${found[0].messages} messages, 0 findings`);
}

async function opened(...args) {
  const started = spawn(binary, args, { stdio: ["ignore", "ignore", "pipe"] });
  for await (const line of createInterface({ input: started.stderr })) {
    const found = line.match(/http:\/\/[0-9.:]+/);
    if (found) return [started, found[0]];
  }
  throw new Error("it does not listen");
}

async function ended(started) {
  const gone = new Promise((resolve) => started.once("exit", resolve));
  started.kill();
  await gone;
}

async function overPipes() {
  const recording = path.join(work, "ts-stdio.rec.jsonl");
  const args = ["record", "-o", recording, "--", binary, "mcp", logs];
  await talk(new StdioClientTransport({ command: binary, args, stderr: "ignore" }));
  audited(recording);
}

async function overHttp() {
  const recording = path.join(work, "ts-http.rec.jsonl");
  const [server, address] = await opened("mcp", logs, "--listen", "0");
  const [proxy, through] = await opened("record", "-o", recording, "--http", `${address}/mcp`, "--listen", "127.0.0.1:0");
  try {
    await talk(new StreamableHTTPClientTransport(new URL(`${through}/mcp`)));
  } finally {
    await ended(proxy);
    await ended(server);
  }
  audited(recording);
}

await overPipes();
await overHttp();
