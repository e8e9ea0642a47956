#include "flow/historian/reword_blocks.h"

#include "base/log.h"
#include "flow/historian/block_speech.h"
#include "text/tokens.h"
#include "weft/time.h"

namespace weft {
namespace {

bool is_short(const std::optional<Message>& message, std::int64_t max_tokens) {
  return message && !message->content.empty() && estimate_tokens(message->content, TokenMode::kScript) <= max_tokens;
}

// The assistant's answer is what was done, the user's message what became known.
RewriteInput input_of(const std::vector<LogicalBlock>& blocks, std::size_t place, bool user, bool answer,
                      const Config& config) {
  const LogicalBlock& block = blocks[place];
  RewriteInput input;
  if (answer) {
    input.did_what = block.response_block->content;
    input.action = speech_of(blocks, place, *block.response_block, config);
  }
  if (user) {
    input.new_info = block.user_block->content;
    input.info = speech_of(blocks, place, *block.user_block, config);
  }
  const Speech& speech = user ? input.info : input.action;
  for (const Person& person : speech.participants) input.names.push_back(person.name);
  if (block.timestamp.ms != 0) input.head = "[" + format_date(block.timestamp) + "]";
  input.language = language_of(user ? input.new_info : input.did_what);
  return input;
}

}  // namespace

Wording reword_blocks(const std::vector<LogicalBlock>& blocks, const RewriteTerms& terms, const Config& config,
                      Metrics& metrics, const Deadline& deadline) {
  Wording wording;
  const std::int64_t max_tokens = config.historian.verbatim_tokens;
  if (terms.model == nullptr) return wording;
  for (std::size_t i = 0; i < blocks.size() && !deadline.passed(); ++i) {
    const LogicalBlock& block = blocks[i];
    const bool user = is_short(block.user_block, max_tokens);
    const bool answer = is_short(block.response_block, max_tokens);
    if ((!user && !answer) || is_empty_talk(block)) continue;
    const Rewritten written = rewrite(input_of(blocks, i, user, answer, config), terms, deadline);
    metrics.model_calls += static_cast<std::uint64_t>(written.model_calls);
    metrics.rewrites += static_cast<std::uint64_t>(written.rejected);
    if (written.by != MadeBy::kModel) {
      log_warning("historian.floor", "block " + block.id.str() + " was worded without the model: " + written.why_floor);
      continue;
    }
    const auto worded = [&](const std::string& text) {
      return Worded{text, written.writing.model, written.writing.prompt};
    };
    if (answer && !written.did_what.empty()) wording[block.response_block->id.str()] = worded(written.did_what);
    if (user && !written.new_info.empty()) wording[block.user_block->id.str()] = worded(written.new_info);
  }
  return wording;
}

}  // namespace weft
