import type { MetricView, PointView, ResourceView, ScopeView } from '@candela/otlp';
import type { TableWriter } from '../columns/table-writer.ts';
import type { AttributeWriter } from './attributes.ts';
import type { EncodeContext } from './context.ts';
import { TenancyColumns } from './row-head.ts';

const LC = 'LowCardinality(String)';
const MAP = 'Map(LowCardinality(String), String)';

/** Fills the columns that all metric tables share: whose series it is, and when. */
export class MetricIdentity {
  readonly #attributes: AttributeWriter;
  readonly #resource: ResourceView;
  readonly #scope: ScopeView;
  readonly #tenancy: TenancyColumns;
  readonly #columns: ReturnType<typeof identityColumns>;
  #newResource = true;
  #newScope = true;

  constructor(table: TableWriter, attributes: AttributeWriter, resource: ResourceView, scope: ScopeView) {
    this.#attributes = attributes;
    this.#resource = resource;
    this.#scope = scope;
    this.#tenancy = new TenancyColumns(table);
    this.#columns = identityColumns(table);
  }

  newResource(): void {
    this.#newResource = true;
  }

  newScope(): void {
    this.#newScope = true;
  }

  set(
    row: number,
    metric: MetricView,
    point: PointView,
    service: string,
    environment: string,
    context: EncodeContext,
    received: { readonly low: number; readonly high: number },
  ): void {
    const columns = this.#columns;
    const scope = this.#scope;
    this.#attributes.writeOnce(this.#resource.attributes, columns.resourceAttributes, row, this.#newResource);
    this.#attributes.writeOnce(scope.attributes, columns.scopeAttributes, row, this.#newScope);
    this.#newResource = false;
    this.#newScope = false;
    columns.resourceSchemaUrl.set(row, this.#resource.schemaUrl);
    columns.scopeName.set(row, scope.name);
    columns.scopeVersion.set(row, scope.version);
    columns.scopeDroppedAttrCount.data[row] = scope.droppedAttributesCount;
    columns.scopeSchemaUrl.set(row, scope.schemaUrl);
    columns.serviceName.set(row, service);
    columns.metricName.set(row, metric.name);
    columns.metricDescription.set(row, metric.description);
    columns.metricUnit.set(row, metric.unit);
    this.#attributes.write(point.attributes, columns.attributes, row);
    columns.startTimeUnix.set(row, point.startLow, point.startHigh);
    // A point without a time is of now.
    if (point.timeLow === 0 && point.timeHigh === 0) columns.timeUnix.set(row, received.low, received.high);
    else columns.timeUnix.set(row, point.timeLow, point.timeHigh);
    columns.flags.data[row] = point.flags;
    this.#tenancy.set(row, environment, context);
  }
}

function identityColumns(table: TableWriter) {
  return {
    resourceAttributes: table.column('ResourceAttributes', MAP),
    resourceSchemaUrl: table.column('ResourceSchemaUrl', LC),
    scopeName: table.column('ScopeName', LC),
    scopeVersion: table.column('ScopeVersion', LC),
    scopeAttributes: table.column('ScopeAttributes', MAP),
    scopeDroppedAttrCount: table.column('ScopeDroppedAttrCount', 'UInt32'),
    scopeSchemaUrl: table.column('ScopeSchemaUrl', LC),
    serviceName: table.column('ServiceName', LC),
    metricName: table.column('MetricName', LC),
    metricDescription: table.column('MetricDescription', LC),
    metricUnit: table.column('MetricUnit', LC),
    attributes: table.column('Attributes', MAP),
    startTimeUnix: table.column('StartTimeUnix', 'DateTime64(9)'),
    timeUnix: table.column('TimeUnix', 'DateTime64(9)'),
    flags: table.column('Flags', 'UInt32'),
  };
}
