import { segmented } from '../../elements/segmented.js';
import { checkbox, field } from '../../elements/fields.js';
import { select } from '../../elements/inputs.js';
import { button, h, later, panel } from '../../elements/index.js';
import { laterPanel, whenVisible } from '../../elements/visible.js';
import { number, percent, t } from '../../i18n/index.js';
import { relative } from '../../i18n/times.js';
import { devicesAt, isPrerelease, isSetDraft, settleChannel } from './draft.js';
import { planEditor } from './plan-editor.js';

/** The most packages of a release set. */
const packageLimit = 32;

/** Loads the panels further down. */
const further = () => import('./limits.js');

/** Returns the panels of the first step. */
export function audienceStep(wizard) {
  return [versionPanel(wizard), sharePanel(wizard),
    laterPanel(t('wizard.rules'), async () => (await further()).rulesPanel(wizard)),
    laterPanel(t('wizard.lists'), async () => (await further()).listsPanel(wizard)),
    isSetDraft(wizard.draft) ? null : laterPanel(t('wizard.floor'), async () => (await further()).floorPanel(wizard))];
}

function versionPanel(wizard) {
  const { draft, context } = wizard;
  const channelPlace = h('div', null);
  const showChannel = () => {
    const hasPrerelease = draft.packages.some((each) => isPrerelease(each.version));
    const channels = context.channels.map((each) => [each.name, each.approvals ? t('wizard.channel-protected', { channel: each.name }) : each.name]);
    const control = select([...(draft.channel ? [] : [['', t('wizard.channel-choose')]]), ...channels], {
      value: draft.channel, onchange: () => {
        wizard.change({ channel: control.value, isChannelChosen: true });
        showChannel();
      },
    });
    channelPlace.replaceChildren(field(t('wizard.channel'), control, { required: true, hint: hasPrerelease ? t('wizard.channel-prerelease') : undefined }));
  };
  const rows = draft.packages.map((item, index) => {
    const versions = wizard.versions.get(item.package) ?? [];
    const options = versions.map((each) => [each.version, t('wizard.version-option', { version: each.version, time: relative(each.createdAt) })]);
    if (item.version && !versions.some((each) => each.version === item.version)) options.unshift([item.version, item.version]);
    const control = select([...(item.version ? [] : [['', t('wizard.version-choose')]]), ...options], {
      value: item.version, onchange: () => {
        item.version = control.value;
        if (isPrerelease(item.version)) draft.isChannelChosen = false;
        settleChannel(draft, context.channel);
        wizard.change();
        showChannel();
        place.querySelector('.hint')?.replaceChildren(versionHint(wizard, item));
      },
    });
    const place = field(draft.packages.length > 1 ? item.package : t('wizard.version-label'), control, { required: true, hint: versionHint(wizard, item) });
    if (draft.packages.length === 1) return place;
    // The package that the draft is stored under stays in it.
    if (item.package === wizard.name) return h('div', null, place);
    return h('div', { class: 'row' }, h('div', { class: 'grow' }, place), button(null, {
      icon: 'cross', kind: 'quiet', name: t('wizard.package-remove', { package: item.package }), onclick: () => {
        draft.packages.splice(index, 1);
        wizard.change();
        context.reload();
      },
    }));
  });
  const add = button(t('wizard.package-add'), { icon: 'plus', small: true, onclick: later(() => import('./package-picker.js'), ({ addedPackage }) => add.replaceWith(addedPackage(wizard))) });
  showChannel();
  return panel({
    title: draft.packages.length > 1 ? t('wizard.versions') : t('wizard.version'), note: draft.packages.length > 1 ? t('wizard.set-note') : undefined,
    body: [h('div', { class: 'stack' }, h('div', { class: 'grid-2' }, rows, channelPlace),
      draft.sameAudienceAs && !isSetDraft(draft) ? checkbox(t('wizard.same-audience', { release: `#${draft.sameAudienceAs}` }), {
        checked: true, hint: t('wizard.same-audience-hint'), onchange: () => {
          wizard.change({ sameAudienceAs: null });
          context.reload();
        },
      }) : null,
      draft.packages.length < packageLimit ? h('div', { class: 'row' }, add) : null)],
  });
}

/** Returns what the list says about a version. */
function versionHint(wizard, item) {
  const info = wizard.versionInfo(item);
  if (!info) return item.version ? t('wizard.version-old') : t('wizard.version-none');
  return [info.notes?.split('\n')[0], info.minAppVersion ? t('wizard.version-host', { version: info.minAppVersion }) : null, info.needs ? t('wizard.version-needs', { needs: info.needs }) : null]
    .filter(Boolean).join(' ') || t('wizard.version-files', { n: info.files });
}

function sharePanel(wizard) {
  const { draft } = wizard;
  const element = panel({
    title: t('wizard.share'),
    actions: [segmented([
      { label: t('wizard.share.plan'), value: 'plan' }, { label: t('wizard.share.percent'), value: 'percent' }, { label: t('wizard.share.list'), value: 'list' },
    ], { value: draft.share, label: t('wizard.share'), onchange: (share) => {
      wizard.change({ share });
      show();
    } })],
  });
  const show = () => {
    element.setFooter();
    if (draft.share === 'plan') {
      const { body, footer } = planEditor(wizard);
      element.setBody(body);
      element.setFooter(h('div', { class: 'row grow' }, footer));
    } else if (draft.share === 'percent') {
      const describe = (value) => (wizard.estimate?.all === undefined ? percent(value) : t('release.share-devices', { percent: percent(value), n: devicesAt(wizard.estimate, { percent: value }) }));
      element.setBody(whenVisible(h('div'), async () => {
        const { percentSlider } = await import('../../elements/slider.js');
        const slider = percentSlider({ value: draft.percent, label: t('wizard.share'), describe, onchange: (value) => wizard.change({ percent: value }) });
        wizard.onEstimate(() => slider.setDescription(describe(slider.value)));
        return slider;
      }));
    } else {
      const text = h('p', null);
      wizard.onEstimate((estimate) => {
        text.textContent = draft.whitelist ? t('wizard.list-only', { list: draft.whitelist, n: estimate?.listed ?? 0, devices: number(estimate?.listed ?? 0) }) : t('wizard.list-choose');
      });
      element.setBody(text);
    }
  };
  show();
  return element;
}
