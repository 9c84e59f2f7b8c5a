/** A stub of the browser: the parts of its document, storage and network that the console's modules use. */

class Node {
  children = [];
  parent = null;

  get isConnected() {
    return this.parent?.isConnected ?? this === document.body;
  }

  get textContent() {
    return this.children.map((child) => child.textContent).join('');
  }

  set textContent(text) {
    this.replaceChildren(text);
  }

  append(...nodes) {
    for (const node of nodes) {
      const child = node instanceof Node ? node : new Text(node);
      child.parent = this;
      this.children.push(child);
    }
  }

  replaceWith(...nodes) {
    for (const node of nodes) node.parent = this.parent;
    this.parent.children.splice(this.parent.children.indexOf(this), 1, ...nodes);
    this.parent = null;
  }

  after(node) {
    node.parent = this.parent;
    this.parent.children.splice(this.parent.children.indexOf(this) + 1, 0, node);
  }

  replaceChildren(...nodes) {
    for (const child of this.children) child.parent = null;
    this.children = [];
    this.append(...nodes);
  }
}

class Text extends Node {
  constructor(text) {
    super();
    this.text = String(text);
  }

  get textContent() {
    return this.text;
  }
}

class Element extends Node {
  attributes = {};
  listeners = {};

  constructor(tag) {
    super();
    this.tag = tag;
  }

  get id() {
    return this.attributes.id ?? '';
  }

  set id(value) {
    this.attributes.id = value;
  }

  setAttribute(name, value) {
    this.attributes[name] = value;
  }

  hasAttribute(name) {
    return name in this.attributes;
  }

  removeAttribute(name) {
    delete this.attributes[name];
  }

  getAttribute(name) {
    return this.attributes[name] ?? null;
  }

  toggleAttribute(name, force = !this.hasAttribute(name)) {
    if (force) this.setAttribute(name, '');
    else this.removeAttribute(name);
  }

  addEventListener(name, listener) {
    this.listeners[name] = listener;
  }

  /** The properties that were set through the style's object model. */
  style = { values: {}, setProperty(name, value) { this.values[name] = value; } };

  get classList() {
    const toggle = (name, force) => {
      const names = new Set((this.attributes.class ?? '').split(' '));
      if (force) names.add(name);
      else names.delete(name);
      this.attributes.class = [...names].join(' ');
    };
    return { toggle, add: (name) => toggle(name, true) };
  }

  matches() {
    return false;
  }

  contains(node) {
    for (let each = node; each; each = each.parent) if (each === this) return true;
    return false;
  }

  remove() {
    this.parent?.children.splice(this.parent.children.indexOf(this), 1);
    this.parent = null;
  }

  focus() {
    document.activeElement = this;
  }

  querySelector() {
    return null;
  }

  showModal() {
    this.setAttribute('open', '');
  }

  close() {
    this.removeAttribute('open');
    this.listeners.close?.({});
  }

  showPopover() {}

  hidePopover() {}
}

/** Returns an element and all elements below it. */
function* elements(root) {
  if (root instanceof Element) yield root;
  for (const child of root.children) yield* elements(child);
}

/** Returns the elements with a tag. */
export function find(root, tag) {
  return [...elements(root)].filter((element) => element.tag === tag);
}

/**
 * Calls the listener of an event with an event that has some members; returns the event and the listener's result.
 */
export function dispatch(element, name, members = {}) {
  const event = { isPrevented: false, preventDefault() { this.isPrevented = true; }, stopPropagation() {}, target: element, ...members };
  return { event, result: element.listeners[name](event) };
}

function element(tag, id, ...children) {
  const element = Object.assign(new Element(tag), { id });
  element.append(...children);
  return element;
}

/** The element whose text screen readers announce. */
export const live = element('div', 'live');
/** The element of the open page. */
export const page = element('main', 'main', element('h1', 'heading'));

/** The classes of custom elements by tag. */
const custom = new Map();

const create = (tag) => {
  const made = new (custom.get(tag) ?? Element)(tag);
  made.tag = tag;
  return made;
};

globalThis.HTMLElement = Element;
globalThis.customElements = { define: (tag, type) => custom.set(tag, type) };
globalThis.location = { hash: '' };
globalThis.document = {
  activeElement: null,
  addEventListener: () => {},
  baseURI: 'https://larder.example/base/console/',
  body: element('body', 'body', page, live),
  createElement: create,
  createElementNS: (_, tag) => create(tag),
  // A stylesheet is there at once.
  head: { append: (link) => { dispatch(link, 'load'); } },
  getElementById: (id) => [...elements(document.body)].find((element) => element.id === id) ?? null,
  querySelector: (tag) => find(document.body, tag)[0] ?? null,
};

const stored = new Map();
globalThis.localStorage = globalThis.sessionStorage = {
  getItem: (key) => stored.get(key) ?? null,
  setItem: (key, value) => stored.set(key, value),
  removeItem: (key) => stored.delete(key),
};

/** Responds to all requests that follow; returns the growing list of these requests. */
export function respond(status, body, headers = {}) {
  const requests = [];
  globalThis.fetch = async (url, options) => {
    requests.push({ url: String(url), ...options });
    return { status, text: async () => body, headers: new Headers(headers) };
  };
  return requests;
}

/** Makes all requests that follow fail with an error of this name. */
export function lose(name) {
  globalThis.fetch = async () => {
    throw Object.assign(new Error('lost'), { name });
  };
}
