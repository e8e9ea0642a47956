#include "flow/compaction/tool_output.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/strings.h"
#include "flow/compaction/failure.h"
#include "flow/compaction/key_facts.h"
#include "text/json.h"
#include "text/sentences.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kArgument = 60, kArguments = 140, kResult = 120, kReason = 200;  // bytes
constexpr std::size_t kShortHead = 400, kShortTail = 240, kShortMark = 120;
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
  if (output.size() <= kShortHead + kShortTail + kShortMark) return std::string(output);
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

namespace {

// Which lines of a long output stay.

// How much each part of an output has to do with a request: rare words that both share count most. Made once for an
// output; keeps no view into it.
class RequestMatch {
 public:
  RequestMatch(std::string_view request, const std::vector<std::string_view>& parts);

  /// 0 to 1: the share of the request's weight that stands in that part of `parts`.
  double of(std::size_t part) const { return score_[part]; }

 private:
  std::vector<double> score_;
};

// Lines of a text cut to at most `bytes`: errors, what speaks of the request, changed lines of a diff, the beginning
// and the end. Marks say which lines are left out between.
struct ShortLines {
  std::string text;
  std::size_t lines = 0;        ///< of the whole
  std::size_t lines_left = 0;   ///< of it that are left out
  std::size_t first_left = 0;   ///< the first of them, from 1; 0: none
};

constexpr std::size_t kLongOutputLine = 400, kPart = 200;  // bytes: longer lines are taken in parts
constexpr std::size_t kMark = 36;                    // bytes of a mark for what is left out
constexpr double kError = 5, kMatch = 4, kHunk = 3, kChanged = 1.6, kBeside = 1.5, kAgain = 0.3;
constexpr double kSpecial = 1.5;       // from here on a line stays for what it says, not for where it stands
constexpr double kSpecialShare = 0.6;  // of the room; the rest is for the beginning and the end

// A line, or a part of a long one.
struct Part {
  std::string_view text;
  std::size_t line = 0;  ///< from 1
  bool begins = true;    ///< a line begins with it
};

// Back to a blank where one is near, never within a character.
std::string_view next_part(std::string_view rest) {
  if (rest.size() <= kLongOutputLine) return rest;
  std::string_view part = cut_bytes(rest, kPart);
  const auto blank = part.find_last_of(" \t,;");
  if (blank != std::string_view::npos && blank > part.size() / 2) part = part.substr(0, blank + 1);
  return part.empty() ? rest.substr(0, kPart) : part;
}

std::vector<Part> parts_of(std::string_view text) {
  std::vector<Part> parts;
  std::size_t line = 0;
  for (std::string_view rest : lines_of(text)) {
    ++line;
    for (bool begins = true; begins || !rest.empty(); begins = false) {
      const std::string_view part = next_part(rest);
      parts.push_back({part, line, begins});
      rest.remove_prefix(part.size());
    }
  }
  return parts;
}

bool is_diff(const std::vector<Part>& parts) {
  return std::any_of(parts.begin(), parts.end(), [](const Part& part) {
    return part.begins && (part.text.starts_with("@@ ") || part.text.starts_with("diff --git "));
  });
}

double of_diff(const Part& part) {
  if (!part.begins || part.text.empty()) return 0;
  for (const std::string_view head : {"@@ ", "diff --git ", "+++ ", "--- "})
    if (part.text.starts_with(head)) return kHunk;
  return part.text.front() == '+' || part.text.front() == '-' ? kChanged : 0;
}

// What a line says but for its numbers: a log repeats itself with other times.
std::string shape_of(std::string_view text) {
  std::string shape;
  for (const char c : text)
    if (!is_digit(c)) shape += c;
  return shape;
}

class Chooser {
 public:
  Chooser(std::vector<Part> parts, std::size_t bytes, std::string_view request)
      : parts_(std::move(parts)), room_(bytes), kept_(parts_.size(), false) {
    weigh(request);
  }

