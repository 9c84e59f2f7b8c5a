import { h } from '../elements/dom.js';
import { whenVisible } from '../elements/visible.js';

/** The height in pixels of what stands below a drawing: the legend and the button. */
const footHeight = 40;

/**
 * Returns a function that makes charts with a module, which is loaded once one of them is in view. Until then the chart has its
 * space. If the module cannot be fetched, the place of the chart alone says so and has a button that tries again: the data
 * beside it stays.
 *
 * @template Module
 * @param {() => Promise<Module>} load
 * @returns {(make: (module: Module) => any, height?: number) => any}
 */
export function chartsOf(load) {
  /** @type {any} */
  let module = null;
  return (make, height = 220) => {
    if (module) return make(module);
    const place = h('div');
    place.style.setProperty('min-height', `${height + footHeight}px`);
    return whenVisible(place, async () => {
      module = await load();
      return make(module);
    });
  };
}
