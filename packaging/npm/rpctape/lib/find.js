// Where the program is: $RPCTAPE, or the package of this platform. An error says what to do.
"use strict";

function find() {
  if (process.env.RPCTAPE) return process.env.RPCTAPE;
  const libc = process.platform === "linux" ? "-gnu" : "";
  const name = `@rpctape/${process.platform}-${process.arch}${libc}`;
  const file = process.platform === "win32" ? "rpctape.exe" : "rpctape";
  try {
    return require.resolve(`${name}/bin/${file}`);
  } catch {
    throw new Error(`${name} is not installed, and holds the program\nhint: install without --omit=optional; or name the program in RPCTAPE`);
  }
}

module.exports = { find };
