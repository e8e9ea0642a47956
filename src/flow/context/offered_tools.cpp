#include "flow/context/offered_tools.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/strings.h"
#include "flow/compaction/key_facts.h"
#include "flow/context/fence.h"
#include "text/json.h"
#include "text/sentences.h"
#include "text/small_talk.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kMaxAccepted = 64;        // what the large providers accept
constexpr std::size_t kReadName = 1024;     // more of a name says nothing
constexpr std::size_t kReadForGroup = 2048;

bool is_high(char c) { return static_cast<unsigned char>(c) >= 0x80; }

/// A group with the words that speak for it, as whole words of an identifier or a description. Verbs stand only where
/// they leave no doubt: "read" and "open" belong to files and pages alike.
struct Group {
  std::string_view prefix;
  std::vector<std::string_view> words;
  std::vector<std::string_view> chinese;
};

const std::vector<Group>& groups() {
  // People first: a tool that asks a person is that, whatever it asks about.
  static const std::vector<Group> kGroups{
      {"human_",
       {"human", "approval", "approve", "confirm", "confirmation", "ask", "operator", "escalate", "handoff"},
       {"人工", "询问", "确认", "审批", "用户确认"}},
      {"browser_",
       {"browser", "navigate", "click", "scroll", "webpage", "page", "tab", "url", "html", "screenshot"},
       {"浏览器", "网页", "点击", "页面", "截图"}},
      {"shell_",
       {"shell", "bash", "terminal", "command", "exec", "execute", "process", "subprocess", "console", "script"},
       {"命令", "终端", "脚本", "执行"}},
      {"file_",
       {"file", "files", "directory", "folder", "path", "filesystem", "document", "pdf", "csv"},
       {"文件", "目录", "文件夹", "文档"}},
      {"search_",
       {"search", "find", "query", "lookup", "retrieve", "grep", "discover"},
       {"搜索", "检索", "查找", "查询"}},
  };
  return kGroups;
}

std::string folded_words(std::string_view name) {
  std::string words = words_of_identifier(name);
  for (char& c : words)
    if (is_upper(c)) c = static_cast<char>(c - 'A' + 'a');
  return words;
}

std::vector<std::string_view> split_at_spaces(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

/// The group with most words in the text; of equals the first of `groups`.
const Group* group_of(std::string_view text) {
  const std::string folded = folded_words(text);
  const auto words = split_at_spaces(folded);
  const Group* best = nullptr;
  std::size_t most = 0;
  for (const Group& group : groups()) {
    std::size_t hits = 0;
    for (const std::string_view word : words)
      hits += std::find(group.words.begin(), group.words.end(), word) != group.words.end() ? 1 : 0;
    for (const std::string_view word : group.chinese) hits += text.find(word) != std::string_view::npos ? 1 : 0;
    if (hits > most) {
      most = hits;
      best = &group;
    }
  }
  return best;
}

/// What stands behind the prefix: the words without the group's own name.
std::string rest_of(const std::vector<std::string_view>& words, std::string_view prefix) {
  const std::string_view own = prefix.substr(0, prefix.size() - 1);
  std::string rest;
  for (const std::string_view word : words) {
    if (word == own) continue;
    std::string kept;
    std::copy_if(word.begin(), word.end(), std::back_inserter(kept), [](char c) { return is_lower(c) || is_digit(c); });
    if (kept.empty()) continue;
    if (!rest.empty()) rest += '_';
    rest += kept;
  }
  return rest;
}

}  // namespace

std::string_view tool_prefix(std::string_view name) {
  for (const std::string_view prefix : kToolPrefixes)
    if (name.starts_with(prefix)) return prefix;
  return {};
}

Status check_tool_name(std::string_view name) {
  if (name.empty()) return invalid_argument("tool name: empty");
  if (name.size() > kMaxAccepted)
    return invalid_argument("tool name: " + std::to_string(name.size()) + " bytes", "at most 64 are accepted");
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!is_lower(c) && !is_upper(c) && !is_digit(c) && c != '_' && c != '-')
      return invalid_argument("tool name: byte " + std::to_string(i) + " is no letter, digit, \"_\" or \"-\"");
  }
  return {};
}

