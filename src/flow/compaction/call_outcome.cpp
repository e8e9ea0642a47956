#include "flow/compaction/call_outcome.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "flow/compaction/failure.h"
#include "flow/compaction/key_facts.h"
#include "flow/compaction/step_findings.h"
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

}  // namespace weft
