#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flow/memory/said_facts.h"

namespace weft {

/// What the grammars and a few word lists say of a sentence beside its meaning.
enum class FactSign : std::uint8_t {
  kProfile,     ///< the grammar of profiles reads a fact in it
  kLasts,       ///< it has a clause that lasts by the class of its verb
  kBelonging,   ///< it takes a thing of one's own for granted
  kSpeaker,     ///< speaks of its speaker
  kOwn,         ///< speaks of what is the speaker's
  kPeople,      ///< speaks of people or animals that one has
  kNames,       ///< English: a capital within; Chinese: Latin letters or digits
  kPast,        ///< tells of what has happened
  kIntends,     ///< tells what is wanted or meant to be done
  kPromises,    ///< promises something to the talk
  kHabits,      ///< tells tastes and habits
  kAside,       ///< says that it is told in passing
  kAddressed,   ///< speaks to the one who answers
  kAsks,        ///< is a question
  kRequests,    ///< asks for help
  kContinues,   ///< begins as a remark on what was said
  kRefers,      ///< refers back in its first words
  kThanks,
  kSeveral,     ///< speaks of several, the speaker among them, and not of the speaker alone
  kThinks,      ///< tells what goes on in the speaker's head
  kNeeds,       ///< says what is needed of the one who answers
  kPresents,    ///< says as what somebody speaks: "as a nurse", 像我这样
  kHealth,      ///< speaks of the body and what ails it
  kRemarks,     ///< judges or points at what was said
  kNoted,       ///< stands in a note that has a heading
  kSpeech,      ///< Chinese: how long the message is, outside notes: who speaks for minutes speaks to many
  kLength,      ///< in words, by thirty; two at most
  kLengthSquared,
  kCount
};

inline constexpr std::size_t kFactSigns = static_cast<std::size_t>(FactSign::kCount);

using FactSigns = std::array<double, kFactSigns>;

/// A sentence whose meaning is worth a look; views into its message.
struct FactSentence {
  std::string_view text;
  std::string_view heading = {};  ///< of the note that it stands in; empty: in none
  std::size_t said_at_once = 0;   ///< bytes of the whole message
};

/// The signs of one sentence. `subject` is as for `read_said`. Linear; safe from any thread.
FactSigns fact_signs(const FactSentence& judged, const std::string& subject);

/// Whether a sentence speaks of its speaker, of what is theirs or of people that one has. Cheap.
bool speaks_of_people(std::string_view sentence);

/// Whether a sentence names people or animals that one has, 妈妈, "my boss". Cheap.
bool names_people(std::string_view sentence);

/// What an English sentence takes for granted that its speaker has: "Do my kids need a visa?" tells of kids, "on my
/// Canon R5" of a camera. Homes, vehicles, instruments, pets, the nearest relatives and products by name, whom "my
/// sister Claire" names; what everybody has (a mother, a phone) is left out. `subject` as for `read_said`. Linear.
std::vector<SaidFact> english_belongings(std::string_view sentence, const std::string& subject);

}  // namespace weft
