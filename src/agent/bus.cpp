#include "agent/bus.h"

#include <algorithm>

#include "model/growth_records.h"

namespace weft {

Result<std::unique_ptr<Bus>> Bus::open(FileSystem& files, const std::filesystem::path& path, const Clock& clock) {
  std::unique_ptr<Bus> bus(new Bus(clock));
  Status broken;
  WEFT_TRY(bus->log_, LineLog::open(files, path, [&](std::string_view line) {
             if (broken.ok()) broken = bus->read(line);
           }));
  if (!broken.ok()) return corrupt(path.string() + ": " + broken.error().message);
  return bus;
}

Status Bus::read(std::string_view line) {
  const std::string place = "line " + std::to_string(events_.size() + 1);
  WEFT_TRY(BusEvent event, parse_record<BusEvent>(line, place, {.max_bytes = line.size() + 1}));
  if (event.id != events_.size() + 1)
    return corrupt(place + ": the number " + std::to_string(event.id) + " is out of order");
  events_.push_back(std::move(event));
  return {};
}

Result<BusEvent> Bus::emit(BusEventType type, std::string payload) {
  const std::lock_guard one(emit_mutex_);
  BusEvent event{last() + 1, clock_.now(), type, std::move(payload)};
  {
    const std::lock_guard lock(mutex_);
    if (!events_.empty()) event.time.ms = std::max(event.time.ms, events_.back().time.ms);
  }
  WEFT_CHECK(log_->append(to_json(event)));
  {
    const std::lock_guard lock(mutex_);
    events_.push_back(event);
  }
  more_.notify_all();
  if (noted_) noted_(event);
  return event;
}

std::vector<BusEvent> Bus::since(std::uint64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto begin = std::min<std::uint64_t>(id, events_.size());
  return {events_.begin() + static_cast<std::ptrdiff_t>(begin), events_.end()};
}

std::uint64_t Bus::last() const {
  const std::lock_guard lock(mutex_);
  return events_.size();
}

bool Bus::wait_for_more(std::uint64_t id, const Deadline& deadline) const {
  std::unique_lock lock(mutex_);
  const auto there = [&] { return events_.size() > id; };
  if (deadline.until()) return more_.wait_until(lock, deadline.cancel(), *deadline.until(), there);
  return more_.wait(lock, deadline.cancel(), there);
}

}  // namespace weft
