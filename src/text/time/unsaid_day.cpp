#include "text/time/unsaid_day.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "text/lexicon.h"

namespace weft::timex {
namespace {

constexpr std::size_t kWindow = 16;  // tokens of a sentence that are looked at on either side
constexpr Moment kLeeway = 3 * kHourSeconds;  // parts of the day have no sharp beginning
constexpr int kEarly = 6 * 60;  // minutes: parts that begin before are spoken of on the evening before
constexpr Moment kNear = 12 * kHourSeconds;  // farther away a day would be said

bool ends_clause(const Token& token) { return token.text == "，" || token.text == "," || ends_sentence(token); }

// What stands around an expression, up to where `ends` says that it ends.
std::string around(const std::vector<Token>& tokens, const Node& node, bool (*ends)(const Token&)) {
  std::size_t begin = node.begin, end = node.end;
  while (begin > 0 && node.begin - begin < kWindow && !ends(tokens[begin - 1])) --begin;
  while (end < tokens.size() && end - node.end < kWindow) {
    ++end;
    if (ends(tokens[end - 1])) break;
  }
  std::string text;
  for (std::size_t i = begin; i < end; ++i) text += tokens[i].text;
  return text;
}

template <std::size_t N>
bool holds(const std::string& text, const std::string_view (&words)[N]) {
  return std::any_of(std::begin(words), std::end(words),
                     [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

bool is_habit(const std::string& sentence) {
  static const auto kHabits = lexicon("zh/plans", "each time");
  return std::any_of(kHabits.begin(), kHabits.end(),
                     [&](auto word) { return sentence.find(word) != std::string::npos; });
}

// What the clause asks for or intends, whatever else the sentence tells of.
bool plans(const std::vector<Token>& tokens, const Node& node) {
  static constexpr std::string_view kPlans[] = {"有空", "一起", "打算", "准备", "计划", "要不要", "吗",
                                                "？",   "?",    "吧",   "想去", "想约", "回去",   "回来",
                                                "过来", "见面", "聚",   "约",   "帮",   "安排"};
  return holds(around(tokens, node, ends_clause), kPlans);
}

bool is_text(const std::vector<Token>& tokens, std::size_t at, std::string_view text) {
  return at < tokens.size() && tokens[at].text == text;
}

// 早上好, 一个下午, 整晚: a greeting, a length.
bool is_something_else(const std::vector<Token>& tokens, const Node& node) {
  if (is_text(tokens, node.end, "好") || is_text(tokens, node.end, "安")) return true;
  static constexpr std::string_view kBefore[] = {"一", "整", "半", "个", "某", "那", "多", "大", "同"};
  return node.begin > 0 &&
         std::find(std::begin(kBefore), std::end(kBefore), tokens[node.begin - 1].text) != std::end(kBefore);
}

Meaning of_day(Moment day) {
  Meaning meaning;
  meaning.from = day;
  meaning.to = day + kDaySeconds;
  meaning.grain = Grain::kDay;
  return meaning;
}

// 晨间流程, 夜间睡眠: of a kind.
bool is_attributive_part(const std::vector<Token>& tokens, const Node& node) {
  return !node.when->clock && tokens[node.end - 1].text == "间" && node.end < tokens.size() &&
         tokens[node.end].kind == TokenKind::kHan;
}

// 早上别吵, 晚上不要打电话: as often for each morning as for the next one. 晚上别做饭了 is of the day.
bool forbids(const std::vector<Token>& tokens, const Node& node) {
  std::string behind;
  for (std::size_t i = node.end; i < tokens.size() && !ends_clause(tokens[i]); ++i) behind += tokens[i].text;
  static constexpr std::string_view kNo[] = {"别",   "不要", "勿",   "请别", "请不要",
                                             "请勿", "不许", "不准", "都别", "都不要"};
  return behind.find("了") == std::string::npos &&
         std::any_of(std::begin(kNo), std::end(kNo), [&](std::string_view no) { return behind.starts_with(no); });
}

// Of the times that words without a day fit, the one beside the moment of speaking; where none is near, nobody knows.
std::optional<Meaning> part_beside_now(const When& when, Setting setting, const Tense& tense, bool ahead) {
  const Moment today = floor_to(setting.now, Grain::kDay);
  setting.past = tense.past && !ahead;
  if (when.clock) {
    const auto meaning = resolve(when, setting);
    if (!meaning || !meaning->from) return std::nullopt;
    const bool near = std::abs(*meaning->from - setting.now) <= kNear;
    return near || floor_to(*meaning->from, Grain::kDay) == today ? meaning : std::nullopt;
  }
  const Moment from = today + when.part->from * kMinuteSeconds, to = today + when.part->to * kMinuteSeconds;
  if (setting.past && from > setting.now + kLeeway) return std::nullopt;
  if ((tense.future || ahead) && to <= setting.now) {
    if (tense.past || when.part->from >= kEarly || from + kDaySeconds - setting.now > kNear) return std::nullopt;
    setting.now += kDaySeconds;  // 早上要早起, said late in the evening
  }
  return resolve(when, setting);
}

}  // namespace

std::optional<Meaning> meaning_of_part(const std::vector<Token>& tokens, const Node& node, const Setting& setting,
                                       const Tense& tense, const std::optional<NamedDay>& named) {
  const When& when = *node.when;
  if (when.date || !when.part || when.is_stretch() || when.is_now || tokens[node.begin].kind != TokenKind::kHan)
    return std::nullopt;
  if (is_something_else(tokens, node) || is_habit(around(tokens, node, ends_sentence))) return std::nullopt;
  if (is_attributive_part(tokens, node)) return std::nullopt;
  if (!when.clock && node.end - node.begin < 2) return std::nullopt;  // 50元/人/晚
  bool same_sentence = named.has_value();
  for (std::size_t i = named ? named->at : node.begin; i < node.begin; ++i)
    same_sentence = same_sentence && !ends_sentence(tokens[i]);
  if (!same_sentence) {
    if (named && named->day != floor_to(setting.now, Grain::kDay)) return std::nullopt;
    if (!when.clock && forbids(tokens, node)) return std::nullopt;
    return part_beside_now(when, setting, tense, !tense.late && plans(tokens, node));
  }
  When dated = when;
  dated.date = only(unit_at(named->day, Grain::kDay));
  dated.fields = kAllFields;
  return resolve(dated, setting);
}

std::optional<Meaning> meaning_of_next_day(const std::vector<Token>& tokens, const Node& node, const Setting& setting,
                                           const Tense& tense, const std::optional<NamedDay>& named) {
  const bool next = node.end - node.begin == 2 && tokens[node.begin + 1].text == "日" &&
                    (tokens[node.begin].text == "次" || tokens[node.begin].text == "翌");
  if (!next || (!named && tense.past)) return std::nullopt;
  return of_day((named ? named->day : floor_to(setting.now, Grain::kDay)) + kDaySeconds);
}

bool tells_habit(const std::vector<Token>& tokens, const Node& node) {
  static const LexiconWords kEnglish = lexicon_words("en/plans", "each time");
  static const auto kChinese = lexicon("zh/plans", "each time");
  std::size_t begin = node.begin, end = node.end;
  const auto ends = [&](std::size_t at) { return ends_clause(tokens[at]) || ends_sentence(tokens, at); };
  while (begin > 0 && node.begin - begin < kWindow && !ends(begin - 1)) --begin;
  // 周日，我一般…: the comma belongs to the time.
  const std::size_t skipped = end < tokens.size() && !ends_sentence(tokens[end]) && ends_clause(tokens[end]) ? 1 : 0;
  for (end += skipped; end < tokens.size() && end - node.end < kWindow && !ends(end);) ++end;
  std::string han;
  for (std::size_t i = begin; i < end; ++i) {
    if (i >= node.begin && i < node.end) continue;
    if (tokens[i].kind == TokenKind::kHan) han += tokens[i].text;
    if (kEnglish.contains(tokens[i].text)) return true;
  }
  return std::any_of(kChinese.begin(), kChinese.end(), [&](auto word) { return han.find(word) != std::string::npos; });
}

bool is_gone_weekend(const std::vector<Token>& tokens, const Node& node, const Tense& tense) {
  if (!tense.past || tense.future || is_habit(around(tokens, node, ends_sentence))) return false;
  return !is_something_else(tokens, node) && !plans(tokens, node);
}

bool is_coming_weekend(const std::vector<Token>& tokens, const Node& node, const Tense& tense) {
  static constexpr std::string_view kBehind[] = {"有", "去", "来", "回", "一", "我", "你", "咱", "要", "想",
                                                 "再", "还", "可", "能", "见", "聚", "带", "陪", "到", "过",
                                                 "自", "开", "跟", "和", "，", "。", "？", "！", "?",  ",",
                                                 "!",  "如", "天", "大", "准", "打", "计", "约", "请", "您"};
  if (node.end < tokens.size() &&
      std::find(std::begin(kBehind), std::end(kBehind), tokens[node.end].text) == std::end(kBehind))
    return false;
  if (is_habit(around(tokens, node, ends_sentence)) || is_something_else(tokens, node)) return false;
  static constexpr std::string_view kAsks[] = {"吗", "？", "?", "怎么样", "好不好", "行不行"};
  return plans(tokens, node) || holds(around(tokens, node, ends_sentence), kAsks) || (tense.future && !tense.past);
}

}  // namespace weft::timex
