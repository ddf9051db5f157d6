import type { CustomPrice, ListedPrice, PRICE_ROUTES, RequestBodyOf } from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';

type Routes = typeof PRICE_ROUTES;
export type NewPrice = RequestBodyOf<Routes['createCustomPrice']>;

export const customPricesQuery = () =>
  queryOptions({
    queryKey: ['prices', 'custom'],
    queryFn: ({ signal }): Promise<CustomPrice[]> =>
      call('listCustomPrices', { signal }).then(({ data }) => data),
  });

export const priceListQuery = (q: string) =>
  queryOptions({
    queryKey: ['prices', 'list', q],
    queryFn: ({ signal }): Promise<{ data: ListedPrice[]; total: number }> =>
      call('searchPriceList', { query: { q, limit: 50 }, signal }),
    staleTime: Infinity,
  });

export const createPrice = (body: NewPrice) => call('createCustomPrice', { body });

export const changePrice = ({ id, ...body }: NewPrice & { readonly id: string; readonly version: number }) =>
  call('updateCustomPrice', { params: { id }, body });

export const deletePrice = (id: string) => call('deleteCustomPrice', { params: { id } });
