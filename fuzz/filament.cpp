// Whatever a tree holds, Filament written and read again gives the same data; and any text is a template or an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "flow/context/skeleton.h"
#include "ports/templates/template.h"
#include "tests/support/filament_reader.h"
#include "tests/support/random_value.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  if (data[0] % 4 == 0) {
    const auto made = weft::Template::compile("t", {reinterpret_cast<const char*>(data) + 1, size - 1});
    weft::TemplateLimits limits;
    limits.max_steps = 20'000;
    if (made.ok())
      (void)made->render(weft::Value(weft::ValueObject{{"a", weft::ValueList{1, "x"}}}), {{"r", "<b>"}}, limits);
    return 0;
  }
  std::size_t at = 1;
  weft::test::RandomValue source([&] { return at < size ? data[at++] : std::uint8_t{0}; }, true);
  const weft::Value value = source.value();
  const std::string status = weft::filament_data(value, 4).value();
  if (status.empty()) return 0;
  const auto read = weft::test::read_markup(weft::test::layer_of({{"status", status}}));
  if (!read || read->size() != 1 || read->front().children.size() != 1) std::abort();
  if (weft::test::read_yaml(read->front().children.front().text) != value) std::abort();
  return 0;
}
