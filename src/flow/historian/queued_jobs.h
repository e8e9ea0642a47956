#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "flow/memory/profile_merge.h"
#include "flow/memory/said_facts.h"
#include "model/job.h"
#include "model/rows.h"
#include "ports/store/store.h"
#include "weft/ids.h"
#include "weft/memory.h"
#include "weft/result.h"
#include "weft/time.h"

namespace weft {

/// The members of a group: who they are is their id, what they are called is for people to read. Members who share a
/// name are told apart by their id: "Ann(1004)", 小明（1005）. Nothing for a private scope. Value type; const members
/// are safe from any thread.
class Members {
 public:
  Members() = default;
  explicit Members(std::vector<MemberName> names);

  static Result<Members> read(Store& store, const ScopeKey& scope);

  bool empty() const { return names_.empty(); }

  /// How a speaker is written. One whose id is not known, but whose name is that of a member, gets a question mark:
  /// "Ann(?)". Without a name the id is written.
  std::string label(const UserId& member, const std::string& name) const;

  /// Messages of users get the label of their sender as their name.
  void label(Message& message) const;

  /// The words for a member in the sentences of a profile: each name that is the member's alone, and every label.
  std::vector<MemberLabel> labels() const;

  /// Whether some name is that of several members, or some member has had several names.
  bool need_labels() const { return need_labels_; }

  /// An item as it is shown: who said it, and where its sender's name begins a line, under the label.
  void tell_apart(Item& item) const;

  /// The body of the group's profile in which each line that begins with a name of the member who said it begins with
  /// that one's label of today. `senders`: who said the events, by id.
  std::string tell_apart(std::string_view body, const std::map<std::string, UserId>& senders) const;

 private:
  /// A name under which somebody is written.
  struct Label {
    std::string text;
    UserId member;
    bool sure = true;  ///< nobody else is written so
  };

  bool is_shared(const UserId& member, const std::string& name) const;
  std::string newest_label(const UserId& member) const;
  const Label* label_at_start(std::string_view text) const;
  std::string relabelled(std::string_view text, const UserId& sender, bool renamed) const;

  std::vector<MemberName> names_;  ///< by member, the newest name last
  std::map<std::string, std::vector<UserId>> called_;  ///< by name, folded: who is called so, or has such an id
  std::vector<Label> labels_;  ///< the longest first
  bool need_labels_ = false;
};

/// The end of a turn as it waits in the queue: all that the historian needs to know of it later.
struct EndJob {
  ScopeKey scope;
  std::string user_id, group_id;  ///< of the scope; the group's is empty in private
  SessionId session;
  std::string request_id;
  std::int64_t end_seq = 0;
  std::string action_summary, new_info;
  std::vector<MessageId> message_ids;
  UserId sender_id;  ///< who wrote the user's message; empty: not known
  std::string sender_name, agent;
  std::string location, timezone;
  Time time;
  /// "flush": a candidate that was found before turns were compacted; "append": one for MEMORY.md; "fact": one that
  /// was stated in passing.
  std::string kind = "end";
  std::string attribute, quote;  ///< of a fact, see EventDetails; of one for MEMORY.md its tag
  std::vector<std::string> over;  ///< events that it takes the place of; never queued
  std::string model, prompt;  ///< by which `new_info` was worded, see Writing; never queued

  std::string event_id() const { return request_id + ":" + std::to_string(end_seq); }
};

/// The id of an event's view in its sender's private memory.
ItemId sender_view_id(const Item& event);

/// The id of a job: that of its event, made unique over scopes, since two users' clients may name requests alike.
JobId end_job_id(const ScopeKey& scope, const std::string& request_id, std::int64_t end_seq);

Job to_job(const EndJob& end, std::int64_t now_ms);

/// Reads a job's payload. kCorrupt says which field is missing or wrong.
Result<EndJob> read_end_job(const Job& job);

/// What is noted for each of its messages once an end's new information has been worked off, so that a second one is
/// refused later too. None where there is no new information.
std::vector<std::string> info_marks(const EndJob& end);

/// Messages that may state something of their speakers, as they wait in the queue. A topic that is closed reads its
/// messages once more, so nothing is lost where this job is.
struct SaidJob {
  ScopeKey scope;
  std::string user_id, group_id;  ///< of the call; the group's is empty in private, the user's may be in a group
  SessionId session;
  std::vector<MessageId> messages;
  bool left = false;  ///< the conversation has left a branch: what was stated there is taken back
  Time time;
  Members members;  ///< of the group; never queued
};

/// The kind of such jobs.
inline constexpr const char* kSaidKind = "said";

Job to_job(const SaidJob& said, std::int64_t now_ms);

/// Reads a job's payload. kCorrupt says which field is missing.
Result<SaidJob> read_said_job(const Job& job);

/// How the speaker of a message is called in what is kept of it; empty: "the user" of a private scope.
std::string speaker_of(const SaidJob& said, const Message& message);

/// Whose facts a message states; empty: of a group's member whose id is not known.
UserId sender_of(const SaidJob& said, const Message& message);

/// A fact on its way into memory: the same way as that of the end of a turn.
EndJob fact_job(const SaidJob& said, const MessageRow& row, const SaidFact& fact, std::int64_t number,
                const std::string& agent);

/// What is noted of the job of an end that was worked off: a digest, since its id holds what the client called the
/// request, and the mark may outlive everything that was made of it. Ends as the job's id does, with the scope's.
std::string done_mark(const JobId& job);

/// The mark of a job that was queued, for stores that other programs share: no two of them queue a job by that id.
std::string queued_mark(const JobId& job);

/// What is noted of an event that was erased, so that its id is not given again: a digest, too.
std::string erased_mark(const ScopeKey& scope, const std::string& event_id);

/// Whether such a job was worked off, also by a former version, which noted the id itself.
Result<bool> end_is_done(Store& store, const JobId& job);

}  // namespace weft
