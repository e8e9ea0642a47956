#include "flow/historian/antecedents.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include "flow/historian/people_words.h"
#include "text/lexicon.h"
#include "text/speaker_prefix.h"
#include "text/utf8.h"

namespace weft {

std::string_view character_before(std::string_view text, std::size_t at) {
  return at >= kHanSize ? text.substr(at - kHanSize, kHanSize) : std::string_view();
}

bool is_stop(std::string_view character) {
  constexpr auto kStops = std::to_array<std::string_view>(
      {"，", "。", "？", "！", "、", "；", "：", "（", "）", "“",  "”",  "《", "》", "的", "了",
       "吧", "吗", "呢", "啊", "就", "和", "或", "与", "是", "在", "有", "也", "都", "我", "你",
       "您", "他", "她", "它", "这", "那", "哪", "们", "不", "想", "要", "去", "请", "谢", "咱"});
  return std::find(kStops.begin(), kStops.end(), character) != kStops.end();
}

bool is_clause_mark(std::string_view character) {
  constexpr auto kMarks = std::to_array<std::string_view>({"，", "。", "？", "！", "；", "："});
  return std::find(kMarks.begin(), kMarks.end(), character) != kMarks.end();
}

bool begins_clause(std::string_view text, std::size_t at) {
  return at == 0 || is_clause_mark(character_before(text, at));
}

bool is_counted(std::string_view text, std::size_t at) {
  constexpr std::string_view kNumbers = "一二两三四五六七八九十百千万几这那每半多第数哪某";
  if (at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9') return true;
  const std::string_view before = character_before(text, at);
  const std::size_t found = before.empty() ? std::string_view::npos : kNumbers.find(before);
  return found != std::string_view::npos && found % kHanSize == 0;
}

bool names_place(std::string_view text, std::size_t at) {
  constexpr auto kPlaces = std::to_array<std::string_view>({"山", "湖", "江", "河", "岛", "桥", "寺", "塔", "镇"});
  return std::any_of(kPlaces.begin(), kPlaces.end(),
                     [&](std::string_view place) { return starts_at(text, at + 2 * kHanSize, place); });
}

std::size_t end_of_run(std::string_view text, std::size_t at, std::string_view ends) {
  constexpr std::size_t kLongest = 20 * kHanSize;
  std::size_t end = std::min(at, text.size());
  while (end < text.size()) {
    const std::string_view character = text.substr(end, kHanSize);
    const std::size_t listed = ends.find(character);
    if (is_stop(character) || static_cast<unsigned char>(text[end]) < 0xE4) break;
    if (listed != std::string_view::npos && listed % kHanSize == 0) break;
    next_code_point(text, end);
    if (end > at + kLongest) return at;
  }
  return end;
}

namespace {

// Farther back nothing is meant by a pronoun; it also bounds the work for each.
constexpr std::size_t kReach = 24;

bool fits(const Mention& mention, MentionKind kind, bool plural, Gender gender) {
  if (mention.kind != kind || mention.plural != plural) return false;
  return mention.gender == Gender::kUnknown || gender == Gender::kUnknown || mention.gender == gender;
}

}  // namespace

void Antecedents::advance(std::size_t at) {
  for (; next_ < within_.size() && within_[next_].end <= at; ++next_) mentions_.push_back(within_[next_]);
}

std::vector<Mention> Antecedents::find(MentionKind kind, bool plural, Gender gender,
                                       const std::vector<std::string>& not_these) const {
  std::vector<Mention> found;
  const std::size_t reach = std::min(mentions_.size(), kReach);
  for (std::size_t i = 0; i < reach; ++i) {
    const Mention& mention = mentions_[mentions_.size() - 1 - i];
    if (!found.empty() && mention.distance > found.front().distance) break;
    if (!fits(mention, kind, plural, gender)) continue;
    const auto same = [&](const auto& other) { return other.text == mention.text; };
    if (std::any_of(found.begin(), found.end(), same)) continue;
    if (std::find(not_these.begin(), not_these.end(), mention.text) != not_these.end()) continue;
    found.push_back(mention);
  }
  return found;
}

std::vector<Mention> mentions_of(TextAnalysis& analysis, const Voices& voices, const std::vector<std::string>& people) {
  auto mentions = english_mentions(analysis.words(), analysis.text(), voices, people);
  auto chinese = chinese_mentions(analysis.text(), analysis.han(), voices, people);
  mentions.insert(mentions.end(), std::make_move_iterator(chinese.begin()), std::make_move_iterator(chinese.end()));
  std::stable_sort(mentions.begin(), mentions.end(), [](const auto& a, const auto& b) { return a.end < b.end; });
  join_named_together(analysis.text(), mentions);
  return mentions;
}

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

void join_named_together(std::string_view text, std::vector<Mention>& mentions) {
  constexpr auto kAnd = std::to_array<std::string_view>({" and ", " & ", "和", "跟", "与", "、", ", ", "以及"});
  std::vector<Mention> pairs;
  for (std::size_t i = 0; i + 1 < mentions.size(); ++i) {
    const Mention& a = mentions[i];
    const Mention& b = mentions[i + 1];
    // "Lisa and her family": several together, too.
    const bool with_theirs = b.plural && b.bound;
    if (a.kind != MentionKind::kPerson || b.kind != MentionKind::kPerson) continue;
    // "Two cats and a dog".
    const bool of_a_kind = text.substr(a.end).starts_with(" and ") && a.animal == b.animal && a.plural != b.plural &&
                           !a.collective && !b.collective;
    if ((a.plural || (b.plural && !with_theirs)) && !of_a_kind) continue;
    if (b.begin < a.end || b.begin - a.end > 6 || a.text == b.text) continue;
    const std::string_view between = text.substr(a.end, b.begin - a.end);
    if (std::find(kAnd.begin(), kAnd.end(), between) == kAnd.end()) continue;
    const bool chinese = static_cast<unsigned char>(between[0]) >= 0x80;
    Mention both = b;
    both.begin = a.begin;
    both.text = a.text + (chinese ? "和" : " and ") + b.text;
    both.plural = true;
    both.subject = a.subject || b.subject;
    both.bound = false;
    both.gender = a.gender == b.gender ? a.gender : Gender::kUnknown;
    pairs.push_back(std::move(both));
  }
  mentions.insert(mentions.end(), pairs.begin(), pairs.end());
  std::stable_sort(mentions.begin(), mentions.end(), [](const auto& a, const auto& b) { return a.end < b.end; });
}

std::string possessive(const std::string& name, bool plural) {
  return name + (plural && !name.empty() && name.back() == 's' ? "'" : "'s");
}

namespace {

// May be said of anybody and was said by the way.
bool is_vague(const Mention& one) {
  return one.gender == Gender::kUnknown && !one.proper && !one.echo && !one.subject && (!one.animal || one.aside);
}

bool is_telling(const Mention& one) {
  return (one.gender != Gender::kUnknown || one.proper || one.echo) && !one.animal;
}

// Whether nothing is known of any who fit, so that somebody farther back may be meant as well.
bool is_open(const std::vector<Mention>& fitting) {
  const auto said = [](const Mention& one) { return is_telling(one) || (one.animal && !one.aside); };
  if (fitting.front().distance == 0 || std::any_of(fitting.begin(), fitting.end(), said)) return false;
  return fitting.size() > 1 || is_vague(fitting.front());
}

}  // namespace

std::vector<Mention> going_on(std::vector<Mention> fitting) {
  const auto is_echo = [](const Mention& one) { return one.echo; };
  const auto echo = std::find_if(fitting.begin(), fitting.end(), is_echo);
  if (echo == fitting.end() || std::count_if(fitting.begin(), fitting.end(), is_echo) > 1) return fitting;
  const bool other = std::any_of(fitting.begin(), echo, [](const Mention& one) {
    return one.subject || (one.plural && one.distance > 0 && !one.bare);
  });
  return other ? fitting : std::vector<Mention>{*echo};
}

std::vector<Mention> more_telling(std::vector<Mention> fitting, const Reference& reference,
                                  const Antecedents& antecedents, std::vector<std::string> not_these) {
  constexpr int kTries = 3;
  if (fitting.empty()) return fitting;
  // "She told her": not herself.
  if (reference.form != PronounForm::kObject) fitting = going_on(std::move(fitting));
  if (std::any_of(fitting.begin(), fitting.end(), is_telling)) std::erase_if(fitting, is_vague);
  if (!is_open(fitting)) return fitting;
  auto nearer = fitting;
  for (int tries = 0; tries < kTries; ++tries) {
    for (const Mention& mention : nearer) not_these.push_back(mention.text);
    nearer = antecedents.find(MentionKind::kPerson, false, reference.gender, not_these);
    if (nearer.empty() || nearer.front().distance > kFarthestName) break;
    if (std::all_of(nearer.begin(), nearer.end(), is_telling)) return nearer;
    if (!std::all_of(nearer.begin(), nearer.end(), is_vague)) break;
  }
  return fitting;
}

namespace {

bool one_of(std::string_view word, std::span<const std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool any_ends(std::string_view text, std::span<const std::string_view> ends) {
  return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return text.ends_with(end); });
}

class KindReader {
 public:
  KindReader(std::string_view text, const HanBreaks& breaks) : text_(text), breaks_(breaks) {}

  std::vector<Mention> run() {
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t begin = at;
      next_code_point(text_, at);
      if (static_cast<unsigned char>(text_[begin]) < 0xE4 || breaks_.inside_word(begin)) continue;
      if (const std::size_t end = read(begin); end > at) at = end;
    }
    return std::move(found_);
  }

 private:
  // The end of what was read; 0 where there is nothing.
  std::size_t read(std::size_t at) {
    if (const std::size_t end = vague(at); end > 0) return end;
    const std::size_t end = noun_end(at);
    if (end == 0 || is_part_of_more(at, end) || is_called(at, end) || is_compared(at)) return end;
    Mention& mention = add(MentionKind::kOfAKind, at, end);
    if (const PersonWord* word = chinese_somebody().at(text_, at); word != nullptr && at + word->word.size() == end)
      mention.gender = word->gender;
    static const auto kTogether = lexicon("zh/people", "always several");
    static const auto kSeveral = lexicon("zh/people", "before several"), kOne = lexicon("zh/people", "before one");
    mention.plural = any_ends(text_.substr(0, at), kSeveral) || one_of(mention.text, kTogether);
    mention.single = !mention.plural && any_ends(text_.substr(0, at), kOne);
    return end;
  }

  Mention& add(MentionKind kind, std::size_t begin, std::size_t end) {
    Mention mention;
    mention.kind = kind;
    mention.text = std::string(text_.substr(begin, end - begin));
    mention.begin = begin;
    mention.end = end;
    mention.leads = begins_clause(text_, begin);
    found_.push_back(std::move(mention));
    return found_.back();
  }

  // 这个人, 公司; 他妹妹: not known without knowing him.
  std::size_t vague(std::size_t at) {
    static const auto kVague = lexicon("zh/people", "vague");
    std::size_t end = at;
    for (const std::string_view word : kVague)
      if (starts_at(text_, at, word)) end = std::max(end, at + word.size());
    if (end > at && !breaks_.inside_word(end)) {
      add(MentionKind::kVague, at, end);
    } else {
      static const auto kBodies = lexicon("zh/people", "bodies");
      for (const std::string_view word : kBodies)
        if (starts_at(text_, at, word)) end = std::max(end, at + word.size());
      if (end > at && !breaks_.inside_word(end)) add(MentionKind::kVague, at, end).collective = true;
    }
    if (!found_.empty() && found_.back().end == end) {
      return end;
    }
    if (!starts_at(text_, at, "他") && !starts_at(text_, at, "她")) return 0;
    std::size_t noun = at + kHanSize;
    if (starts_at(text_, noun, "的")) noun += kHanSize;
    const PersonWord* kin = chinese_relatives().at(text_, noun);
    if (kin == nullptr || breaks_.inside_word(noun + kin->word.size())) return 0;
    add(MentionKind::kVague, at, noun + kin->word.size()).gender = kin->gender;
    return noun + kin->word.size();
  }

  // The end of a noun for people that begins here: a listed one, or a word with 者, 员, 师 or 学家 at its end.
  std::size_t noun_end(std::size_t at) const {
    static const ChinesePersonWords kNouns = nouns();
    if (const PersonWord* noun = kNouns.at(text_, at); noun != nullptr && !breaks_.inside_word(at + noun->word.size()))
      return at + noun->word.size();
    const std::string_view word = breaks_.word_at(at);
    if (word.size() < 2 * kHanSize) return 0;
    static const auto kNobody = lexicon("zh/people", "nobody");
    const std::size_t end = at + word.size();
    if ((word.ends_with("者") || word.ends_with("员")) && !one_of(word, kNobody)) return end;
    if (word.size() > 2 * kHanSize && (word.ends_with("师") || word.ends_with("学家"))) return end;
    constexpr auto kSuffixes = std::to_array<std::string_view>({"者", "员", "师"});
    const std::string_view next = breaks_.word_at(end);
    if (one_of(next, kSuffixes)) return end + next.size();
    // 图书|馆|员
    const std::string_view last = breaks_.word_at(end + next.size());
    const bool three = next.size() == kHanSize && !is_stop(next) && one_of(last, kSuffixes);
    return three ? end + next.size() + last.size() : 0;
  }

  static ChinesePersonWords nouns() {
    std::vector<PersonWord> all;
    const auto kVerbs = lexicon("zh/people", "only behind one of them");
    for (const char* list :
         {"somebody", "somebody female", "somebody male", "of either", "of a kind", "always several", "anybody"})
      for (const std::string_view word : lexicon("zh/people", list))
        if (word.size() >= 2 * kHanSize && !one_of(word, kVerbs)) all.push_back({word});
    return ChinesePersonWords(all);
  }

  // 王老师, 我同事, 志愿者们, 用户名: read elsewhere, or no people.
  bool is_part_of_more(std::size_t at, std::size_t end) const {
    static const auto kBehind = lexicon("zh/people", "of things behind people");
    const auto follows = [&](std::string_view word) { return starts_at(text_, end, word); };
    if (follows("们") || std::any_of(kBehind.begin(), kBehind.end(), follows)) return true;
    const std::string_view before = character_before(text_, at);
    constexpr auto kOwners = std::to_array<std::string_view>({"我", "你", "您", "他", "她"});
    if (one_of(before, kOwners)) return true;
    constexpr auto kOwned = std::to_array<std::string_view>({"我的", "你的", "您的", "他的", "她的"});
    if (any_ends(text_.substr(0, at), kOwned)) return true;
    // A title: what stands before is a name, unless a word or a mark ends there.
    if (chinese_titles().at(text_, at) == nullptr || before.empty() || is_stop(before)) return false;
    if (static_cast<unsigned char>(before[0]) < 0xE4) return false;
    return is_chinese_surname(before) || chinese_name_gender(before) != NameGender::kUnknown;
  }

  // 各位老师, 老师您, 同学，: spoken to.
  bool is_called(std::size_t at, std::size_t end) const {
    constexpr auto kLeads =
        std::to_array<std::string_view>({"各位", "亲爱的", "尊敬的", "谢谢", "感谢", "请问", "有请", "（"});
    if (any_ends(text_.substr(0, at), kLeads)) return true;
    if (starts_at(text_, end, "您") || starts_at(text_, end, "你") || starts_at(text_, end, "好，")) return true;
    return begins_clause(text_, at) && starts_at(text_, end, "，");
  }

  // 比老师做得好, 相对同龄人, 他是工程师: not what the sentence goes on about.
  bool is_compared(std::size_t at) const {
    static const auto kNoCopulas = lexicon("zh/people", "end like a copula");
    const std::string_view before = text_.substr(0, at);
    if (before.ends_with("是") && !any_ends(before, kNoCopulas)) return true;
    constexpr std::size_t kFar = 6 * kHanSize;
    const std::size_t from = at > kFar ? at - kFar : 0;
    const std::string_view near = text_.substr(from, at - from);
    static const auto kLeads = lexicon("zh/people", "before who is compared");
    return std::any_of(kLeads.begin(), kLeads.end(), [&](std::string_view lead) {
      const std::size_t found = near.rfind(lead);
      if (found == std::string_view::npos || breaks_.inside_word(from + found) ||
          breaks_.inside_word(from + found + lead.size()))
        return false;
      const std::string_view between = near.substr(found);
      return between.find("，") == std::string_view::npos && between.find("。") == std::string_view::npos;
    });
  }

  std::string_view text_;
  const HanBreaks& breaks_;
  std::vector<Mention> found_;
};

}  // namespace

