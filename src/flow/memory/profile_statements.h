#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft {

/// Whether a statement says that something is so, is not so, or was so.
enum class Polarity { kYes, kNo, kNoLonger };

/// One thing that a sentence says about somebody, as far as a small grammar of both languages sees it.
struct ProfileStatement {
  std::string subject;    ///< folded for comparing; empty where none is named ("Likes tea", 喜欢喝茶)
  std::string attribute;  ///< "residence", "likes", "birthday", "favourite colour", …; the same in both languages
  bool single = false;    ///< has one value at a time, so that another one replaces it
  Polarity polarity = Polarity::kYes;
  std::string value;                ///< as it stands there, folded
  std::vector<std::string> values;  ///< its parts by their content words, for comparing; never empty
  std::vector<std::string> parts;   ///< the same parts as they stand there
};

/// What a sentence states: "Ann lives in Berlin and works as a nurse" gives two. Questions, wishes and things past or
/// uncertain give none. Linear in the length; sentences over 2000 bytes give none. Safe from any thread.
std::vector<ProfileStatement> read_statements(std::string_view sentence);

/// The words by which values are compared.
std::string value_key(std::string_view value);

/// Whether an attribute tells what somebody likes rather than how things are with them.
bool is_preference(std::string_view attribute);

}  // namespace weft
