#include "flow/historian/resolve.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "flow/historian/absolutise.h"
#include "flow/historian/antecedents.h"
#include "flow/historian/people_words.h"
#include "flow/memory/profile_statements.h"
#include "text/english_verbs.h"
#include "text/lexicon.h"
#include "text/references.h"
#include "text/speaker_prefix.h"
#include "text/words.h"

namespace weft {
namespace {

// Who can be meant by "they" in an English text, by what is said of them.
enum class SaidOf {
  kAnything,  ///< nothing tells
  kFirms,     ///< people, or whoever acts through people: "they charge", "I called them"
  kPeople,    ///< only people: "they said", "their kids", "they are shy"
};

std::string_view word_at(const LatinWords& words, std::size_t i) {
  return i < words.size() && words[i].is_word ? std::string_view(words[i].lower) : std::string_view();
}

bool is_be(std::string_view word) {
  static const LexiconWords kBe = {"are", "were", "be", "been", "aren't", "weren't", "seem", "seemed", "get", "got"};
  return kBe.contains(word);
}

// "Offering" → "offer", "deciding" → "decide".
template <class List>
bool has_form(const List& is_in_list, std::string_view word) {
  if (is_in_list(word)) return true;
  if (word.size() < 6 || !word.ends_with("ing")) return false;
  const std::string stem(word.substr(0, word.size() - 3));
  return is_in_list(stem) || is_in_list(stem + "e");
}

bool is_verb_of_firms(std::string_view word) {
  static const LexiconWords verbs = lexicon_words("en/people", "verbs of firms");
  return verbs.contains(word);
}

bool is_done_to_people(std::string_view word) {
  static const LexiconWords verbs = lexicon_words("en/people", "done to people");
  return verbs.contains(word);
}

SaidOf by_verb(const LatinWords& words, std::size_t i) {
  constexpr std::size_t kFar = 5;
  static const LexiconWords kStates = lexicon_words("en/people", "states of people");
  const std::string_view self = word_at(words, i);
  bool being = self.ends_with("'re");
  for (std::size_t k = i + 1; k <= i + kFar && !word_at(words, k).empty(); ++k) {
    const std::string_view word = word_at(words, k);
    if (has_form(is_verb_of_people, word)) return SaidOf::kPeople;
    if (has_form(is_verb_of_firms, word)) return SaidOf::kFirms;
    if (being && (kStates.contains(word) || is_plural_person(word))) return SaidOf::kPeople;
    being = being || is_be(word);
    const bool between = is_modal(word) || is_auxiliary(word) || is_mid_adverb(word) || is_be(word) || word == "not" ||
                         word == "to" || word == "very" || word == "going" || word == "gonna" || word == "might" ||
                         (being && (word == "my" || word == "a" || word == "like"));
    if (!between) break;
  }
  return SaidOf::kAnything;
}

SaidOf by_noun(const LatinWords& words, std::size_t i) {
  constexpr std::size_t kFar = 3;
  static const LexiconWords kTheirs = lexicon_words("en/people", "what people have");
  for (std::size_t k = i + 1; k <= i + kFar && !word_at(words, k).empty(); ++k) {
    const std::string_view word = without_possessive(word_at(words, k));
    if (kTheirs.contains(word) || relatives().contains(word) || is_plural_person(word)) return SaidOf::kPeople;
    if (no_nouns().contains(word)) break;
  }
  return SaidOf::kAnything;
}

SaidOf by_what_is_done(const LatinWords& words, std::size_t i) {
  static const LexiconWords kOfTwo = lexicon_words("en/references", "of two objects");
  static const LexiconWords kSent = {"send", "sent",   "sending", "show",    "showed", "showing", "pay", "paid",
                                     "buy",  "bought", "offer",   "offered", "bring",  "brought", "get", "got"};
  static const LexiconWords kThings = {"a", "an", "the", "my", "our", "some", "money", "something"};
  if (i == 0) return SaidOf::kAnything;
  const std::string_view before = word_at(words, i - 1);
  if (has_form(is_done_to_people, before)) return SaidOf::kPeople;
  const bool two = (kOfTwo.contains(before) || kSent.contains(before)) && kThings.contains(word_at(words, i + 1));
  return two ? SaidOf::kPeople : SaidOf::kAnything;
}

// What stands around a pronoun of several. Constant time.
SaidOf said_of(const LatinWords& words, const Reference& reference) {
  switch (reference.form) {
    case PronounForm::kSubject: return by_verb(words, reference.word);
    case PronounForm::kDeterminer: return by_noun(words, reference.word);
    case PronounForm::kObject: return by_what_is_done(words, reference.word);
    default: return SaidOf::kAnything;
  }
}

// Whether an English text tells of one of whom nothing is known between two places: "somebody". Linear.
bool speaks_of_anybody(const LatinWords& words, std::size_t begin, std::size_t end) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool other = i + 1 < words.size() && words[i + 1].lower == "other";  // "each other"
    if (words[i].begin >= begin && words[i].end <= end && is_anybody(words[i].lower) && !other) return true;
  }
  return false;
}

