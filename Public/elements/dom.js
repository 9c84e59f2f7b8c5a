const svgNamespace = 'http://www.w3.org/2000/svg';

/** @typedef {(tag: string, attributes?: Object<string, any> | null, ...children: any[]) => any} Create */

/**
 * Creates an element of HTML. Children are nodes or text, which is never parsed as HTML; `null`, `undefined` and
 * `false` are left out. Attributes that begin with `on` are listeners; `true` sets an attribute without a value, and
 * `false`, `null` and `undefined` set none.
 *
 * @type {Create}
 */
export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

/**
 * Creates an element of SVG, like `h`.
 *
 * @type {Create}
 */
export const svg = (tag, attributes, ...children) => fill(document.createElementNS(svgNamespace, tag), attributes, children);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value != null) element.setAttribute(name, String(value));
  }
  element.append(...nodesOf(children));
  return element;
}

/** Returns the nodes and texts of nested lists, in which `null`, `undefined` and `false` stand for nothing. */
export function nodesOf(...content) {
  return content.flat(Infinity).filter((node) => node != null && node !== false);
}

/** Returns the URL of a file in `Public`, under the same digest as this module. */
export function fileAddress(name) {
  return new URL(`../${name}`, import.meta.url).href;
}

/** Changes the content of an element. The focus goes to the new part with the same key or address. */
export function keepFocus(element, change) {
  const keyOf = (part) => part.getAttribute('data-key') ?? part.getAttribute('href');
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  change();
  if (!focused || focused === document.activeElement || !keyOf(focused)) return;
  [...element.querySelectorAll('[data-key], [href]')].find((part) => keyOf(part) === keyOf(focused))?.focus();
}

let lastId = 0;

/** Returns an id that no other element of the document has. */
export function newId(prefix = 'id') {
  return `${prefix}-${++lastId}`;
}
