"""Counts instructions with callgrind."""

import re
import subprocess
import sys


def counted(command):
    """The instructions of a command that ends with 0 (or 1: violations were found). Ends the script with 2 where they could not be counted."""
    run = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *map(str, command)]
    done = subprocess.run(run, capture_output=True, text=True, errors="replace")
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode not in (0, 1) or not found:
        print(f"{' '.join(run)} ended with {done.returncode}\n{done.stderr[-2000:]}", file=sys.stderr)
        sys.exit(2)
    return int(found[1])
