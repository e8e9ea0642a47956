#include "eval/drift.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "demo/data_files.h"
#include "flow/compaction/compact.h"
#include "flow/compaction/probes.h"
#include "model/message_reader.h"
#include "text/json.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kStepsAfter = 3;

// Where the third-last step of the assistant begins; 0: there are too few.
std::size_t cut_of(const std::vector<Message>& messages) {
  std::size_t steps = 0;
  for (std::size_t at = messages.size(); at-- > 0;) {
    if (messages[at].role != Role::kAssistant) continue;
    if (++steps == kStepsAfter) return at;
  }
  return 0;
}

bool has_user(const std::vector<Message>& messages, std::size_t end) {
  for (std::size_t i = 0; i < end; ++i)
    if (messages[i].role == Role::kUser) return true;
  return false;
}

}  // namespace

Result<TraceFile> read_traces(const std::string& path) {
  std::ifstream file(path);
  if (!file) return not_found("cannot read " + path);
  TraceFile traces;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::string where = path + ":" + std::to_string(number);
    WEFT_CHECK(check_json(line, {}, where));
    auto messages = parse_messages(line);
    if (!messages.ok()) return invalid_argument(where + ": " + messages.error().message, messages.error().hint);
    const std::size_t cut = cut_of(*messages);
    if (cut == 0 || !has_user(*messages, cut)) {
      ++traces.too_short;
      continue;
    }
    DriftSession session;
    const auto id = nlohmann::json::parse(json_member(line, "id"), nullptr, false);
    session.id = id.is_string() ? id.get<std::string>() : "line-" + std::to_string(number);
    session.set = std::filesystem::path(path).stem().string();
    const auto middle = messages->begin() + static_cast<std::ptrdiff_t>(cut);
    session.before.assign(messages->begin(), middle);
    session.after.assign(middle, messages->end());
    traces.sessions.push_back(std::move(session));
  }
  return traces;
}

namespace {

constexpr std::size_t kMostLost = 200;

std::int64_t tokens_of(const Message& message, const TokenCounter& tokens) {
  std::int64_t count = tokens.count(message.content) + 4;
  for (const ToolCall& call : message.tool_calls) count += tokens.count(call.name) + tokens.count(call.arguments);
  return count;
}

std::int64_t tokens_of(const std::vector<Message>& messages, const TokenCounter& tokens) {
  std::int64_t sum = 0;
  for (const Message& message : messages) sum += tokens_of(message, tokens);
  return sum;
}

std::size_t system_messages(const std::vector<Message>& messages) {
  std::size_t count = 0;
  while (count < messages.size() && messages[count].role == Role::kSystem) ++count;
  return count;
}

// What was said before the last `keep` of the tokens: only of this does a compaction decide what stays.
std::vector<Message> early_part(const std::vector<Message>& messages, double keep, const TokenCounter& tokens) {
  const std::size_t first = system_messages(messages);
  std::vector<std::int64_t> sizes;
  std::int64_t sum = 0;
  for (std::size_t i = first; i < messages.size(); ++i) sum += sizes.emplace_back(tokens_of(messages[i], tokens));
  auto left = static_cast<std::int64_t>(std::llround(keep * static_cast<double>(sum)));
  std::size_t end = messages.size();
  while (end > first && left >= sizes[end - first - 1]) left -= sizes[--end - first];
  return {messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(end)};
}

struct Stated {
  Anchor anchor;
  std::string origin;
};

std::vector<Stated> anchors_of(const DriftSession& session, const std::vector<Message>& early) {
  std::vector<Stated> all;
  for (Anchor& anchor : find_anchors(session.files)) all.push_back({std::move(anchor), "files"});
  for (const Message& message : early) {
    // A session with files has them in its system prompt.
    if (message.role == Role::kSystem && session.files.empty())
      for (Anchor& anchor : find_anchors({{"system", message.content}})) all.push_back({std::move(anchor), "system"});
    if (message.role == Role::kUser)
      for (Anchor& anchor : find_spoken_anchors(message.content, "user")) all.push_back({std::move(anchor), "user"});
  }
  return all;
}

// Says the opposite of a decision: the same words, a negation more or less.
bool reversed(const std::string& decision, const StatedText& context) {
  Claim opposite = make_claim(decision);
  if (opposite.empty() || context.says(opposite)) return false;
  if (!opposite.negated.empty()) {
    opposite.negated.clear();
    opposite.in_negation.clear();
  } else {
    std::vector<Term> heads = opposite.terms;
    opposite.in_negation = heads;
    opposite.negated = {std::move(heads)};
  }
  return context.says(opposite);
}

class Evaluation {
 public:
  Evaluation(const Reduce& reduce, const TokenCounter& tokens, const DriftOptions& options, ChatModel* model)
      : reduce_(reduce), tokens_(tokens), options_(options), model_(model) {}

