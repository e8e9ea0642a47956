#include "ports/embedding/vector_file.h"

#include <xxhash.h>

#include <array>

#include "text/utf8.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

// What a file begins with: which kind it is, and how long its vectors are.
using Head = std::array<std::uint32_t, 2>;
constexpr std::uint32_t kKind = 0x31465657;  // "WVF1"

template <class T>
bool read_into(std::ifstream& file, T* to, std::size_t count) {
  return static_cast<bool>(file.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(count * sizeof(T))));
}

template <class T>
void write_from(std::ofstream& file, const T* from, std::size_t count) {
  file.write(reinterpret_cast<const char*>(from), static_cast<std::streamsize>(count * sizeof(T)));
}

}  // namespace

Result<std::unique_ptr<VectorFile>> VectorFile::open(const fs::path& path, Embedder& inner) {
  std::unique_ptr<VectorFile> cache(new VectorFile(path, inner));
  cache->read();
  if (cache->known_.empty()) {
    WEFT_CHECK(cache->write_all());
    return cache;
  }
  // A record that was cut off ends before the next one begins.
  const std::uintmax_t record = sizeof(Key) + inner.dimensions() * sizeof(float);
  std::error_code failed;
  fs::resize_file(path, sizeof(Head) + cache->known_.size() * record, failed);
  cache->file_.open(path, std::ios::binary | std::ios::app);
  if (failed || !cache->file_) return unavailable("cannot write " + path.string());
  return cache;
}

VectorFile::Key VectorFile::key_of(std::string_view text, EmbedUse use) const {
  const std::string said = inner_.name() + "\n" + inner_.prefix(use) + "\n" + std::string(text);
  const XXH128_hash_t hash = XXH3_128bits(said.data(), said.size());
  return {hash.low64, hash.high64};
}

void VectorFile::read() {
  std::ifstream file(path_, std::ios::binary);
  Head head;
  if (!file || !read_into(file, head.data(), head.size())) return;
  if (head != Head{kKind, static_cast<std::uint32_t>(inner_.dimensions())}) return;
  Key key;
  Vector vector(inner_.dimensions());
  while (read_into(file, &key.first, 1) && read_into(file, &key.second, 1) &&
         read_into(file, vector.data(), vector.size()))
    known_.emplace(key, vector);
}

void VectorFile::write(const Key& key, const Vector& vector) {
  write_from(file_, &key.first, 1);
  write_from(file_, &key.second, 1);
  write_from(file_, vector.data(), vector.size());
}

Status VectorFile::write_all() {
  fs::path fresh = path_;
  fresh += ".new";
  file_ = std::ofstream(fresh, std::ios::binary | std::ios::trunc);
  const Head head{kKind, static_cast<std::uint32_t>(inner_.dimensions())};
  write_from(file_, head.data(), head.size());
  for (const auto& [key, vector] : known_) write(key, vector);
  file_.flush();
  std::error_code failed;
  if (file_) fs::rename(fresh, path_, failed);
  if (!file_ || failed) return unavailable("cannot write " + path_.string());
  return {};
}

Result<Vector> VectorFile::embed(std::string_view text, EmbedUse use, const Deadline& deadline) {
  if (Vector known = kept(text, use); !known.empty()) return known;
  WEFT_TRY(Vector vector, inner_.embed(text, use, deadline));
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = known_.emplace(key_of(text, use), vector);
  if (is_new) write(at->first, at->second);
  file_.flush();
  return vector;
}

Vector VectorFile::kept(std::string_view text, EmbedUse use) const {
  const Key key = key_of(text, use);
  const std::lock_guard lock(mutex_);
  const auto known = known_.find(key);
  return known == known_.end() ? Vector() : known->second;
}

bool VectorFile::keeps(std::string_view text, EmbedUse use) const {
  const Key key = key_of(text, use);
  const std::lock_guard lock(mutex_);
  return known_.contains(key);
}

Status VectorFile::keep_only(std::span<const std::string> texts, EmbedUse use) {
  const std::lock_guard lock(mutex_);
  Known left;
  for (const std::string& text : texts)
    if (const auto known = known_.find(key_of(text, use)); known != known_.end()) left.insert(*known);
  if (left.size() == known_.size()) return {};
  known_ = std::move(left);
  return write_all();
}

namespace {

// The weights that are fitted on states hold for these words only: a change of them is another name.
constexpr std::string_view kQuestion = "guide title 1";
constexpr std::string_view kBefore = "A user of an assistant needs help: \"", kBehind = "\".";
constexpr const char* kStart = "The best title of a guide for this, in English, is: \"";
constexpr std::size_t kLongest = 1000, kShortest = 60;  // characters

ChatRequest request_for(std::string_view text, std::size_t longest) {
  ChatRequest request;
  Message said;
  said.role = Role::kUser;
  said.content = std::string(kBefore) + preview(text, longest) + std::string(kBehind);
  request.messages.push_back(std::move(said));
  request.answer_start = kStart;
  request.wants_state = true;
  return request;
}

}  // namespace

std::string StateEmbedder::name_for(const ChatModel& model) {
  return model.state_space().model + ", " + std::string(kQuestion);
}

Result<Vector> StateEmbedder::embed(std::string_view text, EmbedUse, const Deadline& deadline) {
  if (!has_word(text)) return invalid_argument("a text without a word has no vector");
  auto reply = model_.complete(request_for(text, kLongest), deadline);
  // A small window takes fewer characters of some languages than of others.
  for (std::size_t longest = kLongest / 2; !reply.ok() && reply.error().code == ErrorCode::kTooLarge; longest /= 2) {
    if (longest < kShortest) break;
    reply = model_.complete(request_for(text, longest), deadline);
  }
  if (!reply.ok()) return reply.error();
  if (!make_unit_length(reply->state)) return unavailable(model_.name() + " gave no state of the text");
  return std::move(reply->state);
}

}  // namespace weft
