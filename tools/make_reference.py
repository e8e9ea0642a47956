#!/usr/bin/env python3
"""Writes docs/reference from the program itself: settings, commands, and paths and metrics of the server.

    tools/make_reference.py [--check] [build/weft]

With --check it only compares, prints which file differs, and exits 1."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs/reference"
NOTE = "\n\nMade by `tools/make_reference.py` from the program; changes by hand are lost.\n"


class Program:
    """The command, with nothing of this machine around it: an empty workspace, and no settings of the environment."""

    def __init__(self, path, workspace):
        self.path = os.path.abspath(path)
        self.workspace = workspace
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("WEFT_")}

    def say(self, *words):
        done = subprocess.run([self.path, *words], cwd=self.workspace, env=self.environment, capture_output=True, text=True,
                              timeout=60, check=True)
        return done.stdout

    def openapi(self):
        return json.loads(self.served("/openapi.json"))

    def served(self, path):
        """What a running server says. Words alone: no model is loaded for it."""
        server = subprocess.Popen([self.path, "serve", "-w", self.workspace, "--port", "0", "--set", "embedding.provider=none"],
                                  env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            url = json.loads(server.stdout.readline())["listening"]
            with urllib.request.urlopen(url + path, timeout=60) as answer:
                return answer.read().decode()
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(timeout=60)
            server.stdout.close()


def cell(text):
    """A text as a cell of a table."""
    return " ".join(str(text).split()).replace("|", "\\|").replace("<", "&lt;")


def code(text):
    return "`%s`" % cell(text).replace("&lt;", "<") if text != "" else ""


def settings_page(program):
    page = ["# Settings" + NOTE,
            "They stand in `weft.toml` of the workspace, a table for what stands before the last dot; in the environment; or in "
            "`--set KEY=VALUE` of a command. `weft settings` shows those in force.\n"]
    group = None
    for one in json.loads(program.say("settings", "--json")):
        head = one["key"].rpartition(".")[0]
        if head != group:
            group = head
            page.append("\n## %s\n\n| key | type | default | meaning |\n|---|---|---|---|" % (head or "The workspace"))
        page.append("| %s<br>%s | %s | %s | %s |" % (code(one["key"]), code(one["environment"]), cell(one["type"]),
                                                    code(one["default"]), cell(one["text"])))
    return "\n".join(page) + "\n"


def subcommands(text):
    """Names of the commands below one, of its help."""
    listed = re.search(r"^Subcommands:\n((?:  .*\n)+)", text, re.M)
    return re.findall(r"^  (\S+)", listed.group(1), re.M) if listed else []


def command_parts(program, words):
    text = program.say("help", *words)
    title = "weft " + " ".join(words)
    yield "\n%s %s\n\n```\n%s\n```" % ("#" * (len(words) + 1), title.strip(), text.strip("\n"))
    for name in subcommands(text):
        if words or name != "help":
            yield from command_parts(program, [*words, name])


def commands_page(program):
    parts = list(command_parts(program, []))
    return "# Commands" + NOTE + parts[0].replace("\n# weft", "\n## weft", 1) + "\n" + "\n".join(parts[1:]) + "\n"


def type_of(schema):
    """A schema in a few words; what has a name is linked."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return "[%s](#%s)" % (name, name.lower())
    for key, between in (("anyOf", " or "), ("oneOf", " or ")):
        if key in schema:
            return between.join(type_of(one) for one in schema[key] if one != {"type": "null"})
    if "enum" in schema:
        return ", ".join("`%s`" % cell(one) for one in schema["enum"] if one is not None)
    kind = schema.get("type", "any")
    if isinstance(kind, list):  # that what may be left out may be null goes without saying
        kind = [one for one in kind if one != "null"]
        kind = kind[0] if len(kind) == 1 else kind
    if kind == "array":
        return "list of " + type_of(schema.get("items", {}))
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return "names with " + type_of(schema["additionalProperties"])
    return kind


def bounds_of(schema):
    words = {"minimum": "at least", "maximum": "at most", "minLength": "characters at least", "maxLength": "characters at most",
             "minItems": "items at least", "maxItems": "items at most", "default": "default"}
    every = (-2 ** 63, 2 ** 63 - 1)  # what any whole number has: nothing to tell people
    return ["%s %s" % (text, json.dumps(schema[key], ensure_ascii=False)) for key, text in words.items()
            if key in schema and schema[key] not in every]


def fields(schema):
    needed = set(schema.get("required", []))
    rows = ["| field | type | meaning |", "|---|---|---|"]
    for name, one in schema.get("properties", {}).items():
        meaning = "; ".join([text for text in [cell(one.get("description", ""))] if text] + bounds_of(one) +
                            (["needed"] if name in needed else []))
        rows.append("| `%s` | %s | %s |" % (name, type_of(one), meaning))
    return "\n".join(rows)


def body_of(content):
    return "; ".join("%s: %s" % (kind, type_of(one.get("schema", {}))) for kind, one in content.items())


def operation_part(document, path, method, one):
    parts = ["\n## %s %s\n\n%s; %s.\n" % (method.upper(), path, cell(one["summary"]), cell(one["description"]))]
    given = [document["components"]["parameters"][p["$ref"].rpartition("/")[2]] if "$ref" in p else p
             for p in one.get("parameters", [])]
    if given:
        parts.append("| parameter | in | type | meaning |\n|---|---|---|---|")
        for p in given:
            meaning = "; ".join([text for text in [cell(p.get("description", ""))] if text] + bounds_of(p["schema"]))
            parts.append("| `%s` | %s | %s | %s |" % (p["name"], p["in"], type_of(p["schema"]), meaning))
        parts.append("")
    if "requestBody" in one:
        may = "" if one["requestBody"].get("required") else " (may be left out)"
        parts.append("Takes %s%s  " % (body_of(one["requestBody"]["content"]), may))
    for status, answer in one["responses"].items():
        if "content" in answer:
            parts.append("Gives %s, %s  " % (status, body_of(answer["content"])))
    parts.append("otherwise [Error](#error)")
    return "\n".join(parts)


def http_page(program):
    document = program.openapi()
    page = ["# Paths of the server" + NOTE,
            "The same as an OpenAPI 3.1 document: `GET /openapi.json`. `weft help http` lists the paths in the terminal, those of "
            "the proxy among them ([proxy.md](../proxy.md)).\n"]
    for path, methods in document["paths"].items():
        page += [operation_part(document, path, method, one) for method, one in methods.items()]
    page.append("\n# What is taken and given\n")
    for name, schema in document["components"]["schemas"].items():
        text = schema.get("description", "")
        page.append("\n## %s\n%s\n%s" % (name, "\n%s.\n" % cell(text).rstrip(".") if text else "",
                                       fields(schema) if schema.get("properties") else type_of(schema)))
    return "\n".join(page) + "\n"


def metrics_page(program):
    text = program.served("/metrics")
    labels = {}
    for name, given in re.findall(r"^(\w+)\{(.*)\} ", text, re.M):
        labels.setdefault(re.sub("_(bucket|sum|count)$", "", name), []).extend(
            one for one in re.findall(r'(\w+)="', given) if one != "le")
    rows = ["| metric | type | labels | meaning |", "|---|---|---|---|"]
    for name, meaning, kind in re.findall(r"^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)", text, re.M):
        told = re.search(r" Labels: (.*)\.$", meaning)
        known = told.group(1).split(", ") if told else list(dict.fromkeys(labels.get(name, [])))
        rows.append("| %s | %s | %s | %s |" % (code(name), kind, ", ".join(code(one) for one in known),
                                              cell(re.sub(r" Labels: .*", "", meaning))))
    return ("# Metrics" + NOTE +
            "`GET /metrics` tells them as Prometheus reads them. What begins with `weft_` is Weft's own, `process_` is what the "
            "operating system says of the process. Histograms are in seconds.\n\n" + "\n".join(rows) + "\n")


def main(words):
    check = "--check" in words
    path = ([word for word in words if not word.startswith("-")] or [str(ROOT / "build/weft")])[0]
    with tempfile.TemporaryDirectory(prefix="weft-reference-") as workspace:
        program = Program(path, workspace)
        pages = {"settings.md": settings_page(program), "commands.md": commands_page(program), "http.md": http_page(program),
                 "metrics.md": metrics_page(program)}
    differing = [name for name, text in pages.items()
                 if not (FOLDER / name).exists() or (FOLDER / name).read_text(encoding="utf-8") != text]
    for name in differing:
        if check:
            print("docs/reference/%s is not what the program says: run tools/make_reference.py" % name)
        else:
            FOLDER.mkdir(parents=True, exist_ok=True)
            (FOLDER / name).write_text(pages[name], encoding="utf-8")
            print("wrote docs/reference/" + name)
    return 1 if check and differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
