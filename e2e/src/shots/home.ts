import type { Stage } from '../stage.ts';
import { NARROW, type ShotGroup } from './shot.ts';

const READY = '[aria-label="Slowest operations"] a';

/** What a wrong exporter sends, so that the pages have something to complain about. */
async function refuse(stage: Stage): Promise<void> {
  const send = async (userAgent: string, body: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${stage.platform.otlpHttp}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': userAgent, ...headers },
      body,
    });
    await response.body?.cancel();
  };
  await send('OTel-OTLP-Exporter-Python/1.30.0', '{"resourceSpans": [{');
  await send('OpenTelemetry Collector Contrib/0.120.0 (linux/amd64)', '{}', { 'content-type': 'text/plain' });
  await send('curl/8.5.0', '{}', {
    authorization: 'Bearer pk_wrong000_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG',
  });
  const span = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', name: 'too late' };
  await send(
    'OTel-OTLP-Exporter-Python/1.30.0',
    JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [{ ...span, startTimeUnixNano: '0' }] }] }] }),
  );
}

export const homeShots: ShotGroup = {
  seed: refuse,
  shots: [
    { name: 'home', path: '/', ready: READY },
    { name: 'home-4h', path: '/?from=-4h', ready: READY },
    { name: 'home-wide', path: '/', ready: READY, size: { width: 1920, height: 1080 } },
    { name: 'home-narrow', path: '/', ready: READY, size: NARROW },
    { name: 'ingest-health', path: '/settings/ingest', ready: 'text=What the sender was told' },
  ],
};
