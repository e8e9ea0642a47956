#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "surface/api/operation.h"
#include "weft/result.h"

namespace weft {

/// The longest cursor that is given or taken, in bytes.
inline constexpr std::size_t kMaxCursor = 4096;
/// That of a search, which stands in a body.
inline constexpr std::size_t kMaxSearchCursor = 16'384;

/// A place in a list as clients carry it, in hexadecimal. `list` names the list with all that decides what is in it:
/// whose it is, and its filters. It needs no memory of the server's, so it outlives a restart.
std::string cursor_of(std::string_view list, std::string_view place);

/// The place that a cursor holds; empty for an empty cursor. kInvalidArgument for what is no cursor, and for one of
/// another list.
Result<std::string> place_of_cursor(std::string_view list, std::string_view cursor, std::size_t most = kMaxCursor);

/// A short mark of a text, always the same for the same text: 16 hexadecimal digits.
std::string mark_of(std::string_view text);

/// What is said of a cursor that nobody was given.
Error no_cursor();

// Lists a page at a time. A place is the key of the last thing that a page gave: whatever is added meanwhile, the next
// page begins behind it.

/// Which stretch of a list is wanted.
struct PageWanted {
  std::size_t limit = 100;
  std::string after;  ///< the place that the page before ended at; empty: from the beginning

