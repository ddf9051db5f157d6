import { CatchBoundary, Link, useRouter } from '@tanstack/react-router';
import {
  Command as CommandIcon,
  Keyboard,
  Menu,
  MessageCircleQuestion,
  Monitor,
  Moon,
  PanelLeft,
  RefreshCw,
  Settings,
  Sun,
} from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useState } from 'react';
import { cx } from '../../lib/cx.ts';
import { useHotkey } from '../../lib/hotkeys.ts';
import { oneOf, preference } from '../../lib/preference.ts';
import { chooseTheme, type Theme, THEMES, themePreference } from '../../lib/theme.ts';
import { Button } from '../../ui/button.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { ChoiceMenu } from '../../ui/menu.tsx';
import { Modal } from '../../ui/modal.tsx';
import { Failure } from '../../ui/states.tsx';
import { mayOpen, useWhoAsks } from '../session/use-person.ts';
import { BusyLine } from './busy-line.tsx';
import { EnvironmentSwitcher } from './environment-switcher.tsx';
import { NAV_GROUPS, type NavItem, navItems } from './navigation.ts';
import { PageNews } from './page-news.tsx';
import { ProjectSwitcher } from './project-switcher.tsx';
import { useRefresh, useShell } from './shell-search.ts';
import { TimeRangePicker, ZoneMenu } from './time-range-picker.tsx';
import { UserMenu } from './user-menu.tsx';

const importPalette = () => import('./palette.tsx');
const Palette = lazy(importPalette);
/** Whoever reaches for it finds it there, and no page is larger by it for those who do not. */
const loadPalette = () => void importPalette().catch(() => undefined);
const SidePanel = lazy(() => import('../assistant/side-panel.tsx'));
const KeySheet = lazy(() => import('./key-sheet.tsx'));
const NavSheet = lazy(() => import('./nav-sheet.tsx'));
const UNOWNED = 'Nobody owns this installation yet: set it up with the link printed at start';
const sidebar = preference('sidebar', 'open', oneOf('open', 'closed'));

