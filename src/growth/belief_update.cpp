#include "growth/belief_update.h"

#include <algorithm>
#include <cmath>

namespace weft {
namespace {

constexpr double kSaidSo = 0.95;        // confidence behind a person's word
constexpr std::int64_t kDenials = 3;    // an average that was rejected counts as so many signals of nothing
constexpr double kRounding = 1e-9;       // sums of 0.6 are not over 0.6
constexpr double kDayMs = 24.0 * 60 * 60 * 1000;

bool averages(const AdaptationSettings& settings) { return settings.update == BeliefUpdate::kAverage; }

void settle(Belief& belief, Time time, const AdaptationSettings& settings) {
  if (!averages(settings)) belief.confidence = belief.alpha / (belief.alpha + belief.beta);
  belief.confidence = std::clamp(belief.confidence, 0.0, 1.0);
  const double evidence = static_cast<double>(std::max<std::int64_t>(1, belief.evidence_count));
  belief.needs_confirmation = static_cast<double>(belief.contradictions) / evidence > settings.doubt;
  belief.confirmed = belief.confidence > settings.confirmed + kRounding;
  belief.last_updated = format_time(time);
}

void add_evidence(Belief& belief, SignalKind kind, const AdaptationSettings& settings) {
  const auto n = static_cast<double>(belief.evidence_count);
  if (averages(settings)) belief.confidence = (belief.confidence * n + strength_of(kind)) / (n + 1);
  belief.alpha += observations_of(kind);
  ++belief.evidence_count;
}

}  // namespace

double strength_of(SignalKind kind) {
  switch (kind) {
    case SignalKind::kExplicit: return 0.95;
    case SignalKind::kEdit: return 0.8;
    case SignalKind::kChoice: return 0.6;
    case SignalKind::kFollowUp: return 0.4;
    case SignalKind::kSilence: return 0.1;
  }
  return 0;
}

double observations_of(SignalKind kind) {
  switch (kind) {
    case SignalKind::kExplicit: return 2;
    case SignalKind::kEdit: return 0.45;
    case SignalKind::kChoice: return 0.4;
    case SignalKind::kFollowUp: return 0.25;
    case SignalKind::kSilence: return 0;
  }
  return 0;
}

void fade(Belief& belief, Time now, const AdaptationSettings& settings) {
  if (averages(settings) || settings.half_life_days <= 0) return;
  const auto last = parse_time(belief.last_updated);
  if (!last.ok() || *last >= now) return;  // a clock that was set back fades nothing
  const double days = static_cast<double>(now.ms - last->ms) / kDayMs;
  const double kept = std::exp2(-days / settings.half_life_days);
  belief.alpha = 1 + std::max(0.0, belief.alpha - 1) * kept;
  belief.beta = 1 + std::max(0.0, belief.beta - 1) * kept;
  settle(belief, now, settings);
}

void agree(Belief& belief, SignalKind kind, Time time, const AdaptationSettings& settings) {
  if (kind == SignalKind::kSilence) return;
  fade(belief, time, settings);
  if (kind == SignalKind::kChoice) {
    const bool counted_before = belief.choices >= settings.choices;
    ++belief.choices;
    if (belief.choices < settings.choices) return settle(belief, time, settings);
    if (!counted_before)
      for (std::int64_t i = 1; i < settings.choices; ++i) add_evidence(belief, kind, settings);
  }
  add_evidence(belief, kind, settings);
  settle(belief, time, settings);
}

void contradict(Belief& belief, SignalKind kind, Time time, const AdaptationSettings& settings) {
  if (kind == SignalKind::kSilence) return;
  fade(belief, time, settings);
  ++belief.contradictions;
  belief.beta += observations_of(kind);
  settle(belief, time, settings);
}

void interrupt_choices(Belief& belief, const AdaptationSettings& settings) {
  if (belief.choices < settings.choices) belief.choices = 0;
}

void confirm(Belief& belief, Time time, const AdaptationSettings& settings) {
  fade(belief, time, settings);
  belief.contradictions = 0;
  ++belief.evidence_count;
  belief.confidence = std::max(belief.confidence, std::max(kSaidSo, settings.confirmed));
  belief.alpha = std::max(belief.alpha, belief.beta * kSaidSo / (1 - kSaidSo));
  settle(belief, time, settings);
}

void reject(Belief& belief, Time time, const AdaptationSettings& settings) {
  belief.confidence = 0;
  belief.evidence_count = std::max(belief.evidence_count, kDenials);
  belief.choices = 0;
  belief.beta = std::max(belief.beta, belief.alpha * kSaidSo / (1 - kSaidSo));
  settle(belief, time, settings);
}

bool is_told(const Belief& belief, const AdaptationSettings& settings) {
  return belief.confidence > settings.tell + kRounding && !belief.needs_confirmation;
}

}  // namespace weft
