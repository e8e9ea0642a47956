#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile.h"
#include "weft/time.h"

namespace weft {

/// How a member of a group is written in sentences.
struct MemberLabel {
  std::string label;
  std::string id;  ///< empty: the one whom the profile is about
};

/// Whom the profile is about, and what they are called in sentences: id, name, other names. In a user's profile a
/// sentence is about the user if its subject is one of them or is left out; a group's profile keeps what is said of any
/// of its people, each apart.
struct ProfileSubject {
  EntityType type = EntityType::kUser;
  std::vector<std::string> names;
  /// The longest label first. What is said of one who is written in several ways is said of one person.
  std::vector<MemberLabel> members = {};
};

/// One piece of new information: one or a few sentences that need no context any more.
struct ProfileInfo {
  std::string text;
  std::string event_id;
  Time time;  ///< when it was said
  std::vector<std::string> over = {};  ///< events whose lines it takes the place of, whatever they state
  std::vector<std::string> later = {};  ///< events of the same moment that were said after it
  bool lasts = true;  ///< false: it ends lines but becomes none
};

struct MergeLimits {
  std::size_t max_body = 32 * 1024;  ///< bytes; over it the oldest notes, then the oldest earlier lines go
  std::size_t max_sentences = 20;  ///< of one piece of information
  std::size_t max_line = 1000;  ///< bytes of one sentence, longer ones are cut
};

enum class MergeAction {
  kAdded,  ///< a new line
  kReplaced,  ///< another value; the old line went to the section of earlier ones
  kConfirmed,  ///< the same as it stood there
  kLate,  ///< older than what stands there: put among the earlier ones
  kNoted,  ///< states nothing about the entity: put among the notes with its date
  kEnded,  ///< what does not last has ended a line
  kDropped,  ///< a line went because the body was over its limit
};

std::string_view to_string(MergeAction action);

struct MergeChange {
  MergeAction action = MergeAction::kAdded;
  std::string attribute;  ///< empty for notes
  std::string text;  ///< the sentence, or the line that went
  std::string old;  ///< what was replaced
  std::vector<std::string> old_events = {};  ///< the events that had said what was replaced
};

struct MergeResult {
  std::string body;
  std::vector<MergeChange> changes;  ///< empty: it was all there already
};

/// Merges new information into a profile's body without a model: another value of what can have one at a time replaces
/// the old one, and what says that something is not so what said that it is, and the other way round; the old line
/// stays as "until DATE: …" in a section of its own. What can have many is added; what is there is confirmed; lines
/// that people wrote against each other are flagged; everything else stays as it is, byte for byte. The same call again
/// changes nothing. Linear in the size of the body. Safe from any thread.
MergeResult merge_profile(std::string_view body, const ProfileInfo& info, const ProfileSubject& subject,
                          const MergeLimits& limits = {});

struct RemovedSources {
  std::string body;
  std::vector<std::string> lines;  ///< the lines that went, as people saw them
  std::size_t kept = 0;  ///< lines that other events still bear witness to
};

/// Takes out what came from events that are erased: their lines, and that other lines are over. What they had ended
/// holds again, unless something else ended it too. Lines that people wrote stay.
RemovedSources remove_sources(std::string_view body, const std::vector<std::string>& event_ids,
                              const ProfileSubject& subject);

}  // namespace weft
