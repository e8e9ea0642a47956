#!/usr/bin/env python3
"""Makes tests/data/write_gate/{tune,held}.jsonl from the word tables, frames and lines of {tune,held}.txt.

Sections of a .txt file, each with a language; "{name}" takes a word of that table, "{name2}" another one of it:
  @slot L NAME words       a word table
  @facts L N               "A || B": different facts with the same words, filled N times, and each filling once
                           more with one word changed
  @duplicates L N          "A == B == C": a fact, and the same said again
  @echo L N                "M => E | E =! F": a recalled memory, its echoes, and news that looks like it
  @loops L                 what is said again and again
  @talk L                  empty talk, also two in a row
  @hand L                  "F text" a fact, "D text" the fact before said again
"""

import json
import pathlib
import random
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "tests/data/write_gate"


def read_sections(path):
    slots, sections = {"en": {}, "zh": {}}, []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("@slot "):
            _, lang, name, words = line.split(" ", 3)
            slots[lang][name] = words.split("|")
        elif line.startswith("@"):
            kind, lang, *count = line[1:].split()
            sections.append((kind, lang, int(count[0]) if count else 0, []))
        elif line.strip() and not line.startswith("#"):
            sections[-1][3].append(line.strip())
    return slots, sections


class Maker:
    def __init__(self, slots, seed):
        self.slots, self.random = slots, random.Random(seed)
        self.lines, self.texts, self.bags = [], set(), set()

    def add(self, lang, text, kind, **more):
        if kind == "fact":
            if text in self.texts:
                return None
            self.texts.add(text)
        line = {"id": f"{lang}{len(self.lines)}", "lang": lang, "text": text, "kind": kind, **more}
        self.lines.append(line)
        return line["id"]

    def fill(self, lang, frame):
        """Words for the slots of a frame; "{name}" and "{name2}" get different ones."""
        words = {}
        for slot in dict.fromkeys(re.findall(r"{(\w+)}", frame)):
            table = self.slots[lang][slot.rstrip("2")]
            words[slot] = self.random.choice([word for word in table if word not in words.values()])
        return words

    def changed(self, lang, words):
        other = dict(words)
        slot = self.random.choice(list(words))
        table = self.slots[lang][slot.rstrip("2")]
        other[slot] = self.random.choice([word for word in table if word not in words.values()])
        return other

    def facts(self, lang, count, frames):
        for frame in frames:
            for _ in range(count):
                words = self.fill(lang, frame)
                for part in frame.split("||"):
                    self.add(lang, part.strip().format(**words), "fact")
                self.add(lang, frame.split("||")[0].strip().format(**self.changed(lang, words)), "fact")

    def duplicates(self, lang, count, frames):
        for frame in frames:
            for _ in range(count):
                words = self.fill(lang, frame)
                # Filled with the same words in another order it may say the same: no sure fact.
                bag = (frame, *sorted(words.values()))
                if bag in self.bags:
                    continue
                self.bags.add(bag)
                first, *again = [part.strip().format(**words) for part in frame.split("==")]
                of = self.add(lang, first, "fact")
                if of is None:
                    continue
                other = self.changed(lang, words)
                bag = (frame, *sorted(other.values()))
                if bag not in self.bags:
                    self.bags.add(bag)
                    self.add(lang, frame.split("==")[0].strip().format(**other), "fact")
                for text in again:
                    self.add(lang, text, "junk", reason="duplicate", of=of)

    def echo(self, lang, count, frames):
        for frame in frames:
            for _ in range(count):
                words = self.fill(lang, frame)
                memory, rest = frame.format(**words).split("=>")
                echoes, news = rest.split("=!")
                recalled = [memory.strip()]
                for text in echoes.split("|"):
                    self.add(lang, text.strip(), "junk", reason="echo", recalled=recalled)
                self.add(lang, news.strip(), "fact", recalled=recalled)

    def loops(self, lang, _, texts):
        for at, text in enumerate(texts):
            other = texts[(at + 1) % len(texts)]
            joint = " " if lang == "en" else ""
            self.add(lang, text, "junk", reason="loop", recent=[text, text])
            self.add(lang, text, "junk", reason="loop", recent=[text, other, text, other])
            self.add(lang, joint.join([text] * (6 + at)), "junk", reason="loop")
            self.add(lang, f"{text[:-1]} {at + 2}.", "fact", recent=[f"{text[:-1]} {at}.", f"{text[:-1]} {at + 1}."])

    def talk(self, lang, _, texts):
        for text in texts:
            self.add(lang, text, "junk", reason="empty_talk")
        for _ in range(len(texts) * 3 // 4):
            first, second = self.random.sample(texts, 2)
            joint = self.random.choice([" ", ", ", "! "] if lang == "en" else ["，", "！", " "])
            self.add(lang, first + joint + second, "junk", reason="empty_talk")

    def hand(self, lang, _, lines):
        of = None
        for line in lines:
            mark, text = line.split(" ", 1)
            if mark == "F":
                of = self.add(lang, text, "fact")
            else:
                self.add(lang, text, "junk", reason="duplicate", of=of)


def main():
    for seed, name in enumerate(["tune", "held"], 7):
        slots, sections = read_sections(FOLDER / f"{name}.txt")
        maker = Maker(slots, seed)
        for kind, lang, count, lines in sections:
            getattr(maker, kind)(lang, count, lines)
        out = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in maker.lines)
        (FOLDER / f"{name}.jsonl").write_text(out, encoding="utf-8")
        for lang in ["en", "zh"]:
            mine = [line for line in maker.lines if line["lang"] == lang]
            kinds = [line.get("reason", "fact") for line in mine]
            print(name, lang, {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}, file=sys.stderr)


if __name__ == "__main__":
    main()
