#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/rows.h"
#include "ports/embedding/embedder.h"
#include "weft/block.h"
#include "weft/config.h"

namespace weft {

class Similarity;

/// The open topic of a session: the buffer in which blocks gather until it is flushed.
struct OpenTopic {
  TopicRow row;  ///< `row.trace` is the detector's state, `row.lead` the summary of what was relayed
  std::vector<LogicalBlock> blocks;  ///< in order
};

/// The vectors of a block's texts; empty where no embedder answered in time.
struct BlockVectors {
  Vector anchor;
  Vector reply;
};

/// Decides whether a block belongs to the open topic.
///
/// Takes  the open topic, a closed block and the vector of its anchor text (none when no embedder answered in time).
/// Gives  adsorb or drift with the reasons; moves the topic's kernel when told that the block joined.
/// Promise  the same topic and block give the same decision; without a vector the words alone decide ("floor").
/// Cost   microseconds beside the embedding.
/// Safe from many threads; a topic belongs to one caller at a time.
class Adsorber {
 public:
  Adsorber(const StreamSettings& settings, std::shared_ptr<const Similarity> similarity);
  ~Adsorber();

  /// The text whose vector stands for the block: the query, with what the settings add to it.
  std::string anchor_text(const OpenTopic* topic, const LogicalBlock& block) const;

  /// The text of the reply whose vector is context of the next block; empty where the policy needs none.
  std::string reply_text(const LogicalBlock& block) const;

  /// Needs the anchor's vector only.
  Decision judge(const OpenTopic& topic, const LogicalBlock& block, std::span<const float> anchor) const;

  /// Makes `block` the first of a fresh topic. `before` is the trace of the topic before it in the session, whose
  /// knowledge of the dialogue as a whole goes on; it may be empty.
  void start(OpenTopic& topic, const std::string& before, const LogicalBlock& block, const BlockVectors& vectors) const;

  /// The block joins the topic and moves its kernel.
  void adsorb(OpenTopic& topic, const LogicalBlock& block, const BlockVectors& vectors) const;

  /// Seeds a fresh topic's kernel with the summary that leads into it.
  void seed(OpenTopic& topic, const std::string& before, std::span<const float> summary_vector) const;

 private:
  StreamSettings settings_;
  std::shared_ptr<const Similarity> similarity_;
};

}  // namespace weft
