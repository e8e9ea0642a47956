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
  std::string value;  ///< what holds now, as it stands there; empty: only that what is known holds no longer
  std::string text;  ///< what is known with that value instead: "The user's rent is 890 euros"; empty: not certain
};

/// Finds in a message what tells that something known is otherwise now, where the grammar of statements understands
/// neither of it: the sentence tells of a change, names the matter, and between the matter and another value of the
/// same kind (a number, a time, a name, other words) stand only words of being and becoming. The matter of somebody
/// else ("her doctor") is another one, what is only asked, wished or supposed changes nothing, and a sentence that
/// holds the old value says it again. At most one change a sentence, of the first of `known` that fits: pass the newest
/// first. Safe from any thread.
std::vector<ToldChange> told_changes(std::string_view message, std::span<const KnownMatter> known);

/// Whether what a sentence says was not only heard, feared, dreamt, meant for a while or taken back.
bool is_said_plainly(std::string_view sentence);

/// The other value that one sentence of a language gives a matter; empty where it says only that the known one holds no
/// longer.
std::optional<std::string> other_value_english(std::string_view sentence, const KnownMatter& known);
std::optional<std::string> other_value_chinese(std::string_view sentence, const KnownMatter& known);

/// What is known with such a value in the place of the old one; empty where the old one is not certain.
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
