#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flow/memory/fact_signs.h"
#include "flow/memory/said_facts.h"
#include "flow/memory/wish_meaning.h"
#include "text/weight_file.h"
#include "text/words.h"

namespace weft {

/// The heading of a note in Chinese: its first line, where that is short and no sentence, nobody speaks of themselves
/// in it, no grammar reads anything in it, and the next line asks nothing and is no second entry of a form. Empty where
/// there is none. A view into the message. Safe from any thread.
std::string_view note_heading(std::string_view message);

/// A logistic curve over a sentence's centred vector and its signs, which weigh differently in each language. Fitted by
/// tools/fit/facts.py.
struct FactWeights {
  /// What of a language is its own.
  struct OfLanguage {
    double bias = 0;
    double limit = 0;  ///< log-odds from which on a sentence is kept
    FactSigns signs{};
  };
  std::string embedder;  ///< the model's family: embedders whose name holds it
  std::array<OfLanguage, 2> languages;  ///< by Language
  std::vector<float> vector;
};

/// Those of weights/facts.json; null where they are another embedder's: then grammar alone decides.
const FactWeights* fact_weights(std::string_view embedder);

/// What the file holds.
FactWeights read_fact_weights(const WeightFile& file);

/// The log-odds that a sentence states something of its speaker, or of their people, that matters in months.
double fact_logit(const FactWeights& weights, Language language, const FactSigns& signs,
                  std::span<const float> centred);

/// The sentences of a message that may state something and are no mere courtesy; the heading of a note is none of them.
std::vector<FactSentence> fact_sentences(std::string_view message);

/// What is judged of a sentence: all of it and, of a Chinese question, what is told before it unless that is a need:
/// 我想找一家酒店，有推荐吗？
std::vector<std::string_view> judged_parts(std::string_view sentence);

/// Whether a message speaks of its speaker or of people at all. Cheap: for what is to be read at once.
bool may_tell_of_people(std::string_view message);

/// A sentence as it is kept where no grammar reads it: what it tells, in the third person, and who said it where it
/// does not name them; one of a note behind the note's heading, which tells what it is about.
std::string told_sentence(const FactSentence& sentence, const std::string& subject);

/// Facts of a message by the meaning of its sentences, beside those that the grammar has `found`. A likely sentence is
/// kept whole where those found of it leave much of it out; what it says is then not kept in pieces as well. Of an
/// unlikely one those lose their text that only the class of a verb spoke for. A sentence is as likely as the
/// likeliest of its parts. What the grammar of profiles reads, and
/// wishes, stay as they are. `subject` as for `read_said`; sentences without a vector are left to the grammar.
std::vector<SaidFact> judge_facts(std::string_view message, const std::string& subject, const FactWeights& weights,
                                  const SentenceVector& vector_of, std::vector<SaidFact>& found);

}  // namespace weft
