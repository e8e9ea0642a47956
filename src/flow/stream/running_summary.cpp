#include "flow/stream/running_summary.h"

#include "text/extract.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr double kLeadWeight = 1.5;   // an earlier summary is dense already
constexpr double kQueryWeight = 2.0;  // what the user wants matters more than how it was answered
constexpr double kAnswerWeight = 1.0;
constexpr std::size_t kNames = 8;

std::string join(const std::vector<std::string>& parts, std::string_view between) {
  std::string joined;
  for (const std::string& part : parts) {
    if (!joined.empty()) joined += between;
    joined += part;
  }
  return joined;
}

}  // namespace

std::string running_summary(const std::vector<LogicalBlock>& blocks, const std::string& lead, std::int64_t max_tokens) {
  std::vector<ExtractSource> prose;
  std::vector<ExtractSource> everything;
  if (!lead.empty()) prose.push_back({lead, kLeadWeight, false});
  for (const LogicalBlock& block : blocks) {
    if (block.user_block) prose.push_back({block.user_block->content, kQueryWeight, true});
    if (block.response_block) prose.push_back({block.response_block->content, kAnswerWeight, true});
    for (const Triplet& triplet : block.execution_chain) {
      if (triplet.call) everything.push_back({triplet.call->arguments, 1, false});
    }
  }
  everything.insert(everything.end(), prose.begin(), prose.end());
  const auto sentences = extract_sentences(prose, max_tokens);
  std::string summary = join(sentences, "\n");
  const auto names = extract_names(everything, kNames);
  if (!names.empty()) {
    const bool chinese = language_of(summary) == Language::kChinese;
    summary += (summary.empty() ? "" : "\n") + std::string(chinese ? "涉及：" : "Names: ") +
               join(names, chinese ? "、" : ", ");
  }
  return summary;
}

}  // namespace weft
