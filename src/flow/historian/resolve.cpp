// Takes a text, what is known of it and its circumstances; gives what its pronouns, places and times mean. A meaning is
// certain where exactly one thing fits; where a few fit they are all named; else there is none: a wrong name is worse
// than no name. Cost: linear, since only the last few dozen mentions are looked at for each pronoun. Nothing fails.
#include "flow/historian/resolve.h"

#include <algorithm>
#include <iterator>

#include "flow/historian/antecedents.h"
#include "flow/historian/message_label.h"
#include "flow/historian/noun_words.h"
#include "flow/historian/people.h"
#include "flow/historian/people_words.h"
#include "flow/historian/resolve_zh.h"
#include "text/english_verbs.h"
#include "text/given_names.h"

namespace weft {
namespace {

constexpr std::size_t kEarlierRead = 4;  // messages
constexpr std::size_t kEarlierReadChinese = 6;
constexpr std::size_t kEarlierBytes = 1500;  // of each, from its end
constexpr int kFarthest = 3;  // messages before, from which a name is still certain
constexpr std::size_t kMostCandidates = 3;

std::vector<Mention> mentions_of(TextAnalysis& analysis, const Voices& voices, const std::vector<std::string>& people) {
  auto mentions = english_mentions(analysis.words(), analysis.text(), voices, people);
  auto chinese = chinese_mentions(analysis.text(), analysis.han(), voices, people);
  mentions.insert(mentions.end(), std::make_move_iterator(chinese.begin()), std::make_move_iterator(chinese.end()));
  std::stable_sort(mentions.begin(), mentions.end(), [](const auto& a, const auto& b) { return a.end < b.end; });
  join_named_together(analysis.text(), mentions);
  return mentions;
}

// "Tom: he is late": who speaks is not who is spoken of.
std::vector<Mention> without_labels(std::vector<Mention> mentions, std::string_view text) {
  std::erase_if(mentions, [&](const Mention& mention) {
    const std::string_view behind = text.substr(std::min(mention.end, text.size()));
    if (mention.kind != MentionKind::kPerson) return false;
    // 小李，…: called at the beginning of what is said, but not 小李，他….
    const bool first = mention.begin == 0 || text.substr(0, mention.begin).ends_with("：");
    const bool called = first && behind.starts_with("，") && !behind.starts_with("，他") && !behind.starts_with("，她");
    return called || behind.starts_with("：") || behind.starts_with(": ");
  });
  return mentions;
}

// The last bytes of a text from the beginning of a character on.
std::string_view tail(std::string_view text) {
  if (text.size() <= kEarlierBytes) return text;
  std::size_t at = text.size() - kEarlierBytes;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
  return text.substr(at);
}

// How many messages before a text "he", "she" or "they" stood last; 0 where it did not.
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

std::vector<Mention> earlier_mentions(const Speech& speech, const People& people, const MessageLabel& label,
                                      PronounsBefore& pronouns) {
  std::vector<Mention> mentions;
  const std::vector<EarlierMessage> talk = same_talk(speech.earlier, label);
  const std::size_t first = talk.size() > kEarlierReadChinese ? talk.size() - kEarlierReadChinese : 0;
  for (std::size_t i = first; i < talk.size(); ++i) {
    const EarlierMessage& message = talk[i];
    if (i + kEarlierRead < talk.size() && language_of(message.text) != Language::kChinese) continue;
    // Between two, whoever did not speak was spoken to.
    std::string hearer;
    if (message.speaker == people.sender()) hearer = people.addressee();
    if (message.speaker == people.addressee()) hearer = people.sender();
    TextAnalysis analysis(tail(message.text));
    const int distance = static_cast<int>(talk.size() - i);
    pronouns.read(analysis, distance);
    for (Mention& mention :
         without_labels(mentions_of(analysis, voices_of(message.text, message.speaker, hearer), people.names()),
                        analysis.text())) {
      mention.distance = distance;
      mention.begin = mention.end = 0;
      mentions.push_back(std::move(mention));
    }
  }
  return mentions;
}

class Resolver {
 public:
  Resolver(TextAnalysis& analysis, const Speech& speech)
      : analysis_(analysis),
        speech_(speech),
        people_(speech, analysis.text()),
        label_(message_label(analysis.text())),
        antecedents_(
            earlier_mentions(speech, people_, label_, pronouns_),
            without_labels(mentions_of(analysis, voices_of(analysis.text(), people_.sender(), people_.addressee()),
                                       people_.names()),
                           analysis.text())) {}

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
      resolved_.push_back(std::move(found));
    }
    return std::move(resolved_);
  }

