import { fileAddress, svg } from './dom.js';

const icons = fileAddress('icons.svg');

/**
 * Returns a symbol of `icons.svg`, which screen readers skip: the text beside it has the same meaning.
 *
 * @param {string} name
 * @param {number} [size] in pixels; the icon's lines keep their width
 */
export function icon(name, size = 16) {
  return svg('svg', {
    class: 'icon', width: size, height: size, viewBox: '0 0 16 16', 'aria-hidden': 'true', focusable: 'false',
    'stroke-width': size < 16 ? 1.8 : null,
  }, svg('use', { href: `${icons}#${name}` }));
}
