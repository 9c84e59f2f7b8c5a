import { lineChart } from '../charts/index.js';
import { button, h, menu } from '../elements/index.js';
import { select } from '../elements/inputs.js';
import { livePanel } from '../elements/live.js';
import { segmented } from '../elements/segmented.js';
import { table } from '../elements/table.js';
import { laterPanel } from '../elements/visible.js';
import { number, percent, sentences, t } from '../i18n/index.js';
import { factValue } from './release/audience-text.js';
import { compareVersions, outlier, rates, totals } from './reports/data.js';
import { milliseconds, ranges, read, readSeries, readTotals, refreshTime, shownRows } from './reports/reading.js';

/** The lines of a chart. */
const lines = 5;

/** The kinds of failures in the table. */
const shownKinds = ['whiteScreen', 'scriptError', 'crash'];

const charts = () => import('./reports/charts.js');
const tables = () => import('./reports/tables.js');

/** Opens the reports: what fails, where, and since when. */
export async function open(context) {
  const { packages } = await context.get(['packages'], { limit: 1000 });
  const wanted = context.query.get('package') ?? '';
  const page = {
    context, package: packages.some((each) => each.id === wanted) ? wanted : '', dimension: 'version',
    range: Object.hasOwn(ranges, context.query.get('range')) ? context.query.get('range') : '30d', cache: new Map(),
    filters: { platform: context.query.get('platform'), appVersion: context.query.get('appVersion') }, sentence: h('span'),
    version: context.query.get('version'),
  };
  if (!page.package) page.dimension = 'package';
  return {
    title: t('reports.title'), sub: h('span', null, sentences(page.sentence, h('span', { class: 'muted' }, t('reports.sub')))),
    crumbTitle: t('reports.title'), actions: [menu(t('reports.export'), async () => (await import('./reports/export.js')).exportItems(page), { icon: 'download' })],
    content: [
      filterRow(page, packages), failuresPanel(page),
      h('div', { class: 'columns even' },
        h('div', null, laterPanel(t('reports.kinds'), async () => (await charts()).kindsPanel(page))),
        h('div', null, laterPanel(t('reports.load'), async () => (await charts()).loadPanel(page)))),
      page.package ? h('div', { class: 'columns even' },
        h('div', null, laterPanel(t('reports.funnel'), async () => (await tables()).funnelPanel(page))), h('div', null, reasons(page))) : reasons(page),
      page.package ? laterPanel(t('reports.old'), async () => (await import('./reports/adoption.js')).adoptionPanel(context, page)) : null,
    ],
  };
}

const reasons = (page) => laterPanel(t('reports.reasons'), async () => (await tables()).reasonsPanel(page));

function filterRow(page, packages) {
  const { context } = page;
  const set = (name) => (event) => context.setQuery({ [name]: event.target.value || null });
  const platform = h('span');
  const host = h('span');
  const choose = (place, name, label, values) => place.replaceChildren(select([['', label], ...values.map((each) => [each, factValue(name, each)])], {
    value: page.filters[name] ?? '', 'aria-label': label, onchange: set(name), 'data-key': name,
  }));
  const fill = (rows) => {
    const values = (name) => [...new Set([page.filters[name], ...rows.map((row) => row[name])].filter(Boolean))].sort(name === 'appVersion' ? compareVersions : undefined);
    choose(platform, 'platform', t('reports.all-platforms'), values('platform'));
    choose(host, 'appVersion', t('reports.all-hosts'), values('appVersion'));
  };
  fill([]);
  read({ ...page, filters: {}, cache: new Map() }, { groupBy: 'platform,appVersion', bucket: 'all' }).then(({ series }) => fill(series), () => {});
  return h('div', { class: 'row' },
    h('span', null, select([['', t('reports.all-packages')], ...packages.map((each) => [each.id, each.name === each.id ? each.id : `${each.name} (${each.id})`])], {
      value: page.package, 'aria-label': t('reports.package'), onchange: set('package'), 'data-key': 'package',
    })), platform, host,
    h('div', { class: 'end' }, segmented(Object.keys(ranges).map((each) => ({ label: t(`reports.range-${each}`), value: each })), {
      value: page.range, label: t('reports.range'), onchange: (range) => context.setQuery({ range }),
    })));
}

const failuresTitle = (page) => t(`reports.failures-${page.dimension}`);

