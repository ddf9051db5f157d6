import { cloud } from './cloud.ts';
import type { Domain } from './domain.ts';
import { finance } from './finance.ts';
import { health } from './health.ts';
import { people } from './people.ts';
import { shop } from './shop.ts';
import { travel } from './travel.ts';

export * from './domain.ts';

/** Every trade the demo can talk about; the explicit registry. */
export const DOMAINS: readonly Domain[] = [shop, travel, cloud, health, finance, people];
