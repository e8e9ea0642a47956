#include <algorithm>
#include <unordered_set>

#include "base/ascii.h"
#include "flow/historian/antecedents.h"
#include "flow/historian/english_names.h"
#include "flow/historian/noun_words.h"
#include "flow/historian/people_words.h"
#include "flow/historian/phrase_end.h"
#include "flow/historian/phrase_place.h"
#include "text/english_verbs.h"
#include "text/function_words.h"
#include "text/given_names.h"

namespace weft {
namespace {

using Words = NounWords;

class Reader {
 public:
  Reader(const LatinWords& words, std::string_view text, const Voices& voices, const std::vector<std::string>& names)
      : words_(words),
        text_(text),
        voices_(voices),
        names_(names.begin(), names.end()),
        written_(words, std::none_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; })) {}

  std::vector<Mention> run() {
    for (std::size_t i = 0; i < words_.size();) {
      std::size_t next = i + 1;
      read_quote(i);
      if (words_[i].lower == "[") {
        next = skip_brackets(words_, i);
      } else if (words_[i].is_word) {
        const std::string& word = words_[i].lower;
        next = std::max(next, determiners().contains(word)          ? phrase(i)
                              : is_owner(word)                      ? relative_of(i)
                              : is_plural_person(word)              ? people(i)
                              : is_bare_plural(words_, written_, i) ? things(i)
                              : is_kin(i)                           ? kin(i)
                                                                    : name(i));
      }
      i = next;
    }
    return std::move(found_);
  }

 private:
  // "My brother, Tom", "a dog named Rex".
  bool names_of(std::size_t k) const {
    const std::string& word = words_[k].lower;
    if (word == "," || word == "named") return true;
    if (word != "called" || found_.empty()) return false;
    return found_.back().animal || text_[found_.back().begin] == 'a';  // "my brother called Tom"
  }

  // "My brother Tom" is one, under his name.
  void merge_with_relative(Mention& mention, std::size_t i) {
    if (i == 0 || found_.empty() || found_.back().kind != MentionKind::kPerson || found_.back().proper) return;
    const Mention& relative = found_.back();
    const bool apposed =
        words_[i - 1].end == relative.end || (names_of(i - 1) && i > 1 && words_[i - 2].end == relative.end);
    if (!apposed || relative.plural) return;
    mention.begin = relative.begin;
    if (relative.gender != Gender::kUnknown) mention.gender = relative.gender;
    found_.pop_back();
  }

  static bool is_owner(std::string_view word) { return word == "his" || word == "her" || word == "their"; }

  // A person in the words from `first` to `last`.
  Mention person(std::size_t first, std::size_t last) const {
    Mention mention;
    mention.begin = words_[first].begin;
    mention.end = words_[last].end;
    mention.text = std::string(text_.substr(mention.begin, mention.end - mention.begin));
    mention.kind = MentionKind::kPerson;
    mention.subject = is_subject(words_, first, last + 1);
    return mention;
  }

  // "His dad", "her new cousin": somebody, told by whose.
  std::size_t relative_of(std::size_t i) {
    constexpr std::size_t kLongest = 4;
    for (std::size_t k = i + 1; k < words_.size() && k < i + kLongest && written_.in_phrase(k); ++k) {
      const bool several = is_plural_person(words_[k].lower) || words_[k].lower == "family";
      if (!several && !is_person_noun(words_[k].lower)) continue;
      Mention mention = person(i, k);
      mention.plural = several;
      mention.bound = true;
      if (const auto known = relatives().find(words_[k].lower); known != relatives().end())
        mention.gender = known->second;
      found_.push_back(mention);
      return k + 1;
    }
    return i + 1;
  }

  bool is_kin(std::size_t i) const { return is_called_by_kinship(words_[i].lower) && !words_[i].protected_by_span; }

  // "Mom called": the speaker's, unless the speaker is told of by name as well.
  std::size_t kin(std::size_t i) {
    const bool surname = i + 1 < words_.size() && words_[i + 1].capital && words_[i + 1].begin == words_[i].end + 1;
    if (surname || is_predicate(words_, i) || voices_.speaker.empty()) return name(i);
    Mention mention = person(i, i);
    const bool told_by_name = text_.find(voices_.speaker) != std::string_view::npos;
    // "Anna's father": not the speaker's.
    const std::string_view before = text_.substr(0, words_[i].begin);
    mention.bound = before.ends_with("'s ") || before.ends_with("’s ");
    if (!told_by_name && !mention.bound) mention.text = possessive(voices_.speaker, false) + " " + words_[i].lower;
    mention.aside = is_aside(words_, i);
    mention.leads = words_[i].starts_sentence;
    if (const auto known = relatives().find(words_[i].lower); known != relatives().end())
      mention.gender = known->second;
    found_.push_back(mention);
    return i + 1;
  }

