import { api, path } from '../../api/client.js';
import { segmented } from '../../elements/segmented.js';
import { badge, button, code, dialog, emptyState, h, notice, panel, problemNotice } from '../../elements/index.js';
import { t, tn } from '../../i18n/index.js';
import { findingList, waiveButton } from '../parts/findings.js';
import { manager } from './manager.js';
import { fieldOf } from './row.js';

/** The panel with what the dry run found in an upload. */
export class FindingsPanel {
  constructor(context) {
    this.context = context;
    this.order = 'severity';
    this.counts = h('span', { class: 'row' });
    this.orders = segmented([{ label: t('upload.by-severity'), value: 'severity' }, { label: t('upload.by-file'), value: 'file' }], {
      value: this.order, label: t('upload.order'), onchange: (order) => { this.order = order; this.shown = undefined; this.show(this.upload); },
    });
    this.element = panel({ title: t('upload.findings'), actions: [this.orders] });
    this.element.setNote(this.counts);
  }

  /** Shows the findings of an upload; hides the panel if it was not checked. */
  show(upload) {
    this.upload = upload;
    const isChecked = upload?.state === 'sent' && (upload.check || upload.problem);
    this.element.toggleAttribute('hidden', !isChecked || Boolean(fieldOf(upload.problem)));
    if (!isChecked || (this.shown === upload.check && this.shownProblem === upload.problem && upload.check !== undefined)) return;
    this.shown = upload.check;
    this.shownProblem = upload.problem;
    const findings = findingsOf(upload);
    const errors = findings.filter((finding) => finding.isError).length;
    const warnings = findings.length - errors;
    const waived = (upload.check?.waived ?? []).reduce((sum, each) => sum + each.findings, 0);
    this.counts.replaceChildren(...[
      errors ? badge(t('finding.errors', { n: errors }), 'bad') : null, warnings ? badge(t('finding.warnings', { n: warnings }), 'warn') : null,
      waived ? h('span', null, t('finding.waived', { n: waived })) : null,
    ].filter((node) => node !== null));
    this.orders.toggleAttribute('hidden', findings.length < 2);
    if (upload.problem && !findings.length) this.element.setBody(problemNotice(upload.problem, () => manager.check(upload)));
    else if (findings.length) this.element.setBody(findingList(findings, (finding) => this.actions(upload, finding), { order: this.order }));
    else this.element.setBody(upload.check.status === 'would-publish' ? emptyState({ icon: 'check', kind: 'good', title: t('version.lint-clean') })
      : notice('info', t('upload.same-content', { version: upload.check.version })));
    this.element.setFooter(errors ? t('upload.footer-errors') : warnings ? t('upload.footer-warnings') : null);
  }

  actions(upload, finding) {
    const { context } = this;
    const id = upload.details.package;
    const candidate = finding.code === 'entry-missing' ? entryCandidate(upload) : undefined;
    return [
      candidate ? button(t('upload.open-with', { path: candidate }), { small: true, onclick: () => this.changeEntry(upload, candidate) }) : null,
      finding.code === 'bad-package' ? null : waiveButton(context, id, finding, () => manager.check(upload)),
    ];
  }

  async changeEntry(upload, entry) {
    const { context } = this;
    const where = path('apps', context.app, 'packages', upload.details.package);
    const done = await dialog({
      title: t('upload.entry-title'), confirm: t('upload.entry-confirm'),
      load: async (signal) => {
        const { value, tag } = await api.read(where, { signal });
        this.packageTag = tag;
        return [h('p', null, tn('upload.entry-text', { package: h('b', null, value.name), before: code(value.entry ?? '–'), after: code(entry) })),
          h('p', { class: 'muted' }, t('upload.entry-note'))];
      },
      act: () => api.send('PUT', where, { entry }, { tag: this.packageTag }),
    });
    if (done) manager.check(upload);
  }
}

/** Returns the findings of the dry run: the error that refuses the zip, and the warnings. */
function findingsOf(upload) {
  const { problem } = upload;
  const errors = problem?.code !== 'bad-package' ? [] : [{
    code: problem.value.reason === 'entry-missing' ? 'entry-missing' : 'bad-package',
    path: problem.value.reason === 'entry-missing' ? undefined : problem.value.entry, text: problem.detail && problem.summary,
    message: problem.detail ?? problem.message, isError: true,
  }];
  return [...errors, ...upload.check?.warnings ?? []];
}

/** Returns the page in the zip that may be meant as the entry page: the one that is nearest to the top. */
function entryCandidate(upload) {
  const pages = (upload.paths ?? []).filter((each) => /\.html?$/i.test(each));
  return pages.sort((one, other) => one.split('/').length - other.split('/').length || one.length - other.length)[0];
}
