export {
  type AckLoad,
  type AckLoadOptions,
  type AckReport,
  type AckSignal,
  compareWithStore,
  percentile,
  startAckLoad,
  type StoredTrace,
} from './ack-load.ts';
export {
  type Blow,
  type KillReport,
  type KillRound,
  killRounds,
  type KillRoundsOptions,
} from './kill-rounds.ts';
