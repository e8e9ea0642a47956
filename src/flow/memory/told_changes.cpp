#include "flow/memory/told_changes.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "flow/memory/profile_statements.h"
#include "flow/memory/said_facts.h"
#include "text/cues.h"
#include "text/english_verbs.h"
#include "text/lexicon.h"
#include "text/plain_words.h"
#include "text/time_expressions.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kLongestSentence = 300;

bool asks(std::string_view sentence) {
  return sentence.ends_with('?') || sentence.ends_with("？") || sentence.ends_with("吗");
}

// "This week yoga is on Friday": what comes again is otherwise once.
bool is_for_once(std::string_view sentence, const KnownMatter& known) {
  static const PhraseTable again = phrase_table("changes", "comes again"), once = phrase_table("changes", "for once"),
                           from = phrase_table("changes", "from then on");
  const bool habit = known.attribute.starts_with("habit ");
  if (!habit && !again.any_in(plain_words(known.text))) return false;
  const auto words = plain_words(sentence);
  return once.any_in(words) && !from.any_in(words);
}

// Whether the sentence has a word of a list that the known sentence does not have.
bool brings(std::string_view list, std::string_view sentence, std::string_view known, bool chinese) {
  const std::string here = chinese ? std::string(sentence) : spaced_words(lowered(sentence), ".,;:!?\"()"),
                    there = chinese ? std::string(known) : spaced_words(lowered(known), ".,;:!?\"()");
  for (const std::string_view word : lexicon(chinese ? "zh/changes" : "en/changes", list)) {
    const std::string whole = chinese ? std::string(word) : " " + std::string(word) + " ";
    if (here.find(whole) != std::string::npos && there.find(whole) == std::string::npos) return true;
  }
  return false;
}

// A fact about somebody of the family changes only if the sentence names them.
bool is_of_kin(std::string_view sentence, const KnownMatter& known, bool chinese) {
  if (known.attribute == "residence" || known.attribute == "school" || known.attribute == "employer") return false;
  return brings("others", known.text, sentence, chinese);
}

// "20 mg of this and 5 mg of that", 早上打12单位，晚上打8单位: it is not certain which of them changed.
bool holds_several(std::string_view known) {
  for (const std::string_view join : {" and ", ", ", "、", "和", "，"})
    if (known.find(join) != std::string_view::npos) return true;
  return false;
}

// Whether the sentence is about the same people, the same times of day and more than once, and about all that is known.
bool is_certain(std::string_view sentence, const KnownMatter& known, bool chinese) {
  if (is_for_once(sentence, known) || holds_several(known.text)) return false;
  if (brings("others", sentence, known.text, chinese) || is_of_kin(sentence, known, chinese)) return false;
  return !brings("parts of a day", sentence, known.text, chinese) ||
         !brings("parts of a day", known.text, sentence, chinese);
}

// With its new value a sentence must still be read as before.
bool tells_of_same(std::string_view text, const KnownMatter& known) {
  const auto now = read_statements(text), before = read_statements(known.text);
  return now.size() == 1 && before.size() == 1 && now.front().attribute == before.front().attribute &&
         now.front().subject == before.front().subject;
}

}  // namespace

bool is_said_plainly(std::string_view sentence) {
  static const PhraseTable unsure = phrase_table("changes", "not plainly");
  return language_of(sentence) == Language::kChinese ? !brings("not plainly", sentence, "", true)
                                                     : !unsure.any_in(plain_words(sentence));
}

std::vector<ToldChange> told_changes(std::string_view message, std::span<const KnownMatter> known) {
  std::vector<ToldChange> changes;
  if (known.empty()) return changes;
  for (const std::string_view sentence : stating_sentences(message)) {
    if (sentence.size() > kLongestSentence || asks(sentence) || !tells_of_change(sentence)) continue;
    if (!is_said_plainly(sentence)) continue;
    const bool chinese = language_of(sentence) == Language::kChinese;
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (known[i].attribute == kSaidAttribute) continue;  // a whole sentence, of no attribute that could change
      auto value = chinese ? other_value_chinese(sentence, known[i]) : other_value_english(sentence, known[i]);
      if (!value || !is_certain(sentence, known[i], chinese)) continue;
      std::string text = value->empty() ? std::string()
                         : chinese      ? with_value_chinese(known[i], *value)
                                        : with_value_english(sentence, known[i], *value);
      if (!text.empty() && !tells_of_same(text, known[i])) text.clear();
      changes.push_back({i, std::string(sentence), std::move(*value), std::move(text)});
      break;
    }
  }
  return changes;
}

