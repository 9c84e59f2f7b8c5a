import { api, path } from '../api/client.js';
import { forgetFlight, loadFlight } from '../api/flight.js';
import { session } from '../api/session.js';
import { number, sentences, t, time } from '../i18n/index.js';
import { navigation } from '../pages/index.js';
import { announce, button, dot, fileAddress, h, icon, later, menu, notice } from './index.js';

/** The entries of the side bar that a narrow screen shows. */
const narrow = ['overview', 'packages', 'releases', 'devices'];

/** The time in milliseconds between attempts to reach a server that could not be reached. */
const retryInterval = 5_000;

const showShortcuts = later(() => import('./shortcuts.js'), (module) => module.showShortcuts());

const menus = () => import('./frame-menus.js');

/** What surrounds every page. */
export class Frame {
  /**
   * @param {{leave: () => void, openPalette: (start?: string) => void, keys: any, recovered: () => void}} actions
   *   `recovered` is called when the server can be reached again
   */
  constructor({ leave, openPalette, keys, recovered }) {
    this.leave = leave;
    this.recovered = recovered;
    this.openPalette = openPalette;
    /** @type {{app: any, channel: any, apps: any[], channels: any[]}} */
    this.place = { app: null, channel: null, apps: [], channels: [] };
    /** The number of objects that need the person. */
    this.needs = 0;
    this.switcher = h('div', { class: 'switcher-place' });
    this.narrowSwitcher = h('div', { class: 'switcher-place only-narrow' });
    this.nav = h('ul', { class: 'nav' });
    this.flight = h('div', { class: 'flight-place' });
    this.account = h('div', { class: 'account' });
    this.crumbs = h('ol', { class: 'crumbs' });
    this.connection = h('span', { class: 'connection' });
    this.banner = h('div', { class: 'banner-place' });
    this.main = h('main', { class: 'page', id: 'page', tabindex: '-1' });
    this.bottom = h('nav', { class: 'bottom-bar', 'aria-label': t('nav.bottom') });
    const skip = h('a', { class: 'skip', href: '#page', onclick: (event) => { event.preventDefault(); this.main.focus(); } }, t('nav.skip'));
    const jump = h('button', { type: 'button', class: 'jump', onclick: () => openPalette() },
      icon('search'), h('span', null, t('nav.jump')), h('kbd', null, t('nav.jump-keys')));
    this.element = h('div', { class: 'frame' }, skip,
      h('nav', { class: 'side', 'aria-label': t('nav.label') },
        h('a', { class: 'brand', href: '#/' }, h('img', { src: fileAddress('icon.svg'), alt: '', width: 22, height: 22 }), 'Larder'),
        this.switcher, this.nav, this.flight, this.account),
      h('div', { class: 'body' },
        h('header', { class: 'topbar' }, this.narrowSwitcher, h('nav', { class: 'crumbs-place', 'aria-label': t('nav.crumbs') }, this.crumbs), this.connection, jump),
        this.banner, this.main),
      this.bottom);
    this.bindKeys(keys);
    this.isReached = true;
    this.wasOffline = false;
    this.setConnection('connecting');
  }

  close() {
    clearInterval(this.retryTimer);
  }

  bindKeys(keys) {
    keys.frame = {
      'ctrl-k': () => this.openPalette(),
      '/': () => this.openPalette(),
      '?': showShortcuts,
      u: () => this.context && this.context.go('upload'),
      r: () => this.context && this.context.go('new-release'),
    };
    for (const entry of navigation) keys.places[entry.key] = () => this.context && this.context.go(entry.path);
  }

  /** Shows the app, the channel and the entries of the side bar. */
  setPlace(place, context = this.context) {
    const { app, channel, apps, channels } = place;
    const isOther = app !== this.place.app || channel !== this.place.channel;
    this.place = { app, channel, apps, channels };
    this.context = context;
    this.switcher.replaceChildren(this.makeSwitcher());
    this.narrowSwitcher.replaceChildren(this.makeSwitcher());
    this.nav.replaceChildren(...navigation.map((entry) => h('li', null, this.navLink(entry))));
    this.bottom.replaceChildren(
      ...navigation.filter((entry) => narrow.includes(entry.name)).map((entry) => this.navLink(entry)), this.more());
    this.account.replaceChildren(this.makeAccount());
    if (this.current) this.setCurrent(this.current);
    if (isOther) {
      this.flight.replaceChildren();
      this.refreshFlight();
    } else this.showNeeds();
  }

  navLink(entry) {
    return h('a', { href: this.context.href(entry.path), 'data-nav': entry.name },
      icon(entry.icon), h('span', null, t(`nav.${entry.name}`)), h('span', { class: 'count', 'data-count': entry.name }));
  }

  more() {
    return menu(t('nav.more'), async () => (await menus()).moreItems(this, narrow), { icon: 'menu', class: 'bottom-more' });
  }

  makeSwitcher() {
    const { app, channel, channels } = this.place;
    const current = channels.find((each) => each.name === channel);
    const label = menuLabel('', (app ?? '?').slice(0, 1), app, [current?.approvals ? icon('lock', 12) : null, channel], 'sort');
    return menu(label, async () => (await menus()).placeItems(this.place), { class: 'switcher', name: t('nav.switch', { app, channel }) });
  }

