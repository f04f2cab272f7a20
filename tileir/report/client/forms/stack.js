// The frames of an op: the line that it is written on, and the calls that it was inlined by.

/** Return the numbers of an op's frames, the innermost first. */
function stackOf(data, op) {
  const found = [];
  for (let frame = data.ops.frame[op] ?? -1; frame >= 0; frame = data.frames.caller[frame]) found.push(frame);
  return found;
}

/** Return the frames of an op as elements; those whose line is in the page are buttons. */
function stackShown(view, op) {
  const { data } = view;
  return stackOf(data, op).map((frame, depth) => {
    const name = data.text(data.frames.name, frame), place = data.text(data.frames.location, frame);
    const words = [make("span", "", (depth ? "inlined into " : "") + (name ? name + " " : "") + "at "), make("span", "mono", place)];
    const row = data.sourceRows.get(frame);
    if (row === undefined) return make("span", "frame", ...words);
    const go = view.button("go frame", "", () => view.showRow(op, row));
    go.append(...words);
    return go;
  });
}
