#include "ports/templates/source_check.h"

#include <jinja/parser.h>

#include <algorithm>
#include <array>
#include <exception>
#include <vector>

#include "ports/templates/meter.h"

namespace weft::templates {
namespace {

using jinja::token;

// The parser and the tree recurse: these keep the stack small whatever the source is.
constexpr std::size_t kMaxBlocks = 64;
constexpr std::size_t kMaxBrackets = 32;
constexpr std::size_t kMaxTokensOfATag = 400;

constexpr std::array<std::string_view, 6> kFileStatements{"include", "import", "from", "extends", "block", "endblock"};
constexpr std::array<std::string_view, 5> kBlocks{"if", "for", "macro", "call", "filter"};

struct OpenBlock {
  std::string name;
  std::size_t at, branches = 1;
};

template <class Names>
bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// `{% set a %}…{% endset %}`: the one that closes without "=".
bool is_set_block(const std::vector<token>& tokens, std::size_t at) {
  for (std::size_t i = at; i < tokens.size() && tokens[i].t != token::close_statement; ++i) {
    if (tokens[i].t == token::equals) return false;
  }
  return true;
}

class Blocks {
 public:
  void see(const std::vector<token>& tokens, std::size_t at) {
    const token& word = tokens[at];
    const std::string& name = word.value;
    if (contains(kFileStatements, name)) fail("'" + name + "' is not allowed: a template reads no other", word.pos);
    if (contains(kBlocks, name) || (name == "set" && is_set_block(tokens, at))) {
      open_.push_back({name, word.pos});
      ++depth_;
    } else if (name == "elif" || name == "else") {
      if (open_.empty() || (open_.back().name != "if" && open_.back().name != "for"))
        fail("'" + name + "' without 'if'", word.pos);
      if (name == "elif") ++open_.back().branches, ++depth_;
    } else if (name.starts_with("end")) {
      if (open_.empty() || "end" + open_.back().name != name) fail("'" + name + "' closes nothing", word.pos);
      depth_ -= open_.back().branches;
      open_.pop_back();
    } else if (name != "set" && name != "break" && name != "continue") {
      fail("there is no statement '" + name + "'", word.pos);
    }
    if (depth_ > kMaxBlocks) fail("blocks are nested more than 64 deep", word.pos);
  }
  void finish() const {
    if (!open_.empty())
      fail("'" + open_.back().name + "' is not closed by 'end" + open_.back().name + "'", open_.back().at);
  }

 private:
  [[noreturn]] static void fail(std::string message, std::size_t at) {
    throw Fault{ErrorCode::kInvalidArgument, std::move(message), at};
  }
  std::vector<OpenBlock> open_;
  std::size_t depth_ = 0;
};

bool opens(token::type type) { return type == token::open_statement || type == token::open_expression; }
bool closes(token::type type) { return type == token::close_statement || type == token::close_expression; }

int bracket(token::type type) {
  switch (type) {
    case token::open_paren:
    case token::open_square_bracket:
    case token::open_curly_bracket: return 1;
    case token::close_paren:
    case token::close_square_bracket:
    case token::close_curly_bracket: return -1;
    default: return 0;
  }
}

// A tag as a template of its own: `{% if x %}` becomes `{% if x %}{% endif %}`.
bool stands_alone(const jinja::lexer_result& read, std::size_t begin, std::size_t end) {
  std::vector<token> tag(read.tokens.begin() + static_cast<std::ptrdiff_t>(begin),
                         read.tokens.begin() + static_cast<std::ptrdiff_t>(end));
  if (tag.front().t == token::open_statement) {
    std::string name = tag[1].value;
    if (name == "elif") name = tag[1].value = "if";
    if (name == "else" || name.starts_with("end")) return true;
    if (contains(kBlocks, name) || (name == "set" && is_set_block(tag, 1))) {
      const std::size_t at = tag.back().pos;
      tag.push_back({token::open_statement, "{%", at});
      tag.push_back({token::identifier, "end" + name, at});
      tag.push_back({token::close_statement, "%}", at});
    }
  }
  try {
    jinja::parse_from_tokens({std::move(tag), read.source});
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

std::size_t line_of(std::string_view source, std::size_t at) {
  return 1 + static_cast<std::size_t>(std::count(
                 source.begin(), source.begin() + static_cast<std::ptrdiff_t>(std::min(at, source.size())), '\n'));
}

void check_tokens(const jinja::lexer_result& read) {
  Blocks blocks;
  std::size_t tag_begin = 0;
  std::ptrdiff_t brackets = 0;
  bool in_tag = false;
  for (std::size_t i = 0; i < read.tokens.size(); ++i) {
    const token& here = read.tokens[i];
    if (opens(here.t)) {
      tag_begin = i;
      in_tag = true;
      brackets = 0;
      const bool named = i + 1 < read.tokens.size() && read.tokens[i + 1].t == token::identifier;
      if (here.t == token::open_statement && !named) {
        throw Fault{ErrorCode::kInvalidArgument, "a tag without a statement", here.pos};
      }
      if (here.t == token::open_statement) blocks.see(read.tokens, i + 1);
    } else if (closes(here.t)) {
      in_tag = false;
    }
    brackets += bracket(here.t);
    if (brackets > static_cast<std::ptrdiff_t>(kMaxBrackets))
      throw Fault{ErrorCode::kTooLarge, "brackets are nested more than 32 deep", here.pos};
    if (in_tag && i - tag_begin > kMaxTokensOfATag)
      throw Fault{ErrorCode::kTooLarge, "a tag is longer than 400 words", here.pos};
  }
  if (in_tag) throw Fault{ErrorCode::kInvalidArgument, "a tag is not closed", read.tokens[tag_begin].pos};
  blocks.finish();
}

std::size_t find_broken_tag(const jinja::lexer_result& read) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < read.tokens.size(); ++i) {
    if (opens(read.tokens[i].t)) begin = i;
    if (closes(read.tokens[i].t) && !stands_alone(read, begin, i + 1)) return read.tokens[begin].pos;
  }
  return Fault::kNowhere;
}

}  // namespace weft::templates
