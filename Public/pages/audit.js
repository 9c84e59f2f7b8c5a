import { api, path, queryText } from '../api/client.js';
import { chips } from '../elements/chips.js';
import { field } from '../elements/fields.js';
import { select, textInput } from '../elements/inputs.js';
import { button, h } from '../elements/index.js';
import { table } from '../elements/table.js';
import { pager } from '../elements/tabs.js';
import { timeTag } from '../elements/time.js';
import { dateTimeInput } from '../elements/moments.js';
import { livePanel } from '../elements/live.js';
import { list, t } from '../i18n/index.js';
import { changesOf, valueText } from './audit/changes.js';
import { historySentence } from './parts/history.js';

/** The entries of a page. */
const pageSize = 25;

/** The time in milliseconds after the last key before the list is read again. */
const searchDelay = 300;

/** The characters of a value that are shown without opening it. */
const shownLength = 80;

/** The subjects of actions, to choose all actions of one. */
const subjects = [
  'app', 'approval', 'archive', 'build', 'channel', 'ci-trust', 'device', 'device-list', 'key', 'package', 'page-grant', 'preset', 'release',
  'release-set', 'session', 'sign-in-provider', 'token', 'user', 'version', 'waiver', 'webhook',
];

/** The periods to choose from, in hours. */
const periods = { day: 24, week: 168, month: 720 };

/** The filters that the address keeps. */
const filters = ['actor', 'action', 'object', 'app', 'since', 'until', 'period'];

/** Opens the page with the changes: of the whole server for its admins, of the app for others. */
export async function open(context) {
  const isAll = context.session.may('admin', {});
  const { query } = context;
  /** @type {(string | null)[]} The positions of the pages before the open one. */
  const trail = [];

  const change = (changes) => {
    trail.length = 0;
    context.setQuery({ ...changes, before: null }, { reload: false });
    showChosen();
    panel.reload();
  };
  const move = (before) => {
    context.setQuery({ before }, { reload: false });
    panel.reload();
    window.scrollTo(0, 0);
  };

  const panel = livePanel(context, {
    title: t('audit.changes'), rows: 8,
    load: async (signal) => {
      const where = isAll ? 'audit' : path('apps', context.app, 'history');
      const response = await api.read(where, { signal, query: { ...selection(), limit: pageSize, before: query.get('before') } });
      return { entries: response.value.entries, hasNext: /rel="next"/.test(response.headers.get('Link') ?? '') };
    },
    changes: () => !query.get('before'),
    isEmpty: ({ entries }) => entries.length === 0,
    empty: { icon: 'list', title: t('audit.empty'), text: t('audit.empty-text'), actions: [button(t('audit.clear'), { onclick: clear })] },
    render: ({ entries, hasNext }) => {
      const before = query.get('before');
      panel.setFooter(before || hasNext ? pager({
        hasPrevious: Boolean(before), hasNext,
        onPrevious: () => move(trail.pop() ?? null),
        onNext: () => {
          trail.push(before);
          move(String(entries.at(-1).id));
        },
        text: t('audit.range', { first: String(entries[0].id), last: String(entries.at(-1).id) }),
      }) : null);
      return table({
        caption: t('audit.changes'),
        columns: [{ label: t('audit.time') }, { label: t('audit.what'), full: true }, { label: t('audit.change'), full: true }],
        rows: entries.map((entry) => ({ key: `entry-${entry.id}`, cells: [h('span', { class: 'nowrap' }, timeTag(entry.time)), whatCell(entry), changeCell(entry)] })),
      });
    },
  });

  /** Returns the filters as the server takes them. */
  function selection() {
    const chosen = Object.fromEntries(filters.filter((name) => name !== 'period').map((name) => [name, query.get(name)]));
    const hours = periods[query.get('period') ?? ''];
    if (hours && !chosen.since) {
      const start = new Date(Date.now() - hours * 3_600_000);
      start.setSeconds(0, 0);
      chosen.since = start.toISOString();
    }
    return isAll ? chosen : { action: chosen.action };
  }

  function whatCell(entry) {
    const link = (name, value, content) => h('a', {
      href: context.href('audit', { ...Object.fromEntries(query), before: null, [name]: value }), title: t('audit.only', { value }), class: 'plain',
    }, content);
    return h('div', null, h('p', null, historySentence({ ...context, href: (page) => hrefIn(entry.app, page) }, entry)),
      h('p', { class: 'small ink3' }, link('action', entry.action, h('code', null, entry.action)), ' · ', isAll ? link('actor', entry.actor, entry.actor) : entry.actor,
        isAll && entry.app ? [' · ', entry.app] : null, entry.from?.address ? ` · ${entry.from.address}` : null, ` · #${entry.id}`));
  }

  /** Returns the address of a page of the app that an entry belongs to. */
  function hrefIn(app, page) {
    return app && app !== context.app ? `#/${path(app, 'production')}/${page.split('/').map(encodeURIComponent).join('/')}` : context.href(page);
  }

  const entry = (name, placeholder, attributes = {}) => {
    let timer;
    const control = textInput({
      name, value: query.get(name) ?? '', placeholder, ...attributes,
      oninput: () => {
        clearTimeout(timer);
        timer = setTimeout(() => change({ [name]: control.value.trim() }), searchDelay);
      },
    });
    return control;
  };
  const action = select([['', t('audit.all-actions')], ...actionOptions(query.get('action'))], {
    name: 'action', value: query.get('action') ?? '', onchange: () => change({ action: action.value }),
  });
  const object = entry('object', 'news@1.2.0', { class: 'mono' });
  const actor = entry('actor', 'ann (user #1)');
  const app = select([['', t('audit.all-apps')], ...context.apps.map((each) => [each.id, each.id])], {
    name: 'app', value: query.get('app') ?? '', onchange: () => change({ app: app.value }),
  });
  const since = dateTimeInput({ name: 'since', value: query.get('since'), onchange: (value) => change({ since: value, period: null }) });
  const until = dateTimeInput({ name: 'until', value: query.get('until'), onchange: (value) => change({ until: value }) });
  const period = chips(Object.keys(periods).map((each) => ({ label: t(`audit.period-${each}`), value: each })), {
    value: query.get('period') ?? '', label: t('audit.period'), onchange: (value) => {
      since.value = null;
      change({ period: value, since: null });
    },
  });
  const chosen = h('div', { class: 'row' });
  const exportLink = button(t('audit.export'), { icon: 'download', href: '', download: 'audit.ndjson' });

  function clear() {
    action.value = object.value = actor.value = app.value = '';
    since.value = until.value = null;
    period.value = '';
    change(Object.fromEntries(filters.map((name) => [name, null])));
  }

  function showChosen() {
    const names = filters.filter((name) => query.get(name) && name !== 'period');
    chosen.replaceChildren(...(names.length ? [h('span', { class: 'small ink3' }, t('audit.filtered', { filters: list(names.map((name) => t(`audit.${name}`))) })),
      button(t('audit.clear'), { small: true, kind: 'quiet', icon: 'cross', onclick: clear })] : []));
    const search = queryText({ ...selection(), format: 'ndjson' });
    exportLink.setAttribute('href', new URL(`../api/v1/audit?${search}`, document.baseURI).href);
  }
  showChosen();

  const bar = isAll ? h('div', { class: 'stack' },
    h('div', { class: 'grid-3' }, field(t('audit.action'), action), field(t('audit.object'), object), field(t('audit.actor'), actor),
      field(t('audit.app'), app), field(t('audit.since'), since), field(t('audit.until'), until)),
    h('div', { class: 'row' }, period, chosen)) : h('div', { class: 'grid-3' }, field(t('audit.action'), action));
  return {
    title: t('nav.audit'), sub: t(isAll ? 'audit.sub' : 'audit.sub-app', { app: context.app }), actions: isAll ? [exportLink] : [],
    content: [bar, panel],
  };
}

