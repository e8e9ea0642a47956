#include "agent/research.h"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>

#include "agent/research_sources.h"
#include "agent/researcher.h"
#include "agent/tool.h"
#include "tests/support/fake_clock.h"
#include "tests/support/scripted_chat.h"
#include "tests/support/temporary_folder.h"
#include "weft/tool_parameters.h"

namespace weft {
namespace {

using test::FakeClock;
using test::TemporaryFolder;

/// A corpus in a folder, and researches over it.
class ResearchTest : public testing::Test {
 protected:
  void file(const std::string& name, const std::string& text) {
    const auto path = folder_.path() / "corpus" / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  ResearchParts parts(ChatModel* model = nullptr) {
    auto opened = SourceFolders::open({folder_ / "corpus"});
    EXPECT_TRUE(opened.ok()) << (opened.ok() ? "" : opened.error().message);
    ResearchTools tools = more_;
    for (auto& tool : folder_tools(*opened, std::make_shared<WordLikeness>())) {
      auto counted = make_tool(tool->info(), ToolEffects::kNone, [this, tool](const ToolRequest& request) {
        ++calls_;
        return tool->run(request);
      });
      const std::string name = tool->info().name;
      (name == kFolderSearch ? tools.folders : name == kFolderList ? tools.list : tools.read_file) = counted;
    }
    return ResearchParts{tools,
                         model,
                         nullptr,
                         likeness_,
                         threads_,
                         request_,
                         deadline_,
                         std::chrono::seconds(20),
                         std::chrono::seconds(20),
                         3,
                         [this](const std::string& id) { return stream(id); }};
  }

  Result<std::shared_ptr<Bus>> stream(const std::string& id) {
    const std::lock_guard lock(mutex_);
    auto& bus = buses_[id];
    if (!bus) {
      WEFT_TRY(auto opened, Bus::open(disk(), folder_.path() / (id + ".jsonl"), clock_));
      bus = std::move(opened);
    }
    return bus;
  }

  ResearchReport research(const std::string& question, ResearchKind kind, std::int64_t most,
                          ChatModel* model = nullptr) {
    const ResearchParts with = parts(model);
    const auto bus = stream("main").value();
    ResearchStream own("main", *bus, with, most);
    ResearchReport draft;
    draft.id = "main";
    draft.question = question;
    draft.kind = kind;
    draft.tool_calls_most = most;
    auto report = run_research(own, draft);
    EXPECT_TRUE(report.ok()) << (report.ok() ? "" : report.error().message);
    return report.ok() ? *report : draft;
  }

  std::size_t events(const std::string& id, BusEventType type) {
    std::size_t count = 0;
    for (const BusEvent& event : stream(id).value()->since(0)) count += event.type == type ? 1 : 0;
    return count;
  }

  void bridge_corpus() {
    file("official/authority.md",
         "# Marlow barrier\n\n## Construction\n\nThe Marlow barrier has nine gates. The Marlow barrier was opened in "
         "1984.\n\n"
         "## Cost\n\nThe Marlow barrier cost 40 million pounds to build.\n");
    file("news/gazette.md",
         "# A barrier at work\n\n## Construction\n\nNine gates make up the Marlow barrier, and crews grease them each "
         "autumn.\n\n"
         "## Cost\n\nThe Marlow barrier cost 55 million pounds to build, an audit says.\n");
    file("notes/bread.md", "# Bread\n\nThe bakery opens at seven and sells rye bread.\n");
  }

  TemporaryFolder folder_;
  FakeClock clock_;
  WordLikeness likeness_;
  CallThreads threads_;
  RequestContext request_{Scope::private_of(UserId("ann")).value(), {}, {}};
  Deadline deadline_;
  ResearchTools more_;
  std::atomic<int> calls_ = 0;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Bus>> buses_;
};

TEST_F(ResearchTest, RS_1_a_fact_is_confirmed_by_two_sources_with_their_lines) {
  bridge_corpus();
  const auto report = research("How many gates does the Marlow barrier have?", ResearchKind::kFact, 5);
  ASSERT_FALSE(report.claims.empty());
  EXPECT_EQ(report.claims[0].text, "The Marlow barrier has nine gates.");
  EXPECT_EQ(report.claims[0].independent, 2);
  EXPECT_EQ(report.claims[0].state, ClaimState::kConfirmed);
  const auto& cited = report.claims[0].citations[0];
  EXPECT_EQ(cited.first_line, 5);
  EXPECT_NE(report.sources[static_cast<std::size_t>(cited.source) - 1].origin.find("official/authority.md"),
            std::string::npos);
  EXPECT_NE(report.markdown.find("authority.md:5`"), std::string::npos) << report.markdown;
  EXPECT_EQ(report.by, MadeBy::kFloor);
  EXPECT_LE(report.tool_calls, 5);
}

TEST_F(ResearchTest, RS_1_disagreement_is_shown_with_both_sides) {
  bridge_corpus();
  const auto report = research("What did the Marlow barrier cost to build?", ResearchKind::kFact, 5);
  ASSERT_EQ(report.disputes.size(), 1u) << report.markdown;
  EXPECT_EQ(report.disputes[0].what, DisputeOf::kNumber);
  EXPECT_NE(report.markdown.find("Disputed"), std::string::npos);
  EXPECT_NE(report.summary.find("disputed"), std::string::npos);
}

TEST_F(ResearchTest, RS_1_the_cap_ends_it_with_what_there_is) {
  bridge_corpus();
  const auto report = research("cost, construction and upkeep of the Marlow barrier", ResearchKind::kTopic, 2);
  EXPECT_EQ(report.limit, "calls");
  EXPECT_EQ(report.tool_calls, 2);
  EXPECT_EQ(calls_, 2);
  EXPECT_FALSE(report.claims.empty());
  EXPECT_NE(report.markdown.find("Limit reached"), std::string::npos);
  EXPECT_EQ(events("main", BusEventType::kLimitReached), 1u);
}

TEST_F(ResearchTest, RS_1_a_topic_has_the_outline_of_its_sources) {
  bridge_corpus();
  const auto report = research("Marlow barrier", ResearchKind::kTopic, 20);
  EXPECT_NE(std::find(report.outline.begin(), report.outline.end(), "Construction"), report.outline.end());
  EXPECT_NE(std::find(report.outline.begin(), report.outline.end(), "Cost"), report.outline.end());
}

TEST_F(ResearchTest, RS_1_what_is_not_there_is_a_gap) {
  bridge_corpus();
  const auto report = research("Who painted the ceiling of the opera house in Lund?", ResearchKind::kFact, 5);
  EXPECT_TRUE(report.claims.empty());
  EXPECT_EQ(report.gaps.size(), 1u);
}

TEST_F(ResearchTest, RS_1_gone_on_with_it_calls_nothing_again) {
  bridge_corpus();
  const auto first = research("What did the Marlow barrier cost to build?", ResearchKind::kFact, 5);
  const int calls = calls_;
  const auto count = stream("main").value()->last();
  const auto again = research("What did the Marlow barrier cost to build?", ResearchKind::kFact, 5);
  EXPECT_EQ(calls_, calls);
  EXPECT_EQ(stream("main").value()->last(), count);
  EXPECT_EQ(again.markdown, first.markdown);
}

TEST_F(ResearchTest, RS_2_researchers_have_streams_of_their_own_and_share_the_cap) {
  bridge_corpus();
  const auto report = research("cost, construction and opening of the Marlow barrier", ResearchKind::kDeep, 50);
  EXPECT_EQ(events("main", BusEventType::kSubAgentStarted), 3u);
  EXPECT_EQ(events("main", BusEventType::kSubAgentEnded), 3u);
  for (const char* id : {"main-s1", "main-s2", "main-s3"}) {
    EXPECT_GT(events(id, BusEventType::kToolResult), 0u) << id;
    EXPECT_EQ(events(id, BusEventType::kAgentOutput), 1u) << id;
  }
  EXPECT_LE(report.tool_calls, 50);
  EXPECT_EQ(report.disputes.size(), 1u) << report.markdown;
}

TEST_F(ResearchTest, RS_2_a_critic_takes_out_what_quotes_do_not_bear_out) {
  bridge_corpus();
  ScriptedChat model;
  std::atomic<int> criticised = 0;
  model.always([&](const ChatRequest& request) -> Result<ChatReply> {
    const std::string& schema = request.json_schema;
    if (schema.find("\"points\"") != std::string::npos)
      return ScriptedChat::reply(
          R"({"points":[{"question":"What does the Marlow barrier cost?","query":"Marlow cost"},
        {"question":"How many gates has the Marlow barrier?","query":"Marlow gates"}]})");
    if (schema.find("\"methods\"") != std::string::npos)
      return ScriptedChat::reply(R"({"claims":[{"text":"The Marlow barrier has nine gates.","sentences":[1]},
        {"text":"The Marlow barrier has 77 gates.","sentences":[1]},{"text":"Invented.","sentences":[999]}]})");
    if (schema.find("\"unsupported\"") != std::string::npos) {
      ++criticised;
      return ScriptedChat::reply(R"({"unsupported":[1],"disputes":[],"gaps":[]})");
    }
    return ScriptedChat::reply(R"({"summary":"It has 123456 gates."})");
  });
  const auto report = research("cost and gates of the Marlow barrier", ResearchKind::kDeep, 50, &model);
  EXPECT_EQ(criticised, 1);
  std::string notes;
  for (const std::string& note : report.notes) notes += note + "\n";
  EXPECT_NE(notes.find("a number that its sources do not say"), std::string::npos) << notes;
  EXPECT_NE(notes.find("cites nothing that was found"), std::string::npos) << notes;
  EXPECT_NE(notes.find("summary was refused"), std::string::npos) << notes;
  EXPECT_NE(notes.find("not borne out by its quotes"), std::string::npos) << notes;
  EXPECT_EQ(report.markdown.find("77 gates. ["), std::string::npos);
  EXPECT_EQ(report.summary.find("123456"), std::string::npos);
}

