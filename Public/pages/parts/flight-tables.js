import { h } from '../../elements/index.js';
import { table } from '../../elements/table.js';
import { countdown } from '../../elements/time.js';
import { dateTime, t } from '../../i18n/index.js';
import { zone } from '../../i18n/times.js';
import { devicesCell, failureCell, nextCell, planCell, readyCell } from './release-cells.js';
import { minor, releasePath } from './release-basics.js';
import { grouped, nextFirst, releaseName, releaseNote, urgentFirst } from './release-names.js';

/** Returns the table of releases that reach devices step by step. */
export function rollingTable(context, releases) {
  return table({
    caption: t('overview.rolling'),
    columns: [
      { label: t('releases.release') }, { label: t('releases.plan'), full: true }, { label: t('releases.devices'), numeric: true },
      { label: t('releases.failures') }, { label: t('releases.next'), full: true },
    ],
    rows: grouped(urgentFirst(releases)).map((group) => {
      const [release] = group;
      return {
        key: releasePath(release), href: context.href(releasePath(release)),
        cells: [[releaseName(group), minor(releaseNote(group))], planCell(release), devicesCell(context, release), failureCell(release), nextCell(release)],
      };
    }),
  });
}

/** Returns the table of releases with an activeTime in the future, the next first. */
export function plannedTable(context, releases) {
  return table({
    caption: t('overview.planned'),
    columns: [
      { label: t('releases.release') }, { label: t('releases.takes-effect'), full: true }, { label: t('releases.in') },
      { label: t('releases.ready-on'), full: true },
    ],
    rows: grouped(nextFirst(releases)).map((group) => {
      const [release] = group;
      return {
        key: releasePath(release), href: context.href(releasePath(release)),
        cells: [
          [releaseName(group), minor(releaseNote(group))],
          h('span', null, dateTime(release.activeTime), ' ', h('span', { class: 'muted' }, zone(release.activeTime))),
          h('b', null, countdown(release.activeTime)), readyCell(context, group),
        ],
      };
    }),
  });
}
