import { announce, h } from './dom.js';
import { number } from './format.js';

/** The number of rows on a page. */
export const PAGE_ROWS = 25;

/** A paged list; a refresh keeps the page. */
export class Pager {
  /**
   * @param name the plural of the items in lower case, such as `versions`
   * @param draw returns the list's element for the rows of a page
   */
  constructor(name, draw) {
    this.name = name;
    this.draw = draw;
    this.rows = [];
    this.first = 0;
    this.body = h('div');
    this.range = h('span', { class: 'muted' });
    this.back = h('button', { type: 'button', 'aria-label': `Previous ${name}`, onclick: () => this.move(-1) }, '‹ Previous');
    this.forth = h('button', { type: 'button', 'aria-label': `Next ${name}`, onclick: () => this.move(1) }, 'Next ›');
    this.nav = h('nav', { class: 'pager', 'aria-label': `Pages of ${name}` }, this.back, this.range, this.forth);
    this.element = h('div', null, this.body, this.nav);
  }

  show(rows) {
    this.rows = rows;
    this.render();
  }

  move(step) {
    // The buttons keep the focus at both ends, so they are not `disabled`.
    const first = this.first + step * PAGE_ROWS;
    if (first < 0 || first >= this.rows.length) return;
    this.first = first;
    this.render();
    announce(this.range.textContent);
  }

  render() {
    const all = this.rows.length;
    if (this.first >= all) this.first = Math.max(0, Math.floor((all - 1) / PAGE_ROWS) * PAGE_ROWS);
    const end = Math.min(this.first + PAGE_ROWS, all);
    this.range.textContent = `${number(this.first + 1)}–${number(end)} of ${number(all)} ${this.name}`;
    this.back.setAttribute('aria-disabled', String(this.first === 0));
    this.forth.setAttribute('aria-disabled', String(end === all));
    this.nav.hidden = all <= PAGE_ROWS;
    this.body.replaceChildren(this.draw(this.rows.slice(this.first, end)));
  }
}
