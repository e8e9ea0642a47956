#include "flow/historian/antecedents.h"

#include <algorithm>
#include <array>
#include <ranges>

#include "base/strings.h"
#include "text/lexicon.h"

namespace weft {
namespace {

constexpr std::size_t kReach = 40;               // mentions that are looked at
constexpr std::size_t kNearKind = 60 * kHanSize;     // bytes between people of a kind and their pronoun
constexpr std::size_t kNearClauses = 3;
constexpr std::size_t kNearPerson = 150 * kHanSize;  // the same for persons: transcribed speech has endless sentences
constexpr std::size_t kFarSentences = 3;  // back to somebody who is alone in a text
constexpr std::size_t kShortStart = 60 * kHanSize;  // of a text, before a pronoun that may look back over it
constexpr int kFarMessages = 6;  // back to somebody between two who talk
constexpr int kFarKinds = 1;

bool is_people(const Mention& mention) {
  return mention.kind == MentionKind::kPerson || mention.kind == MentionKind::kOfAKind;
}

// 老师 of 那位老师.
std::string_view noun_of(const Mention& mention) {
  constexpr std::string_view kThat = "那位";
  const std::string_view text = mention.text;
  return text.starts_with(kThat) ? text.substr(kThat.size()) : text;
}

void add_once(std::vector<Mention>& list, const Mention& mention) {
  // 妹妹 and 李雷的妹妹, 王老师 and 那位老师: one of whom is told more.
  for (Mention& other : list) {
    if (other.text.ends_with(noun_of(mention))) return;
    if (!mention.text.ends_with(noun_of(other))) continue;
    other.text = mention.text;
    return;
  }
  list.push_back(mention);
}

// What one stretch, a sentence or an earlier message, holds, nearest first.
struct Stretch {
  std::vector<Mention> persons, kinds;
  bool vague_nearer = false;  ///< 这个人 stands behind the nearest that fits
  bool body_nearer = false;  ///< 公司 does
  bool body = false;  ///< it stands anywhere
  bool people = false;  ///< anybody at all, fitting or not

  bool empty() const { return persons.empty() && kinds.empty(); }
};

class Sieves {
 public:
  explicit Sieves(const ChinesePronoun& pronoun)
      : pronoun_(pronoun),
        text_(pronoun.analysis.text()),
        begin_(pronoun.reference.begin),
        plural_(pronoun.reference.plural) {}

  std::vector<Mention> run() const {
    if (is_led_by_thing()) return {};
    bool decided = false;
    auto meant = right_before(decided);
    if (decided) return meant;
    if (is_told_by_a_role()) return {};
    if (goes_on()) return pronoun_.last->meant;
    const std::size_t here = sentence_of(begin_);
    bool anybody = false;
    for (std::size_t back = 0; back <= std::min(here, farthest()); ++back) {
      const Stretch stretch = sentence(here - back);
      if (back <= 1 || !anybody) meant = choose(stretch, back);
      if (back == 1 && !meant.empty() && meant.front().kind == MentionKind::kOfAKind && names_somebody(here - back))
        return {};
      if (!meant.empty() || stretch.vague_nearer || !stretch.empty()) return meant;
      if (stretch.people && back > 0) return {};
      anybody = anybody || stretch.people;
    }
    if (anybody || is_home() || (plural_ && names_body())) return {};
    const bool late = here > 0 && begin_ > kShortStart && !plural_;
    if (pronoun_.between_two ? late : !begins_text()) return {};
    return earlier();
  }

 private:
  // Sentences back to somebody who is alone in a text.
  std::size_t farthest() const {
    if (!pronoun_.between_two) return 1;
    return plural_ ? 2 * kFarSentences : kFarSentences;
  }

  bool fits(const Mention& mention) const {
    if (!is_people(mention) || mention.bound) return false;
    const Gender gender = pronoun_.reference.gender;
    if (mention.gender != Gender::kUnknown && gender != Gender::kUnknown && mention.gender != gender) return false;
    const auto& not_these = pronoun_.not_these;
    if (std::find(not_these.begin(), not_these.end(), mention.text) != not_these.end()) return false;
    if (mention.kind == MentionKind::kPerson) return mention.plural == plural_;
    return plural_ ? !mention.single : !mention.plural;
  }

