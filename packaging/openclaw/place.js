// Whose memory a run of the host belongs to, and what its conversation is called there.
import { createHash } from "node:crypto";

const kMostName = 200; // characters; the server takes 256

/** A name that the server takes: long ones and such with control characters become a digest. */
export function safeName(text) {
  if (text.length <= kMostName && !/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(text)) return text;
  return createHash("sha256").update(text).digest("hex");
}

/** The group chat that a session key of the host names, as "CHANNEL:ID"; nothing for private talks. */
function groupIn(sessionKey) {
  const parts = sessionKey.split(":");
  const at = parts.findIndex((part, i) => i > 2 && (part === "group" || part === "channel"));
  return at < 0 || !parts[at + 1] ? undefined : `${parts[2]}:${parts[at + 1]}`;
}

/**
 * Where a run is kept: { session, user?, group?, speaker? }, or nothing where it is no talk with a person.
 * In a group the memory is the group's. Private talks are `owner`'s where one is configured; else each sender has a
 * memory of their own, and where the host names no sender it is the server's default user, or the key's.
 */
export function placeOf({ agentId = "main", sessionKey = "", sessionId, channel, senderId }, owner) {
  if (/:(subagent|cron|acp)(:|$)/.test(sessionKey)) return undefined;
  const session = safeName(`openclaw:${agentId}:${sessionId || sessionKey}`);
  const sender = senderId && safeName(channel ? `${channel}:${senderId}` : senderId);
  const group = groupIn(sessionKey);
  if (group) return { session, group: safeName(group), user: sender, speaker: sender };
  return { session, user: owner ?? sender };
}
