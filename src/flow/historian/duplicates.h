#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "text/statement.h"

namespace weft {

/// The statements that a scope already holds, to find the one that says the same as a new text.
///
/// Lookup takes the time to read the text. Memory: about 200 bytes a statement and its id, some 20 MB for 100,000 of 12
/// words. Not safe for several threads; const members are, while nobody writes.
class DuplicateIndex {
 public:
  /// Remembers `text` as `id`; an id that is there is replaced. `day` is the day it was said, in days since 1970: what
  /// holds "yesterday" says the same only on the same day. Texts without words are not kept.
  void add(const std::string& id, std::string_view text, std::int64_t day = 0);
  void add(const std::string& id, const Statement& statement, std::int64_t day = 0);

  /// The id of a statement that says the same; nothing if there is none.
  std::optional<std::string> find(std::string_view text, std::int64_t day = 0) const;
  std::optional<std::string> find(const Statement& statement, std::int64_t day = 0) const;

  /// Forgets `id`; unknown ones are no error.
  void remove(const std::string& id);

  std::size_t size() const { return keys_.size(); }

 private:
  struct Entry {
    Statement statement;
    std::int64_t day;
    const std::string* id;  ///< the key of `keys_`, which stays where it is
  };
  std::unordered_multimap<std::uint64_t, Entry> entries_;  ///< by Statement::key
  std::unordered_map<std::string, std::uint64_t> keys_;  ///< by id
};

}  // namespace weft
