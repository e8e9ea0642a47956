#pragma once

#include <string>
#include <vector>

#include "surface/access/access.h"
#include "text/record.h"
#include "weft/time.h"

namespace weft {

/// A key of the server as it is kept: its secret only as a digest.
struct ApiKey {
  std::string id;  ///< stands in the key itself and finds it again
  std::string name;
  std::string digest;  ///< SHA-256 of the whole key, in hexadecimal
  Right right = Right::kRead;
  std::vector<std::string> users, groups;  ///< see `Access`
  Time created;

  Access access() const { return {name, right, users, groups}; }
};
WEFT_DESCRIBED(ApiKey);

/// A key as lists show it: without the digest, by which nobody needs to know it.
struct ListedKey {
  std::string id, name;
  Right right = Right::kRead;
  std::vector<std::string> users, groups;
  Time created;
};
WEFT_DESCRIBED(ListedKey);
ListedKey listed(const ApiKey& key);

/// A new key: what is kept of it, and the key itself, which is shown once.
struct NewKey {
  ApiKey kept;
  std::string key;  ///< "weft_ID_SECRET"
};

/// Draws a key from the system's source of randomness. `about` gives name, right, users and groups; the name must be an
/// id, and a key with the right to administrate is for nobody in particular (kInvalidArgument).
Result<NewKey> make_key(ApiKey about, Time now);

/// The id within a key; empty for a text that is none.
std::string_view id_of_key(std::string_view key);

/// Whether a key of a Weft server stands somewhere in the text: of this server or another, valid or revoked.
bool holds_key(std::string_view text);

/// The text is this key. Takes the same time wherever they differ.
bool is_key(const ApiKey& kept, std::string_view key);

/// Two secrets are the same; takes the same time wherever they differ.
bool same_secret(std::string_view given, std::string_view wanted);

}  // namespace weft
