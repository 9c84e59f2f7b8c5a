import { api, path, request } from '../api/client.js';
import { session } from '../api/session.js';
import { checkbox, field } from '../elements/fields.js';
import { textInput } from '../elements/inputs.js';
import { form } from '../elements/form.js';
import { codeBlock } from '../elements/copy.js';
import { announce, button, fileAddress, h, icon, notice, tag } from '../elements/index.js';
import { t, tn } from '../i18n/index.js';
import { bytes } from '../i18n/sizes.js';
import { sampleFiles, storedZip } from './first-run/sample.js';
import { cookieWarning, languageSelect, signIn } from './sign-in.js';

/** The time in milliseconds after which the page looks for the first device again. */
const pollTime = 2_000;

/** The package that the page publishes as an example. */
const sample = { id: 'hello', version: '1.0.0' };

/**
 * Returns the page that sets up a new server: its first admin, a sample package and the first device.
 *
 * @param {{entered: () => any, back: (page: HTMLElement) => void}} options
 * @returns {HTMLElement}
 */
export function firstRunPage(options) {
  const page = h('main', { class: 'gate wide', id: 'page' });
  new FirstRun(page, options).show();
  return page;
}

class FirstRun {
  constructor(page, { entered, back }) {
    this.page = page;
    this.entered = entered;
    this.back = back;
    this.step = 1;
    this.notes = {};
    /** The app and the channel of the first admin, which the first step finds. */
    this.place = { app: '', channel: '' };
  }

  show() {
    const steps = [
      this.row(1, t('first-run.admin'), this.notes[1], () => this.adminForm()),
      this.row(2, t('first-run.sample'), this.notes[2], () => this.samplePanel()),
      this.row(3, t('first-run.device'), this.notes[3], () => this.devicePanel()),
    ];
    const heading = h('h1', { tabindex: '-1' }, t('first-run.title'));
    this.page.replaceChildren(h('div', { class: 'card stack' },
      h('img', { src: fileAddress('icon.svg'), alt: '', width: 36, height: 36 }),
      h('div', null, heading, h('p', { class: 'sub' }, t('first-run.sub'))),
      this.step === 1 ? cookieWarning() : null,
      h('ol', { class: 'setup' }, steps), this.foot()));
    document.title = `${t('first-run.title')} – Larder`;
    heading.focus();
  }

  row(number, title, note, content) {
    const isDone = number < this.step;
    const isCurrent = number === this.step;
    return h('li', { class: isDone ? 'done' : null, 'aria-current': isCurrent ? 'step' : null },
      h('span', { class: 'n', 'aria-hidden': isDone ? null : 'true' }, isDone ? icon('check') : String(number)),
      h('div', { class: 'grow stack' },
        h('div', null, h('p', { class: 'strong' }, title), isDone && note ? h('p', { class: 'ink2' }, note) : null),
        isCurrent ? content() : null));
  }

  foot() {
    if (this.step === 1) {
      return h('div', { class: 'row gate-foot' }, button(t('first-run.back'), { kind: 'quiet', small: true, onclick: () => this.back(this.page) }),
        languageSelect(() => this.show()));
    }
    return h('div', { class: 'row' },
      button(t('first-run.overview'), { kind: 'quiet', onclick: () => this.leave('') }), h('span', { class: 'grow' }),
      button(t('first-run.publish'), { icon: 'upload', kind: this.step > 3 ? 'primary' : undefined, onclick: () => this.leave('upload') }));
  }

  async leave(page) {
    clearTimeout(this.timer);
    const { app, channel } = this.place;
    history.replaceState(null, '', `#/${path(app, channel)}${page && `/${page}`}`);
    await this.entered();
  }

  next(note) {
    this.notes[this.step] = note;
    this.step += 1;
    this.show();
  }

