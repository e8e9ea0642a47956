#include "surface/cli/style.h"

#include <string>

#include "text/json.h"
#include "text/utf8.h"

namespace weft::cli {
namespace {

constexpr std::size_t kPreview = 60;

std::string role_name(Role role) { return std::string(to_string(role)); }

}  // namespace

Style style_of(const Console& console) { return terminal_style(console.colours()); }

void print_report(Console& console, const ContextReport& report) {
  const Style style = style_of(console);
  console.print("%swindow %lld, usable %lld, used %lld tokens (%s), recall by %s%s\n", style.bold,
                static_cast<long long>(report.window), static_cast<long long>(report.usable),
                static_cast<long long>(report.tokens), report.token_mode.c_str(), to_string(report.by).data(),
                style.plain);
  for (const ReportSection& section : report.sections) {
    console.print("%s%s%s  %lld of at most %lld tokens\n", style.blue, section.name.c_str(), style.plain,
                  static_cast<long long>(section.tokens), static_cast<long long>(section.budget));
    for (const ReportItem& item : section.items) {
      console.print("  %s%s%s %6lld  %6.3f  %-9s %-22s %s\n", item.kept ? style.green : style.dim,
                    item.kept ? "+" : "-", style.plain, static_cast<long long>(item.tokens), item.score,
                    item.source.c_str(), item.why.c_str(), preview(item.preview, kPreview).c_str());
    }
  }
  console.print("%slayout %s; goes on from the last prompt for %lld of its %lld bytes", style.dim,
                report.layout.c_str(), static_cast<long long>(report.prefix_equal_bytes),
                static_cast<long long>(report.last_prompt_bytes));
  if (!report.prefix_break.empty()) console.print(", broken by: %s", report.prefix_break.c_str());
  console.print(";");
  for (const auto& [name, ms] : report.timings_ms) console.print(" %s %.1f ms", name.c_str(), ms);
  console.print("%s\n", style.plain);
}

void print_messages(Console& console, const std::vector<Message>& messages) {
  const Style style = style_of(console);
  for (const Message& message : messages) {
    console.print("%s%s%s\n%s\n\n", style.blue, role_name(message.role).c_str(), style.plain, message.content.c_str());
  }
}

void print_diff(const Globals& globals, const std::string& diff) {
  if (!globals.json) return globals.console->write(diff.empty() ? "no difference\n" : diff);
  JsonWriter out;
  out.begin('{');
  out.name("diff");
  out.text(diff);
  out.end('}');
  globals.console->line(out.take());
}

}  // namespace weft::cli
