#include "ports/embedding/embedder.h"

#include <algorithm>
#include <cmath>

#include "base/ascii.h"
#include "base/lowered.h"
#include "text/utf8.h"

namespace weft {
namespace {

bool is_word_sign(char32_t c) {
  if (c < 0x80) return is_digit(c) || is_letter(c);
  const auto in = [c](char32_t first, char32_t last) { return c >= first && c <= last; };
  // Blocks of punctuation, blanks, joiners and broken bytes.
  return !(in(0x80, 0xA9) || in(0xAB, 0xB4) || in(0xB6, 0xB9) || in(0xBB, 0xBF) || in(0x2000, 0x206F) ||
           in(0x3000, 0x3004) || in(0x3008, 0x3020) || in(0xFE00, 0xFE6F) || in(0xFF00, 0xFF0F) || in(0xFF1A, 0xFF20) ||
           in(0xFF3B, 0xFF40) || in(0xFF5B, 0xFF65) || c == 0xD7 || c == 0xF7 || in(0xFFED, 0xFFFF) || c == 0xFEFF ||
           c == 0x1680);
}

}  // namespace

bool has_word(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (is_word_sign(next_code_point(text, at))) return true;
  }
  return false;
}

EmbedPrefixes EmbedPrefixes::of_family(std::string_view model_name) {
  const std::string name = lowered(model_name);
  const std::size_t at = name.find("e5");
  const bool is_e5 = at != std::string::npos &&
                     (at == 0 || name[at - 1] == '-' || name[at - 1] == '_' || name[at - 1] == '/') &&
                     (at + 2 == name.size() || name[at + 2] == '-' || name[at + 2] == '_' || name[at + 2] == '.');
  if (is_e5) return {"query: ", "query: ", "passage: "};
  return {};
}

const std::string& EmbedPrefixes::of(EmbedUse use) const {
  return use == EmbedUse::kQuery ? query : use == EmbedUse::kPassage ? passage : compare;
}

double cosine(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

bool make_unit_length(Vector& vector) {
  double squares = 0;
  for (float x : vector) squares += static_cast<double>(x) * static_cast<double>(x);
  if (!std::isfinite(squares) || squares <= 0) return false;
  const double scale = 1.0 / std::sqrt(squares);
  for (float& x : vector) x = static_cast<float>(static_cast<double>(x) * scale);
  return true;
}

Error deadline_error(const Deadline& deadline, std::string_view what) {
  if (deadline.cancelled()) return cancelled(std::string(what) + " was cancelled");
  return timed_out(std::string(what) + " was not ready in time");
}

}  // namespace weft
