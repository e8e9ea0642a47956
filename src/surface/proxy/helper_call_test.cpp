#include "surface/proxy/helper_call.h"

#include <gtest/gtest.h>

#include "surface/proxy/anthropic.h"
#include "surface/proxy/responses.h"
#include "tests/support/proxy_fixture.h"

namespace weft::proxy {
namespace {

Json system_text(std::string text) { return {{"role", "system"}, {"content", std::move(text)}}; }

std::string kind_of_body(const std::string& body) {
  const auto call = parse_call(body, {});
  EXPECT_TRUE(call.ok()) << body;
  return call.ok() ? std::string(helper_kind(*call)) : "unread";
}
std::string kind_of(std::vector<Json> messages, Json more = Json::object()) {
  return kind_of_body(chat_body(std::move(messages), std::move(more)));
}

// A history in the words of an API.
constexpr const char* kQuoted = "USER: My barge is moored at Lock 9.\nASSISTANT: Thank you, I will remember it.";
constexpr const char* kQuotedZh = "用户：我的船停在九号船闸。\n助手：好的，我记住了。";

std::string task(const std::string& order, const std::string& output = "") {
  return "### Task:\n" + order + "\n" + output + "### Chat History:\n<chat_history>\n" + kQuoted + "\n</chat_history>";
}

TEST(HelperCall, PF_26_tasks_in_a_template_are_the_clients) {
  EXPECT_EQ(kind_of({user(task("Write a short title of 3-5 words for the chat history below."))}), "title");
  EXPECT_EQ(kind_of({user(task("Produce 1-3 tags for the main themes of this chat history.",
                               "### Output:\nJSON format: { \"tags\": [\"one\"] }\n"))}),
            "tags");
  EXPECT_EQ(kind_of({user(task("Propose 3 follow-up questions that the person might ask next in this conversation.",
                               "### Output:\nJSON format: { \"follow_ups\": [] }\n"))}),
            "follow_ups");
  EXPECT_EQ(kind_of({user(task("Decide from the chat history whether search queries are needed, and list them.",
                               "### Output:\nOnly JSON: { \"queries\": [] }\n"))}),
            "search");
  EXPECT_EQ(kind_of({user(task("Describe a picture for this chat as a prompt for an image generation model."))}),
            "image");
  EXPECT_EQ(kind_of({user("### Task:\nYou are an autocompletion system: continue the text in <text>.\n### Context:\n"
                          "<chat_history>\nUSER: hello\n</chat_history>\n<text>My barge is</text>\n### Output:\n")}),
            "completion");
  EXPECT_EQ(
      kind_of({user("Your task is to show the speaker's mood by one fitting emoji.\n\nMessage: \"\"\"I won!\"\"\"")},
              {{"max_tokens", 4}}),
      "emoji");
  EXPECT_EQ(
      kind_of({user(
          std::string("### 任务：\n为下面的聊天记录写一个标题，不超过十个字。\n### 聊天记录：\n<chat_history>\n") +
          kQuotedZh + "\n</chat_history>")}),
      "title");
}

TEST(HelperCall, PF_26_orders_with_bounds_over_a_quoted_history_are_the_clients) {
  EXPECT_EQ(
      kind_of({user("Give this conversation a name, in the language of the chat.\nAt most 10 characters, no quotes.\n"
                    "Only the name, nothing else.\n\nThe conversation:\n\n```\nMy barge is moored at Lock 9.\n\n"
                    "---------\n\nThank you.\n```\n\nThe name is:")}),
      "title");
  EXPECT_EQ(
      kind_of({user(std::string("Provide a title of 5 words or less for the conversation. Return only the title.\n\n"
                                "Conversation:\nUser: My barge is moored at Lock 9.\nAI: Thank you, I will "
                                "remember it for you."))}),
      "title");
  EXPECT_EQ(
      kind_of({user("请根据以下对话生成一个标题，不超过10个字，不要标点，只返回标题。\n\n" + std::string(kQuotedZh))}),
      "title");
  EXPECT_EQ(
      kind_of({user("Given the following conversation and a follow up question, rephrase the follow up question as "
                    "a standalone question. Return only the question.\n\nChat history:\nHuman: My barge is at Lock "
                    "9.\nAssistant: Noted.\n\nFollow up question: how deep is it there?")}),
      "search");
  EXPECT_EQ(kind_of({user(R"(Write a title of 3 to 6 words for these messages, as JSON. No explanation.
[{"role":"user","content":"My barge is moored at Lock 9."},{"role":"assistant","content":"I will remember it."}])")}),
            "title");
}

TEST(HelperCall, PF_26_a_system_prompt_may_be_the_whole_order) {
  const Json said = user("My barge is moored at Lock 9.");
  EXPECT_EQ(kind_of({system_text("You name conversations. Write a title of at most 6 words for the conversation that "
                                 "begins with this message. Output only the title."),
                     said}),
            "title");
  EXPECT_EQ(
      kind_of({system_text("判断这条消息是否开始了新话题，如果是，用两三个词写出话题。只返回 JSON，不要解释。"), said}),
      "topic");
  EXPECT_EQ(
      kind_of({system_text("Decide whether this message starts a new conversation topic. If so, extract a 2-3 word "
                           "title. Answer as JSON with 'isNewTopic' and 'title', no other text."),
               said, assistant("{")}),
      "title");
  EXPECT_EQ(
      kind_of(
          {system_text("你是一个擅长会话的助理，需要把用户的会话总结为 10 个字以内的标题，不要使用标点，只输出标题。"),
           user("用户: 我的船停在九号船闸。\n助手: 好的。")}),
      "title");
  EXPECT_EQ(kind_of({system_text("Your task is to find the prefix of a Bash command that an agent wants to run. Return "
                                 "only the command prefix, no other text."),
                     user("<policy_spec>\n…\n</policy_spec>\n\nCommand: git status")}),
            "command");
}

TEST(HelperCall, PF_26_a_question_may_be_worded_anew_at_the_end_of_its_chat) {
  EXPECT_EQ(
      kind_of({system_text("Given a chat history and the newest question, write a standalone question that can be "
                           "understood without the history. Do not answer it."),
               user("My barge is moored at Lock 9."), assistant("Noted."), user("How deep is it there?")}),
      "search");
}

TEST(HelperCall, PF_26_orders_at_the_end_of_a_living_chat_are_the_clients) {
  const std::vector<Json> chat = {user("My barge is moored at Lock 9."), assistant("I will remember it.")};
  const auto with = [&](Json last) {
    auto all = chat;
    all.push_back(std::move(last));
    return all;
  };
  EXPECT_EQ(kind_of(with(user("Write a four to five word title for our conversation without any introduction, "
                              "punctuation or quotation marks."))),
            "title");
  EXPECT_EQ(kind_of(with(user("用四到五个字直接返回这段对话的简要主题，不要解释、不要标点、不要多余文本"))), "title");
  EXPECT_EQ(
      kind_of(with(system_text("Summarize the discussion in 200 words or less, as a prompt for future context."))),
      "summary");
  EXPECT_EQ(kind_of(with(system_text("简要总结以上对话内容，用作后续的上下文提示，控制在200字以内"))), "summary");
  EXPECT_EQ(kind_of(with(user("Your task is to write a detailed summary of the conversation so far, with all that is "
                              "needed for continuing the work without losing context. Wrap your thoughts in <analysis> "
                              "tags first, then give the <summary>."))),
            "summary");
  EXPECT_EQ(kind_of(with(user("You are performing a context checkpoint. Write a handoff summary for another LLM that "
                              "will resume the task: progress, decisions, next steps."))),
            "summary");
  EXPECT_EQ(kind_of(with(user("[SUGGESTION MODE: say what the user might naturally type next.]\n2-12 words, only the "
                              "suggestion, no quotes."))),
            "follow_ups");
}

TEST(HelperCall, PF_26_emphasis_hides_no_order) {
  EXPECT_EQ(
      kind_of({user("My barge is moored at Lock 9."), assistant("Noted."),
               user("Analyze *only* the last answer and determine who should **speak next**: the user or the model. "
                    "Respond *only* in JSON.")}),
      "speaker");
}

TEST(HelperCall, PF_26_probes_only_ask_whether_the_model_is_there) {
  EXPECT_EQ(kind_of({user("quota")}, {{"max_tokens", 1}}), "probe");
  EXPECT_EQ(kind_of({system_text("You are an agent."), user("Warmup")}), "probe");
  EXPECT_EQ(kind_of({user("hi")}, {{"max_tokens", 1}}), "probe");
  EXPECT_EQ(kind_of({user("hi")}), "");
  EXPECT_EQ(kind_of({user("How much of my quota is left?")}), "");
}

TEST(HelperCall, PF_26_all_forms_of_call_are_read) {
  const auto anthropic = parse_anthropic_call(
      R"({"model":"m","max_tokens":512,"system":[{"type":"text","text":"You are Claude Code."},{"type":"text","text":"Write a sentence-case title of 3-7 words for this coding session. Return JSON with a single field and nothing else."}],
          "messages":[{"role":"user","content":[{"type":"text","text":"My barge is moored at Lock 9."}]}]})",
      {});
  ASSERT_TRUE(anthropic.ok());
  EXPECT_EQ(helper_kind(*anthropic), "title");
  const auto responses = parse_responses_call(
      R"({"model":"m","input":[{"role":"user","content":[{"type":"input_text","text":"My barge is moored at Lock 9."}]},
          {"type":"message","role":"assistant","content":[{"type":"output_text","text":"Noted."}]},
          {"role":"user","content":[{"type":"input_text","text":"Create a handoff summary of this conversation for another model that will resume the work. Pending tasks come last."}]}]})",
      {});
  ASSERT_TRUE(responses.ok());
  EXPECT_EQ(helper_kind(*responses), "summary");
}

