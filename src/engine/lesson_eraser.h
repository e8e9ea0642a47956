#pragma once

#include "engine/reflections.h"
#include "engine/rules.h"
#include "engine/skills.h"
#include "model/erased_messages.h"

namespace weft {

/// Forgetting in what was learnt of tasks: reports, reflections, rules, skills and their changes. Safe from any thread.
class LessonEraser {
 public:
  LessonEraser(Reflections& reflections, Rules& rules, Skills& skills)
      : reflections_(reflections), rules_(rules), skills_(skills) {}

  /// Done again after a crash it goes on.
  Status erase(const ErasedMessages& gone);

 private:
  Reflections& reflections_;
  Rules& rules_;
  Skills& skills_;
};

}  // namespace weft