  std::size_t sentence_of(std::size_t at) const {
    const auto& sentences = pronoun_.analysis.sentences();
    const auto found =
        std::partition_point(sentences.begin(), sentences.end(), [at](const Span& one) { return one.end <= at; });
    return static_cast<std::size_t>(found - sentences.begin());
  }

  // The last mentions, nearest first, at most as many as are looked at.
  auto near() const {
    const auto& seen = pronoun_.seen;
    const auto end = seen.size() > kReach ? seen.rbegin() + kReach : seen.rend();
    return std::ranges::subrange(seen.rbegin(), end);
  }

  // 他家的票价: a house rather than somebody's home, where nobody was named.
  bool is_home() const { return starts_at(text_, pronoun_.reference.end, "家"); }

  // 这个系统他…: the thing that stands before it is taken up again.
  bool is_led_by_thing() const {
    constexpr auto kThese =
        std::to_array<std::string_view>({"这个", "那个", "这种", "那种", "这些", "那些", "这家", "那家"});
    constexpr auto kTimes =
        std::to_array<std::string_view>({"时候", "时间", "时", "阶段", "话", "后", "前", "上", "下", "里"});
    constexpr std::size_t kLongest = 5;
    std::size_t at = begin_;
    // 这个 member 他…: a name in letters is a mention of its own.
    const std::size_t letter = text_.substr(0, at).find_last_not_of(' ');
    if (letter != std::string_view::npos && is_letter(text_[letter])) {
      const auto& seen = pronoun_.seen;
      return seen.empty() || seen.back().kind != MentionKind::kPerson || seen.back().end != letter + 1;
    }
    for (std::size_t i = 0; i < kLongest && at >= 2 * kHanSize; ++i, at -= kHanSize) {
      const std::string_view character = text_.substr(at - kHanSize, kHanSize);
      if (is_clause_mark(character) || character == "的" || static_cast<unsigned char>(character[0]) < 0xE3)
        return false;
      const std::string_view before = text_.substr(0, at);
      const bool this_one =
          std::any_of(kThese.begin(), kThese.end(), [&](auto word) { return before.ends_with(word); });
      if (!this_one || i == 0) continue;
      const std::string_view noun = text_.substr(at, begin_ - at);
      const bool time = std::any_of(kTimes.begin(), kTimes.end(), [&](auto word) { return noun.ends_with(word); });
      const bool named = std::ranges::any_of(near(), [&](const Mention& mention) {
        return mention.distance == 0 && is_people(mention) && mention.end == begin_;
      });
      return !time && !named;
    }
    return false;
  }

  // 医生说他…: the doctor or, as often, a patient.
  bool is_told_by_a_role() const {
    constexpr auto kVerbs = std::to_array<std::string_view>({"说", "表示", "觉得", "认为", "讲", "建议", "怀疑", "问"});
    std::string_view before = text_.substr(0, begin_);
    for (const std::string_view mark : {"，", "："})
      if (before.ends_with(mark)) before.remove_suffix(mark.size());
    const auto verb = std::ranges::find_if(kVerbs, [&](auto one) { return before.ends_with(one); });
    if (verb == kVerbs.end()) return false;
    before.remove_suffix(verb->size());
    return std::ranges::any_of(near(), [&](const Mention& mention) {
      return mention.distance == 0 && mention.kind == MentionKind::kOfAKind && mention.end == before.size();
    });
  }

  // 陈老师他…, 吴老师他们: the same person, or that person with others.
  std::vector<Mention> right_before(bool& decided) const {
    if (pronoun_.seen.empty()) return {};
    Mention last = pronoun_.seen.back();
    if (last.distance > 0 || text_.substr(0, begin_).find_last_not_of(' ') + 1 != last.end) return {};
    // 林总和王总他们: both, who were joined.
    for (const Mention& mention : near()) {
      if (mention.distance > 0 || mention.end < last.end) break;
      if (plural_ && mention.plural && is_people(mention)) last = mention;
    }
    if (last.kind == MentionKind::kVague) decided = true;
    if (!is_people(last)) return {};
    decided = true;
    // 问老师他…: two persons, but 和林总他们.
    constexpr auto kVerbs =
        std::to_array<std::string_view>({"问", "告诉", "跟", "和", "对", "与", "给", "让", "帮", "替"});
    const std::string_view before = text_.substr(0, last.begin);
    const bool object = std::any_of(kVerbs.begin(), kVerbs.end(), [&](auto verb) { return before.ends_with(verb); });
    if (object && !plural_) return {};
    if (plural_ && !last.plural && last.kind == MentionKind::kPerson) {
      last.text += "等人";
      return {last};
    }
    return fits(last) ? std::vector{last} : std::vector<Mention>();
  }

