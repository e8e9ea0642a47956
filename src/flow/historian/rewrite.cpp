#include "flow/historian/rewrite.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "base/log.h"
#include "base/prompts.h"
#include "base/strings.h"
#include "flow/historian/antecedents.h"
#include "model/message_reader.h"
#include "text/analysis.h"
#include "text/english_verbs.h"
#include "text/json.h"
#include "text/numerals.h"
#include "text/protected_spans.h"
#include "text/small_talk.h"
#include "text/time/phrase.h"
#include "text/token_counter.h"
#include "text/words.h"
#include "weft/message.h"
#include "weft/time.h"

namespace weft {
namespace {

// A word that names a time only as seen from the moment of speaking.
struct RelativeTime {
  std::size_t begin = 0, end = 0;  ///< bytes of the text
  Language language = Language::kEnglish;
};

// ---- Chinese ----

constexpr auto kChinese =
    std::to_array<std::string_view>({"今天", "昨天", "明天", "刚才", "刚刚", "稍后", "上周", "下周", "最近"});

// 上周三: the weekday behind.
bool weekday_at(std::string_view text, std::size_t at) {
  constexpr auto kDays = std::to_array<std::string_view>({"一", "二", "三", "四", "五", "六", "日", "天"});
  return std::any_of(kDays.begin(), kDays.end(), [&](auto day) { return starts_at(text, at, day); });
}

void find_chinese(std::string_view text, const std::vector<Span>& spans, std::vector<RelativeTime>& out) {
  SpanCursor cursor(spans);
  for (std::size_t at = 0; at < text.size();) {
    const auto listed =
        static_cast<unsigned char>(text[at]) < 0xE4
            ? kChinese.end()
            : std::find_if(
                  kChinese.begin(), kChinese.end(), [&](std::string_view word) { return starts_at(text, at, word); });
    if (listed == kChinese.end() || cursor.covers(at, at + listed->size())) {
      ++at;
      continue;
    }
    RelativeTime time{at, at + listed->size(), Language::kChinese};
    at = time.end;
    if (*listed == "最近" && timex::means_nearest(text.substr(0, time.begin), text.substr(time.end))) continue;
    if (*listed == "刚刚" && starts_at(text, time.end, "好")) continue;  // just right
    const bool week = *listed == "上周" || *listed == "下周";
    if (week && weekday_at(text, time.end)) time.end += 3;
    out.push_back(time);
  }
}

// ---- English ----

using Words = std::unordered_set<std::string_view>;

const Words& single_words() {
  static const Words words = {"today", "yesterday", "tomorrow", "tonight", "recently", "lately"};
  return words;
}

const Words& units() {
  static const Words words = {"week",    "month",     "year",     "night",  "weekend",  "monday",
                              "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"};
  return words;
}

// "later" as seen from now, not "two days later", "later than", "sooner or later".
bool is_bare_later(const LatinWords& words, std::size_t i) {
  static const std::unordered_set<std::string_view> kNot = {
      "days", "weeks",  "months", "years", "hours",   "minutes",  "day",    "week", "month", "year",    "hour",
      "or",   "moment", "a",      "the",   "seconds", "weekends", "nights", "no",   "much",  "decades", "while"};
  if (i > 0 && (kNot.contains(words[i - 1].lower) || words[i - 1].lower.front() <= '9')) return false;
  return i + 1 >= words.size() || (words[i + 1].lower != "than" && words[i + 1].lower != "stage");
}

std::string_view stem_of(std::string_view word) {
  return word.size() > 2 && word.substr(word.size() - 2) == "'s" ? word.substr(0, word.size() - 2) : word;
}

std::optional<RelativeTime> english_at(const LatinWords& words, std::size_t i, std::size_t& used) {
  const auto next = [&](std::size_t k) {
    return i + k < words.size() ? std::string_view(words[i + k].lower) : std::string_view();
  };
  const std::string_view word = stem_of(words[i].lower);
  used = 1;
  const auto make = [&](std::size_t last) {
    used = last + 1;
    const std::size_t end = words[i + last].begin + stem_of(words[i + last].lower).size();
    return RelativeTime{words[i].begin, end, Language::kEnglish};
  };
  if (single_words().contains(word)) return make(0);
  if (word == "just" && next(1) == "now") return make(1);
  if (word == "a" && next(1) == "moment" && next(2) == "ago") return make(2);
  if (word == "later" && is_bare_later(words, i)) return make(next(1) == "on" ? 1 : 0);
  if (word != "last" && word != "next") return std::nullopt;
  // "the last week of school" counts from something else.
  if (i > 0 && (words[i - 1].lower == "the" || words[i - 1].lower == "my" || words[i - 1].lower == "our"))
    return std::nullopt;
  const std::string_view unit = stem_of(next(1));
  if (!units().contains(unit) || next(2) == "of" || (unit == "night" && word == "next")) return std::nullopt;
  return make(1);
}

void find_english(std::string_view text, const std::vector<Span>& spans, std::vector<RelativeTime>& out) {
  const LatinWords words = read_latin_words(text, spans);
  for (std::size_t i = 0, used = 1; i < words.size(); i += used) {
    used = 1;
    if (!words[i].is_word || words[i].protected_by_span) continue;
    if (const auto time = english_at(words, i, used)) out.push_back(*time);
  }
}

// The words of the gate's lists for times and their nearest relatives, outside the protected spans, in order: today,
// last week, recently, 刚才, 下周三. 最近 in the sense of "nearest" is left out. This is what a text may not hold
// unresolved; what a text says about times in full is found by `find_time_expressions`. Linear. Safe from any thread.
std::vector<RelativeTime> find_relative_times(std::string_view text, const std::vector<Span>& protected_by) {
  std::vector<RelativeTime> found;
  find_chinese(text, protected_by, found);
  find_english(text, protected_by, found);
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  return found;
}

struct Listed {
  GateKind kind;
  std::string_view word;
};

constexpr GateKind kPronoun = GateKind::kPronoun;
constexpr GateKind kTime = GateKind::kTime;
constexpr GateKind kPlace = GateKind::kPlace;

// The lists as they are specified. Of two words with the same beginning the longer one comes first, so that a hit names
// the whole word; whether there is a hit does not depend on it.
constexpr auto kListed = std::to_array<Listed>(
    {{kPronoun, "他们"}, {kPronoun, "她们"}, {kPronoun, "它们"}, {kPronoun, "我"},   {kPronoun, "你"},
     {kPronoun, "他"},   {kPronoun, "她"},   {kPronoun, "它"},   {kPronoun, "这位"}, {kPronoun, "那位"},
     {kTime, "今天"},    {kTime, "昨天"},    {kTime, "明天"},    {kTime, "刚才"},    {kTime, "刚刚"},
     {kTime, "稍后"},    {kTime, "上周"},    {kTime, "下周"},    {kTime, "最近"},    {kPlace, "这里"},
     {kPlace, "那边"},   {kPlace, "本地"},   {kPlace, "当地"},   {kPlace, "这儿"},   {kPlace, "那儿"}});

std::optional<Listed> listed_at(std::string_view text, std::size_t at) {
  if (static_cast<unsigned char>(text[at]) < 0xE4) return std::nullopt;
  const auto found = std::find_if(kListed.begin(), kListed.end(), [&](const Listed& listed) {
    return text.compare(at, listed.word.size(), listed.word) == 0;
  });
  return found == kListed.end() ? std::nullopt : std::optional<Listed>(*found);
}

std::vector<GateHit> check_literal(std::string_view text) {
  std::vector<GateHit> hits;
  for (std::size_t at = 0; at < text.size();) {
    const auto listed = listed_at(text, at);
    if (listed) hits.push_back({listed->kind, std::string(listed->word), at});
    at += listed ? listed->word.size() : 1;
  }
  return hits;
}

// Chinese words beyond the lists (您, 此处) are resolved where they can be, but do not make a text fail.
bool on_the_lists(std::string_view text, const Reference& reference) {
  return reference.language == Language::kEnglish || listed_at(text, reference.begin).has_value();
}

GateKind kind_of(const Reference& reference) {
  return reference.kind == ReferenceKind::kHere || reference.kind == ReferenceKind::kThere ? kPlace : kPronoun;
}

// What explains nothing: a substitute for whoever it is.
bool is_vague(std::string_view meaning) {
  constexpr auto kVague = std::to_array<std::string_view>(
      {"某人", "某地", "某处", "有关人员", "该地", "该事物", "该人士", "someone", "somebody", "somewhere", "that place",
       "the one concerned", "those concerned", "the speaker", "the addressee", "说话人", "对方"});
  return std::any_of(kVague.begin(), kVague.end(),
                     [&](std::string_view word) { return meaning.find(word) != std::string_view::npos; });
}

// Whether a meaning stands in brackets behind the word that ends at `end`, or behind the rest of it: "he's [Tom]".
bool is_annotated(std::string_view text, std::size_t end) {
  while (end < text.size() && (text[end] == '\'' || is_letter(text[end]))) ++end;
  if (end < text.size() && text[end] == ' ') ++end;
  if (end >= text.size() || text[end] != '[') return false;
  constexpr std::size_t kLongest = 160;
  const std::size_t close = text.substr(0, std::min(text.size(), end + kLongest)).find(']', end);
  return close != std::string_view::npos && close > end + 1 && !is_vague(text.substr(end + 1, close - end - 1));
}

// The meaning of a time may stand behind the whole expression: 昨天下午[2026年11月21日下午], "tomorrow at five [23
// November 2026]".
bool is_explained_time(std::string_view text, std::size_t end) {
  constexpr std::size_t kReach = 40;
  constexpr auto kStops =
      std::to_array<std::string_view>({",", ".", "!", "?", ";", "，", "。", "！", "？", "；", "\n"});
  std::string_view behind = text.substr(end, std::min(kReach, text.size() - end));
  const std::size_t open = behind.find('[');
  if (open == std::string_view::npos) return false;
  behind = behind.substr(0, open);
  const bool cut = std::any_of(kStops.begin(), kStops.end(),
                               [&](std::string_view stop) { return behind.find(stop) != std::string_view::npos; });
  return !cut && is_annotated(text, end + open);
}

// A substitute that a rewrite put in the place of whom it should have named.
void add_vague(std::string_view text, std::vector<GateHit>& hits) {
  struct Vague {
    GateKind kind;
    std::string_view word;
  };
  constexpr auto kVague = std::to_array<Vague>({{kPronoun, "the one concerned"},
                                                {kPronoun, "The one concerned"},
                                                {kPronoun, "those concerned"},
                                                {kPronoun, "有关人员"},
                                                {kPlace, "该地的"},
                                                {kPronoun, "该人士"}});
  for (const Vague& vague : kVague)
    for (std::size_t at = text.find(vague.word); at != std::string_view::npos; at = text.find(vague.word, at + 1))
      hits.push_back({vague.kind, std::string(vague.word), at});
}

// Pronouns of one kind that were explained before: the speaker's and the hearer's in the whole text, others' in the
// sentence.
class Explained {
 public:
  explicit Explained(TextAnalysis& analysis) : analysis_(analysis) {}

