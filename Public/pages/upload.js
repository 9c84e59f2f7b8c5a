import { request } from '../api/client.js';
import { session } from '../api/session.js';
import { button, emptyState, h, later, mark, panel } from '../elements/index.js';
import { roleWall } from '../elements/role-wall.js';
import { sentences, t, tn } from '../i18n/index.js';
import { bytes } from '../i18n/sizes.js';
import { chosenSources, droppedSources } from './upload/sources.js';
import { loadRecords } from './upload/store.js';

/** @type {typeof import('./upload/page.js') | null} The code of uploads, once one was begun. */
let uploads = null;

async function loadUploads() {
  uploads ??= await import('./upload/page.js');
  return uploads;
}

/** Opens the page on which versions are uploaded, checked and published. */
export async function open(context) {
  const page = {
    title: t('upload.title'), sub: t('upload.sub'), crumbs: [{ label: t('nav.packages'), href: context.href('packages') }],
  };
  const wall = roleWall(context, 'publisher', { app: context.app });
  if (wall) return { ...page, content: [wall] };
  const { packages } = await context.get(['packages'], { limit: 1000 });
  if (!packages.length) return { ...page, content: [noPackages(context)] };
  return { ...page, content: [await uploadColumns(context, packages)] };
}

/** Returns the place for files, with the uploads of the person if there are any. */
async function uploadColumns(context, packages) {
  /** @type {any[]} What was chosen or dropped, until the code of uploads is there. */
  const chosen = [];
  /** @type {import('./upload/page.js').UploadPage | null} */
  let shown = null;
  const show = (module) => { shown ??= new module.UploadPage(context, packages, { left, right }); };
  const load = () => loadUploads().catch((problem) => {
    // The person chooses the files again.
    chosen.length = 0;
    throw problem;
  });
  const begin = later(load, (module) => {
    show(module);
    shown?.add(chosen.splice(0));
  }, { isOfEveryPage: true });
  const add = (sources) => {
    chosen.push(...sources);
    return begin();
  };
  const left = h('div', null, dropZone(context, add));
  const right = h('div', null);
  listenForDrops(context, add);
  if (uploads || loadRecords(session.user).length) show(await loadUploads());
  return h('div', { class: 'columns' }, left, right);
}

function noPackages(context) {
  return panel({ body: [emptyState({
    icon: 'box', title: t('upload.no-packages'), text: t('upload.no-packages-text'),
    actions: [button(t('nav.packages'), { href: context.href('packages') })],
  })] });
}

function dropZone(context, onSources) {
  const zips = fileInput({ accept: '.zip,application/zip', multiple: true }, onSources);
  const folder = fileInput({ webkitdirectory: true }, onSources);
  const limit = h('span', null, t('upload.limit-none'));
  request('OPTIONS', 'uploads', { signal: context.signal }).then(({ headers }) => {
    const most = Number(headers.get('Tus-Max-Size'));
    if (most) limit.textContent = t('upload.limit', { size: bytes(most) });
  }).catch(() => {});
  const link = (text, input) => h('button', { type: 'button', class: 'link', onclick: () => input.click() }, text);
  return h('section', { class: 'drop', 'aria-label': t('upload.drop-label') }, mark('upload', 'good'),
    h('p', null, tn('upload.drop', { file: link(t('upload.drop-file'), zips), folder: link(t('upload.drop-folder'), folder) })),
    h('p', { class: 'small muted' }, sentences(limit, tn('upload.from-ci', { command: h('code', null, 'larder publish') }))), zips, folder);
}

function fileInput(attributes, onSources) {
  const input = h('input', {
    type: 'file', hidden: true, ...attributes,
    onchange: () => {
      onSources(chosenSources(input.files));
      input.value = '';
    },
  });
  return input;
}

/** Takes files that are dropped anywhere on the page. */
function listenForDrops(context, onSources) {
  const { signal } = context;
  const hasFiles = (event) => [...event.dataTransfer?.types ?? []].includes('Files');
  const mark = (isOver) => document.querySelector('.drop')?.classList.toggle('is-over', isOver);
  document.addEventListener('dragover', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    mark(true);
  }, { signal });
  document.addEventListener('dragleave', (event) => { if (!event.relatedTarget) mark(false); }, { signal });
  document.addEventListener('drop', async (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    mark(false);
    const sources = await droppedSources(/** @type {DataTransfer} */ (event.dataTransfer));
    if (!signal.aborted) onSources(sources);
  }, { signal });
}
