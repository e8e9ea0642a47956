#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace weft::proxy {

/// A piece of a tool call. Pieces of one call come together: one that `begins` ends the call before it.
struct CallPiece {
  bool begins = false;
  std::string id, name;   ///< of the call, in every piece
  std::string arguments;  ///< what is new of the JSON text
};

/// The content of a choice of a chat completion, or of a piece of a streamed one.
struct ChatPiece {
  std::string thought, text, refusal;
  std::vector<CallPiece> calls;
  std::string finish;  ///< why the answer ended, where this piece says so: see `finish_word`
};

/// Reads the first choice of chat completions as servers really write them: arguments as text or as an object, calls
/// without index or id or several under one index, pieces of several calls in turn, the former "function_call", content
/// in parts, thoughts under several names. For one answer and one thread.
class ChatAnswerReader {
 public:
  /// With `gives_ids` calls without one get one, since clients of other forms need it to answer them.
  explicit ChatAnswerReader(bool gives_ids) : gives_ids_(gives_ids) {}

  /// A whole answer. Every call that it has is complete.
  ChatPiece read_whole(const nlohmann::ordered_json& answer);
  /// The next piece of a streamed one. Of calls whose pieces come in turn all but the first are held back.
  ChatPiece read_piece(const nlohmann::ordered_json& chunk);
  /// What was held back, when the stream has ended.
  std::vector<CallPiece> rest();

  bool has_calls() const { return !calls_.empty(); }

 private:
  struct Call {
    std::string id, name, arguments;
    std::size_t given = 0;  // bytes of the arguments that were handed out
    bool begun = false;
  };

  ChatPiece read_said(const nlohmann::ordered_json& said, bool whole);
  ChatPiece read_message_piece(const nlohmann::ordered_json& message);
  void take_call(const nlohmann::ordered_json& call, bool whole);
  Call* call_of(const nlohmann::ordered_json& call, const std::string& id, const std::string& name, bool whole);
  std::vector<CallPiece> give(bool all);

  const bool gives_ids_;
  bool has_deltas_ = false;
  std::string text_;  // of the messages that a server streams instead of deltas
  std::string answer_id_;
  std::vector<Call> calls_;
  std::map<long long, std::size_t> by_index_;
  std::size_t current_ = 0;  // the call whose pieces are handed out
};

/// Why an answer ended, in OpenAI's word, whatever word its server uses: "stop", "length", "tool_calls" or
/// "content_filter". An answer with calls ends for them, also where its server says "stop" or nothing.
std::string finish_word(std::string_view said, bool has_calls);

}  // namespace weft::proxy
