#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "surface/access/access.h"
#include "weft/config.h"

namespace weft {

/// How a field uses the name that it holds; this decides what the caller's key must open.
enum class NamedAs {
  kSpeaker,  ///< who said something, in the scope of the request
  kOwner,    ///< whose something becomes: "workspace", "user:ID" or "group:ID"
  kUser,     ///< whose private memory is meant
  kGroup,    ///< which group's memory is meant
  kEntity,   ///< a user or a group, as the field `NamingField::type` says
  kFilter,   ///< narrows what is found in the scope of the request
  kLabel,    ///< a name that people read and that decides nothing
};

/// A field of a call that names a person or a group.
struct NamingField {
  std::string_view call;   ///< id of the operation, or name of the tool
  std::string_view field;  ///< "sender_id", "messages[].sender_id", "?name" of the query, or "{id}" of the path
  NamedAs as;
  std::string_view type = {};  ///< of kEntity
};

/// All of them but those that say whose memory a request is about, which `scope_of` reads. A field of an operation or a
/// tool that names somebody is added here, whatever it does with the name: a test compares this list with what the
/// operations take.
std::span<const NamingField> naming_fields();

/// Whether the caller's key may name whom a call names. `path` are the values of its path, `body` its JSON, which may
/// be anything. kPermission names the user or the group.
Status check_named(const Access& access, const Scope& scope, const Config& config, std::string_view call,
                   const std::map<std::string, std::string>& path, std::string_view body);

/// Whether a key may say that this user speaks in the scope; an empty name is nobody's. A key that is for groups alone
/// speaks for all of their members, except where the settings carry what is said in a group into a member's own memory.
Status check_speaker(const Access& access, const Scope& scope, std::string_view user, const Config& config);

/// Who wrote what a call reports, where it may name them: `named`, else, for a key of some people whose settings carry
/// what is said in a group into a member's own memory, the user of the request; whoever wrote the messages need not be
/// one of those for whom the key speaks. kPermission where the request names no user.
Result<std::string> speaker_of_call(const Access& access, const Scope& scope, const Config& config, std::string named);

}  // namespace weft
