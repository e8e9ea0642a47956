// Takes a text and the moment it was said; gives the times it names. The way: the text becomes tokens, the grammar
// finds everything that stretches of them can mean, the longest that hold are chosen from left to right, and each is
// resolved at the moment of speaking. Cost: linear, since tokens are read in pieces of bounded size and the grammar
// does bounded work at each. Nothing fails: what is no time is left out.
#include "text/time_expressions.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/strings.h"
#include "text/lexicon.h"
#include "text/time/context.h"
#include "text/time/grammar.h"
#include "text/time/notes.h"
#include "text/time/render.h"
#include "text/time/rules.h"

namespace weft {
namespace {

using namespace timex;  // NOLINT: the parts of this very thing

constexpr std::size_t kPiece = 256;  // tokens that are read at once

const Grammar& grammar() {
  static const Grammar made = [] {
    std::vector<Rule> rules = numeric_rules();
    for (auto more : {holiday_rules(), english_rules(), chinese_rules()}) {
      rules.insert(rules.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    }
    return Grammar(rules);
  }();
  return made;
}

bool is_chinese(const std::vector<Token>& tokens, const Node& node) {
  for (std::size_t i = node.begin; i < node.end; ++i) {
    if (tokens[i].kind == TokenKind::kHan) return true;
    if (tokens[i].kind == TokenKind::kLetters) return false;
  }
  const auto han = [](const Token& token) { return token.kind == TokenKind::kHan; };
  return std::any_of(tokens.begin(), tokens.end(), han);
}

TimeKind kind_of(const Meaning& meaning, const std::string& value) {
  if (meaning.point) return TimeKind::kDateTime;
  return value.find('/') == std::string::npos ? TimeKind::kDate : TimeKind::kRange;
}

/// What else the words can mean: the other side of now, the other half of the day, the weeks up to now.
std::vector<std::string> other_readings(const When& when, const Setting& setting, const std::string& value) {
  std::vector<std::string> others;
  const auto take = [&](const std::optional<Meaning>& meaning) {
    if (!meaning) return;
    std::string other = iso_value(*meaning);
    if (other != value && std::find(others.begin(), others.end(), other) == others.end())
      others.push_back(std::move(other));
  };
  const auto add = [&](const When& reading, const Setting& view) { take(resolve(reading, view)); };
  take(rolled(when, setting));
  if (!when.deictic && !when.dated) {
    Setting turned = setting;
    turned.past = !setting.past;
    add(when, turned);
  }
  if (when.clock && when.clock->ambiguous) {
    for (const int half : {0, 12}) {
      When fixed = when;
      fixed.clock->ambiguous = false;
      fixed.clock->hour = when.clock->hour % 12 + half;
      add(fixed, setting);
    }
  }
  return others;
}

class Finder {
 public:
  Finder(std::vector<Token> tokens, Time spoken, const std::vector<Span>& blocked)
      : tokens_(std::move(tokens)), spoken_(spoken), blocked_(blocked) {
    const Moment seconds = spoken.ms / 1000 - (spoken.ms % 1000 < 0 ? 1 : 0);
    setting_.now = seconds + spoken.offset_minutes * kMinuteSeconds;
    setting_.offset_minutes = spoken.offset_minutes;
  }

  std::vector<TimeExpression> run() {
    const auto chart = grammar().parse(tokens_, setting_);
    std::vector<TimeExpression> found;
    for (std::size_t at = 0; at < tokens_.size();) {
      const auto nodes = ranked(chart[at]);
      std::size_t next = at + 1;
      for (const Node* node : nodes) {
        if (node->kind == NodeKind::kIdiom) {
          next = node->end;
          break;
        }
        auto expression = read(*node);
        if (!expression && is_no_day(*node)) {
          next = node->end;
          break;
        }
        if (!expression) continue;
        note_unsaid_day(*node, *expression);
        note_month(*node, *expression);
        found.push_back(std::move(*expression));
        next = node->end;
        break;
      }
      at = next;
    }
    return found;
  }

  std::optional<TimeExpression> whole_past() {
    setting_.past = true;
    const auto chart = grammar().parse(tokens_, setting_);
    static constexpr std::string_view kLeads[] = {"from", "to", "on", "in", "at", "从", "自", "到", "至"};
    const auto is_lead = [&](std::size_t at) {
      return std::find(std::begin(kLeads), std::end(kLeads), tokens_[at].text) != std::end(kLeads);
    };
    for (std::size_t at = 0; at < tokens_.size(); ++at) {
      for (const Node* node : ranked(chart[at])) {
        if (node->end != tokens_.size() || node->kind != NodeKind::kTime || is_only_number(*node)) continue;
        const auto meaning = resolve(*node->when, setting_);
        if (!meaning) continue;
        TimeExpression expression;
        expression.begin = tokens_[at].begin;
        expression.end = tokens_.back().end;
        expression.relative = node->when->deictic || !node->when->dated;
        put(*node, *meaning, expression);
        return expression;
      }
      if (!is_lead(at)) break;
    }
    return std::nullopt;
  }

 private:
  // "The 31st of next month", where that has thirty days: no other 31st is meant.
  bool is_no_day(const Node& node) const {
    if (node.kind != NodeKind::kTime || node.latent || !node.when->deictic) return false;
    const When& when = *node.when;
    return when.date && (when.fields & kDayField) != 0 && !resolve(when, setting_);
  }

  // "5" may be an hour or a day; "2025" is a year.
  bool is_only_number(const Node& node) const {
    if (!node.latent) return false;
    if (node.when->clock) return true;
    const Token& token = tokens_[node.begin];
    return node.end - node.begin == 1 && token.kind == TokenKind::kDigits && token.text.size() < 4;
  }

  /// Candidates, the longest first; of equal ones times before lengths, and what was built first.
  static std::vector<const Node*> ranked(const std::vector<Node>& nodes) {
    std::vector<const Node*> candidates;
    for (const Node& node : nodes) {
      const bool meant = node.kind == NodeKind::kTime || node.kind == NodeKind::kAmount ||
                         node.kind == NodeKind::kSet || node.kind == NodeKind::kIdiom;
      if (meant) candidates.push_back(&node);
    }
    std::stable_sort(candidates.begin(), candidates.end(), [](const Node* a, const Node* b) {
      if (a->end != b->end) return a->end > b->end;
      const auto rank = [](const Node* n) {
        const int latent = n->latent ? 8 : 0;
        if (n->kind == NodeKind::kAmount) return latent + 3;
        if (n->kind != NodeKind::kTime) return latent;
        // "3-7-2017" is a day before it is the hours from three to seven.
        const bool full_date = n->when->dated && n->when->grain == Grain::kDay && !n->when->is_stretch();
        return latent + (full_date ? 0 : n->when->is_stretch() ? 1 : 2);
      };
      return rank(a) < rank(b);
    });
    return candidates;
  }

  std::optional<TimeExpression> read(const Node& node) const {
    if (node.latent && !is_called_for(tokens_, node)) return std::nullopt;
    if (is_blocked(node) || is_disturbed(tokens_, node)) return std::nullopt;
    TimeExpression expression;
    expression.begin = tokens_[node.begin].begin;
    expression.end = tokens_[node.end - 1].end;
    // The full stop of "p.m." or "Oct." that ends the sentence as well stays there.
    if (tokens_[node.end - 1].text == "." && node.end - node.begin > 1 &&
        (node.end == tokens_.size() || tokens_[node.end].capital)) {
      expression.end = tokens_[node.end - 2].end;
    }
    switch (node.kind) {
      case NodeKind::kAmount:
        expression.kind = TimeKind::kDuration;
        expression.value = iso_duration(*node.amount);
        return expression;
      case NodeKind::kSet:
        expression.kind = TimeKind::kSet;
        expression.value = *node.set;
        return expression;
      default: break;
    }
    if (!read_time(node, expression)) return std::nullopt;
    return expression;
  }

  // A part of the day belongs to the day that was named before it, else to the day of speaking.
  void note_unsaid_day(const Node& node, TimeExpression& expression) {
    if (node.kind != NodeKind::kTime) return;
    const bool one_day = expression.from_ms && expression.to_ms && node.when->date && !node.when->is_now &&
                         *expression.to_ms - *expression.from_ms <= kDaySeconds * 1000;
    if (one_day && expression.notes.size() == 1)
      named_ = NamedDay{floor_to(*expression.from_ms / 1000 + setting_.offset_minutes * kMinuteSeconds, Grain::kDay),
                        node.end};
    if (one_day) unsure_ = expression.notes.size() > 1;
    if (!expression.notes.empty() || !expression.relative) return;
    const Tense tense = tense_of(tokens_, node);
    auto meaning = meaning_of_part(tokens_, node, setting_, tense, named_);
    if (!meaning && !unsure_) meaning = meaning_of_next_day(tokens_, node, setting_, tense, named_);
    if (!meaning || !meaning->from) return;
    put(node, *meaning, expression);
    Meaning day;
    day.from = floor_to(*meaning->from, Grain::kDay);
    day.to = *day.from + kDaySeconds;
    expression.notes = {chinese_note({}, day)};
  }

  // A day of which the month is unsaid is one of the month that the sentence has named: "to Lisbon in March, back on
  // the 21st", 三月去里斯本，21号回来. Else it is seen from the moment of speaking.
  Setting seen_from(const Node& node) const {
    Setting setting = setting_;
    const When& when = *node.when;
    const bool bare = when.fields == kDayField && !when.deictic && !when.is_stretch();
    if (bare && month_ && in_one_sentence(tokens_, month_->at, node.begin)) setting.now = month_->day;
    return setting;
  }

  void note_month(const Node& node, const TimeExpression& expression) {
    if (node.kind != NodeKind::kTime || !expression.from_ms || (node.when->fields & kMonthField) == 0) return;
    month_ = NamedDay{floor_to(*expression.from_ms / 1000 + setting_.offset_minutes * kMinuteSeconds, Grain::kDay),
                      node.end};
  }

  bool is_blocked(const Node& node) const {
    const std::size_t begin = tokens_[node.begin].begin, end = tokens_[node.end - 1].end;
    const auto after = std::lower_bound(blocked_.begin(), blocked_.end(), begin,
                                        [](const Span& span, std::size_t at) { return span.end <= at; });
    return after != blocked_.end() && after->begin < end;
  }

  bool read_time(const Node& node, TimeExpression& expression) const {
    const When& when = *node.when;
    const Tense tense = tense_of(tokens_, node);
    Setting setting = seen_from(node);
    const bool from_now = setting.now == setting_.now;
    setting.past = tense.past && from_now;
    auto meaning = resolve(when, setting);
    if (!meaning) return false;
    expression.relative = when.deictic || !when.dated;
    if (expression.relative) {
      Told told = notes_on(tokens_, node, from_now ? setting_ : setting, from_now ? tense : Tense());
      if (told.meaning) meaning = told.meaning;
      expression.notes = std::move(told.notes);
    }
    put(node, *meaning, expression);
    expression.alternatives = other_readings(when, setting, expression.value);
    if (expression.notes.size() == 1) no_more_exact(node, *meaning, expression);
    return true;
  }

  void put(const Node& node, const Meaning& meaning, TimeExpression& expression) const {
    expression.value = iso_value(meaning);
    expression.kind = kind_of(meaning, expression.value);
    expression.from_ms = utc(meaning.from);
    expression.to_ms = utc(meaning.to);
    if (!expression.relative) return;
    expression.absolute = is_chinese(tokens_, node)
                              ? chinese_words(*node.when, meaning)
                              : english_words(*node.when, meaning, position_of(tokens_, node.begin, node.end));
  }

  // Where the words say less than a day ("last month", "two weeks ago"), so does what takes their place; a clock time
  // that the note leaves out would be lost.
  void no_more_exact(const Node& node, const Meaning& meaning, TimeExpression& expression) const {
    const When& when = *node.when;
    const bool chinese = is_chinese(tokens_, node);
    const std::string& note = expression.notes.front();
    if (note == (chinese ? chinese_note(when, meaning) : english_note(when, meaning))) return;
    if (when.clock) return expression.absolute.clear();
    if (chinese) {
      if (!when.is_stretch()) expression.absolute = note;
      return;
    }
    static const auto kOpeners = lexicon("en/times", "openers");
    const std::string& first = tokens_[node.begin].text;
    const bool opens = std::find(std::begin(kOpeners), std::end(kOpeners), first) != std::end(kOpeners);
    const bool rough = note.starts_with("around ") || note.starts_with("the ");
    const bool noun = position_of(tokens_, node.begin, node.end) != Position::kAdverb;
    const bool day = !note.empty() && is_digit(note.front()) && note.find(' ') != std::string::npos;
    expression.absolute = (opens ? first + " " : rough || noun ? "" : day ? "on " : "in ") + note;
  }

  std::optional<std::int64_t> utc(const std::optional<Moment>& local) const {
    if (!local) return std::nullopt;
    return (*local - spoken_.offset_minutes * kMinuteSeconds) * 1000;
  }

  std::vector<Token> tokens_;
  Time spoken_;
  Setting setting_;
  std::optional<NamedDay> named_;  ///< the day that was named last
  std::optional<NamedDay> month_;  ///< where the month begins that was named last, or the day of it
  bool unsure_ = false;  ///< the last named may be either of two
  const std::vector<Span>& blocked_;
};

/// Where a piece may end: behind the last sentence that fits, else where it is full.
std::size_t piece_end(const std::vector<Token>& tokens, std::size_t begin) {
  if (tokens.size() - begin <= kPiece) return tokens.size();
  static constexpr std::string_view kEnds[] = {"。", "！", "？", "!", "?", ".", ";"};
  for (std::size_t at = begin + kPiece; at > begin + kPiece / 2; --at) {
    const bool ends = std::find(std::begin(kEnds), std::end(kEnds), tokens[at - 1].text) != std::end(kEnds);
    if (ends && !tokens[at].glued) return at;
  }
  return begin + kPiece;
}

std::vector<std::vector<TimeExpression>> read_at_each(std::string_view text, std::span<const Time> moments,
                                                      const std::vector<Span>& blocked) {
  std::vector<std::vector<TimeExpression>> found(moments.size());
  std::vector<Token> tokens = tokenize_times(text);
  for (std::size_t begin = 0; begin < tokens.size();) {
    const std::size_t end = piece_end(tokens, begin);
    std::vector<Token> piece(std::make_move_iterator(tokens.begin() + static_cast<std::ptrdiff_t>(begin)),
                             std::make_move_iterator(tokens.begin() + static_cast<std::ptrdiff_t>(end)));
    for (std::size_t i = 0; i < moments.size(); ++i) {
      const bool last = i + 1 == moments.size();
      auto more = Finder(last ? std::move(piece) : piece, moments[i], blocked).run();
      found[i].insert(found[i].end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    }
    begin = end;
  }
  return found;
}

}  // namespace

std::string_view to_string(TimeKind kind) {
  switch (kind) {
    case TimeKind::kDate: return "date";
    case TimeKind::kTime: return "time";
    case TimeKind::kDateTime: return "datetime";
    case TimeKind::kRange: return "range";
    case TimeKind::kDuration: return "duration";
    case TimeKind::kSet: return "set";
  }
  return "date";
}

std::vector<TimeExpression> find_time_expressions(std::string_view text, Time spoken) {
  return find_time_expressions(text, spoken, {});
}

std::vector<TimeExpression> find_time_expressions(std::string_view text, Time spoken,
                                                  const std::vector<Span>& blocked) {
  return std::move(read_at_each(text, std::span(&spoken, 1), blocked).front());
}

std::optional<TimeExpression> read_past_time(std::string_view text, Time spoken) {
  static constexpr std::string_view kStops[] = {".", "。", ",", "!", "?", ";"};
  std::vector<Token> tokens = tokenize_times(text);
  while (!tokens.empty() && std::find(std::begin(kStops), std::end(kStops), tokens.back().text) != std::end(kStops))
    tokens.pop_back();
  if (tokens.empty() || tokens.size() > kPiece) return std::nullopt;
  const std::vector<Span> nothing;
  return Finder(std::move(tokens), spoken, nothing).whole_past();
}

std::vector<std::vector<TimeExpression>> find_times_at_each(std::string_view text, std::span<const Time> moments) {
  return read_at_each(text, moments, {});
}

}  // namespace weft
