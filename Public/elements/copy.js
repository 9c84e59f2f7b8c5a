import { t } from '../i18n/index.js';
import { button } from './basics.js';
import { h } from './dom.js';
import { announce } from './toast.js';

/** Returns a block of text of a program, with a button that copies it. */
export function codeBlock(text) {
  return h('div', { class: 'code' }, h('pre', null, h('code', null, text)), copyButton(text, { small: true }));
}

/**
 * Returns a button that copies a text to the clipboard.
 *
 * @param {string | (() => string)} text
 * @param {{label?: string | null, small?: boolean, kind?: any, name?: string}} options `label` is `null` for an icon only
 * @returns {any}
 */
export function copyButton(text, { label = t('common.copy'), small, kind, name } = {}) {
  const run = async () => {
    await copyText(typeof text === 'function' ? text() : text);
    announce(t('common.copied'));
    if (label !== null) words.textContent = t('common.copied');
    element.classList.add('is-done');
    setTimeout(() => {
      if (label !== null) words.textContent = label;
      element.classList.remove('is-done');
    }, 2_000);
  };
  const words = h('span', null, label);
  const element = button(label === null ? null : words, { icon: 'copy', small, kind, name: name ?? (label === null ? t('common.copy') : undefined), onclick: run });
  return element;
}

/** Copies a text, also where the page has no access to the clipboard's API. */
async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = h('textarea', { class: 'visually-hidden', 'aria-hidden': 'true' });
  area.value = text;
  const place = document.querySelector('dialog[open]') ?? document.body;
  place.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
