// The helper against a good server and one that answers twice: node --test, with the program in RPCTAPE.
"use strict";
const assert = require("node:assert");
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const test = require("node:test");
const { Recorder } = require("rpctape/recorder");

const server = (times) => `
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id } = JSON.parse(line);
    for (let at = 0; at < ${times}; at++) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: {} }));
  });`;
const input = [1, 2].map((id) => `${JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })}\n`).join("");

function recorder(t, options) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "rpctape-test-"));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  return new Recorder({ ...options, folder });
}

function talk(recorder, times) {
  const [command, ...args] = recorder.command(process.execPath, "-e", server(times));
  const ran = spawnSync(command, args, { input, encoding: "utf8", timeout: 60_000 });
  assert.strictEqual(ran.status, 0, ran.stderr);
  assert.strictEqual(ran.stdout.split("\n").length - 1, 2 * times);
}

test("a good server passes", (t) => {
  const good = recorder(t);
  talk(good, 1);
  assert.strictEqual(good.recordings.length, 1);
  good.judge();
});

test("a server that answers twice fails by rule, once", (t) => {
  const twice = recorder(t);
  talk(twice, 2);
  assert.throws(() => twice.judge(), /the protocol was broken\n.*RPC008 error/s);
  assert.deepStrictEqual(twice.judge(), [], "what was told is not told again");
});

test("options say what counts", (t) => {
  for (const options of [{ failOn: "none" }, { ignore: ["RPC008"] }]) {
    const told = recorder(t, options);
    talk(told, 2);
    told.judge();
  }
  assert.throws(() => new Recorder({ failOn: "loud" }), TypeError);
  assert.throws(() => recorder(t).command(), TypeError);
});

test("a test without a server has nothing to judge, and a program that fails is told", (t) => {
  assert.deepStrictEqual(recorder(t).judge(), []);
  const broken = recorder(t);
  talk(broken, 1);
  broken.binary = path.join(broken.folder, "no-program");
  assert.throws(() => broken.judge(), /ENOENT/);
});
