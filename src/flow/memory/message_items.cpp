#include "flow/memory/message_items.h"

#include "model/scope_key.h"
#include "text/question.h"
#include "text/sentences.h"
#include "text/speaker_prefix.h"
#include "text/token_counter.h"
#include "weft/time.h"

namespace weft {
namespace {

constexpr std::int64_t kPartTokens =
    360;  // below what the embedder takes in one call, with room for the estimate's error

std::string searchable_text(const Message& message) {
  // The speaker has a field of its own, which is shown and searched beside the text.
  if (!message.content.empty()) return std::string(without_speaker(message.content, message.name));
  std::string text;
  for (const ToolCall& call : message.tool_calls) text += (text.empty() ? "" : "\n") + call.name + " " + call.arguments;
  return text;
}

ItemRow item_of(const MessageRow& message, std::string_view text, std::size_t part, bool only_part) {
  ItemRow row;
  row.scope = message.scope;
  row.role = message.message.role;
  row.speaker = message.message.name;
  row.item.id = ItemId("message:" + message.session.str() + "/" + message.message.id.str() +
                       (only_part ? "" : "#" + std::to_string(part)));
  row.item.kind = ItemKind::kMessage;
  row.item.session = message.session;
  if (!parts_of_scope(message.scope).group.empty()) row.item.sender_id = message.message.sender_id;
  row.item.block = message.block;
  row.item.text = std::string(text);
  row.item.time = message.message.time.value_or(Time{});
  row.item.position = message.seq;
  row.item.sources = {message.message.id};
  row.terms = indexed_terms(ItemKind::kMessage, text);
  if (row.role == Role::kTool || (message.message.content.empty() && row.role == Role::kAssistant))
    row.model = kWordsOnly;
  return row;
}

}  // namespace

std::vector<Term> indexed_terms(ItemKind kind, std::string_view text) {
  std::vector<Term> terms = index_terms(text);
  if (kind != ItemKind::kMessage) return terms;
  if (is_bare_question(text)) terms.push_back(question_mark_term());
  if (language_of(text) == Language::kChinese) terms.push_back(chinese_term());
  return terms;
}

void add_message_items(const LimitsSettings& limits, const MessageRow& message, std::vector<ItemRow>& items) {
  if (message.message.role == Role::kSystem) return;
  const std::string text = searchable_text(message.message);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return;
  const auto parts = split_by_tokens(text, kPartTokens,
                                     [](std::string_view part) { return estimate_tokens(part, TokenMode::kScript); });
  const auto most = static_cast<std::size_t>(limits.max_indexed_parts);
  for (std::size_t i = 0; i < parts.size() && i < most; ++i) {
    items.push_back(item_of(message, parts[i], i, parts.size() == 1));
  }
}

}  // namespace weft
