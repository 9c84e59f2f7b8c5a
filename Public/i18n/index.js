/** The languages of the console by their tags. */
export const languages = { en: 'English', 'zh-Hans': '简体中文' };

const storageKey = 'larder-language';

/** @type {Object<string, string | Object<string, string>>} */
let catalogue = {};
let language = 'en';
let pluralRules = new Intl.PluralRules('en');
let formats = new Map();

const dayOptions = { month: 'short', day: 'numeric' };
const timeOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };

export function currentLanguage() {
  return language;
}

/** Returns the language that the person chose, or else the one that the browser prefers. */
export function preferredLanguage() {
  const chosen = localStorage.getItem(storageKey);
  if (chosen && Object.hasOwn(languages, chosen)) return chosen;
  return navigator.languages.find((tag) => /^(en|zh)\b/.test(tag))?.startsWith('zh') ? 'zh-Hans' : 'en';
}

/** Loads the catalogue of a language, which is remembered if the person chose it. */
export async function loadLanguage(tag, isChoice = false) {
  const response = await fetch(new URL(`${tag}.json`, import.meta.url));
  if (!response.ok) throw new Error(`The texts of the console cannot be read: the response has status ${response.status}.`);
  useCatalogue(tag, await response.json());
  if (isChoice) localStorage.setItem(storageKey, tag);
}

export function useCatalogue(tag, texts) {
  language = tag;
  catalogue = texts;
  pluralRules = new Intl.PluralRules(tag);
  formats = new Map();
  if (globalThis.document?.documentElement) document.documentElement.lang = tag;
}

/** Returns the text of a key. `{name}` in it stands for the value of that name; the number `n` chooses a plural form. */
export function t(key, values) {
  return joined(tn(key, values));
}

/** Joins the parts of a text, without a space between two Chinese characters that meet, such as behind a unit. */
const joined = (texts) => texts.join('\0').replace(/(?<=\p{sc=Han})(\0 \0?| \0)(?=\p{sc=Han})|\0/gu, '');

/** Returns a text of `Intl` with a space between a number and a Chinese word, as the catalogue writes them. */
export const spaced = (text) => text.replace(/\d(?=\p{sc=Han})/gu, '$& ');

/** Returns whether the catalogue has a key that a value of the server is a part of, such as the name of an action. */
export function has(key) {
  return Object.hasOwn(catalogue, key);
}

/** Returns the console's text for a code of the server; `null` if it has none, so that the server's sentence is shown. */
export function codeText(kind, code, values) {
  const key = `server.${kind}.${code}`;
  return has(key) ? t(key, values) : null;
}

/** Returns the text of a problem document; `null` as in `codeText`. */
export function problemText({ code, reason }) {
  return codeText('reason', reason) ?? codeText('error', code);
}

/** Returns whether the server writes its sentences in the language in use. */
export function isServersLanguage() {
  return language === 'en';
}

/** Returns sentences with what the language writes between two of them; drops empty ones. */
export const sentences = (...texts) => texts.filter(Boolean).flatMap((text, index) => (index && isServersLanguage() ? [' ', text] : [text]));

/** Returns the text of a key as a list of texts and nodes, for values that are nodes, such as links. */
export function tn(key, values = {}) {
  const entry = catalogue[key];
  if (entry === undefined) return [key];
  const text = typeof entry === 'string' ? entry : entry[pluralRules.select(values.n)] ?? entry.other;
  return text.split(/(\{\w+\})/).filter((part) => part !== '').map((part) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined || !Object.hasOwn(values, name)) return part;
    return typeof values[name] === 'number' ? number(values[name]) : values[name];
  });
}

/** Returns a formatter of the language in use, which is made once. */
export function format(kind, options, make) {
  const key = kind + JSON.stringify(options);
  let found = formats.get(key);
  if (!found) {
    found = make();
    formats.set(key, found);
  }
  return found;
}

/** Returns a number with the separators of the language. */
export function number(value, options = {}) {
  const text = format('number', options, () => new Intl.NumberFormat(language, options)).format(value);
  return options.style === 'unit' ? spaced(text) : text;
}

/** Returns a percentage; `value` is of 100. */
export function percent(value) {
  const digits = value !== 0 && Math.abs(value) < 10 ? 2 : 1;
  return number(value / 100, { style: 'percent', maximumFractionDigits: digits });
}

/** Returns the day and the time of an instant in the viewer's zone; the year only if it is another one. */
export function dateTime(instant, now = new Date()) {
  const isOfThisYear = new Date(instant).getFullYear() === now.getFullYear();
  return date(instant, { ...dayOptions, ...timeOptions, ...(isOfThisYear ? { weekday: 'short' } : { year: 'numeric' }) });
}

/** Returns the day of an instant in the viewer's zone. */
export function day(instant) {
  return date(instant, dayOptions);
}

/** Returns the time of day of an instant in the viewer's zone, to the minute. */
export function time(instant) {
  return date(instant, timeOptions);
}

function date(instant, options) {
  return format('date', options, () => new Intl.DateTimeFormat(language, options)).format(new Date(instant));
}

/** Returns a list of texts in one sentence, such as `a, b and c`; of alternatives, such as `a, b or c`. */
export function list(texts, { areAlternatives = false } = {}) {
  /** @type {Intl.ListFormatOptions} */
  const options = { type: areAlternatives ? 'disjunction' : 'conjunction' };
  return joined(format('list', options, () => new Intl.ListFormat(language, options)).formatToParts(texts)
    .map(({ type, value }) => (type === 'literal' && /^[和或]$/.test(value) ? ` ${value} ` : value)));
}
