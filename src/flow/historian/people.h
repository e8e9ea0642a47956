#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flow/historian/absolutise.h"
#include "text/words.h"

namespace weft {

/// The people of a conversation under the names that are written.
class People {
 public:
  /// Of what `speech` names; `text` may call somebody.
  People(const Speech& speech, std::string_view text);

  const std::string& sender() const { return sender_; }        ///< empty: not known
  const std::string& addressee() const { return addressee_; }  ///< empty: not certain
  const std::vector<std::string>& names() const { return names_; }

  /// Whom I, you and we mean, as candidates: one is certain, none is not known. `plural` becomes whether several are
  /// meant at once.
  std::vector<std::string> me() const;
  std::vector<std::string> you() const;
  std::vector<std::string> you_all(Language language, bool& plural) const;
  std::vector<std::string> us(Language language, bool inclusive) const;

 private:
  std::vector<std::string> others() const;

  std::string sender_, addressee_;
  std::vector<std::string> names_;
};

/// The name of a person as it is written.
std::string name_of(const Person& person);

}  // namespace weft
