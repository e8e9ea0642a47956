#include "surface/cli/beside/command_server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <latch>
#include <random>

#include "surface/cli/beside/socket.h"
#include "tests/support/temporary_folder.h"

namespace weft::cli {
namespace {

/// The console of the process that was started: what it was given, and what it showed.
class Shown final : public Console {
 public:
  void write(std::string_view text) override { out += text; }
  void write_error(std::string_view text) override { err += text; }
  void flush() override {}
  bool interactive() const override { return false; }
  bool colours() const override { return false; }
  std::filesystem::path path(const std::string& given) const override { return given; }
  Status edit(const std::string& file) override {
    edited = file;
    return {};
  }
  std::string out, err, edited;

 protected:
  Result<std::string> more(const std::string&) override { return std::string(); }
};

class CommandServerTest : public testing::Test {
 protected:
  void start(CommandServer::Handler handler) {
    auto opened = CommandServer::open(folder_.path(), std::move(handler));
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    server_ = std::move(opened).value();
  }

  FileHandle connect() {
    auto socket = connect_in(folder_.path());
    EXPECT_TRUE(socket.ok()) << socket.error().message;
    return socket.ok() ? std::move(socket).value() : FileHandle();
  }

  Result<int> give(const std::vector<std::string>& arguments, Console& own) {
    return run_in_server(connect(), {"1", "ws", "/tmp", false, false, arguments}, own);
  }

  std::filesystem::path socket_path() const { return std::filesystem::path(folder_.path()) / "weft.sock"; }

