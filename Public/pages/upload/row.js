import { announce, badge, button, h, icon, menu } from '../../elements/index.js';
import { progress } from '../../elements/progress.js';
import { percent, t } from '../../i18n/index.js';
import { bytes, rate } from '../../i18n/sizes.js';
import { duration } from '../../i18n/times.js';
import { manager } from './manager.js';
import { chosenSources } from './sources.js';

/** Returns whether an upload can be published as it is. */
export function isReady(upload) {
  return upload.state === 'sent' && !upload.isChecking && upload.check?.status === 'would-publish';
}

/** Returns the name of the field whose entry the server refused, if it is one. */
export function fieldOf(problem) {
  if (problem?.code === 'version-exists') return 'version';
  if (problem?.code === 'package-not-found') return 'package';
  return problem?.code === 'invalid-request' ? problem.member ?? /^'(\w+)'/.exec(problem.detail ?? problem.message)?.[1] : undefined;
}

/** Returns the package and the version that an upload will be. */
export function uploadName(upload, packages) {
  const pack = packages.find((each) => each.id === upload.details.package);
  return [pack?.id ?? t('upload.no-package'), upload.details.version].filter(Boolean).join(' ');
}

/** The entry of an upload in the list of files. Its parts stay while it is drawn again, so that the focus stays too. */
export class UploadRow {
  /**
   * @param {any} context
   * @param {import('./manager.js').Upload} upload
   * @param {any[]} packages
   * @param {{onSelect: () => void, onFile: (sources: any[]) => void}} actions
   */
  constructor(context, upload, packages, { onSelect, onFile }) {
    this.context = context;
    this.upload = upload;
    this.packages = packages;
    this.onFile = onFile;
    this.mark = h('span', { class: 'icon-mark' }, icon('box'));
    this.name = h('button', { type: 'button', class: 'link strong', onclick: onSelect });
    this.source = h('span', { class: 'muted' });
    this.bar = progress(0, { thick: true, isRunning: true, label: t('upload.bar', { name: upload.name }) });
    this.status = h('p', { class: 'small muted' });
    this.buttons = h('div', { class: 'row nowrap' });
    this.input = h('input', { type: 'file', hidden: true, ...(upload.isFolder ? { webkitdirectory: true } : { accept: '.zip' }), onchange: () => {
      this.onFile(chosenSources(this.input.files));
      this.input.value = '';
    } });
    this.element = h('li', null, this.mark, h('div', { class: 'grow' }, h('p', null, this.name, ' ', this.source), this.bar, this.status), this.buttons, this.input);
    this.spoken = 0;
    this.update();
  }

  update(isSelected = this.isSelected) {
    const { upload } = this;
    this.isSelected = isSelected;
    this.element.classList.toggle('selected', Boolean(isSelected));
    this.name.setAttribute('aria-pressed', String(Boolean(isSelected)));
    const title = uploadName(upload, this.packages);
    const total = (upload.state === 'packing' ? upload.total : upload.size) ?? 0;
    const isMoving = ['packing', 'queued', 'sending', 'paused', 'needs-file'].includes(upload.state);
    setText(this.name, title);
    setText(this.source, [upload.name || t('upload.loose'), isMoving && upload.state !== 'packing' && upload.offset > 0 && upload.offset < total
      ? t('upload.part', { done: bytes(upload.offset), total: bytes(total) }) : total ? bytes(total) : ''].filter(Boolean).join(', '));
    this.bar.toggleAttribute('hidden', !isMoving);
    this.bar.setValue(total ? upload.offset / total : 0);
    setText(this.status, statusText(upload, total));
    this.speak(total);
    this.showButtons();
  }

  /** Says every tenth of an upload. */
  speak(total) {
    const { upload } = this;
    const tenth = total ? Math.floor(upload.offset / total * 10) : 0;
    if (upload.state !== 'sending' || tenth <= this.spoken) return;
    this.spoken = tenth;
    announce(t('upload.spoken', { name: upload.name || t('upload.loose'), percent: percent(tenth * 10) }));
  }

