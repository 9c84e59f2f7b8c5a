import { api, path } from '../../api/client.js';
import { facts } from '../../elements/facts.js';
import { form } from '../../elements/form.js';
import { badge, button, h, panel, toast } from '../../elements/index.js';
import { table } from '../../elements/table.js';
import { livePanel } from '../../elements/live.js';
import { number, percent, t } from '../../i18n/index.js';
import { healthEditor } from '../release/health-editor.js';
import { metricTitle } from '../release/signals.js';

/** The values that the server uses for members of health rules that are omitted. */
const defaults = { devices: 50, window: '1d', coolDown: '1h' };

/** Opens the tab with the health rules of new releases. */
export async function open(context) {
  const { app } = context;
  const where = path('apps', app, 'health');
  const reason = context.session.reason('releaser', { app });
  const place = h('div', { class: 'stack' });

  const shown = livePanel(context, {
    title: t('settings.health'), load: async (signal) => (await api.get(where, { signal })).health, changes: (event) => event.action === 'app.health',
    actions: [button(t('settings.change'), { icon: 'edit', small: true, onclick: edit, reason })],
    isEmpty: (health) => !health?.rules?.length,
    empty: { icon: 'shield', title: t('settings.health-empty'), text: t('settings.health-empty-text') },
    render: (health) => [
      table({
        caption: t('settings.health'),
        columns: [{ label: t('settings.signal') }, { label: t('settings.ceiling'), numeric: true }, { label: t('settings.above-control'), numeric: true },
          { label: t('settings.health-action') }],
        rows: health.rules.map((rule) => ({ cells: [
          metricTitle(rule.metric) + (rule.slowerThan ? ` > ${t('settings.milliseconds', { n: rule.slowerThan })}` : ''),
          rule.ceiling == null ? '–' : percent(rule.ceiling), rule.aboveControl == null ? '–' : `+${percent(rule.aboveControl)}`,
          badge(t(`settings.health-${rule.action ?? (rule.metric === 'loadTime' ? 'pause' : 'halt')}`), rule.action === 'pause' ? 'warn' : 'bad'),
        ] })),
      }),
      facts([[t('settings.health-devices'), number(health.devices ?? defaults.devices)], [t('settings.health-window'), health.window ?? defaults.window],
        [t('settings.health-cool-down'), health.coolDown ?? defaults.coolDown]]),
    ],
  });
  place.append(shown);

  async function edit() {
    const { value, tag } = await api.read(where);
    const before = value.health ?? { rules: [] };
    const policy = structuredClone(before);
    const back = () => place.replaceChildren(shown);
    const editor = panel({
      title: t('settings.health-edit'),
      body: form({
        fields: [healthEditor(policy)], submit: t('settings.save'), cancel: back,
        onsubmit: async () => {
          await api.send('PUT', where, policy, { tag });
          back();
          shown.reload();
          toast(t('settings.health-saved'), { action: { label: t('settings.undo'), run: async () => {
            await api.send('PUT', where, before);
            shown.reload();
          } } });
        },
      }),
    });
    place.replaceChildren(editor);
  }

  return { title: t('settings.health'), sub: t('settings.health-text'), content: [place] };
}
