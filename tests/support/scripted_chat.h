#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "ports/chat/chat_model.h"

namespace weft {

/// A chat model that answers by script and records what it was asked, for tests. Answers queued with `say` and its like
/// come first, one a call; after them `always`; after that kUnavailable. It hands on what the script says even where it
/// breaks the schema of a request, so that callers can be tested with it; `strict` makes it keep the promise of
/// ChatModel instead. Safe from any thread.
class ScriptedChat final : public ChatModel {
 public:
  explicit ScriptedChat(std::string name = "scripted", std::int64_t window = 8192)
      : name_(std::move(name)), window_(window) {}

  ScriptedChat& say(std::string text);  ///< an answer, also one that is no JSON
  ScriptedChat& call(std::string tool, std::string arguments);  ///< an answer that calls a tool
  ScriptedChat& fail(Error error);
  ScriptedChat& hang();  ///< waits until the deadline passes or the caller cancels
  ScriptedChat& then(std::function<Result<ChatReply>(const ChatRequest&)> answer);
  ScriptedChat& always(std::function<Result<ChatReply>(const ChatRequest&)> answer);
  /// It gives states from now on, which lie in this space.
  ScriptedChat& give_states(StateSpace space, std::function<std::vector<float>(const ChatRequest&)> state);
  /// Longer messages than this are kTooLarge from now on.
  ScriptedChat& most_bytes(std::size_t bytes);
  ScriptedChat& strict();  ///< answers that break the schema become kUnavailable

  static ChatReply reply(std::string text);

  std::vector<ChatRequest> requests() const;

  std::string name() const override { return name_; }
  std::int64_t window() const override { return window_; }
  StateSpace state_space() const override;
  Result<ChatReply> complete(const ChatRequest& request, const Deadline& deadline,
                             const std::function<bool(std::string_view)>& on_text = {}) override;
  std::int64_t count_tokens(std::string_view) const override { return -1; }

 private:
  using Answer = std::function<Result<ChatReply>(const ChatRequest&, const Deadline&)>;
  ScriptedChat& add(Answer answer);

  std::string name_;
  std::int64_t window_;
  mutable std::mutex mutex_;
  std::deque<Answer> queue_;
  Answer always_;
  StateSpace space_;
  std::function<std::vector<float>(const ChatRequest&)> state_;
  bool strict_ = false;
  std::size_t most_bytes_ = std::size_t(-1);
  std::vector<ChatRequest> requests_;
};

}  // namespace weft
