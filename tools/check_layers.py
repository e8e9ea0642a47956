#!/usr/bin/env python3
"""Checks that every module includes only modules before it, and heavy libraries only where they belong.

Reads the `#include` lines below src/. The order is the one of ARCHITECTURE.md; prints each line that breaks it and
exits 1 if there is any.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SRC = ROOT / "src"

# Ground first: a module may include itself and whatever stands before it.
ORDER = ["base", "text", "model", "ports", "flow", "growth", "agent", "engine", "demo", "eval", "surface"]

# Inside flow/, who may see whom.
FLOW = {
    "stream": set(),
    "memory": set(),
    "historian": {"memory"},
    "recall": {"memory"},
    "compaction": {"memory"},
    "context": {"memory", "recall", "compaction"},
}

# Contracts of ports: what flow/ and growth/ may include of them. Everything else there is an implementation.
CONTRACTS = {
    "ports/store/store.h",
    "ports/store/kept_records.h",
    "ports/index/scope_index.h",
    "ports/index/words_index.h",
    "ports/embedding/embedder.h",
    "ports/chat/chat_model.h",
    "ports/net/http_client.h",
    "ports/files/document_files.h",
    "ports/files/file_system.h",
    "ports/files/line_log.h",
    "ports/mcp/mcp_transport.h",
    "ports/templates/template.h",
}

# Heavy libraries and the folders that may include them.
LIBRARIES = {
    r"boost/": ["src/surface/http", "src/surface/proxy", "tests/support"],
    r"openssl/": ["src/surface/access", "src/surface/http"],
    r"curl/": ["src/ports/net"],
    r"(llama|ggml|gguf)(-[a-z-]+)?\.h": ["src/ports/embedding", "src/ports/chat", "src/ports/llama", "tools/convert"],
    r"jinja/": ["src/ports/llama"],
    r"sqlite3\.h": ["src/ports/store/sqlite"],
    r"histedit\.h": ["src/surface/cli"],
    r"libpq": ["src/ports/store/postgres"],
}
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]')


def module_of(path: str) -> str:
    return path.split("/", 1)[0]


def check_module(origin: str, included: str) -> str | None:
    mine, theirs = module_of(origin), module_of(included)
    if theirs not in ORDER:
        return None
    if ORDER.index(theirs) > ORDER.index(mine):
        return f"{mine}/ must not see {theirs}/, which stands after it"
    if mine == theirs == "flow":
        here, there = origin.split("/")[1], included.split("/")[1]
        if here != there and there not in FLOW.get(here, set()):
            return f"flow/{here} must not see flow/{there}"
    if mine in ("flow", "growth", "agent") and theirs == "ports" and included not in CONTRACTS:
        return f"{mine}/ may see only the contracts of ports/, not {included}"
    return None


def check_library(origin: pathlib.Path, included: str) -> str | None:
    relative = origin.relative_to(ROOT).as_posix()
    for pattern, folders in LIBRARIES.items():
        if re.match(pattern, included) and not any(relative.startswith(folder + "/") for folder in folders):
            return f"<{included}> belongs in {', '.join(folders)} only"
    if included.startswith("nlohmann/") and included != "nlohmann/json_fwd.hpp" and origin.suffix == ".h":
        return "the JSON library stays out of headers"
    return None


def check_public(origin: pathlib.Path, included: str) -> str | None:
    known = included.startswith("weft/") or "/" not in included and "." not in included
    return None if known else f"public headers include the standard library and weft/ only, not {included}"


def main() -> int:
    faults = []
    for folder in (SRC, ROOT / "include"):
        for path in sorted(folder.rglob("*")):
            if path.suffix not in (".h", ".cpp"):
                continue
            is_test = path.stem.endswith("_test")
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                included = match.group(1)
                if folder == SRC:
                    origin = path.relative_to(SRC).as_posix()
                    # A test may use the fakes and whatever implementation it tests with.
                    fault = None if is_test else check_module(origin, included) or check_library(path, included)
                else:
                    fault = check_public(path, included)
                if fault:
                    faults.append(f"{path.relative_to(ROOT)}:{number}: {fault}")
    print("\n".join(faults) if faults else "layers: in order")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
