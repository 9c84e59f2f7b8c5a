import { Problem, request } from '../api/client.js';
import { session } from '../api/session.js';
import { field } from '../elements/fields.js';
import { select, textInput } from '../elements/inputs.js';
import { announce, button, fileAddress, h, icon, newId, notice } from '../elements/index.js';
import { currentLanguage, has, languages, loadLanguage, sentences, t } from '../i18n/index.js';
import { duration } from '../i18n/times.js';

/**
 * Returns the page on which a person signs in.
 *
 * @param {{notice?: string, entered: () => any}} options `entered` is called once the session is open
 * @returns {HTMLElement}
 */
export function signInPage({ notice: text, entered }) {
  const place = h('main', { class: 'gate', id: 'page' });
  const problem = providerProblem();
  const show = () => {
    const heading = h('h1', null, t('sign-in.heading'));
    const card = h('div', { class: 'card stack' },
      h('img', { src: fileAddress('icon.svg'), alt: '', width: 36, height: 36 }),
      h('div', null, heading, h('p', { class: 'sub' }, location.host)),
      text ? notice('info', text) : null,
      problem ? notice('bad', problem) : null,
      cookieWarning(),
      credentials({ entered }),
      providers(),
      h('p', { class: 'hint' }, t('sign-in.session')),
      h('div', { class: 'row gate-foot' },
        button(t('sign-in.first-run'), { kind: 'quiet', small: true, onclick: openFirstRun }), languageSelect(show)));
    place.replaceChildren(card);
  };
  const openFirstRun = async () => {
    const { firstRunPage } = await import('./first-run.js');
    place.replaceWith(firstRunPage({ entered, back: (page) => { show(); page.replaceWith(place); focusFirst(place); } }));
  };
  show();
  return place;
}

/**
 * Asks for the password in a dialog over the open page, whose entries stay.
 *
 * @param {string} user the name of the person whose session has ended
 * @returns {Promise<boolean>} whether somebody signed in
 */
export function signInDialog(user) {
  return new Promise((resolve) => {
    let isSignedIn = false;
    const id = newId('dialog');
    const element = h('dialog', { class: 'dialog', 'aria-labelledby': id, onclose: () => {
      element.remove();
      resolve(isSignedIn);
    } });
    const form = credentials({
      user,
      entered: () => { isSignedIn = true; element.close(); },
      extra: button(t('sign-in.leave'), { onclick: () => element.close() }),
    });
    const outcome = h('div', { role: 'alert' });
    const done = button(t('sign-in.elsewhere-done'), { onclick: async () => {
      try {
        await session.open();
      } catch (problem) {
        outcome.replaceChildren(notice('bad', problem.status === 401 ? t('sign-in.elsewhere-not') : problem.message));
        return;
      }
      isSignedIn = true;
      element.close();
    } });
    element.append(h('div', { class: 'dialog-body stack' },
      h('h2', { id }, t('sign-in.ended')), h('p', null, t('sign-in.ended-text')), form,
      providers([h('p', { class: 'hint' }, t('sign-in.elsewhere')), done, outcome])));
    document.body.append(element);
    element.showModal();
    focusFirst(element);
  });
}

/** Returns the form for name and password, which asks for a code if the server needs one. */
function credentials(/** @type {{user?: string, entered: () => any, extra?: any}} */ { user = '', entered, extra }) {
  const name = field(t('sign-in.name'), textInput({
    name: 'username', value: user, autocomplete: 'username', autocapitalize: 'none', spellcheck: 'false', autofocus: !user,
  }));
  const password = field(t('sign-in.password'), textInput({
    name: 'password', type: 'password', autocomplete: 'current-password', autofocus: Boolean(user),
  }));
  const code = field(t('sign-in.code'), textInput({
    name: 'code', autocomplete: 'one-time-code', autocapitalize: 'none', spellcheck: 'false',
  }), { hint: t('sign-in.code-hint') });
  const outcome = h('div', { role: 'alert', hidden: true });
  const show = (...nodes) => {
    outcome.replaceChildren(...nodes);
    outcome.hidden = nodes.length === 0;
  };
  const submit = button(t('sign-in.title'), { kind: 'primary', type: 'submit' });
  const back = button(t('sign-in.back'), { kind: 'quiet', onclick: () => askPassword() });
  const form = h('form', { class: 'stack', novalidate: true, onsubmit: send },
    name, password, code, outcome, h('div', { class: 'stack gate-actions' }, submit, back, extra));
  let isBusy = false;
  let wait;

  function askPassword() {
    name.hidden = password.hidden = false;
    code.hidden = back.hidden = true;
    code.control.value = '';
    show();
  }

  function askCode() {
    name.hidden = password.hidden = true;
    code.hidden = back.hidden = false;
    show();
    code.control.focus();
    announce(t('sign-in.code-needed'));
  }

  async function send(event) {
    event.preventDefault();
    if (isBusy || wait) return;
    const missing = (code.hidden ? [name, password] : [code]).filter((each) => each.control.value.trim() === '');
    for (const each of [name, password, code]) each.setError(missing.includes(each) ? t('sign-in.missing') : null);
    if (missing.length) return missing[0].control.focus();
    isBusy = true;
    form.setAttribute('aria-busy', 'true');
    show();
    try {
      await signIn(name.control.value.trim(), password.control.value, code.hidden ? undefined : code.control.value.trim());
      await entered();
    } catch (problem) {
      failed(problem);
    } finally {
      isBusy = false;
      form.removeAttribute('aria-busy');
    }
  }

  function failed(problem) {
    if (problem.code === 'code-required') return askCode();
    if (problem.status === 429 && problem.retryAfter) return countDown(problem);
    show(notice('bad', problem.node ?? problem.message));
    const control = code.hidden ? password.control : code.control;
    control.focus();
    control.select();
  }

  /** Holds further attempts back for as long as the server refuses them. */
  function countDown(problem) {
    const end = Date.now() + problem.retryAfter * 1000;
    const rest = h('span', { 'aria-hidden': 'true' });
    show(notice('warn', h('span', null, sentences(problem.message, rest))));
    submit.setAttribute('aria-disabled', 'true');
    const tick = () => {
      const seconds = Math.ceil((end - Date.now()) / 1000);
      if (seconds > 0) return rest.replaceChildren(t('sign-in.wait', { time: duration(seconds) }));
      clearInterval(wait);
      wait = undefined;
      submit.removeAttribute('aria-disabled');
      show();
      announce(t('sign-in.again'));
    };
    wait = setInterval(tick, 500);
    tick();
  }

  askPassword();
  return form;
}

