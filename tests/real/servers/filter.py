"""Runs a server and changes words of the same length in what it says: a changed build. usage: filter.py OLD NEW CMD..."""

import subprocess
import sys
import threading

old, new = (word.encode() for word in sys.argv[1:3])
assert len(old) == len(new), "the words must be of one length, or Content-Length would lie"
server = subprocess.Popen(sys.argv[3:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def feed():
    while chunk := sys.stdin.buffer.read1():
        server.stdin.write(chunk)
        server.stdin.flush()
    server.stdin.close()


threading.Thread(target=feed, daemon=True).start()
while chunk := server.stdout.read1():
    sys.stdout.buffer.write(chunk.replace(old, new))
    sys.stdout.buffer.flush()
sys.exit(server.wait())
