#include <array>

#include "model/records.h"
#include "text/words.h"
#include "weft/block.h"
#include "weft/choices.h"
#include "weft/compaction.h"
#include "weft/knowledge.h"
#include "weft/lore.h"
#include "weft/memory.h"
#include "weft/message.h"
#include "weft/watch.h"

namespace weft {

// The stable names of enumerations, as they stand in JSON.

std::string_view to_string(MadeBy by) {
  switch (by) {
    case MadeBy::kFloor: return "floor";
    case MadeBy::kModel: return "model";
    case MadeBy::kGiven: return "given";
  }
  return "floor";
}

std::string_view to_string(Role role) {
  switch (role) {
    case Role::kSystem: return "system";
    case Role::kUser: return "user";
    case Role::kAssistant: return "assistant";
    case Role::kTool: return "tool";
  }
  return "user";
}

std::string_view to_string(BlockStatus status) {
  switch (status) {
    case BlockStatus::kOpen: return "open";
    case BlockStatus::kSealed: return "sealed";
    case BlockStatus::kInterrupted: return "interrupted";
  }
  return "open";
}

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kStart: return "start";
    case Verdict::kAdsorb: return "adsorb";
    case Verdict::kDrift: return "drift";
    case Verdict::kRelay: return "relay";
    case Verdict::kPending: return "pending";
  }
  return "start";
}

std::string_view to_string(FlushReason reason) {
  switch (reason) {
    case FlushReason::kDrift: return "drift";
    case FlushReason::kRelay: return "relay";
    case FlushReason::kIdle: return "idle";
    case FlushReason::kSave: return "save";
    case FlushReason::kBranch: return "branch";
  }
  return "drift";
}

std::string_view to_string(ItemKind kind) {
  switch (kind) {
    case ItemKind::kMessage: return "message";
    case ItemKind::kEvent: return "event";
    case ItemKind::kNarrative: return "narrative";
    case ItemKind::kProfile: return "profile";
    case ItemKind::kLore: return "lore";
    case ItemKind::kKnowledge: return "knowledge";
  }
  return "message";
}

std::string_view to_string(KnowledgeAdded added) {
  switch (added) {
    case KnowledgeAdded::kNew: return "new";
    case KnowledgeAdded::kKnown: return "known";
    case KnowledgeAdded::kContradicts: return "contradicts";
  }
  return "new";
}

std::string_view to_string(LoreLogic logic) {
  switch (logic) {
    case LoreLogic::kAndAny: return "and_any";
    case LoreLogic::kNotAll: return "not_all";
    case LoreLogic::kNotAny: return "not_any";
    case LoreLogic::kAndAll: return "and_all";
  }
  return "and_any";
}

std::optional<ItemKind> parse_item_kind(std::string_view text) {
  for (const ItemKind kind : kItemKinds) {
    if (to_string(kind) == text) return kind;
  }
  return std::nullopt;
}

std::string_view to_string(HappeningKind kind) {
  switch (kind) {
    case HappeningKind::kMessage: return "message";
    case HappeningKind::kTurn: return "turn";
    case HappeningKind::kTopic: return "topic";
    case HappeningKind::kEnded: return "end";
    case HappeningKind::kAnswer: return "answer";
    case HappeningKind::kTask: return "task";
    case HappeningKind::kDocument: return "document";
    case HappeningKind::kContext: return "context";
    case HappeningKind::kJob: return "job";
    case HappeningKind::kRun: return "run";
  }
  return "message";
}

std::optional<HappeningKind> parse_happening_kind(std::string_view text) {
  for (const HappeningKind kind : kHappeningKinds) {
    if (to_string(kind) == text) return kind;
  }
  return std::nullopt;
}

namespace {

struct Section {
  const char* english;
  const char* chinese;
  std::vector<std::string> Summary::* list;
};

// In the order in which a reader needs them.
constexpr std::array<Section, 7> kSections = {{{"User goals:", "用户目标：", &Summary::goals},
                                               {"Key decisions:", "关键决策：", &Summary::decisions},
                                               {"Done:", "已完成：", &Summary::done},
                                               {"Open:", "待完成：", &Summary::open_items},
                                               {"Important constraints:", "重要约束：", &Summary::constraints},
                                               {"Facts:", "已知事实：", &Summary::facts},
                                               {"Risks and errors:", "风险与错误：", &Summary::risks}}};

bool mostly_chinese(const Summary& summary) {
  std::string sample;
  for (const Section& section : kSections) {
    for (const std::string& statement : summary.*section.list) sample += statement + "\n";
    if (sample.size() > 4000) break;
  }
  return language_of(sample) == Language::kChinese;
}

void append_line(std::string& text, std::string_view statement) {
  for (const char c : statement) text += c == '\n' || c == '\r' ? ' ' : c;
  text += '\n';
}

// One statement stands behind the heading, several below it.
void append_section(std::string& text, std::string_view heading, const std::vector<std::string>& statements,
                    bool chinese) {
  if (statements.empty()) return;
  text += heading;
  if (statements.size() == 1) {
    if (!chinese) text += ' ';
    return append_line(text, statements.front());
  }
  text += '\n';
  for (const std::string& statement : statements) {
    text += "- ";
    append_line(text, statement);
  }
}

}  // namespace

std::string render_summary(const Summary& summary) {
  const bool chinese = mostly_chinese(summary);
  std::string text = chinese ? "[会话摘要 - 截至 " : "[Session summary - up to ";
  text += format_time(summary.time) + "]\n";
  for (const Section& section : kSections)
    append_section(text, chinese ? section.chinese : section.english, summary.*section.list, chinese);
  text.pop_back();
  return text;
}

std::string to_json(const Summary& summary) { return to_json<Summary>(summary); }
std::string to_json(const Candidate& candidate) { return to_json<Candidate>(candidate); }
std::string to_json(const CompactionReport& report) { return to_json<CompactionReport>(report); }
std::string to_json(const Compaction& compaction) { return to_json<Compaction>(compaction); }

Result<Compaction> parse_compaction(std::string_view json) {
  auto read = parse_record<Compaction>(json, "compaction");
  if (!read.ok() && !read.error().message.starts_with("compaction"))
    return Error{read.error().code, "compaction: " + read.error().message, read.error().hint};
  return read;
}

}  // namespace weft