std::vector<Mention> chinese_people_of_a_kind(std::string_view text, const HanBreaks& breaks) {
  return KindReader(text, breaks).run();
}

namespace {

class ThingReader {
 public:
  explicit ThingReader(std::string_view text) : text_(text) {}

  std::vector<Mention> run() {
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t begin = at;
      next_code_point(text_, at);
      if (static_cast<unsigned char>(text_[begin]) >= 0xE2) read(begin);
    }
    return std::move(found_);
  }

 private:
  void read(std::size_t at) {
    if (starts_at(text_, at, "《")) return title(at);
    if (starts_at(text_, at, "推荐") || starts_at(text_, at, "预订") || starts_at(text_, at, "选择")) return chosen(at);
    if (begins_clause(text_, at)) {
      topic(at);
      defined(at);
    }
    if (starts_at(text_, at, "去") || starts_at(text_, at, "到") || starts_at(text_, at, "在")) destination(at);
  }

  void add(std::string_view words, MentionKind kind, std::size_t begin, std::size_t end) {
    Mention mention;
    mention.text = std::string(words);
    mention.kind = kind;
    mention.proper = true;
    mention.begin = begin;
    mention.end = end;
    found_.push_back(std::move(mention));
  }

  void title(std::size_t at) {
    constexpr std::size_t kLongest = 120;
    const std::size_t close = text_.substr(0, std::min(text_.size(), at + kLongest)).find("》", at);
    if (close != std::string_view::npos)
      add(text_.substr(at, close + kHanSize - at), MentionKind::kThing, at, close + kHanSize);
  }

