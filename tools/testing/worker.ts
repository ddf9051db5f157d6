// Vitest ends its workers by SIGTERM, at which Node runs no `exit` handlers: without this, processes that a failed test did
// not stop would go on, and what is to be removed at the end would stay.
process.once('SIGTERM', () => process.exit());
