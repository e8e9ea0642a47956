#include "surface/api/search_body.h"

#include "text/time_bounds.h"

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

}  // namespace weft
