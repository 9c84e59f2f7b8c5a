import { api, path } from '../../api/client.js';
import { copyButton } from '../../elements/copy.js';
import { facts } from '../../elements/facts.js';
import { dialog, h, notice } from '../../elements/index.js';
import { timeTag } from '../../elements/time.js';
import { day, list, number, t } from '../../i18n/index.js';
import { forgetDevices } from './recent.js';

/** Erases what the server has of a device, after a question, and shows the receipt. */
export async function erase(context, id) {
  const where = path('apps', context.app, 'devices');
  const receipt = await dialog({
    title: t('device.erase-title'), confirm: t('device.erase-confirm'), kind: 'danger-fill', requireName: id,
    load: async (signal) => {
      const { value } = await api.send('DELETE', where, undefined, { query: { id }, dryRun: true, signal });
      return [h('p', null, t('device.erase-text', { n: value.reports, channels: value.channels })),
        value.lists.length ? h('p', null, t('device.erase-lists', { lists: list(value.lists) })) : null,
        h('p', { class: 'muted' }, t('device.erase-note'))];
    },
    act: async () => (await api.send('DELETE', where, undefined, { query: { id } })).value,
  });
  if (!receipt) return;
  forgetDevices(context.app, id);
  await dialog({
    title: t('device.erased'), body: [
      facts([[t('device.receipt'), h('span', { class: 'row' }, h('code', null, receipt.receipt), copyButton(receipt.receipt, { label: null, kind: 'quiet', small: true }))],
        [t('device.erased-at'), timeTag(receipt.erasedAt)], [t('device.reports'), number(receipt.reports)]]),
      receipt.complete ? null : notice('warn', receipt.unreachableBefore ? t('device.unreachable', { time: day(receipt.unreachableBefore) }) : t('device.incomplete')),
    ],
  });
  context.go('devices');
}
