#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "surface/api/operation.h"
#include "surface/api/pages.h"

/// Operations that answer a list. Each takes ?limit= and ?cursor=, and gives "next" where more follows: the cursor of
/// the next page.
namespace weft {

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