Status check_structured_name(std::string_view name) {
  WEFT_CHECK(check_tool_name(name));
  const std::string_view prefix = tool_prefix(name);
  if (!prefix.empty() && name.size() > prefix.size()) return {};
  const std::string better = structured_tool_name(name, {});
  return invalid_argument("tool name: \"" + std::string(name) + "\" has no structured prefix",
                          better.empty() || better == name
                              ? "names begin with browser_, shell_, file_, search_ or human_"
                              : "such as \"" + better + "\"");
}

std::string structured_tool_name(std::string_view name, std::string_view description) {
  if (const std::string_view prefix = tool_prefix(name); !prefix.empty() && name.size() > prefix.size())
    return std::string(name.substr(0, kMaxAccepted));
  name = name.substr(0, kReadName);
  const Group* group = group_of(name);
  if (group == nullptr) group = group_of(description.substr(0, kReadForGroup));
  if (group == nullptr) return {};
  const std::string words = folded_words(name);
  const std::string rest = rest_of(split_at_spaces(words), group->prefix);
  if (rest.empty()) return {};
  return (std::string(group->prefix) + rest).substr(0, kMaxAccepted);
}

std::string words_of_identifier(std::string_view name) {
  std::string words;
  words.reserve(name.size() + 8);
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!is_lower(c) && !is_upper(c) && !is_digit(c) && !is_high(c)) {
      if (!words.empty() && words.back() != ' ') words += ' ';
      continue;
    }
    const char before = i > 0 ? name[i - 1] : ' ';
    const bool after_small = is_upper(c) && (is_lower(before) || is_digit(before));
    const bool ends_run = is_upper(c) && is_upper(before) && i + 1 < name.size() && is_lower(name[i + 1]);
    if ((after_small || ends_run) && !words.empty() && words.back() != ' ') words += ' ';
    words += c;
  }
  if (!words.empty() && words.back() == ' ') words.pop_back();
  return words;
}

namespace {

constexpr std::size_t kMaxKnown = 256;
constexpr std::size_t kMaxValues = 64;
constexpr int kMaxDepth = 8;
constexpr JsonLimits kLimits{.max_bytes = 1024 * 1024, .max_depth = 64};

std::string text_of(const Value* value) {
  const std::string* text = value != nullptr ? value->text() : nullptr;
  return text != nullptr ? *text : std::string();
}

std::string type_of(const Value& schema) {
  const Value* type = schema.find("type");
  if (type == nullptr) return {};
  std::string said = text_of(type);
  if (const ValueList* several = type->list()) {
    for (const Value& one : *several) said += (said.empty() ? "" : " or ") + text_of(&one);
  }
  if (said != "array") return said;
  const Value* items = schema.find("items");
  const std::string inner = items != nullptr ? text_of(items->find("type")) : std::string();
  return inner.empty() ? said : "array of " + inner;
}

class Reader {
 public:
  std::vector<ToolParameter> take() { return std::move(found_); }

  void read(const Value& schema, int depth) {
    if (depth > kMaxDepth) return;
    const Value* properties = schema.find("properties");
    const ValueObject* members = properties != nullptr ? properties->object() : nullptr;
    if (members != nullptr) {
      const std::vector<std::string> required = required_of(schema);
      for (const auto& [name, value] : *members) read_member(name, value, required, depth);
    }
    // What an array holds and what may stand instead are members of the same level.
    if (const Value* items = schema.find("items")) read(*items, depth + 1);
    for (const std::string_view choice : {"anyOf", "oneOf", "allOf"}) {
      const Value* choices = schema.find(choice);
      if (choices == nullptr || choices->list() == nullptr) continue;
      for (const Value& one : *choices->list()) read(one, depth + 1);
    }
  }

 private:
  static std::vector<std::string> required_of(const Value& schema) {
    std::vector<std::string> names;
    const Value* required = schema.find("required");
    if (required == nullptr || required->list() == nullptr) return names;
    for (const Value& one : *required->list()) names.push_back(text_of(&one));
    std::sort(names.begin(), names.end());
    return names;
  }

