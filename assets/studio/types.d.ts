// What the server sends and the modules pass to each other, for the type checker alone: every module knows these names.

/** A run on the page. */
type Panel = import("./panel/panel.mjs").Panel;

type Extent = [low: number, high: number];
type Axes = [x: Extent, y: Extent];
type Point = [x: number, y: number];

/** How a plane is viewed; null stands for "as the run found it". */
interface ViewOptions {
  gamma: number | null;
  /** How many features are kept, the strongest. */
  n_top_features: number | null;
  /** Another run and the share of the way to its plane: the newest, or the one of that number; and
   * the number of its plane where the way begins, if not at the run's own. */
  morph: [run: string, share: number, plane?: number | null, origin?: number] | null;
  /** Loadings set by hand, in their order. */
  edits: [feature: number, x: number, y: number][];
  /** Azimuth and elevation in radians, of three components. */
  view_angle: [azimuth: number, elevation: number] | null;
  /** The weight of the batches with which the plane is refitted. */
  batch_weight: number | null;
  /** Where the rows are drawn once the refits of the run are known; null for where planes that never saw them put them. */
  places: "fitted" | null;
}

/** What a panel is made from, as melm_studio/layout/panel.py says it. */
type DescribedPanel = Record<
  "run" | "label" | "title" | "gamma" | "components" | "has" | "space" | "edits" | "projection",
  string
>;

/** A plane of the tree of a run, as melm_studio/analyses/tree.py says it. */
interface TreePlane {
  plane: number;
  gamma: number;
  y: number;
  /** The planes that the arrow keys lead to, by their places in the list. */
  steps: { left: number; right: number; up: number; down: number };
  words: string;
}

interface Tree {
  run: string;
  is_final: boolean;
  can_begin: boolean;
  fraction: number;
  stage: string;
  words: string;
  branches: { letter: string; words: string; planes: number[]; best: number }[];
  planes: TreePlane[];
  figures: Record<string, { data: object[]; layout: object }>;
}

/** What a trace of a plane shows (melm_studio/planes/traces.py). */
type PlaneTrace =
  | "contour"
  | "train"
  | "held_out"
  | "threshold"
  | "faint_arrows"
  | "arrow_lines"
  | "arrow_heads"
  | "outside"
  | "class_names"
  | "class_ellipse"
  | "mean_ellipse"
  | "centroid"
  | "fitted_outline";

/** What a trace of the curve shows. */
type CurveTrace = "band" | "steps" | "best" | "held_out" | "starts" | "records";

interface TraceMeta {
  kind: PlaneTrace | CurveTrace | "unlabeled" | "new_rows" | "ring" | "ways"; // the last of scripts alone
  class?: number;
}

interface Trace {
  meta: TraceMeta;
  mode: string;
  x?: any;
  y?: any;
  [property: string]: any;
}

/** The styles of a run's figures, without data; `rows` are the rows of the file by trace. */
interface Figure {
  plane: { data: Trace[]; layout: any };
  curve: { data: Trace[]; layout: any };
  rows: number[][];
  classes: string[];
  /** The color behind the picture. */
  surface: string;
  /** How many rows of the table have no class. */
  unlabeled: number;
  /** Whether the traces draw a sample of the rows. */
  is_sample: boolean;
}

/** One plane as it is drawn: the arrays of every trace of the figure, and its scores. */
interface Plane {
  sequence: number;
  traces: Record<string, any>[];
  limits: Axes;
  /** Titles of the axes. */
  axes: string[];
  arrows: {
    features: number[];
    names: string[];
    /** Where features bend, what stands at their arrows. */
    labels?: string[];
    scale: number;
    of: number;
    /** Where features bend, the values of each along its path; null of a straight one. */
    values?: (number[] | null)[];
  };
  top_features: string | null;
  /** What is known about batches in the plane; null without a Batch column. */
  batches: { words: string; weight: number; can_act: boolean } | null;
  strip: VerdictWords;
  numbers: Record<string, number | null>;
  sample: string;
  caption: string;
  /** What makes it another plane than that of the run, as a sentence; empty if nothing does. */
  changes: string;
  /** Where its rows are drawn; null where there are no refits. Without a state, the words say why there is one only. */
  places: { state: "unseen" | "fitted" | ""; warning: string; words: string } | null;
  has_held_out: boolean;
  gamma?: number;
  /** The address that it was requested by; absent for planes that came with the news. */
  address?: string;
}

/** Held-out accuracy by kernel width, from smooth to local; `chosen` once all folds are done. */
interface GammaPath {
  gammas: number[];
  accuracies: number[];
  standard_errors: number[];
  n_folds: number;
  chosen: number | null;
}

