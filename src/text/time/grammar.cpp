// A chart, filled from the last token to the first: when a rule is tried at a token, everything that can follow there
// is known already. Nodes at one token, and the tokens of one node, are bounded, so the work is linear in the text.
#include "text/time/grammar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "base/strings.h"
#include "text/han_text.h"
#include "text/lexicon.h"
#include "text/time/lexer.h"
#include "text/time/numerals.h"
#include "text/time/phrase.h"
#include "text/utf8.h"

namespace weft::timex {
namespace {

constexpr std::size_t kMostNodes = 48;  // at one token
constexpr std::size_t kMostTokens = 40;  // of one node

bool is_whole(const Node& n) { return n.kind == NodeKind::kNumber && n.number == std::floor(n.number); }
bool is_between(const Node& n, double low, double high) { return is_whole(n) && n.number >= low && n.number <= high; }
bool is_point(const Node& n) { return n.kind == NodeKind::kTime && !n.when->is_stretch(); }
bool has_fields(const Node& n, unsigned fields) {
  return is_point(n) && n.when->date && n.when->fields == fields && !n.when->has_time();
}

struct Named {
  std::string_view name;
  bool (*test)(const Node&);
};

/// The nodes that rules can ask for.
constexpr Named kTests[] = {
    {"number", [](const Node& n) { return n.kind == NodeKind::kNumber && !n.ordinal; }},
    {"int", [](const Node& n) { return is_whole(n) && !n.ordinal; }},
    {"small", [](const Node& n) { return is_between(n, 1, 60) && !n.ordinal; }},
    {"ordinal", [](const Node& n) { return n.ordinal && is_between(n, 1, 60); }},
    {"yearday", [](const Node& n) { return n.ordinal && is_between(n, 61, 366); }},
    {"day", [](const Node& n) { return is_between(n, 1, 31) && n.digits <= 2; }},
    {"dayth", [](const Node& n) { return n.ordinal && is_between(n, 1, 31); }},
    {"daynumber", [](const Node& n) { return is_between(n, 1, 31) && n.digits <= 2 && !n.ordinal; }},
    {"mm", [](const Node& n) { return is_between(n, 1, 12) && !n.words && n.digits <= 2 && !n.ordinal; }},
    {"dd", [](const Node& n) { return is_between(n, 1, 31) && !n.words && n.digits <= 2 && !n.ordinal; }},
    {"yy", [](const Node& n) { return is_whole(n) && !n.words && n.digits == 2; }},
    {"yyyy", [](const Node& n) { return n.year; }},
    {"yyyymmdd", [](const Node& n) { return is_between(n, 19000101, 21001231) && n.digits == 8; }},
    {"monthnumber", [](const Node& n) { return is_between(n, 1, 12) && !n.ordinal && n.digits <= 2; }},
    {"hour", [](const Node& n) { return is_between(n, 0, 24) && !n.ordinal && n.digits <= 2; }},
    {"hourdigits", [](const Node& n) { return is_between(n, 0, 24) && !n.ordinal && !n.words && n.digits <= 2; }},
    {"minute", [](const Node& n) { return is_between(n, 0, 59) && !n.ordinal && n.digits <= 2; }},
    {"sixty", [](const Node& n) { return is_between(n, 0, 59) && !n.words && n.digits == 2; }},
    {"tclock",
     [](const Node& n) { return is_point(n) && !n.latent && n.when->clock && !n.when->date && !n.when->part; }},
    {"eday", [](const Node& n) { return is_between(n, 1, 31) && n.digits <= 2 && !n.chinese; }},
    {"hhmm",
     [](const Node& n) {
       return is_whole(n) && (n.digits == 3 || n.digits == 4) && !n.words && n.number < 2400 &&
              std::fmod(n.number, 100) < 60 && (n.number < 1900 || n.number >= 2060);
     }},
    {"unit", [](const Node& n) { return n.kind == NodeKind::kUnit && !n.chinese; }},
    {"zunit", [](const Node& n) { return n.kind == NodeKind::kUnit && n.chinese; }},
    {"amount", [](const Node& n) { return n.kind == NodeKind::kAmount; }},
    {"zone", [](const Node& n) { return n.kind == NodeKind::kZone; }},
    {"set", [](const Node& n) { return n.kind == NodeKind::kSet; }},
    {"any", [](const Node& n) { return n.kind == NodeKind::kTime; }},
    {"time", [](const Node& n) { return n.kind == NodeKind::kTime && !n.latent; }},
    {"point", is_point},
    {"stretch", [](const Node& n) { return n.kind == NodeKind::kTime && n.when->from && n.when->to; }},
    {"date",
     [](const Node& n) { return is_point(n) && n.when->date && !n.when->clock && n.when->grain == Grain::kDay; }},
    {"daydate",
     [](const Node& n) { return is_point(n) && n.when->date && !n.when->has_time() && n.when->grain == Grain::kDay; }},
    {"coarse",
     [](const Node& n) { return is_point(n) && n.when->date && !n.when->has_time() && n.when->grain > Grain::kDay; }},
    {"clock", [](const Node& n) { return is_point(n) && n.when->clock && !n.when->date && !n.when->part; }},
    {"part", [](const Node& n) { return is_point(n) && n.when->part && !n.when->date && !n.when->clock; }},
    {"timed", [](const Node& n) { return is_point(n) && n.when->clock; }},
    {"month", [](const Node& n) { return has_fields(n, kMonthField); }},
    {"weekday", [](const Node& n) { return has_fields(n, kWeekdayField); }},
    {"monthday", [](const Node& n) { return has_fields(n, kMonthField | kDayField); }},
    {"yeartime", [](const Node& n) { return has_fields(n, kYearField); }},
    {"yearmonth", [](const Node& n) { return has_fields(n, kYearField | kMonthField); }},
    {"holiday", [](const Node& n) { return is_point(n) && n.when->fields == kHolidayField && !n.when->has_time(); }},
    {"season", [](const Node& n) { return is_point(n) && n.when->fields == kSeasonField; }},
    {"quarter", [](const Node& n) { return is_point(n) && n.when->fields == kQuarterField; }},
};

bool same(const Node& a, const Node& b) {
  if (a.end != b.end || a.kind != b.kind) return false;
  switch (a.kind) {
    case NodeKind::kNumber: return a.number == b.number && a.ordinal == b.ordinal && a.year == b.year;
    case NodeKind::kUnit: return a.grain == b.grain;
    case NodeKind::kAmount:
    case NodeKind::kIdiom: return true;
    case NodeKind::kZone: return a.number == b.number;
    case NodeKind::kSet: return *a.set == *b.set;
    case NodeKind::kTime: break;
  }
  const When& x = *a.when;
  const When& y = *b.when;
  const auto hour = [](const When& w) { return w.clock ? w.clock->hour * 2 + (w.clock->ambiguous ? 1 : 0) : -1; };
  return a.latent == b.latent && x.is_stretch() == y.is_stretch() && x.fields == y.fields && x.grain == y.grain &&
         x.has_time() == y.has_time() && x.deictic == y.deictic && hour(x) == hour(y) &&
         (x.from == nullptr) == (y.from == nullptr) && (x.to == nullptr) == (y.to == nullptr);
}

bool is_word_letter(char32_t c) {
  return (c >= U'a' && c <= U'z') || is_upper(c) || (c >= 0xC0 && c < 0x2000 && c != 0xD7 && c != 0xF7);
}
bool is_space(char32_t c) {
  return c <= U' ' || c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200B) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000 || c == 0xFEFF;
}

/// Marks and full-width forms under one character each.
char32_t fold(char32_t c) {
  if (c == 0x3000) return c;
  if (c >= 0xFF01 && c <= 0xFF5E) c -= 0xFEE0;
  switch (c) {
    case 0x2018:
    case 0x2019:
    case 0x2032: return U'\'';
    case 0x201C:
    case 0x201D:
    case 0x2033: return U'"';
    case 0x2010:
    case 0x2011:
    case 0x2012:
    case 0x2013:
    case 0x2014:
    case 0x2015:
    case 0x2212: return U'-';
    case 0x301C: return U'~';
    case 0x3001: return U',';
    case 0x3007: return U'零';
    default: return c;
  }
}

struct Character {
  char32_t c = 0;
  std::size_t begin = 0, end = 0;
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    bool glued = false;
    for (auto at = look(0); at.begin < text_.size(); at = look(at.end)) {
      if (is_space(at.c)) {
        glued = false;
        continue;
      }
      Token token;
      token.begin = at.begin;
      token.glued = glued;
      token.capital = is_upper(at.c);
      take(token, at);
      token.end = at.end;
      tokens_.push_back(std::move(token));
      glued = true;
    }
    return std::move(tokens_);
  }