namespace {

using View = std::string_view;
using Stems = std::set<std::string>;

constexpr std::size_t kMostBetween = 7;  // words between a matter and its value
constexpr std::size_t kLongestValue = 5;  // words of one that is no number, time or name
constexpr Time kSomeDay{1'772'700'000'000, 0};  // only where times stand is wanted, not which

// Verbs of being and becoming, of moving and of setting, in the forms that they take: what may stand between a matter
// and its value.
const std::set<std::string>& links() {
  static const std::set<std::string> all = [] {
    std::set<std::string> words;
    for (const View word : lexicon("en/changes", "links")) words.insert(std::string(word));
    return words;
  }();
  return all;
}

// Words of being: without one of them between, other words beside a matter are no value of it.
bool is_firm(const std::string& word) {
  static const LexiconWords all = lexicon_words("en/changes", "firm");
  return all.contains(word);
}

bool unsettles(const std::string& word) {
  static const LexiconWords all = lexicon_words("en/changes", "unsettled");
  return all.contains(word);
}

bool is_weekday(const std::string& word) {
  static const LexiconWords all = {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"};
  return all.contains(word) || (word.ends_with('s') && all.contains(word.substr(0, word.size() - 1)));
}

// "Mr. Pell": the point ends no name.
bool is_title(const std::string& word) {
  static const LexiconWords all = lexicon_words("en/abbreviations", "titles");
  return all.contains(word);
}

// "It's yoga on Fridays" tells nothing of whose yoga it is.
bool is_short_being(const std::string& word) {
  static const LexiconWords all = {"it's", "that's", "there's", "here's", "what's", "who's", "where's"};
  return all.contains(word);
}

bool is_of_calendar(const std::string& word) {
  static const LexiconWords months = {"january", "february", "march",     "april",   "may",      "june",
                                      "july",    "august",   "september", "october", "november", "december"};
  return months.contains(word) || is_weekday(word);
}

std::string stem_of(const std::string& word) {
  const auto stems = index_words(word);
  return stems.empty() ? std::string() : stems.front();
}

// What a matter is called besides its attribute.
const std::unordered_map<View, View>& names_of_attributes() {
  static const auto all = lexicon_pairs("en/changes", "names");
  return all;
}

void add_stems(View words, Stems& stems) {
  for (const std::string& word : index_words(words)) stems.insert(word);
}

// Lengths and repetitions ("740 euros a month") are no moments.
bool is_moment(const TimeExpression& one) { return one.kind != TimeKind::kDuration && one.kind != TimeKind::kSet; }

struct Matter {
  Stems stems;  // any of these names it
  std::size_t least = 1;  // of the words of a name of several, how many must stand together
  View relation;  // "brother paul": whose it is, where it is not the speaker's own
  bool by_relation = false;  // "Paul has settled in …" names it as well
};

// "The user's yoga class is on Tuesdays": what stands between the owner and the verb. A longer subject, or several
// things, are no one matter: "By the way, the user's friend's party, it …".
View owned_noun(View text) {
  constexpr std::ptrdiff_t kMostWords = 4;
  const auto owner = text.find("'s ");
  if (owner == View::npos) return {};
  const View name = text.substr(0, owner), first = name.substr(0, name.find(' '));
  if (std::count(name.begin(), name.end(), ' ') > 1 || first.ends_with("ing")) return {};  // "Losing Jon's job was …"
  const View rest = text.substr(owner + std::string_view("'s ").size());
  std::size_t end = View::npos;
  for (const View verb :
       {" is ", " are ", " was ", " has ", " have ", " changed ", " moved ", " lives ", " works ", " goes "})
    end = std::min(end, rest.find(verb));
  const View noun = end == View::npos ? View() : rest.substr(0, end);
  const bool one = noun.find(',') == View::npos && noun.find(" and ") == View::npos &&
                   std::count(noun.begin(), noun.end(), ' ') < kMostWords;
  return one ? noun : View();
}

Matter matter_of(const KnownMatter& known) {
  Matter matter;
  const View noun = owned_noun(known.first);
  if (known.attribute.starts_with("of ")) {
    add_stems(known.attribute.substr(3), matter.stems);
  } else if (const auto names = names_of_attributes().find(known.attribute); names != names_of_attributes().end()) {
    for (const View name : split_list(names->second, '|')) add_stems(name, matter.stems);
    const auto own = index_words(noun);
    const bool same =
        std::all_of(own.begin(), own.end(), [&](const auto& stem) { return matter.stems.contains(stem); });
    if (!same) matter.relation = noun;
  } else {
    // "Has" and "is" name no matter: "Peter has moved" tells nothing of what the user has.
    if (!is_function_word(known.attribute)) add_stems(known.attribute, matter.stems);
  }
  const bool place = known.attribute == "residence" || known.attribute == "school" || known.attribute == "employer";
  matter.by_relation = place && !matter.relation.empty();
  if (matter.relation.empty() || matter.by_relation) add_stems(noun, matter.stems);
  // "of yoga class", "habit a cooking class": a word of several names nothing.
  if (known.attribute.find(' ') != View::npos) matter.least = (matter.stems.size() + 1) / 2;
  return matter;
}

enum class Kind { kNumber, kTime, kName, kOther };

struct Candidate {
  std::size_t first = 0, last = 0;  // words
  Kind kind = Kind::kOther;
  std::size_t figure = 0;  // of a number, the last word without its currency
};

class Reader {
 public:
  explicit Reader(View sentence) : sentence_(sentence), words_(read_latin_words(sentence, {})) {
    for (const LatinWord& word : words_) stems_.push_back(word.is_word ? stem_of(word.lower) : std::string());
    find_values();
  }

  // An empty value: the sentence ends the known one and gives no other.
  std::optional<std::string> other_value(const KnownMatter& known) const {
    const Matter matter = matter_of(known);
    const Old old(known);
    if (matter.stems.empty() || !is_settled()) return std::nullopt;
    if (says_again(old)) return in_place_of_denied(matter, old);
    for (std::size_t at = 0; at < words_.size(); ++at) {
      if (stems_[at].empty() || !matter.stems.contains(stems_[at])) continue;
      std::size_t end = at + 1;
      while (end < words_.size() && !stems_[end].empty() && matter.stems.contains(stems_[end])) ++end;
      if (!is_named(matter, at, end) || !is_own(matter, at)) continue;
      if (auto value = value_beside(at, end, old, known, matter.by_relation)) return value;
      at = end;
    }
    return std::nullopt;
  }

  // This sentence with a value of the sentence `other` in the place of its own one; empty if it has none of that kind,
  // or several, or counts something else.
  std::string with_value(const KnownMatter& known, const Reader& other, const std::string& value) const {
    const auto now = std::find_if(other.values_.begin(), other.values_.end(),
                                  [&](const Candidate& one) { return other.text_of(one.first, one.last) == value; });
    if (now == other.values_.end()) return {};
    const Old old(known);
    const auto begin = lowered(sentence_).find(old.value);
    std::vector<Candidate> places;
    for (const Candidate& one : values_)
      if (one.kind == now->kind && one.first > 0 && begin != std::string::npos && words_[one.first].begin >= begin &&
          words_[one.last].end <= begin + old.value.size())
        places.push_back(one);
    // "Tuesdays at 6 pm" and "Fridays at 7": which of them takes which place is not certain.
    const auto has_hour = [](View text) { return text.find_first_of("0123456789") != View::npos; };
    const bool hour = now->kind == Kind::kTime && (has_hour(sentence_) || has_hour(other.sentence_));
    if (places.size() != 1 || hour) return {};
    std::size_t last = places.front().last;
    if (now->kind == Kind::kNumber) {
      const bool told = now->last > now->figure, counts = last > places.front().figure;
      if (told && !counts && !unit_behind(last).empty()) return {};
      if (!told && counts) last = places.front().figure;
    }
    const std::size_t from = words_[places.front().first].begin, to = words_[last].end;
    return std::string(sentence_.substr(0, from)) + value + std::string(sentence_.substr(to));
  }

 private:
  // The value that was known: as it is said, and what kind it is.
  struct Old {
    explicit Old(const KnownMatter& known) {
      const auto statements = read_statements(known.text);
      if (statements.empty() || statements.front().parts.empty()) return;
      value = statements.front().parts.front();
      const auto at = lowered(known.text).find(value);
      if (at == std::string::npos) return;
      const View said = known.text.substr(at, value.size());
      const bool digits = said.find_first_of("0123456789") != View::npos;
      const auto times = find_time_expressions(said, kSomeDay);
      const auto words = read_latin_words(said, {});
      const bool time = std::any_of(times.begin(), times.end(), is_moment) ||
                        std::any_of(words.begin(), words.end(), [](const auto& one) { return is_weekday(one.lower); });
      const bool capital = said.front() >= 'A' && said.front() <= 'Z';
      kind = time ? Kind::kTime : digits ? Kind::kNumber : capital ? Kind::kName : Kind::kOther;
    }
    std::string value;
    std::optional<Kind> kind;
  };

  void find_values() {
    for (const TimeExpression& time : find_time_expressions(sentence_, kSomeDay)) {
      if (!is_moment(time)) continue;
      Candidate one{words_.size(), 0, Kind::kTime};
      for (std::size_t i = 0; i < words_.size(); ++i) {
        if (words_[i].begin < time.begin || words_[i].end > time.end) continue;
        one.first = std::min(one.first, i);
        one.last = i;
      }
      // "Fridays from now on"
      while (one.first < one.last && is_function_word(words_[one.last].lower)) --one.last;
      const bool now = one.first == one.last && one.first < words_.size() && words_[one.first].lower == "now";
      if (one.first <= one.last && one.first < words_.size() && !now) values_.push_back(one);
    }
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const LatinWord& word = words_[i];
      if (!word.is_word) continue;
      const bool digits = word.lower.find_first_of("0123456789") != std::string::npos;
      const bool name = word.capital && word.lower != "i" && !word.lower.starts_with("i'") &&
                        !is_function_word(word.lower) && !is_of_calendar(word.lower);
      const bool timed = std::any_of(values_.begin(), values_.end(), [i](const Candidate& one) {
        return one.kind == Kind::kTime && one.first <= i && i <= one.last;
      });
      if (!timed && is_weekday(word.lower)) values_.push_back({i, i, Kind::kTime});
      if ((!digits && !name) || timed) continue;
      std::size_t last = i;
      // "12.5", "1,050"
      while (digits && last + 2 < words_.size() && (words_[last + 1].lower == "." || words_[last + 1].lower == ",") &&
             words_[last + 1].begin == words_[last].end && words_[last + 2].begin == words_[last + 1].end &&
             words_[last + 2].lower.find_first_of("0123456789") == 0)
        last += 2;
      const std::size_t figure = last;
      while (last + 1 < words_.size() && words_[last + 1].is_word &&
             (digits ? words_[last + 1].lower == "euros" || words_[last + 1].lower == "dollars"
                     : words_[last + 1].capital))
        ++last;
      if (name && last + 2 < words_.size() && is_title(words_[last].lower) && words_[last + 1].lower == "." &&
          words_[last + 2].capital)
        last += 2;
      values_.push_back({i, last, digits ? Kind::kNumber : Kind::kName, figure});
      i = last;
    }
  }

  bool says_again(const Old& old) const {
    if (old.value.empty()) return false;
    const std::string all = lowered(sentence_);
    return all.find(old.value) != std::string::npos;
  }

  // "Mr Pell isn't our landlord any more, it's Mrs Okafor": a negation separates the known value from the matter.
  std::optional<std::string> in_place_of_denied(const Matter& matter, const Old& old) const {
    for (std::size_t no = 1; no + 1 < words_.size(); ++no) {
      const bool longer = words_[no].lower == "no" && words_[no + 1].lower == "longer";
      const std::string& word = words_[no].lower;
      if (!longer && word != "not" && word != "isn't" && word != "aren't") continue;
      std::size_t end = no + 1;
      const auto over = [&](std::size_t at) {
        return words_[at].lower == "anymore" || (words_[at].lower == "any" && at + 1 < words_.size() &&
                                                 (words_[at + 1].lower == "more" || words_[at + 1].lower == "longer"));
      };
      while (end < words_.size() && (words_[end].is_word || is_point_of_title(end)) && !over(end)) ++end;
      const bool crossed = (holds_old(0, no, old) && names(matter, no + 1, end)) ||
                           (names(matter, 0, no) && holds_old(no + 1, end, old));
      if (!crossed) continue;
      const bool is_over = longer || (end < words_.size() && over(end));
      const auto other = std::find_if(values_.begin(), values_.end(), [&](const Candidate& one) {
        return one.first >= end && old.kind && one.kind == *old.kind && is_put_instead(end, one.first);
      });
      if (other != values_.end()) return text_of(other->first, other->last);
      return is_over ? std::optional(std::string()) : std::nullopt;
    }
    return std::nullopt;
  }

  bool is_point_of_title(std::size_t at) const {
    return at > 0 && words_[at].lower == "." && is_title(words_[at - 1].lower);
  }

  bool holds_old(std::size_t begin, std::size_t end, const Old& old) const {
    return begin < end && lowered(text_of(begin, end - 1)).find(old.value) != std::string::npos;
  }

  bool names(const Matter& matter, std::size_t begin, std::size_t end) const {
    std::size_t together = 0;
    for (std::size_t at = begin; at < end; ++at) {
      together = !stems_[at].empty() && matter.stems.contains(stems_[at]) ? together + 1 : 0;
      const std::size_t first = at + 1 - together;
      if (together >= matter.least && is_named(matter, first, at + 1) && is_own(matter, first) &&
          words_[first - std::min<std::size_t>(first, 1)].lower != "only")
        return true;
    }
    return false;
  }

  // "Any more, it's …", ", but …", ", it is now …"
  bool is_put_instead(std::size_t begin, std::size_t end) const {
    static const LexiconWords between = {"any", "more",   "anymore", "longer",  ",",    ";",     "it's", "it",   "is",
                                         "but", "rather", "now",     "instead", "he's", "she's", "we",   "have", "the"};
    const auto at = [&](std::size_t i) { return words_.begin() + static_cast<std::ptrdiff_t>(i); };
    return begin < end &&
           std::all_of(at(begin), at(end), [&](const LatinWord& word) { return between.contains(word.lower); });
  }

  bool is_settled() const {
    return std::none_of(words_.begin(), words_.end(), [](const LatinWord& word) {
      return unsettles(word.lower) && !(word.lower == "may" && word.capital);
    });
  }

  // "Garage rent", "spin class", "skin doctor" are other things than the rent, the class, the doctor.
  bool is_named(const Matter& matter, std::size_t begin, std::size_t end) const {
    if (end - begin < matter.least) return false;
    const bool timed = std::any_of(values_.begin(), values_.end(), [&](const Candidate& one) {
      return one.kind == Kind::kTime && one.first < begin && one.last + 1 >= begin;
    });
    const bool more = begin > 0 && !timed && !is_short_being(words_[begin - 1].lower) &&
                      !words_[begin - 1].lower.starts_with("i'") && !words_[begin - 1].lower.starts_with("we'") &&
                      words_[begin - 1].is_word && !is_function_word(words_[begin - 1].lower) &&
                      !links().contains(words_[begin - 1].lower) && !is_of_calendar(words_[begin - 1].lower) &&
                      words_[begin - 1].lower.find_first_of("0123456789") == std::string::npos;
    if (words_[end - 1].lower.ends_with("'s")) return false;  // "my landlord's wife"
    const bool counted = begin > 1 && words_[begin - 2].lower.find_first_of("0123456789") != std::string::npos;
    return !more || counted;
  }

  // "her doctor", "Anna's rent" is another matter; "the deadline of my thesis" is the speaker's own.
  bool is_own(const Matter& matter, std::size_t at) const {
    if (!matter.relation.empty()) {
      const auto related = index_words(matter.relation);
      return std::any_of(related.begin(), related.end(), [&](const std::string& stem) {
        return std::find(stems_.begin(), stems_.end(), stem) != stems_.end();
      });
    }
    for (std::size_t back = 1; back <= 3 && back <= at; ++back) {
      const std::string& word = words_[at - back].lower;
      if (word == "my" || word == "our") return true;
      if (is_short_being(word)) continue;
      if (word == "his" || word == "her" || word == "their" || word == "your" || word.ends_with("'s")) return false;
    }
    return !is_said_of_others(at);
  }

  // "Dad is down to 10 mg of it", "Anna has yoga", "my sister takes it": the clause is about somebody else.
  bool is_said_of_others(std::size_t at) const {
    static const LexiconWords others = {"he",      "she",    "they",  "you",    "he's",    "she's",
                                        "they're", "you're", "he'll", "she'll", "they've", "you've"},
                              verbs = {"is", "are", "has", "have", "takes", "goes", "does", "plays", "wants", "gets"};
    for (std::size_t i = at; i-- > 0 && words_[i].lower != "," && words_[i].lower != ";";) {
      const std::string& word = words_[i].lower;
      if (others.contains(word)) return true;
      const bool verb = i + 1 < words_.size() && verbs.contains(words_[i + 1].lower);
      const bool name = words_[i].capital && word != "i" && !word.starts_with("i'") && !is_function_word(word) &&
                        !is_of_calendar(word);
      const bool own = i > 0 && (words_[i - 1].lower == "my" || words_[i - 1].lower == "our");
      if (verb && (name || own)) return true;
    }
    return false;
  }

  bool links_only(std::size_t begin, std::size_t end, bool& firm) const {
    if (end - begin > kMostBetween) return false;
    firm = false;
    for (std::size_t i = begin; i < end; ++i) {
      const std::string& word = words_[i].lower;
      if (word == "not" || word == "than") return false;
      firm = firm || is_firm(word);
      if (!words_[i].is_word ? word != "," : !is_function_word(word) && !links().contains(word)) return false;
    }
    return true;
  }

  std::string text_of(std::size_t first, std::size_t last) const {
    return std::string(sentence_.substr(words_[first].begin, words_[last].end - words_[first].begin));
  }

  // Of somebody's place only what they have come to is another one: "Paul has settled in Bilbao".
  std::optional<std::string> value_beside(std::size_t begin, std::size_t end, const Old& old, const KnownMatter& matter,
                                          bool place) const {
    const View known = matter.text;
    bool firm = false;
    for (const Candidate& one : values_) {
      if (old.kind && *old.kind != Kind::kOther && one.kind != *old.kind) continue;
      const bool behind = one.first >= end, before = one.last < begin;
      const bool linked =
          (behind && links_only(end, one.first, firm)) || (before && links_only(behind_unit(one), begin, firm));
      if (!linked || (behind && one.kind == Kind::kName && is_elsewhere(one.first, old, matter))) continue;
      if (one.kind == Kind::kNumber && counts_something_else(one, known)) continue;
      if (one.kind == Kind::kTime && before && !is_day_or_hour(one)) continue;
      if (place && (!behind || !is_place(one.first))) continue;
      std::string value = text_of(one.first, one.last);
      if (lowered(known).find(lowered(value)) != std::string::npos) continue;
      return value;
    }
    if (place || (old.kind && *old.kind != Kind::kOther)) return std::nullopt;
    // "My car is dirty now", of a car that is a Golf.
    const bool article = old.value.starts_with("a ") || old.value.starts_with("an ");
    return plain_value(begin, end, article);
  }

  bool is_place(std::size_t at) const {
    static const std::set<std::string> places{"at", "in", "to", "for", "with"};
    return at > 0 && places.contains(words_[at - 1].lower);
  }

  // "My manager is at Acme now" says where a manager is, not who: such a preposition must have stood before the old
  // value, too, or belong to the matter.
  bool is_elsewhere(std::size_t at, const Old& old, const KnownMatter& matter) const {
    static const std::set<std::string> places{"at", "in", "on", "from", "with", "for", "by", "near"};
    if (at == 0 || !places.contains(words_[at - 1].lower)) return false;
    const std::string preposition = words_[at - 1].lower;
    const View belonging = matter.attribute == "employer"    ? "at with for"
                           : matter.attribute == "school"    ? "at in"
                           : matter.attribute == "residence" ? "in"
                                                             : "";
    if (belonging.find(preposition) != View::npos) return false;
    return lowered(matter.text).find(" " + preposition + " " + old.value) == std::string::npos || old.value.empty();
  }

  // "X is my favourite colour these days", "my seat is by the window now".
  std::optional<std::string> plain_value(std::size_t begin, std::size_t end, bool article) const {
    bool firm = false;
    for (std::size_t first = end; first < words_.size(); ++first) {
      if (!links_only(end, first, firm)) break;
      if (!firm || !words_[first].is_word || is_function_word(words_[first].lower) ||
          links().contains(words_[first].lower))
        continue;
      if (article && words_[first - 1].lower != "a" && words_[first - 1].lower != "an") break;
      std::size_t last = first;
      while (last + 1 < words_.size() && words_[last + 1].is_word && !links().contains(words_[last + 1].lower)) ++last;
      if (last - first < kLongestValue) return text_of(first, last);
      break;
    }
    for (std::size_t last = begin; last-- > 0;) {
      if (!links_only(last + 1, begin, firm)) break;
      if (!firm || !words_[last].is_word || is_function_word(words_[last].lower)) continue;
      return text_of(last, last);
    }
    return std::nullopt;
  }

  // Not "as of next week", which says since when.
  bool is_day_or_hour(const Candidate& one) const {
    const std::string text = lowered(text_of(one.first, one.last));
    return text.find_first_of("0123456789") != std::string::npos ||
           std::any_of(words_.begin() + static_cast<std::ptrdiff_t>(one.first),
                       words_.begin() + static_cast<std::ptrdiff_t>(one.last) + 1,
                       [](const LatinWord& word) { return is_of_calendar(word.lower); });
  }

  // "Went up by 50 euros", "is 20 % of it", "is due in 3 days" of a rent in euros.
  bool counts_something_else(const Candidate& one, View known) const {
    if (one.first > 0 && words_[one.first - 1].lower == "by") return true;
    if (one.last + 1 < words_.size() && words_[one.last + 1].lower == "%") return true;
    const bool currency = one.last > one.figure;
    const std::string unit(currency ? View(words_[one.last].lower) : unit_behind(one.last));
    // "10,200 a year" of a rent a month
    static const LexiconWords periods = {"day", "week", "month", "year", "term"};
    const std::size_t per = one.last + (currency || unit.empty() ? 1 : 2);
    if (per + 1 < words_.size() && (words_[per].lower == "a" || words_[per].lower == "per") &&
        periods.contains(words_[per + 1].lower) && lowered(known).find(words_[per + 1].lower) == std::string::npos)
      return true;
    if (unit.empty()) return false;
    if (unit == "percent") return true;
    const LatinWords words = read_latin_words(known, {});
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      if (words[i].lower.find_first_of("0123456789") == std::string::npos) continue;
      const bool counts = words[i + 1].is_word && !is_function_word(words[i + 1].lower);
      return counts ? words[i + 1].lower != unit : !currency;  // "is 7" and "is 120 cm"
    }
    return !currency;  // "is a Golf" and "is 10 years old"
  }

  // "10 mg of the medicine": the unit stands between a number and the matter.
  std::size_t behind_unit(const Candidate& one) const {
    const bool counts = one.kind == Kind::kNumber && one.first == one.last && one.last + 2 < words_.size() &&
                        words_[one.last + 2].lower == "of";
    return one.last + (counts ? 2 : 1);
  }

  // The unit of a number: "mg" of "10 mg of it".
  View unit_behind(std::size_t at) const {
    const bool there = at + 1 < words_.size() && words_[at + 1].is_word && !is_function_word(words_[at + 1].lower) &&
                       !links().contains(words_[at + 1].lower);
    return there ? View(words_[at + 1].lower) : View();
  }

  View sentence_;
  LatinWords words_;
  std::vector<std::string> stems_;
  std::vector<Candidate> values_;
};

}  // namespace

std::optional<std::string> other_value_english(std::string_view sentence, const KnownMatter& known) {
  return Reader(sentence).other_value(known);
}

std::string with_value_english(std::string_view sentence, const KnownMatter& known, const std::string& value) {
  return Reader(known.text).with_value(known, Reader(sentence), value);
}

}  // namespace weft
