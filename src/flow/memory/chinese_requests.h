#pragma once

#include <string_view>
#include <vector>

namespace weft {

/// What Chinese sentences ask of the one who answers, which tells nothing of who asks. By grammar: lexicon/zh/requests.
/// Cheap; safe from any thread.

/// The clauses of a sentence, as views into it, without marks and blanks around them.
std::vector<std::string_view> chinese_clauses(std::string_view sentence);

/// Whether a sentence has words of a need: 帮我, 能不能, 推荐. It may tell something besides.
bool says_need(std::string_view sentence);

/// Whether a clause tells the one who answers to do something, 帮我写…, 请把…, or names what is wanted of them, 我想订
/// 一家…, 我需要知道…, 我想让它长一点. What was done for somebody, 帮我妈搬了家, and what is looked for in a life,
/// 在找一份工作, is neither.
bool asks_hearer(std::string_view clause);

/// Whether a sentence is nothing but such clauses, courtesies, questions and what it says of the things asked for; not
/// where a clause beside them speaks of the speaker or of people: 我妈对花生过敏，帮我找一家餐馆.
bool is_request(std::string_view sentence);

}  // namespace weft