 private:
  Character look(std::size_t at) const {
    Character character;
    character.begin = at;
    if (at < text_.size()) character.c = fold(next_code_point(text_, at));
    character.end = at;
    return character;
  }

  /// Fills the token that begins with a character; `at` becomes its last one.
  void take(Token& token, Character& at) const {
    if (is_digit(at.c)) {
      token.kind = TokenKind::kDigits;
      append_code_point(token.text, at.c);
      for (auto next = look(at.end); next.begin < text_.size() && is_digit(next.c); next = look(at.end)) {
        append_code_point(token.text, next.c);
        at = next;
      }
    } else if (is_word_letter(at.c)) {
      token.kind = TokenKind::kLetters;
      take_word(token, at);
    } else if (is_cjk(at.c)) {
      token.kind = TokenKind::kHan;
      append_code_point(token.text, fold_han(at.c));
    } else {
      append_code_point(token.text, at.c);
    }
  }

  void take_word(Token& token, Character& at) const {
    append_code_point(token.text, is_upper(at.c) ? at.c + 32 : at.c);
    for (auto next = look(at.end); next.begin < text_.size(); next = look(at.end)) {
      if (next.c == U'\'') {
        const auto after = look(next.end);
        if (after.begin >= text_.size() || !is_word_letter(after.c)) {
          // "secretaries' day": the mark belongs to the word when a space follows.
          if (token.text.back() == 's' && after.begin < text_.size() && after.c == U' ') at = next;
          return;
        }
        next = after;
      }
      if (!is_word_letter(next.c)) return;
      append_code_point(token.text, is_upper(next.c) ? next.c + 32 : next.c);
      at = next;
    }
  }

