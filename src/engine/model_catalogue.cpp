#include "engine/model_catalogue.h"

#include <algorithm>

namespace weft {
namespace {

// Fields that are not known yet are taken over.
void complete(ModelTraits& traits, const ModelSettings& settings) {
  if (traits.window == 0) traits.window = settings.window;
  if (traits.output == 0) traits.output = settings.output;
  if (traits.vocabulary.empty()) traits.vocabulary = settings.vocabulary;
  if (traits.system_messages == SystemMessages::kUnknown) traits.system_messages = settings.system_messages;
}

std::int64_t fixed_letters(std::string_view pattern) {
  return std::count_if(pattern.begin(), pattern.end(), [](char c) { return c != '*' && c != '?'; });
}

// A model by its own name first, then the patterns that fit, the closest one first.
ModelTraits configured(const Config& config, const std::string& name) {
  ModelTraits traits;
  for (const auto& [key, settings] : config.models)
    if (name == (settings.model.empty() ? key : settings.model)) complete(traits, settings);
  std::vector<std::pair<std::string_view, const ModelSettings*>> fitting;
  for (const auto& [pattern, settings] : config.catalogue)
    if (fits_model(pattern, name)) fitting.emplace_back(pattern, &settings);
  std::stable_sort(fitting.begin(), fitting.end(),
                   [](const auto& a, const auto& b) { return fixed_letters(a.first) > fixed_letters(b.first); });
  for (const auto& [pattern, settings] : fitting) complete(traits, *settings);
  return traits;
}

}  // namespace

ModelTraits ModelCatalogue::of(const std::string& name) const {
  if (name.empty()) return {};
  ModelLesson lesson;
  {
    auto lessons = lessons_.lock();
    if (const auto at = lessons->find(name); at != lessons->end()) lesson = at->second;
  }
  ModelTraits traits = configured(config_, name);
  ModelSettings listed;
  listed.window = lesson.window;
  listed.output = lesson.output;
  complete(traits, listed);
  const ModelTraits family = traits_of_family(name);
  ModelSettings shipped;
  shipped.window = family.window;
  // The family's reserve is for the family's window.
  shipped.output = traits.window == 0 || family.output * 2 <= traits.window ? family.output : 0;
  shipped.system_messages = family.system_messages;
  complete(traits, shipped);
  if (lesson.most_window > 0)
    traits.window = traits.window == 0 ? lesson.most_window : std::min(traits.window, lesson.most_window);
  if (lesson.system_messages != SystemMessages::kUnknown) traits.system_messages = lesson.system_messages;
  if (traits.system_messages == SystemMessages::kUnknown) traits.system_messages = SystemMessages::kOne;
  return traits;
}

void ModelCatalogue::learn(const std::string& name, const ModelLesson& lesson) {
  if (name.empty()) return;
  auto lessons = lessons_.lock();
  if (lessons->size() >= kMost && !lessons->contains(name)) return;
  ModelLesson& known = (*lessons)[name];
  if (lesson.window > 0) known.window = lesson.window;
  if (lesson.output > 0) known.output = lesson.output;
  if (lesson.most_window > 0) known.most_window = lesson.most_window;
  if (lesson.system_messages != SystemMessages::kUnknown) known.system_messages = lesson.system_messages;
}

}  // namespace weft
