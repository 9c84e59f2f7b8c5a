import { field } from '../../elements/fields.js';
import { select, textArea, textInput } from '../../elements/inputs.js';
import { button, h, notice, panel } from '../../elements/index.js';
import { setButtonBusy } from '../../elements/form.js';
import { t, tn } from '../../i18n/index.js';
import { manager } from './manager.js';
import { fieldOf, isReady, uploadName } from './row.js';
import { nextVersion } from './sources.js';

/** The time in milliseconds after an entry until the upload is checked again. */
const settleTime = 500;

/** The panel with the parameters of publishing an upload. */
export class DetailsPanel {
  constructor(context, packages, /** @type {any} */ { onPublish }) {
    this.context = context;
    this.packages = packages;
    this.onPublish = onPublish;
    this.place = h('div', { class: 'stack' });
    this.foot = h('div', { class: 'stack grow' });
    this.element = panel({ title: t('upload.details'), body: [this.place], footer: [this.foot] });
    this.newest = new Map();
    /** @type {Object<string, any>} The fields of the upload, by name. */
    this.fields = {};
  }

  /** Shows an upload. The fields stay while it is the same one, so that entries and the focus stay too. */
  show(upload) {
    this.element.toggleAttribute('hidden', !upload);
    if (!upload) {
      this.upload = undefined;
      return;
    }
    this.element.setNote(uploadName(upload, this.packages));
    if (upload !== this.upload || (upload.state === 'published') !== this.isPublished) this.build(upload);
    if (upload.state !== 'published') this.update();
  }

  build(upload) {
    this.upload = upload;
    this.isPublished = upload.state === 'published';
    this.shown = undefined;
    const { details } = upload;
    if (this.isPublished) {
      this.place.replaceChildren(this.publishedNote(upload));
      this.element.setFooter(null);
      return;
    }
    this.element.setFooter(this.foot);
    const versionHint = h('span', null, t('upload.version-hint'));
    this.versionHint = versionHint;
    const change = () => this.changed();
    const text = (name, attributes = {}) => textInput({ name, value: details[name], oninput: change, ...attributes });
    this.fields = {
      package: field(t('upload.package'), select([['', t('upload.choose-package')], ...this.packages.map((each) => [each.id, each.name === each.id ? each.id : `${each.name} (${each.id})`])], {
        name: 'package', value: details.package, onchange: () => { this.changed(0); this.suggest(); },
      }), { required: true }),
      version: field(t('upload.version'), text('version', { maxlength: 64 }), { required: true, hint: versionHint }),
      notes: field(t('upload.notes'), textArea({ name: 'notes', value: details.notes, maxlength: 2000, oninput: change })),
      minAppVersion: field(t('upload.host-from'), text('minAppVersion')),
      maxAppVersion: field(t('upload.host-to'), text('maxAppVersion')),
      needs: field(t('upload.needs'), text('needs', { placeholder: 'common >=7; charts ^2' }), { hint: t('upload.needs-hint') }),
      apis: field(t('upload.apis'), text('apis', { placeholder: 'camera, share' }), { hint: t('upload.apis-hint') }),
      unwrap: field(t('upload.unwrap'), select([['', t('upload.unwrap-auto')], ['1', t('upload.unwrap-on')], ['0', t('upload.unwrap-off')]], { name: 'unwrap', value: details.unwrap ?? '', onchange: () => this.changed(0) })),
      commit: field(t('upload.commit'), text('commit', { maxlength: 128, class: 'mono' })),
      author: field(t('upload.author'), text('author', { maxlength: 200 })),
    };
    const all = this.fields;
    const more = h('details', null, h('summary', null, t('upload.more-details')), h('div', { class: 'stack' }, all.needs, all.apis, all.unwrap, all.commit, all.author));
    more.open = ['needs', 'apis', 'unwrap', 'commit', 'author'].some((name) => details[name]);
    this.place.replaceChildren(all.package, all.version, all.notes, h('div', { class: 'grid-2' }, all.minAppVersion, all.maxAppVersion), more);
    this.suggest();
  }

