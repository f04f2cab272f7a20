// The pane of bytes: sixteen a row, as numbers and as characters.

const PER_ROW = 16;
const ROW_HEIGHT = 20;

class HexPane {
  constructor(view, element) {
    this.view = view;
    this.list = new RowList(element, ROW_HEIGHT, (row, i) => this.draw(row, i), (row, i) => this.mark(row, i));
    this.list.link(view, this, (event) => {
      const offset = this.offsetOf(event);
      return offset < 0 ? null : view.data.targetOfByte(offset);
    });
  }

  load(data) {
    this.data = data;
    this.list.element.style.setProperty("--digits", data.digits);
    this.list.element.setAttribute("aria-rowcount", Math.ceil(data.bytes.length / PER_ROW));
    this.list.reset(Math.ceil(data.bytes.length / PER_ROW));
  }

  draw(row, index) {
    const { bytes, blank } = this.data, start = index * PER_ROW;
    row.setAttribute("role", "row");
    row.setAttribute("aria-rowindex", index + 1);
    row.id = this.view.name + "-hex-" + index;
    const head = make("span", "offset", start.toString(16).padStart(this.data.digits, "0"));
    head.setAttribute("role", "rowheader");
    const cells = make("span", "cells"), characters = make("span", "characters");
    cells.setAttribute("role", "none");
    characters.setAttribute("role", "none");
    for (let i = 0; i < PER_ROW; i++) {
      const at = start + i, there = at < bytes.length;
      const value = there ? bytes[at] : 0;
      const text = !there ? "  " : blank[at] ? "\u00b7\u00b7" : value.toString(16).padStart(2, "0");
      const cell = document.createElement("span");
      const character = document.createElement("span");
      cell.textContent = text;
      cell.className = "byte";
      cell.setAttribute("role", "gridcell");
      character.textContent = !there ? " " : blank[at] || value < 32 || value > 126 ? "\u00b7" : String.fromCharCode(value);
      character.className = "char";
      character.setAttribute("aria-hidden", "true");
      if (there) cell.dataset.offset = character.dataset.offset = at;
      cells.append(cell);
      characters.append(character);
    }
    row.append(head, cells, characters);
  }

  mark(row, index) {
    const { selected, hovered } = this.view, data = this.data;
    const [, cells, characters] = row.children;
    const start = index * PER_ROW;
    let field = data.fieldAt(Math.min(start, data.bytes.length - 1));
    const around = (target) => target && target.op >= 0 ? data.targetOfOp(target.op) : null;
    const op = around(selected);
    const ofLine = (target, field) => !!target?.ops?.has(data.opOf[data.fields.node[field]]);
    for (let i = 0; i < PER_ROW; i++) {
      const at = start + i;
      if (at >= data.bytes.length) break;
      while (data.starts[field + 1] <= at) field++;
      let name = "s-" + data.section(field).kind;
      if (field % 2) name += " odd";
      if (data.fields.value[field] === null && data.isQuiet(field)) name += " quiet";
      if (data.badFields.has(field)) name += " " + data.badFields.get(field);
      if (op && at >= op.start && at < op.end) name += " of-op";
      if (selected && at >= selected.start && at < selected.end) name += " selected";
      if (selected && at === selected.byte) name += " at";
      if (hovered && (at >= hovered.start && at < hovered.end || ofLine(hovered, field))) name += " hot";
      else if (ofLine(selected, field)) name += " of-op";
      cells.children[i].className = "byte " + name;
      characters.children[i].className = "char " + name;
    }
  }

  offsetOf(event) {
    const cell = event.target instanceof Element ? event.target.closest("[data-offset]") : null;
    return cell ? Number(cell.dataset.offset) : -1;
  }

  reveal(target) {
    this.list.reveal(Math.floor((target.byte ?? target.start) / PER_ROW));
  }

  /** Return the id of the row that is the active one, for who cannot see it. */
  active(target) {
    return this.view.name + "-hex-" + Math.floor((target.byte ?? target.start) / PER_ROW);
  }

  key(event) {
    const steps = {
      ArrowLeft: -1, ArrowRight: 1, ArrowUp: -PER_ROW, ArrowDown: PER_ROW,
      PageUp: -PER_ROW * this.list.shown, PageDown: PER_ROW * this.list.shown,
      Home: -Infinity, End: Infinity,
    };
    const step = steps[event.key];
    if (step === undefined || !this.data.bytes.length) return false;
    const selected = this.view.selected;
    const from = selected ? selected.byte ?? selected.start : -step;
    const to = Math.min(Math.max(from + step, 0), this.data.bytes.length - 1);
    this.view.select(this.data.targetOfByte(to), this);
    return true;
  }
}
