#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/// Something that is known of somebody, in a sentence, and what it tells of ("rent", "of yoga class", "job"). `first`
/// is how the matter was told before it changed, by which it is named: of "The landlord raised the user's rent" that is
/// "The user's rent is 740 euros".
struct KnownMatter {
  std::string_view text, attribute, first;
};

/// A sentence by which something that is known is otherwise now: "The landlord raised my rent to 890 euros".
struct ToldChange {
  std::size_t known = 0;  ///< place in the list
  std::string quote;  ///< the sentence as it stands in the message
  std::string value;  ///< the new value, in the words of the sentence; empty: the known one ends without another
  std::string text;  ///< the known sentence with the new value: "The user's rent is 890 euros"; empty: not certain
};

/// Finds in a message what tells that something known is otherwise now, where the grammar of statements understands
/// neither of it: the sentence tells of a change, names the matter, and between the matter and another value of the
/// same kind (a number, a time, a name, other words) stand only words of being and becoming. The matter of somebody
/// else ("her doctor") is another one, what is only asked, wished or supposed changes nothing, and a sentence that
/// holds the old value says it again. At most one change a sentence, of the first of `known` that fits: pass the newest
/// first. Safe from any thread.
std::vector<ToldChange> told_changes(std::string_view message, std::span<const KnownMatter> known);

/// False for a sentence of hearsay, fear or a dream, of a change for a while, and of one that was taken back. Both
/// languages; linear; safe from any thread.
bool is_said_plainly(std::string_view sentence);

/// The new value that one sentence of a language gives a matter; empty if the sentence only ends the known one.
std::optional<std::string> other_value_english(std::string_view sentence, const KnownMatter& known);
std::optional<std::string> other_value_chinese(std::string_view sentence, const KnownMatter& known);

/// The known sentence with such a value in the place of the old one; empty if that place is not certain.
std::string with_value_english(std::string_view sentence, const KnownMatter& known, const std::string& value);
std::string with_value_chinese(const KnownMatter& known, const std::string& value);

/// A clause by which something that is known is over: "I gave up the cello", 我把车卖了.
struct ToldEnd {
  std::vector<std::size_t> known;  ///< places in the list; never empty
  std::string quote;  ///< the clause as it stands in the message
};

/// Finds in a message what its speaker no longer does or has, and which of `known` that ends: the same doing with the
/// same object ("no longer drink coffee", 戒烟), or the thing that is given away, stolen or cancelled. `subject` as for
/// `read_said`. What others do, what is wished, denied or left for a day ends nothing. Safe from any thread.
std::vector<ToldEnd> told_ends(std::string_view message, std::span<const KnownMatter> known,
                               const std::string& subject);

/// Whether a message may tell such an end. Cheap.
bool may_tell_end(std::string_view message);

}  // namespace weft
