#include "flow/historian/people_words.h"

#include <unordered_set>

namespace weft {
namespace {

using Words = std::unordered_set<std::string_view>;

}  // namespace

const std::unordered_map<std::string_view, Gender>& relatives() {
  constexpr auto kF = Gender::kFemale;
  constexpr auto kM = Gender::kMale;
  constexpr auto kU = Gender::kUnknown;
  static const std::unordered_map<std::string_view, Gender> words = {
      {"mom", kF},        {"mother", kF},    {"mum", kF},         {"sister", kF},    {"daughter", kF},
      {"wife", kF},       {"aunt", kF},      {"niece", kF},       {"grandma", kF},   {"grandmother", kF},
      {"girlfriend", kF}, {"girl", kF},      {"woman", kF},       {"lady", kF},      {"dad", kM},
      {"father", kM},     {"brother", kM},   {"son", kM},         {"husband", kM},   {"uncle", kM},
      {"nephew", kM},     {"grandpa", kM},   {"grandfather", kM}, {"boyfriend", kM}, {"boy", kM},
      {"man", kM},        {"guy", kM},       {"gentleman", kM},   {"friend", kU},    {"cousin", kU},
      {"boss", kU},       {"partner", kU},   {"colleague", kU},   {"teacher", kU},   {"doctor", kU},
      {"neighbor", kU},   {"neighbour", kU}, {"coach", kU},       {"manager", kU},   {"mentor", kU},
      {"child", kU},      {"baby", kU},      {"customer", kU},    {"client", kU},    {"student", kU},
      {"roommate", kU},   {"therapist", kU}, {"professor", kU},   {"director", kU}};
  return words;
}

bool is_role(std::string_view word) {
  static const Words words = {
      "author",       "writer",       "singer",      "artist",        "musician",     "painter",
      "photographer", "instructor",   "trainer",     "tutor",         "lecturer",     "researcher",
      "scientist",    "engineer",     "developer",   "designer",      "lawyer",       "attorney",
      "judge",        "nurse",        "dentist",     "surgeon",       "physician",    "pediatrician",
      "psychologist", "counselor",    "counsellor",  "advisor",       "adviser",      "accountant",
      "agent",        "broker",       "landlord",    "mechanic",      "plumber",      "electrician",
      "carpenter",    "builder",      "contractor",  "gardener",      "chef",         "cook",
      "bartender",    "baker",        "driver",      "pilot",         "officer",      "soldier",
      "captain",      "president",    "minister",    "mayor",         "pastor",       "priest",
      "librarian",    "editor",       "reporter",    "journalist",    "host",         "guide",
      "owner",        "founder",      "leader",      "supervisor",    "employee",     "employer",
      "worker",       "coworker",     "teammate",    "classmate",     "flatmate",     "housemate",
      "assistant",    "secretary",    "intern",      "candidate",     "patient",      "kid",
      "teenager",     "buddy",        "pal",         "stranger",      "hero",         "protagonist",
      "winner",       "player",       "dancer",      "athlete",       "runner",       "swimmer",
      "user",         "volunteer",    "expert",      "professional",  "merchant",     "farmer",
      "tenant",       "seller",       "buyer",       "vendor",        "visitor",      "traveler",
      "traveller",    "tourist",      "learner",     "reader",        "speaker",      "listener",
      "viewer",       "member",       "fan",         "follower",      "sibling",      "grandchild",
      "relative",     "composer",     "poet",        "novelist",      "comedian",     "magician",
      "drummer",      "guitarist",    "pianist",     "rapper",        "inventor",     "explorer",
      "philosopher",  "historian",    "astronaut",   "consultant",    "recruiter",    "veterinarian",
      "vet",          "groomer",      "barber",      "stylist",       "commissioner", "secretary",
      "chairman",     "chairwoman",   "chair",       "spokesman",     "spokeswoman",  "representative",
      "delegate",     "senator",      "congressman", "governor",      "councillor",   "councilor",
      "ambassador",   "diplomat",     "inspector",   "sergeant",      "policeman",    "policewoman",
      "firefighter",  "fireman",      "paramedic",   "midwife",       "pharmacist",   "optician",
      "specialist",   "technician",   "programmer",  "analyst",       "architect",    "surveyor",
      "banker",       "cashier",      "clerk",       "salesman",      "saleswoman",   "saleslady",
      "salesperson",  "receptionist", "waiter",      "waitress",      "barista",      "butcher",
      "fisherman",    "shepherd",     "tailor",      "seamstress",    "cleaner",      "janitor",
      "babysitter",   "nanny",        "caretaker",   "principal",     "headmaster",   "headteacher",
      "grader",       "freshman",     "sophomore",   "undergraduate", "graduate",     "postdoc",
      "grad",         "scholar",      "economist",   "chemist",       "physicist",    "biologist",
      "psychiatrist", "nutritionist", "dietitian",   "monk",          "nun",          "bishop",
      "pope",         "rabbi",        "imam",        "king",          "queen",        "prince",
      "princess",     "actor",        "actress",     "filmmaker",     "producer",     "screenwriter",
      "blogger",      "youtuber",     "streamer",    "gamer",         "hairdresser",  "interviewer",
      "applicant",    "recruit",      "trainee",     "apprentice",    "beginner",     "veteran",
      "refugee",      "immigrant",    "citizen",     "resident",      "voter",        "taxpayer",
      "pensioner",    "parent",       "grandparent", "guardian",      "carer",        "caregiver",
      "thief",        "burglar",      "suspect",     "witness",       "victim",       "prisoner",
      "toddler",      "infant",       "newborn",     "teen",          "adult",        "lad",
      "dude",         "bride",        "groom",       "fiance",        "fiancé",       "fiancee",
      "fiancée",      "spouse",       "ex",          "crush",         "twin",         "goalkeeper",
      "striker",      "quarterback",  "referee",     "umpire",        "boxer",        "wrestler",
      "cyclist",      "skater",       "golfer",      "sailor",        "participant",  "respondent",
      "subscriber",   "shopper",      "consumer",    "passenger",     "commuter",     "pedestrian",
      "guest",        "roomie",       "colleague",   "investor",      "entrepreneur", "ceo",
      "cfo",          "cto"};
  return words.contains(word);
}

bool is_plural_person(std::string_view word) {
  static const Words kPeople = {"people",    "children", "men",        "women",        "folks",      "kids",
                                "parents",   "players",  "dancers",    "veterans",     "colleagues", "workmates",
                                "teammates", "guests",   "volunteers", "members",      "neighbors",  "neighbours",
                                "fans",      "users",    "coworkers",  "grandparents", "siblings",   "developers",
                                "visitors",  "readers",  "artists"};
  if (kPeople.contains(word)) return true;
  if (word.size() < 4 || word.back() != 's') return false;
  const std::string_view one = word.substr(0, word.size() - 1);
  return relatives().contains(one) || is_role(one);
}

}  // namespace weft