  // "Mechanics", "working professionals": people of a kind.
  std::size_t people(std::size_t i) {
    if (words_[i].lower == "guys" || is_predicate(words_, i)) return i + 1;
    Mention mention = person(i, i);
    mention.plural = true;
    mention.bare = true;
    mention.leads = words_[i].starts_sentence;
    found_.push_back(mention);
    return i + 1;
  }

  std::size_t things(std::size_t i) {
    const bool heads_another =
        i + 1 < words_.size() && is_bare_plural(words_, written_, i + 1) && words_[i + 1].begin == words_[i].end + 1;
    if (heads_another || is_predicate(words_, i)) return i + 1;
    Mention mention;
    mention.text = "the " + std::string(text_.substr(words_[i].begin, words_[i].end - words_[i].begin));
    mention.bare = true;
    mention.animal = is_plural_animal(words_[i].lower);
    mention.kind = mention.animal ? MentionKind::kPerson : MentionKind::kThing;
    mention.plural = true;
    mention.begin = words_[i].begin;
    mention.end = words_[i].end;
    mention.aside = is_aside(words_, i);
    mention.subject = is_subject(words_, i, i + 1);
    mention.leads = words_[i].starts_sentence;
    found_.push_back(mention);
    return i + 1;
  }

  // "Tom, a nurse, …": says who he is.
  bool is_apposed(std::size_t i, std::size_t end) {
    if (i < 2 || words_[i - 1].lower != "," || found_.empty() || !found_.back().proper) return false;
    if (found_.back().end != words_[i - 2].end || found_.back().plural) return false;
    static const Words kBehind = {",", ".", "and", "who", "at", "from", "!", "?", ";"};
    return end >= words_.size() || kBehind.contains(words_[end].lower);
  }

  std::size_t phrase(std::size_t i) {
    const std::string& determiner = words_[i].lower;
    std::size_t end = end_of_phrase(words_, written_, i);
    if (end == i + 1) return end;
    const std::string head(without_possessive(words_[end - 1].lower));
    if (head.empty() || empty_heads().contains(head) || is_digit(head[0])) return end;
    const bool whose = head.size() < words_[end - 1].lower.size();
    if (determiner == "one" && is_role(head)) return end;  // "has one parent": a number
    const bool alive = is_person_noun(head) || is_plural_person(head) || is_animal(head) || is_plural_animal(head) ||
                       collectives().contains(head);
    if (is_predicate(words_, i) && !whose && alive) return end;
    const std::string lead = leading(words_[i].lower);
    if (lead.empty()) return end;
    if (is_person_noun(head) && !whose && is_apposed(i, end)) {
      found_.back().kind = MentionKind::kPerson;
      if (const auto known = relatives().find(head); known != relatives().end() && known->second != Gender::kUnknown)
        found_.back().gender = known->second;
      return end;
    }
    Mention mention;
    mention.text =
        lead +
        std::string(without_possessive(text_.substr(words_[i + 1].begin, words_[end - 1].end - words_[i + 1].begin)));
    if (mention.text.find('\n') != std::string::npos) return end;
    mention.begin = words_[i].begin;
    mention.plural = is_plural_noun(head);
    mention.owns = whose;
    if (firms().contains(head) && !whose) {
      const std::size_t last = end_of_name(words_, written_, end);
      mention.text += text_.substr(words_[end - 1].end, words_[last - 1].end - words_[end - 1].end);
      end = last;
    }
    if (collectives().contains(head)) {
      // "My family": they as well as it.
      mention.plural = mention.collective = true;
      mention.end = words_[end - 1].end;
      mention.kind = MentionKind::kPerson;
      mention.subject = is_subject(words_, i, end);
      found_.push_back(mention);
      mention.collective = false;
      mention.kind = MentionKind::kThing;
      mention.plural = false;
    }
    mention.end = words_[end - 1].begin + without_possessive(words_[end - 1].lower).size();
    mention.aside = is_aside(words_, i);
    mention.subject = is_subject(words_, i, end);
    mention.leads = words_[i].starts_sentence ||
                    (i > 0 && (!words_[i - 1].is_word || words_[i - 1].lower == "and" || words_[i - 1].lower == "but"));
    add(mention, head, i);
    return end;
  }

