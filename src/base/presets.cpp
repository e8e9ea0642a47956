#include "base/presets.h"

namespace weft {
namespace {

// Some rows repeat the default of today: the preset must stay what it is when a default changes.
constexpr PresetValue kLiteral[] = {
    {"stream.policy", "threshold", "one similarity against one number cannot tell a short follow-up from a new topic"},
    {"stream.threshold", "0.6", "the same"},
    {"stream.calibrated", "false",
     "raw cosines of an embedder crowd together: with multilingual-e5 no pair of texts is below 0.70, so 0.6 never "
     "cuts"},
    {"stream.short_text", "force", "nearly all messages of users are short; adsorbing every one of them never cuts"},
    {"stream.short_tokens", "50", "the same"},
    {"stream.anchor", "query", "the same"},
    {"stream.kernel", "ema", "the same"},
    {"stream.kernel_rate", "0.3", "the same"},
    {"stream.relay_first", "true", "checked first, a new topic that begins at the limit inherits a foreign summary"},
    {"recall.recipe", "literal", "a sum of a cosine and a reciprocal rank mixes scales; fused ranks measure better"},
    {"recall.vector_weight", "0.7", "the same"},
    {"recall.words_weight", "0.3", "the same"},
    {"recall.arm_top", "20", "the same"},
    {"recall.min_threshold", "0", "above 0.3 it would drop everything that only words found"},
    {"recall.known_threshold", "0", "every search says that something is known"},
    {"recall.auto_top", "3",
     "stretches of talk within a token budget hold more of the evidence than three single lines"},
    {"context.memory_tokens", "0", "the same"},
    {"context.memory_around", "0", "the same"},
    {"queue.mirror", "true", "the jobs stand in the store, which costs no file a job; `weft queue` shows them"},
    {"cognitive.gate", "literal", "by character the lists refuse words that merely contain a listed one"},
    {"cognitive.user_profile_in_groups", "true", "what is known in private stays there unless it is granted"},
    {"cognitive.speaker_profiles", "true", "what is said in a group stays there unless it is granted"},
    {"context.layout", "spec", "memories and state in the system prompt break the provider's cache at every turn"},
    {"memory.daily_in_prompt", "all",
     "the sessions of today stand in the history or are recalled by what is asked; whole days crowd out both"},
    {"curation.selector", "vectors", "the best of the vector search know nothing of names, time and repetition"},
    {"context.token_mode", "chars4", "four characters a token is wrong for Chinese by a factor of 2.4 to 6"},
    {"evolution.decide", "rates", "ten uses are a coin: of changes that are ten points worse it keeps a fifth"},
    {"evolution.ab_uses", "10", "the same"},
    {"adaptation.update", "average", "a signal that agrees may lower the average: 0.72 of 8 and 0.6 make 0.707"},
};

}  // namespace

std::span<const PresetValue> literal_preset() { return kLiteral; }

}  // namespace weft
