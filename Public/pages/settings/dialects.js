import { api, path } from '../../api/client.js';
import { copyButton } from '../../elements/copy.js';
import { h, tag } from '../../elements/index.js';
import { table } from '../../elements/table.js';
import { livePanel } from '../../elements/live.js';
import { t } from '../../i18n/index.js';
import { baseURL } from './parts.js';

/** The protocols that a package may serve beside `/config`. */
const dialects = ['newest-package', 'info-json', 'resources-json'];

/** Opens the tab with the base URLs of devices and the protocols of other clients. */
export async function open(context) {
  const { app, channel, session } = context;
  const addresses = livePanel(context, {
    title: t('settings.base-urls'), note: t('settings.base-urls-note'), rows: 2,
    load: async (signal) => (session.may('admin', { app }) ? (await api.get(path('apps', app, 'keys'), { signal, query: { purpose: 'legacy', state: 'in-use' } })).keys : []),
    changes: (event) => event.action?.startsWith('key.'),
    render: (keys) => table({
      caption: t('settings.base-urls'),
      columns: [{ label: t('settings.clients') }, { label: t('settings.base-url'), full: true }, { label: t('settings.actions'), hidden: true }],
      rows: [
        row(t('settings.clients-all', { channel }), baseURL(app, channel)),
        ...keys.map((key) => row(t('settings.clients-legacy', { key: key.keyId }), key.baseUrls.at(-1))),
      ],
    }),
  });
  const served = livePanel(context, {
    title: t('settings.dialects'), note: t('settings.dialects-note'),
    load: async (signal) => (await api.get(path('apps', app, 'packages'), { signal })).packages.filter((each) => each.dialects.length > 0),
    changes: (event) => event.action?.startsWith('package.'),
    empty: { icon: 'layers', title: t('settings.dialects-empty'), text: t('settings.dialects-empty-text') },
    render: (packages) => table({
      caption: t('settings.dialects'),
      columns: [{ label: t('settings.package') }, { label: t('settings.dialects'), full: true }],
      rows: packages.map((each) => ({
        href: context.href(`packages/${each.id}`, { tab: 'settings' }),
        cells: [each.name, h('span', { class: 'tags' }, each.dialects.map((name) => tag(name)))],
      })),
    }),
  });
  const meanings = h('dl', { class: 'facts' }, dialects.map((name) => h('div', null, h('dt', null, h('code', null, name)), h('dd', null, t(`settings.dialect-${name}`)))));
  return { title: t('settings.tab-dialects'), sub: t('settings.dialects-text'), content: [addresses, served, meanings] };
}

function row(label, url) {
  return { cells: [label, h('code', null, url), copyButton(url, { label: null, small: true, kind: 'quiet', name: t('settings.copy-url') })] };
}
