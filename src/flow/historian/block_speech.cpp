#include "flow/historian/block_speech.h"

#include <algorithm>

#include "text/small_talk.h"
#include "text/words.h"

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

}  // namespace weft
