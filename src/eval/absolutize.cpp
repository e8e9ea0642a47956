#include "eval/absolutize.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/ascii.h"
#include "flow/historian/absolutise.h"
#include "flow/historian/complete_turn.h"
#include "flow/historian/gate.h"
#include "text/json.h"

namespace weft {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;
using Counts = std::map<Words, std::int64_t>;

constexpr std::size_t kLongest = 4;

// Some day on which it was said: the files have none, and the gate wants times that are resolved.
constexpr Time kSpoken{1'772'700'000'000, 0};

Result<RewriteCase> read_case(const Json& json) {
  try {
    RewriteCase out;
    out.id = json.at("id").get<std::string>();
    out.context = json.at("context").get<std::vector<std::string>>();
    out.text = json.at("text").get<std::string>();
    out.rewritten = json.at("rewritten").get<std::string>();
    if (json.contains("references")) out.references = json.at("references").get<std::vector<std::string>>();
    return out;
  } catch (const Json::exception& error) {
    return invalid_argument(error.what(), R"(each line needs "id", "context", "text" and "rewritten")");
  }
}

Counts count(const Words& words, std::size_t length) {
  Counts counts;
  for (std::size_t i = 0; i + length <= words.size(); ++i)
    ++counts[Words(words.begin() + static_cast<std::ptrdiff_t>(i),
                   words.begin() + static_cast<std::ptrdiff_t>(i + length))];
  return counts;
}

std::int64_t nearest_length(std::size_t length, const std::vector<Words>& references) {
  const auto distance = [&](const Words& words) {
    return std::llabs(static_cast<long long>(words.size()) - static_cast<long long>(length));
  };
  const auto nearest = std::min_element(references.begin(), references.end(), [&](const Words& a, const Words& b) {
    return distance(a) != distance(b) ? distance(a) < distance(b) : a.size() < b.size();
  });
  return nearest == references.end() ? 0 : static_cast<std::int64_t>(nearest->size());
}

std::vector<EarlierMessage> earlier_of(const RewriteCase& turn) {
  std::vector<EarlierMessage> earlier;
  for (std::size_t i = 0; i < turn.context.size(); ++i) {
    // The last one before the turn was said by the other of the two.
    const bool assistant = (turn.context.size() - i) % 2 == 1;
    earlier.push_back({assistant ? "Assistant" : "User", turn.context[i]});
  }
  return earlier;
}

bool passes_gate(const std::string& text, const std::vector<EarlierMessage>& earlier) {
  Speech speech;
  speech.sender = {"user", "User"};
  speech.addressee = Person{"assistant", "Assistant"};
  speech.time = kSpoken;
  speech.earlier = earlier;
  return check(absolutise(text, speech).text, GateMode::kBalanced, {"User", "Assistant"}).empty();
}

struct Sums {
  std::int64_t turns = 0, exact = 0, complete = 0, kept = 0, passed = 0, copied = 0;
  Bleu bleu, copy;

  void add(const RewriteCase& turn) {
    const auto earlier = earlier_of(turn);
    const std::string text = complete_turn(turn.text, earlier);
    const Words words = rewrite_words(text), before = rewrite_words(turn.text), wanted = rewrite_words(turn.rewritten);
    std::vector<Words> references = {wanted};
    for (const std::string& reference : turn.references) references.push_back(rewrite_words(reference));
    const auto matches = [&](const Words& w) {
      return std::find(references.begin(), references.end(), w) != references.end();
    };
    ++turns;
    exact += matches(words) ? 1 : 0;
    copied += matches(before) ? 1 : 0;
    bleu.add(words, references);
    copy.add(before, references);
    passed += passes_gate(text, earlier) ? 1 : 0;
    if (before != wanted) return;
    ++complete;
    kept += words == before ? 1 : 0;
  }
};

double share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

Result<std::vector<RewriteCase>> read_rewrites(const std::string& path) {
  std::ifstream file(path);
  if (!file) return not_found("cannot read " + path);
  std::vector<RewriteCase> cases;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (line.empty()) continue;
    const std::string where = path + ":" + std::to_string(number);
    WEFT_TRY(const Json json, read_json(line, JsonLimits{}, where));
    auto turn = read_case(json);
    if (!turn.ok()) return invalid_argument(where + ": " + turn.error().message, turn.error().hint);
    cases.push_back(std::move(turn).value());
  }
  return cases;
}

std::vector<std::string> rewrite_words(const std::string& text) {
  Words words;
  bool inside = false;
  for (const char c : text) {
    const bool letter = is_letter(c) || is_digit(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
    if (letter) {
      if (!inside) words.emplace_back();
      words.back() += to_lower(c);
    } else if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
      words.emplace_back(1, c);
    }
    inside = letter;
  }
  return words;
}

void Bleu::add(const Words& words, const std::vector<Words>& references) {
  length_ += static_cast<std::int64_t>(words.size());
  reference_length_ += nearest_length(words.size(), references);
  for (std::size_t n = 1; n <= kLongest; ++n) {
    Counts most;
    for (const Words& reference : references) {
      for (const auto& [gram, times] : count(reference, n)) most[gram] = std::max(most[gram], times);
    }
    for (const auto& [gram, times] : count(words, n)) {
      there_[n - 1] += times;
      if (const auto found = most.find(gram); found != most.end()) matched_[n - 1] += std::min(times, found->second);
    }
  }
}

double Bleu::score() const {
  double logarithms = 0;
  for (std::size_t n = 0; n < kLongest; ++n) {
    if (matched_[n] == 0) return 0;
    logarithms += std::log(static_cast<double>(matched_[n]) / static_cast<double>(there_[n]));
  }
  const double brevity = length_ >= reference_length_
                             ? 1
                             : std::exp(1 - static_cast<double>(reference_length_) / static_cast<double>(length_));
  return brevity * std::exp(logarithms / static_cast<double>(kLongest));
}

Result<RewriteReport> eval_rewrites(const std::vector<std::string>& files) {
  Sums sums;
  for (const std::string& file : files) {
    WEFT_TRY(const auto cases, read_rewrites(file));
    for (const RewriteCase& turn : cases) sums.add(turn);
  }
  RewriteReport report;
  report.turns = sums.turns;
  report.exact = share(sums.exact, sums.turns);
  report.bleu4 = sums.bleu.score();
  report.unchanged_kept = share(sums.kept, sums.complete);
  report.gate_passed = share(sums.passed, sums.turns);
  report.copy_exact = share(sums.copied, sums.turns);
  report.copy_bleu4 = sums.copy.score();
  return report;
}

std::string to_json(const RewriteReport& report) {
  nlohmann::ordered_json json;
  json["turns"] = report.turns;
  json["exact"] = report.exact;
  json["bleu4"] = report.bleu4;
  json["unchanged_kept"] = report.unchanged_kept;
  json["gate_passed"] = report.gate_passed;
  json["copy"] = {{"exact", report.copy_exact}, {"bleu4", report.copy_bleu4}};
  return write_json(json);
}

}  // namespace weft
