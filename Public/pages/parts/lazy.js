import { Problem } from '../../api/client.js';
import { h, nodesOf } from '../../elements/index.js';
import { t } from '../../i18n/index.js';

/** The number of lazy cells of the page that load at the same time: the server counts devices one request at a time. */
const concurrent = 2;

/** The time in milliseconds for which a cell that is drawn again shows its last value without a request. */
const freshness = 10_000;

/** @type {WeakMap<any, {values: Map<string, {at: number, value: any}>, waiting: (() => Promise<void>)[], running: number}>} */
const pages = new WeakMap();

/**
 * Returns a place whose content is loaded once it is visible. A place that is drawn again under the same key shows the
 * last value until the new one is there.
 */
export function lazyCell(context, key, load, render) {
  const page = pages.get(context) ?? { values: new Map(), waiting: /** @type {(() => Promise<void>)[]} */ ([]), running: 0 };
  pages.set(context, page);
  const place = h('div');
  const show = (...nodes) => place.replaceChildren(...nodesOf(nodes));
  const known = page.values.get(key);
  if (known) show(render(known.value));
  else show(h('span', { class: 'muted', 'aria-hidden': 'true' }, '…'));
  if (known && Date.now() - known.at < freshness) return place;
  const run = async () => {
    if (context.signal.aborted || !place.isConnected) return;
    try {
      const value = await load(context.signal);
      page.values.set(key, { at: Date.now(), value });
      show(render(value));
    } catch (/** @type {any} */ problem) {
      if (context.signal.aborted) return;
      if (!(problem instanceof Problem)) console.error(problem);
      if (!known) show(h('span', { class: 'muted', title: problem.message }, t('common.none')));
    }
  };
  const observer = new IntersectionObserver(([entry]) => {
    if (!entry.isIntersecting) return;
    observer.disconnect();
    page.waiting.push(run);
    advance(page);
  });
  observer.observe(place);
  return place;
}

async function advance(page) {
  if (page.running >= concurrent) return;
  const next = page.waiting.shift();
  if (!next) return;
  page.running += 1;
  await next();
  page.running -= 1;
  advance(page);
}