  std::string_view text_;
  std::vector<Token> tokens_;
};

}  // namespace

/// The state of matching at one token.
struct Grammar::Match {
  const std::vector<Token>& tokens;
  std::vector<std::vector<Node>>& chart;
  const Setting& setting;
  std::size_t begin = 0;
  std::vector<const Node*> nodes;
  std::vector<Node> made;
};

Grammar::Grammar(const std::vector<Rule>& rules) {
  for (const Rule& rule : rules) add(rule);
}

bool Grammar::knows_node(std::string_view name) {
  return std::any_of(std::begin(kTests), std::end(kTests), [&](const Named& named) { return named.name == name; });
}

Grammar::Item Grammar::compile(std::string_view text) {
  Item item;
  if (text.size() > 2 && text.front() == '<' && text.back() == '>') {
    const auto name = text.substr(1, text.size() - 2);
    for (const Named& named : kTests) {
      if (named.name == name) item.test = named.test;
    }
    return item;
  }
  while (!text.empty()) {
    const auto bar = text.size() > 1 ? text.find('|') : std::string_view::npos;
    std::string alternative(text.substr(0, bar));
    std::replace(alternative.begin(), alternative.end(), '_', ' ');
    Words words;
    for (const Token& token : tokenize_times(alternative)) {
      words.push_back(vocabulary_.emplace(token.text, vocabulary_.size() + 1).first->second);
    }
    item.words.push_back(std::move(words));
    text = bar == std::string_view::npos ? std::string_view() : text.substr(bar + 1);
  }
  return item;
}

void Grammar::add(const Rule& rule) {
  makes_.push_back(std::make_shared<const Make>(rule.make));
  std::vector<Compiled> variants(1);
  variants.front().make = makes_.back().get();
  for (std::string_view rest = rule.pattern; !rest.empty();) {
    const auto space = rest.find(' ');
    auto text = rest.substr(0, space);
    rest = space == std::string_view::npos ? std::string_view() : rest.substr(space + 1);
    const bool optional = text.size() > 1 && text.back() == '?';
    if (optional) text.remove_suffix(1);
    const Item item = compile(text);
    const std::size_t count = variants.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (optional) variants.push_back(variants[i]);
      variants[i].items.push_back(item);
    }
  }
  for (Compiled& variant : variants) {
    if (variant.items.empty()) continue;
    const auto index = static_cast<std::uint32_t>(rules_.size());
    if (variant.items.front().test != nullptr) by_node_.push_back(index);
    for (const Words& words : variant.items.front().words) {
      auto& list = by_word_[words.front()];
      if (list.empty() || list.back() != index) list.push_back(index);
    }
    rules_.push_back(std::move(variant));
  }
}

