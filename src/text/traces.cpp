#include "text/traces.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>

#include "base/strings.h"

namespace weft {
namespace {

constexpr int kLikelyBits = 20;
constexpr std::size_t kFewOfText = 4;  // pieces taken of one text when there are many

bool is_plain(char c) {
  constexpr std::string_view kWritten = "\"\\<>&'`*#|{}[]";
  return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f && kWritten.find(c) == std::string_view::npos;
}

// A date or a number that we wrote ourselves stands in many places; of what somebody said it may be the very secret.
bool tells(std::string_view piece, bool said) {
  constexpr std::ptrdiff_t kFewestLetters = 4;
  const auto letters = std::count_if(piece.begin(), piece.end(),
                                     [](char c) { return is_letter(c) || static_cast<unsigned char>(c) >= 0x80; });
  return said || letters >= kFewestLetters;
}

// Where pieces begin: side by side, and one at the end of each stretch, so that whatever is left of a text holds one.
std::vector<std::size_t> piece_places(std::string_view text) {
  std::vector<std::size_t> places;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && is_plain(text[end])) ++end;
    for (std::size_t at = begin; at + Traces::kPiece <= end; at += Traces::kPiece) places.push_back(at);
    if (end - begin > Traces::kPiece && (end - begin) % Traces::kPiece != 0) places.push_back(end - Traces::kPiece);
    begin = end + 1;
  }
  return places;
}

std::uint64_t hex(const std::string& text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

}  // namespace

Traces::Traces(std::uint64_t salt)
    : salt_(salt), base_(XXH3_64bits(&salt, sizeof salt) | 1), out_(1), likely_(std::size_t{1} << kLikelyBits) {
  for (std::size_t i = 0; i < kPiece; ++i) out_ *= base_;
}

std::uint64_t Traces::check_of(std::string_view piece) const {
  return XXH3_64bits_withSeed(piece.data(), piece.size(), salt_);
}

void Traces::put(Piece piece) {
  likely_[piece.rolling >> (64 - kLikelyBits)] = true;
  by_rolling_.emplace(piece.rolling, pieces_.size());
  pieces_.push_back(piece);
}

void Traces::add(std::string_view text, bool said) {
  const auto places = piece_places(text);
  const std::size_t wanted = pieces_.size() < kMost ? places.size() : std::min(places.size(), kFewOfText);
  for (std::size_t i = 0; i < wanted; ++i) {
    const std::string_view piece = text.substr(places[i * places.size() / wanted], kPiece);
    if (!tells(piece, said)) continue;
    std::uint64_t rolling = 0;
    for (const char c : piece) rolling = rolling * base_ + static_cast<unsigned char>(c) + 1;
    const std::uint64_t check = check_of(piece);
    const auto [first, last] = by_rolling_.equal_range(rolling);
    const bool known = std::any_of(first, last, [&](const auto& at) { return pieces_[at.second].check == check; });
    if (!known) put({rolling, check, said});
  }
}

void Traces::find(std::string_view bytes,
                  const std::function<void(std::size_t piece, std::uint64_t place)>& found) const {
  if (pieces_.empty() || bytes.size() < kPiece) return;
  std::uint64_t rolling = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    rolling = rolling * base_ + static_cast<unsigned char>(bytes[i]) + 1;
    if (i >= kPiece) rolling -= (static_cast<unsigned char>(bytes[i - kPiece]) + std::uint64_t{1}) * out_;
    if (i + 1 < kPiece || !likely_[rolling >> (64 - kLikelyBits)]) continue;
    const auto [first, last] = by_rolling_.equal_range(rolling);
    if (first == last) continue;
    const std::size_t place = i + 1 - kPiece;
    const std::uint64_t check = check_of(bytes.substr(place, kPiece));
    for (auto at = first; at != last; ++at)
      if (pieces_[at->second].check == check) found(at->second, place);
  }
}

bool Traces::said_in(std::string_view text) const {
  bool found = false;
  find(text, [&](std::size_t piece, std::uint64_t) { found = found || said(piece); });
  return found;
}

bool Traces::quoted_in(std::string_view text) const {
  std::set<std::size_t> pieces;
  find(text, [&](std::size_t piece, std::uint64_t) {
    if (said(piece)) pieces.insert(piece);
  });
  return !pieces.empty() && pieces.size() >= std::min<std::size_t>(2, size());
}

std::string Traces::to_json() const {
  nlohmann::json list = nlohmann::json::array();
  for (const Piece& piece : pieces_)
    list.push_back(fmt::format("{:016x}{:016x}{}", piece.rolling, piece.check, piece.said ? "s" : "m"));
  return nlohmann::json{{"salt", fmt::format("{:016x}", salt_)}, {"pieces", std::move(list)}}.dump();
}

Result<Traces> Traces::parse(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("salt") || !json["salt"].is_string() || !json.contains("pieces"))
    return corrupt("no list of fingerprints");
  Traces traces(hex(json["salt"].get<std::string>()));
  for (const auto& one : json["pieces"]) {
    if (!one.is_string() || one.get_ref<const std::string&>().size() != 33) return corrupt("a broken fingerprint");
    const auto& piece = one.get_ref<const std::string&>();
    traces.put({hex(piece.substr(0, 16)), hex(piece.substr(16, 16)), piece.back() == 's'});
  }
  return traces;
}

}  // namespace weft