  void run(const DriftSession& session) {
    const std::size_t head = system_messages(session.before);
    std::int64_t system = 0;
    for (std::size_t i = 0; i < head; ++i) system += tokens_of(session.before[i], tokens_);
    const std::int64_t before = tokens_of(session.before, tokens_);
    if (before - system < options_.min_tokens) {
      ++report_.skipped;
      return;
    }
    const auto target =
        system + static_cast<std::int64_t>(std::llround(options_.keep * static_cast<double>(before - system)));
    const auto start = std::chrono::steady_clock::now();
    const auto reduced = reduce_(session.before, target);
    report_.reduce_ms += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    ++report_.traces;
    if (!reduced.ok()) {
      ++report_.failed;
      lose(session, "compaction failed", reduced.error().message);
    }
    const std::vector<Message> after = reduced.value_or({});
    report_.tokens_before += before;
    report_.tokens_after += tokens_of(after, tokens_);
    compare(session, after);
  }

  DriftReport take() {
    if (model_ != nullptr && asked_ > 0 && model_failed_ == 0) report_.by = MadeBy::kModel;
    return std::move(report_);
  }

 private:
  void compare(const DriftSession& session, const std::vector<Message>& after) {
    const std::vector<Message> early = early_part(session.before, options_.keep, tokens_);
    const StatedText stood(session.before), stands(after);
    for (const Stated& stated : anchors_of(session, early)) {
      const Claim claim = make_claim(stated.anchor.text);
      if (!stood.says(claim)) continue;
      const bool holds = stands.says(claim);
      report_.anchors[stated.origin].count(holds);
      if (holds) continue;
      const bool limit = stated.anchor.forbids || stated.anchor.kind == AnchorKind::kSafety;
      report_.safety_violations += limit ? 1 : 0;
      lose(session, limit ? "safety, " + stated.origin : "anchor, " + stated.origin, stated.anchor.text);
    }
    std::vector<Probe> probes = session.probes;
    if (session.derive_probes) {
      auto derived = probes_of_messages(early, session.id);
      probes.insert(probes.end(), std::make_move_iterator(derived.begin()), std::make_move_iterator(derived.end()));
    }
    for (const Probe& probe : probes) ask(session, probe, after, stood, stands);
    progress(session, early, stands);
  }

  void ask(const DriftSession& session, const Probe& probe, const std::vector<Message>& after, const StatedText& stood,
           const StatedText& stands) {
    if (!probe.trace.empty() && probe.trace != session.id) return;
    bool before = probe_answered(probe, stood), now = probe_answered(probe, stands);
    if (model_ != nullptr) {
      const auto said = answer(session.before, probe), says = answer(after, probe);
      if (said && says) {
        before = *said;
        now = *says;
      }
    }
    if (!before) {
      ++report_.unanswerable;
      return;
    }
    report_.probes[std::string(to_string(probe.kind))].count(now);
    if (now) return;
    const bool golden = !session.derive_probes && probe.kind == ProbeKind::kSafety;
    report_.safety_violations += golden || probe_violated(probe, stands) ? 1 : 0;
    std::string facts;
    for (const auto& wordings : probe.expected) facts += (facts.empty() ? "" : " + ") + wordings.front();
    lose(session, "probe " + probe.id, facts);
  }

