import { ask, get, patch, post, Problem } from './api.js';
import { Confirmation } from './dialog.js';
import { check, field, h } from './dom.js';
import { localTime, number, percent, waiting } from './format.js';
import { audience, devices, reachSentence } from './rollout.js';
import { mayRelease, refusal } from './session.js';

/** The milliseconds between a change of a field and the request for a new count. */
const PAUSE = 300;

const labels = {
  widen: 'Widen…', pause: 'Pause', resume: 'Resume', complete: 'Complete…', reschedule: 'Move…', halt: 'Halt…',
  rollback: 'Roll back…',
};
const actions = { widen, pause, resume, complete, reschedule, halt, rollback };

/**
 * Returns the buttons for the actions that the API allows on a release.
 *
 * @param context `where` is the package's path in the API, `package` its settings, `versions` its versions; `done` is called with a sentence
 *   after a change, `failed` with the problem of a change without a dialog, `refused` with the reason why the token does not permit changes
 */
export function releaseButtons(release, context) {
  if (release.releaseSet !== undefined) {
    return [h('span', { class: 'muted' }, `Part of release set ${release.releaseSet}: `, h('code', null, 'larder release-set'), '.')];
  }
  return release.allowed.filter((name) => labels[name]).map((name) => {
    const label = name === 'resume' && release.state === 'halted' ? 'Resume…' : labels[name];
    const button = h('button', {
      type: 'button', class: name === 'rollback' || name === 'halt' ? 'small risky' : 'small', 'data-action': name,
      'aria-label': `${label} ${release.version}, release ${release.id}`,
      onclick: () => {
        if (mayRelease()) actions[name](release, context);
        else context.refused(refusal('Changing a release'));
      },
    }, label);
    if (!mayRelease()) {
      button.setAttribute('aria-disabled', 'true');
      button.setAttribute('aria-describedby', 'releases-refusal');
      button.title = refusal('Changing a release');
    }
    return button;
  });
}

const releasePath = (release, { where }) => `${where}/releases/${release.id}`;

async function pause(release, context) {
  await without(context, async () => {
    const changed = await post(`${releasePath(release, context)}/pause`, undefined, release.revision);
    return `Release ${changed.id} is paused: it stays at ${percent(changed.percent)}, and the devices in it keep ${changed.version}. Resume continues it.`;
  });
}

async function resume(release, context) {
  const act = async (seen) => {
    const changed = await post(`${releasePath(seen, context)}/resume`, undefined, seen.revision);
    return waiting(changed) ?? `Release ${changed.id} continues at ${percent(changed.percent)}.`;
  };
  if (release.state !== 'halted') return without(context, () => act(release));
  return withDialog(release, context, 'resume', {
    title: `Resume ${release.version}?`, keep: 'Keep it halted', confirm: 'Resume', act,
    describe: async (seen) => {
      await ask(`${releasePath(seen, context)}/resume?dryRun=1`);
      return [`It was halted. ${audienceSentence(seen)} Devices in it are offered ${seen.version} again.`];
    },
  });
}

function complete(release, context) {
  return withDialog(release, context, 'complete', {
    title: `Complete ${release.version}?`, confirm: 'Complete at 100%',
    describe: async (seen) => {
      const [reach] = await Promise.all([growth(seen, 100, context), ask(`${releasePath(seen, context)}/complete?dryRun=1`)]);
      return [`It goes from ${percent(seen.percent)} to 100% at once. ${reach}`, 'A percentage never shrinks: to undo it, halt the release or roll it back.'];
    },
    act: async (seen) => {
      const changed = await post(`${releasePath(seen, context)}/complete`, undefined, seen.revision);
      return waiting(changed) ?? `Release ${changed.id} is completed: ${changed.version} is for ${audience(changed)}.`;
    },
  });
}

function widen(release, context) {
  const input = h('input', {
    type: 'number', name: 'percent', required: true, step: 0.01, max: 100, min: release.percent, inputmode: 'decimal',
  });
  return withDialog(release, context, 'widen', {
    title: `Widen ${release.version}?`, confirm: 'Widen',
    fields: [field('To which percentage', input, 'It only grows.')], input,
    entries: () => input.value,
    isFilled: (seen) => input.value !== '' && Number(input.value) > seen.percent && Number(input.value) <= 100,
    describe: async (seen, entered) => {
      input.min = seen.percent;
      if (entered === '') return [`It is at ${percent(seen.percent)} now.`];
      const wanted = Number(entered);
      if (!(wanted > seen.percent && wanted <= 100)) return [`It is at ${percent(seen.percent)} now: give more, up to 100.`];
      const [reach] = await Promise.all([
        growth(seen, wanted, context), ask(`${releasePath(seen, context)}?dryRun=1`, { percent: wanted }, 'PATCH'),
      ]);
      return [`It goes from ${percent(seen.percent)} to ${percent(wanted)} at once. ${reach}`, 'A percentage never shrinks: to undo it, halt the release or roll it back.'];
    },
    act: async (seen, entered) => {
      const changed = await patch(releasePath(seen, context), { percent: Number(entered) }, seen.revision);
      return waiting(changed) ?? `Release ${changed.id} is at ${percent(changed.percent)}.`;
    },
  });
}

