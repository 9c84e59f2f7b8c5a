import { t } from '../i18n/index.js';
import { emptyState, panel } from './panel.js';

/** Returns a panel that says which role a page needs, if the user does not have it; otherwise `null`. */
export function roleWall(context, role, scope) {
  const reason = context.session.reason(role, scope);
  return reason ? panel({ body: [emptyState({ icon: 'lock', title: t('session.wall'), text: reason })] }) : null;
}