bool is_of_a_kind(std::string_view text) {
  return text == "people" || text == "folks" || text == "men" || text == "women";
}

// "My husband and kids": all of them, not the kids alone.
void keep_wholes(std::vector<Mention>& fitting) {
  for (std::size_t i = 0; i < fitting.size(); ++i)
    std::erase_if(fitting, [whole = fitting[i]](const Mention& one) {
      return whole.text.size() > one.text.size() && whole.distance == one.distance &&
             (whole.text.ends_with(" and " + one.text) || whole.text.starts_with(one.text + " and "));
    });
}

class Finder {
 public:
  Finder(TextAnalysis& analysis, const Antecedents& antecedents, const Reference& reference,
         const std::vector<std::string>& not_these)
      : text_(analysis.text()),
        words_(analysis.words()),
        antecedents_(antecedents),
        reference_(reference),
        not_these_(not_these),
        said_(said_of(words_, reference)) {}

  std::optional<Mention> run() {
    auto fitting = antecedents_.find(MentionKind::kPerson, true, reference_.gender, not_these_);
    // "The veterans of your group": rather they than the group.
    if (std::any_of(fitting.begin(), fitting.end(), [](const Mention& one) { return !one.collective; }))
      std::erase_if(fitting, [](const Mention& one) { return one.collective && !one.echo; });
    keep_wholes(fitting);
    const bool none = fitting.empty();
    fitting = going_on(std::move(fitting));
    std::erase_if(fitting, [&](const Mention& one) { return is_same_clause(one); });
    const bool away = !fitting.empty() && fitting.front().distance > 0;
    if (fitting.empty() || away) {
      if (auto firm = firm_that_acts()) return firm;
      if (none || (away && !fitting.front().echo))
        if (auto one = one_of_either()) return one;
    }
    if (fitting.size() != 1 || fitting.front().bound) return std::nullopt;
    const Mention& they = fitting.front();
    if (they.distance > 0 ? is_out_of_sight(they) : they.bare && is_named_between(they.end, reference_.begin))
      return std::nullopt;
    if (they.echo && they.collective && said_ == SaidOf::kAnything) return std::nullopt;
    if (speaks_of_anybody(words_, they.distance == 0 ? they.end : 0, reference_.begin)) return std::nullopt;
    // What only people do is said of no things.
    if (said_ != SaidOf::kPeople && has_rival(they)) return std::nullopt;
    return they;
  }

 private:
  // Whether those of an earlier message are not meant any more.
  bool is_out_of_sight(const Mention& they) const {
    const bool lasting = said_ == SaidOf::kPeople ? they.echo || !they.bare : they.echo && !they.bare;
    if (they.distance > (lasting ? kFarthestName : is_alone(they) ? 2 : 1) || names_others(they.echo)) return true;
    if (they.distance > 1 && they.echo && they.bare && said_ != SaidOf::kPeople) return true;
    if (!they.echo && names_one_of_either()) return true;
    if (they.collective && !they.subject && said_ == SaidOf::kFirms) return true;
    return is_of_a_kind(they.text);  // bare "people": of a kind, not these
  }

  // "I called the bank, they said".
  std::optional<Mention> firm_that_acts() const {
    const bool acts = reference_.form == PronounForm::kSubject || reference_.form == PronounForm::kObject;
    if (said_ == SaidOf::kAnything || !acts || speaks_of_anybody(words_, 0, reference_.begin)) return std::nullopt;
    const auto firms = antecedents_.find(MentionKind::kFirm, false, Gender::kUnknown, {});
    if (firms.size() != 1 || firms.front().distance > 0) return std::nullopt;
    const bool told = said_ == SaidOf::kPeople && reference_.form == PronounForm::kSubject;
    if (!told && names_several_things(words_, firms.front().end, reference_.begin)) return std::nullopt;
    return firms.front();
  }