  bool is(const Reference& reference) {
    if (!is_annotated(analysis_.text(), reference.end)) return told_.contains(key(reference));
    told_.insert(key(reference));
    return true;
  }

 private:
  using Key = std::tuple<std::size_t, int, bool, int, int>;

  Key key(const Reference& reference) {
    std::size_t sentence = 0;
    if (reference.person == 3 || reference.person == 0) {
      const auto& all = analysis_.sentences();
      while (sentence_ < all.size() && all[sentence_].end <= reference.begin) ++sentence_;
      sentence = sentence_ + 1;
    }
    return {sentence, reference.person, reference.plural, static_cast<int>(reference.gender),
            static_cast<int>(reference.kind)};
  }

  TextAnalysis& analysis_;
  std::size_t sentence_ = 0;
  std::set<Key> told_;
};

std::vector<GateHit> check_balanced(std::string_view text, const std::vector<std::string>& names) {
  std::vector<GateHit> hits;
  TextAnalysis analysis(text, {}, names);
  Explained explained(analysis);
  for (const Reference& reference : analysis.references()) {
    if (!on_the_lists(text, reference) || explained.is(reference)) continue;
    hits.push_back({kind_of(reference), std::string(text.substr(reference.begin, reference.end - reference.begin)),
                    reference.begin});
  }
  for (const RelativeTime& time : find_relative_times(text, analysis.protected_parts())) {
    if (time.language == Language::kChinese && !listed_at(text, time.begin)) continue;
    if (is_explained_time(text, time.end)) continue;
    hits.push_back({kTime, std::string(text.substr(time.begin, time.end - time.begin)), time.begin});
  }
  add_vague(text, hits);
  std::sort(hits.begin(), hits.end(), [](const GateHit& a, const GateHit& b) { return a.offset < b.offset; });
  return hits;
}

}  // namespace

std::vector<GateHit> check(std::string_view text, GateMode mode, const std::vector<std::string>& names) {
  return mode == GateMode::kLiteral ? check_literal(text) : check_balanced(text, names);
}

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

void add_once(std::vector<std::string>& facts, std::string fact) {
  if (!fact.empty() && std::find(facts.begin(), facts.end(), fact) == facts.end()) facts.push_back(std::move(fact));
}

// "2026-03-05T14:30" is one fact for a machine, but a rewrite may say it in words of its own: the numbers must stay.
void add_word(std::vector<std::string>& facts, std::string_view word) {
  const bool letters = std::any_of(word.begin(), word.end(), [](char c) { return is_word(c) && !is_digit(c); });
  const bool digits = std::any_of(word.begin(), word.end(), is_digit<char>);
  if (letters && digits && !is_digit(word.front())) return add_once(facts, std::string(word));
  for (std::size_t i = 0; i < word.size();) {
    if (!is_digit(word[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < word.size() && is_digit(word[end])) ++end;
    // "05" may become "5".
    std::size_t first = i;
    while (first + 1 < end && word[first] == '0') ++first;
    add_once(facts, std::string(word.substr(first, end - first)));
    i = end;
  }
}

bool is_address(std::string_view word) {
  return word.find("://") != std::string_view::npos ||
         (word.find('@') != std::string_view::npos && word.front() != '@');
}

bool holds_number(std::string_view text, std::string_view number) {
  for (std::size_t at = text.find(number); at != std::string_view::npos; at = text.find(number, at + 1)) {
    std::size_t before = at;
    while (before > 0 && text[before - 1] == '0') --before;
    const bool starts = before == 0 || !is_digit(text[before - 1]);
    const std::size_t after = at + number.size();
    if (starts && (after == text.size() || !is_digit(text[after]))) return true;
  }
  return false;
}

// Words that begin with a capital though no sentence begins with them, and Chinese people; months and weekdays are
// none.
std::vector<std::string> names_in(std::string_view text) {
  static const std::unordered_set<std::string_view> kNone = {
      "i",      "i'm",      "i've",      "i'll",    "i'd",      "monday",   "tuesday", "wednesday", "thursday",
      "friday", "saturday", "sunday",    "january", "february", "march",    "april",   "may",       "june",
      "july",   "august",   "september", "october", "november", "december", "on",      "in",        "at",
      "the",    "a",        "an",        "he",      "she",      "it",       "they",    "we",        "you",
      "my",     "your",     "his",       "her",     "our",      "their",    "this",    "that",      "ok",
      "okay",   "yes",      "no",        "english", "thanks",   "mr",       "mrs",     "ms",        "dr"};
  std::vector<std::string> names;
  TextAnalysis analysis(text);
  const LatinWords& words = analysis.words();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const LatinWord& word = words[i];
    // Behind any other mark a capital may only begin what somebody says.
    if (i == 0 || !(words[i - 1].is_word || words[i - 1].lower == ",")) continue;
    std::string_view lower = word.lower;
    for (const std::string_view end : {"'s", "'"})
      if (lower.ends_with(end)) lower.remove_suffix(end.size());
    const bool named = word.is_word && word.capital && !word.starts_sentence && !word.protected_by_span &&
                       !kNone.contains(lower) && !is_function_word(lower) && !lower.empty() && is_letter(lower.back());
    if (named) add_once(names, std::string(text.substr(word.begin, lower.size())));
  }
  for (const Mention& mention : chinese_mentions(text, analysis.han(), {}, {}))
    if (mention.kind == MentionKind::kPerson && mention.proper) add_once(names, mention.text);
  return names;
}

}  // namespace

std::vector<std::string> facts_to_keep(std::string_view draft, const std::vector<std::string>& names) {
  std::vector<std::string> facts;
  for (std::size_t i = 0; i < draft.size();) {
    const bool starts = static_cast<unsigned char>(draft[i]) < 0x80 && is_word(draft[i]);
    if (!starts) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < draft.size() && static_cast<unsigned char>(draft[end]) > 0x20 &&
           static_cast<unsigned char>(draft[end]) < 0x7f)
      ++end;
    std::string_view run = draft.substr(i, end - i);
    while (!run.empty() && !is_word(run.back()) && run.back() != '/') run.remove_suffix(1);
    if (is_address(run)) {
      add_once(facts, std::string(run));
      i = end;
      continue;
    }
    std::size_t word_end = i;
    while (word_end < draft.size() &&
           (is_word(draft[word_end]) || ((draft[word_end] == '-' || draft[word_end] == '.') &&
                                         word_end + 1 < draft.size() && is_word(draft[word_end + 1]))))
      ++word_end;
    add_word(facts, draft.substr(i, word_end - i));
    i = word_end;
  }
  for (const std::string& name : names) {
    if (!name.empty() && draft.find(name) != std::string_view::npos) add_once(facts, name);
  }
  for (const std::string& name : names_in(draft)) add_once(facts, name);
  for (const Span& span : protected_spans(draft)) {
    const std::string_view quoted = draft.substr(span.begin, span.end - span.begin);
    constexpr std::size_t kLongest = 200;
    if (static_cast<unsigned char>(quoted[0]) >= 0xE2 && quoted.size() <= kLongest)
      add_once(facts, std::string(quoted));
  }
  return facts;
}

