#include "flow/historian/event_text.h"

#include <map>
#include <vector>

#include "base/strings.h"
#include "text/chat_codes.h"
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
  std::string_view context, asked, did, answered, user, assistant, colon, stop, times;
};

// Written out rather than assembled from words, so that each language reads as itself.
constexpr Labels kEnglish{"Context", " said", "Tools used", " answered", "User", "Assistant", ": ", "\n", " times"};
constexpr Labels kChinese{"背景", "说", "使用工具", "回答", "用户", "助手", "：", "\n", "次"};

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

// Puts an event together line by line and moves the places of annotations along.
class Lines {
 public:
  explicit Lines(const Labels& labels) : labels_(labels) {}

  void begin(std::string text) { out_.text = std::move(text); }
  void add(const std::string& who, std::string_view label, const EventText& what) {
    if (!out_.text.empty()) out_.text += labels_.stop;
    out_.text += who + std::string(label) + std::string(labels_.colon);
    for (const TextSpan& span : what.annotations)
      out_.annotations.push_back({out_.text.size() + span.begin, out_.text.size() + span.end});
    out_.text += what.text;
  }
  EventText take() { return std::move(out_); }

 private:
  const Labels& labels_;
  EventText out_;
};

}  // namespace

EventText event_text(const LogicalBlock& block, const std::string& lead, std::int64_t verbatim_tokens,
                     const InPlainWords& in_plain_words) {
  const std::string& first = block.user_block       ? block.user_block->content
                             : block.response_block ? block.response_block->content
                                                    : lead;
  const bool chinese = language_of(first) == Language::kChinese;
  const Labels& labels = chinese ? kChinese : kEnglish;
  Lines lines(labels);
  if (block.timestamp.ms != 0) lines.begin("[" + format_date(block.timestamp) + "]");
  const auto worded = [&](const Message& message) {
    const bool user = message.role == Role::kUser;
    const std::string said = user ? without_chat_codes(message.content) : message.content;
    return in_plain_words(message, shorten(said, verbatim_tokens));
  };
  const auto add = [&](const Message& message, std::string_view who, std::string_view label) {
    if (EventText text = worded(message); !trimmed(text.text).empty()) lines.add(speaker(message, who), label, text);
  };
  if (!lead.empty()) lines.add("", labels.context, {shorten(lead, kLeadTokens), {}});
  if (block.user_block) add(*block.user_block, labels.user, labels.asked);
  if (const std::string tools = tools_used(block, labels); !tools.empty()) lines.add("", labels.did, {tools, {}});
  if (block.response_block) add(*block.response_block, labels.assistant, labels.answered);
  return lines.take();
}

}  // namespace weft
