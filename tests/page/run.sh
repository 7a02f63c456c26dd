#!/usr/bin/env bash
# Drives pages of rpctape in headless Chromium: what a reader does, a hostile log, accessibility.
# usage: tests/page/run.sh PATH_TO_RPCTAPE [--bars] [--pictures]
#   --bars      also a log of 100,000 messages, held to the times that docs/page.md names (wall time: not for CI)
#   --pictures  also writes the pictures in docs/
# What it needs and cannot get is said, and the tests are then skipped: never passed over in silence.
set -euo pipefail
program=$(realpath "${1:?name the program: target/debug/rpctape}")
shift
cd "$(dirname "$0")"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$browser" ]; then
    { apt-get install -y -qq --no-install-recommends chromium ||
        { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; }; } >/dev/null 2>&1 || true
    browser=$(command -v chromium || true)
fi
[ -n "$browser" ] || { echo "SKIPPED: the page was not tested, there is no Chromium and it could not be installed"; exit 0; }
command -v npm >/dev/null || { echo "SKIPPED: the page was not tested, there is no npm"; exit 0; }
[ -d node_modules/playwright-core ] || npm ci --silent --no-audit --no-fund >/dev/null 2>&1 ||
    { echo "SKIPPED: the page was not tested, playwright-core could not be installed"; exit 0; }
exec node page.mjs "$program" "$browser" "$@"