  // In quotation marks "my" and "your" are somebody else's.
  void read_quote(std::size_t i) {
    const std::string& mark = words_[i].lower;
    if (mark == "“" || mark == "”") quoted_ = mark == "“";
    if (mark != "\"") return;
    const std::size_t at = words_[i].begin;
    quoted_ = at == 0 || text_[at - 1] == ' ' || text_[at - 1] == '\n' || text_[at - 1] == '(';
  }

  // How the phrase begins when somebody else says it: "my" → "Ann's"; empty where the owner is not known.
  std::string leading(std::string_view determiner) const {
    if (quoted_ && (determiner == "my" || determiner == "your")) return "";
    if (determiner == "my") return voices_.speaker.empty() ? "" : possessive(voices_.speaker, false) + " ";
    if (determiner == "your") return voices_.hearer.empty() ? "" : possessive(voices_.hearer, false) + " ";
    return "the ";
  }

  // Who works there is they.
  void add_firm(Mention mention) {
    mention.kind = MentionKind::kFirm;
    mention.plural = false;
    found_.push_back(std::move(mention));
  }

  void add(Mention mention, const std::string& head, std::size_t determiner) {
    if (opens_title(words_, text_, determiner)) {
      found_.push_back(mention);
      return;
    }
    if (is_animal(head) || is_plural_animal(head)) {
      mention.kind = MentionKind::kPerson;
      mention.animal = true;
    } else if (is_plural_person(head) || is_role(head)) {
      mention.kind = MentionKind::kPerson;
    } else if (const auto relative = relatives().find(head); relative != relatives().end()) {
      mention.kind = MentionKind::kPerson;
      mention.gender = relative->second;
    }
    found_.push_back(mention);
    const bool named = words_[determiner].lower == "the" && mention.plural && written_.capital_name(determiner + 1);
    if (mention.kind == MentionKind::kThing && (named || (!mention.plural && firms().contains(head))))
      add_firm(mention);
    if (mention.kind == MentionKind::kThing && place_nouns().contains(head) && determiner > 0 &&
        before_places().contains(words_[determiner - 1].lower)) {
      mention.kind = MentionKind::kPlace;
      found_.push_back(mention);
    }
  }

  std::size_t name(std::size_t i) {
    if (written_.names_a_people(i)) return people(i);
    if (const std::size_t count = written_.small_run(i); count > 0) return small_name(i, i + count);
    if (written_.is_acronym(i)) return acronym(i);
    if (!written_.capital_name(i) || is_addressed(words_, i, i + 1)) return i + 1;
    std::size_t end = i + 1;
    while (written_.is_initial(end - 1) && end + 1 < words_.size() && words_[end + 1].capital) end += 2;  // "J.K. Hill"
    while (end < i + 6 && without_possessive(words_[end - 1].lower).size() == words_[end - 1].lower.size()) {
      const bool near =
          end < words_.size() && text_[words_[end].begin - 1] == ' ' && words_[end].begin == words_[end - 1].end + 1;
      if (near && written_.is_initial(end) && end + 2 < words_.size() && written_.capital_name(end + 2))
        end += 3;
      else if (near && (written_.capital_name(end) || (end == i + 1 && written_.is_small_surname(i, end))))
        ++end;
      else
        break;
    }
    // "Ring Eva": the first word of a sentence is a name only by itself.
    NameGender second = NameGender::kUnknown, own = NameGender::kUnknown;
    if (words_[i].starts_sentence && end == i + 2 && is_first_name(words_[i + 1].lower, second) &&
        !is_first_name(words_[i].lower, own) && gender_of_title(words_[i].lower) == Gender::kUnknown)
      return i + 1;
    const std::string written(without_possessive(text_.substr(words_[i].begin, words_[end - 1].end - words_[i].begin)));
    const bool known = names_.contains(written);
    NameGender gender = NameGender::kUnknown;
    const bool first_name =
        is_first_name(words_[i].lower.substr(0, without_possessive(words_[i].lower).size()), gender);
    // At the beginning of a sentence every word has a capital; two of them, or a known name, still are one.
    const bool titled = has_title(i);
    if (!known && !first_name && !titled && words_[i].starts_sentence && end == i + 1) return end;
    Mention mention;
    mention.text = written;
    mention.proper = true;
    mention.begin = words_[i].begin;
    mention.end = words_[end - 1].begin + without_possessive(words_[end - 1].lower).size();
    mention.leads = words_[i].starts_sentence;
    mention.aside = is_aside(words_, i);
    mention.subject = is_subject(words_, i, end);
    if (gender != NameGender::kUnknown) mention.gender = gender == NameGender::kMale ? Gender::kMale : Gender::kFemale;
    const bool initials = mention.text.find(". ") != std::string::npos;
    classify(mention, i, end, known || titled || (first_name && (end <= i + 2 || initials)));
    return end;
  }

