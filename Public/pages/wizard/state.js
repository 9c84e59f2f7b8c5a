import { api, path } from '../../api/client.js';
import { session } from '../../api/session.js';
import { newDraft, settleChannel, steps } from './draft.js';

/** The time in milliseconds for which lists that the steps share are kept. */
const freshness = 20_000;

/** The versions that the list of a package offers. */
const versionLimit = 100;

/** @type {Map<string, {at: number, value: Promise<any>}>} */
const kept = new Map();

/** Reads a value that the steps of the wizard share. */
function shared(where, query) {
  const key = `${where} ${JSON.stringify(query ?? {})}`;
  const known = kept.get(key);
  if (known && Date.now() - known.at < freshness) return known.value;
  const value = api.get(where, { query });
  kept.set(key, { at: Date.now(), value });
  value.catch(() => kept.delete(key));
  return value;
}

const draftKey = (app, name) => `larder-draft ${session.user} ${app} ${name}`;

/** Returns the stored draft of a package, or `null`. */
function storedDraft(app, name) {
  try {
    return JSON.parse(localStorage.getItem(draftKey(app, name)) ?? 'null');
  } catch {
    return null;
  }
}

/** A draft of a release with what the steps of the wizard know about it. */
export class Wizard {
  /**
   * @param {any} context
   * @param {string} name the package
   */
  constructor(context, name) {
    this.context = context;
    this.name = name;
    this.step = steps.includes(context.query.get('step') ?? '') ? String(context.query.get('step')) : 'audience';
    /** @type {(() => void)[]} */
    this.listeners = [];
    /** @type {((result: any) => void)[]} */
    this.estimateListeners = [];
    /** The last estimate; `null` before the first. */
    this.estimate = null;
    /** What the person has accepted in the review, for one request only; it is not stored. */
    this.accepted = {};
  }

  /** Reads the lists that the steps need, and the draft. */
  async load() {
    const { context, name } = this;
    const app = path('apps', context.app);
    const [health, lists] = await Promise.all([shared(`${app}/health`), shared(`${app}/device-lists`)]);
    this.appHealth = health.health?.rules?.length ? health.health : null;
    this.lists = lists.deviceLists;
    this.draft = { ...newDraft({ package: name, hasAppHealth: this.appHealth !== null }), ...storedDraft(context.app, name) };
    if (this.draft.health === 'app' && !this.appHealth) this.draft.health = 'own';
    if (!name) return;
    await this.useQuery();
    const packages = this.draft.packages.map((each) => each.package).filter(Boolean);
    this.versions = new Map(await Promise.all(packages.map(async (each) => /** @type {[string, any[]]} */ ([each, await this.versionsOf(each)]))));
    settleChannel(this.draft, context.channel);
  }

  /** Puts what the address asks for into the draft. */
  async useQuery() {
    const { draft, context } = this;
    const [version, channel, same] = ['version', 'channel', 'sameAudienceAs'].map((each) => context.query.get(each));
    const own = draft.packages.find((each) => each.package === this.name);
    if (version && own && own.version !== version) {
      own.version = version;
      draft.isChannelChosen = false;
    }
    if (channel) Object.assign(draft, { channel, isChannelChosen: true });
    if (same && draft.sameAudienceAs !== Number(same)) {
      const release = await context.get(['packages', this.name, 'releases', same]);
      (await import('./same-audience.js')).useAudience(draft, release);
    }
    if (version || channel || same) {
      this.save();
      context.setQuery({ version: null, channel: null, sameAudienceAs: null }, { reload: false });
    }
  }

  /** Returns the newest versions of a package that may be released. */
  async versionsOf(name) {
    const value = await shared(path('apps', this.context.app, 'packages', name, 'versions'), { sort: '-published', limit: versionLimit, state: 'releasable' });
    return value.versions;
  }

  /** Returns a version of a package as its list shows it, if the list has it. */
  versionInfo({ package: name, version }) {
    return this.versions?.get(name)?.find((each) => each.version === version) ?? null;
  }

  save() {
    try {
      localStorage.setItem(draftKey(this.context.app, this.name), JSON.stringify(this.draft));
    } catch {
      // Without a place for it the draft lasts until the page is left.
    }
  }

  /** Forgets the draft. */
  discard() {
    localStorage.removeItem(draftKey(this.context.app, this.name));
  }

  /** Changes the draft and everything that depends on it. */
  change(members = {}) {
    Object.assign(this.draft, members);
    this.save();
    for (const listener of this.listeners) listener();
  }

  /** Returns the address of a step. */
  href(step) {
    return this.context.href('new-release', { package: this.name, step });
  }

  /** Calls back now and after each estimate. */
  onEstimate(listener) {
    this.estimateListeners.push(listener);
    listener(this.estimate);
  }
}
