#pragma once

namespace weft {

class Adaptation;
class Agents;
class Answers;
class Diaries;
class Ends;
class Eraser;
class Knowledge;
class LoreBook;
class Operations;
class Profiles;
class Prompts;
class Quests;
class Reflections;
class Researches;
class Rules;
class ScopeFollower;
class Searcher;
class SessionCompactions;
class Skills;
class States;
class Streams;
class Tasks;
class UsageLedger;
class Watcher;

/// The services that the public interface (weft/facets/) and the tools of runs call. The engine sets all of them before
/// its first call. Each is safe from any thread.
struct Services {
  Streams* streams = nullptr;
  Ends* ends = nullptr;
  Prompts* prompts = nullptr;
  Tasks* tasks = nullptr;
  SessionCompactions* compactions = nullptr;
  Searcher* search = nullptr;
  Eraser* erasure = nullptr;
  Profiles* profiles = nullptr;
  States* states = nullptr;
  Quests* quests = nullptr;
  LoreBook* lore = nullptr;
  Operations* operations = nullptr;
  Knowledge* knowledge = nullptr;
  Diaries* days = nullptr;
  Rules* rules = nullptr;
  Agents* agents = nullptr;
  Reflections* hindsight = nullptr;
  Skills* skills = nullptr;
  Adaptation* beliefs = nullptr;
  Answers* questions = nullptr;
  Watcher* watch = nullptr;
  Researches* research = nullptr;
  UsageLedger* usage = nullptr;
  ScopeFollower* follower = nullptr;  ///< asked before each call of the others
};

}  // namespace weft
