#include "growth/belief_book.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/strings.h"
#include "growth/preference_signs.h"
#include "model/growth_records.h"
#include "text/yaml_value.h"

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

namespace {

constexpr std::size_t kMostShelves = 256, kMostBeliefs = 500, kMostSources = 50;
constexpr const char* kHead =
    "# What is believed of this user's preferences, and how sure it is.\n# You may edit this file; see `weft belief "
    "--help`.\n";

auto find_in(std::vector<Belief>& all, const std::string& dimension, const std::string& value) {
  return std::find_if(all.begin(), all.end(),
                      [&](const Belief& one) { return one.dimension == dimension && one.value == value; });
}

// What somebody says outright takes the place of what was believed before.
void give_way(Belief& rival, const Belief& said, Time time, const AdaptationSettings& settings) {
  if (rival.confidence < said.confidence || said.confidence <= 0) return;
  constexpr double kBelow = 1.01;
  rival.beta = std::max(rival.beta, rival.alpha * (1 - said.confidence) / said.confidence * kBelow);
  if (settings.update != BeliefUpdate::kAverage) rival.confidence = rival.alpha / (rival.alpha + rival.beta);
  rival.confirmed = rival.confidence > settings.confirmed;
  rival.last_updated = format_time(time);
}

bool leads(const Belief& a, const Belief& b, bool averages) {
  if (averages && a.evidence_count - a.contradictions != b.evidence_count - b.contradictions)
    return a.evidence_count - a.contradictions > b.evidence_count - b.contradictions;
  if (a.confidence != b.confidence) return a.confidence > b.confidence;
  return a.evidence_count > b.evidence_count;
}

// Whether a text names a message; "s/10" does not name "s/1".
bool names(const std::string& text, const std::string& message) {
  const auto ends = [&](std::size_t at) {
    return at >= text.size() || std::isspace(static_cast<unsigned char>(text[at])) ||
           std::string_view("\"',]}").find(text[at]) != std::string_view::npos;
  };
  for (auto at = text.find(message); at != std::string::npos; at = text.find(message, at + 1))
    if (ends(at + message.size())) return true;
  return false;
}

void lose_share(Belief& belief, std::size_t gone, std::size_t before) {
  const double kept = static_cast<double>(before - gone) / static_cast<double>(before);
  belief.alpha = 1 + (belief.alpha - 1) * kept;
  belief.evidence_count =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(belief.evidence_count) * kept + 0.5));
}

}  // namespace

std::string told_text(const Belief& belief) {
  return belief.told.empty() ? preference_text(belief.dimension, belief.value, Language::kEnglish) : belief.told;
}

DocumentPlace BeliefBook::place_of(const std::string& owner) const {
  return {ScopeKey(owner), kKind, kKind, places_.beliefs(ScopeKey(owner)), {}, 0, nullptr};
}

Result<BeliefBook::Shelf> BeliefBook::open(const std::string& owner) {
  WEFT_TRY(const std::string text, documents_.glance(place_of(owner)));
  return shelf_of(owner, text);
}

Result<BeliefBook::Shelf> BeliefBook::shelf_of(const std::string& owner, const std::string& content) {
  const std::lock_guard lock(mutex_);
  if (shelves_.size() >= kMostShelves && !shelves_.contains(owner)) shelves_.clear();
  const auto [at, is_new] = shelves_.try_emplace(owner);
  Shelf& shelf = at->second;
  if (is_new || shelf.content != content) {
    shelf.content = content;
    const Status parsed = parse(owner, shelf);
    shelf.broken = !parsed.ok();
    if (shelf.broken) shelf.problems = {parsed.error().message};
  }
  if (shelf.broken) return invalid_argument(shelf.problems.front(), "mend the file; it is left alone until then");
  return shelf;
}