std::vector<std::string> added_facts(std::string_view said, const std::vector<std::string>& names,
                                     std::string_view text) {
  std::string known(said);
  for (const std::string& name : names) known += "\n" + name;
  // A number may be written out on one side: "twenty", 二十.
  for (const PlainWord& word : fold_numerals(plain_words(said)))
    if (word.kind == WordKind::kNumber) known += "\n" + word.text;
  const std::string lower = lowered(known);
  std::vector<std::string> added;
  for (const std::string& fact : missing_facts(facts_to_keep(text, {}), known))
    if (lower.find(lowered(fact)) == std::string::npos) added.push_back(fact);
  return added;
}

std::vector<std::string> missing_facts(const std::vector<std::string>& facts, std::string_view text) {
  std::vector<std::string> missing;
  for (const std::string& fact : facts) {
    const bool number = std::all_of(fact.begin(), fact.end(), is_digit<char>);
    if (number ? !holds_number(text, fact) : text.find(fact) == std::string_view::npos) missing.push_back(fact);
  }
  return missing;
}

namespace {

using OrderedJson = nlohmann::ordered_json;

// The rules for rewriting in a language.
Prompt rewrite_rules(Language language) {
  return shipped_prompt("rewrite", language == Language::kChinese ? "zh" : "en");
}

// What the role `historian` is asked: the rules in the text's language, then the circumstances and the draft as JSON,
// which is data and no instruction.
std::vector<Message> rewrite_prompt(const RewriteInput& input, const Rewritten& draft) {
  OrderedJson earlier = OrderedJson::array();
  for (const EarlierMessage& said : input.info.earlier)
    earlier.push_back({{"speaker", said.speaker}, {"text", said.text}});
  const OrderedJson data = {
      {"participants", input.names},
      {"said_by", input.info.sender.name},
      {"time", format_time(input.info.time)},
      {"place", input.info.place},
      {"conversation", earlier},
      {"draft",
       {{"did_what", draft.did_what}, {"new_info", draft.new_info}, {"canonical_text", draft.canonical_text}}}};
  return {make_message(Role::kSystem, std::string(rewrite_rules(input.language).text)),
          make_message(Role::kUser, data.dump(2, ' ', false, OrderedJson::error_handler_t::replace))};
}

// Gives an answer back with what is wrong about it.
Message rewrite_again(Language language, const std::string& fault) {
  const bool chinese = language == Language::kChinese;
  return make_message(Role::kUser, (chinese ? "还不行：" : "Not yet: ") + fault +
                                       (chinese ? "。请改正并重新给出整个 JSON 对象。"
                                                : ". Correct it and give the whole JSON object again."));
}

using Json = nlohmann::json;

constexpr const char* kSchema =
    R"({"type":"object","properties":{"did_what":{"type":"string"},"new_info":{"type":"string"},)"
    R"("canonical_text":{"type":"string","minLength":1}},"required":["did_what","new_info","canonical_text"],)"
    R"("additionalProperties":false})";
constexpr std::size_t kLongest = 4;  // times the draft: a model that does not stop is not taken

bool ends_sentence(std::string_view text) {
  for (const std::string_view stop : {".", "!", "?", "。", "！", "？", "”", "\"", "…"})
    if (text.ends_with(stop)) return true;
  return false;
}

// Puts both parts behind the head and moves the places of their annotations along.
void put_together(const RewriteInput& input, Rewritten& written) {
  const bool chinese = input.language == Language::kChinese;
  std::string text = input.head;
  std::vector<TextSpan> annotations;
  const auto add = [&](const std::string& part, const std::vector<TextSpan>& spans) {
    if (part.empty()) return;
    if (!text.empty() && !chinese) text += ' ';
    for (const TextSpan& span : spans) annotations.push_back({text.size() + span.begin, text.size() + span.end});
    text += part;
    if (!ends_sentence(text)) text += chinese ? "。" : ".";
  };
  add(written.did_what, written.did_annotations);
  add(written.new_info, written.info_annotations);
  written.canonical_text = std::move(text);
  written.writing.annotations = std::move(annotations);
}

Rewritten draft_of(const RewriteInput& input, Style style) {
  Rewritten draft;
  const auto word = [style](const std::string& said, Speech speech, std::string& text, std::vector<TextSpan>& spans) {
    if (said.empty()) return;
    speech.style = style;
    Absolute plain = absolutise(said, speech);
    text = std::move(plain.text);
    spans = std::move(plain.annotations);
  };
  word(input.did_what, input.action, draft.did_what, draft.did_annotations);
  word(input.new_info, input.info, draft.new_info, draft.info_annotations);
  put_together(input, draft);
  return draft;
}

struct Answer {
  std::string did_what, new_info, canonical_text;
};

Result<Answer> read_answer(const std::string& text) {
  const Json json = lenient_json<Json>(text);
  if (!json.is_object()) return invalid_argument("the answer is no JSON object");
  Answer answer;
  const auto take = [&json](const char* name, std::string& into) {
    const auto at = json.find(name);
    const bool good = at != json.end() && at->is_string();
    if (good) into = at->get<std::string>();
    return good;
  };
  if (!take("did_what", answer.did_what) || !take("new_info", answer.new_info) ||
      !take("canonical_text", answer.canonical_text))
    return invalid_argument("a field of the answer is missing");
  return answer;
}

std::string listed(const std::vector<std::string>& facts) {
  std::string text;
  for (const std::string& fact : facts) text += " \"" + fact + "\"";
  return text;
}

// Why an answer is not taken; empty: it is. `hits` are the gate's where that was the reason.
std::string fault_of(const RewriteInput& input, const RewriteTerms& terms, const Rewritten& draft, const Answer& answer,
                     std::vector<GateHit>& hits) {
  if (draft.new_info.empty() != answer.new_info.empty()) return "new_info must be empty exactly where the draft's is";
  if (answer.canonical_text.empty() || answer.canonical_text.size() > kLongest * draft.canonical_text.size() + 200)
    return "canonical_text is empty or far longer than the draft";
  const std::string said = input.did_what + "\n" + input.new_info + "\n" + draft.canonical_text;
  struct Part {
    const char* name;
    const std::string& drafted;
    const std::string& given;
  };
  for (const Part& part :
       {Part{"canonical_text", draft.canonical_text, answer.canonical_text},
        Part{"did_what", draft.did_what, answer.did_what}, Part{"new_info", draft.new_info, answer.new_info}}) {
    const auto lost = missing_facts(facts_to_keep(part.drafted, input.names), part.given);
    if (!lost.empty()) return std::string(part.name) + " lacks" + listed(lost);
    const auto added = added_facts(said, input.names, part.given);
    if (!added.empty()) return std::string(part.name) + " adds what nobody said:" + listed(added);
  }
  hits = check(answer.canonical_text, terms.gate, input.names);
  if (hits.empty()) return {};
  std::string fault = "canonical_text still needs its circumstances at";
  for (const GateHit& hit : hits) fault += " \"" + hit.word + "\"";
  return fault;
}

}  // namespace