  // 合并排序是一种算法: what a clause defines.
  void defined(std::size_t at) {
    constexpr auto kDefining = std::to_array<std::string_view>({"是一", "是什么", "是指", "被用", "指的是"});
    const std::size_t end = end_of_run(text_, at, "指被");
    const std::string_view words = text_.substr(at, end - at);
    if (words.empty() || words.size() > 10 * kHanSize) return;
    const auto defines = [&](auto word) { return starts_at(text_, end, word); };
    if (std::any_of(kDefining.begin(), kDefining.end(), defines)) add(words, MentionKind::kThing, at, end);
  }

  // The name of a place that begins a clause: 香山饭店很不错.
  void topic(std::size_t at) {
    const std::size_t end = end_of_run(text_, at, "很都也真太非常比较挺提供可以能够位于");
    const std::string_view words = text_.substr(at, end - at);
    if (words.size() < 3 * kHanSize || !names_a_place(words)) return;
    add(words, MentionKind::kThing, at, end);
  }

  // 推荐您香山饭店: what is behind the verb and whom it is for.
  void chosen(std::size_t at) {
    std::size_t begin = at + 2 * kHanSize;
    for (bool more = true; more;) {
      more = false;
      for (const std::string_view skip : {"您", "你", "给", "去", "了", "到"}) {
        if (!starts_at(text_, begin, skip)) continue;
        begin += skip.size();
        more = true;
      }
    }
    const std::size_t end = end_of_run(text_, begin, "游玩用餐住宿就餐附近周边");
    const std::string_view words = text_.substr(begin, end - begin);
    if (words.size() < 3 * kHanSize || !names_a_place(words)) return;
    add(words, MentionKind::kPlace, begin, end);
    add(words, MentionKind::kThing, begin, end);
  }

