import { emptyState, h } from '../elements/index.js';
import { t } from '../i18n/index.js';

/** Opens the page of an address that no page has. */
export function open(context) {
  return {
    title: t('page.not-found'),
    content: [emptyState({
      icon: 'search', title: t('page.not-found-title'), text: t('page.not-found-text'),
      actions: [h('a', { class: 'button', href: context.href() }, t('nav.overview'))],
    })],
  };
}
