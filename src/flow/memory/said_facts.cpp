#include "flow/memory/said_facts.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "flow/memory/fact_signs.h"
#include "flow/memory/speech.h"
#include "flow/memory/standing_wish.h"
#include "flow/memory/statement_readers.h"
#include "flow/memory/whole_statement.h"
#include "text/cues.h"
#include "text/english_verbs.h"
#include "text/sentences.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kLongestSentence = 400;
constexpr std::size_t kMostFacts = 12;

bool asks(std::string_view sentence) {
  const std::string_view end = trim_words(sentence, " \t\r\n\"'”’");
  return end.ends_with('?') || end.ends_with("？") || end.ends_with("吗") || end.ends_with("吗。");
}

// "I live in Porto, can you name a café?": what is told before the question proper; empty where it is all one question.
std::string_view before_question(std::string_view sentence, bool chinese) {
  if (chinese) {
    const auto comma = std::max(sentence.rfind("，") + 1, sentence.rfind(", ") + 1);
    return comma == 0 ? std::string_view() : sentence.substr(0, comma - 1);
  }
  static constexpr std::array<std::string_view, 22> kStarts{
      "can you",   "could you",     "do you",   "does ",    "did you",         "is there",
      "are there", "what",          "how",      "where",    "which",           "any ",
      "would you", "should i",      "have you", "will you", "i was wondering", "i'm wondering",
      "i wonder",  "was wondering", "are you",  "who "};
  const std::string plain = lowered(sentence);
  for (std::size_t at = 0; at < plain.size(); ++at) {
    for (const std::string_view mark : {", and ", " , ", ", ", " and ", ", so "}) {
      if (plain.compare(at, mark.size(), mark) != 0) continue;
      const std::string_view behind = std::string_view(plain).substr(at + mark.size());
      if (std::any_of(kStarts.begin(), kStarts.end(), [&](std::string_view one) { return behind.starts_with(one); }))
        return sentence.substr(0, at);
    }
  }
  return {};
}

// A request beside it: what says no time for itself may be about that.
bool asks_for_something(const std::vector<std::string_view>& parts) {
  return std::any_of(parts.begin(), parts.end(), [](std::string_view part) {
    if (asks(part)) return true;
    return find_cues(part).has(Cue::kRequest) && standing_wishes(part, true).empty();
  });
}

// What is taken for granted is told unless a statement beside it says more of the same.
void add_belongings(std::string_view part, const std::string& subject, std::vector<SaidFact>& facts) {
  for (SaidFact& one : english_belongings(part, subject)) {
    const std::string thing = one.text.substr(one.text.rfind(' ') + 1, one.text.size() - one.text.rfind(' ') - 2);
    // "My wife Hania is pregnant" does not tell by itself what she is called.
    const bool named = one.text.find(" called ") != std::string::npos;
    const bool told = std::any_of(facts.begin(), facts.end(), [&](const SaidFact& fact) {
      return fact.text.find(thing) != std::string::npos && !(named && fact.attribute == kSaidAttribute);
    });
    if (!told) facts.push_back(std::move(one));
  }
}

// "Ann won the race", said by Ann: what she would say of herself. Empty where she does not tell of herself by name.
std::string in_first_person(std::string_view sentence, const std::string& name) {
  if (name.empty() || !sentence.starts_with(name) || sentence.size() < name.size() + 2) return {};
  const std::string_view rest = sentence.substr(name.size());
  for (const std::string_view own : {"'s ", "’s "})
    if (rest.starts_with(own)) return "My " + std::string(rest.substr(own.size()));
  if (rest.front() != ' ') return {};
  const auto end = std::min(rest.find_first_of(" ,.;!", 1), rest.size());
  const std::string verb(rest.substr(1, end - 1));
  if (verb == "is" || verb == "has") return (verb == "is" ? "I am" : "I have") + std::string(rest.substr(end));
  if (is_past_form(verb) || is_modal(verb)) return "I" + std::string(rest);
  for (const std::size_t ending : {std::size_t{1}, std::size_t{2}}) {
    if (verb.size() <= ending + 1 || verb.back() != 's') continue;
    const std::string base = verb.substr(0, verb.size() - ending);
    if (is_base_verb(base) && third_person(base) == verb) return "I " + base + std::string(rest.substr(end));
  }
  return {};
}

