"""Runs in Hermes Agent's own Python: an agent as the host makes it, for each line that is read.

A line is {"say": TEXT, "session": ID, "who": {platform, user_id, chat_id, chat_type}}, or {"end": ID}; each is answered with
a line {"answer": …, "seconds": …}. An agent lives until its session is ended, as in the host's gateway."""

import json
import sys
import time

from run_agent import AIAgent

MODEL = sys.argv[1]
agents, histories = {}, {}
out = sys.stdout
sys.stdout = sys.stderr  # what the host prints for people


def agent_of(session, who):
    if session not in agents:
        agents[session] = AIAgent(base_url=MODEL, api_key="none", model="scripted", provider="custom", session_id=session,
                                  enabled_toolsets=["memory"], quiet_mode=True, skip_context_files=True, max_iterations=6,
                                  **{"platform": "cli", **who})
    return agents[session]


def say(text, session, who):
    begun = time.monotonic()
    done = agent_of(session, who).run_conversation(text, conversation_history=histories.get(session))
    histories[session] = done["messages"]
    return {"answer": done["final_response"], "seconds": time.monotonic() - begun}


def end(session):
    begun = time.monotonic()
    agents.pop(session).shutdown_memory_provider(histories.pop(session, []))
    return {"answer": "", "seconds": time.monotonic() - begun}


for line in sys.stdin:
    told = json.loads(line)
    result = end(told["end"]) if "end" in told else say(told["say"], told["session"], told.get("who") or {})
    print(json.dumps(result), file=out, flush=True)