TEST(HelperCall, PF_26_what_a_person_asks_is_theirs) {
  const std::string quoted = kQuoted, quoted_zh = kQuotedZh;
  for (
      const std::string& text : std::vector<std::string>{
          "Here is a chat I had yesterday. Can you give me a title for it?\n\n" + quoted,
          "Please summarize this conversation for my diary, in 100 words or less, no markdown:\n\n" + quoted,
          "Write a title for this chat with my landlord. Only the title, no quotes.\n\nAnn: When is rent due?\nBob: On "
          "the first.\nAnn: Thank you.",
          "What are good tags for a blog post about barges? Only three words.",
          "Write a short title (at most five words) for my story about a barge.",
          "Summarize our conversation so far in 200 words so that I can continue tomorrow.",
          "Generate a title for the chat.", "Please translate this chat history into French:\n" + quoted,
          "帮我总结一下这段聊天记录，不超过50字：\n" + quoted_zh, "给我的文章起一个标题，十个字以内，不要标点。",
          "我昨天和房东聊了一会儿，请写一个标题：\n" + quoted_zh,
          "### Task:\nRespond to the user query using the provided context, with citations.\n### Guidelines:\n- Answer "
          "in the language of the query.\n<context>\n<source id=\"1\">The chat history of barges, a summary.</source>\n"
          "</context>\n<user_query>\nWhere is my barge?\n</user_query>",
          "Which emoji shows a barge?"}) {
    EXPECT_EQ(kind_of({user(text)}), "") << text;
    EXPECT_EQ(kind_of({user("My barge is at Lock 9."), assistant("Noted."), user(text)}), "") << text;
  }
}

