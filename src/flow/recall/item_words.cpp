#include "flow/recall/item_words.h"

#include <xxhash.h>

#include <algorithm>
#include <string>
#include <utility>

#include "model/rows.h"
#include "text/cues.h"
#include "text/english_verbs.h"
#include "text/plain_words.h"
#include "text/sentences.h"
#include "text/small_talk.h"
#include "text/speaker_prefix.h"
#include "text/token_counter.h"
#include "weft/time.h"

namespace weft {
namespace {

// Words that only report speech: "You said: …" adds nothing to the quoted sentence.
const TermSet& reporting() {
  static const TermSet terms = listed_terms("cues", "reporting");
  return terms;
}

bool has_notes(const Item& item) {
  return !item.writing.annotations.empty() || (item.kind == ItemKind::kEvent && item.text.starts_with('['));
}

// The text as it was said: an event of a block begins with its day, and dates may be set beside its words.
std::string said_text(const Item& item) {
  std::string text = item.text;
  const auto& notes = item.writing.annotations;
  for (auto note = notes.rbegin(); note != notes.rend(); ++note)
    if (note->begin <= note->end && note->end <= text.size()) text.erase(note->begin, note->end - note->begin);
  if (item.kind == ItemKind::kEvent && text.starts_with('['))
    if (const auto end = text.find(']'); end != std::string::npos) text.erase(0, end + 1);
  return text;
}

// The word that names what a text is about: the first that is no word of change or of speech.
Term first_word(std::string_view text) {
  static const TermSet changes = listed_terms("changes", "change");
  for (const Term term : index_terms(text))
    if (!changes.contains(term) && !reporting().contains(term)) return term;
  return 0;
}

// "We went to the lake", 我们去了湖边: a past form that is no part of "is planned" or "has moved", 了 behind a verb, or
// a day of the past.
bool tells_what_happened(std::string_view text) {
  static const PhraseTable days = phrase_table("changes", "happened");
  const std::vector<PlainWord> words = plain_words(text);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool past = is_past_form(words[i].text) || is_base_and_past(words[i].text);  // "put on a play" may be either
    if (past && (i == 0 || !is_auxiliary(words[i - 1].text))) return true;
    if (words[i].text == "了" && i + 1 < words.size() && words[i + 1].kind == WordKind::kHan) return true;
  }
  return days.any_in(words);
}

StatementWords read_statement(const std::string& text, std::size_t terms) {
  constexpr std::size_t kMostTerms = 40;  // longer texts say more than one thing
  StatementWords read;
  read.states = terms <= kMostTerms && !only_asks(text);
  read.figures = text.find_first_of("0123456789") != std::string::npos;
  read.happened = tells_what_happened(text);
  read.first = first_word(text);
  read.changes = read.states && tells_of_change(text);
  if (!read.changes) return read;
  for (const std::string_view sentence : sentences(text))
    if (tells_of_change(sentence))
      read.changing.push_back({TermSet(index_terms(sentence)).without(reporting()), first_word(sentence)});
  return read;
}

/// Each digest has one place, which the newest item takes.
class ItemWordsCache {
 public:
  std::shared_ptr<const ItemWords> of(const Item& item) {
    const XXH128_hash_t digest = digest_of(item);
    const std::size_t at = digest.low64 % kPlaces;
    {
      const std::lock_guard lock(mutex_);
      const Place& place = places_[at];
      if (place.words && XXH128_isEqual(place.digest, digest)) return place.words;
    }
    auto words = std::make_shared<const ItemWords>(item);
    const std::lock_guard lock(mutex_);
    places_[at] = {digest, words};
    return words;
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    places_.assign(kPlaces, Place());
  }

 private:
  static constexpr std::size_t kPlaces = 8192;  // of about half a kilobyte
  struct Place {
    XXH128_hash_t digest = {};
    std::shared_ptr<const ItemWords> words = nullptr;
  };

  static XXH128_hash_t digest_of(const Item& item) {
    std::uint64_t seed = has_notes(item) ? 1 : 0;
    for (const TextSpan& note : item.writing.annotations) seed = (seed * 31 + note.begin) * 31 + note.end;
    return XXH3_128bits_withSeed(item.text.data(), item.text.size(), seed);
  }

  std::mutex mutex_;
  std::vector<Place> places_ = std::vector<Place>(kPlaces);
};

ItemWordsCache& cache() {
  static ItemWordsCache made;
  return made;
}

}  // namespace

const TermSet& asking_terms() {
  static const TermSet terms = listed_terms("cues", "asking");
  return terms;
}

ItemWords::ItemWords(const Item& item) : says_nothing_(weft::says_nothing(item.text)) {
  const TermSet all(index_terms(item.text));
  without_asking_ = all.without(asking_terms());
  matter_ = (has_notes(item) ? TermSet(index_terms(said_text(item))) : all).without(reporting());
}

const StatementWords& ItemWords::statement(const Item& item) const {
  std::call_once(read_, [&] { statement_ = read_statement(said_text(item), matter_.size()); });
  return statement_;
}

std::shared_ptr<const ItemWords> words_of(const Item& item) { return cache().of(item); }

void forget_item_words() { cache().clear(); }

namespace {

constexpr std::int64_t kPartTokens =
    360;  // below what the embedder takes in one call, with room for the estimate's error

std::string searchable_text(const Message& message) {
  // The speaker has a field of its own, which is shown and searched beside the text.
  if (!message.content.empty()) return std::string(without_speaker(message.content, message.name));
  std::string text;
  for (const ToolCall& call : message.tool_calls) text += (text.empty() ? "" : "\n") + call.name + " " + call.arguments;
  return text;
}

ItemRow item_of(const MessageRow& message, std::string_view text, std::size_t part, bool only_part) {
  ItemRow row;
  row.scope = message.scope;
  row.role = message.message.role;
  row.speaker = message.message.name;
  row.item.id = ItemId("message:" + message.session.str() + "/" + message.message.id.str() +
                       (only_part ? "" : "#" + std::to_string(part)));
  row.item.kind = ItemKind::kMessage;
  row.item.session = message.session;
  if (!parts_of_scope(message.scope).group.empty()) row.item.sender_id = message.message.sender_id;
  row.item.block = message.block;
  row.item.text = std::string(text);
  row.item.time = message.message.time.value_or(Time{});
  row.item.position = message.seq;
  row.item.sources = {message.message.id};
  row.terms = indexed_terms(ItemKind::kMessage, text);
  if (row.role == Role::kTool || (message.message.content.empty() && row.role == Role::kAssistant))
    row.model = kWordsOnly;
  return row;
}

}  // namespace

std::vector<Term> indexed_terms(ItemKind kind, std::string_view text) {
  std::vector<Term> terms = index_terms(text);
  if (kind != ItemKind::kMessage) return terms;
  if (is_bare_question(text)) terms.push_back(question_mark_term());
  if (language_of(text) == Language::kChinese) terms.push_back(chinese_term());
  return terms;
}

void add_message_items(const LimitsSettings& limits, const MessageRow& message, std::vector<ItemRow>& items) {
  if (message.message.role == Role::kSystem) return;
  const std::string text = searchable_text(message.message);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return;
  const auto parts = split_by_tokens(text, kPartTokens,
                                     [](std::string_view part) { return estimate_tokens(part, TokenMode::kScript); });
  const auto most = static_cast<std::size_t>(limits.max_indexed_parts);
  for (std::size_t i = 0; i < parts.size() && i < most; ++i) {
    items.push_back(item_of(message, parts[i], i, parts.size() == 1));
  }
}

}  // namespace weft
