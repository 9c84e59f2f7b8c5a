import { api, path } from '../../api/client.js';
import { field } from '../../elements/fields.js';
import { textInput } from '../../elements/inputs.js';
import { button, emptyState, h, newId, panel } from '../../elements/index.js';
import { t, tn } from '../../i18n/index.js';
import { isPrerelease, settleChannel } from './draft.js';

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

/** Returns the panel that asks for the package of a release. */
export function choosePackage(context) {
  return panel({
    title: t('wizard.package'),
    body: [packagePicker(context, { label: t('wizard.package-label'), hint: t('wizard.package-hint'), chosen: (each) => context.go('new-release', { package: each }) })],
    footer: h('span', null, tn('wizard.package-command', { command: h('code', null, 'larder release make') })),
  });
}

/** Returns the field that adds a package to a draft, which is then that of a set. */
export function addedPackage(wizard) {
  const { draft, context } = wizard;
  return packagePicker(context, { label: t('wizard.package-add-label'), hint: t('wizard.package-add-hint'), chosen: async (name) => {
    if (draft.packages.some((each) => each.package === name)) return;
    const [newest] = await wizard.versionsOf(name);
    draft.packages.push({ package: name, version: newest?.version ?? '' });
    if (isPrerelease(newest?.version ?? '')) draft.isChannelChosen = false;
    settleChannel(draft, context.channel);
    wizard.change();
    context.reload();
  } });
}

/** Returns what the wizard shows for a package without a version that can be released. */
export function noVersion(context, name) {
  return panel({ body: [emptyState({
    icon: 'box', title: t('wizard.no-version', { package: name }), text: h('code', null, `larder publish --package ${name} FOLDER`),
    actions: [button(t('wizard.upload'), { kind: 'primary', icon: 'upload', href: context.href('upload', { package: name }) })],
  })] });
}
