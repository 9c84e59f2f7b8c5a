import { api, path } from '../api/client.js';
import { button, checkbox, dateTimeInput, dialog, field, h, percentSlider, select, toast } from '../elements/index.js';
import { dateTime, percent, t } from '../i18n/index.js';
import { approvalPart } from './release/approval-part.js';
import { consequencesOf, devicesAtShare, readinessOf, rehearse, rollbackConsequences } from './release/consequences.js';
import { Outdated, showOutdated, unlessOutdated } from './release/outdated.js';
import { addressOn, isSet, nameOf, needsApproval, partsOf, typedNameOf } from './release/subject.js';

/** The actions in the order of their buttons, each with its icon. */
const icons = { widen: 'plus', complete: 'check', reschedule: 'clock', resume: 'play', pause: 'pause', halt: 'stop', rollback: 'undo' };

/** The versions that a rollback offers to choose from. */
const offeredVersions = 25;

/**
 * Returns the buttons of the actions that the state of a release or a release set allows.
 *
 * @param {any} context
 * @param {any} release
 * @param {{only?: string[], small?: boolean, fill?: string}} [options] `only` selects actions; `fill` is the one that the
 *   page recommends
 * @returns {any[]}
 */
export function releaseActions(context, release, { only, small, fill } = {}) {
  const reason = context.session.reason('releaser', { app: context.app, channel: release.channel });
  return Object.keys(icons).filter((action) => release.allowed.includes(action) && (!only || only.includes(action)) && !(action === 'widen' && release.percent >= 100))
    .map((action) => button(labelOf(context, release, action), {
      icon: icons[action], small, reason, 'data-key': `action-${action}`,
      kind: action === fill ? (action === 'rollback' ? 'danger-fill' : 'primary') : action === 'rollback' ? 'danger' : undefined,
      onclick: () => runAction(context, release, action),
    }));
}

/** Returns the label of an action's button; `…` says that a dialog follows. */
function labelOf(context, release, action) {
  return action === 'pause' || (action === 'resume' && isDirect(context, release, 'resume')) ? t(`release.action.${action}-now`) : t(`release.action.${action}`);
}

/** Returns whether an action is made without a dialog. */
function isDirect(context, release, action) {
  if (action === 'pause') return true;
  return action === 'resume' && release.state !== 'halted' && !needsApproval(context, release.channel, action);
}

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
export async function runAction(context, release, action) {
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
    return again ? runAction(context, /** @type {any} */ (response).now, action) : null;
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
  toast(t(`release.done.${action}`, { name, percent: percent(value.percent ?? 100), time: value.activeTime ? dateTime(value.activeTime) : '' }), {
    kind: 'good',
    action: isReversible ? { label: t(`release.action.${reverse}-now`), run: () => runAction(context, value, reverse) }
      : action === 'reschedule' && Date.parse(old) > Date.now() ? { label: t('release.undo-move'), run: () => moveBack(context, value, old) } : undefined,
  });
}

async function moveBack(context, release, activeTime) {
  const response = await send(context, release, 'reschedule', { activeTime });
  context.changed();
  if (response.status === 202) showRequest(context, response.value);
}

/**
 * Says that a change waits for a second person.
 *
 * @param {any} context
 * @param {any} approval
 */
export function showRequest(context, approval) {
  toast(t('approval.requested', { id: String(approval.id) }), {
    action: { label: t('approval.show'), run: () => { location.hash = addressOn(context, approval.channel, 'approvals', String(approval.id)); } },
  });
}

/** Asks before a change; `extra` returns the members of the body. */
function ask(context, release, action, run, { body = [], extra = () => ({}), load, confirm, kind, requireName, cancelLabel }) {
  const approval = approvalPart(context, release.channel, action, (more) => run({ ...extra(), ...state.force, ...more }));
  const state = { force: {} };
  return dialog({
    title: t(`release.ask.${action}`, { name: nameOf(release) }), kind, requireName, cancelLabel,
    confirm: approval.isNeeded ? t('release.request-approval') : confirm ?? t(`release.confirm.${action}`),
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

/** Returns the function that loads the consequence of an action from its dry run. */
function loader(context, release, action, extra = () => ({})) {
  return async (signal) => {
    const [rehearsal, readiness] = await Promise.all([
      rehearse((options) => send(context, release, action, extra(), options), signal), readinessOf(context, release, signal),
    ]);
    return { losses: rehearsal.losses, nodes: consequencesOf(action, release, { ...rehearsal, readiness }) };
  };
}

const dialogs = {
  resume: (context, release, run) => ask(context, release, 'resume', run, { load: loader(context, release, 'resume') }),
  complete: (context, release, run) => ask(context, release, 'complete', run, { load: loader(context, release, 'complete') }),
  halt: (context, release, run) => ask(context, release, 'halt', run, {
    load: loader(context, release, 'halt'), kind: 'danger-fill', cancelLabel: t('release.keep-running'),
  }),

  widen(context, release, run) {
    let readiness = null;
    const next = release.plan?.find((step) => step.percent > release.percent)?.percent ?? Math.min(100, Math.max(1, release.percent * 2));
    const describe = (value) => {
      const devices = devicesAtShare(readiness, value);
      return devices == null ? percent(value) : t('release.share-devices', { percent: percent(value), n: devices });
    };
    let settling;
    const slider = percentSlider({
      value: next, min: release.percent, label: t('release.share'), describe,
      onchange: () => {
        clearTimeout(settling);
        settling = setTimeout(() => reload(), 300);
      },
    });
    let reload = () => {};
    return ask(context, release, 'widen', run, {
      body: (again) => {
        reload = again;
        return slider;
      },
      extra: () => ({ percent: slider.value }),
      load: async (signal) => {
        const target = slider.value;
        const [rehearsal, counted] = await Promise.all([
          target > release.percent ? rehearse((options) => send(context, release, 'widen', { percent: target }, options), signal) : { result: null, losses: [] },
          readiness ?? readinessOf(context, release, signal),
        ]);
        readiness = counted;
        slider.setDescription(describe(slider.value));
        return { losses: rehearsal.losses, nodes: consequencesOf('widen', release, { ...rehearsal, readiness, target }) };
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
    const isScheduled = release.state === 'scheduled';
    let reload = () => {};
    const targets = isScheduled ? [] : await Promise.all((isSet(release) ? release.releases : [release]).map(async (each) => {
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
      kind: 'danger-fill', requireName: typedNameOf(release), cancelLabel: t('release.keep-running'),
      extra,
      body: (again) => {
        reload = again;
        return [...targets.map((each) => field(isSet(release) ? t('release.back-to-of', { package: each.package }) : t('release.back-to'), each.control)), isScheduled ? null : mandatory];
      },
      load: async (signal) => {
        const [rehearsal, readiness] = await Promise.all([
          rehearse((options) => send(context, release, 'rollback', extra(), options), signal), readinessOf(context, release, signal),
        ]);
        return { losses: rehearsal.losses, nodes: await rollbackConsequences(context, release, { ...rehearsal, readiness }, signal) };
      },
    });
  },
};

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