TEST(HelperCall, PF_26_an_order_may_be_a_system_prompt_with_nothing_behind_it) {
  EXPECT_EQ(kind_of({system_text("Please write a concise title of at most 5 words for the conversation, in its own "
                                 "language, without punctuation.\n\n||>User:\n\"My barge is moored at Lock "
                                 "9.\"\n||>Response:\n\"Noted.\"\n\n||>Title:")}),
            "title");
  EXPECT_EQ(kind_of({system_text("Extend the summary of the conversation by the new lines.\n\nCurrent summary:\nThe "
                                 "human owns a barge.\n\nNew lines:\nHuman: It is moored at Lock 9.\nAI: "
                                 "Noted.\n\nNew summary:")}),
            "summary");
  EXPECT_EQ(kind_of({system_text("You are a title wizard."),
                     system_text("请为以下对话生成一个标题，不超过10个字，不要标点，只返回标题。\n\n" +
                                 std::string(kQuotedZh))}),
            "title");
  EXPECT_EQ(kind_of({system_text("You are the keeper of Lock 9. Greet the skipper and summarize the weather.")}), "");
  EXPECT_EQ(kind_of({system_text("You are a helpful assistant.")}), "");
}

TEST(HelperCall, PF_26_moods_and_answers_of_several_models_are_the_clients) {
  EXPECT_EQ(kind_of({user("Your task is to show the speaker's mood with one fitting emoji, from the message "
                          "alone.\n\nMessage: ```I won the regatta!```")}),
            "emoji");
  EXPECT_EQ(kind_of({user("你的任务是用一个合适的表情符号表现说话者的情绪。\n\n消息: ```我赢了！```")}), "emoji");
  EXPECT_EQ(
      kind_of({user("You have several responses from various models to the newest query: \"Where is my "
                    "barge?\"\n\nYour task is to synthesize these responses into one that is better than each. Judge "
                    "them critically.\n\nResponses from models: \"\"\"At Lock 9.\"\"\"\n\n\"\"\"In the lock.\"\"\"")}),
      "merge");
  EXPECT_EQ(kind_of({user(
                "以下是多个模型的回答，针对最新的问题：“我的船在哪里？”\n\n你的任务是将这些回答综合成一个高质量的回答。"
                "\n\n模型的回答：\"\"\"九号船闸。\"\"\"")}),
            "merge");
}

