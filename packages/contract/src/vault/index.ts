export { secretKeyOf, secretKeyProblem } from './key.ts';
export { type Secret, type SecretVersion, VAULT_LIMITS, VAULT_ROUTES } from './vault.ts';
