/** The queue of messages; keys of items are ids of deliveries. */
export const DELIVERY_QUEUE = 'alert-deliveries';