  std::vector<bool> run() {
    take(order_by(weights_), static_cast<std::size_t>(static_cast<double>(room_) * kSpecialShare), kSpecial);
    take(from_the_ends(), room_, -1);
    return std::move(kept_);
  }

  const std::vector<Part>& parts() const { return parts_; }

 private:
  void weigh(std::string_view request) {
    std::vector<std::string_view> texts;
    for (const Part& part : parts_) texts.push_back(part.text);
    const RequestMatch match(request, texts);
    const bool diff = is_diff(parts_);
    std::unordered_set<std::string> shapes;
    weights_.resize(parts_.size());
    // The last time stands for all: it is what came of it.
    for (std::size_t i = parts_.size(); i-- > 0;) {
      double weight = kMatch * match.of(i) + (is_error_line(parts_[i].text) ? kError : 0);
      if (diff) weight += of_diff(parts_[i]);
      if (weight > 0 && !diff && !shapes.insert(shape_of(parts_[i].text)).second) weight *= kAgain;
      weights_[i] = weight;
    }
    const std::vector<double> own = weights_;
    for (std::size_t i = 0; i < own.size(); ++i) {
      const double above = i > 0 ? own[i - 1] : 0, below = i + 1 < own.size() ? own[i + 1] : 0;
      if (std::max(above, below) >= kHunk && own[i] < kBeside) weights_[i] = kBeside;
    }
  }

  static std::vector<std::size_t> order_by(const std::vector<double>& weights) {
    std::vector<std::size_t> order(weights.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
    return order;
  }

  // First, last, second, last but one, …
  std::vector<std::size_t> from_the_ends() const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i * 2 < parts_.size(); ++i) {
      order.push_back(i);
      if (parts_.size() - 1 - i != i) order.push_back(parts_.size() - 1 - i);
    }
    return order;
  }

  void take(const std::vector<std::size_t>& order, std::size_t room, double least) {
    for (const std::size_t i : order) {
      if (least >= 0 && weights_[i] < least) break;
      if (kept_[i]) continue;
      const bool joins = (i > 0 && kept_[i - 1]) || (i + 1 < kept_.size() && kept_[i + 1]);
      const std::size_t cost = parts_[i].text.size() + 1 + (joins ? 0 : kMark);
      if (used_ + cost > room) {
        if (least < 0) break;
        continue;
      }
      kept_[i] = true;
      used_ += cost;
    }
  }

  std::vector<Part> parts_;
  std::size_t room_, used_ = 0;
  std::vector<bool> kept_;
  std::vector<double> weights_;
};

std::string mark_for(const std::vector<Part>& parts, std::size_t from, std::size_t to) {
  const std::size_t first = parts[from].line, last = parts[to - 1].line;
  const bool whole = parts[from].begins && (to == parts.size() || parts[to].begins);
  if (whole && first == last) return "[… line " + std::to_string(first) + " …]";
  if (whole) return "[… lines " + std::to_string(first) + "-" + std::to_string(last) + " …]";
  std::size_t bytes = 0;
  for (std::size_t i = from; i < to; ++i) bytes += parts[i].text.size();
  return "[… " + std::to_string(bytes) + " bytes of line " + std::to_string(first) + " …]";
}

RequestMatch::RequestMatch(std::string_view request, const std::vector<std::string_view>& parts)
    : score_(parts.size(), 0) {
  std::unordered_map<Term, std::size_t> counts;
  for (const Term term : index_terms(cut_bytes(request, 8 * 1024))) counts.emplace(term, 0);
  if (counts.empty()) return;
  std::vector<std::vector<Term>> shared(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::unordered_set<Term> seen;
    for (const Term term : index_terms(parts[i]))
      if (counts.contains(term) && seen.insert(term).second) shared[i].push_back(term);
    for (const Term term : shared[i]) ++counts[term];
  }
  const auto all = static_cast<double>(parts.size());
  const auto weight = [&](Term term) { return std::log(std::max(1.0, all / (1 + static_cast<double>(counts[term])))); };
  double best = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (const Term term : shared[i]) score_[i] += weight(term);
    best = std::max(best, score_[i]);
  }
  // Words that stand in many lines tell little apart, even where there are no better ones.
  if (best < std::log(3)) best = std::log(3);
  for (double& score : score_) score /= best;
}

