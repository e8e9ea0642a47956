#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace weft {

/// The values that an enum may have in settings and in JSON, in the order in which errors tell them; each has its word
/// by `to_string`. Specialised for each enum that stands for a closed choice.
template <class E>
inline constexpr std::span<const E> kEnumValues = {};

/// The value whose word this is; nothing where it is nobody's.
template <class E>
std::optional<E> enum_of(std::string_view word) {
  for (const E one : kEnumValues<E>)
    if (to_string(one) == word) return one;
  return std::nullopt;
}

/// What made something. Every step with a model has a floor, and what comes out says which of them it was.
enum class MadeBy {
  kFloor,  ///< words and rules alone
  kModel,  ///< a chat model, or vectors of an embedder
  kGiven,  ///< the caller: a plan that came with the request
};
std::string_view to_string(MadeBy by);
inline constexpr std::array kMakers{MadeBy::kFloor, MadeBy::kModel, MadeBy::kGiven};
template <>
inline constexpr std::span<const MadeBy> kEnumValues<MadeBy>{kMakers};

// The settings with a fixed list of choices. Their words, by `to_string`, are those of weft.toml, the environment and
// the command line; they are read there and nowhere else.

/// How the settings are set that nobody sets.
enum class Preset {
  kBalanced,  ///< what measures best
  kLiteral,  ///< numbers and rules as specified
};
std::string_view to_string(Preset preset);
inline constexpr std::array kPresets{Preset::kBalanced, Preset::kLiteral};
template <>
inline constexpr std::span<const Preset> kEnumValues<Preset>{kPresets};

/// How a new topic is recognised.
enum class TopicPolicy {
  kModel,  ///< all signals, fitted on data
  kThreshold,  ///< one similarity against one number
};
std::string_view to_string(TopicPolicy policy);
inline constexpr std::array kTopicPolicies{TopicPolicy::kModel, TopicPolicy::kThreshold};
template <>
inline constexpr std::span<const TopicPolicy> kEnumValues<TopicPolicy>{kTopicPolicies};

/// What a topic is compared by.
enum class TopicKernel {
  kEma,  ///< a moving average of its anchors
  kFirst,  ///< its first anchor
};
std::string_view to_string(TopicKernel kernel);
inline constexpr std::array kTopicKernels{TopicKernel::kEma, TopicKernel::kFirst};
template <>
inline constexpr std::span<const TopicKernel> kEnumValues<TopicKernel>{kTopicKernels};

/// How blocks with a short anchor are judged.
enum class ShortText {
  kForce,  ///< they belong to the open topic
  kAugment,  ///< with the query before them
  kCues,  ///< by words of continuation and of change
};
std::string_view to_string(ShortText mode);
inline constexpr std::array kShortTexts{ShortText::kForce, ShortText::kAugment, ShortText::kCues};
template <>
inline constexpr std::span<const ShortText> kEnumValues<ShortText>{kShortTexts};

/// What stands for a block.
enum class TopicAnchor {
  kQuery,  ///< what was asked
  kQueryAndReply,  ///< what was asked and answered
};
std::string_view to_string(TopicAnchor anchor);
inline constexpr std::array kTopicAnchors{TopicAnchor::kQuery, TopicAnchor::kQueryAndReply};
template <>
inline constexpr std::span<const TopicAnchor> kEnumValues<TopicAnchor>{kTopicAnchors};

/// Which words an event may not hold.
enum class GateMode {
  kBalanced,  ///< the three lists as words, outside of what is protected, and an English list for each
  kLiteral,  ///< the three lists for Chinese, by character, anywhere in the text
};
std::string_view to_string(GateMode mode);
inline constexpr std::array kGateModes{GateMode::kBalanced, GateMode::kLiteral};
template <>
inline constexpr std::span<const GateMode> kEnumValues<GateMode>{kGateModes};

/// How results are ranked; what each does stands in `Recipe`.
enum class RecipeName { kBalanced, kLiteral, kWords, kVectors, kRecent };
std::string_view to_string(RecipeName name);
inline constexpr std::array kRecipeNames{RecipeName::kBalanced, RecipeName::kLiteral, RecipeName::kWords,
                                         RecipeName::kVectors, RecipeName::kRecent};