/** Navigation, header and keyboard around every page. */
export function AppShell({ children }: { children: ReactNode }) {
  const [asking, setAsking] = useState(false);
  const [overlay, setOverlay] = useState<'none' | 'palette' | 'keys' | 'pages'>('none');
  const router = useRouter();
  const refresh = useRefresh();
  const hasRange = useShell().rangeUse !== undefined;
  const { status, person } = useWhoAsks();
  const items = useMemo(
    () => navItems(Object.values(router.routesById)).filter((item) => mayOpen(person, item.permission)),
    [router, person],
  );
  const open = sidebar.use() === 'open';
  const close = () => setOverlay('none');
  useEffect(() => {
    // The command key goes down before the letter does.
    const onKeyDown = ({ key }: KeyboardEvent) => {
      if (key !== 'Control' && key !== 'Meta') return;
      removeEventListener('keydown', onKeyDown);
      loadPalette();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
  useHotkey('mod+k', () => setOverlay(overlay === 'palette' ? 'none' : 'palette'), {
    label: 'Command palette',
    group: 'Everywhere',
  });
  useHotkey('?', () => setOverlay('keys'), { label: 'This sheet', group: 'Everywhere' });
  useHotkey('r', refresh, { label: 'Refresh', group: 'Everywhere' });
  return (
    <div className="flex h-full">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-accent-fill focus:px-3 focus:py-1 focus:text-on-accent"
      >
        Skip to content
      </a>
      <SideNav items={items} open={open} onKeys={() => setOverlay('keys')} />
      <div className="flex min-w-0 grow flex-col">
        <header className="flex min-h-11 shrink-0 items-center gap-1 max-sm:flex-wrap max-sm:py-1.5 border-b border-line bg-surface px-2">
          <Button
            look="plain"
            className="max-lg:hidden"
            aria-label={open ? 'Narrow the navigation' : 'Widen the navigation'}
            aria-expanded={open}
            onClick={() => sidebar.set(open ? 'closed' : 'open')}
          >
            <PanelLeft size={15} aria-hidden />
          </Button>
          <Button
            look="plain"
            className="sm:hidden"
            aria-label="Pages"
            aria-haspopup="dialog"
            onClick={() => setOverlay('pages')}
          >
            <Menu size={16} aria-hidden />
          </Button>
          <ProjectSwitcher />
          <span className="text-faint max-sm:hidden" aria-hidden>
            /
          </span>
          <EnvironmentSwitcher />
          {status?.owned === false && (
            <p className="truncate px-2 text-sm text-muted max-lg:hidden" title={UNOWNED}>
              {UNOWNED}
            </p>
          )}
          <div className="ml-auto flex min-w-0 items-center gap-1 sm:shrink-0">
            <Button
              look="plain"
              onPointerEnter={loadPalette}
              onFocus={loadPalette}
              onClick={() => setOverlay('palette')}
              title="Command palette"
            >
              <CommandIcon size={14} aria-hidden />
              <span className="sr-only">Command palette</span>
              <span className="max-md:hidden">
                <Kbd keys="mod+k" />
              </span>
            </Button>
            <Button
              look="plain"
              aria-label="Assistant"
              title="Assistant"
              aria-pressed={asking}
              onClick={() => setAsking(!asking)}
            >
              <MessageCircleQuestion size={14} aria-hidden />
            </Button>
            {hasRange ? <TimeRangePicker /> : <ZoneMenu />}
            <Button look="plain" onClick={refresh} aria-label="Refresh" title="Refresh (r)">
              <RefreshCw size={14} aria-hidden />
            </Button>
            <UserMenu />
          </div>
        </header>
        <BusyLine />
        <main id="main" tabIndex={-1} className="min-h-0 grow outline-none">
          {children}
        </main>
      </div>
      <Suspense>{asking && <SidePanel onClose={() => setAsking(false)} />}</Suspense>
      <PageNews />
      {/* What stands above the page must not take the page away when it does not come. */}
      <CatchBoundary
        getResetKey={() => overlay}
        errorComponent={({ error, reset }) => (
          <Modal label="Not loaded" onClose={close}>
            <Failure error={error} onRetry={reset} />
          </Modal>
        )}
      >
        <Suspense fallback={overlay === 'palette' && <ComingPalette onClose={close} />}>
          {overlay === 'palette' && (
            <Palette items={items} onClose={close} onKeys={() => setOverlay('keys')} />
          )}
          {overlay === 'keys' && <KeySheet onClose={close} />}
          {overlay === 'pages' && <NavSheet items={items} onClose={close} />}
        </Suspense>
      </CatchBoundary>
    </div>
  );
}

/** In the palette's place while it is on its way: keys work the page no more. */
function ComingPalette({ onClose }: { onClose: () => void }) {
  return (
    <Modal label="Command palette" onClose={onClose} className="w-[min(600px,92vw)]">
      <div role="status" aria-label="Loading" className="skeleton m-3 h-24" />
    </Modal>
  );
}

function SideNav(props: { items: readonly NavItem[]; open: boolean; onKeys: () => void }) {
  const theme = themePreference.use();
  const groups = NAV_GROUPS.map((group) => ({
    group,
    items: props.items.filter((item) => item.group === group),
  })).filter((entry) => entry.items.length > 0 && entry.group !== 'Settings');
  const ThemeIcon = theme === 'dark' ? Moon : theme === 'light' ? Sun : Monitor;
  return (
    <nav
      aria-label="Pages"
      className={cx(
        'flex shrink-0 flex-col border-r border-line bg-sunken max-sm:hidden',
        props.open ? 'w-44 max-lg:w-12' : 'w-12',
      )}
    >
      <Link
        to="/"
        className="flex h-11 items-center gap-2 border-b border-line px-3.5 font-semibold"
        title="Candela"
      >
        <img src="/favicon.svg" alt="" width={20} height={20} />
        <span className={cx('max-lg:sr-only', !props.open && 'sr-only')}>Candela</span>
      </Link>
      <div className="grow overflow-auto p-2">
        {groups.map((entry) => (
          <section key={entry.group} className="mb-3" aria-label={entry.group}>
            <h2 className={cx('mb-1 px-2 text-xs text-muted max-lg:sr-only', !props.open && 'sr-only')}>
              {entry.group}
            </h2>
            {entry.items.map((item) => (
              <PageLink key={item.path} item={item} open={props.open} />
            ))}
          </section>
        ))}
      </div>
      <div className="px-2 pb-2">
        <PageLink item={{ path: '/settings', label: 'Settings', icon: Settings }} open={props.open} />
      </div>
      <div className={cx('flex gap-1 border-t border-line p-2 max-lg:flex-col', !props.open && 'flex-col')}>
        <ChoiceMenu
          label="Theme"
          value={theme}
          choices={THEMES}
          side="top"
          onChoose={(value) => chooseTheme(value as Theme)}
          trigger={
            <Button look="plain" aria-label="Theme" title="Theme">
              <ThemeIcon size={15} aria-hidden />
            </Button>
          }
        />
        <Button
          look="plain"
          aria-label="Keyboard shortcuts"
          title="Keyboard shortcuts (?)"
          onClick={props.onKeys}
        >
          <Keyboard size={15} aria-hidden />
        </Button>
      </div>
    </nav>
  );
}

function PageLink(props: { item: Pick<NavItem, 'path' | 'label' | 'icon'>; open: boolean }) {
  const { item } = props;
  return (
    <Link
      to={item.path}
      title={item.label}
      activeOptions={{ exact: item.path === '/', includeSearch: false }}
      activeProps={{ className: 'bg-selected font-medium text-text', 'aria-current': 'page' }}
      inactiveProps={{ className: 'text-muted' }}
      className="flex h-7 items-center gap-2 rounded-md px-2 hover:bg-hover hover:text-text pointer-coarse:h-10"
    >
      <item.icon size={15} className="shrink-0" aria-hidden />
      <span className={cx('max-lg:sr-only', !props.open && 'sr-only')}>{item.label}</span>
    </Link>
  );
}