  // The same person is "he" again, unless a person was named since, or people of a kind since the sentence ended.
  bool goes_on() const {
    const PronounBefore* last = pronoun_.last;
    if (last == nullptr || last->gender != pronoun_.reference.gender) return false;
    const std::size_t there = sentence_of(last->begin), here = sentence_of(begin_);
    if (here > there + 1) return false;
    if (here > there && !last->meant.empty() && is_anybody_of(last->meant.front())) return false;
    return std::ranges::none_of(near(), [&](const Mention& mention) {
      if (mention.distance > 0 || mention.end <= last->end) return false;
      const bool kind = here > there && (last->meant.empty() || mention.leads);
      return (mention.kind == MentionKind::kPerson || kind) && fits(mention);
    });
  }

  // 李老师，您…: spoken to, in the text itself.
  bool is_addressed(const Mention& mention) const {
    const std::string_view behind = text_.substr(mention.end);
    constexpr auto kMarks = std::to_array<std::string_view>({"您", "你", "，您", "，你", "好，", "：", "！"});
    return std::any_of(kMarks.begin(), kMarks.end(), [&](auto mark) { return behind.starts_with(mark); });
  }

  // 有位家长，应该不是家长，他…: somebody else.
  bool is_taken_back(const Mention& mention) const {
    const std::string_view between = text_.substr(mention.end, begin_ - mention.end);
    return between.find("不是" + std::string(noun_of(mention))) != std::string_view::npos;
  }

  void take_in(const Mention& mention, Stretch& stretch) const {
    if (mention.kind == MentionKind::kIt) return;
    if (mention.kind == MentionKind::kThing || mention.kind == MentionKind::kPlace) {
      if (is_home() && stretch.empty()) stretch.vague_nearer = true;
      return;
    }
    if (mention.collective && mention.kind == MentionKind::kVague) {
      stretch.body = true;
      if (stretch.empty()) stretch.body_nearer = true;
      return;
    }
    if (mention.kind == MentionKind::kVague) {
      const bool other = mention.gender != Gender::kUnknown && pronoun_.reference.gender != Gender::kUnknown &&
                         mention.gender != pronoun_.reference.gender;
      if (!other && stretch.empty()) stretch.vague_nearer = true;
      return;
    }
    stretch.people = true;
    if (!fits(mention)) {
      // 几位专家…他: rather one of them than somebody farther away.
      if (!plural_ && mention.plural && stretch.empty()) stretch.vague_nearer = true;
      return;
    }
    add_once(mention.kind == MentionKind::kPerson ? stretch.persons : stretch.kinds, mention);
  }

  Stretch sentence(std::size_t number) const {
    Stretch stretch;
    for (const Mention& one : near()) {
      if (one.distance > 0) break;
      const std::size_t where = sentence_of(one.begin);
      if (where > number) continue;
      if (where < number) break;
      if (one.end > begin_ || is_far(one) || is_addressed(one) || is_taken_back(one)) continue;
      take_in(one, stretch);
    }
    return stretch;
  }

  bool is_far(const Mention& mention) const {
    const std::size_t bytes = begin_ - mention.end;
    if (mention.kind == MentionKind::kPerson) return bytes > kNearPerson;
    if (bytes > kNearKind) return true;
    return clause_marks(mention.end) > kNearClauses;
  }

  // Between a place and the pronoun.
  std::size_t clause_marks(std::size_t from) const {
    std::size_t marks = 0;
    for (std::size_t at = from; at + kHanSize <= begin_; ++at)
      if (is_clause_mark(text_.substr(at, kHanSize))) ++marks;
    return marks;
  }