  void read_member(const std::string& name, const Value& value, const std::vector<std::string>& required, int depth) {
    if (found_.size() >= kMaxKnown) return;
    ToolParameter one;
    one.name = name;
    one.type = type_of(value);
    one.description = text_of(value.find("description"));
    const Value* values = value.find("enum");
    if (values != nullptr && values->list() != nullptr) {
      for (const Value& choice : *values->list())
        if (choice.text() != nullptr && one.values.size() < kMaxValues) one.values.push_back(*choice.text());
    }
    one.required = std::binary_search(required.begin(), required.end(), name);
    one.depth = depth;
    found_.push_back(std::move(one));
    read(value, depth + 1);
  }

  std::vector<ToolParameter> found_;
};

}  // namespace

std::vector<ToolParameter> tool_parameters(std::string_view schema) {
  if (schema.empty()) return {};
  const auto value = parse_value(schema, kLimits, "tool parameters");
  if (!value.ok()) return {};
  Reader reader;
  reader.read(*value, 0);
  return reader.take();
}

namespace {

constexpr std::size_t kMaxName = 128, kMaxParameterName = 64, kMaxType = 48;  // characters
constexpr std::size_t kMaxSentence = 200;
constexpr std::size_t kMaxParameters = 24;     // a line of more is no short form
constexpr std::size_t kReadDescription = 4096; // bytes

/// On one line, at most so many characters, then escaped, so that no escape is cut in two.
std::string safe(std::string_view text, std::size_t most) {
  std::string line = preview(repair_utf8(cut_bytes(text, kReadDescription)), most);
  std::replace(line.begin(), line.end(), '\t', ' ');
  return escape_text(line);
}

struct ShortForm {
  std::string name;
  std::vector<std::string> required, optional;
  std::string sentence;  ///< not escaped yet
  bool more = false;     ///< parameters were left out
};

ShortForm short_form_of(const ToolInfo& tool) {
  ShortForm form;
  form.name = safe(tool.name, kMaxName);
  for (const ToolParameter& parameter : tool_parameters(tool.parameters)) {
    if (parameter.depth > 0) continue;
    if (form.required.size() + form.optional.size() >= kMaxParameters) {
      form.more = true;
      break;
    }
    std::string text = safe(parameter.name, kMaxParameterName);
    if (!parameter.type.empty()) text += ": " + safe(parameter.type, kMaxType);
    (parameter.required ? form.required : form.optional).push_back(std::move(text));
  }
  const auto all = sentences(cut_bytes(tool.description, kReadDescription));
  if (!all.empty()) form.sentence = preview(repair_utf8(all.front()), kMaxSentence);
  return form;
}

std::string write(const ShortForm& form, std::size_t sentence) {
  std::string text = form.name + "(";
  auto next = [&text, first = true](const std::string& part) mutable {
    if (!first) text += ", ";
    first = false;
    text += part;
  };
  for (const std::string& one : form.required) next(one);
  for (const std::string& one : form.optional) next("[" + one + "]");
  if (form.more) next("…");
  text += ")";
  if (sentence > 0 && !form.sentence.empty()) text += " – " + safe(form.sentence, sentence);
  return text;
}

}  // namespace

std::string tool_text(const ToolInfo& tool, std::int64_t max_tokens, const TokenCounter& tokens) {
  if (max_tokens <= 0) return {};
  ShortForm form = short_form_of(tool);
  std::size_t sentence = kMaxSentence;
  const auto fits = [&](const std::string& text) { return tokens.count(text) <= max_tokens; };
  std::string text = write(form, sentence);
  while (!fits(text)) {
    if (!form.optional.empty()) {
      form.optional.pop_back();
      form.more = true;
    } else if (sentence > 0) {
      sentence = sentence > 20 ? sentence / 2 : 0;
    } else if (!form.required.empty()) {
      form.required.pop_back();
      form.more = true;
    } else {
      break;
    }
    text = write(form, sentence);
  }
  for (std::size_t most = kMaxName; most > 1 && !fits(text); most /= 2) text = safe(tool.name, most / 2);
  return fits(text) ? text : std::string();
}

