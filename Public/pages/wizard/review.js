import { lineChart } from '../../charts/index.js';
import { api } from '../../api/client.js';
import { copyButton } from '../../elements/copy.js';
import { button, h, mark, panel, problemNotice, toast } from '../../elements/index.js';
import { timeTag } from '../../elements/time.js';
import { livePanel } from '../../elements/live.js';
import { dateTime, number, percent, t, tn } from '../../i18n/index.js';
import { rate, shortNumber } from '../../i18n/sizes.js';
import { zone } from '../../i18n/times.js';
import { labelOf, runAction } from '../release-actions.js';
import { approvalPart, showRequest } from '../release/approval-part.js';
import { stepText } from '../release/plan-text.js';
import { addressOn, isSet, nameOf } from '../release/subject.js';
import { audienceLines, deliveryLines, stacked } from '../release/terms.js';
import { checkDraft, makeBody, makePath } from './checks.js';
import { commandOf, judgmentGap } from './draft-review.js';
import { courseOf, devicesAt, requestOf } from './draft.js';
import { rulesList } from './health.js';

/** The icons of the checks that ask for nothing. */
const marks = { good: 'check', info: 'info' };

/** The part of a plan's length that the chart shows after its last step. */
const tail = 0.15;

/**
 * Returns the panels of the last step, and its buttons.
 *
 * @param {any} wizard
 * @returns {{content: any[], buttons: any[], submit: () => Promise<void>}}
 */
export function reviewStep(wizard) {
  const { context, draft } = wizard;
  const state = { isPossible: false, isBusy: false };
  const place = h('div', { class: 'form-problem' });
  const reason = context.session.reason('releaser', { app: context.app, channel: draft.channel || context.channel });
  const run = (/** @type {any} */ more) => api.send('POST', makePath(context, draft), { ...makeBody(draft, wizard.accepted), ...more });
  const approval = approvalPart(context, draft.channel, 'create', run);
  const confirm = button(confirmLabel(draft, approval.isNeeded), { kind: 'primary', reason, onclick: () => submit(), 'aria-disabled': 'true', 'data-key': 'wizard-submit' });
  const update = () => {
    if (!reason) confirm.setAttribute('aria-disabled', String(!state.isPossible || state.isBusy));
    confirm.classList.toggle('is-busy', state.isBusy);
  };
  const finish = (response) => {
    wizard.discard();
    context.changed();
    done(context, draft, response);
  };
  const submit = async () => {
    if (!state.isPossible || state.isBusy || reason) return;
    state.isBusy = true;
    place.replaceChildren();
    update();
    try {
      finish(await run(approval.members()));
    } catch (/** @type {any} */ problem) {
      place.replaceChildren(problemNotice(problem));
      if (problem.isUncertain) place.append(h('p', { class: 'small' }, h('a', { href: context.href('releases') }, t('wizard.look-first'))));
    }
    state.isBusy = false;
    update();
  };
  const checks = checksPanel(wizard, (isPossible) => {
    state.isPossible = isPossible;
    update();
  });
  wizard.listeners.push(() => checks.reload());
  const nodes = approval.nodes(finish);
  return {
    content: [checks, coursePanel(wizard), summaryPanel(wizard), nodes.length ? panel({ title: t('wizard.approval'), body: [h('div', { class: 'stack' }, nodes)] }) : null, place],
    buttons: [copyButton(() => commandOf(draft, context.app, approval.members()), { label: t('wizard.copy-command'), kind: 'quiet' }), h('span', { class: 'end' }), confirm],
    submit,
  };
}

function confirmLabel(draft, isProtected) {
  if (isProtected) return t('wizard.request');
  return t(draft.start === 'later' ? 'wizard.schedule' : 'wizard.release');
}

/** Opens the page of what was made, with a way to take it back. */
function done(context, draft, { status, value }) {
  if (status === 202) {
    showRequest(context, value);
    location.hash = addressOn(context, value.channel, 'approvals', String(value.id));
    return;
  }
  toast(t(value.state === 'scheduled' ? 'wizard.done-scheduled' : 'wizard.done', { name: nameOf(value), channel: value.channel, time: dateTime(value.activeTime) }), {
    kind: 'good', action: { label: labelOf(context, value, 'rollback'), run: () => runAction(context, value, 'rollback') },
  });
  location.hash = addressOf(context, value);
}