TEST(HelperCall, PF_26_a_summary_of_a_thread_lists_what_it_is_to_hold) {
  const std::vector<Json> chat = {user("My barge is moored at Lock 9."), assistant("I will remember it.")};
  const auto with = [&](std::string last) {
    auto all = chat;
    all.push_back(user(std::move(last)));
    return all;
  };
  EXPECT_EQ(kind_of(with("Write a detailed summary of this conversation. Include:\n1. An overview of what was "
                         "discussed\n2. Key facts\n3. Conclusions\n4. Open points and next steps, if any\nFormat it in "
                         "Markdown with headings.")),
            "summary");
  EXPECT_EQ(
      kind_of(with("请写出这段对话的详细摘要，包括：\n1. 讨论了什么\n2. 关键事实\n3. 结论\n4. 后续步骤（如有）\n使用 "
                   "Markdown 格式，带标题。")),
      "summary");
  EXPECT_EQ(kind_of(with("Generate a title of 3-7 words for this conversation, omitting punctuation. Go straight to "
                         "the title, without any preamble such as `Title:`.")),
            "title");
  for (const char* said :
       {"Give this conversation about my trip a title", "Summarise this conversation. What are the next steps?",
        "Summarise this text: the barge is moored at Lock 9. It is 12 m long. It needs paint.",
        "总结这段文字：船停在九号船闸，长十二米，需要刷漆。", "Which of these responses from different models is best?",
        "What is a fitting emoji for this message: \"see you at Lock 9\"?",
        "Can you combine these responses?\n\nAnn: at Lock 9\nBob: at Lock 8"}) {
    EXPECT_EQ(kind_of(with(said)), "") << said;
    EXPECT_EQ(kind_of({user(said)}), "") << said;
  }
}

TEST(HelperCall, PF_26_a_chat_that_goes_on_is_no_helper_call) {
  const Json asked = user(task("Write a short title of 3-5 words for the chat history below."));
  EXPECT_EQ(kind_of({asked, assistant("Barge at Lock 9"), user("Thanks. My rudder is broken, by the way.")}), "");
}