  // "taylor swift", "a singer named redfoo": a name by where it stands.
  std::size_t small_name(std::size_t i, std::size_t end) {
    Mention mention;
    mention.text =
        std::string(without_possessive(text_.substr(words_[i].begin, words_[end - 1].end - words_[i].begin)));
    mention.kind = MentionKind::kPerson;
    mention.proper = true;
    mention.begin = words_[i].begin;
    mention.end = words_[i].begin + mention.text.size();
    mention.subject = is_subject(words_, i, end);
    NameGender gender = NameGender::kUnknown;
    if (is_first_name(words_[i].lower, gender) && gender != NameGender::kUnknown)
      mention.gender = gender == NameGender::kMale ? Gender::kMale : Gender::kFemale;
    merge_with_relative(mention, i);
    found_.push_back(mention);
    return end;
  }

  // "NASA", "IBM".
  std::size_t acronym(std::size_t i) {
    Mention mention;
    mention.text = std::string(without_possessive(text_.substr(words_[i].begin, words_[i].end - words_[i].begin)));
    mention.proper = true;
    mention.begin = words_[i].begin;
    mention.end = words_[i].begin + mention.text.size();
    mention.subject = is_subject(words_, i, i + 1);
    add_firm(std::move(mention));
    return i + 1;
  }

  // "Dr. Overpeck", "Mrs Lin".
  bool has_title(std::size_t i) const {
    std::size_t before = i;
    if (before > 0 && words_[before - 1].lower == ".") --before;
    return before > 0 && person_titles().contains(words_[before - 1].lower);
  }

  // "The bride, Jen, …", "a dog called Rex": said of somebody.
  bool is_said_whose_name(std::size_t i) const {
    if (i < 2 || found_.empty() || !names_of(i - 1)) return false;
    const Mention& last = found_.back();
    return last.kind == MentionKind::kPerson && !last.proper && !last.plural && last.end == words_[i - 2].end;
  }

  void classify(Mention& mention, std::size_t i, std::size_t end, bool known) {
    std::size_t title = i;
    while (title > 0 && words_[title - 1].lower == ".") --title;
    const std::string_view before = title > 0 ? std::string_view(words_[title - 1].lower) : std::string_view();
    const std::string_view after = end < words_.size() ? std::string_view(words_[end].lower) : std::string_view();
    // "Thanks, Mel!": called, not talked about.
    if (before == "," && (after == "!" || after == "?" || after == "." || after.empty())) return;
    if (before_places().contains(before) && !known) {
      mention.kind = MentionKind::kPlace;
      found_.push_back(mention);
      mention.kind = MentionKind::kThing;
      mention.aside = true;
      if (before == "in") return;
    }
    if (known || is_said_whose_name(i) || (end == i + 1 && is_among_people(words_, i, end))) {
      mention.kind = MentionKind::kPerson;
      if (const Gender said = gender_of_title(before); said != Gender::kUnknown) mention.gender = said;
      merge_with_relative(mention, i);
      found_.push_back(mention);
      return;
    }
    mention.kind = MentionKind::kThing;
    found_.push_back(mention);
    // "Instagram account", "Tim Hortons or Starbucks": no one who acts.
    const bool leads = mention.end == words_[end - 1].end && written_.nounlike(end);
    if (!words_[i].starts_sentence && !leads && before != "or" && before != "of" && after != "or") add_firm(mention);
  }

  const LatinWords& words_;
  std::string_view text_;
  const Voices& voices_;
  std::unordered_set<std::string> names_;
  EnglishNames written_;
  bool quoted_ = false;
  std::vector<Mention> found_;
};

}  // namespace

std::vector<Mention> english_mentions(const LatinWords& words, std::string_view text, const Voices& voices,
                                      const std::vector<std::string>& names) {
  return Reader(words, text, voices, names).run();
}

}  // namespace weft
