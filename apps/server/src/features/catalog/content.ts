import { type CatalogAnswers, INTEGRATION_TYPES, type IntegrationType } from '@candela/contract';
import { INTEGRATIONS } from './integrations.ts';

/** What the catalog says, but for the integrations of one category. `base` is the platform's own address. */
export function catalogContent(base: string): Omit<CatalogAnswers, 'listIntegrations'> {
  const at = (path: string): string => new URL(path, base).href;
  const documentation = at('/openapi-spec');
  return {
    getHealth: { status: 'ok', service: 'candela' },
    getPricing: {
      oss: {
        name: 'Open source',
        price: '0',
        currency: 'USD',
        license: 'Apache-2.0',
        self_serve: true,
        availability: 'available',
        summary: 'Everything, on your own machines. No license key, no limit.',
        url: at('/'),
      },
      cloud: {
        name: 'Cloud',
        self_serve: false,
        availability: 'not offered',
        summary: 'There is no hosted edition: the open-source one has all of it.',
        url: at('/'),
      },
    },
    getOnboarding: {
      free_tier: { available: true, price: '0', currency: 'USD', url: at('/') },
      api_keys: { self_serve: true, method: 'Settings, API keys', docs: documentation },
      sandbox: { available: true, url: at('/'), type: 'local demo: npm run demo' },
    },
    getCli: {
      name: 'candela',
      homebrew: {
        tap: 'candela/tap',
        formula: 'candela',
        install: 'brew install candela/tap/candela',
        formula_url: documentation,
      },
      docs: documentation,
    },
  };
}

/** Integrations of a category, or without one all of them, by category and name. */
export function integrationsOf(type: IntegrationType | undefined): CatalogAnswers['listIntegrations'] {
  return {
    integrations: INTEGRATIONS.filter(([, category]) => type === undefined || category === type).map(
      ([name, category, docs]) => ({ name, type: category, docs_url: docs }),
    ),
  };
}

export const isIntegrationType = (text: string): text is IntegrationType =>
  (INTEGRATION_TYPES as readonly string[]).includes(text);
