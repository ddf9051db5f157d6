import { runDrainer } from '../spool/drainer.ts';
import { makeFolders } from '../spool/folders.ts';

/** A drainer of its own for tests that kill it: state folder, address, idle time. */
const [state = '', endpoint = '', idle = '1000'] = process.argv.slice(2);
const settings = {
  home: state,
  capture: 'full',
  repositories: [],
  host: 'h',
  environment: 'default',
  version: '0',
} as const;
await runDrainer(
  makeFolders(state),
  async () => await Promise.resolve({ settings, target: { endpoint } }),
  Number(idle),
);
