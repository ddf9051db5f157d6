import type { ScannerView } from '@candela/contract';
import { describe, expect, it } from 'vitest';
import { DETECTORS } from './detectors.ts';
import { scannerBody, scannerDraft } from './scanner-draft.ts';

const KEPT: ScannerView = {
  id: 'scanner:1',
  type: 'repository',
  name: 'app',
  target: 'https://github.com/acme/app',
  ref: 'main',
  detectors: 'secrets,mcp',
  flags: { strict: true, verbose: true, rulesRepo: 'https://github.com/acme/rules', requireSigned: true },
  scheduleHours: 12,
  licencePolicy: { allow: ['MIT'], deny: ['AGPL-3.0-only', 'SSPL-1.0'] },
  hasToken: true,
  version: 3,
  createdAt: '2026-11-01T00:00:00.000Z',
  updatedAt: '2026-11-01T00:00:00.000Z',
  lastJob: null,
  openFindings: 0,
};

describe('form of a scanner', () => {
  it('sends back what it was opened with', () => {
    const { name, target, ref, detectors, flags, scheduleHours, licencePolicy } = KEPT;
    expect(scannerBody(scannerDraft(KEPT), KEPT)).toEqual({
      name,
      target,
      ref,
      detectors,
      flags,
      scheduleHours,
      licencePolicy,
    });
  });

  it('means all detectors by none, and leaves out what a flag switches off', () => {
    expect(scannerDraft(undefined).detectors).toEqual(DETECTORS);
    expect(scannerBody(scannerDraft(undefined), undefined).detectors).toBe('');
    const { detectors } = scannerDraft({ ...KEPT, detectors: '', flags: { secretScan: false } });
    expect(detectors).toEqual(DETECTORS.filter((one) => one !== 'secrets'));
  });

  it('keeps, replaces or removes the token', () => {
    const draft = scannerDraft(KEPT);
    expect(scannerBody(draft, KEPT)).not.toHaveProperty('token');
    expect(scannerBody({ ...draft, token: ' abc ' }, KEPT).token).toBe('abc');
    expect(scannerBody({ ...draft, token: 'abc', forgetToken: true }, KEPT).token).toBeNull();
  });

  it('sends nothing of a bundle of rules that it does not name', () => {
    const draft = { ...scannerDraft(KEPT), rulesRepo: ' ' };
    expect(scannerBody(draft, KEPT).flags).toEqual({ strict: true, verbose: true });
  });
});
