import type { ReactNode } from 'react';

/** A page that stands alone: what is done before anybody is signed in. */
export function Card(props: { title: string; children: ReactNode }) {
  return (
    <main className="flex h-full flex-col items-center overflow-y-auto px-4 py-[10vh]">
      <title>{`${props.title} · Candela`}</title>
      <div className="flex w-full max-w-sm flex-col gap-4 rounded-md border border-line bg-surface p-6">
        <header className="flex flex-col gap-3">
          <p className="flex items-center gap-2 font-semibold">
            <img src="/favicon.svg" alt="" width={22} height={22} />
            Candela
          </p>
          <h1 className="text-xl font-semibold">{props.title}</h1>
        </header>
        {props.children}
      </div>
    </main>
  );
}
