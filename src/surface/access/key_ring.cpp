#include "surface/access/key_ring.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/log.h"
#include "base/strings.h"
#include "ports/files/file_system.h"
#include "weft/scope.h"

namespace weft {

std::string sha256_of(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), bytes.data(), &size, EVP_sha256(), nullptr) != 1) return {};
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  for (unsigned i = 0; i < size; ++i) {
    out += kHex[bytes[i] >> 4];
    out += kHex[bytes[i] & 15];
  }
  return out;
}

template <>
const Record<ApiKey>& record<ApiKey>() {
  static const auto made =
      Record<ApiKey>("ApiKey", "A key of the server, without its secret.", RecordUse::kBoth)
          .field("id", &ApiKey::id, "stands in the key itself", {.required = true})
          .field("name", &ApiKey::name, "what people call it", {.required = true})
          .field("digest", &ApiKey::digest, "SHA-256 of the key, in hexadecimal", {.required = true})
          .field("right", &ApiKey::right, "what it allows: read, write or admin", {.required = true})
          .field("users", &ApiKey::users, "whose memory it opens; with no groups either: everybody's", {.sparse = true})
          .field("groups", &ApiKey::groups, "which groups' memory it opens", {.sparse = true})
          .field("created", &ApiKey::created, "when it was made");
  return made;
}

template <>
const Record<ListedKey>& record<ListedKey>() {
  static const auto made = Record<ListedKey>("ListedKey", "A key of the server.", RecordUse::kTold)
                               .field("id", &ListedKey::id, "stands in the key itself")
                               .field("name", &ListedKey::name, "what people call it")
                               .field("right", &ListedKey::right, "what it allows: read, write or admin")
                               .field("users", &ListedKey::users,
                                      "whose memory it opens; with no groups either: everybody's", {.sparse = true})
                               .field("groups", &ListedKey::groups, "which groups' memory it opens", {.sparse = true})
                               .field("created", &ListedKey::created, "when it was made");
  return made;
}

ListedKey listed(const ApiKey& key) { return {key.id, key.name, key.right, key.users, key.groups, key.created}; }

namespace {

constexpr std::string_view kPrefix = "weft_";
constexpr std::size_t kIdBytes = 5, kSecretBytes = 32;
// Letters and digits that nobody mixes up, five bits each.
constexpr std::string_view kLetters = "abcdefghijkmnpqrstuvwxyz23456789";

std::string spelled(const unsigned char* bytes, std::size_t size) {
  std::string out;
  std::uint32_t held = 0;
  int bits = 0;
  for (std::size_t i = 0; i < size; ++i) {
    held = held << 8 | bytes[i];
    for (bits += 8; bits >= 5; bits -= 5) out += kLetters[held >> (bits - 5) & 31];
  }
  return out;
}

}  // namespace

Result<NewKey> make_key(ApiKey about, Time now) {
  WEFT_CHECK(check_id(about.name, "name of a key"));
  for (const std::string& user : about.users) WEFT_CHECK(check_id(user, "user"));
  for (const std::string& group : about.groups) WEFT_CHECK(check_id(group, "group"));
  if (about.right == Right::kAdmin && about.access().bound())
    return invalid_argument("a key with the right to administrate opens everybody's memory",
                            "leave out the users and groups, or make it with --right write");
  std::array<unsigned char, kIdBytes + kSecretBytes> random{};
  if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1)
    return unavailable("the system gives no random bytes for a key");
  NewKey made;
  made.kept = std::move(about);
  made.kept.id = spelled(random.data(), kIdBytes);
  made.kept.created = now;
  made.key = std::string(kPrefix) + made.kept.id + "_" + spelled(random.data() + kIdBytes, kSecretBytes);
  made.kept.digest = sha256_of(made.key);
  if (made.kept.digest.empty()) return internal("the digest of a key could not be made");
  return made;
}

std::string_view id_of_key(std::string_view key) {
  if (!key.starts_with(kPrefix)) return {};
  key.remove_prefix(kPrefix.size());
  const auto end = key.find('_');
  return end == std::string_view::npos ? std::string_view() : key.substr(0, end);
}

bool holds_key(std::string_view text) {
  constexpr std::size_t kFewestOfId = 4, kFewestOfSecret = 16;
  const auto letters = [text](std::size_t from) {
    const auto end = text.find_first_not_of(kLetters, from);
    return (end == std::string_view::npos ? text.size() : end) - from;
  };
  for (auto at = text.find(kPrefix); at != std::string_view::npos; at = text.find(kPrefix, at + 1)) {
    const std::size_t id = at + kPrefix.size();
    const std::size_t mark = id + letters(id);
    if (mark - id < kFewestOfId || mark >= text.size() || text[mark] != '_') continue;
    if (letters(mark + 1) >= kFewestOfSecret) return true;
  }
  return false;
}

bool same_secret(std::string_view given, std::string_view wanted) {
  // Digests have one length, so that the length of the secret does not show either.
  const std::string a = sha256_of(given), b = sha256_of(wanted);
  return !a.empty() && a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

bool is_key(const ApiKey& kept, std::string_view key) {
  const std::string digest = sha256_of(key);
  return !digest.empty() && digest.size() == kept.digest.size() &&
         CRYPTO_memcmp(digest.data(), kept.digest.data(), digest.size()) == 0;
}

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
  // While the server is open to all, the first key must count at once.
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

bool is_loopback(const std::string& host) {
  // A name such as 127.example.org may lead anywhere.
  const bool is_v4 = host.find_first_not_of("0123456789.") == std::string::npos;
  return host == "localhost" || host == "::1" || (is_v4 && host.starts_with("127."));
}

Status check_door(const ServerSettings& settings, KeyRing& keys) {
  if (settings.port < 0 || settings.port > 65535) return invalid_argument("server.port must be from 0 to 65535");
  if (settings.tls_certificate.empty() != settings.tls_key.empty())
    return invalid_argument("server.tls_certificate and server.tls_key must be set together");
  if (is_loopback(settings.host) || !settings.api_key.empty() || !keys.empty()) return {};
  return permission("whoever reaches " + settings.host + " could read and change everything: there is no key",
                    "make one with `weft key add NAME`, set server.api_key, or listen on 127.0.0.1");
}

}  // namespace weft