TEST_F(ResearchTest, RS_1_a_model_that_hangs_or_talks_nonsense_leaves_the_floor) {
  bridge_corpus();
  ScriptedChat model;
  model.always([](const ChatRequest&) -> Result<ChatReply> { return ScriptedChat::reply("no JSON"); });
  const auto report = research("How many gates does the Marlow barrier have?", ResearchKind::kFact, 5, &model);
  EXPECT_EQ(report.by, MadeBy::kFloor);
  ASSERT_FALSE(report.claims.empty());
  EXPECT_EQ(report.claims[0].state, ClaimState::kConfirmed);
  EXPECT_FALSE(report.notes.empty());
}

TEST_F(ResearchTest, RS_1_a_tool_that_fails_is_noted_and_the_others_serve) {
  bridge_corpus();
  more_.search = {make_tool({"web_search", "", ToolParameters().text("query", "")}, ToolEffects::kNone,
                            [](const ToolRequest&) -> Result<ToolOutcome> { return unavailable("no route"); })};
  const auto report = research("How many gates does the Marlow barrier have?", ResearchKind::kFact, 5);
  EXPECT_FALSE(report.claims.empty());
  ASSERT_FALSE(report.notes.empty());
  EXPECT_NE(report.notes[0].find("no route"), std::string::npos);
}

