// The outline around rows that are selected: a line drawn freely, or a box.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Draws an outline over a picture from a place on, until it is closed.
 * @param {Element} picture
 * @param {string} kind "lasso" or "select", a box
 * @param {Point} start in pixels
 * @param {(corners: Point[]) => void} onClose told the corners in pixels, of an outline that has some
 * @returns {Drag}
 */
export function outlineFrom(picture, kind, start, onClose) {
  const drawing = document.createElementNS(SVG, "svg");
  const line = document.createElementNS(SVG, "polygon");
  drawing.setAttribute("class", "outline");
  drawing.setAttribute("aria-hidden", "true");
  drawing.append(line);
  picture.append(drawing);
  let corners = [start];
  return {
    move(place) {
      corners = kind === "lasso" ? [...corners, place] : cornersOf(start, place);
      line.setAttribute("points", corners.join(" "));
    },
    end(isDone) {
      drawing.remove();
      if (isDone && corners.length > 2) onClose(corners);
    },
  };
}

/** The corners of a box between two opposite ones. @param {Point} one @param {Point} other @returns {Point[]} */
const cornersOf = ([left, top], [right, bottom]) => [[left, top], [right, top], [right, bottom], [left, bottom]];
