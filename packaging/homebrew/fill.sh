#!/bin/sh
# Prints the formula of a release: fill.sh HOMEPAGE URL SHA256.
set -eu
[ $# -eq 3 ] || { echo "usage: fill.sh HOMEPAGE URL SHA256" >&2; exit 2; }
sed -e '1d' -e "s|@HOMEPAGE@|$1|" -e "s|@URL@|$2|" -e "s|@SHA256@|$3|" "$(dirname "$0")/rpctape.rb"