  // Whether the model answers rightly with this context; nothing where it gave no answer.
  std::optional<bool> answer(const std::vector<Message>& context, const Probe& probe) {
    ++asked_;
    const std::int64_t window = model_->window();
    constexpr std::int64_t kAnswer = 256;
    if (window > 0 && tokens_of(context, tokens_) + kAnswer > window * 9 / 10) return ++model_failed_, std::nullopt;
    ChatRequest request;
    request.messages = context;
    request.messages.push_back(make_message(Role::kUser, probe.question));
    request.max_tokens = kAnswer;
    const auto reply = model_->complete(request, Deadline::after(options_.patience));
    if (!reply.ok()) return ++model_failed_, std::nullopt;
    return answer_is_right(probe, reply->message.content);
  }

  void progress(const DriftSession& session, const std::vector<Message>& early, const StatedText& stands) {
    std::int64_t turned = 0;
    for (const std::string& decision : decisions_of(early)) {
      if (!reversed(decision, stands)) continue;
      ++turned;
      lose(session, "decision reversed", decision);
    }
    report_.decisions_reversed += turned;
    for (const auto& values : values_of_next_turns(session.before, session.after, options_.turns)) {
      bool goes_on = turned == 0;
      for (const KnownValue& known : values) {
        if (stands.says(make_claim(known.value))) continue;
        goes_on = false;
        ++report_.values_lost;
        lose(session, known.from_user ? "value of the user" : "value in use",
             known.value + " (for " + known.tool + ")");
      }
      report_.turns.count(goes_on);
    }
  }

  void lose(const DriftSession& session, const std::string& what, const std::string& text) {
    if (report_.lost.size() < kMostLost) report_.lost.push_back(session.id + ": " + what + ": " + text);
  }

  const Reduce& reduce_;
  const TokenCounter& tokens_;
  const DriftOptions& options_;
  ChatModel* model_;
  DriftReport report_;
  std::int64_t asked_ = 0, model_failed_ = 0;
};

}  // namespace

double DriftReport::anchor_retention() const {
  double worst = 1;
  for (const auto& [origin, kept] : anchors) worst = std::min(worst, kept.share());
  return worst;
}

double DriftReport::probe_consistency() const {
  Kept all;
  for (const auto& [kind, kept] : probes) {
    all.total += kept.total;
    all.kept += kept.kept;
  }
  return all.share();
}

Result<DriftReport> evaluate_drift(const std::vector<DriftSession>& sessions, const Reduce& reduce,
                                   const TokenCounter& tokens, const DriftOptions& options, ChatModel* model) {
  if (!(options.keep > 0 && options.keep <= 1)) return invalid_argument("--keep must be above 0 and at most 1");
  Evaluation evaluation(reduce, tokens, options, model);
  for (const DriftSession& session : sessions) evaluation.run(session);
  DriftReport report = evaluation.take();
  if (report.traces == 0)
    return invalid_argument("no run is long enough to be compacted",
                            "histories below " + std::to_string(options.min_tokens) + " tokens are skipped");
  return report;
}

Reduce cut_baseline(TokenCounter tokens) {
  return [tokens](const std::vector<Message>& history, std::int64_t target) -> Result<std::vector<Message>> {
    std::size_t from = history.size();
    for (std::int64_t left = target; from > 0; --from) {
      left -= tokens_of(history[from - 1], tokens);
      if (left < 0) break;
    }
    return std::vector<Message>(history.begin() + static_cast<std::ptrdiff_t>(from), history.end());
  };
}

Reduce unchanged_baseline() {
  return [](const std::vector<Message>& history, std::int64_t) -> Result<std::vector<Message>> { return history; };
}

