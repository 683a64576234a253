// Rules for the page's scripts. Layout is left to taste, types are left to the type checker.
import js from "@eslint/js";
import globals from "globals";

const STRICT = {
  curly: ["error", "multi-line"],
  eqeqeq: "error",
  "no-eval": "error",
  "no-implied-eval": "error",
  "no-restricted-properties": [
    "error",
    ...["innerHTML", "outerHTML"].map((property) => ({ property, message: "Set textContent; names may hold markup." })),
  ],
  "no-restricted-syntax": ["error", { selector: "TemplateLiteral TemplateLiteral", message: "rjsmin drops spaces within." }],
  "no-shadow": "error",
  "no-var": "error",
  "object-shorthand": "error",
  "prefer-const": "error",
  "prefer-template": "error",
};

// plotly's private attributes are read in one module.
const PRIVATE = ["error", ...["_fullLayout", "_fullData", "_offset", "_length"].map((property) => ({ property }))];

export default [
  { ignores: ["node_modules/", ".venv/", "build/", "test-results/"] },
  js.configs.recommended,
  { rules: STRICT },
  { files: ["assets/**/*.mjs", "lab/site/**/*.js"], languageOptions: { globals: globals.browser } },
  { files: ["melm_studio/publication/**/*.js"], languageOptions: { globals: { ...globals.browser, Plotly: "readonly" } } },
  {
    files: ["assets/**/*.mjs"],
    ignores: ["assets/studio/plane/plotly.mjs"],
    rules: { "no-restricted-properties": [...STRICT["no-restricted-properties"], ...PRIVATE.slice(1)] },
  },
  { files: ["tests/page/**/*.mjs", "*.config.js"], languageOptions: { globals: globals.node } },
];