  // "If a customer complains, tell them": one of whom it is not said whether he or she.
  std::optional<Mention> one_of_either() const {
    if (reference_.form == PronounForm::kPossessive || speaks_of_anybody(words_, 0, reference_.begin))
      return std::nullopt;
    // "I asked the minister about the bank, and they …": either.
    const auto firms = antecedents_.find(MentionKind::kFirm, false, Gender::kUnknown, {});
    if (!firms.empty() && firms.front().distance == 0) return std::nullopt;
    auto persons = antecedents_.find(MentionKind::kPerson, false, Gender::kUnknown, not_these_);
    std::erase_if(persons, [](const Mention& one) { return one.owns; });
    if (persons.size() != 1 || persons.front().distance > 0) return std::nullopt;
    const Mention& one = persons.front();
    if (one.proper || one.animal || one.bound || one.gender != Gender::kUnknown) return std::nullopt;
    const auto things = antecedents_.find(MentionKind::kThing, true, Gender::kUnknown, {});
    const bool rival = !things.empty() && things.front().distance == 0;
    if (said_ != SaidOf::kPeople && (rival || names_several_things(words_, 0, reference_.begin))) return std::nullopt;
    return one;
  }

  // "Parents from hitting them", "people who help them": who does something does it to others.
  bool is_same_clause(const Mention& mention) const {
    if (reference_.form != PronounForm::kObject || mention.distance > 0 || mention.echo) return false;
    constexpr std::string_view kBorders[] = {". ",    "! ",     "? ",    ", ",   "; ",   " and ",
                                             " but ", " when ", " so ",  " if ", " to ", " because ",
                                             " I ",   " i ",    " you ", " we ", "\n"};
    const std::string_view between = text_.substr(mention.end, reference_.begin - mention.end);
    return std::none_of(std::begin(kBorders), std::end(kBorders),
                        [&](std::string_view border) { return between.find(border) != std::string_view::npos; });
  }

  // Whether the text itself named somebody or a firm before a pronoun: who was named messages ago is out of sight.
  bool names_others(bool echo) const {
    const auto& within = antecedents_.within();
    return std::any_of(within.begin(), within.end(), [&](const Mention& one) {
      if (one.end > reference_.begin) return false;
      if (one.kind == MentionKind::kFirm) return said_ != SaidOf::kPeople;
      return !echo && one.kind == MentionKind::kPerson && one.proper;
    });
  }

  // Whether the text itself named somebody of whom it is not said whether he or she.
  bool names_one_of_either() const {
    const auto& within = antecedents_.within();
    return std::any_of(within.begin(), within.end(), [&](const Mention& one) {
      return one.kind == MentionKind::kPerson && one.end <= reference_.begin && !one.plural && !one.animal &&
             !one.proper && one.gender == Gender::kUnknown;
    });
  }

  // What a message was about, where no things stand since that could be meant.
  bool is_alone(const Mention& they) const {
    if (!they.subject || they.bare || they.distance != 2) return false;
    const auto things = antecedents_.find(MentionKind::kThing, true, Gender::kUnknown, {});
    return things.empty() || things.front().distance > they.distance;
  }

  bool is_named_between(std::size_t begin, std::size_t end) const {
    const auto& within = antecedents_.within();
    return std::any_of(within.begin(), within.end(), [&](const Mention& one) {
      return one.begin >= begin && one.end <= end && one.kind == MentionKind::kPerson && one.proper &&
             (one.plural || text_.substr(0, one.begin).ends_with(" and "));
    });
  }

  bool has_rival(const Mention& they) const {
    const std::size_t from = they.distance == 0 ? they.end : 0;
    const bool object = reference_.form == PronounForm::kObject && !they.echo;
    if ((!they.subject || object || (they.distance > 0 && !they.echo)) &&
        names_several_things(words_, from, reference_.begin))
      return true;
    const auto things = antecedents_.find(MentionKind::kThing, true, Gender::kUnknown, {});
    return std::any_of(things.begin(), things.end(), [&](const Mention& thing) {
      return thing.distance <= they.distance && (thing.subject || (!they.subject && !thing.bare));
    });
  }

  std::string_view text_;
  const LatinWords& words_;
  const Antecedents& antecedents_;
  const Reference& reference_;
  const std::vector<std::string>& not_these_;
  SaidOf said_;
};

}  // namespace

std::optional<Mention> who_are_they(TextAnalysis& analysis, const Antecedents& antecedents, const Reference& reference,
                                    const std::vector<std::string>& not_these) {
  return Finder(analysis, antecedents, reference, not_these).run();
}

