// The light and the dark theme.

import { readColours } from "./colours.js";
import { byId } from "./elements.js";

/** Start the button and follow the setting of the system. `draw` is called when the colours have changed. */
export function startTheme(draw) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const apply = () => {
    byId("theme").textContent = isDark() ? "Light" : "Dark";
    byId("theme").setAttribute("aria-label", `Switch to ${isDark() ? "light" : "dark"} colours`);
    readColours();
  };
  const change = () => {
    apply();
    draw();
  };
  byId("theme").onclick = () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    change();
  };
  system.addEventListener("change", change);
  apply();
}
