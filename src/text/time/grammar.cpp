// A chart, filled from the last token to the first: when a rule is tried at a token, everything that can follow there
// is known already. Nodes at one token, and the tokens of one node, are bounded, so the work is linear in the text.
#include "text/time/grammar.h"

#include <algorithm>
#include <cmath>

#include "text/time/numerals.h"

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

}  // namespace weft::timex
