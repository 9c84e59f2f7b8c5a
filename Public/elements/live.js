import { Problem } from '../api/client.js';
import { emptyState, keepFocus, panel, problemNotice, skeleton } from './index.js';

/** The time in milliseconds after which a panel without data shows that it loads. */
const skeletonDelay = 150;

/** The time in milliseconds for which a panel collects events before it loads again. */
const settleTime = 250;

/** The longest time in milliseconds that a panel waits while events go on. */
const settleLimit = 2_000;

/**
 * Returns a panel that loads its own data: it shows a skeleton while it has none, a problem with a way to try again, and
 * loads again when an event matches `changes`. The old content stays until the new one is there.
 *
 * @param {any} context
 * @param {import('../types.js').LivePanelOptions} options
 * @returns {any} the panel, with `reload()`
 */
export function livePanel(context, options) {
  const { rows = 3 } = options;
  const element = panel(options);
  let hasData = false;
  let run = 0;
  let settling;
  let firstEvent = 0;

  const show = (node) => keepFocus(element, () => element.setBody(node));

  element.reload = async () => {
    const own = ++run;
    element.setAttribute('aria-busy', 'true');
    const waiting = setTimeout(() => { if (!hasData) show(skeleton(rows)); }, skeletonDelay);
    try {
      const data = await options.load(context.signal);
      if (own !== run || context.signal.aborted) return;
      const isEmpty = options.isEmpty ? options.isEmpty(data) : Array.isArray(data) && data.length === 0;
      const content = options.empty && isEmpty ? emptyState(options.empty) : options.render(data, element);
      hasData = true;
      show(content);
    } catch (problem) {
      if (own !== run || context.signal.aborted) return;
      if (!(problem instanceof Problem)) console.error(problem);
      const box = problemNotice(problem, () => element.reload());
      if (hasData && problem.status === 0) return;
      hasData = false;
      show(box);
    } finally {
      clearTimeout(waiting);
      if (own === run) element.removeAttribute('aria-busy');
    }
  };

  if (options.changes) {
    const matches = options.changes;
    context.onEvent((event) => {
      if (!event.isGap && !matches(event)) return;
      const now = Date.now();
      if (!settling) firstEvent = now;
      clearTimeout(settling);
      const delay = Math.max(0, Math.min(settleTime, firstEvent + settleLimit - now));
      settling = setTimeout(() => {
        settling = undefined;
        if (!context.signal.aborted) element.reload();
      }, delay);
    });
  }
  // A page that was left while its code loaded needs no more data.
  if (options.every && !context.signal.aborted) {
    const timer = setInterval(() => { if (!document.hidden) element.reload(); }, options.every);
    context.signal.addEventListener('abort', () => clearInterval(timer));
  }
  // The content has its space from the start, so that what is below it stays where it is.
  const space = skeleton(rows);
  space.setAttribute('class', 'skeleton unseen');
  element.setBody(space);
  element.reload();
  return element;
}
