import { api, path } from '../../api/client.js';
import { checkbox, field } from '../../elements/fields.js';
import { select } from '../../elements/inputs.js';
import { dialog, h, toast } from '../../elements/index.js';
import { percentSlider } from '../../elements/slider.js';
import { dateTimeInput } from '../../elements/moments.js';
import { dateTime, percent, t } from '../../i18n/index.js';
import { isDirect, labelOf } from '../release-actions.js';
import { approvalPart, showRequest } from './approval-part.js';
import { nextStep } from './plan-text.js';
import { consequencesOf, rehearse, rollbackConsequences } from './consequences.js';
import { Outdated, showOutdated, unlessOutdated } from './outdated.js';
import { devicesAtShare, readinessOf } from './readiness.js';
import { hasBegun, isSet, nameOf, partsOf, shownAction } from './subject.js';

/** The time in milliseconds after which a percentage that the person moves is rehearsed. */
const settleTime = 300;

/** The versions that a rollback offers to choose from. */
const offeredVersions = 25;

/** Sends a change of a release, or rehearses it. */
function send(context, release, action, body, options = {}) {
  const isPatch = action === 'widen' || action === 'reschedule' || action === 'health';
  const parts = isPatch ? partsOf(release) : [...partsOf(release), action];
  const content = Object.keys(body ?? {}).length || isPatch ? body : undefined;
  return api.send(isPatch ? 'PATCH' : 'POST', path('apps', context.app, ...parts), content, {
    ...options, tag: options.dryRun ? undefined : String(release.revision),
  });
}

/**
 * Runs an action of a release or a release set: with a dialog that shows its consequence, if it has one.
 *
 * @param {any} context
 * @param {any} release
 * @param {string} action one of `allowed`
 * @returns {Promise<any>} the changed release or the approval request; `null` if nothing was changed
 */
export async function perform(context, release, action) {
  const reason = context.session.reason('releaser', { app: context.app, channel: release.channel });
  if (reason) {
    toast(reason, { kind: 'warn' });
    return null;
  }
  const run = (/** @type {any} */ body) => unlessOutdated(context, release, (/** @type {any} */ each) => send(context, each, action, body));
  let response;
  try {
    response = isDirect(context, release, action) ? await run({}) : await dialogs[action](context, release, run);
  } catch (/** @type {any} */ problem) {
    toast(problem.message, { kind: 'bad' });
    return null;
  }
  if (response === null) return null;
  if (response instanceof Outdated) {
    context.changed();
    const again = await showOutdated(context, response, action);
    return again ? perform(context, /** @type {any} */ (response).now, action) : null;
  }
  context.changed();
  finish(context, release, action, response);
  return response.value;
}

/** Shows what a change has done, with the action that reverses it. */
function finish(context, release, action, { status, value }) {
  if (status === 202) return showRequest(context, value);
  const name = nameOf(release);
  const reverse = { pause: 'resume', resume: 'pause', halt: 'resume' }[action];
  const isReversible = reverse && value.allowed?.includes(reverse);
  const old = release.activeTime;
  // The release may have begun while the dialog was open.
  const done = action === 'rollback' && !value.begun ? 'cancel' : action === 'halt' && value.neverBegan ? 'halt-early' : action;
  toast(t(`release.done.${done}`, { name, percent: percent(value.percent ?? 100), time: value.activeTime ? dateTime(value.activeTime) : '' }), {
    kind: 'good',
    action: isReversible ? { label: labelOf(context, value, reverse), run: () => perform(context, value, reverse) }
      : action === 'reschedule' && Date.parse(old) > Date.now() ? { label: t('release.undo-move'), run: () => moveBack(context, value, old) } : undefined,
  });
}

async function moveBack(context, release, activeTime) {
  const response = await send(context, release, 'reschedule', { activeTime });
  context.changed();
  if (response.status === 202) showRequest(context, response.value);
}

