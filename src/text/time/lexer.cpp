#include "text/time/lexer.h"

#include <algorithm>
#include <iterator>

#include "base/ascii.h"
#include "text/han_fold.h"
#include "text/utf8.h"

namespace weft::timex {
namespace {

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

}  // namespace weft::timex
