#!/usr/bin/env node
// Starts the program of the platform's package, passes signals on, and ends as it does.
"use strict";
const { spawn } = require("node:child_process");
const os = require("node:os");
const { find } = require("../lib/find.js");

function program() {
  try {
    return find();
  } catch (error) {
    console.error(`error: ${error.message}`);
    process.exit(2);
  }
}

const child = spawn(program(), process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`error: rpctape cannot be started: ${error.message}`);
  process.exit(2);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // A signal that does not end this process has a number all the same.
  setTimeout(() => process.exit(128 + (os.constants.signals[signal] || 0)), 100);
});
