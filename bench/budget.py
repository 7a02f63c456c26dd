"""Counts the instructions of a release build with callgrind, and its greatest memory, and holds them against bench/budget.toml.

    cargo build --release && python3 bench/budget.py [--binary target/release/rpctape] [CASE...]

Exits 1 if a case takes more than its budget, 2 if it could not be measured."""

import argparse
import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from callgrind import counted

HERE = Path(__file__).resolve().parent


def peak(command):
    """The most memory that a command had at once, in MiB: as the kernel counts it, the program's own pages too."""
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(run.pid, 0)
    run.returncode = os.waitstatus_to_exitcode(status)
    if run.returncode not in (0, 1):
        sys.exit(f"budget: {' '.join(command)} ended with {run.returncode}")
    return used.ru_maxrss / 1024


def written(what, log):
    """Writes a log, in a process of its own: what this one has held counts as memory of what it starts."""
    command = [sys.executable, HERE / "logs.py", what["profile"], str(what["bytes"]), "1", log]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--binary", default=HERE.parent / "target/release/rpctape")
    options.add_argument("case", nargs="*")
    options = options.parse_args()
    cases = tomllib.loads((HERE / "budget.toml").read_text())
    unknown = [name for name in options.case if name not in cases]
    if unknown or not Path(options.binary).exists():
        print(f"budget: no case called {unknown[0]}" if unknown else f"budget: no program at {options.binary}", file=sys.stderr)
        sys.exit(2)
    exceeded = []
    with tempfile.TemporaryDirectory() as work:
        for name, case in cases.items():
            if options.case and name not in options.case:
                continue
            log, db = Path(work, f"{name}.jsonl"), Path(work, f"{name}.db")
            written(case["log"], log)
            command = [str(options.binary), *(word.format(log=log, db=db) for word in case["run"])]
            spent = peak(command) if "mebibytes" in case else counted(command)
            if "mebibytes" in case:
                value, limit, unit = spent, case["mebibytes"], "MiB"
            elif "instructions" in case:
                value, limit, unit = spent / 1e6, case["instructions"] / 1e6, "million"
            else:
                value, limit, unit = spent / log.stat().st_size, case["instructions_a_byte"], "a byte"
            print(f"{'ok  ' if value <= limit else 'OVER'} {name:14} {value:8.1f} {unit:8} of {limit:8.1f}   {case['what']}", flush=True)
            if value > limit:
                exceeded.append(name)
    if exceeded:
        print(f"budget: {', '.join(exceeded)} takes more than bench/budget.toml allows", file=sys.stderr)
        sys.exit(1)


main()