/**
 * Opens a session, and checks that the browser keeps its cookie.
 *
 * @param {string} user
 * @param {string} password
 * @param {string} [code] a code of the second factor, or a recovery code
 */
export async function signIn(user, password, code) {
  await request('POST', 'session', { body: { user, password, ...(code ? { code } : {}) }, isSignIn: true });
  try {
    await session.open();
  } catch (problem) {
    if (problem.status !== 401) throw problem;
    throw Object.assign(new Problem(t('sign-in.no-cookie')), { node: cookieText(t('sign-in.no-cookie')) });
  }
}

/** Returns a notice at an address from which browsers do not keep the session's cookie. */
export function cookieWarning() {
  const { protocol, hostname } = location;
  const isKept = protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost');
  return isKept ? null : notice('warn', cookieText(t('sign-in.plain-http')));
}

/** Returns an explanation with the addresses that work. */
function cookieText(text) {
  const local = new URL(location.href);
  local.hostname = 'localhost';
  const isHere = /^(127\.|\[::1\]$)/.test(location.hostname);
  return h('span', null, sentences(text,
    isHere ? [t('sign-in.open-here'), ' ', h('a', { href: local.href }, local.host)] : t('sign-in.open-elsewhere', { port: local.port || '80' })));
}

/**
 * Returns the buttons of the identity providers, which appear once the server has named them.
 *
 * @param {any[]} [elsewhere] what follows them if they open in another tab, so that this page keeps its entries
 */
function providers(elsewhere) {
  const place = h('div', { class: 'stack' });
  request('GET', 'session/providers', { isSignIn: true }).then(({ value }) => {
    if (!value.providers.length) return;
    place.append(h('p', { class: 'or' }, t('sign-in.or')), ...value.providers.map((provider) =>
      h('a', { class: 'button wide', href: providerAddress(provider), target: elsewhere ? '_blank' : null, rel: elsewhere ? 'noopener' : null },
        icon('key'), t('sign-in.provider', { name: provider.label ?? provider.name }))), ...elsewhere ?? []);
  }, () => {});
  return place;
}

/** Returns why signing in by a provider has failed, if the address says so; the address is then plain again. */
function providerProblem() {
  const problem = /^#\/sign-in\?problem=([\w-]+)/.exec(location.hash)?.[1];
  if (!problem) return null;
  history.replaceState(null, '', '#/');
  return has(`sign-in.problem-${problem}`) ? t(`sign-in.problem-${problem}`) : t('sign-in.problem', { code: problem });
}

function providerAddress(provider) {
  const address = new URL(`../api/v1/session/oidc/${encodeURIComponent(provider.name)}`, document.baseURI);
  address.searchParams.set('return', location.pathname + location.hash);
  return address.href;
}

/** Returns the choice of the language for a person who has no settings yet. */
export function languageSelect(show) {
  const control = select(Object.entries(languages), { value: currentLanguage(), name: 'language' });
  control.classList.add('small');
  control.setAttribute('aria-label', t('sign-in.language'));
  control.addEventListener('change', async () => {
    await loadLanguage(control.value, true);
    show();
  });
  return control;
}

function focusFirst(root) {
  root.querySelector('[autofocus]')?.focus();
}