Status BeliefBook::parse(const std::string& owner, Shelf& shelf) {
  const std::string name = places_.beliefs(ScopeKey(owner)).filename().string();
  WEFT_TRY(const YamlTree tree, parse_yaml_tree(shelf.content, {}, name));
  WEFT_TRY(auto entries, read_yaml_list<Belief>(shelf.content, tree, "beliefs", name));
  const Value* silent = tree.value.find("silent_answers");
  const std::string digits = silent != nullptr && silent->text() != nullptr ? *silent->text() : "0";
  if (digits.empty() || digits.size() > 18 || digits.find_first_not_of("0123456789") != std::string::npos)
    return with_yaml_line(invalid_argument("\"silent_answers\" must be a whole number"), tree.lines, "", name);
  shelf.silent = std::stoll(digits);
  shelf.beliefs.clear();
  shelf.problems.clear();
  shelf.bad_text = std::move(entries.bad_text);
  for (const Error& error : entries.bad) shelf.problems.push_back(error.message);
  for (Belief& belief : entries.good) {
    belief.owner = owner;  // a file holds what is its scope's; an entry copied from another one becomes this one's
    belief.alpha = std::max(1.0, belief.alpha);
    belief.beta = std::max(1.0, belief.beta);
    if (find_in(shelf.beliefs, belief.dimension, belief.value) == shelf.beliefs.end())
      shelf.beliefs.push_back(std::move(belief));
    else
      shelf.problems.push_back(name + ": \"" + belief.dimension + ": " + belief.value +
                               "\" stands there twice; the first counts");
  }
  return {};
}

std::string BeliefBook::text_of(const Shelf& shelf) {
  std::string text = kHead;
  text += "silent_answers: " + std::to_string(shelf.silent) + "\n";
  return text + to_yaml_list("beliefs", shelf.beliefs, shelf.bad_text);
}

Status BeliefBook::change(const std::string& owner, const std::function<Status(Shelf&)>& make) {
  const auto written =
      documents_.update(place_of(owner), clock_.now(), [&](const std::string& before) -> Result<std::string> {
        WEFT_TRY(Shelf shelf, shelf_of(owner, before));
        WEFT_CHECK(make(shelf));
        return text_of(shelf);
      });
  return written.ok() ? Status() : Status(written.error());
}

void BeliefBook::apply(const std::string& owner, const BeliefSignal& signal, Shelf& shelf) {
  if (signal.kind == SignalKind::kSilence || signal.dimension.empty()) {
    ++shelf.silent;
    return;
  }
  auto own = find_in(shelf.beliefs, signal.dimension, signal.value);
  if (own == shelf.beliefs.end()) {
    if (shelf.beliefs.size() >= kMostBeliefs) return;
    Belief made;
    made.owner = owner;
    made.dimension = signal.dimension;
    made.value = signal.value;
    shelf.beliefs.push_back(std::move(made));
    own = shelf.beliefs.end() - 1;
  }
  const bool known = std::find(own->sources.begin(), own->sources.end(), signal.source) != own->sources.end();
  if (known && !signal.source.empty()) return;
  if (!signal.told.empty()) own->told = signal.told;
  if (!signal.source.empty()) own->sources.push_back(signal.source);
  if (own->sources.size() > kMostSources) own->sources.erase(own->sources.begin());
  agree(*own, signal.kind, signal.time, settings_);
  const bool counts = signal.kind != SignalKind::kChoice || own->choices >= settings_.choices;
  for (Belief& rival : shelf.beliefs) {
    if (rival.dimension != signal.dimension || rival.value == signal.value) continue;
    if (signal.kind == SignalKind::kChoice) interrupt_choices(rival, settings_);
    if (!counts || rival.evidence_count == 0) continue;
    contradict(rival, signal.kind, signal.time, settings_);
    if (signal.kind == SignalKind::kExplicit) give_way(rival, *own, signal.time, settings_);
  }
}

Result<std::vector<std::vector<Belief>>> BeliefBook::take(const std::string& owner,
                                                          std::span<const BeliefSignal> signals, WriteBatch& batch) {
  const DocumentPlace place = place_of(owner);
  const Time now = clock_.now();
  WEFT_TRY(const DocumentRow before, documents_.read(place, now));
  WEFT_TRY(Shelf shelf, shelf_of(owner, before.body));
  for (const BeliefSignal& signal : signals) apply(owner, signal, shelf);
  WEFT_CHECK(documents_.change(place, before, text_of(shelf), now, batch));
  return doubts(shelf);
}

