"""The plugin in a pytest of its own: a good server passes, a server that answers twice fails."""

import os
import pathlib
import sys

import pytest

pytest_plugins = ["pytester"]

SERVER = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    for _ in range(TIMES):
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {}}), flush=True)
"""
CLIENT = """
import subprocess, sys
import pytest

def talk(argv):
    ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}\\n{"jsonrpc":"2.0","id":2,"method":"ping"}\\n'
    subprocess.run(argv, input=ping, text=True, check=True, capture_output=True, timeout=60)
"""


@pytest.fixture
def servers(pytester: pytest.Pytester) -> pytest.Pytester:
    for name, times in (("good", 1), ("twice", 2)):
        pathlib.Path(pytester.path, f"{name}.py").write_text(SERVER.replace("TIMES", str(times)))
    return pytester


def run(pytester: pytest.Pytester, body: str, *args: str) -> pytest.RunResult:
    pytester.makepyfile(CLIENT + body)
    binary = os.environ.get("RPCTAPE")
    return pytester.runpytest_subprocess(*args, *(["--rpctape-binary", binary] if binary else []))


def test_a_good_server_passes(servers):
    run(servers, f"def test_it(rpctape):\n    talk(rpctape.command({sys.executable!r}, 'good.py'))\n    assert len(rpctape.recordings) == 1\n").assert_outcomes(passed=1)


def test_a_server_that_answers_twice_fails_by_rule(servers):
    result = run(servers, f"def test_it(rpctape):\n    talk(rpctape.command({sys.executable!r}, 'twice.py'))\n")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*RPC008 error*"])


def test_marks_and_options_say_what_counts(servers):
    body = f"def test_it(rpctape):\n    talk(rpctape.command({sys.executable!r}, 'twice.py'))\n"
    run(servers, body, "--rpctape-fail-on", "none").assert_outcomes(passed=1)
    run(servers, "@pytest.mark.rpctape(ignore=['RPC008'])\n" + body).assert_outcomes(passed=1)
    run(servers, "@pytest.mark.rpctape(fail_on='loud')\n" + body).assert_outcomes(errors=1)


def test_a_test_without_a_server_and_one_that_fails_by_itself(servers):
    run(servers, "def test_it(rpctape):\n    pass\n").assert_outcomes(passed=1)
    body = f"def test_it(rpctape):\n    talk(rpctape.command({sys.executable!r}, 'twice.py'))\n    assert 1 == 2\n"
    result = run(servers, body)
    result.stdout.fnmatch_lines(["*assert 1 == 2*"])
