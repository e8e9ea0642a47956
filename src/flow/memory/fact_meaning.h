#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flow/memory/said_facts.h"
#include "text/weight_file.h"
#include "text/words.h"

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

/// What the grammars say of a sentence beside its meaning.
struct WishSigns {
  bool clause = false;   ///< `standing_wishes` finds one
  bool general = false;  ///< `is_general_wish` says so
};
WishSigns wish_signs(std::string_view sentence);

/// A logistic curve over a sentence's centred vector and its signs. Fitted by tools/fit/wishes.py.
struct WishWeights {
  std::string embedder;  ///< the model's family: embedders whose name holds it
  double bias = 0, clause = 0, general = 0;
  std::vector<float> vector;
};

/// Those of weights/wishes.json; null where they are another embedder's: then grammar alone decides.
const WishWeights* wish_weights(std::string_view embedder);

/// What such a file says.
WishWeights read_wish_weights(const WeightFile& file);

/// The log-odds that a sentence tells how its speaker wants to be answered from now on.
double wish_logit(const WishWeights& weights, std::string_view sentence, std::span<const float> centred);

/// The sentences of a message whose meaning is worth a look: at most eight, that speak of what answers are like or say
/// that something holds on.
std::vector<std::string_view> wish_sentences(std::string_view message);

/// The centred vector of a sentence; empty where there is none now.
using SentenceVector = std::function<std::vector<float>(std::string_view)>;

/// Standing wishes of a message by the meaning of its sentences, in whatever words, beside those that the grammar has
/// `found`: these are not given again, and where only a whole sentence spoke for one and its meaning does not, it loses
/// its text. `subject` as for `read_said`.
std::vector<SaidFact> judge_wishes(std::string_view message, const std::string& subject, const WishWeights& weights,
                                   const SentenceVector& vector_of, std::vector<SaidFact>& found);

/// The heading of a note in Chinese: its first line, where that is short and no sentence, nobody speaks of themselves
/// in it, no grammar reads anything in it, and the next line asks nothing and is no second entry of a form. Empty where
/// there is none. A view into the message. Safe from any thread.
std::string_view note_heading(std::string_view message);

/// A logistic curve over a sentence's centred vector and its signs, which weigh differently in each language. Fitted by
/// tools/fit/facts.py.
struct FactWeights {
  /// What of a language is its own.
  struct OfLanguage {
    double bias = 0;
    double limit = 0;  ///< log-odds from which on a sentence is kept
    FactSigns signs{};
  };
  std::string embedder;  ///< the model's family: embedders whose name holds it
  std::array<OfLanguage, 2> languages;  ///< by Language
  std::vector<float> vector;
};

/// Those of weights/facts.json; null where they are another embedder's: then grammar alone decides.
const FactWeights* fact_weights(std::string_view embedder);

/// What the file holds.
FactWeights read_fact_weights(const WeightFile& file);

/// The log-odds that a sentence states something of its speaker, or of their people, that matters in months.
double fact_logit(const FactWeights& weights, Language language, const FactSigns& signs,
                  std::span<const float> centred);

/// The sentences of a message that may state something and are no mere courtesy; the heading of a note is none of them.
std::vector<FactSentence> fact_sentences(std::string_view message);

/// What is judged of a sentence: all of it and, of a Chinese question, what is told before it unless that is a need:
/// 我想找一家酒店，有推荐吗？
std::vector<std::string_view> judged_parts(std::string_view sentence);

/// Whether a message speaks of its speaker or of people at all. Cheap: for what is to be read at once.
bool may_tell_of_people(std::string_view message);

/// A sentence as it is kept where no grammar reads it: what it tells, in the third person, and who said it where it
/// does not name them; one of a note behind the note's heading, which tells what it is about.
std::string told_sentence(const FactSentence& sentence, const std::string& subject);

/// Facts of a message by the meaning of its sentences, beside those that the grammar has `found`. A likely sentence is
/// kept whole where those found of it leave much of it out; what it says is then not kept in pieces as well. Of an
/// unlikely one those lose their text that only the class of a verb spoke for. A sentence is as likely as the
/// likeliest of its parts. What the grammar of profiles reads, and
/// wishes, stay as they are. `subject` as for `read_said`; sentences without a vector are left to the grammar.
std::vector<SaidFact> judge_facts(std::string_view message, const std::string& subject, const FactWeights& weights,
                                  const SentenceVector& vector_of, std::vector<SaidFact>& found);

}  // namespace weft
