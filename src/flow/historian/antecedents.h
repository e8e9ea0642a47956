#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "flow/historian/absolutise.h"
#include "text/analysis.h"
#include "text/han_text.h"
#include "text/references.h"
#include "text/words.h"

namespace weft {

constexpr std::size_t kHanSize = 3;  ///< bytes of a common Chinese character

/// The character before this byte; empty at the beginning.
std::string_view character_before(std::string_view text, std::size_t at);

/// Marks and the commonest function words, which end a name or a noun.
bool is_stop(std::string_view character);

/// Whether a clause begins at this byte.
bool begins_clause(std::string_view text, std::size_t at);

/// A mark between clauses: ，。？！；：
bool is_clause_mark(std::string_view character);

/// Whether a number or a demonstrative stands before this byte, so that what begins there may be a measure: 三张, 15张.
bool is_counted(std::string_view text, std::size_t at);

/// Whether two characters and what kind of place they name begin at this byte: 岳麓山, 莫愁湖.
bool names_place(std::string_view text, std::size_t at);

/// The end of the words that begin at `at`: a mark, a function word or one of the characters of `ends`; `at` where that
/// is more than twenty characters away.
std::size_t end_of_run(std::string_view text, std::size_t at, std::string_view ends);

enum class MentionKind {
  kPerson,
  kThing,
  kPlace,
  kFirm,  ///< whoever works or acts there: "the bank", "NASA"
  kOfAKind,  ///< Chinese: people by a common noun, 学生, 投资者; one or several, unless they are counted
  kIt,  ///< Chinese: an animal or a thing that is told of, of which 它 is said and never 他
  kVague,  ///< Chinese: what 他 may mean as well and what cannot be told better, 这个人, 他妹妹, 公司
};

/// Something that a text names and that a later pronoun may mean, in words that need no circumstances.
struct Mention {
  std::string text;  ///< "the dance studio", "Ann's mother", 《三体》
  MentionKind kind = MentionKind::kThing;
  bool plural = false;
  bool proper = false;  ///< a name
  bool aside = false;  ///< behind a preposition or said of something else: not what a sentence is about
  bool leads = false;  ///< begins its sentence or clause
  bool subject = false;  ///< what its sentence is about: begins it, or a verb follows
  bool bound = false;  ///< "his dad": says who only together with whose
  bool bare = false;  ///< "stories" without a determiner: of a kind
  bool collective = false;  ///< "my family": several in one word
  bool animal = false;  ///< "my dog": he, she or they, where no person can be meant
  bool owns = false;  ///< "my best friend's party": whose something is
  bool echo = false;  ///< a pronoun, under what it was found to mean
  bool called = false;  ///< Chinese: spoken to, asked to speak or thanked, 杨总您, 有请杨总
  bool single = false;  ///< Chinese, of a kind: one of them, 每个学生
  Gender gender = Gender::kUnknown;
  std::size_t begin = 0, end = 0;  ///< bytes of its text
  int distance = 0;  ///< how many messages before the text; 0: in the text itself
};

/// Who speaks a text and to whom, for "my" and "your"; empty where that is not known.
struct Voices {
  std::string speaker, hearer;
};

/// The mentions of an English text in order. Linear.
std::vector<Mention> english_mentions(const LatinWords& words, std::string_view text, const Voices& voices,
                                      const std::vector<std::string>& names);

/// The mentions of a Chinese text in order. Linear for a few names.
std::vector<Mention> chinese_mentions(std::string_view text, const HanBreaks& breaks, const Voices& voices,
                                      const std::vector<std::string>& names);

/// Only its persons, by name, by whom they are to somebody or as somebody who is told of.
std::vector<Mention> chinese_persons(std::string_view text, const HanBreaks& breaks, const Voices& voices,
                                     const std::vector<std::string>& names);

/// Only its things and places: titles, what a clause is about or defines, where somebody goes.
std::vector<Mention> chinese_things(std::string_view text);

/// Only the animals and things of which 它 may be said, in order: 我家的猫, 一台相机. Linear.
std::vector<Mention> chinese_its(std::string_view text, const HanBreaks& breaks, const Voices& voices);

/// The mentions of a text of either language in order, with those that are named together.
std::vector<Mention> mentions_of(TextAnalysis& analysis, const Voices& voices, const std::vector<std::string>& people);

/// Leaves out whoever is named as who speaks, "Tom: …".
std::vector<Mention> without_labels(std::vector<Mention> mentions, std::string_view text);
/// Only its people by common nouns and what else 他 may mean there, in order.
std::vector<Mention> chinese_people_of_a_kind(std::string_view text, const HanBreaks& breaks);

/// Adds those that are named together, "Tom and Ben", 李雷和韩梅梅, as one mention of several. `text` is where they
/// stand.
void join_named_together(std::string_view text, std::vector<Mention>& mentions);

/// Looks up what a pronoun may mean, nearest first. `advance` is called with ascending positions of the text.
class Antecedents {
 public:
  /// `before`: mentions of earlier messages, oldest first. `within`: of the text itself, in order.
  Antecedents(std::vector<Mention> before, std::vector<Mention> within)
      : mentions_(std::move(before)), within_(std::move(within)) {}