Status BeliefBook::show(const std::string& owner) {
  const auto shown = documents_.read(place_of(owner), clock_.now());
  return shown.ok() ? Status() : Status(shown.error());
}

std::vector<std::vector<Belief>> BeliefBook::by_dimension(const Shelf& shelf) const {
  std::map<std::string, std::vector<Belief>> groups;
  for (const Belief& belief : shelf.beliefs) groups[belief.dimension].push_back(belief);
  std::vector<std::vector<Belief>> sorted;
  const Time now = clock_.now();
  for (auto& [dimension, group] : groups) {
    for (Belief& belief : group) {
      const std::string last = belief.last_updated;
      fade(belief, now, settings_);
      belief.last_updated = last;
    }
    std::stable_sort(group.begin(), group.end(), [this](const Belief& a, const Belief& b) {
      return leads(a, b, settings_.update == BeliefUpdate::kAverage);
    });
    sorted.push_back(std::move(group));
  }
  return sorted;
}

Result<std::vector<Belief>> BeliefBook::beliefs(const std::string& owner) {
  WEFT_TRY(const Shelf shelf, open(owner));
  std::vector<Belief> all;
  for (auto& group : by_dimension(shelf)) std::move(group.begin(), group.end(), std::back_inserter(all));
  return all;
}

Result<std::vector<Belief>> BeliefBook::told(const std::string& owner) {
  WEFT_TRY(const Shelf shelf, open(owner));
  std::vector<Belief> told;
  for (auto& group : by_dimension(shelf))
    if (is_told(group.front(), settings_)) told.push_back(std::move(group.front()));
  return told;
}

std::vector<std::vector<Belief>> BeliefBook::doubts(const Shelf& shelf) const {
  auto groups = by_dimension(shelf);
  std::erase_if(groups, [](const auto& group) { return !group.front().needs_confirmation; });
  return groups;
}

Result<Belief> BeliefBook::confirm(const std::string& owner, const std::string& dimension, const std::string& value) {
  if (trimmed(dimension).empty() || trimmed(value).empty())
    return invalid_argument("belief: a dimension and a value are needed", "\"detail\" and \"brief\", say");
  Belief confirmed;
  WEFT_CHECK(change(owner, [&](Shelf& shelf) {
    confirmed = confirm(owner, dimension, value, shelf);
    return Status();
  }));
  return confirmed;
}

Status BeliefBook::confirm(const std::string& owner, const std::string& dimension, const std::string& value,
                           WriteBatch& batch) {
  const DocumentPlace place = place_of(owner);
  const Time now = clock_.now();
  WEFT_TRY(const DocumentRow before, documents_.read(place, now));
  WEFT_TRY(Shelf shelf, shelf_of(owner, before.body));
  confirm(owner, dimension, value, shelf);
  return documents_.change(place, before, text_of(shelf), now, batch);
}

Belief BeliefBook::confirm(const std::string& owner, const std::string& dimension, const std::string& value,
                           Shelf& shelf) const {
  std::erase_if(shelf.beliefs, [&](const Belief& one) { return one.dimension == dimension && one.value != value; });
  if (find_in(shelf.beliefs, dimension, value) == shelf.beliefs.end()) {
    Belief made;
    made.owner = owner;
    made.dimension = dimension;
    made.value = value;
    shelf.beliefs.push_back(std::move(made));
  }
  Belief& belief = *find_in(shelf.beliefs, dimension, value);
  weft::confirm(belief, clock_.now(), settings_);
  return belief;
}

Result<Belief> BeliefBook::reject(const std::string& owner, const std::string& dimension, const std::string& value) {
  Belief rejected;
  WEFT_CHECK(change(owner, [&](Shelf& shelf) -> Status {
    std::string which = value;
    if (which.empty())
      for (const auto& group : by_dimension(shelf))
        if (group.front().dimension == dimension) which = group.front().value;
    const auto at = find_in(shelf.beliefs, dimension, which);
    if (at == shelf.beliefs.end())
      return not_found("belief: nothing is believed of \"" + dimension + "\"" + (value.empty() ? "" : ": " + value),
                       "`weft belief list` shows them");
    weft::reject(*at, clock_.now(), settings_);
    rejected = *at;
    return {};
  }));
  return rejected;
}

