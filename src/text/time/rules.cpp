// The rule files of lexicon/time/: reads them, and gives what a rule makes of the words that it matches.
#include "text/time/rules.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <utility>

#include "base/strings.h"
#include "text/lexicon.h"

namespace weft::timex {
namespace {

using Result = std::optional<Node>;

constexpr std::size_t kMostOperands = 6;

/// A parsed expression.
struct Expression {
  /// kFirst gives the first operand that has a value, kPick the second or third by the first; the others take all.
  enum class Kind { kConstant, kArgument, kCall, kFirst, kPick, kAnd, kOr };

  Kind kind = Kind::kConstant;
  Node constant;
  std::size_t argument = 0;
  const Function* function = nullptr;
  std::vector<Expression> operands;
};

bool is_true(const Node* node) { return node != nullptr && node->number != 0; }

/// The value of an expression, in `made` where it is new; null where there is none.
const Node* evaluate(const Expression& expression, const Args& args, Node& made) {
  using Kind = Expression::Kind;
  const auto& operands = expression.operands;
  switch (expression.kind) {
    case Kind::kConstant: return &expression.constant;
    case Kind::kArgument: return args.nodes[expression.argument];
    case Kind::kFirst:
      for (const Expression& operand : operands)
        if (const Node* value = evaluate(operand, args, made)) return value;
      return nullptr;
    case Kind::kPick: return evaluate(operands[is_true(evaluate(operands[0], args, made)) ? 1 : 2], args, made);
    case Kind::kAnd:
    case Kind::kOr: {
      const bool all = expression.kind == Kind::kAnd;
      const bool holds = std::all_of(operands.begin(), operands.end(), [&](const Expression& operand) {
                           return is_true(evaluate(operand, args, made)) == all;
                         }) == all;
      made = number_node(holds ? 1 : 0);
      return &made;
    }
    case Kind::kCall: break;
  }
  Node storage[kMostOperands];
  const Node* values[kMostOperands];
  for (std::size_t i = 0; i < operands.size(); ++i) {
    values[i] = evaluate(operands[i], args, storage[i]);
    if (values[i] == nullptr) return nullptr;
  }
  auto result = expression.function->run({args.setting, std::span<const Node* const>(values, operands.size())});
  if (!result) return nullptr;
  made = std::move(*result);
  return &made;
}

/// Parses expressions. Precedence, from low to high: or, and, not, comparisons, + -, * / %, unary -, calls and words.
class Reader {
 public:
  Reader(std::string_view text, std::size_t arguments) : rest_(trimmed(text)), arguments_(arguments) {}

  std::optional<Expression> read() {
    Expression whole = either();
    if (!rest_.empty() || failed_) return std::nullopt;
    return whole;
  }

 private:
  Expression fail() {
    failed_ = true;
    return {};
  }

  bool take(std::string_view mark) {
    if (!rest_.starts_with(mark)) return false;
    const bool word = is_lower(mark.front());
    if (word && rest_.size() > mark.size() && is_word(rest_[mark.size()])) return false;
    rest_ = trimmed(rest_.substr(mark.size()));
    return true;
  }

  static bool is_word(char c) { return is_lower(c) || is_digit(c) || c == '_'; }

  static bool is_fixed(const std::vector<Expression>& operands) {
    return std::all_of(operands.begin(), operands.end(),
                       [](const Expression& one) { return one.kind == Expression::Kind::kConstant; });
  }

  /// A call. One whose operands are constant and that does not ask for the moment of speaking is evaluated here, once.
  Expression call(std::string_view name, std::vector<Expression> operands) {
    Expression expression;
    using Kind = Expression::Kind;
    expression.kind = name == "first"  ? Kind::kFirst
                      : name == "pick" ? Kind::kPick
                      : name == "and"  ? Kind::kAnd
                      : name == "or"   ? Kind::kOr
                                       : Kind::kCall;
    if (expression.kind == Kind::kPick && operands.size() != 3) return fail();
    if (expression.kind == Kind::kCall) {
      expression.function = function_named(name);
      if (expression.function == nullptr || operands.size() < expression.function->least ||
          operands.size() > expression.function->most || operands.size() > kMostOperands)
        return fail();
    }
    const bool fixed = is_fixed(operands) && (expression.function == nullptr || !expression.function->asks_setting);
    expression.operands = std::move(operands);
    if (!fixed || failed_) return expression;
    Node made;
    const std::vector<const Node*> nothing;
    const Node* value = evaluate(expression, Args{Setting{}, nothing}, made);
    if (value == nullptr) return expression;
    Expression constant;
    constant.constant = *value;
    return constant;
  }

