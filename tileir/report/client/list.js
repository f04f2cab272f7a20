// A list of rows of one height, of which only those in sight exist.

const TALLEST = 8e6;  // browsers limit how high an element can be
const AROUND = 8;

class RowList {
  /** `draw(row, index)` fills the element of a row, `mark(row, index)` sets what changes in it. */
  constructor(element, height, draw, mark) {
    this.element = element;
    this.height = height;
    this.draw = draw;
    this.mark = mark;
    this.count = 0;
    this.rows = new Map();
    this.space = make("div", "space");
    this.space.setAttribute("role", "none");
    element.append(this.space);
    this.waiting = false;
    element.addEventListener("scroll", () => this.later(), { passive: true });
    this.observer = new ResizeObserver(() => this.later());
    this.observer.observe(element);
  }

  later() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.show(); });
  }

  /** Say how many rows there are, and draw them all anew. */
  reset(count) {
    this.count = count;
    this.total = count * this.height;
    this.space.style.height = Math.min(this.total, TALLEST) + "px";
    for (const row of this.rows.values()) row.remove();
    this.rows.clear();
    this.show();
  }

  /** How many pixels of the rows a pixel of the scroll bar stands for. */
  get scale() {
    const room = this.element.clientHeight;
    return this.total > TALLEST ? (this.total - room) / (TALLEST - room) : 1;
  }

  get first() {
    return Math.floor(this.element.scrollTop * this.scale / this.height);
  }

  get shown() {
    return Math.max(1, Math.floor(this.element.clientHeight / this.height));
  }

  show() {
    if (!this.element.clientHeight) return;
    const top = this.element.scrollTop, shift = top * (this.scale - 1);
    const from = Math.max(0, this.first - AROUND);
    const to = Math.min(this.count, this.first + this.shown + 1 + AROUND);
    for (const [index, row] of this.rows) {
      if (index < from || index >= to) { row.remove(); this.rows.delete(index); }
    }
    for (let index = from; index < to; index++) {
      let row = this.rows.get(index);
      if (!row) {
        row = make("div", "row");
        row.dataset.row = index;
        this.draw(row, index);
        this.mark(row, index);
        this.rows.set(index, row);
        this.space.append(row);
      }
      row.style.transform = "translateY(" + (index * this.height - shift) + "px)";
    }
  }

  /** Mark the rows in sight again. */
  remark() {
    for (const [index, row] of this.rows) this.mark(row, index);
  }

  /** Scroll a row into sight, to the middle if it was not. */
  reveal(index) {
    if (index < 0 || index >= this.count) return;
    const first = Math.ceil(this.element.scrollTop * this.scale / this.height);
    if (index >= first && index < first + this.shown) return;
    const middle = Math.max(0, (index - Math.floor(this.shown / 3)) * this.height);
    this.element.scrollTop = middle / this.scale;
    this.show();
  }

  /** Have what the pointer is at light up in all panes of a view, and what is clicked on be selected.
   * `targetAt(event)` is what an event is about, null for nothing; `clicked(event)` does another thing on clicks. */
  link(view, pane, targetAt, clicked = null) {
    this.element.addEventListener("pointermove", (event) => view.hover(targetAt(event), pane));
    this.element.addEventListener("pointerleave", () => view.hover(null, pane));
    this.element.addEventListener("click", clicked ?? ((event) => {
      const target = targetAt(event);
      if (target) view.select(target, pane);
    }));
  }

  /** Return the number of the row that an event is about, -1 for none. */
  indexOf(event) {
    const row = event.target instanceof Element ? event.target.closest(".row") : null;
    return row && this.space.contains(row) ? Number(row.dataset.row) : -1;
  }
}
