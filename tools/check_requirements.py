#!/usr/bin/env python3
"""Checks that each requirement which a test's name carries is explained in docs/requirements.md. Prints what is not, and exits 1."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
explained = set(re.findall(r"^\| ([A-Z]{2}-\d+) \|", (ROOT / "docs/requirements.md").read_text(encoding="utf-8"), re.M))
missing = {}
for folder in ("src", "tests"):
    for path in sorted((ROOT / folder).rglob("*")):
        if path.suffix not in (".cpp", ".py"):
            continue
        for kind, number in re.findall(r"(?:TEST(?:_[FP])?\(\w+, |def test_)([A-Z]{2})_(\d+)", path.read_text(encoding="utf-8")):
            if f"{kind}-{number}" not in explained:
                missing.setdefault(f"{kind}-{number}", path.relative_to(ROOT))
for name, path in missing.items():
    print(f"{path}: {name} is not explained in docs/requirements.md")
print("requirements: explained" if not missing else f"requirements: {len(missing)} are not explained")
sys.exit(1 if missing else 0)
