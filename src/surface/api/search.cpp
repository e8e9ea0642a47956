#include "surface/api/search.h"

#include <algorithm>
#include <cstdio>

#include "model/event_details.h"
#include "surface/api/list_operation.h"
#include "text/instruction_like.h"
#include "text/time_bounds.h"
#include "text/value.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr double kMaxTopK = 1000;

Status check_sessions(const SearchBody& body, const std::string&) {
  if (body.session) WEFT_CHECK(check_id(body.session->str(), "session"));
  if (body.not_session) WEFT_CHECK(check_id(body.not_session->str(), "not_session"));
  return {};
}

}  // namespace

template <>
const Record<SearchBody>& record<SearchBody>() {
  using S = SearchBody;
  static const auto made =
      Record<S>("SearchRequest", "A question to memory.", RecordUse::kAsked)
          .field("query", &S::query, "what to look for",
                 {.required = true, .wanted = "a string with what is searched", .option = "query"})
          .field("top_k", &S::top_k, "how many results; 10 if left out",
                 {.least = 1, .most = kMaxTopK, .option = "-k,--top"})
          .field("kinds", &S::kinds, "only these kinds", {.option = "--kind"})
          .field("from", &S::from, "not older than this date, time, or words such as \"last week\"")
          .field("to", &S::to, "not newer than this")
          .field("as_of", &S::as_of, "what was known and held then")
          .field("asked", &S::asked, "what \"yesterday\" is counted from; now if left out")
          .field("session", &S::session, "only this session", {.option = "--in-session"})
          .field("not_session", &S::not_session, "all but this session")
          .field("who", &S::who, "only what this person said, among the best thousand hits", {.option = "--who"})
          .field("topic", &S::topic, "only of this topic, likewise", {.option = "--topic"})
          .field("recipe", &S::recipe, "balanced, literal, words, vectors or recent; as configured if left out")
          .field("where", &S::where, "only events with this metadata")
          .field("min_relevance", &S::min_relevance, "only hits whose relevance is not below this",
                 {.least = 0, .most = 1})
          .field("compact", &S::compact, "only what a model needs of each hit")
          .field("cursor", &S::cursor,
                 "the \"next\" of the page before: gives the best hits that no page has given; a compact answer has a "
                 "\"next\" only where this is there, empty for the first page",
                 {.advanced = true})
          .check(check_sessions);
  return made;
}

Result<SearchRequest> search_request(const SearchBody& body, Time now) {
  SearchRequest out;
  out.query = body.query;
  out.top_k = body.who.empty() && body.topic.empty() ? body.top_k : static_cast<std::size_t>(kMaxTopK);
  out.kinds = body.kinds;
  out.recipe = body.recipe;
  out.asked = body.asked;
  out.events = body.where.value_or(EventFilter());
  if (body.session && !body.session->empty()) out.session = body.session;
  if (body.not_session && !body.not_session->empty()) out.not_session = body.not_session;
  const Time seen_from = body.asked.value_or(now);
  WEFT_TRY(const TimeBounds span, read_time_span({"from", body.from}, {"to", body.to}, seen_from));
  WEFT_TRY(const TimeBounds as_of, read_time_field({"as_of", body.as_of}, seen_from));
  out.from = span.from;
  out.to = span.to;
  out.as_of = as_of.to ? as_of.to : as_of.from;
  return out;
}

void keep_wanted(const SearchBody& body, SearchResult& result) {
  const auto unwanted = [&](const Hit& hit) {
    const Item& item = hit.item;
    const bool said =
        item.who == body.who || item.sender_id.str() == body.who || (item.event && item.event->sender_id == body.who);
    return hit.relevance < body.min_relevance || (!body.who.empty() && !said) ||
           (!body.topic.empty() && item.topic.str() != body.topic);
  };
  std::erase_if(result.hits, unwanted);
  if (result.hits.size() > body.top_k) result.hits.resize(body.top_k);
}

