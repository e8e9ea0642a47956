#include "flow/compaction/step_findings.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/ascii.h"
#include "base/strings.h"
#include "flow/compaction/call_outcome.h"
#include "flow/compaction/failure_lines.h"
#include "flow/compaction/key_facts.h"
#include "text/sentences.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kValue = 60;              // bytes of one value of JSON
constexpr std::size_t kSearched = 64 * 1024;    // bytes of an output that are looked at
constexpr std::size_t kLongLine = 200;          // a result is told in a short line
constexpr std::size_t kLastLines = 12;          // in which a program says how it ended
constexpr std::size_t kManyLines = 6;           // from here on their number says something
constexpr std::size_t kStart = 24;              // bytes of a sentence by which it announces
constexpr std::size_t kMostDefined = 8;

constexpr std::array<std::string_view, 20> kResults = {" passed", " failed",   " error",       " warning",  " tests",
                                                       " test ",  "succeeded", "successfully", "completed", "finished",
                                                       "total",   "found ",    " ok",          "created",   "written",
                                                       "通过",    "失败",      "成功",         "完成",      "共"};
constexpr std::array<std::string_view, 11> kDefinitions = {"class ",  "def ",       "async def ", "function ",
                                                           "struct ", "interface ", "func ",      "fn ",
                                                           "pub fn ", "enum ",      "export "};
constexpr std::array<std::string_view, 24> kAnnounces = {
    "let me",  "let us",  "let's",    "i'll ",      "i will ",   "i am going to", "i'm going to", "now i",
    "now let", "next, i", "first, i", "i need to ", "i should ", "i call ",       "i'm calling ", "i am calling ",
    "让我",    "我来",    "我先",     "我会",       "我将",      "接下来",        "现在我",       "我需要先"};

bool is_result(std::string_view line) {
  if (line.size() > kLongLine || std::none_of(line.begin(), line.end(), is_digit<char>)) return false;
  std::string low;
  for (const char c : line) low += to_lower(c);
  return std::any_of(kResults.begin(), kResults.end(),
                     [&low](std::string_view word) { return low.find(word) != std::string::npos; });
}

std::string values_of(std::string_view output, std::size_t max_bytes) {
  std::string text;
  for (const NamedValue& scalar : json_scalars(output.size() <= kSearched ? output : std::string_view())) {
    const std::string value = one_line(scalar.value, kValue);
    if (text.size() + scalar.name.size() + value.size() > max_bytes) break;
    text += (text.empty() ? "" : ", ") + (scalar.name.empty() ? value : scalar.name + ": " + value);
  }
  return text;
}

// "class Parser, def parse": the names that a source file defines.
std::string defined_in(const std::vector<std::string_view>& lines, std::size_t max_bytes) {
  std::string text;
  std::size_t found = 0;
  for (std::string_view line : lines) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t0123456789:|"), line.size()));
    const bool defines = std::any_of(kDefinitions.begin(), kDefinitions.end(),
                                     [line](std::string_view word) { return line.starts_with(word); });
    if (!defines) continue;
    const std::string name = one_line(line.substr(0, std::min(line.find_first_of("({:=<"), line.size())), kValue);
    if (text.size() + name.size() + 2 > max_bytes || ++found > kMostDefined) break;
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

std::string_view last_result(const std::vector<std::string_view>& lines) {
  for (std::size_t i = 0; i < std::min(lines.size(), kLastLines); ++i)
    if (const std::string_view line = lines[lines.size() - 1 - i]; is_result(line)) return line;
  return {};
}

}  // namespace

std::string finding_in(std::string_view output, std::size_t max_bytes) {
  if (std::string values = values_of(output, max_bytes); !values.empty()) return values;
  auto lines = lines_of(output);
  std::erase_if(lines, [](std::string_view line) { return trimmed(line).empty(); });
  if (lines.size() < kManyLines) return one_line(output.substr(0, 4 * max_bytes), max_bytes);
  const std::string count =
      std::to_string(lines.size()) + (language_of(output.substr(0, 2000)) == Language::kChinese ? " 行：" : " lines: ");
  if (const std::string_view result = last_result(lines); !result.empty()) return one_line(result, max_bytes);
  if (const std::string names = defined_in(lines, max_bytes - std::min(max_bytes, count.size())); !names.empty())
    return count + names;
  if (const DeclaredEnd end = declared_end(output.substr(output.size() - std::min(output.size(), kSearched)));
      end.known)
    return one_line(end.line, max_bytes);
  return count + one_line(lines.front(), max_bytes - std::min(max_bytes, count.size()));
}

bool is_announcement(std::string_view sentence) {
  const auto first = sentence.find_first_not_of(" \t\r\n*#>-");
  if (first == std::string_view::npos) return false;
  std::string start;
  for (const char c : sentence.substr(first, kStart)) start += to_lower(c);
  for (const std::string_view word : {"okay, ", "ok, ", "good, ", "great, ", "now, ", "so ", "好的，", "好，", "现在"})
    if (start.starts_with(word)) start.erase(0, word.size());
  return std::any_of(kAnnounces.begin(), kAnnounces.end(),
                     [&start](std::string_view word) { return start.starts_with(word); });
}

std::vector<std::string> step_findings(const std::vector<const Message*>& messages, Language language) {
  std::map<std::string, const Message*> outputs;
  for (const Message* message : messages)
    if (message->role == Role::kTool) outputs.emplace(message->tool_call_id, message);
  std::vector<std::string> lines;
  for (const Message* message : messages) {
    if (message->role != Role::kAssistant) continue;
    for (const std::string_view sentence : sentences(message->content))
      if (!is_announcement(sentence)) lines.emplace_back(sentence);
    for (const ToolCall& call : message->tool_calls) {
      const auto at = outputs.find(call.id);
      lines.push_back(outcome_of(call, at == outputs.end() ? nullptr : at->second, language).text);
    }
  }
  return lines;
}

}  // namespace weft
