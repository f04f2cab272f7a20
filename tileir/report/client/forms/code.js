// The pane of machine code: ours, and what tileiras makes, where it is installed.

class CodePane extends ListingPane {
  /** `pane` has the element, the head and the body; `chosen(maker)` is told who is looked at. */
  constructor(view, { head, body }, name, chosen) {
    super(view, body, name);
    this.maker = "tileir";
    const group = make("span", "actions makers");
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", "whose machine code");
    this.buttons = ["tileir", "tileiras"].map((maker) => {
      const button = view.button("small switch", maker === "tileir" ? "ours" : maker, () => {
        this.maker = maker;
        chosen();
      });
      group.append(button);
      return button;
    });
    this.group = group;
    head.append(group);
    this.note = make("p", "note");
    body.before(this.note);
  }

  /** Show the machine code of a record of a kernel, by whoever is chosen or else has some. */
  show(record) {
    const made = { tileir: record.sass && record, tileiras: record.tileiras };
    if (!made[this.maker]) this.maker = made.tileiras ? "tileiras" : "tileir";
    this.group.hidden = !made.tileiras;
    ["tileir", "tileiras"].forEach((maker, index) => {
      this.buttons[index].disabled = !made[maker];
      this.buttons[index].setAttribute("aria-pressed", maker === this.maker);
    });
    const shown = made[this.maker];
    this.costs = shown ? new Costs(shown.cost) : null;
    this.note.textContent = this.costs ? this.costs.said() : "";
    this.note.title = this.note.textContent;
    this.fill(shown ? shown.sass : null);
  }
}
