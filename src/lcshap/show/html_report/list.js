// -- a list of which only the visible rows exist ----------------------------------------------------------------

class WindowedRows {
  /** `render(i)` makes row i. All rows are `height` pixels high. */
  constructor(box, height, render) {
    Object.assign(this, { box, height, render, count: 0 });
    this.space = make("div", { class: "space", role: "presentation" });
    box.replaceChildren(this.space);
    box.onscroll = () => requestAnimationFrame(() => this.refresh());
  }

  show(count) {
    this.count = count;
    this.space.style.setProperty("height", `${count * this.height}px`);
    this.refresh();
  }

  refresh() {
    const first = Math.max(0, Math.floor(this.box.scrollTop / this.height) - 4);
    const last = Math.min(this.count, Math.ceil((this.box.scrollTop + this.box.clientHeight) / this.height) + 4);
    const rows = [];
    for (let i = first; i < last; i++) {
      const row = this.render(i);
      row.style.setProperty("top", `${i * this.height}px`);
      rows.push(row);
    }
    this.space.replaceChildren(...rows);
  }

  reveal(i) {
    const top = i * this.height;
    const bottom = top + this.height - this.box.clientHeight;
    if (this.box.scrollTop > top) this.box.scrollTop = top;
    if (this.box.scrollTop < bottom) this.box.scrollTop = bottom;
    this.refresh();
  }
}

// -- the samples: searched, sorted, chosen ----------------------------------------------------------------------

const SORTS = {
  order: { title: "order" },
  name: { title: "name" },
  full: { title: "v(V)", column: 2 },
  residual: { title: "|residual|", column: 3, size: true },
  largest: { title: "largest |score|", column: 4 },
  calls: { title: "calls", column: 5 },
};

const list = { order: [], sort: "order", reversed: false, haystacks: [] };

function startList() {
  for (const [key, { title }] of Object.entries(SORTS)) byId("sort").append(make("option", { value: key }, title));
  list.rows = new WindowedRows(byId("rows"), 52, renderRow);
  byId("sort").onchange = () => {
    list.sort = byId("sort").value;
    arrange();
  };
  byId("direction").onclick = () => {
    list.reversed = !list.reversed;
    byId("direction").textContent = list.reversed ? "↑" : "↓";
    arrange();
  };
  byId("search").oninput = arrange;
  byId("rows").onclick = (event) => {
    const row = event.target.closest("[data-sample]");
    if (row) openSample(Number(row.dataset.sample));
  };
  document.addEventListener("keydown", onListKey);
  document.body.classList.toggle("single", read("index").samples.length === 1);
}

/** Filter by the search and sort; numbers from the largest down. */
function arrange() {
  const wanted = byId("search").value.trim().toLowerCase();
  const all = Array.from(read("index").samples.keys());
  list.order = wanted ? all.filter((i) => haystack(i).includes(wanted)) : all;
  if (list.sort !== "order") list.order.sort((a, b) => compare(a, b) || a - b);
  if (list.reversed) list.order.reverse();
  byId("found").textContent = wanted ? `${list.order.length} of ${all.length} samples` : `${all.length} samples`;
  list.rows.show(list.order.length);
  revealChosen();
}

function haystack(i) {
  if (!list.haystacks[i]) {
    const { name, text, names, entries } = read("index").samples[i];
    const words = "names" in read("index").samples[i] ? read(`pool-${names}`).join("\n") : "";
    const outputs = entries.map((entry) => entry[1]).join("\n");
    list.haystacks[i] = [name, text ?? "", words, outputs].join("\n").toLowerCase();
  }
  return list.haystacks[i];
}

function compare(a, b) {
  if (list.sort === "name") return sampleName(a).localeCompare(sampleName(b));
  if (shownOutput(a) !== shownOutput(b)) return shownOutput(a).localeCompare(shownOutput(b));
  const [one, other] = [sortValue(a), sortValue(b)];
  return (isNaN(one) - isNaN(other)) || other - one;
}

/** The class that would be shown: numbers of different classes are not compared. */
function shownOutput(i) {
  return read("index").samples[i].entries[chosenEntry(i)][1];
}

function sampleName(i) {
  return read("index").samples[i].name;
}

/** The number that samples are sorted by, of the method and output that would be shown. */
function sortValue(i) {
  const { column, size } = SORTS[list.sort];
  const number = Number(read("index").samples[i].entries[chosenEntry(i)][column]);
  return size ? Math.abs(number) : number;
}

function renderRow(at) {
  const i = list.order[at];
  const sample = read("index").samples[i];
  const key = "column" in SORTS[list.sort] ? list.sort : "full";
  const entry = sample.entries[chosenEntry(i)];
  const note = `${SORTS[key].title.replace("|residual|", "residual")} ${format(entry[SORTS[key].column], 4)}`;
  const chosen = i === state.sample;
  return make(
    "div",
    {
      class: chosen ? "sample chosen" : "sample",
      id: `row-${i}`,
      role: "option",
      "data-sample": i,
      "aria-selected": chosen,
      "aria-setsize": list.order.length,
      "aria-posinset": at + 1,
    },
    make("span", { class: "title", dir: "auto" }, sample.name),
    make("span", { class: "note" }, entry[1] ? `${clip(entry[1], 24)} · ${note}` : note),
  );
}

function revealChosen() {
  const at = list.order.indexOf(state.sample);
  if (at >= 0) list.rows.reveal(at);
  else list.rows.refresh();
  if (at >= 0) byId("rows").setAttribute("aria-activedescendant", `row-${state.sample}`);
  else byId("rows").removeAttribute("aria-activedescendant");
}

function onListKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const where = document.activeElement;
  if (event.key === "/" && !where.matches("input[type=search], textarea")) {
    event.preventDefault();
    byId("search").focus();
    byId("search").select();
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const here = where === document.body || where === byId("rows") || where === byId("search");
  if (!step || !here || !list.order.length) return;
  event.preventDefault();
  const at = list.order.indexOf(state.sample);
  openSample(list.order[at < 0 ? 0 : Math.min(Math.max(at + step, 0), list.order.length - 1)]);
}
