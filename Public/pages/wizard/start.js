import { segmented } from '../../elements/segmented.js';
import { checkbox, field } from '../../elements/fields.js';
import { textInput } from '../../elements/inputs.js';
import { h, panel } from '../../elements/index.js';
import { dateTimeInput } from '../../elements/moments.js';
import { currentLanguage, t } from '../../i18n/index.js';
import { bytes, unitName } from '../../i18n/sizes.js';
import { duration, zone } from '../../i18n/times.js';
import { isSetDraft } from './draft.js';

/** The bytes of a megabyte, in which the field has the rate. */
const megabyte = 1_000_000;

/** The time in milliseconds ahead of now that a new time suggests. */
const firstDelay = 24 * 3_600_000;

/**
 * Returns the panels of the second step.
 *
 * @param {any} wizard
 * @returns {any[]}
 */
export function startStep(wizard) {
  return [timePanel(wizard), devicesPanel(wizard)];
}

/**
 * Returns a time with its weekday and how much time is left until then.
 *
 * @param {number} time
 * @param {number} [now]
 * @returns {string}
 */
export function timeText(time, now = Date.now()) {
  if (time <= now) return t('wizard.gap-past');
  const date = new Intl.DateTimeFormat(currentLanguage(), { weekday: 'long', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  return t('wizard.start-at', { date: date.format(time), left: duration(Math.round((time - now) / 60_000) * 60) });
}

function timePanel(wizard) {
  const { draft } = wizard;
  const element = panel({
    title: t('wizard.when'), note: t('common.zone', { zone: zone() }),
    actions: [segmented([{ label: t('wizard.start.now'), value: 'now' }, { label: t('wizard.start.later'), value: 'later' }], {
      value: draft.start, label: t('wizard.when'), onchange: (start) => {
        if (start === 'later' && !draft.activeTime) draft.activeTime = new Date(Math.ceil((Date.now() + firstDelay) / 3_600_000) * 3_600_000).toISOString().replace('.000', '');
        wizard.change({ start });
        show();
      },
    })],
  });
  const show = () => {
    if (draft.start === 'now') return element.setBody(h('p', null, t('wizard.start-now-text')));
    const left = h('span', { class: 'small ink2' });
    const tell = () => {
      left.textContent = draft.activeTime ? timeText(Date.parse(draft.activeTime)) : '';
    };
    const input = dateTimeInput({ value: draft.activeTime, onchange: (activeTime) => {
      wizard.change({ activeTime });
      tell();
    } });
    tell();
    element.setBody(h('div', { class: 'stack' }, field(t('wizard.active-time'), input, { required: true, hint: left }), isSetDraft(draft) ? null : aheadPart(wizard)));
  };
  show();
  return element;
}

/** Returns the fields of the downloads before a release begins. */
function aheadPart(wizard) {
  const { draft } = wizard;
  const place = h('div', { class: 'stack' });
  const box = checkbox(t('wizard.ahead'), { checked: draft.ahead, hint: t('wizard.ahead-hint'), onchange: () => {
    if (box.checked && !draft.devices) draft.devices = wizard.estimate?.all || 1000;
    wizard.change({ ahead: box.checked });
    show();
  } });
  const show = () => {
    if (!draft.ahead) return place.replaceChildren();
    const rate = textInput({ type: 'number', min: 0, step: 'any', inputmode: 'decimal', value: draft.bytesPerSecond / megabyte, oninput: () => {
      wizard.change({ bytesPerSecond: Math.round(Number(rate.value) * megabyte) });
      tell();
    } });
    const devices = textInput({ type: 'number', min: 1, inputmode: 'numeric', value: draft.devices ?? '', oninput: () => {
      wizard.change({ devices: Number(devices.value) || null });
      tell();
    } });
    const from = dateTimeInput({ value: draft.from, onchange: (value) => wizard.change({ from: value }) });
    const text = h('p', { class: 'small ink2' });
    const tell = () => {
      const size = wizard.versionInfo(draft.packages[0])?.archiveBytes;
      text.textContent = size && draft.bytesPerSecond > 0 && draft.devices
        ? t('wizard.ahead-time', { size: bytes(size), n: draft.devices, time: duration(size * draft.devices / draft.bytesPerSecond) }) : '';
    };
    tell();
    place.replaceChildren(h('div', { class: 'grid-3' },
      field(t('wizard.ahead-rate'), withUnit(rate, unitName('megabyte-per-second'))), field(t('wizard.ahead-devices'), devices, { hint: t('wizard.ahead-devices-hint') }),
      field(t('wizard.ahead-from'), from, { hint: t('wizard.ahead-from-hint') })), text);
  };
  show();
  return h('div', { class: 'stack' }, box, place);
}

/** Returns a field with its unit behind it. */
function withUnit(input, unit) {
  const element = h('span', { class: 'joined' }, input, h('span', { class: 'zone' }, unit));
  return Object.assign(element, { focusTarget: input });
}

function devicesPanel(wizard) {
  const { draft } = wizard;
  const hint = h('p', { class: 'small ink2' }, t(`wizard.update-hint.${draft.updateMode}`));
  const mode = segmented(['silent', 'prompt', 'immediate'].map((value) => ({ label: t(`wizard.update.${value}`), value })), {
    value: draft.updateMode, onchange: (updateMode) => {
      wizard.change({ updateMode });
      hint.textContent = t(`wizard.update-hint.${updateMode}`);
    },
  });
  const box = (member, label, hint) => {
    const element = checkbox(label, { checked: draft[member], hint, onchange: () => wizard.change({ [member]: element.checked }) });
    return element;
  };
  return panel({ title: t('wizard.on-devices'), body: [h('div', { class: 'stack' }, field(t('wizard.update-mode'), mode), hint,
    box('mandatory', t('wizard.mandatory'), t('wizard.mandatory-hint')), box('wifiOnly', t('wizard.wifiOnly'), t('wizard.wifiOnly-hint')))] });
}
