#include "ports/templates/template.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "ports/templates/functions.h"
#include "text/markup.h"
#include "text/utf8.h"

namespace weft::templates {

/// An operator between two values, and how tightly it binds: from 1, `or`, to 6; 0: there is none.
struct Operator {
  std::string_view sign;
  int rank = 0;
};
constexpr int kComparison = 3;

/// Reads a source word by word. After a failure there is nothing more to read.
class Cursor {
 public:
  Cursor(const std::string& source, Meter& meter) : source_(source), meter_(meter) {}

  std::size_t at() const { return at_; }
  void go_to(std::size_t at) { at_ = at; }
  bool ended() const { return at_ >= source_.size(); }
  std::size_t tag() const { return tag_; }  ///< where the last tag begins
  /// The line of the last word. Fails name it; `blame` another place.
  std::size_t line() const;
  void blame(std::size_t at) { word_ = at; }

  /// Text up to the next tag, without the white space that the tags take: a line with nothing but a block leaves
  /// nothing.
  std::string_view plain();
  /// What begins here: '{' for what is written, '%' for a statement; a comment, '#', is passed over.
  char open();

  /// From the next word on.
  std::string_view rest();
  bool follows(std::string_view word);
  bool take(std::string_view word);
  void want(std::string_view word);
  std::string name();
  Operator next_operator();
  Thing text();    ///< with its quotes
  Thing number();  ///< without a sign

 private:
  const std::string& source_;
  Meter& meter_;
  std::size_t at_ = 0, word_ = 0, tag_ = 0;
};

/// What is known of a template that was checked.
struct Checked {
  std::set<std::string, std::less<>> names;   ///< of variables and functions
  std::map<std::size_t, std::size_t> choices;  ///< where `a if b` begins, to where `b` does: that comes first
};

/// Reads the whole source and runs none of it. Errors name the line.
Result<Checked> check(const std::string& source);

/// Runs what was checked. Errors name the line.
Result<std::string> run(const std::string& source, const Checked& checked, Names variables,
                        const TemplateLimits& limits);

namespace {

using Ends = std::initializer_list<std::string_view>;

// Blocks and brackets within each other: some 2 KiB of stack each.
constexpr std::size_t kMaxDepth = 200;

/// Reads the source and does at once what it says. Where it is not live it only reads: the other branch of an `if`,
/// and everything while the template is checked. After a failure nothing more is read.
class Runner {
 public:
  /// `checking` is filled while the template is checked, and else null.
  Runner(const std::string& source, const TemplateLimits& limits, const Checked& checked, Checked* checking,
         Names variables)
      : meter_(limits), words_(source, meter_), checked_(checked), checking_(checking), live_(checking == nullptr) {
    frames_.push_back(std::move(variables));
  }

  Result<std::string> all() {
    body({}, 0);
    if (!failed()) return std::move(out_);
    const std::string line = "line " + std::to_string(words_.line()) + ": ";
    return Error{meter_.failure()->code, line + meter_.failure()->message, {}};
  }

 private:
  struct Inside {
    explicit Inside(Runner& runner) : depth(runner.depth_) {
      if (++depth > kMaxDepth) runner.fail("it is nested too deeply", ErrorCode::kTooLarge);
      runner.meter_.work(1);
    }
    ~Inside() { --depth; }
    std::size_t& depth;
  };

  bool failed() const { return meter_.failure().has_value(); }
  bool live() const { return live_ && !failed(); }
  Thing fail(std::string message, ErrorCode code = ErrorCode::kInvalidArgument) {
    return meter_.fail(std::move(message), code);
  }
  bool is_defined(const Thing& what) {
    if (!live()) return false;
    if (what.value != nullptr) return true;
    fail(what.space != nullptr ? "a namespace is no value: name what is in it" : "'" + what.path + "' is not defined");
    return false;
  }

  // ---- statements

