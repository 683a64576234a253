// The connection to Dash: functions that its callbacks call, and components that scripts change.

/**
 * Makes functions callable as the clientside callbacks of namespace "studio".
 * @param {Record<string, Function>} functions
 */
export function provideCallbacks(functions) {
  window.dash_clientside ??= {};
  window.dash_clientside.studio ??= {};
  Object.assign(window.dash_clientside.studio, functions);
}

/**
 * Changes the properties of a component, as a callback would.
 * @param {string} id
 * @param {object} props
 */
export function setProps(id, props) {
  window.dash_clientside.set_props(id, props);
}

/** What a callback returns to leave its output alone. */
export const noUpdate = () => window.dash_clientside.no_update;

/** Starts Dash, which may then call every function that was provided. */
export const startDash = () => new window.DashRenderer();
