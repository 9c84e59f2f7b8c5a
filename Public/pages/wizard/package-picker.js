import { api, path } from '../../api/client.js';
import { field } from '../../elements/fields.js';
import { textInput } from '../../elements/inputs.js';
import { button, emptyState, h, icon, newId, panel } from '../../elements/index.js';
import { t, tn } from '../../i18n/index.js';
import { isPrerelease, settleChannel } from './draft.js';

/** The packages that the list below the search offers. */
const offeredPackages = 20;

/** The time in milliseconds after a key before the server searches. */
const settleTime = 200;

/**
 * Returns a field that finds a package by a part of its id or name, with a button that goes on.
 *
 * @param {any} context
 * @param {{label: string, hint?: string, confirm: any, chosen: (name: string) => any}} options `confirm` is the label of the
 *   button; `chosen` returns why the package cannot be chosen, if that is so
 * @returns {any}
 */
export function packagePicker(context, { label, hint, confirm, chosen }) {
  const list = h('datalist', { id: newId('packages') });
  let timer;
  let ids = new Set();
  let isChosen = false;
  const choose = async () => {
    const name = input.value.trim();
    if (isChosen) return;
    const failure = name && !ids.has(name) ? await look() : null;
    if (isChosen || name !== input.value.trim()) return;
    isChosen = ids.has(name);
    const problem = !name ? t('field.required') : isChosen ? await Promise.resolve(chosen(name)).catch(({ message }) => message) : failure ?? t('wizard.package-unknown', { package: name });
    if (!problem) return;
    isChosen = false;
    place.setError(problem);
    input.focus();
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
    onkeydown: (event) => {
      if (event.key !== 'Enter' || event.ctrlKey) return;
      event.preventDefault();
      choose();
    },
  });
  /** Searches for the text; returns why that failed. */
  const look = async () => {
    try {
      const { packages } = await api.get(path('apps', context.app, 'packages'), { query: { text: input.value.trim(), limit: offeredPackages }, signal: context.signal });
      ids = new Set(packages.map((each) => each.id));
      list.replaceChildren(...packages.map((each) => h('option', { value: each.id }, each.name)));
    } catch (/** @type {any} */ problem) {
      if (context.signal.aborted) return null;
      place.setError(problem.message);
      return problem.message;
    }
    return null;
  };
  const place = field(label, input, { hint });
  look();
  return h('div', { class: 'stack' }, place, list, h('div', { class: 'row' }, button(confirm, { kind: 'primary', onclick: choose })));
}

/** Returns the panel that asks for the package of a release. */
export function choosePackage(context) {
  return panel({
    title: t('wizard.package'),
    body: [packagePicker(context, {
      label: t('wizard.package-label'), hint: t('wizard.package-hint'), confirm: [t('wizard.continue.audience'), icon('chevron-right')],
      chosen: (each) => context.go('new-release', { package: each }),
    })],
    footer: h('span', null, tn('wizard.package-command', { command: h('code', null, 'larder release make') })),
  });
}

/** Returns the field that adds a package to a draft, which is then that of a set. The focus goes to it, and then to the version. */
export function addedPackage(wizard) {
  const { draft, context } = wizard;
  const picker = packagePicker(context, {
    label: t('wizard.package-add-label'), hint: t('wizard.package-add-hint'), confirm: t('wizard.package-add'), chosen: async (name) => {
      if (draft.packages.some((each) => each.package === name)) return t('wizard.package-present', { package: name });
      const [newest] = await wizard.versionsOf(name);
      if (context.signal.aborted) return null;
      draft.packages.push({ package: name, version: newest?.version ?? '' });
      if (isPrerelease(newest?.version ?? '')) draft.isChannelChosen = false;
      settleChannel(draft, context.channel);
      wizard.change();
      await context.reload();
      /** @type {any} */ (document.querySelectorAll('main .grid-2 select')[draft.packages.length - 1])?.focus();
      return null;
    },
  });
  // The field is not on the page before this function has returned.
  queueMicrotask(() => picker.querySelector('input').focus());
  return picker;
}

/** Returns what the wizard shows for a package without a version that can be released. */
export function noVersion(context, name) {
  return panel({ body: [emptyState({
    icon: 'box', title: t('wizard.no-version', { package: name }), text: h('code', null, `larder publish --package ${name} FOLDER`),
    actions: [button(t('wizard.upload'), { kind: 'primary', icon: 'upload', href: context.href('upload', { package: name }) })],
  })] });
}