  // Up to one of the words that end the block which was opened at a byte; takes and gives it.
  std::string_view body(Ends ends, std::size_t opened) {
    const Inside inside(*this);
    while (!failed()) {
      const std::string_view text = words_.plain();
      meter_.work(1 + text.size() / 1024);
      write(text);
      if (words_.ended()) return ends.size() == 0 ? std::string_view() : not_closed(ends.end()[-1], opened);
      const char kind = words_.open();
      if (kind == '{') output();
      if (kind != '%') continue;
      const std::string word = words_.name();
      if (const auto* end = std::find(ends.begin(), ends.end(), word); end != ends.end()) return *end;
      statement(word);
    }
    return {};
  }

  std::string_view not_closed(std::string_view end, std::size_t opened) {
    words_.blame(opened);
    fail("'" + std::string(end.substr(3)) + "' is not closed by '" + std::string(end) + "'");
    return {};
  }

  void write(std::string_view text) {
    if (live() && !meter_.write(text.size())) out_ += text;
  }

  void output() {
    const Thing what = expression();
    words_.want("}}");
    if (!is_defined(what)) return;
    const std::string text = text_of(what, meter_);
    write(what.markup ? text : escape_markup(text));
  }

  void statement(const std::string& word) {
    for (const std::string_view other : {"include", "import", "from", "extends", "block"})
      if (word == other) fail("'" + word + "' is not allowed: a template reads no other");
    if (word == "if") return branch(words_.tag(), true);
    if (word == "for") return loop();
    if (word == "set") return assignment();
    const bool ends = word.starts_with("end") || word == "else" || word == "elif";
    fail(ends ? "'" + word + "' closes nothing" : "there is no statement '" + word + "'");
  }

  // The rest of a tag, and what it opens, which is run only `when`.
  std::string_view block(bool when, Ends ends, std::size_t opened) {
    const bool before = std::exchange(live_, live_ && when);
    words_.want("%}");
    const std::string_view end = body(ends, opened);
    live_ = before;
    return end;
  }

  // Behind "if" or "elif". `open`: no part of this `if` has been run.
  void branch(std::size_t opened, bool open) {
    const Inside inside(*this);
    const bool before = std::exchange(live_, live_ && open);
    const bool holds = condition();
    live_ = before;
    const std::string_view end = block(holds, {"elif", "else", "endif"}, opened);
    if (end == "elif") return branch(opened, open && !holds);
    if (end == "else") block(open && !holds, {"endif"}, opened);
    words_.want("%}");
  }

  bool condition() {
    const Thing what = expression();
    return is_defined(what) && is_true(what);
  }

  void loop() {
    const std::size_t opened = words_.tag();
    std::vector<std::string> names{words_.name()};
    while (words_.take(",")) names.push_back(words_.name());
    if (!words_.take("in")) fail("'in' is missing");
    const Thing over = binary(1);
    std::vector<Thing> items = is_defined(over) ? elements(over, meter_) : std::vector<Thing>();
    if (words_.take("if")) items = chosen(std::move(items), names);
    const std::size_t begin = words_.at(), count = items.size();
    std::string_view end;
    // For none the body is only read.
    for (std::size_t i = 0; i < std::max<std::size_t>(count, 1) && !failed(); ++i) {
      words_.go_to(begin);
      frames_.emplace_back();
      if (count > 0) bind(names, items[i]);
      const auto number = [](std::size_t value) { return Value(static_cast<std::int64_t>(value)); };
      frames_.back()["loop"] = thing(ValueObject{{"index", number(i + 1)},
                                                 {"index0", number(i)},
                                                 {"length", number(count)},
                                                 {"first", i == 0},
                                                 {"last", i + 1 == count}});
      end = block(count > 0, {"else", "endfor"}, opened);
      frames_.pop_back();
    }
    if (end == "else") block(count == 0, {"endfor"}, opened);
    words_.want("%}");
  }

