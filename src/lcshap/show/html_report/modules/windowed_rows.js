// A list of which only the visible rows exist.

import { make } from "./elements.js";

export class WindowedRows {
  /** `render(i)` makes row i. All rows are `height` pixels high. */
  constructor(box, height, render) {
    Object.assign(this, { box, height, render, count: 0 });
    this.space = make("div", { class: "space", role: "presentation" });
    box.replaceChildren(this.space);
    box.onscroll = () => requestAnimationFrame(() => this.refresh());
  }

  /** How many rows are seen at once. */
  get page() {
    return Math.max(1, Math.floor(this.box.clientHeight / this.height) - 1);
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
