#pragma once

#include "surface/cli/console.h"
#include "surface/cli/input.h"

namespace weft::cli {

/// The streams of this process.
class OwnConsole final : public Console {
 public:
  void write(std::string_view text) override;
  void write_error(std::string_view text) override;
  void flush() override;
  bool interactive() const override;
  bool colours() const override;
  std::filesystem::path path(const std::string& given) const override;
  Status edit(const std::string& file) override { return edit_file(file); }

 protected:
  Result<std::string> more(const std::string& prompt) override { return input_.more(prompt); }

 private:
  Input input_;
};

}  // namespace weft::cli
