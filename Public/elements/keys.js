import { hasShortcuts } from './preferences.js';

/** The time in milliseconds within which the second key of a sequence has to follow `G`. */
const sequenceTime = 1_500;

/** The keyboard's shortcuts: those of the frame and those of the open page. */
export class KeyBindings {
  constructor() {
    /** @type {Object<string, () => void>} */
    this.page = {};
    /** @type {Object<string, () => void>} */
    this.frame = {};
    /** @type {Object<string, () => void>} The keys after `G`. */
    this.places = {};
    this.prefixAt = 0;
    document.addEventListener('keydown', (event) => this.press(event));
  }

  setPage(bindings) {
    Object.assign(this.page, bindings);
  }

  clearPage() {
    this.page = {};
  }

  press(event) {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      this.frame['ctrl-k']?.();
      return;
    }
    if (!hasShortcuts() || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (isEntry(event.target) || document.querySelector('dialog[open]')) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const isSecond = event.timeStamp - this.prefixAt < sequenceTime;
    this.prefixAt = 0;
    if (isSecond && this.places[key]) return run(event, this.places[key]);
    if (key === 'g') {
      this.prefixAt = event.timeStamp;
      return;
    }
    const action = this.page[key] ?? this.frame[key];
    if (action) run(event, action);
  }
}

function run(event, action) {
  event.preventDefault();
  action();
}

/** Returns whether keys that are pressed in an element are text. */
function isEntry(target) {
  return target instanceof HTMLElement
    && (target.isContentEditable || target.matches('input:not([type=checkbox]):not([type=radio]):not([type=button]), textarea, select'));
}
