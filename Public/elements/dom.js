const svgNamespace = 'http://www.w3.org/2000/svg';

/**
 * Creates an element of HTML. Children are nodes or text, which is never parsed as HTML; `null`, `undefined` and
 * `false` are left out. Attributes that begin with `on` are listeners; `true` sets an attribute without a value, and
 * `false`, `null` and `undefined` set none.
 *
 * @param {string} tag
 * @param {Object<string, any> | null} [attributes]
 * @param {...any} children
 * @returns {any} the element
 */
export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * Creates an element of SVG, like `h`.
 *
 * @param {string} tag
 * @param {Object<string, any> | null} [attributes]
 * @param {...any} children
 * @returns {any} the element
 */
export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(svgNamespace, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value != null) element.setAttribute(name, String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return element;
}

/** Returns the URL of a file in `Public`, such as `icon.svg`, under the same digest as this module. */
export function fileAddress(name) {
  return new URL(`../${name}`, import.meta.url).href;
}

let lastId = 0;

/** Returns an id that no other element of the document has. */
export function newId(prefix = 'id') {
  return `${prefix}-${++lastId}`;
}

/** Gives an element a property that stands for another one; returns the element. */
export function alias(element, name, get, set) {
  Object.defineProperty(element, name, { get, set, configurable: true });
  return element;
}
