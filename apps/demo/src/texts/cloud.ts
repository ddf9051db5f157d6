import type { Domain } from './domain.ts';

export const cloud: Domain = {
  id: 'cloud',
  company: 'Halyard Cloud',
  system:
    'You are an on-call assistant of Halyard Cloud. Answer engineers with concrete commands. Say what a command changes before you show it. When data could be lost, ask for confirmation first.',
  exchanges: [
    {
      ask: 'Pods of {workload} in namespace {namespace} are OOMKilled since the deploy on {weekday}. Limits are 512Mi. What should I look at first?',
      reply:
        'Start with what changed: compare the working set of {workload} before and after the deploy on {weekday}. If it grows without bound it is a leak, and a higher limit only delays the kill. If it settles at a higher level, raise the limit to the 99th percentile plus a quarter. `kubectl top pod -n {namespace} --containers` shows which container it is; a heap snapshot taken at 400Mi usually names the culprit.',
    },
    {
      ask: 'How do I drain node {node} without taking {workload} below {small} replicas?',
      reply:
        'Give {workload} a PodDisruptionBudget with minAvailable set, then drain; the eviction API respects it:\n\n```sh\nkubectl -n {namespace} create pdb {workload} --selector=app={workload} --min-available=2\nkubectl drain {node} --ignore-daemonsets --delete-emptydir-data\n```\n\nThe second command evicts pods and deletes their emptyDir data. Confirm that nothing on {node} keeps state there.',
    },
    {
      ask: 'p99 of {workload} went from 180 ms to 2.4 s at {minutes} past the hour, CPU is at {percent} %. The database looks idle. Any idea?',
      reply:
        'Low CPU, an idle database and a high p99 together point at waiting: a connection pool that is exhausted, a lock, or DNS. Look at the pool first. If `pool.waiting` is above zero while the database has free slots, something holds connections across a slow call. A cron job at {minutes} past the hour that runs in the same process would fit.',
    },
    {
      ask: 'Write a Terraform snippet for a bucket with versioning and a lifecycle rule that drops old versions after {count} days.',
      reply:
        '```hcl\nresource "aws_s3_bucket" "archive" {\n  bucket = "halyard-{namespace}-archive"\n}\n\nresource "aws_s3_bucket_versioning" "archive" {\n  bucket = aws_s3_bucket.archive.id\n  versioning_configuration { status = "Enabled" }\n}\n\nresource "aws_s3_bucket_lifecycle_configuration" "archive" {\n  bucket = aws_s3_bucket.archive.id\n  rule {\n    id     = "old-versions"\n    status = "Enabled"\n    noncurrent_version_expiration { noncurrent_days = {count} }\n  }\n}\n```\n\nOnly noncurrent versions expire; the current object stays until somebody deletes it.',
    },
    {
      ask: 'Certificate for {namespace}.halyard.example expires in {small} days and cert-manager says "order is in errored state".',
      reply:
        'An errored order is not retried. Delete the Order object and cert-manager makes a new one within a minute. Before that, read the challenge: if it failed with a 403 on the HTTP-01 path, the ingress redirects to HTTPS and the validation follows it into the expired certificate. Exclude `/.well-known/acme-challenge` from the redirect.',
    },
  ],
  followUps: [
    {
      ask: 'It grows about {count} MB an hour. Node 22, Express, one Redis client.',
      reply:
        'Then it is a leak of about {count} MB an hour. In that stack the usual suspects are listeners added per request, a Map used as a cache without a bound, and promises that never settle. Take two heap snapshots ten minutes apart and look at the objects that were allocated between them and are still alive.',
    },
    {
      ask: 'Can we roll back without losing the migration?',
      reply:
        'Yes, if the migration only added columns. The previous image ignores them. Run `kubectl -n {namespace} rollout undo deployment/{workload}` and leave the schema as it is; remove the columns in a later release.',
    },
    {
      ask: 'Summarise this for the incident channel in two sentences.',
      reply:
        '{workload} in {namespace} restarted {count} times since {weekday} because its memory grows after the last deploy; customers see slow answers, no data was lost. We rolled back and are reading heap snapshots, next update in {minutes} minutes.',
    },
  ],
  documents: [
    {
      title: 'Runbook: memory pressure',
      text: 'When a container is killed for memory, note the working set at the time of the kill, the limit, and the last deploy. Raise the limit once, by at most half, and open a ticket with a heap snapshot. Never remove the limit.',
    },
    {
      title: 'Runbook: exhausted connection pool',
      text: 'Symptoms: latency rises while CPU stays low and the database reports idle connections in transaction. Find the caller that holds a connection across an HTTP call. As a stopgap halve the idle timeout.',
    },
    {
      title: 'Change policy',
      text: 'Production changes need a reviewer, a rollback command in the description and a look at the dashboards for fifteen minutes after. No changes on Fridays after 14:00 unless they repair an incident.',
    },
    {
      title: 'Node maintenance',
      text: 'Cordon, drain with a disruption budget in place, patch, reboot, uncordon. Stateful sets move one at a time; wait until the replica is in sync before the next node.',
    },
  ],
  slots: {
    workload: [
      'checkout-api',
      'ledger-worker',
      'search-indexer',
      'image-resizer',
      'session-store',
      'webhook-relay',
    ],
    namespace: ['payments', 'catalog', 'platform', 'growth', 'media'],
    node: ['ip-10-2-14-7', 'ip-10-2-31-201', 'gke-pool-b-91x', 'worker-17'],
  },
};
