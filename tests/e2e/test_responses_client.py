"""OpenAI's official client for Python against a real `weft serve`, by the Responses API: before a server that speaks it,
whose calls go through as they are, and before one of chat completions, for which they are translated (PF-10, IC-10)."""

import json
import re
import time
import unittest
import urllib.request

from behind_model import BehindModel
from scripted_openai import ScriptedOpenAI
from scripted_responses import ScriptedResponses
from weft_server import WeftServer, skip

try:
    import openai
except ImportError:
    skip("the openai package is not installed (make setup-tests)")

TOOLS = [{"type": "function", "name": "get_weather", "description": "the weather of a city", "strict": False,
          "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}]
PICTURE = {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo=", "detail": "auto"}
# A fact, what is asked of it, and the word that answers.
TALKS = (("ann", "My violin teacher is called Marguerite.", "Who is my violin teacher?", "Marguerite"),
         ("小明", "我的小提琴老师叫林秋月。", "我的小提琴老师是谁？", "林秋月"))


class Both(BehindModel):
    """What holds whatever form the model's server has."""

    def client(self, user, session=None):
        headers = {"X-Weft-User": urllib.request.quote(user), **({"X-Weft-Session": session} if session else {})}
        return openai.OpenAI(base_url=self.server.url + "/v1", api_key="client-key", max_retries=0,
                             default_headers=headers)

    def ask(self, client, given, **more):
        return client.responses.create(model="scripted", input=given, **more)

    def stream(self, client, given, **more):
        with client.responses.stream(model="scripted", input=given, **more) as stream:
            kinds = [event.type for event in stream]
            return stream.get_final_response(), kinds

    def call(self, method, path, user, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.server.url + path, data=data, method=method, headers={
            "Content-Type": "application/json", "X-Weft-User": urllib.request.quote(user)})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def said(self, user, session, count):
        """What is kept of a session, as (role, text): answers are taken in behind the client's back, so `count`
        messages are waited for; and a little longer, since there must be no more."""
        end = time.time() + 20
        while time.time() < end:
            messages = self.call("GET", "/v1/sessions/%s/messages" % session, user)["messages"]
            said = [(one["role"], one.get("content") or "") for one in messages if one["role"] != "system"]
            if len(said) >= count:
                break
            time.sleep(0.05)
        time.sleep(0.2)
        messages = self.call("GET", "/v1/sessions/%s/messages" % session, user)["messages"]
        return [(one["role"], one.get("content") or "") for one in messages if one["role"] != "system"]

    def session_of(self, client, given, **more):
        raw = client.responses.with_raw_response.create(model="scripted", input=given, **more)
        return raw.headers["X-Weft-Session"], raw.parse()

    def test_whole_answers(self):
        answer = self.ask(self.client("whole"), "hello", instructions="Be brief.", temperature=0.5,
                          metadata={"topic": "demo"})
        self.assertEqual((answer.status, answer.output_text), ("completed", "You said: hello"))
        self.assertGreater(answer.usage.total_tokens, 0)
        self.assertEqual(self.model.seen[-1][1]["temperature"], 0.5)

    def test_streamed_answers(self):
        answer, kinds = self.stream(self.client("streamed"), "你好，世界")
        self.assertEqual(answer.output_text, "You said: 你好，世界")
        self.assertEqual((kinds[0], kinds[-1]), ("response.created", "response.completed"))
        self.assertIn("response.output_text.delta", kinds)

    def test_tools_go_round(self):
        for streamed in (False, True):
            for language in ("What is the weather?", "今天天气怎么样 (weather)？"):
                client = self.client("tools")
                ask = (lambda *a, **b: self.stream(*a, **b)[0]) if streamed else self.ask
                history = [{"role": "user", "content": language + (" again" if streamed else "")}]
                answer = ask(client, history, tools=TOOLS)
                call = [item for item in answer.output if item.type == "function_call"][0]
                self.assertEqual((call.name, json.loads(call.arguments)), ("get_weather", {"city": "杭州"}))
                history += [item.model_dump(exclude_none=True, exclude={"parsed_arguments"}) for item in answer.output]
                history.append({"type": "function_call_output", "call_id": call.call_id, "output": "晴，24°C"})
                session, answer = self.session_of(client, history, tools=TOOLS)
                self.assertTrue(answer.output_text.startswith("The tool says: 晴，24°C"), answer.output_text)
                said = self.said("tools", session, 4)
                self.assertEqual([role for role, _ in said], ["user", "assistant", "tool", "assistant"])
                self.assertEqual(said[2], ("tool", "晴，24°C"))

    def test_a_history_that_comes_again_is_remembered_once(self):
        client = self.client("again")
        history = []
        for text in ("I planted lavender.", "And rosemary.", "And thyme."):
            history.append({"role": "user", "content": text})
            session, answer = self.session_of(client, history)
            history += [item.model_dump(exclude_none=True) for item in answer.output]
        said = self.said("again", session, 6)
        self.assertEqual([role for role, _ in said], ["user", "assistant"] * 3)
        self.assertEqual([text for role, text in said if role == "user"],
                         ["I planted lavender.", "And rosemary.", "And thyme."])

    def test_a_chain_is_remembered_whole_also_over_a_restart(self):
        for user, first, second in (("chain", "I planted lavender.", "What did I plant?"),
                                    ("链", "我种了薰衣草。", "我种了什么？")):
            session, answer = self.session_of(self.client(user), first)
            self.server.restart()
            again, other = self.session_of(self.client(user), second, previous_response_id=answer.id)
            self.assertEqual(again, session)
            third = self.ask(self.client(user), "Thanks.", previous_response_id=other.id)
            self.assertEqual(third.previous_response_id, other.id)
            self.assertEqual(self.said(user, session, 6),
                             [("user", first), ("assistant", "You said: " + first), ("user", second),
                              ("assistant", "You said: " + second), ("user", "Thanks."),
                              ("assistant", "You said: Thanks.")])
            self.assertIn(first, self.read())

    def test_two_calls_may_go_on_from_one(self):
        client = self.client("fork")
        first, answer = self.session_of(client, "We look for a name for the boat.")
        left, one = self.session_of(client, "Something with birds.", previous_response_id=answer.id)
        right, two = self.session_of(client, "Something with stars.", previous_response_id=answer.id)
        _, more = self.session_of(client, "Shorter.", previous_response_id=one.id)

        def history():  # memories may come from any conversation
            return re.sub(r"<memory>.*?</memory>", "", self.read(), flags=re.S)

        self.assertIn("Something with birds.", history())
        self.assertNotIn("Something with stars.", history())
        self.ask(client, "Longer.", previous_response_id=two.id)
        self.assertIn("Something with stars.", history())
        self.assertNotIn("Something with birds.", history())

    def test_what_one_conversation_said_another_hears(self):
        for user, fact, question, mark in TALKS:
            first = self.ask(self.client(user, "first"), fact)
            self.assertTrue(first.output_text)
            self.ask(self.client(user, "second"), question, instructions="Be brief.")
            self.assertIn(mark, self.read())
            self.assertIn(question, self.read())
            self.ask(self.client("stranger", "third"), question)
            self.assertNotIn(mark, self.read())

    def test_save_is_answered_without_the_model(self):
        client = self.client("saver", "s")
        first = self.ask(client, "Remember the milk.")
        calls = len(self.model.seen)
        saved = self.ask(client, "/save", previous_response_id=first.id)
        self.assertIn("Saved", saved.output_text)
        self.assertEqual(len(self.model.seen), calls)
        self.assertTrue(self.ask(client, "Thanks.", previous_response_id=saved.id).output_text)

    def test_a_stream_that_is_left_is_not_remembered(self):
        client = self.client("leaver", "left")
        self.model.left.clear()
        stream = client.responses.create(model="scripted", input="slowly please", stream=True)
        for event in stream:
            if event.type == "response.output_text.delta":
                break
        stream.close()
        self.assertTrue(self.model.left.wait(20))
        self.assertEqual(self.said("leaver", "left", 1), [("user", "slowly please")])

    def test_a_broken_model_is_an_error_and_not_remembered(self):
        client = self.client("broken", "broken")
        kinds = []
        try:
            for event in client.responses.create(model="scripted", input="break off", stream=True):
                kinds.append(event.type)
            self.assertEqual(kinds[-1], "response.failed")
        except openai.APIError as error:
            self.assertIn("closed the stream", str(error))
        self.assertNotIn("response.completed", kinds)
        self.assertEqual(self.said("broken", "broken", 1), [("user", "break off")])

    def test_whose_memory_is_meant_must_be_clear(self):
        with self.assertRaises(openai.BadRequestError):
            self.ask(self.client("\0"), "hello")
        with self.assertRaises(openai.BadRequestError):
            self.ask(self.client("names"), "hello", metadata={"weft_grup": "x"})
        with self.assertRaises(openai.BadRequestError):
            self.ask(self.client("unknown"), "hello", previous_response_id="resp_unknown")


class ResponsesServer(Both, unittest.TestCase):
    Model = ScriptedResponses

    def read(self):
        return "\n".join(self.model.contexts[-1])

    def test_a_call_goes_through_as_it_came(self):
        given = [{"role": "developer", "content": "Name birds only."},
                 {"role": "user", "content": [PICTURE, {"type": "input_text", "text": "What is this?"}]}]
        tools = [{"type": "web_search"}, *TOOLS]
        self.ask(self.client("plain"), given, instructions="Be brief.", tools=tools, include=["reasoning.encrypted_content"],
                 extra_body={"odd": 0.70})
        headers, body = self.model.seen[-1]
        self.assertEqual((body["input"], body["instructions"], body["tools"]), (given, "Be brief.", tools))
        self.assertEqual((body["include"], body["odd"]), (["reasoning.encrypted_content"], 0.70))
        headers = {name.lower(): value for name, value in headers.items()}
        self.assertEqual(headers["authorization"], "Bearer client-key")
        self.assertNotIn("x-weft-user", headers)

    def test_of_a_chain_only_what_is_new_is_sent_and_its_beginning_stays(self):
        client = self.client("prefix")
        answer = self.ask(client, "My aunt Ida repairs clocks.", instructions="Be brief.")
        before = []
        for text in ("What does Ida do?", "And where?"):
            answer = self.ask(client, text, previous_response_id=answer.id, instructions="Be brief.")
            body, context = self.model.seen[-1][1], self.model.contexts[-1]
            self.assertIn(text, json.dumps(body["input"]))
            self.assertNotIn("repairs clocks", json.dumps(body["input"]))
            self.assertEqual(context[:len(before)], before)
            before = context

    def test_conversations_that_the_server_keeps(self):
        client = self.client("talk")
        conversation = client.conversations.create()
        for text in ("I sail on Sundays.", "When do I sail?"):
            session, _ = self.session_of(client, text, conversation=conversation.id)
            self.assertEqual(session, conversation.id)
        self.assertEqual([text for role, text in self.said("talk", conversation.id, 4) if role == "user"],
                         ["I sail on Sundays.", "When do I sail?"])

    def test_what_the_server_keeps_is_reached_through_us(self):
        client = self.client("kept")
        answer = self.ask(client, "hello")
        self.assertEqual(client.responses.retrieve(answer.id, include=["reasoning.encrypted_content"]).output_text,
                         "You said: hello")
        self.assertTrue(self.model.paths[-1].startswith("GET /v1/responses/%s?include" % answer.id), self.model.paths[-1])
        self.assertEqual(len(client.responses.input_items.list(answer.id).data), 1)
        self.assertEqual(client.responses.cancel(answer.id).status, "cancelled")
        client.responses.delete(answer.id)
        self.assertEqual(self.model.paths[-1], "DELETE /v1/responses/" + answer.id)
        with self.assertRaises(openai.NotFoundError):
            client.responses.retrieve(answer.id)

    def test_an_answer_made_in_the_background_is_remembered_when_it_is_there(self):
        client = self.client("later", "later")
        answer = self.ask(client, "Think about it.", background=True)
        self.assertEqual(answer.status, "queued")
        self.assertEqual(self.said("later", "later", 1), [("user", "Think about it.")])
        self.assertEqual(client.responses.retrieve(answer.id).status, "completed")
        self.ask(client, "And?", previous_response_id=answer.id)
        self.assertEqual([role for role, _ in self.said("later", "later", 4)], ["user", "assistant"] * 2)

    def test_errors_of_the_server_come_through(self):
        with self.assertRaises(openai.NotFoundError) as caught:
            self.client("missing").responses.create(model="missing", input="hi")
        self.assertEqual(caught.exception.code, "model_not_found")

    def test_a_dead_server_is_told(self):
        server = WeftServer("http://127.0.0.1:9/v1")
        self.addCleanup(server.__exit__)
        client = openai.OpenAI(base_url=server.url + "/v1", api_key="k", max_retries=0)
        with self.assertRaises(openai.APIStatusError) as caught:
            self.ask(client, "hi")
        self.assertEqual(caught.exception.status_code, 502)


class ChatServer(Both, unittest.TestCase):
    """`proxy.responses` is 'auto': the first call finds out that this server has no /responses."""

    Model = ScriptedOpenAI

    def read(self):
        return json.dumps(self.model.seen[-1][1], ensure_ascii=False)

    def test_a_call_is_translated(self):
        given = [{"role": "user", "content": [PICTURE, {"type": "input_text", "text": "And this?"}]}]
        self.ask(self.client("translated"), given, instructions="Be brief.", tools=TOOLS, tool_choice="required",
                 max_output_tokens=500, text={"format": {"type": "json_object"}}, reasoning={"effort": "low"})
        headers, body = self.model.seen[-1]
        self.assertEqual(body["messages"][0], {"role": "system", "content": "Be brief."})
        self.assertEqual(body["messages"][-1]["content"][0]["image_url"]["url"], PICTURE["image_url"])
        self.assertEqual((body["max_tokens"], body["tool_choice"], body["reasoning_effort"]), (500, "required", "low"))
        self.assertEqual(body["response_format"], {"type": "json_object"})
        self.assertEqual(body["tools"][0]["function"]["parameters"], TOOLS[0]["parameters"])
        headers = {name.lower(): value for name, value in headers.items()}
        self.assertEqual(headers["authorization"], "Bearer client-key")

    def test_what_cannot_be_translated_is_refused_by_name(self):
        client = self.client("refused")
        for more, name in (({"background": True, "store": False}, "store"), ({"conversation": "conv_1"}, "conversation")):
            with self.assertRaises(openai.BadRequestError) as caught:
                self.ask(client, "hi", **more)
            self.assertIn(name, str(caught.exception))

    def test_IC_10_tools_that_run_at_the_server_are_left_out_and_told(self):
        raw = self.client("left-out").responses.with_raw_response.create(
            model="scripted", input="hi", tools=[{"type": "web_search"}, *TOOLS])
        self.assertEqual(raw.headers["X-Weft-Left-Out"], "web_search")
        self.assertEqual(raw.parse().output_text, "You said: hi")
        self.assertEqual([one["function"]["name"] for one in self.model.seen[-1][1]["tools"]], ["get_weather"])

    def test_an_answer_made_in_the_background_is_kept(self):
        client = self.client("later", "later")
        begun = self.ask(client, "Think about it.", background=True)
        self.assertEqual((begun.status, begun.background), ("queued", True))
        while True:
            answer = client.responses.retrieve(begun.id)
            if answer.status not in ("queued", "in_progress"):
                break
            time.sleep(0.02)
        self.assertEqual((answer.status, answer.output_text), ("completed", "You said: Think about it."))
        self.assertEqual(client.responses.cancel(begun.id).status, "completed")
        self.ask(client, "And?", previous_response_id=answer.id)
        self.assertEqual([role for role, _ in self.said("later", "later", 4)], ["user", "assistant"] * 2)
        client.responses.delete(answer.id)
        with self.assertRaises(openai.NotFoundError):
            client.responses.retrieve(answer.id)

    def test_an_answer_that_was_waited_for_is_kept_too(self):
        client = self.client("kept")
        answer = self.ask(client, "hello")
        self.assertEqual(client.responses.retrieve(answer.id).output_text, answer.output_text)
        streamed, _ = self.stream(client, "hello again")
        self.assertEqual(client.responses.retrieve(streamed.id).output_text, "You said: hello again")
        with self.assertRaises(openai.BadRequestError):
            client.responses.cancel(answer.id)

    def test_errors_of_the_server_come_through(self):
        with self.assertRaises(openai.RateLimitError) as caught:
            self.ask(self.client("errors"), "fail with 429")
        self.assertEqual(caught.exception.code, "scripted_429")


if __name__ == "__main__":
    unittest.main()