// Takes a text, what is known of it and its circumstances; gives what its pronouns, places and times mean. A meaning is
// certain where exactly one thing fits; where a few fit they are all named; else there is none: a wrong name is worse
// than no name. Cost: linear, since only the last few dozen mentions are looked at for each pronoun. Nothing fails.

namespace {

constexpr std::size_t kEarlierRead = 6;  // messages
constexpr std::size_t kEarlierBytes = 1500;  // of each, from its end
constexpr std::size_t kLongTalk = 500;  // bytes: longer than what people say to each other
constexpr std::size_t kMostCandidates = 3;

// The last bytes of a text from the beginning of a character on.
std::string_view tail(std::string_view text) {
  if (text.size() <= kEarlierBytes) return text;
  std::size_t at = text.size() - kEarlierBytes;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
  return text.substr(at);
}

// How many messages before a text "he" or "she" stood last; 0 where it did not.
struct PronounsBefore {
  int male = 0, female = 0, several = 0;

  void read(TextAnalysis& analysis, int distance) {
    for (const Reference& reference : analysis.references()) {
      if (reference.person == 3 && reference.plural) several = distance;
      if (reference.person != 3 || reference.plural) continue;
      if (reference.gender == Gender::kMale) male = distance;
      if (reference.gender == Gender::kFemale) female = distance;
    }
  }

  int of(Gender gender) const { return gender == Gender::kMale ? male : gender == Gender::kFemale ? female : 0; }
};

bool is_away(const std::vector<Mention>& fitting) { return !fitting.empty() && fitting.front().distance > 0; }

// Before the message before, or many characters back in this one.
bool is_too_far(const Mention& mention, const Reference& reference) {
  constexpr std::size_t kFar = 60 * kHanSize;
  if (mention.distance > 0) return mention.distance > 1;
  return mention.kind == MentionKind::kIt && reference.begin - mention.end > kFar;
}

class Resolver {
 public:
  // `before`: what the messages before this one name. `earlier`: read for what comes behind it.
  Resolver(TextAnalysis& analysis, const Speech& speech, const PronounsBefore& pronouns, std::vector<Mention> before,
           bool earlier = false)
      : analysis_(analysis),
        speech_(speech),
        people_(speech, analysis.text()),
        label_(message_label(analysis.text())),
        pronouns_(pronouns),
        antecedents_(std::move(before), mentions(earlier)) {}

  std::vector<Resolution> run() {
    for (const Reference& reference : analysis_.references()) {
      antecedents_.advance(reference.begin);
      Resolution found;
      found.begin = reference.begin;
      found.end = reference.end;
      found.reference = reference;
      found.plural = reference.plural;
      resolve(reference, found);
      if (found.meant.empty() || found.meant.size() > kMostCandidates) continue;
      if (found.sure() && reference.person == 3 && reference.language == Language::kEnglish) go_on(reference);
      resolved_.push_back(std::move(found));
    }
    return std::move(resolved_);
  }

  // What the text named and went on about, in order, for the messages behind it. Nothing is resolved any more then.
  std::vector<Mention> take_mentions() {
    antecedents_.advance(analysis_.text().size());
    return antecedents_.take();
  }

 private:
  // "Tom: he is late": who speaks is not who is spoken of, but in the next message may be.
  std::vector<Mention> mentions(bool earlier) {
    const Voices voices = voices_of(analysis_.text(), people_.sender(), people_.addressee());
    auto all = mentions_of(analysis_, voices, people_.names());
    if (earlier && language_of(analysis_.text()) == Language::kEnglish) return all;
    return without_labels(std::move(all), analysis_.text());
  }

  // Who is spoken of by a pronoun still is.
  void go_on(const Reference& reference) {
    if (!meant_) return;
    Mention echo = *std::exchange(meant_, std::nullopt);
    if (echo.gender == Gender::kUnknown) echo.gender = reference.gender;
    const bool acts = echo.kind == MentionKind::kFirm || (echo.echo && echo.collective);
    echo.kind = MentionKind::kPerson;
    echo.plural = reference.plural;
    echo.echo = true;
    echo.distance = 0;
    echo.begin = reference.begin;
    echo.end = reference.end;
    echo.owns = echo.aside = false;
    echo.collective = acts;
    echo.subject = reference.form == PronounForm::kSubject;
    antecedents_.go_on(std::move(echo));
  }

