#include <algorithm>
#include <array>
#include <span>

#include "base/strings.h"
#include "text/lexicon.h"
#include "text/references.h"

namespace weft {
namespace {

struct Entry {
  std::string_view word;
  ReferenceKind kind;
  int person;
  bool plural;
  Gender gender;
  bool inclusive;
};

constexpr auto kP = ReferenceKind::kPerson;
constexpr auto kT = ReferenceKind::kThing;
constexpr auto kA = ReferenceKind::kAny;
constexpr auto kH = ReferenceKind::kHere;
constexpr auto kTh = ReferenceKind::kThere;

// Longer words before those that they begin with.
constexpr std::array<Entry, 41> kWords = {{
    {"我们", kP, 1, true, Gender::kUnknown, false},   {"咱们", kP, 1, true, Gender::kUnknown, true},
    {"咱俩", kP, 1, true, Gender::kUnknown, true},    {"我俩", kP, 1, true, Gender::kUnknown, false},
    {"俺们", kP, 1, true, Gender::kUnknown, false},   {"你我", kP, 1, true, Gender::kUnknown, true},
    {"咱", kP, 1, true, Gender::kUnknown, true},      {"我", kP, 1, false, Gender::kUnknown, false},
    {"俺", kP, 1, false, Gender::kUnknown, false},    {"本人", kP, 1, false, Gender::kUnknown, false},
    {"你们", kP, 2, true, Gender::kUnknown, false},   {"您们", kP, 2, true, Gender::kUnknown, false},
    {"你俩", kP, 2, true, Gender::kUnknown, false},   {"你", kP, 2, false, Gender::kUnknown, false},
    {"您", kP, 2, false, Gender::kUnknown, false},    {"妳", kP, 2, false, Gender::kUnknown, false},
    {"他们", kA, 3, true, Gender::kUnknown, false},   {"她们", kP, 3, true, Gender::kFemale, false},
    {"它们", kT, 3, true, Gender::kUnknown, false},   {"他俩", kP, 3, true, Gender::kUnknown, false},
    {"她俩", kP, 3, true, Gender::kFemale, false},    {"他", kP, 3, false, Gender::kMale, false},
    {"她", kP, 3, false, Gender::kFemale, false},     {"它", kT, 3, false, Gender::kUnknown, false},
    {"牠", kT, 3, false, Gender::kUnknown, false},    {"这位", kP, 3, false, Gender::kUnknown, false},
    {"那位", kP, 3, false, Gender::kUnknown, false},  {"这里", kH, 0, false, Gender::kUnknown, false},
    {"这儿", kH, 0, false, Gender::kUnknown, false},  {"这边", kH, 0, false, Gender::kUnknown, false},
    {"本地", kH, 0, false, Gender::kUnknown, false},  {"此地", kH, 0, false, Gender::kUnknown, false},
    {"此处", kH, 0, false, Gender::kUnknown, false},  {"这裡", kH, 0, false, Gender::kUnknown, false},
    {"這裡", kH, 0, false, Gender::kUnknown, false},  {"那里", kTh, 0, false, Gender::kUnknown, false},
    {"那儿", kTh, 0, false, Gender::kUnknown, false}, {"那边", kTh, 0, false, Gender::kUnknown, false},
    {"那裡", kTh, 0, false, Gender::kUnknown, false}, {"当地", kTh, 0, false, Gender::kUnknown, false},
    {"當地", kTh, 0, false, Gender::kUnknown, false},
}};

// Whether one of the words stands around `at` such that its `part` is what begins there.
bool inside(std::string_view text, std::size_t at, std::string_view part, std::span<const std::string_view> list) {
  return std::any_of(list.begin(), list.end(), [&](std::string_view word) {
    for (std::size_t i = word.find(part); i != std::string_view::npos; i = word.find(part, i + 1)) {
      if (i <= at && starts_at(text, at - i, word)) return true;
    }
    return false;
  });
}

// 这位置, 那位数: the character behind belongs to another word.
bool other_measure(std::string_view text, std::size_t end) {
  for (const std::string_view next : {"置", "数", "于", "移", "面", "址"}) {
    if (starts_at(text, end, next)) return true;
  }
  return false;
}

const Entry* entry_at(std::string_view text, std::size_t at) {
  // All words begin with one of few characters; most positions are decided by the first byte.
  if (static_cast<unsigned char>(text[at]) < 0xE4) return nullptr;
  const auto found =
      std::find_if(kWords.begin(), kWords.end(), [&](const Entry& e) { return starts_at(text, at, e.word); });
  return found == kWords.end() ? nullptr : &*found;
}

bool harmless(std::string_view text, std::size_t at, const Entry& entry) {
  const std::size_t end = at + entry.word.size();
  const bool place = entry.kind == kH || entry.kind == kTh;
  // One character is three bytes: 你好 around 你.
  if (inside(text, at, place ? entry.word : entry.word.substr(0, 3), lexicon("zh/references", "no pronoun")))
    return true;
  if (place) {
    if (inside(text, at, entry.word, lexicon("zh/references", "no place"))) return true;
    return entry.word == "此处" && starts_at(text, end, "理");
  }
  if (entry.word == "这位" || entry.word == "那位") return other_measure(text, end);
  if (entry.word == "本人") return at >= 3 && starts_at(text, at - 3, "日");  // 日本人
  return false;
}

}  // namespace

std::vector<Reference> find_chinese_references(std::string_view text, const std::vector<Span>& protected_by) {
  std::vector<Reference> found;
  SpanCursor cursor(protected_by);
  for (std::size_t at = 0; at < text.size();) {
    const Entry* entry = entry_at(text, at);
    if (entry == nullptr || cursor.covers(at, at + entry->word.size()) || harmless(text, at, *entry)) {
      ++at;
      continue;
    }
    Reference reference;
    reference.begin = at;
    reference.end = at + entry->word.size();
    reference.kind = entry->kind;
    reference.person = entry->person;
    reference.plural = entry->plural;
    reference.gender = entry->gender;
    reference.inclusive = entry->inclusive;
    reference.language = Language::kChinese;
    found.push_back(reference);
    at = reference.end;
  }
  return found;
}

}  // namespace weft