RewriteTerms rewrite_terms(const Config& config, ChatModel* model) {
  return {model, config.cognitive.gate, static_cast<int>(config.cognitive_historian.rewrite_max_retry)};
}

void leave_out(const RewriteInput& input, std::string Rewritten::* part, Rewritten& written) {
  (written.*part).clear();
  (part == &Rewritten::did_what ? written.did_annotations : written.info_annotations).clear();
  put_together(input, written);
}

Rewritten rewrite(const RewriteInput& input, const RewriteTerms& terms, const Deadline& deadline) {
  Rewritten draft = draft_of(input, terms.gate == GateMode::kLiteral ? Style::kReplace : Style::kAnnotate);
  draft.left = check(draft.canonical_text, terms.gate, input.names);
  if (terms.model == nullptr) return draft;
  ChatRequest request;
  request.json_schema = kSchema;
  request.messages = rewrite_prompt(input, draft);
  for (int tries = 0; tries <= terms.max_rewrites; ++tries) {
    ++draft.model_calls;
    const auto reply = terms.model->complete(request, deadline);
    if (!reply.ok()) {
      ++draft.rejected;
      draft.why_floor = reply.error().message;
      return draft;
    }
    const auto answer = read_answer(reply->message.content);
    std::vector<GateHit> hits;
    draft.why_floor = answer.ok() ? fault_of(input, terms, draft, *answer, hits) : answer.error().message;
    if (draft.why_floor.empty()) {
      draft.did_what = answer->did_what;
      draft.new_info = answer->new_info;
      draft.canonical_text = answer->canonical_text;
      draft.by = MadeBy::kModel;
      draft.did_annotations.clear();
      draft.info_annotations.clear();
      draft.writing = {{}, terms.model->name(), rewrite_rules(input.language).id};
      draft.left.clear();
      return draft;
    }
    ++draft.rejected;
    request.messages.push_back(reply->message);
    request.messages.push_back(rewrite_again(input.language, draft.why_floor));
  }
  return draft;
}