  void resolve(const Reference& reference, Resolution& found) {
    switch (reference.kind) {
      case ReferenceKind::kHere: return here(found);
      case ReferenceKind::kThere: return there(reference, found);
      case ReferenceKind::kThing: return thing(reference, found);
      default: break;
    }
    if (reference.person < 3) {
      if (speech_.name_speakers) speaker(reference, found);
      return;
    }
    if (reference.plural) return several(reference, found);
    one_person(reference, found);
  }

  std::string_view written(const Reference& reference) const {
    return analysis_.text().substr(reference.begin, reference.end - reference.begin);
  }

  void speaker(const Reference& reference, Resolution& found) {
    if (reference.person == 1)
      found.meant = reference.plural ? people_.us(reference.language, reference.inclusive) : people_.me();
    else
      found.meant = reference.plural ? people_.you_all(reference.language, found.plural) : people_.you();
  }

  // Those who talk with each other are not "he", unless the text itself tells of them by name.
  const std::vector<std::string>& talkers() {
    if (talkers_read_) return talkers_;
    talkers_read_ = true;
    talkers_ = {people_.sender(), people_.addressee(), label_.speaker, label_.hearer};
    std::erase_if(talkers_, [this](const std::string& name) { return tells_of(name); });
    // Whoever tells of themselves said "I".
    talkers_.insert(talkers_.end(), speech_.told_as.begin(), speech_.told_as.end());
    return talkers_;
  }

  bool tells_of(const std::string& name) const {
    const auto& within = antecedents_.within();
    return std::any_of(within.begin(), within.end(), [&](const Mention& mention) {
      if (!mention.proper || mention.kind != MentionKind::kPerson || mention.text != name) return false;
      const std::string_view behind = analysis_.text().substr(mention.end);
      return !behind.starts_with(",") && !behind.starts_with("，") && !behind.starts_with("!");  // called by name
    });
  }

  void one_person(const Reference& reference, Resolution& found) {
    if (written(reference) == "这位" || written(reference) == "那位") return;  // a noun follows that says who
    if (reference.language == Language::kChinese) {
      const auto meant = chinese(reference);
      if (meant.size() != 1 || !is_of_somebody(meant.front(), reference)) take(meant, found);
      return;
    }
    auto fitting = antecedents_.find(MentionKind::kPerson, false, reference.gender, talkers());
    if (reference.gender != Gender::kUnknown) {
      const auto named = named_before(reference);
      // "Her name is Shadow! She …": whoever was spoken of before is out of sight.
      const bool vague = std::all_of(fitting.begin(), fitting.end(), [](const Mention& one) {
        return !one.proper && !one.echo && one.gender == Gender::kUnknown;
      });
      if (named.size() == 1 && (is_joined(named.front(), reference) || (vague && is_away(fitting))))
        return take(named, found);
      if (!named.empty() && is_away(fitting)) return;
      // "Zorbo plays a song by Tom Waits, he …": a name that no list knows is what the sentence is about.
      const bool by_the_way = fitting.size() == 1 && fitting.front().proper && fitting.front().aside;
      if (by_the_way && !fitting.front().echo &&
          std::any_of(named.begin(), named.end(), [](const Mention& one) { return one.subject && !one.leads; }))
        return;
      // "Whiskers is ill, I got her …": a name that no list knows, where nobody else can be meant.
      if (fitting.empty() && named.size() == 1) return take(named, found);
    }
    if (beside_pronoun(fitting, reference)) {
      std::vector<std::string> none_of = talkers();
      for (const Mention& mention : fitting) none_of.push_back(mention.text);
      fitting = antecedents_.find(MentionKind::kPerson, false, reference.gender, none_of);
    }
    fitting = more_telling(std::move(fitting), reference, antecedents_, talkers());
    if (fitting.empty() || fitting.front().distance > kFarthestName) return;
    if (fitting.size() > 1) {
      fitting = by_salience(fitting, reference);
      const bool person = std::any_of(fitting.begin(), fitting.end(), [](const Mention& one) { return !one.animal; });
      if (person) std::erase_if(fitting, [](const Mention& one) { return one.animal; });
    }
    // "His dad" means nothing without whose.
    if (std::any_of(fitting.begin(), fitting.end(), [&](const Mention& mention) {
          return mention.bound || owns_somebody(mention, reference) || is_some_animal(mention);
        }))
      return;
    take(fitting, found);
  }

