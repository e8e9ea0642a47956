#include "engine/trace_search.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

#include "ports/files/archive_file.h"
#include "ports/files/erasure_record.h"

namespace weft {
namespace {

using Pieces = std::set<std::size_t>;

constexpr std::size_t kRead = std::size_t{1} << 20;

/// Bytes that come in parts: what stands across two of them is found as well.
class Search {
 public:
  explicit Search(const Traces& traces) : traces_(traces) {}

  void take(std::string_view part) {
    bytes_.erase(0, bytes_.size() - std::min(bytes_.size(), Traces::kPiece - 1));
    bytes_ += part;
    traces_.find(bytes_, [this](std::size_t piece, std::uint64_t) { found_.insert(piece); });
  }
  /// Other bytes follow, of which nothing goes on from the former.
  void begin_anew() { bytes_.clear(); }
  Pieces found() && { return std::move(found_); }

 private:
  const Traces& traces_;
  std::string bytes_;
  Pieces found_;
};

bool is_compressed(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  char head[2] = {};
  return file.read(head, sizeof head) && head[0] == '\x1f' && head[1] == '\x8b';
}

// What can be read of an archive that is damaged further on was looked through as well.
void look_through_archive(const std::filesystem::path& path, Search& search) {
  const auto archive = ArchiveReader::open(path);
  if (!archive.ok()) return;
  for (;;) {
    const auto entry = (*archive)->next();
    if (!entry.ok() || !*entry) return;
    search.begin_anew();
    const Status read = (*archive)->read([&](std::string_view bytes) {
      search.take(bytes);
      return Status();
    });
    if (!read.ok()) return;
  }
}

}  // namespace

Pieces pieces_in(const std::filesystem::path& path, const Traces& traces) {
  Search search(traces);
  if (is_compressed(path)) {
    look_through_archive(path, search);
    return std::move(search).found();
  }
  std::ifstream file(path, std::ios::binary);
  std::string part;
  while (file) {
    part.resize(kRead);
    file.read(part.data(), static_cast<std::streamsize>(kRead));
    search.take(std::string_view(part).substr(0, static_cast<std::size_t>(file.gcount())));
  }
  return std::move(search).found();
}

}  // namespace weft