namespace {

constexpr std::size_t kBlocksBefore = 3;

Person person_of(const Message& message, Language language) {
  const bool chinese = language == Language::kChinese;
  if (!message.name.empty()) return {"", message.name};
  if (message.role == Role::kAssistant) return {"", chinese ? "助手" : "the assistant"};
  return {"", chinese ? "用户" : "the user"};
}

void add_earlier(Speech& speech, const Message& message, Language language) {
  speech.earlier.push_back({person_of(message, language).name, message.content});
}

void add_participant(Speech& speech, const Message& message) {
  if (message.name.empty()) return;
  const bool known = std::any_of(speech.participants.begin(), speech.participants.end(),
                                 [&](const Person& person) { return person.name == message.name; });
  if (!known) speech.participants.push_back({"", message.name});
}

}  // namespace

Speech speech_of(const std::vector<LogicalBlock>& blocks, std::size_t block, const Message& message,
                 const Config& config) {
  const Language language = language_of(message.content);
  Speech speech;
  speech.style = config.cognitive.gate == GateMode::kLiteral ? Style::kReplace : Style::kAnnotate;
  speech.name_speakers = speech.style == Style::kReplace;
  speech.sender = person_of(message, language);
  speech.time = message.time.value_or(Time{});
  for (std::size_t i = block >= kBlocksBefore ? block - kBlocksBefore : 0; i <= block && i < blocks.size(); ++i) {
    for (const auto* said : {&blocks[i].user_block, &blocks[i].response_block}) {
      if (!said->has_value()) continue;
      add_participant(speech, **said);
      const bool own = i == block && (*said)->role == message.role;
      if (own) break;
      add_earlier(speech, **said, language);
    }
  }
  const LogicalBlock& own = blocks[block];
  const auto& other = message.role == Role::kAssistant ? own.user_block : own.response_block;
  Message nobody;
  nobody.role = message.role == Role::kAssistant ? Role::kUser : Role::kAssistant;
  speech.addressee = person_of(other ? *other : nobody, language);
  return speech;
}

