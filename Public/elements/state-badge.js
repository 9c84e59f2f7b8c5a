import { t } from '../i18n/index.js';
import { badge } from './basics.js';

/** The kind and the icon of each state of a release. */
const states = {
  scheduled: ['info', 'clock'], active: ['good', 'play'], paused: ['warn', 'pause'], halted: ['bad', 'stop'], completed: ['done', 'check'],
  superseded: ['', 'layers'], 'rolled-back': ['', 'undo'], pending: ['warn', 'shield'],
};

/** Returns the badge of a release's state; `text` is another text than the state's name. */
export function stateBadge(state, text = t(`state.${state}`)) {
  const [kind, iconName] = states[state] ?? ['', 'info'];
  return badge(text, kind, iconName);
}
