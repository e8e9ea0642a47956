#pragma once

// What the parts of the absolutiser share; nothing else includes this.

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "flow/historian/absolutise.h"
#include "flow/historian/antecedents.h"
#include "text/latin_words.h"
#include "text/references.h"

namespace weft {

/// A replacement in the original text. `listed` ones are reported as changes, the others are verb forms.
struct Edit {
  std::size_t begin = 0, end = 0;
  std::string by;
  bool listed = true;
  ChangeKind kind = ChangeKind::kPerson;
  bool sure = true;
  std::vector<std::string> candidates;
};

/// Who or what a reference means, in words.
struct Meant {
  std::string text;
  bool plural = false;
  bool sure = true;
  std::vector<std::string> candidates;
};

/// The people of a conversation under the names that are written.
class People {
 public:
  People(const Speech& speech, std::string_view text, Language language);

  const std::string& sender() const { return sender_; }
  const std::string& addressee() const { return addressee_; }  ///< empty: not certain
  const std::vector<std::string>& names() const { return names_; }

  Meant me() const;
  Meant you() const;          ///< one person
  Meant you_all() const;      ///< several
  Meant us(bool inclusive) const;

 private:
  std::string join(const std::vector<std::string>& names) const;
  std::vector<std::string> others() const;

  bool chinese_ = false;
  std::string sender_, addressee_;
  std::vector<std::string> names_;
};

/// The name of a person as it is written.
std::string name_of(const Person& person);

/// "A, B or C", "A、B或C"; at most three.
std::string alternatives(const std::vector<std::string>& candidates, Language language);

/// Names the candidates behind the first mention only: one place where the reader learns them is enough.
class Candidates {
 public:
  /// " (possibly A or B)", "（可能是A或B）", or nothing.
  std::string remark(const Meant& meant, Language language);

 private:
  std::set<std::vector<std::string>> told_;
};

/// Appends the edits for the English references of a text.
void edit_english(std::string_view text, const LatinWords& words, const Speech& speech, Antecedents& antecedents,
                  std::vector<Edit>& edits);

/// Appends the edits for the Chinese references of a text.
void edit_chinese(std::string_view text, const std::vector<Span>& spans, const Speech& speech, Antecedents& antecedents,
                  std::vector<Edit>& edits);

/// What an unclear third person means: one fitting mention is sure, several are candidates, none gives `fallback`.
Meant meant_by(const std::vector<Mention>& fitting, const std::string& fallback, bool plural_fallback);

}  // namespace weft