bool is_empty_talk(const LogicalBlock& block) {
  if (!block.execution_chain.empty()) return false;
  const auto empty = [](const std::optional<Message>& message) { return !message || is_empty_talk(message->content); };
  return empty(block.user_block) && empty(block.response_block);
}

namespace {

bool is_short(const std::optional<Message>& message, std::int64_t max_tokens) {
  return message && !message->content.empty() && estimate_tokens(message->content, TokenMode::kScript) <= max_tokens;
}

// The assistant's answer is what was done, the user's message what became known.
RewriteInput input_of(const std::vector<LogicalBlock>& blocks, std::size_t place, bool user, bool answer,
                      const Config& config) {
  const LogicalBlock& block = blocks[place];
  RewriteInput input;
  if (answer) {
    input.did_what = block.response_block->content;
    input.action = speech_of(blocks, place, *block.response_block, config);
  }
  if (user) {
    input.new_info = block.user_block->content;
    input.info = speech_of(blocks, place, *block.user_block, config);
  }
  const Speech& speech = user ? input.info : input.action;
  for (const Person& person : speech.participants) input.names.push_back(person.name);
  if (block.timestamp.ms != 0) input.head = "[" + format_date(block.timestamp) + "]";
  input.language = language_of(user ? input.new_info : input.did_what);
  return input;
}

}  // namespace