/** What the strip shows, see melm_studio/scores.py; `check` is null before it was asked for. */
interface VerdictWords {
  answer: string;
  lead: string;
  /** Why what is told apart may not be the classes. */
  caution: string;
  follow: string;
  /** What narrow panels leave out. */
  more: string;
  /** The columns that are to be left out, if they are the caution. */
  remedy: string[];
  /** Whether straight features tell nothing or few apart, and curved ones might tell more. */
  offers_curves: boolean;
  notes: string[];
  tooltip: string;
  /** What a screen reader says. */
  spoken: string;
  check: { stage: string; fraction: number; is_final: boolean } | null;
}

/** Mean and band over folds, by the number of the plane. */
interface FoldsCurve {
  x: number[];
  mean: number[];
  lower: number[];
  upper: number[];
}

/** What the frames route reports of one run. */
interface News {
  state: string;
  is_final: boolean;
  /** The kernel width of the run, and for one that chooses it the held-out accuracies so far. */
  gamma: number;
  /** The kernel width of the densities that are drawn. */
  density_gamma: number;
  gamma_path: GammaPath | null;
  words: string;
  fraction: number;
  sequences: number[];
  objective: number[];
  best: number[];
  starts: number[];
  /** The number of rows that each value is over, 0 for all. */
  n_sampled: number[];
  /** Sequences of the best planes, and their held-out divergence. */
  held_out: [number, number][];
  plane: Plane | null;
  /** Of a run whose refits are done: held-out divergence along its planes, where that is known. */
  refitted: { curve: FoldsCurve | null } | null;
  verdict: VerdictWords | null;
  /** What the strip says of the best plane so far, if one of these planes is the best. */
  best_strip: VerdictWords | null;
}

/** A view that the server has restored: the run that shows it, and how. */
interface RestoredView {
  choice?: unknown;
  run: string;
  mode: string;
  hidden: string[];
  layers: string[];
  marks: { colorBy: string | null; shapeBy: string | null; newRows: { key: string; name: string } | null };
  options: Partial<ViewOptions>;
  /** What the plane of another number is of, if the view shows one. */
  other: "tree" | "resamples" | null;
  plane: number | null;
  divergence: number | null;
  caution: string | null;
  quiet: boolean;
}

/** One row in a plane, as melm_studio/rows says it. */
interface RowSummary {
  row: number;
  name: string;
  label: string;
  /** Empty of a row that is unlike those of the fit, as its probability. */
  predicted: string;
  probability: string;
  basis: string;
  unlike: string;
  /** The classes that it may be of, where that is not the predicted one alone. */
  possible: string;
}

/** The colors or symbols of the points of each trace, and what they stand for. */
interface PointMarks {
  marks: string[][];
  legend: { text: string; mark: string }[];
  /** The legend as HTML. */
  markup: string;
}

/** The card of a row, as HTML. */
interface RowDetails {
  markup: string;
}

interface StoryView {
  title: string;
  caption: string;
  notes?: string;
  view: { mode: string };
}

/** An uploaded file, and what the numbers of its columns are multiplied by. */
type PlacedFile = { key: string; name: string; scaled?: Record<string, number> };

type Numbers = Float32Array | Float64Array | Uint8Array | Uint16Array;

/** The rows of a run in the order of the file. Of rows without a class, the class is the number of classes. */
type Rows = { numbers: Int32Array; classes: Numbers; heldOut: Numbers };

/** Where the rows are. */
type Points = { x: Float32Array; y: Float32Array };

/** What points are marked by, of every row. */
type RowMarks = { palette: string[]; codes: Numbers };

/** What points are marked by: by trace of the figure, and of every row. */
type Marked = { marks: string[][]; every: RowMarks | null };

/** Which rows the layer draws, where traces draw the others. */
type DrawnRows = { labeled: boolean; unlabeled: boolean };

/** How a mark looks. A weight below one makes it faint, and one of zero hides it; rows without a class lie below the others. */
type Look = { color: number[]; symbol: string; weight: number; isBelow: boolean };

/** Of each row its mark, and of each mark its look. */
type Dress = { marks: Uint16Array; looks: Look[] };

/** How much larger than in the figure texts, the numbers of the axes, markers and lines are. */
type Sizes = { text: (kind: string) => number; numbers: number; marker: number; line: number };

