import { createFileRoute } from '@tanstack/react-router';
import { SettingsLayout } from '../features/settings/settings-layout.tsx';

export const Route = createFileRoute('/settings')({
  staticData: { permission: 'reader' },
  component: SettingsLayout,
});
