#include "flow/compaction/flush.h"

#include <algorithm>
#include <unordered_map>

#include "flow/compaction/call_outcome.h"
#include "flow/compaction/summary_patterns.h"
#include "text/extract.h"
#include "text/sentences.h"
#include "text/small_talk.h"

namespace weft {
namespace {

constexpr std::size_t kMost = 200;         // candidates of one flush
constexpr std::size_t kMostValues = 40;    // of them from outputs of tools
constexpr std::size_t kLongest = 480, kAnalysed = 4096;  // bytes of a candidate, of a sentence

struct Found {
  std::vector<std::string> tags;
  double confidence = 0;
};

// "my order is 4711", "我的会员号是 A123": the speaker's own data.
bool about_speaker(const std::vector<PlainWord>& words) {
  return std::any_of(words.begin(), words.end(), [](const PlainWord& word) {
    return word.text == "my" || word.text == "i" || word.text == "our" || word.text == "we" || word.text == "我";
  });
}

// How sure a wording makes it: said in so many words .9, implied by an obligation .7, a plain remark with data .5.
Found judge(const Signs& signs, bool facts, bool own) {
  Found found;
  if (signs.question) return found;
  const auto tag = [&found](const char* name, double confidence) {
    found.tags.emplace_back(name);
    found.confidence = std::max(found.confidence, confidence);
  };
  const double asked = signs.any(kSignRemember) ? 0.05 : 0;  // "remember …" says that it will be needed
  const bool rule = signs.any(kSignMust) || (signs.any(kSignShould) && signs.negated) || signs.any(kSignRemember);
  if (signs.any(kSignPrefers) || (rule && !signs.any(kSignSafety)))
    tag("user_preference", (signs.any(kSignPrefers) ? 0.9 : 0.7) + asked);
  if (signs.any(kSignLongTerm)) tag("long_term_goal", 0.8 + asked);
  if (signs.any(kSignSafety)) tag("safety_boundary", (rule ? 0.95 : 0.75));
  if (signs.any(kSignLimit) && found.tags.empty()) tag("user_preference", 0.6);
  if (facts && (own || !found.tags.empty())) tag("fact", 0.5 + asked);
  return found;
}

class Rules {
 public:
  explicit Rules(const FlushSource& source) : source_(source) {}

  std::vector<Candidate> run() {
    for (const Message* message : source_.messages) {
      if (message->role == Role::kUser) take_user(*message);
      if (message->role == Role::kTool) take_output(*message);
    }
    if (found_.size() > kMost) {
      std::vector<double> sure;
      for (const Candidate& candidate : found_) sure.push_back(candidate.confidence);
      std::nth_element(sure.begin(), sure.begin() + kMost - 1, sure.end(), std::greater<>());
      const double least = sure[kMost - 1];
      std::erase_if(found_, [least](const Candidate& candidate) { return candidate.confidence < least; });
      found_.resize(std::min(found_.size(), kMost));
    }
    for (Candidate& candidate : found_) candidate.candidate_id = source_.new_id ? source_.new_id() : std::string();
    return std::move(found_);
  }

 private:
  void take_user(const Message& message) {
    const std::string prose = without_code(message.content);
    for (const std::string_view sentence : sentences(prose)) {
      const std::string_view part = sentence.substr(0, kAnalysed);
      const auto words = plain_words(part);
      const Found found = judge(find_signs(words), !key_facts(part).empty(), about_speaker(words));
      if (found.tags.empty() || is_empty_talk(words, 0, words.size(), capital_words(part))) continue;
      add(one_line(part, kLongest), found, message.id);
    }
  }

  void take_output(const Message& message) {
    for (const NamedValue& scalar : json_scalars(message.content)) {
      if (values_ >= kMostValues) return;
      if (scalar.name.empty() || scalar.value.size() > 80) continue;
      const auto facts = key_facts(scalar.value);
      if (facts.size() != 1 || facts.front().text != scalar.value || facts.front().kind == FactKind::kName) continue;
      ++values_;
      add(scalar.name + ": " + scalar.value, {{"fact"}, 0.4}, message.id);
    }
  }

  void add(std::string text, const Found& found, const MessageId& source) {
    if (text.empty()) return;
    const auto [at, fresh] = places_.try_emplace(text, found_.size());
    if (!fresh) {
      auto& sources = found_[at->second].source_message_ids;
      if (sources.back() != source) sources.push_back(source);
      return;
    }
    Candidate candidate;
    candidate.source_session_id = source_.session;
    candidate.source_message_ids = {source};
    candidate.candidate_text = std::move(text);
    candidate.constraint_tags = found.tags;
    candidate.confidence = std::min(found.confidence, 1.0);
    candidate.created_at = source_.now;
    found_.push_back(std::move(candidate));
  }

  const FlushSource& source_;
  std::vector<Candidate> found_;
  std::unordered_map<std::string, std::size_t> places_;
  std::size_t values_ = 0;
};

}  // namespace

std::vector<Candidate> flush_by_rules(const FlushSource& source) { return Rules(source).run(); }

}  // namespace weft
