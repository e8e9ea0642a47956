"""Measures what is known of a user after twenty talks in which thirty facts change, and which standing wishes are found.

    python3 tests/measure/changing_talks.py [first|second]

One user a language and a wording. The first statements are spread over ten talks through the proxy, the changes over ten
more, with small talk between; the server is started anew in the middle. Then each fact is asked for in a new session, and
what the model is sent is read: the current value, and the former one where it does not say that it is over. Wishes are
said among other things; what they leave is read from the next session's prompt. The first wordings were there when the
rules were written, the second were written afterwards and changed nothing."""

import os
import random
import re
import sys
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../scenarios"))

from changing_talks_data import FALSE_WISHES, FILLERS, TALKS, WISHES  # noqa: E402
from scenario import Scenario, whole  # noqa: E402

OVER = ("outdated since ", "起已过时", "（至", "until ", "至 ", "（截至")


class Journey(Scenario):
    settings = ("log.level=error",)

    def runTest(self):
        pass


def values(kind, chance):
    """Two different values of a kind."""
    if isinstance(kind, tuple):
        return kind
    if isinstance(kind, list):
        return chance.sample(kind, 2)
    if kind == "name":
        made = lambda: "".join(chance.choice("bdfklmnrst") + chance.choice("aeiou") for _ in range(4)).capitalize()
    elif kind == "number":
        made = lambda: str(chance.randrange(1000000, 9999999))
    elif kind == "汉":
        made = lambda: "".join(chance.choice("岚屿桐溪珩沅璟霁漪筠") for _ in range(3))
    return made(), made()


def pieces(messages):
    """What was woven in, by items of memories and lines of profiles."""
    found = []
    for kind, text in re.findall(r"<(memory|profile)\b[^>]*>(.*?)</\1>", whole(messages), re.S):
        found += re.split(r"\n(?=#\d+ )", text) if kind == "memory" else text.splitlines()
    return found


def journey(run, language, wording, seed):
    chance = random.Random(seed)
    user = "u" + uuid.uuid4().hex
    facts = [(first, change, question, values(kind, chance)) for first, change, question, kind in TALKS[language][wording]]
    order = list(range(len(facts)))
    for part in (0, 1):
        chance.shuffle(order)
        for talk in range(10):
            history, session = [], "s" + uuid.uuid4().hex
            for i in order[talk * 3:talk * 3 + 3]:
                run.talk(history, chance.choice(FILLERS[language]), user=user, session=session)
                run.talk(history, facts[i][part].format(facts[i][3][part]), user=user, session=session)
        run.settle(120)
        if part == 0:
            run.server.restart()
    current, stale, missed, wrong = 0, 0, [], []
    for first, change, question, (old, new) in facts:
        run.talk([], question, user=user, session="q" + uuid.uuid4().hex)
        woven = pieces(run.sent())
        there = any(new in piece for piece in woven)
        held = [piece for piece in woven if old in piece and new not in piece and not any(mark in piece for mark in OVER)]
        current += there
        stale += bool(held)
        missed += [] if there else [question]
        wrong += [change + " | " + held[0].strip()[:90]] if held else []
    return current, stale, len(facts), missed, wrong


def wishes(run, language, wording):
    found, false, missed, invented = 0, 0, [], []
    for said, key in WISHES[language][wording]:
        user = "u" + uuid.uuid4().hex
        run.talk([], said, user=user, session="s1")
        run.settle()
        run.talk([], FILLERS[language][0], user=user, session="s2")
        block = "".join(re.findall(r"<preferences>.*?</preferences>", whole(run.sent()), re.S))
        found += key in block
        missed += [] if key in block else [said]
    for said in FALSE_WISHES[language][wording]:
        user = "u" + uuid.uuid4().hex
        run.talk([], said, user=user, session="s1")
        run.settle()
        run.talk([], FILLERS[language][0], user=user, session="s2")
        is_there = "<preferences>" in whole(run.sent())
        false += is_there
        invented += [said] if is_there else []
    return found, len(WISHES[language][wording]), false, len(FALSE_WISHES[language][wording]), missed, invented


def main():
    wanted = sys.argv[1:] or ["first", "second"]
    Journey.setUpClass()
    run = Journey()
    try:
        for wording in wanted:
            for seed, language in enumerate(("en", "zh")):
                current, stale, of, missed, wrong = journey(run, language, wording, 100 + seed)
                print("%s, %s wording: %d of %d current values woven, %d former ones as current" %
                      (language, wording, current, of, stale))
                print("  missed:", missed, "\n  stale:", wrong, flush=True)
                found, all_wishes, false, others, missed, invented = wishes(run, language, wording)
                print("%s, %s wording: %d of %d wishes found, %d of %d others taken for wishes" %
                      (language, wording, found, all_wishes, false, others))
                print("  missed:", missed, "\n  invented:", invented, flush=True)
    finally:
        Journey.tearDownClass()


if __name__ == "__main__":
    main()
