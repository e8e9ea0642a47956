#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eval/conversations.h"
#include "ports/chat/chat_model.h"
#include "weft/memory.h"
#include "weft/message.h"
#include "weft/result.h"
#include "weft/time.h"

namespace weft {

/// F1 of an answer's words against the expected ones, each as often as it occurs. Case, punctuation and English
/// articles do not count; of Chinese each character is a word.
double token_f1(std::string_view given, std::string_view expected);

/// Whether the answer contains the expected words next to each other in their order, compared as in `token_f1`.
bool contains_answer(std::string_view given, std::string_view expected);

/// A question with what a reader is given to answer it, in each of four ways.
struct Reading {
  const LabelledQuestion& question;
  Time last;  ///< when the last message was said; a question without a time is asked then
  std::vector<Message> woven;  ///< the prompt that Weft built
  std::vector<const Item*> oracle, bm25, whole;  ///< messages: the gold ones, the best by words, all
};

/// Lets a model answer questions and scores its answers. Not for several threads.
///
/// Scores are the token F1, whether the answer contains the expected one, and, with a judge, whether that model finds
/// it right. A judge that fails or gives no verdict leaves the answer unjudged, which never counts as right. A reader's
/// call that fails or gives no text is counted, and the question does not count for that way. Questions that cannot be
/// answered are reported apart: a reader that says so is right.
class AnswerReader {
 public:
  /// The models must outlive it. `window`: of the reader, in tokens; 0: not known, and whole conversations are left
  /// out.
  AnswerReader(ChatModel& reader, ChatModel* judge, std::int64_t window)
      : reader_(reader), judge_(judge), window_(window) {}

  ChatModel& model() const { return reader_; }

  /// Asks in every way that there is and gives the answers with their scores; null for a question without an expected
  /// answer in words. An error only where further calls cannot work either: the key or the model's name is wrong.
  Result<nlohmann::ordered_json> read(const std::string& set, const Reading& reading);

  /// All scores of a set's questions.
  nlohmann::ordered_json report(const std::string& set) const;

 private:
  static constexpr std::size_t kWays = 4;

  /// One answer with its scores.
  struct Answer {
    std::string text, reason;
    std::int64_t tokens = 0;
    double f1 = 0;
    bool answerable = true, contains = false, declined = false;
    std::optional<bool> right;  ///< nothing: not judged

    nlohmann::ordered_json json() const;
  };
  struct Sums {
    double questions = 0, answerable = 0, f1 = 0, contains = 0, declined = 0, right = 0, unjudged = 0, tokens = 0,
           failed = 0;

    void add(const Answer& answer);
    nlohmann::ordered_json json(bool judged) const;
  };
  /// Sums by way, and those of woven prompts and gold messages over the questions that were answered from both.
  struct Scores {
    std::array<Sums, kWays> ways;
    Sums woven, oracle;

    nlohmann::ordered_json json(bool judged) const;
  };
  struct Report {
    Scores answerable, unanswerable;
    std::map<std::string, Scores> by_category;
    std::int64_t no_answer = 0, whole = 0;  ///< questions left out: altogether; for the whole conversation
  };

  bool fits(const std::vector<Message>& messages) const;
  Result<std::optional<Answer>> ask(const LabelledQuestion& question, std::vector<Message> messages) const;
  void judge(const LabelledQuestion& question, Answer& answer) const;

  ChatModel& reader_;
  ChatModel* judge_;
  std::int64_t window_;
  std::map<std::string, Report> reports_;
};

}  // namespace weft
