/** The members of an entry that repeat what `before` and `after` say, or what its sentence says. */
const hidden = ['before', 'after'];

/**
 * Returns what an entry of the audit log changed. An entry without `before` and `after`
 * has its other details, without a former value.
 *
 * @param {Object<string, any> | undefined} details
 * @returns {{member: string, before?: any, after?: any}[]}
 */
export function changesOf(details = {}) {
  const { before, after } = details;
  if (before === undefined && after === undefined) {
    return Object.entries(details).filter(([member]) => !hidden.includes(member)).map(([member, value]) => ({ member, after: value }));
  }
  if (before === null || after === null) {
    const made = before === null;
    return Object.entries((made ? after : before) ?? {}).map(([member, value]) => (made ? { member, after: value } : { member, before: value }));
  }
  return [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
    .map((member) => ({ member, before: before?.[member] ?? null, after: after?.[member] ?? null }));
}

/**
 * Returns a value as a short text.
 *
 * @param {any} value
 * @returns {string}
 */
export function valueText(value) {
  if (value === null || value === undefined) return '–';
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object')) return value.join(', ') || '[]';
  return JSON.stringify(value);
}
