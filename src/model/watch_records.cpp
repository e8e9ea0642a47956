#include "model/watch_records.h"

#include "model/records.h"

namespace weft {
namespace {

constexpr FieldRule kSparse{.sparse = true};

}  // namespace

template <>
const Record<SessionSummary>& record<SessionSummary>() {
  using S = SessionSummary;
  static const auto made = Record<S>("SessionSummary", "A conversation, as a list shows it.", RecordUse::kTold)
                               .field("session", &S::session, "its id")
                               .field("title", &S::title, "the beginning of what was said first")
                               .field("last", &S::last, "the beginning of what was said last")
                               .field("started", &S::started, "when its first message was said")
                               .field("newest", &S::newest, "when its newest message was said")
                               .field("turns", &S::turns, "how many, of the living branch")
                               .field("topics", &S::topics, "how many they were cut into")
                               .field("tokens", &S::tokens, "of all of them")
                               .field("open", &S::open, "its last turn waits for an answer");
  return made;
}

template <>
const Record<WatchedTurn>& record<WatchedTurn>() {
  using T = WatchedTurn;
  static const auto made = Record<T>("SessionTurn", "A turn, with what was decided about it.", RecordUse::kTold)
                               .field("block", &T::block, "its id")
                               .field("topic", &T::topic, "which topic it is in", kSparse)
                               .field("status", &T::status, "open, sealed by an answer, or interrupted")
                               .field("first", &T::first, "the number of its first message")
                               .field("last", &T::last, "and of its last one")
                               .field("tokens", &T::tokens, "of its messages")
                               .field("started", &T::started, "when its first message was said")
                               .field("ended", &T::ended, "and its last one")
                               .field("asked", &T::asked, "the beginning of its first message")
                               .custom(
                                   "decision", "why it joined its topic or began one; left out where that was not kept",
                                   [](SchemaBook& book) { return record<Decision>().schema(book); }, nullptr,
                                   [](const T& turn, JsonWriter& out) { out.raw(turn.decision); }, kSparse,
                                   [](const T& turn) { return turn.decision.empty(); });
  return made;
}

template <>
const Record<WatchedTopic>& record<WatchedTopic>() {
  using T = WatchedTopic;
  static const auto made = Record<T>("SessionTopic", "A topic of a conversation.", RecordUse::kTold)
                               .field("topic", &T::topic, "its id")
                               .field("open", &T::open, "turns may still join it")
                               .field("reason", &T::reason, "why it was closed", kSparse)
                               .field("turns", &T::turns, "how many it has")
                               .field("tokens", &T::tokens, "of them")
                               .field("started", &T::started, "when it began")
                               .field("newest", &T::newest, "when its newest message was said")
                               .field("lead", &T::lead, "what an earlier part told, standing at its head", kSparse)
                               .field("written", &T::written, "its memories are written");
  return made;
}

template <>
const Record<WatchedTurns>& record<WatchedTurns>() {
  using S = WatchedTurns;
  static const auto made = Record<S>("WatchedTurns", "How a conversation was cut into topics.", RecordUse::kTold)
                               .field("session", &S::session, "its id")
                               .field("turns", &S::turns, "the newest, oldest first")
                               .field("topics", &S::topics, "that they are in");
  return made;
}

template <>
const Record<PastContext>& record<PastContext>() {
  using P = PastContext;
  static const auto made = Record<P>("PastContext", "A prompt that was woven.", RecordUse::kTold)
                               .field("id", &P::id, "grows by one a prompt since the start")
                               .field("time", &P::time, "when")
                               .field("session", &P::session, "for which session")
                               .field("model", &P::model, "that the caller named", kSparse)
                               .field("input", &P::input, "the beginning of what was asked")
                               .field("report", &P::report, "how it came about");
  return made;
}

template <>
const Record<Happening>& record<Happening>() {
  using H = Happening;
  static const auto made =
      Record<H>("Happening", "Something that happened lately.", RecordUse::kTold)
          .field("id", &H::id, "its number, which grows and is kept over restarts; live events have none", kSparse)
          .field("time", &H::time, "when")
          .field("kind", &H::kind, "what happened; context, job and run are live")
          .field("about", &H::about, "the session or the run", kSparse)
          .json("payload", &H::payload,
                "by kind: a StoredMessage, a Decision, a Flushed topic, an empty object (end), the id of a question or "
                "of a report, kind and id of a document, the id and size of a prompt, the kind and outcome of a job, "
                "or a BusEvent");
  return made;
}

}  // namespace weft
