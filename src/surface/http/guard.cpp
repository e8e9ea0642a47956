#include "surface/http/guard.h"

#include <openssl/evp.h>
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "text/plain_words.h"

namespace weft {
namespace {

constexpr std::size_t kMostCallers = 10'000;
constexpr double kMinuteMs = 60'000;

double ms_between(RateLimit::Clock::time_point from, RateLimit::Clock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

}  // namespace

void RateLimit::forget_full(Clock::time_point now) {
  std::erase_if(buckets_, [&](const auto& entry) { return ms_between(entry.second.filled, now) >= kMinuteMs; });
  // All of them busy within a minute: then nobody's past is remembered rather than memory without end.
  if (buckets_.size() >= kMostCallers) buckets_.clear();
}

std::chrono::milliseconds RateLimit::take(std::string_view caller, Clock::time_point now) {
  if (per_minute_ <= 0) return {};
  const std::lock_guard lock(mutex_);
  if (buckets_.size() >= kMostCallers) forget_full(now);
  auto [at, fresh] = buckets_.try_emplace(std::string(caller), Bucket{per_minute_, now});
  Bucket& bucket = at->second;
  if (!fresh) {
    bucket.left = std::min(per_minute_, bucket.left + ms_between(bucket.filled, now) * per_minute_ / kMinuteMs);
    bucket.filled = now;
  }
  if (bucket.left >= 1) {
    bucket.left -= 1;
    return {};
  }
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil((1 - bucket.left) * kMinuteMs / per_minute_)));
}

}  // namespace weft

namespace weft::http {
namespace {

constexpr std::size_t kNotedPerMinute = 60;

// Pages and programs that hold nothing of anybody.
bool is_open(std::string_view path) {
  return path == "/healthz" || path == "/livez" || path == "/readyz" || path == "/" || path == "/ui" ||
         path.starts_with("/ui/");
}

// What those who look after the server ask, also where it is full.
bool is_vital(std::string_view path) {
  return path == "/healthz" || path == "/livez" || path == "/readyz" || path == "/metrics";
}

bool is_preflight(const Request& head) {
  return head.method == "OPTIONS" && !head.header("access-control-request-method").empty();
}

std::string_view bearer(std::string_view value) {
  return value.starts_with("Bearer ") || value.starts_with("bearer ") ? value.substr(7) : std::string_view();
}

// What a header of the scheme Basic says, "NAME:KEY"; empty for other headers.
std::string basic_text(std::string_view value) {
  constexpr std::size_t kLongest = 4096;
  if (lowered(value.substr(0, 6)) != "basic ") return {};
  std::string coded(trimmed(value.substr(6)));
  while (coded.size() % 4 != 0) coded += '=';
  if (coded.empty() || coded.size() > kLongest) return {};
  std::string text(coded.size() / 4 * 3, '\0');
  const int size =
      EVP_DecodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(coded.data()), static_cast<int>(coded.size()));
  if (size < 0) return {};
  text.resize(static_cast<std::size_t>(size) - static_cast<std::size_t>(std::count(coded.begin(), coded.end(), '=')));
  return text;
}

// Whether a secret stands in the text as a word of its own, as in "Bearer SECRET" or "a=1; key=SECRET".
bool has_word(std::string_view text, std::string_view secret) {
  static constexpr std::string_view kAround = " \t,;:=\"'&";
  for (auto at = text.find(secret); at != std::string_view::npos; at = text.find(secret, at + 1)) {
    const std::size_t end = at + secret.size();
    const bool begins = at == 0 || kAround.find(text[at - 1]) != std::string_view::npos;
    const bool ends = end == text.size() || kAround.find(text[end]) != std::string_view::npos;
    if (begins && ends) return true;
  }
  return false;
}

std::string_view without_port(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

bool is_local_name(std::string_view host) {
  const auto name = without_port(host);
  const bool is_v4 =
      !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c == '.' || is_digit(c); });
  return name.empty() || is_v4 || name.starts_with('[') || name == "localhost" || name.ends_with(".localhost");
}

bool is_foreign(std::string_view origin, std::string_view host) {
  if (origin.empty()) return false;
  if (origin == "null") return true;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.starts_with(scheme)) return origin.substr(scheme.size()) != host;
  }
  return false;  // an extension or a desktop application
}

// Where a key may stand, the plainest last: OpenAI's clients send Authorization, Anthropic's x-api-key, and whoever
// needs those for the model's server has a header of ours.
std::vector<std::string_view> given_keys(const Request& head) {
  std::vector<std::string_view> all = {head.header("x-weft-key"), bearer(head.header("authorization")),
                                       head.header("x-api-key")};
  std::erase(all, std::string_view());
  return all;
}

}  // namespace

Guard::Guard(GuardRules rules, KeyRing* keys, const AuditLog* audit, const Clock* clock)
    : rules_(std::move(rules)),
      keys_(keys),
      audit_(audit),
      clock_(clock),
      limit_(rules_.requests_per_minute),
      noted_(kNotedPerMinute) {}

