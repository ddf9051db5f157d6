import { Link } from '@tanstack/react-router';
import { Settings } from 'lucide-react';
import { Modal } from '../../ui/modal.tsx';
import { NAV_GROUPS, type NavItem } from './navigation.ts';

/** The pages on a telephone, over the page; a chosen one takes its place. */
export default function NavSheet({ items, onClose }: { items: readonly NavItem[]; onClose: () => void }) {
  const groups = NAV_GROUPS.map((group) => ({
    group,
    items: items.filter((item) => item.group === group),
  })).filter((entry) => entry.items.length > 0 && entry.group !== 'Settings');
  return (
    <Modal label="Pages" onClose={onClose} className="w-[min(360px,92vw)]">
      <nav aria-label="Pages" className="grid max-h-[80vh] grid-cols-2 gap-x-2 gap-y-3 overflow-auto p-3">
        {groups.map((entry) => (
          <section key={entry.group} aria-label={entry.group} className="min-w-0">
            <h2 className="px-2 text-xs text-muted">{entry.group}</h2>
            {entry.items.map((item) => (
              <SheetLink key={item.path} item={item} onClose={onClose} />
            ))}
          </section>
        ))}
        <section aria-label="Settings" className="min-w-0">
          <h2 className="px-2 text-xs text-muted">Installation</h2>
          <SheetLink item={{ path: '/settings', label: 'Settings', icon: Settings }} onClose={onClose} />
        </section>
      </nav>
    </Modal>
  );
}

function SheetLink(props: { item: Pick<NavItem, 'path' | 'label' | 'icon'>; onClose: () => void }) {
  const { item } = props;
  return (
    <Link
      to={item.path}
      onClick={props.onClose}
      activeOptions={{ exact: item.path === '/', includeSearch: false }}
      activeProps={{ className: 'bg-selected font-medium text-text', 'aria-current': 'page' }}
      inactiveProps={{ className: 'text-muted' }}
      className="flex h-10 items-center gap-2 rounded-md px-2 hover:bg-hover hover:text-text"
    >
      <item.icon size={16} className="shrink-0" aria-hidden />
      <span className="truncate">{item.label}</span>
    </Link>
  );
}
