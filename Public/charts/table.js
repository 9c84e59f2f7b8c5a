import { h } from '../elements/dom.js';
import { t } from '../i18n/index.js';

/**
 * Returns the values of a chart as a table.
 *
 * @param {import('./types.js').Model} model
 * @returns {HTMLElement}
 */
export function valueTable(model) {
  return h('div', { class: 'chart-table', tabindex: 0, role: 'region', 'aria-label': model.title },
    h('table', null,
      h('caption', { class: 'visually-hidden' }, model.title),
      h('thead', null, h('tr', null,
        h('th', { scope: 'col' }, t(model.hasDays ? 'chart.day' : 'chart.time')),
        model.series.map(({ name }) => h('th', { scope: 'col' }, name)))),
      h('tbody', null, model.xs.map((x) => h('tr', null,
        h('th', { scope: 'row' }, model.formatX(x)),
        model.series.map((series) => h('td', null, series.textAt(x))))))));
}