  // for … if …
  std::vector<Thing> chosen(std::vector<Thing> items, const std::vector<std::string>& names) {
    const std::size_t begin = words_.at();
    const auto fails = [&](const Thing& item) {
      words_.go_to(begin);
      frames_.emplace_back();
      bind(names, item);
      const bool holds = condition();
      frames_.pop_back();
      return !holds;
    };
    items.erase(std::remove_if(items.begin(), items.end(), fails), items.end());
    words_.go_to(begin);
    const bool before = std::exchange(live_, false);
    expression();
    live_ = before;
    return items;
  }

  void bind(const std::vector<std::string>& names, const Thing& item) {
    if (names.size() == 1) return void(frames_.back()[names[0]] = item);
    const ValueList* parts = item.value->list();
    if (parts == nullptr || parts->size() != names.size()) return void(fail("there are not as many values as names"));
    for (std::size_t i = 0; i < names.size(); ++i) frames_.back()[names[i]] = {{item.value, &(*parts)[i]}};
  }

  void assignment() {
    const std::string target = words_.name(), member = words_.take(".") ? words_.name() : "";
    words_.want("=");
    Thing what = expression();
    words_.want("%}");
    if (!live()) return;
    if (member.empty()) return void(frames_.back()[target] = std::move(what));
    const Thing* object = find(target);
    if (object == nullptr || !object->space) fail("`set` takes a name or a member of a namespace");
    if (is_defined(what)) (*object->space)[member] = std::move(what);
  }

  const Thing* find(const std::string& name) const {
    for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame)
      if (const auto at = frame->find(name); at != frame->end()) return &at->second;
    return nullptr;
  }

  // ---- expressions

  // a if b else c
  Thing expression() {
    words_.rest();
    const std::size_t begin = words_.at();
    const bool before = live_;
    bool holds = true;
    if (live() && checked_.choices.contains(begin)) {
      words_.go_to(checked_.choices.at(begin));
      const Thing test = binary(1);
      holds = is_defined(test) && is_true(test);
      if (!failed()) words_.go_to(begin);
    }
    live_ = before && holds;
    Thing what = binary(1);
    if (words_.take("if")) {
      if (checking_ != nullptr) checking_->choices[begin] = words_.at();
      live_ = false;
      binary(1);
      if (!holds) what = thing("");
      live_ = before && !holds;
      if (words_.take("else")) {
        const Inside inside(*this);  // "a if b else c if d else …" is read from the right
        Thing other = expression();
        if (live()) what = std::move(other);
      }
    }
    live_ = before;
    return what;
  }

  Thing binary(int least) {
    const Inside inside(*this);
    Thing left;
    if (least <= kComparison && words_.take("not")) {
      left = binary(kComparison);
      if (is_defined(left)) left = thing(!is_true(left));
    } else {
      left = unary();
    }
    for (Operator next = words_.next_operator(); next.rank >= least && !failed(); next = words_.next_operator()) {
      const std::string_view sign = next.sign;
      words_.take(sign);
      const bool no = sign == "not", logic = sign == "and" || sign == "or", before = live_;
      if (no && !words_.take("in")) fail("'in' is missing");
      if (is_defined(left) && logic) live_ = is_true(left) == (sign == "and");
      Thing right = binary(next.rank + 1);
      if (is_defined(right)) left = logic ? std::move(right) : operate(no ? "in" : sign, left, right, meter_);
      if (live() && no) left = thing(!is_true(left));
      live_ = before;
    }
    return left;
  }

  Thing unary() {
    if (!words_.take("-")) return postfix();
    const Thing what = postfix();
    return is_defined(what) ? operate("-", thing(0), what, meter_) : Thing();
  }

