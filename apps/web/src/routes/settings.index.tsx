import { createFileRoute } from '@tanstack/react-router';
import { SettingsIndex } from '../features/settings/settings-index.tsx';

export const Route = createFileRoute('/settings/')({
  staticData: { permission: 'reader' },
  component: SettingsIndex,
});
