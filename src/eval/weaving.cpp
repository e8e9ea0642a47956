#include "eval/weaving.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/log.h"
#include "eval/woven_gold.h"
#include "text/tokens.h"

namespace weft {
namespace {

constexpr std::size_t kAllItems = 1'000'000;
constexpr std::int64_t kAllMemories = 64;
constexpr std::int64_t kTokensAMessage = 8;  // what the prompt's own message takes beside its text
constexpr std::int64_t kPatienceMs = 60'000;

/// One replayed conversation with what is needed to judge prompts.
class Judge {
 public:
  static Result<Judge> of(Engine& engine, const Conversation& conversation) {
    WEFT_TRY(RequestContext request, scope_of(conversation));
    Judge judge(engine, std::move(request));
    WEFT_TRY(const auto messages, read_messages(conversation));
    for (const SaidMessage& said : messages) judge.texts_[said.message.id.str()] = said.message.content;
    for (const ItemKind kind : {ItemKind::kMessage, ItemKind::kEvent, ItemKind::kNarrative}) {
      WEFT_TRY(const auto items, engine.memory(judge.request_).items(kind, kAllItems));
      for (const Item& item : items) judge.sources_[item.id.str()] = item.sources;
    }
    return judge;
  }

  Result<WeavingTally> ask(const LabelledQuestion& question, std::int64_t budget) const {
    ContextRequest what;
    what.input = question.query;
    what.window = budget + estimate_tokens(question.query, TokenMode::kScript) + kTokensAMessage;
    WEFT_TRY(const auto context, engine_.session(request_, SessionId("asked-" + question.id)).context(what));
    std::string prompt;
    for (const Message& message : context.messages) prompt += message.content + "\n";
    const WovenText woven(prompt);
    WeavingTally tally;
    tally.questions = 1;
    for (const auto& group : question.groups)
      tally.found += std::any_of(group.begin(), group.end(), [&](const auto& id) { return holds(woven, id); }) ? 1 : 0;
    tally.gold = static_cast<double>(tally.found) / static_cast<double>(question.groups.size());
    count_slots(context.report, tally);
    return tally;
  }

 private:
  Judge(Engine& engine, RequestContext request) : engine_(engine), request_(std::move(request)) {}

  bool holds(const WovenText& woven, const std::string& id) const {
    const auto text = texts_.find(id);
    return text != texts_.end() && woven.holds(text->second);
  }

  void count_slots(const ContextReport& report, WeavingTally& tally) const {
    std::set<MessageId> stood;
    for (const ReportSection& section : report.sections) {
      if (section.name != "memory") continue;
      tally.tokens += static_cast<double>(section.tokens);
      for (const ReportItem& item : section.items) {
        const auto sources = sources_.find(item.id);
        if (!item.kept || sources == sources_.end()) continue;
        ++tally.slots;
        const bool repeats = std::any_of(sources->second.begin(), sources->second.end(),
                                         [&stood](const MessageId& id) { return stood.contains(id); });
        tally.repeats += repeats ? 1 : 0;
        stood.insert(sources->second.begin(), sources->second.end());
      }
    }
    tally.nothing = tally.slots == 0 ? 1 : 0;
  }

  Engine& engine_;
  RequestContext request_;
  std::map<std::string, std::string> texts_;  ///< of the messages, by id
  std::map<std::string, std::vector<MessageId>> sources_;  ///< of the items, by id
};

}  // namespace

WeavingTally& WeavingTally::operator+=(const WeavingTally& other) {
  questions += other.questions;
  gold += other.gold;
  tokens += other.tokens;
  found += other.found;
  slots += other.slots;
  repeats += other.repeats;
  nothing += other.nothing;
  return *this;
}

Result<WeavingTallies> measure_weaving(Engine& engine, const std::vector<Conversation>& conversations,
                                       const std::vector<std::int64_t>& budgets) {
  WeavingTallies tallies;
  for (const Conversation& one : conversations) {
    WEFT_TRY(const Judge judge, Judge::of(engine, one));
    WEFT_TRY(const auto questions, read_questions(one));
    for (const LabelledQuestion& question : questions) {
      if (question.groups.empty()) continue;
      for (const std::int64_t budget : budgets) {
        WEFT_TRY(const WeavingTally tally, judge.ask(question, budget));
        tallies[one.set][budget] += tally;
      }
    }
    log_info("eval.asked", one.stem);
  }
  return tallies;
}

Config config_for_weaving(Config config, bool by_room) {
  config.context.output_share = config.context.safety_share = 0;
  config.context.output_min = config.context.safety_min = 0;
  config.context.deadline_ms = kPatienceMs;
  if (by_room) config.recall.auto_top = config.cognitive_query.auto_top_k = kAllMemories;
  return config;
}

Result<RequestContext> scope_of(const Conversation& conversation) {
  const std::string name = std::filesystem::path(conversation.stem).filename().string();
  WEFT_TRY(const Scope scope, Scope::private_of(UserId(conversation.set + "/" + name)));
  return RequestContext{scope, {}, {}};
}

}  // namespace weft
