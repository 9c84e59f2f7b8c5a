/** The plan of a new draft: it reaches few devices first. */
const firstPlan = [{ percent: 1, after: '0s' }, { percent: 10, after: '2h' }, { percent: 100, after: '1d' }];

/** The health rules of a new draft if the app has none. */
const firstPolicy = {
  devices: 50, window: '1d', coolDown: '1h',
  rules: [
    { metric: 'whiteScreens', ceiling: 1, aboveControl: 25, action: 'halt' },
    { metric: 'scriptErrors', aboveControl: 50, action: 'halt' },
    { metric: 'crashes', ceiling: 2, action: 'halt' },
  ],
};

/** The steps of the wizard. */
export const steps = ['audience', 'start', 'health', 'review'];

/**
 * Returns whether a version string is a pre-release of Semantic Versioning, which has no default channel.
 *
 * @param {string} version
 * @returns {boolean}
 */
export function isPrerelease(version) {
  return /^\d+\.\d+\.\d+-[0-9A-Za-z-]/.test(version ?? '');
}

/**
 * Returns a draft without a version.
 *
 * @param {{package?: string, hasAppHealth?: boolean}} options
 * @returns {any}
 */
export function newDraft({ package: name, hasAppHealth = false } = {}) {
  return {
    packages: [{ package: name ?? '', version: '' }],
    channel: '', isChannelChosen: false,
    share: 'plan', percent: 100, plan: structuredClone(firstPlan), whitelist: '', excluded: '', rules: [],
    floor: { version: '', reason: '', withoutHave: 'withhold' }, sameAudienceAs: null,
    start: 'now', activeTime: null, ahead: false, bytesPerSecond: 100_000_000, devices: null, from: null,
    mandatory: false, updateMode: 'silent', wifiOnly: false,
    health: hasAppHealth ? 'app' : 'own', policy: structuredClone(firstPolicy),
  };
}

/**
 * Gives a draft a channel that fits its versions: the one of the open page, unless a version is a pre-release, for which a
 * person has to choose.
 *
 * @param {any} draft
 * @param {string} channel the channel of the open page
 */
export function settleChannel(draft, channel) {
  if (draft.isChannelChosen) return;
  draft.channel = draft.packages.some((each) => isPrerelease(each.version)) ? '' : channel;
}

/** Returns whether a draft is for several packages. */
export const isSetDraft = (draft) => draft.packages.length > 1;

/** Returns a number without the noise of binary fractions. */
const tidy = (value) => Number(Number(value).toFixed(2));

/** Returns the steps of a draft's plan; one without rules counts only if there are some. */
export const planOf = (draft) => draft.plan.filter((step) => !step.withoutRules || draft.rules.length > 0);

/** Returns the values that a text lists. */
export const valuesOf = (/** @type {string} */ text) => text.split(/[,，\n]/).map((each) => each.trim()).filter(Boolean);

/**
 * Returns a rule of the audience as the API takes it.
 *
 * @param {{fact: string, how: string, text: string}} rule
 * @returns {any}
 */
export function audienceRule(rule) {
  if (rule.how === 'range') return { fact: rule.fact, range: rule.text.trim() };
  return { fact: rule.fact, [rule.how]: valuesOf(rule.text) };
}

/**
 * Returns the health rules of a draft as the API takes them; `undefined` for those of the app.
 *
 * @param {any} draft
 * @returns {any}
 */
function healthOf(draft) {
  if (draft.health === 'app') return undefined;
  return draft.health === 'none' ? { rules: [] } : draft.policy;
}

/**
 * Returns the body of the request that makes the release or the release set of a draft.
 *
 * @param {any} draft
 * @returns {any}
 */
export function requestOf(draft) {
  const isSet = isSetDraft(draft);
  const body = isSet ? { versions: Object.fromEntries(draft.packages.map((each) => [each.package, each.version])) }
    : { version: draft.packages[0].version };
  if (draft.channel) body.channel = draft.channel;
  if (draft.share === 'plan') body.plan = planOf(draft).map((step) => ({ ...step, percent: tidy(step.percent) }));
  else body.percent = draft.share === 'list' ? 0 : tidy(draft.percent);
  if (draft.whitelist) body.whitelist = draft.whitelist;
  if (draft.excluded) body.excluded = draft.excluded;
  if (draft.rules.length) body.rules = draft.rules.map(audienceRule);
  if (draft.start === 'later' && draft.activeTime) body.activeTime = draft.activeTime;
  if (!isSet && draft.ahead && body.activeTime) {
    body.downloads = { bytesPerSecond: Number(draft.bytesPerSecond), devices: Number(draft.devices) };
    if (draft.from) body.downloads.from = draft.from;
  }
  if (draft.mandatory) body.mandatory = true;
  if (draft.updateMode !== 'silent') body.updateMode = draft.updateMode;
  if (draft.wifiOnly) body.wifiOnly = true;
  if (!isSet && draft.floor.version) {
    body.floor = { version: draft.floor.version, withoutHave: draft.floor.withoutHave };
    if (draft.floor.reason) body.floor.reason = draft.floor.reason;
  }
  const health = healthOf(draft);
  if (health) body.health = health;
  if (!isSet && draft.sameAudienceAs) body.sameAudienceAs = draft.sameAudienceAs;
  return body;
}

/**
 * Returns the body of the estimate of one package: the audience at a percentage, without what has no effect on it.
 *
 * @param {any} draft
 * @param {{package: string, version: string}} item
 * @param {number} percent
 * @returns {any}
 */
export function estimateOf(draft, item, percent) {
  const { plan, health, downloads, versions, mandatory, updateMode, wifiOnly, ...body } = requestOf(draft);
  void [plan, health, downloads, versions, mandatory, updateMode, wifiOnly];
  // A rule that is being typed says nothing yet.
  const rules = draft.rules.filter((rule) => rule.text.trim() && rule.fact !== 'attr.').map(audienceRule);
  delete body.rules;
  return { ...body, ...(rules.length ? { rules } : {}), version: item.version, percent };
}

/** Returns the seconds of a duration such as `90m`. */
export function seconds(text) {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(text ?? '') ?? [];
  return count === undefined ? NaN : Number(count) * { s: 1, m: 60, h: 3_600, d: 86_400 }[unit];
}

/**
 * Returns the number of devices that a step reaches: those of the whitelist, and the share of the others.
 *
 * @param {{all: number, listed: number, everyone?: number}} estimate `all` at 100%, `listed` at 0%, `everyone` at 100% without the rules
 * @param {{percent: number, withoutRules?: boolean}} step
 * @returns {number}
 */
export function devicesAt({ all, listed, everyone }, { percent, withoutRules }) {
  return Math.round(listed + ((withoutRules ? everyone ?? all : all) - listed) * percent / 100);
}

/**
 * Returns the steps of a draft with their percentages and times.
 *
 * @param {any} draft
 * @param {number} [now]
 * @returns {{percent: number, withoutRules?: boolean, time: number}[]}
 */
export function courseOf(draft, now = Date.now()) {
  const start = draft.start === 'later' && draft.activeTime ? new Date(draft.activeTime).getTime() : now;
  if (draft.share !== 'plan') return [{ percent: draft.share === 'list' ? 0 : draft.percent, time: start }];
  return planOf(draft).map((step) => ({ ...step, time: start + (seconds(step.after) || 0) * 1000 }));
}
