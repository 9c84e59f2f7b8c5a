/** The depth to which named schemas are written out. */
const depthLimit = 4;

/**
 * Returns a schema as a text that looks like JSON, with `?` after the names of optional members.
 *
 * @param {any} schema
 * @param {Object<string, any>} schemas the named schemas
 * @param {string} [indent]
 * @param {number} [depth]
 * @returns {string}
 */
export function shape(schema, schemas, indent = '', depth = 0) {
  if (schema.$ref) {
    const name = schema.$ref.split('/').pop();
    return schemas[name] && depth < depthLimit ? shape(schemas[name], schemas, indent, depth + 1) : name;
  }
  if (schema.oneOf) return schema.oneOf.map((each) => shape(each, schemas, indent, depth)).join(' | ');
  if (schema.enum) return schema.enum.map((each) => JSON.stringify(each)).join(' | ');
  const inner = `${indent}  `;
  const types = [schema.type].flat();
  return types.map((type) => {
    if (type === 'array') return `[${shape(schema.items, schemas, indent, depth)}, …]`;
    if (type === 'null') return 'null';
    if (type !== 'object') return schema.format ? `${type} (${schema.format})` : schema.pattern ? `${type} ${schema.pattern}` : type;
    const members = Object.entries(schema.properties ?? {}).map(([name, value]) =>
      `${inner}${JSON.stringify(name)}${schema.required?.includes(name) ? '' : '?'}: ${shape(value, schemas, inner, depth)}`);
    if (schema.additionalProperties) members.push(`${inner}"…": ${shape(schema.additionalProperties, schemas, inner, depth)}`);
    return members.length ? `{\n${members.join(',\n')}\n${indent}}` : '{}';
  }).join(' | ');
}
