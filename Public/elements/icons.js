import { svg } from './dom.js';

const circle = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;

/** The lines of each icon on a grid of 16 by 16. */
const lines = {
  home: 'M2.5 7.2 8 2.5l5.5 4.7v6.3h-4v-4h-3v4h-4z',
  box: 'm8 1.8 5.5 3v6.4L8 14.2l-5.5-3V4.8zM2.7 4.9 8 7.8l5.3-2.9M8 7.8v6.2',
  rocket: `M6.2 9.8 4.4 8C5.4 4.4 8.4 2.2 13.6 2.4c.2 5.2-2 8.2-5.6 9.2zM4.5 8H2.2l2-2.9h2M8 11.5v2.3l2.9-2v-2M2.5 13.5l2-2${circle(10, 6, 1)}`,
  chart: 'M2.5 2.5v11h11M5.5 11V7.5M8.5 11V4.5M11.5 11V8.5',
  phone: 'M4.5 1.8h7v12.4h-7zM7.2 12h1.6',
  briefcase: 'M2.5 5h11v8h-11zM6 5V2.8h4V5M2.5 8.5h11M8 7.8v1.4',
  list: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.1M2.5 8h.1M2.5 12h.1',
  gear: `${circle(8, 8, 2.2)}M8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6 5 5M11 11l1.4 1.4M3.6 12.4 5 11M11 5l1.4-1.4`,
  upload: 'M8 10.5v-8M4.8 5.5 8 2.4l3.2 3.1M2.5 10.5v3h11v-3',
  download: 'M8 2.5v8M4.8 7.4 8 10.5l3.2-3.1M2.5 10.5v3h11v-3',
  plus: 'M8 3v10M3 8h10',
  check: 'm3 8.5 3.3 3.3L13 4.8',
  cross: 'm4 4 8 8M12 4l-8 8',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3.2v9.6L12.5 8z',
  stop: 'M3.8 3.8h8.4v8.4H3.8z',
  undo: 'M5.5 2.8 2.5 5.8l3 3M2.8 5.8H10a3.6 3.6 0 0 1 0 7.2H6.5',
  lock: 'M3.5 7h9v6.5h-9zM5.2 7V5a2.8 2.8 0 0 1 5.6 0v2',
  globe: `${circle(8, 8, 6)}M2 8h12M8 2c-4 4-4 8 0 12M8 2c4 4 4 8 0 12`,
  search: `${circle(7, 7, 4.5)}M10.4 10.4l3.4 3.4`,
  warning: 'M8 2.2 14.3 13.3H1.7zM8 6.5v3.2M8 11.4v.1',
  info: `${circle(8, 8, 6)}M8 7.4v3.6M8 5v.1`,
  clock: `${circle(8, 8, 6)}M8 4.5V8l2.4 1.6`,
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.3V2.5h-8v8h2.8',
  more: 'M3.3 8h.1M8 8h.1M12.7 8h.1',
  'chevron-right': 'm6 3.5 4.5 4.5L6 12.5',
  'chevron-left': 'M10 3.5 5.5 8l4.5 4.5',
  'chevron-down': 'M3.5 6 8 10.5 12.5 6',
  sort: 'M5 6.2 8 3.2l3 3M5 9.8l3 3 3-3',
  shield: 'M8 1.8c1.8 1.3 3.4 1.8 5.3 1.9.2 5-1.4 8.4-5.3 10.5-3.9-2.1-5.5-5.5-5.3-10.5 1.9-.1 3.5-.6 5.3-1.9z',
  key: `${circle(5.2, 10.8, 2.7)}M7.2 8.8l6-6M10.8 5.2l2 2`,
  user: `${circle(8, 5.2, 2.7)}M2.8 13.7c.5-3 2.5-4.4 5.2-4.4s4.7 1.4 5.2 4.4`,
  users: `${circle(6, 5.4, 2.4)}M1.5 13.3c.4-2.7 2.1-4 4.5-4s4.1 1.3 4.5 4M10.8 3.2a2.4 2.4 0 0 1 0 4.5M12 9.7c1.5.5 2.3 1.7 2.6 3.6`,
  bell: 'M3 11.5c1-1.2 1.2-2.3 1.2-4.5a3.8 3.8 0 0 1 7.6 0c0 2.2.2 3.3 1.2 4.5zM6.5 13.8h3',
  file: 'M3.8 1.8h5.4l3 3v9.4H3.8zM9 2v3h3',
  folder: 'M1.8 3.5h4.4l1.5 1.8h6.5v7.7H1.8z',
  link: 'M6.7 9.3a2.5 2.5 0 0 0 3.6 0l2.7-2.7a2.55 2.55 0 0 0-3.6-3.6l-1 1M9.3 6.7a2.5 2.5 0 0 0-3.6 0L3 9.4A2.55 2.55 0 0 0 6.6 13l1-1',
  trash: 'M2.5 4.2h11M6 4V2.3h4V4M4 4.4l.6 9.3h6.8l.6-9.3M6.7 7v4M9.3 7v4',
  edit: 'm2.5 13.5.7-3.2 7.6-7.6 2.5 2.5-7.6 7.6zM9.3 4.2l2.5 2.5',
  eye: `M1.5 8c1.5-2.9 3.7-4.3 6.5-4.3s5 1.4 6.5 4.3c-1.5 2.9-3.7 4.3-6.5 4.3S3 10.9 1.5 8z${circle(8, 8, 1.9)}`,
  moon: 'M13.3 9.7A5.8 5.8 0 0 1 6.3 2.7a5.7 5.7 0 1 0 7 7z',
  sun: `${circle(8, 8, 2.8)}M8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9`,
  language: 'M1.8 4h7.4M5.5 2.3V4M7.7 4c-.7 2.9-2.6 4.9-5.5 6M3.5 6.2c.9 1.7 2.2 2.8 4 3.6M7.5 14l3.2-7.5L13.9 14M8.6 11.5h4.2',
  external: 'M9 2.5h4.5V7M13.3 2.7 7.5 8.5M11.5 9.5v4h-9v-9h4',
  filter: 'M2 3.5h12M4.5 8h7M6.8 12.5h2.4',
  'arrow-right': 'M2.5 8h11M9.5 4l4 4-4 4',
  'arrow-left': 'M13.5 8h-11M6.5 4l-4 4 4 4',
  menu: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  layers: 'm8 2 6 3-6 3-6-3zM2.3 8.2 8 11l5.7-2.8M2.3 11.2 8 14l5.7-2.8',
};

/**
 * Returns an icon, which screen readers skip: the text beside it has the same meaning.
 *
 * @param {string} name
 * @param {number} [size] in pixels; the icon's lines keep their width
 * @returns {any} an element of SVG
 */
export function icon(name, size = 16) {
  return svg('svg', {
    class: 'icon', width: size, height: size, viewBox: '0 0 16 16', 'aria-hidden': 'true', focusable: 'false',
    'stroke-width': size < 16 ? 1.8 : null,
  }, svg('path', { d: lines[name] ?? lines.info }));
}
