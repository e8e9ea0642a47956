// States, quests and lore.
#include "model/records.h"

namespace weft {
namespace {

constexpr FieldRule kSparse{.sparse = true};

Value operations_schema() {
  return ValueObject{{"type", "array"}, {"items", ValueObject{{"type", "array"}, {"items", ValueObject{}}}}};
}

}  // namespace

template <>
const Record<StateView>& record<StateView>() {
  static const auto made = Record<StateView>("StateView", "A state as it stands after a version.", RecordUse::kTold)
                               .field("name", &StateView::name, "which")
                               .field("version", &StateView::version, "0: there is none yet")
                               .field("time", &StateView::time, "of that version")
                               .field("repeated", &StateView::repeated,
                                      "the same request was answered before; nothing was changed now", kSparse)
                               .json("state", &StateView::json, "the tree", kSparse);
  return made;
}

template <>
const Record<StateVersion>& record<StateVersion>() {
  static const auto made =
      Record<StateVersion>("StateVersion", "One version of a state.", RecordUse::kTold)
          .field("version", &StateVersion::version, "its number")
          .field("time", &StateVersion::time, "when it was made")
          .field("author", &StateVersion::author, "who made it")
          .json("operations", &StateVersion::operations, "as they were applied", {}, operations_schema());
  return made;
}

template <>
const Record<StateChange>& record<StateChange>() {
  static const auto made =
      Record<StateChange>("StateChange", "Operations that take effect as a whole or not at all.", RecordUse::kAsked)
          .json(
              "operations", &StateChange::operations,
              "Applied as a whole or not at all: [\"SET\",\"ID.field\",value], [\"ADD\",\"ID.field\",number], "
              "[\"PUSH\",\"CONTAINER\",{…}], [\"POP\",\"CONTAINER\",\"ID\"], [\"DELETE\",\"ID\"]. Paths have an id and "
              "at most one field.",
              {.required = true, .wanted = "an array of operations such as [\"SET\",\"hero.hp\",5]"},
              operations_schema())
          .field("author", &StateChange::author, "who changes it")
          .field("expected_version", &StateChange::expected_version,
                 "refused where the state has another version by now", {.least = 0})
          .field("request_id", &StateChange::request_id, "Sent again with the same id, the change is made once.",
                 {.loose = true});
  return made;
}

template <>
const Record<Quest>& record<Quest>() {
  static const auto made =
      Record<Quest>("Quest", "Something to be reached, and what has to be reached before.", RecordUse::kTold)
          .field("id", &Quest::id, "its id")
          .field("title", &Quest::title, "for people")
          .field("objective", &Quest::objective, "what is to be reached")
          .field("status", &Quest::status, "how far it is")
          .field("progress", &Quest::progress, "in words")
          .field("prerequisites", &Quest::prerequisites, "quests that have to be completed first")
          .field("successors", &Quest::successors, "quests that wait for it")
          .field("tags", &Quest::tags, "its author's")
          .field("outcome", &Quest::outcome, "how it ended");
  return made;
}

template <>
const Record<LoreEntry>& record<LoreEntry>() {
  using L = LoreEntry;
  static const auto made = Record<L>("LoreEntry", "One piece of knowledge about a world.", RecordUse::kTold)
                               .field("id", &L::id, "its id")
                               .field("title", &L::title, "for people")
                               .field("text", &L::text, "what it says")
                               .field("keys", &L::keys, "words that call it up; \"/…/i\" is a pattern")
                               .field("secondary_keys", &L::secondary_keys, "looked at after a key was found")
                               .field("logic", &L::logic, "what the secondary keys ask for")
                               .field("case_sensitive", &L::case_sensitive, "of its keys")
                               .field("whole_words", &L::whole_words, "keys must not be found inside a word")
                               .field("tags", &L::tags, "its author's")
                               .field("constant", &L::constant, "stands in every prompt")
                               .field("enabled", &L::enabled, "false: kept, never used")
                               .field("order", &L::order, "higher stands nearer to the input")
                               .field("position", &L::position, "where it wants to stand")
                               .field("depth", &L::depth, "messages from the end, for history_bottom")
                               .field("role", &L::role, "as whom")
                               .field("probability", &L::probability, "percent; how often it comes when called up")
                               .field("source", &L::source, "the file it came from");
  return made;
}

template <>
const Record<LoreReport>& record<LoreReport>() {
  static const auto made = Record<LoreReport>("LoreReport", "What importing a file of lore did.", RecordUse::kTold)
                               .field("imported", &LoreReport::imported, "entries that were taken")
                               .field("left_out", &LoreReport::left_out, "entries that were not")
                               .field("problems", &LoreReport::problems, "where and why");
  return made;
}

}  // namespace weft
