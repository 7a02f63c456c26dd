#!/usr/bin/env python3
"""Makes src/shape/tables/*.shapes: what messages of each protocol revision look like, of schemas that packages ship.

    .ci/shapes.py          writes the tables
    .ci/shapes.py --check  says whether they are what the packages give

It fetches the packages named below by their ordinary clients (cargo, npm, pip), and needs `attrs` for the one that is Python.
Only facts of the schemas are taken: names, members, types, literals, bounds. Of their prose nothing is."""

import enum
import importlib
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import typing
import zipfile

MCP = ("rust-mcp-schema", "2.0.0", "MIT")
ACP = ("@agentclientprotocol/sdk", "2.4.0", "Apache-2.0")
LSP = ("lsprotocol", "2025.0.0", "MIT")
TABLES = pathlib.Path(__file__).resolve().parent.parent / "src" / "shape" / "tables"

NAME = re.compile(r"^[A-Za-z_$][A-Za-z0-9_$]*$")


def literal(value):
    return json.dumps(value, ensure_ascii=False)


def member_name(name):
    return name if NAME.match(name) else json.dumps(name)


def union(parts):
    """Alternatives, without those that another one includes."""
    parts = list(dict.fromkeys(parts))
    if "any" in parts:
        return "any"
    if "str" in parts:
        parts = [part for part in parts if not part.startswith('"')]
    return " | ".join(parts)


def grouped(text):
    return f"({text})" if " | " in text or " & " in text else text


class Schema:
    """JSON Schema definitions as types of the table."""

    def __init__(self, definitions, integers=True):
        self.definitions = definitions
        # The schemas of MCP are made of TypeScript, whose `number` became `integer` where nothing else is said.
        self.integer = "int" if integers else "num"

    def type(self, schema):
        if schema is True or not isinstance(schema, dict):
            return "any"
        if schema.get("x-deserialize-default-on-error"):
            return "any"
        parts = self.parts(schema)
        text = " & ".join(grouped(part) for part in dict.fromkeys(parts) if part != "any") or "any"
        if schema.get("x-deserialize-default-on-null"):
            text = union([grouped(text), "null"])
        return text

    def parts(self, schema):
        if "$ref" in schema:
            yield schema["$ref"].rsplit("/", 1)[1]
        if "const" in schema:
            yield literal(schema["const"])
            return
        if "enum" in schema:
            yield union([literal(value) for value in schema["enum"]])
            return
        for word in ("anyOf", "oneOf"):
            if word in schema:
                yield union([self.type(one) for one in schema[word]])
        for one in schema.get("allOf", []):
            yield self.type(one)
        kinds = schema.get("type")
        if kinds is None and ("properties" in schema or "required" in schema):
            kinds = "object"
        if isinstance(kinds, list):
            yield union([self.kind(kind, schema) for kind in kinds])
        elif kinds:
            yield self.kind(kinds, schema)

    def kind(self, kind, schema):
        if kind == "object":
            return self.object(schema)
        if kind == "array":
            if schema.get("x-deserialize-skip-invalid-items"):
                return "[any]"
            low, high = schema.get("minItems", ""), schema.get("maxItems", "")
            return f"[{self.type(schema.get('items', True))}]" + (f"*{low}..{high}" if low or high else "")
        if kind in ("number", "integer"):
            word = "num" if kind == "number" else self.integer
            low, high = schema.get("minimum"), schema.get("maximum")
            ends = ["" if end is None else f"{end:g}" if abs(end) < 1e6 else str(int(end)) for end in (low, high)]
            return word + (f"<{','.join(ends)}>" if any(ends) else "")
        return {"string": "str", "boolean": "bool", "null": "null"}[kind]

    def object(self, schema):
        required = set(schema.get("required", []))
        properties = dict(schema.get("properties", {}))
        for name in sorted(required - set(properties)):
            properties[name] = True
        excluded = self.excluded(schema.get("not"))
        members = []
        for name, inner in properties.items():
            text = f"other({', '.join(excluded[name])})" if name in excluded else self.type(inner)
            optional = "" if name in required else "?"
            if text != "any" or not optional:
                members.append(f"{member_name(name)}{optional}: {text}")
        more = schema.get("additionalProperties")
        if isinstance(more, dict) and (text := self.type(more)) != "any":
            members.append(f"*: {text}")
        return "{" + ", ".join(members) + "}"

    @staticmethod
    def excluded(schema):
        """The literals that `not` keeps from a member: those of the alternatives beside this one."""
        found = {}
        for one in (schema or {}).get("anyOf", []):
            for name, inner in one.get("properties", {}).items():
                if "const" in inner:
                    found.setdefault(name, []).append(literal(inner["const"]))
        return found


