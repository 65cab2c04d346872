#!/usr/bin/env node
// Starts the program of this platform, which is in a package of its own, with the same
// arguments, input and output. Nothing runs when the package is installed.
"use strict";

const { spawn } = require("node:child_process");

const platform = `${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "citekit.exe" : "citekit";

let program;
try {
  program = require.resolve(`@citekit/cli-${platform}/bin/${file}`);
} catch {
  console.error(
    `citekit: there is no program for ${platform} in this installation. ` +
      `If @citekit/cli-${platform} exists, install again with optional packages ` +
      `(npm install --include=optional); otherwise build it: ` +
      `go install github.com/citekit/citekit/cmd/citekit@latest`,
  );
  process.exit(1);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit", windowsHide: true });

// A terminal sends Ctrl-C to the child too.
process.on("SIGINT", () => process.stdin.isTTY || child.kill("SIGINT"));
for (const signal of ["SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}

child.on("error", (error) => {
  console.error(`citekit: ${program} does not start: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exit(code);
  }
});