// "My name isn't Jon, it's John": "My name is John"; "my car is no longer a Fiat, it's a Volvo". Of a name that is only
// denied nothing is left to tell.
std::optional<std::string> as_corrected(std::string_view sentence) {
  const std::string lower = lowered(sentence);
  if (lower.size() != sentence.size() || !lower.starts_with("my ")) return std::nullopt;
  const bool name = lower.starts_with("my name");
  std::size_t noun = 0, behind = 0;
  for (const std::string_view no : {" is no longer ", " isn't ", " isn’t ", " is not ", "'s not ", "’s not "}) {
    const auto at = lower.find(no);
    if (at == std::string::npos || (noun > 0 && at > noun)) continue;
    noun = at;
    behind = at + no.size();
  }
  constexpr std::size_t kLongestNoun = 40;
  if (behind == 0 || noun > kLongestNoun) return std::nullopt;
  const auto told = [&](std::size_t from) {
    return std::string(sentence.substr(0, noun)) + " is " + std::string(sentence.substr(from));
  };
  for (const std::string_view mark : {", it's now ", ", it is now ", ", it's ", ", it’s ", ", it is ", "; it's ",
                                      "; it is ", " anymore but ", " any more but "})
    if (const auto at = lower.find(mark, behind); at != std::string::npos) return told(at + mark.size());
  if (!name) return std::nullopt;
  for (const std::string_view mark : {", but ", " but ", ", my name is ", " it's ", " it is "})
    if (const auto at = lower.find(mark, behind); at != std::string::npos) return told(at + mark.size());
  return std::string();
}

// 我最喜欢的颜色不再是红色，是蓝色: 我最喜欢的颜色是蓝色.
std::optional<std::string> as_corrected_chinese(std::string_view sentence) {
  if (!sentence.starts_with("我")) return std::nullopt;
  for (const std::string_view no : {"不再是", "已经不是", "不是"}) {
    const auto at = sentence.find(no);
    if (at == std::string_view::npos) continue;
    for (const std::string_view mark : {"，而是", "，现在是", "，是", ",是", "而是"}) {
      const auto is = sentence.find(mark, at + no.size());
      if (is == std::string_view::npos) continue;
      return std::string(sentence.substr(0, at)) + "是" + std::string(sentence.substr(is + mark.size()));
    }
  }
  return std::nullopt;
}

std::vector<SaidFact> facts_of(std::string_view sentence, const std::string& subject, bool chinese) {
  if (chinese) {
    const auto corrected = as_corrected_chinese(sentence);
    auto facts = chinese_facts(corrected ? std::string_view(*corrected) : sentence, subject);
    for (SaidFact& fact : facts)
      if (corrected) fact.quote = std::string(sentence);
    return facts;
  }
  const auto corrected = as_corrected(sentence);
  if (corrected && corrected->empty()) return {};
  const std::string own = corrected ? *corrected : in_first_person(sentence, subject);
  if (own.empty()) return english_facts(sentence, subject);
  auto facts = english_facts(own, subject);
  for (SaidFact& fact : facts) fact.quote = std::string(sentence);
  return facts;
}

}  // namespace

std::vector<std::string_view> stating_sentences(std::string_view message) {
  std::vector<std::string_view> stating;
  for (const StatedSentence& one : stated_sentences(message))
    if (!one.quotes) stating.push_back(one.text);
  return stating;
}

std::string_view name_of_speaker(std::string_view text) {
  return language_of(text) == Language::kChinese ? "用户" : "The user";
}

std::string_view told_part(std::string_view sentence) {
  if (!asks(sentence)) return sentence;
  return before_question(sentence, language_of(sentence) == Language::kChinese);
}