void Grammar::apply(Match& match, const Compiled& rule, std::size_t end) const {
  auto node = (*rule.make)(Args{match.setting, match.nodes});
  if (!node) return;
  node->begin = static_cast<std::uint32_t>(match.begin);
  node->end = static_cast<std::uint32_t>(end);
  if (node->end - node->begin > kMostTokens) return;
  if (node->kind == NodeKind::kUnit) node->chinese = match.tokens[match.begin].kind == TokenKind::kHan;
  match.made.push_back(std::move(*node));
}

void Grammar::step(Match& match, const Compiled& rule, std::size_t item, std::size_t at) const {
  if (item == rule.items.size()) {
    apply(match, rule, at);
    return;
  }
  if (at >= match.tokens.size()) return;
  // A hyphen between words is as good as a space: "late-night", "friday-jun-15".
  const auto& tokens = match.tokens;
  if (item > 0 && tokens[at].text == "-" && tokens[at].glued && at + 1 < tokens.size() && tokens[at + 1].glued &&
      (tokens[at - 1].kind == TokenKind::kLetters || tokens[at + 1].kind == TokenKind::kLetters)) {
    step(match, rule, item, at + 1);
  }
  const Item& want = rule.items[item];
  if (want.test != nullptr) {
    if (at == match.begin && item == 0) return;  // the caller has put the first node
    for (const Node& node : match.chart[at]) {
      if (!want.test(node)) continue;
      match.nodes.push_back(&node);
      step(match, rule, item + 1, node.end);
      match.nodes.pop_back();
    }
    return;
  }
  for (const Words& words : want.words) {
    std::size_t next = at;
    bool matched = true;
    for (const std::uint32_t word : words) {
      if (next > at && next + 1 < tokens.size() && tokens[next].text == "-" && tokens[next].word != word) ++next;
      if (next >= tokens.size() || tokens[next].word != word) {
        matched = false;
        break;
      }
      ++next;
    }
    if (matched) step(match, rule, item + 1, next);
  }
}

std::vector<std::vector<Node>> Grammar::parse(std::vector<Token>& tokens, const Setting& setting) const {
  for (Token& token : tokens) {
    const auto found = vocabulary_.find(token.text);
    token.word = found == vocabulary_.end() ? 0 : found->second;
  }
  std::vector<std::vector<Node>> chart(tokens.size());
  for (std::size_t at = tokens.size(); at-- > 0;) {
    Match match{tokens, chart, setting, at, {}, {}};
    for (const Numeral& numeral : numerals_at(tokens, at)) {
      Node node;
      node.begin = static_cast<std::uint32_t>(at);
      node.end = static_cast<std::uint32_t>(numeral.end);
      node.number = numeral.value;
      node.latent = true;
      node.ordinal = numeral.ordinal;
      node.words = numeral.words;
      node.year = numeral.year;
      node.digits = numeral.digits;
      node.chinese = tokens[at].kind == TokenKind::kHan;
      match.made.push_back(std::move(node));
    }
    if (tokens[at].word != 0) {
      if (const auto rules = by_word_.find(tokens[at].word); rules != by_word_.end()) {
        for (const std::uint32_t rule : rules->second) step(match, rules_[rule], 0, at);
      }
    }
    std::vector<Node> done;
    // What is made at this token may begin further rules; reserve keeps the pointers of matches valid.
    done.reserve(kMostNodes);
    for (std::size_t i = 0; i < match.made.size() && done.size() < kMostNodes; ++i) {
      Node node = std::move(match.made[i]);
      if (std::any_of(done.begin(), done.end(), [&](const Node& old) { return same(old, node); })) continue;
      done.push_back(std::move(node));
      for (const std::uint32_t rule : by_node_) {
        const Node& first = done.back();
        if (!rules_[rule].items.front().test(first)) continue;
        match.nodes.assign(1, &first);
        step(match, rules_[rule], 1, first.end);
        match.nodes.clear();
      }
    }
    chart[at] = std::move(done);
  }
  return chart;
}

std::vector<Token> tokenize_times(std::string_view text) { return Lexer(text).run(); }