Result<std::size_t> BeliefBook::forget(const std::string& owner, const std::string& dimension,
                                       const std::string& value) {
  WEFT_TRY(const Shelf known, open(owner));
  const auto goes = [&](const Belief& one) {
    return one.dimension == dimension && (value.empty() || one.value == value);
  };
  if (std::none_of(known.beliefs.begin(), known.beliefs.end(), goes)) return std::size_t{0};
  std::size_t gone = 0;
  WEFT_CHECK(change(owner, [&](Shelf& shelf) {
    gone = std::erase_if(shelf.beliefs, goes);
    return Status();
  }));
  return gone;
}

Result<std::size_t> BeliefBook::erase_sources(const std::string& owner, const std::set<std::string>& sources) {
  const auto goes = [&](const std::string& source) { return sources.contains(source); };
  const auto names_one = [&](const std::string& text) {
    return std::any_of(sources.begin(), sources.end(), [&](const std::string& source) { return names(text, source); });
  };
  std::size_t touched = 0;
  const auto without_sources = [&](const std::string& before) -> Result<std::string> {
    if (!names_one(before)) return before;
    auto known = shelf_of(owner, before);
    if (!known.ok()) return std::string();  // a broken file does not say which of its parts goes
    Shelf& shelf = *known;
    std::erase_if(shelf.bad_text, names_one);
    for (Belief& belief : shelf.beliefs) {
      const std::size_t all = belief.sources.size();
      const std::size_t gone = std::erase_if(belief.sources, goes);
      if (gone == 0) continue;
      ++touched;
      belief.told.clear();  // it may have been told in the words of one that goes
      if (gone == all)
        belief.dimension.clear();  // marks it
      else
        lose_share(belief, gone, all);
    }
    std::erase_if(shelf.beliefs, [](const Belief& one) { return one.dimension.empty(); });
    return text_of(shelf);
  };
  const auto rewritten = documents_.rewrite(place_of(owner), clock_.now(), without_sources);
  if (!rewritten.ok()) return rewritten.error();
  return touched;
}

Status BeliefBook::erase(const std::string& owner) {
  {
    const std::lock_guard lock(mutex_);
    shelves_.erase(owner);
  }
  const auto gone = documents_.remove(place_of(owner));
  return gone.ok() ? Status() : Status(gone.error());
}

std::vector<std::string> BeliefBook::problems(const std::string& owner) {
  (void)open(owner);
  const std::lock_guard lock(mutex_);
  const auto at = shelves_.find(owner);
  return at == shelves_.end() ? std::vector<std::string>() : at->second.problems;
}

Result<std::vector<Preference>> BeliefBook::preferences(const std::string& owner, std::span<const Preference> known) {
  WEFT_TRY(const auto beliefs, told(owner));
  std::set<std::string> said;
  for (const Preference& one : known)
    for (const auto& [dimension, value] : named_preferences(one.text)) said.insert(dimension);
  std::vector<Preference> preferences;
  for (const Belief& belief : beliefs)
    if (!said.contains(belief.dimension)) preferences.push_back({told_text(belief), belief.confidence, {}});
  return preferences;
}

Status BeliefBook::settle(const Question& answered, WriteBatch& batch) {
  if (!answered.about.starts_with(kAbout)) return {};
  const std::string dimension = answered.about.substr(kAbout.size());
  WEFT_TRY(const auto all, beliefs(answered.owner));
  for (const Belief& belief : all)
    if (belief.dimension == dimension && told_text(belief) == answered.answer)
      return confirm(answered.owner, dimension, belief.value, batch);
  const auto named = named_preferences(answered.answer);
  const auto at = named.find(dimension);
  return at == named.end() ? Status() : confirm(answered.owner, dimension, at->second, batch);
}

}  // namespace weft
