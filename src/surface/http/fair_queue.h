#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>

namespace weft::http {

/// Tasks of many callers, who take turns: whoever brings hundreds waits for their own, others do not. What is urgent
/// takes turns with them as one caller more, and can be taken for itself. For one thread at a time.
class FairQueue {
 public:
  using Task = std::function<void()>;

  void push(Task task, const std::string& caller, bool urgent) {
    const std::string& whose = urgent ? kUrgent : caller;
    auto& own = of_[whose];
    const bool first = own.empty();
    try {
      own.push_back(std::move(task));
      if (first) turns_.push_back(whose);
    } catch (...) {  // whoever is in the list has a task and a turn
      if (first) of_.erase(whose);
      throw;
    }
    ++size_;
  }

  /// The next one; there must be one.
  Task pop() {
    const std::string caller = turns_.front();
    turns_.pop_front();
    return take_first(caller);
  }

  /// The next that is urgent; there must be one.
  Task pop_urgent() {
    turns_.erase(std::find(turns_.begin(), turns_.end(), kUrgent));
    return take_first(kUrgent);
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  bool has_urgent() const { return of_.contains(kUrgent); }

 private:
  // The caller has been taken out of the turns, and comes last if there is more.
  Task take_first(const std::string& caller) {
    const auto own = of_.find(caller);
    Task task = std::move(own->second.front());
    own->second.pop_front();
    if (own->second.empty())
      of_.erase(own);
    else
      turns_.push_back(caller);
    --size_;
    return task;
  }

  inline static const std::string kUrgent = "\n";  // no caller is called so

  std::unordered_map<std::string, std::deque<Task>> of_;
  std::deque<std::string> turns_;  // callers who have tasks, the next first
  std::size_t size_ = 0;
};

}  // namespace weft::http