  std::vector<Mention> choose(const Stretch& stretch, std::size_t back) const {
    if (stretch.empty()) return {};
    if (!stretch.persons.empty()) {
      // 张三说她…: that a name says nothing makes no woman of who bears it, in the very clause.
      const Mention& nearest = stretch.persons.front();
      if (pronoun_.reference.gender == Gender::kFemale && nearest.proper && nearest.gender == Gender::kUnknown &&
          back == 0 && clause_marks(nearest.end) == 0)
        return {};
      if (plural_ && stretch.persons.size() > 1) return {};
      const bool kind_nearer = !stretch.kinds.empty() && stretch.kinds.front().end > nearest.end &&
                               !nearest.text.ends_with(stretch.kinds.front().text);
      if (stretch.vague_nearer && back > 0) return {};
      // Before many 他 is written for a company as well.
      if (stretch.body_nearer && !pronoun_.between_two) return {};
      if (!kind_nearer) return stretch.persons;
      std::vector<Mention> both = stretch.persons;
      both.insert(both.begin(), stretch.kinds.front());
      return both;
    }
    if (stretch.vague_nearer || stretch.body_nearer || is_home() || back > 1) return {};
    if (back == 1 && (is_anybody_of(stretch.kinds.front()) || !begins_its_sentence() ||
                      (plural_ ? stretch.body : !stretch.kinds.front().leads)))
      return {};
    return by_clause(stretch.kinds);
  }

  // Of several kinds of people whoever is named in the nearest clause alone.
  std::vector<Mention> by_clause(const std::vector<Mention>& kinds) const {
    if (kinds.size() == 1) return kinds;
    return plural_ ? std::vector<Mention>() : kinds;
  }

  // Whether a person who fits is named in the sentences before one: rather a topic than people of a kind are.
  bool names_somebody(std::size_t before) const {
    return std::ranges::any_of(near(), [&](const Mention& mention) {
      if (mention.distance > 0 || mention.kind != MentionKind::kPerson || !fits(mention)) return false;
      const std::size_t where = sentence_of(mention.begin);
      return where < before && where + kFarSentences > before;
    });
  }

  // 很多人, 每个人: nobody goes on about them in another sentence.
  static bool is_anybody_of(const Mention& kind) {
    static const auto kAnybody = lexicon("zh/people", "anybody");
    return std::find(kAnybody.begin(), kAnybody.end(), kind.text) != kAnybody.end();
  }

  // Before many only who begins to speak with 他 takes up what was said.
  bool begins_text() const { return begin_ <= 8 * kHanSize && clause_marks(0) == 0; }

  // 企业…他们: a body in the text itself.
  bool names_body() const {
    return std::ranges::any_of(near(), [](const Mention& mention) {
      return mention.distance == 0 && mention.kind == MentionKind::kVague && mention.collective;
    });
  }

  // Near the beginning of the first clause of its sentence or of the second: 随着时间的推移，他们….
  bool begins_its_sentence() const {
    constexpr std::size_t kLead = 5 * kHanSize;
    const std::size_t number = sentence_of(begin_);
    const auto& sentences = pronoun_.analysis.sentences();
    if (number >= sentences.size()) return false;
    const std::size_t start = sentences[number].begin;
    if (begin_ < start + kLead) return true;
    if (begin_ - start > kNearKind || clause_marks(start) != 1) return false;
    return begin_ - text_.substr(0, begin_).rfind("，") <= kLead;
  }

  std::vector<Mention> earlier() const {
    const int far = pronoun_.between_two ? kFarMessages : 1;
    for (int distance = 1; distance <= far; ++distance) {
      const Stretch stretch = message(distance);
      if (!stretch.persons.empty()) {
        if (stretch.persons.size() > 1 && (plural_ || distance > 1)) return {};
        return stretch.persons;
      }
      if (!stretch.kinds.empty()) {
        const bool near = pronoun_.between_two && distance <= kFarKinds && stretch.kinds.size() == 1;
        const bool other = pronoun_.earlier_pronoun > 0 && pronoun_.earlier_pronoun <= distance + 1;
        return near && !other && !stretch.vague_nearer && !stretch.body ? stretch.kinds : std::vector<Mention>();
      }
      if (stretch.vague_nearer && plural_) return {};
    }
    return {};
  }

  Stretch message(int distance) const {
    Stretch stretch;
    for (const Mention& one : near()) {
      if (one.distance < distance) continue;
      if (one.distance > distance) break;
      if (pronoun_.between_two || !one.called) take_in(one, stretch);
    }
    return stretch;
  }

  const ChinesePronoun& pronoun_;
  std::string_view text_;
  std::size_t begin_;
  bool plural_;
};

}  // namespace

std::vector<Mention> chinese_antecedents(const ChinesePronoun& pronoun) { return Sieves(pronoun).run(); }

}  // namespace weft