namespace {

constexpr std::size_t kMark = 5;         // bytes: two of a thousand hits share one in a million searches
constexpr std::size_t kMostHits = 1000;  // that a search gives, on all of its pages

std::string mark_of_hit(const Hit& hit) {
  const std::string digits = mark_of(hit.item.id.str());
  std::string mark;
  for (std::size_t i = 0; i < kMark; ++i) mark += static_cast<char>(std::stoi(digits.substr(2 * i, 2), nullptr, 16));
  return mark;
}

}  // namespace

Result<GivenHits> GivenHits::at(std::string_view place) {
  if (place.size() % kMark != 0) return no_cursor();
  GivenHits given;
  for (; !place.empty(); place.remove_prefix(kMark)) given.marks.emplace(place.substr(0, kMark));
  return given;
}

std::string GivenHits::with(const SearchResult& page) const {
  std::set<std::string> all = marks;
  for (const Hit& hit : page.hits) all.insert(mark_of_hit(hit));
  std::string place;
  for (const std::string& mark : all) place += mark;
  return place;
}

Result<std::string> search_name(std::string_view body) {
  WEFT_TRY(Value all, parse_value(body, {.max_bytes = body.size() + 1}, "the body"));
  ValueObject* members = all.object();
  if (members == nullptr) return std::string(body);
  std::erase_if(*members, [](const auto& one) {
    return one.first == "cursor" || one.first == "top_k" || one.first == "user" || one.first == "metadata" ||
           one.first == "world" || one.second.is_null();
  });
  std::sort(members->begin(), members->end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return to_json(all);
}

void look_behind(const GivenHits& given, SearchRequest& what) {
  what.top_k = std::min(kMostHits, what.top_k + given.marks.size());
}

void leave_out(const GivenHits& given, SearchResult& result) {
  if (given.marks.empty()) return;
  std::erase_if(result.hits, [&](const Hit& hit) { return given.marks.contains(mark_of_hit(hit)); });
}

bool may_go_on(const GivenHits& given, const SearchBody& body, const SearchResult& page) {
  return page.hits.size() >= body.top_k && given.marks.size() + page.hits.size() < kMostHits;
}

namespace {

// An event's text begins with its day, which stands above it.
std::string text_without_day(const Item& item, const std::string& day) {
  const std::string head = "[" + day + "]";
  if (!item.text.starts_with(head)) return item.text;
  const auto begin = item.text.find_first_not_of(" \n", head.size());
  return begin == std::string::npos ? item.text : item.text.substr(begin);
}

}  // namespace

template <>
const Record<CompactHit>& record<CompactHit>() {
  constexpr FieldRule kSparse{.sparse = true};
  static const auto made =
      Record<CompactHit>("CompactHit", "A result of a search, in short.", RecordUse::kTold)
          .field("id", &CompactHit::id, "short; two may share one by chance")
          .field("date", &CompactHit::date, "the day when it happened; left out where nobody knows", kSparse)
          .field("who", &CompactHit::who, "who said it", kSparse)
          .field("text", &CompactHit::text, "what it says")
          .field("until", &CompactHit::until, "since that day it no longer holds", kSparse)
          .field("warning", &CompactHit::warning, "a caution", kSparse);
  return made;
}

template <>
const Record<CompactResult>& record<CompactResult>() {
  static const auto made =
      Record<CompactResult>("CompactResult", "What was found, in short.", RecordUse::kTold)
          .field("known", &CompactResult::known, "false: nothing is remembered of it, whatever stands in \"hits\"")
          .field("hits", &CompactResult::hits, "the best first");
  return made;
}

CompactResult compact_result(const SearchResult& result) {
  CompactResult out{result.known, {}};
  for (const Hit& hit : result.hits) {
    const Item& item = hit.item;
    const std::string day = item.time.ms == 0 ? std::string() : format_date(item.time);
    const bool over = item.event && item.event->valid_until;
    out.hits.push_back({short_id(item.id), day, item.who, text_without_day(item, day),
                        over ? format_date(*item.event->valid_until) : std::string(),
                        std::string(is_suspect(item) ? suspect_remark(language_of(item.text)) : std::string_view())});
  }
  return out;
}

std::string short_id(const ItemId& id) {
  char digits[9];
  std::snprintf(digits, sizeof digits, "%08x", static_cast<unsigned>(term_of(id.str())));
  return digits;
}

}  // namespace weft
