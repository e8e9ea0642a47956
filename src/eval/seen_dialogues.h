#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "eval/draw.h"
#include "eval/segment.h"
#include "weft/result.h"

namespace weft {

/// Conversations of one source, without borders.
struct TalkSource {
  std::string name;       ///< of the file without ending, or of the folder
  bool chinese = false;
  bool assisted = false;  ///< a user asks and an assistant answers, in turn; the first turn is the user's
  std::vector<LabelledDialogue> talks;  ///< `starts` is {0}
};

/// Reads conversations from a JSON Lines file whose lines hold "messages" (runs of agents: what user and assistant
/// said), "turns" (labelled dialogues, whose borders are left out) or "context" and "text" (the longest of each), or
/// from a set of `find_conversations` (each session one). Conversations of fewer than four turns are left out.
Result<TalkSource> read_talks(const std::string& path);

/// How conversations are joined to one.
struct JoinShape {
  std::size_t least_talks = 3, most_talks = 6;
  std::size_t least_turns = 4, most_turns = 12;  ///< of each; of assisted talks always pairs of question and answer
};

/// Pieces of different conversations one after another, each from its beginning or from within; the borders are where
/// a piece begins. `sources` may be one or several; each piece comes from any of them alike.
LabelledDialogue join_talks(const std::vector<const TalkSource*>& sources, const JoinShape& shape, Draw& draw);

// What the weights of topic borders are fitted to and measured on.

struct SegmentFeatureOptions {
  std::vector<std::string> labelled;  ///< files; those that begin alike up to the first "_" are one family
  std::vector<std::string> talks;     ///< see `read_talks`
  std::vector<std::string> keep_out;  ///< sources of talks that are only measured
  std::vector<std::string> uncut;     ///< further talks, each of one subject: how often they are torn
  std::size_t dialogues = 280;        ///< of a family at most, spread over its files
  std::size_t turns = 6000;           ///< likewise
  std::size_t joins = 150;            ///< joined dialogues of a labelled family to fit on
  std::size_t joined_talks = 140;     ///< joined talks of a language to measure, and as many to fit on
};

/// A dialogue as the detector saw it: the signals of each turn but the first.
struct SeenDialogue {
  std::vector<std::size_t> starts;
  std::vector<bool> question;  ///< whether the turn may begin a block
  std::vector<std::vector<double>> signals;
};

/// Dialogues of one family that were made in one way: "labelled", "joined …", "measured", "uncut".
struct SeenGroup {
  std::string family, kind;
  bool fits = true;  ///< otherwise only measured
  std::vector<SeenDialogue> dialogues;
};

/// Everything that is watched: labelled dialogues, joined ones that are measured or learned from, pieces joined without
/// labels, and talks that have no border. Reads the files of the options and embeds every turn.
/// Fails where a file cannot be read or the embedder fails.
Result<std::vector<SeenGroup>> gather_dialogues(const SegmentFeatureOptions& options, Embedder& embedder,
                                                const Similarity& similarity);

}  // namespace weft