function reschedule(release, context) {
  const input = h('input', { type: 'datetime-local', name: 'activeTime', required: true });
  return withDialog(release, context, 'reschedule', {
    title: `Move ${release.version}?`, confirm: 'Move',
    fields: [field('Takes effect', input, 'In your time zone, later than now; to release at once, make a new release.')], input,
    entries: () => input.value,
    isFilled: () => input.value !== '',
    describe: async (seen, entered) => {
      if (entered) await ask(`${releasePath(seen, context)}?dryRun=1`, { activeTime: new Date(entered).toISOString() }, 'PATCH');
      return [`${audienceSentence(seen)} Devices that have downloaded it ahead switch at the new time.`];
    },
    act: async (seen, entered) => {
      const changed = await patch(releasePath(seen, context), { activeTime: new Date(entered).toISOString() }, seen.revision);
      return waiting(changed) ?? `Release ${changed.id} takes effect at ${localTime(changed.activeTime)}.`;
    },
  });
}

function halt(release, context) {
  return withDialog(release, context, 'halt', {
    title: `Halt ${release.version}?`, keep: 'Keep it running', confirm: 'Halt', isDanger: true,
    describe: async (seen) => {
      const [plan, count] = await Promise.all([
        ask(`${releasePath(seen, context)}/halt?dryRun=1`), holders(seen, context),
      ]);
      return [`No further device gets ${seen.version}. ${count}`, plan.note, 'Resume continues the release.'];
    },
    act: async (seen) => {
      const changed = await post(`${releasePath(seen, context)}/halt`, undefined, seen.revision);
      return `Release ${changed.id} is halted. ${changed.note ?? ''}`;
    },
  });
}

/** Shows the dry run first, and again if the operator selects another version to go back to. */
function rollback(release, context) {
  const to = h('select', { name: 'to' }, h('option', { value: '' }, 'The next lower release’s'),
    context.versions.filter((item) => item.version !== release.version && !item.retired)
      .map((item) => h('option', { value: item.version }, item.version)));
  const mandatory = h('input', { type: 'checkbox', name: 'mandatory' });
  const name = h('input', { name: 'confirmation', autocomplete: 'off', spellcheck: 'false' });
  const id = context.package.id;
  const request = () => ({ ...(to.value ? { to: to.value } : {}), mandatory: mandatory.checked });
  return withDialog(release, context, 'rollback', {
    title: `Roll back ${context.package.name} ${release.version}?`, keep: 'Keep it', confirm: 'Roll back', isDanger: true,
    fields: [
      field('Version to go back to', to),
      check('Before the next opening', mandatory, 'Makes it mandatory: the package opens after the switch.'),
      field(`Type ${id} to confirm`, name),
    ],
    input: to, others: [mandatory], confirmation: name,
    entries: request,
    isFilled: () => name.value === id,
    describe: async (seen, entered) => {
      const [plan, count] = await Promise.all([
        ask(`${releasePath(seen, context)}/rollback`, { ...entered, dryRun: true }), holders(seen, context),
      ]);
      // A dry run lists the losses because of which the server rejects the change.
      if (plan.losses?.length) {
        throw new Problem(
          'Devices would lose releases of other packages. Go back to another version, or force it with “larder rollback --force”.',
          { status: 409, code: 'dependents-lost', losses: plan.losses });
      }
      // The next lower release may change before the operator confirms.
      if (plan.begun) entered.to = plan.begun.version;
      if (!plan.begun) return [`It has not taken effect yet: release ${plan.ended.release} ends, and no device changes its version.`];
      return [
        `${count} Its devices get ${plan.begun.version} instead: ${percent(plan.begun.percent)} of ${plan.begun.to}.`,
        `Release ${plan.ended.release} ends for good. To offer ${plan.ended.version} again, make a new release.`,
        plan.offered.length ? h('div', null, h('p', null, 'Offered afterwards, the first one that fits a device:'),
          h('ol', null, plan.offered.map((other) =>
            h('li', null, `${other.version}: ${percent(other.percent)} of ${other.to}`)))) : null,
      ];
    },
    act: async (seen, entered) => {
      const done = await post(`${releasePath(seen, context)}/rollback`, entered, seen.revision);
      return done.begun
        ? `Release ${done.ended.release} is rolled back: its devices get ${done.begun.version} (#${done.begun.release}).`
        : `Release ${done.ended.release} has ended before it took effect.`;
    },
  });
}

