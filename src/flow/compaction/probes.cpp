#include "flow/compaction/probes.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <unordered_set>

#include "base/strings.h"
#include "flow/compaction/anchors.h"
#include "text/json.h"
#include "text/plain_words.h"
#include "text/sentences.h"
#include "text/utf8.h"

namespace weft {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kTogether = 30;  // words to either side within which the facts of one answer stand

Result<ProbeKind> kind_of(const std::string& name) {
  for (const ProbeKind kind : {ProbeKind::kSafety, ProbeKind::kPreference, ProbeKind::kTask})
    if (name == to_string(kind)) return kind;
  return invalid_argument("unknown kind '" + name + "'", "use safety, preference or task");
}

Result<Probe> probe_of(const Json& json) {
  try {
    Probe probe;
    probe.id = json.at("id").get<std::string>();
    WEFT_TRY(probe.kind, kind_of(json.at("kind").get<std::string>()));
    probe.question = json.at("question").get<std::string>();
    for (const Json& fact : json.at("expected"))
      probe.expected.push_back(fact.is_string() ? std::vector{fact.get<std::string>()}
                                                : fact.get<std::vector<std::string>>());
    probe.lang = json.value("lang", "");
    if (probe.lang.empty()) probe.lang = language_of(probe.question) == Language::kChinese ? "zh" : "en";
    probe.forbidden = json.value("forbidden", std::vector<std::string>{});
    probe.trace = json.value("trace", "");
    if (probe.id.empty() || probe.question.empty())
      return invalid_argument("\"id\" and \"question\" must not be empty");
    if (probe.expected.empty()) return invalid_argument("\"expected\" is empty", "name at least one fact");
    for (const auto& wordings : probe.expected)
      if (std::none_of(wordings.begin(), wordings.end(), [](const auto& text) { return !make_claim(text).empty(); }))
        return invalid_argument("a fact of \"expected\" has no word to look for");
    return probe;
  } catch (const Json::exception& error) {
    return invalid_argument(error.what(), R"(each line needs "id", "kind", "question" and "expected")");
  }
}

std::vector<std::vector<Claim>> claims_of(const Probe& probe) {
  std::vector<std::vector<Claim>> facts;
  for (const auto& wordings : probe.expected) {
    auto& claims = facts.emplace_back();
    for (const std::string& wording : wordings) claims.push_back(make_claim(wording));
  }
  return facts;
}

}  // namespace

std::string_view to_string(ProbeKind kind) {
  switch (kind) {
    case ProbeKind::kSafety: return "safety";
    case ProbeKind::kPreference: return "preference";
    case ProbeKind::kTask: return "task";
  }
  return "task";
}

Result<std::vector<Probe>> parse_probes(std::string_view jsonl, std::string_view name) {
  std::vector<Probe> probes;
  std::unordered_set<std::string> ids;
  std::size_t number = 0;
  for (const std::string_view line : lines_of(jsonl)) {
    ++number;
    if (trimmed(line).empty()) continue;
    const std::string where = std::string(name) + ":" + std::to_string(number);
    WEFT_TRY(const Json json, read_json(line, {}, where));
    auto probe = probe_of(json);
    if (!probe.ok()) return invalid_argument(where + ": " + probe.error().message, probe.error().hint);
    if (!ids.insert(probe->id).second) return invalid_argument(where + ": the id '" + probe->id + "' is there twice");
    probes.push_back(std::move(*probe));
  }
  if (probes.empty()) return invalid_argument(std::string(name) + ": no probe in it", "one JSON object a line");
  return probes;
}

bool probe_violated(const Probe& probe, const StatedText& context) {
  return std::any_of(probe.forbidden.begin(), probe.forbidden.end(),
                     [&](const std::string& text) { return context.says(make_claim(text)); });
}

bool probe_answered(const Probe& probe, const StatedText& context) {
  return context.says_together(claims_of(probe), kTogether) && !probe_violated(probe, context);
}

bool answer_is_right(const Probe& probe, std::string_view answer) {
  const StatedText read(answer);
  for (const auto& claims : claims_of(probe))
    if (std::none_of(claims.begin(), claims.end(), [&](const Claim& claim) { return read.says(claim); })) return false;
  return !probe_violated(probe, read);
}

namespace {

constexpr std::size_t kLongestSentence = 300;
constexpr std::size_t kNamesPerMessage = 24, kNumbersPerMessage = 8, kErrorsPerRun = 16, kDecisionsPerRun = 16;
constexpr std::size_t kShortestName = 4;

std::string lang_of(std::string_view text) { return language_of(text) == Language::kChinese ? "zh" : "en"; }

std::string cloze(std::string_view sentence, std::string_view value) {
  std::string text(sentence);
  for (std::size_t at = 0; (at = text.find(value, at)) != std::string::npos; at += 4)
    text.replace(at, value.size(), "____");
  const bool zh = lang_of(sentence) == "zh";
  return (zh ? "按前面的对话补全空白：“" : "Fill in the blank from the conversation: \"") + text + (zh ? "”" : "\"");
}

class ProbeList {
 public:
  explicit ProbeList(const std::string& trace) : trace_(trace) {}

