/** Gives an element a property that stands for another one; returns the element. */
export function alias(element, name, get, set) {
  Object.defineProperty(element, name, { get, set, configurable: true });
  return element;
}
