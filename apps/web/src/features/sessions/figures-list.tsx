import type { ReactNode } from 'react';

/** Names and values, one below the other at the side of a page, in pairs where the side became its foot. */
export function FiguresList({ items }: { items: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 sm:max-lg:grid-cols-[auto_1fr_auto_1fr] sm:max-lg:gap-x-8">
      {items.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 truncate text-right">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