namespace {

// A tool is clearly needed where it has half of what the best one has by words, or stands out among all by its vector.
constexpr double kClearWords = 0.5, kClearVector = 1.5;
constexpr std::size_t kMostNew = 3;  // for one input
constexpr std::size_t kRoom = 2;     // for later needs, so that nothing has to go for them

// "parser.py" is a file, whatever the sentence calls it: in the words of tools' descriptions.
std::string with_kinds(std::string_view text) {
  bool file = false, url = false;
  for (const KeyFact& fact : key_facts(text)) {
    file = file || fact.kind == FactKind::kPath;
    url = url || fact.kind == FactKind::kUrl;
  }
  std::string out(text);
  if (file) out += "\nfile 文件";
  if (url) out += "\nweb page url 网页";
  return out;
}

bool is_clear(const ToolChoice& choice) {
  return std::any_of(choice.signals.begin(), choice.signals.end(), [](const Signal& signal) {
    return (signal.name == "words" && signal.share >= kClearWords) ||
           (signal.name == "vector" && signal.value >= kClearVector);
  });
}

class Offer {
 public:
  Offer(OfferedTools& offered, const ToolIndex& index, const ToolNeed& need, const ToolIndex::Models& models,
        const Deadline& deadline)
      : offered_(offered), index_(index), need_(need), models_(models), deadline_(deadline) {}

  // What the input alone speaks for, and the best for all that is said. Room is left for what turns out to be needed.
  void begin(const ToolBounds& bounds) {
    const std::size_t most = bounds.most;
    const std::size_t first = std::max(bounds.least, most - std::min(most, kRoom));
    add_used();
    const std::string input = with_kinds(need_.input);
    add_needed(input, most);
    for (const ToolChoice& choice : choose(need_.task + "\n" + need_.step + "\n" + input, most)) {
      if (offered_.tools.size() >= first) break;
      add(choice.index, choice.score);
    }
  }

  void go_on() {
    add_used();
    add_needed(with_kinds(need_.input), kMostNew);
    if (!need_.step.empty()) add_needed(with_kinds(need_.step), 1);
  }

  void fill_up(std::size_t least) {
    for (std::size_t i = 0; i < index_.tools().size() && offered_.tools.size() < least; ++i) add(i, 0);
  }

  // The order of the others stays.
  void bound(std::size_t most) {
    auto& tools = offered_.tools;
    while (tools.size() > most) {
      const auto first = std::min_element(tools.begin(), tools.end(), [](const OfferedTool& a, const OfferedTool& b) {
        if (a.used != b.used) return b.used;
        return a.needed != b.needed ? a.needed < b.needed : a.score < b.score;
      });
      if (first->used) break;
      tools.erase(first);
    }
  }

 private:
  std::vector<ToolChoice> choose(const std::string& text, std::size_t most) const {
    return index_.choose(text, most, {}, models_, deadline_).ranked;
  }

  void add_needed(const std::string& text, std::size_t most) {
    if (text.empty() || is_empty_talk(text)) return;
    for (const ToolChoice& choice : choose(text, most))
      if (is_clear(choice)) add(choice.index, choice.score).needed = offered_.inputs;
  }

  void add_used() {
    for (std::size_t i = 0; i < index_.tools().size(); ++i) {
      if (!need_.in_use.contains(index_.tools()[i].name)) continue;
      OfferedTool& tool = add(i, 0);
      tool.used = true;
      tool.needed = offered_.inputs;
    }
  }

  OfferedTool& add(std::size_t index, double score) {
    auto& tools = offered_.tools;
    const auto known =
        std::find_if(tools.begin(), tools.end(), [index](const OfferedTool& one) { return one.index == index; });
    if (known != tools.end()) return *known;
    return tools.emplace_back(OfferedTool{index, score, offered_.inputs, false});
  }

  OfferedTools& offered_;
  const ToolIndex& index_;
  const ToolNeed& need_;
  const ToolIndex::Models& models_;
  const Deadline& deadline_;
};

}  // namespace

void offer_tools(OfferedTools& offered, const std::string& list_digest, const ToolIndex& index, const ToolNeed& need,
                 const ToolBounds& bounds, const ToolIndex::Models& models, const Deadline& deadline) {
  const std::string origin = list_digest + (need.task.empty() ? "\n" + need.input : need.task);
  const bool same = offered.origin == origin;
  if (!same) offered = OfferedTools{origin, 0, {}};
  ++offered.inputs;
  Offer offer(offered, index, need, models, deadline);
  if (same)
    offer.go_on();
  else
    offer.begin(bounds);
  offer.bound(bounds.most);
  offer.fill_up(bounds.least);
}

}  // namespace weft