  // "Tom's brother lost his job", "my mother's cat hurt her paw": the owner, or who belongs to them.
  bool owns_somebody(const Mention& mention, const Reference& reference) const {
    if (mention.distance > 0 || mention.end > reference.begin) return false;
    const std::string_view behind = analysis_.text().substr(mention.end, reference.begin - mention.end);
    if (!behind.starts_with("'s ") && !behind.starts_with("’s ")) return false;
    static const LexiconWords animals = lexicon_words("en/people", "animals"),
                              roles = lexicon_words("en/people", "roles");
    constexpr std::size_t kReach = 3;  // words of the noun phrase
    const auto words = words_in(behind.substr(behind.find(' ')));
    return std::any_of(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(std::min(words.size(), kReach)),
                       [&](std::string_view said) {
                         const std::string word = lower_words(trim_words(said));
                         return is_called_by_kinship(word) || relatives().contains(word) || animals.contains(word) ||
                                roles.contains(word) || is_occupation_english(word);
                       });
  }

  // 妈妈的同事卖了她的车: the owner, or who belongs to them; not the speaker's own.
  bool is_of_somebody(const Mention& mention, const Reference& reference) const {
    constexpr std::string_view kOf = "的";
    const auto of = mention.text.find(kOf);
    if (of == std::string::npos || of == 0 || mention.distance > 0) return false;
    if (!analysis_.text().substr(reference.end).starts_with(kOf)) return false;
    const std::string owner = mention.text.substr(0, of);
    return owner != people_.sender() && owner != label_.speaker && owner != "用户";
  }

  // "The dog ate her food": an animal that is only "the dog" is as often not who is meant.
  bool is_some_animal(const Mention& mention) const {
    if (!mention.animal || mention.proper || mention.echo || mention.gender != Gender::kUnknown) return false;
    if (mention.distance > 0) return false;
    const std::string_view there = analysis_.text().substr(mention.begin);
    return there.starts_with("the ") || there.starts_with("The ");
  }

  // "Enrico Fermi and his contributions".
  bool is_joined(const Mention& mention, const Reference& reference) const {
    return mention.end < reference.begin && reference.form == PronounForm::kDeterminer &&
           analysis_.text().substr(mention.end, reference.begin - mention.end) == " and ";
  }

  // "He ate my fish." "He did?": an animal named beside the pronoun of somebody is not who that is.
  bool beside_pronoun(const std::vector<Mention>& fitting, const Reference& reference) const {
    return !fitting.empty() && fitting.front().distance > 0 &&
           pronouns_.of(reference.gender) == fitting.front().distance &&
           std::all_of(fitting.begin(), fitting.end(), [](const Mention& one) { return one.animal && !one.echo; });
  }

  std::vector<Mention> chinese(const Reference& reference) {
    const std::vector<std::string>& not_these = talkers();
    PronounBefore& last = last_[reference.plural ? 1 : 0];
    std::vector<Mention> meant = chinese_antecedents(
        {analysis_, reference, antecedents_.seen(), not_these, is_between_two(), last.end > 0 ? &last : nullptr,
         reference.plural ? pronouns_.several : pronouns_.of(reference.gender)});
    last = {reference.begin, reference.end, reference.gender, meant};
    return meant;
  }

  // A talk that goes to and fro, or that begins here; not one who speaks on and on before others.
  bool is_between_two() const {
    if (!label_.partner.empty()) return true;
    if (people_.addressee().empty()) return false;
    return speech_.earlier.empty() || speech_.earlier.back().speaker != people_.sender();
  }

  // Names in the text itself that are not known to be of people, each once.
  std::vector<Mention> named_before(const Reference& reference) const {
    std::vector<Mention> found;
    for (const Mention& mention : antecedents_.within()) {
      if (!mention.proper || mention.kind != MentionKind::kThing || mention.end > reference.begin) continue;
      if (stands_behind_of(mention)) continue;
      const bool known =
          std::any_of(found.begin(), found.end(), [&](const Mention& one) { return one.text == mention.text; });
      if (!known) found.push_back(mention);
    }
    return found;
  }

  // "King of Gondor", "in Paris": a place or an origin.
  bool stands_behind_of(const Mention& mention) const {
    constexpr std::string_view kLeads[] = {" of ", " in ", " at ", " from "};
    const std::string_view before = analysis_.text().substr(0, mention.begin);
    return std::any_of(std::begin(kLeads), std::end(kLeads),
                       [&](std::string_view lead) { return before.ends_with(lead); });
  }

