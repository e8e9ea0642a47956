// Windows of the families in use, as their makers state them. A name that says its own ("…-32k", "…-128k") is believed.
// The first row that fits counts: exceptions stand before the family they belong to.
#include "model/model_families.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "base/strings.h"
#include "text/json.h"
#include "text/token_counter.h"

namespace weft {
namespace {

constexpr std::int64_t k4 = 4096, k8 = 8192, k16 = 16384, k32 = 32768, k64 = 65536, k128 = 131072, k256 = 262144;
constexpr std::int64_t kMillion = 1'000'000;

struct Family {
  std::string_view pattern;
  std::int64_t window;
  std::int64_t output;  // 0: a share of the window
  bool several = false;
};

constexpr Family kFamilies[] = {
    // OpenAI and what takes its form as it is
    {"gpt-3.5-turbo-instruct*", k4, 0, true},
    {"gpt-3.5*", 16385, 4096, true},
    {"gpt-4-32k*", k32, 0, true},
    {"gpt-4-turbo*", 128000, 4096, true},
    {"gpt-4-*preview*", 128000, 4096, true},
    {"gpt-4-*", k8, 0, true},
    {"gpt-4", k8, 0, true},
    {"gpt-4o*", 128000, k16, true},
    {"chatgpt-4o*", 128000, k16, true},
    {"gpt-4.1*", 1'047'576, k32, true},
    {"gpt-4.5*", 128000, k16, true},
    {"gpt-5*chat*", 128000, k16, true},
    {"gpt-5*", 400'000, k64, true},
    {"gpt-oss*", k128, k16},
    {"o1-mini*", 128000, k32},
    {"o1-preview*", 128000, k32},
    {"o1*", 200'000, k32, true},
    {"o3*", 200'000, k32, true},
    {"o4*", 200'000, k32, true},
    // Anthropic
    {"claude-2.0*", 100'000, 4096},
    {"claude-instant*", 100'000, 4096},
    {"claude*", 200'000, k16},
    // Google
    {"gemini-1.0*", 32760, 2048},
    {"gemini-pro-vision*", 16384, 2048},
    {"gemini-pro", 32760, 2048},
    {"gemini-1.5-pro*", 2'097'152, k8},
    {"gemini-1.5*", 1'048'576, k8},
    {"gemini-2.0*", 1'048'576, k8},
    {"gemini*", 1'048'576, k32},
    {"gemma-3-1b*", k32, 0},
    {"gemma3:1b*", k32, 0},
    {"gemma-3n*", k32, 0},
    {"gemma3n*", k32, 0},
    {"gemma-3*", k128, k8},
    {"gemma3*", k128, k8},
    {"gemma-4*", k128, k8},
    {"gemma4*", k128, k8},
    {"gemma*", k8, 0},
    // Meta
    {"*llama-4-scout*", 10 * kMillion, k16},
    {"*llama-4*", 1'048'576, k16},
    {"*llama4*", 1'048'576, k16},
    {"*llama-3.1*", k128, k8},
    {"*llama-3.2*", k128, k8},
    {"*llama-3.3*", k128, k8},
    {"*llama3.1*", k128, k8},
    {"*llama3.2*", k128, k8},
    {"*llama3.3*", k128, k8},
    {"*llama-3*", k8, 0},
    {"*llama3*", k8, 0},
    {"*codellama*", k16, 0},
    {"*llama-2*", k4, 0},
    {"*llama2*", k4, 0},
    // Qwen
    {"qwen-long*", 10 * kMillion, k8},
    {"qwen-turbo*", kMillion, k16},
    {"qwen-flash*", kMillion, k32},
    {"qwen-plus*", k128, k8},
    {"qwen-max*", k32, k8},
    {"qwen3-max*", k256, k32},
    {"qwen3-coder-plus*", kMillion, k32},
    {"qwen3-coder*", k256, k32},
    {"qwen3-next*", k256, k32},
    {"qwen3-*2507*", k256, k32},
    {"qwen3.5*", k256, k32},
    {"qwen3*", 40960, k8},
    {"qwq*", k128, k32},
    {"qwen2.5*-1m*", kMillion, k8},
    {"qwen2.5-coder-0.5b*", k32, k8},
    {"qwen2.5-coder-1.5b*", k32, k8},
    {"qwen2.5-coder-3b*", k32, k8},
    {"qwen2.5-0.5b*", k32, k8},
    {"qwen2.5-1.5b*", k32, k8},
    {"qwen2.5-3b*", k32, k8},
    {"qwen2.5*", k128, k8},
    {"qwen2*", k32, k8},
    {"qwen1.5*", k32, 0},
    {"qwen*", k32, 0},
    // DeepSeek
    {"deepseek-r1-distill-llama*", k128, k32},
    {"deepseek-r1-distill-qwen*", k128, k32},
    {"deepseek-llm*", k4, 0},
    {"deepseek-coder-v2*", k128, k8},
    {"deepseek-coder*", k16, 0},
    {"deepseek*", k128, k8},
    // Mistral
    {"open-mistral-nemo*", k128, k8},
    {"mistral-nemo*", k128, k8},
    {"mistral-large*", k128, k8},
    {"mistral-medium*", k128, k8},
    {"mistral-small-2402*", k32, 0},
    {"mistral-small-2409*", k32, 0},
    {"mistral-small-24b-instruct-2501*", k32, 0},
    {"mistral-small*", k128, k8},
    {"ministral*", k128, k8},
    {"magistral*", 40960, k8},
    {"devstral*", k128, k8},
    {"codestral-mamba*", k256, k8},
    {"codestral-2501*", k256, k8},
    {"codestral*", k32, k8},
    {"pixtral*", k128, k8},
    {"open-mixtral-8x22b*", k64, k8},
    {"mixtral-8x22b*", k64, k8},
    {"*mixtral*", k32, 0},
    {"mistral*", k32, 0},
    {"open-mistral*", k32, 0},
    // Microsoft
    {"phi-3*-4k*", k4, 0},
    {"phi-3*-8k*", k8, 0},
    {"phi-3*", k128, k4},
    {"phi3*", k128, k4},
    {"phi-4-mini*", k128, k4},
    {"phi-4-multimodal*", k128, k4},
    {"phi-4-reasoning*", k32, k8},
    {"phi-4*", k16, 0},
    {"phi4-mini*", k128, k4},
    {"phi4*", k16, 0},
    {"phi-1*", 2048, 0},
    {"phi-2*", 2048, 0},
    {"phi*", k16, 0},
    // Zhipu
    {"glm-4-long*", kMillion, 4096},
    {"glm-4.6*", 200'000, k32},
    {"glm-4.7*", 200'000, k32},
    {"glm-5*", 200'000, k32},
    {"glm-4.5v*", k64, k16},
    {"glm-4*", k128, k16},
    {"glm*", k128, k8},
    {"chatglm*", k8, 0},
    // Moonshot
    {"kimi-k2-0711*", k128, k16},
    {"kimi-k2*", k256, k32},
    {"kimi*", k128, k16},
    {"moonshot-v1-auto*", k128, 0},
    {"moonshot*", k8, 0},
    // others
    {"grok-4-fast*", 2 * kMillion, k32},
    {"grok-4*", k256, k32},
    {"grok-code*", k256, k16},
    {"grok*", k128, k16},
    {"command-a*", k256, k8},
    {"command-r*", k128, 4096},
    {"minimax-m1*", kMillion, k32},
    {"minimax-m2*", 204'800, k32},
    {"minimax*", kMillion, k16},
    {"hunyuan*", k256, k16},
    {"ernie-4.5*", k128, k8},
    {"ernie*", k8, 0},
    {"doubao*", k128, k8},
    {"step-*", k32, k8},
    {"yi-*200k*", 200'000, 4096},
    {"yi-*", k16, 0},
    {"jamba*", k256, 4096},
    {"nova-micro*", 128'000, 4096},
    {"nova-pro*", 300'000, 4096},
    {"nova-lite*", 300'000, 4096},
    {"granite-3.0*", k4, 0},
    {"granite*", k128, k8},
    {"smollm3*", k64, k8},
    {"smollm2*", k8, 0},
    {"smollm*", 2048, 0},
    {"falcon-3*", k32, 0},
    {"falcon3*", k32, 0},
    {"internlm*", k32, 0},
    {"baichuan*", k4, 0},
    {"olmo-2*", k4, 0},
};

// '?' stands for any character, and case does not count.
bool is_like(std::string_view pattern, std::string_view name) {
  return glob(pattern, name, [](char wanted, char c) { return wanted == '?' || to_lower(wanted) == to_lower(c); });
}

// 32768 for "…-32k", where a number with a 'k' stands as a word of its own.
std::int64_t stated_window(std::string_view name) {
  for (std::size_t at = 0; at < name.size(); ++at) {
    const bool begins = is_digit(name[at]) && (at == 0 || name[at - 1] == '-' || name[at - 1] == '_');
    if (!begins) continue;
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(name.data() + at, name.data() + name.size(), number);
    const auto stop = static_cast<std::size_t>(end - name.data());
    const bool is_word = stop < name.size() && name[stop] == 'k' &&
                         (stop + 1 == name.size() || name[stop + 1] == '-' || name[stop + 1] == '_');
    if (error == std::errc() && is_word && number >= 4 && number <= 10000) return number * 1024;
  }
  return 0;
}

constexpr std::int64_t kSmallImage = 85;  // OpenAI's "low" detail
constexpr std::int64_t kImage = 1200;  // one of about a megapixel, between the counts of the large providers
constexpr std::int64_t kPage = 2000;  // of a PDF: its text, and often its picture as well
constexpr std::int64_t kMostPages = 1000;  // that providers take
constexpr std::int64_t kBytesAPage = 50'000;
constexpr std::int64_t kLeastOther = 256;  // sounds and other files tell their length by their bytes only
constexpr std::int64_t kMostOther = 16'384;
constexpr std::int64_t kBytesAToken = 512;
constexpr int kMostNested = 8;

std::string text_member(std::string_view object, std::string_view name) {
  return json_text(json_member(object, name)).value_or({});
}

// The bytes that a base64 text stands for; other characters are left out.
std::string decoded(std::string_view base64) {
  std::string bytes;
  bytes.reserve(base64.size() / 4 * 3);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : base64) {
    int value = -1;
    if (c >= 'A' && c <= 'Z') value = c - 'A';
    if (c >= 'a' && c <= 'z') value = c - 'a' + 26;
    if (c >= '0' && c <= '9') value = c - '0' + 52;
    if (c == '+' || c == '-') value = 62;
    if (c == '/' || c == '_') value = 63;
    if (value < 0) continue;
    bits = (bits << 6) | static_cast<std::uint32_t>(value);
    if (++count % 4 == 1) continue;
    constexpr std::array<int, 4> kShift = {0, 0, 4, 2};
    const int shift = kShift[static_cast<std::size_t>(count % 4)];
    bytes.push_back(static_cast<char>((bits >> shift) & 0xFF));
  }
  return bytes;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Objects of a PDF that are a page; where they are packed, the largest number of pages that it tells, or a guess.
std::int64_t pages_of(std::string_view pdf) {
  std::int64_t pages = 0, told = 0;
  for (auto at = pdf.find("/Type"); at != std::string_view::npos; at = pdf.find("/Type", at + 5)) {
    const auto name = pdf.find_first_not_of(" \r\n\t", at + 5);
    if (name == std::string_view::npos || !pdf.substr(name).starts_with("/Page")) continue;
    if (name + 5 >= pdf.size() || !is_letter(pdf[name + 5])) ++pages;
  }
  for (auto at = pdf.find("/Count"); at != std::string_view::npos; at = pdf.find("/Count", at + 6)) {
    const auto digits = pdf.find_first_not_of(' ', at + 6);
    std::int64_t count = 0;
    if (digits != std::string_view::npos) std::from_chars(pdf.data() + digits, pdf.data() + pdf.size(), count);
    told = std::max(told, count);
  }
  if (pages == 0) pages = told > 0 ? told : static_cast<std::int64_t>(pdf.size()) / kBytesAPage + 1;
  return std::min(pages, kMostPages);
}

std::int64_t tokens_of_other(std::size_t bytes) {
  return std::clamp(static_cast<std::int64_t>(bytes) / kBytesAToken, kLeastOther, kMostOther);
}

// A file that is sent along, as base64 or as a data URL.
std::int64_t tokens_of_data(std::string_view data, std::string_view kind) {
  if (data.starts_with("data:")) {
    const auto comma = data.find(',');
    kind = data.substr(0, comma);
    data.remove_prefix(comma == std::string_view::npos ? data.size() : comma + 1);
  }
  constexpr std::string_view kPdf = "JVBERi";  // "%PDF-"
  if (data.starts_with(kPdf)) return kPage * pages_of(decoded(data));
  if (kind.find("text/") != std::string_view::npos) return estimate_tokens(decoded(data), TokenMode::kScript);
  return tokens_of_other(data.size());
}

std::int64_t tokens_of_content(std::string_view content, bool with_text, int depth);

std::int64_t tokens_of_document(std::string_view part, int depth) {
  const std::string_view source = json_member(part, "source");
  if (!source.starts_with('{')) return tokens_of_other(part.size());
  const std::string type = text_member(source, "type");
  if (type == "text") return estimate_tokens(text_member(source, "data"), TokenMode::kScript);
  if (type == "content") return tokens_of_content(json_member(source, "content"), true, depth + 1);
  if (type == "base64") return tokens_of_data(text_member(source, "data"), text_member(source, "media_type"));
  return tokens_of_other(part.size());
}

std::int64_t tokens_of_file(std::string_view part) {
  std::string_view file = json_member(part, "file");
  if (!file.starts_with('{')) file = part;
  const std::string data = text_member(file, "file_data");
  return data.empty() ? tokens_of_other(part.size()) : tokens_of_data(data, {});
}

/// `with_text`: texts count as well, since they do not stand in the message's own.
std::int64_t tokens_of_part(std::string_view part, bool with_text, int depth) {
  if (!part.starts_with('{')) return 0;
  const std::string type = text_member(part, "type");
  const auto is_kind = [&](std::string_view kind) { return type.find(kind) != std::string::npos; };
  if (type == "tool_result") return tokens_of_content(json_member(part, "content"), false, depth + 1);
  if (type == "search_result") return tokens_of_content(json_member(part, "content"), true, depth + 1);
  if (is_kind("text")) return with_text ? estimate_tokens(text_member(part, "text"), TokenMode::kScript) : 0;
  if (is_kind("thinking") || is_kind("tool") || is_kind("refusal")) return 0;
  if (type == "document") return tokens_of_document(part, depth);
  if (is_kind("file")) return tokens_of_file(part);
  if (is_kind("image") || is_kind("screenshot")) {
    const std::string_view image = json_member(part, "image_url");
    const bool in_image = image.starts_with('{') && json_member(image, "detail") == R"("low")";
    return in_image || json_member(part, "detail") == R"("low")" ? kSmallImage : kImage;
  }
  return tokens_of_other(part.size());
}

std::int64_t tokens_of_content(std::string_view content, bool with_text, int depth) {
  if (depth > kMostNested) return 0;
  if (content.starts_with('"'))
    return with_text ? estimate_tokens(json_text(content).value_or({}), TokenMode::kScript) : 0;
  if (content.starts_with('{')) return tokens_of_part(content, with_text, depth);
  if (!content.starts_with('[')) return 0;
  std::int64_t tokens = 0;
  for (const std::string_view part : json_elements(content)) tokens += tokens_of_part(part, with_text, depth);
  return tokens;
}

}  // namespace

std::string plain_model_name(std::string_view name) {
  if (const auto slash = name.rfind('/'); slash != std::string_view::npos) name.remove_prefix(slash + 1);
  // Bedrock and others put the maker before a dot: "anthropic.claude-…", "us.meta.llama3-…".
  for (const std::string_view maker : {"us.", "eu.", "apac.", "anthropic.", "meta.", "mistral.", "amazon.", "cohere."})
    if (name.starts_with(maker)) name.remove_prefix(maker.size());
  if (const auto colon = name.find(':'); colon != std::string_view::npos && colon > 0) name = name.substr(0, colon);
  return lowered(name);
}

bool fits_model(std::string_view pattern, std::string_view name) {
  return is_like(pattern, name) || is_like(pattern, plain_model_name(name));
}

ModelTraits traits_of_family(std::string_view name) {
  ModelTraits traits;
  std::string_view tagged = name;  // a tag may tell sizes apart: "gemma3:1b"
  if (const auto slash = name.rfind('/'); slash != std::string_view::npos) tagged.remove_prefix(slash + 1);
  for (const Family& family : kFamilies) {
    if (!is_like(family.pattern, tagged) && !is_like(family.pattern, plain_model_name(name))) continue;
    traits.window = family.window;
    traits.output = family.output;
    traits.system_messages = family.several ? SystemMessages::kSeveral : SystemMessages::kOne;
    break;
  }
  if (const auto stated = stated_window(plain_model_name(name)); stated > 0) {
    traits.window = stated;
    if (traits.output * 2 > stated) traits.output = 0;
  }
  return traits;
}

std::int64_t media_tokens(std::string_view raw_message) {
  if (!raw_message.starts_with('{')) return 0;
  std::int64_t tokens = 0;
  if (const auto content = json_member(raw_message, "content"); content.starts_with('['))
    tokens += tokens_of_content(content, false, 0);
  // An output in the Responses API is a list, or a screenshot.
  const std::string_view output = json_member(raw_message, "output");
  if (output.starts_with('[') || (output.starts_with('{') && !json_member(output, "image_url").empty()))
    tokens += tokens_of_content(output, false, 0);
  return tokens;
}

}  // namespace weft
