// Messages of the host, as Weft takes them.

const kMostHistory = 12_000; // characters of what the model still sees that go along with a recall
const kSilent = /^\s*(NO_REPLY|HEARTBEAT_OK)?\s*$/; // answers that say nothing to anybody

/** What a person would read of a message: its text, without thoughts, calls and pictures. */
export function textOf(message) {
  const { content } = message ?? {};
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.filter((part) => part?.type === "text").map((part) => part.text ?? "").join("\n");
}

const isSpoken = (message) => message?.role === "user" || message?.role === "assistant";

/** The newest messages that the model still sees, oldest first, so that recall does not repeat them. */
export function stillSeen(messages) {
  const seen = [];
  let left = kMostHistory;
  for (const message of [...messages].reverse()) {
    if (!isSpoken(message)) continue;
    const content = textOf(message);
    if (!content.trim()) continue;
    left -= content.length;
    if (left < 0) break;
    seen.unshift({ role: message.role, content });
  }
  return seen;
}

// Where in the messages the run begins: with its request, which stands last; the host may have decorated it.
function beginningOf(messages, request) {
  const lastUser = (fits) => messages.findLastIndex((one) => one?.role === "user" && fits(textOf(one)));
  const exact = lastUser((text) => text === request);
  if (exact >= 0) return exact;
  const decorated = request ? lastUser((text) => text.includes(request)) : -1;
  return decorated >= 0 ? decorated : lastUser((text) => text.trim() !== "");
}

/**
 * What was said in a run, of all messages that the host has at its end. Ids are the run's, so that the server takes
 * each message once, however often it is sent; times are the host's, so that what comes late is dated right.
 */
export function saidIn(messages, { runId, request, speaker }) {
  const from = beginningOf(messages, request);
  if (from < 0) return [];
  const said = [];
  messages.slice(from).forEach((message, i) => {
    if (!isSpoken(message) || message.stopReason === "error" || message.stopReason === "aborted") return;
    const content = i === 0 && request ? request : textOf(message);
    if (message.role === "assistant" ? kSilent.test(content) : !content.trim()) return;
    const one = { id: `${runId}:${i}`, role: message.role, content };
    if (Number.isFinite(message.timestamp)) one.time = new Date(message.timestamp).toISOString();
    if (message.role === "user" && speaker) one.name = speaker;
    said.push(one);
  });
  return said;
}