SaidThings read_said(std::string_view message, const std::string& subject) {
  SaidThings said;
  const auto stated = stated_sentences(message);
  if (stated.empty()) return said;
  const bool alone = !asks_for_something(sentences(message));
  for (const auto& [part, quotes] : stated) {
    if (part.size() > kLongestSentence) continue;
    const bool chinese = language_of(part) == Language::kChinese;
    // "Could you stick to metric from now on?" asks for no answer.
    const auto wishes = !asks(part)             ? standing_wishes(part, alone)
                        : is_general_wish(part) ? std::vector<std::string>{std::string(part)}
                                                : std::vector<std::string>();
    for (const std::string& wish : wishes) {
      const std::string who(!subject.empty() ? std::string_view(subject) : name_of_speaker(part));
      said.facts.push_back(wish_fact(who, wish));
    }
    if (quotes) continue;
    const std::string_view told = told_part(part);
    if (!told.empty()) {
      auto facts = facts_of(told, subject, chinese);
      said.facts.insert(said.facts.end(), facts.begin(), facts.end());
      if (!said.correction && facts.empty()) said.correction = read_correction(part);
    }
    if (!chinese) add_belongings(part, subject, said.facts);
    if (said.facts.size() >= kMostFacts) break;
  }
  std::erase_if(said.facts, [&](const SaidFact& fact) {
    const std::string_view who = !subject.empty() ? std::string_view(subject) : name_of_speaker(fact.text);
    if (fact.attribute.starts_with("wish:")) return !is_whole_wish(fact.quote);
    return !may_be_kept(fact, who) || !is_whole_statement(fact.text, who);
  });
  return said;
}

std::string in_third_person(std::string_view sentence, const std::string& subject) {
  return language_of(sentence) == Language::kChinese ? chinese_in_third_person(sentence, subject)
                                                     : english_in_third_person(sentence, subject);
}

namespace {

using View = std::string_view;

constexpr std::size_t kLongestPart = 60;

std::optional<SaidCorrection> correction(View wrong, View right) {
  wrong = trim_marks(wrong);
  right = trim_marks(right);
  for (const View word : {"而是", "是", "应该是"})
    if (right.starts_with(word)) right.remove_prefix(word.size());
  if (right.empty() || right.size() > kLongestPart || wrong.size() > kLongestPart || wrong == right)
    return std::nullopt;
  return SaidCorrection{std::string(wrong), std::string(right)};
}

std::optional<SaidCorrection> in_chinese(View text) {
  // 不是周二，是周四
  if (const auto no = text.find("不是"); no != View::npos) {
    const View rest = text.substr(no + std::string_view("不是").size());
    for (const View mark : {"，而是", "而是", "，应该是", "，是", ",是", "，", ","}) {
      const auto at = rest.find(mark);
      if (at != View::npos && at > 0) return correction(rest.substr(0, at), rest.substr(at + mark.size()));
    }
  }
  for (const View mark : {"说错了，应该是", "说错了，是", "记错了，应该是", "记错了，是", "搞错了，应该是",
                          "搞错了，是", "更正一下，是", "更正：应该是", "更正：", "我是说", "我的意思是", "应该是"}) {
    const auto at = text.find(mark);
    if (at != View::npos && at <= 24) return correction({}, text.substr(at + mark.size()));
  }
  return std::nullopt;
}

bool begins_to_correct(View lower) {
  for (const View word : {"no", "sorry", "wait", "oops", "actually", "correction", "my mistake", "my bad", "i meant",
                          "i mean", "not ", "it's ", "it is ", "i said", "scratch that", "hold on"})
    if (lower.starts_with(word)) return true;
  return false;
}

std::optional<SaidCorrection> in_english(View text) {
  const std::string lower = lowered(text);
  if (!begins_to_correct(lower)) return std::nullopt;
  const auto part = [&](std::size_t begin, std::size_t end) { return text.substr(begin, end - begin); };
  const auto not_at = lower.find(", not ");
  for (const View mark : {"i meant ", "i mean ", "it should be ", "that should be ", "should have been ", "make that ",
                          "it's ", "it is ", "that's "}) {
    const auto at = lower.find(mark);
    if (at == std::string::npos) continue;
    const std::size_t begin = at + mark.size();
    if (not_at != std::string::npos && not_at > begin) return correction(text.substr(not_at + 6), part(begin, not_at));
    const bool sure = mark.starts_with("i me") || mark.find("should") != View::npos || mark == "make that ";
    return sure ? correction({}, text.substr(begin)) : std::nullopt;
  }
  if (const auto but = lower.find(" but "); lower.starts_with("not ") && but != std::string::npos)
    return correction(part(4, but), text.substr(but + 5));
  return std::nullopt;
}

}  // namespace

std::optional<SaidCorrection> read_correction(std::string_view sentence) {
  constexpr std::size_t kLongest = 160;
  if (sentence.size() > kLongest) return std::nullopt;
  return language_of(sentence) == Language::kChinese ? in_chinese(sentence) : in_english(sentence);
}

}  // namespace weft
