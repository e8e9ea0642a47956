#include "flow/context/assembly.h"

#include <utility>

#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kPreview = 80;          // characters of an item in the report
constexpr std::int64_t kTokensAMessage = 4;   // role and separators in the common chat forms

}  // namespace

Piece Assembly::piece(std::string section, std::string text) const {
  const std::int64_t tokens = text.empty() ? 0 : count(text) + kTokensAMessage;
  return {std::move(section), std::move(text), tokens};
}

std::int64_t Assembly::total() const {
  std::int64_t tokens = system_tokens + block_tokens;
  for (const Piece* one :
       {&rules, &background, &preferences, &tools, &summary, &skeleton, &notice, &memory, &errors, &task})
    tokens += one->tokens;
  if (earlier_skeleton) tokens += earlier_skeleton->piece.tokens;
  return tokens + sent_tokens();
}

std::size_t Assembly::input_turn() const {
  for (std::size_t i = turns.size(); i-- > 0;)
    if (turns[i].messages.front()->message.role == Role::kUser) return i;
  return turns.empty() ? 0 : turns.size() - 1;
}

std::int64_t Assembly::sent_tokens() const {
  std::int64_t tokens = 0;
  for (std::size_t i = 0; i < turns.size(); ++i)
    if (is_sent(i)) tokens += turns[i].tokens;
  return tokens;
}

std::int64_t Assembly::left_out_tokens() const {
  std::int64_t tokens = input.omitted.tokens;
  for (std::size_t i = 0; i < turns.size(); ++i)
    if (!is_sent(i)) tokens += turns[i].tokens;
  return tokens;
}

void start_section(Assembly& assembly, std::string name, std::int64_t budget, double share) {
  assembly.report.sections.push_back({std::move(name), budget, 0, share, {}});
}

void report_item(Assembly& assembly, std::string id, std::string source, double score, std::int64_t tokens, bool kept,
                 std::string why, std::string_view text) {
  report_item(assembly.report.sections.back(), std::move(id), std::move(source), score, tokens, kept, std::move(why),
              text);
}

void report_item(ReportSection& section, std::string id, std::string source, double score, std::int64_t tokens,
                 bool kept, std::string why, std::string_view text) {
  if (kept) section.tokens += tokens;
  section.items.push_back(
      {std::move(id), std::move(source), score, tokens, kept, std::move(why), preview(text, kPreview)});
}

}  // namespace weft
