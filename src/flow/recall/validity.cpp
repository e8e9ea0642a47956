#include "flow/recall/validity.h"

namespace weft {

bool held_at(const Item& item, Time moment) {
  if (item.time > moment) return false;
  return !item.event || !item.event->valid_until || *item.event->valid_until > moment;
}

}  // namespace weft
