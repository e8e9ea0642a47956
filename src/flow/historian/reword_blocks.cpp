#include "flow/historian/reword_blocks.h"

#include <algorithm>

#include "base/log.h"
#include "text/small_talk.h"
#include "text/token_counter.h"
#include "text/words.h"
#include "weft/time.h"

namespace weft {
namespace {

constexpr std::size_t kBlocksBefore = 3;

Person person_of(const Message& message, Language language) {
  const bool chinese = language == Language::kChinese;
  if (!message.name.empty()) return {"", message.name};
  if (message.role == Role::kAssistant) return {"", chinese ? "助手" : "the assistant"};
  return {"", chinese ? "用户" : "the user"};
}

void add_earlier(Speech& speech, const Message& message, Language language) {
  speech.earlier.push_back({person_of(message, language).name, message.content});
}

void add_participant(Speech& speech, const Message& message) {
  if (message.name.empty()) return;
  const bool known = std::any_of(speech.participants.begin(), speech.participants.end(),
                                 [&](const Person& person) { return person.name == message.name; });
  if (!known) speech.participants.push_back({"", message.name});
}

}  // namespace

Speech speech_of(const std::vector<LogicalBlock>& blocks, std::size_t block, const Message& message,
                 const Config& config) {
  const Language language = language_of(message.content);
  Speech speech;
  speech.style = config.cognitive.gate == GateMode::kLiteral ? Style::kReplace : Style::kAnnotate;
  speech.name_speakers = speech.style == Style::kReplace;
  speech.sender = person_of(message, language);
  speech.time = message.time.value_or(Time{});
  for (std::size_t i = block >= kBlocksBefore ? block - kBlocksBefore : 0; i <= block && i < blocks.size(); ++i) {
    for (const auto* said : {&blocks[i].user_block, &blocks[i].response_block}) {
      if (!said->has_value()) continue;
      add_participant(speech, **said);
      const bool own = i == block && (*said)->role == message.role;
      if (own) break;
      add_earlier(speech, **said, language);
    }
  }
  const LogicalBlock& own = blocks[block];
  const auto& other = message.role == Role::kAssistant ? own.user_block : own.response_block;
  Message nobody;
  nobody.role = message.role == Role::kAssistant ? Role::kUser : Role::kAssistant;
  speech.addressee = person_of(other ? *other : nobody, language);
  return speech;
}

bool is_empty_talk(const LogicalBlock& block) {
  if (!block.execution_chain.empty()) return false;
  const auto empty = [](const std::optional<Message>& message) { return !message || is_empty_talk(message->content); };
  return empty(block.user_block) && empty(block.response_block);
}

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
