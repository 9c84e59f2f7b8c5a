import { textInput } from '../elements/inputs.js';
import { codeBlock, copyButton } from '../elements/copy.js';
import { announce, badge, emptyState, fileAddress, h, icon, panel, problemNotice, skeleton, tag } from '../elements/index.js';
import { table } from '../elements/table.js';
import { applyPreferences } from '../elements/preferences.js';
import { has, loadLanguage, preferredLanguage, t, tn } from '../i18n/index.js';
import { shape } from './reference/shape.js';

/** The time in milliseconds after the last key before the address has the search. */
const addressDelay = 300;

/** The colour of each method. */
const methodKinds = { GET: 'info', HEAD: 'info', POST: 'good', PUT: 'warn', PATCH: 'warn', DELETE: 'bad' };

/** The reference of the API: every operation of openapi.json, with its parameters, bodies and errors. */
export class Reference {
  /** @param {any} description the content of openapi.json */
  constructor(description) {
    this.description = description;
    /** @type {((text: string) => void) | undefined} Is called once a search has settled. */
    this.filtered = undefined;
    this.search = textInput({
      type: 'search', class: 'grow', 'aria-label': t('reference.search'), placeholder: t('reference.search'), oninput: () => this.filter(),
    });
    this.sections = description.tags.map((each) => this.section(each));
    this.none = emptyState({ icon: 'search', title: t('reference.none') });
    this.none.hidden = true;
    this.count = h('p', { class: 'ink3' });
    this.contents = h('nav', { class: 'stack reference-contents', 'aria-label': t('reference.contents') },
      h('ul', { class: 'plain' }, this.sections.map((section) => section.link)));
    this.element = h('div', { class: 'columns left' }, this.contents,
      h('div', { class: 'stack' }, h('div', { class: 'row' }, this.search, this.count), this.none, this.sections.map((section) => section.element)));
    this.filter();
  }

  section(each) {
    const operations = Object.entries(this.description.paths).flatMap(([path, methods]) =>
      Object.entries(methods).filter(([, operation]) => operation.tags[0] === each.name)
        .map(([method, operation]) => this.operation(method.toUpperCase(), path, operation)));
    const id = `section-${each.name.toLowerCase().replace(/\W+/g, '-')}`;
    const element = panel({ title: each.name, note: each.description, id, body: h('div', null, operations.map((operation) => operation.element)) });
    const link = h('li', null, h('a', { href: `#${id}` }, each.name));
    return { element, operations, link };
  }

  operation(method, path, operation) {
    const role = operation['x-role'];
    const element = h('details', { class: 'operation', id: operation.operationId },
      h('summary', null, badge(method, methodKinds[method] ?? ''), ' ', h('code', null, path), ' ', h('span', { class: 'ink2' }, operation.summary)));
    element.addEventListener('toggle', () => {
      if (element.open && element.childElementCount === 1) element.append(this.content(operation));
    });
    return { element, text: `${method} ${path} ${operation.summary} ${role} ${operation.operationId}`.toLowerCase() };
  }

  /** Returns what is behind the line of an operation; it is made when the operation is first opened. */
  content(operation) {
    const role = operation['x-role'];
    const scope = operation['x-scope'];
    return h('div', { class: 'stack operation-body' },
      operation.description ? h('p', null, operation.description) : null,
      h('div', { class: 'row small ink2' }, icon('lock', 12), role && has(`role.${role}`) ? tn('reference.role', { role: h('b', null, t(`role.${role}`)) }) : t('reference.no-role'),
        scope ? tag(has(`reference.scope-${scope}`) ? t(`reference.scope-${scope}`) : scope) : null,
        copyButton(() => new URL(`#${operation.operationId}`, location.href).href, { label: t('reference.copy-link'), small: true, kind: 'quiet' })),
      operation.parameters?.length ? this.parameters(operation.parameters) : null,
      operation.requestBody ? this.body(t('reference.request'), operation.requestBody.content) : null,
      Object.entries(operation.responses).filter(([status]) => status < '400').map(([status, response]) =>
        this.body(t('reference.response', { status }), response.content ?? {})),
      this.errors(operation.responses));
  }