function failuresPanel(page) {
  const { context, dimension } = page;
  let isAll = false;
  const panel = livePanel(context, {
    title: failuresTitle(page), note: t('reports.failures-note'), rows: 7, every: refreshTime,
    load: async () => {
      const [whole, series, now] = await Promise.all([readTotals(page), readSeries(page), page.package ? readNow(page) : {}]);
      return { entries: totals(whole.series, dimension), series: series.series, now };
    },
    isEmpty: ({ entries }) => !entries.length,
    empty: { icon: 'chart', title: t('reports.none'), text: t('reports.none-text') },
    render: ({ entries, series, now }, element) => {
      const sorted = [...entries].sort((one, other) => (dimension === 'version' ? compareVersions(one.name, other.name) : (other.rate ?? -1) - (one.rate ?? -1)));
      const worst = outlier(entries);
      page.sentence.textContent = sentence(entries, worst);
      const charted = [...sorted].filter((entry) => entry.opened > 0).sort((one, other) => other.opened - one.opened).slice(0, lines);
      for (const asked of [worst, entries.find((entry) => entry.name === page.version)]) {
        if (asked && !charted.some((entry) => entry.name === asked.name)) charted.splice(-1, 1, asked);
      }
      const order = sorted.filter((entry) => charted.some((each) => each.name === entry.name));
      const colours = new Map(order.map((entry, index) => [entry.name, entry.name === worst?.name ? 'bad' : Math.min(5, index + 1)]));
      const points = rates(series, dimension);
      const chart = lineChart({
        title: failuresTitle(page), summary: sentence(entries, worst),
        series: order.map((entry) => ({ name: entry.name, colour: colours.get(entry.name), points: points.get(entry.name) ?? [] })),
        formatValue: percent, max: 1,
      });
      element.setFooter(sorted.length > shownRows ? button(isAll ? t('reports.show-less') : t('reports.show-all', { n: sorted.length }), {
        kind: 'quiet', small: true, 'data-key': 'all', onclick: () => { isAll = !isAll; panel.reload(); },
      }) : null);
      return [chart, totalsTable(page, isAll || sorted.findIndex((entry) => entry.name === page.version) >= shownRows ? sorted : sorted.slice(0, shownRows), worst, now)];
    },
  });
  return panel;
}

async function readNow(page) {
  try {
    const { versions } = await page.context.get(['packages', page.package, 'adoption'], { channel: page.context.channel });
    return Object.fromEntries(versions.map((each) => [each.version, each.devices]));
  } catch (problem) {
    if (problem.status === 409 || problem.status === 503) return {};
    throw problem;
  }
}

function sentence(entries, worst) {
  const opened = entries.reduce((sum, entry) => sum + entry.opened, 0);
  if (!opened) return t('reports.sentence-none');
  if (worst) return t('reports.sentence-worst', { name: worst.name, rate: percent(worst.rate), others: percent(worst.others) });
  const failures = entries.reduce((sum, entry) => sum + entry.failures, 0);
  return t('reports.sentence', { rate: percent(failures / opened * 100) });
}

function totalsTable(page, entries, worst, now) {
  const isVersion = page.dimension === 'version';
  const cell = (entry, kind) => (entry.opened ? percent((entry.kinds[kind] ?? 0) / entry.opened * 100) : '–');
  return table({
    caption: failuresTitle(page),
    columns: [
      { label: t(`reports.${page.dimension}`) }, ...isVersion ? [{ label: t('reports.on-it'), numeric: true }] : [],
      { label: t('reports.opened'), numeric: true }, { label: t('reports.failures'), numeric: true },
      ...shownKinds.map((kind) => ({ label: t(`reports.kind-${kind}`), numeric: true })), { label: t('reports.load-p90'), numeric: true },
    ],
    rows: entries.map((entry) => ({
      selected: isVersion && entry.name === page.version,
      href: isVersion ? page.context.href(`packages/${page.package}/versions/${entry.name}`) : page.context.href('reports', { package: entry.name, range: page.range }),
      cells: [
        entry.name, ...isVersion ? [now[entry.name] === undefined ? '–' : number(now[entry.name])] : [], number(entry.opened),
        h('b', { class: entry.name === worst?.name ? 'bad-text' : null }, entry.rate === null ? '–' : percent(entry.rate)),
        ...shownKinds.map((kind) => cell(entry, kind)), entry.load ? milliseconds(entry.load.p90) : '–',
      ],
    })),
  });
}
