// -- pictures of inputs -----------------------------------------------------------------------------------------
// Each takes the packed picture, the element to draw in and what is shown, and returns three functions:
// unitAt(event), mark(unit, reveal) (outlines it and returns its element; -1 for none) and mask(masked).

function unitData(unit) {
  return unit < 0 ? {} : { "data-unit": unit, "data-part": unit };
}

/** For pictures of elements: `data-unit` is what is scored, `data-part` the unit that is masked. */
function ofElements(box) {
  return {
    unitAt: (event) => Number(event.target.closest("[data-unit]")?.dataset.unit ?? -1),
    mark: (unit) => {
      for (const element of box.querySelectorAll(".marked")) element.classList.remove("marked");
      const found = box.querySelectorAll(`[data-unit="${unit}"]`);
      for (const element of found) element.classList.add("marked");
      return found[0];
    },
    mask: (masked) => {
      for (const element of box.querySelectorAll("[data-part]"))
        element.classList.toggle("masked", masked[element.dataset.part] === 1);
    },
  };
}

// -- series -----------------------------------------------------------------------------------------------------

const PANEL = { left: 52, right: 8, top: 20, height: 96, gap: 16 };

function drawSeries(picture, box, { units }) {
  const { length, channels } = picture;
  const values = unpack(picture.series);
  const labels = labelsOf(picture, values.length);
  const width = Math.max(box.clientWidth, 200);
  const step = (width - PANEL.left - PANEL.right) / length;
  const total = channels.length * (PANEL.top + PANEL.height + PANEL.gap) + 8;
  const svg = makeSvg("svg", { width, height: total, role: "img", "aria-label": pictureLabel() });
  channels.forEach((name, channel) => {
    const at = (time) => time * channels.length + channel;
    const own = Array.from({ length }, (_, time) => values[at(time)]);
    const top = channel * (PANEL.top + PANEL.height + PANEL.gap) + PANEL.top;
    const x = (time) => PANEL.left + (time + 0.5) * step;
    const y = scaleOf(own, top, PANEL.height);
    svg.append(makeSvg("text", { x: PANEL.left, y: top - 6, class: "strong" }, name));
    const [bands, lines] = [[], []];
    for (const [start, end] of runsOf(length, (time) => labels[at(time)])) {
      const unit = labels[at(start)];
      const data = unitData(unit);
      const place = { x: x(start) - step / 2, y: top, width: (end - start) * step, height: PANEL.height };
      const band = makeSvg("rect", place);
      band.style.setProperty("fill", rgb(unit < 0 ? colours.background : shade(units.drawn[unit], units.limit)));
      const points = own.slice(start, end + 1).map((value, k) => `${x(start + k)},${y(value)}`);
      bands.push(makeSvg("g", data, band));
      lines.push(makeSvg("g", data, makeSvg("polyline", { points: points.join(" ") })));
    }
    svg.append(...bands, ...lines, ...axisTexts(own, top, width, length, y));
  });
  box.append(svg);
  return ofElements(box);
}

/** Where neighbours are equal: pairs (start, end). */
function runsOf(length, value) {
  const starts = Array.from({ length }, (_, i) => i).filter((i) => i === 0 || value(i) !== value(i - 1));
  return starts.map((start, k) => [start, starts[k + 1] ?? length]);
}

/** A function from values to heights on the page, with some room above and below. */
function scaleOf(values, top, height) {
  const finite = values.filter(isFinite);
  const low = finite.reduce((a, b) => Math.min(a, b), Infinity);
  const high = finite.reduce((a, b) => Math.max(a, b), -Infinity);
  const range = high - low || 1;
  return (value) => top + height - 6 - ((isFinite(value) ? value - low : 0) / range) * (height - 12);
}

function axisTexts(values, top, width, length, y) {
  const finite = values.filter(isFinite);
  const ends = [finite.reduce((a, b) => Math.min(a, b), Infinity), finite.reduce((a, b) => Math.max(a, b), -Infinity)];
  const texts = [...new Set(ends)].filter(isFinite).map((value) =>
    makeSvg("text", { x: PANEL.left - 6, y: y(value) + 4, "text-anchor": "end" }, format(value, 3)),
  );
  const bottom = top + PANEL.height + 13;
  texts.push(makeSvg("text", { x: PANEL.left, y: bottom }, "0"));
  texts.push(makeSvg("text", { x: width - PANEL.right, y: bottom, "text-anchor": "end" }, String(length - 1)));
  return texts;
}

// -- bytes ------------------------------------------------------------------------------------------------------

function drawBytes(picture, box, { units }) {
  const bytes = unpack(picture.bytes);
  const spans = spansOf(picture.spans);
  const labels = labelsOf(picture, spans.length);
  const owners = new Int32Array(bytes.length).fill(-1);
  spans.forEach(([start, end], part) => owners.fill(labels[part], start, end));
  const width = box.clientWidth < 560 ? 8 : 16;
  const now = { masked: new Uint8Array(units.scores.length), marked: -1 };
  const dump = make("div", { class: "dump", tabindex: 0, role: "group", "aria-label": "The bytes, in rows" });
  box.append(dump);
  const rows = new WindowedRows(dump, 24, (row) => makeDumpRow(bytes, owners, row * width, width, units, now));
  rows.show(Math.ceil(bytes.length / width));
  return {
    ...ofElements(box),
    mark: (unit, reveal) => {
      now.marked = unit;
      const first = owners.indexOf(unit);
      if (reveal && first >= 0) rows.reveal(Math.floor(first / width));
      else rows.refresh();
      return dump.querySelector(".marked") ?? undefined;
    },
    mask: (masked) => {
      now.masked = masked;
      rows.refresh();
    },
  };
}

