#include "flow/historian/narrative_text.h"

#include <set>

#include "text/chat_codes.h"
#include "text/extract.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kTitleCharacters = 60;
constexpr std::int64_t kTitleTokens = 40;

// What the user said, without codes of chat programs.
std::vector<std::string> queries_of(const std::vector<LogicalBlock>& blocks) {
  std::vector<std::string> queries;
  for (const LogicalBlock& block : blocks)
    if (block.user_block) queries.push_back(without_chat_codes(block.user_block->content));
  return queries;
}

// Of several people who speak, the name before what each has said: "Bob: I cannot swim".
std::string with_speaker(const std::string& sentence, const std::vector<LogicalBlock>& blocks) {
  std::set<std::string> names;
  const Message* said = nullptr;
  for (const LogicalBlock& block : blocks) {
    if (!block.user_block) continue;
    names.insert(block.user_block->name);
    if (said == nullptr && block.user_block->content.find(sentence) != std::string::npos) said = &*block.user_block;
  }
  if (names.size() < 2 || said == nullptr || said->name.empty()) return sentence;
  return said->name + (language_of(sentence) == Language::kChinese ? "：" : ": ") + sentence;
}

}  // namespace

Narrative write_narrative(const std::vector<LogicalBlock>& blocks, const std::string& lead,
                          std::int64_t summary_tokens) {
  Narrative narrative;
  if (blocks.empty()) return narrative;
  narrative.from = blocks.front().timestamp;
  narrative.to = blocks.back().last_time;
  const std::vector<std::string> queries = queries_of(blocks);
  std::vector<ExtractSource> sources;
  for (const std::string& query : queries) sources.push_back({query, 2, true});
  auto title = extract_sentences(sources, kTitleTokens);
  if (!lead.empty()) sources.insert(sources.begin(), {lead, 1.5, false});
  for (const LogicalBlock& block : blocks) {
    if (block.response_block) sources.push_back({block.response_block->content, 1, true});
  }
  for (const std::string& sentence : extract_sentences(sources, summary_tokens)) {
    narrative.summary += (narrative.summary.empty() ? "" : "\n") + with_speaker(sentence, blocks);
  }
  if (title.empty()) title.push_back(narrative.summary);
  narrative.title = preview(title.front(), kTitleCharacters);
  return narrative;
}

std::string to_text(const Narrative& narrative) {
  if (narrative.from.ms == 0) return narrative.title + "\n" + narrative.summary;
  const std::string from = format_date(narrative.from);
  const std::string to = format_date(narrative.to);
  return narrative.title + "\n[" + from + (from == to ? "" : " – " + to) + "]\n" + narrative.summary;
}

}  // namespace weft