ShortLines short_lines(std::string_view text, std::size_t bytes, std::string_view request) {
  Chooser chooser(parts_of(text), bytes, request);
  const std::vector<bool> kept = chooser.run();
  const std::vector<Part>& parts = chooser.parts();
  ShortLines out;
  out.lines = parts.empty() ? 0 : parts.back().line;
  std::unordered_set<std::size_t> left;
  for (std::size_t i = 0; i < parts.size();) {
    std::size_t end = i;
    while (end < parts.size() && !kept[end]) left.insert(parts[end++].line);
    const bool gap = end > i;
    if (!out.text.empty() && (gap || parts[i].begins)) out.text += '\n';
    if (gap) {
      if (out.first_left == 0) out.first_left = parts[i].line;
      out.text += mark_for(parts, i, end);
      i = end;
      continue;
    }
    out.text += parts[i++].text;
  }
  out.lines_left = left.size();
  return out;
}

using Json = nlohmann::ordered_json;

constexpr std::size_t kLargestJson = 4 << 20;
constexpr int kTries = 12;
constexpr double kShrink = 0.85;
constexpr double kSpeaks = 0.34;  // share of the request from which on an entry speaks of it

/// How much of JSON stays at one level of shortness.
struct Measure {
  std::size_t entries, characters;
};
constexpr Measure kMeasures[] = {{40, 600}, {24, 400}, {16, 240}, {10, 160}, {6, 120}, {4, 80}, {3, 48}, {2, 24}};

std::string note_for(std::string_view left, std::size_t first_line, std::string_view handle) {
  std::string note = "[left out: " + std::string(left);
  if (!handle.empty()) {
    note += "; the whole: message \"" + std::string(handle) + "\"";
    if (first_line > 0) note += " from line " + std::to_string(first_line);
  }
  return note + "]";
}

std::string short_text(const std::string& text, std::size_t characters) {
  if (text.size() <= characters + 24) return text;
  const std::string_view head = cut_bytes(text, characters * 2 / 3);
  std::size_t from = text.size() - characters / 3;
  while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xC0U) == 0x80U) ++from;
  return std::string(head) + "… " + std::to_string(from - head.size()) + " bytes …" + text.substr(from);
}

Json shortened(const Json& value, const Measure& measure, std::string_view request);

// First and last ones, and those that speak of the request or of an error.
std::vector<bool> entries_kept(const std::vector<std::string>& texts, std::size_t most, std::string_view request) {
  std::vector<bool> kept(texts.size(), texts.size() <= most);
  if (texts.size() <= most) return kept;
  std::vector<std::string_view> views(texts.begin(), texts.end());
  const RequestMatch match(request, views);
  std::vector<std::size_t> speaking;
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (match.of(i) >= kSpeaks || !failure_in(texts[i]).empty()) speaking.push_back(i);
  std::stable_sort(speaking.begin(), speaking.end(),
                   [&](std::size_t a, std::size_t b) { return match.of(a) > match.of(b); });
  speaking.resize(std::min(speaking.size(), most / 2));
  std::size_t left = most - speaking.size();
  for (const std::size_t i : speaking) kept[i] = true;
  if (left > 1 && !kept.back()) {
    kept.back() = true;
    --left;
  }
  for (std::size_t i = 0; i < texts.size() && left > 0; ++i) {
    if (kept[i]) continue;
    kept[i] = true;
    --left;
  }
  return kept;
}

