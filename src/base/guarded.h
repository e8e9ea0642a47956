#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/log.h"
#include "weft/result.h"

namespace weft {

/// Does `work` and gives back what it does, a Status or a Result. What it throws becomes an internal error that says
/// `what` failed: an exception of a library on a thread of its own would end the process, and the next start again
/// where the work is kept.
template <class Work>
std::invoke_result_t<Work> guarded(std::string_view what, Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const std::exception& failure) {
    return internal(std::string(what) + " failed: " + failure.what());
  }
}

/// As `guarded` for work that has nothing to say: what it throws is logged under `event`. False: it threw.
template <class Work>
bool guarded_or_logged(std::string_view event, Work&& work) {
  try {
    std::forward<Work>(work)();
    return true;
  } catch (const std::exception& failure) {
    log_error(event, std::string("a defect: ") + failure.what());
    return false;
  }
}

}  // namespace weft
