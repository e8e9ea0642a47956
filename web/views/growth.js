// Growth: skills, rules on trial, changes of skills, beliefs, questions to answer, runs of agents.
import { append } from "/ui/dom.js";
import { t } from "/ui/i18n.js";
import { tabs, title } from "/ui/parts.js";
import { skills_view } from "/ui/views/skills.js";
import { mutations_view, rules_view } from "/ui/views/rules.js";
import { beliefs_view, questions_view } from "/ui/views/people.js";
import { runs_view } from "/ui/views/runs.js";

export default async function growth(root, { query, signal, go }) {
  append(root, [title(t("view.growth"), t("growth.about")), tabs([
    { id: "waiting", title: t("growth.waiting"), make: () => questions_view(signal) },
    { id: "skills", title: t("growth.skills"), make: () => skills_view(signal) },
    { id: "rules", title: t("growth.rules"), make: () => rules_view(signal) },
    { id: "mutations", title: t("growth.mutations"), make: () => mutations_view(signal) },
    { id: "beliefs", title: t("growth.beliefs"), make: () => beliefs_view(signal) },
    { id: "runs", title: t("growth.runs"), make: () => runs_view(signal, query.get("run")) },
  ], query.get("tab") || "waiting", t("view.growth"), (tab) => go("growth", { tab, run: tab === "runs" ? query.get("run") : "" }))]);
}
