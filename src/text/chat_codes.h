#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weft {

/// What chat programs write into messages for what is no text: codes of bridges ([CQ:at,qq=1], [mirai:at:1]),
/// mentions by id (<@123>, <@!123>, <#123>), elements (<at id="1"/>, <quote>…</quote>), placeholders ([图片],
/// [sticker]), and replies that repeat what somebody else said ([回复 小王：…]). Their signs may be written as entities
/// (&#91;图片&#93;, &lt;@123&gt;). Placeholders: lexicon/*/chat_codes.txt. Linear; safe from any thread.

/// A code of a text.
struct ChatCode {
  std::size_t size = 0;  ///< bytes; 0: none begins there
  bool person = false;  ///< stands for somebody in the sentence: a mention
};

/// The code that begins at a byte of the text.
ChatCode chat_code_at(std::string_view text, std::size_t at);

/// The text without codes and the blanks around them; other bytes stay as they are. Where CQ codes or codes in entities
/// show that the program escapes, other entities become their signs.
std::string without_chat_codes(std::string_view text);

/// A sentence without what stands before and behind its words: codes, mentions (@bot), emoji, and a call of who is
/// spoken to ("Hey bot,"). A view into it.
std::string_view without_address(std::string_view sentence);

}  // namespace weft