  Expression either() {
    Expression left = both();
    while (take("or")) left = call("or", {std::move(left), both()});
    return left;
  }

  Expression both() {
    Expression left = negated();
    while (take("and")) left = call("and", {std::move(left), negated()});
    return left;
  }

  Expression negated() { return take("not") ? call("not", {negated()}) : compared(); }

  Expression compared() {
    Expression left = sum();
    for (const std::string_view sign : {"<=", ">=", "==", "!=", "<", ">"})
      if (take(sign)) return call(sign, {std::move(left), sum()});
    return left;
  }

  Expression sum() {
    Expression left = product();
    for (bool more = true; more;) {
      more = false;
      for (const std::string_view sign : {"+", "-"})
        if (take(sign)) left = call(sign, {std::move(left), product()}), more = true;
    }
    return left;
  }

  Expression product() {
    Expression left = single();
    for (bool more = true; more;) {
      more = false;
      for (const std::string_view sign : {"*", "/", "%"})
        if (take(sign)) left = call(sign, {std::move(left), single()}), more = true;
    }
    return left;
  }

  Expression single() {
    if (take("-")) return call("negative", {single()});
    if (take("(")) {
      Expression inner = either();
      return take(")") ? inner : fail();
    }
    Expression expression;
    if (take("$")) {
      const int number = static_cast<int>(number_at_front());
      if (number < 1 || static_cast<std::size_t>(number) > arguments_) return fail();
      expression.kind = Expression::Kind::kArgument;
      expression.argument = static_cast<std::size_t>(number - 1);
      return expression;
    }
    if (take("\"")) {
      const auto end = std::min(rest_.find('"'), rest_.size());
      expression.constant = set_node(std::string(rest_.substr(0, end)));
      rest_ = trimmed(rest_.substr(std::min(end + 1, rest_.size())));
      return expression;
    }
    if (!rest_.empty() && is_digit(rest_.front())) {
      expression.constant = number_node(number_at_front());
      return expression;
    }
    return word();
  }

  double number_at_front() {
    double number = 0;
    const auto read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    rest_ = trimmed(rest_.substr(static_cast<std::size_t>(read.ptr - rest_.data())));
    return number;
  }

  Expression word() {
    std::size_t size = 0;
    while (size < rest_.size() && is_word(rest_[size])) ++size;
    const std::string_view name = rest_.substr(0, size);
    rest_ = trimmed(rest_.substr(size));
    if (!take("(")) {
      const auto constant = constant_named(name);
      if (!constant) return fail();
      Expression expression;
      expression.constant = *constant;
      return expression;
    }
    std::vector<Expression> operands;
    while (!take(")")) {
      if (rest_.empty() || failed_) return fail();
      operands.push_back(either());
      take(",");
    }
    return call(name, std::move(operands));
  }

