// Rules for the page's styles: those of stylelint's standard, less what it has no reason for here.
export default {
  extends: ["stylelint-config-standard"],
  rules: {
    // Rooms are separated by comments; blank lines within them are a matter of taste.
    "comment-empty-line-before": null,
    "custom-property-empty-line-before": null,
    "declaration-empty-line-before": null,
    "rule-empty-line-before": null,
    // Selectors address elements of Mantine and plotly besides the page's own.
    "no-descending-specificity": null,
    "selector-class-pattern": null,
  },
};
