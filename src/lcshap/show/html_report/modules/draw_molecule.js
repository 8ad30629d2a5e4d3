// A molecule: atoms on discs in the colours of their units, and bonds.

import { labelsOf, unpack } from "./blocks.js";
import { inkOn, rgb, shade } from "./colours.js";
import { ofElements, unitData } from "./element_picture.js";
import { makeSvg } from "./elements.js";

const SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉";

export function drawMolecule(picture, box, { units, label }) {
  const flat = unpack(picture.places);
  const labels = labelsOf(picture, picture.symbols.length);
  const size = 34; // pixels an ångström
  const xs = picture.symbols.map((_, i) => flat[2 * i] * size);
  const ys = picture.symbols.map((_, i) => -flat[2 * i + 1] * size);
  const edge = 34;
  const [left, top] = [Math.min(...xs) - edge, Math.min(...ys) - edge];
  const [width, height] = [Math.max(...xs) + edge - left, Math.max(...ys) + edge - top];
  const view = { viewBox: `${left} ${top} ${width} ${height}`, role: "img", "aria-label": label };
  const svg = makeSvg("svg", view);
  svg.style.setProperty("max-width", `${Math.round(width * 1.3)}px`);
  const discs = xs.map((x, i) => {
    const disc = makeSvg("circle", { cx: x, cy: ys[i], r: 17, class: "disc" });
    disc.style.setProperty("fill", labels[i] < 0 ? "none" : rgb(shade(units.drawn[labels[i]], units.limit)));
    return makeSvg("g", unitData(labels[i]), disc);
  });
  const bonds = unpack(picture.bonds);
  const lines = [];
  for (let k = 0; k < bonds.length; k += 3) {
    const [from, to, order] = bonds.slice(k, k + 3);
    const units = { "data-from": labels[from], "data-to": labels[to] };
    for (const ends of bondLines(xs, ys, picture.symbols, from, to, order))
      lines.push(makeSvg("line", { ...ends, ...units, class: "bond" }));
  }
  const symbols = picture.symbols.map((symbol, i) => {
    const text = makeSvg("text", { x: xs[i], y: ys[i] + 5, class: "atom" }, symbolText(symbol));
    const score = labels[i] < 0 ? 0 : units.scores[labels[i]];
    text.style.setProperty("fill", inkOn(shade(score, units.limit)));
    return makeSvg("g", unitData(labels[i]), text);
  });
  svg.append(...discs, ...lines, ...symbols);
  box.append(svg);
  const elements = ofElements(box);
  const mask = (masked) => {
    elements.mask(masked);
    for (const line of lines) {
      const ends = [line.dataset.from, line.dataset.to];
      line.classList.toggle("masked", ends.some((unit) => masked[unit] === 1));
    }
  };
  return { ...elements, mask };
}

function symbolText([element, hydrogens, charge]) {
  const digits = (number) => String(number).replace(/\d/g, (digit) => SUBSCRIPTS[digit]);
  const hydrogen = hydrogens ? `H${hydrogens > 1 ? digits(hydrogens) : ""}` : "";
  const sign = charge ? `${Math.abs(charge) > 1 ? Math.abs(charge) : ""}${charge > 0 ? "⁺" : "⁻"}` : "";
  return element + hydrogen + sign;
}

/** The ends of one to three parallel lines, which keep clear of written atoms. */
function bondLines(xs, ys, symbols, from, to, order) {
  const [dx, dy] = [xs[to] - xs[from], ys[to] - ys[from]];
  const long = Math.hypot(dx, dy) || 1;
  const clear = (atom) => (symbols[atom][0] ? 11 / long : 0);
  const ends = [clear(from), 1 - clear(to)];
  const offsets = { 2: [-2.6, 2.6], 3: [-4.5, 0, 4.5] }[order] ?? [0];
  return offsets.map((offset) => {
    const [ox, oy] = [(-dy / long) * offset, (dx / long) * offset];
    const [x1, x2] = ends.map((share) => xs[from] + share * dx + ox);
    const [y1, y2] = ends.map((share) => ys[from] + share * dy + oy);
    return { x1, y1, x2, y2 };
  });
}