  test::TemporaryFolder folder_;
  std::unique_ptr<CommandServer> server_;
};

int say_arguments(const RunRequest& run, Console& console) {
  for (const std::string& argument : run.arguments) console.print("%s|", argument.c_str());
  console.complain("in %s", console.path("a").c_str());
  return static_cast<int>(run.arguments.size());
}

TEST_F(CommandServerTest, PF_10_a_command_gets_what_was_written_and_its_exit_code) {
  start(say_arguments);
  Shown own;
  const auto code = give({"a", "b c", "\xff"}, own);
  ASSERT_TRUE(code.ok()) << code.error().message;
  EXPECT_EQ(*code, 3);
  EXPECT_EQ(own.out, "a|b c|\xff|");
  EXPECT_EQ(own.err, "in /tmp/a");
}

TEST_F(CommandServerTest, PF_10_much_output_arrives_whole_and_in_order) {
  start([](const RunRequest&, Console& console) {
    for (int i = 0; i < 20000; ++i) console.print("line %d\n", i);
    return 0;
  });
  std::string expected;
  for (int i = 0; i < 20000; ++i) expected += "line " + std::to_string(i) + "\n";
  Shown own;
  ASSERT_TRUE(give({}, own).ok());
  EXPECT_EQ(own.out, expected);
}

TEST_F(CommandServerTest, PF_10_the_persons_editor_is_opened_by_the_command_itself) {
  start([](const RunRequest&, Console& console) { return console.edit("/x/y.md").ok() ? 0 : 1; });
  Shown own;
  const auto code = give({}, own);
  ASSERT_TRUE(code.ok());
  EXPECT_EQ(*code, 0);
  EXPECT_EQ(own.edited, "/x/y.md");
}

TEST_F(CommandServerTest, PF_10_the_socket_is_for_its_user_alone_and_goes_with_the_server) {
  start(say_arguments);
  struct stat found{};
  ASSERT_EQ(::lstat(socket_path().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
  ::chmod(socket_path().c_str(), 0666);
  const auto refused = connect_in(folder_.path());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kPermission);
  server_ = nullptr;
  EXPECT_FALSE(std::filesystem::exists(socket_path()));
  EXPECT_EQ(connect_in(folder_.path()).error().code, ErrorCode::kNotFound);
}

TEST_F(CommandServerTest, PF_10_what_a_killed_server_left_is_replaced) {
  start(say_arguments);
  const auto kept = std::filesystem::path(folder_.path()) / "kept";
  std::filesystem::create_hard_link(socket_path(), kept);
  server_ = nullptr;
  std::filesystem::rename(kept, socket_path());  // a socket that nobody listens at
  EXPECT_EQ(connect_in(folder_.path()).error().code, ErrorCode::kNotFound);
  start(say_arguments);
  Shown own;
  EXPECT_TRUE(give({}, own).ok());
}

TEST_F(CommandServerTest, PF_10_a_workspace_with_a_long_path_has_its_socket) {
  std::filesystem::path deep = folder_.path();
  for (int i = 0; i < 5; ++i) deep /= std::string(60, 'd');
  std::filesystem::create_directories(deep);
  const auto server = CommandServer::open(deep, say_arguments);
  ASSERT_TRUE(server.ok()) << server.error().message;
  auto socket = connect_in(deep);
  ASSERT_TRUE(socket.ok()) << socket.error().message;
  Shown own;
  const auto code = run_in_server(std::move(socket).value(), {"1", "ws", "/", false, false, {"x"}}, own);
  ASSERT_TRUE(code.ok());
  EXPECT_EQ(*code, 1);
}

TEST_F(CommandServerTest, PF_10_peers_that_send_anything_cost_nobody_else_anything) {
  start(say_arguments);
  std::mt19937 random(13);
  for (int round = 0; round < 100; ++round) {
    const FileHandle socket = connect();
    std::string bytes(random() % 300, '\0');
    for (char& c : bytes) c = static_cast<char>(random() & 0xFF);
    if (random() % 2 == 0) bytes = encode(FrameKind::kRun, encode_run({"1", "w", "/", false, false, {}})) + bytes;
    (void)!::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  // Their places are free again as soon as they are noticed to be gone.
  for (int attempt = 0; attempt < 200; ++attempt) {
    Shown own;
    const auto code = give({"still", "here"}, own);
    if (code.ok() && *code == 2) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  FAIL() << "the server did not come back";
}

TEST_F(CommandServerTest, PF_10_a_command_whose_process_is_gone_is_cancelled) {
  std::latch begun(1);
  std::atomic<bool> told = false;
  start([&](const RunRequest&, Console& console) {
    begun.count_down();
    told = !console.read_line().ok() && console.cancelled().stop_requested();
    return 0;
  });
  {
    const FileHandle socket = connect();
    ASSERT_TRUE(send_frame(socket.get(), FrameKind::kRun, encode_run({"1", "w", "/", false, false, {}})));
    begun.wait();
  }
  for (int i = 0; i < 500 && !told; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(told);
}

TEST_F(CommandServerTest, PF_10_too_many_commands_are_told_so_and_an_ending_server_ends_them) {
  std::latch begun(static_cast<std::ptrdiff_t>(CommandServer::kMost));
  start([&](const RunRequest&, Console& console) {
    begun.count_down();
    const auto line = console.read_line();
    if (!line.ok()) console.complain("%s", line.error().message.c_str());
    return line.ok() ? 0 : 5;
  });
  std::vector<FileHandle> waiting;
  for (std::size_t i = 0; i < CommandServer::kMost; ++i) {
    waiting.push_back(connect());
    ASSERT_TRUE(send_frame(waiting.back().get(), FrameKind::kRun, encode_run({"1", "w", "/", false, false, {}})));
  }
  begun.wait();
  Shown own;
  const auto code = give({}, own);
  EXPECT_TRUE(!code.ok() || *code == 1);
  server_->stop(std::chrono::seconds(20));
  for (const FileHandle& socket : waiting) {
    FrameReader reader;
    while (receive(socket.get(), reader)) {
    }
    std::optional<Frame> last;
    for (auto frame = reader.next(); frame.ok() && *frame; frame = reader.next()) last = std::move(**frame);
    ASSERT_TRUE(last.has_value());
    EXPECT_EQ(last->kind, FrameKind::kExit);
    EXPECT_EQ(last->payload, std::string(1, '\5'));
  }
}

}  // namespace
}  // namespace weft::cli
