#include "flow/stream/rebuild_trace.h"

namespace weft {
namespace {

Vector vector_of(const StreamPorts& ports, const Deadline& deadline, const std::string& text) {
  if (ports.embedder == nullptr || text.empty()) return {};
  return ports.embedder->embed(text, EmbedUse::kCompare, deadline).value_or({});
}

}  // namespace

void rebuild_trace(const StreamPorts& ports, const Deadline& deadline, const std::string& before, OpenTopic& topic) {
  const std::vector<LogicalBlock> blocks = std::move(topic.blocks);
  topic.blocks.clear();
  topic.row.trace.clear();
  // What a relay cut off is the beginning of the topic.
  const bool relayed = !topic.row.lead.empty();
  if (relayed) ports.adsorber.seed(topic, before, vector_of(ports, deadline, topic.row.lead));
  for (const LogicalBlock& block : blocks) {
    const bool first = topic.blocks.empty();
    const std::string anchor = ports.adsorber.anchor_text(first ? nullptr : &topic, block);
    const BlockVectors vectors{vector_of(ports, deadline, anchor),
                               vector_of(ports, deadline, ports.adsorber.reply_text(block))};
    if (first && !relayed)
      ports.adsorber.start(topic, before, block, vectors);
    else
      ports.adsorber.adsorb(topic, block, vectors);
    topic.blocks.push_back(block);
  }
}

}  // namespace weft