  // x.name, x.name(…), x[…], x | filter, x is test
  Thing postfix() {
    Thing what = primary();
    while (!failed()) {
      const bool dot = words_.take("."), bar = !dot && words_.take("|");
      if (dot || bar) {
        const std::string called = words_.name();
        if (dot && !words_.follows("(")) {
          what = member_of(what, called, what.path + "." + called);
          continue;
        }
        const std::vector<Thing> given = words_.follows("(") ? values("(", ")") : std::vector<Thing>();
        if (live() && (called == "default" || called == "d" || is_defined(what)))
          what = filter(called, what, given, meter_);
      } else if (words_.take("[")) {
        what = index(what);
      } else if (words_.take("is")) {
        what = test(what, words_.take("not"));
      } else {
        break;
      }
    }
    return what;
  }

  Thing test(const Thing& what, bool no) {
    const std::string asked = words_.name();
    const bool there = what.value != nullptr || what.space != nullptr;
    if (asked == "none") return thing((what.value != nullptr && what.value->is_null()) != no);
    if (asked == "defined" || asked == "undefined") return thing((there == (asked == "defined")) != no);
    return fail("there is no test '" + asked + "': defined, undefined, none");
  }

  Thing member_of(const Thing& of, const std::string& name, std::string path) {
    if (live() && of.space != nullptr && of.space->contains(name)) return of.space->at(name);
    if (live() && of.space != nullptr) return {{}, std::move(path)};
    return is_defined(of) ? member(of, name, std::move(path)) : Thing();
  }

  // Behind "[".
  Thing index(const Thing& of) {
    Thing first = thing(Value()), last = first;
    if (!words_.follows(":")) first = expression();
    const bool part = words_.take(":");
    if (part && !words_.follows("]")) last = expression();
    words_.want("]");
    if (!is_defined(of) || !is_defined(first) || !is_defined(last)) return {};
    if (part) return templates::slice(of, *first.value, *last.value, meter_);
    return templates::element(of, *first.value, meter_);
  }

  // (a, b) or [a, b], with its brackets.
  std::vector<Thing> values(std::string_view open, std::string_view close) {
    std::vector<Thing> given;
    words_.want(open);
    while (!failed() && !words_.take(close)) {
      given.push_back(expression());
      is_defined(given.back());
      if (!words_.follows(close)) words_.want(",");
    }
    return given;
  }

  Thing primary() {
    const char first = words_.rest().empty() ? '\0' : words_.rest()[0];
    if (first == '"' || first == '\'') return words_.text();
    if (is_digit(first)) return words_.number();
    if (is_letter(first) || first == '_') return named(words_.name());
    if (first == '[') {
      const std::vector<Thing> given = values("[", "]");
      return live() ? list_of(given, meter_) : Thing();
    }
    if (words_.take("(")) {
      Thing what = expression();
      words_.want(")");
      return what;
    }
    return fail("a value is missing");
  }

  Thing named(const std::string& name) {
    if (name == "true" || name == "True") return thing(true);
    if (name == "false" || name == "False") return thing(false);
    if (name == "none" || name == "None") return thing(Value());
    if (checking_ != nullptr) checking_->names.insert(name);
    if (words_.follows("(")) {
      if (name == "namespace") return space();
      const std::vector<Thing> given = values("(", ")");
      if (name != "range") return fail("there is no function '" + name + "'");
      return live() ? range(given, meter_) : Thing();
    }
    Thing found{{}, name};
    if (const Thing* known = live() ? find(name) : nullptr) found = *known;
    found.path = name;
    return found;
  }

  // namespace(a=1, b=2)
  Thing space() {
    Thing made{{}, {}, false, std::make_shared<Names>()};
    words_.want("(");
    while (!failed() && !words_.take(")")) {
      const std::string member = words_.name();
      words_.want("=");
      (*made.space)[member] = expression();
      if (!words_.follows(")")) words_.want(",");
    }
    return made;
  }

