/** Views of the page of coding agents. */
export const CODING_VIEWS = ['summary', 'sessions', 'users', 'disputes'] as const;

export const SESSION_SORTS = [
  { value: '-start', label: 'Newest' },
  { value: 'start', label: 'Oldest' },
  { value: '-duration', label: 'Longest' },
  { value: '-cost', label: 'Highest cost' },
  { value: '-tokens', label: 'Most tokens' },
  { value: '-tools', label: 'Most tool calls' },
] as const;

export const USER_SORTS = [
  { value: '-last', label: 'Last seen' },
  { value: '-sessions', label: 'Most sessions' },
  { value: '-cost', label: 'Highest cost' },
  { value: '-tokens', label: 'Most tokens' },
  { value: '-tools', label: 'Most tool calls' },
] as const;
