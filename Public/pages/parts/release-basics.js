import { h } from '../../elements/index.js';

/** Returns a second, quieter line of a cell. */
export function minor(...content) {
  return h('small', null, content);
}

/**
 * Returns the path of a release's page below the channel: that of its set if it belongs to one.
 *
 * @param {{package: string, id: number, releaseSet?: number}} release
 */
export function releasePath(release) {
  return release.releaseSet ? `sets/${release.releaseSet}` : `releases/${release.package}/${release.id}`;
}

/** Returns the colour of a release's bar by its state. */
export function releaseKind(release) {
  if (release.state === 'halted' || release.verdict?.state === 'unhealthy') return 'bad';
  if (release.state === 'paused') return 'warn';
  return release.state === 'scheduled' ? 'info' : 'good';
}