TEST(HelperCall, PF_26_an_assistant_for_people_is_none_whatever_its_system_prompt_asks) {
  for (const char* system :
       {"You are a helpful assistant. Suggest follow-up questions at the end of each message, in Markdown, at most "
        "three.",
        "You are a support assistant. Keep the conversation friendly. Give each answer a title and use only Markdown.",
        "You are a helpful assistant. Summarize the conversation when asked, and answer in Markdown only.",
        "你是一个乐于助人的助手。每次回答后给出三个后续问题，只使用中文。"})
    EXPECT_EQ(kind_of({system_text(system), user("My barge is moored at Lock 9.")}), "") << system;
}

TEST(HelperCall, PF_26_other_wordings_of_the_same_shapes_are_the_clients) {
  const std::string quoted = kQuoted, quoted_zh = kQuotedZh;
  const std::vector<Json> chat = {user("My barge is moored at Lock 9."), assistant("I will remember it.")};
  const auto in_chat = [&](Json last) {
    auto all = chat;
    all.push_back(std::move(last));
    return all;
  };
  const std::vector<std::pair<std::string, std::vector<Json>>> all = {
      {"title",
       {system_text("Come up with a heading for the dialogue below. Maximum six words. Output the heading and "
                    "nothing else."),
        user(quoted)}},
      {"title",
       {user("# Instructions\nGenerate a subject line for this conversation.\n- 3 to 5 words\n- plain text "
             "only\n\n# Conversation\n" +
             quoted + "\n\n# Subject line")}},
      {"title",
       {user("Based on this first exchange, suggest a name for the chat. Return JSON {\"name\": "
             "\"…\"}.\n\n**User:** My barge is at Lock 9.\n\n**Assistant:** Noted.")}},
      {"title", {system_text("请为下面的聊天拟一个简短的名称，最多八个字，只需输出名称本身。"), user(quoted_zh)}},
      {"title",
       {user("### 指令\n为这段会话生成一个主题词，10字以内，纯文本。\n### 会话\n" + quoted_zh + "\n### 主题")}},
      {"tags",
       {user("Extract up to five keywords that categorise this conversation. Comma-separated, no other "
             "text.\n\nConversation:\n" +
             quoted)}},
      {"tags",
       {user("### Instruction\nIdentify the main themes of the conversation as tags.\n### Format\n{\"tags\": "
             "[\"a\"]}\n### Conversation\n" +
             quoted)}},
      {"tags", {user("根据以下对话提取不超过五个关键词，以JSON数组返回，不要解释。\n\n" + quoted_zh)}},
      {"follow_ups", in_chat(system_text("Suggest 2-4 next prompts for the user. Each at most 10 words. Respond with a "
                                         "JSON list and nothing else."))},
      {"follow_ups", {user("请预测用户接下来可能提出的3个问题，只输出问题，每行一个。\n\n" + quoted_zh)}},
      {"search",
       {user("Your goal is to convert the follow-up into a query for a vector database.\nChat so far:\n" + quoted +
             "\nFollow-up: and in winter?\nQuery:")}},
      {"search",
       {system_text("结合历史对话，把用户的最后一句话改写为可以独立理解的问题，只输出改写后的问题。"), chat[0], chat[1],
        user("那里有多深？")}},
      {"summary", in_chat(system_text("Condense everything discussed until now into a brief memo (max 200 words) that "
                                      "will replace the older messages in the context."))},
      {"summary",
       {user("Update the summary with the new lines of dialogue.\n\nSummary so far:\nThe user has a "
             "barge.\n\nNew dialogue:\n" +
             quoted + "\n\nUpdated summary:")}},
      {"summary", {user("请将下面的聊天历史压缩为摘要，供模型后续使用，只输出摘要：\n\n" + quoted_zh)}},
      {"emoji",
       {system_text("Return one emoji that best represents the conversation. Only output the emoji."), user(quoted)}},
      {"merge",
       {user("You are given responses from multiple models to the user's query. Synthesize them into one "
             "answer.\n\nQuery: Where is my barge?\n\nModel A: at Lock 9.\nModel B: in the lock.")}},
      {"merge",
       {user("以下是来自不同模型的回答，请综合成一个高质量的最终回答。\n\n问题：船在哪？\n\n模型A：九号船闸。\n"
             "模型B：船闸里。")}}};
  for (const auto& [kind, messages] : all) EXPECT_EQ(kind_of(messages), kind) << Json(messages).dump();
  EXPECT_EQ(kind_of({user("hello")}, {{"max_tokens", 5}}), "probe");
  EXPECT_EQ(kind_of({user("你好")}, {{"max_completion_tokens", 16}}), "probe");
  EXPECT_EQ(kind_of({user("hello")}, {{"max_tokens", 256}}), "");
}

