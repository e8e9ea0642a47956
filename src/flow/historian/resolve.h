#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flow/historian/absolutise.h"
#include "flow/historian/antecedents.h"
#include "text/analysis.h"

namespace weft {

/// Whom "they", "them" and "their" mean in an English text: the people who were named together, whoever acts through
/// people, or one of whom it is not said whether he or she. Nothing where two fit about equally or where things may be
/// meant. `not_these`: who talks. `plural` of what is returned says whether several are meant.
std::optional<Mention> who_are_they(TextAnalysis& analysis, const Antecedents& antecedents, const Reference& reference,
                                    const std::vector<std::string>& not_these);

/// Who wrote a short message and to whom, as the message itself says it at its beginning: 发给李雷：韩梅梅：…,
/// 来自李雷：…. All empty where it says nothing.
struct MessageLabel {
  std::string partner;  ///< who is written to or has written
  std::string speaker;  ///< who wrote it; empty: not said
  std::string hearer;   ///< who is written to; empty: not said
};

/// Reads at most the names at the beginning.
MessageLabel message_label(std::string_view text);

/// The earlier messages that belong to the talk of a text, oldest first: where short messages say who writes to whom,
/// those with the same partner.
std::vector<EarlierMessage> same_talk(const std::vector<EarlierMessage>& earlier, const MessageLabel& label);

/// Who speaks a text and to whom: as its label says, else those two.
Voices voices_of(std::string_view text, const std::string& speaker, const std::string& hearer);

/// What a word of a text means in its circumstances.
struct Resolution {
  std::size_t begin = 0, end = 0;  ///< bytes of the text
  ChangeKind kind = ChangeKind::kPerson;
  Reference reference;             ///< of persons, things and places
  std::vector<std::string> meant;  ///< one: that is certain; several: one of these
  bool plural = false;             ///< several are meant at once

  bool sure() const { return meant.size() == 1; }
};

/// Who or what the pronouns and relative places of a text mean: its speaker and hearer, those whom the text or the
/// messages before it name, by gender, number and nearness. A word of whose meaning nothing can be said has no
/// resolution. In the order of the text.
std::vector<Resolution> resolve_references(TextAnalysis& analysis, const Speech& speech);

/// The times that are seen from the moment of speaking, with what they mean. In the order of the text.
std::vector<Resolution> resolve_times(TextAnalysis& analysis);

}  // namespace weft
