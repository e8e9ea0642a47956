#include "surface/access/api_key.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <array>
#include <cstdint>

#include "surface/access/sha256.h"
#include "weft/scope.h"

namespace weft {

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

}  // namespace weft
