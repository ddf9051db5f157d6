import { boardShots, ownedBoardShots } from './boards.ts';
import { codingAgentShots, firstCodingShots } from './coding-agents.ts';
import { connectorShots } from './connectors.ts';
import { evaluationShots } from './evaluations.ts';
import { exceptionsShots } from './exceptions.ts';
import { homeShots } from './home.ts';
import { hostsShots } from './hosts.ts';
import { logsShots } from './logs.ts';
import { metricsShots } from './metrics.ts';
import { oauthShots } from './oauth.ts';
import { rulesShots } from './rules.ts';
import { longSessionShots, sessionsShots } from './sessions.ts';
import { shellShots } from './shell.ts';
import { settingsShots, signInShots, unownedShots } from './settings.ts';
import type { ShotGroup } from './shot.ts';
import { firstSteerShots, steerShots } from './steer.ts';
import { traceShots } from './trace.ts';
import { tracesShots } from './traces.ts';
import { alertShots } from './alerts.ts';
import { controllerShots } from './controller.ts';

/** Every feature's pictures; the one registry. */
export const SHOT_GROUPS: readonly ShotGroup[] = [
  // First: hosts that have not reported for some minutes are shown as silent.
  hostsShots,
  homeShots,
  tracesShots,
  traceShots,
  logsShots,
  exceptionsShots,
  metricsShots,
  sessionsShots,
  longSessionShots,
  shellShots,
  boardShots,
  ownedBoardShots,
  firstCodingShots,
  codingAgentShots,
  unownedShots,
  firstSteerShots,
  steerShots,
  settingsShots,
  connectorShots,
  oauthShots,
  rulesShots,
  signInShots,
  alertShots,
  controllerShots,
  evaluationShots,
];