class Table:
    """The lines of one table: methods first, then the definitions that they reach."""

    def __init__(self, about):
        self.about, self.methods, self.define = about, {}, {}

    def method(self, name, params, result=None):
        self.methods[name] = f"@ {name} {params}" + (f" -> {result}" if result else "")

    def text(self):
        reached, waiting = set(), list(self.methods.values())
        while waiting:
            line = re.sub(r'"(?:[^"\\]|\\.)*"', "", waiting.pop())
            for name in re.findall(r"(?<![@\w/$.])[A-Z]\w*", line):
                if name in self.define and name not in reached:
                    reached.add(name)
                    waiting.append(self.define[name])
        lines = [f"# {line}" for line in self.about]
        lines += [self.methods[name] for name in sorted(self.methods)]
        lines += [f"{name} = {self.define[name]}" for name in sorted(reached)]
        return "\n".join(lines) + "\n"


def about(package, registry, what, note=""):
    name, version, licence = package
    return [f"{what}: shapes of messages. Made by .ci/shapes.py; not edited by hand.",
            f"Facts of the schema in {registry} {name} {version} ({licence}).{note}"]


def embedded(source):
    """The JSON Schemas that stand in the documentation of generated Rust types, by the names of the definitions."""
    found, names = {}, set()
    pattern = r"((?:^///.*\n)+)(?:^#\[(?:.|\n)*?\]\n)*^pub (?:struct|enum) (\w+)"
    for doc, name in re.findall(pattern, source, re.M):
        lines = "\n".join(line[3:] for line in doc.splitlines())
        if block := re.search(r"```json\n(.*?)\n ```", lines, re.S):
            found[name] = json.loads(block[1])
    names = set(re.findall(r"#/(?:\$defs|definitions)/(\w+)", json.dumps(found)))
    lower = {name.lower(): name for name in found}
    for name in names - set(found):
        if name.lower() in lower:
            found[name] = found[lower[name.lower()]]
    return found


# Results of requests whose definitions are not called as the request is.
RESULTS = {"tools/call": "CallToolResult", "logging/setLevel": "EmptyResult", "ping": "EmptyResult",
           "resources/subscribe": "EmptyResult", "resources/unsubscribe": "EmptyResult"}


def mcp(package, revision):
    source = (package / "src" / "generated_schema" / revision.replace("-", "_") / "mcp_schema.rs").read_text()
    definitions = embedded(source)
    schema = Schema(definitions, integers=False)
    table = Table(about(MCP, "crates.io", f"MCP {revision}",
                        " The source of it is TypeScript, which has no integers."))
    per_request = revision >= "2026"
    for name, one in definitions.items():
        if per_request and isinstance(one.get("required"), list):
            # These two are judged by rules of their own.
            one["required"] = [member for member in one["required"] if member not in ("_meta", "resultType")]
    if "InputRequiredResult" in definitions:
        one = definitions["InputRequiredResult"]
        one["properties"]["resultType"] = {"const": "input_required"}
        one["required"] = ["resultType"]
    table.define = {name: schema.type(one) for name, one in definitions.items()}
    # The schema leaves out null, which the TypeScript has.
    table.define |= {"JSONValue": "any", "JSONObject": "{}"}
    # Tools are described in JSON Schema, in which `true` and `false` are schemas, too.
    table.define["Tool"] = table.define["Tool"].replace("properties?: {*: {}}", "properties?: {*: {} | bool}")
    for name, one in definitions.items():
        method = one.get("properties", {}).get("method", {}).get("const")
        if not method or not re.search("(Request|Notification)$", name):
            continue
        required = "params" in one.get("required", [])
        params = ("" if required else "?") + grouped(schema.type(one["properties"].get("params", True)))
        table.method(method, params, mcp_result(name, method, definitions, schema))
    return table


def mcp_result(name, method, definitions, schema):
    if not name.endswith("Request"):
        return None
    result = RESULTS.get(method, name.removesuffix("Request") + "Result")
    response = definitions.get(result + "Response")
    if response:
        text = schema.type(response["properties"]["result"])
    elif result in definitions:
        text = result
    else:
        return "any"
    # A request that asks for a task is answered by the task.
    tasks = "CreateTaskResult" in definitions and method in ("tools/call", "sampling/createMessage", "elicitation/create")
    return f"{text} | CreateTaskResult" if tasks else text


def acp(package, version):
    document = json.loads((package / "schema" / f"v{version}" / "schema.unstable.json").read_text())
    definitions = document["$defs"]
    schema = Schema(definitions)
    table = Table(about(ACP, "npm", f"ACP {version}",
                        " With what is not stable in it: both sides may have agreed on that."))
    table.define = {name: schema.type(one) for name, one in definitions.items()}
    parts = {}
    for name, one in definitions.items():
        if "x-method" in one:
            role = re.search("(Request|Response|Notification)$", name)[1]
            parts.setdefault(one["x-method"], {})[role] = name
    for method, roles in parts.items():
        table.method(method, roles.get("Request") or roles.get("Notification"), roles.get("Response"))
    return table


