import { api, path } from '../../api/client.js';
import { segmented } from '../../elements/segmented.js';
import { facts } from '../../elements/facts.js';
import { checkbox, field } from '../../elements/fields.js';
import { textInput } from '../../elements/inputs.js';
import { form } from '../../elements/form.js';
import { badge, button, dialog, h, later, panel, tag, toast } from '../../elements/index.js';
import { timeTag } from '../../elements/time.js';
import { livePanel } from '../../elements/live.js';
import { setShortcuts, setTheme } from '../../elements/choose-preferences.js';
import { hasShortcuts, theme } from '../../elements/preferences.js';
import { currentLanguage, languages, list, loadLanguage, t } from '../../i18n/index.js';
import { grantText } from './parts.js';
import { sessionTable } from './sessions.js';

/** Opens the tab with the person's own account. */
export async function open(context) {
  const own = await api.get('session', { signal: context.signal });
  const security = own.provider ? [providerPanel(own.provider)] : [passwordPanel(), factorPanel(context)];
  return {
    title: t('settings.tab-account'),
    content: [h('div', { class: 'columns even' },
      h('div', { class: 'stack' }, profilePanel(context), preferencesPanel(context)),
      h('div', { class: 'stack' }, security)), sessionsPanel(context)],
  };
}

function profilePanel(context) {
  return livePanel(context, {
    title: t('settings.profile'), rows: 2,
    load: (signal) => api.get('session', { signal }),
    render: (own) => facts([
      [t('settings.name'), own.user], [t('settings.grants'), h('span', { class: 'tags' }, own.grants.map((grant) => tag(grantText(grant))))],
      [t('settings.session-idle'), timeTag(own.idleUntil)], [t('settings.session-ends'), timeTag(own.expiresAt)],
    ]),
  });
}

function preferencesPanel(context) {
  const language = segmented(Object.entries(languages).map(([value, label]) => ({ value, label })), {
    value: currentLanguage(), onchange: async (value) => {
      await loadLanguage(value, true);
      location.reload();
    },
  });
  const look = segmented(['system', 'light', 'dark'].map((value) => ({ value, label: t(`settings.theme-${value}`) })), { value: theme(), onchange: setTheme });
  const keys = checkbox(t('settings.shortcuts'), {
    checked: hasShortcuts(), hint: t('settings.shortcuts-hint'), onchange: (event) => setShortcuts(event.target.checked),
  });
  const showKeys = later(() => import('../../elements/shortcuts.js'), (module) => module.showShortcuts());
  return panel({
    title: t('settings.preferences'), note: t('settings.preferences-note'),
    actions: [button(t('settings.shortcuts-show'), { small: true, onclick: showKeys })],
    body: h('div', { class: 'form-fields' }, field(t('settings.language'), language), field(t('settings.theme'), look), keys),
  });
}

function passwordPanel() {
  const current = field(t('settings.current-password'), password('current', 'current-password'), { required: true });
  const next = field(t('settings.new-password'), password('new', 'new-password'), { required: true, hint: t('first-run.password-hint') });
  return panel({
    title: t('sign-in.password'), note: t('settings.password-note'),
    body: form({
      fields: [current, next], submit: t('settings.password-change'),
      onsubmit: async (values) => {
        await api.send('PUT', 'user/password', { current: values.current, new: values.new });
        current.control.value = next.control.value = '';
        toast(t('settings.password-changed'), { kind: 'good' });
      },
    }),
  });
}

function password(name, autocomplete) {
  return textInput({ name, type: 'password', autocomplete });
}

function providerPanel(provider) {
  return panel({ title: t('settings.second-factor'), body: h('p', null, t('settings.provider-decides', { provider })) });
}

function factorPanel(context) {
  const run = (name) => later(() => import('./second-factor.js'), (module) => module[name](element.reload));
  const element = livePanel(context, {
    title: t('settings.second-factor'), rows: 1,
    load: async (signal) => (await api.get('session', { signal })).totp,
    render: (isOn) => h('div', { class: 'stack' },
      h('p', null, t('settings.totp-text'), ' ', badge(t(isOn ? 'settings.on' : 'settings.off'), isOn ? 'good' : '', 'shield')),
      h('div', { class: 'row' },
        isOn ? null : button(t('settings.totp-set-up'), { icon: 'shield', onclick: run('begin') }),
        !isOn ? null : [button(t('settings.recovery-renew'), { onclick: run('renew') }),
          button(t('settings.totp-remove'), { kind: 'danger', onclick: run('remove') })])),
  });

  return element;
}

function sessionsPanel(context) {
  const element = livePanel(context, {
    title: t('settings.sessions'), actions: [button(t('settings.sessions-end-all'), { small: true, kind: 'danger', onclick: endAll })],
    load: async (signal) => (await api.get('sessions', { signal })).sessions,
    render: (sessions) => sessionTable(sessions, async (session) => {
      await api.send('DELETE', path('sessions', session.id));
      element.reload();
      toast(t('settings.session-ended', { address: session.address }));
    }),
  });

  async function endAll() {
    const { sessions } = await api.get('sessions');
    const others = sessions.filter((each) => !each.current);
    const done = await dialog({
      title: t('settings.sessions-end-title'), confirm: t('settings.sessions-end-do'), kind: 'danger-fill',
      body: [h('p', null, t('settings.sessions-end-text', { n: others.length })),
        others.length ? h('p', { class: 'hint' }, list([...new Set(others.map((each) => each.address))])) : null].filter(Boolean),
      act: async () => {
        for (const each of others) await api.send('DELETE', path('sessions', each.id));
        return true;
      },
    });
    if (!done) return;
    await api.send('DELETE', 'session');
    location.reload();
  }
  return element;
}
