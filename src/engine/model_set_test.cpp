#include <gtest/gtest.h>

#include "engine/model_set.h"

namespace weft {
namespace {

TEST(ModelCatalogue, IC_10_the_file_comes_before_the_upstream_and_that_before_what_is_shipped) {
  Config config;
  ModelCatalogue catalogue(config);
  EXPECT_EQ(catalogue.of("gpt-4o").window, 128000);
  EXPECT_EQ(catalogue.of("gpt-4o").system_messages, SystemMessages::kSeveral);
  catalogue.learn("gpt-4o", {64000, 0, 0, {}});
  EXPECT_EQ(catalogue.of("gpt-4o").window, 64000);
  config.catalogue["gpt-*"].window = 1000;
  config.catalogue["gpt-4o"].window = 32000;
  config.catalogue["gpt-*"].system_messages = SystemMessages::kOne;
  EXPECT_EQ(catalogue.of("gpt-4o").window, 32000);
  EXPECT_EQ(catalogue.of("openai/gpt-4o").window, 32000);
  EXPECT_EQ(catalogue.of("gpt-4o-mini").window, 1000);
  EXPECT_EQ(catalogue.of("gpt-4o").system_messages, SystemMessages::kOne);
  config.models["big"].model = "gpt-4o";
  config.models["big"].window = 48000;
  EXPECT_EQ(catalogue.of("gpt-4o").window, 48000);
}

TEST(ModelCatalogue, IC_10_a_refusal_bounds_what_others_say) {
  Config config;
  config.catalogue["own"].window = 32000;
  config.catalogue["own"].system_messages = SystemMessages::kSeveral;
  ModelCatalogue catalogue(config);
  EXPECT_EQ(catalogue.of("own").system_messages, SystemMessages::kSeveral);
  catalogue.learn("own", {0, 0, 8000, {}});
  catalogue.learn("own", {0, 0, 0, SystemMessages::kOne});
  EXPECT_EQ(catalogue.of("own").window, 8000);
  EXPECT_EQ(catalogue.of("own").system_messages, SystemMessages::kOne);
  catalogue.learn("new", {0, 0, 4000, {}});
  EXPECT_EQ(catalogue.of("new").window, 4000);
}

TEST(ModelCatalogue, IC_10_of_an_unknown_model_only_the_safe_form_is_said) {
  Config config;
  const ModelCatalogue catalogue(config);
  EXPECT_EQ(catalogue.of("scripted").window, 0);
  EXPECT_EQ(catalogue.of("scripted").output, 0);
  EXPECT_EQ(catalogue.of("scripted").system_messages, SystemMessages::kOne);
  EXPECT_EQ(catalogue.of("").window, 0);
}

}  // namespace
}  // namespace weft
