#include "ports/files/profile_archive.h"

#include "ports/files/file.h"
#include "ports/files/profile_names.h"

namespace weft {
namespace {

Result<std::filesystem::path> path_of(const std::filesystem::path& profiles, const EntityKey& entity) {
  WEFT_TRY(const std::string name, profile_file_name(entity.id));
  const char* const folder = entity.type == EntityType::kUser ? "users" : "groups";
  return profiles / "archive" / folder / (name + ".md");
}

Result<std::string> text_of(const std::filesystem::path& path) {
  auto text = read_file(path);
  if (!text.ok() && text.error().code == ErrorCode::kNotFound) return std::string();
  return text;
}

}  // namespace

Status add_to_archive(const std::filesystem::path& profiles, const EntityKey& entity,
                      const std::vector<std::string>& lines) {
  if (lines.empty()) return {};
  WEFT_TRY(const auto path, path_of(profiles, entity));
  WEFT_TRY(std::string text, text_of(path));
  const std::size_t before = text.size();
  for (const std::string& line : lines) {
    const std::string whole = line.ends_with('\n') ? line : line + "\n";
    if (text.find("\n" + whole) == std::string::npos && !text.starts_with(whole)) text += whole;
  }
  if (text.size() == before) return {};
  WEFT_CHECK(make_folder(path.parent_path()));
  return write_file(path, text, true);
}

Result<bool> change_archive(const std::filesystem::path& profiles, const EntityKey& entity,
                            const std::function<std::string(const std::string& body)>& change) {
  WEFT_TRY(const auto path, path_of(profiles, entity));
  WEFT_TRY(const std::string before, text_of(path));
  if (before.empty()) return false;
  const std::string after = change(before);
  if (after == before) return false;
  WEFT_CHECK(write_file(path, after, true));
  return true;
}

Result<bool> remove_archive(const std::filesystem::path& profiles, const EntityKey& entity) {
  WEFT_TRY(const auto path, path_of(profiles, entity));
  std::error_code failed;
  const bool gone = std::filesystem::remove(path, failed);
  if (failed) return unavailable("the archive " + path.string() + " cannot be removed: " + failed.message());
  if (gone) WEFT_CHECK(sync_folder(path.parent_path()));
  return gone;
}

}  // namespace weft
