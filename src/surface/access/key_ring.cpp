#include "surface/access/key_ring.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/log.h"
#include "base/strings.h"
#include "ports/files/file.h"

namespace weft {
namespace {

Error no_key(bool is_last) {
  return permission(is_last ? "no key opens this server: the last one was revoked, or keys.jsonl is empty or gone"
                            : "this key is not known",
                    "`weft key add NAME` makes one");
}

}  // namespace

Result<std::vector<ApiKey>> KeyRing::keys() const {
  const auto text = read_file(file_);
  if (!text.ok() && text.error().code == ErrorCode::kNotFound) return std::vector<ApiKey>();
  if (!text.ok()) return text.error();
  std::vector<ApiKey> keys;
  std::size_t number = 0;
  for (const std::string_view line : lines_of(*text)) {
    ++number;
    if (line.empty()) continue;
    WEFT_TRY(ApiKey key, parse_record<ApiKey>(line, fmt::format("line {} of {}", number, file_.string())));
    keys.push_back(std::move(key));
  }
  return keys;
}

Status KeyRing::write(const std::vector<ApiKey>& keys) const {
  std::string text;
  for (const ApiKey& key : keys) text += to_json(key) + "\n";
  WEFT_CHECK(write_file(file_, text, true));
  std::error_code error;
  std::filesystem::permissions(file_, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write, error);
  if (error) return permission("cannot close " + file_.string() + " to others: " + error.message());
  return {};
}

Result<NewKey> KeyRing::add(ApiKey about, Time now) {
  const std::lock_guard lock(mutex_);
  WEFT_TRY(auto all, keys());
  for (const ApiKey& key : all)
    if (key.name == about.name)
      return conflict("there is a key \"" + key.name + "\" already", "revoke it first, or take another name");
  WEFT_TRY(NewKey made, make_key(std::move(about), now));
  all.push_back(made.kept);
  WEFT_CHECK(write(all));
  looked_ = {};
  return made;
}

Result<ApiKey> KeyRing::revoke(std::string_view name) {
  const std::lock_guard lock(mutex_);
  WEFT_TRY(auto all, keys());
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const ApiKey& key) { return key.name == name || key.id == name; });
  if (found == all.end()) return not_found(fmt::format("there is no key \"{}\"", name), "`weft key list` shows them");
  ApiKey gone = std::move(*found);
  all.erase(found);
  WEFT_CHECK(write(all));
  looked_ = {};
  return gone;
}

void KeyRing::look_again() {
  const auto now = std::chrono::steady_clock::now();
  // The first key closes the door at once.
  if (guarded_ && looked_.time_since_epoch().count() != 0 && now - looked_ < look_every_) return;
  looked_ = now;
  std::error_code error;
  const auto written = std::filesystem::last_write_time(file_, error);
  const auto size = error ? 0 : std::filesystem::file_size(file_, error);
  if (!error && trouble_.ok() && written == written_ && size == size_) return;
  written_ = written, size_ = size;
  auto read = keys();
  trouble_ = read.ok() ? Status() : Status(read.error());
  guarded_ = guarded_ || !error || !trouble_.ok();
  if (!read.ok()) log_error("keys", read.error().message);
  known_ = std::move(read).value_or({});
}

Result<Access> KeyRing::open(std::string_view key) {
  const std::lock_guard lock(mutex_);
  look_again();
  if (!trouble_.ok()) return unavailable("the keys of this server cannot be read", "its log says why");
  const std::string_view id = id_of_key(key);
  for (const ApiKey& one : known_)
    if (!id.empty() && one.id == id && is_key(one, key)) return one.access();
  return no_key(known_.empty());
}

bool KeyRing::guarded() {
  const std::lock_guard lock(mutex_);
  look_again();
  return guarded_;
}

bool KeyRing::empty() {
  const std::lock_guard lock(mutex_);
  look_again();
  return trouble_.ok() && known_.empty();
}

}  // namespace weft
