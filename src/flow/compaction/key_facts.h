#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace weft {

enum class FactKind : std::uint8_t {
  kUrl,   ///< addresses of the web and of mail
  kPath,  ///< file paths and file names
  kId,    ///< words that hold digits, long numbers, dates, versions: what nobody can guess again
  kName,  ///< names made for machines: snake_case, CamelCase, dotted
};

/// A piece of text that is lost when a single byte of it is lost.
struct KeyFact {
  std::string_view text;  ///< a view into what was read
  FactKind kind = FactKind::kId;
};

/// The key facts of a text, in order and with repetitions. Prices, counts and times of day are none: they matter by the
/// sentence they stand in. Linear; runs of more than 300 bytes (encoded data) are passed over. Safe from any thread.
std::vector<KeyFact> key_facts(std::string_view text);

/// Key facts that stand somewhere. A path stands for its file name and its ends too.
class FactSet {
 public:
  /// Adds the facts of the text.
  void add(std::string_view text);
  void add(const KeyFact& fact);
  bool holds(std::string_view fact) const { return facts_.contains(fact); }
  bool empty() const { return facts_.empty(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
  };
  std::unordered_set<std::string, Hash, std::equal_to<>> facts_;
};

/// A scalar of a JSON text with the name it stands under ("" in a list), unescaped.
struct NamedValue {
  std::string name, value;
};

/// The scalars of a JSON object or list, in order; empty for other texts. For arguments of tools and their outputs.
std::vector<NamedValue> json_scalars(std::string_view text);

}  // namespace weft
