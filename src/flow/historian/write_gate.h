#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flow/historian/duplicates.h"

namespace weft {

/// Why a text does not become a memory.
enum class Refusal {
  kEmptyTalk,  ///< greetings, thanks, confirmations, fillers: nothing is said
  kDuplicate,  ///< a memory of the scope says the same
  kEcho,       ///< recalled memories, quoted back
  kLoop,       ///< the same again and again
};

/// "empty_talk", "duplicate", "echo", "loop".
const char* to_string(Refusal reason);

struct Refused {
  Refusal reason;
  std::string of_id;  ///< kDuplicate: the memory that says it
  double share = 1;   ///< of the text that the reason is about: quoted, repeated; 1 where it is all of it
};

/// What a candidate is judged against; everything may be absent. Nothing is owned.
struct GateContext {
  const DuplicateIndex* known = nullptr;  ///< the scope's memories
  std::span<const std::string> recent;    ///< what the same speaker said before in this session, the newest last
  const std::vector<std::string>* recalled = nullptr;  ///< memories that stood in the prompt; only for a model's text
  std::int64_t day = 0;  ///< on which it was said, days since 1970; see DuplicateIndex
};

/// Whether a text is kept out of memory, and why; nothing where it may be written. A text that repeats a part is judged
/// by what is left of it; five times and more, filling three quarters of the text, are a loop. A text is refused as an
/// echo only if nothing in it is new. Pure; linear in the text, the recalled texts and the last eight of `recent`.
std::optional<Refused> judge(std::string_view candidate, const GateContext& context);

}  // namespace weft
