import type { Person } from '@candela/contract';
import type { Role } from '@candela/kernel';
import { describe, expect, it } from 'vitest';
import { mayOpen } from './use-person.ts';

const person = (role: Role | null): Person => ({
  id: 'u',
  email: 'jo@example.com',
  name: 'Jo',
  totp: false,
  organisation: role === null ? null : { id: 'o', name: 'O', role },
  projects: [],
});

describe('who may open a page', () => {
  it('nobody: what is public, and what reads', () => {
    expect(mayOpen(undefined, 'public')).toBe(true);
    expect(mayOpen(undefined, 'reader')).toBe(true);
    expect(mayOpen(undefined, 'signed-in')).toBe(false);
    expect(mayOpen(undefined, 'viewer')).toBe(false);
  });

  it('a person: what their role reaches', () => {
    expect(mayOpen(person('viewer'), 'viewer')).toBe(true);
    expect(mayOpen(person('member'), 'admin')).toBe(false);
    expect(mayOpen(person('admin'), 'admin')).toBe(true);
    expect(mayOpen(person('admin'), 'owner')).toBe(false);
    expect(mayOpen(person('owner'), 'owner')).toBe(true);
  });

  it('an account of no organisation: its own pages', () => {
    expect(mayOpen(person(null), 'signed-in')).toBe(true);
    expect(mayOpen(person(null), 'viewer')).toBe(false);
  });
});