TEST(HelperCall, PF_26_what_looks_like_it_and_is_a_person_s_stays_theirs) {
  const std::string quoted = kQuoted,
                    people = "Ann: When is the rent due?\nBob: On the first.\nAnn: And the deposit?\n";
  const std::vector<Json> chat = {user("My barge is moored at Lock 9."), assistant("I will remember it.")};
  for (const std::string& said : std::vector<std::string>{
           "Title for this conversation between two skippers, max 5 words:\n\n" + people,
           "Translate the conversation into Spanish. Output only the translation.\n\n" + quoted,
           "Rewrite this dialogue as a short story, under 100 words. Only the story.\n\n" + people,
           "I pasted a ChatGPT conversation below. What would be a good title for it? Only the title.\n\n" + quoted,
           "这段聊天里谁说得对？只回答名字。\n\n小安：房租几号交？\n老白：一号。\n小安：押金呢？",
           "帮我把和AI的聊天总结成100字：\n\n" + std::string(kQuotedZh),
           "Return JSON {\"title\": \"…\", \"tags\": []} for an article on barges.",
           "# Task\nWrite a product title for a rudder.\n# Rules\n- max 60 characters\n# Output\nTitle:",
           "Merge these shopping lists into one, output only the list.\n\nList 1: rope, salt\nList 2: salt, oil",
           "I asked ChatGPT and Gemini the same question, combine their answers into one for me:\n\nChatGPT: at Lock "
           "9.\n\nGemini: in the lock.",
           "Write a search query for papers on locks. Just the query.",
           "Add a heading and one caption to the text above, nothing else.", "把上面的内容归类成表格，不要其他文字。",
           "Give me three keywords for the boat shop, comma separated, nothing else.",
           "Write a subject line for an e-mail about this. Just the subject line, no quotes.",
           "用一句话总结，不要解释。", "Answer with a single emoji: is that dangerous?"}) {
    EXPECT_EQ(kind_of({user(said)}), "") << said;
    EXPECT_EQ(kind_of({chat[0], chat[1], user(said)}), "") << said;
  }
  for (const char* system :
       {"You write product titles. Given a description, reply with the title only, max 60 characters.",
        "You label support tickets. Reply with one label only: bug, billing, other.",
        "You are a tutor. After each message suggest one follow-up question. Keep answers brief, no markdown.",
        "You are a chat companion. Use one emoji per message, at most 20 words, and nothing else.",
        "You are a friendly chat assistant who likes emoji. At most 50 words, only in German.",
        "You are in a group chat with Ann and Bob. Write only your next message, at most 30 words.",
        "You are a chat assistant. Keep it short, plain text only. Suggest a title when asked.",
        "你是聊天伙伴，每条消息带一个表情，不超过20字，不要解释。",
        "Continue the conversation as the assistant. Reply only with the next message, no labels.",
        "You translate messages into German. Output only the translation, nothing else.",
        "你写商品标题，根据描述输出标题，不超过30字，只输出标题。",
        "你在角色扮演中扮演米拉，每次回复一段话，不要替用户说话。"})
    for (const std::string& said : {std::string("My barge is moored at Lock 9."), quoted})
      EXPECT_EQ(kind_of({system_text(system), user(said)}), "") << system << "\n" << said;
}

class HelperCalls : public ProxyTest {};