  makeAccount() {
    const name = session.user ?? '';
    const role = session.role(this.context?.scope) ?? session.highestRole();
    const label = menuLabel('round', name.slice(0, 2), name, t(`role.${role}`), 'more');
    return menu(label, async () => (await menus()).accountItems(this), { class: 'account-button', name: t('account.menu', { name }) });
  }

  /** Marks the entry of the side bar for the open page. */
  setCurrent(name) {
    this.current = name;
    for (const link of this.element.querySelectorAll('[data-nav]')) {
      if (link.getAttribute('data-nav') === name) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
  }

  /** Shows a page below its heading. */
  showPage(page, { takesFocus = false, isWaiting = false } = {}) {
    const heading = h('h1', { tabindex: '-1' }, page.title);
    const sub = page.sub ? h('p', { class: 'sub' }, page.sub) : null;
    if (isWaiting) {
      this.main.replaceChildren(h('h1', { class: 'visually-hidden' }, page.title), ...page.content);
      return;
    }
    this.main.removeAttribute('aria-busy');
    this.main.replaceChildren(
      h('div', { class: 'head' }, h('div', { class: 'head-text' }, h('div', { class: 'row' }, heading, page.badge), sub),
        page.actions?.length ? h('div', { class: 'actions' }, page.actions) : null),
      ...[page.content].flat(Infinity).filter(Boolean));
    const crumbs = [{ label: this.place.app, href: `#/${path(this.place.app, this.place.channel)}` }, ...(page.crumbs ?? [])];
    this.crumbs.replaceChildren(
      ...crumbs.map((crumb) => h('li', null, h('a', { href: crumb.href }, crumb.label))),
      h('li', { 'aria-current': 'page' }, page.crumbTitle ?? page.title));
    document.title = `${page.pageTitle ?? page.title} – Larder`;
    if (takesFocus) {
      window.scrollTo(0, 0);
      heading.focus({ preventScroll: true });
    }
  }

  setConnection(state, since) {
    this.stream = state;
    this.since = since ?? this.since;
    this.showConnection();
  }

  /** Notes whether the last request reached the server. */
  setReached(isReached) {
    if (isReached === this.isReached) return;
    this.isReached = isReached;
    clearInterval(this.retryTimer);
    if (!isReached) {
      this.since = new Date();
      this.retryTimer = setInterval(() => this.retry(), retryInterval);
    }
    this.showConnection();
    if (isReached) this.recovered();
  }

  showConnection() {
    const isOffline = !this.isReached || !navigator.onLine;
    const since = time(this.since ?? new Date());
    const [kind, text] = isOffline ? ['bad', t('connection.offline', { time: since })]
      : this.stream === 'live' ? ['good', t('connection.live')]
        : this.stream === 'connecting' ? ['', t('connection.connecting')] : ['warn', t('connection.reconnecting')];
    this.connection.replaceChildren(dot(kind), text);
    if (isOffline === this.wasOffline) return;
    this.wasOffline = isOffline;
    this.element.classList.toggle('is-offline', isOffline);
    const title = t('connection.banner', { time: since });
    this.banner.replaceChildren(...(isOffline ? [notice('warn', h('span', null, sentences(h('b', null, title), t('connection.banner-text'))),
      button(t('connection.retry'), { small: true, onclick: () => this.retry() }))] : []));
    announce(isOffline ? title : t('connection.back'), { assertive: isOffline });
  }

  /** Tries to reach the server again; the client notes the result. */
  async retry() {
    await api.get('session').catch(() => this.showConnection());
  }

  onEvent(entry) {
    const matters = entry.isGap || /^(release|release-set|approval|package|channel)\./.test(entry.action);
    if (!matters) return;
    forgetFlight();
    if (entry.action === 'release.halt' || entry.action === 'release.unhealthy') {
      announce(t('flight.halted', { subject: entry.subject }), { assertive: true });
    }
    clearTimeout(this.flightTimer);
    this.flightTimer = setTimeout(() => this.refreshFlight(), 300);
  }

  /** Reads and shows the releases in flight and what waits for the person. */
  async refreshFlight() {
    const { app, channel } = this.place;
    if (!app) return;
    const reading = Promise.all([import('./flight-list.js'), loadFlight(app, channel)]);
    const [list, flight] = await reading.catch(() => []);
    if (!flight || app !== this.place.app || channel !== this.place.channel) return;
    this.flight.replaceChildren(...list.flightList(this.context, flight.releases));
    this.needs = list.needsCount(flight);
    this.showNeeds();
  }

  showNeeds() {
    for (const element of this.element.querySelectorAll('[data-count="overview"]')) {
      element.textContent = this.needs ? number(this.needs) : '';
      element.classList.toggle('alert', this.needs > 0);
      if (this.needs) element.setAttribute('title', t('overview.needs-count', { n: this.needs }));
    }
  }
}

function menuLabel(shape, initials, title, note, iconName) {
  return [h('span', { class: `avatar ${shape}`, 'aria-hidden': 'true' }, initials.toUpperCase()),
    h('span', { class: 'switcher-text' }, h('b', null, title), h('small', null, note)), icon(iconName)];
}
