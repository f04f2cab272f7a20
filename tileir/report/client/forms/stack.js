// The frames of an op: the line that it is written on, and the calls that it was inlined by.

/** Return the numbers of an op's frames, the innermost first. */
function stackOf(data, op) {
  const found = [];
  for (let frame = data.ops.frame[op] ?? -1; frame >= 0; frame = data.frames.caller[frame]) found.push(frame);
  return found;
}

/** Return where an op is written: its line of source, else that of Tile IR; with the text of the line, as far as the page has it. */
function writtenAt(data, op) {
  const frame = data.ops.frame[op] ?? -1, row = data.sourceRows.get(frame), line = data.ops.line[op];
  const code = row === undefined ? data.lines[line] ?? "" : data.sourceLines[row][1];
  const named = frame >= 0 ? data.text(data.frames.location, frame) : data.text(data.ops.location, op);
  const place = named || (line >= 0 && data.file.text.form === "text" ? "line " + (line + 1) + " of the text" : "byte " + hexadecimal(data.targetOfOp(op).start));
  return { place, code: code.trim() };
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