  publishedNote(upload) {
    const { package: id } = upload.details;
    const { version } = upload.check;
    return h('div', { class: 'stack' },
      notice('good', tn('upload.published-note', { version: h('b', null, `${id} ${version}`) })),
      h('div', { class: 'row' },
        button(t('upload.release'), { kind: 'primary', href: this.context.href('new-release', { package: id, version }), reason: this.context.session.reason('releaser', this.context.scope) }),
        button(t('upload.open-version'), { href: this.context.href(`packages/${id}/versions/${version}`) })));
  }

  /** Reads the entries and has the upload checked again a moment later. */
  changed(delay = settleTime) {
    const { upload } = this;
    const details = Object.fromEntries(Object.entries(this.fields).map(([name, each]) => [name, each.control.value.trim()]));
    if (details.apis) details.apis = details.apis.split(/[\s,]+/).filter(Boolean).join(',');
    for (const each of Object.values(this.fields)) each.setError(null);
    manager.describe(upload, details, delay);
    this.update();
  }

  /** Shows the newest version of the package, and suggests the one after it. */
  async suggest() {
    const id = this.fields.package.control.value;
    const { upload, versionHint } = this;
    if (!id) return;
    try {
      if (!this.newest.has(id)) {
        const { versions } = await this.context.get(['packages', id, 'versions'], { sort: '-published', limit: 1 });
        this.newest.set(id, versions[0]?.version);
      }
    } catch {
      return;
    }
    this.element.setNote(uploadName(upload, this.packages));
    if (upload !== this.upload || id !== this.fields.package.control.value) return;
    const newest = this.newest.get(id);
    versionHint.textContent = newest ? t('upload.version-newest', { version: newest }) : t('upload.version-hint');
    const input = this.fields.version.control;
    if (input.value || !newest) return;
    input.value = nextVersion(newest);
    this.changed(0);
  }

  /** Shows the button and why it is off, and errors at their fields. */
  update() {
    const { upload } = this;
    this.showProblem(upload.problem);
    const reason = this.reason();
    const label = upload.details.version ? t('upload.publish-version', { version: upload.details.version }) : t('upload.publish');
    const key = `${label} ${reason}`;
    if (key === this.shown) return;
    this.shown = key;
    const hadFocus = this.foot.contains(document.activeElement);
    this.button = button(label, { kind: 'primary', reason, class: 'wide', onclick: () => { if (isReady(this.upload)) this.onPublish(this.upload); } });
    this.foot.replaceChildren(this.button, ...reason ? [h('p', { class: 'small muted' }, reason)] : [h('p', { class: 'small muted' }, t('upload.publish-note'))]);
    if (hadFocus) this.button.focus();
  }

  /** Returns why the upload cannot be published yet, or `null`. */
  reason() {
    const { upload } = this;
    if (!upload.details.package) return t('upload.needs-package');
    if (!upload.details.version) return t('upload.needs-version');
    if (upload.state !== 'sent') return t('upload.reason-incomplete');
    if (upload.isChecking) return t('upload.checking-text');
    if (upload.problem?.code === 'bad-package') return t('upload.reason-errors');
    if (upload.problem) return this.fields[fieldOf(upload.problem)] ? t('upload.reason-field') : upload.problem.message;
    if (upload.check && upload.check.status !== 'would-publish') return t('upload.same-content', { version: upload.check.version });
    return isReady(upload) ? null : t('upload.reason-incomplete');
  }

  showProblem(problem) {
    if (problem === this.problem) return;
    this.problem = problem;
    if (!problem) return;
    const named = fieldOf(problem);
    this.fields[named]?.setError(problem.message);
    if (['needs', 'apis', 'unwrap', 'commit', 'author'].includes(named)) this.fields[named].closest('details').open = true;
  }

  setBusy(isBusy) {
    if (this.button && this.upload?.state !== 'published') setButtonBusy(this.button, isBusy, Boolean(this.reason()));
  }
}
