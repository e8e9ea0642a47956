#include "weft/choices.h"

namespace weft {

std::string_view to_string(Preset preset) {
  switch (preset) {
    case Preset::kBalanced: return "balanced";
    case Preset::kLiteral: return "literal";
  }
  return {};
}

std::string_view to_string(TopicPolicy policy) {
  switch (policy) {
    case TopicPolicy::kModel: return "model";
    case TopicPolicy::kThreshold: return "threshold";
  }
  return {};
}

std::string_view to_string(TopicKernel kernel) {
  switch (kernel) {
    case TopicKernel::kEma: return "ema";
    case TopicKernel::kFirst: return "first";
  }
  return {};
}

std::string_view to_string(ShortText mode) {
  switch (mode) {
    case ShortText::kForce: return "force";
    case ShortText::kAugment: return "augment";
    case ShortText::kCues: return "cues";
  }
  return {};
}

std::string_view to_string(TopicAnchor anchor) {
  switch (anchor) {
    case TopicAnchor::kQuery: return "query";
    case TopicAnchor::kQueryAndReply: return "query_and_reply";
  }
  return {};
}

std::string_view to_string(GateMode mode) {
  switch (mode) {
    case GateMode::kBalanced: return "balanced";
    case GateMode::kLiteral: return "literal";
  }
  return {};
}

std::string_view to_string(RecipeName name) {
  switch (name) {
    case RecipeName::kBalanced: return "balanced";
    case RecipeName::kLiteral: return "literal";
    case RecipeName::kWords: return "words";
    case RecipeName::kVectors: return "vectors";
    case RecipeName::kRecent: return "recent";
  }
  return {};
}

std::string_view to_string(TokenMode mode) {
  switch (mode) {
    case TokenMode::kExact: return "exact";
    case TokenMode::kScript: return "script";
    case TokenMode::kChars4: return "chars4";
  }
  return {};
}

std::string_view to_string(BudgetPolicy policy) {
  switch (policy) {
    case BudgetPolicy::kReserve: return "reserve";
    case BudgetPolicy::kRatio: return "ratio";
  }
  return {};
}

std::string_view to_string(PromptLayout layout) {
  switch (layout) {
    case PromptLayout::kCache: return "cache";
    case PromptLayout::kSpec: return "spec";
  }
  return {};
}

std::string_view to_string(ProxyTools tools) {
  switch (tools) {
    case ProxyTools::kAll: return "all";
    case ProxyTools::kChosen: return "chosen";
  }
  return {};
}

std::string_view to_string(ResponsesForm form) {
  switch (form) {
    case ResponsesForm::kAuto: return "auto";
    case ResponsesForm::kNative: return "native";
    case ResponsesForm::kChat: return "chat";
  }
  return {};
}

std::string_view to_string(SelectionFloor floor) {
  switch (floor) {
    case SelectionFloor::kFeatures: return "features";
    case SelectionFloor::kSimilarity: return "vectors";
  }
  return {};
}

std::string_view to_string(BlockPlace place) {
  switch (place) {
    case BlockPlace::kSystemEnd: return "system_end";
    case BlockPlace::kHistoryTop: return "history_top";
    case BlockPlace::kHistoryBottom: return "history_bottom";
    case BlockPlace::kBeforeInput: return "before_input";
  }
  return {};
}

std::string_view to_string(Promotion promotion) {
  switch (promotion) {
    case Promotion::kQueue: return "queue";
    case Promotion::kAppend: return "append";
    case Promotion::kHold: return "hold";
  }
  return {};
}

std::string_view to_string(EmbeddingProvider provider) {
  switch (provider) {
    case EmbeddingProvider::kLocal: return "local";
    case EmbeddingProvider::kOpenAi: return "openai";
    case EmbeddingProvider::kNone: return "none";
  }
  return {};
}

std::string_view to_string(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return "debug";
    case LogLevel::kInfo: return "info";
    case LogLevel::kWarning: return "warning";
    case LogLevel::kError: return "error";
    case LogLevel::kOff: return "off";
  }
  return {};
}

std::string_view to_string(ModelProvider provider) {
  switch (provider) {
    case ModelProvider::kOpenAi: return "openai";
    case ModelProvider::kLocal: return "local";
  }
  return {};
}

std::string_view to_string(SystemMessages messages) {
  switch (messages) {
    case SystemMessages::kUnknown: return "";
    case SystemMessages::kOne: return "one";
    case SystemMessages::kSeveral: return "several";
  }
  return {};
}

std::string_view to_string(DiaryInPrompt what) {
  switch (what) {
    case DiaryInPrompt::kTasks: return "tasks";
    case DiaryInPrompt::kAll: return "all";
    case DiaryInPrompt::kNone: return "none";
  }
  return {};
}

std::string_view to_string(BeliefUpdate update) {
  switch (update) {
    case BeliefUpdate::kPosterior: return "posterior";
    case BeliefUpdate::kAverage: return "average";
  }
  return {};
}

std::string_view to_string(TrialPolicy policy) {
  switch (policy) {
    case TrialPolicy::kPosterior: return "posterior";
    case TrialPolicy::kRates: return "rates";
  }
  return {};
}

}  // namespace weft