class Python:
    """The classes of lsprotocol as types of the table."""

    def __init__(self, types, attrs):
        self.types, self.attrs, self.define = types, attrs, {}
        self.names = vars(types)

    def type(self, hint, validator=None):
        if isinstance(hint, (str, typing.ForwardRef)):
            name = hint if isinstance(hint, str) else hint.__forward_arg__
            return self.type(self.names[name] if name in self.names else eval(name, self.names))
        if hint is typing.Any:
            return "any"
        if hint is None or hint is type(None):
            return "null"
        origin, inner = typing.get_origin(hint), typing.get_args(hint)
        if origin is typing.Union:
            return union([self.type(one, validator) for one in inner])
        if origin is typing.Literal:
            return union([literal(one) for one in inner])
        if origin is tuple:
            return f"[{union([self.type(one) for one in inner])}]*{len(inner)}..{len(inner)}"
        if origin in (typing.get_origin(typing.Sequence[int]), list):
            return f"[{self.type(inner[0])}]"
        if origin in (typing.get_origin(typing.Mapping[str, int]), dict):
            return "{*: " + self.type(inner[1]) + "}" if self.type(inner[1]) != "any" else "{}"
        if hint is int:
            unsigned = validator is self.types.validators.uinteger_validator
            return "int<0,2147483647>" if unsigned else "int<-2147483648,2147483647>" if validator else "int"
        if plain := {str: "str", float: "num", bool: "bool", object: "any"}.get(hint):
            return plain
        if hint.__name__ == "LSPObject":
            return "{}"
        return self.named(hint)

    def named(self, cls):
        if cls.__name__ not in self.define:
            self.define[cls.__name__] = ""
            closed = issubclass(cls, enum.Enum)
            self.define[cls.__name__] = union([literal(one.value) for one in cls]) if closed else self.record(cls)
        return cls.__name__

    def record(self, cls):
        members = []
        for one in self.attrs.fields(cls):
            required = one.default is self.attrs.NOTHING and type(None) not in typing.get_args(one.type)
            text = self.type(one.type, self.validator(one.validator))
            if text != "any" or required:
                members.append(f"{member_name(camel(one.name))}{'' if required else '?'}: {text}")
        return "{" + ", ".join(members) + "}"

    def validator(self, one):
        return getattr(one, "validator", one)


def camel(name):
    first, *rest = name.strip("_").split("_")
    return first + "".join(part.title() for part in rest)


def lsp(package):
    sys.path.insert(0, str(package))
    attrs, types = importlib.import_module("attrs"), importlib.import_module("lsprotocol.types")
    python = Python(types, attrs)
    table = Table(about(LSP, "PyPI", "LSP 3.17 and 3.18",
                        " Members that may be absent may be null: many servers write them so."))
    for method, (request, response, _, _) in types.METHOD_TO_TYPES.items():
        fields = {one.name: one for one in attrs.fields(request)}
        params = fields.get("params")
        required = params is not None and params.default is attrs.NOTHING and type(None) not in typing.get_args(params.type)
        shape = grouped(python.type(params.type)) if params is not None else "any"
        result = {one.name: one for one in attrs.fields(response)}.get("result") if response else None
        table.method(method, ("" if required else "?") + shape, python.type(result.type) if result else None)
    table.define = python.define
    return table


def fetched(into):
    """The packages, unpacked."""
    run = lambda *command: subprocess.run(command, cwd=into, check=True, stdout=subprocess.DEVNULL)
    manifest = f'[package]\nname="x"\nversion="0.0.0"\nedition="2024"\n[lib]\npath="x.rs"\n[dependencies]\n{MCP[0]}="={MCP[1]}"\n'
    (into / "Cargo.toml").write_text(manifest)
    (into / "x.rs").write_text("")
    run("cargo", "vendor", "--quiet", "vendor")
    run("npm", "pack", "--silent", f"{ACP[0]}@{ACP[1]}")
    run(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", f"{LSP[0]}=={LSP[1]}")
    with tarfile.open(next(into.glob("*.tgz"))) as pack:
        pack.extractall(into / "acp", filter="data")
    zipfile.ZipFile(next(into.glob("*.whl"))).extractall(into / "lsp")
    return into / "vendor" / MCP[0], into / "acp" / "package", into / "lsp"


def main():
    with tempfile.TemporaryDirectory() as folder:
        rust, npm, python = fetched(pathlib.Path(folder))
        revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]
        made = {f"mcp-{revision}": mcp(rust, revision) for revision in revisions}
        made |= {f"acp-{version}": acp(npm, version) for version in (1, 2)}
        made["lsp"] = lsp(python)
    differ = []
    for name, table in made.items():
        path = TABLES / f"{name}.shapes"
        if "--check" in sys.argv:
            if path.read_text() != table.text():
                differ.append(path.name)
        else:
            path.write_text(table.text())
    if differ:
        sys.exit(f"not what the packages give: {', '.join(differ)}; run .ci/shapes.py")


if __name__ == "__main__":
    main()