  bool add(ProbeKind kind, std::string question, std::vector<std::vector<std::string>> expected) {
    std::string key;
    for (const auto& wordings : expected) key += wordings.front() + "\n";
    if (!seen_.insert(key).second) return false;
    Probe probe;
    probe.id = trace_ + "#" + std::to_string(probes_.size() + 1);
    probe.kind = kind;
    probe.lang = lang_of(question);
    probe.question = std::move(question);
    probe.expected = std::move(expected);
    probe.trace = trace_;
    probes_.push_back(std::move(probe));
    return true;
  }

  std::vector<Probe> take() { return std::move(probes_); }

 private:
  const std::string& trace_;
  std::vector<Probe> probes_;
  std::unordered_set<std::string> seen_;
};

// A number of a sentence counts with one of the words around it, since numbers alone stand everywhere.
void add_numbers(std::string_view sentence, std::size_t& left, ProbeList& into) {
  const std::vector<PlainWord> words = plain_words(sentence);
  for (std::size_t at = 0; at < words.size() && left > 0; ++at) {
    if (words[at].kind != WordKind::kNumber || words[at].text.size() < 2) continue;
    std::vector<std::string> around;
    for (std::size_t i = at > 4 ? at - 4 : 0; i < std::min(words.size(), at + 5); ++i) {
      const bool han = words[i].kind == WordKind::kHan && i + 1 < words.size() && words[i + 1].kind == WordKind::kHan;
      if (han) around.push_back(words[i].text + words[i + 1].text);
      if (words[i].kind == WordKind::kWord && words[i].text.size() > 3) around.push_back(words[i].text);
    }
    std::erase_if(around, [](const std::string& word) { return make_claim(word).terms.empty(); });
    if (around.empty()) continue;
    if (into.add(ProbeKind::kTask, cloze(sentence, words[at].text), {{words[at].text}, around})) --left;
  }
}

void add_user_message(const Message& message, ProbeList& into) {
  const std::string text = repair_utf8(message.content);
  for (const Anchor& anchor : find_spoken_anchors(text, "user")) {
    const ProbeKind kind = anchor.forbids                           ? ProbeKind::kSafety
                           : anchor.kind == AnchorKind::kPreference ? ProbeKind::kPreference
                                                                    : ProbeKind::kTask;
    const bool zh = lang_of(anchor.text) == "zh";
    into.add(kind,
             zh ? "用户对做法提过什么要求或限制？" : "What did the user ask for or forbid about the way of working?",
             {{anchor.text}});
  }
  std::size_t names = kNamesPerMessage, numbers = kNumbersPerMessage;
  for (const MarkdownStatement& statement : markdown_statements(text)) {
    for (const std::string_view sentence : sentences(statement.text)) {
      if (sentence.size() > kLongestSentence) continue;
      for (const std::string_view name : exact_names(sentence)) {
        if (names == 0 || name.size() < kShortestName || name.size() > 120) continue;
        if (into.add(ProbeKind::kTask, cloze(sentence, name), {{std::string(name)}})) --names;
      }
      add_numbers(sentence, numbers, into);
    }
  }
}

bool is_error_line(std::string_view line) {
  const std::size_t end = line.find_first_of(": ");
  if (end == std::string_view::npos || end == 0 || end + 4 > line.size()) return false;
  const std::string_view head = line.substr(0, end);
  const bool exception = head.ends_with("Error") || head.ends_with("Exception");
  const bool word = head == "error" || head == "fatal" || head == "FAILED" || head == "ERROR" || head == "E";
  if (exception || word) return line[end] == ':' || head == "FAILED" || head == "E";
  return line.starts_with("错误：") || line.starts_with("失败：") ||
         line.find("No such file or directory") != std::string_view::npos ||
         line.find("command not found") != std::string_view::npos;
}

void add_errors(const Message& message, std::size_t& left, ProbeList& into) {
  constexpr std::size_t kLongestError = 200;
  const std::string text = repair_utf8(message.content);
  for (const std::string_view whole : lines_of(text)) {
    const std::string_view line = trimmed(whole);
    if (left == 0) break;
    if (line.size() > kLongestError || !is_error_line(line)) continue;
    const bool zh = lang_of(line) == "zh";
    if (into.add(ProbeKind::kTask, zh ? "工具报告过哪些错误？" : "Which errors did the tools report?",
                 {{std::string(line)}}))
      --left;
  }
}

// What an assistant announces ("I'll use grep") is a step; what a user says so is a decision.
bool states_decision(std::string_view sentence, Role role) {
  static const PhraseTable decisions = phrase_table("modality", "decisions"),
                           choices = phrase_table("modality", "choices");
  const std::vector<PlainWord> words = plain_words(sentence);
  return decisions.any_in(words) || (role == Role::kUser && choices.any_in(words));
}

// Short values of a call's arguments; of long ones (commands, file contents) the names.
void collect_values(const Json& json, std::vector<std::string>& into) {
  constexpr std::size_t kShort = 60, kNamesOfLong = 8;
  if (json.is_structured()) {
    for (const Json& member : json) collect_values(member, into);
  } else if (json.is_number_integer()) {
    into.push_back(json.dump());
  } else if (json.is_string()) {
    const auto& text = json.get_ref<const std::string&>();
    const auto names = exact_names(text);
    if (text.size() <= kShort && text.find(' ') == std::string::npos) {
      into.push_back(text);
    } else if (text.size() <= kShort && names.empty()) {
      into.push_back(text);
    } else {
      for (std::size_t i = 0; i < std::min(names.size(), kNamesOfLong); ++i) into.emplace_back(names[i]);
    }
  }
}

std::vector<std::string> values_of(const ToolCall& call) {
  std::vector<std::string> values;
  const auto json = read_json(call.arguments, {}, "arguments");
  if (json.ok()) collect_values(*json, values);
  // A short number or word may mean anything.
  std::erase_if(values, [](const std::string& value) {
    const bool digits = std::all_of(value.begin(), value.end(), is_digit<char>);
    return value.size() < kShortestName || (digits && value.size() < 4) || make_claim(value).empty();
  });
  return values;
}

StatedText said_by_user(const std::vector<Message>& messages, std::size_t end) {
  std::string text;
  for (std::size_t i = 0; i < end; ++i)
    if (messages[i].role == Role::kUser) text.append(messages[i].content).append("\n\n");
  return StatedText(text);
}

StatedText used_in_calls(const std::vector<Message>& messages) {
  std::string text;
  for (const Message& message : messages)
    for (const ToolCall& call : message.tool_calls) text.append(call.arguments).append("\n\n");
  return StatedText(text);
}

}  // namespace

