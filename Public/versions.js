import { upload } from './api.js';
import { empty, field, h, table } from './dom.js';
import { Form } from './form.js';
import { bytes, number, time } from './format.js';
import { Pager } from './pager.js';
import { badge } from './releases.js';
import { shortAudience } from './rollout.js';
import { mayRelease, refusal } from './session.js';

/** The states of releases that devices have, or get later. */
const lasting = ['active', 'paused', 'completed', 'halted', 'scheduled'];

/** The published versions, and the upload of a new one. */
export class VersionSection {
  /**
   * @param where the package's path in the API
   * @param actions `changed` is called after a publishing, `release` with a version to offer, `refused` with the reason why the token
   *   does not permit a release
   */
  constructor(where, actions) {
    this.where = where;
    this.actions = actions;
    this.list = h('div');
    this.pager = new Pager('versions', (rows) => this.draw(rows));
    this.makeForm();
    this.element = h('section', { class: 'card', 'aria-labelledby': 'versions-heading' },
      h('h2', { id: 'versions-heading' }, 'Versions'), this.list,
      h('h3', null, 'Publish a version'), this.form.element);
  }

  show({ versions, releases }) {
    this.releases = releases.filter((release) => lasting.includes(release.state));
    this.pager.show(versions);
    if (versions.length === 0) this.list.replaceChildren(empty('Nothing is published yet. Upload a zip of the built pages below.'));
    else if (!this.pager.element.isConnected) this.list.replaceChildren(this.pager.element);
  }

  draw(versions) {
    const rows = versions.map((item) => [
      [h('strong', null, item.version),
        item.retired ? h('div', { class: 'muted', id: retirementId(item.version) }, `retired: ${item.retired.reason}`) : null],
      h('div', { class: 'tags' }, this.badges(item.version)),
      time(item.createdAt),
      number(item.files),
      bytes(item.bytes),
      bytes(item.archiveBytes),
      this.releaseButton(item),
    ]);
    return table('Versions, the newest first', ['Version', 'Released', 'Published', 'Files', 'Size', 'Archive', ''], rows);
  }

  /** Returns a badge for each channel with the state and the audience of the release, so that a percentage is not mistaken for everyone. */
  badges(version) {
    const own = this.releases.filter((release) => release.version === version);
    if (own.length === 0) return [h('span', { class: 'muted' }, 'no')];
    return own.map((release) => badge(release.state, `${release.channel}: ${release.state}, ${shortAudience(release)}`));
  }

  releaseButton(item) {
    const reason = item.retired ? item.retired.reason : mayRelease() ? null : refusal('Releasing');
    const description = item.retired ? retirementId(item.version) : 'releases-refusal';
    return h('button', {
      type: 'button', class: 'small', 'aria-label': `Release ${item.version}…`, title: reason,
      'aria-disabled': reason ? 'true' : null, 'aria-describedby': reason ? description : null,
      onclick: () => {
        if (!reason) this.actions.release(item.version);
        else if (!item.retired) this.actions.refused(reason);
      },
    }, 'Release…');
  }

  makeForm() {
    const file = h('input', { type: 'file', name: 'file', required: true, accept: '.zip,application/zip' });
    const version = h('input', {
      name: 'version', required: true, maxlength: 64, pattern: '[A-Za-z0-9][A-Za-z0-9._+\\-]*', autocomplete: 'off',
      autocapitalize: 'off', spellcheck: 'false', placeholder: '1.0.0',
    });
    const unwrap = h('select', { name: 'unwrap' },
      h('option', { value: '' }, 'Automatic'),
      h('option', { value: '1' }, 'Take it off'),
      h('option', { value: '0' }, 'Leave it'));
    this.bar = h('progress', { max: 1, value: 0, 'aria-label': 'Upload' });
    this.cancel = h('button', { type: 'button', onclick: () => this.abort.abort() }, 'Cancel');
    this.progressText = h('span');
    this.progress = h('div', { class: 'progress', hidden: true }, this.bar, this.progressText, this.cancel);
    this.form = new Form('Publish', [
      h('div', { class: 'grid' },
        field('Zip', file, 'The built pages, zipped.'),
        field('Version', version, 'A new one for each upload: a published version never changes.'),
        field('Single top folder', unwrap, 'Automatic: taken off if the entry page is in it.')),
    ], () => this.publish(file.files[0], version.value, unwrap.value));
    this.form.element.insertBefore(this.progress, this.form.outcome);
  }

  async publish(file, version, unwrap) {
    this.abort = new AbortController();
    this.progress.hidden = false;
    addEventListener('beforeunload', keepOpen);
    this.showProgress(0, file.size);
    const query = { version, ...(unwrap ? { unwrap } : {}) };
    let done;
    try {
      done = await upload(
        `${this.where}/versions`, query, file, (sent, all) => this.showProgress(sent, all), this.abort.signal);
    } finally {
      this.progress.hidden = true;
      removeEventListener('beforeunload', keepOpen);
    }
    await this.actions.changed();
    const sentence = done.status === 'unchanged'
      ? `Version ${done.version} was published before with the same content. Nothing changed.`
      : `Version ${done.version} is published: ${number(done.files)} ${done.files === 1 ? 'file' : 'files'}, ${bytes(done.archiveBytes)} to download. `
        + 'Devices get it when you release it.';
    return withFindings(sentence, done);
  }

  /** Shows the progress; hides the cancel button once everything is sent, since cancelling would only hide the outcome. */
  showProgress(sent, all) {
    const isSent = sent >= all;
    if (isSent && document.activeElement === this.cancel) this.form.button.focus();
    this.cancel.hidden = isSent;
    if (!isSent) {
      this.bar.value = sent / all;
      this.progressText.textContent = `${bytes(sent)} of ${bytes(all)}`;
    } else {
      this.bar.removeAttribute('value');
      this.progressText.textContent = 'Sent. The server checks and packs it…';
    }
  }
}

function retirementId(version) {
  return `retired-${version}`;
}

/** Returns an outcome with the findings of the linter: warnings and waived ones. */
function withFindings(sentence, { warnings = [], waived = [] }) {
  const line = ({ code, path, message }) => `${code}${path ? ` ${path}` : ''}: ${message}`;
  return h('div', null, h('p', null, sentence),
    warnings.length ? h('p', null, `Warnings (${number(warnings.length)}):`) : null,
    warnings.length ? h('ul', null, warnings.map((finding) => h('li', null, line(finding)))) : null,
    waived.length ? h('p', { class: 'hint' }, `${number(waived.length)} waived.`) : null);
}

/** Makes the browser ask before it closes the page during an upload. */
function keepOpen(event) {
  event.preventDefault();
}
