#include "eval/drift_reduce.h"

#include <algorithm>
#include <utility>

#include "flow/compaction/compact.h"
#include "flow/compaction/session_turns.h"

namespace weft {

Reduce compaction_reduce(const Config& config, const TokenCounter& tokens, ChatModel* model) {
  return [config, &tokens, model](const std::vector<Message>& history,
                                  std::int64_t target) -> Result<std::vector<Message>> {
    CompactInput input;
    input.session = SessionId("drift");
    std::vector<Message> head;
    std::int64_t head_tokens = 0;
    for (const Message& message : history) {
      if (message.role == Role::kSystem && input.history.empty()) {
        head.push_back(message);
        head_tokens += sent_tokens(message, tokens);
        input.system += message.content + "\n";
        continue;
      }
      input.history.push_back(message);
      if (input.history.back().id.empty())
        input.history.back().id = MessageId("m" + std::to_string(input.history.size()));
    }
    const CompactionSettings& settings = config.compaction;
    input.options.keep_turns = static_cast<std::size_t>(std::max<std::int64_t>(2, settings.keep_turns));
    input.options.most_share = settings.summary_share;
    input.options.least_share = settings.summary_share / 2;
    input.options.target_tokens = std::max<std::int64_t>(1, target - head_tokens);
    int number = 0;
    const CompactPorts ports{tokens, model, [&number] { return "id-" + std::to_string(++number); }, {}};
    WEFT_TRY(Compacted made, compact(input, ports, Deadline()));
    std::vector<Message> sent = std::move(head);
    sent.insert(sent.end(), std::make_move_iterator(made.messages.begin()),
                std::make_move_iterator(made.messages.end()));
    return sent;
  };
}

}  // namespace weft
