// Whether a call of a tool changes anything: by general knowledge of how tools and commands are called.
#include <algorithm>
#include <array>
#include <vector>

#include "base/ascii.h"
#include "flow/compaction/failure.h"
#include "flow/compaction/key_facts.h"

namespace weft {
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