  // Of several, what the sentences are about: the name that is a subject, among others who have none. Who does
  // something to himself is "himself".
  std::vector<Mention> by_salience(const std::vector<Mention>& fitting, const Reference& reference) const {
    std::vector<Mention> free;
    for (const Mention& mention : fitting)
      if (reference.form != PronounForm::kObject || !mention.subject || mention.distance > 0 ||
          has_clause_border(mention.end, reference.begin))
        free.push_back(mention);
    std::vector<Mention> subjects;
    for (const Mention& mention : free)
      if (mention.subject && mention.proper) subjects.push_back(mention);
    if (subjects.size() != 1) return free;
    // Two who are both named, or both "my brother" and "my uncle", are told both.
    const bool rival = std::any_of(free.begin(), free.end(), [&](const Mention& mention) {
      return mention.text != subjects.front().text && mention.proper;
    });
    return rival ? free : subjects;
  }

  bool has_clause_border(std::size_t begin, std::size_t end) const {
    constexpr std::string_view kBorders[] = {". ",    "! ",      "? ",      ", ",    "; ",     " and ",
                                             " but ", " which ", " that ",  " who ", " when ", " because ",
                                             " as ",  " so ",    " while ", " if ",  "\n"};
    const std::string_view between = analysis_.text().substr(begin, end - begin);
    return std::any_of(std::begin(kBorders), std::end(kBorders),
                       [&](std::string_view border) { return between.find(border) != std::string_view::npos; });
  }

  void take(const std::vector<Mention>& fitting, Resolution& found) {
    for (const Mention& mention : fitting) found.meant.push_back(mention.text);
    if (fitting.size() == 1) meant_ = fitting.front();
    if (found.meant.size() > kMostCandidates) found.meant.clear();
  }

  void several(const Reference& reference, Resolution& found) {
    if (reference.language == Language::kChinese) return take(chinese(reference), found);
    const auto they = who_are_they(analysis_, antecedents_, reference, talkers());
    if (!they) return;
    found.plural = they->plural;
    take({*they}, found);
  }

  // "It" goes back to a thing less often than to what was told as a whole: 它 alone, and only to a title, an animal or
  // a thing that is told of, the one near.
  void thing(const Reference& reference, Resolution& found) {
    found.kind = ChangeKind::kThing;
    if (reference.language != Language::kChinese || analysis_.text().compare(reference.end, kHanSize, "家") == 0)
      return;
    auto fitting = antecedents_.find(MentionKind::kIt, reference.plural, Gender::kUnknown, {});
    auto titles = antecedents_.find(MentionKind::kThing, reference.plural, Gender::kUnknown, {});
    std::erase_if(titles, [](const Mention& mention) { return !mention.text.starts_with("《"); });
    fitting.insert(fitting.end(), titles.begin(), titles.end());
    std::erase_if(fitting, [&](const Mention& mention) { return is_too_far(mention, reference); });
    if (fitting.size() == 1) take(fitting, found);
  }

  void here(Resolution& found) {
    found.kind = ChangeKind::kPlace;
    const std::string& place = speech_.place.empty() ? speech_.speaker_place : speech_.place;
    if (!place.empty()) found.meant.push_back(place);
  }

  void there(const Reference& reference, Resolution& found) {
    found.kind = ChangeKind::kPlace;
    // 我那边, 洲头那边: what stands right before says where.
    if (reference.language == Language::kChinese && reference.begin >= 3) {
      constexpr std::string_view kLeads = "去到在从往住离回来是的，。！？；：了";
      const std::size_t lead = kLeads.find(analysis_.text().substr(reference.begin - 3, 3));
      const bool han = static_cast<unsigned char>(analysis_.text()[reference.begin - 1]) >= 0x80;
      if (han && (lead == std::string_view::npos || lead % 3 != 0)) return;
    }
    const auto fitting = antecedents_.find(MentionKind::kPlace, false, Gender::kUnknown, {});
    if (fitting.empty() || fitting.front().distance > 1) return;
    take(fitting, found);
  }

