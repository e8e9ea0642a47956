#include "eval/absolutize.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "eval/json_lines.h"
#include "flow/historian/absolutise.h"
#include "flow/historian/rewrite.h"
#include "text/json.h"
#include "text/utf8.h"

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
    out.rewritten = json.value("rewritten", "");
    out.speaker = json.value("speaker", "User");
    out.hearer = json.value("hearer", "Assistant");
    out.spoken = kSpoken;
    if (json.contains("spoken")) {
      WEFT_TRY(out.spoken, parse_time(json.at("spoken").get<std::string>()));
    }
    for (const Json& one : json.value("judged", Json::array()))
      out.judged.push_back({one.at("word").get<std::string>(), one.at("means").get<std::vector<std::string>>()});
    if (json.contains("references")) out.references = json.at("references").get<std::vector<std::string>>();
    return out;
  } catch (const Json::exception& error) {
    return invalid_argument(error.what(),
                            R"(each line needs "id", "context" and "text"; of judged words "word" and "means")");
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

Speech speech_of(const RewriteCase& turn) {
  Speech speech;
  speech.sender = {turn.speaker, turn.speaker};
  speech.addressee = Person{turn.hearer, turn.hearer};
  speech.time = turn.spoken;
  speech.name_speakers = false;  // as in the event of a topic, where a line says who spoke
  for (std::size_t i = 0; i < turn.context.size(); ++i) {
    // The last one before the turn was said by the other of the two.
    const bool other = (turn.context.size() - i) % 2 == 1;
    speech.earlier.push_back({other ? turn.hearer : turn.speaker, turn.context[i]});
  }
  return speech;
}

struct Sums {
  std::int64_t turns = 0, restored = 0, annotated = 0, passed = 0, right = 0, open = 0, wrong = 0;
  std::int64_t rewritten = 0, exact = 0, complete = 0, kept = 0, copied = 0;
  Bleu bleu, copy;

  void add(const RewriteCase& turn) {
    ++turns;
    const Speech speech = speech_of(turn);
    const Absolute plain = absolutise(turn.text, speech);
    restored += without(plain.text, plain.annotations) == turn.text ? 1 : 0;
    annotated += plain.annotations.empty() ? 0 : 1;
    Speech named = speech;
    named.name_speakers = true;  // as in the event of an end, which is what the gate reads
    const std::string gated = absolutise(turn.text, named).text;
    passed += check(gated, GateMode::kBalanced, {turn.speaker, turn.hearer}).empty() ? 1 : 0;
    if (!turn.judged.empty()) judge(turn, plain);
    if (!turn.rewritten.empty()) compare(turn, speech);
  }

 private:
  void judge(const RewriteCase& turn, const Absolute& plain) {
    std::vector<bool> used(plain.changes.size());
    for (const JudgedWord& word : turn.judged) {
      std::size_t at = 0;
      while (at < used.size() && (used[at] || plain.changes[at].what.find(word.word) == std::string::npos)) ++at;
      if (at == used.size()) {
        ++open;
        continue;
      }
      used[at] = true;
      const Change& change = plain.changes[at];
      const bool fits = std::find(word.means.begin(), word.means.end(), change.by) != word.means.end();
      ++(!change.sure ? open : fits ? right : wrong);
    }
    for (std::size_t i = 0; i < used.size(); ++i)
      if (!used[i] && plain.changes[i].sure) ++wrong;
  }

  void compare(const RewriteCase& turn, Speech speech) {
    speech.style = Style::kReplace;
    const Words words = rewrite_words(absolutise(turn.text, speech).text), before = rewrite_words(turn.text),
                wanted = rewrite_words(turn.rewritten);
    std::vector<Words> references = {wanted};
    for (const std::string& reference : turn.references) references.push_back(rewrite_words(reference));
    const auto matches = [&](const Words& w) {
      return std::find(references.begin(), references.end(), w) != references.end();
    };
    ++rewritten;
    exact += matches(words) ? 1 : 0;
    copied += matches(before) ? 1 : 0;
    bleu.add(words, references);
    copy.add(before, references);
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
  std::vector<RewriteCase> cases;
  WEFT_CHECK(each_json_line(path, [&](const Json& json, std::size_t) -> Status {
    WEFT_TRY(auto turn, read_case(json));
    cases.push_back(std::move(turn));
    return {};
  }));
  return cases;
}

std::vector<std::string> rewrite_words(const std::string& text) {
  Words words;
  bool inside = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    const bool han = is_cjk(c);
    // General and Chinese punctuation, and the full-width forms of ASCII's.
    const bool mark = (c >= 0x2010 && c < 0x2070) || (c >= 0x3000 && c < 0x3040) || (c >= 0xFF00 && c < 0xFF10) ||
                      (c >= 0xFF1A && c < 0xFF21);
    const bool letter = !han && !mark && (c >= 0x80 || is_letter(c) || is_digit(c) || c == U'_');
    if (han || (letter && !inside)) words.emplace_back();
    if (han || letter) {
      words.back() += c < 0x80 ? std::string(1, to_lower(text[begin])) : text.substr(begin, at - begin);
    } else if (c > U' ') {
      words.push_back(text.substr(begin, at - begin));
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
  report.restored = share(sums.restored, sums.turns);
  report.annotated = share(sums.annotated, sums.turns);
  report.gate_passed = share(sums.passed, sums.turns);
  report.right = sums.right;
  report.open = sums.open;
  report.wrong = sums.wrong;
  report.exact = share(sums.exact, sums.rewritten);
  report.bleu4 = sums.bleu.score();
  report.unchanged_kept = share(sums.kept, sums.complete);
  report.copy_exact = share(sums.copied, sums.rewritten);
  report.copy_bleu4 = sums.copy.score();
  return report;
}

std::string to_json(const RewriteReport& report) {
  nlohmann::ordered_json json;
  json["turns"] = report.turns;
  json["restored"] = report.restored;
  json["annotated"] = report.annotated;
  json["gate_passed"] = report.gate_passed;
  json["judged"] = {{"right", report.right}, {"none_or_candidates", report.open}, {"wrong", report.wrong}};
  json["literal"] = {{"exact", report.exact}, {"bleu4", report.bleu4}, {"unchanged_kept", report.unchanged_kept}};
  json["copy"] = {{"exact", report.copy_exact}, {"bleu4", report.copy_bleu4}};
  return write_json(json);
}

}  // namespace weft
