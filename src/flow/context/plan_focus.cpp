#include "flow/context/plan_focus.h"

#include <algorithm>
#include <unordered_set>

#include "text/english_verbs.h"
#include "text/lexicon.h"
#include "text/plain_words.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kMostWords = 12;
constexpr char kBetween = '\x1f';

enum TimeWord : int { kPast = 1, kFuture };

const PhraseTable& time_words() {
  static const PhraseTable table = [] {
    PhraseTable words;
    words.add_list("plans", "past", kPast);
    words.add_list("plans", "future", kFuture);
    return words;
  }();
  return table;
}

const PhraseTable& explanation_words() {
  static const PhraseTable table = phrase_table("plans", "explanation");
  return table;
}

// Words of talk about the talk: they look for nothing.
bool says_nothing(const std::string& word) {
  static const LexiconWords set = lexicon_words("en/plans", "no topics");
  return set.contains(word);
}

// Characters between which Chinese nouns stand in talk, beside the function words.
bool parts_run(const std::string& character) {
  static constexpr std::string_view kParts =
      "吗呢吧啊呀说问看听告诉讲走去来到找用做知道记觉得喜欢时候次上下里外前后今明昨天现几什怎";
  return is_function_word(character) || kParts.find(character) != std::string_view::npos;
}

std::string joined(const std::vector<PlainWord>& words, std::size_t begin, std::size_t count) {
  std::string key;
  for (std::size_t i = begin; i < begin + count; ++i) key += words[i].text + kBetween;
  return key;
}

bool is_break(const PlainWord& word) {
  return word.kind == WordKind::kComma || word.kind == WordKind::kStop || word.kind == WordKind::kQuestion;
}

// The terms in which an input and a quest are compared: words and pairs of characters.
std::unordered_set<std::string> compared_words(std::string_view text) {
  std::unordered_set<std::string> set;
  constexpr std::size_t kShortest = 3;  // a single Chinese character has 3 bytes, a pair 6
  for (std::string& word : index_words(text)) {
    const bool han = static_cast<unsigned char>(word[0]) >= 0xE0;
    if (word.size() < (han ? 2 * kShortest : kShortest) || is_function_word(word)) continue;
    set.insert(std::move(word));
  }
  return set;
}

std::size_t shared(const std::unordered_set<std::string>& input, std::string_view text) {
  const auto words = compared_words(text);
  return static_cast<std::size_t>(
      std::count_if(words.begin(), words.end(), [&](const std::string& word) { return input.contains(word); }));
}

// Where the words of a text hold those of a name in a row.
bool names(const std::vector<PlainWord>& text, std::string_view name) {
  const auto words = plain_words(name);
  if (words.empty()) return false;
  return std::search(text.begin(), text.end(), words.begin(), words.end(),
                     [](const PlainWord& a, const PlainWord& b) { return a.text == b.text; }) != text.end();
}

std::vector<std::string> own_words(TextAnalysis& input, std::size_t most) {
  std::vector<std::string> found;
  std::string run;
  std::size_t length = 0;
  const auto close = [&] {
    constexpr std::size_t kShortest = 2, kLongest = 8;
    if (length >= kShortest && length <= kLongest && found.size() < most) found.push_back(run);
    run.clear();
    length = 0;
  };
  for (const PlainWord& word : input.plain()) {
    if (word.kind == WordKind::kHan && !parts_run(word.text)) {
      run += word.text;
      ++length;
      continue;
    }
    close();
    constexpr std::size_t kShortestWord = 3, kLongestWord = 64;
    if (word.kind != WordKind::kWord || word.text.size() < kShortestWord || word.text.size() > kLongestWord) continue;
    if (found.size() >= most) continue;
    if (is_function_word(word.text) || is_base_verb(word.text) || is_auxiliary(word.text) || says_nothing(word.text))
      continue;
    found.push_back(word.text);
  }
  close();
  return found;
}

}  // namespace

void KnownNames::add(std::string_view name, Kind kind) {
  constexpr std::size_t kLongestName = 256;
  if (name.size() > kLongestName) return;
  const auto words = plain_words(name);
  if (words.empty() || words.size() > kMostWords) return;
  if (words.size() == 1 && (is_function_word(words[0].text) || words[0].text.size() < 2)) return;
  names_.try_emplace(joined(words, 0, words.size()), Found{std::string(name), kind});
  std::size_t& longest = longest_[words[0].text];
  longest = std::max(longest, words.size());
}

