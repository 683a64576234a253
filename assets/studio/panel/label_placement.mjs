// Which side of its arrow's tip a name is written on.

/**
 * The place of a name, moved to the other side of its tip if the edge of the picture would cut it.
 * @param {string} place as plotly writes it: height and side, as "middle right"
 * @param {number} width of the name in pixels
 * @param {{ left: number, right: number }} room beside the tip in pixels
 * @returns {string}
 */
export function placeLabel(place, width, room) {
  const [height, side] = place.split(" ");
  const other = side === "left" ? "right" : "left";
  if (room[side] >= width || room[other] < room[side]) return place;
  // Beside the tip, the name would be written over the arrow itself.
  return `${height === "middle" ? "top" : height} ${other}`;
}