Reduce compaction_reduce(const Config& config, const TokenCounter& tokens, ChatModel* model) {
  return [config, &tokens, model](const std::vector<Message>& history,
                                  std::int64_t target) -> Result<std::vector<Message>> {
    CompactInput input;
    input.session = SessionId("drift");
    std::vector<Message> head;
    std::int64_t head_tokens = 0;
    for (const Message& message : history) {
      if (message.role == Role::kSystem && input.history.empty()) {
        head.push_back(message);
        head_tokens += sent_tokens(message, tokens);
        input.system += message.content + "\n";
        continue;
      }
      input.history.push_back(message);
      if (input.history.back().id.empty())
        input.history.back().id = MessageId("m" + std::to_string(input.history.size()));
    }
    const CompactionSettings& settings = config.compaction;
    input.options.keep_turns = static_cast<std::size_t>(std::max<std::int64_t>(2, settings.keep_turns));
    input.options.most_share = settings.summary_share;
    input.options.least_share = settings.summary_share / 2;
    input.options.target_tokens = std::max<std::int64_t>(1, target - head_tokens);
    int number = 0;
    const CompactPorts ports{tokens, model, [&number] { return "id-" + std::to_string(++number); }, {}};
    WEFT_TRY(Compacted made, compact(input, ports, Deadline()));
    std::vector<Message> sent = std::move(head);
    sent.insert(sent.end(), std::make_move_iterator(made.messages.begin()),
                std::make_move_iterator(made.messages.end()));
    return sent;
  };
}

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const std::map<std::string, Kept>& all) {
  Json json = Json::object();
  for (const auto& [name, kept] : all) json[name] = {{"total", kept.total}, {"kept", kept.kept}};
  return json;
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

std::string row(const std::string& name, const Kept& kept) {
  return "    " + name + ": " + std::to_string(kept.kept) + " of " + std::to_string(kept.total) + "\n";
}

}  // namespace

std::vector<std::string> missed(const DriftReport& report, const DriftOptions& options) {
  std::vector<std::string> all;
  const auto check = [&all](const char* name, double share, double least) {
    if (share < least) all.push_back(std::string(name) + " " + percent(share) + ", below " + percent(least));
  };
  check("anchor retention", report.anchor_retention(), options.min_anchors);
  check("probe consistency", report.probe_consistency(), options.min_probes);
  check("progress", report.turns.share(), options.min_progress);
  if (report.decisions_reversed > 0) all.push_back("decisions reversed: " + std::to_string(report.decisions_reversed));
  if (report.safety_violations > options.max_violations)
    all.push_back("safety violations: " + std::to_string(report.safety_violations));
  if (report.failed > 0) all.push_back("compactions failed: " + std::to_string(report.failed));
  return all;
}

std::string to_json(const DriftReport& report) {
  Json json;
  json["traces"] = report.traces;
  json["anchor_retention"] = report.anchor_retention();
  json["probe_consistency"] = report.probe_consistency();
  json["progress"] = report.turns.share();
  json["safety_violations"] = report.safety_violations;
  json["tokens"] = {{"before", report.tokens_before}, {"after", report.tokens_after}};
  json["by"] = to_string(report.by);
  json["skipped"] = report.skipped;
  json["failed"] = report.failed;
  json["anchors"] = json_of(report.anchors);
  json["probes"] = json_of(report.probes);
  json["unanswerable"] = report.unanswerable;
  json["turns"] = {{"total", report.turns.total}, {"kept", report.turns.kept}};
  json["values_lost"] = report.values_lost;
  json["decisions_reversed"] = report.decisions_reversed;
  json["reduce_ms"] = report.reduce_ms;
  json["lost"] = report.lost;
  return write_json(json);
}

