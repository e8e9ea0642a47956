#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/statement.h"

namespace weft {

/// The statements that a scope already holds, to find the one that says the same as a new text.
///
/// Lookup takes the time to read the text. Memory: about 300 bytes a statement of 12 words and its id (measured: 30 MB
/// for 100,000). Not safe for several threads; const members are, while nobody writes.
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

/// The share of what a text says, 0 to 1 by content words, that stands in the recalled memories: runs of three words
/// (four Chinese characters) that one memory holds in the same order. Pronouns count as each other ("I" comes back as
/// "you"), verb endings of the third person as none. 0 for a text without content. Linear in text and memories.
double echo_share(std::string_view text, const std::vector<std::string>& recalled);

/// The text without the sentences that only quote a memory. A sentence only quotes where each of its clauses stands
/// completely in one sentence of a memory, apart from words about remembering ("as you told me", 根据记忆): one other
/// name, number or negation is news and keeps it. Kept sentences stay as they are, joined by their own spacing or,
/// where something between them went, by one blank. Empty if nothing is new.
std::string without_echo(std::string_view text, const std::vector<std::string>& recalled);

/// A text without what it says over and over, and how much that was.
struct Collapsed {
  std::string text;
  std::size_t times = 1;  ///< how often the part came that was repeated most
  double share = 0;  ///< of the text's bytes that were taken out
};

/// Sentences, or sequences of up to 8 sentences, that come again right behind themselves stay once; so do sequences of
/// up to 16 words or characters from the fourth time on ("the the the the", 测试测试测试测试). Linear.
Collapsed collapse_repeats(std::string_view text);

/// Whether `text` goes round: it and what came before it, the newest last, are at least the third turn of the same one
/// to four texts. Reads at most the last eight of `recent`.
bool is_loop(std::string_view text, std::span<const std::string> recent);

/// Why a text does not become a memory.
enum class Refusal {
  kEmptyTalk,  ///< greetings, thanks, confirmations, fillers: nothing is said
  kDuplicate,  ///< a memory of the scope says the same
  kEcho,  ///< recalled memories, quoted back
  kLoop,  ///< the same again and again
};

/// "empty_talk", "duplicate", "echo", "loop".
const char* to_string(Refusal reason);

struct Refused {
  Refusal reason;
  std::string of_id;  ///< kDuplicate: the memory that says it
  double share = 1;  ///< of the text that the reason is about: quoted, repeated; 1 where it is all of it
};

/// What a candidate is judged against; everything may be absent. Nothing is owned.
struct GateContext {
  const DuplicateIndex* known = nullptr;  ///< the scope's memories
  std::span<const std::string> recent;  ///< what the same speaker said before in this session, the newest last
  const std::vector<std::string>* recalled = nullptr;  ///< memories that stood in the prompt; only for a model's text
  std::int64_t day = 0;  ///< on which it was said, days since 1970; see DuplicateIndex
};

/// Whether a text is kept out of memory, and why; nothing where it may be written. A text that repeats a part is judged
/// by what is left of it; five times and more, filling three quarters of the text, are a loop. A text is refused as an
/// echo only if nothing in it is new. Pure; linear in the text, the recalled texts and the last eight of `recent`.
std::optional<Refused> judge(std::string_view candidate, const GateContext& context);

}  // namespace weft
