// The string helpers that llama.cpp's grammar and template code declares in its common.h and calls.
// Written anew so that the rest of that library (networking, console, arguments) need not be compiled.

#include <cstdarg>
#include <cstdio>
#include <string>
#include <vector>

std::string string_format(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  va_list measured;
  va_copy(measured, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, measured);
  va_end(measured);
  std::string text(length > 0 ? static_cast<std::size_t>(length) : 0, '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, arguments);
  va_end(arguments);
  return text;
}

std::string string_join(const std::vector<std::string>& values, const std::string& separator) {
  std::string joined;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) joined += separator;
    joined += values[i];
  }
  return joined;
}

std::vector<std::string> string_split(const std::string& text, const std::string& delimiter) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(delimiter, begin)) != std::string::npos; begin = end + delimiter.size()) {
    parts.push_back(text.substr(begin, end - begin));
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::string string_repeat(const std::string& text, std::size_t times) {
  std::string repeated;
  repeated.reserve(text.size() * times);
  while (times-- > 0) repeated += text;
  return repeated;
}

void string_replace_all(std::string& text, const std::string& search, const std::string& replacement) {
  if (search.empty()) return;
  for (std::size_t at = 0; (at = text.find(search, at)) != std::string::npos; at += replacement.size()) {
    text.replace(at, search.size(), replacement);
  }
}
