import { announce, field, h, table } from './dom.js';

/** The reference of the API: every operation of openapi.json, with its parameters, bodies and errors. */
export class Reference {
  constructor(description) {
    this.description = description;
    this.search = h('input', { type: 'search', autocomplete: 'off', oninput: () => this.filter() });
    this.sections = description.tags.map((tag) => this.section(tag));
    this.none = h('p', { class: 'empty', hidden: true }, 'No operation has this text.');
    this.element = h('div', { class: 'reference' },
      field('Search', this.search, 'A part of the path, the summary or the role.'), this.none,
      this.sections.map((section) => section.element));
  }

  section(tag) {
    const operations = Object.entries(this.description.paths).flatMap(([path, methods]) =>
      Object.entries(methods).filter(([, each]) => each.tags[0] === tag.name)
        .map(([method, operation]) => this.operation(method.toUpperCase(), path, operation)));
    const element = h('section', { class: 'card', 'aria-label': tag.name },
      h('h2', null, tag.name), h('p', { class: 'muted' }, tag.description), operations.map((each) => each.element));
    return { element, operations };
  }

  operation(method, path, operation) {
    const role = operation['x-role'];
    const content = [
      operation.description && h('p', null, operation.description),
      h('p', { class: 'muted' }, `Role: ${role}`),
      operation.parameters.length ? parameters(operation.parameters) : null,
      operation.requestBody && this.body('Request', operation.requestBody.content),
      Object.entries(operation.responses).filter(([status]) => status < '400').map(([status, response]) =>
        this.body(`Response ${status}`, response.content ?? {})),
      errors(operation.responses),
    ];
    const element = h('details', { class: 'operation', id: operation.operationId },
      h('summary', null, h('code', null, `${method} ${path}`), ' ', h('span', { class: 'muted' }, operation.summary)),
      content.flat().filter((part) => part));
    return { element, text: `${method} ${path} ${operation.summary} ${role}`.toLowerCase() };
  }

  body(title, content) {
    const parts = Object.entries(content).map(([type, { schema, example }]) => h('div', null,
      h('p', null, h('strong', null, title), ' ', h('code', null, type)),
      type === 'application/json' ? text(shape(schema, this.description.components.schemas)) : null,
      example === undefined ? null : text(`Example: ${JSON.stringify(example, null, 2)}`)));
    return parts.length ? parts : h('p', null, h('strong', null, title), ' without a body');
  }

  filter() {
    const wanted = this.search.value.trim().toLowerCase();
    let count = 0;
    for (const section of this.sections) {
      let shown = 0;
      for (const operation of section.operations) {
        const isShown = operation.text.includes(wanted);
        operation.element.hidden = !isShown;
        if (isShown) shown += 1;
      }
      section.element.hidden = shown === 0;
      count += shown;
    }
    this.none.hidden = count > 0;
    announce(`${count} operations`);
  }
}

const text = (content) => h('pre', { tabindex: '0' }, content);

function parameters(all) {
  const rows = all.map((each) => [
    h('code', null, each.name), each.required ? `${each.in}, required` : each.in, each.description,
    h('code', null, shape(each.schema, {})),
  ]);
  return table('Parameters', ['Name', 'In', 'Meaning', 'Value'], rows);
}

function errors(responses) {
  const rows = Object.entries(responses).filter(([status]) => status >= '400').map(([status, response]) => [
    status, response['x-codes'].join(', '),
  ]);
  return table('Errors', ['Status', 'Codes'], rows);
}

/** The depth to which named schemas are written out. */
const DEPTH = 4;

/** Returns a schema as a text that looks like JSON, with `?` after the names of optional members. */
export function shape(schema, schemas, indent = '', depth = 0) {
  if (schema.$ref) {
    const name = schema.$ref.split('/').pop();
    return schemas[name] && depth < DEPTH ? shape(schemas[name], schemas, indent, depth + 1) : name;
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

async function open() {
  const main = document.getElementById('main');
  main.setAttribute('aria-busy', 'true');
  try {
    const response = await fetch(new URL('../api/openapi.json', document.baseURI));
    if (!response.ok) throw new Error(`The response has status ${response.status}.`);
    main.append(new Reference(await response.json()).element);
    const target = document.getElementById(location.hash.slice(1));
    if (target?.matches('details')) {
      target.open = true;
      target.scrollIntoView();
    }
  } catch (error) {
    main.append(h('p', { class: 'card', role: 'alert' }, `The description cannot be read. ${error.message} Reload the page.`));
  }
  main.removeAttribute('aria-busy');
}

// The module's tests have no page.
if (globalThis.document?.getElementById('main')) open();
