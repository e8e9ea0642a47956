#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/record.h"
#include "weft/choices.h"
#include "weft/config.h"
#include "weft/result.h"
#include "weft/scope.h"
#include "weft/time.h"

namespace weft {

/// What a caller may do; each includes those before it.
enum class Right {
  kRead,   ///< look at what is kept
  kWrite,  ///< add to it, change it and forget it, in the scopes that the key is for
  kAdmin,  ///< look after the whole workspace: jobs, backups, what belongs to nobody
};
std::string_view to_string(Right right);
inline constexpr std::array kRights{Right::kRead, Right::kWrite, Right::kAdmin};
template <>
inline constexpr std::span<const Right> kEnumValues<Right>{kRights};

/// Who asks, and what their key allows. Without keys everybody who reaches the server may do all.
struct Access {
  std::string name;  ///< of the key, for logs; empty: nobody was asked for one
  Right right = Right::kAdmin;
  std::vector<std::string> users = {};   ///< whose memory it opens; with `groups` empty, too: everybody's
  std::vector<std::string> groups = {};  ///< likewise

  /// It is for some users or groups only.
  bool bound() const { return !users.empty() || !groups.empty(); }
};

/// kPermission where the key does not go so far.
Status check_right(const Access& access, Right needed);

/// kPermission for a scope that the key does not open. A group is opened by its name; a key that names users, too, then
/// speaks for these only.
Status check_scope(const Access& access, const Scope& scope);

/// The user of a request that names nobody: the only one that the key is for, else `otherwise`.
std::string_view default_user_of(const Access& access, std::string_view otherwise);

/// What belongs to everybody ("workspace") is not changed by a key of some users: kPermission.
Status check_may_change(const Access& access, std::string_view owner);

/// How a field uses the name that it holds; this decides what the caller's key must open.
enum class NamedAs {
  kSpeaker,  ///< who said something, in the scope of the request
  kOwner,  ///< whose something becomes: "workspace", "user:ID" or "group:ID"
  kUser,  ///< whose private memory is meant
  kGroup,  ///< which group's memory is meant
  kEntity,  ///< a user or a group, as the field `NamingField::type` says
  kFilter,  ///< narrows what is found in the scope of the request
  kLabel,  ///< a name that people read and that decides nothing
};

/// A field of a call that names a person or a group.
struct NamingField {
  std::string_view call;  ///< id of the operation, or name of the tool
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

/// One administrative act, or one caller turned away.
struct AuditEntry {
  Time time;
  std::string who;  ///< the key's name; "command" for a command on this machine, "mcp" for
                    ///< a client of `weft mcp`; empty: nobody named themselves
  std::string from;  ///< the client's address; empty for a command
  std::string act;  ///< "erase", "weft key revoke", "refused"
  std::string whose;  ///< the scope, where there is one
  std::string outcome;  ///< "done", or the error's message
  std::vector<std::string> what = {};  ///< what was acted on, by ids: "key k3x9abcd", "rule r12", "version 3"
};
WEFT_DESCRIBED(AuditEntry);

/// What was done to a workspace by whom, in its file `audit.jsonl`, which its owner alone may read. Each line is
/// appended whole and is on disk when `note` returns; servers and commands may write at the same time. Holds no content
/// and no secret. Safe from many threads.
class AuditLog {
 public:
  explicit AuditLog(std::filesystem::path file) : file_(std::move(file)) {}
  /// The file of a workspace.
  static std::filesystem::path file_of(const std::filesystem::path& workspace) { return workspace / "audit.jsonl"; }

  /// Writes a line; where that fails the program's log says so, and the act stands.
  void note(const AuditEntry& entry) const;

 private:
  const std::filesystem::path file_;
};

}  // namespace weft
