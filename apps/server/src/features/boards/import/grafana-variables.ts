import { type BoardVariable, variableSchema } from '@candela/contract';
import type { Document } from './index.ts';
import { isRecord, partOf } from './grafana-looks.ts';
import { lineOf } from './parts.ts';
import type { Labels } from './matchers.ts';

/** Labels that OpenTelemetry has another place for. */
const NAMES: Readonly<Record<string, string>> = {
  job: 'service',
  service_name: 'service',
  instance: 'resource.service.instance.id',
};
const OF_LOGS: Readonly<Record<string, string>> = {
  ...NAMES,
  app: 'service',
  service: 'service',
  level: 'severity',
  detected_level: 'severity',
  namespace: 'resource.k8s.namespace.name',
  pod: 'resource.k8s.pod.name',
  container: 'resource.k8s.container.name',
};
const MOST_NAME = 280;

const fieldOf = (names: Readonly<Record<string, string>>, label: string): string =>
  Object.hasOwn(names, label) ? (names[label] ?? '') : `attributes.${label.slice(0, MOST_NAME)}`;

/** The name of a variable as it can be here. */
export const variableName = (name: string): string => {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]/g, '_')
    .replace(/^[^a-z]+/, '');
  return plain === '' ? 'v' : plain.slice(0, 32);
};

/** Variables of a dashboard; which fields they stand for is found out while its targets are read. */
export class GrafanaVariables {
  readonly #found = new Map<string, Document>();
  readonly #fields = new Map<string, string>();

  constructor(dashboard: Document) {
    const list = partOf(dashboard, 'templating', 'list');
    for (const one of Array.isArray(list) ? (list as unknown[]) : []) {
      const kind = String(partOf(one, 'type'));
      if (
        isRecord(one) &&
        typeof one['name'] === 'string' &&
        /^(?:query|custom|textbox|constant)$/.test(kind)
      )
        this.#found.set(one['name'], one);
    }
  }

  readonly #labels = (names: Readonly<Record<string, string>>): Labels => ({
    field: (label) => fieldOf(names, label),
    uses: (variable, field) => {
      if (this.#found.has(variable) && !this.#fields.has(variable)) this.#fields.set(variable, field);
    },
  });
  readonly ofMetrics: Labels = this.#labels(NAMES);
  readonly ofLogs: Labels = this.#labels(OF_LOGS);

  /** The names that statements may have placeholders for, and whether they take several values. */
  get names(): ReadonlyMap<string, boolean> {
    return new Map(Array.from(this.#found, ([name, one]) => [name, one['multi'] === true]));
  }

  /** Variables of the board. A name that is there already is left out. */
  variables(): BoardVariable[] {
    const made = new Map<string, BoardVariable>();
    for (const [name, one] of this.#found) {
      const key = variableName(name);
      const query = partOf(one['query'], 'query') ?? one['query'];
      const [, label] =
        /^\s*label_values\s*\((?:[^()]*,)?\s*([A-Za-z_]\w*)\s*\)\s*$/.exec(String(query)) ?? [];
      const field = this.#fields.get(name) ?? (label === undefined ? undefined : fieldOf(NAMES, label));
      const values = one['type'] === 'custom' ? choicesOf(String(query)) : [];
      const read = variableSchema.safeParse({
        name: key,
        label: lineOf(one['label'], lineOf(name, key, 60), 60),
        kind: values.length > 0 ? 'list' : field === undefined ? 'text' : 'field',
        ...(field === undefined ? {} : { field }),
        values,
        multi: one['multi'] === true,
        initial: currentOf(one),
      });
      if (read.success && !made.has(key)) made.set(key, read.data);
    }
    return [...made.values()].slice(0, 20);
  }
}

/** `a, b : c`: a text before a colon is what people see. */
const choicesOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.split(' : ').at(-1)?.trim() ?? '')
    .filter((part) => part !== '' && part.length <= 300)
    .slice(0, 100);

function currentOf(one: Document): string[] {
  const value = partOf(one, 'current', 'value');
  const texts = (Array.isArray(value) ? (value as unknown[]) : [value]).filter(
    (text): text is string =>
      typeof text === 'string' && text !== '' && text !== '$__all' && text.length <= 300,
  );
  return one['multi'] === true ? texts.slice(0, 50) : texts.slice(0, 1);
}
