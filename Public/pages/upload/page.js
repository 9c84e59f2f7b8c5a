import { announce, button, h, panel, toast } from '../../elements/index.js';
import { t } from '../../i18n/index.js';
import { DetailsPanel } from './details.js';
import { FindingsPanel } from './findings.js';
import { manager } from './manager.js';
import { UploadRow, isReady } from './row.js';
import { guess } from './sources.js';

/** The parts of the page that show uploads, and which upload they show. */
export class UploadPage {
  /**
   * @param {any} context
   * @param {any[]} packages
   * @param {{left: any, right: any}} columns
   */
  constructor(context, packages, { left, right }) {
    this.context = context;
    this.packages = packages;
    /** @type {Map<string, UploadRow>} */
    this.rows = new Map();
    /** @type {Set<string>} The uploads that are being published, so that a second click changes nothing. */
    this.publishing = new Set();
    this.list = h('ul', { class: 'list' });
    this.publishAll = h('div', { class: 'row' });
    this.files = panel({ title: t('upload.files'), actions: [this.publishAll], body: [this.list] });
    this.findings = new FindingsPanel(context);
    this.details = new DetailsPanel(context, packages, { onPublish: (upload) => this.publish([upload]) });
    this.selected = context.query.get('file');
    left.prepend(this.files, this.findings.element);
    right.append(this.details.element);
    manager.open({ guard: context.guard, address: context.href('upload'), whenSignedOut: context.whenSignedOut });
    manager.subscribe((upload) => this.update(upload), context.signal);
    this.show();
  }

  uploads() {
    return manager.uploads.filter((upload) => upload.app === this.context.app);
  }

  current() {
    const uploads = this.uploads();
    return uploads.find((upload) => upload.key === this.selected) ?? uploads.at(-1);
  }

  add(sources) {
    if (!sources.length) return;
    const wanted = this.context.query.get('package');
    const ids = this.packages.map((each) => each.id);
    for (const source of sources) {
      const found = guess(source.name, ids);
      const details = { package: found.package ?? (ids.includes(wanted) ? wanted : ids.length === 1 ? ids[0] : ''), version: found.version ?? '', ...this.remembered() };
      this.selected = manager.add(source, { app: this.context.app, details }).key;
    }
    this.show();
  }

  /** Returns the parameters that the last upload had, which is often of the same build. */
  remembered() {
    const { commit, author } = this.uploads().at(-1)?.details ?? {};
    return Object.fromEntries(Object.entries({ commit, author }).filter(([, value]) => value));
  }

  select(upload) {
    this.selected = upload.key;
    this.context.setQuery({ file: upload.key }, { reload: false });
    this.show();
  }

  /** Draws again after a change of one upload, or of the list. */
  update(upload) {
    if (!upload || !this.rows.has(upload.key)) return this.show();
    this.rows.get(upload.key)?.update();
    this.showSummary();
    if (upload !== this.current()) return;
    this.findings.show(upload);
    this.details.show(upload);
  }

  show() {
    const uploads = this.uploads();
    for (const [key, row] of this.rows) {
      if (uploads.some((upload) => upload.key === key)) continue;
      row.element.remove();
      this.rows.delete(key);
    }
    for (const upload of uploads) {
      if (this.rows.has(upload.key)) continue;
      const row = new UploadRow(this.context, upload, this.packages, { onSelect: () => this.select(upload), onFile: (sources) => this.supply(upload, sources) });
      this.rows.set(upload.key, row);
      this.list.append(row.element);
    }
    const current = this.current();
    for (const [key, row] of this.rows) row.update(key === current?.key && uploads.length > 1);
    this.files.toggleAttribute('hidden', !uploads.length);
    this.findings.show(current);
    this.details.show(current);
    this.showSummary();
  }

  showSummary() {
    const uploads = this.uploads();
    const sending = uploads.filter((upload) => ['packing', 'queued', 'sending'].includes(upload.state)).length;
    this.files.setNote(sending ? t('upload.count-sending', { n: uploads.length, sending }) : t('upload.count', { n: uploads.length }));
    const ready = uploads.filter(isReady);
    const done = uploads.filter((upload) => upload.state === 'published');
    const summary = `${ready.length} ${done.length}`;
    if (summary === this.summary) return;
    this.summary = summary;
    this.publishAll.replaceChildren(...[
      done.length ? button(t('upload.clear'), { small: true, kind: 'quiet', onclick: () => this.clear() }) : null,
      ready.length > 1 ? button(t('upload.publish-all', { n: ready.length }), { small: true, onclick: () => this.publish(this.uploads().filter(isReady)) }) : null,
    ].filter((node) => node !== null));
  }

  clear() {
    for (const upload of this.uploads().filter((each) => each.state === 'published')) manager.remove(upload);
  }

  async supply(upload, /** @type {any[]} */ [source]) {
    if (!source) return;
    const isOther = source.blob ? source.blob.size !== upload.size : !upload.isFolder;
    if (isOther) return toast(t('upload.other-file', { name: upload.name }), { kind: 'warn' });
    return manager.supply(upload, source);
  }

  async publish(uploads) {
    for (const upload of uploads) {
      if (this.publishing.has(upload.key)) continue;
      this.publishing.add(upload.key);
      this.details.setBusy(true);
      try {
        const result = await manager.publish(upload);
        this.context.changed();
        toast(t('upload.published-toast', { version: `${upload.details.package} ${result.version}` }), {
          kind: 'good', action: { label: t('upload.release'), run: () => this.context.go('new-release', { package: upload.details.package, version: result.version }) },
        });
      } catch (problem) {
        if (problem.status === undefined) console.error(problem);
        upload.problem = problem;
        upload.check = undefined;
        this.selected = upload.key;
        manager.changed(upload);
        announce(problem.message, { assertive: true });
        return;
      } finally {
        this.publishing.delete(upload.key);
        this.details.setBusy(false);
      }
    }
  }
}