bool ends_sentence(const Token& token) {
  static constexpr std::string_view kEnds[] = {"!", "?", ";", "。", "！", "？", "；"};
  return std::find(std::begin(kEnds), std::end(kEnds), token.text) != std::end(kEnds);
}

bool ends_sentence(const std::vector<Token>& tokens, std::size_t at) {
  if (ends_sentence(tokens[at])) return true;
  return tokens[at].text == "." && at + 1 < tokens.size() && !tokens[at + 1].glued && tokens[at + 1].capital;
}

bool in_one_sentence(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
  for (std::size_t at = begin; at < end; ++at)
    if (ends_sentence(tokens, at)) return false;
  return true;
}

Phrase::Phrase(const std::vector<Token>& tokens, const Node& node) : text_(" ") {
  for (std::size_t i = node.begin; i < node.end; ++i) {
    chinese_ = chinese_ || tokens[i].kind == TokenKind::kHan;
    digits_ = digits_ || tokens[i].kind == TokenKind::kDigits;
    text_ += tokens[i].text;
    if (tokens[i].kind != TokenKind::kHan) text_ += ' ';
  }
}

bool Phrase::has(std::string_view word) const {
  const bool letters = static_cast<unsigned char>(word.front()) < 0x80;
  return text_.find(letters ? " " + std::string(word) + " " : std::string(word)) != std::string::npos;
}

bool Phrase::is(std::string_view words) const {
  const std::string_view text(text_);
  return text.substr(1, text.size() - (text.size() > 1 && text.back() == ' ' ? 2 : 1)) == words;
}

bool Phrase::has_chinese_week() const {
  static constexpr std::string_view kDays[] = {"一", "二", "三", "四", "五", "六", "日", "天", "末"};
  for (const std::string_view week : {"周", "星期", "礼拜"})
    for (std::size_t at = text_.find(week); at != std::string::npos; at = text_.find(week, at + 1))
      if (!is_one_of(std::string_view(text_).substr(std::min(text_.size(), at + week.size()), 3), kDays)) return true;
  return false;
}

bool Phrase::counts() const {
  static const auto kNumbers = lexicon_both("times", "counts");
  return digits_ || has(kNumbers);
}

std::optional<Grain> named_unit(const Phrase& words) {
  static const auto kShort = lexicon_both("times", "hours and less");
  static const auto kDays = lexicon_both("times", "days");
  static const auto kWeeks = lexicon("en/times", "weeks");
  static const auto kMonths = lexicon_both("times", "units of months");
  static const auto kYears = lexicon_both("times", "units of years");
  if (words.has(kShort)) return Grain::kHour;
  if (words.has(kDays)) return Grain::kDay;
  if (words.has(kWeeks) || words.has_chinese_week()) return Grain::kWeek;
  if (words.has(kMonths)) return Grain::kMonth;
  if (words.has(kYears)) return Grain::kYear;
  return std::nullopt;
}

bool means_nearest(std::string_view before, std::string_view behind) {
  static const auto kPlaces = lexicon("zh/times", "places that are near");
  if (behind.starts_with("邻") || behind.starts_with("公共")) return true;
  const bool of = behind.starts_with("的");
  const std::string_view noun = of ? behind.substr(std::string_view("的").size()) : behind;
  for (const std::string_view skip : {"", "一家", "一个", "那家", "那个"}) {
    if (!noun.starts_with(skip)) continue;
    const std::string_view from = noun.substr(skip.size());
    if (std::any_of(kPlaces.begin(), kPlaces.end(), [&](auto place) { return from.starts_with(place); })) return true;
  }
  constexpr auto kStops = std::to_array<std::string_view>({"，", "。", "？", "！", "\n", ",", "?", "!"});
  // 这家是最近的: nothing follows that could have been lately.
  const bool ends =
      noun.empty() || std::any_of(kStops.begin(), kStops.end(), [&](auto s) { return noun.starts_with(s); });
  if (of && ends && before.ends_with("是")) return true;
  // 离 or 距 earlier in the clause.
  constexpr std::size_t kReach = 60;
  if (before.size() > kReach) before.remove_prefix(before.size() - kReach);
  for (const std::string_view stop : kStops) {
    if (const std::size_t cut = before.rfind(stop); cut != std::string_view::npos)
      before.remove_prefix(cut + stop.size());
  }
  return before.find("离") != std::string_view::npos || before.find("距") != std::string_view::npos;
}

}  // namespace weft::timex
