#include "tests/support/power_cut_files.h"

#include <algorithm>

namespace weft::test {
namespace {

constexpr std::size_t kSector = 512;

}  // namespace

class PowerCutFiles::File final : public OpenFile {
 public:
  File(PowerCutFiles& disk, std::shared_ptr<Content> content) : disk_(disk), content_(std::move(content)) {}
  Status write_at(std::string_view bytes, std::uint64_t at) override { return disk_.write(*content_, bytes, at); }
  Status sync() override { return disk_.sync(*content_); }

 private:
  PowerCutFiles& disk_;
  std::shared_ptr<Content> content_;
};

void PowerCutFiles::cut_after(std::size_t operations) {
  const std::lock_guard lock(mutex_);
  left_ = operations;
}

bool PowerCutFiles::off() const {
  const std::lock_guard lock(mutex_);
  return off_;
}

Status PowerCutFiles::step() {
  if (left_ == 0) off_ = true;
  if (off_) return unavailable("the power is off");
  --left_;
  return {};
}

void PowerCutFiles::apply(std::string& bytes, const Write& write) {
  if (bytes.size() < write.at + write.bytes.size()) bytes.resize(write.at + write.bytes.size(), '\0');
  bytes.replace(write.at, write.bytes.size(), write.bytes);
}

void PowerCutFiles::apply(Names& names, const std::vector<Change>& changes) {
  for (const Change& change : changes) {
    if (change.content)
      names[change.name] = change.content;
    else
      names.erase(change.name);
  }
}

// Sectors reach the disk or not, each for itself.
void PowerCutFiles::lose(Content& content) {
  for (const Write& write : content.unflushed) {
    const auto luck = random_() % 3;
    if (luck == 0) continue;
    for (std::size_t at = 0; at < write.bytes.size();) {
      const std::size_t end = std::min(write.bytes.size(), at + kSector - (write.at + at) % kSector);
      if (luck == 1 || random_() % 2 == 0) apply(content.kept, {write.at + at, write.bytes.substr(at, end - at)});
      at = end;
    }
  }
  content.unflushed.clear();
  content.seen = content.kept;
}

void PowerCutFiles::restore() {
  const std::lock_guard lock(mutex_);
  for (auto& [path, folder] : folders_) {
    for (auto& [name, content] : folder.kept) lose(*content);
    for (auto& [name, content] : folder.seen) lose(*content);
    for (auto& changes : folder.unflushed)
      for (Change& change : changes)
        if (change.content) lose(*change.content);
    const std::size_t kept = random_() % (folder.unflushed.size() + 1);
    for (std::size_t i = 0; i < kept; ++i) apply(folder.kept, folder.unflushed[i]);
    folder.unflushed.clear();
    folder.seen = folder.kept;
  }
  off_ = false;
  left_ = static_cast<std::size_t>(-1);
}

Status PowerCutFiles::write(Content& content, std::string_view bytes, std::uint64_t at) {
  const std::lock_guard lock(mutex_);
  const Status on = step();
  if (on.ok() && full_ && at + bytes.size() > content.seen.size()) return unavailable("no space left");
  const Write write{at, std::string(bytes)};
  content.unflushed.push_back(write);  // begun when the power went
  if (on.ok()) apply(content.seen, write);
  return on;
}

Status PowerCutFiles::sync(Content& content) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(step());
  if (fail_syncs_) {
    lose(content);  // the kernel has marked the pages clean; programs still see them until they are read again
    return unavailable("input/output error");
  }
  content.kept = content.seen;
  content.unflushed.clear();
  return {};
}

void PowerCutFiles::change(const std::filesystem::path& folder, std::vector<Change> changes) {
  Folder& at = folders_[folder.string()];
  apply(at.seen, changes);
  at.unflushed.push_back(std::move(changes));
}

Result<std::unique_ptr<OpenFile>> PowerCutFiles::open(const std::filesystem::path& path) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(step());
  Folder& folder = folders_[path.parent_path().string()];
  const std::string name = path.filename().string();
  auto at = folder.seen.find(name);
  if (at == folder.seen.end()) {
    if (full_) return unavailable("no space left");
    change(path.parent_path(), {{name, std::make_shared<Content>()}});
    at = folder.seen.find(name);
  }
  return std::unique_ptr<OpenFile>(new File(*this, at->second));
}

Result<std::string> PowerCutFiles::read(const std::filesystem::path& path) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(step());
  const Folder& folder = folders_[path.parent_path().string()];
  const auto at = folder.seen.find(path.filename().string());
  if (at == folder.seen.end()) return not_found("no file " + path.string());
  return at->second->seen;
}

std::optional<FileRevision> PowerCutFiles::revision(const std::filesystem::path& path) {
  const std::lock_guard lock(mutex_);
  if (!step().ok()) return std::nullopt;
  const Folder& folder = folders_[path.parent_path().string()];
  const auto at = folder.seen.find(path.filename().string());
  if (at == folder.seen.end()) return std::nullopt;
  const std::string& seen = at->second->seen;
  return FileRevision{seen.size(), static_cast<std::int64_t>(std::hash<std::string>{}(seen))};
}

Result<std::vector<std::filesystem::path>> PowerCutFiles::list(const std::filesystem::path& folder) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(step());
  std::vector<std::filesystem::path> files;
  for (const auto& [name, content] : folders_[folder.string()].seen) files.push_back(folder / name);
  return files;
}

Status PowerCutFiles::rename(const std::filesystem::path& from, const std::filesystem::path& to) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(step());
  Folder& folder = folders_[from.parent_path().string()];
  const auto at = folder.seen.find(from.filename().string());
  if (at == folder.seen.end()) return not_found("no file " + from.string());
  change(from.parent_path(), {{from.filename().string(), nullptr}, {to.filename().string(), at->second}});
  return {};
}

Status PowerCutFiles::remove(const std::filesystem::path& path) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(step());
  if (folders_[path.parent_path().string()].seen.contains(path.filename().string()))
    change(path.parent_path(), {{path.filename().string(), nullptr}});
  return {};
}

Status PowerCutFiles::sync_folder(const std::filesystem::path& path) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(step());
  if (fail_syncs_) return unavailable("input/output error");
  Folder& folder = folders_[path.string()];
  folder.kept = folder.seen;
  folder.unflushed.clear();
  return {};
}

std::string PowerCutFiles::content(const std::filesystem::path& path) {
  const std::lock_guard lock(mutex_);
  const Folder& folder = folders_[path.parent_path().string()];
  const auto at = folder.seen.find(path.filename().string());
  return at == folder.seen.end() ? std::string() : at->second->seen;
}

void PowerCutFiles::put(const std::filesystem::path& path, std::string bytes) {
  const std::lock_guard lock(mutex_);
  Folder& folder = folders_[path.parent_path().string()];
  auto content = std::make_shared<Content>();
  content->kept = content->seen = std::move(bytes);
  folder.kept[path.filename().string()] = folder.seen[path.filename().string()] = content;
}

bool PowerCutFiles::holds(const std::string& text) {
  const std::lock_guard lock(mutex_);
  for (const auto& [path, folder] : folders_)
    for (const auto& [name, content] : folder.seen)
      if (content->seen.find(text) != std::string::npos) return true;
  return false;
}

}  // namespace weft::test
