// What this browser keeps: language, colours, whose memory is looked at. The key only as long as the window is open.

const KEPT = "weft.";

export function kept(name, otherwise = "") {
  try {
    return localStorage.getItem(KEPT + name) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function keep(name, value) {
  try {
    localStorage.setItem(KEPT + name, value);
  } catch {
    // A browser that keeps nothing is asked again next time.
  }
}

export function key() {
  try {
    return sessionStorage.getItem(KEPT + "key") ?? "";
  } catch {
    return "";
  }
}

export function setKey(value) {
  try {
    if (value) sessionStorage.setItem(KEPT + "key", value);
    else sessionStorage.removeItem(KEPT + "key");
  } catch {
    // Nothing to do: the key has to be typed in again.
  }
}

/** Whose memory is meant: {kind: "user" | "group", id}. An empty id is the server's default user. */
export function scope() {
  return { kind: kept("scope.kind", "user"), id: kept("scope.id", "") };
}

export function setScope(kind, id) {
  keep("scope.kind", kind);
  keep("scope.id", id);
}

export const THEMES = ["auto", "light", "dark"];

export function showTheme(theme = kept("theme", "auto")) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