bool Guard::allowed_origin(std::string_view origin) const {
  return std::find(rules_.origins.begin(), rules_.origins.end(), origin) != rules_.origins.end();
}

std::optional<Refusal> Guard::refused(const Request& head, Refusal refusal) {
  if (audit_ != nullptr && clock_ != nullptr && noted_.take({}).count() == 0)
    audit_->note({clock_->now(), head.access.name, head.client, "refused", {}, refusal.error.message, {}});
  if (const auto origin = head.header("origin"); allowed_origin(origin))
    refusal.headers.emplace_back("access-control-allow-origin", origin);
  return refusal;
}

std::optional<Refusal> Guard::check_browser(const Request& head, bool keyed) const {
  const auto host = head.header("host"), origin = head.header("origin");
  if (is_foreign(origin, host) && !allowed_origin(origin))
    return Refusal{
        403,
        permission("requests from pages of other sites are refused", "server.origins names those that may ask"),
        {},
        "origin"};
  if (!keyed && rules_.loopback && !is_local_name(host))
    return Refusal{403,
                   permission("requests under the name " + std::string(host) + " are refused",
                              "use localhost or an address, or make a key with `weft key add NAME`"),
                   {},
                   "host"};
  return std::nullopt;
}

Result<Access> Guard::access_of(const Request& head) {
  const bool none = rules_.api_key.empty() && (keys_ == nullptr || keys_->empty());
  Result<Access> found = none ? permission("no key opens this server", "make one with `weft key add NAME`")
                              : permission("a key is needed", "send it as: Authorization: Bearer KEY");
  for (const std::string_view key : given_keys(head)) {
    if (!rules_.api_key.empty() && same_secret(key, rules_.api_key))
      found = Access{.name = "server.api_key"};
    else if (keys_ != nullptr)
      found = keys_->open(key);
    else
      found = permission("this key is not known");
    if (found.ok()) break;
  }
  return found;
}

bool Guard::holds_our_key(std::string_view text) const {
  const auto holds = [this](std::string_view one) {
    return holds_key(one) || (!rules_.api_key.empty() && has_word(one, rules_.api_key));
  };
  return holds(text) || holds(percent_decode(text)) || holds(basic_text(text));
}

void Guard::take_out_keys(Request& head) const {
  // Names of headers come in lower case, and some programs write a hyphen for an underscore.
  const std::string own = lowered(rules_.api_key);
  std::erase_if(head.headers, [&](const auto& header) {
    std::string name = header.first;
    std::replace(name.begin(), name.end(), '-', '_');
    return holds_our_key(header.second) || holds_our_key(header.first) || holds_our_key(name) ||
           (!own.empty() && has_word(header.first, own));
  });
  std::erase_if(head.query, [this](const auto& one) { return holds_our_key(one.first) || holds_our_key(one.second); });
  if (!holds_our_key(head.query_text)) return;
  std::string kept;
  for (const std::string_view part : split_list(head.query_text, '&'))
    if (!holds_our_key(part)) kept.append(kept.empty() ? "" : "&").append(part);
  head.query_text = std::move(kept);
}

std::optional<Refusal> Guard::admit(Request& head) {
  const bool keyed = !rules_.api_key.empty() || !rules_.loopback || (keys_ != nullptr && keys_->guarded());
  if (auto refusal = check_browser(head, keyed)) return refused(head, std::move(*refusal));
  if (is_preflight(head) && allowed_origin(head.header("origin"))) return std::nullopt;
  const bool needs_key = keyed && !is_open(head.path);
  if (needs_key) {
    auto access = access_of(head);
    if (!access.ok()) return refused(head, {401, access.error(), {{"www-authenticate", "Bearer"}}, "key"});
    head.access = std::move(access).value();
  }
  take_out_keys(head);
  head.caller = needs_key ? "key " + head.access.name : "from " + head.client;
  head.vital = is_vital(head.path);
  const auto wait = limit_.take(head.caller);
  if (wait.count() == 0) return std::nullopt;
  const auto seconds = std::to_string((wait.count() + 999) / 1000);
  return refused(
      head, {429,
             unavailable("too many requests: " + std::to_string(rules_.requests_per_minute) + " a minute are allowed",
                         "try again in " + seconds + " seconds, or raise server.requests_per_minute"),
             {{"retry-after", seconds}},
             "rate"});
}

void Guard::mark(const Request& head, ResponseWriter& out) const {
  out.header("X-Content-Type-Options", "nosniff");
  out.header("Referrer-Policy", "no-referrer");
  const auto origin = head.header("origin");
  if (origin.empty() || !allowed_origin(origin)) return;
  out.header("Access-Control-Allow-Origin", origin);
  out.header("Access-Control-Expose-Headers", "*");
  out.header("Vary", "Origin");
}

bool Guard::answer_preflight(const Request& head, ResponseWriter& out) const {
  if (!is_preflight(head) || !allowed_origin(head.header("origin"))) return false;
  out.header("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE");
  out.header("Access-Control-Allow-Headers", head.header("access-control-request-headers"));
  out.header("Access-Control-Max-Age", "600");
  out.send(204, {}, {});
  return true;
}

}  // namespace weft::http