template <>
inline constexpr std::span<const RecipeName> kEnumValues<RecipeName>{kRecipeNames};

/// How tokens are counted where the model's own tokenizer is not at hand.
enum class TokenMode {
  kExact,  ///< by a tokenizer; no setting asks for it
  kScript,  ///< by writing system, fitted to real vocabularies: an English word about one token, a Chinese character
            ///< two thirds, a digit or a run of punctuation about one
  kChars4,  ///< every four characters one
};
std::string_view to_string(TokenMode mode);
inline constexpr std::array kTokenModes{TokenMode::kScript, TokenMode::kChars4};
template <>
inline constexpr std::span<const TokenMode> kEnumValues<TokenMode>{kTokenModes};

/// What of a window a prompt may take.
enum class BudgetPolicy {
  kReserve,  ///< all but output and margin
  kRatio,  ///< a share of it less the output, at most what `kReserve` gives
};
std::string_view to_string(BudgetPolicy policy);
inline constexpr std::array kBudgetPolicies{BudgetPolicy::kReserve, BudgetPolicy::kRatio};
template <>
inline constexpr std::span<const BudgetPolicy> kEnumValues<BudgetPolicy>{kBudgetPolicies};

/// The order of a prompt.
enum class PromptLayout {
  kCache,  ///< what never changes first
  kSpec,  ///< skeleton and curation in the system prompt
};
std::string_view to_string(PromptLayout layout);
inline constexpr std::array kPromptLayouts{PromptLayout::kCache, PromptLayout::kSpec};
template <>
inline constexpr std::span<const PromptLayout> kEnumValues<PromptLayout>{kPromptLayouts};

/// Which of a client's tools go to the model.
enum class ProxyTools {
  kAll,  ///< as they came
  kChosen,  ///< those that the request needs and those in use
};
std::string_view to_string(ProxyTools tools);
inline constexpr std::array kToolsOfProxy{ProxyTools::kAll, ProxyTools::kChosen};
template <>
inline constexpr std::span<const ProxyTools> kEnumValues<ProxyTools>{kToolsOfProxy};

/// How calls of OpenAI's Responses API reach the model.
enum class ResponsesForm {
  kAuto,  ///< as the upstream turns out to speak
  kNative,  ///< as they came
  kChat,  ///< as chat completions
};
std::string_view to_string(ResponsesForm form);
inline constexpr std::array kResponsesForms{ResponsesForm::kAuto, ResponsesForm::kNative, ResponsesForm::kChat};
template <>
inline constexpr std::span<const ResponsesForm> kEnumValues<ResponsesForm>{kResponsesForms};

/// How curation chooses without a model.
enum class SelectionFloor {
  kFeatures,  ///< by the features of a candidate
  kSimilarity,  ///< those that are nearest by vectors
};
std::string_view to_string(SelectionFloor floor);
inline constexpr std::array kSelectionFloors{SelectionFloor::kFeatures, SelectionFloor::kSimilarity};
template <>
inline constexpr std::span<const SelectionFloor> kEnumValues<SelectionFloor>{kSelectionFloors};

/// Where a floating block stands in the prompt.
enum class BlockPlace {
  kSystemEnd,  ///< at the end of the system prompt
  kHistoryTop,  ///< before the first message of the history
  kHistoryBottom,  ///< `depth` messages before the end of the history; 0: behind its last message
  kBeforeInput,  ///< right before the user's input
};
std::string_view to_string(BlockPlace place);
inline constexpr std::array kBlockPlaces{BlockPlace::kSystemEnd, BlockPlace::kHistoryTop, BlockPlace::kHistoryBottom,
                                         BlockPlace::kBeforeInput};
template <>
inline constexpr std::span<const BlockPlace> kEnumValues<BlockPlace>{kBlockPlaces};

/// What becomes of what a compaction found worth keeping.
enum class Promotion {
  kQueue,   ///< it goes to the historian
  kAppend,  ///< it is appended to MEMORY.md
  kHold,    ///< it is kept with the compaction
};
std::string_view to_string(Promotion promotion);
inline constexpr std::array kPromotions{Promotion::kQueue, Promotion::kAppend, Promotion::kHold};
template <>
inline constexpr std::span<const Promotion> kEnumValues<Promotion>{kPromotions};