  Meter meter_;
  Cursor words_;
  const Checked& checked_;
  Checked* checking_;
  bool live_;
  std::size_t depth_ = 0;
  std::vector<Names> frames_;
  std::string out_;
};

constexpr std::size_t kMaxTag = 4000;  // bytes
constexpr std::string_view kBlanks = " \t\v\f", kSpaces = " \t\v\f\n";

// Of those that begin alike the longest comes first.
constexpr Operator kOperators[] = {{"or", 1}, {"and", 2}, {"not", 3}, {"in", 3}, {"==", 3},
                                   {"!=", 3}, {"<=", 3},  {">=", 3},  {"<", 3},  {">", 3},
                                   {"+", 4},  {"-", 4},   {"~", 5},   {"*", 6},  {"/", 6}};

bool in_name(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

}  // namespace

Result<Checked> check(const std::string& source) {
  Checked checked;
  const TemplateLimits limits;
  WEFT_CHECK(Runner(source, limits, checked, &checked, {}).all());
  return checked;
}

Result<std::string> run(const std::string& source, const Checked& checked, Names variables,
                        const TemplateLimits& limits) {
  return Runner(source, limits, checked, nullptr, std::move(variables)).all();
}

std::size_t Cursor::line() const {
  return 1 + static_cast<std::size_t>(
                 std::count(source_.begin(), source_.begin() + static_cast<std::ptrdiff_t>(word_), '\n'));
}

std::string_view Cursor::plain() {
  const auto opens = [&](std::size_t at) {
    return at + 1 < source_.size() && std::string_view("{%#").find(source_[at + 1]) != std::string_view::npos;
  };
  std::size_t end = source_.find('{', at_);
  while (end < source_.size() && !opens(end)) end = source_.find('{', end + 1);
  end = std::min(end, source_.size());
  const std::string_view all = source_, before = all.substr(0, at_), behind = all.substr(end);
  std::string_view text = all.substr(at_, end - at_);
  if (behind.starts_with("{%") || behind.starts_with("{#")) {
    const std::size_t last = text.find_last_not_of(kBlanks);
    if (last == std::string_view::npos ? at_ == 0 : text[last] == '\n') text = text.substr(0, last + 1);
  }
  if ((before.ends_with("%}") || before.ends_with("#}")) && text.starts_with('\n')) text.remove_prefix(1);
  if (before.ends_with("-%}") || before.ends_with("-}}") || before.ends_with("-#}"))
    text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
  if (behind.size() > 2 && behind[2] == '-') text = text.substr(0, text.find_last_not_of(kSpaces) + 1);
  at_ = end;
  return text;
}

char Cursor::open() {
  tag_ = word_ = std::exchange(at_, at_ + 2);
  const char kind = source_[tag_ + 1];
  if (kind == '#') {
    const std::size_t end = source_.find("#}", at_);
    if (end == std::string::npos) meter_.fail("a comment is not closed");
    at_ = end == std::string::npos ? source_.size() : end + 2;
  } else if (at_ < source_.size() && source_[at_] == '-') {
    ++at_;
  }
  return kind;
}

std::string_view Cursor::rest() {
  at_ = std::min(source_.find_first_not_of(kSpaces, at_), source_.size());
  if (at_ == source_.size()) meter_.fail("a tag is not closed");
  if (at_ > tag_ + kMaxTag) meter_.fail("a tag is longer than 4000 bytes", ErrorCode::kTooLarge);
  return meter_.failure() ? std::string_view() : std::string_view(source_).substr(at_);
}

bool Cursor::follows(std::string_view word) {
  const std::string_view text = rest();
  return text.starts_with(word) && !(in_name(word.back()) && text.size() > word.size() && in_name(text[word.size()]));
}

bool Cursor::take(std::string_view word) {
  if (!follows(word)) return false;
  word_ = std::exchange(at_, at_ + word.size());
  return true;
}

void Cursor::want(std::string_view word) {
  if (word == "%}" || word == "}}") take("-");
  if (!take(word)) meter_.fail("'" + std::string(word) + "' is missing");
}

std::string Cursor::name() {
  const std::string_view text = rest();
  std::size_t size = 0;
  while (size < text.size() && in_name(text[size])) ++size;
  if (size == 0 || is_digit(text[0])) meter_.fail("a name is missing");
  word_ = std::exchange(at_, at_ + size);
  return std::string(text.substr(0, size));
}

Operator Cursor::next_operator() {
  if (follows("-%}") || follows("-}}")) return {};
  for (const Operator& one : kOperators)
    if (follows(one.sign)) return one;
  return {};
}

Thing Cursor::text() {
  word_ = at_;
  const char quote = source_[at_];
  std::string text;
  for (++at_; at_ < source_.size() && source_[at_] != quote; ++at_) {
    const bool escaped = source_[at_] == '\\';
    const char c = !escaped ? source_[at_] : ++at_ < source_.size() ? source_[at_] : ' ';
    if (escaped && std::string_view("ntr\\'\"").find(c) == std::string_view::npos)
      return meter_.fail("there is no such escape in a text");
    text += !escaped ? c : c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
  }
  if (at_ >= source_.size()) return meter_.fail("a text is not closed");
  ++at_;
  return thing(std::move(text));
}

Thing Cursor::number() {
  const std::string_view text = rest();
  const char* const end = text.data() + text.size();
  std::int64_t whole = 0;
  double number = 0;
  auto read = std::from_chars(text.data(), end, whole);
  const bool point = end - read.ptr > 1 && *read.ptr == '.' && is_digit(read.ptr[1]);
  if (point) read = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (read.ec != std::errc()) return meter_.fail("a number has more than 64 bits");
  word_ = std::exchange(at_, at_ + static_cast<std::size_t>(read.ptr - text.data()));
  return point ? thing(number) : thing(whole);
}

}  // namespace weft::templates

