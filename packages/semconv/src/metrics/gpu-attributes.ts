/** What every point of a GPU may carry: which device it is, and of a partition (MIG, compute partition) whose part. */
export const GPU_ATTRIBUTES: readonly string[] = [
  'hw.id',
  'hw.name',
  'hw.vendor',
  'gpu.index',
  'gpu.pci_address',
  'gpu.mig.enabled',
  'gpu.mig.device_id',
  'gpu.mig.instance_id',
  'gpu.mig.profile',
  'gpu.parent.uuid',
  'hw.parent',
  'hw.gpu.partition',
];