/** Returns the chart of the devices over time. */
function coursePanel(wizard) {
  const { draft } = wizard;
  const element = panel({ title: t('wizard.course'), note: t('common.zone', { zone: zone() }) });
  const course = courseOf(draft).filter((step) => Number.isFinite(step.time));
  if (course.length < 2) {
    element.setAttribute('hidden', '');
    return element;
  }
  const end = course[course.length - 1].time;
  wizard.onEstimate((estimate) => {
    const hasCount = estimate?.all !== undefined && estimate.all > 0;
    const value = (step) => (hasCount ? devicesAt(estimate, step) : step.percent);
    const texts = course.map((step) => t('wizard.course-step', { percent: stepText(step), time: dateTime(step.time) }));
    element.setBody(h('div', null, lineChart({
      title: t('wizard.course'), summary: texts.join(', '),
      series: [{ name: hasCount ? t('wizard.course-devices') : t('wizard.course-share'), colour: 1, area: true, step: true, points: course.map((step) => [new Date(step.time).toISOString(), value(step)]) }],
      marks: course.map((step) => ({ x: new Date(step.time).toISOString(), label: stepText(step) })),
      formatValue: (each) => (hasCount ? number(each) : percent(each)), formatTick: (each) => (hasCount ? shortNumber(each) : percent(each)), x: 'time',
      to: new Date(end + (end - course[0].time) * tail).toISOString(), height: 180,
    })));
  });
  return element;
}

/** Returns the panel of the checks; `told` is called with whether the draft can be sent. */
function checksPanel(wizard, told) {
  const { context } = wizard;
  /** @type {any} The last response, if the devices had not been counted by then. */
  let uncounted = null;
  /** Runs what a button does, whose checks are made anew; the focus stays in the panel. */
  const act = (run) => {
    const title = element.querySelector('h2');
    title.setAttribute('tabindex', '-1');
    title.focus({ preventScroll: true });
    run();
  };
  const element = livePanel(context, {
    title: t('wizard.checked'), rows: 4, changes: (event) => /^(release|release-set|version|channel|package)\./.test(event.action),
    load: async (signal) => {
      told(false);
      const isCounted = wizard.estimate != null;
      const checked = await checkDraft(wizard, signal);
      uncounted = isCounted ? null : checked.result;
      return checked;
    },
    render: ({ checks, isPossible }, element) => {
      told(isPossible);
      const open = checks.filter((check) => !(check.kind in marks)).length;
      element.setCount(open ? t('wizard.to-review', { n: open }) : t('wizard.all-good'));
      return h('ul', { class: 'list' }, checks.map((check) => h('li', null, mark(marks[check.kind] ?? 'warning', check.kind),
        h('div', { class: 'grow' }, h('p', null, h('span', { class: 'visually-hidden' }, t(`wizard.check-kind.${check.kind}`), ' '), check.title),
          check.text ? h('small', null, check.text) : null, check.more),
        check.actions ? h('div', { class: 'actions' }, check.actions.map((each) => button(each.label, { small: true, href: each.href, onclick: each.run && (() => act(each.run)) }))) : null)));
    },
  });
  wizard.onEstimate((estimate) => {
    if (uncounted && judgmentGap(wizard.draft, estimate, uncounted.releases ?? [uncounted])) element.reload();
  });
  return element;
}

/** Returns the summary of a draft with links to its steps. */
function summaryPanel(wizard) {
  const { draft, appHealth } = wizard;
  const row = (term, value, step) => h('div', null, h('dt', null, term), h('dd', null, value),
    h('dd', null, h('a', { href: wizard.href(step), 'aria-label': t('wizard.edit-of', { part: term }) }, t('wizard.edit'))));
  const element = panel({ title: t('wizard.summary'), note: t('common.zone', { zone: zone() }) });
  const show = () => {
    const body = requestOf(draft);
    const policy = draft.health === 'app' ? appHealth : draft.policy;
    element.setBody(h('dl', { class: 'sums' },
      row(t('wizard.versions'), stacked(draft.packages.map((each) => `${each.package} ${each.version}`)), 'audience'),
      row(t('wizard.channel'), draft.channel || '–', 'audience'),
      row(t('release.audience'), stacked(audienceLines({ ...body, percent: body.percent ?? 100 })), 'audience'),
      row(t('release.takes-effect'), stacked([
        draft.start === 'later' && draft.activeTime ? timeTag(draft.activeTime) : t('wizard.start.now'),
        body.downloads ? tn('wizard.summary-downloads', { time: body.downloads.from ? timeTag(body.downloads.from) : t('wizard.ahead-soon'), rate: rate(body.downloads.bytesPerSecond) }) : null,
      ].filter(Boolean)), 'start'),
      row(t('release.on-devices'), stacked(deliveryLines(body)), 'start'),
      row(t('release.rules'), draft.health === 'none' ? t('wizard.health.none') : rulesList(policy), 'health')));
  };
  show();
  // A check may change the draft.
  wizard.listeners.push(show);
  return element;
}

/** Returns the address of the page of a release or a release set, on its own channel. */
function addressOf(context, release) {
  const parts = isSet(release) ? ['sets', String(release.id)] : ['releases', release.package, String(release.id)];
  return addressOn(context, release.channel, ...parts);
}
