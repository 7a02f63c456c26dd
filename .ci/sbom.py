#!/usr/bin/env python3
"""The bill of materials of the program as CycloneDX 1.5: every crate that is built into it, with version, licence and hash.

It reads `cargo metadata` and Cargo.lock, and needs nothing else. Development dependencies are not in the program."""

import json
import subprocess
import sys
import tomllib


def main():
    metadata = json.loads(
        subprocess.run(
            ["cargo", "metadata", "--locked", "--format-version", "1"], check=True, capture_output=True
        ).stdout
    )
    with open("Cargo.lock", "rb") as lock:
        hashes = {(p["name"], p["version"]): p.get("checksum") for p in tomllib.load(lock)["package"]}
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    root = metadata["resolve"]["root"]

    def built_in(node):
        kinds = lambda dep: [kind["kind"] for kind in dep["dep_kinds"]]
        return sorted(dep["pkg"] for dep in node["deps"] if any(kind != "dev" for kind in kinds(dep)))

    reached, waiting = set(), [root]
    while waiting:
        one = waiting.pop()
        if one not in reached:
            reached.add(one)
            waiting.extend(built_in(nodes[one]))

    def purl(package):
        return f"pkg:cargo/{package['name']}@{package['version']}"

    def component(package):
        made = {
            "type": "library",
            "bom-ref": purl(package),
            "name": package["name"],
            "version": package["version"],
            "purl": purl(package),
        }
        if package.get("license"):
            made["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
        checksum = hashes.get((package["name"], package["version"]))
        if checksum:
            made["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        return made

    program = packages[root]
    others = sorted(reached - {root}, key=lambda id: purl(packages[id]))
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {**component(program), "type": "application"}},
        "components": [component(packages[id]) for id in others],
        "dependencies": [
            {"ref": purl(packages[id]), "dependsOn": [purl(packages[dep]) for dep in built_in(nodes[id])]}
            for id in [root, *others]
        ],
    }
    json.dump(document, sys.stdout, indent=1)
    print()


main()
