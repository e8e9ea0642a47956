#include "flow/compaction/call_outcome.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "base/strings.h"
#include "flow/compaction/failure.h"
#include "flow/compaction/key_facts.h"
#include "text/sentences.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kArgument = 60, kArguments = 140, kResult = 120, kReason = 200;  // bytes
constexpr std::size_t kShortHead = 400, kShortTail = 240, kMark = 120;
constexpr std::size_t kEmphasis = 240;  // bytes within which emphasis is closed

std::string short_arguments(const ToolCall& call, const std::vector<NamedValue>& arguments) {
  if (arguments.empty()) return one_line(call.arguments == "{}" ? "" : call.arguments, kArguments);
  std::string text;
  for (const NamedValue& argument : arguments) {
    const std::string value = one_line(argument.value, kArgument);
    if (text.size() + argument.name.size() + value.size() > kArguments) break;
    if (!text.empty()) text += ", ";
    text += argument.name.empty() || arguments.size() == 1 ? value : argument.name + "=" + value;
  }
  return text;
}

// Whether the "**" here opens emphasis that is closed, or closes it; a power, "**kwargs" and "a/**/b" do neither. The
// mark that opened may have been taken for one of a list.
bool is_emphasis(std::string_view text, std::size_t at, bool open) {
  if (text.substr(at, 2) != "**") return false;
  const auto blank = [text](std::size_t place) { return place >= text.size() || text[place] == ' '; };
  const auto name = [text](std::size_t place) { return is_letter(text[place]) || is_digit(text[place]); };
  const bool closes = at > 0 && !blank(at - 1) && text[at - 1] != '/' && (blank(at + 2) || !name(at + 2));
  if (closes) return open || text.rfind("**", at - 1) == std::string_view::npos;
  if (open || blank(at + 2) || (at > 0 && !blank(at - 1))) return false;
  const auto end = text.substr(0, at + kEmphasis).find("**", at + 3);
  return end != std::string_view::npos && !blank(end - 1);
}

}  // namespace

std::string one_line(std::string_view text, std::size_t max_bytes) {
  const auto first = text.find_first_not_of(" \t\r\n*#>-•·");
  if (first == std::string_view::npos) return {};
  // A sign that belongs to what follows ("-5", "--force", "#123") is no mark of a list.
  text.remove_prefix(
      first > 0 && text[first - 1] != ' ' && text[first - 1] != '\n' && text[first - 1] != '*' ? first - 1 : first);
  std::string line;
  bool gap = false, open = false;
  std::size_t at = 0;
  for (; at < text.size() && line.size() <= max_bytes + 4; ++at) {
    const auto c = static_cast<unsigned char>(text[at]);
    if (c == '*' && is_emphasis(text, at, open)) {
      open = !open;
      ++at;
      continue;
    }
    if (c <= 0x20 || c == 0x7f) {
      gap = !line.empty();
      continue;
    }
    if (gap) line += ' ';
    gap = false;
    line += static_cast<char>(c);
  }
  if (line.size() <= max_bytes && at >= text.size()) return line;
  std::string_view cut = cut_bytes(line, max_bytes);
  // Back to a blank where one is near; Chinese has none and is cut between characters.
  const auto blank = cut.rfind(' ');
  if (blank != std::string_view::npos && blank > cut.size() / 2 && static_cast<unsigned char>(cut.back()) < 0x80)
    cut = cut.substr(0, blank);
  return std::string(cut) + "…";
}

CallOutcome outcome_of(const ToolCall& call, const Message* output, Language language) {
  CallOutcome outcome;
  const auto arguments = json_scalars(call.arguments);
  outcome.reads = only_reads(call);
  outcome.text = one_line(call.name, kArguments) + "(" + short_arguments(call, arguments) + ")";
  if (output == nullptr) return outcome;
  const std::string why = failure_of(&call, *output);
  outcome.failed = !why.empty();
  if (outcome.failed) {
    outcome.text += (language == Language::kChinese ? " 失败：" : " failed: ") + one_line(why, kReason);
  } else if (const std::string result = finding_in(output->content, kResult); !result.empty()) {
    outcome.text += " → " + result;
  }
  return outcome;
}

