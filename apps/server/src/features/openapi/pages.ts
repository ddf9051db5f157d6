import { readFileSync } from 'node:fs';
import type { Page } from '../../http/request-handler.ts';
import { generateOpenApi } from './generate.ts';

const asset = (name: string): string => readFileSync(new URL(`./page/${name}`, import.meta.url), 'utf8');

/** The OpenAPI document and a page that shows it, made of our own files: it works without any network. */
export function openApiPages(): Page[] {
  const document = generateOpenApi();
  const html = asset('index.html');
  const script = asset('reference.js');
  const style = asset('reference.css');
  return [
    { path: '/openapi.json', contentType: 'application/json', body: () => document },
    { path: '/openapi-spec', contentType: 'text/html; charset=utf-8', body: () => html },
    { path: '/openapi-spec/reference.js', contentType: 'text/javascript; charset=utf-8', body: () => script },
    { path: '/openapi-spec/reference.css', contentType: 'text/css; charset=utf-8', body: () => style },
  ];
}
