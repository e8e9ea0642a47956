#include "flow/context/request_clauses.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "text/sentences.h"
#include "text/utf8.h"

namespace weft {
namespace {

// What joins two requests in one sentence. A bare "and" joins things far more often.
constexpr std::array<std::string_view, 20> kJoints{
    ", and ", ", then ", " and then ", " and also ", " as well as ", "; ",     "；",     "，然后", "，并且", "，并",
    "，同时", "，再",    "，接着",     "，最后",     "，还要",       "，另外", "，还有", "，以及", "以及",   "然后"};
constexpr std::array<std::string_view, 7> kSpeakers{
    "user:", "assistant:", "system:", "human:", "User:", "Assistant:", "System:"};
constexpr std::size_t kLeastWords = 3;  // "Thank you." asks for nothing

std::string_view without_speaker(std::string_view sentence) {
  for (const std::string_view speaker : kSpeakers)
    if (sentence.starts_with(speaker)) return trimmed(sentence.substr(speaker.size()));
  return sentence;
}

/// Words between spaces; a character of a script without spaces counts as one.
bool asks_for_something(std::string_view text) {
  std::size_t words = 0;
  bool inside = false;
  for (std::size_t at = 0; at < text.size() && words < kLeastWords;) {
    const char32_t c = next_code_point(text, at);
    const bool wide = is_cjk(c), space = c == ' ' || c == '\t' || c == 0x3000;
    if (wide || (!space && !inside)) ++words;
    inside = !wide && !space;
  }
  return words >= kLeastWords;
}

/// The joint at `at`, empty where there is none.
std::string_view joint_at(std::string_view text, std::size_t at) {
  const char c = text[at];
  const bool possible = c == ' ' || c == ',' || c == ';' || static_cast<unsigned char>(c) >= 0xe4;
  if (!possible) return {};
  for (const std::string_view joint : kJoints)
    if (text.substr(at).starts_with(joint)) return joint;
  return {};
}

void cut_at_joints(std::string_view sentence, std::vector<std::string_view>& clauses) {
  const auto keep = [&clauses](std::string_view text) {
    if (const auto clause = trimmed(text); asks_for_something(clause)) clauses.push_back(clause);
  };
  std::size_t begin = 0;
  for (std::size_t at = 0; at < sentence.size();) {
    const std::string_view joint = joint_at(sentence, at);
    if (joint.empty()) {
      ++at;
      continue;
    }
    keep(sentence.substr(begin, at - begin));
    at += joint.size();
    begin = at;
  }
  keep(sentence.substr(begin));
}

}  // namespace

std::vector<std::string_view> request_clauses(std::string_view request, std::size_t most) {
  std::vector<std::string_view> clauses;
  for (const std::string_view sentence : sentences(request)) cut_at_joints(without_speaker(sentence), clauses);
  if (clauses.size() < 2 || most < 2) return {};
  if (clauses.size() > most) {
    // The first say what it is about, the last what is wanted now.
    const std::size_t first = most / 2;
    clauses.erase(clauses.begin() + static_cast<std::ptrdiff_t>(first),
                  clauses.end() - static_cast<std::ptrdiff_t>(most - first));
  }
  return clauses;
}

}  // namespace weft
