#include "text/json_writer.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "text/json.h"
#include "text/utf8.h"

namespace weft {
namespace {

std::string escaped(unsigned char c) {
  switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: return fmt::format("\\u{:04x}", static_cast<unsigned>(c));
  }
}

}  // namespace

void JsonWriter::separate() {
  if (more_) out_ += ',';
  more_ = true;
}

void JsonWriter::begin(char bracket) {
  separate();
  out_ += bracket;
  more_ = false;
}

void JsonWriter::end(char bracket) {
  out_ += bracket;
  more_ = true;
}

void JsonWriter::name(std::string_view name) {
  text(name);
  out_ += ':';
  more_ = false;
}

void JsonWriter::text(std::string_view text) {
  if (find_invalid_utf8(text)) return raw(write_json(nlohmann::json(text)));
  separate();
  out_ += '"';
  std::size_t plain = 0;  // what stands from here on needs no escape
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    out_.append(text, plain, i - plain);
    out_ += escaped(c);
    plain = i + 1;
  }
  out_.append(text, plain);
  out_ += '"';
}

void JsonWriter::number(double number) { raw(write_json(nlohmann::json(number))); }

void JsonWriter::json_or_text(std::string_view given) {
  if (check_json(given, {.max_bytes = given.size() + 1}, "").ok())
    raw(compact_json(given));
  else
    text(given);
}

void JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
}

}  // namespace weft