/** Returns the actions to choose from, with the chosen one if it is a single action. */
function actionOptions(chosen) {
  const options = subjects.map((subject) => [`${subject}.*`, t(`audit.subject-${subject}`)]);
  return chosen && !chosen.endsWith('.*') ? [...options, [chosen, chosen]] : options;
}

/** Returns what an entry changed: each member with its former and its new value. */
function changeCell(entry) {
  const changes = changesOf(entry.details);
  if (changes.length === 0) return h('span', { class: 'ink3' }, '–');
  const shown = changes.slice(0, 4);
  const line = (/** @type {{member: string, before?: any, after?: any}} */ { member, before, after }) => h('li', null, h('span', { class: 'ink3' }, member, ' '),
    before === undefined ? valueNode('span', after) : [valueNode('del', before), ' ', after === undefined ? null : valueNode('ins', after)]);
  return h('div', null, h('ul', { class: 'plain changes' }, shown.map(line)),
    changes.length > shown.length
      ? h('details', null, h('summary', { class: 'small' }, t('audit.more', { n: changes.length - shown.length })), h('ul', { class: 'plain changes' }, changes.slice(4).map(line))) : null);
}

/** Returns a value, of which only the beginning is shown if it is long. */
function valueNode(name, value) {
  const text = valueText(value);
  if (text.length <= shownLength) return h(name, null, text);
  return h('details', null, h('summary', null, h(name, null, `${text.slice(0, shownLength)}…`)), h(name, null, text));
}