  // 去天坛公园游玩: what stands behind the verb up to the next verb or mark.
  void destination(std::size_t at) {
    static const auto kEnds = lexicon("zh/places", "behind a place");
    constexpr std::size_t kLongest = 14 * kHanSize;
    if (starts_at(text_, at + kHanSize, "了") || starts_at(text_, at + kHanSize, "过")) at += kHanSize;
    std::size_t end = at + kHanSize;
    while (end < text_.size() && end < at + kLongest) {
      const std::string_view rest = text_.substr(end);
      if (is_stop(rest.substr(0, kHanSize)) || static_cast<unsigned char>(rest[0]) < 0xE4) break;
      if (std::any_of(kEnds.begin(), kEnds.end(), [&](auto word) { return rest.substr(0, word.size()) == word; }))
        break;
      std::size_t next = end;
      next_code_point(text_, next);
      end = next;
    }
    const std::string_view place = text_.substr(at + kHanSize, end - at - kHanSize);
    if (place.size() < 2 * kHanSize || end >= at + kLongest || !names_a_place(place)) return;
    add(place, MentionKind::kPlace, at + kHanSize, end);
    add(place, MentionKind::kThing, at + kHanSize, end);
  }

  static bool names_a_place(std::string_view words) {
    for (const std::string_view lead :
         {"一家", "一个", "然后", "例如", "比如", "像", "最好", "附近", "周边", "哪", "其"}) {
      if (words.substr(0, lead.size()) == lead) return false;
    }
    static const auto kKinds = lexicon("zh/places", "ends");
    if (std::any_of(kKinds.begin(), kKinds.end(), [&](auto kind) {
          return words.size() > kind.size() && words.substr(words.size() - kind.size()) == kind;
        }))
      return true;
    static const auto kCities = lexicon("zh/places", "cities and countries");
    return std::find(kCities.begin(), kCities.end(), words) != kCities.end();
  }

  std::string_view text_;
  std::vector<Mention> found_;
};

}  // namespace

std::vector<Mention> chinese_things(std::string_view text) { return ThingReader(text).run(); }

}  // namespace weft
