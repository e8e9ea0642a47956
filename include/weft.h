/// Weft for programs in C, and in every language that calls C. Text in and out is UTF-8 and JSON, in the words of the
/// HTTP interface (`weft help http`, /openapi.json): whatever a path takes and gives, these functions take and give.
///
/// All functions may be called from any thread. What is handed out is freed with `weft_free`; nothing that is handed in
/// is kept. Errors are answers like others: {"error":{"code","message","hint"}}.
#ifndef WEFT_C_H
#define WEFT_C_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define WEFT_C_EXPORT __attribute__((visibility("default")))
#else
#define WEFT_C_EXPORT
#endif

typedef struct weft_engine weft_engine;

/// The library's version, such as "0.1.0". Not to be freed.
WEFT_C_EXPORT const char* weft_version(void);

/// Opens or makes a workspace, which nobody else may hold. `settings` is a JSON object of settings by their keys
/// ({"recall.auto_top": 5}), or NULL. NULL where it fails; then `*error`, if asked for, is the error's JSON.
WEFT_C_EXPORT weft_engine* weft_open(const char* workspace, const char* settings, char** error);

/// Waits for calls in work, writes what is open and ends. Not while another thread still calls. NULL does nothing.
WEFT_C_EXPORT void weft_close(weft_engine* engine);

/// Any operation of the HTTP interface: `method` and `path` as there ("POST", "/v1/search?limit=3"), `body` its JSON or
/// NULL. `user` and `group` say whose memory is meant; both may be NULL. `*status`, if asked for, is what HTTP would
/// answer with (200, 404). Never NULL but when memory is out.
WEFT_C_EXPORT char* weft_call(weft_engine* engine, const char* method, const char* path, const char* user,
                              const char* group, const char* body, int* status);

/// Takes messages into a session: one, an array, or {"messages":[…]}, in the form of OpenAI or Anthropic.
WEFT_C_EXPORT char* weft_observe(weft_engine* engine, const char* user, const char* session, const char* messages);

/// Weaves the prompt of the next model call: {"input":"…"} and what else POST /v1/sessions/{id}/context takes.
WEFT_C_EXPORT char* weft_context(weft_engine* engine, const char* user, const char* session, const char* request);

/// Ends an agent's turn: what it did and what it learnt, as POST /v1/sessions/{id}/end takes it.
WEFT_C_EXPORT char* weft_end(weft_engine* engine, const char* user, const char* session, const char* report);

/// Searches the memory: {"query":"…"} and what else POST /v1/search takes.
WEFT_C_EXPORT char* weft_search(weft_engine* engine, const char* user, const char* request);

/// Frees what a function above has handed out. NULL does nothing.
WEFT_C_EXPORT void weft_free(char* text);

#ifdef __cplusplus
}
#endif

#endif
