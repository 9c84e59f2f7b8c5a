import { dialog, h, toast } from '../../elements/index.js';
import { t } from '../../i18n/index.js';
import { approvalPart, showRequest } from './approval-part.js';
import { healthEditor } from './health-editor.js';
import { Outdated, showOutdated } from './outdated.js';
import { changeHealth } from './perform.js';
import { nameOf } from './subject.js';

/**
 * Asks for other health rules of a release or a release set, and sets them.
 *
 * @param {any} context
 * @param {any} store
 */
export async function editHealth(context, store) {
  const release = store.value;
  const policy = structuredClone(release.health ?? { devices: 50, window: '1d', coolDown: '1h', rules: [] });
  const run = (more) => changeHealth(context, release, policy.rules.length ? policy : null, more);
  // New rules only stop a release; changed and removed ones may let its plan go on, and need a second person.
  const approval = approvalPart(context, release.channel, release.health ? 'health' : 'first-health', run);
  const response = await dialog({
    title: t('release.rules-title', { name: nameOf(release) }), wide: true,
    body: ({ close }) => [healthEditor(policy), h('p', { class: 'small' }, t('release.rules-empty')), approval.nodes(close)],
    confirm: t('release.rules-save'), act: () => run(approval.members()),
  });
  if (response === null) return;
  if (response instanceof Outdated) {
    await store.refresh();
    if (await showOutdated(context, response, null)) await editHealth(context, store);
    return;
  }
  context.changed();
  await store.refresh();
  if (response.status === 202) showRequest(context, response.value);
  else toast(t('release.rules-saved'), { kind: 'good', action: { label: t('release.rules-undo'), run: () => restoreHealth(context, store, release.health ?? null) } });
}

async function restoreHealth(context, store, policy) {
  const response = await changeHealth(context, store.value, policy);
  context.changed();
  await store.refresh();
  if (response.status === 202) showRequest(context, response.value);
}
