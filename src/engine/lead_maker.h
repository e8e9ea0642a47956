#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/call_context.h"
#include "base/sync.h"
#include "weft/block.h"
#include "weft/config.h"

namespace weft {

class ChatModel;

/// Running summaries by a model, made while their topic is still open, so that the cut waits for nobody: a topic that
/// is nearly full is summarised in the background, and what is ready when it is cut leads the next one. What is not
/// ready in time, or tells less than it should, is made without a model, as ever. Safe from many threads.
class LeadMaker {
 public:
  LeadMaker(const Config& config, ChatModel* model) : config_(config), model_(model) {}

  /// Asks for the summary of a topic that is nearly full. True: `work` has something to do.
  bool prepare(const TopicId& topic, const std::vector<LogicalBlock>& blocks, const std::string& lead);
  /// The summary of the topic where one is ready, with the blocks that came since in the floor's words behind it.
  std::optional<std::string> take(const TopicId& topic, const std::vector<LogicalBlock>& blocks,
                                  std::int64_t max_tokens);
  /// Forgets all: something that was said has been erased.
  void forget() { *state_.lock() = State(); }
  /// Makes what was asked for. For one thread; may take as long as the model.
  void work(std::stop_token stop);

 private:
  struct Wish {
    TopicId topic;
    std::vector<LogicalBlock> blocks;
    std::string lead;
    CallContext context;  ///< of who asked for it
  };
  struct Ready {
    std::size_t blocks = 0;  ///< of the topic that the summary tells of
    std::string text;        ///< empty: it is being made
  };
  struct State {
    std::deque<Wish> wishes;
    std::map<TopicId, Ready> ready;
  };

  const Config& config_;
  ChatModel* model_;
  Sync<State> state_;
};

}  // namespace weft