Json short_list(const Json& list, const Measure& measure, std::string_view request) {
  std::vector<std::string> texts;
  if (list.size() > measure.entries)
    for (const Json& entry : list) texts.push_back(write_json(entry));
  const std::vector<bool> kept =
      texts.empty() ? std::vector<bool>(list.size(), true) : entries_kept(texts, measure.entries, request);
  Json out = Json::array();
  std::size_t gap = 0;
  const auto mark = [&] {
    if (gap > 0) out.push_back("… " + std::to_string(gap) + " more …");
    gap = 0;
  };
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!kept[i]) {
      ++gap;
      continue;
    }
    mark();
    out.push_back(shortened(list[i], measure, request));
  }
  mark();
  return out;
}

Json short_object(const Json& object, const Measure& measure, std::string_view request) {
  const std::size_t most = measure.entries * 2;
  std::vector<std::string> texts;
  if (object.size() > most)
    for (const auto& [name, value] : object.items()) texts.push_back(name + ": " + write_json(value));
  const std::vector<bool> kept =
      texts.empty() ? std::vector<bool>(object.size(), true) : entries_kept(texts, most, request);
  Json out = Json::object();
  std::size_t place = 0, gap = 0;
  for (const auto& [name, value] : object.items()) {
    if (kept[place++])
      out[name] = shortened(value, measure, request);
    else
      ++gap;
  }
  if (gap > 0) out["…"] = std::to_string(gap) + " more members";
  return out;
}

Json shortened(const Json& value, const Measure& measure, std::string_view request) {
  if (value.is_array()) return short_list(value, measure, request);
  if (value.is_object()) return short_object(value, measure, request);
  return value.is_string() ? Json(short_text(value.get<std::string>(), measure.characters)) : value;
}

// JSON with its shape: empty where the text is none, or no measure makes it short enough.
std::string shorten_json(std::string_view text, std::int64_t tokens, const TokenCounter& counter,
                         std::string_view request, std::string_view handle) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || (text[first] != '{' && text[first] != '[')) return {};
  if (text.size() > kLargestJson || !check_json(text, {}, "output").ok()) return {};
  const Json whole = Json::parse(text, nullptr, false);
  if (whole.is_discarded()) return {};
  for (const Measure& measure : kMeasures) {
    Json small = shortened(whole, measure, request);
    std::string written = write_json(small);
    const std::size_t left = text.size() - std::min(text.size(), written.size());
    std::string note = note_for(std::to_string(left) + " of " + std::to_string(text.size()) + " bytes", 0, handle);
    if (small.is_object())
      small["left_out"] = note.substr(11, note.size() - 12);
    else
      small.push_back(std::move(note));
    written = write_json(small);
    if (counter.count(written) <= tokens) return written;
  }
  return {};
}

std::string shorten_lines(std::string_view text, std::int64_t tokens, std::int64_t all, const TokenCounter& counter,
                          std::string_view request, std::string_view handle) {
  const double bytes_a_token = static_cast<double>(text.size()) / static_cast<double>(std::max<std::int64_t>(1, all));
  const std::size_t for_note = note_for("100000 of 100000 lines", 100000, handle).size();
  double bytes = bytes_a_token * static_cast<double>(tokens) - static_cast<double>(for_note);
  for (int i = 0; i < kTries && bytes > 0; ++i, bytes *= kShrink) {
    const ShortLines lines = short_lines(text, static_cast<std::size_t>(bytes), request);
    std::string out = lines.text + "\n";
    out += note_for(std::to_string(lines.lines_left) + " of " + std::to_string(lines.lines) + " lines",
                    lines.first_left, handle);
    if (counter.count(out) <= tokens) return out;
  }
  return note_for("all " + std::to_string(text.size()) + " bytes", 0, handle);
}

}  // namespace

std::string shorten_output(std::string_view text, std::int64_t tokens, const TokenCounter& counter,
                           std::string_view request, std::string_view handle) {
  const std::int64_t all = counter.count(text);
  if (all <= tokens) return std::string(text);
  std::string json = shorten_json(text, tokens, counter, request, handle);
  return json.empty() ? shorten_lines(text, tokens, all, counter, request, handle) : json;
}

}  // namespace weft
