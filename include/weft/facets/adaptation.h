#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "weft/facets/facet.h"
#include "weft/growth.h"

namespace weft {

/// What is believed of a user's preferences. It is learnt in the background from what is said, chosen, changed and
/// asked again, and stands in prompts where it is sure enough. Nobody sees another scope's.
class Beliefs : public Facet {
 public:
  /// All, those of a dimension beside one another, the leading one first.
  Result<std::vector<Belief>> list() const;
  /// Says that a value holds, also one that was not seen yet; the others of its dimension go.
  Result<Belief> confirm(const std::string& dimension, const std::string& value) const;
  /// Says that it does not hold; an empty value means the leading one. kNotFound where there is none.
  Result<Belief> reject(const std::string& dimension, const std::string& value = {}) const;
  /// Takes a dimension out, or one value of it; gives how many beliefs went.
  Result<std::size_t> forget(const std::string& dimension, const std::string& value = {}) const;
  /// Learns from what the user made of an answer, and gives what is believed then. `source` is the "SESSION/MESSAGE" of
  /// the answer; the same one counts once. May be empty.
  Result<std::vector<Belief>> learn_edit(const std::string& before, const std::string& after,
                                         const std::string& source = {}) const;
  /// What is wrong in the file of beliefs, with line and key.
  Result<std::vector<std::string>> problems() const;

 private:
  friend class Engine;
  using Facet::Facet;
};

/// Questions that only a person can answer. One at a time; those that are not urgent come in batches, and not in hours
/// in which the user is hardly ever there.
class Questions : public Facet {
 public:
  /// Oldest first, in every stage.
  Result<std::vector<Question>> list() const;
  /// Queues a question to the caller's own scope; its id, times and stage are given here.
  Result<Question> ask(const Question& question) const;
  /// The one that stands before the user now; none where nothing is to be asked now.
  Result<std::optional<Question>> next() const;
  /// Answers it: by the letter, number or words of a choice, or freely. It is remembered as a talk, may move a belief,
  /// and lets what waits for it go on. `arguments`: of an approval, a JSON object in the place of those of the call,
  /// which is allowed with them (kInvalidArgument beside another answer). kConflict where it was answered or its time
  /// is over.
  Result<Question> answer(const std::string& id, const std::string& text, const std::string& arguments = {}) const;
  /// Takes a question back.
  Result<Question> withdraw(const std::string& id) const;

 private:
  friend class Engine;
  using Facet::Facet;
};

}  // namespace weft