/** A plane, and how a painter is to show it. */
interface View {
  plane: { traces: Record<string, any>[]; arrows: { features: number[]; names: string[]; labels?: string[] } };
  /** The styles of its traces, and their axes. */
  figure: { data: Trace[]; layout: any };
  /** The color behind the picture. */
  surface: string;
  /** The axes that are shown at least. */
  axes: Axes;
  /** Those that are shown instead. */
  zoom: Axes | null;
  /** Titles of the axes, where they are said. */
  titles: [string, string] | null;
  /** Switches that are off. */
  hidden: readonly string[];
  /** Layers that are on, of those which are off until they are asked for. */
  layers: readonly string[];
  /** The classes that alone are shown. */
  classes: number[] | null;
  /** By trace of points in their order, the points that stand out. */
  selected: number[][] | null;
  /** The rows that stand out, by number, among every row. */
  rows: Set<number> | null;
  /** Columns that points are colored and shaped by, rather than by their class. */
  columns: { colors: Marked | null; symbols: Marked | null };
  /** The features whose arrows are drawn, and no others, where another screen has chosen them; those with room for their
   * names by default. */
  arrows: number[] | null;
  /** How many arrows are drawn at most, the longest. */
  arrowLimit: number;
  /** The features of which it is not sure that they matter. */
  unseen: Iterable<number>;
  sizes: Sizes;
  /** Traces added to those of the plane. */
  added: Trace[];
  /** What draws every row, where the traces have a sample: contours and names of classes then have the ink of the axes. */
  every: import("./plane/every_row.mjs").EveryRow | null;
}

/** What tells whether a plane has its rows at their other places. */
type Placed = Partial<Pick<Plane, "sequence" | "places">>;

/** What is drawn of a plane. */
interface Picture {
  plane?: Placed & { traces?: object };
  traces: Trace[];
  /** The axes that are shown at least. */
  axes: Axes;
  /** Whether it glides to them. */
  movesAxes?: boolean;
  /** The features of its arrows. */
  features: number[];
  /** Titles of the axes, where nothing else says them. */
  titles?: [string, string] | null;
  /** How long the glide to it is watched, where planes that come do not say how long one may take. */
  lastsMs?: number | null;
}

/** What a picture leaves to the next in its place: itself, and the layout of its figure. */
type Left = { picture: Picture; layout: any };

/** What pictures of the same rows have in common, outside the studio; the figures are by scheme. */
interface Scene {
  /** Of the classes. */
  names: string[];
  figures: Record<string, { data: Trace[]; layout: any }>;
  surfaces: Record<string, string>;
  /** Titles of planes that do not say how much of the variance is on their axes. */
  titles: [string, string];
  layers: string[];
  /** What is known of rows, by trace of points in their order. */
  rows?: string[][][] | null;
}

/** A box in pixels. */
type Box = Record<"left" | "right" | "top" | "bottom", number>;

/** The axes of a drawn figure in pixels, whoever has laid them out. */
interface PixelAxis {
  offset: number;
  length: number;
  gridColor: string;
  tickStep?: number;
  /** The font of its numbers. */
  numbers?: { size: number; color: string; family: string } | null;
}

/** Pixels of data: offset + scale * value, on each axis. */
interface DrawnAxes {
  x: { offset: number; scale: number };
  y: { offset: number; scale: number };
}

/** The axes of a picture in pixels. */
type PixelAxes = { x: PixelAxis; y: PixelAxis; hasEqualUnits: boolean };

/** What is on screen: axes, and where they are. */
type Shown = { axes: Axes; pixels: PixelAxes };

/** What dragging does where it does not move the picture; `isDone` unless it is given up. */
type Drag = { move: (place: Point) => void; end?: (isDone: boolean) => void };

/** Who shows a picture that is looked around in. Places are in its pixels. */
interface Viewer {
  /** What is on screen; null where nothing is. */
  shown: () => Shown | null;
  /** Shows other axes; null stands for those that hold everything. */
  look: (axes: Axes | null) => void;
  /** Is told where the pointer is; null once it is away, or drags. */
  point: (place: Point | null) => void;
  /** What dragging from a place does instead. */
  take?: (place: Point, event: PointerEvent) => Drag | null;
  /** Whether keys move the picture, rather than something else on the page. */
  hasKeys?: () => boolean;
}

interface HTMLElementEventMap {
  "panel:news": CustomEvent<News>;
  "panel:plane": CustomEvent<Plane>;
  "panel:painted": CustomEvent<Plane>;
  /** The probabilities of rows are calibrated from now on. */
  "panel:calibrated": CustomEvent<null>;
  /** Where the pointer is, in pixels of the picture; null once it is away, or drags. */
  "panel:point": CustomEvent<Point | null>;
  "panel:hover": CustomEvent<{ row: number | null; at: Point; label: string } | null>;
  "panel:file": CustomEvent<File>;
  "panel:options": CustomEvent<ViewOptions>;
}
interface Window {
  /** What the presenter's window asks of the page that has opened it. */
  presented: (asking: Window) => Promise<typeof import("./present/presenter_window.mjs")>;
  Plotly: any;
  dash_clientside: any;
  dash_component_api: any;
  DashRenderer: new () => unknown;
  dashMantineFunctions: Record<string, Function>;
}