 private:
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
    std::vector<std::string>& all = talkers_;
    all = {people_.sender(), people_.addressee(), label_.speaker, label_.hearer};
    std::erase_if(all, [this](const std::string& name) { return tells_of(name); });
    return all;
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
    if (reference.language == Language::kChinese) return take(chinese(reference), found);
    auto fitting = antecedents_.find(MentionKind::kPerson, false, reference.gender, talkers());
    if (reference.gender != Gender::kUnknown) {
      const auto named = named_before(reference);
      // "Her name is Shadow! She …": whoever was spoken of before is out of sight.
      if (!named.empty() && !fitting.empty() && fitting.front().distance > 0) return;
      // "Whiskers is ill, I got her …": a name that no list knows, where nobody else can be meant.
      if (fitting.empty() && named.size() == 1) return take(named, found);
    }
    if (beside_pronoun(fitting, reference)) {
      std::vector<std::string> none_of = talkers();
      for (const Mention& mention : fitting) none_of.push_back(mention.text);
      fitting = antecedents_.find(MentionKind::kPerson, false, reference.gender, none_of);
    }
    if (fitting.empty() || fitting.front().distance > kFarthest) return;
    if (fitting.size() > 1) {
      fitting = by_salience(fitting, reference);
      const bool person = std::any_of(fitting.begin(), fitting.end(), [](const Mention& one) { return !one.animal; });
      if (person) std::erase_if(fitting, [](const Mention& one) { return one.animal; });
    }
    // "His dad" means nothing without whose.
    if (std::any_of(fitting.begin(), fitting.end(), [](const Mention& mention) { return mention.bound; })) return;
    take(fitting, found);
  }

  // "He ate my fish." "He did?": an animal named beside the pronoun of somebody is not who that is.
  bool beside_pronoun(const std::vector<Mention>& fitting, const Reference& reference) const {
    return !fitting.empty() && fitting.front().distance > 0 &&
           pronouns_.of(reference.gender) == fitting.front().distance &&
           std::all_of(fitting.begin(), fitting.end(), [](const Mention& one) { return one.animal; });
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

  static void take(const std::vector<Mention>& fitting, Resolution& found) {
    for (const Mention& mention : fitting) found.meant.push_back(mention.text);
    if (found.meant.size() > kMostCandidates) found.meant.clear();
  }

  // "They" are the people who were named together, where nothing else can be meant.
  static bool is_of_a_kind(std::string_view text) {
    return text == "people" || text == "folks" || text == "men" || text == "women";
  }

  void several(const Reference& reference, Resolution& found) {
    if (reference.language == Language::kChinese) return take(chinese(reference), found);
    auto fitting = antecedents_.find(MentionKind::kPerson, true, reference.gender, talkers());
    // "The veterans of your group": rather they than the group.
    if (std::any_of(fitting.begin(), fitting.end(), [](const Mention& one) { return !one.collective; }))
      std::erase_if(fitting, [](const Mention& one) { return one.collective; });
    if (fitting.size() != 1 || fitting.front().distance > 1 || fitting.front().bound) return;
    const Mention& they = fitting.front();
    // Bare "people" of an earlier message: of a kind, not these.
    if (they.distance > 0 && is_of_a_kind(they.text)) return;
    if (speaks_of_anybody(they.distance == 0 ? they.end : 0, reference.begin)) return;
    // What only people do is said of no things.
    if (!done_by_people(reference) && has_rival(they, reference)) return;
    take(fitting, found);
  }

  bool has_rival(const Mention& they, const Reference& reference) const {
    const std::size_t from = they.distance == 0 ? they.end : 0;
    if (!they.subject && names_several_things(analysis_.words(), from, reference.begin)) return true;
    const auto things = antecedents_.find(MentionKind::kThing, true, Gender::kUnknown, {});
    return std::any_of(things.begin(), things.end(), [&](const Mention& thing) {
      return thing.distance <= they.distance && (thing.subject || (!they.subject && !thing.bare));
    });
  }

  // "Somebody …, they": one of whom nothing is known.
  bool speaks_of_anybody(std::size_t begin, std::size_t end) const {
    const LatinWords& words = analysis_.words();
    return std::any_of(words.begin(), words.end(), [&](const LatinWord& word) {
      return word.begin >= begin && word.end <= end && is_anybody(word.lower);
    });
  }

  // Whether the verb behind a pronoun tells what only people do: "they said", "they have not offered".
  bool done_by_people(const Reference& reference) const {
    constexpr std::size_t kFar = 4;
    if (reference.form != PronounForm::kSubject) return false;
    const LatinWords& words = analysis_.words();
    for (std::size_t k = reference.word + 1; k < words.size() && k <= reference.word + kFar && words[k].is_word; ++k) {
      const std::string& word = words[k].lower;
      if (is_modal(word) || is_auxiliary(word) || is_mid_adverb(word) || word == "not") continue;
      return is_verb_of_people(word);
    }
    return false;
  }

  // "It" goes back to a thing less often than to what was told as a whole: 它 alone, and only to a title, the one thing
  // near.
  void thing(const Reference& reference, Resolution& found) {
    found.kind = ChangeKind::kThing;
    if (reference.plural || reference.language != Language::kChinese) return;
    auto fitting = antecedents_.find(MentionKind::kThing, false, Gender::kUnknown, {});
    std::erase_if(fitting, [](const Mention& mention) { return !mention.text.starts_with("《"); });
    if (fitting.size() == 1 && fitting.front().distance <= 1 && analysis_.text().compare(reference.end, 3, "家") != 0)
      take(fitting, found);
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
  std::vector<Resolution> resolved_;
};

}  // namespace

std::vector<Resolution> resolve_references(TextAnalysis& analysis, const Speech& speech) {
  return Resolver(analysis, speech).run();
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

}  // namespace weft
