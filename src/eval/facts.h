#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "flow/memory/fact_meaning.h"
#include "ports/embedding/embedder.h"
#include "weft/result.h"

namespace weft {

/// A turn of a conversation of the development data.
struct SaidTurn {
  std::string role;
  std::string name;  ///< empty for a plain user or assistant
  std::string text;
};

using SaidDialogue = std::vector<SaidTurn>;

/// Finds turns of conversations in files below a folder, each file read once. Files are JSON Lines: messages with their
/// "session", or dialogues with "turns" or "messages". For one thread.
class SaidDialogues {
 public:
  /// `data` is the folder that sources are below.
  explicit SaidDialogues(std::string data) : data_(std::move(data)) {}

  /// The dialogue that has the turn, counted from 0; valid as long as this lives. Errors name what is not there.
  Result<const SaidDialogue*> find(const std::string& source, const std::string& dialogue, std::size_t turn);

 private:
  std::string data_;
  std::map<std::string, std::map<std::string, SaidDialogue>> sources_;
};

/// The set that a source is of: "locomo" of "recall/locomo/conv-26.messages.jsonl".
std::string set_of_source(std::string_view source);

/// How much it matters whether a stated fact is read.
enum class FactGrade : std::uint8_t {
  kWanted,  ///< missed where it is not read
  kLight,  ///< true, but slight or soon over: neither missed where it is not read nor wrong where it is
};

/// Something that a reader found stated in a message.
struct StatedFact {
  std::string holder;  ///< "user", or a word for who it is about
  std::vector<std::string> values;  ///< words, in one way or another
  bool negated = false;
  FactGrade grade = FactGrade::kWanted;
};

/// A message of the development data and what a reader found in it.
struct FactCase {
  std::string source, dialogue;
  std::size_t turn = 0;
  std::vector<StatedFact> facts;
};

/// Reads JSON Lines of {"source": file below the data, "dialogue", "turn", "facts": [{"holder", "value": [words, in one
/// way or another], "kind": "fact", "plan", "preference", "former", "negated" or "light"}]}, without the texts. Errors
/// name file and line.
Result<std::vector<FactCase>> read_fact_cases(const std::string& file);

/// Facts that messages state, by whether they are read out of them.
struct FactCounts {
  std::int64_t messages = 0;
  std::int64_t stated = 0;  ///< by judgement, without those that are light
  std::int64_t right = 0;  ///< of those, found
  std::int64_t read = 0;  ///< what is taken for a fact
  std::int64_t light = 0;  ///< of those, such as are stated but light
  std::int64_t wrong = 0;  ///< of those, such as nobody stated

  void add(const FactCounts& other);
};

/// Whether a text has all content words of one of a fact's values.
bool holds_value(std::string_view text, const StatedFact& stated);

/// Whether what was read out of a message is the stated fact: its text has the words of one of its values, names its
/// holder and says no where it does. Of what is light neither holder nor denial matters.
bool fits_stated(const StatedFact& stated, const SaidFact& fact, const SaidTurn& turn);

/// A message's facts against what was read out of it: one is found where a text has all content words of one of its
/// values, names its holder and says no where it does; what is read and fits none, not even a light one, is wrong.
/// Standing wishes are not counted. What is missed and what is wrong is added to `misses` where that is not null.
FactCounts count_facts(const FactCase& one, const SaidTurn& turn, const std::vector<SaidFact>& read,
                       std::vector<std::string>* misses);

/// What is read out of a message: by the grammars, and by meaning as well where there are weights.
std::vector<SaidFact> facts_of_turn(const SaidTurn& turn, const FactWeights* weights, const SentenceVector& vector_of);

struct FactReport {
  std::map<std::string, FactCounts> by_source;  ///< by the set that the messages are of
  std::vector<std::string> misses;  ///< one line each, for reading; where they are asked for
};

struct FactOptions {
  std::string data;  ///< the folder that "source" is below
  std::vector<std::string> explain = {};  ///< sets of which each missed and each wrong fact is told
  std::vector<std::string> readers = {};  ///< files of other readers of the same messages, who are measured instead
  Embedder* embedder = nullptr;  ///< null: grammar alone; with weights that ship for it, meaning decides as well
  const Similarity* similarity = nullptr;
};

/// Judges what the historian reads out of messages in passing, without a chat model; or, where readers are named, what
/// they found: messages that they did not judge are left out then. `files` as for `read_fact_cases`. Errors: those of
/// the embedder.
Result<FactReport> eval_facts(const std::vector<std::string>& files, const FactOptions& options);

/// The report as one line of JSON.
std::string to_json(const FactReport& report);

}  // namespace weft
