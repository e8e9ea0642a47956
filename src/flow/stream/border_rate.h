#pragma once

#include <cstdint>

namespace weft {

/// How often one conversation changes its subject, by the judgements on its turns so far.
///
/// The trees know how often topics begin in what they were fitted on. Some conversations keep to one subject for
/// hundreds of turns, and there the same evidence says less. The rate is that of the fit, which weighs as so many
/// turns, and the probabilities that were found since, each already by the rate that held when it was found
/// (expectation and maximisation for another share of classes, one step a turn: Saerens, Latinne and Decaestecker,
/// "Adjusting the outputs of a classifier to new a priori probabilities", 2002). It looks back on a bounded number of
/// turns, so that what is added has a floor and a conversation that was quiet for long still changes its subject.
///
/// A value; whoever holds it sees to threads.
struct BorderRate {
  double expected = 0;  ///< topics that began, as a sum of probabilities
  double turns = 0;     ///< that were judged

  /// What the conversation adds to the logit of its next turn.
  double shift() const;

  /// A turn was judged; `logit` is what the trees say.
  void take(double logit);
};

}  // namespace weft