  TextAnalysis& analysis_;
  const Speech& speech_;
  People people_;
  MessageLabel label_;
  std::vector<std::string> talkers_;  // once they are read
  bool talkers_read_ = false;
  PronounBefore last_[2];  // one, several
  PronounsBefore pronouns_;
  Antecedents antecedents_;
  std::optional<Mention> meant_;  // of the pronoun at hand
  std::vector<Resolution> resolved_;
};

// What the messages before a text name, and whom their pronouns were found to mean.
std::vector<Mention> earlier_mentions(const Speech& speech, const MessageLabel& label, PronounsBefore& pronouns) {
  const People people(speech, {});
  std::vector<Mention> mentions;
  const std::vector<EarlierMessage> talk = same_talk(speech.earlier, label);
  const std::size_t first = talk.size() > kEarlierRead ? talk.size() - kEarlierRead : 0;
  for (std::size_t i = first; i < talk.size(); ++i) {
    const EarlierMessage& message = talk[i];
    Speech said;
    said.sender = {"", message.speaker};
    said.participants = speech.participants;
    said.name_speakers = false;
    // Between two, whoever did not speak was spoken to.
    if (message.speaker == people.sender()) said.addressee = Person{"", people.addressee()};
    if (message.speaker == people.addressee()) said.addressee = Person{"", people.sender()};
    TextAnalysis analysis(tail(message.text));
    for (Mention& mention : mentions) ++mention.distance;
    Resolver resolver(analysis, said, pronouns, std::move(mentions), true);
    resolver.run();
    mentions = resolver.take_mentions();
    // What a long text names without a determiner is of a kind.
    if (message.text.size() > kLongTalk)
      std::erase_if(mentions, [](const Mention& one) {
        return one.distance == 0 && (one.bare || (one.proper && one.plural && !one.subject));
      });
    for (Mention& mention : mentions) mention.begin = mention.end = 0;
    pronouns.read(analysis, static_cast<int>(talk.size() - i));
  }
  for (Mention& mention : mentions) ++mention.distance;
  return mentions;
}

}  // namespace

std::vector<Resolution> resolve_references(TextAnalysis& analysis, const Speech& speech) {
  PronounsBefore pronouns;
  auto before = earlier_mentions(speech, message_label(analysis.text()), pronouns);
  return Resolver(analysis, speech, pronouns, std::move(before)).run();
}

std::vector<Resolution> resolve_times(TextAnalysis& analysis) {
  std::vector<Resolution> resolved;
  for (const TimeExpression& time : analysis.times()) {
    if (!time.relative || time.notes.empty()) continue;
    Resolution found;
    found.begin = time.begin;
    found.end = time.end;
    found.kind = ChangeKind::kTime;
    found.meant = time.notes;
    resolved.push_back(std::move(found));
  }
  return resolved;
}

namespace {

constexpr std::string_view kColon = "：";
constexpr std::size_t kLongestName = 40;  // bytes

// The name up to a colon at the beginning of `text`, which moves behind it; empty where there is none.
std::string take_name(std::string_view& text) {
  const std::size_t colon = text.substr(0, kLongestName + kColon.size()).find(kColon);
  if (colon == std::string_view::npos) return {};
  const std::string_view name = text.substr(0, colon);
  for (const std::string_view mark : {"，", "。", "！", "？", "的", " ", "\n"})
    if (name.find(mark) != std::string_view::npos) return {};
  text.remove_prefix(colon + kColon.size());
  return std::string(name);
}

}  // namespace

MessageLabel message_label(std::string_view text) {
  constexpr auto kSent = std::to_array<std::string_view>({"发给", "发送给", "回复"});
  constexpr auto kReceived = std::to_array<std::string_view>({"来自", "收到"});
  MessageLabel label;
  const auto read = [&](std::string_view lead, bool sent) {
    if (!text.starts_with(lead)) return false;
    std::string_view rest = text.substr(lead.size());
    label.partner = take_name(rest);
    if (label.partner.empty()) return true;
    label.speaker = sent ? take_name(rest) : label.partner;
    if (sent) label.hearer = label.partner;
    return true;
  };
  for (const std::string_view lead : kSent)
    if (read(lead, true)) return label;
  for (const std::string_view lead : kReceived)
    if (read(lead, false)) return label;
  return label;
}

std::vector<EarlierMessage> same_talk(const std::vector<EarlierMessage>& earlier, const MessageLabel& label) {
  if (label.partner.empty()) return earlier;
  std::vector<EarlierMessage> talk;
  std::copy_if(earlier.begin(), earlier.end(), std::back_inserter(talk),
               [&](const EarlierMessage& message) { return message_label(message.text).partner == label.partner; });
  return talk;
}

Voices voices_of(std::string_view text, const std::string& speaker, const std::string& hearer) {
  const MessageLabel label = message_label(text);
  if (label.partner.empty()) return {speaker, hearer};
  return {label.speaker == "我" ? std::string() : label.speaker, label.hearer};
}

}  // namespace weft
