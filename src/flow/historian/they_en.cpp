#include "flow/historian/they_en.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

#include "flow/historian/antecedents.h"
#include "flow/historian/people_words.h"
#include "text/english_verbs.h"
#include "text/lexicon.h"
#include "text/references.h"
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

}  // namespace weft