std::string to_text(const DriftReport& report, const DriftOptions& options) {
  std::string text = std::to_string(report.traces) + " sessions, " + std::to_string(report.skipped) +
                     " too short; tokens " + std::to_string(report.tokens_before) + " → " +
                     std::to_string(report.tokens_after) + "; answers by " + std::string(to_string(report.by)) + "\n";
  text += "  anchor retention   " + percent(report.anchor_retention()) + " (of the origin that lost most)\n";
  for (const auto& [name, kept] : report.anchors) text += row(name, kept);
  text += "  probe consistency  " + percent(report.probe_consistency()) + "\n";
  for (const auto& [name, kept] : report.probes) text += row(name, kept);
  text += "  progress           " + percent(report.turns.share()) + " of the next steps\n";
  text += "    values to ask again: " + std::to_string(report.values_lost) +
          ", decisions reversed: " + std::to_string(report.decisions_reversed) + "\n";
  text += "  safety violations  " + std::to_string(report.safety_violations) + "\n";
  constexpr std::size_t kShown = 20, kWidth = 110;
  for (std::size_t i = 0; i < std::min(kShown, report.lost.size()); ++i)
    text += "  lost  " + preview(report.lost[i], kWidth) + "\n";
  if (report.lost.size() > kShown) text += "  …\n";
  const auto thresholds = missed(report, options);
  for (const auto& threshold : thresholds) text += "missed: " + threshold + "\n";
  return text + (thresholds.empty() ? "passed\n" : "");
}

namespace {

constexpr std::size_t kFillersBehindFact = 4, kFillersAtEnd = 24;
constexpr std::size_t kFirstNumber = 2001;  // of the fillers: what they are about differs from use to use

/// Puts parts one behind the other and names their messages and calls.
class Writer {
 public:
  void add(std::string_view part, const std::string& file, std::size_t number = 0) {
    for (Message& message : data_messages(part, file, number)) {
      message.id = MessageId("m" + std::to_string(messages_.size() + 1));
      for (ToolCall& call : message.tool_calls) call.id = "call_" + std::to_string(++calls_);
      if (message.role == Role::kTool) message.tool_call_id = "call_" + std::to_string(calls_);
      messages_.push_back(std::move(message));
    }
  }
  std::vector<Message>& messages() { return messages_; }

 private:
  std::vector<Message> messages_;
  std::size_t calls_ = 0;
};

DriftSession read_session(const std::string& name) {
  const std::string folder = "sessions/" + name + "/";
  DriftSession session;
  session.id = "shipped-" + name;
  session.set = "shipped";
  session.derive_probes = false;
  Message system;
  system.role = Role::kSystem;
  system.id = MessageId("m0");
  for (const std::string file : {"AGENTS", "SOUL", "USER"}) {
    session.files.push_back({file + ".md", std::string(data_file(folder + file))});
    system.content += "## " + session.files.back().file + "\n\n" + session.files.back().text + "\n";
  }
  Writer writer;
  const auto fillers = data_parts(folder + "fillers");
  std::size_t used = 0;
  const auto fill = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, ++used)
      writer.add(fillers[used % fillers.size()], folder + "fillers", kFirstNumber + used);
  };
  for (const std::string_view fact : data_parts(folder + "facts")) {
    writer.add(fact, folder + "facts");
    fill(kFillersBehindFact);
  }
  fill(kFillersAtEnd);
  const std::size_t cut = writer.messages().size();
  writer.add(data_file(folder + "after"), folder + "after");
  auto& all = writer.messages();
  session.before.push_back(std::move(system));
  session.before.insert(session.before.end(), all.begin(), all.begin() + static_cast<std::ptrdiff_t>(cut));
  session.after.assign(all.begin() + static_cast<std::ptrdiff_t>(cut), all.end());
  auto probes = parse_probes(data_file(folder + "probes"), "data/" + folder + "probes");
  if (!probes.ok()) throw std::logic_error(probes.error().message);
  session.probes = std::move(*probes);
  return session;
}

}  // namespace

std::vector<DriftSession> shipped_sessions() {
  std::vector<DriftSession> sessions;
  for (const std::string& name : data_sessions()) sessions.push_back(read_session(name));
  return sessions;
}

}  // namespace weft