  /** Replaces the badge and the buttons if other ones are needed. */
  showButtons() {
    const { upload } = this;
    const errors = upload.problem ? 1 : 0;
    const warnings = upload.check?.warnings?.length ?? 0;
    const key = [upload.state, upload.isChecking, errors, warnings, upload.check?.status, upload.details.version, upload.retryAt ? 1 : 0].join();
    if (key === this.shown) return;
    this.shown = key;
    const hadFocus = this.buttons.contains(document.activeElement);
    const kind = errors ? 'bad' : upload.state === 'published' ? 'good' : '';
    this.mark.setAttribute('class', `icon-mark ${kind}`);
    this.buttons.replaceChildren(...[this.verdict(errors, warnings), ...this.actions()].filter((node) => node !== null));
    if (hadFocus) this.buttons.querySelector('button, a')?.focus();
  }

  verdict(errors, warnings) {
    const { upload } = this;
    if (upload.state === 'published') return badge(t('upload.published'), 'good', 'check');
    if (upload.isChecking) return badge(t('upload.checking'), 'info', 'clock');
    if (upload.state !== 'sent') return errors ? badge(t('upload.failed'), 'bad', 'cross') : null;
    if (errors) return badge(t('finding.errors', { n: 1 }), 'bad', 'cross');
    if (warnings) return badge(t('finding.warnings', { n: warnings }), 'warn', 'warning');
    return upload.check ? badge(t('upload.ready'), 'good', 'check') : null;
  }

  actions() {
    const { upload, context } = this;
    const small = { small: true };
    const remove = menu(null, [{ label: t('upload.remove'), icon: 'trash', danger: true, onclick: () => manager.remove(upload) }], {
      name: t('upload.more', { name: upload.name }), small: true, kind: 'quiet',
    });
    if (upload.state === 'published') {
      const query = { package: upload.details.package, version: upload.check?.version };
      return [button(t('upload.release'), { ...small, href: context.href('new-release', query), reason: context.session.reason('releaser', context.scope) })];
    }
    if (upload.state === 'sending' || upload.state === 'queued') return [button(t('upload.pause'), { ...small, icon: 'pause', onclick: () => manager.pause(upload) }), remove];
    if (upload.state === 'needs-file') return [button(t('upload.choose-again'), { ...small, onclick: () => this.input.click() }), remove];
    if (upload.state === 'paused' || upload.state === 'failed') return [button(t('upload.continue'), { ...small, icon: 'play', onclick: () => manager.resume(upload) }), remove];
    return [remove];
  }
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Returns where an upload is: how fast, how long still, or why it does not go on. */
function statusText(upload, total) {
  const share = percent(Math.floor(total ? upload.offset / total * 100 : 0));
  switch (upload.state) {
    case 'packing': return t('upload.packing', { percent: share });
    case 'queued': return t('upload.queued');
    case 'paused': return t('upload.paused', { percent: share });
    case 'needs-file': return t('upload.needs-file', { percent: share });
    case 'failed': return upload.problem?.message ?? t('upload.failed');
    case 'published': return t('upload.published-text', { n: upload.check?.files ?? 0, size: bytes(upload.check?.bytes ?? 0) });
    case 'sending':
      if (upload.retryAt) return t('upload.retrying', { percent: share });
      if (upload.rate === undefined) return t('upload.starting');
      return t('upload.sending', { percent: share, rate: rate(upload.rate), left: duration(Math.max(1, (upload.size - upload.offset) / upload.rate)) });
    default: return sentText(upload);
  }
}

function sentText(upload) {
  if (upload.isChecking) return t('upload.checking-text');
  if (upload.check) return t('upload.checked', { n: upload.check.files, size: bytes(upload.check.bytes) });
  if (upload.problem) return upload.problem.code === 'bad-package' || fieldOf(upload.problem) ? t('upload.checked-errors') : upload.problem.message;
  return upload.details.package ? t('upload.needs-version') : t('upload.needs-package');
}