/** Asks before a change; `extra` returns the members of the body. */
function ask(context, release, action, run, /** @type {any} */ { body = [], extra = () => ({}), load, confirm, kind, requireName, cancelLabel }) {
  const approval = approvalPart(context, release.channel, action, (more) => run({ ...extra(), ...state.force, ...more }));
  const state = { force: {} };
  return dialog({
    title: t(`release.ask.${shownAction(release, action)}`, { name: nameOf(release) }), kind, requireName, cancelLabel,
    confirm: approval.isNeeded ? t('release.request-approval') : confirm ?? t(`release.confirm.${shownAction(release, action)}`),
    body: ({ close, reload }) => {
      state.reload = reload;
      return [typeof body === 'function' ? body(reload) : body, approval.nodes(close)];
    },
    load: async (signal) => {
      const found = await load(signal);
      state.force = found.losses.length ? { force: true } : {};
      return found.nodes;
    },
    act: () => run({ ...extra(), ...state.force, ...approval.members() }),
  });
}

/**
 * Counts the devices of a release if its rules did not apply; of a set, those of the package that `readinessOf` has counted.
 *
 * @returns {Promise<any>} the readiness of such a release; `null` if the server counts no devices
 */
async function readinessWithoutRules(context, release, readiness, signal) {
  if (!readiness) return null;
  const { package: name, version } = isSet(release) ? release.releases.find((each) => each.id === readiness.release) ?? release.releases[0] : release;
  const { channel, whitelist, excluded, floor } = release;
  const body = { version, channel, whitelist, excluded, floor, percent: 100 };
  const { value } = await api.send('POST', path('apps', context.app, 'packages', name, 'audience-estimate'), body, { signal, dryRun: true });
  return { ...readiness, matching: value.matching, reach: 100 };
}

/** Returns the function that loads the consequence of an action from its dry run. */
function loader(context, release, action) {
  return async (signal) => {
    const [rehearsal, readiness] = await Promise.all([
      rehearse((options) => send(context, release, action, {}, options), signal), readinessOf(context, release, signal),
    ]);
    // Completing a release goes to the end of its plan.
    const endsRules = action === 'complete' && release.rules?.length && release.plan?.some((step) => step.withoutRules);
    const everyone = endsRules ? await readinessWithoutRules(context, release, readiness, signal) : undefined;
    return { losses: rehearsal.losses, nodes: consequencesOf(action, release, { ...rehearsal, readiness, everyone }) };
  };
}

