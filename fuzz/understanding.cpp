// Whatever people write, what is read of it lies within the text. The first line was said before, the rest is read.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "flow/historian/absolutise.h"
#include "flow/memory/said_facts.h"
#include "text/cues.h"
#include "text/time_expressions.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

weft::Speech speech_of(std::string_view before) {
  weft::Speech speech;
  speech.sender = {"1", "张三"};
  speech.addressee = weft::Person{"2", "Ann"};
  speech.time = weft::Time{1'772'400'000'000, 60};
  speech.earlier = {{"Ann", std::string(before)}};
  return speech;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::size_t line = all.find('\n');
  const std::string_view before = line == std::string_view::npos ? std::string_view() : all.substr(0, line);
  const std::string_view text = line == std::string_view::npos ? all : all.substr(line + 1);
  weft::Speech speech = speech_of(before);
  for (const weft::Style style : {weft::Style::kAnnotate, weft::Style::kReplace}) {
    speech.style = style;
    for (const weft::Change& change : weft::absolutise(text, speech).changes)
      require(change.begin <= change.end && change.end <= text.size());
  }
  for (const weft::TimeExpression& time : weft::find_time_expressions(text, speech.time))
    require(time.begin < time.end && time.end <= text.size());
  (void)weft::read_said(text, "");
  (void)weft::find_cues(text);
  return 0;
}
