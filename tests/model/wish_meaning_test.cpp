#include "flow/memory/fact_meaning.h"

#include <gtest/gtest.h>

#include "eval/features.h"
#include "ports/embedding/embedder.h"
#include "ports/embedding/embedding_models.h"
#include "tests/model/model_files.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr const char* kE5 = "multilingual-e5-small-q4.gguf";

// Messages of hands whose sentences took no part in the fitting.
TEST(WishMeaning, CM_17_wishes_in_whatever_words) {
  WEFT_NEED_MODEL(kE5);
  LlamaEmbedderOptions options;
  options.path = model_file(kE5);
  const auto embedder = open_llamacpp_embedder(options);
  ASSERT_TRUE(embedder.ok()) << embedder.error().message;
  const Similarity similarity = Similarity::for_embedder((*embedder)->name());
  const WishWeights* weights = wish_weights((*embedder)->name());
  ASSERT_NE(weights, nullptr);
  const SentenceVector vector_of = [&](std::string_view sentence) {
    const auto vector = (*embedder)->embed(sentence, EmbedUse::kPassage, Deadline{});
    return vector.ok() ? similarity.centre(*vector, language_of(sentence)) : Vector();
  };
  for (const char* language : {"en", "zh"}) {
    const std::string file = std::string(WEFT_TEST_DATA) + "/data/sentences/wishes_" + language + "_exam.jsonl";
    const auto data = read_wishes({file});
    ASSERT_TRUE(data.ok()) << data.error().message;
    double wishes = 0, found = 0, others = 0, wrong = 0;
    for (const LabelledWish& one : *data) {
      const bool taken = tells_wish(one.text, *weights, vector_of);
      (one.wish ? wishes : others) += 1;
      if (taken) (one.wish ? found : wrong) += 1;
    }
    EXPECT_GE(found, 0.75 * wishes) << language;
    EXPECT_LE(wrong, 0.08 * others) << language;
  }
}

TEST(WishMeaning, CM_17_without_weights_for_an_embedder_there_are_none) {
  EXPECT_EQ(wish_weights("some-other-embedder"), nullptr);
  EXPECT_TRUE(wish_sentences("The train was late.").empty());
}

}  // namespace
}  // namespace weft
