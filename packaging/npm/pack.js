#!/usr/bin/env node
// Packs the npm packages: pack.js BINARY VERSION PLATFORM OUTDIR, where PLATFORM is linux-x64-gnu, darwin-arm64, win32-x64.
// The main package names all platforms that are published, each with exactly this version.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const { execFileSync } = require("node:child_process");

const PLATFORMS = ["linux-x64-gnu", "linux-arm64-gnu", "darwin-x64", "darwin-arm64", "win32-x64"];
const [binary, version, platform, out] = process.argv.slice(2);
if (!out || !PLATFORMS.includes(platform)) {
  console.error(`usage: pack.js BINARY VERSION ${PLATFORMS.join("|")} OUTDIR`);
  process.exit(2);
}
const work = fs.mkdtempSync(path.join(require("node:os").tmpdir(), "rpctape-npm-"));
fs.mkdirSync(out, { recursive: true });

const main = path.join(work, "rpctape");
fs.cpSync(path.join(__dirname, "rpctape"), main, { recursive: true });
const about = JSON.parse(fs.readFileSync(path.join(main, "package.json"), "utf8"));
about.version = version;
about.optionalDependencies = Object.fromEntries(PLATFORMS.map((name) => [`@rpctape/${name}`, version]));
fs.writeFileSync(path.join(main, "package.json"), JSON.stringify(about, null, 2) + "\n");

const [os, cpu, libc] = platform.split("-");
const own = path.join(work, platform);
const program = os === "win32" ? "rpctape.exe" : "rpctape";
fs.mkdirSync(path.join(own, "bin"), { recursive: true });
fs.copyFileSync(binary, path.join(own, "bin", program));
fs.chmodSync(path.join(own, "bin", program), 0o755);
const place = { os: [os], cpu: [cpu], ...(libc ? { libc: [libc === "gnu" ? "glibc" : libc] } : {}) };
const { description, license } = about;
const platformAbout = { name: `@rpctape/${platform}`, version, description: `rpctape for ${platform}`, license, ...place, files: ["bin"] };
fs.writeFileSync(path.join(own, "package.json"), JSON.stringify(platformAbout, null, 2) + "\n");

for (const folder of [main, own]) {
  for (const name of ["LICENSE-MIT", "LICENSE-APACHE"]) fs.copyFileSync(path.join(__dirname, "../..", name), path.join(folder, name));
  fs.writeFileSync(path.join(folder, "README.md"), `# rpctape\n\n${description}\n`);
  console.log(execFileSync("npm", ["pack", "--silent", "--pack-destination", path.resolve(out)], { cwd: folder, encoding: "utf8" }).trim());
}
fs.rmSync(work, { recursive: true });
