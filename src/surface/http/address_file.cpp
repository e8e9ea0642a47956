#include "surface/http/address_file.h"

#include "ports/files/file_system.h"

namespace weft {

AddressFile::~AddressFile() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

Status AddressFile::write(const std::string& url) const { return write_file(path_, url + "\n", false); }

std::string AddressFile::read(const std::filesystem::path& workspace) {
  std::string url = read_file(workspace / "weft.address").value_or("");
  while (!url.empty() && (url.back() == '\n' || url.back() == ' ')) url.pop_back();
  return url;
}

}  // namespace weft