const dialogs = {
  resume: (context, release, run) => ask(context, release, 'resume', run, { load: loader(context, release, 'resume') }),
  complete: (context, release, run) => ask(context, release, 'complete', run, { load: loader(context, release, 'complete') }),
  halt: (context, release, run) => ask(context, release, 'halt', run, {
    load: loader(context, release, 'halt'), kind: 'danger-fill', cancelLabel: keepLabel(release),
  }),

  widen(context, release, run) {
    let readiness = null;
    let everyone;
    const step = nextStep(release);
    const next = step?.percent ?? Math.min(100, Math.max(1, release.percent * 2));
    const beyond = release.rules?.length ? checkbox(t('release.beyond-rules'), {
      name: 'withoutRules', checked: Boolean(step?.withoutRules) || release.percent === 100, hint: t('release.beyond-rules-hint'), onchange: () => reload(),
    }) : null;
    const change = () => ({ ...(slider.value > release.percent || !beyond?.checked ? { percent: slider.value } : {}), ...(beyond?.checked ? { withoutRules: true } : {}) });
    const describe = (value) => {
      const devices = devicesAtShare(beyond?.checked ? everyone : readiness, value);
      return devices == null ? percent(value) : t('release.share-devices', { percent: percent(value), n: devices });
    };
    let isFirst = true;
    const slider = percentSlider({
      value: next, min: release.percent, label: t('release.share'), describe,
      onchange: () => reload(),
    });
    let reload = () => {};
    return ask(context, release, 'widen', run, {
      body: (again) => {
        reload = again;
        return [slider, beyond];
      },
      extra: change,
      load: async (signal) => {
        const target = slider.value;
        // The button waits from the change on, the request until the slider rests.
        if (!isFirst) await new Promise((resolve) => { setTimeout(resolve, settleTime); });
        isFirst = false;
        signal.throwIfAborted();
        const [rehearsal, counted] = await Promise.all([
          target > release.percent || beyond?.checked ? rehearse((options) => send(context, release, 'widen', change(), options), signal) : { result: null, losses: [] },
          readiness ?? readinessOf(context, release, signal),
        ]);
        readiness = counted;
        if (beyond?.checked) everyone ??= await readinessWithoutRules(context, release, readiness, signal);
        slider.setDescription(describe(slider.value));
        return { losses: rehearsal.losses, nodes: consequencesOf('widen', release, { ...rehearsal, readiness, target, everyone: beyond?.checked ? everyone : undefined }) };
      },
    });
  },

  reschedule(context, release, run) {
    const input = dateTimeInput({ value: release.activeTime, name: 'activeTime', onchange: () => reload() });
    let reload = () => {};
    return ask(context, release, 'reschedule', run, {
      body: (again) => {
        reload = again;
        return field(t('release.new-time'), input, { required: true });
      },
      extra: () => ({ activeTime: input.value }),
      load: async (signal) => {
        const time = input.value;
        if (!time || Date.parse(time) === Date.parse(release.activeTime)) return { losses: [], nodes: [h('p', null, t('release.begins', { time: dateTime(release.activeTime) }))] };
        const { losses } = await rehearse((options) => send(context, release, 'reschedule', { activeTime: time }, options), signal);
        return { losses, nodes: [h('p', null, t('release.moves', { before: dateTime(release.activeTime), after: dateTime(time) }))] };
      },
    });
  },

  async rollback(context, release, run) {
    const isEarly = !hasBegun(release);
    let reload = () => {};
    const targets = isEarly ? [] : await Promise.all((isSet(release) ? release.releases : [release]).map(async (each) => {
      const { versions } = await api.get(path('apps', context.app, 'packages', each.package, 'versions'), { query: { sort: '-published', limit: offeredVersions, state: 'releasable' } });
      const others = versions.map(({ version }) => version).filter((version) => version !== each.version);
      return { package: each.package, control: select([['', t('release.to-lower')], ...others], { name: `to-${each.package}`, onchange: () => reload() }) };
    }));
    const mandatory = checkbox(t('release.back-mandatory'), { name: 'mandatory', hint: t('release.back-mandatory-hint') });
    const extra = () => {
      const chosen = targets.filter(({ control }) => control.value);
      const to = isSet(release) ? Object.fromEntries(chosen.map((each) => [each.package, each.control.value])) : chosen[0]?.control.value;
      return { ...(chosen.length ? { to } : {}), ...(mandatory.checked ? { mandatory: true } : {}) };
    };
    return ask(context, release, 'rollback', run, {
      kind: 'danger-fill', requireName: typedNameOf(release), cancelLabel: keepLabel(release),
      extra,
      body: (again) => {
        reload = again;
        return [...targets.map((each) => field(isSet(release) ? t('release.back-to-of', { package: each.package }) : t('release.back-to'), each.control)), isEarly ? null : mandatory];
      },
      load: async (signal) => {
        const [rehearsal, readiness] = await Promise.all([
          rehearse((options) => send(context, release, 'rollback', extra(), options), signal), readinessOf(context, release, signal),
        ]);
        nameLower(targets, rehearsal.result, release);
        return { losses: rehearsal.losses, nodes: await rollbackConsequences(context, release, { ...rehearsal, readiness }, signal) };
      },
    });
  },
};

/** Returns the label of the button that leaves a release as it is. */
function keepLabel(release) {
  if (!hasBegun(release)) return t(isSet(release) ? 'release.keep-set' : 'release.keep');
  return release.state === 'halted' ? undefined : t('release.keep-running');
}

/** Shows the version that the first option leads to, unless another one is chosen. */
function nameLower(targets, result, release) {
  for (const { package: name, control } of targets) {
    const part = isSet(release) ? result?.packages.find((each) => each.package === name) : result;
    if (part?.begun && !control.value) control.options[0].textContent = t('release.to-lower-version', { version: part.begun.version });
  }
}

/**
 * Replaces the health rules of a release, or asks a second person to permit it.
 *
 * @param {any} context
 * @param {any} release
 * @param {any} policy `null` for none
 * @param {any} [more] further members of the body
 * @returns {Promise<any>} the response, or an `Outdated`
 */
export function changeHealth(context, release, policy, more = {}) {
  return unlessOutdated(context, release, (each) => send(context, each, 'health', { health: policy, ...more }));
}

/** Returns the text that a person types before a release or a release set ends. */
function typedNameOf(release) {
  return isSet(release) ? `set ${release.id}` : release.package;
}
