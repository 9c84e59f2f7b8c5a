import { api, path } from '../../api/client.js';
import { checkbox, field } from '../../elements/fields.js';
import { textArea } from '../../elements/inputs.js';
import { copyButton } from '../../elements/copy.js';
import { badge, button, dialog, h, menu, notice, toast } from '../../elements/index.js';
import { table } from '../../elements/table.js';
import { timeTag } from '../../elements/time.js';
import { livePanel } from '../../elements/live.js';
import { roleWall } from '../../elements/role-wall.js';
import { t } from '../../i18n/index.js';

/** Opens the tab with the keys of the app. */
export async function open(context) {
  const { app } = context;
  const wall = roleWall(context, 'admin', { app });
  if (wall) return { title: t('settings.tab-keys'), content: [wall] };
  const where = path('apps', app, 'keys');
  const panels = [];
  const reload = () => panels.forEach((each) => each.reload());
  /** One request serves all panels of the page. */
  let waiting;
  const load = () => {
    waiting ??= api.get(where, { signal: context.signal }).finally(() => { waiting = undefined; });
    return waiting;
  };
  const changes = (event) => event.action?.startsWith('key.');
  const list = (options) => {
    const element = livePanel(context, { load, changes, rows: 2, ...options });
    panels.push(element);
    return element;
  };
  const ofPurpose = (keys, purpose) => keys.filter((key) => key.purpose === purpose);

  const signing = list({
    title: t('settings.signing'), note: t('settings.signing-note'),
    actions: [button(t('settings.key-new'), { icon: 'plus', small: true, onclick: makeSigning }),
      button(t('settings.key-import'), { small: true, onclick: () => importKey('signing') })],
    render: ({ keys }) => keyTable(t('settings.signing'), ofPurpose(keys, 'signing'), (key) => retireItems(key, keys)),
  });
  const root = list({
    title: t('settings.root'), note: t('settings.root-note'),
    actions: [button(t('settings.root-new'), { small: true, kind: 'danger', onclick: makeRoot })],
    render: ({ keys }) => keyTable(t('settings.root'), ofPurpose(keys, 'root'), () => []),
  });
  const legacy = list({
    title: t('settings.legacy'), note: t('settings.legacy-note'),
    actions: [button(t('settings.key-import'), { small: true, onclick: () => importKey('legacy') })],
    empty: { icon: 'key', title: t('settings.legacy-empty'), text: t('settings.legacy-empty-text') },
    isEmpty: ({ keys }) => ofPurpose(keys, 'legacy').length === 0,
    render: ({ keys }) => keyTable(t('settings.legacy'), ofPurpose(keys, 'legacy'), (key) => [
      ...(key.privateHalf ? [{
        label: t('settings.key-export'), icon: 'download', onclick: () => exportKey(key),
      }] : []),
      ...retireItems(key, keys),
    ]),
  });
  const retired = list({
    title: t('settings.retired'),
    empty: { icon: 'key', title: t('settings.retired-empty') }, isEmpty: (data) => data.retired.length === 0,
    render: (data) => table({
      caption: t('settings.retired'),
      columns: [{ label: t('settings.key') }, { label: t('settings.purpose') }, { label: t('settings.created') }, { label: t('settings.retired-at') }],
      rows: data.retired.map((key) => ({ cells: [
        h('code', { class: 'nowrap' }, key.keyId), t(`settings.purpose-${key.purpose}`), timeTag(key.createdAt), key.retiredAt ? timeTag(key.retiredAt) : '–',
      ] })),
    }),
  });

  function retireItems(key, keys) {
    const isLast = ofPurpose(keys, key.purpose).length === 1;
    return [{
      label: t('settings.key-retire'), icon: 'trash', danger: true, onclick: () => retire(key),
      reason: isLast ? t('settings.key-last') : null,
    }];
  }

  async function makeSigning() {
    const made = await dialog({
      title: t('settings.key-new-title'), body: [h('p', null, t('settings.key-new-text'))], confirm: t('settings.key-new-do'), kind: 'primary',
      act: async () => (await api.send('POST', where, { purpose: 'signing' })).value,
    });
    if (!made) return;
    reload();
    toast(t('settings.key-made', { key: made.keyId }));
  }

  async function makeRoot() {
    const made = await dialog({
      title: t('settings.root-new-title'), confirm: t('settings.root-new-do'), kind: 'danger-fill', requireName: app,
      load: async (signal) => {
        await api.send('POST', where, { purpose: 'root' }, { dryRun: true, signal });
        return [notice('warn', t('settings.root-new-text')), h('p', null, t('settings.root-new-clients'))];
      },
      act: async () => (await api.send('POST', where, { purpose: 'root' })).value,
    });
    if (!made) return;
    reload();
    toast(t('settings.key-made', { key: made.keyId }));
  }

  async function importKey(purpose) {
    const pem = field(t('settings.pem'), textArea({ name: 'pem', rows: 8, spellcheck: 'false', class: 'mono', placeholder: '-----BEGIN PRIVATE KEY-----' }),
      { hint: t(`settings.pem-${purpose}`) });
    const file = field(t('settings.pem-file'), h('input', { type: 'file', accept: '.pem,.key,.pub,application/x-pem-file', onchange: async (event) => {
      const [chosen] = event.target.files;
      if (chosen) pem.control.value = await chosen.text();
    } }));
    const isPublic = checkbox(t('settings.pem-public'), { name: 'half', hint: t('settings.pem-public-hint') });
    const imported = await dialog({
      title: t(`settings.import-${purpose}`), body: [file, pem, purpose === 'signing' ? isPublic : null], confirm: t('settings.import'), kind: 'primary',
      act: async () => {
        const half = isPublic.checked ? 'public' : undefined;
        const body = new Blob([pem.control.value], { type: 'application/x-pem-file' });
        return (await api.send('PUT', `${where}/${purpose}`, body, { query: { half } })).value;
      },
    });
    pem.control.value = '';
    if (!imported) return;
    reload();
    toast(t('settings.key-imported', { key: imported.keyId }));
  }

  async function exportKey(key) {
    await dialog({
      title: t('settings.export-title', { key: key.keyId }), body: [h('p', null, t('settings.export-text'))], confirm: t('settings.export-do'), kind: 'danger-fill',
      act: async () => {
        const link = new URL(`../api/v1/${where}/legacy?keyId=${encodeURIComponent(key.keyId)}`, document.baseURI);
        const anchor = h('a', { href: link.href, download: `${app}-${key.keyId}.pem` });
        document.body.append(anchor);
        anchor.click();
        anchor.remove();
        return true;
      },
    });
  }

  async function retire(key) {
    const target = `${where}/${encodeURIComponent(key.keyId)}/retire`;
    const done = await dialog({
      title: t('settings.retire-title', { key: key.keyId }), confirm: t('settings.retire-do'), kind: 'danger-fill', requireName: key.keyId,
      load: async (signal) => {
        await api.send('POST', target, {}, { dryRun: true, signal });
        return [h('p', null, t(`settings.retire-${key.purpose}`))];
      },
      act: async () => (await api.send('POST', target, {})).value,
    });
    if (!done) return;
    reload();
    toast(t('settings.key-retired', { key: key.keyId }));
  }

  return { title: t('settings.tab-keys'), sub: t('settings.keys-text'), content: [signing, root, legacy, retired] };
}

function keyTable(caption, keys, items) {
  return table({
    caption,
    columns: [{ label: t('settings.key') }, { label: t('settings.fingerprint'), full: true }, { label: t('settings.private-half') },
      { label: t('settings.created') }, { label: t('settings.actions'), hidden: true }],
    rows: keys.map((key) => {
      const actions = items(key);
      return { cells: [
        h('code', { class: 'nowrap' }, key.keyId),
        key.fingerprint ? h('span', { class: 'row nowrap' }, h('code', { class: 'clip', title: key.fingerprint }, key.fingerprint),
          copyButton(key.fingerprint, { label: null, small: true, kind: 'quiet', name: t('settings.copy-fingerprint', { key: key.keyId }) }))
          : h('ul', { class: 'plain' }, (key.baseUrls ?? []).map((url) => h('li', null, h('code', null, url)))),
        key.privateHalf ? badge(t('settings.half-here'), '', 'key') : badge(t('settings.half-outside'), 'info', 'external'),
        timeTag(key.createdAt),
        actions.length ? menu(null, actions, { icon: 'more', name: t('settings.actions-of', { name: key.keyId }) }) : '',
      ] };
    }),
  });
}
