// @ts-check
// The switch between light and dark colours. Without a choice they are those of the system.
import { html, useState } from "./vendor/preact.js";
import { t } from "./words.js";

const themes = ["auto", "light", "dark"];

/** @param {string} theme */
function set(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

function kept() {
  try {
    const theme = localStorage.getItem("theme") ?? "";
    return themes.includes(theme) ? theme : "auto";
  } catch {
    return "auto";
  }
}

set(kept());

export function Theme() {
  const [theme, setTheme] = useState(kept);
  /** @param {any} e */
  const choose = (e) => {
    set(e.target.value);
    setTheme(e.target.value);
    try { localStorage.setItem("theme", e.target.value); } catch { /* it holds until the page goes */ }
  };
  return html`<select class="theme quiet" aria-label=${t("theme")} value=${theme} onChange=${choose}>
    ${themes.map((one) => html`<option key=${one} value=${one}>${t("theme" + one[0].toUpperCase() + one.slice(1))}</option>`)}
  </select>`;
}