  parameters(all) {
    return table({
      caption: t('reference.parameters'), dense: true,
      columns: [{ label: t('reference.name') }, { label: t('reference.in') }, { label: t('reference.meaning'), full: true }, { label: t('reference.value'), full: true }],
      rows: all.map((each) => ({ cells: [
        h('code', { class: 'nowrap' }, each.name), each.required ? t('reference.required', { place: each.in }) : each.in, each.description ?? '', h('code', null, shape(each.schema, {})),
      ] })),
    });
  }

  body(title, content) {
    const parts = Object.entries(content).map(([type, { schema, example }]) => h('div', { class: 'stack' },
      h('p', null, h('b', null, title), ' ', h('code', null, type)),
      type === 'application/json' ? block(shape(schema, this.description.components.schemas)) : null,
      example === undefined ? null : h('details', null, h('summary', { class: 'small' }, t('reference.example')), codeBlock(JSON.stringify(example, null, 2)))));
    return parts.length ? parts : h('p', null, h('b', null, title), ' ', h('span', { class: 'ink3' }, t('reference.no-body')));
  }

  errors(responses) {
    const rows = Object.entries(responses).filter(([status]) => status >= '400');
    return rows.length ? table({
      caption: t('reference.errors'), dense: true,
      columns: [{ label: t('reference.status') }, { label: t('reference.codes'), full: true }],
      rows: rows.map(([status, response]) => ({ cells: [status, h('span', { class: 'tags' }, (response['x-codes'] ?? []).map((each) => h('code', null, each)))] })),
    }) : null;
  }

  /** Shows the operations that have all words of the search. */
  filter() {
    const words = this.search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const section of this.sections) {
      let shown = 0;
      for (const operation of section.operations) {
        const isShown = words.every((word) => operation.text.includes(word));
        operation.element.hidden = !isShown;
        if (isShown) shown += 1;
      }
      section.element.hidden = shown === 0;
      section.link.hidden = shown === 0;
      count += shown;
    }
    this.none.hidden = count > 0;
    const text = t('reference.count', { n: count });
    this.count.textContent = text;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.filtered?.(text), addressDelay);
  }

  /** Opens the operation, or goes to the section, of an address's fragment. */
  show(id) {
    const target = /** @type {any} */ (document.getElementById(id));
    if (!target || !this.element.contains(target)) return;
    if (target.matches('details')) {
      target.open = true;
      target.querySelector('summary').focus({ preventScroll: true });
    }
    target.scrollIntoView();
  }
}

function block(text) {
  return h('div', { class: 'code' }, h('pre', { tabindex: '0' }, h('code', null, text)));
}

/** Shows the page. */
async function open(root) {
  applyPreferences();
  await loadLanguage(preferredLanguage());
  document.title = `${t('nav.reference')} – Larder`;
  const main = h('main', { class: 'page reference', id: 'page', tabindex: '-1' },
    h('div', { class: 'head' }, h('div', { class: 'head-text' }, h('h1', null, t('nav.reference')), h('p', { class: 'sub' },
      tn('reference.sub', { file: h('a', { href: '../api/openapi.json' }, 'openapi.json') })))));
  const place = h('div', null, skeleton(8));
  main.append(place);
  root.replaceChildren(
    h('a', { class: 'skip', href: '#page' }, t('nav.skip')),
    h('header', { class: 'topbar' }, h('a', { class: 'brand', href: './' }, h('img', { src: fileAddress('icon.svg'), alt: '', width: 22, height: 22 }), 'Larder')), main);
  await load(place);
}

async function load(place) {
  try {
    const response = await fetch(new URL('../api/openapi.json', document.baseURI));
    if (!response.ok) throw Object.assign(new Error(t('reference.failed', { status: response.status })), { status: response.status });
    const reference = new Reference(await response.json());
    reference.search.value = new URLSearchParams(location.search).get('text') ?? '';
    reference.filter();
    reference.filtered = (text) => {
      const search = reference.search.value.trim();
      history.replaceState(null, '', `${location.pathname}${search ? `?text=${encodeURIComponent(search)}` : ''}${location.hash}`);
      announce(text);
    };
    place.replaceChildren(reference.element);
    addEventListener('hashchange', () => reference.show(location.hash.slice(1)));
    reference.show(location.hash.slice(1));
  } catch (/** @type {any} */ problem) {
    place.replaceChildren(problemNotice(problem, () => load(place)));
  }
}

// The tests of this module have no page.
const root = globalThis.document?.getElementById('reference');
if (root) open(root);
