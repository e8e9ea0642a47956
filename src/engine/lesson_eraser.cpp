#include "engine/lesson_eraser.h"

namespace weft {

// Reports and reflections last: by them the rest is found.
Status LessonEraser::erase(const ErasedMessages& gone) {
  WEFT_TRY(ErasedLessons lessons, reflections_.lessons_of(gone));
  lessons.reports.merge(gone.sources());  // by these names skills know messages that they were taught in
  if (lessons.empty()) return {};
  WEFT_TRY(const auto skills, skills_.made_of(lessons));
  WEFT_CHECK(rules_.erase(lessons, skills));
  WEFT_CHECK(skills_.erase(lessons));
  return reflections_.erase(lessons);
}

}  // namespace weft