  adminForm() {
    return form({
      fields: [
        field(t('first-run.token'), textInput({ name: 'token', type: 'password', autocomplete: 'off', spellcheck: 'false', required: true }),
          { hint: tn('first-run.token-hint', { file: h('code', null, 'data/initial-token') }), required: true }),
        field(t('first-run.name'), textInput({ name: 'user', autocomplete: 'username', autocapitalize: 'none', spellcheck: 'false', required: true }),
          { hint: t('first-run.name-hint'), required: true }),
        field(t('sign-in.password'), textInput({ name: 'password', type: 'password', autocomplete: 'new-password', minlength: 12, required: true }),
          { hint: t('first-run.password-hint'), required: true }),
        checkbox(t('first-run.revoke'), { name: 'revoke', checked: true, hint: t('first-run.revoke-hint') }),
      ],
      submit: t('first-run.make-admin'), kind: 'primary',
      onsubmit: (values) => this.makeAdmin(values),
    });
  }

  /** Creates the first admin with the token, which is used for this page's requests only and never stored. */
  async makeAdmin(/** @type {any} */ { token, user, password, revoke }) {
    const headers = { Authorization: `Bearer ${token.trim()}` };
    const own = (await request('GET', 'token', { headers, isSignIn: true })).value;
    if (!this.hasUser) {
      await request('POST', 'users', { headers, isSignIn: true, body: { name: user, password, grants: [{ role: 'admin' }] } });
      this.hasUser = true;
    }
    await signIn(user, password);
    if (revoke && own.id != null) await api.send('DELETE', path('tokens', own.id));
    const apps = (await api.get('apps')).apps.map((each) => each.id);
    this.place = { app: apps.includes('default') ? 'default' : apps[0], channel: 'production' };
    this.next(t(revoke ? 'first-run.admin-done' : 'first-run.admin-done-kept', { name: session.user }));
  }

  samplePanel() {
    return h('div', { class: 'stack' },
      h('p', { class: 'ink2' }, tn('first-run.sample-text', { name: tag(sample.id) })),
      form({
        fields: [], submit: t('first-run.publish-sample'), kind: 'primary',
        extra: button(t('first-run.skip'), { onclick: () => this.next(t('first-run.skipped')) }),
        onsubmit: () => this.publishSample(),
      }));
  }

  async publishSample() {
    const { app, channel } = this.place;
    const files = sampleFiles(t('first-run.sample-heading'), t('first-run.sample-body'), document.documentElement.lang);
    const zip = storedZip(files);
    const target = path('apps', app, 'packages', sample.id);
    await api.send('PUT', target, { name: 'Hello' });
    await api.send('POST', `${target}/versions`, new Blob([zip], { type: 'application/zip' }), { query: { version: sample.version } });
    try {
      await api.send('POST', `${target}/releases`, { version: sample.version, channel });
    } catch (problem) {
      if (problem.code !== 'release-exists') throw problem;
    }
    this.next(t('first-run.sample-done', {
      package: sample.id, version: sample.version, n: files.length, size: bytes(zip.length),
    }));
  }

  devicePanel() {
    const base = new URL('..', document.baseURI).href.replace(/\/$/, '') + (this.place.app === 'default' ? '' : `/apps/${this.place.app}`);
    const waiting = h('div', { role: 'status' }, notice('info', t('first-run.waiting')));
    this.look(waiting);
    return h('div', { class: 'stack' }, h('p', { class: 'ink2' }, t('first-run.device-text')),
      codeBlock(`curl '${base}/config?deviceId=me'\nlarder sync ${base} /tmp/me --watch`), waiting);
  }

  /** Looks for the first device until there is one, or the server says that it records none. */
  async look(waiting) {
    if (!this.page.isConnected && this.wasConnected) return;
    this.wasConnected = this.page.isConnected;
    try {
      const { app, channel } = this.place;
      const packages = (await api.get(path('apps', app, 'packages'), { query: { limit: 1 } })).packages;
      const seen = packages.length
        ? (await api.get(path('apps', app, 'packages', packages[0].id, 'adoption'), { query: { channel, days: 1 } })).seen : 0;
      if (seen > 0) {
        announce(t('first-run.seen-now'));
        return this.next(t('first-run.seen'));
      }
    } catch (problem) {
      if (problem.status === 409) return waiting.replaceChildren(notice('warn', problem.message));
    }
    this.timer = setTimeout(() => this.look(waiting), pollTime);
  }
}
