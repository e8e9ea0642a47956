#include "eval/skill_fit_seen.h"

#include <algorithm>
#include <array>
#include <string>

#include "flow/memory/likeness.h"
#include "growth/skill_match.h"

namespace weft {
namespace {

constexpr std::array<std::size_t, 3> kParts{1, 5, 20};

// Of each skill the most that one of its phrases shares.
std::vector<double> most_of_each(const std::vector<double>& words, const std::vector<SeenSkill>& skills) {
  std::vector<double> most;
  auto at = words.begin();
  for (const SeenSkill& skill : skills) {
    const auto end = at + std::ssize(skill.phrases);
    most.push_back(*std::max_element(at, end));
    at = end;
  }
  return most;
}

// Not by the remainder, by which folds are made: each library has skills of every fold.
std::size_t part_of(std::size_t skill, std::size_t parts) { return skill / kSkillFolds % parts; }

std::vector<SeenLibrary> libraries_of(const SkillSet& set, const std::vector<SeenTask>& tasks) {
  std::vector<SeenLibrary> libraries;
  const std::size_t files = set.files.empty() ? 0 : set.files.back() + 1;
  for (std::size_t file = 0; file < files; ++file)
    for (const std::size_t parts : kParts)
      for (std::size_t part = 0; part < parts; ++part) {
        SeenLibrary library;
        library.parts = parts;
        for (std::size_t s = 0; s < set.skills.size(); ++s)
          if (set.files[s] == file && part_of(s, parts) == part) library.skills.push_back(s);
        for (std::size_t t = 0; t < tasks.size(); ++t)
          if (tasks[t].file == file) library.tasks.push_back(t);
        if (library.skills.size() > 1) libraries.push_back(std::move(library));
      }
  return libraries;
}

}  // namespace

Result<SeenSkills> look_at_skills(const SkillSet& set, Embedder& embedder) {
  const Deadline patient;
  SeenSkills seen;
  std::vector<std::string> phrases;
  for (std::size_t s = 0; s < set.skills.size(); ++s) {
    SeenSkill one;
    one.fold = s % kSkillFolds;
    for (std::string& phrase : skill_phrases(set.skills[s])) {
      WEFT_TRY(Vector vector, embedder.embed(phrase, EmbedUse::kCompare, patient));
      one.phrases.push_back(std::move(vector));
      one.language = language_of(phrase);
      phrases.push_back(std::move(phrase));
    }
    seen.skills.push_back(std::move(one));
  }
  std::size_t unrelated = 0;
  for (const SkillTask& task : set.tasks) {
    if (task.held) continue;
    WEFT_TRY(Vector vector, embedder.embed(task.text, EmbedUse::kCompare, patient));
    SeenTask one{std::move(vector), language_of(task.text),
                 task.skill,        (task.skill ? *task.skill : unrelated++) % kSkillFolds,
                 task.file,         {}};
    one.words = most_of_each(WordLikeness().to_all(task.text, phrases), seen.skills);
    seen.tasks.push_back(std::move(one));
  }
  seen.libraries = libraries_of(set, seen.tasks);
  return seen;
}

}  // namespace weft
