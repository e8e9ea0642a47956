#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "ports/templates/functions.h"

namespace weft::templates {

/// An operator between two values, and how tightly it binds: from 1, `or`, to 6; 0: there is none.
struct Operator {
  std::string_view sign;
  int rank = 0;
};
constexpr int kComparison = 3;

/// Reads a source word by word. After a failure there is nothing more to read.
class Cursor {
 public:
  Cursor(const std::string& source, Meter& meter) : source_(source), meter_(meter) {}

  std::size_t at() const { return at_; }
  void go_to(std::size_t at) { at_ = at; }
  bool ended() const { return at_ >= source_.size(); }
  std::size_t tag() const { return tag_; }  ///< where the last tag begins
  /// The line of the last word. Fails name it; `blame` another place.
  std::size_t line() const;
  void blame(std::size_t at) { word_ = at; }

  /// Text up to the next tag, without the white space that the tags take: a line with nothing but a block leaves
  /// nothing.
  std::string_view plain();
  /// What begins here: '{' for what is written, '%' for a statement; a comment, '#', is passed over.
  char open();

  /// From the next word on.
  std::string_view rest();
  bool follows(std::string_view word);
  bool take(std::string_view word);
  void want(std::string_view word);
  std::string name();
  Operator next_operator();
  Thing text();    ///< with its quotes
  Thing number();  ///< without a sign

 private:
  const std::string& source_;
  Meter& meter_;
  std::size_t at_ = 0, word_ = 0, tag_ = 0;
};

/// What is known of a template that was checked.
struct Checked {
  std::set<std::string, std::less<>> names;   ///< of variables and functions
  std::map<std::size_t, std::size_t> choices;  ///< where `a if b` begins, to where `b` does: that comes first
};

/// Reads the whole source and runs none of it. Errors name the line.
Result<Checked> check(const std::string& source);

/// Runs what was checked. Errors name the line.
Result<std::string> run(const std::string& source, const Checked& checked, Names variables,
                        const TemplateLimits& limits);

}  // namespace weft::templates