namespace weft {
namespace {

constexpr std::size_t kMaxSource = 256 * 1024;

// "\n" ends lines, and the last one has no end.
std::string with_plain_line_ends(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r' && i + 1 < source.size() && source[i + 1] == '\n') continue;
    out += source[i] == '\r' ? '\n' : source[i];
  }
  if (source.ends_with('\n')) out.pop_back();
  return out;
}

Error named(const std::string& name, const Error& error) {
  return {error.code, "template '" + name + "', " + error.message, error.hint};
}

}  // namespace

struct Template::State {
  std::string name, source;
  templates::Checked checked;
};

Result<Template> Template::compile(std::string name, std::string_view source) {
  if (source.size() > kMaxSource)
    return too_large("template '" + name + "': over " + std::to_string(kMaxSource) + " bytes");
  if (const auto broken = find_invalid_utf8(source))
    return invalid_argument("template '" + name + "': not UTF-8 at byte " + std::to_string(*broken));
  State state{std::move(name), with_plain_line_ends(source), {}};
  auto checked = templates::check(state.source);
  if (!checked.ok()) return named(state.name, checked.error());
  state.checked = std::move(*checked);
  return Template(std::make_shared<const State>(std::move(state)));
}

Result<std::string> Template::render(const Value& variables, const std::vector<ReadyText>& ready,
                                     const TemplateLimits& limits) const {
  templates::Names names;
  if (const ValueObject* members = variables.object())
    for (const auto& [name, member] : *members) names[name] = {{std::shared_ptr<const Value>(), &member}};
  for (const ReadyText& text : ready)
    if (mentions(text.name)) names[std::string(text.name)] = templates::thing(std::string(text.text), true);
  auto out = templates::run(state_->source, state_->checked, std::move(names), limits);
  if (!out.ok()) return named(state_->name, out.error());
  return find_invalid_utf8(*out) ? repair_utf8(*out) : std::move(*out);
}

bool Template::mentions(std::string_view variable) const { return state_->checked.names.contains(variable); }

}  // namespace weft