TEST_F(ResearchTest, RS_1_a_repository_is_read_from_readme_to_core) {
  file("README.md", "# Lathe\n\nLathe turns drawings into tool paths.\n");
  file("CMakeLists.txt", "project(lathe)\nadd_executable(lathe src/main.cpp src/planner.cpp)\n");
  file("src/main.cpp", "// Reads a drawing and plans it.\n#include \"planner.h\"\nint main() { return plan(); }\n");
  file("src/planner.h", "// Plans tool paths layer by layer.\nint plan();\n");
  file("src/colour.h", "int colour();\n");
  file("node_modules/x/index.js", "nothing of it\n");
  const auto report = research("What is Lathe?", ResearchKind::kRepository, 15);
  const std::string& text = report.markdown;
  const auto at = [&](const char* part) { return text.find(part); };
  for (const char* part : {"Lathe turns drawings into tool paths", "README.md:3", "src/ (3)", "project(lathe)",
                           "Reads a drawing", "Plans tool paths layer by layer"})
    EXPECT_NE(at(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(at("nothing of it"), std::string::npos);
  EXPECT_LE(report.tool_calls, 15);
}

TEST(ResearchOutline, RS_1_questions_are_parted_in_both_languages) {
  EXPECT_EQ(parts_of_question("How many gates does the barrier have?").size(), 1u);
  const auto english = parts_of_question("cost, safety and history of the Marlow barrier");
  ASSERT_EQ(english.size(), 3u);
  EXPECT_EQ(english[0], "cost of the marlow barrier");
  const auto chinese = parts_of_question("青石大桥的造价、安全和历史");
  ASSERT_EQ(chinese.size(), 3u);
  EXPECT_EQ(chinese[1], "青石大桥安全");
  EXPECT_EQ(parts_of_question("和平大桥有多长？").size(), 1u);
}

TEST(ResearchOutline, RS_1_files_of_a_project_in_the_order_of_the_specification) {
  const auto files = files_to_read({{"p/src/main.c", 1},
                                    {"p/deep/er/README.md", 1},
                                    {"p/readme.txt", 1},
                                    {"p/package.json", 1},
                                    {"p/src/other.c", 1}},
                                   6);
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(files[0].path, "p/readme.txt");
  EXPECT_EQ(files[1].path, "p/package.json");
  EXPECT_EQ(files[2].path, "p/src/main.c");
}

}  // namespace
}  // namespace weft
