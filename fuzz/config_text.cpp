// Configuration files of others, of any bytes: the entry is set or the file is refused, and setting it again changes
// nothing.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "surface/mcp/config_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft;
  if (size < 1) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::vector<mcp::Setting> settings{{"command", "/usr/bin/weft"}, {"args", ValueList{"mcp"}}};
  const bool toml = data[0] % 2 == 1;
  const auto set = [&](std::string_view from) {
    return toml ? mcp::set_in_toml(from, {"mcp_servers", "weft"}, settings)
                : mcp::set_in_json(from, {"mcpServers", "weft"}, settings);
  };
  const auto once = set(text);
  if (!once.ok()) return 0;
  const auto twice = set(*once);
  if (!twice.ok() || *twice != *once) std::abort();
  return 0;
}