std::vector<KnownNames::Found> KnownNames::find(TextAnalysis& text) const {
  std::vector<Found> found;
  if (names_.empty()) return found;
  std::unordered_set<std::string> seen;
  const auto& words = text.plain();
  for (std::size_t at = 0; at < words.size();) {
    const auto longest = longest_.find(words[at].text);
    std::size_t count = longest == longest_.end() ? 0 : std::min(longest->second, words.size() - at);
    for (; count > 0; --count) {
      const auto entry = names_.find(joined(words, at, count));
      if (entry == names_.end()) continue;
      if (seen.insert(entry->second.name).second) found.push_back(entry->second);
      break;
    }
    at += std::max<std::size_t>(count, 1);
  }
  return found;
}

std::string temporal_context_of(TextAnalysis& input) {
  const auto& words = input.plain();
  std::size_t past = 0, future = 0;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const auto found = time_words().longest(words, at);
    past += found.value == kPast ? 1 : 0;
    future += found.value == kFuture ? 1 : 0;
  }
  if (past == 0 && future == 0) return "now";
  return past >= future ? "past" : "future";
}

QuestFocus focus_on_quest(TextAnalysis& input, const std::vector<Quest>& quests,
                          const std::optional<std::string>& previous) {
  constexpr std::size_t kNamed = 100, kTitle = 3;
  const auto& words = input.plain();
  const auto terms = compared_words(input.text());
  const Quest *best = nullptr, *kept = nullptr, *only = nullptr;
  std::size_t most = 0, alike = 0, active = 0;
  for (const Quest& quest : quests) {
    if (quest.status != QuestStatus::kActive) continue;
    ++active;
    only = &quest;
    if (previous && quest.id == *previous) kept = &quest;
    std::size_t score = names(words, quest.title) || names(words, quest.id) ? kNamed : 0;
    score += kTitle * shared(terms, quest.title) + shared(terms, quest.objective);
    for (const std::string& tag : quest.tags) score += names(words, tag) ? 2 : 0;
    if (score > most) {
      most = score;
      best = &quest;
      alike = 1;
    } else if (score == most) {
      ++alike;
      if (kept == &quest) best = &quest;
    }
  }
  if (active == 0) return {nullptr, 1, "no quest is active", false};
  if (most >= kNamed) return {best, alike == 1 ? 1.0 : 0.5, "the input names the quest", true};
  if (most > 0 && alike == 1) return {best, most >= 2 ? 0.9 : 0.7, "the input shares words with the quest", true};
  if (kept != nullptr) return {kept, most > 0 ? 0.6 : 0.8, "the quest of the plan before", false};
  if (active == 1) return {only, 0.8, "the only active quest", false};
  return {nullptr, 0.4, std::to_string(active) + " active quests, none of which stands out", false};
}

std::vector<std::string> focus_keywords(TextAnalysis& input, const std::vector<KnownNames::Found>& in_input,
                                        const std::vector<KnownNames::Found>& in_last_turn, std::size_t most) {
  std::vector<std::string> keywords;
  std::unordered_set<std::string> seen;
  const auto add = [&](const std::string& keyword) {
    if (keywords.size() < most && seen.insert(normalize(keyword)).second) keywords.push_back(keyword);
  };
  std::string names;
  for (const auto& found : in_input) {
    add(found.name);
    names += normalize(found.name) + kBetween;
  }
  for (const auto& found : in_last_turn) add(found.name);
  for (const std::string& word : own_words(input, most)) {
    if (names.find(word) == std::string::npos) add(word);
  }
  return keywords;
}

DomainWeight weights_for(TextAnalysis& input, std::string_view temporal_context,
                         const std::vector<KnownNames::Found>& in_input, bool quest_named) {
  constexpr double kHigh = 0.9, kMiddle = 0.7, kLow = 0.3;
  DomainWeight weight;
  const auto& words = input.plain();
  bool explains = false;
  for (std::size_t at = 0; at < words.size() && !explains; ++at)
    explains = !is_break(words[at]) && explanation_words().longest(words, at).words > 0;
  const auto names = [&](KnownNames::Kind kind) {
    return std::any_of(in_input.begin(), in_input.end(), [kind](const auto& found) { return found.kind == kind; });
  };
  const bool asks_lore = explains && (names(KnownNames::Kind::kLore) || names(KnownNames::Kind::kEntity));
  if (temporal_context == "past") weight = {kHigh, kLow, weight.event};
  if (temporal_context == "future") weight.event = kMiddle;
  if (asks_lore) {
    weight.lore = kHigh;
    if (temporal_context != "past") weight.narrative = kLow;
  }
  if (quest_named || names(KnownNames::Kind::kQuest)) weight.event = kHigh;
  return weight;
}

}  // namespace weft
