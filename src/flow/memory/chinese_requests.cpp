#include "flow/memory/chinese_requests.h"

#include <algorithm>
#include <array>
#include <span>

#include "flow/memory/fact_signs.h"
#include "flow/memory/statement_readers.h"
#include "text/lexicon.h"
#include "text/longest_entry.h"
#include "text/small_talk.h"

namespace weft {
namespace {

using View = std::string_view;

View list_entry_at(View text, View list) { return longest_entry(lexicon("zh/requests", list), text); }

bool has_entry(View text, View list) {
  const auto entries = lexicon("zh/requests", list);
  return std::any_of(entries.begin(), entries.end(), [&](View one) { return text.find(one) != View::npos; });
}

// Without as many entries of the list as begin it.
View without(View text, View list) {
  for (View one = list_entry_at(text, list); !one.empty(); one = list_entry_at(text, list))
    text = trim_words(text.substr(one.size()), " \t，,");
  return text;
}

bool begins_with_person(View text) {
  for (const char* kin : {"women", "men", "of either"})
    for (const View one : lexicon("zh/people", kin))
      if (text.starts_with(one)) return true;
  return false;
}

// 为客户陈女士…, 我妈…: of somebody, by whatever word.
bool names_anybody(View clause) {
  constexpr std::size_t kTwoCharacters = 6;
  for (const char* list : {"women", "men", "of either", "titles of women", "titles of men"})
    for (const View one : lexicon("zh/people", list))
      if (one.size() >= kTwoCharacters && clause.find(one) != View::npos) return true;
  return false;
}

// 帮我写…, 麻烦把…; 帮我妈带孩子 is done for somebody else.
bool is_order(View clause) {
  if (clause.find("了") != View::npos) return false;
  clause = without(clause, "openings");
  const View told = list_entry_at(clause, "tells to");
  return !told.empty() && !begins_with_person(clause.substr(told.size()));
}

// 我想知道…, 我还需要一个…, 我在找一部…, 让它…长.
bool is_wanted_of_hearer(View clause) {
  View rest = without(clause, "openings");
  for (const View who : {"我们", "咱们", "我"})
    if (rest.starts_with(who)) {
      rest.remove_prefix(who.size());
      break;
    }
  rest = without(rest, "adverbs");
  const View want = list_entry_at(rest, "wants");
  if (want.empty()) return false;
  rest.remove_prefix(want.size());
  if (!list_entry_at(rest, "services").empty() || !list_entry_at(rest, "things at hand").empty()) return true;
  // 找一份工作, 找个室友: looked for in a life, not here.
  if (has_entry(rest, "matters of a life")) return false;
  if (const View deed = list_entry_at(rest, "deeds"); !deed.empty()) rest.remove_prefix(deed.size());
  return !list_entry_at(rest, "any one").empty();
}

bool is_question(View clause) {
  return has_entry(clause, "questions") || clause.ends_with("？") || clause.ends_with('?');
}

}  // namespace

std::vector<View> chinese_clauses(View sentence) {
  std::vector<View> clauses;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= sentence.size(); ++at) {
    const View rest = sentence.substr(at);
    View mark;
    for (const View one : {"，", ",", "；", ";", "。", "！", "!", "：", ":", "——"})
      if (rest.starts_with(one)) mark = one;
    if (mark.empty() && at < sentence.size()) continue;
    const View clause = trim_words(sentence.substr(begin, at - begin), " \t\r\n");
    if (!clause.empty()) clauses.push_back(clause);
    at += mark.empty() ? 0 : mark.size() - 1;
    begin = at + 1;
  }
  return clauses;
}

bool says_need(View sentence) {
  const auto needs = lexicon("zh/telling", "needs");
  return std::any_of(needs.begin(), needs.end(), [&](View one) { return sentence.find(one) != View::npos; });
}

bool asks_hearer(View clause) { return is_order(clause) || is_wanted_of_hearer(clause); }

bool is_request(View sentence) {
  bool asked = false;
  for (const View clause : chinese_clauses(sentence)) {
    if (is_order(clause)) {
      asked = true;
      continue;
    }
    if (is_wanted_of_hearer(clause)) {
      // 我想给我妈找一家…: of people as well.
      if (names_people(clause)) return false;
      asked = true;
      continue;
    }
    if (is_question(clause)) {
      if (names_anybody(clause)) return false;
      continue;
    }
    if (says_nothing(clause) || without(clause, "openings").empty()) continue;
    if (!asked || speaks_of_people(clause)) return false;
  }
  return asked;
}

}  // namespace weft