/** Makes a reversible change without a dialog. */
async function without({ done, failed }, act) {
  try {
    await done(await act());
  } catch (problem) {
    await failed(problem);
  }
}

/**
 * States the consequence, changes the stated revision, and states the consequence again if the release has changed meanwhile.
 *
 * @param description `describe` gets the last known release and the value of `entries`; `act` gets those that `describe` stated.
 *   `input` and `others` are fields on which the consequence depends, `confirmation` is one on which it does not; `isFilled` says whether
 *   the fields allow the change
 */
async function withDialog(release, context, action, description) {
  const { title, keep, confirm, isDanger, fields = [], input, others = [], confirmation, entries = () => undefined, isFilled = () => true } = description;
  let seen = release;
  /** The release and the entries whose consequence the dialog states; `null` while it states none. */
  let stated = null;
  /** The number of the latest statement: an earlier one that ends later is dropped. */
  let latest = 0;
  let timer;
  const dialog = new Confirmation({
    title, keep, confirm, isDanger,
    act: async () => {
      try {
        return await description.act(stated.seen, stated.entered);
      } catch (problem) {
        if (problem.status === 409 || problem.status === 412) await again();
        throw problem;
      }
    },
  });
  const update = () => dialog.setReady(stated !== null && isFilled(seen));
  const state = async () => {
    const own = ++latest;
    const subject = { seen, entered: entries() };
    stated = null;
    update();
    if (!seen.allowed.includes(action)) {
      return dialog.state(`Release ${seen.id} is ${seen.state} now, at ${percent(seen.percent)}: this is no longer possible.`);
    }
    try {
      const sentences = await description.describe(subject.seen, subject.entered);
      if (own !== latest) return;
      dialog.state(...sentences);
      dialog.clear();
      stated = subject;
    } catch (problem) {
      if (own !== latest) return;
      dialog.state(problem.status === 409 ? 'The server refuses this change.' : 'The effect of the change is unknown.');
      dialog.fail(problem);
    }
    update();
  };
  /** Reads the release again, so that the dialog and the list show the changes of other operators. */
  const again = async () => {
    try {
      seen = await get(releasePath(release, context));
      context.refresh();
      await state();
    } catch {
      // The problem of the change itself is shown.
    }
  };
  dialog.fields.replaceChildren(...fields);
  for (const control of [input, ...others].filter(Boolean)) {
    control.addEventListener('input', () => {
      // A pending response belongs to the earlier entries.
      latest += 1;
      stated = null;
      update();
      clearTimeout(timer);
      timer = setTimeout(state, PAUSE);
    });
  }
  confirmation?.addEventListener('input', update);
  dialog.state('Checking the effect of the change…');
  state();
  try {
    const text = await dialog.open();
    if (text) await context.done(text);
  } catch (problem) {
    // The dialog was closed before it could show the problem.
    await context.failed(problem);
  } finally {
    clearTimeout(timer);
  }
}

function audienceSentence(release) {
  return `It is for ${audience(release)} on ${release.channel}.`;
}

/** Returns a sentence on the number of devices that a wider percentage adds. */
async function growth(release, wanted, context) {
  const request = {
    version: release.version, channel: release.channel, percent: wanted, sameAudienceAs: release.id,
    ...Object.fromEntries(['whitelist', 'excluded', 'rules', 'floor'].filter((key) => release[key]).map((key) => [key, release[key]])),
  };
  try {
    return reachSentence(await ask(`${context.where}/audience-estimate`, request));
  } catch (problem) {
    return problem.message;
  }
}

/** Returns a sentence on the number of devices that have the version already. */
async function holders(release, context) {
  try {
    const count = await get(`${releasePath(release, context)}/readiness`);
    return `${number(count.holding)} of ${devices(count.matching)} that it is for, seen in the last ${count.days} days, have it.`;
  } catch (problem) {
    return problem.message;
  }
}
