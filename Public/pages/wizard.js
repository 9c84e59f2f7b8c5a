import { button, h, icon } from '../elements/index.js';
import { roleWall } from '../elements/role-wall.js';
import { sentences, t } from '../i18n/index.js';
import { isSetDraft, steps } from './wizard/draft.js';
import { reachSection } from './wizard/estimate.js';
import { Wizard } from './wizard/state.js';
import { shareText, startText } from './wizard/words.js';

/** Loads what is shown without a package or a version. */
const packagePicker = () => import('./wizard/package-picker.js');

/** Load the panels of each step, which need much more code than the others. */
const stepModules = {
  audience: async (wizard) => ({ content: (await import('./wizard/audience.js')).audienceStep(wizard) }),
  start: async (wizard) => ({ content: (await import('./wizard/start.js')).startStep(wizard) }),
  health: async (wizard) => ({ content: (await import('./wizard/health.js')).healthStep(wizard) }),
  review: async (wizard) => (await import('./wizard/review.js')).reviewStep(wizard),
};

/** Opens the wizard that releases versions of one or several packages. */
export async function open(context) {
  const name = context.query.get('package') ?? '';
  const crumbs = [{ label: t('nav.releases'), href: context.href('releases') }];
  const wall = roleWall(context, 'viewer', context.scope);
  if (wall) return { title: t('wizard.title'), crumbs, content: [wall] };
  if (!name) return { title: t('wizard.title'), crumbs, content: [(await packagePicker()).choosePackage(context)] };
  const wizard = new Wizard(context, name);
  await wizard.load();
  const title = wizardTitle(wizard.draft);
  return {
    title, crumbs: [...crumbs, { label: name, href: context.href(`packages/${name}`) }], crumbTitle: t('wizard.title'),
    sub: sentences(h('span', null, t('wizard.step-of', { n: steps.indexOf(wizard.step) + 1, of: steps.length, step: t(`wizard.step.${wizard.step}`) })), t('wizard.kept')),
    actions: [button(t('wizard.discard'), { kind: 'quiet', onclick: () => {
      wizard.discard();
      context.go(`packages/${name}`);
    } })],
    content: [await wizardBody(wizard)],
  };
}

/** Returns the heading of a draft. */
function wizardTitle(draft) {
  if (isSetDraft(draft)) return t('wizard.title-set', { n: draft.packages.length });
  const [{ package: name, version }] = draft.packages;
  return t('wizard.title-of', { name: version ? `${name} ${version}` : name });
}

/** Returns the steps beside the panels of the open one. */
async function wizardBody(wizard) {
  const { context, step } = wizard;
  const reach = reachSection(wizard);
  const isReview = step === 'review';
  const isWithoutVersion = wizard.versions.get(wizard.name)?.length === 0;
  const part = isWithoutVersion ? { content: [(await packagePicker()).noVersion(context, wizard.name)] } : await stepModules[step](wizard);
  const index = steps.indexOf(step);
  const back = index > 0 ? button(t('wizard.back'), { href: wizard.href(steps[index - 1]) }) : button(t('common.cancel'), { kind: 'quiet', href: context.href(`packages/${wizard.name}`) });
  const next = isReview ? part.buttons : [h('span', { class: 'end' }), button([t(`wizard.continue.${steps[index + 1]}`), icon('chevron-right')], { kind: 'primary', href: wizard.href(steps[index + 1]), 'data-key': 'wizard-next' })];
  const element = h('div', { class: 'columns left' },
    stepsNav(wizard),
    h('div', null, isWithoutVersion ? null : reach, part.content, isWithoutVersion ? null : h('div', { class: 'sticky-buttons' }, back, next)));
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || document.querySelector('dialog[open]')) return;
    event.preventDefault();
    if (isReview) part.submit?.();
    else location.hash = wizard.href(steps[index + 1]);
  }, { signal: context.signal });
  return element;
}

/** Returns the list of the steps with what was chosen in each. */
function stepsNav(wizard) {
  const { draft, step } = wizard;
  const notes = {
    audience: () => [draft.packages.map((each) => each.version).filter(Boolean).join(', '), shareText(draft)].filter(Boolean).join(', '),
    start: () => startText(draft),
    health: () => (draft.health === 'none' ? t('wizard.health.none') : t('wizard.health-count', { n: (draft.health === 'app' ? wizard.appHealth : draft.policy).rules.length })),
    review: () => t('wizard.review-note'),
  };
  const current = steps.indexOf(step);
  const places = new Map(steps.map((each) => [each, h('small', null)]));
  const fill = () => { for (const each of steps) places.get(each).textContent = notes[each](); };
  fill();
  wizard.listeners.push(fill);
  return h('nav', { 'aria-label': t('wizard.steps') }, h('ol', { class: 'wizard-steps' }, steps.map((each, index) => h('li', { 'aria-current': each === step ? 'step' : null },
    h('span', { class: 'n', 'aria-hidden': 'true' }, index < current ? icon('check') : String(index + 1)),
    h('div', null, h('a', { href: wizard.href(each) }, h('b', null, t(`wizard.step.${each}`)), places.get(each)))))));
}
