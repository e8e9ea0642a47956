#include "ports/embedding/embedder.h"

#include <cmath>

namespace weft {

double cosine(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

bool make_unit_length(Vector& vector) {
  double squares = 0;
  for (float x : vector) squares += static_cast<double>(x) * static_cast<double>(x);
  if (!std::isfinite(squares) || squares <= 0) return false;
  const double scale = 1.0 / std::sqrt(squares);
  for (float& x : vector) x = static_cast<float>(static_cast<double>(x) * scale);
  return true;
}

Error deadline_error(const Deadline& deadline, std::string_view what) {
  if (deadline.cancelled()) return cancelled(std::string(what) + " was cancelled");
  return timed_out(std::string(what) + " was not ready in time");
}

}  // namespace weft
