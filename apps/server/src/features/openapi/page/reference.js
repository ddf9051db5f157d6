// The API reference: draws /openapi.json and lets each operation be tried. Text only, never markup from data.
const specification = await (await fetch('/openapi.json')).json();
const byId = (id) => document.getElementById(id);

function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

function resolve(schema) {
  const name = schema?.$ref?.split('/').at(-1);
  return name === undefined ? schema : specification.components.schemas[name];
}

/** A short type of a schema: `string`, `TraceRow[]`, `"ok" | "error"`. */
function typeOf(schema) {
  if (schema === undefined) return 'any';
  if (schema.$ref) return schema.$ref.split('/').at(-1);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return options.map(typeOf).join(' | ');
  if (schema.type === 'array') return `${typeOf(schema.items)}[]`;
  return [schema.type ?? 'any'].flat().join(' | ');
}

function fields(schema) {
  const object = resolve(schema) ?? {};
  const table = element('table');
  for (const [name, property] of Object.entries(object.properties ?? {})) {
    const needed = (object.required ?? []).includes(name) && property.default === undefined;
    const fallback = property.default === undefined ? '' : `default ${JSON.stringify(property.default)}. `;
    table.append(
      element(
        'tr',
        {},
        element('td', {}, element('code', {}, name + (needed ? ' *' : ''))),
        element('td', {}, element('code', { class: 'soft' }, typeOf(property))),
        element('td', { class: 'soft' }, fallback + (property.description ?? '')),
      ),
    );
  }
  return table;
}

function tryOut(path, method, operation) {
  const values = new Map();
  const box = element('div');
  for (const parameter of operation.parameters ?? []) {
    if (parameter.$ref) continue;
    const input = element('input', { placeholder: parameter.name, 'aria-label': parameter.name });
    values.set(parameter, input);
    box.append(input, ' ');
  }
  const body = operation.requestBody ? element('textarea', { 'aria-label': 'Request body' }, '{"from": "-1h"}') : undefined;
  if (body) box.append(body);
  const output = element('pre', { hidden: '' });
  const button = element('button', { type: 'button' }, 'Send');
  button.addEventListener('click', async () => {
    let url = path;
    const search = new URLSearchParams();
    for (const [parameter, input] of values) {
      if (parameter.in === 'path') url = url.replace(`{${parameter.name}}`, encodeURIComponent(input.value));
      else if (input.value !== '') search.set(parameter.name, input.value);
    }
    const headers = byId('key').value === '' ? {} : { authorization: `Bearer ${byId('key').value}` };
    const query = search.size === 0 ? '' : `?${search}`;
    const answer = await fetch(url + query, { method: method.toUpperCase(), headers, body: body?.value });
    const text = await answer.text();
    let shown = text;
    try {
      shown = JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      // Not JSON: shown as it came.
    }
    output.hidden = false;
    output.textContent = `${answer.status} ${answer.statusText}\nx-request-id: ${answer.headers.get('x-request-id')}\n\n${shown.slice(0, 100_000)}`;
  });
  box.append(button, output);
  return box;
}

byId('about').textContent = specification.info.description;
for (const [path, methods] of Object.entries(specification.paths)) {
  for (const [method, operation] of Object.entries(methods)) {
    const title = `${method.toUpperCase()} ${path}`;
    byId('contents').append(element('a', { href: `#${operation.operationId}`, title }, operation.operationId));
    const section = element(
      'section',
      { id: operation.operationId },
      element('h2', {}, element('span', { class: 'method' }, method.toUpperCase()), ' ', element('code', {}, path)),
      element('p', {}, operation.summary, ' ', element('span', { class: 'soft' }, operation.description ?? 'No credential needed.')),
    );
    const request = operation.requestBody?.content['application/json'].schema;
    if (request) section.append(element('h3', {}, 'Body'), fields(request));
    for (const [status, response] of Object.entries(operation.responses)) {
      if (status !== '200') continue;
      const schema = resolve(response.content['application/json'].schema);
      section.append(element('h3', {}, 'Answer'), fields(schema));
      const data = schema?.properties?.data;
      const inner = data?.type === 'array' ? resolve(data.items) : resolve(data);
      if (inner?.properties) section.append(element('h3', {}, 'data'), fields(inner));
    }
    const failures = Object.entries(operation.responses).filter(([status]) => status !== '200');
    if (failures.length > 0) {
      section.append(element('h3', {}, 'Errors'));
      section.append(element('p', { class: 'soft' }, failures.map(([status, { description }]) => `${status}: ${description}`).join(' · ')));
    }
    section.append(element('h3', {}, 'Try it'), tryOut(path, method, operation));
    byId('operations').append(section);
  }
}
if (location.hash !== '') byId(location.hash.slice(1))?.scrollIntoView();
