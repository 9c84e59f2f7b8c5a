import { t } from '../i18n/index.js';
import { badge } from './basics.js';

/** The kind and the icon of each state of a release. */
const states = {
  scheduled: ['info', 'clock'], active: ['good', 'play'], paused: ['warn', 'pause'], halted: ['bad', 'stop'], completed: ['done', 'check'],
  superseded: ['', 'layers'], 'rolled-back': ['', 'undo'], cancelled: ['', 'cross'], pending: ['warn', 'shield'],
};

/** Returns the state of a release as the console shows it: a rollback before the start cancelled the release. */
const shownState = ({ state, neverBegan }) => (neverBegan && state === 'rolled-back' ? 'cancelled' : state);

/** Returns the name of a release's state. */
export const stateName = (release) => t(`state.${shownState(release)}`);

/** Returns the badge of a release's state; `text` is another text than the state's name. */
export function stateBadge(release, text = stateName(release)) {
  const [kind, iconName] = states[shownState(release)] ?? ['', 'info'];
  return badge(text, kind, iconName);
}
