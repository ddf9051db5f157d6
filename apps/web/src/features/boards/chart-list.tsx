import { type ComponentProps, lazy } from 'react';

const ChartListDialog = lazy(() => import('./chart-list-dialog.tsx'));

/** Stands between the button and its dialog: pages with the button need not know what all the dialog is made of. */
export default function ChartList(props: ComponentProps<typeof ChartListDialog>) {
  return <ChartListDialog {...props} />;
}
