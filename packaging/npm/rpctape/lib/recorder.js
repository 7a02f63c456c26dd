// Records the servers that a test starts, and fails the test where they break the protocol. Knows no test runner:
// whatever runs after a test calls judge().
"use strict";
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { find } = require("./find.js");

const SEVERITIES = ["error", "warning", "note", "none"];

class Recorder {
  #judged = "";

  // failOn: the least severity that counts, or "none". ignore: codes of rules. folder: where recordings lie, by default a new one.
  constructor({ failOn = "error", ignore = [], binary = find(), folder } = {}) {
    if (!SEVERITIES.includes(failOn)) throw new TypeError(`failOn is one of ${SEVERITIES.join(", ")}, not ${failOn}`);
    Object.assign(this, { failOn, ignore, binary });
    this.folder = folder ?? fs.mkdtempSync(path.join(os.tmpdir(), "rpctape-"));
  }

  // The command line of a server, recorded: the program, then its arguments.
  command(...argv) {
    if (argv.length === 0) throw new TypeError("name the command of the server");
    fs.mkdirSync(this.folder, { recursive: true });
    return [this.binary, "record", "-o", `${this.folder}/`, "--", ...argv.map(String)];
  }

  // The recordings so far, each part a file.
  get recordings() {
    const names = fs.existsSync(this.folder) ? fs.readdirSync(this.folder) : [];
    return names.filter((name) => name.endsWith(".rec.jsonl")).sort().map((name) => path.join(this.folder, name));
  }

  // Audits what was not audited before, or has grown since. Throws with the findings that count; gives all findings.
  judge() {
    const logs = this.recordings.filter((log) => fs.readFileSync(log, "utf8").includes('"k":"msg"'));
    const state = JSON.stringify(logs.map((log) => [log, fs.statSync(log).size]));
    if (this.failOn === "none" || logs.length === 0 || state === this.#judged) return [];
    this.#judged = state;
    const found = this.#check(logs);
    const counts = SEVERITIES.slice(0, SEVERITIES.indexOf(this.failOn) + 1);
    const broken = found.filter((one) => counts.includes(one.severity));
    if (broken.length > 0) {
      const lines = broken.map((one) => `${one.source}:${one.line}: ${one.code} ${one.severity}: ${one.summary}`);
      throw new Error(["rpctape: the protocol was broken", ...lines].join("\n"));
    }
    return found;
  }

  #check(logs) {
    const ignore = this.ignore.length > 0 ? ["--ignore", this.ignore.join(",")] : [];
    const args = ["check", "--format", "jsonl", ...ignore, "--", ...logs];
    const ran = spawnSync(this.binary, args, { encoding: "utf8", maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "pipe"] });
    if (ran.error) throw ran.error;
    if (ran.status !== 0 && ran.status !== 1) throw new Error(ran.stderr.trim() || `rpctape ended with ${ran.status ?? ran.signal}`);
    const lines = ran.stdout.split("\n").filter(Boolean).map((line) => JSON.parse(line));
    // The summary comes last: without it the answer is not whole.
    if (lines.at(-1)?.type !== "summary") throw new Error("rpctape ended in the middle of its answer");
    return lines.filter((line) => line.type === "finding");
  }
}

module.exports = { Recorder };
