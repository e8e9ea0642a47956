#!/usr/bin/env python3
"""Checks that no class of the product has more than 25 member functions, and no file more than 800 lines. Prints what has, and exits 1.

Functions that the compiler makes (= default, = delete) and members that hold functions do not count."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_FUNCTIONS, MOST_LINES = 25, 800
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"', re.S)
CLASS = re.compile(r"\b(?:class|struct)\s+(\w+)[^;{}()=]*\{")


def members(text, begin):
    """What stands in a class itself, without the bodies of its functions and inner types."""
    depth, kept = 1, []
    for char in text[begin:]:
        depth += (char == "{") - (char == "}")
        if depth == 0:
            break
        if depth == 1:
            kept.append(";" if char == "}" else char)
    return "".join(kept)


def is_function(member):
    member = re.sub(r"^\s*(?:template\s*<[^>]*>)?\s*", "", member)
    if "(" not in member or re.match(r"(?:friend|using|static_assert|enum)\b", member) or re.search(r"=\s*(?:default|delete)$", member):
        return False
    return member.rfind(">") < member.rfind(")") or "->" in member  # else a member such as std::function<void()> done


def functions(text, begin):
    parts = re.split(r";|\b(?:public|private|protected)\s*:", members(text, begin))
    return sum(is_function(part.strip()) for part in parts)


wrong = []
for path in sorted([*(ROOT / "src").rglob("*.h"), *(ROOT / "src").rglob("*.cpp"), *(ROOT / "include").rglob("*.h")]):
    if path.stem.endswith("_test"):
        continue
    text = path.read_text(encoding="utf-8")
    if text.count("\n") > MOST_LINES:
        wrong.append(f"{path.relative_to(ROOT)}: {text.count(chr(10))} lines, {MOST_LINES} at most")
    text = NOISE.sub("", text)
    for found in CLASS.finditer(text):
        count = functions(text, found.end())
        if count > MOST_FUNCTIONS:
            wrong.append(f"{path.relative_to(ROOT)}: {found.group(1)} has {count} functions, {MOST_FUNCTIONS} at most")
print("\n".join(wrong) or "classes: none is too large")
sys.exit(1 if wrong else 0)