std::string short_output(std::string_view output, std::string_view handle) {
  if (output.size() <= kShortHead + kShortTail + kMark) return std::string(output);
  const std::string_view head = cut_bytes(output, kShortHead);
  std::size_t from = output.size() - kShortTail;
  while (from < output.size() && (static_cast<unsigned char>(output[from]) & 0xc0U) == 0x80U) ++from;
  const std::string_view tail = output.substr(from);
  const std::string why = one_line(failure_in(output), kReason);
  std::string text = std::string(head) + "\n[… " + std::to_string(output.size() - head.size() - tail.size()) + " bytes";
  if (!handle.empty()) text += ", the whole: message \"" + std::string(handle) + "\"";
  text += " …]\n";
  if (!why.empty() && head.find(why) == std::string_view::npos && tail.find(why) == std::string_view::npos)
    text += why + "\n[…]\n";
  return text.append(tail);
}

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

// Whether a call of a tool changes anything: by general knowledge of how tools and commands are called.

namespace {

constexpr std::array<std::string_view, 27> kReaders = {
    "get",  "search", "list", "find",   "view",  "open",  "read",      "cat",    "ls",
    "grep", "show",   "look", "query",  "fetch", "check", "head",      "tail",   "cd",
    "goto", "scroll", "tree", "browse", "think", "diff",  "calculate", "lookup", "inspect"};
// As names of tools these words may do something: "type_text", "file_write".
constexpr std::array<std::string_view, 24> kCommands = {"rg",  "less", "more", "wc",   "sort", "uniq",  "cut",  "awk",
                                                        "sed", "jq",   "file", "stat", "pwd",  "which", "echo", "du",
                                                        "df",  "ps",   "date", "env",  "type", "xargs", "tr",   "nl"};
constexpr std::array<std::string_view, 6> kGitReads = {"log", "show", "diff", "status", "blame", "branch"};

template <class Words>
bool is_in(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The words of a name: "readFile" and "file_read" are the same two.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  bool fresh = true;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (!is_letter(name[i])) {
      fresh = true;
      continue;
    }
    if (fresh || (is_upper(name[i]) && i > 0 && is_lower(name[i - 1]))) words.emplace_back();
    words.back() += to_lower(name[i]);
    fresh = false;
  }
  return words;
}

// The first words of the commands in a line: what joins them stands outside of quotes.
bool commands_read(std::string_view line) {
  bool any = false;
  char quote = 0;
  std::size_t from = 0;
  const auto reads = [&](std::string_view command) {
    const auto first = command.find_first_not_of(" \t\r\n(");
    if (first == std::string_view::npos) return true;
    const auto words = words_of(command.substr(first, 40));
    any = true;
    if (words.empty()) return false;
    if (words.front() == "git") return words.size() > 1 && is_in(kGitReads, words[1]);
    // "sed -i" writes; what goes to a file is written by whatever command.
    if (words.front() == "sed" && command.find(" -i") != std::string_view::npos) return false;
    return is_in(kReaders, words.front()) || is_in(kCommands, words.front());
  };
  for (std::size_t i = 0; i <= line.size(); ++i) {
    const char c = i < line.size() ? line[i] : '\n';
    if (quote != 0) {
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '\'' || c == '"') quote = c;
    if (c != '|' && c != ';' && c != '\n' && c != '&') continue;
    if (c == '&' && i > 0 && line[i - 1] == '>') continue;  // 2>&1
    if (!reads(line.substr(from, i - from))) return false;
    from = i + 1;
  }
  return any;
}

}  // namespace

bool only_reads(const ToolCall& call) {
  for (const NamedValue& argument : json_scalars(call.arguments))
    if (argument.name == "command" || argument.name == "cmd") return commands_read(argument.value);
  const auto words = words_of(call.name);
  return !words.empty() && (is_in(kReaders, words.front()) || is_in(kReaders, words.back()));
}

}  // namespace weft
