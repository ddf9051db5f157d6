/** A function of CUDA and the programs that run when it is entered and when it returns. */
export interface TracedFunction {
  readonly names: readonly string[];
  readonly entry?: string;
  readonly atReturn?: string;
  /** `always`: rare calls that the rest is understood by. `sampled`: taken out for a while when they are many. */
  readonly when: 'always' | 'sampled';
}

/** Of libcudart: the runtime, that most programs are written against. */
export const RUNTIME_FUNCTIONS: readonly TracedFunction[] = [
  { names: ['cudaLaunchKernel', 'cudaLaunchCooperativeKernel'], entry: 'launch', when: 'sampled' },
  {
    names: ['cudaLaunchKernel_ptsz', 'cudaLaunchCooperativeKernel_ptsz'],
    entry: 'launch_ptsz',
    when: 'sampled',
  },
  { names: ['cudaLaunchKernelExC'], entry: 'launch_ex', when: 'sampled' },
  { names: ['cudaLaunchKernelExC_ptsz'], entry: 'launch_ex_ptsz', when: 'sampled' },
  { names: ['cudaGraphLaunch', 'cudaGraphLaunch_ptsz'], entry: 'graph', when: 'sampled' },
  {
    names: [
      'cudaMalloc',
      'cudaMallocAsync',
      'cudaMallocAsync_ptsz',
      'cudaMallocManaged',
      'cudaMallocFromPoolAsync',
      'cudaMallocFromPoolAsync_ptsz',
    ],
    entry: 'allocate',
    atReturn: 'allocated',
    when: 'sampled',
  },
  {
    names: ['cudaMemcpy', 'cudaMemcpy_ptds'],
    entry: 'copy',
    atReturn: 'device_synchronized',
    when: 'sampled',
  },
  { names: ['cudaMemcpyAsync', 'cudaMemcpyAsync_ptsz'], entry: 'copy', when: 'sampled' },
  { names: ['cudaDeviceSynchronize'], atReturn: 'device_synchronized', when: 'sampled' },
  {
    names: ['cudaStreamSynchronize', 'cudaStreamQuery'],
    entry: 'stream_wait',
    atReturn: 'stream_waited',
    when: 'sampled',
  },
  {
    names: ['cudaStreamSynchronize_ptsz', 'cudaStreamQuery_ptsz'],
    entry: 'stream_wait_ptsz',
    atReturn: 'stream_waited',
    when: 'sampled',
  },
  {
    names: ['cudaEventSynchronize', 'cudaEventQuery'],
    entry: 'event_wait',
    atReturn: 'stream_waited',
    when: 'sampled',
  },
  { names: ['cudaEventRecord', 'cudaEventRecordWithFlags'], entry: 'event_record', when: 'sampled' },
  {
    names: ['cudaEventRecord_ptsz', 'cudaEventRecordWithFlags_ptsz'],
    entry: 'event_record_ptsz',
    when: 'sampled',
  },
  { names: ['cudaSetDevice'], entry: 'set_device', atReturn: 'device_set', when: 'always' },
  { names: ['__cudaRegisterFunction'], entry: 'register_function', when: 'always' },
  { names: ['__cudaGetKernel'], entry: 'get_alias', atReturn: 'got_alias', when: 'always' },
];