Wording reword_blocks(const std::vector<LogicalBlock>& blocks, const RewriteTerms& terms, const Config& config,
                      Metrics& metrics, const Deadline& deadline) {
  Wording wording;
  const std::int64_t max_tokens = config.historian.verbatim_tokens;
  if (terms.model == nullptr) return wording;
  for (std::size_t i = 0; i < blocks.size() && !deadline.passed(); ++i) {
    const LogicalBlock& block = blocks[i];
    const bool user = is_short(block.user_block, max_tokens);
    const bool answer = is_short(block.response_block, max_tokens);
    if ((!user && !answer) || is_empty_talk(block)) continue;
    const Rewritten written = rewrite(input_of(blocks, i, user, answer, config), terms, deadline);
    metrics.model_calls += static_cast<std::uint64_t>(written.model_calls);
    metrics.rewrites += static_cast<std::uint64_t>(written.rejected);
    if (written.by != MadeBy::kModel) {
      log_warning("historian.floor", "block " + block.id.str() + " was worded without the model: " + written.why_floor);
      continue;
    }
    const auto worded = [&](const std::string& text) {
      return Worded{text, written.writing.model, written.writing.prompt};
    };
    if (answer && !written.did_what.empty()) wording[block.response_block->id.str()] = worded(written.did_what);
    if (user && !written.new_info.empty()) wording[block.user_block->id.str()] = worded(written.new_info);
  }
  return wording;
}

}  // namespace weft