  /// Takes in what the text names before `at`.
  void advance(std::size_t at);

  /// Takes in a pronoun whose meaning was found: who is spoken of still is.
  void go_on(Mention mention) { mentions_.push_back(std::move(mention)); }

  /// All that was taken in, oldest first; the object is empty then.
  std::vector<Mention> take() { return std::move(mentions_); }

  /// The mentions of the text itself.
  const std::vector<Mention>& within() const { return within_; }

  /// What was named before the place that was advanced to, oldest first: earlier messages, then the text.
  const std::vector<Mention>& seen() const { return mentions_; }

  /// What may be meant, nearest first, each once, from as near as there is anything: the text itself, else the message
  /// before it, and so on. Reads at most the last few dozen mentions.
  std::vector<Mention> find(MentionKind kind, bool plural, Gender gender,
                            const std::vector<std::string>& not_these) const;

 private:
  std::vector<Mention> mentions_, within_;
  std::size_t next_ = 0;
};

/// "Ann's", "James's", "the kids'".
std::string possessive(const std::string& name, bool plural);

/// How many messages before a text a name is still certain.
inline constexpr int kFarthestName = 3;

/// Who is spoken of by pronouns goes on to be, unless somebody else became what a sentence is about. `fitting`: what
/// may be meant, nearest first; returned whole where nothing tells.
std::vector<Mention> going_on(std::vector<Mention> fitting);

/// Of those that may be meant by a pronoun of one in an English text, those of whom more is known: a word that says
/// "she" by itself tells more than one that may be said of anybody, "my sister" than "the artist". Looks farther back,
/// except for `not_these`, where nothing is known of any.
std::vector<Mention> more_telling(std::vector<Mention> fitting, const Reference& reference,
                                  const Antecedents& antecedents, std::vector<std::string> not_these);

/// A pronoun of the third person that was read before, and whom it means.
struct PronounBefore {
  std::size_t begin = 0, end = 0;
  Gender gender = Gender::kUnknown;
  std::vector<Mention> meant;
};

/// Where a Chinese pronoun stands and who takes part in the talk.
struct ChinesePronoun {
  TextAnalysis& analysis;
  const Reference& reference;
  const std::vector<Mention>& seen;  ///< what was named before it, as `Antecedents::seen`
  const std::vector<std::string>& not_these;  ///< names of those who talk with each other
  bool between_two = false;  ///< only two talk: who was spoken of stays in sight longer
  const PronounBefore* last = nullptr;  ///< the pronoun of the same number before it in the text; null: none
  int earlier_pronoun = 0;  ///< how many messages before the text the same pronoun stood; 0: it did not
};

/// Whom 他, 她 or 他们 means: one is certain, several are candidates, none is not known. By sieves, the surest first:
/// what stands right before it; who the pronoun before it means, where nobody is named between them; who is named in
/// the same sentence, a person before people of a kind; the sentence before; of two who talk, whoever was spoken of
/// last, alone, in the messages before. What may be meant as well and cannot be told, 这个人 or a company, stops the
/// search. Linear in `seen`.
std::vector<Mention> chinese_antecedents(const ChinesePronoun& pronoun);

}  // namespace weft