function makeDumpRow(bytes, owners, start, width, units, now) {
  const row = make("div", { class: "line" }, make("span", { class: "offset" }, start.toString(16).padStart(6, "0")));
  const letters = make("span", { class: "letters" });
  for (let at = start; at < start + width; at++) {
    const unit = at < bytes.length ? owners[at] : -1;
    const masked = unit >= 0 && now.masked[unit];
    const code = at >= bytes.length ? "  " : masked ? "··" : bytes[at].toString(16).padStart(2, "0");
    const printable = bytes[at] > 32 && bytes[at] < 127;
    const cells = [
      make("span", { class: "byte" }, code),
      make("span", {}, at >= bytes.length ? " " : masked || !printable ? "·" : String.fromCharCode(bytes[at])),
    ];
    for (const cell of unit >= 0 ? cells : []) {
      cell.dataset.unit = unit;
      cell.classList.toggle("masked", masked === 1);
      cell.classList.toggle("marked", unit === now.marked);
      paint(cell, units.drawn[unit], units.limit);
    }
    row.append(cells[0]);
    letters.append(cells[1]);
  }
  row.append(letters);
  return row;
}

// -- tables and bars --------------------------------------------------------------------------------------------

function drawTable(picture, box, { units }) {
  const columns = read(`pool-${picture.columns}`);
  const labels = labelsOf(picture, columns.length);
  const rows = columns.map((name, i) => {
    const unit = labels[i];
    const value = picture.values[i];
    const shown = typeof value === "string" ? value : format(value);
    const cells = [make("th", { scope: "row" }, name), make("td", { class: "number" }, shown)];
    const score = unit < 0 ? [make("td", { class: "number" }, "–"), make("td")] : scoreCells(units, unit);
    return make("tr", unitData(unit), ...cells, ...score);
  });
  box.append(makeTable("Columns, values and scores", ["Column", "Value", "Score", ""], rows));
  return ofElements(box);
}

const MOST_BARS = 200;

function drawBars(picture, box, { units }) {
  const all = Array.from(units.scores.keys());
  const few = all.length > MOST_BARS ? bySize(units.scores).slice(0, MOST_BARS) : all;
  const rows = few.map((unit) => {
    const name = make("th", { scope: "row" }, units.names[unit]);
    return make("tr", unitData(unit), name, ...scoreCells(units, unit));
  });
  box.append(makeTable("Units and scores", ["Unit", "Score", ""], rows));
  if (few.length < all.length) box.append(make("p", { class: "note" }, `The ${few.length} largest of ${all.length}.`));
  return ofElements(box);
}

function makeTable(caption, titles, rows) {
  const head = titles.map((title) => (title ? make("th", { scope: "col" }, title) : make("td")));
  return make(
    "table",
    {},
    make("caption", { class: "unseen" }, caption),
    make("thead", {}, make("tr", {}, ...head)),
    make("tbody", {}, ...rows),
  );
}

/** A score as a number and as a bar from the middle. */
function scoreCells(units, unit) {
  const score = units.scores[unit];
  const bar = make("i", { class: score > 0 ? "positive" : "negative" });
  const share = isFinite(score) ? (50 * Math.abs(score)) / units.limit : 0;
  bar.style.setProperty("width", `${share}%`);
  if (units.drawn && units.drawn[unit] !== score) bar.style.setProperty("opacity", String(units.drawn[unit] / score));
  bar.style.setProperty("left", `${score > 0 ? 50 : 50 - share}%`);
  return [
    make("td", { class: "number" }, format(score, 4, true) + errorOf(units, unit)),
    make("td", { class: "bar", "aria-hidden": "true" }, make("div", {}, bar)),
  ];
}

// -- molecule ---------------------------------------------------------------------------------------------------

const SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉";

function drawMolecule(picture, box, { units }) {
  const flat = unpack(picture.places);
  const labels = labelsOf(picture, picture.symbols.length);
  const size = 34; // pixels an ångström
  const xs = picture.symbols.map((_, i) => flat[2 * i] * size);
  const ys = picture.symbols.map((_, i) => -flat[2 * i + 1] * size);
  const edge = 34;
  const [left, top] = [Math.min(...xs) - edge, Math.min(...ys) - edge];
  const [width, height] = [Math.max(...xs) + edge - left, Math.max(...ys) + edge - top];
  const view = { viewBox: `${left} ${top} ${width} ${height}`, role: "img", "aria-label": pictureLabel() };
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

const PICTURES = {
  text: drawText,
  image: drawImage,
  series: drawSeries,
  bytes: drawBytes,
  table: drawTable,
  molecule: drawMolecule,
  bars: drawBars,
};
