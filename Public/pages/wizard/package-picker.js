import { api, path } from '../../api/client.js';
import { field } from '../../elements/fields.js';
import { textInput } from '../../elements/inputs.js';
import { h, newId } from '../../elements/index.js';
import { t } from '../../i18n/index.js';

/** The packages that the list below the search offers. */
const offeredPackages = 20;

/** The time in milliseconds after a key before the server searches. */
const settleTime = 200;

/**
 * Returns a field that finds a package by a part of its id or name.
 *
 * @param {any} context
 * @param {{label: string, hint?: string, chosen: (name: string) => void}} options
 * @returns {any}
 */
export function packagePicker(context, { label, hint, chosen }) {
  const list = h('datalist', { id: newId('packages') });
  let timer;
  let ids = new Set();
  let isChosen = false;
  const choose = async () => {
    const name = input.value.trim();
    if (!name || isChosen) return;
    if (!ids.has(name)) await look();
    if (isChosen || name !== input.value.trim()) return;
    place.setError(ids.has(name) ? null : t('wizard.package-unknown', { package: name }));
    if (!ids.has(name)) return;
    isChosen = true;
    chosen(name);
  };
  const input = textInput({
    list: list.id, placeholder: t('wizard.package-search'),
    oninput: (event) => {
      clearTimeout(timer);
      place.setError(null);
      // A choice from the list replaces the text at once; typing does not choose an id that another one begins with.
      if (event.inputType === 'insertReplacementText') choose();
      else timer = setTimeout(look, settleTime);
    },
    onchange: choose,
    onkeydown: (event) => {
      if (event.key !== 'Enter' || event.ctrlKey) return;
      event.preventDefault();
      choose();
    },
  });
  const look = async () => {
    try {
      const { packages } = await api.get(path('apps', context.app, 'packages'), { query: { text: input.value.trim(), limit: offeredPackages }, signal: context.signal });
      ids = new Set(packages.map((each) => each.id));
      list.replaceChildren(...packages.map((each) => h('option', { value: each.id }, each.name)));
    } catch (/** @type {any} */ problem) {
      if (!context.signal.aborted) place.setError(problem.message);
    }
  };
  const place = field(label, input, { hint });
  look();
  return h('div', null, place, list);
}