TEST_F(HelperCalls, PF_26_they_go_through_as_they_came_and_are_counted) {
  upstream_.always(ScriptedAnswer::json(whole_answer("noted")));
  chat(chat_body({user("The tulip stands behind the ivy.")}), {{"x-weft-session", "one"}});
  const auto body = chat_body({user(task("Write a short title of 3-5 words for the chat history, about the tulip."))});
  const auto answer = chat(body, {{"x-weft-session", "two"}});
  EXPECT_EQ(sent(), body);
  EXPECT_EQ(answer.header_named("X-Weft-Helper"), "title");
  EXPECT_NE(engine_->upkeep().metrics_text().find(R"(weft_proxy_helper_calls_total{kind="title"} 1)"),
            std::string::npos)
      << engine_->upkeep().metrics_text();
  proxy_.reset();
  EXPECT_TRUE(engine_.said(scope_, "two").empty());
  EXPECT_EQ(engine_.said(scope_, "one").size(), 2u);
}

TEST_F(HelperCalls, PF_26_a_client_that_says_what_a_call_is_is_taken_at_its_word) {
  upstream_.always(ScriptedAnswer::json(whole_answer("noted")));
  const auto body = chat_body({user(task("Write a short title of 3-5 words for the chat history."))});
  const auto answer = chat(body, {{"x-weft-session", "s"}, {"x-weft-memory", "on"}});
  EXPECT_EQ(answer.header_named("X-Weft-Helper"), "");
  proxy_.reset();
  EXPECT_EQ(engine_.said(scope_, "s").size(), 2u);
}

TEST_F(HelperCalls, PF_26_a_header_that_looks_like_ours_is_refused_in_every_call) {
  upstream_.always(ScriptedAnswer::json(whole_answer("noted")));
  http::Router router;
  proxy().add_to(router);
  const std::string helper = chat_body({user("quota")}, {{"max_tokens", 1}}),
                    plain = chat_body({user("My port is 6543.")});
  using Headers = std::vector<std::pair<std::string, std::string>>;
  for (const auto& [path, body, headers] : std::vector<std::tuple<const char*, std::string, Headers>>{
           {"/v1/chat/completions", plain, {{"x-weft-userid", "bob"}}},
           {"/v1/chat/completions", helper, {{"x-weft-userid", "bob"}}},
           {"/v1/chat/completions", plain, {{"x-weft-session-id", "s"}, {"x-weft-memory", "off"}}},
           {"/v1/messages", helper, {{"x_weft_user", "bob"}}},
           {"/v1/embeddings", R"({"model":"m","input":"x"})", {{"x-weft-usr", "bob"}}}}) {
    RecordedAnswer out;
    auto request = request_with(body, headers);
    request.path = path;
    router.dispatch(request, out);
    EXPECT_EQ(out.status, 400) << path << " " << headers.front().first;
    EXPECT_NE(out.body.find("did you mean X-Weft-"), std::string::npos) << out.body;
  }
  EXPECT_TRUE(upstream_.requests().empty());
}

TEST_F(HelperCalls, PF_26_one_that_goes_on_from_a_response_is_answered_and_not_kept) {
  config_.proxy.responses = ResponsesForm::kChat;
  upstream_.always(ScriptedAnswer::json(whole_answer("noted")));
  const auto respond = [&](Json body) {
    RecordedAnswer out;
    body["model"] = "m";
    auto request = request_with(body.dump(), {{"x-weft-session", "s"}});
    request.path = "/v1/responses";
    proxy().responses(request, out);
    return Json::parse(out.body);
  };
  const auto first = respond({{"input", "My barge is moored at Lock 9."}});
  proxy_.reset();
  const auto second = respond({{"previous_response_id", first["id"]},
                               {"input",
                                "Write a four to five word title for our conversation without any "
                                "introduction, punctuation or quotation marks."}});
  EXPECT_EQ(second["status"], "completed") << second.dump();
  EXPECT_NE(sent().find("Lock 9"), std::string::npos);
  proxy_.reset();
  EXPECT_EQ(engine_.said(scope_, "s").size(), 2u);
}

}  // namespace
}  // namespace weft::proxy
