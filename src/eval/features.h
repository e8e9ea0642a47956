#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "flow/memory/fact_meaning.h"
#include "ports/embedding/embedder.h"
#include "weft/config.h"
#include "weft/result.h"

namespace weft {

/// A message and whether it tells a standing wish.
struct LabelledWish {
  std::string text;
  bool wish = false;
  bool talk = false;  ///< of a conversation: those of its sentences that are looked at are no wishes
};

/// Reads JSON Lines of {"text", "wish"}, or of talk that is taken to hold no wish: {"role", "text"} or conversations
/// ({"turns": [{"role", "text"}]}, {"messages": [{"role", "content"}]}), of which the users' part counts. Errors name
/// file and line.
Result<std::vector<LabelledWish>> read_wishes(const std::vector<std::string>& files);

/// Whether grammar and meaning together find a standing wish in a message.
bool tells_wish(std::string_view message, const WishWeights& weights, const SentenceVector& vector_of);

/// What the examples are made from.
struct FeatureOptions {
  std::vector<std::string> files;     ///< of the subject; the README of tools/fit names their forms
  std::vector<std::string> keep_out;  ///< families that are measured and not fitted on
  std::vector<std::string> check;     ///< wishes: files that are measured and not fitted on
  std::vector<std::string> talks;     ///< topics: conversations to join
  std::vector<std::string> uncut;     ///< topics: talks of one subject each
  std::string data;                   ///< facts: the folder that sources are below
  std::size_t questions = 100;        ///< known: of each memory at most; 0: all
  std::size_t joins = 150;            ///< topics: joined dialogues of a labelled family
  std::size_t joined_talks = 140;     ///< topics: joined talks of a language to measure, and as many to fit on
};

/// The subjects that weights are fitted for, in the order of their names.
std::vector<std::string> feature_subjects();

/// Writes the examples that the weights of a subject are fitted to, as JSON Lines. The first line is an object with
/// "subject" and "embedder" (empty: words alone). Each further line has "family", and an example has its "label" and
/// its "features", names with a number or a list of numbers; tools/fit/README.md documents the lines of each subject.
/// `embedder` may be null for recall, known and tools; `similarity` belongs to it. The same files and embedder give the
/// same bytes. Errors: kInvalidArgument for an unknown subject, kPermission where `path` cannot be written, and those
/// of files and embedder.
Status write_features(std::string_view subject, const Config& config, const FeatureOptions& options, Embedder* embedder,
                      const Similarity& similarity, const std::string& path);

}  // namespace weft
