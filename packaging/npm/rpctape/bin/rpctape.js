#!/usr/bin/env node
// Starts the program of the platform's package, passes signals on, and ends as it does.
"use strict";
const { spawn } = require("node:child_process");
const os = require("node:os");

function find() {
  if (process.env.RPCTAPE) return process.env.RPCTAPE;
  const libc = process.platform === "linux" ? "-gnu" : "";
  const name = `@rpctape/${process.platform}-${process.arch}${libc}`;
  const file = process.platform === "win32" ? "rpctape.exe" : "rpctape";
  try {
    return require.resolve(`${name}/bin/${file}`);
  } catch {
    console.error(`error: ${name} is not installed, and holds the program`);
    console.error("hint: install without --omit=optional; or name the program in RPCTAPE");
    process.exit(2);
  }
}

const child = spawn(find(), process.argv.slice(2), { stdio: "inherit" });
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
