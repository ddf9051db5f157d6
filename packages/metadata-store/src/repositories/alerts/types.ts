/** Whose alerts: one project. Another's id is unknown here. */
export interface AlertPlace {
  readonly organisationId: string;
  readonly projectId: string;
  readonly environment: string | null;
  readonly databaseConfigId: string;
}

/** An alert as it is saved; `definition` is JSON of the contract. */
export interface AlertDocument {
  readonly name: string;
  readonly kind: string;
  readonly enabled: boolean;
  readonly definition: string;
}

/** Times are epoch milliseconds. */
export interface StoredAlert extends AlertDocument, AlertPlace {
  readonly id: string;
  readonly revision: number;
  readonly updatedBy: string;
  readonly updatedAt: number;
  /** The instant that was evaluated last. */
  readonly lastAt: number | null;
  readonly error: string | null;
  readonly errorCount: number;
}

/** The state of one group; `state` is JSON of the caller. */
export interface StoredAlertState {
  readonly alertId: string;
  readonly groupKey: string;
  readonly status: string;
  readonly state: string;
}

/** `details` is JSON of the caller. */
export interface StoredAlertEvent {
  readonly id: string;
  readonly alertId: string;
  readonly groupKey: string;
  readonly status: string;
  readonly at: number;
  readonly recordedAt: number;
  readonly details: string;
}

/** What one evaluation leaves. */
export interface AlertSettlement {
  readonly alertId: string;
  readonly owner: string;
  /** The instant that was evaluated; later than the last one. */
  readonly at: number;
  readonly nextAt: number;
  readonly error: string | null;
  readonly errorCount: number;
  readonly states: readonly Omit<StoredAlertState, 'alertId'>[];
  /** Groups that are followed no longer. */
  readonly gone: readonly string[];
}

export interface PlaceInList {
  readonly at: number;
  readonly id: string;
}

export interface StoredSilence {
  readonly id: string;
  /** JSON. */
  readonly matchers: string;
  readonly comment: string;
  readonly author: string;
  readonly startsAt: number;
  readonly endsAt: number;
}

/** `channel` is JSON of the contract; secrets are sealed. */
export interface StoredDestination {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly channel: string;
  readonly secret: string | null;
  readonly secretBefore: string | null;
  readonly beforeUntil: number | null;
  readonly problem: string | null;
  readonly revision: number;
  readonly updatedAt: number;
}
export type DestinationDocument = Pick<
  StoredDestination,
  'name' | 'enabled' | 'channel' | 'secret' | 'secretBefore' | 'beforeUntil'
>;

export type DeliveryStatus = 'waiting' | 'sending' | 'sent' | 'failed';
export interface StoredDelivery {
  readonly id: string;
  readonly projectId: string;
  readonly alertId: string;
  readonly destinationId: string;
  readonly status: DeliveryStatus;
  /** Ids of events. */
  readonly events: readonly string[];
  readonly attempts: number;
  readonly error: string | null;
  readonly dueAt: number;
  readonly createdAt: number;
  readonly finishedAt: number | null;
}
