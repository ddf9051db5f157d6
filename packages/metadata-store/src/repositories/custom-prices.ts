import { fail } from '@candela/kernel';
import type { Selectable } from 'kysely';
import type { CustomPriceTable } from '../tables/custom-prices.ts';
import type { Access } from './access.ts';

/** A price that somebody set. `rates` is JSON of whoever writes it. Times are epoch milliseconds. */
export interface StoredPrice {
  readonly id: string;
  readonly organisationId: string;
  /** Null: every project of the organisation. */
  readonly projectId: string | null;
  readonly provider: string;
  readonly names: readonly string[];
  readonly rates: Readonly<Record<string, unknown>>;
  readonly validFrom: string | null;
  readonly validTo: string | null;
  readonly note: string | null;
  readonly version: number;
  readonly createdBy: string | null;
  readonly createdAt: number;
  readonly updatedBy: string | null;
  readonly updatedAt: number;
}

export type NewPrice = Pick<
  StoredPrice,
  'projectId' | 'provider' | 'names' | 'rates' | 'validFrom' | 'validTo' | 'note'
> & { readonly by: string | null };

/** Who asks: prices of a project and of its organisation are known there, no others. */
export interface PriceScope {
  readonly organisationId: string;
  readonly projectId: string;
}

/** Prices that people set. */
export interface CustomPrices {
  /** Those of a project, then those of its organisation; in each the last changed first. */
  list(scope: PriceScope): Promise<StoredPrice[]>;
  /** The same for every project that has any. */
  byProject(): Promise<ReadonlyMap<string, readonly StoredPrice[]>>;
  /** @throws not_found */
  get(scope: PriceScope, id: string): Promise<StoredPrice>;
  /** @throws refused when the project, or the organisation, has its fill */
  create(scope: PriceScope, price: NewPrice): Promise<StoredPrice>;
  /** @throws not_found, conflict when the version is another one by now, refused */
  update(scope: PriceScope, id: string, version: number, price: NewPrice): Promise<StoredPrice>;
  /** @throws not_found */
  delete(scope: PriceScope, id: string): Promise<void>;
}

const toPrice = (row: Selectable<CustomPriceTable>): StoredPrice => ({
  id: row.id,
  organisationId: row.organisation_id,
  projectId: row.project_id,
  provider: row.provider,
  names: JSON.parse(row.names) as string[],
  rates: JSON.parse(row.rates) as Record<string, unknown>,
  validFrom: row.valid_from,
  validTo: row.valid_to,
  note: row.note,
  version: row.version,
  createdBy: row.created_by,
  createdAt: row.created_at,
  updatedBy: row.updated_by,
  updatedAt: row.updated_at,
});

const columnsOf = (price: NewPrice) => ({
  project_id: price.projectId,
  provider: price.provider,
  names: JSON.stringify(price.names),
  rates: JSON.stringify(price.rates),
  valid_from: price.validFrom,
  valid_to: price.validTo,
  note: price.note,
});

const missing = () => fail('not_found', { what: 'The price' });

/** Prices of a project first: they stand before those of its organisation. */
const inOrder = (a: StoredPrice, b: StoredPrice): number =>
  Number(a.projectId === null) - Number(b.projectId === null) ||
  b.updatedAt - a.updatedAt ||
  (a.id < b.id ? -1 : 1);

export function customPrices({ database, clock, limits }: Access): CustomPrices {
  const rows = ({ organisationId, projectId }: PriceScope) =>
    database
      .selectFrom('custom_prices')
      .selectAll()
      .where('organisation_id', '=', organisationId)
      .where(({ eb, or }) => or([eb('project_id', '=', projectId), eb('project_id', 'is', null)]));

  const get: CustomPrices['get'] = async (scope, id) => {
    const row = await rows(scope).where('id', '=', id).executeTakeFirst();
    if (row === undefined) throw missing();
    return toPrice(row);
  };
  const list: CustomPrices['list'] = async (scope) =>
    (await rows(scope).execute()).map(toPrice).sort(inOrder);

  async function requireRoom(scope: PriceScope, projectId: string | null, except?: string): Promise<void> {
    const beside = (await list(scope)).filter(
      (price) => price.projectId === projectId && price.id !== except,
    );
    if (beside.length >= limits.pricesPerScope) {
      throw fail('refused', {
        detail: `There are ${limits.pricesPerScope} prices of this ${projectId === null ? 'organisation' : 'project'}, which is the most there may be. Delete some first; one price may have several names.`,
      });
    }
  }

  return {
    get,
    list,

    async byProject() {
      const all = (await database.selectFrom('custom_prices').selectAll().execute()).map(toPrice);
      if (all.length === 0) return new Map();
      const projects = await database.selectFrom('projects').select(['id', 'organisation_id']).execute();
      const found = projects.map(({ id, organisation_id: organisationId }) => {
        const own = all.filter(
          (price) =>
            price.organisationId === organisationId && (price.projectId === null || price.projectId === id),
        );
        return [id, own.sort(inOrder)] as const;
      });
      return new Map(found.filter(([, own]) => own.length > 0));
    },

    async create(scope, price) {
      await requireRoom(scope, price.projectId);
      const now = clock.now();
      const row = {
        id: crypto.randomUUID(),
        organisation_id: scope.organisationId,
        ...columnsOf(price),
        version: 1,
        created_by: price.by,
        created_at: now,
        updated_by: price.by,
        updated_at: now,
      };
      await database.insertInto('custom_prices').values(row).execute();
      return toPrice(row);
    },

    async update(scope, id, version, price) {
      const before = await get(scope, id);
      if (before.projectId !== price.projectId) await requireRoom(scope, price.projectId, id);
      const { numUpdatedRows } = await database
        .updateTable('custom_prices')
        .set({
          ...columnsOf(price),
          version: version + 1,
          updated_by: price.by,
          updated_at: clock.now(),
        })
        .where('id', '=', id)
        .where('version', '=', version)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) {
        throw fail('conflict', {
          detail: 'Somebody changed this price meanwhile. Read it again, then change it.',
        });
      }
      return get(scope, id);
    },

    async delete(scope, id) {
      await get(scope, id);
      await database.deleteFrom('custom_prices').where('id', '=', id).execute();
    },
  };
}