/// Where vectors come from.
enum class EmbeddingProvider {
  kLocal,  ///< GGUF through llama.cpp
  kOpenAi,  ///< an OpenAI-compatible endpoint
  kNone,  ///< nowhere: words alone
};
std::string_view to_string(EmbeddingProvider provider);
inline constexpr std::array kEmbeddingProviders{EmbeddingProvider::kLocal, EmbeddingProvider::kOpenAi,
                                                EmbeddingProvider::kNone};
template <>
inline constexpr std::span<const EmbeddingProvider> kEnumValues<EmbeddingProvider>{kEmbeddingProviders};

/// What is logged at least.
enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };
std::string_view to_string(LogLevel level);
inline constexpr std::array kLogLevels{LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning, LogLevel::kError,
                                       LogLevel::kOff};
template <>
inline constexpr std::span<const LogLevel> kEnumValues<LogLevel>{kLogLevels};

/// What a chat model is reached through.
enum class ModelProvider {
  kOpenAi,  ///< any OpenAI-compatible endpoint
  kLocal,  ///< GGUF through llama.cpp
};
std::string_view to_string(ModelProvider provider);
inline constexpr std::array kModelProviders{ModelProvider::kOpenAi, ModelProvider::kLocal};
template <>
inline constexpr std::span<const ModelProvider> kEnumValues<ModelProvider>{kModelProviders};

/// Which system messages a model takes.
enum class SystemMessages {
  kUnknown,  ///< nothing is known
  kOne,  ///< one, at the head
  kSeveral,  ///< several, anywhere
};
std::string_view to_string(SystemMessages messages);
inline constexpr std::array kWaysOfSystemMessages{SystemMessages::kUnknown, SystemMessages::kOne,
                                                  SystemMessages::kSeveral};
template <>
inline constexpr std::span<const SystemMessages> kEnumValues<SystemMessages>{kWaysOfSystemMessages};

/// What of today's and yesterday's diary stands in prompts.
enum class DiaryInPrompt {
  kTasks,  ///< what other sessions were about, where a session works on a task
  kAll,  ///< the whole days
  kNone,
};
std::string_view to_string(DiaryInPrompt what);
inline constexpr std::array kDiariesInPrompt{DiaryInPrompt::kTasks, DiaryInPrompt::kAll, DiaryInPrompt::kNone};
template <>
inline constexpr std::span<const DiaryInPrompt> kEnumValues<DiaryInPrompt>{kDiariesInPrompt};

/// How a belief about a user moves with a signal.
enum class BeliefUpdate {
  kPosterior,  ///< mean of a Beta distribution: agreement never lowers it
  kAverage,  ///< average of the strengths of its signals
};
std::string_view to_string(BeliefUpdate update);
inline constexpr std::array kBeliefUpdates{BeliefUpdate::kPosterior, BeliefUpdate::kAverage};
template <>
inline constexpr std::span<const BeliefUpdate> kEnumValues<BeliefUpdate>{kBeliefUpdates};

/// How a change of a skill is judged against the original.
enum class TrialPolicy {
  kPosterior,  ///< in sequence, by the probability that it is better
  kRates,  ///< by the two rates of success after a fixed number of uses
};
std::string_view to_string(TrialPolicy policy);
inline constexpr std::array kTrialPolicies{TrialPolicy::kPosterior, TrialPolicy::kRates};
template <>
inline constexpr std::span<const TrialPolicy> kEnumValues<TrialPolicy>{kTrialPolicies};

/// What is known of a model by its name; 0 and empty where nothing is.
struct ModelTraits {
  std::int64_t window = 0;      ///< tokens of prompt and answer together
  std::int64_t output = 0;      ///< tokens to keep for an answer
  std::string vocabulary;       ///< GGUF file whose tokenizer counts for it
  SystemMessages system_messages = SystemMessages::kUnknown;
};

/// What a model's server says of it, in its list or by refusing a call; 0 and empty where it says nothing.
struct ModelLesson {
  std::int64_t window = 0;      ///< as listed
  std::int64_t output = 0;      ///< as listed
  std::int64_t most_window = 0; ///< that a refusal names: more does not fit, whatever else says so
  SystemMessages system_messages = SystemMessages::kUnknown;  ///< kOne where several were refused
};

}  // namespace weft
