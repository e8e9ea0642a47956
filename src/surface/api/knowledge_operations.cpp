// MEMORY.md and days.
#include "surface/api/list_operation.h"

namespace weft {
namespace {

struct AddedAnswer {
  KnowledgeAdded added = KnowledgeAdded::kNew;
};
struct WriteKnowledge {
  std::string text;
  bool force = false;
};
struct ConfirmKnowledge {
  std::string text;
};

}  // namespace

inline constexpr std::array kKnowledgeAddeds{KnowledgeAdded::kNew, KnowledgeAdded::kKnown,
                                             KnowledgeAdded::kContradicts};
template <>
inline constexpr std::span<const KnowledgeAdded> kEnumValues<KnowledgeAdded>{kKnowledgeAddeds};

WEFT_DESCRIBED(AddedAnswer);
WEFT_DESCRIBED(WriteKnowledge);
WEFT_DESCRIBED(ConfirmKnowledge);

template <>
const Record<AddedAnswer>& record<AddedAnswer>() {
  static const auto made =
      Record<AddedAnswer>("KnowledgeAdded", "What became of something that was to be added.", RecordUse::kTold)
          .field("added", &AddedAnswer::added, "known: it was there in other words");
  return made;
}

template <>
const Record<WriteKnowledge>& record<WriteKnowledge>() {
  static const auto made =
      Record<WriteKnowledge>("WriteKnowledge", "A text in the place of the whole MEMORY.md.", RecordUse::kAsked)
          .field("text", &WriteKnowledge::text, "Markdown")
          .field("force", &WriteKnowledge::force, "also where more than a quarter of the entries would be lost");
  return made;
}

template <>
const Record<ConfirmKnowledge>& record<ConfirmKnowledge>() {
  static const auto made =
      Record<ConfirmKnowledge>("ConfirmKnowledge", "Which of two entries that contradict each other holds.",
                               RecordUse::kAsked)
          .field("text", &ConfirmKnowledge::text, "the one that holds, as it stands", {.required = true});
  return made;
}

template <>
inline constexpr std::string_view kListName<Day> = "days";

namespace {

Result<KnowledgeFile> get_knowledge(const Call& call) { return call.engine.memory(call.context).knowledge(); }

Result<KnowledgeFile> put_knowledge(const Call& call, WriteKnowledge body) {
  return call.engine.memory(call.context).write_knowledge(body.text, body.force);
}

Result<AddedAnswer> add_knowledge(const Call& call, KnowledgeEntry entry) {
  WEFT_TRY(const KnowledgeAdded added, call.engine.memory(call.context).add_knowledge(entry));
  return AddedAnswer{added};
}

Result<KnowledgeEntry> confirm_knowledge(const Call& call, ConfirmKnowledge body) {
  return call.engine.memory(call.context).confirm_knowledge(body.text);
}

Result<std::vector<Day>> days(const Call& call) {
  WEFT_TRY(const auto dates, call.engine.memory(call.context).days());
  std::vector<Day> list;
  for (const std::string& date : dates) list.push_back({date, {}});
  return list;
}

std::string key_of(const Day& day) { return day.date; }

Result<Day> day(const Call& call) { return call.engine.memory(call.context).day(call.path("date")); }

}  // namespace

std::vector<Operation> knowledge_operations() {
  return {
      operation("knowledge", "GET /v1/knowledge", "MEMORY.md as it stands", Whose::kScope, get_knowledge),
      operation("put_knowledge", "PUT /v1/knowledge", "put a text in its place", Whose::kScope, put_knowledge),
      operation("add_knowledge", "POST /v1/knowledge/entries", "add an entry; what contradicts one is marked",
                Whose::kScope, add_knowledge),
      operation("confirm_knowledge", "POST /v1/knowledge/confirm",
                "say which of two entries holds; the other one is given", Whose::kScope, confirm_knowledge),
      list_operation("days", "GET /v1/days", "the days of which something is written", Whose::kScope, ListOrder::kByKey,
                     days, key_of),
      operation("day", "GET /v1/days/{date}", "what happened on one of them", Whose::kScope, day),
  };
}

}  // namespace weft