  /// The place as the number that it was made of, 0 for the beginning. kInvalidArgument where it is none.
  Result<std::int64_t> number() const;
};

/// A page: the answer as it is without pages, and where it ended.
template <class Answer>
struct Paged {
  Answer answer;
  std::string place;  ///< empty: nothing follows
};

/// How a list that is read as a whole goes on behind a place.
enum class ListOrder {
  kByKey,  ///< it is put in the order of keys, so it goes on also where the thing at the place is gone
  kAsGiven,  ///< it stands in an order of its own, and goes on behind the thing at the place, or one shortly before it
};

/// Where a page of such a list begins, by its keys in order; its place beyond the end where nothing follows.
/// kConflict where all things that the place names are gone.
Result<std::size_t> begin_of_page(std::span<const std::string> keys, ListOrder order, const PageWanted& wanted);

/// The place of the thing with this number: its key and, `kAsGiven`, those of some before it.
std::string place_at(std::span<const std::string> keys, ListOrder order, std::size_t last);

/// Keys that several things share get numbers, so that each is one thing's alone.
void make_unique(std::vector<std::string>& keys);

/// A number as a key: texts of them are in the order of the numbers.
std::string number_key(std::int64_t number);

/// A page of a list that is there as a whole.
template <class T, class KeyOf>
Result<Paged<std::vector<T>>> page_of(std::vector<T> all, ListOrder order, const PageWanted& wanted, KeyOf key_of) {
  if (order == ListOrder::kByKey)
    std::stable_sort(all.begin(), all.end(), [&](const T& a, const T& b) { return key_of(a) < key_of(b); });
  std::vector<std::string> keys;
  for (const T& one : all) keys.push_back(key_of(one));
  make_unique(keys);
  WEFT_TRY(const std::size_t begin, begin_of_page(keys, order, wanted));
  const std::size_t end = std::min(all.size(), begin + wanted.limit);
  Paged<std::vector<T>> page;
  for (std::size_t i = begin; i < end; ++i) page.answer.push_back(std::move(all[i]));
  if (end < all.size()) page.place = place_at(keys, order, end - 1);
  return page;
}

// Operations that answer a list. Each takes ?limit= and ?cursor=, and gives "next" where more follows: the cursor of
// the next page.

/// Lists that were always cut give this many, where nobody says how many are wanted.
inline constexpr std::size_t kUsualPage = 100;
/// Lists that were always whole stay so for whoever asks for no pages, up to the most that a page can hold.
inline constexpr std::size_t kWholePage = 10'000;

/// What is wanted of a list, by the call's limit and cursor. kInvalidArgument for a cursor of another list.
Result<PageWanted> page_wanted(const Call& call, const std::string& operation, std::size_t limit);

/// What is said of a "next" in answers.
inline constexpr const char* kNextDoc = "the cursor of the next page; not there where this is the last one";

/// The cursor of a place of the call's list; empty for an empty one.
std::string next_cursor(const Call& call, const std::string& operation, const std::string& place);

/// A list as JSON, with a "next" where that is not empty.
std::string with_next(std::string list, const std::string& next);

/// Answers that are no bare lists have a field of their own for the cursor of the next page.
template <class Answer>
std::string page_json(Answer& answer, std::string next) {
  if constexpr (requires { answer.next; }) {
    answer.next = std::move(next);
    return ReplyForm<Answer>::write(answer);
  } else {
    return with_next(ReplyForm<Answer>::write(answer), next);
  }
}

/// Adds to an operation what all lists take, and to the schema of its answer what they give.
Operation listing(Operation made, std::size_t limit);

/// An operation that answers a list; `limit` holds where nobody says how many are wanted.
template <class Answer>
Operation list_operation(std::string id, std::string_view line, std::string summary, Whose whose,
                         Result<Paged<Answer>> (*work)(const Call&, const PageWanted&),
                         std::vector<Parameter> query = {}, std::size_t limit = kUsualPage) {
  Operation made = bare_operation(std::move(id), line, std::move(summary), whose, std::move(query));
  made.answer = [](SchemaBook& book) { return ReplyForm<Answer>::schema(book); };
  made.run = [work, whose, limit, id = made.id](Engine& engine, const http::Request& request,
                                                http::ResponseWriter& out) {
    with_call(engine, request, out, whose, BodyKind::kJson, [&](const Call& call) {
      const auto wanted = page_wanted(call, id, limit);
      if (!wanted.ok()) return http::send_error(out, wanted.error());
      auto page = work(call, *wanted);
      if (!page.ok()) return http::send_error(out, page.error());
      out.send(200, "application/json", page_json(page->answer, next_cursor(call, id, page->place)));
    });
  };
  return listing(std::move(made), limit);
}

/// One that answers what there is of a kind as a whole, cut into pages here. `list` gives all, `key` names one of them.
template <class T>
Operation list_operation(std::string id, std::string_view line, std::string summary, Whose whose, ListOrder order,
                         Result<std::vector<T>> (*list)(const Call&), std::string (*key)(const T&),
                         std::vector<Parameter> query = {}, std::size_t limit = kWholePage) {
  Operation made = bare_operation(std::move(id), line, std::move(summary), whose, std::move(query));
  made.answer = [](SchemaBook& book) { return ReplyForm<List<T>>::schema(book); };
  made.run = [list, key, order, whose, limit, id = made.id](Engine& engine, const http::Request& request,
                                                            http::ResponseWriter& out) {
    with_call(engine, request, out, whose, BodyKind::kJson, [&](const Call& call) {
      const auto wanted = page_wanted(call, id, limit);
      if (!wanted.ok()) return http::send_error(out, wanted.error());
      auto all = list(call);
      if (!all.ok()) return http::send_error(out, all.error());
      auto page = page_of(std::move(all).value(), order, *wanted, key);
      if (!page.ok()) return http::send_error(out, page.error());
      out.send(200, "application/json", with_next(list_json(page->answer), next_cursor(call, id, page->place)));
    });
  };
  return listing(std::move(made), limit);
}

/// Of one more than wanted, newest last: the page of the newest, whose place is what `place` says of its first one.
template <class T, class PlaceOf>
Paged<List<T>> newest_page(std::vector<T> found, const PageWanted& wanted, PlaceOf place) {
  Paged<List<T>> page;
  if (found.size() > wanted.limit) {
    found.erase(found.begin(), found.end() - static_cast<std::ptrdiff_t>(wanted.limit));
    page.place = place(found.front());
  }
  page.answer.all = std::move(found);
  return page;
}

/// Of one more than wanted, in the order of the list: the page of the first, whose place is what `place` says of its
/// last one.
template <class T, class PlaceOf>
Paged<List<T>> first_page(std::vector<T> found, const PageWanted& wanted, PlaceOf place) {
  Paged<List<T>> page;
  if (found.size() > wanted.limit) {
    found.erase(found.begin() + static_cast<std::ptrdiff_t>(wanted.limit), found.end());
    page.place = place(found.back());
  }
  page.answer.all = std::move(found);
  return page;
}

}  // namespace weft
