import { h } from '../elements/dom.js';
import { whenVisible } from '../elements/visible.js';

/** The height in pixels of what stands below a drawing: the legend and the button. */
const footHeight = 40;

/**
 * Returns an element with the height of a chart, so that nothing below it moves when the chart comes.
 *
 * @param {any} content what stands there without a chart
 * @param {number} [height] of the drawing, in pixels
 */
export function chartSpace(content, height = 220) {
  const space = h('div', null, content);
  space.style.setProperty('min-height', `${height + footHeight}px`);
  return space;
}

/**
 * Returns a function that makes charts with a module, which is loaded once one of them is in view. If the module cannot be
 * fetched, the place of the chart alone says so: the data beside it stays.
 *
 * @template Module
 * @param {() => Promise<Module>} load
 * @returns {(make: (module: Module) => any, height?: number) => any}
 */
export function chartsOf(load) {
  let module;
  return (make, height) => {
    if (module) return make(module);
    return whenVisible(chartSpace(null, height), async () => {
      module = await load();
      return make(module);
    });
  };
}