  std::string_view rest_;
  std::size_t arguments_;
  bool failed_ = false;
};

/// The number of nodes in a pattern; nothing if a node is unknown or optional. Optional nodes would shift the numbers
/// of the operands.
std::optional<std::size_t> nodes_of(std::string_view pattern) {
  std::size_t count = 0;
  while (!pattern.empty()) {
    const auto end = std::min(pattern.find(' '), pattern.size());
    const std::string_view item = pattern.substr(0, end);
    pattern = pattern.substr(std::min(end + 1, pattern.size()));
    if (!item.starts_with('<') || item.size() < 3) continue;
    if (!item.ends_with('>') || !Grammar::knows_node(item.substr(1, item.size() - 2))) return std::nullopt;
    ++count;
  }
  return count;
}

std::optional<Rule> read_rule(std::string_view line) {
  constexpr std::string_view kArrow = " => ", kIf = " if ";
  const auto arrow = line.find(kArrow);
  if (arrow == std::string_view::npos) return std::nullopt;
  const std::string_view pattern = line.substr(0, arrow), meaning = line.substr(arrow + kArrow.size());
  const auto nodes = nodes_of(pattern);
  if (!nodes) return std::nullopt;
  const auto cut = std::min(meaning.find(kIf), meaning.size());
  auto value = Reader(meaning.substr(0, cut), *nodes).read();
  auto condition =
      cut == meaning.size() ? Reader("1", 0).read() : Reader(meaning.substr(cut + kIf.size()), *nodes).read();
  if (!value || !condition) return std::nullopt;
  struct Made {
    Expression value, condition;
  };
  const auto rule = std::make_shared<const Made>(Made{std::move(*value), std::move(*condition)});
  return Rule{std::string(pattern), [rule](const Args& args) -> Result {
                Node made;
                if (!is_true(evaluate(rule->condition, args, made))) return std::nullopt;
                const Node* node = evaluate(rule->value, args, made);
                if (node == nullptr) return std::nullopt;
                // A time that is passed on unchanged loses its flags, such as latent.
                const bool taken = rule->value.kind == Expression::Kind::kArgument && node->when != nullptr;
                return taken ? time_node(*node->when) : *node;
              }};
}

/// A logical line of a file: lines that begin with blanks continue the line before.
struct Line {
  std::size_t number = 0;
  std::string text;
};

std::vector<Line> joined_lines(std::string_view source) {
  std::vector<Line> lines;
  std::size_t number = 0;
  for (const std::string_view whole : lines_of(source)) {
    ++number;
    const std::string_view line = trimmed(whole);
    if (line.empty() || line.front() == '#') continue;
    if (is_blank(whole.front()) && !lines.empty()) {
      std::string& before = lines.back().text;
      if (before.back() != '|') before += ' ';
      before += line;
    } else {
      lines.push_back({number, std::string(line)});
    }
  }
  return lines;
}

/// The words of a rule that has one for each value: "{era 1911} 民国".
struct Variant {
  std::string name, value, words;
};

std::optional<Variant> read_variant(std::string_view line) {
  const auto end = line.find("} ");
  const auto blank = line.find(' ');
  if (!line.starts_with('{') || end == std::string_view::npos || blank > end) return std::nullopt;
  return Variant{"{" + std::string(line.substr(1, blank - 1)) + "}",
                 std::string(line.substr(blank + 1, end - blank - 1)), std::string(trimmed(line.substr(end + 2)))};
}

/// The line with a name replaced: by the words in its pattern, by the value in its meaning.
std::string with_variant(std::string line, const Variant& variant) {
  const auto pattern = line.find(variant.name);
  line.replace(pattern, variant.name.size(), variant.words);
  for (auto at = line.find(variant.name); at != std::string::npos; at = line.find(variant.name))
    line.replace(at, variant.name.size(), variant.value);
  return line;
}

std::vector<Rule> rules_of(std::string_view id) {
  for (unsigned i = 0; i < lexicon_file_count; ++i)
    if (lexicon_file_list[i].id == id) return read_rules(lexicon_file_list[i].source);
  return {};
}

}  // namespace

std::vector<Rule> read_rules(std::string_view source, std::vector<std::size_t>* broken) {
  std::vector<Rule> rules;
  std::vector<Variant> variants;
  const auto add = [&](std::size_t number, std::string_view text) {
    auto rule = read_rule(text);
    if (rule)
      rules.push_back(std::move(*rule));
    else if (broken != nullptr)
      broken->push_back(number);
  };
  for (const auto& [number, text] : joined_lines(source)) {
    if (auto variant = read_variant(text)) {
      variants.push_back(std::move(*variant));
      continue;
    }
    if (text.find('{') == std::string::npos) {
      add(number, text);
      continue;
    }
    bool known = false;
    for (const Variant& variant : variants) {
      if (text.find(variant.name) == std::string::npos) continue;
      add(number, with_variant(text, variant));
      known = true;
    }
    if (!known && broken != nullptr) broken->push_back(number);
  }
  return rules;
}

std::vector<Rule> english_rules() { return rules_of("time/english"); }
std::vector<Rule> chinese_rules() { return rules_of("time/chinese"); }
std::vector<Rule> numeric_rules() { return rules_of("time/digits"); }

}  // namespace weft::timex