std::vector<Probe> probes_of_messages(const std::vector<Message>& messages, const std::string& trace) {
  ProbeList probes(trace);
  std::size_t errors = kErrorsPerRun;
  for (const Message& message : messages) {
    if (message.role == Role::kUser) add_user_message(message, probes);
    if (message.role == Role::kTool) add_errors(message, errors, probes);
  }
  for (const std::string& decision : decisions_of(messages))
    probes.add(ProbeKind::kTask, lang_of(decision) == "zh" ? "已经定下了什么？" : "What has been decided?",
               {{decision}});
  return probes.take();
}

std::vector<std::string> decisions_of(const std::vector<Message>& messages) {
  std::vector<std::string> decisions;
  for (const Message& message : messages) {
    if (message.role != Role::kUser && message.role != Role::kAssistant) continue;
    const std::string text = repair_utf8(message.content);
    for (const MarkdownStatement& statement : markdown_statements(text, Tagged::kQuoted)) {
      for (const std::string_view sentence : sentences(statement.text)) {
        if (decisions.size() == kDecisionsPerRun) return decisions;
        const bool asks = sentence.ends_with("?") || sentence.ends_with("？");
        if (asks || sentence.size() > kLongestSentence || !states_decision(sentence, message.role)) continue;
        if (make_claim(sentence).terms.size() >= 2) decisions.emplace_back(sentence);
      }
    }
  }
  return decisions;
}

std::vector<std::vector<KnownValue>> values_of_next_turns(const std::vector<Message>& before,
                                                          const std::vector<Message>& after, std::size_t turns) {
  const StatedText user = said_by_user(before, before.size()), calls = used_in_calls(before);
  std::vector<std::vector<KnownValue>> next;
  for (std::size_t i = 0; i < after.size() && next.size() < turns; ++i) {
    if (after[i].role != Role::kAssistant) continue;
    auto& known = next.emplace_back();
    const StatedText again = said_by_user(after, i);
    for (const ToolCall& call : after[i].tool_calls) {
      for (const std::string& value : values_of(call)) {
        const Claim claim = make_claim(value);
        if (again.says(claim)) continue;
        if (user.says(claim))
          known.push_back({value, call.name, true});
        else if (calls.says(claim))
          known.push_back({value, call.name, false});
      }
    }
  }
  return next;
}

}  // namespace weft
