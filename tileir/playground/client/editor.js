// An editor for text: a text field, and behind it the same lines in colours, with what is wrong underlined.

const { make } = globalThis.TileIRReport;
const HEIGHT = 20;
const AROUND = 5;

export class Editor {
  /** `changed()` hears of every change by the user. */
  constructor(root, highlighter, changed) {
    this.highlighter = highlighter;
    this.changed = changed;
    this.findings = [];
    this.gutter = make("div", "gutter");
    this.behind = make("div", "behind");
    for (const element of [this.gutter, this.behind]) element.setAttribute("aria-hidden", "true");
    this.field = make("textarea", "field");
    Object.assign(this.field, { spellcheck: false, wrap: "off", autocapitalize: "off", autocomplete: "off" });
    this.field.setAttribute("aria-label", "text of the module");
    this.field.setAttribute("aria-describedby", "verdict");
    root.append(this.gutter, make("div", "lines", this.behind, this.field));
    this.field.addEventListener("input", () => { this.split(); this.draw(); this.changed(); });
    this.field.addEventListener("scroll", () => this.draw(), { passive: true });
    this.field.addEventListener("keydown", (event) => {
      if (event.key !== "F8" || !this.findings.length) return;
      event.preventDefault();
      this.step(event.shiftKey ? -1 : 1);
    });
    new ResizeObserver(() => this.draw()).observe(this.field);
    this.set("");
  }

  get text() {
    return this.field.value;
  }

  set(text, editable = true) {
    this.field.value = text;
    this.field.readOnly = !editable;
    this.field.scrollTop = this.field.scrollLeft = 0;
    this.field.setSelectionRange(0, 0);
    this.findings = [];
    this.split();
    this.draw();
  }

  split() {
    this.lines = this.field.value.split("\n");
    this.starts = [0];
    for (const line of this.lines) this.starts.push(this.starts.at(-1) + line.length + 1);
  }

  mark(findings) {
    this.findings = findings;
    this.draw();
  }

  draw() {
    const { scrollTop, scrollLeft, clientHeight } = this.field;
    if (!clientHeight) return;
    const from = Math.max(0, Math.floor(scrollTop / HEIGHT) - AROUND);
    const to = Math.min(this.lines.length, Math.ceil((scrollTop + clientHeight) / HEIGHT) + AROUND);
    const wrong = new Map();
    for (const each of this.findings) {
      if (each.line >= from && each.line < to) wrong.set(each.line, [...(wrong.get(each.line) ?? []), each]);
    }
    const numbers = [], rows = [];
    for (let line = from; line < to; line++) {
      const found = wrong.get(line) ?? [];
      const number = make("div", "number", String(line + 1));
      const row = make("div", "line");
      this.highlighter.append(row, this.lines[line]);
      if (found.length) {
        const severity = found.some((each) => each.severity === "error") ? "error" : "warning";
        number.classList.add(severity);
        row.classList.add(severity);
        for (const each of found) {
          const under = make("div", "under " + each.severity);
          under.textContent = this.lines[line].slice(0, each.start);
          const part = make("span");
          part.textContent = this.lines[line].slice(each.start, each.end) || " ";
          under.append(part);
          row.append(under);
        }
      }
      numbers.push(number);
      rows.push(row);
    }
    this.gutter.style.setProperty("--digits", String(this.lines.length).length);
    const shift = from * HEIGHT - scrollTop;
    const hold = (element, children, left) => {
      const inner = make("div", "inner", ...children);
      inner.style.transform = "translate(" + left + "px, " + shift + "px)";
      element.replaceChildren(inner);
    };
    hold(this.gutter, numbers, 0);
    hold(this.behind, rows, -scrollLeft);
  }

  /** Put the cursor on a finding. */
  goTo({ line, start, end }) {
    const begin = this.starts[line] ?? 0;
    this.field.focus();
    this.field.setSelectionRange(begin + start, begin + end);
    const top = line * HEIGHT;
    if (top < this.field.scrollTop || top > this.field.scrollTop + this.field.clientHeight - 2 * HEIGHT) {
      this.field.scrollTop = Math.max(0, top - this.field.clientHeight / 3);
    }
    this.draw();
  }

  step(direction) {
    const at = this.field.selectionStart;
    const places = this.findings.map((each) => this.starts[each.line] + each.start);
    const index = direction > 0 ? places.findIndex((place) => place > at) : places.findLastIndex((place) => place < at);
    this.goTo(this.findings[index >= 0 ? index : direction > 0 ? 0 : this.findings.length - 1]);
  }
}