/** Of libcuda: the driver, that the runtime stands on and that some libraries call themselves. */
export const DRIVER_FUNCTIONS: readonly TracedFunction[] = [
  { names: ['cuLaunchKernel', 'cuLaunchCooperativeKernel'], entry: 'driver_launch', when: 'sampled' },
  {
    names: ['cuLaunchKernel_ptsz', 'cuLaunchCooperativeKernel_ptsz'],
    entry: 'driver_launch_ptsz',
    when: 'sampled',
  },
  { names: ['cuLaunchKernelEx'], entry: 'driver_launch_ex', when: 'sampled' },
  { names: ['cuLaunchKernelEx_ptsz'], entry: 'driver_launch_ex_ptsz', when: 'sampled' },
  { names: ['cuGraphLaunch', 'cuGraphLaunch_ptsz'], entry: 'driver_graph', when: 'sampled' },
  {
    names: [
      'cuMemAlloc_v2',
      'cuMemAllocAsync',
      'cuMemAllocAsync_ptsz',
      'cuMemAllocManaged',
      'cuMemAllocFromPoolAsync',
      'cuMemAllocFromPoolAsync_ptsz',
      // Memory that is mapped by pieces, as PyTorch has it with expandable segments.
      'cuMemCreate',
    ],
    entry: 'driver_allocate',
    atReturn: 'driver_allocated',
    when: 'sampled',
  },
  {
    names: ['cuMemcpyHtoD_v2', 'cuMemcpyHtoD_v2_ptds'],
    entry: 'copy_to_device',
    atReturn: 'device_synchronized',
    when: 'sampled',
  },
  {
    names: ['cuMemcpyHtoDAsync_v2', 'cuMemcpyHtoDAsync_v2_ptsz'],
    entry: 'copy_to_device',
    when: 'sampled',
  },
  {
    names: ['cuMemcpyDtoH_v2', 'cuMemcpyDtoH_v2_ptds'],
    entry: 'copy_to_host',
    atReturn: 'device_synchronized',
    when: 'sampled',
  },
  {
    names: ['cuMemcpyDtoHAsync_v2', 'cuMemcpyDtoHAsync_v2_ptsz'],
    entry: 'copy_to_host',
    when: 'sampled',
  },
  {
    names: ['cuMemcpyDtoD_v2', 'cuMemcpyDtoD_v2_ptds', 'cuMemcpyDtoDAsync_v2', 'cuMemcpyDtoDAsync_v2_ptsz'],
    entry: 'copy_on_device',
    when: 'sampled',
  },
  {
    names: ['cuMemcpy', 'cuMemcpy_ptds'],
    entry: 'copy_any',
    atReturn: 'device_synchronized',
    when: 'sampled',
  },
  { names: ['cuMemcpyAsync', 'cuMemcpyAsync_ptsz'], entry: 'copy_any', when: 'sampled' },
  // The second one since CUDA 13, also for programs that have the runtime linked into them.
  { names: ['cuCtxSynchronize', 'cuCtxSynchronize_v2'], atReturn: 'device_synchronized', when: 'sampled' },
  {
    names: ['cuStreamSynchronize', 'cuStreamQuery'],
    entry: 'stream_wait',
    atReturn: 'stream_waited',
    when: 'sampled',
  },
  {
    names: ['cuStreamSynchronize_ptsz', 'cuStreamQuery_ptsz'],
    entry: 'stream_wait_ptsz',
    atReturn: 'stream_waited',
    when: 'sampled',
  },
  {
    names: ['cuEventSynchronize', 'cuEventQuery'],
    entry: 'event_wait',
    atReturn: 'stream_waited',
    when: 'sampled',
  },
  { names: ['cuEventRecord', 'cuEventRecordWithFlags'], entry: 'event_record', when: 'sampled' },
  {
    names: ['cuEventRecord_ptsz', 'cuEventRecordWithFlags_ptsz'],
    entry: 'event_record_ptsz',
    when: 'sampled',
  },
  {
    names: ['cuModuleGetFunction', 'cuLibraryGetKernel'],
    entry: 'get_function',
    atReturn: 'got_function',
    when: 'always',
  },
  { names: ['cuKernelGetFunction'], entry: 'get_alias', atReturn: 'got_alias', when: 'always' },
];

/** What a path is of: the versions of both libraries differ in what stands after the name. */
export function libraryOf(path: string): readonly TracedFunction[] | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (/^libcudart([-.].*)?\.so/.test(name)) return RUNTIME_FUNCTIONS;
  if (name.startsWith('libcuda.so')) return DRIVER_FUNCTIONS;
  return undefined;
}
