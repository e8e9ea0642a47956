#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "flow/memory/profile_statements.h"
#include "model/documents.h"
#include "text/words.h"
#include "weft/profile.h"
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

/// The sections that merging writes into. People may name them in either language and put them where they like.
enum class ProfileSection { kOther, kFacts, kPreferences, kNotes, kEarlier };

/// One line of a profile's body. `text` is the line as it stands there; the rest is what was read out of it.
struct ProfileLine {
  std::string text;  ///< with its line end
  int heading = 0;  ///< 1 to 6 for a heading
  bool bullet = false;  ///< a list item outside of code blocks
  ProfileSection section = ProfileSection::kOther;  ///< the section that a heading begins, or that a line stands in

  // Of a bullet:
  std::string indent;  ///< up to the text: "- "
  std::string content;  ///< what people read, without flag and marker
  bool flagged = false;  ///< contradicts another line
  std::vector<std::string> sources;  ///< ids of the events it came from; none where a person wrote it
  bool mixed = false;  ///< holds parts of all its sources; else each of them alone says what it says
  std::vector<std::string> ended_by;  ///< events by which parts of it, at last all of it, are over; in that order
  std::optional<Time> time;  ///< when it was last said
};

/// The heading of a section in a language; empty for `kOther`.
std::string_view section_title(ProfileSection section, Language language);

/// The first line of a new body.
std::string_view profile_title(EntityType type, Language language);

/// Whether a line is such a title, in whatever language.
bool is_profile_title(std::string_view line);

/// The lines of a body; their texts put together are the body. A marker is an HTML comment at the end of a bullet,
/// `<!-- from EVENT, EVENT at TIME; ended by EVENT -->`, which a rendered page does not show; "+" stands between events
/// that a line mixes.
std::vector<ProfileLine> read_lines(std::string_view body);
std::string join_lines(const std::vector<ProfileLine>& lines);

/// Makes a bullet's text anew from what was read out of it.
void render(ProfileLine& line);

/// What stands in a marker for an event without id.
inline constexpr std::string_view kUnknownEvent = "?";

/// A new bullet.
ProfileLine make_bullet(std::string content, std::string event_id, Time time);

/// Lines that were put in.
struct InsertedLines {
  std::size_t first = 0, count = 0;
};

/// Puts bullets at the end of a section; makes the section, with a heading in `language`, where there is none.
InsertedLines add_to_section(std::vector<ProfileLine>& lines, ProfileSection section, std::vector<ProfileLine> bullets,
                             Language language);

/// The body as people see it: without markers. For vectors and prompts.
std::string without_markers(std::string_view body);

/// All ids of events that the markers name, sorted: whose erasure would change the body.
std::vector<std::string> body_sources(std::string_view body);

/// Lines longer than this, in bytes, are nothing that merging wrote and say too much to be moved about: they are only
/// kept.
inline constexpr std::size_t kMaxReadLine = 4000;

/// Reads what is said of an entity, with the subject made one: empty for the entity itself, a folded name for others in
/// a group. Safe from any thread.
class ProfileReader {
 public:
  explicit ProfileReader(const ProfileSubject& subject);

  bool is_of_group() const { return group_; }

  /// What a sentence states of the entity.
  std::vector<ProfileStatement> about_entity(std::string_view sentence) const;

  /// What a line of a body says today: nothing where it is a note or over, and without the parts that are over.
  std::vector<ProfileStatement> of(const ProfileLine& line) const;

 private:
  const MemberLabel* member_at_start(std::string_view sentence) const;
  bool is_self(const std::string& name) const;
  std::string relation_of(const std::string& name) const;

  std::set<std::string> names_;
  std::vector<MemberLabel> members_;
  std::map<std::string, std::string> ids_;  ///< of members, by label, folded
  bool group_;
};

bool same_topic(const ProfileStatement& a, const ProfileStatement& b);
bool share_value(const ProfileStatement& a, const ProfileStatement& b);

/// Whether a new statement puts an end to an old one.
bool ends(const ProfileStatement& now, const ProfileStatement& before);

/// Whether it speaks of all values of the old one: "dog" of "a dog called Rex".
bool covers(const ProfileStatement& now, const ProfileStatement& before);

/// "until DATE: …" for earlier lines, "DATE: …" for notes, in the language of the text; and the text without it.
std::string dated(std::string_view date, std::string_view text, bool until);
std::string_view without_date(std::string_view content);

/// " (until DATE: VALUE)": stands behind a line that says several things, of which one is over.
struct OverMark {
  std::size_t begin = 0, end = 0;
  std::string value;
};
std::string over_mark(std::string_view date, const std::string& value, std::string_view content);
std::vector<OverMark> marks_of(std::string_view content);
std::string without_marks(std::string content);

}  // namespace weft
