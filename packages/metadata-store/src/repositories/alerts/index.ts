export { alerts } from './alerts.ts';
export { alertDeliveries, alertDestinations, alertSilences } from './destinations.ts';
