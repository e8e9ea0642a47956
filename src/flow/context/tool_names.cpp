#include "flow/context/tool_names.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/ascii.h"

namespace weft {
namespace {

constexpr std::size_t kMaxName = 64;        // what the large providers accept
constexpr std::size_t kReadName = 1024;     // more of a name says nothing
constexpr std::size_t kReadDescription = 2048;

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
  if (name.size() > kMaxName)
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
    return std::string(name.substr(0, kMaxName));
  name = name.substr(0, kReadName);
  const Group* group = group_of(name);
  if (group == nullptr) group = group_of(description.substr(0, kReadDescription));
  if (group == nullptr) return {};
  const std::string words = folded_words(name);
  const std::string rest = rest_of(split_at_spaces(words), group->prefix);
  if (rest.empty()) return {};
  return (std::string(group->prefix) + rest).substr(0, kMaxName);
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

}  // namespace weft
