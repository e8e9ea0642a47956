#include "tests/support/hash_embedder.h"

#include <vector>

namespace weft {
namespace {

bool is_word_byte(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::size_t character_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xE0) return 2;
  return lead < 0xF0 ? 3 : 4;
}

// U+3000–U+303F and U+FF00–U+FF0F, the full-width marks between words: E3 80 xx, EF BC 80–8F, and "？" and its like.
bool is_wide_mark(std::string_view character) {
  if (character.size() != 3) return false;
  const auto a = static_cast<unsigned char>(character[0]), b = static_cast<unsigned char>(character[1]);
  const auto c = static_cast<unsigned char>(character[2]);
  return (a == 0xE3 && b == 0x80) || (a == 0xEF && b == 0xBC && (c < 0x90 || (c >= 0x9A && c <= 0xA0)));
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string previous;  // the last wide character, if the one before stood right before this one
  for (std::size_t at = 0; at < text.size();) {
    const auto c = static_cast<unsigned char>(text[at]);
    if (is_word_byte(c)) {
      std::string word;
      for (; at < text.size() && is_word_byte(static_cast<unsigned char>(text[at])); ++at) {
        const char letter = text[at];
        word += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
      }
      words.push_back(std::move(word));
      previous.clear();
      continue;
    }
    const std::string_view character = text.substr(at, character_length(c));
    at += character.size();
    if (c < 0x80 || is_wide_mark(character)) {
      previous.clear();
      continue;
    }
    words.emplace_back(character);
    if (!previous.empty()) words.push_back(previous + std::string(character));
    previous = character;
  }
  return words;
}

std::uint64_t mix(std::uint64_t x) {  // one step of splitmix64
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

std::uint64_t hash(std::string_view word) {
  std::uint64_t h = 0xCBF29CE484222325U;
  for (char c : word) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return h;
}

}  // namespace

Result<Vector> HashEmbedder::embed(std::string_view text, EmbedUse, const Deadline& deadline) {
  ++calls_;
  if (deadline.passed()) return deadline_error(deadline, "the vector of a text");
  {
    const std::lock_guard lock(mutex_);
    if (failure_) return *failure_;
  }
  const std::vector<std::string> words = words_of(text);
  if (words.empty() || !has_word(text)) return invalid_argument("the text has no word");
  Vector vector(dimensions_, 0.0F);
  for (const std::string& word : words) {
    std::uint64_t state = hash(word);
    for (float& x : vector) {
      state = mix(state);
      x += (state & 1U) != 0 ? 1.0F : -1.0F;
    }
  }
  if (!make_unit_length(vector)) vector[0] = 1.0F;  // words that cancel each other out
  return vector;
}

std::int64_t HashEmbedder::count_tokens(std::string_view text) const {
  return static_cast<std::int64_t>(words_of(text).size());
}

void HashEmbedder::fail_with(std::optional<Error> error) {
  const std::lock_guard lock(mutex_);
  failure_ = std::move(error);
}

}  // namespace weft
