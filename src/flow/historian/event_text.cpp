#include "flow/historian/event_text.h"

#include <map>
#include <vector>

#include "text/extract.h"
#include "text/tokens.h"
#include "text/utf8.h"
#include "text/words.h"
#include "weft/time.h"

namespace weft {
namespace {

constexpr std::int64_t kLeadTokens = 60;
constexpr std::size_t kToolsNamed = 6;

struct Labels {
  std::string_view context, asked, did, answered, user, assistant, unanswered, colon, stop, times;
};

// Written out rather than assembled from words, so that each language reads as itself.
constexpr Labels kEnglish{"Context",          " said", "Tools used", " answered", "User", "Assistant",
                          "(no answer came)", ": ",    "\n",         " times"};
constexpr Labels kChinese{"背景", "说", "使用工具", "回答", "用户", "助手", "（没有得到回答）", "：", "\n", "次"};

std::string shorten(const std::string& text, std::int64_t max_tokens) {
  if (estimate_tokens(text, TokenMode::kScript) <= max_tokens) return text;
  std::string shorter;
  for (const std::string& sentence : extract_sentences({{text, 1, true}}, max_tokens)) {
    shorter += (shorter.empty() ? "" : " ") + sentence;
  }
  // Nothing but code, or one endless sentence: the beginning has to do.
  return shorter.empty() ? preview(text, static_cast<std::size_t>(max_tokens) * 2) : shorter;
}

std::string tools_used(const LogicalBlock& block, const Labels& labels) {
  std::map<std::string, int> counts;
  std::vector<std::string> order;
  for (const Triplet& triplet : block.execution_chain) {
    if (triplet.call && counts[triplet.call->name]++ == 0) order.push_back(triplet.call->name);
  }
  std::string text;
  for (std::size_t i = 0; i < order.size() && i < kToolsNamed; ++i) {
    text += (i == 0 ? "" : ", ") + order[i];
    if (counts[order[i]] > 1) text += " (" + std::to_string(counts[order[i]]) + std::string(labels.times) + ")";
  }
  return text;
}

std::string speaker(const Message& message, std::string_view otherwise) {
  return message.name.empty() ? std::string(otherwise) : message.name;
}

}  // namespace

std::string event_text(const LogicalBlock& block, const std::string& lead, std::int64_t verbatim_tokens,
                       const InPlainWords& in_plain_words) {
  const std::string& said = block.user_block       ? block.user_block->content
                            : block.response_block ? block.response_block->content
                                                   : lead;
  const bool chinese = language_of(said) == Language::kChinese;
  const Labels& labels = chinese ? kChinese : kEnglish;
  std::string text = "[" + format_date(block.timestamp) + "]";
  const auto line = [&](const std::string& who, std::string_view label, const std::string& what) {
    text += std::string(labels.stop) + who + std::string(label) + std::string(labels.colon) + what;
  };
  if (!lead.empty()) line("", labels.context, shorten(lead, kLeadTokens));
  if (block.user_block) {
    line(speaker(*block.user_block, labels.user), labels.asked,
         shorten(in_plain_words(*block.user_block), verbatim_tokens));
  }
  if (const std::string tools = tools_used(block, labels); !tools.empty()) line("", labels.did, tools);
  if (block.response_block) {
    line(speaker(*block.response_block, labels.assistant), labels.answered,
         shorten(in_plain_words(*block.response_block), verbatim_tokens));
  } else if (block.user_block) {
    text += std::string(labels.stop) + std::string(labels.unanswered);
  }
  return text;
}

}  // namespace weft
